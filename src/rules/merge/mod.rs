//! Rules about merging: what one layer writes over another, and what is lost by it (`reference: atmos.md` sections 5 and
//! 8.4).

mod append;
mod arguments;
mod authored;
mod became_unknown;
mod dead;
mod deferred;
mod list_replaced;
mod lost;
mod redundant;
mod scalar_kind;
mod type_conflict;
mod unset;
mod walk;

pub(super) use append::APPEND_WITHOUT_EFFECT;
pub(super) use arguments::INVALID_FUNCTION_ARGUMENTS;
pub(super) use became_unknown::VALUE_BECAME_UNKNOWN;
pub(super) use dead::DEAD_OVERRIDE;
pub(super) use deferred::DEFERRED_MERGE_CONFLICT;
pub(super) use list_replaced::LIST_REPLACED;
pub(super) use lost::FUNCTION_LOST;
pub(super) use redundant::REDUNDANT_OVERRIDE;
pub(super) use scalar_kind::SCALAR_KIND_CHANGE;
pub(super) use type_conflict::MERGE_TYPE_CONFLICT;
pub(super) use unset::UNSET_WITHOUT_EFFECT;
