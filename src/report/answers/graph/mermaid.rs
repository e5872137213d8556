//! A flowchart of Mermaid.

use super::color;
use crate::query::graphs::{Change, Graph};
use crate::report::text::style::escape;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io;

/// Text in a label: everything but letters, digits and a few signs as the number of its character.
fn label(text: &str) -> String {
    let mut safe = String::with_capacity(text.len() + 8);
    for c in escape(text).chars() {
        if c.is_alphanumeric()
            || matches!(c, ' ' | '/' | '.' | '-' | '_' | ':' | '*' | ',' | '(' | ')' | '!' | '+' | '@')
        {
            safe.push(c);
        } else {
            let _ = write!(safe, "#{};", c as u32);
        }
    }
    // The grammar rejects empty labels.
    if safe.is_empty() { " ".to_owned() } else { safe }
}

pub(super) fn write(out: &mut dyn io::Write, graph: &Graph) -> io::Result<()> {
    writeln!(out, "flowchart LR")?;
    let ids: BTreeMap<&str, usize> = graph.nodes.keys().enumerate().map(|(i, name)| (name.as_str(), i)).collect();
    for (i, (name, node)) in graph.nodes.iter().enumerate() {
        let class = if node.change == Change::Same { String::new() } else { format!(":::{}", node.change.name()) };
        writeln!(out, "  n{i}[\"{}\"]{class}", label(name))?;
    }
    for ((from, to), edge) in &graph.edges {
        let (Some(from), Some(to)) = (ids.get(from.as_str()), ids.get(to.as_str())) else { continue };
        let arrow = if edge.change == Change::Removed { "-.->" } else { "-->" };
        let text = if edge.label.is_empty() { String::new() } else { format!("|\"{}\"|", label(&edge.label)) };
        writeln!(out, "  n{from} {arrow}{text} n{to}")?;
    }
    for change in [Change::Added, Change::Removed, Change::Changed, Change::Reached, Change::Unresolved] {
        if graph.nodes.values().any(|node| node.change == change) {
            let paint = color(change);
            writeln!(out, "  classDef {} stroke:{paint},color:{paint}", change.name())?;
        }
    }
    Ok(())
}
