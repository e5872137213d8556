//! One component from its layers (`reference: atmos.md` sections 4.1 and 4.4 to 4.6).

use super::backend;
use super::bases::{BaseError, Bases, Inheritance, InheritanceCache, ValidMergedBases, own_merger};
use super::layers::{ComponentType, Layer, Section, WrongShape};
use super::merged_sections::{DeferringMerge, Layers, MergedSections, add_keys_of_type};
use crate::dialects::atmos::config::Config;
use crate::dialects::atmos::merge::deferred::{Deferral, LostPath};
use crate::dialects::atmos::merge::{Merger, merge};
use crate::limits::Limits;
use crate::text::Text;
use crate::value::{Data, Key, Map, Origin, Prov, Value, key};
use std::sync::Arc;

/// Shared data of all components of one type in one stack: the global and the type layer.
#[derive(Debug, Default)]
pub(crate) struct Shared {
    /// Global and type sections, merged.
    pub layer: Layer,
    /// Global `metadata`.
    pub metadata: Arc<Map>,
    /// Global `secrets`, for the types that take them.
    pub secrets: Arc<Map>,
    /// The cached results of merging bases that are valid in the stack.
    pub valid_sums: ValidMergedBases,
}

/// A component before its stack is known.
#[derive(Clone, Debug)]
pub(crate) struct Built {
    /// Its sections.
    pub map: Map,
    /// Lines that shaped it besides the origins of its values.
    pub sites: Vec<Origin>,
    /// The variables as written for it, and for its bases.
    pub authored: [Arc<Map>; 2],
    /// The places whose values wait for functions.
    pub deferrals: Vec<Deferral>,
}

/// Why a component cannot be built.
#[derive(Debug)]
pub(crate) enum BuildError {
    Base(BaseError),
    /// A section of the wrong shape.
    Shape(WrongShape),
    /// A function below a map that is replaced.
    Lost(LostPath),
    Backend(backend::Mismatch),
    /// A secret whose scope contradicts its place.
    Secret(WrongShape),
}

impl From<BaseError> for BuildError {
    fn from(e: BaseError) -> Self {
        BuildError::Base(e)
    }
}
impl From<WrongShape> for BuildError {
    fn from(e: WrongShape) -> Self {
        BuildError::Shape(e)
    }
}
impl From<LostPath> for BuildError {
    fn from(e: LostPath) -> Self {
        BuildError::Lost(e)
    }
}

/// Where components are built.
pub(crate) struct Builder<'a> {
    pub config: &'a Config,
    /// Merges maps by its list strategy.
    pub merger: Merger<'a>,
    pub kind: ComponentType,
    /// The components of the type in the merged manifest.
    pub all: &'a Map,
    /// The shared data.
    pub shared: &'a Shared,
    /// Whether a folder of that name is there below the folder of the type.
    pub is_folder: &'a dyn Fn(&str) -> bool,
    /// The cached results of merging bases, for all stacks.
    pub cache: &'a InheritanceCache,
    pub limits: Limits,
}

