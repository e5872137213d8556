//! File-scoped locals (`reference: atmos.md` section 9): resolved from the raw text of one file, in dependency order,
//! before anything of the file is rendered.

use super::functions;
use super::render::{Engine, inputs};
use crate::template::{Builtins, Options, parse};
use crate::value::{Data, Flags, Key, Map, Prov, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What keeps the locals of a file from being resolved.
#[derive(Clone, Debug)]
pub(crate) struct LocalsError {
    /// The id of the rule.
    pub rule: &'static str,
    /// What is wrong.
    pub message: String,
    /// Where.
    pub site: Prov,
    /// Other places, with words.
    pub related: Vec<(Prov, String)>,
}

/// The locals of a file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Locals {
    /// All scopes in one map, as templates of the file see it.
    pub flat: Map,
    /// Whether the file has a locals section at all, be it empty.
    pub present: bool,
}

/// Resolves the locals of a decoded file.
///
/// # Errors
/// A locals section that is no map, a cycle, a template that fails.
pub(crate) fn resolve(file: &Map, engine: &Engine<'_>) -> Result<Locals, Box<LocalsError>> {
    let global_context = context(file, None);
    let global = scope(file, &Map::new(), &global_context, engine)?;
    let mut flat = global.clone().unwrap_or_default();
    let mut present = file.has("locals");
    for kind in ["terraform", "helmfile", "packer"] {
        let Some(section) = file.get(kind).and_then(Value::as_map) else { continue };
        if !section.has("locals") {
            continue;
        }
        present = true;
        let context = context(file, Some(section));
        let own = scope(section, global.as_ref().unwrap_or(&Map::new()), &context, engine)?.unwrap_or_default();
        for entry in own.iter() {
            flat.set(Arc::clone(&entry.key), entry.value.clone());
        }
    }
    Ok(Locals { flat, present })
}

/// What locals see besides each other: `settings`, `vars` and `env` of the file, overlaid by those of the section.
fn context(file: &Map, section: Option<&Arc<Map>>) -> Map {
    let mut out = Map::new();
    for key in ["settings", "vars", "env"] {
        let below = file.get(key).filter(|v| v.as_map().is_some());
        let above = section.and_then(|s| s.get(key)).filter(|v| v.as_map().is_some());
        let value = match (below, above) {
            (Some(a), Some(b)) => overlay(a, b),
            (Some(v), None) | (None, Some(v)) => v.clone(),
            (None, None) => continue,
        };
        out.set(key, value);
    }
    out
}

fn overlay(below: &Value, above: &Value) -> Value {
    let (Some(a), Some(b)) = (below.as_map(), above.as_map()) else { return above.clone() };
    let mut out = (**a).clone();
    for entry in b.iter() {
        out.set(Arc::clone(&entry.key), entry.value.clone());
    }
    Value::map(out)
}

/// One scope: its own locals on top of those of its parent. `None` without a locals section.
fn scope(section: &Map, parent: &Map, context: &Map, engine: &Engine<'_>) -> Result<Option<Map>, Box<LocalsError>> {
    let Some(locals) = section.get("locals") else { return Ok(None) };
    let Some(own) = locals.as_map() else {
        let message = format!("locals must be a map, not a {}", locals.kind());
        let site = locals.prov.clone();
        return Err(Box::new(LocalsError { rule: "non-mapping-section", message, site, related: Vec::new() }));
    };
    let mut resolved = parent.clone();
    for name in order(own)? {
        let Some(raw) = own.get(&name) else { continue };
        let mut data = context.clone();
        data.set("locals", Value::map(resolved.clone()));
        let value = value(raw, &name, &Value::map(data), engine)?;
        resolved.set(name, value);
    }
    Ok(Some(resolved))
}

