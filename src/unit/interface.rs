//! The interface of a component and of a unit.

use crate::resolution::{
    Base, Code, CodeOrigin, Component, ComponentMetadata, Detail, Inputs, Link, Resolution, State, StatePlace, Unit,
};
use crate::terraform::{Module, Modules};
use crate::text::{Text, order};
use crate::threads;
use crate::value::{Data, Entry, FileId, Flags, Map, Origin, Vocabulary};
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;

/// Everything that other units, and rules over all units, may know of a component.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Interface {
    /// The stack that it belongs to.
    pub stack: Text,
    pub kind: Text,
    pub name: Text,
    /// Where it is defined.
    pub origin: Detail<Option<Origin>>,
    /// It is only there to be inherited from.
    pub is_abstract: bool,
    /// It is not deployed for now.
    pub is_disabled: bool,
    /// The workspace that its code runs in, if it is known.
    pub workspace: Option<Text>,
    /// The components that it needs.
    pub links: Arc<[Link]>,
    /// Where its state is, if its configuration says so.
    pub state: Option<StateInterface>,
    /// The names of the components that it inherits from.
    pub bases: Box<[Text]>,
    /// The code that it configures, if it is in one folder of the repository.
    pub code: Option<CodeInterface>,
    pub inputs: InputNames,
    /// The inputs that stacks are named after, by which other components select it.
    pub selectors: Box<[Selector]>,
    /// The inputs written for it that its code does not declare.
    pub undeclared: Box<[Undeclared]>,
    /// The words of its system.
    pub vocabulary: Detail<&'static Vocabulary>,
}

/// The code of a component.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct CodeInterface {
    /// Its folder, from the root of the repository.
    pub folder: Text,
    /// The folder of all code of its type.
    pub root: Text,
    /// How the code gets there.
    pub supply: CodeOrigin,
    /// More code is generated into the folder.
    pub is_open: bool,
    /// It is a module, whose files declare variables and outputs.
    pub is_module: bool,
}

/// The place of a component's state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct StateInterface {
    /// The type of the backend.
    pub backend: Text,
    pub settings: Settings,
    /// The code runs in a separate folder.
    pub is_separate: bool,
    /// The workspace is only assumed.
    pub is_workspace_assumed: bool,
}

/// Settings of a backend.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Settings(Arc<Map>);

impl Eq for Settings {}

impl Hash for Settings {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // Equal settings have equal names.
        self.0.keys().for_each(|name| name.hash(state));
    }
}

impl Deref for Settings {
    type Target = Map;

    fn deref(&self) -> &Map {
        &self.0
    }
}

/// The names of the inputs of a component, without their values.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct InputNames {
    /// All inputs.
    pub all: Names,
    /// Those written for this component, and for its bases.
    pub authored: [Names; 2],
    /// Those that are not passed to the code, because their value says so.
    pub not_passed: Box<[Text]>,
    /// Those that are set in another way.
    pub given: Box<[Text]>,
    /// Names that have a meaning for the system itself.
    pub reserved: &'static [&'static str],
    /// There may be inputs that are not known.
    pub is_open: bool,
}

impl InputNames {
    /// Whether the code gets a value for an input.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.all.has(name) && !self.not_passed.iter().any(|other| **other == *name)
    }
}

/// The keys of a map. Its values cannot be reached.
#[derive(Clone, Debug)]
pub(crate) struct Names(Arc<Map>);

impl Names {
    /// Whether a name is among them.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.get(name).is_some()
    }

    /// The names, in their order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Text> {
        self.0.keys()
    }

    /// The names with the places of their values.
    pub(crate) fn places(&self) -> impl Iterator<Item = (&Text, Option<Origin>)> {
        self.0.iter().map(|entry| (&entry.key, entry.value.prov.origin))
    }
}

impl PartialEq for Names {
    fn eq(&self, other: &Self) -> bool {
        self.0.has_same_keys(&other.0)
    }
}

impl Eq for Names {}

impl Hash for Names {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.iter().for_each(|name| name.hash(state));
    }
}

/// An input that names of stacks are made of.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Selector {
    /// The name of the input.
    pub name: &'static str,
    /// Its value, if it is text.
    pub text: Option<Text>,
    /// Its value is known only at run time.
    pub is_unknown: bool,
    /// Where the value is written.
    pub origin: Detail<Option<Origin>>,
}

