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

/// The rules of this dialect, sorted by id.
pub(super) static OWN: &[&Rule] =
    &[&GARDEN_ARRAY_INDEX_MERGE, &GARDEN_MATRIX_SINGLE_KEY, &GARDEN_OPERATOR_WITHOUT_EFFECT, &GARDEN_OPTIONAL_SUFFIX];
