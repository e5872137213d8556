//! Rules about which components and stacks there are.

mod name_collision;
pub(super) mod unused_abstract;

use super::{Check, Checked};

/// The checks of this group.
pub(super) static CHECKS: &[Checked] = &[
    (&name_collision::STACK_NAME_COLLISION, Check::AllUnits(name_collision::check)),
    (&unused_abstract::UNUSED_ABSTRACT_COMPONENT, Check::AllUnits(unused_abstract::check)),
];
