//! Which rules need not know all of a state, so that parts of it can be checked apart.

use super::{merge, source};
use crate::diagnostic::{Rule, rules as shared};

/// The rules whose findings in a file are decided by that file and by the units that read it, whatever else there is.
static DECIDED_BY_FILE: &[&Rule] = &[
    &shared::DEPRECATED_KEY,
    &shared::DUPLICATE_KEY,
    &shared::INVALID_YAML,
    &shared::LOCAL_CYCLE,
    &shared::SCHEMA_VIOLATION,
    &shared::TEMPLATE_ERROR,
    &shared::UNDEFINED_LOCAL,
    &shared::UNDEFINED_REFERENCE,
    &shared::UNKNOWN_FUNCTION,
    &shared::UNKNOWN_KEY,
    &shared::UNRESOLVED_IMPORT,
    &shared::UNRESOLVED_INCLUDE,
    &source::ambiguous_scalar::AMBIGUOUS_SCALAR,
    &source::extra_document::EXTRA_DOCUMENT,
    &source::secret_in_plain_text::SECRET_IN_PLAIN_TEXT,
    &source::tag_inside_string::TAG_INSIDE_STRING,
    &merge::append::APPEND_WITHOUT_EFFECT,
    &merge::arguments::INVALID_FUNCTION_ARGUMENTS,
    &merge::list_replaced::LIST_REPLACED,
    &merge::type_conflict::MERGE_TYPE_CONFLICT,
    &merge::scalar_kind::SCALAR_KIND_CHANGE,
];

/// Whether what a rule finds in a file is decided by that file and by the units that read it.
pub(crate) fn is_decided_by_file(rule: &Rule) -> bool {
    DECIDED_BY_FILE.contains(&rule)
}
