//! Rules about the shape of manifests; `dialects::atmos::schema` checks them. And what repositories
//! demand of their components.

use super::rule;

rule!(
    COMPONENT_VALIDATION,
    "component-validation",
    Correctness,
    "0.1.0",
    "a component is refused by a schema or a policy that it names"
);
rule!(DEPRECATED_KEY, "deprecated-key", Suspicious, "0.1.0", "a key of a manifest is taken for compatibility only");
rule!(
    NON_MAPPING_SECTION,
    "non-mapping-section",
    Correctness,
    "0.1.0",
    "a section that must be a map is something else"
);
rule!(SCHEMA_VIOLATION, "schema-violation", Correctness, "0.1.0", "a manifest is not built as the schema demands");
rule!(UNKNOWN_KEY, "unknown-key", Suspicious, "0.1.0", "a key without a meaning is nearly one that has one");
rule!(
    INEFFECTIVE_METADATA,
    "ineffective-metadata",
    Correctness,
    "0.1.0",
    "metadata that only a component can have is said for a whole stack or type"
);
