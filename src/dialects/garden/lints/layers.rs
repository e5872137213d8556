//! Variables of one layer without the expected effect, because a lower layer has some of the same names.

use crate::diagnostic::Diagnostic;
use crate::dialects::garden::diagnostics::Diagnostics;
use crate::dialects::garden::project::{ProjectConfig, Resource};
use crate::dialects::garden::rules::{GARDEN_PARENT_SHADOW, GARDEN_SCALAR_OBJECT_MERGE};
use crate::dialects::garden::template::node::{Data, Node};
use crate::dialects::garden::template::uses::each_use;
use crate::text::Text;
use std::sync::Arc;

/// Examines the variables of environments, and of actions, above those of the project.
pub(super) fn check(config: &ProjectConfig, resources: &[Arc<Resource>], diagnostics: &Diagnostics) {
    let Some(below) = config.tree.get("variables") else { return };
    for environment in &config.environments {
        if let Some(above) = environment.tree.get("variables") {
            shadowed(below, above, "this environment", diagnostics);
            over_scalar(below, above, diagnostics);
        }
    }
    for resource in resources.iter().filter(|r| matches!(r.kind.as_str(), "Build" | "Deploy" | "Run" | "Test")) {
        if let Some(above) = resource.tree.get("variables") {
            shadowed(below, above, "this action", diagnostics);
            over_scalar(below, above, diagnostics);
        }
    }
}

/// Variables that read another one of their layer by a name that the project has too: they get that of the project.
fn shadowed(below: &Node, above: &Node, whose: &str, diagnostics: &Diagnostics) {
    let (Some(lower), Some(upper)) = (below.as_map(), above.as_map()) else { return };
    for (name, value) in upper.iter() {
        let mut read: Vec<&str> = Vec::new();
        each_use(value, &mut |used| {
            if let [Some("var" | "variables"), Some(peer), ..] = used.path().as_slice()
                && !read.contains(peer)
            {
                read.push(peer);
            }
        });
        for peer in read.into_iter().filter(|peer| **peer != **name) {
            let (Some(own), Some(parent)) = (upper.get(peer), lower.get(peer)) else { continue };
            if !is_single(parent) || same(own, parent) {
                continue;
            }
            let message = format!("`{name}` reads the `{peer}` of the project, not the one of {whose}");
            let mut label = diagnostics.label(&parent.prov);
            label.message = "the value that is read".to_owned();
            let finding =
                Diagnostic::new(&GARDEN_PARENT_SHADOW, message, diagnostics.label(&value.prov)).related(label);
            let help = "a variable that reads another one gets it from the layer below, if that has it: write the value \
                        out, or use another name";
            diagnostics.report(finding.help(help).token(peer));
        }
    }
}

/// Whether a value is known to be no mapping: of mappings of two layers each key is looked up alone.
fn is_single(node: &Node) -> bool {
    matches!(node.data, Data::Bool(_) | Data::Number(_) | Data::Text(_) | Data::List(_))
}

/// Mappings over single values: a lookup finds the single value.
fn over_scalar(below: &Node, above: &Node, diagnostics: &Diagnostics) {
    let (Some(lower), Some(upper)) = (below.as_map(), above.as_map()) else { return };
    for (name, value) in upper.iter() {
        let Some(known) = lower.get(name) else { continue };
        let is_scalar = matches!(known.data, Data::Null | Data::Bool(_) | Data::Number(_) | Data::Text(_));
        match value.as_map() {
            Some(map) if is_scalar && !map.is_empty() => refuse(name, value, known, diagnostics),
            _ => over_scalar(known, value, diagnostics),
        }
    }
}

fn refuse(name: &Text, value: &Node, known: &Node, diagnostics: &Diagnostics) {
    let message = format!("`{name}` keeps the scalar value of the project: a map does not override it");
    let mut label = diagnostics.label(&known.prov);
    label.message = "the value that stays".to_owned();
    let finding = Diagnostic::new(&GARDEN_SCALAR_OBJECT_MERGE, message, diagnostics.label(&value.prov)).related(label);
    let help = "a mapping does not replace a value of a lower layer: use another name, or make both mappings";
    diagnostics.report(finding.help(help).token(name.as_str()));
}

/// Whether two values are written alike, wherever that is.
fn same(a: &Node, b: &Node) -> bool {
    match (&a.data, &b.data) {
        (Data::Undefined, Data::Undefined) | (Data::Null, Data::Null) => true,
        (Data::Bool(a), Data::Bool(b)) => a == b,
        (Data::Number(a), Data::Number(b)) => a.to_bits() == b.to_bits(),
        (Data::Text(a), Data::Text(b)) => a == b,
        (Data::List(a), Data::List(b)) => a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| same(a, b)),
        (Data::Map(a), Data::Map(b)) => {
            a.len() == b.len() && a.iter().zip(b.iter()).all(|((k, a), (l, b))| k == l && same(a, b))
        }
        (Data::Lazy(a), Data::Lazy(b)) => same(&a.source(), &b.source()),
        _ => false,
    }
}