impl Builder<'_> {
    pub(crate) fn build(&self, name: &Key, component: &Map) -> Result<Built, BuildError> {
        let own = self.own_layer(name, component)?;
        let (overrides, authored_overrides) = self.overrides_layer(name, component)?;
        let bases = self.bases(name, component, &own, &overrides)?;
        let layers = Layers { global: &self.shared.layer, base: &bases.layer, own: &own, overrides: &overrides };
        let (sections, deferrals) = self.merge_sections(name, &layers, &bases)?;
        let merger = sections.merger;
        let mut map = sections.into_map(self.kind, self.config, self.merger, &layers, &bases.chain, authored_overrides);
        add_keys_of_type(self.kind, merger, &layers, &mut map);
        // Each thread has its own empty map: threads that copy the same `Arc` slow each other down.
        let authored = [&own, layers.base].map(|layer| match layer.map(Section::Vars) {
            vars if vars.is_empty() => Map::none(),
            vars => Arc::clone(vars),
        });
        Ok(Built { map, sites: bases.sites, authored, deferrals })
    }

    /// Returns the layer of the component itself.
    fn own_layer(&self, name: &Key, component: &Map) -> Result<Layer, BuildError> {
        let what = format_args!("components.{}.{name}", self.kind.name());
        let own = Layer::of(component, self.kind, self.config, what, false)?;
        let spacelift = own.map(Section::Settings).get("spacelift");
        if let Some(value) = spacelift.filter(|v| self.kind == ComponentType::Terraform && v.as_map().is_none()) {
            let message = format!("`{what}.settings.spacelift` must be a map, not {}", value.a_kind());
            return Err(shape(message, value).into());
        }
        Ok(own)
    }

    /// The overrides of the component, and their section as it is printed.
    fn overrides_layer(&self, name: &Key, component: &Map) -> Result<(Layer, Value), BuildError> {
        let what = format_args!("components.{}.{name}.overrides", self.kind.name());
        let (map, prov) = match component.get("overrides") {
            None => (Map::none(), Prov::default()),
            Some(Value { data: Data::Map(map), prov }) => (Arc::clone(map), prov.clone()),
            Some(other) => {
                return Err(shape(format!("`{what}` must be a map, not {}", other.a_kind()), other).into());
            }
        };
        let layer = Layer::of(&map, self.kind, self.config, what, false)?;
        Ok((layer, Value { data: Data::Map(map), prov }))
    }

    /// Merges the sections that can be rejected or contain functions, and returns the places that wait for functions.
    fn merge_sections(
        &self,
        name: &Key,
        layers: &Layers<'_>,
        bases: &Bases,
    ) -> Result<(MergedSections<'_>, Vec<Deferral>), BuildError> {
        let (kind, own, base) = (self.kind, layers.own, layers.base);
        let merger = own_merger(self.merger, layers.of(Section::Settings))?;
        let mut merging = DeferringMerge { merger, deferrals: Vec::new() };
        let vars = merging.section("vars", Section::Vars, layers)?;
        let env = merging.section("env", Section::Env, layers)?;
        let metadata = self.metadata(merger, base, own);
        let is_abstract = own.map(Section::Metadata).get("type").and_then(Value::as_str) == Some("abstract");
        let settings = merging.section("settings", Section::Settings, layers)?;
        let settings = self.settings(merger, settings, is_abstract)?;
        let mut auth = merging.section("auth", Section::Auth, layers)?;
        let (mut providers, mut required_providers, mut test) = (Map::none(), Map::none(), Map::none());
        if kind == ComponentType::Terraform {
            auth = merging.merge("auth", &[&self.config.auth, &auth])?;
            providers = merging.section("providers", Section::Providers, layers)?;
            required_providers = merging.section("required_providers", Section::RequiredProviders, layers)?;
            test = merging.merge("test", &[&Map::none(), base.map(Section::Test), own.map(Section::Test)])?;
        }
        let hooks = if kind.has_hooks() { Some(merging.section("hooks", Section::Hooks, layers)?) } else { None };
        let generate =
            if kind.has_generate() { Some(merging.section("generate", Section::Generate, layers)?) } else { None };
        let secrets = self.secrets(merger, base, own, layers.overrides)?;
        let component = self.component_name(name, own, bases);
        let backend = self.backend(name, &component, &metadata, layers)?;
        let sections = MergedSections {
            merger,
            vars,
            env,
            metadata,
            settings,
            auth,
            providers,
            required_providers,
            test,
            hooks,
            generate,
            secrets,
            component,
            backend,
        };
        Ok((sections, merging.deferrals))
    }

    /// The backend of a component of Terraform.
    fn backend(
        &self,
        name: &Key,
        component_name: &Value,
        metadata: &Arc<Map>,
        layers: &Layers<'_>,
    ) -> Result<Option<backend::Backend>, BuildError> {
        if self.kind != ComponentType::Terraform {
            return Ok(None);
        }
        let (config, merger) = (self.config, self.merger);
        let parts = backend::Parts { config, merger, component: name, name: component_name, metadata };
        let layers = backend::Layers { global: layers.global, base: layers.base, own: layers.own };
        backend::of(&layers, &parts).map(Some).map_err(BuildError::Backend)
    }

    fn bases(&self, name: &Key, component: &Map, own: &Layer, overrides: &Layer) -> Result<Bases, BuildError> {
        let merger = own_merger(self.merger, [own.map(Section::Settings), overrides.map(Section::Settings)])?;
        let inheritance = self.inheritance(merger);
        let mut bases = Bases::default();
        if let Some(legacy) = component.get("component") {
            if legacy.as_str().is_none() {
                let message =
                    format!("`components.{}.{name}.component` must be text, not {}", self.kind.name(), legacy.a_kind());
                return Err(shape(message, legacy).into());
            }
            inheritance.add(&mut bases, name, legacy, true)?;
        }
        let legacy = bases.deepest.take();
        if let Some(inherits) = own.map(Section::Metadata).get("inherits") {
            let Some(list) = inherits.as_list() else {
                let message = format!("`metadata.inherits` of `{name}` must be a list, not {}", inherits.a_kind());
                return Err(shape(message, inherits).into());
            };
            for base in list.iter() {
                if base.as_str().is_none() {
                    let message =
                        format!("`metadata.inherits` of `{name}` must name components, not {}", base.a_kind());
                    return Err(shape(message, base).into());
                }
                inheritance.add(&mut bases, name, base, false)?;
            }
            bases.sites.extend(inherits.prov.origin);
        }
        bases.deepest = legacy;
        Ok(bases)
    }

    fn inheritance<'b>(&'b self, merger: Merger<'b>) -> Inheritance<'b> {
        Inheritance {
            config: self.config,
            kind: self.kind,
            all: self.all,
            merger,
            outer: self.merger,
            is_folder: self.is_folder,
            cache: self.cache,
            valid: &self.shared.valid_sums,
            limits: self.limits,
        }
    }

    /// The `component` key: `metadata.component`, else the deepest legacy base, else the name.
    fn component_name(&self, name: &Key, own: &Layer, bases: &Bases) -> Value {
        if let Some(value) =
            own.map(Section::Metadata).get("component").filter(|v| v.as_str().is_some_and(|s| !s.is_empty()))
        {
            return value.clone();
        }
        let found = bases.deepest.as_ref().filter(|n| !n.is_empty()).unwrap_or(name);
        let prov = match &bases.deepest {
            Some(_) => bases.sites.first().map_or_else(Prov::default, |o| Prov::at(*o)),
            None => Prov::default(),
        };
        Value { data: Data::Str(Text::clone(found)), prov }
    }

    fn metadata(&self, merger: Merger<'_>, base: &Layer, own: &Layer) -> Arc<Map> {
        let own = own.map(Section::Metadata);
        let inherited = base.map(Section::Metadata);
        let inherits = self.config.inherit_metadata && !inherited.is_empty();
        match (self.shared.metadata.is_empty(), inherits) {
            (true, false) => Arc::clone(own),
            (_, true) => merge(merger, [&self.shared.metadata, inherited, own]),
            (false, false) => merge(merger, [&self.shared.metadata, own]),
        }
    }

    fn settings(&self, merger: Merger<'_>, settings: Arc<Map>, is_abstract: bool) -> Result<Arc<Map>, BuildError> {
        let mut out = Arc::clone(&settings);
        if !self.config.github.is_empty() {
            let integrations = settings.get("integrations").and_then(Value::as_map).cloned().unwrap_or_default();
            let github = integrations.get("github").and_then(Value::as_map).cloned().unwrap_or_default();
            let mut integrations = (*integrations).clone();
            let merged = merge(merger, [&self.config.github, &github]);
            integrations.set("github", Value { data: Data::Map(merged), prov: Prov::default() });
            Arc::make_mut(&mut out).set(key("integrations"), Value::map(integrations));
        }
        if is_abstract
            && self.kind == ComponentType::Terraform
            && let Some(spacelift) = out.get("spacelift").cloned()
        {
            let Some(map) = spacelift.as_map() else {
                return Err(shape(
                    format!("`settings.spacelift` must be a map, not {}", spacelift.a_kind()),
                    &spacelift,
                )
                .into());
            };
            let mut map = (**map).clone();
            map.remove("workspace_enabled");
            let value = Value { data: Data::Map(Arc::new(map)), prov: spacelift.prov.clone() };
            Arc::make_mut(&mut out).set(key("spacelift"), value);
        }
        Ok(out)
    }

    /// Marks each declared secret with the scope that its place implies.
    fn secrets(
        &self,
        merger: Merger<'_>,
        base: &Layer,
        own: &Layer,
        overrides: &Layer,
    ) -> Result<Arc<Map>, BuildError> {
        let layers = [
            (&self.shared.secrets, "stack"),
            (base.map(Section::Secrets), "instance"),
            (own.map(Section::Secrets), "instance"),
            (overrides.map(Section::Secrets), "instance"),
        ];
        if layers.iter().all(|(m, _)| m.is_empty()) {
            return Ok(Map::none());
        }
        let scoped: Result<Vec<Arc<Map>>, BuildError> = layers.into_iter().map(|(m, scope)| scoped(m, scope)).collect();
        Ok(merge(merger, &scoped?))
    }
}

