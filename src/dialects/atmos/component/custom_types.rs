//! Component types that Atmos does not build itself but prints (`reference: atmos.md` section 4.3, last item).

use crate::dialects::atmos::merge::{Merger, merge};
use crate::text::Text;
use crate::value::{Data, Key, Map, Prov, Value};
use std::sync::Arc;

/// The types among them that `describe stacks` prints.
pub(crate) const KINDS: [&str; 2] = ["container", "emulator"];

/// How long a chain of bases may be.
const MAX_CHAIN: usize = 100;

/// Builds the sections of a component of such a type.
pub(crate) fn build(
    kind: &str,
    name: &Key,
    value: &Value,
    all: &Map,
    manifest: &Map,
    merger: Merger<'_>,
) -> Result<Map, (String, Prov)> {
    let Some(own) = value.as_map() else {
        return Err((format!("component `{name}` must be a map, not {}", value.a_kind()), value.prov.clone()));
    };
    let merged = inherit(own, all, merger, &mut Vec::new())?;
    let mut out = (*merged).clone();
    for key in ["vars", "settings", "env"] {
        let global = manifest.get(key).and_then(Value::as_map);
        let own = merged.get(key).and_then(Value::as_map);
        // Only the top level of the two is united.
        let entries = global.into_iter().chain(own).flat_map(|m| m.iter());
        let united: Map = entries.map(|e| (Text::clone(&e.key), e.value.clone())).collect();
        if key == "vars" || !united.is_empty() {
            out.set(key, Value::map(united));
        }
    }
    let global = manifest.get("metadata").and_then(Value::as_map).cloned().unwrap_or_default();
    let own = merged.get("metadata").and_then(Value::as_map).cloned().unwrap_or_default();
    let metadata = merge(merger, [&global, &own]);
    if !metadata.is_empty() {
        out.set("metadata", Value { data: Data::Map(metadata), prov: Prov::default() });
    }
    out.set("component", Value { data: Data::Str(Text::clone(name)), prov: value.prov.clone() });
    out.set("component_type", Value::str(kind));
    Ok(out)
}

fn inherit(own: &Arc<Map>, all: &Map, merger: Merger<'_>, visited: &mut Vec<Key>) -> Result<Arc<Map>, (String, Prov)> {
    let Some(inherits) = own.get("metadata").and_then(Value::as_map).and_then(|m| m.get("inherits")) else {
        return Ok(Arc::clone(own));
    };
    let Some(list) = inherits.as_list() else {
        return Err((format!("`metadata.inherits` must be a list, not {}", inherits.a_kind()), inherits.prov.clone()));
    };
    let mut merged: Arc<Map> = Arc::default();
    for base in list.iter() {
        let Some(name) = base.as_str() else {
            return Err((
                format!("`metadata.inherits` must name components, not {}", base.a_kind()),
                base.prov.clone(),
            ));
        };
        if visited.iter().any(|v| **v == *name) || visited.len() >= MAX_CHAIN {
            continue;
        }
        let Some(map) = all.get(name).and_then(Value::as_map) else { continue };
        visited.push(name.into());
        let resolved = inherit(map, all, merger, visited)?;
        visited.pop();
        merged = merge(merger, [&merged, &inherited_sections(&resolved)]);
    }
    if list.is_empty() {
        return Ok(Arc::clone(own));
    }
    Ok(merge(merger, [&merged, own]))
}

/// A base without what makes it this component.
fn inherited_sections(base: &Arc<Map>) -> Arc<Map> {
    let Some((metadata, map)) = base.get("metadata").and_then(|m| Some((m, m.as_map()?))) else {
        return Arc::clone(base);
    };
    let mut kept = (**map).clone();
    for key in ["type", "inherits", "component"] {
        kept.remove(key);
    }
    let mut out = (**base).clone();
    if kept.is_empty() {
        out.remove("metadata");
    } else {
        out.set("metadata", Value { data: Data::Map(Arc::new(kept)), prov: metadata.prov.clone() });
    }
    Arc::new(out)
}
