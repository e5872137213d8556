//! Rules about the shape of manifests; `dialects::atmos::schema` checks them. And what repositories
//! demand of their components.

use super::rule;

rule!(
    COMPONENT_VALIDATION,
    "component-validation",
    Correctness,
    "a component is refused by a schema or a policy that it names"
);
rule!(DEPRECATED_KEY, "deprecated-key", Hygiene, "a key of a manifest is taken for compatibility only");
rule!(NON_MAPPING_SECTION, "non-mapping-section", Correctness, "a section that must be a map is something else");
rule!(SCHEMA_VIOLATION, "schema-violation", Correctness, "a manifest is not built as the schema demands");
rule!(UNKNOWN_KEY, "unknown-key", Suspicious, "a key without a meaning is nearly one that has one");
