//! Stretches of files that a question is about, and whether a value was written or computed there.

use crate::files::File;
use crate::resolution::Resolution;
use crate::text::ByAddress;
use crate::value::{Data, DataIdentity, FileId, Origin, Prov, Trail, Value};
use crate::yaml;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

/// A range of lines, from 1, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lines {
    /// The first line.
    pub first: u32,
    /// The last line.
    pub last: u32,
}

/// Returns the lines of a range with the maps and lists that their keys open: the line `vars:` includes all of its
/// variables.
pub(crate) fn opened_by(resolution: &Resolution, id: FileId, file: &File, lines: Lines) -> Lines {
    let Ok(at) = resolution.documents.binary_search_by_key(&id, |d| d.0) else { return lines };
    let document = &resolution.documents[at].1;
    let mut last = lines.last;
    for (_, node) in document.nodes() {
        let yaml::NodeKind::Mapping(pairs) = &node.kind else { continue };
        for (key, value) in pairs {
            let line = file.line(document.node(*key).span.start);
            let value = document.node(*value);
            let is_collection = matches!(value.kind, yaml::NodeKind::Mapping(_) | yaml::NodeKind::Sequence(_));
            if is_collection && (lines.first..=lines.last).contains(&line) {
                last = last.max(file.line(value.span.end.saturating_sub(1)));
            }
        }
    }
    Lines { last, ..lines }
}

/// Stretches of files: some lines of one, and all of others.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Spans {
    /// The file of the lines with their first byte and the one past the last.
    pub(super) lines: Option<(FileId, u32, u32)>,
    /// Files that count as a whole.
    pub(super) files: BTreeSet<FileId>,
}

impl Spans {
    /// The bytes of some lines of a file.
    pub(super) fn of_lines(id: FileId, file: &File, lines: Lines) -> Self {
        let (start, end) = (file.line_span(lines.first).start, file.line_span(lines.last).end);
        Spans { lines: Some((id, start, end + 1)), files: BTreeSet::new() }
    }

    /// A whole file.
    pub(super) fn of_file(id: FileId) -> Self {
        Spans { lines: None, files: BTreeSet::from([id]) }
    }

    /// Whether they contain a part of a byte range of a file.
    fn covers(&self, file: FileId, from: u32, to: u32) -> bool {
        self.files.contains(&file)
            || self.lines.is_some_and(|(own, start, end)| own == file && from < end && start < to.max(from + 1))
    }

    /// Whether they contain a part of the value at a place.
    pub(super) fn touch(&self, origin: Origin) -> bool {
        self.covers(origin.file, origin.key, origin.end)
    }

    /// Whether they contain the key of a place.
    fn touch_key(&self, origin: Origin) -> bool {
        self.covers(origin.file, origin.key, origin.key + 1)
    }
}

/// How spans overlap with a value and its nested values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Hits {
    /// It, or a part of it, was written there or computed from what is.
    pub(super) effective: bool,
    /// It, or a part of it, replaced something that was written there.
    pub(super) overridden: bool,
}

/// Finds values by where they come from. What is shared between values is examined once.
pub(super) struct Matcher<'v> {
    pub(super) spans: Spans,
    /// The place of the component being examined. Entries with this place are covered by the key of the component, not
    /// by nested values.
    component: Option<Origin>,
    collections: HashMap<DataIdentity<'v>, Hits>,
    misses: HashSet<ByAddress<&'v Arc<Trail>>>,
}

impl<'v> Matcher<'v> {
    /// A matcher for spans.
    pub(super) fn new(spans: Spans) -> Self {
        Matcher { spans, component: None, collections: HashMap::new(), misses: HashSet::new() }
    }

    /// Returns how the spans overlap with the configuration of a component.
    pub(super) fn component(&mut self, value: &'v Value) -> Hits {
        self.component = value.prov.origin;
        self.hits(value)
    }

