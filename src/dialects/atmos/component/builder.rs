//! One component from its layers (`reference: atmos.md` sections 4.1 and 4.4 to 4.6).

use super::backend;
use super::bases::{BaseError, Bases, Inheritance, InheritanceCache, own_strategy};
use super::layers::{ComponentType, LOOSE, Layer, Loose, Section, Word, WrongShape};
use crate::dialects::atmos::config::Config;
use crate::dialects::atmos::merge::deferred::{Deferral, LostPath, merge_deferred};
use crate::dialects::atmos::merge::{ListStrategy, merge, merge_values, settle};
use crate::limits::Limits;
use crate::text::Text;
use crate::value::{Data, Key, Map, Origin, Prov, Value, key};
use std::cell::RefCell;
use std::sync::Arc;

/// How many entries a component has at most, nearly.
const ROOM: usize = 36;

/// What all components of one type in one stack share: the global and the type layer.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shared {
    /// Global and type sections, merged.
    pub layer: Layer,
    /// Global `metadata`.
    pub metadata: Arc<Map>,
    /// Global `secrets`, for the types that take them.
    pub secrets: Arc<Map>,
}

/// A component before it gets its stack.
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
    /// Its bases.
    Base(BaseError),
    /// A section of the wrong shape.
    Shape(WrongShape),
    /// A function below a map that is replaced.
    Lost(LostPath),
    /// Its backend.
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
    /// The configuration.
    pub config: &'a Config,
    /// Its list strategy.
    pub strategy: ListStrategy,
    /// The component type.
    pub kind: ComponentType,
    /// The components of the type in the merged manifest.
    pub all: &'a Map,
    /// What they share.
    pub shared: &'a Shared,
    /// Whether a folder of that name is there below the folder of the type.
    pub is_folder: &'a dyn Fn(&str) -> bool,
    /// InheritanceCache of bases, for all stacks.
    pub sums: &'a InheritanceCache,
    /// How much is taken on.
    pub limits: Limits,
}

