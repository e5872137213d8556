//! The components of a manifest before their stack is known, each built from its layers.

use super::build_errors::report_build_error;
use super::context::StackContext;
use super::manifest::StackManifest;
use crate::diagnostic::Diagnostic;
use crate::dialects::atmos::component::bases::ValidMergedBases;
use crate::dialects::atmos::component::builder::{Builder, Built, Shared};
use crate::dialects::atmos::component::layers::{ComponentType, LOOSE, Layer, Section, Word};
use crate::dialects::atmos::diagnostics::{ErrorReported, label};
use crate::dialects::atmos::manifest::Processed;
use crate::dialects::atmos::merge::merge;
use crate::dialects::atmos::shapes::messages::rule_of_key;
use crate::dialects::atmos::{paths, rules};
use crate::value::{Data, FileId, Key, Map, Value};
use std::sync::Arc;

/// Metadata that can be set for a whole stack.
const GLOBAL_METADATA: [&str; 6] = ["labels", "tags", "custom", "enabled", "locked", "terraform_workspace_pattern"];

/// Builds the components of one manifest.
pub(super) struct ManifestBuilder<'s, 'm> {
    /// The context for building components.
    pub(super) stacks: &'s StackContext<'s>,
    pub(super) manifest: &'m StackManifest<'m>,
}

impl<'s, 'm> ManifestBuilder<'s, 'm> {
    /// Rejects sections and metadata that a whole stack must not have.
    pub(super) fn check_globals(&self) -> Result<(), ErrorReported> {
        for key in ["vars", "hooks", "settings", "env", "generate", "auth", "secrets", "dependencies"] {
            self.section(self.manifest.map, key)?;
        }
        for entry in self.section(self.manifest.map, "metadata")?.iter() {
            if !GLOBAL_METADATA.contains(&&*entry.key) {
                let message = format!("`metadata.{}` is not allowed for a whole stack", entry.key);
                let rule = rule_of_key("metadata", &entry.key);
                let finding = Diagnostic::new(rule, message, label(&entry.value.prov, self.manifest.file, ""));
                self.stacks
                    .recorder
                    .diagnostics
                    .push(finding.help("move it under `components.<type>.<name>.metadata`"));
                return Err(ErrorReported);
            }
        }
        Ok(())
    }

    /// A section that must be a map; empty if it is not there.
    pub(super) fn section(&self, map: &Map, key: &str) -> Result<Arc<Map>, ErrorReported> {
        match map.get(key) {
            None => Ok(Arc::default()),
            Some(Value { data: Data::Map(m), .. }) => Ok(Arc::clone(m)),
            Some(other) => {
                let message = format!("`{key}` must be a map, not {}", other.a_kind());
                Err(self.stacks.recorder.diagnostics.error(
                    &rules::NON_MAPPING_SECTION,
                    message,
                    &other.prov,
                    self.manifest.file,
                ))
            }
        }
    }

    /// Returns the shared data of all components of a type: the global and the type layer.
    pub(super) fn shared(&self, kind: ComponentType) -> Result<Shared, ErrorReported> {
        let typed = self.section(self.manifest.map, kind.name())?;
        let mut layer = self.shared_sections(kind, &typed)?;
        if kind == ComponentType::Kubernetes {
            for (loose, key) in LOOSE.into_iter().filter(|(_, k)| *k != "plugins") {
                layer.set_loose(loose, typed.get(key).cloned());
            }
        }
        self.set_words(kind, &typed, &mut layer)?;
        let takes_secrets = matches!(
            kind,
            ComponentType::Terraform | ComponentType::Helmfile | ComponentType::Packer | ComponentType::Ansible
        );
        let global = |key: &str| self.section(self.manifest.map, key);
        let secrets = if takes_secrets { global("secrets")? } else { Arc::default() };
        Ok(Shared { layer, metadata: global("metadata")?, secrets, valid_sums: ValidMergedBases::default() })
    }

    /// The sections that are maps, those of the whole stack below those of the type (`typed`).
    fn shared_sections(&self, kind: ComponentType, typed: &Map) -> Result<Layer, ErrorReported> {
        let merger = self.stacks.merger;
        let global = |key: &str| self.section(self.manifest.map, key);
        let own = |key: &str| self.type_section(kind, typed, key);
        let both = |key: &str| -> Result<Arc<Map>, ErrorReported> { Ok(merge(merger, [&global(key)?, &own(key)?])) };
        let mut layer = Layer::default();
        layer.set(Section::Vars, both("vars")?);
        layer.set(Section::Settings, both("settings")?);
        layer.set(Section::Env, merge(merger, [&self.stacks.config.env, &global("env")?, &own("env")?]));
        layer.set(Section::Auth, both("auth")?);
        layer.set(Section::Dependencies, both("dependencies")?);
        if matches!(kind, ComponentType::Terraform | ComponentType::Kubernetes | ComponentType::Helm) {
            layer.set(Section::Hooks, both("hooks")?);
            layer.set(Section::Generate, both("generate")?);
            layer.set(Section::Source, own("source")?);
            layer.set(Section::Provision, own("provision")?);
        }
        if kind == ComponentType::Terraform {
            for (section, key) in [
                (Section::Providers, "providers"),
                (Section::Backend, "backend"),
                (Section::RemoteStateBackend, "remote_state_backend"),
            ] {
                layer.set(section, own(key)?);
            }
        }
        if kind == ComponentType::Kubernetes {
            layer.set(Section::Render, own("render")?);
        }
        Ok(layer)
    }

