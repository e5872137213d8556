//! The instances of provider configurations, and what uses them.

use crate::hcl::ast::walk;
use crate::hcl::ast::{ExprKind, Span, TraversalStep};
use crate::hcl::val::Val;
use crate::hcl::val::export::export;
use crate::terraform::components::builder::{Builder, described};
use crate::terraform::components::providers::{label, module_prefix};
use crate::terraform::configuration::expansion::for_each_problems;
use crate::terraform::evaluation::shown::{at, exported};
use crate::terraform::evaluation::statics::{Identifier, Statics};
use crate::terraform::failure::Failure;
use crate::terraform::module::Module;
use crate::terraform::module::block::{self, ProviderUse};
use crate::terraform::rules;
use crate::text::Text;
use crate::value::{Map, Prov, Value};

/// The instances of a provider configuration.
#[derive(Debug)]
struct Instances {
    /// `aws.by_region`, with the module in front if it is not the root module.
    pub name: String,
    /// The keys, sorted, as the value that is compared.
    pub keys: Value,
}

/// Adds a component for each provider configuration that has several instances.
pub(crate) fn add(builder: &mut Builder<'_, '_>, failures: &mut Vec<Failure>) {
    for index in 0..builder.statics.nodes.len() {
        for found in resolve(builder.statics, index, failures) {
            let value = Value::map(Map::from_iter([("for_each".into(), found.keys)]));
            builder.add(described("provider", found.name, value), std::iter::empty());
        }
    }
}

/// The instances of all provider configurations of a module.
fn resolve(statics: &Statics<'_>, index: usize, failures: &mut Vec<Failure>) -> Vec<Instances> {
    let node = &statics.nodes[index];
    let mut found = Vec::new();
    for provider in &node.module.providers {
        let Some(written) = provider.block.arguments.get("for_each") else { continue };
        if provider.alias.is_none() {
            let span = Span { start: written.span.start, end: written.span.start + "for_each".len() as u32 };
            let message = "alias required when using \"for_each\": only provider configurations with an alias can have several instances";
            failures.push(Failure::new(&rules::PROVIDER_FOR_EACH, message, (written.file, span)));
        }
        let label = label(provider);
        let text = format!("{}provider.{label}.for_each", node.prefix);
        let value = match statics.value(index, written, Identifier { text, place: written.argument() }) {
            Ok(value) => value,
            Err(all) => {
                let keys = exported(statics, index, written, Err(all.clone()));
                found.push(Instances { name: format!("{}{label}", module_prefix(node)), keys });
                failures.extend(all);
                continue;
            }
        };
        let wrong = for_each_problems(&value);
        let name = format!("{}{label}", module_prefix(node));
        // An instance with an unknown name does not count as removed.
        let keys = keys(&value).filter(|_| wrong.is_empty()).map(|keys| keys.with_prov(prov(&value, at(written))));
        found
            .push(Instances { name, keys: keys.unwrap_or_else(|| exported(statics, index, written, Err(Vec::new()))) });
        let rule = |is_mark: bool| if is_mark { &rules::SENSITIVE } else { &rules::PROVIDER_FOR_EACH };
        failures
            .extend(wrong.into_iter().map(|(is_mark, message)| Failure::new(rule(is_mark), message, written.place())));
    }
    uses(&node.module, failures);
    found
}

/// The place of the argument, with everything that the value was computed from.
fn prov(value: &Val, at: Prov) -> Prov {
    at.with_inputs([value.prov.clone()])
}

fn keys(value: &Val) -> Option<Value> {
    let text = |key: &Text, value: &Val| Value::str(key.clone()).with_prov(export(value).prov);
    match (value.as_entries(), value.as_items()) {
        (Some(entries), _) => Some(Value::list(entries.iter().map(|(k, v)| text(k, v)).collect())),
        (_, Some(items)) => Some(Value::list(items.iter().filter_map(|v| Some(text(v.as_str()?, v))).collect())),
        _ => None,
    }
}

/// Uses of provider configurations: whether each names one instance.
fn uses(module: &Module, failures: &mut Vec<Failure>) {
    for used in &module.uses {
        if let Some(message) = wrong_use(module, used) {
            failures.push(Failure::new(&rules::PROVIDER_FOR_EACH, message, used.written.place()));
        }
    }
}

fn wrong_use(module: &Module, used: &ProviderUse) -> Option<String> {
    let expr = walk::unwrapped(&used.written.expr);
    let (name, alias) = block::configuration(expr)?;
    let has_key = match &expr.kind {
        ExprKind::Traversal(_, steps) | ExprKind::Access(_, steps) => {
            steps.iter().any(|step| matches!(step, TraversalStep::Index(..)))
        }
        kind => matches!(kind, ExprKind::Index(..)),
    };
    let known = module.providers.iter().find(|p| p.name == *name && p.alias.as_ref() == alias);
    let has_instances = known.is_some_and(|p| p.block.arguments.contains_key("for_each"));
    match (has_key, has_instances) {
        (true, false) => {
            let alias = alias.map_or_else(|| "no alias".to_owned(), |a| format!("alias = \"{a}\""));
            Some(format!(
                "this module declares no provider \"{name}\" with {alias} and for_each, so that it has no instance with a key"
            ))
        }
        (false, true) => Some("a provider configuration with for_each needs the key of an instance here".to_owned()),
        _ => None,
    }
}
