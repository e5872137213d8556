//! Rules that only this dialect reports: configuration that Garden accepts, but with another effect than it seems to
//! have. Shared rules are in `diagnostic::rules`.

use crate::diagnostic::{Rule, rule};

rule!(
    GARDEN_ARRAY_INDEX_MERGE,
    "garden-array-index-merge",
    Suspicious,
    "0.1.0",
    "a list keeps items of the list below it, because lists are merged index by index"
);
rule!(
    GARDEN_CONTEXT_PHASE,
    "garden-context-phase",
    Correctness,
    "0.1.0",
    "a template reads a context that its field does not have"
);
rule!(
    GARDEN_DISABLED_OUTPUT,
    "garden-disabled-output",
    Suspicious,
    "0.1.0",
    "an action needs an output of an action that is disabled in the same environment"
);
rule!(GARDEN_IMPURE, "garden-impure", Hygiene, "0.1.0", "a value of an action differs each time Garden runs");
rule!(
    GARDEN_MATRIX_SINGLE_KEY,
    "garden-matrix-single-key",
    Suspicious,
    "0.1.0",
    "a matrix with one key renders only its last value"
);
rule!(
    GARDEN_MERGE_ORDER,
    "garden-merge-order",
    Hygiene,
    "0.1.0",
    "a `$merge` overrides the keys that are written before it"
);
rule!(
    GARDEN_OPERATOR_WITHOUT_EFFECT,
    "garden-operator-without-effect",
    Suspicious,
    "0.1.0",
    "a structural operator has no effect where it stands"
);
rule!(
    GARDEN_OPTIONAL_SUFFIX,
    "garden-optional-suffix",
    Suspicious,
    "0.1.0",
    "a `?` after a template is text since Garden 0.14"
);
rule!(
    GARDEN_PARENT_SHADOW,
    "garden-parent-shadow",
    Suspicious,
    "0.1.0",
    "a variable reads another variable of its layer and gets that of the project"
);
rule!(
    GARDEN_REDUNDANT_DEPENDENCY,
    "garden-redundant-dependency",
    Hygiene,
    "0.1.0",
    "an action lists a dependency that it has anyway"
);
rule!(
    GARDEN_SCALAR_OBJECT_MERGE,
    "garden-scalar-object-merge",
    Suspicious,
    "0.1.0",
    "a mapping cannot override a scalar value"
);
rule!(GARDEN_SECRET_REFERENCE, "garden-secret-reference", Hygiene, "0.1.0", "an environment needs a secret");
rule!(
    GARDEN_UNDEFINED_ITEM,
    "garden-undefined-item",
    Suspicious,
    "0.1.0",
    "an `$if` without `$else` leaves an item of a list without a value"
);
rule!(
    GARDEN_UNKNOWN_ENVIRONMENT,
    "garden-unknown-environment",
    Suspicious,
    "0.1.0",
    "the configuration names an environment that the project does not define"
);
rule!(
    GARDEN_UNUSED_INPUT,
    "garden-unused-input",
    Hygiene,
    "0.1.0",
    "a template declares an input that it does not use"
);

/// The rules of this dialect, sorted by id.
pub(super) static OWN: &[&Rule] = &[
    &GARDEN_ARRAY_INDEX_MERGE,
    &GARDEN_CONTEXT_PHASE,
    &GARDEN_DISABLED_OUTPUT,
    &GARDEN_IMPURE,
    &GARDEN_MATRIX_SINGLE_KEY,
    &GARDEN_MERGE_ORDER,
    &GARDEN_OPERATOR_WITHOUT_EFFECT,
    &GARDEN_OPTIONAL_SUFFIX,
    &GARDEN_PARENT_SHADOW,
    &GARDEN_REDUNDANT_DEPENDENCY,
    &GARDEN_SCALAR_OBJECT_MERGE,
    &GARDEN_SECRET_REFERENCE,
    &GARDEN_UNDEFINED_ITEM,
    &GARDEN_UNKNOWN_ENVIRONMENT,
    &GARDEN_UNUSED_INPUT,
];
