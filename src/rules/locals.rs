//! Rules about names that only the text of one file sees, and about what is rendered where a name leads to nothing.

use super::rule;

rule!(
    INVALID_LOCAL_NAME,
    "invalid-local-name",
    Suspicious,
    "0.1.0",
    "a local has a name that templates cannot write as `.locals.name`"
);
rule!(
    LEAKED_LOCAL,
    "leaked-local",
    Correctness,
    "0.1.0",
    "a local is used in another file than the one that defines it"
);
rule!(
    LOCAL_NEEDS_IMPORT,
    "local-needs-import",
    Correctness,
    "0.1.0",
    "a local uses a setting or variable that only an imported file sets"
);
rule!(
    NO_VALUE_RENDERED,
    "no-value-rendered",
    Correctness,
    "0.1.0",
    "a template renders `<no value>` or its like into the configuration of a component"
);
rule!(SHADOWED_LOCAL, "shadowed-local", Hygiene, "0.1.0", "a local hides one of the same name that has another value");
rule!(UNDEFINED_LOCAL, "undefined-local", Correctness, "0.1.0", "a template reads a local that is not defined");
rule!(UNUSED_LOCAL, "unused-local", Suspicious, "0.1.0", "a local is used by nothing in its file");
rule!(
    UNDEFINED_REFERENCE,
    "undefined-reference",
    Correctness,
    "0.1.0",
    "a template reads a value of its component that is not set, and renders `<no value>`"
);
