//! The provider configurations that manage instances: those of the root module, whatever modules call them.

use crate::hcl::ast::{Expr, ExprKind, Key, TraversalStep, walk};
use crate::terraform::configuration::expansion::{Repeat, quoted};
use crate::terraform::configuration::frame::{At, Evaluation, Frame};
use crate::terraform::evaluation::shown;
use crate::terraform::module::block::{Declared, Provider, Written, configuration};
use crate::text::Text;
use crate::value::{Data, Prov, Unknown, Value};
use std::rc::Rc;
use std::sync::Arc;

/// A provider configuration as a module names it.
struct Named {
    /// `aws`, or `aws.west`.
    label: String,
    /// The key of its instance, if it has several; an error if that is not known.
    key: Option<Result<Text, Text>>,
}

impl Evaluation<'_, '_> {
    /// The configuration that manages an instance: `aws`, `aws.west`, `aws.by_region["eu"]`; of one that a called module has
    /// itself with the address of that in front.
    pub(super) fn manager(&self, frame: &Rc<Frame>, repeat: &Repeat, address: &str, declared: &Declared) -> Value {
        let mut prov = Prov::default();
        let mut named = match declared.arguments.get("provider") {
            Some(written) => {
                prov = shown::at(written);
                self.named(&At { repeat, ..At::module(frame) }, written)
            }
            None => Named { label: of_type(address).to_owned(), key: None },
        };
        let mut frame = frame;
        while let Some((caller, call, repeat)) = &frame.caller {
            let is_own =
                |provider: &Provider| is_labelled(provider, &named.label) && !provider.block.arguments.is_empty();
            if self.module(frame).providers.iter().any(is_own) {
                break;
            }
            let caller_module = self.module(caller);
            let passed = caller_module.calls.get(call).and_then(|call| call.arguments.get("providers"));
            match passed.and_then(|passed| Some((passed, passed_as(&passed.expr, &named.label)?))) {
                Some((passed, expr)) => {
                    let written = Written { expr: Arc::new(expr.clone()), ..passed.clone() };
                    prov = shown::at(&written).with_inputs([prov]);
                    named = self.named(&At { repeat, ..At::module(caller) }, &written);
                }
                None if named.label.contains('.') => break,
                None => {}
            }
            frame = caller;
        }
        let module = self.statics.nodes[frame.node].address();
        let prefix = if module.is_empty() { module } else { format!("{module}:") };
        let label = format!("{prefix}{}", named.label);
        let data = match named.key {
            None => Data::Str(label.into()),
            Some(Ok(key)) => Data::Str(format!("{label}[\"{}\"]", quoted(&key)).into()),
            Some(Err(reason)) => Data::Unknown(Arc::new(Unknown::new(format!("{label}[…]"), reason))),
        };
        Value { data, prov }
    }

    /// What an expression names.
    fn named(&self, at: &At<'_>, written: &Written) -> Named {
        let expr = walk::unwrapped(&written.expr);
        let (base, key) = match &expr.kind {
            ExprKind::Index(base, key) => (&**base, Some(&**key)),
            _ => (expr, None),
        };
        let computed = key.map(|key| {
            let value = self.value(at, &Written { expr: Arc::new(key.clone()), ..written.clone() });
            value.as_str().cloned().ok_or_else(|| value.unknown_reason().cloned().unwrap_or_default())
        });
        let literal = match &base.kind {
            ExprKind::Traversal(_, steps) => steps.iter().find_map(|step| match step {
                TraversalStep::Index(Key::Text(text), _) => Some(Ok(text.clone())),
                _ => None,
            }),
            _ => None,
        };
        let label = label(expr).unwrap_or_else(|| self.statics.source_text(written).to_string());
        Named { label, key: literal.or(computed) }
    }
}

/// The local name of the provider that a resource has by its type.
pub(super) fn of_type(address: &str) -> &str {
    let kind = address.trim_start_matches("data.").trim_start_matches("ephemeral.");
    kind.split(['_', '.']).next().unwrap_or(kind)
}

/// `aws.west`, or `aws` without an alias.
pub(super) fn label(expr: &Expr) -> Option<String> {
    if let Some(text) = walk::constant_text(walk::unwrapped(expr)) {
        return Some(text.to_owned());
    }
    configuration(expr).map(|(name, alias)| match alias {
        Some(alias) => format!("{name}.{alias}"),
        None => name.to_string(),
    })
}

pub(super) fn is_labelled(provider: &Provider, label: &str) -> bool {
    match label.split_once('.') {
        Some((name, alias)) => *provider.name == *name && provider.alias.as_deref() == Some(alias),
        None => *provider.name == *label && provider.alias.is_none(),
    }
}

/// What the `providers` of a call pass for a configuration of the called module.
pub(super) fn passed_as<'e>(providers: &'e Expr, wanted: &str) -> Option<&'e Expr> {
    let ExprKind::Object(items) = &walk::unwrapped(providers).kind else { return None };
    items.iter().find(|(key, _)| label(key).as_deref() == Some(wanted)).map(|(_, value)| value)
}
