//! Checks for configuration with another effect than it seems to have. They examine files as written, independent of
//! environments.

mod actions;
mod environments;
mod inputs;
mod layers;

use crate::diagnostic::{Diagnostic, Rule};
use crate::dialects::garden::diagnostics::Diagnostics;
use crate::dialects::garden::project::{Loaded, ProjectConfig, Resource};
use crate::dialects::garden::rules;
use crate::dialects::garden::template::node::keys;
use crate::dialects::garden::template::node::{Data, Lazy, Node};
use crate::dialects::garden::template::syntax::ast::{Block, ExprKind, LanguageVersion, Part};
use crate::value::Prov;

/// Runs all of them.
pub(crate) fn check(loaded: &Loaded, diagnostics: &Diagnostics) {
    let Some(config) = &loaded.config else { return };
    for node in loaded.resources.iter().map(|resource| &resource.tree).chain([&config.tree]) {
        LintWalk { diagnostics, era: config.era }.node(node, false);
    }
    for resource in &loaded.resources {
        matrix(resource, diagnostics);
        inputs::check(resource, diagnostics);
        actions::check(resource, diagnostics);
    }
    lists(config, diagnostics);
    layers::check(config, &loaded.resources, diagnostics);
    environments::check(config, &loaded.resources, diagnostics);
}

fn report(diagnostics: &Diagnostics, rule: &'static Rule, place: &Prov, message: String, help: &str, token: &str) {
    let label = diagnostics.label(place);
    diagnostics.report(Diagnostic::new(rule, message, label).help(help).token(token));
}

struct LintWalk<'a> {
    diagnostics: &'a Diagnostics,
    era: LanguageVersion,
}

impl LintWalk<'_> {
    /// Checks a value; `in_list` says whether it is an item of a list.
    fn node(&mut self, node: &Node, in_list: bool) {
        match &node.data {
            Data::List(items) => items.iter().for_each(|item| self.node(item, true)),
            Data::Map(map) => {
                self.map(node, in_list);
                map.iter().for_each(|(_, value)| self.node(value, false));
            }
            Data::Lazy(lazy) => match &**lazy {
                Lazy::Template(template) => {
                    if self.era == LanguageVersion::Cedar && ends_optional(&template.block) {
                        let message = format!(
                            "`?` after `{}` does not make the reference optional",
                            template.raw.trim_end_matches('?')
                        );
                        let help = "write `${x || null}` or `${x || ''}`: the suffix has no meaning since Garden 0.14";
                        report(
                            self.diagnostics,
                            &rules::GARDEN_OPTIONAL_SUFFIX,
                            &node.prov,
                            message,
                            help,
                            &template.raw,
                        );
                    }
                }
                Lazy::Operator(operator) => self.source(&operator.source, in_list),
                Lazy::Captured { .. } | Lazy::Patch(_) => {}
            },
            _ => {}
        }
    }

    /// Examines the parts of an operator as they are written.
    fn source(&mut self, node: &Node, in_list: bool) {
        match &node.data {
            Data::List(items) => items.iter().for_each(|item| self.source(item, true)),
            Data::Map(map) => {
                self.map(node, in_list);
                let flattens = node.get(keys::FOR_EACH).is_some();
                for (key, value) in map.iter() {
                    match value.get(keys::CONCAT) {
                        Some(_) if flattens && *key == *keys::RETURN => self.flattened(value),
                        _ => self.source(value, false),
                    }
                }
            }
            _ => {}
        }
    }

    /// `$return: {$concat: …}` may have no other keys.
    fn flattened(&mut self, node: &Node) {
        let Some(map) = node.as_map() else { return };
        for (key, value) in map.iter().filter(|(key, _)| *key != keys::CONCAT) {
            let message = format!("`{key}` beside `$concat` in `$return` is ignored");
            let help = "put it into the items of the list";
            report(self.diagnostics, &rules::GARDEN_OPERATOR_WITHOUT_EFFECT, &value.prov, message, help, key);
        }
        if let Some(inner) = map.get(keys::CONCAT) {
            self.source(inner, false);
        }
    }

    fn map(&mut self, node: &Node, in_list: bool) {
        let needs = |key: &str| match key {
            keys::CONCAT if !in_list => Some(("is not in a list", "write it as an item of a list: `- $concat: …`")),
            keys::THEN | keys::ELSE if node.get(keys::IF).is_none() => {
                Some(("has no `$if` beside it", "add `$if`, or remove it"))
            }
            keys::RETURN | keys::FILTER if node.get(keys::FOR_EACH).is_none() => {
                Some(("has no `$forEach` beside it", "add `$forEach`, or remove it"))
            }
            _ => None,
        };
        let Some(map) = node.as_map() else { return };
        if in_list && let (Some(condition), None) = (node.get(keys::IF), node.get(keys::ELSE)) {
            let message = "where this `$if` is false, the list has an item without a value".to_owned();
            let help = "write `- $concat: {$if: …, $then: […], $else: []}`, or add `$else`";
            report(self.diagnostics, &rules::GARDEN_UNDEFINED_ITEM, &condition.prov, message, help, keys::IF);
        }
        if let Some(index) = map.keys().position(|key| *key == keys::MERGE).filter(|index| *index > 0)
            && let Some(merge) = node.get(keys::MERGE)
        {
            let before: Vec<String> = map.keys().take(index).map(|key| format!("`{key}`")).collect();
            let message = format!("`$merge` comes after {} and overrides what it has as well", before.join(", "));
            let help = "write `$merge` first, so that the keys beside it count";
            report(self.diagnostics, &rules::GARDEN_MERGE_ORDER, &merge.prov, message, help, keys::MERGE);
        }
        for (key, value) in map.iter() {
            if let Some((why, help)) = needs(key) {
                let message = format!("`{key}` {why}, so it is an ordinary key");
                report(self.diagnostics, &rules::GARDEN_OPERATOR_WITHOUT_EFFECT, &value.prov, message, help, key);
            }
        }
    }
}

