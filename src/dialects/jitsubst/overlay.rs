//! A module in an environment (`reference: jitsubst.md` section 6.3): excluded, or its configuration with that of the
//! environment merged over it, under the name that it has there.

use super::config::{Config, Module, text};
use crate::text::Text;
use crate::value::{Data, FileId, Key, Map, Origin, Prov, Value};
use std::sync::Arc;

/// A resource of an environment, before its variables are expanded.
#[derive(Clone, Debug)]
pub(crate) struct Resource {
    /// Its name there.
    pub name: Text,
    /// Where that name is written.
    pub prov: Prov,
    /// The name of its module.
    pub module: Text,
    pub kind: Text,
    /// Its configuration; null if it has none.
    pub config: Value,
    /// The file that declares it.
    pub file: FileId,
    /// Lines that shaped it without being the origin of one of its values.
    pub shaping_origins: Vec<Origin>,
}

/// A module in an environment.
#[derive(Clone, Debug)]
pub(crate) enum Placement {
    /// It is a resource there.
    Present(Resource),
    /// It is excluded by a null.
    Skipped(Prov),
}

/// The module in an environment, or without any.
pub(crate) fn place(config: &Config, module: &Module, environment: Option<&str>) -> Placement {
    let own = module.config().cloned().unwrap_or_default();
    let mut resource = Resource {
        name: Text::clone(&module.name),
        prov: module.prov.clone(),
        module: Text::clone(&module.name),
        kind: Text::clone(&module.kind),
        config: own,
        file: module.file,
        shaping_origins: module.imports.to_vec(),
    };
    resource.shaping_origins.extend(module.value.get("type").and_then(|v| v.prov.origin));
    if let Some(name) = environment {
        let mut provider = false;
        match module.environment(name) {
            Some(own) if own.is_null() => return Placement::Skipped(own.prov.clone()),
            Some(own) => provider = overlay(&mut resource, own),
            None => {}
        }
        if let Some(defaults) = config.environments.get(name).filter(|_| module.is_resource()) {
            add_defaults(&mut resource, defaults, provider);
        }
    }
    if module.is_resource() && module.value.get("protected").and_then(Value::as_bool) == Some(true) {
        let prov = module.value.get("protected").map(|v| v.prov.clone()).unwrap_or_default();
        set(&mut resource.config, "protected", Value { data: Data::Bool(true), prov });
    }
    Placement::Present(resource)
}

/// A module that is no resource, as it is in an environment; `None` if it is excluded.
pub(crate) fn setting(config: &Config, module: &Module, environment: Option<&str>) -> Option<Value> {
    let mut value = module.value.clone();
    if let Some(name) = environment {
        let Placement::Present(placed) = place(config, module, Some(name)) else { return None };
        remove(&mut value, "environments");
        if !placed.config.is_null() {
            set(&mut value, "config", placed.config);
        }
    }
    Some(value)
}

/// Merges the configuration of a module for an environment over its own. Returns whether that names a provider.
fn overlay(resource: &mut Resource, own: &Value) -> bool {
    let provider = own.get("provider").and_then(|v| Some((text(v)?, v.prov.clone()))).filter(|(t, _)| !t.is_empty());
    if let Some((text, prov)) = &provider {
        let below = resource.config.get("provider").cloned();
        let prov = below.map_or_else(|| prov.clone(), |b| prov.overriding(&b));
        set(&mut resource.config, "provider", Value { data: Data::Str(Text::clone(text)), prov });
    }
    if let Some(upper) = own.get("config").filter(|c| c.as_map().is_some_and(|m| !m.is_empty())) {
        resource.config = match resource.config.is_null() {
            true => upper.clone(),
            false => merge(&resource.config, upper),
        };
    }
    let renamed = resource.config.get("name").filter(|n| n.as_str().is_some_and(|n| !n.is_empty())).cloned();
    if let Some(name) = renamed.filter(|_| resource.kind.starts_with("infra.")) {
        resource.name = name.as_str().map(Text::from).unwrap_or_default();
        let below = Value { data: Data::Str(Text::clone(&resource.module)), prov: resource.prov.clone() };
        resource.prov = name.prov.overriding(&below);
        remove(&mut resource.config, "name");
    }
    provider.is_some()
}

/// Adds the defaults of the environment for keys that the module does not set.
fn add_defaults(resource: &mut Resource, defaults: &Value, provider: bool) {
    let default = |key: &str| {
        let value = defaults.get(key)?;
        let text = text(value).filter(|t| !t.is_empty())?;
        Some(Value { data: Data::Str(text), prov: value.prov.clone() })
    };
    let mut keys = vec!["region"];
    keys.extend((!provider).then_some("provider"));
    for key in keys {
        if let Some(value) = default(key).filter(|_| resource.config.get(key).is_none()) {
            set(&mut resource.config, key, value);
        }
    }
    let variables = defaults.get("envVars").and_then(Value::as_map).filter(|m| !m.is_empty());
    if let Some(variables) = variables.filter(|_| &*resource.kind == "infra.container_service") {
        let known = resource.config.get("env_vars").filter(|v| v.as_map().is_some()).cloned();
        let mut merged = known.unwrap_or_else(|| Value::map(Map::new()));
        for entry in variables.iter() {
            if merged.get(&entry.key).is_none() {
                let data = Data::Str(text(&entry.value).unwrap_or_default());
                set(&mut merged, &entry.key, Value { data, prov: entry.value.prov.clone() });
            }
        }
        set(&mut resource.config, "env_vars", merged);
    }
}

/// Maps are merged, anything else of the upper one wins.
fn merge(lower: &Value, upper: &Value) -> Value {
    let maps = (lower.as_map().filter(|m| !m.is_mixed()), upper.as_map().filter(|m| !m.is_mixed()));
    let (Some(a), Some(b)) = maps else {
        return Value { data: upper.data.clone(), prov: upper.prov.overriding(lower) };
    };
    let mut out = (**a).clone();
    for entry in b.iter() {
        let value = match a.get(&entry.key) {
            Some(below) => merge(below, &entry.value),
            None => entry.value.clone(),
        };
        out.set(Text::clone(&entry.key), value);
    }
    let prov = if lower.prov.origin.is_some() { lower.prov.clone() } else { upper.prov.clone() };
    Value { data: Data::Map(Arc::new(out)), prov }
}

/// Sets a key of a map; null is an empty one.
fn set(map: &mut Value, key: &str, value: Value) {
    let mut out = map.as_map().map(|m| (**m).clone()).unwrap_or_default();
    out.set(Key::from(key), value);
    map.data = Data::Map(Arc::new(out));
}

fn remove(map: &mut Value, key: &str) {
    let Some(known) = map.as_map() else { return };
    let mut out = (**known).clone();
    out.remove(key);
    map.data = Data::Map(Arc::new(out));
}
