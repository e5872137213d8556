//! A merged manifest taken apart into the components of its stacks, each as `describe stacks` prints it
//! (`reference: atmos.md` sections 4.1, 4.2, 4.9 and 7.2).

use super::evaluation::World;
use super::referenced::{Place, Targets};
use crate::diagnostic::Diagnostic;
use crate::dialects::atmos::component::bases::InheritanceCache;
use crate::dialects::atmos::component::builder::{Builder, Built, Shared};
use crate::dialects::atmos::component::custom_types;
use crate::dialects::atmos::component::layers::{Kind, Layer, Section};
use crate::dialects::atmos::config::Config;
use crate::dialects::atmos::findings::{Poisoned, Sink, label};
use crate::dialects::atmos::locals::observations::Observations;
use crate::dialects::atmos::manifest::{FILE_FUNCTIONS, Processed};
use crate::dialects::atmos::merge::{ListStrategy, merge};
use crate::dialects::atmos::names::{self, NAME_SECTIONS, Siblings, is_same, name_data};
use crate::dialects::atmos::paths;
use crate::dialects::atmos::reader::{Deps, Reader};
use crate::dialects::atmos::rules;
use crate::dialects::atmos::templates::engine::{Engine, Templates};
use crate::resolution::Component;
use crate::template::{FunctionSet, MissingKey};
use crate::text::Text;
use crate::value::{Data, Entry, FileId, Key, Map, Origin, Prov, Value};
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Metadata that may be said for a whole stack.
const GLOBAL_METADATA: [&str; 6] = ["labels", "tags", "custom", "enabled", "locked", "terraform_workspace_pattern"];

/// Builds the components of merged manifests.
pub(crate) struct Stacks<'a> {
    pub reader: &'a Reader<'a>,
    pub config: &'a Config,
    pub strategy: ListStrategy,
    pub templates: &'a Templates,
    pub sink: &'a Sink,
    pub met: &'a Observations,
    /// What the vendor manifests say, read when it is first asked for.
    pub vendored: OnceLock<String>,
    pub world: World<'a>,
    /// InheritanceCache of base components.
    pub sums: Arc<InheritanceCache>,
    /// The other components of the project, for those that ask for them.
    pub targets: &'a Targets<'a>,
    /// The components that wait for the one that is being resolved, the first one first.
    pub chain: &'a [Place],
    /// What was found to ask for itself on the way, in words.
    pub cycle: OnceLock<Text>,
    /// How long the longest chain of components is that was asked for.
    pub depth: AtomicUsize,
    /// Components are resolved as `describe component` shows them, for one that asks.
    pub describes: bool,
}

/// The components of a manifest.
#[derive(Debug, Default)]
pub(crate) struct Resolved {
    /// Those that could be resolved, sorted by address.
    pub components: Vec<Arc<Component>>,
    /// Types and names of those that could not.
    pub broken: Vec<(Key, Key)>,
    /// Those whose names are validated.
    pub named: Vec<Named>,
    /// Types and names of those that Atmos does not list, because it does not know their type. Sorted.
    pub unlisted: Vec<(Key, Key)>,
}

/// A component whose stack name is validated: of Terraform or Helmfile, and not abstract.
#[derive(Debug)]
pub(crate) struct Named {
    /// Its type.
    pub kind: Key,
    /// Its name.
    pub name: Key,
    /// The name of its stack.
    pub stack: Name,
    /// What is the variable of the part that the name pattern [lacks](Name::Lacks), if there is one that is no text.
    pub instead: Option<Value>,
}

/// The name of a stack as validation sees it.
#[derive(Debug)]
pub(crate) enum Name {
    /// It is this; it may be empty.
    Known(Key),
    /// The name pattern has this part, and there is no variable for it.
    Lacks(&'static str),
    /// The configuration does not say how stacks are named.
    Unnamed,
    /// It cannot be had, and why has been said.
    Unknown,
}

/// One manifest on its way.
pub(in crate::dialects::atmos) struct Manifest<'a> {
    pub(in crate::dialects::atmos) key: Key,
    pub(in crate::dialects::atmos) file: FileId,
    pub(in crate::dialects::atmos) name: Option<Value>,
    /// The paths of the values that the name of a stack is made of, where it is made of values alone.
    pub(in crate::dialects::atmos) fields: Option<Vec<Vec<String>>>,
    /// The name that was last made, and what of.
    named: Mutex<Option<(Vec<Value>, Value)>>,
    /// Import lines and settings that shape all of it.
    pub(in crate::dialects::atmos) shaping_origins: Arc<[Origin]>,
    pub(in crate::dialects::atmos) map: &'a Map,
    pub(in crate::dialects::atmos) deps: Mutex<Deps>,
}

