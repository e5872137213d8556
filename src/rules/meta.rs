//! Rules about stacklint itself.

use super::rule;
use crate::diagnostic::Level;

rule!(
    INCOMPLETE_ANALYSIS,
    "incomplete-analysis",
    Suspicious,
    "something could not be known, so rules that depend on it were withheld",
    Some(Level::Note)
);
rule!(
    LIMIT_EXCEEDED,
    "limit-exceeded",
    Correctness,
    "something is larger or deeper than stacklint takes on, so it was not resolved"
);
rule!(UNKNOWN_RULE, "unknown-rule", Suspicious, "the settings or a comment name a rule that does not exist");
rule!(UNUSED_IGNORE, "unused-ignore", Suspicious, "a comment that silences findings silences none");