/// The order of resolution: what others need first, otherwise by name.
fn order(locals: &Map) -> Result<Vec<Key>, Box<LocalsError>> {
    let needs: BTreeMap<Key, BTreeSet<Key>> = locals
        .iter()
        .map(|e| {
            let mut names = BTreeSet::new();
            dependencies(&e.value, &mut names);
            let known = names.into_iter().filter_map(|n| locals.entry(&n).map(|e| Arc::clone(&e.key)));
            (Arc::clone(&e.key), known.collect())
        })
        .collect();
    let mut waiting: BTreeMap<&Key, usize> = needs.iter().map(|(k, v)| (k, v.len())).collect();
    let mut users: BTreeMap<&Key, Vec<&Key>> = BTreeMap::new();
    for (name, needed) in &needs {
        for need in needed {
            users.entry(need).or_default().push(name);
        }
    }
    let mut ready: BTreeSet<&Key> = waiting.iter().filter(|(_, n)| **n == 0).map(|(k, _)| *k).collect();
    let mut order = Vec::with_capacity(needs.len());
    while let Some(name) = ready.pop_first() {
        order.push(Arc::clone(name));
        for user in users.get(name).into_iter().flatten() {
            if let Some(left) = waiting.get_mut(*user) {
                *left -= 1;
                if *left == 0 {
                    ready.insert(*user);
                }
            }
        }
    }
    if order.len() == needs.len() { Ok(order) } else { Err(Box::new(cycle(locals, &needs))) }
}

fn cycle(locals: &Map, needs: &BTreeMap<Key, BTreeSet<Key>>) -> LocalsError {
    let path = first_cycle(needs);
    let site = |name: &Key| locals.get(name).map_or_else(Prov::default, |v| v.prov.clone());
    let words: Vec<&str> = path.iter().map(|k| &**k).collect();
    let related = path.windows(2).map(|w| (site(&w[0]), format!("`{}` needs `{}`", w[0], w[1]))).collect();
    LocalsError {
        rule: "local-cycle",
        message: format!("these locals need each other: {}", words.join(" → ")),
        site: path.first().map(site).unwrap_or_default(),
        related,
    }
}

