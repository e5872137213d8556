//! A merged manifest taken apart into the components of its stacks, each as `describe stacks` prints it
//! (`reference: atmos.md` sections 4.1, 4.2, 4.9 and 7.2).

use super::bases::InheritanceCache;
use super::component::{Builder, Built, Shared};
use super::component_metadata;
use super::config::Config;
use super::custom;
use super::duplicates::{Name, Named};
use super::evaluate::{self, World};
use super::layers::{Kind, Layer, Section};
use super::local_observations::Observations;
use super::manifest::{FILE_FUNCTIONS, Processed};
use super::merge::{ListStrategy, merge};
use super::names::{self, NAME_SECTIONS, Siblings, Workspace, is_same, name_data};
use super::paths;
use super::reader::{Deps, Reader};
use super::render::{Engine, Templates};
use super::sink::{Poisoned, Sink, label};
use crate::diagnostic::Diagnostic;
use crate::dialects::atmos::rules;
use crate::resolution::{Component, RemovalEffect, ShapingOrigins};
use crate::template::{FunctionSet, MissingKey};
use crate::text::Text;
use crate::value::{Data, Entry, FileId, Key, Map, Origin, Prov, Value, key};
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

/// One manifest on its way.
pub(super) struct Manifest<'a> {
    pub(super) key: Key,
    pub(super) file: FileId,
    name: Option<Value>,
    /// The paths of the values that the name of a stack is made of, where it is made of values alone.
    fields: Option<Vec<Vec<String>>>,
    /// The name that was last made, and what of.
    named: Mutex<Option<(Vec<Value>, Value)>>,
    /// Import lines and settings that shape all of it.
    shaping_origins: Arc<[Origin]>,
    pub(super) map: &'a Map,
    deps: Mutex<Deps>,
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
        let map = &processed.merged;
        let name = map.get("name").filter(|v| v.as_str().is_some_and(|s| !s.is_empty())).cloned();
        let shaping_origins: Vec<Origin> =
            processed.edges.iter().chain(&self.config.shaping_origins).copied().collect();
        let shaping_origins = Arc::from(shaping_origins);
        let fields = if name.is_none() { self.name_fields() } else { None };
        let manifest = Manifest { name, fields, shaping_origins, ..Manifest::new(key, file, map) };
        let found = self.all(&manifest);
        deps.add(&manifest.deps.into_inner().unwrap_or_else(PoisonError::into_inner));
        let mut resolved = found?;
        resolved.components.sort_by_cached_key(|component| component.address());
        resolved.broken.sort();
        resolved.unlisted.sort();
        Ok(resolved)
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
        let is_known = |kind: &str| Kind::ALL.iter().any(|k| k.name() == kind) || custom::KINDS.contains(&kind);
        for entry in components.iter().filter(|e| !is_known(&e.key)) {
            let names = entry.value.as_map().into_iter().flat_map(|m| m.keys());
            out.unlisted.extend(names.map(|name| (Text::clone(&entry.key), Text::clone(name))));
        }
        for kind in custom::KINDS {
            let Some(all) = components.get(kind).and_then(Value::as_map) else { continue };
            for entry in all.iter() {
                let built = custom::build(kind, &entry.key, &entry.value, all, manifest.map, self.strategy);
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
                let rule = super::schema::rule_of_key("metadata", &entry.key);
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
    fn shared(&self, manifest: &Manifest<'_>, kind: Kind) -> Result<Shared, Poisoned> {
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
            for (loose, key) in super::layers::LOOSE.into_iter().filter(|(_, k)| *k != "plugins") {
                layer.set_loose(loose, typed.get(key).cloned());
            }
        }
        use super::layers::Word;
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

    fn component(
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

    fn finish(
        &self,
        manifest: &Manifest<'_>,
        type_name: &'static str,
        Entry { key: name, value }: &Entry,
        built: Built,
        said_of_workspace: Option<&Map>,
    ) -> Result<(Arc<Component>, Option<Named>), Poisoned> {
        let mut map = built.map;
        let locals = map.get("locals").cloned();
        let failed = |e: crate::template::Error| {
            let message = format!("the stack name of component `{name}` cannot be computed: {}", e.message);
            self.sink.error(&rules::STACK_NAME_UNRESOLVED, message, &value.prov, manifest.file)
        };
        let named = self.named(manifest, &map, name).map_err(failed)?;
        let stack = match named.name.as_str() {
            Some("") | None => Value::str(Text::clone(&manifest.key)),
            Some(_) => named.name.clone(),
        };
        let stack_name: Key = match &stack.data {
            Data::Str(name) => Text::clone(name),
            _ => Key::default(),
        };
        let is_abstract =
            || map.get("metadata").and_then(|m| m.get("type")).and_then(Value::as_str) == Some("abstract");
        let checked = match type_name {
            "terraform" | "helmfile" if !is_abstract() => {
                let name_of_stack = self.validated_name(manifest, &named.name, &map, name, value);
                let instead = match &name_of_stack {
                    Name::Lacks(part) => map.get("vars").and_then(|v| v.get(part)).filter(|v| !v.is_null()).cloned(),
                    _ => None,
                };
                Some(Named { kind: key(type_name), name: Text::clone(name), stack: name_of_stack, instead })
            }
            _ => None,
        };
        let mark = |map: &mut Map| {
            map.set(key("atmos_component"), Value { data: Data::Str(Text::clone(name)), prov: value.prov.clone() });
            map.set(key("atmos_stack"), stack.clone());
            map.set(key("stack"), stack.clone());
            map.set(key("atmos_stack_file"), Value::str(Text::clone(&manifest.key)));
            map.set(key("atmos_manifest"), Value::str(Text::clone(&manifest.key)));
        };
        mark(&mut map);
        let mut deployed = None;
        if let Some(said) = said_of_workspace {
            let data = || {
                let mut marked = name_data(&map, name);
                mark(&mut marked);
                Value::map(marked)
            };
            let lenient = self.config.templates.ignore_missing;
            let missing = if lenient { MissingKey::Default } else { MissingKey::Error };
            let engine = self.engine(0, ("{{", "}}"), &FILE_FUNCTIONS, missing);
            let backend_type: Key = map.get("backend_type").and_then(Value::as_str).unwrap_or_default().into();
            let workspace = Workspace {
                config: self.config,
                engine: &engine,
                manifest_name: manifest.name.as_ref(),
                stack: &stack,
                context: &named.context,
                metadata: said,
                templated: manifest.fields.is_some().then_some(&named.name),
                data: &data,
                backend_type: &backend_type,
            };
            deployed = workspace.deployed(name, map.get("component").and_then(Value::as_str));
            let workspace = workspace.name().map_err(failed)?;
            map.set(key("workspace"), workspace);
        }
        let info = self.info(&map, type_name);
        map.set(key("component_info"), info.clone());
        let mocks = map.remove("mocks");
        if self.world.given.is_some() {
            evaluate::attach(&mut map, &built.deferrals);
        }
        let rendered = self.render(manifest, map, name, value)?;
        let mut map = evaluate::evaluate(rendered, &built.deferrals, &stack_name, self.world);
        map.set(key("component_info"), info);
        if let Some(mocks) = mocks {
            map.set(key("mocks"), mocks);
        }
        let empty = |e: &Entry| e.value.as_map().is_some_and(|m| m.is_empty());
        if said_of_workspace.is_some() && !self.config.include_empty && map.iter().any(empty) {
            map = map.iter().filter(|e| !empty(e)).map(|e| (Text::clone(&e.key), e.value.clone())).collect();
        }
        let shaping_origins = ShapingOrigins { own: built.sites.into(), shared: Arc::clone(&manifest.shaping_origins) };
        let known =
            component_metadata::Known { map: &map, kind: type_name, workspace: deployed, authored: built.authored };
        let metadata = component_metadata::of(known, self);
        let component = Component {
            stack: stack_name,
            kind: key(type_name),
            name: Text::clone(name),
            value: Value { data: Data::Map(Arc::new(map)), prov: value.prov.clone() },
            shaping_origins,
            declared: None,
            removal: RemovalEffect::Orphaned,
            language: self.world.language,
            locals,
            metadata,
        };
        Ok((Arc::new(component), checked))
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
    fn named(&self, manifest: &Manifest<'_>, map: &Map, name: &Key) -> Result<names::Named, crate::template::Error> {
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

    pub(super) fn engine<'e>(
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
            misses: None,
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
