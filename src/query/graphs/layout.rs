//! Where the nodes of a graph are drawn: in layers, so that edges lead from left to right.
//!
//! The usual three steps: layers by the longest path (edges that close a cycle are ignored), the order within a layer by
//! the average place of the neighbors, and coordinates by layer and order.

use super::Graph;
use std::collections::BTreeMap;

/// How often the order within layers is improved.
const SWEEPS: usize = 6;

/// The place of a node: its layer from the left, and its row in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cell {
    /// The layer, from 0.
    pub layer: usize,
    /// The row, from 0.
    pub row: usize,
}

/// Returns the cell of each node. The same graph always gets the same cells.
pub(crate) fn layout(graph: &Graph) -> BTreeMap<&str, Cell> {
    let names: Vec<&str> = graph.nodes.keys().map(String::as_str).collect();
    let index: BTreeMap<&str, usize> = names.iter().enumerate().map(|(i, name)| (*name, i)).collect();
    let mut next: Vec<Vec<usize>> = vec![Vec::new(); names.len()];
    for (from, to) in graph.edges.keys() {
        if let (Some(from), Some(to)) = (index.get(from.as_str()), index.get(to.as_str())) {
            next[*from].push(*to);
        }
    }
    let layers = layers(&next);
    let rows = order(&layers, &next);
    names.into_iter().enumerate().map(|(i, name)| (name, Cell { layer: layers[i], row: rows[i] })).collect()
}

/// Returns the layer of each node: one more than those of its predecessors.
fn layers(next: &[Vec<usize>]) -> Vec<usize> {
    let finished = finished(next);
    let mut place = vec![0; next.len()];
    finished.iter().rev().enumerate().for_each(|(i, node)| place[*node] = i);
    let mut layers = vec![0; next.len()];
    for node in finished.into_iter().rev() {
        for target in &next[node] {
            // An edge against the order closes a cycle.
            if place[*target] > place[node] {
                layers[*target] = layers[*target].max(layers[node] + 1);
            }
        }
    }
    layers
}

/// The nodes in the order in which a search in depth leaves them.
fn finished(next: &[Vec<usize>]) -> Vec<usize> {
    let mut done = Vec::with_capacity(next.len());
    let mut seen = vec![false; next.len()];
    for start in 0..next.len() {
        if std::mem::replace(&mut seen[start], true) {
            continue;
        }
        let mut path = vec![(start, 0)];
        while let Some((node, at)) = path.pop() {
            match next[node].get(at) {
                Some(target) => {
                    path.push((node, at + 1));
                    if !std::mem::replace(&mut seen[*target], true) {
                        path.push((*target, 0));
                    }
                }
                None => done.push(node),
            }
        }
    }
    done
}

/// The row of each node within its layer.
fn order(layers: &[usize], next: &[Vec<usize>]) -> Vec<usize> {
    let mut previous: Vec<Vec<usize>> = vec![Vec::new(); next.len()];
    for (from, targets) in next.iter().enumerate() {
        targets.iter().for_each(|to| previous[*to].push(from));
    }
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); layers.iter().max().map_or(0, |m| m + 1)];
    layers.iter().enumerate().for_each(|(node, layer)| members[*layer].push(node));
    let mut rows: Vec<usize> = vec![0; next.len()];
    let number = |members: &[usize], rows: &mut Vec<usize>| members.iter().enumerate().for_each(|(i, n)| rows[*n] = i);
    members.iter().for_each(|members| number(members, &mut rows));
    for sweep in 0..SWEEPS {
        let neighbors: &[Vec<usize>] = if sweep % 2 == 0 { &previous } else { next };
        let count = members.len();
        for i in 0..count {
            let layer = &mut members[if sweep % 2 == 0 { i } else { count - 1 - i }];
            let average = |node: &usize| {
                let near = &neighbors[*node];
                let sum: usize = near.iter().map(|n| rows[*n]).sum();
                if near.is_empty() { rows[*node] * 1_000 } else { sum * 1_000 / near.len() }
            };
            layer.sort_by_cached_key(|node| (average(node), *node));
            number(layer, &mut rows);
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_lead_to_the_right_and_cycles_end() {
        let mut graph = Graph::default();
        for (from, to) in [("a", "b"), ("b", "c"), ("a", "c"), ("c", "a"), ("x", "c")] {
            graph.add_edge(from, to, "", None);
        }
        let cells = layout(&graph);
        assert_eq!(["a", "b", "c", "x"].map(|name| cells[name].layer), [0, 1, 2, 0]);
        assert_ne!(cells["a"].row, cells["x"].row);
    }
}
