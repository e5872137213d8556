//! Rules that only this dialect reports. The ones it shares with others are in `diagnostic::rules`.

pub(super) use crate::diagnostic::rules::*;
use crate::diagnostic::{Rule, rule};

rule!(
    FUNCTION_LOST,
    "function-lost",
    Correctness,
    "0.1.0",
    "a value that is not a map replaces a map with a YAML function"
);
rule!(
    INEFFECTIVE_METADATA,
    "ineffective-metadata",
    Correctness,
    "0.1.0",
    "metadata that only a component can have is set for a whole stack or type"
);
rule!(INHERITANCE_CYCLE, "inheritance-cycle", Correctness, "0.1.0", "components inherit from each other");
rule!(
    INVALID_LOCAL_NAME,
    "invalid-local-name",
    Suspicious,
    "0.1.0",
    "a local has a name that templates cannot write as `.locals.name`"
);
rule!(
    INVALID_VENDOR_MANIFEST,
    "invalid-vendor-manifest",
    Correctness,
    "0.1.0",
    "`atmos vendor pull` rejects a vendor manifest"
);
rule!(LEAKED_LOCAL, "leaked-local", Correctness, "0.1.0", "a file uses a local that another file defines");
rule!(
    LOCAL_NEEDS_IMPORT,
    "local-needs-import",
    Correctness,
    "0.1.0",
    "a local uses a setting or variable that only an imported file sets"
);
rule!(
    MISSING_DEPENDENCY_PATH,
    "missing-dependency-path",
    Suspicious,
    "0.1.0",
    "a component depends on a file or folder that does not exist"
);
rule!(
    NO_VALUE_RENDERED,
    "no-value-rendered",
    Correctness,
    "0.1.0",
    "a template renders `<no value>` or a similar text into the configuration of a component"
);
rule!(
    NON_MAPPING_SECTION,
    "non-mapping-section",
    Correctness,
    "0.1.0",
    "a section that must be a map is something else"
);
rule!(
    SELF_INHERITANCE,
    "self-inheritance",
    Suspicious,
    "0.1.0",
    "a component inherits from itself, directly or through others"
);
rule!(SHADOWED_LOCAL, "shadowed-local", Hygiene, "0.1.0", "a local hides one of the same name that has another value");
rule!(
    TEMPLATES_DISABLED,
    "templates-disabled",
    Suspicious,
    "0.1.0",
    "a template is not rendered, because templates are not enabled"
);
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
    "an import path needs a value that is unknown when imports are resolved"
);

rule!(UNDEFINED_WORKFLOW, "undefined-workflow", Suspicious, "0.1.0", "a step runs a workflow that does not exist");
rule!(
    UNPINNED_VENDOR_SOURCE,
    "unpinned-vendor-source",
    Suspicious,
    "0.1.0",
    "a vendor source does not say which version of the code is fetched"
);

/// The rules of this dialect.
pub(super) static OWN: &[&Rule] = &[
    &FUNCTION_LOST,
    &INEFFECTIVE_METADATA,
    &INHERITANCE_CYCLE,
    &INVALID_LOCAL_NAME,
    &INVALID_VENDOR_MANIFEST,
    &LEAKED_LOCAL,
    &LOCAL_NEEDS_IMPORT,
    &MISSING_DEPENDENCY_PATH,
    &NO_VALUE_RENDERED,
    &NON_MAPPING_SECTION,
    &SELF_INHERITANCE,
    &SHADOWED_LOCAL,
    &TEMPLATES_DISABLED,
    &UNDEFINED_BASE_COMPONENT,
    &UNDEFINED_WORKFLOW,
    &UNEVALUABLE_IMPORT,
    &UNPINNED_VENDOR_SOURCE,
];
