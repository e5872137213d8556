//! The tree of modules: every call with its source, entered where the source is a folder of the repository.

use crate::hcl::types::Type;
use crate::hcl::types::convert::convert;
use crate::hcl::val::{Data, Marks, Val};
use crate::limits::take_steps;
use crate::source::ResolveError;
use crate::terraform::evaluation::statics::{Identifier, Node, Statics};
use crate::terraform::failure::Failure;
use crate::terraform::load::path::beside;
use crate::terraform::module::Module;
use crate::terraform::module::address::{self, Address};
use crate::terraform::module::block::{Declared, Written};
use crate::terraform::module::modules::Modules;
use crate::terraform::module::version::is_constraint;
use crate::terraform::rules;
use crate::text::Text;
use std::rc::Rc;
use std::sync::Arc;

/// The deepest tree, the most modules in it, and how often a folder can be inside of itself.
const MAX_DEPTH: usize = 40;
const MAX_MODULES: usize = 1_000;
/// The most names that all modules of a tree declare together, those of a folder that is called twice counted twice.
const MAX_DECLARATIONS: usize = 170_000;
const MAX_REPEATED: usize = 4;
/// The steps of each name whenever the tree is entered: it is looked up, checked, and given a value.
const STEPS_OF_A_NAME: u64 = 40;

/// A call of a module.
#[derive(Debug)]
pub(crate) struct Call {
    /// The module that it is in.
    pub node: usize,
    /// Its address: `a.b`.
    pub address: String,
    /// Its declaration.
    pub declared: Arc<Declared>,
    /// Its source, if it can be computed.
    pub source: Option<Val>,
    /// Its version, if it has one that can be computed.
    pub version: Option<Val>,
    /// Its folder, relative to the root of the repository.
    pub dir: Option<Text>,
}

/// Enters all modules. Returns the calls in the order of their addresses within each module.
pub(crate) fn enter(statics: &mut Statics<'_>, modules: &Modules<'_>, failures: &mut Vec<Failure>) -> Vec<Call> {
    let mut calls = Vec::new();
    let mut next = 0;
    while next < statics.nodes.len() {
        let node = Rc::clone(&statics.nodes[next]);
        for (name, declared) in &node.module.calls {
            let call = call(statics, modules, next, name, declared, failures);
            if let Some(dir) = &call.dir {
                child(statics, modules, next, name, &call, dir, failures);
            }
            calls.push(call);
        }
        next += 1;
    }
    take_steps(names(statics) as u64 * STEPS_OF_A_NAME);
    calls
}

/// How many names the modules declare.
fn names(statics: &Statics<'_>) -> usize {
    statics.nodes.iter().map(|node| node.module.names()).sum()
}

fn call(
    statics: &Statics<'_>,
    modules: &Modules<'_>,
    node: usize,
    name: &Text,
    declared: &Arc<Declared>,
    failures: &mut Vec<Failure>,
) -> Call {
    let current = &statics.nodes[node];
    let address = if node == 0 { name.to_string() } else { format!("{}.{name}", current.address()) };
    let mut call = Call { node, address, declared: Arc::clone(declared), source: None, version: None, dir: None };
    let identifier = |written: &Written, what: &str| Identifier {
        text: format!("{}module.{name}.{what}", current.prefix),
        place: written.argument(),
    };
    let mut has_version = false;
    if let Some(written) = declared.arguments.get("version") {
        match statics.value(node, written, identifier(written, "version")) {
            Ok(value) if value.is_null() => {}
            Ok(value) => {
                has_version = true;
                call.version = text(&value, written, "version", name, failures);
                check_version(call.version.as_ref(), written, failures);
            }
            Err(found) => {
                has_version = true;
                failures.extend(found);
            }
        }
    }
    let Some(written) = declared.arguments.get("source") else {
        let message = format!("missing required argument: module \"{name}\" has no source");
        failures.push(Failure::new(&rules::MODULE_SOURCE, message, declared.brace));
        return call;
    };
    match statics.value(node, written, identifier(written, "source")) {
        Ok(value) => call.source = text(&value, written, "source", name, failures),
        Err(found) => failures.extend(found),
    }
    let Some(source) = call.source.as_ref().and_then(|s| s.as_str().cloned()) else { return call };
    let parsed = if has_version { address::parse_registry(&source) } else { address::parse(&source) };
    match parsed {
        Err(message) => failures.push(Failure::new(&rules::MODULE_SOURCE, message, written.place())),
        Ok(Address::Local(path)) => call.dir = local(modules, &current.module.dir, &path, written, &call, failures),
        Ok(Address::Registry(_) | Address::Remote(_)) => {}
    }
    call
}

