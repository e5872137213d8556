//! Rules about components and the code that they configure.

mod directory;
mod inputs;
mod state;
pub(super) mod types;
mod vendored;

use super::{Check, Checked};
use crate::diagnostic::rules::{
    INVALID_BACKEND, MISSING_COMPONENT_DIRECTORY, MISSING_REQUIRED_VARIABLE, UNDECLARED_VARIABLE,
};

use super::Units;
use crate::resolution::Component;
use crate::terraform::Module;
use std::sync::Arc;

/// The code of a component, if all that it declares is known.
pub(super) fn module(context: &Units<'_>, component: &Component) -> Option<Arc<Module>> {
    let code = component.metadata.code.as_ref()?;
    // Code that cannot be read is reported, known or not.
    context.modules.get(&code.folder).filter(|_| component.metadata.known_module().is_some())
}

/// The checks of this group.
pub(super) static CHECKS: &[Checked] = &[
    (&INVALID_BACKEND, Check::Unit(state::incomplete)),
    (&MISSING_COMPONENT_DIRECTORY, Check::Unit(directory::check)),
    (&MISSING_REQUIRED_VARIABLE, Check::AllUnits(inputs::missing)),
    (&state::SHARED_STATE_ADDRESS, Check::AllUnits(state::shared)),
    (&UNDECLARED_VARIABLE, Check::AllUnits(inputs::undeclared)),
    (&vendored::UNUSED_VENDOR_TARGET, Check::AllUnits(vendored::check)),
    (&types::VARIABLE_TYPE_MISMATCH, Check::Unit(types::check)),
];
