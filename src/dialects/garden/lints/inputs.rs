//! Inputs that a template declares and does not read.

use super::report;
use crate::dialects::garden::diagnostics::Diagnostics;
use crate::dialects::garden::project::Resource;
use crate::dialects::garden::rules::GARDEN_UNUSED_INPUT;
use crate::dialects::garden::template::node::{Data, Lazy, Node};
use std::collections::BTreeSet;

/// Reports them, unless a template reads inputs by names that it computes, or all of them at once.
pub(super) fn check(resource: &Resource, diagnostics: &Diagnostics) {
    if *resource.kind != *"ConfigTemplate" {
        return;
    }
    let Some(declared) = resource.tree.get("inputs").and_then(Node::as_map) else { return };
    let mut read = Read::default();
    for key in ["configs", "modules"] {
        resource.tree.get(key).into_iter().for_each(|node| read.node(node));
    }
    if read.all {
        return;
    }
    for (name, node) in declared.iter().filter(|(name, _)| !read.names.contains(name.as_str())) {
        let message = format!("this template does not use its input `{name}`");
        report(
            diagnostics,
            &GARDEN_UNUSED_INPUT,
            &node.prov,
            message,
            "use it, or remove it here and where it is set",
            name,
        );
    }
}

/// The inputs that texts read.
#[derive(Default)]
struct Read {
    names: BTreeSet<String>,
    /// Whether they may read any.
    all: bool,
}

impl Read {
    fn node(&mut self, node: &Node) {
        match &node.data {
            Data::List(items) => items.iter().for_each(|item| self.node(item)),
            Data::Map(map) => map.iter().for_each(|(_, value)| self.node(value)),
            Data::Text(text) => self.text(text),
            Data::Lazy(lazy) => match &**lazy {
                Lazy::Template(template) => self.text(&template.raw),
                Lazy::Operator(operator) => self.node(&operator.source),
                Lazy::Captured { node, .. } => self.node(node),
                Lazy::Patch(nodes) => nodes.iter().for_each(|node| self.node(node)),
            },
            _ => {}
        }
    }

    /// Collects the names after `inputs.` and in `inputs["…"]`. Text outside of templates only adds unused names.
    fn text(&mut self, text: &str) {
        for (at, word) in text.match_indices("inputs") {
            let rest = &text[at + word.len()..];
            let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '$');
            let literal = rest.strip_prefix('[').and_then(|rest| {
                let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
                rest[1..].split_once(quote).filter(|(_, after)| after.starts_with(']')).map(|(name, _)| name)
            });
            match (rest.strip_prefix('.'), literal) {
                (Some(rest), _) if rest.starts_with(is_name) => {
                    self.names.insert(rest.chars().take_while(|c| is_name(*c)).collect());
                }
                (_, Some(name)) => drop(self.names.insert(name.to_owned())),
                _ => self.all = true,
            }
        }
    }
}