/// An input that the code does not declare.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Undeclared {
    pub name: Text,
    /// Another value of the component is computed from it.
    pub is_read: bool,
    /// Where its value is written.
    pub origin: Detail<Origin>,
}

/// What a unit shows to others.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct UnitInterface {
    /// Identifies the unit, see [`Unit::id`].
    pub id: Text,
    pub name: Text,
    /// The file that defines it.
    pub file: Detail<FileId>,
    /// Every file that had a part in it, sorted.
    pub files: Detail<Box<[FileId]>>,
    /// How far it was resolved.
    pub state: State,
    /// Its components, sorted by stack, type and name.
    pub components: Vec<Interface>,
    /// Types and names of components that could not be resolved.
    pub broken: Box<[(Text, Text)]>,
    /// Names of stacks that could not be resolved.
    pub failed: Box<[Text]>,
    /// Types and names of components that it defines but does not list.
    pub unlisted: Box<[(Text, Text)]>,
    /// The files that it reads and git does not have, with what git has instead.
    pub lacks: Box<[(Text, Option<Text>)]>,
    /// Names of stacks that only validation gives to its components.
    pub validated_as: Box<[Text]>,
}

/// The interfaces of all units of a resolution, in their order.
pub(crate) fn interfaces(resolution: &Resolution, modules: &Modules<'_>) -> Vec<UnitInterface> {
    threads::map(&resolution.units, |unit| UnitInterface::of(unit, modules))
}

impl UnitInterface {
    /// The interface of a unit.
    pub(crate) fn of(unit: &Unit, modules: &Modules<'_>) -> Self {
        let Unit {
            id,
            name,
            file,
            files,
            components,
            absent: _,
            state,
            broken,
            failed,
            open: _,
            lacks,
            unlisted,
            validated_as,
            thread: _,
            may_read_more: _,
        } = unit;
        let reads = lacks.iter().flat_map(|unknown| &unknown.reads);
        UnitInterface {
            id: Text::clone(id),
            name: Text::clone(name),
            file: Detail(*file),
            files: Detail(files.as_slice().into()),
            state: *state,
            components: components.iter().map(|component| Interface::of(component, modules)).collect(),
            broken: broken.as_slice().into(),
            failed: failed.as_slice().into(),
            lacks: reads.map(|read| (Text::clone(&read.name), read.content.clone())).collect(),
            unlisted: unlisted.as_slice().into(),
            validated_as: validated_as.as_slice().into(),
        }
    }

    /// Whether everything of the unit was resolved.
    pub(crate) fn is_complete(&self) -> bool {
        self.state == State::Resolved && self.broken.is_empty() && self.failed.is_empty()
    }

    /// Whether two revisions of a unit are the same to everything outside of it. What could not be resolved is unknown, and
    /// never the same.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.is_complete() && other.is_complete() && self == other
    }
}

impl Interface {
    /// The interface of a component. It names every part of a component, so that a new one has to be placed here.
    pub(crate) fn of(component: &Component, modules: &Modules<'_>) -> Self {
        let Component {
            stack,
            kind,
            name,
            value,
            shaping_origins: _,
            locals: _,
            declared: _,
            removal: _,
            metadata,
            language,
        } = component;
        let ComponentMetadata {
            is_abstract,
            is_disabled,
            lacks_code: _,
            is_locked: _,
            code,
            is_module,
            called: _,
            inputs,
            state,
            workspace,
            links,
            needed: _,
            has_valid_calls: _,
            calls: _,
            bases,
            former_names: _,
            released: _,
            instance_of: _,
            made_by: _,
            managed_by: _,
            protection: _,
            shares_state: _,
            encryption: _,
        } = metadata;
        let words = language.vocabulary;
        let selectors = inputs.reserved.iter().chain(words.stack_inputs).chain([&words.stage]);
        let mut selectors: Vec<Selector> = selectors.filter_map(|name| selector(inputs, name)).collect();
        selectors.sort_by_key(|selector| selector.name);
        selectors.dedup_by_key(|selector| selector.name);
        Interface {
            stack: Text::clone(stack),
            kind: Text::clone(kind),
            name: Text::clone(name),
            origin: Detail(value.prov.origin),
            is_abstract: *is_abstract,
            is_disabled: *is_disabled,
            workspace: workspace.clone(),
            links: Arc::clone(links),
            state: state.as_ref().map(state_interface),
            bases: bases.iter().map(|Base { name, origin: _ }| Text::clone(name)).collect(),
            code: code.as_ref().map(|code| code_interface(code, *is_module)),
            inputs: input_names(inputs),
            selectors: selectors.into(),
            undeclared: undeclared(component, modules),
            vocabulary: Detail(language.vocabulary),
        }
    }

