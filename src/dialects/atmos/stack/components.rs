//! The components of a merged manifest, each as `describe stacks` prints it (`reference: atmos.md` sections 4.1, 4.2, 4.9
//! and 7.2).

use super::build::ManifestBuilder;
use super::context::StackContext;
use super::files_read;
use super::local_uses::note_local_uses;
use super::manifest::StackManifest;
use super::metadata;
use super::naming::Named;
use super::referenced::{ComponentPlace, ReferencedComponents};
use super::requests::Requests;
use super::sections::{ComponentEntry, Sections, sections};
use crate::diagnostic::{Diagnostic, Label};
use crate::dialects::atmos::component::builder::Built;
use crate::dialects::atmos::component::custom_types;
use crate::dialects::atmos::component::layers::ComponentType;
use crate::dialects::atmos::diagnostics::ErrorReported;
use crate::dialects::atmos::manifest::Processed;
use crate::dialects::atmos::names::{self, Siblings};
use crate::dialects::atmos::reader::Deps;
use crate::dialects::atmos::rules;
use crate::dialects::atmos::templates::host::answers::ComponentRef;
use crate::limits::Limit;
use crate::resolution::{Component, RemovalEffect, ShapingOrigins, Unit};
use crate::text::Text;
use crate::value::{Data, Entry, FileId, Key, Map, Value, fit, key};
use std::sync::Arc;

/// The components of a manifest.
#[derive(Debug, Default)]
pub(in crate::dialects::atmos) struct StackComponents {
    /// Those that could be resolved, sorted by address.
    pub components: Vec<Arc<Component>>,
    /// Types and names of those that could not.
    pub broken: Vec<(Key, Key)>,
    /// Those whose names are validated.
    pub named: Vec<Named>,
    /// Types and names of components that Atmos does not list, because it does not know their type. Sorted.
    pub unlisted: Vec<(Key, Key)>,
}

impl StackComponents {
    fn add(&mut self, kind: &str, name: &Key, finished: Result<(Arc<Component>, Option<Named>), ErrorReported>) {
        match finished {
            Ok((component, named)) => {
                self.components.push(component);
                self.named.extend(named);
            }
            Err(ErrorReported) => self.broken.push((kind.into(), Text::clone(name))),
        }
    }
}

/// A manifest that was resolved.
pub(in crate::dialects::atmos) struct ResolvedManifest {
    /// The resolved unit.
    pub unit: Arc<Unit>,
    /// Its content, merged.
    pub processed: Option<Arc<Processed>>,
    /// Its components whose names are validated.
    pub named: Vec<Named>,
}

impl ResolvedManifest {
    /// A manifest that could not be resolved at all.
    pub(in crate::dialects::atmos) fn broken(path: &str, name: Key, file: FileId) -> Self {
        ResolvedManifest { unit: Arc::new(Unit::of_path(path, name, file)), processed: None, named: Vec::new() }
    }
}

/// The components of a merged manifest, but for those that have too many values. `key` and `file` are those of the manifest.
pub(in crate::dialects::atmos) fn components(
    stacks: &StackContext<'_>,
    referenced: &ReferencedComponents<'_>,
    key: &Key,
    file: FileId,
    processed: &Processed,
    deps: &mut Deps,
) -> Result<StackComponents, ErrorReported> {
    let manifest = StackManifest::new(stacks, key, file, processed);
    let requests = Requests::new(stacks, referenced);
    let found = Finisher { stacks, manifest: &manifest, requests: &requests }.all();
    deps.add(&manifest.into_deps());
    let mut resolved = found?;
    fit(&mut resolved.components);
    fit(&mut resolved.named);
    resolved.components.sort_by_cached_key(|component| component.address());
    resolved.broken.sort();
    resolved.unlisted.sort();
    Ok(leave_out_large(stacks, resolved, file))
}

/// Removes components with too many values, and reports them.
fn leave_out_large(stacks: &StackContext<'_>, mut resolved: StackComponents, file: FileId) -> StackComponents {
    let most = stacks.reader.limits().count(Limit::ComponentValues);
    let too_large = |component: &Arc<Component>| component.value.count(most).is_none();
    for component in resolved.components.extract_if(.., |c| too_large(c)) {
        let exceeded = stacks.reader.limits().exceeded(Limit::ComponentValues);
        let message = format!("component `{}` has {exceeded}", component.name);
        let place = component.shaping_origins.iter().find(|origin| origin.file == file);
        let place = place.map_or_else(|| Label::new(file, 0, 0, ""), |origin| Label::at(*origin, ""));
        stacks.recorder.diagnostics.push(Diagnostic::new(&rules::LIMIT_EXCEEDED, message, place).help(exceeded.help()));
        resolved.broken.push((Text::clone(&component.kind), Text::clone(&component.name)));
    }
    resolved.broken.sort();
    resolved
}

/// Finishes the components of one manifest.
struct Finisher<'a> {
    stacks: &'a StackContext<'a>,
    manifest: &'a StackManifest<'a>,
    requests: &'a Requests<'a>,
}

