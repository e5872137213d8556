//! The sections of a component: with its stack and its workspace, its templates rendered and its functions evaluated.

use super::context::StackContext;
use super::manifest::StackManifest;
use super::naming::{Named, WorkspaceInputs, checked_name, report_unnamed, workspace};
use super::render::{Ask, Rendered, render};
use super::{evaluation, folders};
use crate::dialects::atmos::component::builder::Built;
use crate::dialects::atmos::diagnostics::ErrorReported;
use crate::dialects::atmos::names::{self, Context, name_data};
use crate::dialects::atmos::templates::host::answers::{Answer, ComponentRef};
use crate::template;
use crate::text::Text;
use crate::value::{Data, Entry, Key, Map, Prov, Value, key};

/// A component of a manifest.
pub(super) struct ComponentEntry<'a> {
    pub(super) kind: &'static str,
    /// Its name, and its content in the manifest.
    pub(super) entry: &'a Entry,
    /// The workspace settings in its metadata and those of its bases, if any.
    pub(super) workspace_metadata: Option<&'a Map>,
}

/// The sections of a component with everything that can be computed.
pub(super) struct Sections {
    /// As they are printed.
    pub(super) map: Map,
    pub(super) stack: Key,
    /// How validation sees that name.
    pub(super) named: Option<Named>,
    /// The workspace that Terraform is run in.
    pub(super) workspace: Option<Text>,
    /// The sections before they were rendered, and the components that they read, if any.
    pub(super) requested: Option<(Value, Vec<ComponentRef>)>,
}

/// The names of a component, its stack and its manifest for templates.
struct Identity {
    component: Value,
    stack: Value,
    manifest: Key,
}

impl Identity {
    /// `name` is the name of the stack; if it is empty, the key of the manifest is used.
    fn new(manifest: &StackManifest<'_>, Entry { key: component, value }: &Entry, name: &Value) -> Self {
        let stack = match name.as_str() {
            Some("") | None => Value::str(Text::clone(&manifest.key)),
            Some(_) => name.clone(),
        };
        // A name is written by its key: the rest of the component has no part in it.
        let written = value.prov.origin.map(|origin| Prov::at(origin.of_key(component.len())));
        let component = Value { data: Data::Str(Text::clone(component)), prov: written.unwrap_or_default() };
        Identity { component, stack, manifest: Text::clone(&manifest.key) }
    }

    fn stack_name(&self) -> Key {
        match &self.stack.data {
            Data::Str(name) => Text::clone(name),
            _ => Key::default(),
        }
    }

    fn add_to(&self, map: &mut Map) {
        let manifest = || Value::str(Text::clone(&self.manifest));
        let pairs = [
            ("atmos_component", self.component.clone()),
            ("atmos_manifest", manifest()),
            ("atmos_stack", self.stack.clone()),
            ("atmos_stack_file", manifest()),
            ("stack", self.stack.clone()),
        ];
        map.set_all_known(pairs);
    }
}

/// The sections of a built component, rendered and evaluated.
pub(super) fn sections(
    stacks: &StackContext<'_>,
    manifest: &StackManifest<'_>,
    component: &ComponentEntry<'_>,
    built: Built,
    ask: Ask<'_>,
) -> Result<Sections, ErrorReported> {
    let entry @ Entry { key: name, value } = component.entry;
    let mut map = built.map;
    let failed = |e: template::Error| report_unnamed(stacks, manifest, &e, name, &value.prov);
    let names::Named { name: given_name, context } = manifest.stack_name(stacks, &map, name).map_err(failed)?;
    let identity = Identity::new(manifest, entry, &given_name);
    let stack = identity.stack_name();
    let named = checked_name(stacks, manifest, component.kind, &given_name, &map, entry);
    identity.add_to(&mut map);
    let workspace = set_workspace(stacks, manifest, component, &mut map, &identity, &given_name, &context);
    let workspace = workspace.map_err(failed)?;
    let info = component_info(stacks, &map, component.kind);
    map.set_known("component_info", info.clone());
    let mocks = map.remove_known("mocks");
    if stacks.external.eval_inputs.is_some() {
        evaluation::attach(&mut map, &built.deferrals);
    }
    let Rendered { map, requested } = render(stacks, manifest, map, entry, ask)?;
    let outputs = |component: &str, stack: &str| outputs_of(component, stack, ask);
    let mut map = evaluation::evaluate(map, &built.deferrals, &stack, stacks.external, &outputs);
    map.set_known("component_info", info);
    if let Some(mocks) = mocks {
        map.set(key("mocks"), mocks);
    }
    let empty = |e: &Entry| e.value.as_map().is_some_and(|m| m.is_empty());
    if component.workspace_metadata.is_some() && !stacks.config.include_empty && map.iter().any(empty) {
        map = map.iter().filter(|e| !empty(e)).map(|e| (Text::clone(&e.key), e.value.clone())).collect();
    }
    map.fit();
    Ok(Sections { map, stack, named, workspace, requested })
}

/// Sets the workspace of a component that has one. Returns the one that Terraform is run in, if that is known.
fn set_workspace(
    stacks: &StackContext<'_>,
    manifest: &StackManifest<'_>,
    component: &ComponentEntry<'_>,
    map: &mut Map,
    identity: &Identity,
    given_name: &Value,
    context: &Context,
) -> Result<Option<Text>, template::Error> {
    let Some(metadata) = component.workspace_metadata else { return Ok(None) };
    let name = &component.entry.key;
    let data = || {
        let mut marked = name_data(map, name);
        identity.add_to(&mut marked);
        Value::map(marked)
    };
    let templated = manifest.name_fields.is_some().then_some(given_name);
    let inputs = WorkspaceInputs { stack: &identity.stack, context, metadata, templated, data: &data };
    let (printed, deployed) = workspace(stacks, manifest, inputs, map, name)?;
    map.set_known("workspace", printed);
    if let Some(workspace) = deployed.as_ref().filter(|_| stacks.describes) {
        map.set(key("workspace"), Value::str(Text::clone(workspace)));
    }
    Ok(deployed)
}

/// The outputs of another component, where they are known.
fn outputs_of(component: &str, stack: &str, ask: Ask<'_>) -> Option<Value> {
    match ask(&ComponentRef { component: component.into(), stack: stack.into() }) {
        Answer::Known(value) => value.get("outputs").filter(|v| v.as_map().is_some()).cloned(),
        Answer::Unknown(_) | Answer::Cycle(_) => None,
    }
}

/// `component_info`: the type and the location of the component's code.
fn component_info(stacks: &StackContext<'_>, map: &Map, type_name: &'static str) -> Value {
    let (component, metadata) = (map.known("component"), map.known("metadata"));
    let prefix = metadata.and_then(|m| m.get("component_folder_prefix")).and_then(Value::as_str);
    let prefix = prefix.map(str::trim).unwrap_or_default();
    folders::info(type_name, prefix, component, stacks.config)
}
