//! The provider configurations of modules: those that resources and modules need are there, and what they contain can be evaluated.

mod keys;

use crate::hcl::ast::{Block, ExprKind, TraversalStep, walk};
use crate::terraform::configuration::frame::{At, Evaluation, Frame};
use crate::terraform::configuration::managers::{is_labelled, label, of_type, passed_as};
use crate::terraform::configuration::module_tree::Tree;
use crate::terraform::evaluation::statics::{Node, Statics};
use crate::terraform::failure::Failure;
use crate::terraform::module::block::{Declared, Provider, Written};
use crate::terraform::rules;
use crate::value::FileId;
use std::collections::HashSet;
use std::rc::Rc;

/// Arguments of a provider configuration that are not evaluated with the others.
const META: [&str; 3] = ["alias", "for_each", "version"];

/// Reports calls that do not pass the provider configurations that their modules ask for, and do not have themselves; and those
/// that pass one that the calling module does not have.
pub(super) fn check(tree: &Tree<'_>) -> Vec<Failure> {
    let mut failures = Vec::new();
    for node in tree.nodes.iter().filter(|node| !node.module.is_open) {
        failures.extend(node.module.calls.values().flat_map(|call| passed_on(tree, node, call)));
        let Some((parent, name)) = node.parent.zip(node.path.last()) else { continue };
        let Some(call) = tree.nodes[parent].module.calls.get(name) else { continue };
        let passed = call.arguments.get("providers");
        failures.extend(passed.into_iter().flat_map(|passed| unfit(&tree.nodes[parent], node, passed)));
        for label in aliases(node) {
            let is_passed = passed.is_some_and(|passed| passes(passed, &label));
            if !is_passed && !node.module.providers.iter().any(|provider| is_labelled(provider, &label)) {
                let message = format!(
                    "missing required provider configuration: module.{name} needs {label}, which \"providers\" does not pass"
                );
                failures.push(Failure::new(&rules::UNDEFINED_NAME, message, call.place));
            }
        }
    }
    failures
}

/// The configurations that a call passes although its module neither has nor receives them. A called module receives what its own
/// call passes, and nothing else: it inherits the others for its resources, not to pass them on.
fn passed_on(tree: &Tree<'_>, node: &Node, call: &Declared) -> Vec<Failure> {
    let Some(written) = call.arguments.get("providers") else { return Vec::new() };
    let ExprKind::Object(items) = &walk::unwrapped(&written.expr).kind else { return Vec::new() };
    let received = node.parent.zip(node.path.last()).map(|(parent, name)| {
        let own_call = tree.nodes[parent].module.calls.get(name);
        own_call.and_then(|own_call| own_call.arguments.get("providers"))
    });
    let is_there = |label: &str| match received {
        _ if node.module.providers.iter().any(|provider| is_labelled(provider, label)) => true,
        Some(received) => received.is_some_and(|received| passes(received, label)),
        None => node.module.required_providers.contains_key(label) || aliases(node).iter().any(|alias| alias == label),
    };
    let missing = items.iter().filter_map(|(key, value)| {
        let (inside, label) = (label(key)?, label(value)?);
        let is_same_provider = inside.split('.').next() == label.split('.').next();
        (is_same_provider && !is_there(&label)).then(|| {
            let message = match received {
                None => format!("missing provider configuration: \"providers\" passes {label}, which is not declared"),
                Some(_) => format!(
                    "missing provider configuration: \"providers\" passes {label}, which is neither declared in module.{} nor passed to it",
                    node.path.join(".module.")
                ),
            };
            Failure::new(&rules::UNDEFINED_NAME, message, (written.file, value.span))
        })
    });
    missing.collect()
}

/// The configurations that a call passes to a module that has its own, or that are of another provider than the module's.
fn unfit(parent: &Node, node: &Node, passed: &Written) -> Vec<Failure> {
    let ExprKind::Object(items) = &walk::unwrapped(&passed.expr).kind else { return Vec::new() };
    let name = node.path.join(".module.");
    let wrong = |message: String, span| Failure::new(&rules::INVALID_DECLARATION, message, (passed.file, span));
    let mut failures = Vec::new();
    for (key, value) in items {
        let Some((inside, outside)) = label(key).zip(label(value)) else { continue };
        if node.module.providers.iter().any(|own| is_labelled(own, &inside) && is_configured(own)) {
            let message = format!(
                "cannot override provider configuration: module.{name} has its own configuration of {inside}, and takes no other"
            );
            failures.push(wrong(message, key.span));
        }
        // A requirement that is named as the called module names it goes first.
        let is_required = parent.module.required_providers.contains_key(&*inside);
        let given = source_of(parent, if is_required { &inside } else { &outside });
        if let Some((given, wanted)) = given.zip(source_of(node, &inside))
            && given != wanted
        {
            let message = format!(
                "provider type mismatch: {outside} is a configuration of {given}, and {inside} of module.{name} is of {wanted}"
            );
            failures.push(wrong(message, value.span));
        }
    }
    failures
}

/// Whether a provider block says more than that a configuration is passed in.
fn is_configured(provider: &Provider) -> bool {
    let block = &provider.block;
    !block.blocks.is_empty() || block.arguments.keys().any(|name| &**name != "alias" && &**name != "for_each")
}

