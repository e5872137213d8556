//! The graph of a change: both states in one graph.

use super::{Change, Graph, Node};
use crate::files::Files;
use crate::resolution::{Resolution, State, Unit};
use crate::text::Text;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// The known differences between nodes of two states.
#[derive(Clone, Copy)]
pub(crate) struct Differences<'a> {
    /// Whether a node of both states differs.
    pub changed: &'a dyn Fn(&str) -> bool,
    /// The names that the older state alone can have because the newer one could not be resolved in full.
    pub lost: &'a BTreeSet<String>,
    /// The same of the newer state.
    pub gained: &'a BTreeSet<String>,
}

/// Returns the components and files of units that one state resolved and the other one could not resolve completely.
/// That the other one lacks them means nothing.
pub(crate) fn unresolved(with: &[&Resolution], without: &[&Resolution], files: &Files) -> BTreeSet<String> {
    let path = |unit: &Unit| Text::clone(&files.get(unit.file).path);
    let each = |states: &[&Resolution]| states.iter().flat_map(|state| state.units.clone()).collect::<Vec<Arc<Unit>>>();
    let others: HashMap<(Text, Text), Arc<Unit>> =
        each(without).into_iter().map(|unit| ((Text::clone(&unit.name), path(&unit)), unit)).collect();
    let has_gap = without.iter().any(|state| state.gap.is_some());
    let mut names = BTreeSet::new();
    for unit in each(with) {
        let other = others.get(&(Text::clone(&unit.name), path(&unit)));
        let is_whole = match other {
            Some(other) => other.state != State::Resolved,
            None => has_gap,
        };
        if is_whole {
            names.extend(unit.files.iter().chain([&unit.file]).map(|id| files.get(*id).path.to_string()));
        }
        let is_broken = |kind: &Text, name: &Text, stack: &Text| {
            other.is_some_and(|other| {
                other.failed.contains(stack) || other.broken.iter().any(|(k, n)| (k, n) == (kind, name))
            })
        };
        let lacking = unit.components.iter().filter(|c| is_whole || is_broken(&c.kind, &c.name, &c.stack));
        names.extend(lacking.map(|c| format!("{}/{}/{}", c.stack, c.kind, c.name)));
    }
    names
}

impl Graph {
    /// Merges both graphs: nodes and edges that only one of them has are added or removed, or unresolved if the other
    /// state is unknown; nodes that lead to a difference are reached.
    #[must_use]
    pub(crate) fn changed(base: Graph, head: Graph, differences: &Differences<'_>) -> Graph {
        let lost = base.unresolved(&head, differences.lost);
        let gained = head.unresolved(&base, differences.gained);
        let mut all = head;
        for (name, node) in &mut all.nodes {
            node.change = match base.nodes.get(name) {
                None if gained.contains(name) => Change::Unresolved,
                None => Change::Added,
                Some(old) if old.is_missing != node.is_missing || (differences.changed)(name) => Change::Changed,
                Some(_) => Change::Same,
            };
        }
        let is_in =
            |names: &BTreeSet<String>, (from, to): &(String, String)| names.contains(from) || names.contains(to);
        for (key, edge) in &mut all.edges {
            edge.change = match base.edges.get(key) {
                None if is_in(&gained, key) => Change::Unresolved,
                None => Change::Added,
                Some(old) if old.label != edge.label => Change::Changed,
                Some(_) => Change::Same,
            };
        }
        for (name, node) in base.nodes {
            let change = if lost.contains(&name) { Change::Unresolved } else { Change::Removed };
            all.nodes.entry(name).or_insert(Node { change, ..node });
        }
        for (key, mut edge) in base.edges {
            edge.change = if is_in(&lost, &key) { Change::Unresolved } else { Change::Removed };
            all.edges.entry(key).or_insert(edge);
        }
        all.is_cut |= base.is_cut;
        all.reach();
        all
    }

    /// Returns the nodes that only this graph has or has edges from, and about which the other state says nothing: the
    /// given ones, and nodes that only they lead to.
    fn unresolved(&self, other: &Graph, named: &BTreeSet<String>) -> BTreeSet<String> {
        let is_named =
            |name: &str| named.contains(name) || name.split_once(": ").is_some_and(|(file, _)| named.contains(file));
        let mut found: BTreeSet<String> = self.nodes.keys().filter(|name| is_named(name)).cloned().collect();
        let outgoing = self.outgoing();
        let mut sources: BTreeMap<&str, usize> = BTreeMap::new();
        self.edges.keys().filter(|(from, to)| from != to).for_each(|(_, to)| *sources.entry(to).or_default() += 1);
        let mut todo: Vec<String> = found.iter().cloned().collect();
        while let Some(name) = todo.pop() {
            for to in outgoing.get(name.as_str()).into_iter().flatten().filter(|to| **to != name) {
                let left = sources.get_mut(to).map_or(0, |left| {
                    *left = left.saturating_sub(1);
                    *left
                });
                if left == 0 && !other.nodes.contains_key(*to) && found.insert((*to).to_owned()) {
                    todo.push((*to).to_owned());
                }
            }
        }
        found
    }