impl Finisher<'_> {
    /// Broken components are removed; the rest of the stack is kept.
    fn all(&self) -> Result<StackComponents, ErrorReported> {
        let builder = ManifestBuilder { stacks: self.stacks, manifest: self.manifest };
        let components = builder.section(self.manifest.map, "components")?;
        builder.check_globals()?;
        let mut out = StackComponents::default();
        for kind in ComponentType::ALL {
            let Some(all) = components.get(kind.name()) else { continue };
            let Some(all) = all.as_map() else {
                let message = format!("`components.{}` must be a map, not {}", kind.name(), all.a_kind());
                let diagnostics = &self.stacks.recorder.diagnostics;
                return Err(diagnostics.error(&rules::NON_MAPPING_SECTION, message, &all.prov, self.manifest.file));
            };
            self.add_type(&builder, kind, all, &mut out)?;
        }
        let is_known =
            |kind: &str| ComponentType::ALL.iter().any(|k| k.name() == kind) || custom_types::KINDS.contains(&kind);
        for entry in components.iter().filter(|e| !is_known(&e.key)) {
            let names = entry.value.as_map().into_iter().flat_map(|m| m.keys());
            out.unlisted.extend(names.map(|name| (Text::clone(&entry.key), Text::clone(name))));
        }
        for kind in custom_types::KINDS {
            let Some(all) = components.get(kind).and_then(Value::as_map) else { continue };
            self.add_custom_type(kind, all, &mut out);
        }
        Ok(out)
    }

    /// Adds the components of a type.
    fn add_type(
        &self,
        builder: &ManifestBuilder<'_, '_>,
        kind: ComponentType,
        all: &Map,
        out: &mut StackComponents,
    ) -> Result<(), ErrorReported> {
        let shared = builder.shared(kind)?;
        let build = |e: &Entry| builder.component(kind, all, &shared, &e.key, &e.value);
        let mut finish = |entry: &Entry, built: Result<Built, ErrorReported>, workspace_metadata: Option<&Map>| {
            let component = ComponentEntry { kind: kind.name(), entry, workspace_metadata };
            out.add(kind.name(), &entry.key, built.and_then(|built| self.finish(&component, built)));
        };
        // Only Terraform has workspaces.
        let is_terraform = kind == ComponentType::Terraform;
        if !is_terraform || !names::may_name_workspace(&shared.metadata, all) {
            let nothing = is_terraform.then(Map::new);
            all.iter().for_each(|entry| finish(entry, build(entry), nothing.as_ref()));
            return Ok(());
        }
        let built: Vec<_> = all.iter().map(|e| (e, build(e))).collect();
        let siblings: Siblings<'_> = built.iter().filter_map(|(e, b)| Some((&*e.key, &b.as_ref().ok()?.map))).collect();
        let inherits = self.stacks.config.inherit_metadata;
        let workspace_metadata = |e: &Entry| names::workspace_settings(&siblings, &e.key, inherits);
        let workspace_metadata: Vec<Map> = built.iter().map(|(e, _)| workspace_metadata(e)).collect();
        for ((entry, built), workspace_metadata) in built.into_iter().zip(workspace_metadata) {
            finish(entry, built, Some(&workspace_metadata));
        }
        Ok(())
    }

    /// Adds the components of a type that Atmos does not build itself.
    fn add_custom_type(&self, kind: &'static str, all: &Map, out: &mut StackComponents) {
        let (stacks, manifest) = (self.stacks, self.manifest);
        for entry in all.iter() {
            let built = custom_types::build(kind, &entry.key, &entry.value, all, manifest.map, stacks.merger);
            let built = built.map_err(|(m, site)| {
                stacks.recorder.diagnostics.error(&rules::SCHEMA_VIOLATION, m, &site, manifest.file)
            });
            let finished = built.and_then(|map| {
                let built = Built { map, sites: Vec::new(), authored: Default::default(), deferrals: Vec::new() };
                self.finish(&ComponentEntry { kind, entry, workspace_metadata: None }, built)
            });
            out.add(kind, &entry.key, finished);
        }
    }

    /// Converts a component from its built form; `validation` sees its name.
    fn finish(
        &self,
        component: &ComponentEntry<'_>,
        mut built: Built,
    ) -> Result<(Arc<Component>, Option<Named>), ErrorReported> {
        let ComponentEntry { kind, entry, .. } = *component;
        let (stacks, manifest) = (self.stacks, self.manifest);
        let locals = built.map.known("locals").cloned();
        note_local_uses(stacks, manifest, kind, &entry.key, &built);
        let (sites, authored) = (std::mem::take(&mut built.sites), built.authored.clone());
        let place = ComponentPlace { file: manifest.file, kind, name: Text::clone(&entry.key) };
        let ask = |wanted: &ComponentRef| self.requests.answer(manifest, &place, wanted);
        let Sections { mut map, stack, named, workspace, requested } =
            sections(stacks, manifest, component, built, &ask)?;
        let calls = files_read::complete(&mut map, stacks, manifest);
        let shaping_origins = ShapingOrigins { own: sites.into(), shared: Arc::clone(&manifest.shaping_origins) };
        let requested = requested.as_ref();
        let mut metadata =
            metadata::of(metadata::FinalSections { map: &map, kind, workspace, authored, requested }, stacks);
        metadata.calls = calls.into();
        let component = Component {
            stack,
            kind: key(kind),
            name: Text::clone(&entry.key),
            value: Value { data: Data::Map(Arc::new(map)), prov: entry.value.prov.clone() },
            shaping_origins,
            declared: None,
            removal: RemovalEffect::Orphaned,
            language: stacks.external.language,
            locals,
            metadata,
        };
        // The number is remembered. Later, its values would have to be read from memory again.
        component.value.count(self.stacks.reader.limits().count(Limit::ComponentValues));
        Ok((Arc::new(component), named))
    }
}
