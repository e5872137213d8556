//! The graph of a change: both states in one graph.

use super::{Change, Graph};
use std::collections::{BTreeMap, BTreeSet};

impl Graph {
    /// Both graphs in one: what only one of them has is added or removed; `is_changed` says of the nodes of both whether
    /// they differ; what leads to something that differs is reached.
    #[must_use]
    pub fn changed(base: Graph, head: Graph, is_changed: &dyn Fn(&str) -> bool) -> Graph {
        let mut all = head;
        for (name, node) in &mut all.nodes {
            node.change = match base.nodes.get(name) {
                None => Change::Added,
                Some(old) if old.is_missing != node.is_missing || is_changed(name) => Change::Changed,
                Some(_) => Change::Same,
            };
        }
        for (key, edge) in &mut all.edges {
            edge.change = match base.edges.get(key) {
                None => Change::Added,
                Some(old) if old.label != edge.label => Change::Changed,
                Some(_) => Change::Same,
            };
        }
        for (name, mut node) in base.nodes {
            node.change = Change::Removed;
            all.nodes.entry(name).or_insert(node);
        }
        for (key, mut edge) in base.edges {
            edge.change = Change::Removed;
            all.edges.entry(key).or_insert(edge);
        }
        all.is_cut |= base.is_cut;
        all.reach();
        all
    }

    /// Marks what leads to a difference.
    fn reach(&mut self) {
        let mut backwards: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (from, to) in self.edges.keys() {
            backwards.entry(to).or_default().push(from);
        }
        let differs = self.nodes.iter().filter(|(_, node)| node.change != Change::Same).map(|(name, _)| &**name);
        let edges = self.edges.iter().filter(|(_, edge)| edge.change != Change::Same).map(|((from, _), _)| &**from);
        let mut todo: Vec<&str> = differs.chain(edges).collect();
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
    pub fn keep_changes(&mut self) {
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
        let mut changed = Graph::changed(base, head, &|name| name == "c");
        let of = |graph: &Graph, name: &str| graph.nodes[name].change;
        let names = ["a", "b", "c", "d", "e", "f", "x"];
        use Change::{Added, Changed, Reached, Removed, Same};
        assert_eq!(names.map(|n| of(&changed, n)), [Reached, Reached, Changed, Reached, Removed, Added, Same]);
        changed.keep_changes();
        assert_eq!(changed.nodes.len(), 6);
        assert_eq!(changed.edges.len(), 4);
    }
}
