//! `stacklint graph` in its formats. File content is text in all of them, never markup or commands.

mod dot;
mod mermaid;
pub(crate) mod svg;
mod tree;

use crate::query::graphs::{About, Change, Edge, Graph, Node};
use crate::report::RenderOptions;
use crate::report::indented_json;
use serde::Serialize;
use std::io;

/// How a graph is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// A tree of text.
    Text,
    /// For Graphviz.
    Dot,
    Mermaid,
    /// For programs; `schemas/graph.json` describes it.
    Json,
    /// A picture.
    Svg,
}

/// The maximum number of nodes that are drawn as a picture.
pub(crate) const MAX_DRAWN: usize = 2_000;

/// Writes a graph.
///
/// # Errors
/// Those of the writer.
pub(crate) fn write(
    out: &mut dyn io::Write,
    graph: &Graph,
    about: About,
    format: Format,
    options: &RenderOptions,
) -> io::Result<()> {
    match format {
        Format::Text => tree::write(out, graph, options),
        Format::Dot => dot::write(out, graph, about),
        Format::Mermaid => mermaid::write(out, graph),
        Format::Json => json(out, graph, about),
        Format::Svg => svg::write(out, graph, about),
    }
}

#[derive(Serialize)]
struct Json<'a> {
    graph: &'static str,
    nodes: Vec<NodeJson<'a>>,
    edges: Vec<EdgeJson<'a>>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
}

#[derive(Serialize)]
struct NodeJson<'a> {
    name: &'a str,
    change: &'static str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    missing: bool,
}

#[derive(Serialize)]
struct EdgeJson<'a> {
    from: &'a str,
    to: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    label: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    change: &'static str,
}

fn json(out: &mut dyn io::Write, graph: &Graph, about: About) -> io::Result<()> {
    let json = Json {
        graph: about.name(),
        nodes: graph.nodes.iter().map(|(name, node)| node_json(name, node)).collect(),
        edges: graph.edges.iter().map(|((from, to), edge)| edge_json(from, to, edge)).collect(),
        truncated: graph.is_cut,
    };
    indented_json::write(out, &json)
}

fn node_json<'a>(name: &'a String, node: &Node) -> NodeJson<'a> {
    NodeJson { name, change: node.change.name(), missing: node.is_missing }
}

fn edge_json<'a>(from: &'a str, to: &'a str, edge: &'a Edge) -> EdgeJson<'a> {
    let (file, line) = edge.place.as_ref().map(|(file, line)| (file.as_str(), *line)).unzip();
    EdgeJson { from, to, label: &edge.label, file, line, change: edge.change.name() }
}

/// The sign in front of something that differs.
fn sign(change: Change) -> &'static str {
    match change {
        Change::Same => "",
        Change::Added => "+ ",
        Change::Removed => "- ",
        Change::Changed => "~ ",
        Change::Reached => "> ",
        Change::Unresolved => "? ",
    }
}

/// The color of something that differs, dark enough for text on white.
fn color(change: Change) -> &'static str {
    match change {
        Change::Same => "#57606a",
        Change::Added => "#1a7f37",
        Change::Removed => "#cf222e",
        Change::Changed => "#9a6700",
        Change::Reached => "#0969da",
        Change::Unresolved => "#6639ba",
    }
}

#[cfg(test)]
mod tests;
