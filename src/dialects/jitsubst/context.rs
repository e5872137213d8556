//! The context that a template is evaluated in, as data (`reference: jitsubst.md` sections 3 and 6.6):
//!
//! ```json
//! {
//!   "env": {"NAME": "text"},
//!   "outputs": {"MODULE": {"FIELD": "value"}},
//!   "replaced_ids": {"MODULE": "id"},
//!   "state": [{"name": "MODULE", "provider_id": "id", "outputs": {"FIELD": "value"}}],
//!   "config": {"modules": [], "secrets": {}},
//!   "environment": "prod"
//! }
//! ```
//!
//! All of it is optional. `env: null` is not an environment at all. The outputs in a state come below `outputs`, and the
//! provider's id is the `id` of its resource. A `config` is an `infra.yaml`: when a plan is made, its secrets that are
//! outputs are known from the state, and its other secrets are not looked up, even where the environment has them.

use super::config::{Config, SecretKind};
use super::overlay::{self, Placement};
use super::substitute::{Mode, Sources};
use crate::diagnostic::Diagnostics;
use crate::template::value_text;
use crate::text::Text;
use crate::value::{Data, FileId, Map, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The sources that a context names. Numbers become floating point numbers, as they are when they come from JSON.
///
/// # Errors
/// A part that has another shape.
pub(super) fn read(context: &Value, mode: Mode) -> Result<Sources, String> {
    if context.as_map().is_none() && !context.is_null() {
        return Err(format!("the context must be a map, not a {}", context.kind()));
    }
    let context = floats(context);
    let mut sources = Sources { env: texts(&context, "env")?, ..Sources::default() };
    sources.replaced = texts(&context, "replaced_ids")?.unwrap_or_default();
    add_state(&mut sources, &context)?;
    for entry in part(&context, "outputs")?.iter().flat_map(|m| m.iter()) {
        let fields = entry.value.as_map().ok_or_else(|| format!("the outputs of `{}` must be a map", entry.key))?;
        let known = sources.outputs.entry(entry.key.to_string()).or_default();
        let mut all = (**known).clone();
        for field in fields.iter() {
            all.set(Text::clone(&field.key), field.value.clone());
        }
        *known = Arc::new(all);
    }
    if let Some(config) = part(&context, "config")?.filter(|_| mode == Mode::Lenient) {
        plan_secrets(&mut sources, &config, context.get("environment").and_then(Value::as_str))?;
    }
    Ok(sources)
}

fn part(context: &Value, key: &str) -> Result<Option<Arc<Map>>, String> {
    match context.get(key).filter(|v| !v.is_null()) {
        None => Ok(None),
        Some(value) => value.as_map().cloned().map(Some).ok_or_else(|| format!("`{key}` of the context must be a map")),
    }
}

fn texts(context: &Value, key: &str) -> Result<Option<BTreeMap<String, String>>, String> {
    let text = |map: Arc<Map>| map.iter().map(|e| (e.key.to_string(), value_text(&e.value))).collect();
    Ok(part(context, key)?.map(text))
}

/// The outputs of a state, each with the provider's id as `id`.
fn add_state(sources: &mut Sources, context: &Value) -> Result<(), String> {
    let Some(state) = context.get("state").filter(|v| !v.is_null()) else { return Ok(()) };
    for resource in state.as_list().ok_or("`state` of the context must be a list")?.iter() {
        let name = resource.get("name").and_then(Value::as_str).ok_or("a resource of the state needs a `name`")?;
        let mut outputs = resource.get("outputs").and_then(Value::as_map).map(|m| (**m).clone()).unwrap_or_default();
        let id = resource.get("provider_id").and_then(Value::as_str).filter(|id| !id.is_empty());
        if let Some(id) = id {
            outputs.set("id", Value::str(id));
        }
        sources.outputs.insert(name.to_owned(), Arc::new(outputs));
    }
    Ok(())
}

/// Adds what the plan knows about declared secrets: those that are outputs, if the state has them as strings.
fn plan_secrets(sources: &mut Sources, root: &Map, environment: Option<&str>) -> Result<(), String> {
    let diagnostics = Diagnostics::default();
    let mut config = Config::read(root, FileId::new(0), &Arc::from([]), &diagnostics);
    if let Some(problem) = diagnostics.into_findings().first() {
        return Err(format!("the `config` of the context: {}", problem.message));
    }
    config.add_secrets_of_modules();
    let mut known: BTreeMap<String, Option<String>> = BTreeMap::new();
    for secret in config.secrets.iter() {
        let value = match &secret.kind {
            SecretKind::Opaque => None,
            SecretKind::Output(source) => match output(sources, &config, source.as_ref(), environment) {
                Some(text) => Some(text),
                // It may still be in the environment.
                None => continue,
            },
        };
        known.insert(secret.name.to_string(), value);
    }
    let env = sources.env.get_or_insert_with(BTreeMap::new);
    for (name, value) in known {
        match value {
            Some(text) => drop(env.insert(name, text)),
            None => drop(env.remove(&name)),
        }
    }
    Ok(())
}

/// The text of an output `module.field`; the module is called as it is in the environment.
fn output(sources: &Sources, config: &Config, source: Option<&Value>, environment: Option<&str>) -> Option<String> {
    let (module, field) = source?.as_str()?.split_once('.')?;
    let declared = config.modules.iter().find(|m| *m.name == *module);
    let name = match declared.map(|m| overlay::place(config, m, environment)) {
        Some(Placement::Skipped(_)) => return None,
        Some(Placement::Present(resource)) => resource.name,
        None => Text::from(module),
    };
    sources.outputs.get(&*name)?.get(field)?.as_str().map(str::to_owned)
}

/// The value with its integers as floating point numbers.
fn floats(value: &Value) -> Value {
    let data = match &value.data {
        Data::Int(i) => Data::Float(*i as f64),
        Data::Uint(u) => Data::Float(*u as f64),
        Data::List(items) => Data::List(Arc::new(items.iter().map(floats).collect())),
        Data::Map(map) => Data::Map(Arc::new(map.iter().map(|e| (Text::clone(&e.key), floats(&e.value))).collect())),
        other => other.clone(),
    };
    Value { data, prov: value.prov.clone() }
}
