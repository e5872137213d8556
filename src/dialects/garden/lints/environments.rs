//! Environments that are named and that the project does not have.

use crate::diagnostic::Diagnostic;
use crate::dialects::garden::diagnostics::Diagnostics;
use crate::dialects::garden::project::{ProjectConfig, Resource};
use crate::dialects::garden::rules::GARDEN_UNKNOWN_ENVIRONMENT;
use crate::dialects::garden::template::node::Node;
use crate::text::nearest;
use std::sync::Arc;

/// Reports them. Names that are templates are not known here.
pub(super) fn check(config: &ProjectConfig, resources: &[Arc<Resource>], diagnostics: &Diagnostics) {
    let mut named: Vec<(&Node, String)> = Vec::new();
    let list = |node: &'_ Node, key: &str| node.get(key).and_then(Node::as_list).cloned().unwrap_or_default();
    let providers = list(&config.tree, "providers");
    for provider in providers.iter() {
        add(provider, "this provider", &mut named);
    }
    let configs: Vec<_> = resources.iter().map(|resource| list(&resource.tree, "configs")).collect();
    for resource in resources {
        match resource.kind.as_str() {
            kind @ ("Build" | "Deploy" | "Run" | "Test") => add(&resource.tree, &format!("this {kind}"), &mut named),
            "Workflow" => {
                let triggers = resource.tree.get("triggers").and_then(Node::as_list);
                for node in triggers.into_iter().flat_map(|all| all.iter()).filter_map(|t| t.get("environment")) {
                    named.push((node, "this trigger".to_owned()));
                }
            }
            _ => {}
        }
    }
    for config in configs.iter().flat_map(|all| all.iter()) {
        add(config, "this config", &mut named);
    }
    let known: Vec<&str> = config.environments.iter().map(|environment| environment.name.as_str()).collect();
    for (node, what) in named {
        let Some(text) = node.as_text() else { continue };
        // A namespace may precede the name.
        let name = text.rsplit('.').next().unwrap_or_default();
        if name.is_empty() || known.contains(&name) {
            continue;
        }
        let message = format!("{what} is for the environment `{name}`, which the project does not define");
        let help = match nearest(name, known.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("environments are {}", known.join(", ")),
        };
        let finding = Diagnostic::new(&GARDEN_UNKNOWN_ENVIRONMENT, message, diagnostics.label(&node.prov));
        diagnostics.report(finding.help(help).token(name));
    }
}

/// Adds the environments that something is limited to.
fn add<'a>(node: &'a Node, what: &str, named: &mut Vec<(&'a Node, String)>) {
    let items = node.get("environments").and_then(Node::as_list);
    named.extend(items.into_iter().flat_map(|items| items.iter()).map(|item| (item, what.to_owned())));
}
