//! Rules about what components need of each other: what they declare, and what they read of the state of others.

mod cycles;
mod targets;
mod undefined;

pub(super) use cycles::{DEPENDENCY_CYCLE, REFERENCE_CYCLE};
pub(super) use targets::{DEPENDENCY_ON_ABSTRACT, IMPLICIT_DEPENDENCY, UNDEFINED_OUTPUT};
pub(super) use undefined::{UNDEFINED_COMPONENT_REFERENCE, UNDEFINED_DEPENDENCY};
