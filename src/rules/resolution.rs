//! Rules whose check is the resolution itself: what keeps a file, a stack or a component from being resolved.

use super::rule;

rule!(
    DUPLICATE_COMPONENT,
    "duplicate-component",
    Correctness,
    "one component of one stack is configured differently by several manifests"
);
rule!(DUPLICATE_KEY, "duplicate-key", Correctness, "a map has the same key twice");
rule!(IMPORT_CYCLE, "import-cycle", Correctness, "manifests import each other");
rule!(INHERITANCE_CYCLE, "inheritance-cycle", Correctness, "components inherit from each other");
rule!(INVALID_CONFIG, "invalid-config", Correctness, "the configuration of the project cannot be used");
rule!(INVALID_YAML, "invalid-yaml", Correctness, "a file is not valid YAML");
rule!(LOCAL_CYCLE, "local-cycle", Correctness, "locals need each other");
rule!(STACK_NAME_UNRESOLVED, "stack-name-unresolved", Correctness, "the name of a stack cannot be computed");
rule!(TEMPLATE_ERROR, "template-error", Correctness, "a template cannot be parsed or evaluated");
rule!(
    UNDEFINED_BASE_COMPONENT,
    "undefined-base-component",
    Correctness,
    "a component inherits from one that is not defined"
);
rule!(
    UNEVALUABLE_IMPORT,
    "unevaluable-import",
    Correctness,
    "an import path needs what is not known when it is resolved"
);
rule!(UNKNOWN_FUNCTION, "unknown-function", Correctness, "a YAML function does not exist");
rule!(UNREADABLE_FILE, "unreadable-file", Correctness, "a file cannot be read");
rule!(UNRESOLVED_IMPORT, "unresolved-import", Correctness, "an import finds no file");
rule!(UNRESOLVED_INCLUDE, "unresolved-include", Correctness, "an included file cannot be had");