/// The first cycle that a walk in name order closes: its members, the first one again at the end.
fn first_cycle(needs: &BTreeMap<Key, BTreeSet<Key>>) -> Vec<Key> {
    let mut done: BTreeSet<&Key> = BTreeSet::new();
    for start in needs.keys() {
        let mut path: Vec<(&Key, std::collections::btree_set::Iter<'_, Key>)> = Vec::new();
        if done.insert(start) {
            path.push((start, needs[start].iter()));
        }
        while let Some((_, next)) = path.last_mut() {
            match next.next() {
                Some(name) => {
                    if let Some(at) = path.iter().position(|(k, _)| *k == name) {
                        let members = path[at..].iter().map(|(k, _)| Arc::clone(k));
                        return members.chain([Arc::clone(name)]).collect();
                    }
                    if done.insert(name) {
                        path.push((name, needs[name].iter()));
                    }
                }
                None => {
                    path.pop();
                }
            }
        }
    }
    Vec::new()
}

/// The locals that a value refers to, as Atmos finds them: it does not know the functions of templates here, so a text
/// that calls any but Go's own has no dependencies.
fn dependencies(value: &Value, found: &mut BTreeSet<Key>) {
    if !value.flags().has(Flags::TEMPLATE) {
        return;
    }
    match &value.data {
        Data::Str(s) if s.contains("{{") => {
            let options = Options { left: "{{", right: "}}", functions: &Builtins };
            let Ok(template) = parse(s, &options) else { return };
            for reference in template.references() {
                if let [first, second, ..] = reference.path.as_slice()
                    && first == "locals"
                {
                    found.insert(second.as_str().into());
                }
            }
        }
        Data::List(items) => items.iter().for_each(|v| dependencies(v, found)),
        Data::Map(map) => map.iter().for_each(|e| dependencies(&e.value, found)),
        _ => {}
    }
}

fn value(raw: &Value, name: &str, data: &Value, engine: &Engine<'_>) -> Result<Value, Box<LocalsError>> {
    let flags = raw.flags();
    if !flags.has(Flags::TEMPLATE) && !flags.has(Flags::CALL) {
        return Ok(raw.clone());
    }
    let resolved = match &raw.data {
        Data::Str(s) => return text(s, raw, name, data, engine),
        Data::List(items) => {
            let items: Result<Vec<Value>, _> = items.iter().map(|v| value(v, name, data, engine)).collect();
            Data::List(Arc::new(items?))
        }
        Data::Map(map) => {
            let mut out = Map::new();
            for entry in map.iter() {
                out.set(Arc::clone(&entry.key), value(&entry.value, name, data, engine)?);
            }
            Data::Map(Arc::new(out))
        }
        other => other.clone(),
    };
    Ok(Value { data: resolved, prov: raw.prov.clone() })
}

fn text(s: &Arc<str>, raw: &Value, name: &str, data: &Value, engine: &Engine<'_>) -> Result<Value, Box<LocalsError>> {
    if s.starts_with('!') {
        // Atmos runs functions in locals at once, whatever else is switched off.
        return Ok(functions::evaluate(s, &raw.prov));
    }
    if !s.contains("{{") {
        return Ok(raw.clone());
    }
    if let Some(found) = plain_reference(s, data, engine) {
        return Ok(Value { data: found.data, prov: raw.prov.with_inputs([found.prov]) });
    }
    let rendered = engine.text(s, data).map_err(|e| {
        let message = format!("local `{name}` cannot be resolved: {}", e.message);
        Box::new(LocalsError { rule: "template-error", message, site: raw.prov.clone(), related: Vec::new() })
    })?;
    let prov = raw.prov.with_inputs(inputs(s, data, engine));
    if let Some((_, first)) = rendered.unknowns.first() {
        let assumed = engine.assuming().and_then(|e| e.text(s, &data.assume()).ok());
        let assumed = assumed.filter(|r| r.unknowns.is_empty()).map(|r| Box::new(Value::str(r.text)));
        let unknown = crate::value::Unknown { text: Arc::clone(s), assumed, reasons: first.reasons.clone() };
        return Ok(Value { data: Data::Unknown(Arc::new(unknown)), prov });
    }
    Ok(Value { data: Data::Str(rendered.text.into()), prov })
}

/// The value behind a text that is nothing but one plain `.a.b`, if there is one.
pub(crate) fn plain_reference(text: &str, data: &Value, engine: &Engine<'_>) -> Option<Value> {
    let parsed = engine.parse(text);
    let path = parsed.as_ref().as_ref().ok()?.sole_field()?;
    let found = path.into_iter().try_fold(data, |v, key| {
        // Atmos does not look into maps that were written with keys other than text.
        v.as_map().filter(|m| !m.is_mixed())?.get(key)
    });
    found.cloned()
}

/// A value in which every text that is one plain reference is replaced by the typed value it refers to.
pub(crate) fn replace_references(value: &Value, data: &Value, engine: &Engine<'_>) -> Value {
    if !value.flags().has(Flags::TEMPLATE) {
        return value.clone();
    }
    let replaced = match &value.data {
        Data::Str(s) if s.contains("{{") => {
            return match plain_reference(s, data, engine) {
                Some(found) => Value { data: found.data, prov: value.prov.with_inputs([found.prov]) },
                None => value.clone(),
            };
        }
        Data::List(items) => Data::List(Arc::new(items.iter().map(|v| replace_references(v, data, engine)).collect())),
        Data::Map(map) if map.is_mixed() => return value.clone(),
        Data::Map(map) => {
            let entries = map.iter().map(|e| (Arc::clone(&e.key), replace_references(&e.value, data, engine)));
            Data::Map(Arc::new(entries.collect()))
        }
        other => other.clone(),
    };
    Value { data: replaced, prov: value.prov.clone() }
}
