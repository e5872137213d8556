//! Rules about components and the code that they configure.

mod directory;
mod inputs;
mod state;
mod types;

pub(super) use directory::MISSING_COMPONENT_DIRECTORY;
pub(super) use inputs::{MISSING_REQUIRED_VARIABLE, UNDECLARED_VARIABLE};
pub(super) use state::{INVALID_BACKEND, SHARED_STATE_ADDRESS};
pub(super) use types::VARIABLE_TYPE_MISMATCH;

use super::Components;
use crate::resolution::{CodeOrigin, Component};
use crate::terraform::Module;
use std::sync::Arc;

/// The types of components whose code declares variables and outputs.
const WITH_VARIABLES: [&str; 1] = ["terraform"];

/// The code of a component, if all that it declares is known.
pub(super) fn module(context: &Components<'_>, component: &Component) -> Option<Arc<Module>> {
    let code = component.metadata.code.as_ref()?;
    let is_known = WITH_VARIABLES.contains(&&*component.kind) && code.supply != CodeOrigin::Fetched && !code.is_open;
    context.modules.get(&code.folder).filter(|_| is_known)
}
