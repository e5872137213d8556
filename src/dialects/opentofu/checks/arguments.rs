//! The arguments of module calls against the variables that the called module declares. `init` does not compare them; `plan`
//! refuses a call that lacks one or gives one too many.

use crate::dialects::opentofu::evaluation::statics::{Node, Statics};
use crate::dialects::opentofu::evaluation::variable;
use crate::dialects::opentofu::failure::Failure;
use crate::dialects::opentofu::module::block::Declared;
use crate::dialects::opentofu::module::block::META;
use crate::dialects::opentofu::rules;
use crate::hcl::ast::Span;
use crate::text::nearest;
use std::collections::BTreeSet;

/// Maximum findings of one root module.
const MAX_FINDINGS: usize = 50;
/// Names in a call that are no arguments for variables, besides [`META`].
const RESERVED: [&str; 3] = ["lifecycle", "locals", "provider"];

/// Reports arguments that a called module does not declare, and variables without a default that a call leaves out. Every file of
/// every module must have been read. Modules that are not in the repository have no node in the tree, so nothing is said of them.
pub(crate) fn check(statics: &Statics<'_>, failures: &mut Vec<Failure>) {
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for child in statics.nodes.iter().filter(|node| !node.module.files.is_empty()) {
        let caller = child.parent.map(|parent| &statics.nodes[parent].module);
        let Some((caller, name)) = caller.zip(child.path.last()) else { continue };
        let Some(call) = caller.calls.get(name) else { continue };
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
    for (name, written) in given.filter(|(name, _)| !declared.contains_key(*name)) {
        let message = format!("module \"{call_name}\" has no variable `{name}`");
        let help = match nearest(name, declared.keys().map(|key| &**key)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("remove the argument, or declare the variable in {}", child.shown),
        };
        let start = written.span.start;
        let end = (start + name.len() as u32).min(written.span.end);
        let place = if call.is_json { written.span } else { Span { start, end } };
        let failure = Failure::new(&rules::UNDECLARED_VARIABLE, message, (written.file, place));
        found.push(failure.lint(Some(help)));
    }
}

fn missing(child: &Node, call_name: &str, call: &Declared, failures: &[Failure], found: &mut Vec<Failure>) {
    let is_reported = |name: &str| {
        let needed = variable::needed(name, call);
        failures.iter().any(|f| f.rule == needed.rule && f.place == needed.place && f.message == needed.message)
    };
    for (name, variable) in &child.module.variables {
        if variable.default.is_none() && !call.arguments.contains_key(name) && !is_reported(name) {
            let message = format!("module \"{call_name}\" needs a value for `{name}`, which has no default");
            let help = format!("set `{name}` in the call, or give the variable a default");
            found.push(Failure::new(&rules::MISSING_REQUIRED_VARIABLE, message, call.place).lint(Some(help)));
        }
    }
}
