//! Which locals need which (`reference: atmos.md` sections 9.2 and 14): as Atmos sees it, which decides the order, and
//! as it is, which explains failures.

use crate::dialects::atmos::templates::engine::{Engine, Templates};
use crate::dialects::atmos::templates::function_sets;
use crate::template::{Builtins, FunctionSet, MissingKey};
use crate::text::Text;
use crate::value::{Data, Flags, Key, Map, Value, has_template};
use std::collections::{BTreeMap, BTreeSet};

/// The template functions of locals.
const FUNCTIONS: FunctionSet = function_sets::LOCALS;

/// Names of one scope with the names of the same scope that they need.
pub(super) type Edges = BTreeMap<Key, BTreeSet<Key>>;

/// How locals are rendered.
pub(crate) fn engine(templates: &Templates) -> Engine<'_> {
    Engine {
        templates,
        slot: 1,
        delimiters: ("{{", "}}"),
        functions: &FUNCTIONS,
        missing: MissingKey::Error,
        env: &crate::dialects::atmos::functions::NO_ENV,
        assume: false,
        host: None,
        misses: None,
    }
}

/// Returns the dependencies as Atmos sees them: it searches for fields `.locals.x` anywhere, whatever the dot is there,
/// and supports only Go's own functions, so a text that calls another one has no dependencies.
pub(super) fn seen_edges(locals: &Map, engine: &Engine<'_>) -> Edges {
    let engine = Engine { functions: &Builtins, slot: 6, ..*engine };
    edges_by(locals, &mut |text, found| {
        let parsed = engine.parse(text);
        let Ok(template) = parsed.as_ref() else { return };
        for path in template.lexical_fields() {
            if let ["locals", name, ..] = path.as_slice() {
                found.insert(Key::from(*name));
            }
        }
    })
}

/// Returns the real dependencies, through changed dots, variables, `index` and named templates.
pub(super) fn true_edges(locals: &Map, engine: &Engine<'_>) -> Edges {
    edges_by(locals, &mut |text, found| {
        for path in reads(text, engine) {
            if let [first, name, ..] = path.as_slice()
                && first == "locals"
            {
                found.insert(Key::from(name.as_str()));
            }
        }
    })
}

/// The paths that a text reads from its data, in the order of the text.
pub(crate) fn reads(text: &str, engine: &Engine<'_>) -> Vec<Vec<String>> {
    let parsed = engine.parse(text);
    let Ok(template) = parsed.as_ref() else { return Vec::new() };
    template.references().into_iter().map(|r| r.path).collect()
}

fn edges_by(locals: &Map, of_text: &mut dyn FnMut(&str, &mut BTreeSet<Key>)) -> Edges {
    let mut edges = Edges::new();
    for entry in locals.iter() {
        let mut names = BTreeSet::new();
        each_text(&entry.value, &mut |text| of_text(text, &mut names));
        let known = names.into_iter().filter_map(|n| locals.entry(&n).map(|e| Text::clone(&e.key))).collect();
        edges.insert(Text::clone(&entry.key), known);
    }
    edges
}

/// Calls `f` for every text with template actions that Atmos renders in a local: not for keys, and not in maps that were
/// written with keys other than text.
pub(crate) fn each_text(value: &Value, f: &mut dyn FnMut(&Text)) {
    if !value.holds(Flags::TEMPLATE) {
        return;
    }
    match &value.data {
        Data::Str(text) if has_template(text) => f(text),
        Data::List(items) => items.iter().for_each(|v| each_text(v, f)),
        Data::Map(map) if !map.is_mixed() => map.iter().for_each(|e| each_text(&e.value, f)),
        _ => {}
    }
}

/// Returns the names in the order of resolution: dependencies first, otherwise by name. Names on cycles, and those that
/// depend on them, are omitted.
pub(crate) fn order(edges: &Edges) -> Vec<Key> {
    let mut waiting: BTreeMap<&Key, usize> = edges.iter().map(|(k, v)| (k, v.len())).collect();
    let mut users: BTreeMap<&Key, Vec<&Key>> = BTreeMap::new();
    for (name, needed) in edges {
        for need in needed {
            users.entry(need).or_default().push(name);
        }
    }
    let mut ready: BTreeSet<&Key> = waiting.iter().filter(|(_, n)| **n == 0).map(|(k, _)| *k).collect();
    let mut order = Vec::with_capacity(edges.len());
    while let Some(name) = ready.pop_first() {
        order.push(Text::clone(name));
        for user in users.get(name).into_iter().flatten() {
            if let Some(left) = waiting.get_mut(*user) {
                *left -= 1;
                if *left == 0 {
                    ready.insert(*user);
                }
            }
        }
    }
    order
}

/// Cycles, each as its members in the order in which they need each other. No two share a member, and every group of
/// names that need each other has one.
pub(crate) fn cycles(edges: &Edges) -> Vec<Vec<Key>> {
    let mut found: Vec<Vec<Key>> = Vec::new();
    let mut reported: BTreeSet<&Key> = BTreeSet::new();
    let mut done: BTreeSet<&Key> = BTreeSet::new();
    for start in edges.keys() {
        let mut path: Vec<(&Key, std::collections::btree_set::Iter<'_, Key>)> = Vec::new();
        let mut depth: BTreeMap<&Key, usize> = BTreeMap::new();
        let mut next = Some(start).filter(|s| !done.contains(s));
        loop {
            if let Some(name) = next.take() {
                done.insert(name);
                depth.insert(name, path.len());
                path.push((name, edges.get(name).map(BTreeSet::iter).unwrap_or_default()));
            }
            let Some((current, needs)) = path.last_mut() else { break };
            let current = *current;
            match needs.next() {
                None => {
                    depth.remove(current);
                    path.pop();
                }
                Some(name) => match depth.get(name) {
                    Some(at) => {
                        let members: Vec<&Key> = path[*at..].iter().map(|(k, _)| *k).collect();
                        if members.iter().all(|m| !reported.contains(m)) {
                            reported.extend(&members);
                            found.push(members.into_iter().cloned().collect());
                        }
                    }
                    None => next = Some(name).filter(|n| !done.contains(n)),
                },
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edges(list: &[(&str, &[&str])]) -> Edges {
        list.iter().map(|(k, v)| (Key::from(*k), v.iter().map(|n| Key::from(*n)).collect())).collect()
    }

    #[test]
    fn orders_by_need_then_by_name() {
        let order = order(&edges(&[("a", &["z"]), ("b", &[]), ("c", &["a", "b"]), ("z", &[])]));
        assert_eq!(order.iter().map(|k| &**k).collect::<Vec<_>>(), ["b", "z", "a", "c"]);
    }

    #[test]
    fn every_group_has_a_cycle() {
        let text = |list: &[(&str, &[&str])]| {
            let found = cycles(&edges(list));
            found.iter().map(|c| c.iter().map(|k| &**k).collect::<Vec<_>>().join(">")).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(text(&[("a", &["a"])]), "a");
        assert_eq!(text(&[("a", &["b"]), ("b", &["c"]), ("c", &["b"])]), "b>c");
        assert_eq!(text(&[("a", &["b"]), ("b", &["a"]), ("c", &["d"]), ("d", &["c", "a"])]), "a>b c>d");
        assert_eq!(text(&[("a", &["b", "c"]), ("b", &["d"]), ("c", &["d"]), ("d", &[])]), "");
    }
}
