//! Rules that only this dialect reports. The ones it shares with others are in `diagnostic::rules`.

pub(super) use crate::diagnostic::rules::{
    IMPORT_CYCLE, LIMIT_EXCEEDED, LOCAL_CYCLE, UNDEFINED_LOCAL, UNREADABLE_FILE, UNRESOLVED_INCLUDE,
};
use crate::diagnostic::{Rule, rule};

rule!(INVALID_SYNTAX, "terragrunt-invalid-syntax", Correctness, "0.1.0", "a file of Terragrunt is malformed");
rule!(
    INVALID_BLOCK,
    "terragrunt-invalid-block",
    Correctness,
    "0.1.0",
    "a block or an attribute of Terragrunt is unknown, repeated, or lacks something"
);
rule!(
    INVALID_VALUE,
    "terragrunt-invalid-value",
    Correctness,
    "0.1.0",
    "an expression of Terragrunt has no value, or one that cannot be used"
);
rule!(STACK, "terragrunt-stack", Correctness, "0.1.0", "a stack file cannot be expanded");

/// The rules of this module, sorted by id.
pub(super) static OWN: &[&Rule] = &[&INVALID_BLOCK, &INVALID_SYNTAX, &INVALID_VALUE, &STACK];
