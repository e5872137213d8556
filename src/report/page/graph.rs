//! The graph of the page: nodes with their cells, edges by the numbers of the nodes.

use crate::query::graphs::Graph;
use crate::query::graphs::layout::layout;
use serde::Serialize;
use std::collections::BTreeMap;

/// The maximum number of nodes and edges to draw; larger pictures are unreadable.
const MAX_NODES: usize = 600;
const MAX_EDGES: usize = 3_000;

#[derive(Serialize)]
pub(super) struct GraphData {
    /// Name, layer, row and kind of change.
    nodes: Vec<(String, usize, usize, &'static str)>,
    edges: Vec<(usize, usize, String)>,
    cut: bool,
}

impl GraphData {
    pub(super) fn of(graph: &Graph) -> Self {
        let mut drawn = graph.clone();
        drawn.limit(MAX_NODES, MAX_EDGES);
        let cells = layout(&drawn);
        let index: BTreeMap<&str, usize> = drawn.nodes.keys().enumerate().map(|(i, name)| (name.as_str(), i)).collect();
        let node = |(name, node): (&String, &crate::query::graphs::Node)| {
            let cell = cells.get(name.as_str()).copied().unwrap_or_default();
            (name.clone(), cell.layer, cell.row, node.change.name())
        };
        let edges = drawn.edges.iter().filter_map(|((from, to), edge)| {
            Some((*index.get(from.as_str())?, *index.get(to.as_str())?, edge.label.clone()))
        });
        let edges = edges.collect();
        GraphData { nodes: drawn.nodes.iter().map(node).collect(), edges, cut: drawn.is_cut }
    }
}
