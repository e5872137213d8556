//! The rules that more than one module reports: those found while files are read and resolved, independent of any
//! system, and those about stacklint itself. Rules of one dialect are declared in its folder, rules with a check beside
//! the check.

use super::{Level, Rule, rule};

rule!(
    COMPONENT_VALIDATION,
    "component-validation",
    Correctness,
    "0.1.0",
    "a schema or a policy that a component names rejects the component"
);
rule!(DEPENDENCY_CYCLE, "dependency-cycle", Correctness, "0.1.0", "components declare that they depend on each other");
rule!(
    DEPRECATED_KEY,
    "deprecated-key",
    Suspicious,
    "0.1.0",
    "a key of a manifest or of the configuration is deprecated"
);
rule!(
    DUPLICATE_COMPONENT,
    "duplicate-component",
    Correctness,
    "0.1.0",
    "several manifests configure the same component of the same stack differently"
);
rule!(DUPLICATE_KEY, "duplicate-key", Correctness, "0.1.0", "a map has the same key twice");
rule!(IMPORT_CYCLE, "import-cycle", Correctness, "0.1.0", "manifests import each other");
rule!(
    INCOMPLETE_ANALYSIS,
    "incomplete-analysis",
    Suspicious,
    "0.1.0",
    "some values are unknown, so rules that depend on them reported nothing",
    Some(Level::Note)
);
rule!(
    INVALID_BACKEND,
    "invalid-backend",
    Correctness,
    "0.1.0",
    "a component's backend cannot be used as it is configured"
);
rule!(INVALID_CONFIG, "invalid-config", Correctness, "0.1.0", "the configuration of the project cannot be used");
rule!(INVALID_POLICY, "invalid-policy", Correctness, "0.1.0", "a policy in the settings cannot be evaluated");
rule!(INVALID_YAML, "invalid-yaml", Correctness, "0.1.0", "a file is not valid YAML");
rule!(
    LIMIT_EXCEEDED,
    "limit-exceeded",
    Correctness,
    "0.1.0",
    "the configuration exceeds a limit of stacklint, so a part of it was not resolved"
);
rule!(LOCAL_CYCLE, "local-cycle", Correctness, "0.1.0", "locals depend on each other");
rule!(
    MISSING_COMPONENT_DIRECTORY,
    "missing-component-directory",
    Correctness,
    "0.1.0",
    "the folder of a component's code does not exist"
);
rule!(
    MISSING_REQUIRED_VARIABLE,
    "missing-required-variable",
    Suspicious,
    "0.1.0",
    "a variable of a component's code has no default and gets no value"
);
rule!(REFERENCE_CYCLE, "reference-cycle", Correctness, "0.1.0", "components refer to each other");
rule!(SCHEMA_VIOLATION, "schema-violation", Correctness, "0.1.0", "a manifest violates the schema");
rule!(STACK_NAME_UNRESOLVED, "stack-name-unresolved", Correctness, "0.1.0", "the name of a stack cannot be computed");
rule!(TEMPLATE_ERROR, "template-error", Correctness, "0.1.0", "a template cannot be parsed or evaluated");
rule!(
    UNDECLARED_VARIABLE,
    "undeclared-variable",
    Suspicious,
    "0.1.0",
    "a component sets a variable that its code does not declare"
);
rule!(
    UNDEFINED_DEPENDENCY,
    "undefined-dependency",
    Correctness,
    "0.1.0",
    "a component declares a dependency on a component that does not exist"
);
rule!(UNDEFINED_LOCAL, "undefined-local", Correctness, "0.1.0", "a template reads a local that is not defined");
rule!(
    UNDEFINED_REFERENCE,
    "undefined-reference",
    Correctness,
    "0.1.0",
    "a template reads a value of its component that is not set, and renders `<no value>`"
);
rule!(UNKNOWN_FUNCTION, "unknown-function", Correctness, "0.1.0", "a YAML function does not exist");
rule!(UNKNOWN_KEY, "unknown-key", Suspicious, "0.1.0", "an unknown key resembles a known key");
rule!(UNKNOWN_RULE, "unknown-rule", Suspicious, "0.1.0", "the settings or a comment name a rule that does not exist");
rule!(UNREADABLE_FILE, "unreadable-file", Correctness, "0.1.0", "a file cannot be read");
rule!(UNRESOLVED_IMPORT, "unresolved-import", Correctness, "0.1.0", "an imported file does not exist");
rule!(UNRESOLVED_INCLUDE, "unresolved-include", Correctness, "0.1.0", "an included file cannot be read");
rule!(UNUSED_IGNORE, "unused-ignore", Suspicious, "0.1.0", "an ignore comment suppresses no finding");
rule!(UNUSED_LOCAL, "unused-local", Suspicious, "0.1.0", "no value in the file uses a local");
rule!(UNUSED_POLICY, "unused-policy", Suspicious, "0.1.0", "a policy in the settings applies to nothing");

/// The rule that reports a file that is not read: git may not have its content, which is no mistake.
pub(crate) fn unread(is_unavailable: bool) -> &'static Rule {
    if is_unavailable { &INCOMPLETE_ANALYSIS } else { &UNREADABLE_FILE }
}

/// The rules of this module, sorted by id.
pub(crate) static ALL: &[&Rule] = &[
    &COMPONENT_VALIDATION,
    &DEPENDENCY_CYCLE,
    &DEPRECATED_KEY,
    &DUPLICATE_COMPONENT,
    &DUPLICATE_KEY,
    &IMPORT_CYCLE,
    &INCOMPLETE_ANALYSIS,
    &INVALID_BACKEND,
    &INVALID_CONFIG,
    &INVALID_POLICY,
    &INVALID_YAML,
    &LIMIT_EXCEEDED,
    &LOCAL_CYCLE,
    &MISSING_COMPONENT_DIRECTORY,
    &MISSING_REQUIRED_VARIABLE,
    &REFERENCE_CYCLE,
    &SCHEMA_VIOLATION,
    &STACK_NAME_UNRESOLVED,
    &TEMPLATE_ERROR,
    &UNDECLARED_VARIABLE,
    &UNDEFINED_DEPENDENCY,
    &UNDEFINED_LOCAL,
    &UNDEFINED_REFERENCE,
    &UNKNOWN_FUNCTION,
    &UNKNOWN_KEY,
    &UNKNOWN_RULE,
    &UNREADABLE_FILE,
    &UNRESOLVED_IMPORT,
    &UNRESOLVED_INCLUDE,
    &UNUSED_IGNORE,
    &UNUSED_LOCAL,
    &UNUSED_POLICY,
];
