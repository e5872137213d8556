//! Rules about merging: values that one layer overrides in another, and values lost by it (`reference: atmos.md`
//! sections 5 and 8.4).

pub(super) mod append;
pub(super) mod arguments;
mod authored;
mod became_unknown;
mod dead;
mod deferred;
mod import_order;
pub(super) mod list_replaced;
mod redundant;
mod repeated;
pub(super) mod scalar_kind;
pub(super) mod type_conflict;
mod unset;
mod walk;

use super::{Check, Checked};
use crate::diagnostic::RuleRef;

/// Whether what a rule reports can be removed without an effect.
pub(crate) fn is_redundant(rule: &RuleRef) -> bool {
    *rule == &redundant::REDUNDANT_OVERRIDE || *rule == &dead::DEAD_OVERRIDE
}

/// The checks of this group.
pub(super) static CHECKS: &[Checked] = &[
    (&append::APPEND_WITHOUT_EFFECT, Check::State(append::check)),
    (&dead::DEAD_OVERRIDE, Check::State(dead::check)),
    (&deferred::DEFERRED_MERGE_CONFLICT, Check::State(deferred::check)),
    (&import_order::IMPORT_ORDER_DECIDES, Check::State(import_order::check)),
    (&arguments::INVALID_FUNCTION_ARGUMENTS, Check::State(arguments::check)),
    (&list_replaced::LIST_REPLACED, Check::State(list_replaced::check)),
    (&type_conflict::MERGE_TYPE_CONFLICT, Check::State(type_conflict::check)),
    (&redundant::REDUNDANT_OVERRIDE, Check::State(redundant::check)),
    (&repeated::REPEATED_VALUE, Check::State(repeated::check)),
    (&scalar_kind::SCALAR_KIND_CHANGE, Check::State(scalar_kind::check)),
    (&unset::UNSET_WITHOUT_EFFECT, Check::State(unset::check)),
    (&became_unknown::VALUE_BECAME_UNKNOWN, Check::Change(became_unknown::check)),
];
