//! Graphs of references, with the places that cause them, and a finder of cycles.
//!
//! Nodes are names of any ordered kind; edges carry whatever made them (a span, a kind of reference). All answers depend on
//! the names and on the order in which edges were added, never on hashing or threads. Imports no other room.

#[cfg(test)]
mod tests;

use petgraph::algo::{kosaraju_scc, toposort};
use petgraph::graph::{DiGraph, EdgeIndex, NodeIndex};
use petgraph::visit::EdgeRef;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Maximum number of cycles reported per strongly connected component.
const MAX_CYCLES: usize = 50;

/// A directed graph; between two nodes there may be several edges.
#[derive(Clone, Debug)]
pub(crate) struct Graph<N, E> {
    graph: DiGraph<N, E>,
    index: BTreeMap<N, NodeIndex>,
}

/// Whether edges between numbered nodes close a cycle. The numbers should be small: there are as many nodes as the
/// largest number.
pub(crate) fn has_cycle(edges: impl IntoIterator<Item = (u32, u32)>) -> bool {
    toposort(&DiGraph::<(), ()>::from_edges(edges), None).is_err()
}

/// One step of a cycle or a path: from a node along an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CycleStep<'a, N, E> {
    /// The source node.
    pub from: &'a N,
    /// The edge to the next node.
    pub edge: &'a E,
}

impl<N, E> Default for Graph<N, E> {
    fn default() -> Self {
        Graph { graph: DiGraph::new(), index: BTreeMap::new() }
    }
}

impl<N: Clone + Ord, E> Graph<N, E> {
    /// An empty graph.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Adds a node; one that is there stays.
    pub(crate) fn add_node(&mut self, node: N) {
        self.node(node);
    }

    /// Adds an edge, and its nodes if they are not there. Of several edges between two nodes the first one is reported.
    pub(crate) fn add_edge(&mut self, from: N, to: N, edge: E) {
        let (from, to) = (self.node(from), self.node(to));
        self.graph.add_edge(from, to, edge);
    }

    fn node(&mut self, node: N) -> NodeIndex {
        if let Some(index) = self.index.get(&node) {
            return *index;
        }
        let index = self.graph.add_node(node.clone());
        self.index.insert(node, index);
        index
    }

    /// The edges that leave a node with their targets, in the order in which they were added.
    pub(crate) fn edges<'a>(&'a self, from: &N) -> impl Iterator<Item = (&'a N, &'a E)> {
        let edges = self.index.get(from).map(|i| self.outgoing(*i)).unwrap_or_default();
        edges.into_iter().map(|e| (&self.graph[self.target(e)], &self.graph[e]))
    }

    /// Returns all nodes that can be reached from a node in one step or more. The node itself is included only if it is
    /// on a cycle.
    #[cfg(test)]
    pub(crate) fn reachable(&self, from: &N) -> BTreeSet<&N> {
        let mut found = BTreeSet::new();
        let mut todo: Vec<NodeIndex> = self.index.get(from).copied().into_iter().collect();
        while let Some(node) = todo.pop() {
            for next in self.graph.neighbors(node) {
                if found.insert(&self.graph[next]) {
                    todo.push(next);
                }
            }
        }
        found
    }

    /// Whether a node can be reached from another one by one step or more.
    pub(crate) fn reaches(&self, from: &N, to: &N) -> bool {
        let (Some(from), Some(to)) = (self.index.get(from), self.index.get(to)) else { return false };
        let mut seen = vec![false; self.graph.node_count()];
        let mut todo = vec![*from];
        while let Some(node) = todo.pop() {
            for next in self.graph.neighbors(node) {
                if next == *to {
                    return true;
                }
                if !std::mem::replace(&mut seen[next.index()], true) {
                    todo.push(next);
                }
            }
        }
        false
    }

    /// Returns shortest cycles: for every node on a cycle one of the shortest through it, unless the node is on a cycle
    /// that is already reported. Each starts at its smallest node; they are sorted by their nodes.
    pub(crate) fn cycles(&self) -> Vec<Vec<CycleStep<'_, N, E>>> {
        let mut all: Vec<Vec<EdgeIndex>> = Vec::new();
        for tangle in kosaraju_scc(&self.graph) {
            let inside: BTreeSet<NodeIndex> = tangle.iter().copied().collect();
            let mut nodes = tangle;
            nodes.sort_by(|a, b| self.graph[*a].cmp(&self.graph[*b]));
            let mut reported: BTreeSet<NodeIndex> = BTreeSet::new();
            let mut found = 0;
            for node in nodes {
                if reported.contains(&node) || found == MAX_CYCLES {
                    continue;
                }
                let Some(cycle) = self.shortest(node, &inside) else { continue };
                reported.extend(cycle.iter().map(|e| self.source(*e)));
                all.push(cycle);
                found += 1;
            }
        }
        let steps = |cycle: Vec<EdgeIndex>| -> Vec<CycleStep<'_, N, E>> {
            let step = |e: EdgeIndex| CycleStep { from: &self.graph[self.source(e)], edge: &self.graph[e] };
            let mut steps: Vec<CycleStep<'_, N, E>> = cycle.into_iter().map(step).collect();
            let first = (0..steps.len()).min_by(|a, b| steps[*a].from.cmp(steps[*b].from)).unwrap_or(0);
            steps.rotate_left(first);
            steps
        };
        let mut cycles: Vec<_> = all.into_iter().map(steps).collect();
        cycles.sort_by(|a, b| a.iter().map(|s| s.from).cmp(b.iter().map(|s| s.from)));
        cycles
    }

    /// The edges of a shortest cycle through a node that stays inside a set of nodes.
    fn shortest(&self, start: NodeIndex, inside: &BTreeSet<NodeIndex>) -> Option<Vec<EdgeIndex>> {
        let mut came: BTreeMap<NodeIndex, EdgeIndex> = BTreeMap::new();
        let mut todo = VecDeque::from([start]);
        while let Some(node) = todo.pop_front() {
            for edge in self.outgoing(node) {
                let target = self.target(edge);
                if target == start {
                    let mut cycle = vec![edge];
                    let mut at = node;
                    while at != start {
                        let edge = *came.get(&at)?;
                        cycle.push(edge);
                        at = self.source(edge);
                    }
                    cycle.reverse();
                    return Some(cycle);
                }
                if inside.contains(&target) && !came.contains_key(&target) {
                    came.insert(target, edge);
                    todo.push_back(target);
                }
            }
        }
        None
    }

    /// The edges of a node in the order in which they were added.
    fn outgoing(&self, node: NodeIndex) -> Vec<EdgeIndex> {
        let mut edges: Vec<EdgeIndex> = self.graph.edges(node).map(|e| e.id()).collect();
        edges.sort();
        edges
    }

    fn source(&self, edge: EdgeIndex) -> NodeIndex {
        self.graph.raw_edges()[edge.index()].source()
    }

    fn target(&self, edge: EdgeIndex) -> NodeIndex {
        self.graph.raw_edges()[edge.index()].target()
    }
}
