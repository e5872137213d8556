//! Rules about names that only the text of one file sees, and about what is rendered where a name leads to nothing.

use super::rule;

rule!(
    INVALID_LOCAL_NAME,
    "invalid-local-name",
    Suspicious,
    "a local has a name that templates cannot write as `.locals.name`"
);
rule!(LEAKED_LOCAL, "leaked-local", Correctness, "a local is used in another file than the one that defines it");
rule!(
    LOCAL_NEEDS_IMPORT,
    "local-needs-import",
    Correctness,
    "a local uses a setting or variable that only an imported file sets"
);
rule!(
    NO_VALUE_RENDERED,
    "no-value-rendered",
    Correctness,
    "a template renders `<no value>` or its like into the configuration of a component"
);
rule!(SHADOWED_LOCAL, "shadowed-local", Hygiene, "a local hides one of the same name that has another value");
rule!(UNDEFINED_LOCAL, "undefined-local", Correctness, "a template reads a local that is not defined");
rule!(UNUSED_LOCAL, "unused-local", Suspicious, "a local is used by nothing in its file");
