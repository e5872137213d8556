//! Providers: several entries of one name are merge patches, and entries for other environments do not count.

use super::{Part, Stage};
use crate::diagnostic::rules;
use crate::dialects::garden::actions::{check_provider, is_among, plugins};
use crate::dialects::garden::diagnostics::{Diagnostics, place_of};
use crate::dialects::garden::template::evaluation::Scope;
use crate::dialects::garden::template::node::{Lazy, Node};
use crate::text::Text;
use crate::value::Prov;
use indexmap::IndexMap;

/// Adds the providers of an environment. Returns whether they can be used.
pub(super) fn resolve(stage: &Stage<'_>, parts: &mut Vec<Part>, diagnostics: &Diagnostics) -> bool {
    let entries = stage.input.project.tree.get("providers").and_then(Node::as_list).cloned().unwrap_or_default();
    let before = diagnostics.breaking();
    let scope = Scope::new(stage.provider_context);
    let mut by_name: IndexMap<Text, Vec<Node>> = IndexMap::new();
    for entry in entries.iter() {
        let evaluated = match stage.evaluator.evaluate(entry, scope) {
            Ok(node) => node,
            Err(failure) => {
                diagnostics.failure(&failure);
                continue;
            }
        };
        let field = |key: &str| match evaluated.get(key).map(|node| stage.evaluator.deep(node, scope)) {
            Some(Ok(node)) => Some(node),
            Some(Err(failure)) => {
                diagnostics.failure(&failure);
                None
            }
            None => None,
        };
        let environments = field("environments");
        let name = field("name");
        let Some(name) = name.as_ref().and_then(Node::as_text) else {
            let message = "a provider needs a `name`";
            diagnostics.error(&rules::INVALID_CONFIG, message, place_of(&evaluated, "name"));
            continue;
        };
        if environments.as_ref().is_some_and(|all| !is_among(all, stage.environment())) {
            continue;
        }
        by_name.entry(Text::clone(name)).or_default().push(entry.clone());
    }
    for (name, entries) in by_name {
        let prov = Prov { origin: entries.last().and_then(|entry| entry.prov.origin), trail: None };
        let shaping = entries.iter().filter_map(|entry| entry.prov.origin).collect();
        let merged = Node::lazy(Lazy::Patch(entries), prov);
        // Outputs of plugins are unknown before they run.
        let roots =
            stage.unnamed.clone().with("providers", Node::unknown("`providers` are known when Garden runs them"));
        let roots = match stage.roots.get("environment") {
            Some(environment) => roots.with("environment", environment.clone()),
            None => roots,
        };
        let context = stage.context(&roots);
        let (config, _) = stage.deep(&merged, context, diagnostics);
        check(&name, &config, diagnostics);
        parts.push(Part::new("provider".into(), name, stage.value_of(&config), shaping));
    }
    diagnostics.breaking() == before
}

fn check(name: &Text, config: &Node, diagnostics: &Diagnostics) {
    if !plugins::exists(name) {
        let known = plugins::names().join(", ");
        let message = format!("there is no provider `{name}`: providers are {known}");
        diagnostics.error(&rules::INVALID_CONFIG, message, place_of(config, "name"));
    }
    check_provider(name, config, diagnostics);
}
