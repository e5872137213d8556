//! Identical changes folded, so that one edit that reaches 40 components reads as one change.

mod merge;
mod patterns;

pub(crate) use patterns::fold;

use super::renames::Rename;
use super::same::{digest, same};
use super::{Cause, Change, ChangeKind, Diff, Moved, Side, Status};
use crate::files::Files;
use crate::resolution::Address;
use crate::text::Text;
use crate::value::{Data, Value};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// More values than this at one path are folded into one line with an example.
const MAX_VARIANTS: usize = 4;

/// The effect on the components of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Effect {
    /// They have another name.
    Renamed,
    /// They are new.
    Added,
    /// They are removed.
    Removed,
    /// Their configuration differs.
    Modified,
}

impl From<Status> for Effect {
    fn from(status: Status) -> Self {
        match status {
            Status::Added => Effect::Added,
            Status::Removed => Effect::Removed,
            Status::Modified => Effect::Modified,
        }
    }
}

impl Effect {
    /// The name that users see.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Effect::Renamed => "renamed",
            Effect::Added => Status::Added.name(),
            Effect::Removed => Status::Removed.name(),
            Effect::Modified => Status::Modified.name(),
        }
    }
}

/// Changes that have the same causes and reach the same components.
#[derive(Clone, Debug)]
pub(crate) struct Group<'a> {
    /// The effect on the components.
    pub effect: Effect,
    /// Whether the code of configured components makes them.
    pub is_made: bool,
    /// The changes of each of them; empty for components that are added, removed or renamed.
    pub changes: Vec<Folded<'a>>,
    /// The components that are renamed; empty for others.
    pub renames: Vec<Renamed<'a>>,
    /// The components, sorted.
    pub addresses: Vec<Address>,
    /// The lines behind it, sorted by place.
    pub causes: Vec<Cause>,
}

/// One stack with another name, or components of one name with another one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Renamed<'a> {
    /// `stack`, or `component`.
    pub what: &'static str,
    /// The name of the stack or of the component as it was.
    pub from: &'a str,
    /// The name that it has now.
    pub to: &'a str,
    /// The components with their new names, sorted.
    pub addresses: Vec<Address>,
    /// The number of states that move.
    pub moved_states: usize,
    /// Whether the deployment tool destroys any of them and creates it again.
    pub is_replaced: bool,
    /// How many have this or another new name, and what they are called, where these are addresses of instances.
    pub instances: Option<(usize, &'static str)>,
}

impl Renamed<'_> {
    /// What happens, with the names as `name` writes them: `component renamed: a → b`.
    pub(crate) fn text(&self, name: impl Fn(&str) -> String) -> String {
        let (from, to) = (name(self.from), name(self.to));
        match self.instances {
            None => format!("{} renamed: {from} → {to}", self.what),
            Some((1, noun)) => format!("{noun} gets another address: {from} → {to}"),
            Some((number, noun)) => format!("{number} {noun}s get another address: {from} → {to} and others"),
        }
    }
}

/// One path that changes in all components of a group.
#[derive(Clone, Debug)]
pub(crate) struct Folded<'a> {
    /// JSON Pointer into the components; for an item that moves, to its place in the head.
    pub path: &'a str,
    pub kind: ChangeKind,
    /// For a moved list item: its old and new index. It has only a new value.
    pub moved: Option<Moved>,
    /// For a removed list item: its index in the base.
    pub base_index: Option<usize>,
    /// The distinct pairs of values. More than one if nearly every component has its own (for example, names built from
    /// the name of the component).
    pub variants: Vec<Cow<'a, Change>>,
    /// The components that have each of the variants, sorted; as many as there are variants.
    pub holders: Vec<Vec<Address>>,
}

impl Folded<'_> {
    /// The mark in front of a line of text.
    pub(crate) fn sign(&self) -> char {
        if self.moved.is_some() { ChangeKind::Changed.sign() } else { self.kind.sign() }
    }

    /// The name of what happened, as users see it.
    pub(crate) fn kind_name(&self) -> &'static str {
        if self.moved.is_some() { "moved" } else { self.kind.name() }
    }
}

