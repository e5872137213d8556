//! `function-lost`: found while the layers of a component are merged, which Atmos cannot do then.

use crate::rules::rule;

rule!(
    FUNCTION_LOST,
    "function-lost",
    Correctness,
    "0.1.0",
    "a map that holds a YAML function is replaced by something that is no map"
);
