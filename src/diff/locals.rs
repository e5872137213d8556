//! Local names that differ, and what of the configuration each difference reaches.

use super::{Change, ChangeKind, ComponentChange, DiffOptions, Located, Side};
use crate::files::Files;
use crate::resolution::{Address, Local, LocalLevel, LocalScope, Resolution, State, Unit};
use crate::text::{ByAddress, Text};
use crate::value::{Data, FileId, Inputs, Origin, Value};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

/// The maximum number of values of one sub-tree that are examined.
const MAX_NODES: usize = 20_000;

/// The maximum number of inputs of values that are examined in one comparison.
const MAX_INPUTS: usize = 8_000_000;

/// A local name that differs.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LocalChange {
    /// The path of its file.
    pub file: Text,
    /// The stack for these values, if the file has different ones in other stacks.
    pub stack: Option<Text>,
    /// Its scope: `global`, a component type, or the type and the name of a component.
    pub scope: String,
    pub name: Text,
    pub kind: ChangeKind,
    /// Its value before; `None` if it was added.
    pub before: Option<Value>,
    /// Its value after; `None` if it was removed.
    pub after: Option<Value>,
    /// The side and the line (from 1) of its definition; those of the newer revision if it exists there.
    pub side: Side,
    /// See there.
    pub line: u32,
    /// Whether other code reads it, or may, whose effective values are not compared.
    pub is_read_by_code: bool,
    /// The changes of effective values that read it, by address and path, sorted; the path of a component that one side
    /// alone has is empty.
    pub reached: BTreeSet<(Address, String)>,
}

/// Start, end and index of a changed local.
type Place = (u32, u32, usize);

/// Identifies the scopes of one revision: the path of the file, the stack if the file has several, and the part of the
/// file.
type Key = (Text, Option<Text>, LocalLevel);

/// Collects what changed locals reach.
pub(super) struct Reach {
    changes: Vec<LocalChange>,
    /// By side and file: where changed locals are written, from their start to their end, and which ones they are.
    places: [HashMap<FileId, Vec<Place>>; 2],
    /// How many more inputs are examined.
    left: usize,
    /// Whether some were not: what else the locals reach is not known.
    is_cut: bool,
}

impl Reach {
    /// The locals that differ between two resolutions.
    pub(super) fn new(
        base: &Resolution,
        head: &Resolution,
        files: &Files,
        touched: Option<&(dyn Fn(&str) -> bool + Sync)>,
    ) -> Self {
        let mut reach = Reach { changes: Vec::new(), places: Default::default(), left: MAX_INPUTS, is_cut: false };
        let [old, new] = [base, head].map(|side| side.locals.scopes.iter().map(ByAddress).collect::<HashSet<_>>());
        let shared: HashSet<_> = old.intersection(&new).collect();
        let scopes = |resolution: &Resolution| -> BTreeMap<Key, Arc<LocalScope>> {
            let own = resolution.locals.scopes.iter().filter(|s| !shared.contains(&ByAddress(*s)));
            let key = |s: &LocalScope| (Text::clone(&files.get(s.file).path), s.stack.clone(), s.level.clone());
            own.map(|s| (key(s), Arc::clone(s))).collect()
        };
        let (old, new) = (scopes(base), scopes(head));
        // A file that nothing reaches any more because something else is broken has not lost its locals.
        let broken = [base, head].map(|e| e.units.iter().any(|u| u.state == State::Broken));
        let keys: BTreeSet<_> = old.keys().chain(new.keys()).cloned().collect();
        for key in keys {
            let (a, b) = (old.get(&key), new.get(&key));
            let has_file = |all: &BTreeMap<Key, _>| all.keys().any(|k| (&k.0, &k.1) == (&key.0, &key.1));
            let unsure = a.is_none() && !has_file(&old) && (broken[0] || touched.is_some_and(|t| !t(&key.0)))
                || b.is_none() && !has_file(&new) && (broken[1] || touched.is_some_and(|t| !t(&key.0)));
            if !unsure {
                reach.compare(&key, a, b, files);
            }
        }
        for places in reach.places.iter_mut().flat_map(|p| p.values_mut()) {
            places.sort_unstable();
        }
        reach
    }