    pub(crate) fn is_deployed(&self) -> bool {
        !self.is_abstract && !self.is_disabled
    }

    /// The input of a name that stacks may be named after; `None` if it has no such input.
    pub(crate) fn selector(&self, name: &str) -> Option<&Selector> {
        self.selectors.iter().find(|selector| selector.name == name)
    }

    /// The folder of its code, if all variables and outputs that are declared there are known.
    pub(crate) fn module_folder(&self) -> Option<&Text> {
        let code = self.code.as_ref()?;
        let is_known = code.is_module && code.supply != CodeOrigin::Fetched && !code.is_open;
        is_known.then_some(&code.folder)
    }
}

fn code_interface(code: &Code, is_module: bool) -> CodeInterface {
    let Code { folder, root, origin: _, others: _, supply, is_open } = code;
    let (folder, root) = (Text::clone(folder), Text::clone(root));
    CodeInterface { folder, root, supply: *supply, is_open: *is_open, is_module }
}

fn state_interface(state: &StatePlace) -> StateInterface {
    let StatePlace { backend, settings, origin: _, authored: _, is_separate, is_workspace_assumed } = state;
    let settings = Settings(Arc::clone(settings));
    let (is_separate, is_workspace_assumed) = (*is_separate, *is_workspace_assumed);
    StateInterface { backend: Text::clone(backend), settings, is_separate, is_workspace_assumed }
}

fn input_names(inputs: &Inputs) -> InputNames {
    let Inputs { all, evaluation: _, authored, given, reserved, is_open, is_environment: _ } = inputs;
    let is_omitted = |entry: &&Entry| !inputs.passes(&entry.value);
    let not_passed = match all.flags().has(Flags::CALL) {
        true => all.iter().filter(is_omitted).map(|entry| Text::clone(&entry.key)).collect(),
        false => Box::default(),
    };
    InputNames {
        all: Names(Arc::clone(all)),
        authored: authored.each_ref().map(|map| Names(Arc::clone(map))),
        not_passed,
        given: given.clone(),
        reserved,
        is_open: *is_open,
    }
}

fn selector(inputs: &Inputs, name: &'static str) -> Option<Selector> {
    let written = inputs.all.get(name)?;
    let value = inputs.evaluated(written)?;
    let text = match &value.data {
        Data::Str(text) => Some(Text::clone(text)),
        _ => None,
    };
    let is_unknown = matches!(value.data, Data::Unknown(_));
    Some(Selector { name, text, is_unknown, origin: Detail(written.prov.origin) })
}

/// Whether code does something with an input of this name. Code that declares nothing cannot be compared.
fn takes(inputs: &Inputs, module: &Module, name: &str) -> bool {
    module.variables.is_empty()
        || module.variables.contains_key(name)
        || inputs.reserved.contains(&name)
        || name.contains("{{")
}

/// The inputs that were written for a component and that its code does not declare.
fn undeclared(component: &Component, modules: &Modules<'_>) -> Box<[Undeclared]> {
    let metadata = &component.metadata;
    let Some(module) = metadata.known_module().and_then(|code| modules.get(&code.folder)) else {
        return Box::default();
    };
    let mut found = Vec::new();
    let read = std::cell::LazyCell::new(|| component.value.computed_from());
    for map in &metadata.inputs.authored {
        // Both come in the order of their names.
        let mut declared = module.variables.keys().peekable();
        let mut is_declared = |name: &Text| {
            while declared.next_if(|other| order(other, name).is_lt()).is_some() {}
            declared.next_if(|other| order(other, name).is_eq()).is_some()
        };
        let untaken = map.iter().filter(|e| !is_declared(&e.key) && !takes(&metadata.inputs, &module, &e.key));
        let written = untaken.filter_map(|e| Some((&e.key, e.value.prov.origin?)));
        found.extend(written.map(|(name, origin)| Undeclared {
            name: Text::clone(name),
            is_read: read.contains(&origin),
            origin: Detail(origin),
        }));
    }
    found.into()
}
