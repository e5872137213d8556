//! Rules about stacklint itself.

use super::rule;
use crate::diagnostic::Level;

rule!(
    INCOMPLETE_ANALYSIS,
    "incomplete-analysis",
    Suspicious,
    "0.1.0",
    "something could not be known, so rules that depend on it were withheld",
    Some(Level::Note)
);
rule!(
    LIMIT_EXCEEDED,
    "limit-exceeded",
    Correctness,
    "0.1.0",
    "something is larger or deeper than stacklint takes on, so it was not resolved"
);
rule!(UNKNOWN_RULE, "unknown-rule", Suspicious, "0.1.0", "the settings or a comment name a rule that does not exist");
rule!(UNUSED_IGNORE, "unused-ignore", Suspicious, "0.1.0", "a comment that silences findings silences none");