    /// Returns how the spans overlap with a value and its nested values.
    pub(super) fn hits(&mut self, value: &'v Value) -> Hits {
        let inner = match &value.data {
            Data::Map(map) => self.shared(&value.data, || map.iter().map(|e| &e.value)),
            Data::List(items) => self.shared(&value.data, || items.iter()),
            _ => Hits::default(),
        };
        Hits {
            effective: inner.effective || self.own(value).is_some(),
            overridden: inner.overridden || self.replaced(value).is_some(),
        }
    }

    fn shared<I: Iterator<Item = &'v Value>>(&mut self, data: &'v Data, items: impl FnOnce() -> I) -> Hits {
        if let Some(known) = self.collections.get(&data.identity()) {
            return *known;
        }
        let mut found = Hits::default();
        for item in items() {
            let hits = self.hits(item);
            found.effective |= hits.effective;
            found.overridden |= hits.overridden;
        }
        self.collections.insert(data.identity(), found);
        found
    }

    /// The place in the spans that a value itself was written at or computed from, whatever is in it.
    pub(super) fn own(&mut self, value: &'v Value) -> Option<Origin> {
        let prov = &value.prov;
        if self.is_named_by_component(value) {
            return prov
                .origin
                .filter(|origin| self.spans.touch_key(*origin))
                .or_else(|| self.input(prov, prov.origin));
        }
        if prov.trail.is_none() {
            return prov.origin.filter(|origin| self.spans.touch(*origin) && !is_filled(value));
        }
        let own = prov.origin.filter(|own| is_filled(value) && !has_items_elsewhere(value, *own));
        self.input(prov, own)
    }

    fn is_named_by_component(&self, value: &Value) -> bool {
        self.component.is_some() && value.prov.origin == self.component && !is_filled(value)
    }

    /// The nearest place in the spans that something was computed from; `except` is the extent of a collection.
    fn input(&mut self, prov: &'v Prov, except: Option<Origin>) -> Option<Origin> {
        let mut seen = Vec::new();
        let mut stack: Vec<(&Prov, bool)> = vec![(prov, true)];
        while let Some((prov, is_own)) = stack.pop() {
            let hit = prov.origin.filter(|origin| self.spans.touch(*origin));
            if let Some(origin) = hit.filter(|origin| !(is_own && except == Some(*origin))) {
                // How much of what was seen before leads here is not known.
                seen.iter().for_each(|id| _ = self.misses.remove(id));
                return Some(origin);
            }
            let Some(trail) = &prov.trail else { continue };
            if self.misses.insert(ByAddress(trail)) {
                seen.push(ByAddress(trail));
                stack.extend(trail.inputs().iter().rev().map(|p| (p, false)));
            }
        }
        None
    }

    /// The place in the spans of something that a value itself replaced.
    pub(super) fn replaced(&self, value: &Value) -> Option<Origin> {
        if self.is_named_by_component(value) {
            return None;
        }
        let mut above = value;
        while let Some(below) = above.prov.overrode() {
            let are_united = above.as_map().is_some() && below.as_map().is_some();
            let origin = below.prov.origin.filter(|origin| !are_united && self.spans.touch(*origin));
            if origin.is_some() {
                return origin;
            }
            above = below;
        }
        None
    }
}

/// Whether a collection was computed from items that are written outside of its place: `tags = local.tags`.
fn has_items_elsewhere(value: &Value, own: Origin) -> bool {
    let first = match &value.data {
        Data::Map(map) => map.iter().next().map(|entry| &entry.value),
        Data::List(items) => items.first(),
        _ => None,
    };
    let is_computed = value.prov.trail.as_ref().is_some_and(|trail| !trail.inputs().is_empty());
    let is_outside = |origin: Origin| origin.file != own.file || origin.end <= own.start || own.end <= origin.start;
    is_computed && first.and_then(|first| first.prov.origin).is_some_and(is_outside)
}

/// Whether a value is a collection that has something in it, so that its extent is that of others.
fn is_filled(value: &Value) -> bool {
    match &value.data {
        Data::Map(map) => !map.is_empty(),
        Data::List(items) => !items.is_empty(),
        _ => false,
    }
}