/// The groups, sorted by the place of their causes; those without a cause come last.
pub(crate) fn group<'a>(diff: &'a Diff, files: &Files) -> Vec<Group<'a>> {
    let mut blocks: Table<BlockKey, Vec<Folded>> = Table::default();
    for (paths, members) in by_path(diff) {
        for (variants, members) in split(members) {
            let first = variants[0].0;
            let address = |i: &usize| diff.components[*i].address();
            let sorted = |members: &Vec<usize>| {
                let mut holders: Vec<Address> = members.iter().map(address).collect();
                holders.sort();
                holders
            };
            let holders = variants.iter().map(|(_, members)| sorted(members)).collect();
            let variants = variants.into_iter().map(|(change, _)| Cow::Borrowed(change)).collect();
            let Change { path, kind, moved, base_index, .. } = first;
            let folded = Folded { path, kind: *kind, moved: *moved, base_index: *base_index, variants, holders };
            blocks.slot((Effect::Modified, members, paths.causes)).push(folded);
        }
    }
    let renamed: BTreeSet<usize> = diff.renames.iter().flat_map(|r| [r.from, r.to]).collect();
    let mut whole: Table<BlockKey, Vec<Folded>> = Table::default();
    let mut members: Table<(Status, &[Cause]), Vec<usize>> = Table::default();
    for (i, component) in diff.components.iter().enumerate().filter(|(i, _)| !renamed.contains(i)) {
        if component.status != Status::Modified {
            members.slot((component.status, &component.causes[..])).push(i);
        }
    }
    for ((status, causes), members) in members.rows {
        whole.slot((Effect::from(status), members, causes));
    }
    let mut renames: Table<&[Cause], Vec<&Rename>> = Table::default();
    let with_stack = with_stack(diff);
    for rename in &diff.renames {
        let first = with_stack.get(&stacks(diff, rename)).unwrap_or(&rename);
        renames.slot(&first.causes[..]).push(rename);
    }
    let mut groups: Vec<(Vec<Place>, Group)> = whole
        .rows
        .into_iter()
        .chain(blocks.rows)
        .map(|((effect, members, causes), changes)| {
            let addresses = members.iter().map(|i| diff.components[*i].address()).collect();
            let causes = causes.to_vec();
            let is_made = members.iter().all(|i| diff.components[*i].is_made());
            (places(&causes, files), Group { effect, is_made, changes, renames: Vec::new(), addresses, causes })
        })
        .collect();
    groups.extend(renames.rows.into_iter().map(|(causes, renames)| {
        let addresses = renames.iter().map(|r| diff.components[r.to].address()).collect();
        let is_made = renames.iter().all(|r| diff.components[r.to].is_made());
        let (causes, renames) = (causes.to_vec(), by_name(diff, &renames));
        let group = Group { effect: Effect::Renamed, is_made, changes: Vec::new(), renames, addresses, causes };
        (places(&group.causes, files), group)
    }));
    groups.sort_by(|(x, a), (y, b)| {
        let key = |g: &Group| (g.causes.is_empty(), g.is_made, std::cmp::Reverse(g.addresses.len()), g.effect);
        (a.causes.is_empty(), x, key(a), &a.addresses).cmp(&(b.causes.is_empty(), y, key(b), &b.addresses))
    });
    // What code makes of a line stands behind what the configuration makes of it, and keeps no lines of the configuration apart.
    let (made, configured): (Vec<_>, Vec<_>) =
        groups.into_iter().map(|(_, group)| group).partition(|group| group.is_made);
    let made = merge::merge(made, files);
    let mut all = merge::merge(configured, files);
    if !made.is_empty() {
        all.extend(made);
        all.sort_by_cached_key(|group| (group.causes.is_empty(), places(&group.causes, files), group.is_made));
    }
    all
}

/// Groups side by side that the same lines cause.
pub(crate) fn by_lines<'g, 'a>(groups: &'g [Group<'a>]) -> impl Iterator<Item = &'g [Group<'a>]> {
    let lines = |group: &Group<'_>| -> Vec<_> { group.causes.iter().map(|c| (c.file, c.line, c.side)).collect() };
    groups.chunk_by(move |a, b| lines(a) == lines(b))
}

/// Takes out the groups about what code makes of which is only known that values may differ, because they read what changes. Returns what
/// they are about, sorted, each once.
pub(crate) fn take_uncertain(groups: &mut Vec<Group<'_>>) -> Vec<Address> {
    let is_uncertain = |group: &mut Group<'_>| {
        let mut variants = group.changes.iter().flat_map(|change| &change.variants);
        group.is_made && group.effect == Effect::Modified && variants.all(|change| !change.edited_reads().is_empty())
    };
    let mut found: Vec<Address> = groups.extract_if(.., is_uncertain).flat_map(|group| group.addresses).collect();
    found.sort();
    found.dedup();
    found
}

/// The old and the new stack of what is renamed.
fn stacks<'a>(diff: &'a Diff, rename: &Rename) -> (&'a str, &'a str) {
    (&diff.components[rename.from].stack, &diff.components[rename.to].stack)
}

/// For each stack with another name the rename whose causes stand for all of it: of something configured, if there is any.
fn with_stack(diff: &Diff) -> HashMap<(&str, &str), &Rename> {
    let mut first: HashMap<(&str, &str), &Rename> = HashMap::new();
    let is_made = |rename: &Rename| diff.components[rename.to].is_made();
    for rename in diff.renames.iter().filter(|rename| stacks(diff, rename).0 != stacks(diff, rename).1) {
        let known = first.entry(stacks(diff, rename)).or_insert(rename);
        if is_made(known) && !is_made(rename) {
            *known = rename;
        }
    }
    first
}

