//! Rules about which components and stacks there are.

pub(super) mod environment_drift;
mod name_collision;
pub(super) mod unused_abstract;

use super::{Check, Checked};

/// The checks of this group.
pub(super) static CHECKS: &[Checked] = &[
    (&environment_drift::ENVIRONMENT_DRIFT, Check::State(environment_drift::check)),
    (&name_collision::STACK_NAME_COLLISION, Check::AllUnits(name_collision::check)),
    (&unused_abstract::UNUSED_ABSTRACT_COMPONENT, Check::AllUnits(unused_abstract::check)),
];