    fn compare(
        &mut self,
        (file, stack, level): &Key,
        old: Option<&Arc<LocalScope>>,
        new: Option<&Arc<LocalScope>>,
        files: &Files,
    ) {
        let by_name = |scope: Option<&Arc<LocalScope>>| -> BTreeMap<Text, Local> {
            scope.into_iter().flat_map(|s| &s.locals).map(|l| (Text::clone(&l.name), l.clone())).collect()
        };
        let (old, new) = (by_name(old), by_name(new));
        let names: BTreeSet<&Text> = old.keys().chain(new.keys()).collect();
        for name in names {
            let (a, b) = (old.get(name), new.get(name));
            let (before, after) = (a.map(|l| l.value.clone()), b.map(|l| l.value.clone()));
            // Unresolved locals cannot be compared.
            let (kind, before, after) = match (before, after) {
                (Some(Some(x)), Some(Some(y))) if x != y => (ChangeKind::Changed, Some(x), Some(y)),
                (None, Some(Some(y))) => (ChangeKind::Added, None, Some(y)),
                (Some(Some(x)), None) => (ChangeKind::Removed, Some(x), None),
                _ => continue,
            };
            let (side, written) = match b {
                Some(local) => (Side::Head, local.origin),
                None => (Side::Base, a.and_then(|l| l.origin)),
            };
            let line = written.map_or(1, |o| files.get(o.file).line(o.key));
            for (side, local) in [(Side::Base, a), (Side::Head, b)] {
                if let Some(origin) = local.and_then(|l| l.origin) {
                    let places = self.places[side as usize].entry(origin.file).or_default();
                    places.push((origin.key, origin.end, self.changes.len()));
                }
            }
            self.changes.push(LocalChange {
                file: Text::clone(file),
                stack: stack.clone(),
                scope: level.to_string(),
                name: Text::clone(name),
                kind,
                before,
                after,
                side,
                line,
                is_read_by_code: b.or(a).is_some_and(|local| local.is_read_by_code),
                reached: BTreeSet::new(),
            });
        }
    }

    /// Notes what a component that differs reads of them.
    pub(super) fn note(&mut self, found: &ComponentChange, old: Option<Located<'_>>, new: Option<Located<'_>>) {
        if self.changes.is_empty() {
            return;
        }
        let address = found.address();
        for Change { path, before, after, .. } in &found.changes {
            for (side, value) in [(Side::Base, before), (Side::Head, after)] {
                if let Some(value) = value {
                    self.tree(side, value, &address, path);
                }
            }
        }
        if found.changes.is_empty() {
            for (side, placed) in [(Side::Base, old), (Side::Head, new)] {
                if let Some(placed) = placed {
                    self.tree(side, &placed.component.value, &address, "");
                }
            }
        }
    }

    fn tree(&mut self, side: Side, value: &Value, address: &Address, path: &str) {
        let mut stack = vec![value];
        let mut left = MAX_NODES;
        let mut hits: BTreeSet<usize> = BTreeSet::new();
        let mut inputs = Inputs::default();
        while let Some(value) = stack.pop() {
            if left == 0 || self.left == 0 {
                self.is_cut = true;
                break;
            }
            left -= 1;
            let mut examined = self.left;
            value.prov.new_inputs_while(&mut inputs, &mut |origin| {
                hits.extend(self.at(side, origin, &address.0));
                examined = examined.saturating_sub(1);
                examined > 0
            });
            self.left = examined;
            match &value.data {
                Data::List(items) => stack.extend(items.iter()),
                Data::Map(map) => stack.extend(map.iter().map(|e| &e.value)),
                _ => {}
            }
        }
        for hit in hits {
            self.changes[hit].reached.insert((address.clone(), path.to_owned()));
        }
    }

    /// The changed local that is written around a place, as a stack has it.
    fn at(&self, side: Side, origin: Origin, stack: &Text) -> Option<usize> {
        let places = self.places[side as usize].get(&origin.file)?;
        let before = &places[..places.partition_point(|p| p.0 <= origin.key)];
        let start = before.last()?.0;
        // Several stacks have the same local, each with its own change.
        let same = before.iter().rev().take_while(|place| place.0 == start);
        let is_own = |local: usize| self.changes[local].stack.as_ref().is_none_or(|own| own == stack);
        same.filter(|(_, end, _)| origin.end <= *end).map(|(.., local)| *local).find(|local| is_own(*local))
    }

    /// Returns the changed locals, sorted by file, stack, scope and name. Files whose components are all excluded
    /// by the options are skipped.
    pub(super) fn finish(mut self, sides: [&Resolution; 2], files: &Files, options: &DiffOptions) -> Vec<LocalChange> {
        let mut answers: HashMap<(Text, Option<Text>), bool> = HashMap::new();
        self.changes.retain(|change| {
            *answers.entry((Text::clone(&change.file), change.stack.clone())).or_insert_with(|| {
                let uses = |ids: &[FileId]| ids.iter().any(|id| files.get(*id).path == change.file);
                let is_own = |u: &Unit| change.stack.as_ref().is_none_or(|stack| *stack == u.name) && uses(&u.files);
                let units = sides.iter().flat_map(|e| &e.units).filter(|u| !u.components.is_empty() && is_own(u));
                let mut components = units.flat_map(|u| &u.components).peekable();
                components.peek().is_none() || components.any(|c| options.examines(c))
            })
        });
        let is_cut = self.is_cut;
        self.changes.iter_mut().for_each(|change| change.is_read_by_code |= is_cut);
        self.changes
    }
}
