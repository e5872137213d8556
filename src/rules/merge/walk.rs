//! The values of a resolution with the values below them, and findings grouped by the line that causes them.

use crate::diagnostic::{Diagnostic, Label};
use crate::files::Files;
use crate::resolution::{Component, Resolution, State, Unit};
use crate::rules::Context;
use crate::text::{ByAddress, FastMap, Text};
use crate::value::{Call, Data, FileId, Flags, Key, Map, Origin, Value, ValueKind};
use std::collections::{BTreeMap, BTreeSet, HashSet, btree_map};
use std::sync::Arc;

/// A value of a component.
pub(super) struct Seen<'a, 'p> {
    pub component: &'a Arc<Component>,
    pub path: &'p [Key],
    /// Whether it is an item of a list.
    pub is_item: bool,
    pub value: &'a Value,
}

impl<'a> Seen<'a, '_> {
    /// The path as people write it: `vars.subnets`.
    pub(super) fn dotted(&self) -> String {
        self.path.join(".")
    }

    /// Whether it is at one of some paths (JSON Pointers of plain keys), or below it.
    pub(super) fn is_below(&self, paths: &[&str]) -> bool {
        paths.iter().any(|path| {
            path.split('/').skip(1).enumerate().all(|(i, key)| self.path.get(i).is_some_and(|k| &**k == key))
        })
    }

    pub(super) fn section(&self) -> &str {
        self.path.first().map_or("", |k| k)
    }

    /// All that was written for it, the highest first, with the layer of the last merge where that is known. The value
    /// itself is the first, unless what all layers have for it is known.
    pub(super) fn history(&self) -> Vec<(Option<usize>, &'a Value)> {
        let mut all = Vec::new();
        let layers = self.value.prov.layers();
        if layers.is_empty() {
            chain(self.value, None, &mut all);
        }
        for contribution in layers.iter().rev() {
            chain(&contribution.value, Some(contribution.layer), &mut all);
        }
        all
    }
}

fn chain<'a>(value: &'a Value, layer: Option<usize>, into: &mut Vec<(Option<usize>, &'a Value)>) {
    let mut next = Some(value);
    while let Some(value) = next {
        into.push((layer, value));
        next = value.prov.overrode();
    }
}

/// Calls `f` for every value of every component that is `wanted`, which is asked of every value and has to be cheap.
/// Sub-trees that components share and that hold nothing wanted are examined once.
pub(super) fn each<'a>(resolution: &'a Resolution, wanted: impl Fn(&Value) -> bool, f: impl FnMut(&Seen<'a, '_>)) {
    each_where(components(&resolution.units), |_| true, wanted, f);
}

/// The components whose values are merged from layers.
pub(super) fn components(units: &[Arc<Unit>]) -> impl Iterator<Item = &Arc<Component>> {
    units.iter().flat_map(|unit| &unit.components).filter(|component| component.language.has_layers)
}

/// The components with sections that are only passed on.
pub(super) fn with_plain_sections(units: &[Arc<Unit>]) -> impl Iterator<Item = &Arc<Component>> {
    let all = units.iter().flat_map(|unit| &unit.components);
    all.filter(|component| !component.language.vocabulary.plain_sections.is_empty())
}

/// The same in some components, within maps that `may_hold` something wanted.
pub(super) fn each_where<'a>(
    components: impl Iterator<Item = &'a Arc<Component>>,
    may_hold: impl Fn(&Map) -> bool,
    wanted: impl Fn(&Value) -> bool,
    mut f: impl FnMut(&Seen<'a, '_>),
) {
    let mut walk = ValueWalk { may_hold, wanted, holds: FastMap::default() };
    for component in components {
        // This alone rules out most components.
        let Some(map) = component.value.as_map().filter(|map| (walk.may_hold)(map)) else { continue };
        let mut path = Vec::new();
        let is_repeated = |key: &Key| component.language.vocabulary.repeated.contains(&&**key);
        for entry in map.iter() {
            // Most sections hold nothing wanted, which costs less to find out than whether they repeat others.
            let may_hold = match &entry.value.data {
                Data::Map(map) => (walk.may_hold)(map) || (walk.wanted)(&entry.value),
                Data::List(_) => true,
                _ => (walk.wanted)(&entry.value),
            };
            if !may_hold || is_repeated(&entry.key) {
                continue;
            }
            path.push(Text::clone(&entry.key));
            walk.value(component, &mut path, &entry.value, false, &mut |c, path, is_item, value| {
                // The walk lends its path for the time of the call only.
                f(&Seen { component: c, path, is_item, value });
            });
            path.pop();
        }
    }
}

