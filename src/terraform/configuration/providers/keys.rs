//! The keys by which resources and modules select instances of provider configurations.

use crate::hcl::ast::{ExprKind, Key, TraversalStep, walk};
use crate::hcl::types::Type;
use crate::hcl::types::convert::convert;
use crate::hcl::val::{Marks, Val};
use crate::terraform::configuration::frame::{At, Evaluation, Frame};
use crate::terraform::configuration::managers::{is_labelled, label, of_type};
use crate::terraform::failure::Failure;
use crate::terraform::module::block::{Provider, Written};
use crate::terraform::rules;
use crate::text::Text;
use std::rc::Rc;
use std::sync::Arc;

impl Evaluation<'_, '_> {
    /// The keys of the instances of a provider configuration; `None` if it has no keys, or if they are not known.
    pub(super) fn provider_keys(&self, frame: &Rc<Frame>, provider: &Provider) -> Option<Vec<Text>> {
        let keys = self.value(&At::module(frame), provider.block.arguments.get("for_each")?);
        match (keys.as_entries(), keys.as_items()) {
            (Some(entries), _) => Some(entries.keys().cloned().collect()),
            (_, Some(items)) => items.iter().map(|item| item.as_str().cloned()).collect(),
            _ => None,
        }
    }

    /// Reports that what an expression selects is none of the instances of a provider configuration.
    pub(super) fn selects(&self, at: &At<'_>, label: &str, known: &[Text], written: &Written) {
        let key = match &walk::unwrapped(&written.expr).kind {
            ExprKind::Index(_, key) => {
                let (span, expr) = (key.span, Arc::new((**key).clone()));
                self.instance_key(at, &Written { expr, span, ..written.clone() })
            }
            ExprKind::Traversal(_, steps) => steps.iter().find_map(literal),
            _ => None,
        };
        if let Some(key) = key.filter(|key| !known.contains(key)) {
            let message = format!("provider instance not present: {label} has no instance \"{key}\"");
            self.report(Failure::new(&rules::UNDEFINED_NAME, message, written.place()));
        }
    }

    /// Checks the instances that calls pass to modules in which something is managed by them.
    pub(super) fn passed_instances(&self, frame: &Rc<Frame>) {
        let module = self.module(frame);
        for (name, call) in module.calls.iter().filter(|(name, _)| self.enters(frame, name)) {
            let Some(passed) = call.arguments.get("providers") else { continue };
            let ExprKind::Object(items) = &walk::unwrapped(&passed.expr).kind else { continue };
            for (inside, value) in items {
                let Some((inside, outside)) = label(inside).zip(label(value)) else { continue };
                let provider = module.providers.iter().find(|provider| is_labelled(provider, &outside));
                let Some(known) = provider.and_then(|provider| self.provider_keys(frame, provider)) else { continue };
                let Some(called) = self.call(frame, name) else { continue };
                let written = Written { expr: Arc::new(value.clone()), span: value.span, ..passed.clone() };
                for (repeat, _) in called.frames.iter().filter(|(_, child)| self.manages(child, &inside)) {
                    self.selects(&At { repeat, ..At::module(frame) }, &outside, &known, &written);
                }
            }
        }
    }

    /// Whether a provider configuration manages an instance in a module itself.
    fn manages(&self, frame: &Rc<Frame>, wanted: &str) -> bool {
        self.module(frame).resources.iter().any(|(address, declared)| {
            let named = declared.arguments.get("provider").and_then(|written| label(&written.expr));
            named.as_deref().unwrap_or_else(|| of_type(address)) == wanted
                && self.block(frame, address).is_some_and(|block| !block.planned.is_empty())
        })
    }

    /// The key that selects an instance of a provider configuration; `None` if it is not known, or if it selects none, which is
    /// reported.
    fn instance_key(&self, at: &At<'_>, written: &Written) -> Option<Text> {
        let value = self.value(at, written);
        let wrong = |rule, why: &str| {
            let message = format!("invalid provider instance key: {why}");
            self.report_at(at, Failure::new(rule, message, written.place()));
            None
        };
        for (mark, word) in [(Marks::SENSITIVE, "sensitive"), (Marks::EPHEMERAL, "ephemeral")] {
            if value.marks.has(mark) {
                return wrong(&rules::SENSITIVE, &format!("it is {word}"));
            }
        }
        match convert(&value, &Type::Str) {
            _ if value.is_failed() => None,
            Ok(key) if key.is_null() => wrong(&rules::INVALID_VALUE, "it is null"),
            Ok(key) => key.as_str().cloned(),
            Err(why) => wrong(&rules::INVALID_VALUE, &why.text()),
        }
    }
}

/// A literal key, as a text.
fn literal(step: &TraversalStep) -> Option<Text> {
    match step {
        TraversalStep::Index(Key::Text(text), _) => Some(text.clone()),
        TraversalStep::Index(Key::Number(number), _) => {
            convert(&Val::number(number.clone()), &Type::Str).ok()?.as_str().cloned()
        }
        TraversalStep::Attribute(_) => None,
    }
}