/// Whether a text is one lookup with a `?` behind it.
fn ends_optional(block: &Block) -> bool {
    match block.parts.as_slice() {
        [Part::Format(format), Part::Text(text)] => {
            text.as_str() == "?" && matches!(format.expr.kind, ExprKind::Lookup(_))
        }
        _ => false,
    }
}

/// A matrix with one key and several values.
fn matrix(resource: &Resource, diagnostics: &Diagnostics) {
    if *resource.kind != *"RenderTemplate" {
        return;
    }
    let Some(matrix) = resource.tree.get("matrix").and_then(Node::as_map) else { return };
    let mut entries = matrix.iter();
    let (Some((key, values)), None) = (entries.next(), entries.next()) else { return };
    if let Some(items) = values.as_list()
        && items.len() > 1
    {
        let message = format!("of the {} values of `{key}` only the last one is rendered", items.len());
        let help = "write one RenderTemplate for each value, or add a second key with one value";
        report(diagnostics, &rules::GARDEN_MATRIX_SINGLE_KEY, &values.prov, message, help, key);
    }
}

/// Lists of an environment that are shorter than the ones of the project that they are to replace.
fn lists(config: &ProjectConfig, diagnostics: &Diagnostics) {
    let Some(below) = config.tree.get("variables") else { return };
    for environment in &config.environments {
        if let Some(above) = environment.tree.get("variables") {
            shorter(below, above, diagnostics);
        }
    }
}

fn shorter(below: &Node, above: &Node, diagnostics: &Diagnostics) {
    let (Some(lower), Some(upper)) = (below.as_map(), above.as_map()) else { return };
    for (name, value) in upper.iter() {
        let Some(known) = lower.get(name) else { continue };
        match (known.as_list(), value.as_list()) {
            (Some(known_items), Some(items)) if items.len() < known_items.len() => {
                let (replaced, all) = (items.len(), known_items.len());
                let verb = if replaced == 1 { "is" } else { "are" };
                let message = format!(
                    "`{name}` replaces the project's list index by index: {replaced} of {all} items {verb} overwritten"
                );
                let help =
                    "lists of several layers are merged index by index: use another variable for the longer list";
                let mut label = diagnostics.label(&known.prov);
                label.message = "the items that stay".to_owned();
                let primary = diagnostics.label(&value.prov);
                let finding = Diagnostic::new(&rules::GARDEN_ARRAY_INDEX_MERGE, message, primary);
                diagnostics.report(finding.related(label).help(help).token(name.as_str()));
            }
            _ => shorter(known, value, diagnostics),
        }
    }
}