struct ValueWalk<'a, M, W> {
    may_hold: M,
    wanted: W,
    /// Cached results for maps that are used more than once.
    holds: FastMap<ByAddress<&'a Arc<Map>>, bool>,
}

type Visit<'v, 'a> = dyn FnMut(&'a Arc<Component>, &[Key], bool, &'a Value) + 'v;

impl<'a, M: Fn(&Map) -> bool, W: Fn(&Value) -> bool> ValueWalk<'a, M, W> {
    fn value(
        &mut self,
        component: &'a Arc<Component>,
        path: &mut Vec<Key>,
        value: &'a Value,
        is_item: bool,
        f: &mut Visit<'_, 'a>,
    ) {
        if (self.wanted)(value) {
            f(component, path, is_item, value);
        }
        match &value.data {
            Data::Map(map) if self.holds(map) => {
                for entry in map.iter() {
                    let may_hold = match &entry.value.data {
                        Data::Map(map) => (self.may_hold)(map),
                        Data::List(_) => true,
                        _ => false,
                    };
                    if !may_hold && !(self.wanted)(&entry.value) {
                        continue;
                    }
                    path.push(Text::clone(&entry.key));
                    self.value(component, path, &entry.value, false, f);
                    path.pop();
                }
            }
            Data::List(items) if items.iter().any(|item| self.inside(item)) => {
                for (i, item) in items.iter().enumerate() {
                    path.push(i.to_string().into());
                    self.value(component, path, item, true, f);
                    path.pop();
                }
            }
            _ => {}
        }
    }

    fn holds(&mut self, map: &'a Arc<Map>) -> bool {
        if !(self.may_hold)(map) {
            return false;
        }
        if Arc::strong_count(map) == 1 {
            return map.iter().any(|e| self.inside(&e.value));
        }
        if let Some(known) = self.holds.get(&ByAddress(map)) {
            return *known;
        }
        let holds = map.iter().any(|e| self.inside(&e.value));
        self.holds.insert(ByAddress(map), holds);
        holds
    }

    fn inside(&mut self, value: &'a Value) -> bool {
        (self.wanted)(value)
            || match &value.data {
                Data::Map(map) => self.holds(map),
                Data::List(items) => items.iter().any(|item| self.inside(item)),
                _ => false,
            }
    }
}

/// Whether a value replaced another one, or may have.
pub(super) fn has_history(value: &Value) -> bool {
    value.prov.overrode().is_some() || !value.prov.layers().is_empty()
}

/// Calls `f` for every contested value of every component of some units: see [`Value::has_override`].
pub(super) fn each_overridden<'a>(units: &'a [Arc<Unit>], f: impl FnMut(&Seen<'a, '_>)) {
    each_where(components(units), |map| map.flags().has(Flags::OVERRIDDEN), Value::has_override, f);
}

/// The text that a value was written as.
pub(super) fn source(files: &Files, origin: Origin) -> String {
    let file = files.get(origin.file);
    file.text.get(origin.start as usize..origin.end as usize).unwrap_or_default().to_owned()
}

/// The kind that a value was written to be; `None` for calls, templates and what is unknown.
pub(super) fn written_kind(context: &Context<'_>, component: &Component, value: &Value) -> Option<ValueKind> {
    let origin = value.prov.origin?;
    match &value.data {
        Data::Str(text) if text.contains("{{") || (component.language.read)(text).is_some() => return None,
        // A date: it was not meant to be a map.
        Data::Time(_) => return None,
        _ => {}
    }
    let source = source(context.files, origin);
    let is_date =
        matches!(&value.data, Data::Map(m) if m.is_empty()) && source.starts_with(|c: char| c.is_ascii_digit());
    let is_templated = match &value.data {
        Data::Map(_) | Data::List(_) => source.trim_start_matches(['"', '\'', ' ']).starts_with("{{"),
        _ => source.contains("{{"),
    };
    if is_date || is_templated { None } else { ValueKind::of(value) }
}

/// The kind of the result of a call in a component, if it is known.
pub(super) fn call_kind(context: &Context<'_>, component: &Component, call: &Call) -> Option<ValueKind> {
    if call.kind.is_some() {
        return call.kind;
    }
    if let Some(path) = &call.json_of {
        let value = component.value.at_path(path.iter().map(|k| &**k))?;
        // A computed value shows nothing.
        return if component.language.call(value).is_some() { None } else { ValueKind::of(value) };
    }
    let output = call.output.as_ref()?;
    let name = output.expression.strip_prefix('.').unwrap_or(&output.expression);
    (context.output_kind)(component, output, name)
}

