//! Compares the arguments of module calls with the variables of the called module. `init` does not compare them; `plan`
//! rejects a call with a missing or an unknown argument, or a value that cannot be converted to the type of its
//! variable.

use crate::hcl::ast::Span;
use crate::hcl::ast::walk;
use crate::hcl::types::Type;
use crate::hcl::types::convert::convert;
use crate::hcl::val::{Data, Val};
use crate::terraform::evaluation::statics::{Identifier, Node, Statics};
use crate::terraform::evaluation::variable;
use crate::terraform::failure::Failure;
use crate::terraform::module::block::{Declared, META, Written};
use crate::terraform::rules;
use crate::text::nearest;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Maximum findings of one root module.
const MAX_FINDINGS: usize = 50;
/// Names in a call that are not arguments for variables, besides [`META`].
const RESERVED: [&str; 3] = ["lifecycle", "locals", "provider"];

/// Reports arguments that a called module does not declare, variables without a default that a call does not set, and
/// values that do not match their variables. Every file of every module must have been read. Modules that are not in
/// the repository have no node in the tree, so nothing is reported about them.
pub(super) fn check(statics: &Statics<'_>, failures: &mut Vec<Failure>) {
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    let mut is_made: Vec<bool> = Vec::new();
    for child in &statics.nodes {
        let call = child.parent.and_then(|parent| {
            let (caller, name) = (&statics.nodes[parent].module, child.path.last()?);
            Some((parent, caller, name, caller.calls.get(name)?))
        });
        let Some((parent, caller, name, call)) = call else {
            is_made.push(child.parent.is_none());
            continue;
        };
        is_made.push(is_made[parent] && has_instances(statics, parent, call));
        if child.module.files.is_empty() {
            continue;
        }
        if found.len() >= MAX_FINDINGS {
            break;
        }
        let wrong = unfit(statics, parent, child, call, is_made.last() == Some(&true));
        for failure in wrong {
            if !failures.iter().chain(&found).any(|known| is_same(known, &failure)) {
                found.push(failure);
            }
        }
        // A folder that is called twice has its calls once.
        if seen.insert((&caller.dir, name, &child.module.dir)) {
            unknown(child, name, call, &mut found);
            missing(child, name, call, failures, &mut found);
        }
    }
    failures.extend(found.into_iter().take(MAX_FINDINGS));
}

fn unknown(child: &Node, call_name: &str, call: &Declared, found: &mut Vec<Failure>) {
    let declared = &child.module.variables;
    let is_argument = |name: &str| !META.contains(&name) && !RESERVED.contains(&name);
    let given = call.arguments.iter().filter(|(name, _)| is_argument(name));
    for (name, written) in given.filter(|(name, _)| !declared.contains_key(*name)).take(MAX_FINDINGS) {
        let message = format!("module \"{call_name}\" has no variable `{name}`");
        let help = match nearest(name, declared.keys().map(|key| &**key)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("remove the argument, or declare the variable in {}", child.shown),
        };
        let start = written.span.start;
        let end = (start + name.len() as u32).min(written.span.end);
        let place = if call.is_json { written.span } else { Span { start, end } };
        let failure = Failure::new(&rules::MODULE_ARGUMENT, message, (written.file, place));
        found.push(failure.lint(Some(help)));
    }
}

fn missing(child: &Node, call_name: &str, call: &Declared, failures: &[Failure], found: &mut Vec<Failure>) {
    let is_reported = |name: &str| {
        let needed = variable::needed(name, call);
        failures.iter().any(|failure| is_same(failure, &needed))
    };
    let needed = child.module.variables.iter().filter(|(_, variable)| variable.default.is_none());
    let lacking = needed.filter(|(name, _)| !call.arguments.contains_key(*name) && !is_reported(name));
    for (name, _) in lacking.take(MAX_FINDINGS) {
        let message = format!("module \"{call_name}\" needs a value for `{name}`, which has no default");
        let help = format!("set `{name}` in the call, or give the variable a default");
        found.push(Failure::new(&rules::MODULE_ARGUMENT, message, call.place).lint(Some(help)));
    }
}

/// Whether two failures are equal, independent of their chains.
fn is_same(a: &Failure, b: &Failure) -> bool {
    a.rule == b.rule && a.place == b.place && a.message == b.message
}

/// Returns the values of a call that cannot be converted to the types of their variables, or are null where that is not
/// allowed. Values known only at run time are skipped. If it is not certain that the module has instances, only values
/// without references are checked: `plan` evaluates no others of a module without instances.
fn unfit(statics: &Statics<'_>, caller: usize, child: &Node, call: &Declared, is_made: bool) -> Vec<Failure> {
    let mut found = Vec::new();
    for (name, variable) in &child.module.variables {
        let Some(written) = call.arguments.get(name) else { continue };
        if variable.is_nullable && variable.ty == Type::Dynamic {
            continue;
        }
        if !is_made && !walk::references(&written.expr).is_empty() {
            continue;
        }
        let Some(given) = statics.argument_value(caller, written) else { continue };
        let open = |value: Val| match value.data {
            Data::Unknown(_, reason) => Val::unknown(Type::Dynamic, reason),
            _ => value,
        };
        let given = if given.unknown_reason().is_some() { given.transform(&mut |value| open(value)) } else { given };
        let wrong = variable::effective(name, variable, Some(given), Some(written.place())).err().unwrap_or_default();
        found.extend(wrong.into_iter().map(|failure| failure.lint(None)));
    }
    found
}

/// Whether a call certainly makes instances of its module.
fn has_instances(statics: &Statics<'_>, node: usize, call: &Declared) -> bool {
    let value = |written: &Written, what: &str| {
        let identifier = Identifier { text: what.to_owned(), place: written.argument() };
        statics.value(node, written, identifier).ok()
    };
    let of = |name: &str| call.arguments.get(name).map(|written| value(written, name));
    let counted = of("count").is_none_or(|count| {
        let number = count.and_then(|count| convert(&count, &Type::Number).ok());
        number.is_some_and(|n| matches!(n.data, Data::Number(n) if !n.is_zero() && !n.is_negative()))
    });
    let repeated = of("for_each").is_none_or(|all| all.is_some_and(|all| all.children().next().is_some()));
    let lifecycle = call.blocks.iter().filter(|block| &*block.kind.text == "lifecycle");
    let mut enabled = lifecycle.filter_map(|block| Some((block.file, block.body.get("enabled")?)));
    let is_enabled = enabled.all(|(file, attribute)| {
        let written = Written { file, span: attribute.span(), expr: Arc::clone(&attribute.expr) };
        value(&written, "enabled").is_some_and(|value| matches!(value.data, Data::Bool(true)))
    });
    counted && repeated && is_enabled
}
