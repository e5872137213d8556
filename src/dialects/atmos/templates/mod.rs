//! Go templates in YAML maps (`reference: atmos.md` section 7): a map is rendered as text (`engine`), or string by
//! string if the result is the same (`scalars`). Values known only at run time are tokens in the text (`unknowns`).

pub(super) mod declared_env;
pub(super) mod engine;
pub(super) mod eval;
pub(super) mod function_sets;
pub(super) mod host;
pub(super) mod scalars;
pub(super) mod traces;
pub(super) mod unknowns;
pub(super) mod values_read;
