//! The language of Graphviz.

use super::color;
use crate::query::graphs::{About, Change, Graph};
use crate::report::text::style::escape;
use std::io;

/// A string of the language.
fn quoted(text: &str) -> String {
    format!("\"{}\"", escape(text).replace('\\', "\\\\").replace('"', "\\\""))
}

pub(super) fn write(out: &mut dyn io::Write, graph: &Graph, about: About) -> io::Result<()> {
    writeln!(out, "digraph {} {{", quoted(about.name()))?;
    writeln!(out, "  rankdir=LR;\n  node [shape=box, fontname=\"sans-serif\"];\n  edge [fontname=\"sans-serif\"];")?;
    for (name, node) in &graph.nodes {
        let style = if node.is_missing { ", style=dashed" } else { "" };
        match node.change {
            Change::Same => writeln!(out, "  {} [label={}{style}];", quoted(name), quoted(name))?,
            change => {
                let paint = quoted(color(change));
                let tooltip = quoted(change.name());
                writeln!(
                    out,
                    "  {} [label={}, color={paint}, fontcolor={paint}, tooltip={tooltip}{style}];",
                    quoted(name),
                    quoted(name)
                )?;
            }
        }
    }
    for ((from, to), edge) in &graph.edges {
        let paint = quoted(color(edge.change));
        writeln!(out, "  {} -> {} [label={}, color={paint}];", quoted(from), quoted(to), quoted(&edge.label))?;
    }
    writeln!(out, "}}")
}
