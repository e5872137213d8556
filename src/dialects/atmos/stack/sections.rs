//! The last stages of a component: its stack, its workspace, its templates and functions, and what is known of it.

use super::components::{Manifest, Name, Named, Stacks};
use super::evaluation;
use super::metadata;
use super::referenced::Place;
use super::render::Rendered;
use crate::diagnostic::Diagnostic;
use crate::dialects::atmos::component::builder::Built;
use crate::dialects::atmos::findings::{Poisoned, label};
use crate::dialects::atmos::manifest::FILE_FUNCTIONS;
use crate::dialects::atmos::names::{self, Context, Workspace, name_data};
use crate::dialects::atmos::paths;
use crate::dialects::atmos::rules;
use crate::dialects::atmos::templates::host::answers::Target;
use crate::resolution::{Component, RemovalEffect, ShapingOrigins};
use crate::template::MissingKey;
use crate::text::Text;
use crate::value::{Data, Entry, Key, Map, Prov, Value, key};
use std::sync::Arc;

/// The sections of a component with everything that can be computed.
pub(in crate::dialects::atmos) struct Sections {
    /// As they are printed.
    pub(in crate::dialects::atmos) map: Map,
    /// The name of the stack.
    pub(in crate::dialects::atmos) stack: Key,
    /// How validation sees that name.
    named: Option<Named>,
    /// The workspace that Terraform is run in.
    pub(in crate::dialects::atmos) workspace: Option<String>,
    /// The sections before they were rendered, and what other components they ask for, if they do.
    asked: Option<(Value, Vec<Target>)>,
}

