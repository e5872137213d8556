//! What a root module makes, calls and says about itself, as components.

pub(crate) mod backend;
pub(crate) mod builder;
pub(crate) mod calls;
pub(crate) mod encryption;
pub(crate) mod instances;
pub(crate) mod lifecycle;
pub(crate) mod moves;
pub(crate) mod providers;
pub(crate) mod settings;

use crate::resolution::{Component, ComponentMetadata, InstanceOf, Needed, RemovalEffect};
use crate::terraform::configuration::reads::Reading;
use crate::terraform::configuration::{Instance, Mode};
use crate::terraform::evaluation::shown::{exported, origin};
use crate::terraform::evaluation::statics::Identifier;
use crate::terraform::module::block::Declared;
use crate::terraform::root::Evaluated;
use crate::terraform::secrets::SecretNames;
use crate::terraform::state;
use crate::text::Text;
use crate::value::{Key, Language, Map, StatePaths, Value, Vocabulary};

/// The vocabulary of everything but resources, data sources, outputs and provider configurations.
pub(crate) static DECLARATIONS: Vocabulary = Vocabulary {
    moves: "moved",
    versions: &["/required_version", "/required_providers", "/version"],
    version_keys: &["required_version", "version"],
    sources: &["/source", "/required_providers"],
    source_keys: &["source"],
    instances: "/for_each",
    type_constraint: "/type",
    state: Some(StatePaths { backend_type: "", backend: "", workspace: "", without: state::BESIDE, help: state::MOVE }),
    call_defaults: "/defaults",
    is_named_with_type: true,
    removal_help: "destroy it first",
    ..Vocabulary::EMPTY
};

/// The vocabulary of resources, whose arguments mean what their provider says.
static RESOURCES: Vocabulary =
    Vocabulary { counted: Some(("resource", "root module")), removal_help: "destroy it first", ..Vocabulary::EMPTY };

/// The vocabulary of resources that the code of a component makes.
pub(super) static MADE_RESOURCES: Vocabulary =
    Vocabulary { counted: Some(("resource", "component")), removal_help: "destroy it first", ..Vocabulary::EMPTY };

/// Arguments of outputs that are shown.
const OF_OUTPUTS: [&str; 3] = ["value", "sensitive", "ephemeral"];

/// Returns a component of a stack for each instance of a resource, and for each output.
pub(super) fn of(stack: &Text, evaluated: &Evaluated<'_>) -> Vec<Component> {
    let mut names = SecretNames::default();
    let instances = evaluated.configuration.instances.iter();
    let instances: Vec<Component> = instances.map(|instance| of_instance(stack, instance, &mut names)).collect();
    let outputs = evaluated.statics.nodes[0].module.outputs.iter().filter(|(name, _)| evaluated.includes_output(name));
    let outputs = outputs.map(|(name, declared)| of_output(stack, name, declared, evaluated));
    instances.into_iter().chain(outputs).collect()
}

fn of_instance(stack: &Text, instance: &Instance, names: &mut SecretNames) -> Component {
    let Instance { mode, address, levels, former, value, place, shaping, manager, protection, readings } = instance;
    let (removal, vocabulary) = match mode {
        Mode::Managed => (RemovalEffect::Destroyed, &RESOURCES),
        Mode::Data | Mode::Ephemeral => (RemovalEffect::Nothing, &Vocabulary::EMPTY),
    };
    let former_names = former.iter().map(|address| address.to_string().into()).collect();
    let (declared, name) = address.declaration();
    let metadata = ComponentMetadata {
        former_names,
        shares_state: true,
        instance_of: Some(InstanceOf { kind: declared, name, levels: levels.as_slice().into() }),
        managed_by: manager.clone(),
        protection: protection.clone(),
        needed: readings.iter().map(needed).collect(),
        ..ComponentMetadata::default()
    };
    Component {
        shaping_origins: std::iter::once(origin(*place)).chain(shaping.iter().copied()).collect(),
        removal,
        metadata,
        language: Language { vocabulary, ..Language::default() },
        ..Component::new((stack.clone(), mode.word().into(), address.to_string().into()), names.hide(value))
    }
}

fn of_output(stack: &Text, name: &Text, declared: &Declared, evaluated: &Evaluated<'_>) -> Component {
    let mut map = Map::new();
    for argument in OF_OUTPUTS {
        let Some(written) = declared.arguments.get(argument) else { continue };
        let known = evaluated.configuration.outputs.get(name).filter(|_| argument == "value");
        let value = known.cloned().unwrap_or_else(|| {
            let identifier = Identifier { text: format!("output.{name}"), place: written.argument() };
            exported(&evaluated.statics, 0, written, evaluated.statics.value(0, written, identifier))
        });
        map.set(Key::from(argument), value);
    }
    Component {
        shaping_origins: [origin(declared.place)].into_iter().collect(),
        removal: RemovalEffect::Nothing,
        ..Component::new((stack.clone(), "output".into(), name.clone()), Value::map(map))
    }
}

fn needed(reading: &Reading) -> Needed {
    let Reading { kind, name, origin, is_dependency } = reading;
    Needed { kind: (*kind).into(), name: name.clone(), origin: Some(*origin), is_read: !is_dependency }
}
