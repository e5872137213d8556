//! Rules that only this dialect reports: references and what they name. The ones it shares with others are in
//! `diagnostic::rules`.

pub(super) use crate::diagnostic::rules::*;
use crate::diagnostic::{Rule, rule};

rule!(
    JIT_BAD_INFRA_OUTPUT_SOURCE,
    "jit-bad-infra-output-source",
    Correctness,
    "0.1.0",
    "a secret names an output of a module that does not exist"
);
rule!(JIT_DOLLAR_DOLLAR, "jit-dollar-dollar", Suspicious, "0.1.0", "`$$` does not escape a reference");
rule!(JIT_DUPLICATE_RESOURCE, "jit-duplicate-resource", Correctness, "0.1.0", "two resources have the same name");
rule!(
    JIT_ENV_SILENTLY_EMPTY,
    "jit-env-silently-empty",
    Suspicious,
    "0.1.0",
    "a variable becomes an empty string during a plan"
);
rule!(JIT_ENV_UNSET, "jit-env-unset", Suspicious, "0.1.0", "a variable that apply needs is not set");
rule!(JIT_MALFORMED_REF, "jit-malformed-ref", Correctness, "0.1.0", "a reference names nothing");
rule!(
    JIT_MISSING_DEPENDS_ON,
    "jit-missing-depends-on",
    Suspicious,
    "0.1.0",
    "a reference needs a resource that is not among the dependencies"
);
rule!(
    JIT_MODULE_SKIPPED_IN_ENV,
    "jit-module-skipped-in-env",
    Correctness,
    "0.1.0",
    "a reference names a module that is not part of the environment"
);
rule!(JIT_NESTED_REF, "jit-nested-ref", Suspicious, "0.1.0", "a reference is nested in another reference");
rule!(
    JIT_REF_BLANKED_BY_ENV_EXPANSION,
    "jit-ref-blanked-by-env-expansion",
    Correctness,
    "0.1.0",
    "a module reference becomes an empty string before it is resolved"
);
rule!(JIT_REF_IN_KEY, "jit-ref-in-key", Suspicious, "0.1.0", "a key contains a reference, which is never resolved");
rule!(JIT_SECRET_LITERAL, "jit-secret-literal", Suspicious, "0.1.0", "a secret is written in plain text");
rule!(JIT_SELF_REF, "jit-self-ref", Correctness, "0.1.0", "a resource refers to its own outputs");
rule!(JIT_UNCLOSED_REF, "jit-unclosed-ref", Suspicious, "0.1.0", "`${` is never closed");
rule!(JIT_UNKNOWN_MODULE, "jit-unknown-module", Correctness, "0.1.0", "a reference names a module that does not exist");
rule!(JIT_UNUSED_SECRET, "jit-unused-secret", Hygiene, "0.1.0", "a declared secret is never used");
rule!(JIT_WHITESPACE_IN_REF, "jit-whitespace-in-ref", Suspicious, "0.1.0", "a reference has spaces in its name");

/// The rules of this dialect.
pub(super) static OWN: &[&Rule] = &[
    &JIT_BAD_INFRA_OUTPUT_SOURCE,
    &JIT_DOLLAR_DOLLAR,
    &JIT_DUPLICATE_RESOURCE,
    &JIT_ENV_SILENTLY_EMPTY,
    &JIT_ENV_UNSET,
    &JIT_MALFORMED_REF,
    &JIT_MISSING_DEPENDS_ON,
    &JIT_MODULE_SKIPPED_IN_ENV,
    &JIT_NESTED_REF,
    &JIT_REF_BLANKED_BY_ENV_EXPANSION,
    &JIT_REF_IN_KEY,
    &JIT_SECRET_LITERAL,
    &JIT_SELF_REF,
    &JIT_UNCLOSED_REF,
    &JIT_UNKNOWN_MODULE,
    &JIT_UNUSED_SECRET,
    &JIT_WHITESPACE_IN_REF,
];