/// Renames by what has another name, sorted by its old name.
fn by_name<'a>(diff: &'a Diff, renames: &[&'a Rename]) -> Vec<Renamed<'a>> {
    let mut named: BTreeMap<(bool, &str, &str, &str), Renamed<'a>> = BTreeMap::new();
    let mut instances: BTreeMap<bool, Renamed<'a>> = BTreeMap::new();
    for rename in renames {
        let (old, new) = (&diff.components[rename.from], &diff.components[rename.to]);
        let is_component = old.stack == new.stack;
        let (what, kind, from, to) = match is_component {
            true => ("component", &*old.kind, &*old.name, &*new.name),
            false => ("stack", "", &*old.stack, &*new.stack),
        };
        let none = || Renamed { what, from, to, addresses: Vec::new(), ..Renamed::default() };
        let noun = new.after.as_ref().and_then(|after| after.language.vocabulary.counted).filter(|_| is_component);
        let renamed = match noun {
            Some((noun, _)) => {
                let renamed = instances.entry(rename.is_replaced).or_insert_with(none);
                renamed.instances = Some((renamed.addresses.len() + 1, noun));
                renamed
            }
            None => named.entry((is_component, kind, from, to)).or_insert_with(none),
        };
        renamed.addresses.push(new.address());
        renamed.moved_states += usize::from(rename.moves_state);
        renamed.is_replaced |= rename.is_replaced;
    }
    let sorted = |mut renamed: Renamed<'a>| {
        renamed.addresses.sort();
        renamed
    };
    named.into_values().chain(instances.into_values()).map(sorted).collect()
}

/// The effect, the components, and the causes.
type BlockKey<'a> = (Effect, Vec<usize>, &'a [Cause]);
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
    moved: Option<Moved>,
    base_index: Option<usize>,
    is_idle: bool,
    causes: &'a [Cause],
}

type Members<'a> = Vec<(usize, &'a Change)>;
/// The distinct pairs of values, each with the components that have it.
type Variants<'a> = Vec<(&'a Change, Vec<usize>)>;

fn by_path(diff: &Diff) -> Vec<(PathKey<'_>, Members<'_>)> {
    let mut table: Table<PathKey, Members> = Table::default();
    let modified = diff.components.iter().enumerate().map(|(i, c)| (i, &c.changes));
    for (i, changes) in modified.chain(diff.renames.iter().map(|r| (r.to, &r.changes))) {
        let mut ordinals: HashMap<(&str, ChangeKind), u32> = HashMap::new();
        // For a moved item, the added half represents both.
        for change in changes.iter().filter(|c| c.moved.is_none() || c.kind == ChangeKind::Added) {
            let ordinal = ordinals.entry((&change.path, change.kind)).or_default();
            let Change { path, kind, moved, base_index, causes, .. } = change;
            let (kind, moved, base_index, is_idle) = (*kind, *moved, *base_index, change.is_idle);
            let key = PathKey { path, kind, ordinal: *ordinal, moved, base_index, is_idle, causes };
            *ordinal += 1;
            table.slot(key).push((i, change));
        }
    }
    table.rows
}

/// Whether two changes read the same: they have the same values, or values that are not known for the same reason.
pub(crate) fn is_alike(a: &Change, b: &Change) -> bool {
    let equal = |a: &Option<Value>, b: &Option<Value>| match (a, b) {
        (Some(Value { data: Data::Unknown(a), .. }), Some(Value { data: Data::Unknown(b), .. })) => a.text == b.text,
        (Some(a), Some(b)) => same(a, b),
        (a, b) => a.is_none() && b.is_none(),
    };
    equal(&a.before, &b.before) && equal(&a.after, &b.after) && a.edited_reads() == b.edited_reads()
}

/// Splits the components by their old and new values, unless nearly each has its own.
fn split<'a>(members: Members<'a>) -> Vec<(Variants<'a>, Vec<usize>)> {
    let mut variants: Vec<(&Change, Vec<usize>)> = Vec::new();
    let mut by_digest: HashMap<(Option<u64>, Option<u64>), Vec<usize>> = HashMap::new();
    for (i, change) in &members {
        let candidates =
            by_digest.entry((change.before.as_ref().map(digest), change.after.as_ref().map(digest))).or_default();
        let known = candidates.iter().find(|v| is_alike(variants[**v].0, change));
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
        return vec![(variants, all)];
    }
    variants.into_iter().map(|(change, members)| (vec![(change, members.clone())], members)).collect()
}