/// The address of the provider that a label (`aws`, `aws.west`) means in a module; `None` if it is not known. The two public registries
/// have the same providers.
fn source_of(node: &Node, label: &str) -> Option<String> {
    let local = label.split('.').next().unwrap_or_default();
    let required = node.module.required_providers.get(local);
    let source = match required.map(|written| &walk::unwrapped(&written.expr).kind) {
        Some(ExprKind::Object(items)) => {
            let source = items.iter().find(|(key, _)| walk::name(key) == Some("source"));
            match source {
                Some((_, value)) => Some(walk::constant_text(value)?.to_lowercase()),
                None => None,
            }
        }
        _ => None,
    };
    let source = source.unwrap_or_else(|| match local {
        "terraform" => "terraform.io/builtin/terraform".to_owned(),
        local => local.to_lowercase(),
    });
    Some(match source.split('/').collect::<Vec<_>>().as_slice() {
        [name] => format!("hashicorp/{name}"),
        ["registry.opentofu.org" | "registry.terraform.io", namespace, name] => format!("{namespace}/{name}"),
        _ => source,
    })
}

/// The configurations that a module asks its callers for.
fn aliases(node: &Node) -> Vec<String> {
    let of_provider = |written: &Written| {
        let ExprKind::Object(items) = &walk::unwrapped(&written.expr).kind else { return Vec::new() };
        let asked = items.iter().find(|(key, _)| walk::name(key) == Some("configuration_aliases"));
        match asked.map(|(_, value)| &walk::unwrapped(value).kind) {
            Some(ExprKind::Tuple(aliases)) => aliases.iter().filter_map(label).collect(),
            _ => Vec::new(),
        }
    };
    node.module.required_providers.values().flat_map(of_provider).collect()
}

impl Evaluation<'_, '_> {
    /// Reports resources of provider configurations that are not there.
    pub(super) fn providers(&self, frame: &Rc<Frame>) {
        let module = self.module(frame);
        let node = &self.statics.nodes[frame.node];
        for (_, declared) in self.resources(frame, &module) {
            let Some(written) = declared.arguments.get("provider") else { continue };
            let expr = walk::unwrapped(&written.expr);
            let base = if let ExprKind::Index(base, _) = &expr.kind { &**base } else { expr };
            let ExprKind::Traversal(name, steps) = &base.kind else { continue };
            let Some(TraversalStep::Attribute(alias)) = steps.first() else { continue };
            let found = module.providers.iter().find(|p| p.name == name.text && p.alias.as_ref() == Some(&alias.text));
            let label = format!("{}.{}", name.text, alias.text);
            match found {
                None if !is_passed(self.statics, node, &label) => {
                    let message = format!(
                        "provider configuration not present: no provider configuration {label} is declared, or passed to the module"
                    );
                    self.report(Failure::new(&rules::UNDEFINED_NAME, message, written.place()));
                }
                Some(provider) => {
                    let Some(known) = self.provider_keys(frame, provider) else { continue };
                    for repeat in self.expand(&At::module(frame), declared).repeats() {
                        self.selects(&At { repeat: &repeat, ..At::module(frame) }, &label, &known, written);
                    }
                }
                None => {}
            }
        }
        self.passed_instances(frame);
    }

    /// Evaluates the provider configurations of a module that manage something.
    pub(super) fn configurations(&self, frame: &Rc<Frame>) {
        let module = self.module(frame);
        let used = self.managing.get_or_init(|| managing(self.statics));
        let is_used = |provider: &&Provider| used.contains(&(frame.node, name_of(provider)));
        for provider in module.providers.iter().filter(is_used) {
            let at = At::module(frame);
            let blocks = provider.block.blocks.iter().map(|nested| (nested.file, &nested.block));
            let blocks: Vec<(FileId, &Block)> = blocks.collect();
            for repeat in self.expand(&at, &provider.block).repeats() {
                let at = At { repeat: &repeat, ..at };
                for (_, written) in provider.block.arguments.iter().filter(|(name, _)| !META.contains(&&***name)) {
                    self.value(&at, written);
                }
                self.blocks(&at, &blocks, None, 0);
            }
        }
    }
}

/// The provider configurations that manage resources, with the modules that declare them.
fn managing(statics: &Statics<'_>) -> HashSet<(usize, String)> {
    let mut found = HashSet::new();
    for (index, node) in statics.nodes.iter().enumerate() {
        for (address, declared) in &node.module.resources {
            let named = declared.arguments.get("provider").and_then(|written| label(&written.expr));
            let mut name = named.unwrap_or_else(|| of_type(address).to_owned());
            let mut at = index;
            while !statics.nodes[at].module.providers.iter().any(|provider| is_labelled(provider, &name)) {
                let Some((parent, call)) = statics.nodes[at].parent.zip(statics.nodes[at].path.last()) else { break };
                let passed = statics.nodes[parent].module.calls.get(call).and_then(|c| c.arguments.get("providers"));
                name = passed.and_then(|passed| label(passed_as(&passed.expr, &name)?)).unwrap_or(name);
                at = parent;
            }
            found.insert((at, name));
        }
    }
    let imports = statics.nodes[0].module.refactorings.iter().filter_map(|r| r.block.arguments.get("provider"));
    found.extend(imports.filter_map(|written| Some((0, label(&written.expr)?))));
    found
}

/// `aws.west`, or `aws` without an alias.
fn name_of(provider: &Provider) -> String {
    match &provider.alias {
        Some(alias) => format!("{}.{alias}", provider.name),
        None => provider.name.to_string(),
    }
}

/// Whether the call of a module passes a provider configuration to it.
fn is_passed(statics: &Statics<'_>, node: &Node, label: &str) -> bool {
    let Some(parent) = node.parent else { return false };
    let call = node.path.last().and_then(|name| statics.nodes[parent].module.calls.get(name));
    call.and_then(|call| call.arguments.get("providers")).is_some_and(|providers| passes(providers, label))
}

/// Whether `providers` pass a configuration, or may.
fn passes(providers: &Written, label: &str) -> bool {
    match &walk::unwrapped(&providers.expr).kind {
        ExprKind::Object(_) => passed_as(&providers.expr, label).is_some(),
        _ => true,
    }
}
