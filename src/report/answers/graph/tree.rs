//! A graph as a text tree. A node whose branches were already printed is only named again.

use super::sign;
use crate::query::graphs::{Change, Graph};
use crate::report::RenderOptions;
use crate::report::text::style::{Theme, count, escape};
use std::collections::{BTreeMap, BTreeSet};
use std::io;

/// Deeper branches are cut.
const MAX_DEPTH: usize = 64;
/// The maximum number of lines, unless all are requested.
const MAX_LINES: usize = 400;

pub(super) fn write(out: &mut dyn io::Write, graph: &Graph, options: &RenderOptions) -> io::Result<()> {
    let theme = Theme::new(options.color);
    let outgoing = graph.outgoing();
    let targets: BTreeSet<&str> = graph.edges.keys().filter(|(from, to)| from != to).map(|(_, to)| &**to).collect();
    let names = || graph.nodes.keys().map(String::as_str);
    // Nodes that are only on cycles have no natural start: the first one is used.
    let roots = names().filter(|name| !targets.contains(name)).chain(names().filter(|name| targets.contains(name)));
    let most = if options.all { usize::MAX } else { MAX_LINES };
    let mut tree = Tree { graph, outgoing, theme, seen: BTreeSet::new(), lines: Vec::new(), most, left: 0 };
    for root in roots {
        if !tree.seen.contains(root) {
            tree.branch(root, None, &mut String::new(), 0, "");
        }
    }
    for line in &tree.lines {
        writeln!(out, "{line}")?;
    }
    let cut = if graph.is_cut { ", more were left out" } else { "" };
    let total = format!("{}, {}{cut}", count(graph.nodes.len(), "node"), count(graph.edges.len(), "edge"));
    if tree.left > 0 {
        writeln!(out, "{}", theme.dim(&format!("and {} (--all lists them)", count(tree.left, "more line"))))?;
    }
    writeln!(out, "{}{}", if tree.lines.is_empty() { "" } else { "\n" }, theme.dim(&total))
}

struct Tree<'a> {
    graph: &'a Graph,
    outgoing: BTreeMap<&'a str, Vec<&'a str>>,
    theme: Theme,
    seen: BTreeSet<&'a str>,
    lines: Vec<String>,
    most: usize,
    left: usize,
}

impl<'a> Tree<'a> {
    fn branch(&mut self, name: &'a str, from: Option<&'a str>, indent: &mut String, depth: usize, joint: &str) {
        let is_known = !self.seen.insert(name);
        let branches: Vec<&'a str> = self.outgoing.get(name).cloned().unwrap_or_default();
        let again = if is_known && !branches.is_empty() { " (see above)" } else { "" };
        if self.lines.len() < self.most {
            let line = format!("{indent}{joint}{}{}", self.text(name, from), self.theme.dim(again));
            self.lines.push(line);
        } else {
            self.left += 1;
        }
        if is_known || depth > MAX_DEPTH {
            return;
        }
        let length = indent.len();
        match joint {
            "" => {}
            "└─ " => indent.push_str("   "),
            _ => indent.push_str("│  "),
        }
        for (i, next) in branches.iter().enumerate() {
            let joint = if i + 1 == branches.len() { "└─ " } else { "├─ " };
            self.branch(next, Some(name), indent, depth + 1, joint);
        }
        indent.truncate(length);
    }

    fn text(&self, name: &str, from: Option<&str>) -> String {
        let node = &self.graph.nodes[name];
        let edge = from.and_then(|from| self.graph.edges.get(&(from.to_owned(), name.to_owned())));
        let change = match edge.map_or(Change::Same, |edge| edge.change) {
            Change::Same => node.change,
            change => change,
        };
        let text = format!("{}{}", sign(change), escape(name));
        let text = match change {
            Change::Added => self.theme.added(&text),
            Change::Removed => self.theme.removed(&text),
            Change::Changed | Change::Reached | Change::Unresolved => self.theme.changed(&text),
            Change::Same => text,
        };
        let missing = if node.is_missing { " (not found)" } else { "" };
        let label = edge.filter(|edge| !edge.label.is_empty()).map(|edge| format!("  {}", escape(&edge.label)));
        format!("{text}{missing}{}", self.theme.dim(&label.unwrap_or_default()))
    }
}
