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
    (&DEPENDENCY_CYCLE, Check::AllUnits(cycles::dependencies)),
    (&targets::DEPENDENCY_ON_ABSTRACT, Check::AllUnits(targets::on_abstract)),
    (&targets::IMPLICIT_DEPENDENCY, Check::AllUnits(targets::implicit)),
    (&stages::MIXED_STATE_STAGE, Check::AllUnits(stages::check)),
    (&REFERENCE_CYCLE, Check::AllUnits(cycles::references)),
    (&slow::SLOW_FUNCTION, Check::State(slow::check)),
    (&mentions::UNDEFINED_COMMAND_TARGET, Check::AllUnits(mentions::check)),
    (&undefined::UNDEFINED_COMPONENT_REFERENCE, Check::AllUnits(undefined::references)),
    (&UNDEFINED_DEPENDENCY, Check::AllUnits(undefined::dependencies)),
    (&targets::UNDEFINED_OUTPUT, Check::AllUnits(targets::outputs)),
];