/// A source or a version as text; `None` if it is not known or cannot be used.
fn text(value: &Val, written: &Written, what: &str, name: &str, failures: &mut Vec<Failure>) -> Option<Val> {
    let mut wrong = |rule, message: String| failures.push(Failure::new(rule, message, written.place()));
    let mut is_marked = false;
    for (mark, word) in [(Marks::SENSITIVE, "sensitive"), (Marks::EPHEMERAL, "ephemeral")] {
        if value.all_marks().has(mark) {
            is_marked = true;
            wrong(
                &rules::SENSITIVE,
                format!("{word} value not allowed: {word} values cannot be used as module.{name}.{what}"),
            );
        }
    }
    if is_marked || value.is_failed() {
        return None;
    }
    if value.is_null() {
        wrong(&rules::MODULE_SOURCE, format!("unsuitable value: the {what} of a module cannot be null"));
        return None;
    }
    match convert(value, &Type::Str) {
        Ok(text) if matches!(text.data, Data::Str(_)) => Some(text),
        Ok(_) => None,
        Err(why) => {
            wrong(&rules::MODULE_SOURCE, format!("unsuitable value for the {what} of a module: {}", why.text()));
            None
        }
    }
}

fn check_version(version: Option<&Val>, written: &Written, failures: &mut Vec<Failure>) {
    if let Some(text) = version.and_then(Val::as_str)
        && !is_constraint(text)
    {
        let message = format!("invalid version constraint: \"{text}\"");
        failures.push(Failure::new(&rules::MODULE_SOURCE, message, written.place()));
    }
}

/// The folder of a local source; `None` if it is not there or not known.
fn local(
    modules: &Modules<'_>,
    from: &str,
    path: &str,
    written: &Written,
    call: &Call,
    failures: &mut Vec<Failure>,
) -> Option<Text> {
    let beside = beside(from, path);
    match modules.loader.folder_at(beside.written()) {
        Ok(Some(dir)) => Some(dir),
        Ok(None) => {
            let message = format!(
                "unreadable module directory: module \"{}\" leads to {}, which does not exist",
                call.address, beside.path
            );
            failures.push(Failure::new(&rules::MISSING_COMPONENT_DIRECTORY, message, written.place()).hiding());
            None
        }
        Err(ResolveError::Unavailable(why)) => {
            let message = format!("module \"{}\" leads to {}, which cannot be read: {why}", call.address, beside.path);
            failures.push(Failure::new(&rules::INCOMPLETE_ANALYSIS, message, written.place()).lint(None));
            None
        }
        // Nothing is known of what is outside of the repository.
        Err(_) => None,
    }
}

fn child(
    statics: &mut Statics<'_>,
    modules: &Modules<'_>,
    parent: usize,
    name: &Text,
    call: &Call,
    dir: &Text,
    failures: &mut Vec<Failure>,
) {
    let place = call.declared.place;
    let (mut repeated, mut up) = (0, Some(parent));
    while let Some(index) = up {
        repeated += usize::from(statics.nodes[index].module.dir == **dir);
        up = statics.nodes[index].parent;
    }
    let path: Vec<Text> = statics.nodes[parent].path.iter().cloned().chain([name.clone()]).collect();
    if repeated >= MAX_REPEATED {
        let message = format!("module \"{}\" leads to a folder that calls itself recursively", call.address);
        failures.push(Failure::new(&rules::MODULE_SOURCE, message, place));
        return;
    }
    if path.len() > MAX_DEPTH || statics.nodes.len() >= MAX_MODULES {
        let message =
            format!("the tree of modules has more than {MAX_MODULES} modules or is more than {MAX_DEPTH} levels deep");
        failures.push(Failure::new(&rules::LIMIT_EXCEEDED, message, place).hiding());
        return;
    }
    let known = statics.nodes.iter().find(|n| n.module.dir == **dir).map(|n| Arc::clone(&n.module));
    let found = known.unwrap_or_else(|| {
        let found = modules.module(dir);
        let found = found.unwrap_or_else(|| Arc::new(Module { dir: dir.to_string(), ..Module::default() }));
        failures.extend(found.failures.iter().cloned());
        found
    });
    if names(statics) + found.names() > MAX_DECLARATIONS {
        let message = format!("the modules of the tree declare more than {MAX_DECLARATIONS} names together");
        if !failures.iter().any(|known| known.message == message) {
            failures.push(Failure::new(&rules::LIMIT_EXCEEDED, message, place).hiding());
        }
        return;
    }
    let shown = relative(&statics.nodes[0].module.dir, dir);
    statics.nodes.push(Rc::new(Node::new(path, found, shown, Some(parent))));
}

/// The way from one folder to another.
pub(crate) fn relative(from: &str, to: &str) -> String {
    let parts =
        |path: &str| path.split('/').filter(|p| !p.is_empty() && *p != ".").map(str::to_owned).collect::<Vec<_>>();
    let (from, to) = (parts(from), parts(to));
    let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let up = std::iter::repeat_n("..".to_owned(), from.len() - common);
    let all: Vec<String> = up.chain(to[common..].iter().cloned()).collect();
    if all.is_empty() { ".".to_owned() } else { all.join("/") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_between_folders() {
        assert_eq!(relative("", "modules/a"), "modules/a");
        assert_eq!(relative("envs/dev", "modules/a"), "../../modules/a");
        assert_eq!(relative("a", "a"), ".");
    }
}