impl Builder<'_> {
    /// Builds the component of this name.
    pub(crate) fn build(&self, name: &Key, component: &Map) -> Result<Built, BuildError> {
        let kind = self.kind;
        let what = format_args!("components.{}.{name}", kind.name());
        let own = Layer::of(component, kind, self.config, what, false)?;
        let spacelift = own.map(Section::Settings).get("spacelift");
        if let Some(value) = spacelift.filter(|v| kind == ComponentType::Terraform && v.as_map().is_none()) {
            return Err(
                shape(format!("`{what}.settings.spacelift` must be a map, not {}", value.a_kind()), value).into()
            );
        }
        let overrides_value = component.get("overrides");
        let overrides_map = match overrides_value.map(|v| (&v.data, v)) {
            None => Map::none(),
            Some((Data::Map(map), _)) => Arc::clone(map),
            Some((_, v)) => {
                return Err(shape(format!("`{what}.overrides` must be a map, not {}", v.a_kind()), v).into());
            }
        };
        let overrides = Layer::of(&overrides_map, kind, self.config, format_args!("{what}.overrides"), false)?;
        let bases = self.bases(name, component, &own, &overrides)?;
        let base = &bases.layer;
        let global = &self.shared.layer;
        let settings = [Section::Settings].map(|s| [global.map(s), base.map(s), own.map(s), overrides.map(s)]);
        let strategy = own_strategy(self.strategy, settings[0])?;

        let deferrals = RefCell::new(Vec::new());
        let deferred = |name: &'static str, layers: &[&Arc<Map>]| -> Result<Arc<Map>, LostPath> {
            let mut found = Vec::new();
            let merged = merge_deferred(strategy, layers, &mut found);
            found.iter_mut().for_each(|d| d.path.insert(0, key(name)));
            deferrals.borrow_mut().append(&mut found);
            merged
        };
        let four = |s: Section, name: &'static str| {
            deferred(name, &[global.map(s), base.map(s), own.map(s), overrides.map(s)])
        };
        let vars = four(Section::Vars, "vars")?;
        let env = four(Section::Env, "env")?;
        let metadata = self.metadata(strategy, base, &own);
        let is_abstract = own.map(Section::Metadata).get("type").and_then(Value::as_str) == Some("abstract");
        let settings = self.settings(strategy, four(Section::Settings, "settings")?, is_abstract)?;
        let mut auth = four(Section::Auth, "auth")?;
        let is_terraform = kind == ComponentType::Terraform;
        let (mut providers, mut required_providers, mut test) = (Map::none(), Map::none(), Map::none());
        if is_terraform {
            auth = deferred("auth", &[&self.config.auth, &auth])?;
            providers = four(Section::Providers, "providers")?;
            required_providers = four(Section::RequiredProviders, "required_providers")?;
            test = deferred("test", &[&Map::none(), base.map(Section::Test), own.map(Section::Test)])?;
        }
        let hooks = if kind.has_hooks() { Some(four(Section::Hooks, "hooks")?) } else { None };
        let generate = if kind.has_generate() { Some(four(Section::Generate, "generate")?) } else { None };
        let secrets = self.secrets(strategy, base, &own, &overrides)?;
        let component_name = self.component_name(name, &own, &bases);
        let backend = match is_terraform {
            true => {
                let layers = backend::Layers { global, base, own: &own };
                let parts = backend::Parts {
                    config: self.config,
                    strategy: self.strategy,
                    component: name,
                    name: &component_name,
                    metadata: &metadata,
                };
                Some(backend::of(&layers, &parts).map_err(BuildError::Backend)?)
            }
            false => None,
        };
        let command = [&overrides, &own, base, global].into_iter().find_map(|l| l.word(Word::Command));
        let command = command.or_else(|| self.config.command(kind.name())).cloned();
        let three = |section| merge(strategy, [global, base, &own].map(|l| l.map(section)));
        let two = |section| merge(strategy, [base, &own].map(|l| l.map(section)));

        // In the order of the keys, so that each is put at the end.
        let mut out = Map::with_capacity(ROOM);
        put(&mut out, "auth", auth);
        if let Some(backend) = &backend {
            out.set(key("backend"), backend.settings.clone());
            out.set(key("backend_type"), backend.kind.clone());
        }
        out.set(key("command"), command.unwrap_or_else(|| Value::str(key(kind.name()))));
        out.set(key("component"), component_name);
        put_filled(&mut out, "dependencies", three(Section::Dependencies));
        put(&mut out, "env", env);
        if let Some(generate) = generate {
            put(&mut out, "generate", generate);
        }
        if let Some(hooks) = hooks {
            put(&mut out, "hooks", hooks);
        }
        out.set(key("inheritance"), Value::new(Data::List(Arc::clone(&bases.chain))));
        put_filled(&mut out, "locals", two(Section::Locals));
        put(&mut out, "metadata", metadata);
        if is_terraform {
            put_filled(&mut out, "mocks", two(Section::Mocks));
        }
        let overrides_prov = overrides_value.map_or_else(Prov::default, |v| v.prov.clone());
        out.set(key("overrides"), Value { data: Data::Map(overrides_map), prov: overrides_prov });
        if is_terraform {
            put(&mut out, "providers", providers);
        }
        if kind.has_source() {
            put(&mut out, "provision", three(Section::Provision));
        }
        if let Some(backend) = backend {
            out.set(key("remote_state_backend"), backend.remote);
            out.set(key("remote_state_backend_type"), backend.remote_kind);
        }
        if is_terraform {
            put(&mut out, "required_providers", required_providers);
            let version = [&overrides, &own, base].into_iter().find_map(|l| l.word(Word::RequiredVersion));
            out.set(key("required_version"), version.cloned().unwrap_or_else(|| Value::str("")));
        }
        put_filled(&mut out, "retry", merge(self.strategy, [base, &own, &overrides].map(|l| l.map(Section::Retry))));
        put_filled(&mut out, "secrets", secrets);
        put(&mut out, "settings", settings);
        if kind.has_source() {
            put(&mut out, "source", three(Section::Source));
        }
        put_filled(&mut out, "test", test);
        put(&mut out, "vars", vars);
        self.extras(strategy, base, &own, &mut out);
        let authored = [Arc::clone(own.map(Section::Vars)), Arc::clone(base.map(Section::Vars))];
        Ok(Built { map: out, sites: bases.sites, authored, deferrals: deferrals.into_inner() })
    }

    fn bases(&self, name: &Key, component: &Map, own: &Layer, overrides: &Layer) -> Result<Bases, BuildError> {
        let strategy = own_strategy(self.strategy, [own.map(Section::Settings), overrides.map(Section::Settings)])?;
        let inheritance = self.inheritance(strategy);
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

    fn inheritance(&self, strategy: ListStrategy) -> Inheritance<'_> {
        Inheritance {
            config: self.config,
            kind: self.kind,
            all: self.all,
            strategy,
            outer: self.strategy,
            is_folder: self.is_folder,
            sums: self.sums,
            limits: self.limits,
        }
    }

    /// The `component` key: what `metadata.component` says, else the deepest legacy base, else the name.
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

    fn metadata(&self, strategy: ListStrategy, base: &Layer, own: &Layer) -> Arc<Map> {
        let own = own.map(Section::Metadata);
        let inherited = base.map(Section::Metadata);
        let inherits = self.config.inherit_metadata && !inherited.is_empty();
        match (self.shared.metadata.is_empty(), inherits) {
            (true, false) => Arc::clone(own),
            (_, true) => merge(strategy, [&self.shared.metadata, inherited, own]),
            (false, false) => merge(strategy, [&self.shared.metadata, own]),
        }
    }

    fn settings(&self, strategy: ListStrategy, settings: Arc<Map>, is_abstract: bool) -> Result<Arc<Map>, BuildError> {
        let mut out = Arc::clone(&settings);
        if !self.config.github.is_empty() {
            let integrations = settings.get("integrations").and_then(Value::as_map).cloned().unwrap_or_default();
            let github = integrations.get("github").and_then(Value::as_map).cloned().unwrap_or_default();
            let mut integrations = (*integrations).clone();
            let merged = merge(strategy, [&self.config.github, &github]);
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

    /// Each declared secret is marked with the scope that its place gives it.
    fn secrets(
        &self,
        strategy: ListStrategy,
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
            return Ok(Arc::default());
        }
        let scoped: Result<Vec<Arc<Map>>, BuildError> = layers.into_iter().map(|(m, scope)| scoped(m, scope)).collect();
        Ok(merge(strategy, &scoped?))
    }

    /// The keys that only some types have.
    fn extras(&self, strategy: ListStrategy, base: &Layer, own: &Layer, out: &mut Map) {
        let global = &self.shared.layer;
        match self.kind {
            ComponentType::Kubernetes => {
                let provider = [own, base, global].into_iter().find_map(|l| l.word(Word::Provider));
                if let Some(provider) = provider {
                    out.set(key("provider"), provider.clone());
                }
                put_filled(out, "render", merge(strategy, [global, base, own].map(|l| l.map(Section::Render))));
                for (loose, name) in LOOSE.into_iter().filter(|(l, _)| *l != Loose::Plugins) {
                    put_loose(out, name, strategy, &[global.loose(loose), base.loose(loose), own.loose(loose)]);
                }
            }
            ComponentType::Helm => {
                let helm = merge(strategy, [base, own].map(|l| l.map(Section::Helm)));
                for entry in helm.iter() {
                    out.set(Text::clone(&entry.key), entry.value.clone());
                }
            }
            _ => {}
        }
        if self.kind.has_plugins() {
            put_loose(out, "plugins", strategy, &[base.loose(Loose::Plugins), own.loose(Loose::Plugins)]);
        }
    }
}

fn shape(message: String, value: &Value) -> WrongShape {
    WrongShape { message, site: value.prov.clone() }
}

fn put(out: &mut Map, name: &'static str, map: Arc<Map>) {
    out.set(key(name), Value { data: Data::Map(map), prov: Prov::default() });
}

fn put_filled(out: &mut Map, name: &'static str, map: Arc<Map>) {
    if !map.is_empty() {
        put(out, name, map);
    }
}

fn put_loose(out: &mut Map, name: &'static str, strategy: ListStrategy, layers: &[Option<&Value>]) {
    let merged = layers.iter().flatten().fold(None, |below: Option<Value>, value| match below {
        None => Some(settle(value, strategy)),
        Some(below) => Some(merge_values(strategy, &below, value)),
    });
    if let Some(value) = merged.filter(|v| !v.is_null()) {
        out.set(key(name), value);
    }
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
