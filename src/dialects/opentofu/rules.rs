//! Rules that only this dialect reports. The ones it shares with others are in `diagnostic::rules`.

pub(super) use crate::diagnostic::rules::{
    LIMIT_EXCEEDED, LOCAL_CYCLE, MISSING_COMPONENT_DIRECTORY, MISSING_REQUIRED_VARIABLE, UNDECLARED_VARIABLE,
    UNDEFINED_LOCAL, UNREADABLE_FILE, UNUSED_LOCAL,
};
use crate::diagnostic::{Level, Rule, rule};

rule!(BACKEND, "tofu-backend", Correctness, "0.1.0", "a backend does not exist, or does not support an argument");
rule!(
    ENCRYPTION,
    "tofu-encryption",
    Correctness,
    "0.1.0",
    "state encryption refers to an undeclared block, or contradicts itself"
);
rule!(
    INVALID_DECLARATION,
    "tofu-invalid-declaration",
    Correctness,
    "0.1.0",
    "a declaration is wrong, repeated or unknown"
);
rule!(INVALID_SYNTAX, "tofu-invalid-syntax", Correctness, "0.1.0", "a configuration file is malformed");
rule!(
    INVALID_VALUE,
    "tofu-invalid-value",
    Correctness,
    "0.1.0",
    "an expression has no value, or one that cannot be used"
);
rule!(MISSING_VALUE, "tofu-missing-value", Correctness, "0.1.0", "a variable that `init` needs has no value");
rule!(
    MODULE_ARGUMENT,
    "tofu-module-argument",
    Correctness,
    "0.1.0",
    "a module call lacks an argument that `init` needs"
);
rule!(
    MODULE_SOURCE,
    "tofu-module-source",
    Correctness,
    "0.1.0",
    "the source or the version of a module cannot be used"
);
rule!(NOT_STATIC, "tofu-not-static", Correctness, "0.1.0", "a value that `init` needs is known only later");
rule!(
    PROVIDER_FOR_EACH,
    "tofu-provider-for-each",
    Correctness,
    "0.1.0",
    "`for_each` of a provider, or a use of its instances, is wrong"
);
rule!(
    SENSITIVE,
    "tofu-sensitive-address",
    Correctness,
    "0.1.0",
    "a sensitive or ephemeral value is used where it would be stored or shown"
);
rule!(UNDEFINED_NAME, "tofu-undefined-name", Correctness, "0.1.0", "a reference names nothing that is declared");
rule!(
    VALUES,
    "tofu-variable-values",
    Correctness,
    "0.1.0",
    "a variable file or a value of the command line cannot be used"
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
    &ENCRYPTION,
    &INVALID_DECLARATION,
    &INVALID_SYNTAX,
    &INVALID_VALUE,
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
