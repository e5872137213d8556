//! Rules about who needs whom. Dialects know what a dependency is, and report them while they resolve.

use super::rule;

rule!(DEPENDENCY_CYCLE, "dependency-cycle", Correctness, "resources depend on each other");
rule!(REFERENCE_CYCLE, "reference-cycle", Correctness, "resources need each other's outputs");
rule!(UNDEFINED_DEPENDENCY, "undefined-dependency", Correctness, "a declared dependency does not exist");
