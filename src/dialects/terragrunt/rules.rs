//! Rules that only this dialect reports. The ones it shares with others are in `diagnostic::rules`.

pub(super) use crate::diagnostic::rules::{
    IMPORT_CYCLE, INCOMPLETE_ANALYSIS, LIMIT_EXCEEDED, LOCAL_CYCLE, UNDEFINED_DEPENDENCY, UNDEFINED_LOCAL,
    UNRESOLVED_INCLUDE, UNUSED_LOCAL,
};
use crate::diagnostic::{Level, Rule, rule};

rule!(
    DEPRECATED,
    "terragrunt-deprecated",
    Hygiene,
    "0.1.0",
    "a root file or an include is written in a way that Terragrunt will refuse"
);
rule!(
    ENVIRONMENT,
    "terragrunt-environment",
    Suspicious,
    "0.1.0",
    "`get_env` has no default, so every run needs the variable",
    Some(Level::Note)
);
rule!(
    GENERATE_COLLISION,
    "terragrunt-generate-collision",
    Suspicious,
    "0.1.0",
    "a generated file takes the place of another one"
);

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
rule!(
    MISSING_MOCK,
    "terragrunt-missing-mock",
    Suspicious,
    "0.1.0",
    "an output is read that the mocks of the dependency do not have"
);
rule!(
    MOCK_TYPE,
    "terragrunt-mock-type",
    Suspicious,
    "0.1.0",
    "a mock has another type than the output that it stands for",
    Some(Level::Note)
);
rule!(
    RELATIVE_SOURCE,
    "terragrunt-relative-source",
    Suspicious,
    "0.1.0",
    "a relative source in an included file counts from each unit"
);
rule!(
    REPEATED_BLOCK,
    "terragrunt-repeated-block",
    Suspicious,
    "0.1.0",
    "two blocks have one label, and one of them has no effect"
);
rule!(RUNS_COMMAND, "terragrunt-runs-command", Hygiene, "0.1.0", "reading the configuration runs a command");
rule!(
    SOURCE_WITHOUT_VERSION,
    "terragrunt-source-without-version",
    Suspicious,
    "0.1.0",
    "a source elsewhere names no version"
);
rule!(STACK, "terragrunt-stack", Correctness, "0.1.0", "a stack file cannot be expanded");

rule!(
    UNUSED_DEPENDENCY,
    "terragrunt-unused-dependency",
    Suspicious,
    "0.1.0",
    "nothing reads the outputs of a dependency"
);

/// The rules of this module, sorted by id.
pub(super) static OWN: &[&Rule] = &[
    &DEPRECATED,
    &ENVIRONMENT,
    &GENERATE_COLLISION,
    &INVALID_BLOCK,
    &INVALID_SYNTAX,
    &INVALID_VALUE,
    &MISSING_MOCK,
    &MOCK_TYPE,
    &RELATIVE_SOURCE,
    &REPEATED_BLOCK,
    &RUNS_COMMAND,
    &SOURCE_WITHOUT_VERSION,
    &STACK,
    &UNUSED_DEPENDENCY,
];
