//! Rules about code that every system that runs it reports. The ones that are not about code alone are in
//! `diagnostic::rules`.

use crate::diagnostic::rule;
pub(crate) use crate::diagnostic::rules::{
    INCOMPLETE_ANALYSIS, LIMIT_EXCEEDED, LOCAL_CYCLE, MISSING_COMPONENT_DIRECTORY, UNDEFINED_LOCAL,
};

rule!(BACKEND, "tofu-backend", Correctness, "0.1.0", "a backend does not exist, or does not support an argument");
rule!(CYCLE, "tofu-cycle", Correctness, "0.1.0", "resources, locals or modules depend on themselves");
rule!(
    ENCRYPTION,
    "tofu-encryption",
    Correctness,
    "0.1.0",
    "state encryption refers to an undeclared block, or contradicts itself"
);
rule!(FAILED_CHECK, "tofu-failed-check", Suspicious, "0.1.0", "the assertion of a check does not hold");
rule!(
    FAILED_CONDITION,
    "tofu-failed-condition",
    Correctness,
    "0.1.0",
    "a validation, a precondition or a postcondition does not hold"
);
rule!(
    INVALID_DECLARATION,
    "tofu-invalid-declaration",
    Correctness,
    "0.1.0",
    "a declaration is wrong, repeated or unknown"
);
rule!(
    INVALID_MOVE,
    "tofu-invalid-move",
    Correctness,
    "0.1.0",
    "a `moved`, `removed` or `import` block contradicts what is declared"
);
rule!(
    INVALID_REPETITION,
    "tofu-invalid-repetition",
    Correctness,
    "0.1.0",
    "`count`, `for_each` or a dynamic block has a value that cannot repeat anything"
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
    "a module call lacks a required argument, or has one that the module does not declare"
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