    /// Marks the nodes that lead to a difference.
    fn reach(&mut self) {
        let mut backwards: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (from, to) in self.edges.keys() {
            backwards.entry(to).or_default().push(from);
        }
        let differs = |change: Change| !matches!(change, Change::Same | Change::Unresolved);
        let nodes = self.nodes.iter().filter(|(_, node)| differs(node.change)).map(|(name, _)| &**name);
        let edges = self.edges.iter().filter(|(_, edge)| differs(edge.change)).map(|((from, _), _)| &**from);
        let mut todo: Vec<&str> = nodes.chain(edges).collect();
        let mut seen: BTreeSet<&str> = todo.iter().copied().collect();
        while let Some(name) = todo.pop() {
            todo.extend(backwards.get(name).into_iter().flatten().copied().filter(|from| seen.insert(*from)));
        }
        let reached: Vec<String> = seen.into_iter().map(str::to_owned).collect();
        for name in reached {
            if let Some(node) = self.nodes.get_mut(&name).filter(|node| node.change == Change::Same) {
                node.change = Change::Reached;
            }
        }
    }

    /// Keeps what differs or is reached, and the nodes at the other ends of edges that differ.
    pub(crate) fn keep_changes(&mut self) {
        let nodes = &self.nodes;
        let is_kept = |name: &String| nodes.get(name).is_some_and(|node| node.change != Change::Same);
        self.edges.retain(|(from, to), edge| edge.change != Change::Same || is_kept(from) && is_kept(to));
        let ends: BTreeSet<&String> = self.edges.keys().flat_map(|(from, to)| [from, to]).collect();
        let kept: BTreeSet<String> =
            self.nodes.keys().filter(|name| is_kept(name) || ends.contains(name)).cloned().collect();
        self.nodes.retain(|name, _| kept.contains(name));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(edges: &[(&str, &str)]) -> Graph {
        let mut graph = Graph::default();
        edges.iter().for_each(|(from, to)| graph.add_edge(from, to, "", None));
        graph
    }

    #[test]
    fn a_change_reaches_what_leads_to_it() {
        let base = graph(&[("a", "b"), ("b", "c"), ("d", "e"), ("x", "y")]);
        let head = graph(&[("a", "b"), ("b", "c"), ("d", "f"), ("x", "y")]);
        let none = BTreeSet::new();
        let differences = Differences { changed: &|name| name == "c", lost: &none, gained: &none };
        let mut changed = Graph::changed(base, head, &differences);
        let of = |graph: &Graph, name: &str| graph.nodes[name].change;
        let names = ["a", "b", "c", "d", "e", "f", "x"];
        use Change::{Added, Changed, Reached, Removed, Same};
        assert_eq!(names.map(|n| of(&changed, n)), [Reached, Reached, Changed, Reached, Removed, Added, Same]);
        changed.keep_changes();
        assert_eq!(changed.nodes.len(), 6);
        assert_eq!(changed.edges.len(), 4);
    }
    #[test]
    fn what_a_state_could_not_resolve_is_not_removed() {
        let base = graph(&[("a", "b"), ("b", "c"), ("x", "c"), ("x", "y"), ("f: l", "f: m")]);
        let head = graph(&[("x", "y"), ("new", "y")]);
        let (lost, none) = (["a", "f"].map(str::to_owned).into(), BTreeSet::new());
        let changed = Graph::changed(base, head, &Differences { changed: &|_| false, lost: &lost, gained: &none });
        use Change::{Added, Reached, Removed, Same, Unresolved};
        let names = ["a", "b", "c", "x", "y", "f: l", "f: m", "new"];
        let found = names.map(|name| changed.nodes[name].change);
        assert_eq!(found, [Unresolved, Unresolved, Removed, Reached, Same, Unresolved, Unresolved, Added]);
        let edge = |from: &str, to: &str| changed.edges[&(from.to_owned(), to.to_owned())].change;
        assert_eq!([edge("a", "b"), edge("b", "c"), edge("x", "c")], [Unresolved, Unresolved, Removed]);
    }
}
