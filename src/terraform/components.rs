//! Resources, data sources and ephemeral resources as components.

use crate::resolution::{Component, ComponentMetadata, RemovalEffect};
use crate::terraform::configuration::{Configuration, Instance, Mode};
use crate::terraform::evaluation::shown::origin;
use crate::text::Text;
use crate::value::{Language, Vocabulary};
use std::sync::Arc;

/// The vocabulary of resources, whose arguments mean what their provider says.
static RESOURCES: Vocabulary =
    Vocabulary { counted: Some(("resource", "root module")), removal_help: "destroy it first", ..Vocabulary::EMPTY };

/// Returns a component of a stack for each instance.
pub(crate) fn of(stack: &Text, configuration: &Configuration) -> Vec<Arc<Component>> {
    configuration.instances.iter().map(|instance| Arc::new(component(stack, instance))).collect()
}

fn component(stack: &Text, instance: &Instance) -> Component {
    let Instance { mode, address, former, value, place, shaping, protection } = instance;
    let (removal, vocabulary) = match mode {
        Mode::Managed => (RemovalEffect::Destroyed, &RESOURCES),
        Mode::Data | Mode::Ephemeral => (RemovalEffect::Nothing, &Vocabulary::EMPTY),
    };
    let former_names = former.iter().map(|address| address.to_string().into()).collect();
    let metadata = ComponentMetadata {
        former_names,
        shares_state: true,
        instance_of: Some(address.declaration()),
        protection: protection.clone(),
        ..ComponentMetadata::default()
    };
    Component {
        shaping_origins: std::iter::once(origin(*place)).chain(shaping.iter().copied()).collect(),
        removal,
        metadata,
        language: Language { vocabulary, ..Language::default() },
        ..Component::new((stack.clone(), mode.word().into(), address.to_string().into()), value.clone())
    }
}