impl Stacks<'_> {
    /// The component of a built map, and how validation sees its name.
    pub(in crate::dialects::atmos) fn finish(
        &self,
        manifest: &Manifest<'_>,
        type_name: &'static str,
        entry: &Entry,
        mut built: Built,
        said_of_workspace: Option<&Map>,
    ) -> Result<(Arc<Component>, Option<Named>), Poisoned> {
        let locals = built.map.get("locals").cloned();
        let (sites, authored) = (std::mem::take(&mut built.sites), std::mem::take(&mut built.authored));
        let sections = self.sections(manifest, type_name, entry, built, said_of_workspace)?;
        let Sections { map, stack, named, workspace, asked } = sections;
        let shaping_origins = ShapingOrigins { own: sites.into(), shared: Arc::clone(&manifest.shaping_origins) };
        let asked = asked.as_ref();
        let known = metadata::Known { map: &map, kind: type_name, workspace, authored, asked };
        let metadata = metadata::of(known, self);
        let component = Component {
            stack,
            kind: key(type_name),
            name: Text::clone(&entry.key),
            value: Value { data: Data::Map(Arc::new(map)), prov: entry.value.prov.clone() },
            shaping_origins,
            declared: None,
            removal: RemovalEffect::Orphaned,
            language: self.world.language,
            locals,
            metadata,
        };
        Ok((Arc::new(component), named))
    }

    /// The sections of a built map, rendered and evaluated.
    pub(in crate::dialects::atmos) fn sections(
        &self,
        manifest: &Manifest<'_>,
        type_name: &'static str,
        entry @ Entry { key: name, value }: &Entry,
        built: Built,
        said_of_workspace: Option<&Map>,
    ) -> Result<Sections, Poisoned> {
        let mut map = built.map;
        let failed = |e: crate::template::Error| self.unnamed(manifest, &e, name, &value.prov);
        let names::Named { name: given_name, context } = self.named(manifest, &map, name).map_err(failed)?;
        let stack = match given_name.as_str() {
            Some("") | None => Value::str(Text::clone(&manifest.key)),
            Some(_) => given_name.clone(),
        };
        let stack_name: Key = match &stack.data {
            Data::Str(name) => Text::clone(name),
            _ => Key::default(),
        };
        let named = self.checked_name(manifest, type_name, &given_name, &map, entry);
        // A name is written by its key: the rest of the component has no part in it.
        let written = value.prov.origin.map(|origin| Prov::at(origin.of_key(name.len())));
        let own_name = Value { data: Data::Str(Text::clone(name)), prov: written.unwrap_or_default() };
        let mark = |map: &mut Map| {
            map.set(key("atmos_component"), own_name.clone());
            map.set(key("atmos_stack"), stack.clone());
            map.set(key("stack"), stack.clone());
            map.set(key("atmos_stack_file"), Value::str(Text::clone(&manifest.key)));
            map.set(key("atmos_manifest"), Value::str(Text::clone(&manifest.key)));
        };
        mark(&mut map);
        let mut deployed = None;
        if let Some(metadata) = said_of_workspace {
            let data = || {
                let mut marked = name_data(&map, name);
                mark(&mut marked);
                Value::map(marked)
            };
            let (templated, data) = (manifest.fields.is_some().then_some(&given_name), &data);
            let name_of_stack = WorkspaceOf { stack: &stack, context: &context, metadata, templated, data };
            let (workspace, known) = self.workspace(manifest, name_of_stack, &map, name).map_err(failed)?;
            deployed = known;
            map.set(key("workspace"), workspace);
        }
        if let Some(workspace) = deployed.as_deref().filter(|_| self.describes) {
            map.set(key("workspace"), Value::str(workspace));
        }
        let info = self.info(&map, type_name);
        map.set(key("component_info"), info.clone());
        let mocks = map.remove("mocks");
        if self.world.given.is_some() {
            evaluation::attach(&mut map, &built.deferrals);
        }
        let place = Place { file: manifest.file, kind: type_name, name: Text::clone(name) };
        let Rendered { map, asked } = self.render(manifest, map, &place, value)?;
        let outputs = |component: &str, stack: &str| self.outputs_of(manifest, &place, component, stack);
        let mut map = evaluation::evaluate(map, &built.deferrals, &stack_name, self.world, &outputs);
        map.set(key("component_info"), info);
        if let Some(mocks) = mocks {
            map.set(key("mocks"), mocks);
        }
        let empty = |e: &Entry| e.value.as_map().is_some_and(|m| m.is_empty());
        if said_of_workspace.is_some() && !self.config.include_empty && map.iter().any(empty) {
            map = map.iter().filter(|e| !empty(e)).map(|e| (Text::clone(&e.key), e.value.clone())).collect();
        }
        Ok(Sections { map, stack: stack_name, named, workspace: deployed, asked })
    }

    /// Reports that the stack of a component has no name: at the template itself if it is none, else at the component.
    fn unnamed(&self, manifest: &Manifest<'_>, error: &crate::template::Error, name: &Key, site: &Prov) -> Poisoned {
        let template = &self.config.name_template;
        let engine = self.engine(0, ("{{", "}}"), &FILE_FUNCTIONS, MissingKey::Error);
        if manifest.name.is_none() && !template.is_empty() && engine.parse(template).is_err() {
            let site = self.config.all.at_path(["stacks", "name_template"]).map(|v| v.prov.clone()).unwrap_or_default();
            let message = format!("`stacks.name_template` is no template: {}", error.message);
            return self.sink.error(&rules::STACK_NAME_UNRESOLVED, message, &site, manifest.file);
        }
        let message = format!("the stack name of component `{name}` cannot be computed: {}", error.message);
        self.sink.error(&rules::STACK_NAME_UNRESOLVED, message, site, manifest.file)
    }

    /// How validation sees the stack of a component, if it looks at its type.
    fn checked_name(
        &self,
        manifest: &Manifest<'_>,
        type_name: &'static str,
        given: &Value,
        map: &Map,
        Entry { key: name, value }: &Entry,
    ) -> Option<Named> {
        let is_abstract = map.get("metadata").and_then(|m| m.get("type")).and_then(Value::as_str) == Some("abstract");
        if !matches!(type_name, "terraform" | "helmfile") || is_abstract {
            return None;
        }
        let stack = self.validated_name(manifest, given, map, name, value);
        let instead = match &stack {
            Name::Lacks(part) => map.get("vars").and_then(|v| v.get(part)).filter(|v| !v.is_null()).cloned(),
            _ => None,
        };
        Some(Named { kind: key(type_name), name: Text::clone(name), stack, instead })
    }

    /// The workspace that `describe stacks` prints, and the one that Terraform is run in if that is known.
    fn workspace(
        &self,
        manifest: &Manifest<'_>,
        of: WorkspaceOf<'_>,
        map: &Map,
        name: &Key,
    ) -> Result<(Value, Option<String>), crate::template::Error> {
        let lenient = self.config.templates.ignore_missing;
        let missing = if lenient { MissingKey::Default } else { MissingKey::Error };
        let engine = self.engine(0, ("{{", "}}"), &FILE_FUNCTIONS, missing);
        let workspace = Workspace {
            config: self.config,
            engine: &engine,
            manifest_name: manifest.name.as_ref(),
            stack: of.stack,
            context: of.context,
            metadata: of.metadata,
            templated: of.templated,
            data: of.data,
            backend_type: map.get("backend_type").and_then(Value::as_str).unwrap_or_default(),
        };
        let deployed = workspace.deployed(name, map.get("component").and_then(Value::as_str));
        Ok((workspace.name()?, deployed))
    }

    /// The stack of a component as validation sees it.
    fn validated_name(&self, manifest: &Manifest<'_>, named: &Value, map: &Map, name: &Key, value: &Value) -> Name {
        let template = &self.config.name_template;
        let strict = || self.engine(0, ("{{", "}}"), &FILE_FUNCTIONS, MissingKey::Error);
        let templated = match manifest.name.is_some() && !template.is_empty() {
            true => names::templated(template, &strict(), &Value::map(name_data(map, name))),
            false => Ok(named.clone()),
        };
        match templated {
            Ok(templated) => match names::validated(self.config, &templated, map) {
                Some(Ok(stack)) => Name::Known(stack),
                Some(Err(part)) => Name::Lacks(part),
                None => Name::Unnamed,
            },
            Err(error) => {
                let message = format!("the stack name of component `{name}` cannot be computed: {}", error.message);
                let label = label(&value.prov, manifest.file, "");
                let finding = Diagnostic::new(&rules::STACK_NAME_UNRESOLVED, message, label);
                self.sink.report(finding.note("Atmos computes it though the manifest has a `name`"));
                Name::Unknown
            }
        }
    }

    /// `component_info`: the type and where the code of the component lies.
    fn info(&self, map: &Map, type_name: &'static str) -> Value {
        let mut info = Map::from_iter([(key("component_type"), Value::str(key(type_name)))]);
        let base = self.config.component_path(type_name);
        let component = map.get("component").filter(|v| v.as_str().is_some_and(|s| !s.is_empty()));
        if let Some(component) = component.filter(|_| !base.is_empty()) {
            let prefix = map.get("metadata").and_then(|m| m.get("component_folder_prefix")).and_then(Value::as_str);
            let prefix = prefix.map(str::trim).filter(|p| !p.is_empty()).map_or_else(String::new, |p| format!("{p}/"));
            let path = paths::clean(&format!("{base}/{prefix}{}", component.as_str().unwrap_or_default()));
            info.set(key("component_path"), Value { data: Data::Str(path.into()), prov: component.prov.clone() });
        }
        Value::map(info)
    }
}

/// What the workspace of a component depends on besides its manifest.
struct WorkspaceOf<'a> {
    stack: &'a Value,
    context: &'a Context,
    metadata: &'a Map,
    templated: Option<&'a Value>,
    data: &'a dyn Fn() -> Value,
}
