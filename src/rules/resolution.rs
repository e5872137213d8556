//! Rules whose check is the resolution itself: what keeps a file, a stack or a component from being resolved.

use super::rule;

rule!(
    DUPLICATE_COMPONENT,
    "duplicate-component",
    Correctness,
    "0.1.0",
    "one component of one stack is configured differently by several manifests"
);
rule!(DUPLICATE_KEY, "duplicate-key", Correctness, "0.1.0", "a map has the same key twice");
rule!(IMPORT_CYCLE, "import-cycle", Correctness, "0.1.0", "manifests import each other");
rule!(INHERITANCE_CYCLE, "inheritance-cycle", Correctness, "0.1.0", "components inherit from each other");
rule!(INVALID_CONFIG, "invalid-config", Correctness, "0.1.0", "the configuration of the project cannot be used");
rule!(INVALID_YAML, "invalid-yaml", Correctness, "0.1.0", "a file is not valid YAML");
rule!(LOCAL_CYCLE, "local-cycle", Correctness, "0.1.0", "locals need each other");
rule!(STACK_NAME_UNRESOLVED, "stack-name-unresolved", Correctness, "0.1.0", "the name of a stack cannot be computed");
rule!(TEMPLATE_ERROR, "template-error", Correctness, "0.1.0", "a template cannot be parsed or evaluated");
rule!(
    UNDEFINED_BASE_COMPONENT,
    "undefined-base-component",
    Correctness,
    "0.1.0",
    "a component inherits from one that is not defined"
);
rule!(
    UNEVALUABLE_IMPORT,
    "unevaluable-import",
    Correctness,
    "0.1.0",
    "an import path needs what is not known when it is resolved"
);
rule!(UNKNOWN_FUNCTION, "unknown-function", Correctness, "0.1.0", "a YAML function does not exist");
rule!(UNREADABLE_FILE, "unreadable-file", Correctness, "0.1.0", "a file cannot be read");
rule!(UNRESOLVED_IMPORT, "unresolved-import", Correctness, "0.1.0", "an import finds no file");
rule!(UNRESOLVED_INCLUDE, "unresolved-include", Correctness, "0.1.0", "an included file cannot be had");
rule!(
    TEMPLATES_DISABLED,
    "templates-disabled",
    Suspicious,
    "0.1.0",
    "a template stays as it is written, because templates are not enabled"
);
rule!(
    SELF_INHERITANCE,
    "self-inheritance",
    Suspicious,
    "0.1.0",
    "a component inherits from itself, directly or through others"
);
