//! Checks for redundant declarations of actions, and for values that differ in each run.

use super::report;
use crate::dialects::garden::actions;
use crate::dialects::garden::diagnostics::Diagnostics;
use crate::dialects::garden::project::Resource;
use crate::dialects::garden::rules::{GARDEN_IMPURE, GARDEN_REDUNDANT_DEPENDENCY};
use crate::dialects::garden::template::node::Node;
use crate::dialects::garden::template::uses::{UseKind, each_use};

/// Examines an action, or the actions of a template.
pub(super) fn check(resource: &Resource, diagnostics: &Diagnostics) {
    match resource.kind.as_str() {
        "Build" | "Deploy" | "Run" | "Test" => action(&resource.tree, diagnostics),
        "ConfigTemplate" => {
            let configs = resource.tree.get("configs").and_then(Node::as_list);
            configs.into_iter().flat_map(|all| all.iter()).for_each(|config| action(config, diagnostics));
        }
        _ => {}
    }
}

fn action(tree: &Node, diagnostics: &Diagnostics) {
    for (entry, name, how) in actions::redundant(tree) {
        let message = format!("redundant dependency `{name}`: {how}");
        let help = "remove it from `dependencies`";
        report(diagnostics, &GARDEN_REDUNDANT_DEPENDENCY, &entry.prov, message, help, &name);
    }
    for key in ["spec", "variables"] {
        tree.get(key).into_iter().for_each(|node| impure(node, diagnostics));
    }
}

/// Values that are others each time Garden runs, and with them the version of the action.
fn impure(node: &Node, diagnostics: &Diagnostics) {
    let mut found = Vec::new();
    each_use(node, &mut |used| {
        let what = match used.kind {
            UseKind::Call(name) if *name == *"uuidv4" => "uuidv4()",
            UseKind::Lookup(_) if used.path().first() == Some(&Some("datetime")) => "datetime",
            _ => return,
        };
        found.push((what, used.place));
    });
    for (what, place) in found {
        let message =
            format!("`{what}` has another value each time Garden runs, so the version of this action changes");
        let help = "results of the action are never reused: give it a value that changes when the action does";
        report(diagnostics, &GARDEN_IMPURE, place, message, help, what.trim_end_matches("()"));
    }
}