    /// A section of a component type that must be a map; empty if it is not there.
    fn type_section(&self, kind: ComponentType, typed: &Map, key: &str) -> Result<Arc<Map>, ErrorReported> {
        match typed.get(key) {
            None => Ok(Arc::default()),
            Some(Value { data: Data::Map(m), .. }) => Ok(Arc::clone(m)),
            Some(other) => {
                let message = format!("`{}.{key}` must be a map, not {}", kind.name(), other.a_kind());
                Err(self.stacks.recorder.diagnostics.error(
                    &rules::NON_MAPPING_SECTION,
                    message,
                    &other.prov,
                    self.manifest.file,
                ))
            }
        }
    }

    /// The sections of a component type that are text.
    fn set_words(&self, kind: ComponentType, typed: &Map, layer: &mut Layer) -> Result<(), ErrorReported> {
        let words: &[(Word, &str)] = match kind {
            ComponentType::Terraform => &[
                (Word::Command, "command"),
                (Word::BackendType, "backend_type"),
                (Word::RemoteStateBackendType, "remote_state_backend_type"),
            ],
            ComponentType::Kubernetes => &[(Word::Command, "command"), (Word::Provider, "provider")],
            _ => &[(Word::Command, "command")],
        };
        for (word, key) in words {
            match typed.get(key) {
                None => {}
                Some(value) if value.as_str().is_some() => layer.set_word(*word, Some(value.clone())),
                Some(other) => {
                    let message = format!("`{}.{key}` must be text, not {}", kind.name(), other.a_kind());
                    let diagnostics = &self.stacks.recorder.diagnostics;
                    return Err(diagnostics.error(&rules::SCHEMA_VIOLATION, message, &other.prov, self.manifest.file));
                }
            }
        }
        Ok(())
    }

    /// A component of the manifest, built of its layers.
    pub(super) fn component(
        &self,
        kind: ComponentType,
        all: &Map,
        shared: &Shared,
        name: &Key,
        value: &Value,
    ) -> Result<Built, ErrorReported> {
        let Some(map) = value.as_map() else {
            let message = format!("component `{name}` must be a map, not {}", value.a_kind());
            return Err(self.stacks.recorder.diagnostics.error(
                &rules::NON_MAPPING_SECTION,
                message,
                &value.prov,
                self.manifest.file,
            ));
        };
        let is_folder = |base: &str| {
            let mut deps = self.manifest.deps();
            let below = format!("{}/{base}", self.stacks.config.component_path(kind.name()));
            paths::join(&self.stacks.config.base, &below).is_some_and(|p| self.stacks.reader.is_dir(&p, &mut deps))
        };
        let (config, merger, limits) = (self.stacks.config, self.stacks.merger, self.stacks.reader.limits());
        let (is_folder, cache) = (&is_folder, &*self.stacks.bases);
        let builder = Builder { config, merger, kind, all, shared, is_folder, cache, limits };
        builder.build(name, map).map_err(|t| report_build_error(self.stacks, self.manifest, &t, kind, name, value))
    }

    /// Returns the component of a type and name; `None` if it does not exist, or is broken.
    pub(super) fn find(&self, kind: ComponentType, name: &Key) -> Option<Built> {
        let all = self.manifest.components(kind.name())?;
        let value = all.get(name)?;
        let shared = self.shared(kind).ok()?;
        self.component(kind, all, &shared, name, value).ok()
    }
}

/// Builds the sections of a component of a merged manifest again, before its stack is known.
pub(in crate::dialects::atmos) fn built_again(
    stacks: &StackContext<'_>,
    key: &Key,
    file: FileId,
    processed: &Processed,
    kind: &str,
    name: &Key,
) -> Option<Map> {
    let kind = ComponentType::ALL.into_iter().find(|k| k.name() == kind)?;
    let manifest = &StackManifest::unnamed(key, file, &processed.merged);
    ManifestBuilder { stacks, manifest }.find(kind, name).map(|built| built.map)
}
