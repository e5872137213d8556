//! Rules about dependencies between components: those that they declare, and those on the state of others.

mod cycles;
mod mentions;
mod slow;
mod stages;
mod targets;
mod undefined;

use super::{Check, Checked};
use crate::diagnostic::rules::{DEPENDENCY_CYCLE, REFERENCE_CYCLE, UNDEFINED_DEPENDENCY};

/// The checks of this group.
pub(super) static CHECKS: &[Checked] = &[
    (&DEPENDENCY_CYCLE, Check::Whole(cycles::dependencies)),
    (&targets::DEPENDENCY_ON_ABSTRACT, Check::Whole(targets::on_abstract)),
    (&targets::IMPLICIT_DEPENDENCY, Check::Whole(targets::implicit)),
    (&stages::MIXED_STATE_STAGE, Check::Whole(stages::check)),
    (&REFERENCE_CYCLE, Check::Whole(cycles::references)),
    (&slow::SLOW_FUNCTION, Check::State(slow::check)),
    (&mentions::UNDEFINED_COMMAND_TARGET, Check::Whole(mentions::check)),
    (&undefined::UNDEFINED_COMPONENT_REFERENCE, Check::Whole(undefined::references)),
    (&UNDEFINED_DEPENDENCY, Check::Whole(undefined::dependencies)),
    (&targets::UNDEFINED_OUTPUT, Check::Whole(targets::outputs)),
];