impl<'a> Manifest<'a> {
    fn new(key: &Key, file: FileId, map: &'a Map) -> Self {
        let (name, fields, shaping_origins) = (None, None, Arc::default());
        let (named, deps) = (Mutex::default(), Mutex::default());
        Manifest { key: Text::clone(key), file, name, fields, named, shaping_origins, map, deps }
    }
}

impl Stacks<'_> {
    /// The components of a merged manifest.
    pub(crate) fn components(
        &self,
        key: &Key,
        file: FileId,
        processed: &Processed,
        deps: &mut Deps,
    ) -> Result<Resolved, Poisoned> {
        let manifest = self.manifest(key, file, processed);
        let found = self.all(&manifest);
        deps.add(&manifest.deps.into_inner().unwrap_or_else(PoisonError::into_inner));
        let mut resolved = found?;
        resolved.components.sort_by_cached_key(|component| component.address());
        resolved.broken.sort();
        resolved.unlisted.sort();
        Ok(resolved)
    }

    /// A merged manifest on its way.
    pub(in crate::dialects::atmos) fn manifest<'m>(
        &self,
        key: &Key,
        file: FileId,
        processed: &'m Processed,
    ) -> Manifest<'m> {
        let map: &Map = &processed.merged;
        let name = map.get("name").filter(|v| v.as_str().is_some_and(|s| !s.is_empty())).cloned();
        let shaping_origins: Vec<Origin> =
            processed.edges.iter().chain(&self.config.shaping_origins).copied().collect();
        let shaping_origins = Arc::from(shaping_origins);
        let fields = if name.is_none() { self.name_fields() } else { None };
        Manifest { name, fields, shaping_origins, ..Manifest::new(key, file, map) }
    }

    /// What is broken is left out; the rest of the stack stands.
    fn all(&self, manifest: &Manifest<'_>) -> Result<Resolved, Poisoned> {
        let components = self.section(manifest, manifest.map, "components")?;
        self.check_globals(manifest)?;
        let mut out = Resolved::default();
        let mut put =
            |kind: &str, name: &Key, finished: Result<(Arc<Component>, Option<Named>), Poisoned>| match finished {
                Ok((component, named)) => {
                    out.components.push(component);
                    out.named.extend(named);
                }
                Err(Poisoned) => out.broken.push((kind.into(), Text::clone(name))),
            };
        for kind in Kind::ALL {
            let Some(all) = components.get(kind.name()) else { continue };
            let Some(all) = all.as_map() else {
                let message = format!("`components.{}` must be a map, not {}", kind.name(), all.a_kind());
                return Err(self.sink.error(&rules::NON_MAPPING_SECTION, message, &all.prov, manifest.file));
            };
            let shared = self.shared(manifest, kind)?;
            let build = |e: &Entry| self.component(manifest, kind, all, &shared, &e.key, &e.value);
            let built: Vec<_> = all.iter().map(|e| (e, build(e))).collect();
            let siblings: Siblings<'_> =
                built.iter().filter_map(|(e, b)| Some((&*e.key, &b.as_ref().ok()?.map))).collect();
            // Only Terraform has workspaces.
            let said = |e: &Entry| match kind {
                Kind::Terraform => Some(names::said_of_workspace(&siblings, &e.key, self.config.inherit_metadata)),
                _ => None,
            };
            let said: Vec<Option<Map>> = built.iter().map(|(e, _)| said(e)).collect();
            for ((entry, built), said) in built.into_iter().zip(said) {
                let finished = built.and_then(|b| self.finish(manifest, kind.name(), entry, b, said.as_ref()));
                put(kind.name(), &entry.key, finished);
            }
        }
        let is_known = |kind: &str| Kind::ALL.iter().any(|k| k.name() == kind) || custom_types::KINDS.contains(&kind);
        for entry in components.iter().filter(|e| !is_known(&e.key)) {
            let names = entry.value.as_map().into_iter().flat_map(|m| m.keys());
            out.unlisted.extend(names.map(|name| (Text::clone(&entry.key), Text::clone(name))));
        }
        for kind in custom_types::KINDS {
            let Some(all) = components.get(kind).and_then(Value::as_map) else { continue };
            for entry in all.iter() {
                let built = custom_types::build(kind, &entry.key, &entry.value, all, manifest.map, self.strategy);
                let built =
                    built.map_err(|(m, site)| self.sink.error(&rules::SCHEMA_VIOLATION, m, &site, manifest.file));
                let finished = built.and_then(|map| {
                    let built = Built { map, sites: Vec::new(), authored: Default::default(), deferrals: Vec::new() };
                    self.finish(manifest, kind, entry, built, None)
                });
                put(kind, &entry.key, finished);
            }
        }
        Ok(out)
    }

    fn check_globals(&self, manifest: &Manifest<'_>) -> Result<(), Poisoned> {
        for key in ["vars", "hooks", "settings", "env", "generate", "auth", "secrets", "dependencies"] {
            self.section(manifest, manifest.map, key)?;
        }
        for entry in self.section(manifest, manifest.map, "metadata")?.iter() {
            if !GLOBAL_METADATA.contains(&&*entry.key) {
                let message = format!("`metadata.{}` is not allowed for a whole stack", entry.key);
                let rule = crate::dialects::atmos::shapes::messages::rule_of_key("metadata", &entry.key);
                let finding = Diagnostic::new(rule, message, label(&entry.value.prov, manifest.file, ""));
                self.sink.push(finding.help("move it under `components.<type>.<name>.metadata`"));
                return Err(Poisoned);
            }
        }
        Ok(())
    }

    fn section(&self, manifest: &Manifest<'_>, map: &Map, key: &str) -> Result<Arc<Map>, Poisoned> {
        match map.get(key) {
            None => Ok(Arc::default()),
            Some(Value { data: Data::Map(m), .. }) => Ok(Arc::clone(m)),
            Some(other) => {
                let message = format!("`{key}` must be a map, not {}", other.a_kind());
                Err(self.sink.error(&rules::NON_MAPPING_SECTION, message, &other.prov, manifest.file))
            }
        }
    }

    /// The global and the type layer of a component type.
    pub(in crate::dialects::atmos) fn shared(&self, manifest: &Manifest<'_>, kind: Kind) -> Result<Shared, Poisoned> {
        let global = |key: &str| self.section(manifest, manifest.map, key);
        let typed = self.section(manifest, manifest.map, kind.name())?;
        let own = |key: &str| match typed.get(key) {
            None => Ok(Arc::default()),
            Some(Value { data: Data::Map(m), .. }) => Ok(Arc::clone(m)),
            Some(other) => {
                let message = format!("`{}.{key}` must be a map, not {}", kind.name(), other.a_kind());
                Err(self.sink.error(&rules::NON_MAPPING_SECTION, message, &other.prov, manifest.file))
            }
        };
        let both = |key: &str| -> Result<Arc<Map>, Poisoned> { Ok(merge(self.strategy, [&global(key)?, &own(key)?])) };
        let mut layer = Layer::default();
        layer.set(Section::Vars, both("vars")?);
        layer.set(Section::Settings, both("settings")?);
        layer.set(Section::Env, merge(self.strategy, [&self.config.env, &global("env")?, &own("env")?]));
        layer.set(Section::Auth, both("auth")?);
        layer.set(Section::Dependencies, both("dependencies")?);
        if matches!(kind, Kind::Terraform | Kind::Kubernetes | Kind::Helm) {
            layer.set(Section::Hooks, both("hooks")?);
            layer.set(Section::Generate, both("generate")?);
            layer.set(Section::Source, own("source")?);
            layer.set(Section::Provision, own("provision")?);
        }
        if kind == Kind::Terraform {
            for (section, key) in [
                (Section::Providers, "providers"),
                (Section::Backend, "backend"),
                (Section::RemoteStateBackend, "remote_state_backend"),
            ] {
                layer.set(section, own(key)?);
            }
        }
        if kind == Kind::Kubernetes {
            layer.set(Section::Render, own("render")?);
            for (loose, key) in
                crate::dialects::atmos::component::layers::LOOSE.into_iter().filter(|(_, k)| *k != "plugins")
            {
                layer.set_loose(loose, typed.get(key).cloned());
            }
        }
        use crate::dialects::atmos::component::layers::Word;
        let words: &[(Word, &str)] = match kind {
            Kind::Terraform => &[
                (Word::Command, "command"),
                (Word::BackendType, "backend_type"),
                (Word::RemoteStateBackendType, "remote_state_backend_type"),
            ],
            Kind::Kubernetes => &[(Word::Command, "command"), (Word::Provider, "provider")],
            _ => &[(Word::Command, "command")],
        };
        for (word, key) in words {
            match typed.get(key) {
                None => {}
                Some(value) if value.as_str().is_some() => layer.set_word(*word, Some(value.clone())),
                Some(other) => {
                    let message = format!("`{}.{key}` must be text, not {}", kind.name(), other.a_kind());
                    return Err(self.sink.error(&rules::SCHEMA_VIOLATION, message, &other.prov, manifest.file));
                }
            }
        }
        let takes_secrets = matches!(kind, Kind::Terraform | Kind::Helmfile | Kind::Packer | Kind::Ansible);
        let secrets = if takes_secrets { global("secrets")? } else { Arc::default() };
        Ok(Shared { layer, metadata: global("metadata")?, secrets })
    }

    pub(in crate::dialects::atmos) fn component(
        &self,
        manifest: &Manifest<'_>,
        kind: Kind,
        all: &Map,
        shared: &Shared,
        name: &Key,
        value: &Value,
    ) -> Result<Built, Poisoned> {
        let Some(map) = value.as_map() else {
            let message = format!("component `{name}` must be a map, not {}", value.a_kind());
            return Err(self.sink.error(&rules::NON_MAPPING_SECTION, message, &value.prov, manifest.file));
        };
        let is_folder = |base: &str| {
            let mut deps = manifest.deps.lock().unwrap_or_else(PoisonError::into_inner);
            let below = format!("{}/{base}", self.config.component_path(kind.name()));
            paths::join(&self.config.base, &below).is_some_and(|p| self.reader.is_dir(&p, &mut deps))
        };
        let (config, strategy, limits) = (self.config, self.strategy, self.reader.limits());
        let (is_folder, sums) = (&is_folder, &*self.sums);
        let builder = Builder { config, strategy, kind, all, shared, is_folder, sums, limits };
        builder.build(name, map).map_err(|t| self.trouble(&t, manifest, kind, name, value))
    }

    /// A component of a merged manifest before it gets its stack, as it was built before.
    pub(crate) fn built(
        &self,
        key: &Key,
        file: FileId,
        processed: &Processed,
        kind: &str,
        name: &Key,
    ) -> Option<(Map, Prov)> {
        let kind = Kind::ALL.into_iter().find(|k| k.name() == kind)?;
        let manifest = Manifest::new(key, file, &processed.merged);
        let all = manifest.map.get("components")?.get(kind.name())?.as_map()?;
        let value = all.get(name)?;
        let shared = self.shared(&manifest, kind).ok()?;
        let built = self.component(&manifest, kind, all, &shared, name, value).ok()?;
        Some((built.map, value.prov.clone()))
    }

    /// The paths in the template of stack names, if it only puts values side by side.
    fn name_fields(&self) -> Option<Vec<Vec<String>>> {
        let engine = self.engine(0, ("{{", "}}"), &FILE_FUNCTIONS, MissingKey::Error);
        let parsed = engine.parse(&self.config.name_template);
        let fields = parsed.as_ref().as_ref().ok()?.fields()?;
        let known = |path: &Vec<&str>| path.first().is_some_and(|first| NAME_SECTIONS.contains(first));
        let owned = |path: Vec<&str>| path.into_iter().map(str::to_owned).collect();
        (!fields.is_empty() && fields.iter().all(known)).then(|| fields.into_iter().map(owned).collect())
    }

    /// The name of the stack of a component. It is made once of the same values.
    pub(in crate::dialects::atmos) fn named(
        &self,
        manifest: &Manifest<'_>,
        map: &Map,
        name: &Key,
    ) -> Result<names::Named, crate::template::Error> {
        let at = |path: &Vec<String>| {
            let (first, rest) = path.split_first()?;
            map.get(first)?.at_path(rest.iter().map(String::as_str)).filter(|v| v.as_str().is_some())
        };
        let values: Option<Vec<&Value>> = manifest.fields.as_ref().and_then(|all| all.iter().map(at).collect());
        let last = || manifest.named.lock().unwrap_or_else(PoisonError::into_inner);
        if let (Some(values), Some((of, name))) = (&values, &*last())
            && values.iter().zip(of).all(|(a, b)| is_same(a, b))
        {
            return Ok(names::Named { name: name.clone(), context: names::Context::default() });
        }
        let strict = self.engine(0, ("{{", "}}"), &FILE_FUNCTIONS, MissingKey::Error);
        let data = Value::map(name_data(map, name));
        let named = names::stack(self.config, &strict, &manifest.key, manifest.name.as_ref(), &data)?;
        if let Some(values) = values {
            *last() = Some((values.into_iter().cloned().collect(), named.name.clone()));
        }
        Ok(named)
    }

    pub(in crate::dialects::atmos) fn engine<'e>(
        &'e self,
        slot: usize,
        delimiters: (&'e str, &'e str),
        functions: &'e FunctionSet,
        missing: MissingKey,
    ) -> Engine<'e> {
        Engine {
            templates: self.templates,
            slot,
            delimiters,
            functions,
            missing,
            env: self.world.env,
            assume: false,
            host: None,
            misses: None,
        }
    }
}
