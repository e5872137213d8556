//! Rules that only this dialect reports: configuration that Garden takes and that does not do what it says. Those that it
//! shares with others are in `diagnostic::rules`.

use crate::diagnostic::{Rule, rule};

rule!(
    GARDEN_ARRAY_INDEX_MERGE,
    "garden-array-index-merge",
    Suspicious,
    "0.2.0",
    "a list keeps items of the list below it, because lists are merged index by index"
);
rule!(
    GARDEN_MATRIX_SINGLE_KEY,
    "garden-matrix-single-key",
    Suspicious,
    "0.2.0",
    "a matrix with one key renders only its last value"
);
rule!(
    GARDEN_MERGE_ORDER,
    "garden-merge-order",
    Hygiene,
    "0.2.0",
    "a `$merge` overrides the keys that are written before it"
);
rule!(
    GARDEN_OPERATOR_WITHOUT_EFFECT,
    "garden-operator-without-effect",
    Suspicious,
    "0.2.0",
    "a structural operator stands where it is an ordinary key"
);
rule!(
    GARDEN_OPTIONAL_SUFFIX,
    "garden-optional-suffix",
    Suspicious,
    "0.2.0",
    "a `?` behind a template is text since Garden 0.14"
);

rule!(
    GARDEN_UNDEFINED_ITEM,
    "garden-undefined-item",
    Suspicious,
    "0.2.0",
    "an `$if` without `$else` leaves an item of a list without a value"
);
rule!(
    GARDEN_UNKNOWN_ENVIRONMENT,
    "garden-unknown-environment",
    Suspicious,
    "0.2.0",
    "something is meant for an environment that the project does not have"
);
rule!(
    GARDEN_UNUSED_INPUT,
    "garden-unused-input",
    Hygiene,
    "0.2.0",
    "a template declares an input that nothing in it reads"
);

/// The rules of this dialect, sorted by id.
pub(super) static OWN: &[&Rule] = &[
    &GARDEN_ARRAY_INDEX_MERGE,
    &GARDEN_MATRIX_SINGLE_KEY,
    &GARDEN_MERGE_ORDER,
    &GARDEN_OPERATOR_WITHOUT_EFFECT,
    &GARDEN_OPTIONAL_SUFFIX,
    &GARDEN_UNDEFINED_ITEM,
    &GARDEN_UNKNOWN_ENVIRONMENT,
    &GARDEN_UNUSED_INPUT,
];