fn shape(message: String, value: &Value) -> WrongShape {
    WrongShape { message, site: value.prov.clone() }
}

fn scoped(secrets: &Arc<Map>, scope: &str) -> Result<Arc<Map>, BuildError> {
    let Some((vars, declared)) = secrets.get("vars").and_then(|v| Some((v, v.as_map()?))) else {
        return Ok(Arc::clone(secrets));
    };
    let mut marked = Map::new();
    for entry in declared.iter() {
        let Some(spec) = entry.value.as_map() else {
            marked.set(Text::clone(&entry.key), entry.value.clone());
            continue;
        };
        let said = spec.get("scope").and_then(Value::as_str).unwrap_or_default();
        if !["", scope, "global"].contains(&said) {
            let message = format!("secret `{}` declares scope `{said}`, but its place implies `{scope}`", entry.key);
            return Err(BuildError::Secret(WrongShape { message, site: entry.value.prov.clone() }));
        }
        let mut spec = (**spec).clone();
        if said != "global" {
            spec.set("scope", Value::str(scope));
        }
        marked.set(Text::clone(&entry.key), Value { data: Data::Map(Arc::new(spec)), prov: entry.value.prov.clone() });
    }
    let mut out = (**secrets).clone();
    out.set(key("vars"), Value { data: Data::Map(Arc::new(marked)), prov: vars.prov.clone() });
    Ok(Arc::new(out))
}
