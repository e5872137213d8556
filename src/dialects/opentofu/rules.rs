//! Rules that only this dialect reports: its own, and those about code. The ones it shares with others are in
//! `diagnostic::rules`.

pub(super) use crate::diagnostic::rules::{UNDECLARED_VARIABLE, UNUSED_LOCAL};
use crate::diagnostic::{Level, Rule, rule};
use crate::terraform::rules::{
    BACKEND, CYCLE, ENCRYPTION, FAILED_CHECK, FAILED_CONDITION, INVALID_DECLARATION, INVALID_MOVE, INVALID_REPETITION,
    INVALID_SYNTAX, INVALID_VALUE, MISSING_VALUE, MODULE_ARGUMENT, MODULE_SOURCE, NOT_STATIC, PROVIDER_FOR_EACH,
    SENSITIVE, UNDEFINED_NAME, VALUES,
};

rule!(
    LOCKED_VERSION,
    "tofu-locked-version",
    Suspicious,
    "0.1.0",
    "the lock file holds a version of a provider that a module does not allow"
);
rule!(
    TERRAFORM_REJECTS,
    "tofu-terraform-rejects",
    Suspicious,
    "0.1.0",
    "Terraform rejects an expression that OpenTofu accepts",
    Some(Level::Note)
);
rule!(
    WORKSPACE_ADDRESS,
    "tofu-workspace-address",
    Hygiene,
    "0.1.0",
    "the address of a state or of a module depends on the selected workspace"
);

/// The rules of this module, sorted by id.
pub(super) static OWN: &[&Rule] = &[
    &BACKEND,
    &CYCLE,
    &ENCRYPTION,
    &FAILED_CHECK,
    &FAILED_CONDITION,
    &INVALID_DECLARATION,
    &INVALID_MOVE,
    &INVALID_REPETITION,
    &INVALID_SYNTAX,
    &INVALID_VALUE,
    &LOCKED_VERSION,
    &MISSING_VALUE,
    &MODULE_ARGUMENT,
    &MODULE_SOURCE,
    &NOT_STATIC,
    &PROVIDER_FOR_EACH,
    &SENSITIVE,
    &TERRAFORM_REJECTS,
    &UNDEFINED_NAME,
    &VALUES,
    &WORKSPACE_ADDRESS,
];
