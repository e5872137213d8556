//! A language for what maps of YAML must look like (`shape`), the findings where they do not (`check`, `messages`), and its
//! translation into JSON Schema (`export`).

pub(super) mod check;
#[cfg(test)]
pub(super) mod export;
pub(super) mod messages;
pub(super) mod shape;
