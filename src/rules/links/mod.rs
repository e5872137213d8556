//! Rules about what components need of each other: what they declare, and what they read of the state of others.

mod cycles;
mod targets;
mod undefined;

pub(super) use cycles::{DEPENDENCY_CYCLE, REFERENCE_CYCLE};
pub(super) use targets::{DEPENDENCY_ON_ABSTRACT, IMPLICIT_DEPENDENCY, UNDEFINED_OUTPUT};
pub(super) use undefined::{UNDEFINED_COMPONENT_REFERENCE, UNDEFINED_DEPENDENCY};

use super::Components;
use crate::estate::{Component, Link};
use std::sync::Arc;

/// All links of components that are deployed: what nobody deploys needs nothing.
fn links<'a>(context: &Components<'a>) -> impl Iterator<Item = (&'a Arc<Component>, &'a Link)> {
    let deployed = context.world.components().map(|(_, c)| c).filter(|c| c.facts.is_deployed());
    deployed.flat_map(|component| component.facts.links.iter().map(move |link| (component, link)))
}
