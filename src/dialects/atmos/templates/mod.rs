//! Go templates in maps of YAML (`reference: atmos.md` section 7): a map is rendered as text (`engine`), or string by string
//! where that gives the same (`scalars`). What only the run time knows stands in the text as a token (`unknowns`).

pub(super) mod cache;
mod declared_env;
pub(super) mod engine;
pub(super) mod eval;
pub(super) mod function_sets;
pub(super) mod host;
pub(super) mod scalars;
pub(super) mod traces;
pub(super) mod unknowns;
