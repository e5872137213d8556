//! Identical changes folded, so that one edit that reaches 40 components reads as one change.

use super::same::{digest, same};
use super::{Cause, Change, ChangeKind, Diff, Side, Status};
use crate::files::Files;
use crate::resolution::Address;
use crate::text::Text;
use crate::value::Value;
use std::collections::HashMap;

/// More values than this at one path are folded into one line with an example.
const MAX_VARIANTS: usize = 4;

/// Changes that have the same causes and reach the same components.
#[derive(Clone, Debug)]
pub struct Group<'a> {
    /// What happened to the components.
    pub status: Status,
    /// What changed in each of them; empty for components that are new or gone.
    pub changes: Vec<Folded<'a>>,
    /// The components, sorted.
    pub addresses: Vec<Address>,
    /// The lines behind it, sorted by place.
    pub causes: Vec<Cause>,
}

/// One path that changes in all components of a group.
#[derive(Clone, Debug)]
pub struct Folded<'a> {
    /// JSON Pointer into the components.
    pub path: &'a str,
    /// What happened.
    pub kind: ChangeKind,
    /// The distinct pairs of values. More than one when nearly every component has its own (names built from the name of
    /// the component, say).
    pub variants: Vec<&'a Change>,
}

/// The groups, sorted by the place of their causes; those without a cause come last.
pub fn group<'a>(diff: &'a Diff, files: &Files) -> Vec<Group<'a>> {
    let mut blocks: Table<BlockKey, Vec<Folded>> = Table::default();
    for (paths, members) in by_path(diff) {
        for (variants, members) in split(members) {
            let first = variants[0];
            let folded = Folded { path: &first.path, kind: first.kind, variants };
            blocks.slot((Status::Modified, members, paths.causes)).push(folded);
        }
    }
    let mut whole: Table<(Status, &[Cause]), Vec<usize>> = Table::default();
    for (i, component) in diff.components.iter().enumerate().filter(|(_, c)| c.status != Status::Modified) {
        whole.slot((component.status, &component.causes[..])).push(i);
    }
    let whole = whole.rows.into_iter().map(|((status, causes), members)| ((status, members, causes), Vec::new()));
    let mut groups: Vec<(Vec<Place>, Group)> = whole
        .chain(blocks.rows)
        .map(|((status, members, causes), changes)| {
            let addresses = members.iter().map(|i| diff.components[*i].address()).collect();
            (places(causes, files), Group { status, changes, addresses, causes: causes.to_vec() })
        })
        .collect();
    groups.sort_by(|(x, a), (y, b)| {
        let key = |g: &Group| (g.causes.is_empty(), std::cmp::Reverse(g.addresses.len()), g.status);
        (a.causes.is_empty(), x, key(a), &a.addresses).cmp(&(b.causes.is_empty(), y, key(b), &b.addresses))
    });
    groups.into_iter().map(|(_, group)| group).collect()
}

/// What happened, to which components, and why.
type BlockKey<'a> = (Status, Vec<usize>, &'a [Cause]);
type Place = (Text, u32, Side);

fn places(causes: &[Cause], files: &Files) -> Vec<Place> {
    causes.iter().map(|c| (Text::clone(&files.get(c.file).path), c.line, c.side)).collect()
}

/// Rows in the order in which their keys came first.
struct Table<K, V> {
    rows: Vec<(K, V)>,
    index: HashMap<K, usize>,
}

impl<K, V> Default for Table<K, V> {
    fn default() -> Self {
        Table { rows: Vec::new(), index: HashMap::new() }
    }
}

impl<K: Clone + Eq + std::hash::Hash, V: Default> Table<K, V> {
    fn slot(&mut self, key: K) -> &mut V {
        let next = self.rows.len();
        let at = *self.index.entry(key.clone()).or_insert(next);
        if at == next {
            self.rows.push((key, V::default()));
        }
        &mut self.rows[at].1
    }
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct PathKey<'a> {
    path: &'a str,
    kind: ChangeKind,
    /// Which change of this path and kind it is in its component: a list can lose several items at one index.
    ordinal: u32,
    causes: &'a [Cause],
}

type Members<'a> = Vec<(usize, &'a Change)>;

fn by_path(diff: &Diff) -> Vec<(PathKey<'_>, Members<'_>)> {
    let mut table: Table<PathKey, Members> = Table::default();
    for (i, component) in diff.components.iter().enumerate() {
        let mut ordinals: HashMap<(&str, ChangeKind), u32> = HashMap::new();
        for change in &component.changes {
            let ordinal = ordinals.entry((&change.path, change.kind)).or_default();
            let key = PathKey { path: &change.path, kind: change.kind, ordinal: *ordinal, causes: &change.causes };
            *ordinal += 1;
            table.slot(key).push((i, change));
        }
    }
    table.rows
}

/// Splits the components by the values they change from and to, unless nearly each has its own.
fn split<'a>(members: Members<'a>) -> Vec<(Vec<&'a Change>, Vec<usize>)> {
    let mut variants: Vec<(&Change, Vec<usize>)> = Vec::new();
    let mut by_digest: HashMap<(Option<u64>, Option<u64>), Vec<usize>> = HashMap::new();
    for (i, change) in &members {
        let candidates =
            by_digest.entry((change.before.as_ref().map(digest), change.after.as_ref().map(digest))).or_default();
        let equal = |a: &Option<Value>, b: &Option<Value>| match (a, b) {
            (Some(a), Some(b)) => same(a, b),
            (a, b) => a.is_none() && b.is_none(),
        };
        let known = candidates.iter().find(|v| {
            let other = variants[**v].0;
            equal(&other.before, &change.before) && equal(&other.after, &change.after)
        });
        match known {
            Some(v) => variants[*v].1.push(*i),
            None => {
                candidates.push(variants.len());
                variants.push((change, vec![*i]));
            }
        }
    }
    if variants.len() > 1 && (variants.len() * 2 > members.len() || variants.len() > MAX_VARIANTS) {
        let all = members.iter().map(|m| m.0).collect();
        return vec![(variants.into_iter().map(|v| v.0).collect(), all)];
    }
    variants.into_iter().map(|(change, members)| (vec![change], members)).collect()
}