/// Whether a place is inside of another one.
pub(super) fn is_inside(inner: Origin, outer: Origin) -> bool {
    inner.file == outer.file && outer.start <= inner.start && inner.end <= outer.end
}

/// Whether a value holds nothing: an empty text, list or map.
pub(super) fn is_empty(value: &Value) -> bool {
    match &value.data {
        Data::Str(text) => text.is_empty(),
        Data::List(items) => items.is_empty(),
        Data::Map(map) => map.is_empty(),
        _ => false,
    }
}

/// Files that contribute to something that is not completely known.
pub(super) fn open_files(resolution: &Resolution) -> HashSet<FileId> {
    let open = resolution.units.iter().filter(|u| u.state != State::Resolved || u.is_incomplete());
    open.flat_map(|u| u.files.iter().copied()).collect()
}

/// Findings by the place that they are about, so that every cause is reported once.
#[derive(Default)]
pub(super) struct Gathered {
    found: BTreeMap<Origin, Cause>,
}

/// The maximum number of further places of a finding.
const MAX_BELOW: usize = 4;

#[derive(Clone)]
struct Cause {
    finding: Diagnostic,
    /// The second places, with their labels.
    below: Vec<(Origin, Option<Label>)>,
    stacks: BTreeSet<Text>,
    won: BTreeSet<Text>,
}

impl Cause {
    /// Adds a second place with its label, unless it is known or there are too many.
    fn add_below(&mut self, below: Origin, label: impl FnOnce() -> Option<Label>) {
        if self.below.len() >= MAX_BELOW || self.below.iter().any(|(known, _)| *known == below) {
            return;
        }
        let label = label();
        self.finding.related.extend(label.clone().filter(|label| !self.finding.related.contains(label)));
        self.below.push((below, label));
    }
}

impl Gathered {
    /// Adds a finding about two places (or one, twice) in a component. `wins` says whether its subject is the
    /// component's final value. A second finding at the first place adds its second place.
    pub(super) fn add(
        &mut self,
        (here, below): (Origin, Origin),
        component: &Component,
        wins: bool,
        finding: impl FnOnce() -> Diagnostic,
    ) {
        let cause = match self.found.entry(here) {
            btree_map::Entry::Vacant(entry) => {
                let finding = finding();
                let below = vec![(below, finding.related.first().cloned())];
                entry.insert(Cause { finding, below, stacks: BTreeSet::new(), won: BTreeSet::new() })
            }
            btree_map::Entry::Occupied(entry) => {
                let cause = entry.into_mut();
                cause.add_below(below, || finding().related.into_iter().next());
                cause
            }
        };
        cause.stacks.insert(Text::clone(&component.stack));
        if wins {
            cause.won.insert(Text::clone(&component.stack));
        }
    }

    /// The findings of several parts of a state together, as if they had been added in their order.
    pub(super) fn together<'g>(parts: impl IntoIterator<Item = &'g Gathered>) -> Gathered {
        let mut all = Gathered::default();
        for (place, other) in parts.into_iter().flat_map(|part| &part.found) {
            match all.found.entry(*place) {
                btree_map::Entry::Vacant(entry) => {
                    entry.insert(other.clone());
                }
                btree_map::Entry::Occupied(entry) => {
                    let cause = entry.into_mut();
                    for (below, label) in &other.below {
                        cause.add_below(*below, || label.clone());
                    }
                    cause.stacks.extend(other.stacks.iter().cloned());
                    cause.won.extend(other.won.iter().cloned());
                }
            }
        }
        all
    }

    /// All findings, sorted by place, each with the stacks that it reaches.
    pub(super) fn finish(self) -> Vec<Diagnostic> {
        let finish = |Cause { mut finding, stacks, won, .. }: Cause| {
            let lost = stacks.len() - won.len();
            if lost > 0 {
                finding = finding.note(match (won.len(), lost) {
                    (0, _) => "a later value replaces it again in every stack".to_owned(),
                    (_, 1) => "a later value replaces it again in 1 stack".to_owned(),
                    (_, lost) => format!("a later value replaces it again in {lost} stacks"),
                });
            }
            finding.stacks = stacks.into_iter().collect();
            finding
        };
        self.found.into_values().map(finish).collect()
    }
}

/// A label at the place of a value; at the key for what spans several lines.
pub(super) fn at(files: &Files, origin: Origin, words: impl Into<String>) -> Label {
    let file = files.get(origin.file);
    let first = file.line_span(file.line(origin.key)).end;
    Label::new(origin.file, origin.key, origin.end.min(first.max(origin.key)), words)
}
