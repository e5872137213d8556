//! State backends of Terraform components (`reference: atmos.md` section 4.6).

use super::layers::{Layer, Section, Word};
use crate::dialects::atmos::config::Config;
use crate::dialects::atmos::merge::{Merger, merge};
use crate::text::Text;
use crate::value::{Data, Key, Map, Prov, Value, key};
use std::sync::Arc;

/// The layers of a component with backend settings.
pub(super) struct Layers<'a> {
    pub global: &'a Layer,
    pub base: &'a Layer,
    pub own: &'a Layer,
}

/// Other inputs of the backend.
pub(super) struct Parts<'a> {
    pub config: &'a Config,
    pub merger: Merger<'a>,
    pub component: &'a Key,
    /// Its `component` key.
    pub name: &'a Value,
    /// Its final metadata.
    pub metadata: &'a Map,
}

/// The backend type does not match the settings.
#[derive(Clone, Debug)]
pub(crate) struct Mismatch {
    pub message: String,
    /// Where the type was written.
    pub site: Prov,
    pub help: String,
}

/// The backend of a component.
pub(super) struct Backend {
    /// `backend_type`.
    pub kind: Value,
    /// `backend`.
    pub settings: Value,
    /// `remote_state_backend_type`.
    pub remote_kind: Value,
    /// `remote_state_backend`.
    pub remote: Value,
}

/// The backends of a component.
///
/// # Errors
/// A type for which nothing is configured.
pub(super) fn of(layers: &Layers<'_>, parts: &Parts<'_>) -> Result<Backend, Mismatch> {
    let all = [layers.own, layers.base, layers.global];
    let word = |w: Word| all.iter().find_map(|l| l.word(w)).cloned();
    let kind = word(Word::BackendType).unwrap_or_else(|| Value::str(""));
    let kind_name = kind.as_str().unwrap_or_default();
    let section = merge(parts.merger, [layers.global, layers.base, layers.own].map(|l| l.map(Section::Backend)));
    let (settings, prov) = match section.get(kind_name) {
        Some(Value { data: Data::Map(map), prov }) => (Arc::clone(map), prov.clone()),
        Some(other) => {
            let message =
                format!("`backend.{kind_name}` of `{}` must be a map, not {}", parts.component, other.a_kind());
            return Err(Mismatch { message, site: other.prov.clone(), help: String::new() });
        }
        None if kind_name.is_empty() || section.is_empty() => (Map::none(), Prov::default()),
        None => return Err(mismatch("backend", &kind, &section, parts)),
    };
    let backend = match kind_name {
        "s3" => with_name(&settings, "workspace_key_prefix", parts),
        "gcs" => with_name(&settings, "prefix", parts),
        "azurerm" => azure_key(settings, layers, parts),
        _ => settings,
    };

    let remote_kind = word(Word::RemoteStateBackendType).unwrap_or_else(|| kind.clone());
    let remote_name = remote_kind.as_str().unwrap_or_default();
    let remote = [layers.global, layers.base, layers.own].map(|l| l.map(Section::RemoteStateBackend));
    let is_configured = remote.iter().all(|map| map.is_empty()) || remote.iter().any(|map| map.has(remote_name));
    if !remote_name.is_empty() && !is_configured {
        let all = remote.iter().flat_map(|m| m.iter());
        let configured: Map = all.map(|e| (Text::clone(&e.key), e.value.clone())).collect();
        return Err(mismatch("remote_state_backend", &remote_kind, &configured, parts));
    }
    let mut inputs = [(remote_name == kind_name).then_some(&backend), None, None, None];
    for (layer, input) in remote.into_iter().zip(&mut inputs[1..]) {
        match layer.get(remote_name) {
            None => {}
            Some(Value { data: Data::Map(map), .. }) => *input = Some(map),
            Some(other) => {
                let message = format!(
                    "`remote_state_backend.{remote_name}` of `{}` must be a map, not {}",
                    parts.component,
                    other.a_kind()
                );
                return Err(Mismatch { message, site: other.prov.clone(), help: String::new() });
            }
        }
    }
    let remote = merge(parts.merger, inputs.into_iter().flatten());
    Ok(Backend {
        kind,
        settings: Value { data: Data::Map(backend), prov },
        remote_kind,
        remote: Value { data: Data::Map(remote), prov: Prov::default() },
    })
}

fn mismatch(section: &str, kind: &Value, configured: &Map, parts: &Parts<'_>) -> Mismatch {
    let name = kind.as_str().unwrap_or_default();
    let keys: Vec<String> = configured.keys().map(|k| format!("`{k}`")).collect();
    Mismatch {
        message: format!(
            "`{section}_type` of `{}` is `{name}`, but `{section}` configures only {}",
            parts.component,
            keys.join(", ")
        ),
        site: kind.prov.clone(),
        help: format!("add `{name}` under `{section}:`, or change `{section}_type`"),
    }
}

/// The name that state addresses are made of, with what it was taken from.
fn state_name(parts: &Parts<'_>) -> Value {
    let named = parts.metadata.get("name").filter(|v| v.as_str().is_some_and(|s| !s.is_empty()));
    let Value { data, prov } = named.unwrap_or(parts.name);
    let text = if let Data::Str(text) = data { text } else { parts.component };
    let is_kept = parts.config.separator == "/" || !text.contains('/');
    let name = if is_kept { Text::clone(text) } else { text.replace('/', &parts.config.separator).into() };
    Value { data: Data::Str(name), prov: prov.clone() }
}

/// The settings with the name in one of them that nobody sets.
fn with_name(settings: &Arc<Map>, setting: &'static str, parts: &Parts<'_>) -> Arc<Map> {
    if settings.get(setting).and_then(Value::as_str).is_some_and(|text| !text.is_empty()) {
        return Arc::clone(settings);
    }
    let mut named = Map::clone(settings);
    named.set(key(setting), state_name(parts));
    named.fit();
    Arc::new(named)
}

fn azure_key(mut backend: Arc<Map>, layers: &Layers<'_>, parts: &Parts<'_>) -> Arc<Map> {
    let key_of = |layer: &Layer| {
        layer.map(Section::Backend).get("azurerm").and_then(|a| a.get("key")).filter(|k| k.as_str().is_some()).cloned()
    };
    if key_of(layers.own).is_some() {
        return backend;
    }
    let global = key_of(layers.global);
    let has_global = layers.global.map(Section::Backend).get("azurerm").and_then(Value::as_map).is_some();
    if let Some(existing) = backend.get("key").and_then(Value::as_str).filter(|k| !k.is_empty()) {
        let inherited_only = has_global && global.as_ref().and_then(Value::as_str) == Some(existing);
        if !inherited_only {
            return backend;
        }
    }
    let name = state_name(parts);
    let file = format!("{}.terraform.tfstate", name.as_str().unwrap_or_default());
    let value = match global {
        Some(global) => {
            let text = format!("{}/{file}", global.as_str().unwrap_or_default());
            Value { data: Data::Str(text.into()), prov: global.prov.with_inputs([name.prov]) }
        }
        None => Value { data: Data::Str(file.into()), prov: name.prov },
    };
    Arc::make_mut(&mut backend).set(key("key"), value);
    backend
}
