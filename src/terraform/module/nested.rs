//! What the loader rejects where a resource or a module call has arguments and blocks with a meaning of their own: providers, lists
//! of references, connections and provisioners.

use crate::hcl::ast::walk;
use crate::hcl::ast::{Block, Body, Expr, ExprKind, Span, TraversalStep};

/// Takes the place of a mistake, and what it is.
pub(super) type Report<'r> = &'r mut dyn FnMut(Span, String);

/// Blocks that a module call may have.
const OF_MODULES: [&str; 2] = ["lifecycle", "_"];

pub(super) fn resource(block: &Block, wrong: Report<'_>) {
    if let Some(provider) = block.body.get("provider").filter(|provider| is_computed(&provider.expr)) {
        let message =
            "invalid provider configuration reference: the name of a provider, or one with an alias, is required";
        wrong(provider.expr.span, message.to_owned());
    }
    for lifecycle in block.body.blocks_of("lifecycle") {
        for name in ["ignore_changes", "replace_triggered_by"] {
            let Some(attribute) = lifecycle.body.get(name) else { continue };
            let ExprKind::Tuple(items) = &attribute.expr.kind else {
                if name == "replace_triggered_by" {
                    wrong(attribute.expr.span, format!("invalid {name}: a list of references is required"));
                }
                continue;
            };
            for item in items.iter().filter(|item| is_computed(item)) {
                wrong(item.span, format!("invalid expression: {name} takes no calculations and no functions"));
            }
        }
    }
    one_connection(&block.body, wrong);
    block.body.blocks_of("provisioner").for_each(|provisioner| self::provisioner(provisioner, wrong));
}

pub(super) fn module(block: &Block, wrong: Report<'_>) {
    for inner in block.body.blocks.iter().filter(|inner| !OF_MODULES.contains(&&*inner.kind.text)) {
        let message = format!("unsupported block type: a module call has no blocks of type \"{}\"", inner.kind.text);
        wrong(inner.kind.span, message);
    }
    if let Some(providers) = block.body.get("providers")
        && !matches!(providers.expr.kind, ExprKind::Object(_))
        && (is_computed(&providers.expr) || matches!(providers.expr.kind, ExprKind::Template(_)))
    {
        wrong(providers.expr.span, "invalid providers: an object of providers is required".to_owned());
    }
}

pub(super) fn locals(block: &Block, wrong: Report<'_>) {
    for inner in &block.body.blocks {
        wrong(inner.kind.span, format!("unexpected \"{}\" block: locals have no blocks", inner.kind.text));
    }
}

fn one_connection(body: &Body, wrong: Report<'_>) {
    for connection in body.blocks_of("connection").skip(1) {
        wrong(connection.header(), "duplicate connection block: there is at most one".to_owned());
    }
}

fn provisioner(block: &Block, wrong: Report<'_>) {
    if block.labels.len() != 1 {
        wrong(block.header(), "invalid provisioner: it has one label, its type".to_owned());
    }
    one_connection(&block.body, wrong);
    for (name, words) in [("when", ["create", "destroy"]), ("on_failure", ["continue", "fail"])] {
        if let Some(attribute) = block.body.get(name)
            && !walk::name(&attribute.expr).is_some_and(|word| words.contains(&word))
        {
            let [one, other] = words;
            wrong(attribute.expr.span, format!("invalid \"{name}\" keyword: it must be {one} or {other}"));
        }
    }
    let is_last = block.body.get("when").is_some_and(|when| walk::name(&when.expr) == Some("destroy"));
    if is_last {
        own_references(&block.body, wrong);
    }
}

/// When a resource is destroyed, nothing else may be there any more: what a provisioner refers to then is the resource itself.
fn own_references(body: &Body, wrong: Report<'_>) {
    let values = body.attributes.iter().filter(|attribute| !matches!(&*attribute.name.text, "when" | "on_failure"));
    for attribute in values {
        for reference in walk::references(&attribute.expr) {
            let step = match reference.steps.first() {
                Some(TraversalStep::Attribute(name)) => &*name.text,
                _ => "",
            };
            if !matches!(
                (&*reference.root.text, step),
                ("self" | "path" | "terraform", _) | ("count", "index") | ("each", "key")
            ) {
                let message = "invalid reference from destroy provisioner: only self, count.index and each.key can be referred to";
                wrong(attribute.expr.span, message.to_owned());
                break;
            }
        }
    }
    body.blocks.iter().for_each(|inner| own_references(&inner.body, wrong));
}

/// Whether an expression is neither a reference nor a text.
fn is_computed(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Paren(inner) => is_computed(inner),
        kind => matches!(
            kind,
            ExprKind::Null
                | ExprKind::Bool(_)
                | ExprKind::Number(_)
                | ExprKind::Call(_)
                | ExprKind::Unary(..)
                | ExprKind::Binary(..)
                | ExprKind::Conditional(..)
                | ExprKind::Tuple(_)
                | ExprKind::Object(_)
        ),
    }
}
