//! References to what nothing declares, and to what is not there at their place.

use crate::hcl::ast::walk::{self, Reference};
use crate::hcl::ast::{BinaryOp, Expr, ExprKind, Key, Part, Span, TraversalStep};
use crate::terraform::configuration::built_in;
use crate::terraform::configuration::module_tree::Tree;
use crate::terraform::configuration::sites::{self, Owner, Site};
use crate::terraform::evaluation::reference::{Meaning, meaning};
use crate::terraform::evaluation::statics::Node;
use crate::terraform::failure::Failure;
use crate::terraform::module::{Module, version};
use crate::terraform::rules;
use crate::text::{Text, nearest};
use std::cell::OnceCell;
use std::collections::BTreeSet;

/// Reports the references of all modules that cannot be right, each once.
pub(super) fn check(tree: &Tree<'_>) -> Vec<Failure> {
    let (mut failures, mut seen) = (Vec::new(), BTreeSet::new());
    let needs_keys = version::before_1(&tree.nodes[0].module).is_none();
    for (index, node) in tree.nodes.iter().enumerate() {
        if !node.module.files.is_empty() && !node.module.is_open && seen.insert(&node.module.dir) {
            let check = Check { tree, index, node, module: &node.module, needs_keys };
            for site in sites::of(&node.module) {
                check.site(&site, &mut failures);
            }
        }
    }
    failures
}

/// What is wrong with an index where an attribute is read.
const NO_INDEX: &str = "invalid index operation: the attributes of a resource are read with a dot";

struct Check<'c, 'a> {
    tree: &'c Tree<'a>,
    index: usize,
    node: &'c Node,
    module: &'c Module,
    /// Whether a reference to one of several instances needs its key. Releases before 1.0 do not always ask for it.
    needs_keys: bool,
}

fn attribute<'r>(reference: &'r Reference<'_>, index: usize) -> Option<&'r Text> {
    match reference.steps.get(index) {
        Some(TraversalStep::Attribute(name)) => Some(&name.text),
        _ => None,
    }
}

fn hint<'n>(name: &str, known: impl Iterator<Item = &'n str>, prefix: &str) -> String {
    nearest(name, known).map_or_else(String::new, |near| format!("; did you mean {prefix}{near}?"))
}

/// The parts of an expression that may not be evaluated, or may fail, sorted; none is inside of another.
fn optional_parts(expr: &Expr) -> Vec<Span> {
    let (mut found, mut parts): (Vec<Span>, Vec<&Part>) = Default::default();
    walk::visit(expr, &mut |expr| match &expr.kind {
        ExprKind::Call(call) if matches!(&*call.name.text, "try" | "can") => found.push(expr.span),
        ExprKind::Conditional(_, first, second) | ExprKind::Binary(BinaryOp::And | BinaryOp::Or, first, second) => {
            found.extend([first.span, second.span]);
        }
        ExprKind::For(each) => {
            found.extend(
                [Some(&each.value), each.key.as_ref(), each.condition.as_ref()].into_iter().flatten().map(|e| e.span),
            );
        }
        ExprKind::Splat(_, each) => found.push(each.span),
        ExprKind::Template(all) => parts.extend(all.iter().flat_map(inner_parts)),
        _ => {}
    });
    while let Some(part) = parts.pop() {
        match part {
            Part::Text(_) => {}
            Part::Value(value) => found.push(value.span),
            Part::If(condition, ..) => found.push(condition.span),
            Part::For(each) => found.push(each.collection.span),
        }
        parts.extend(inner_parts(part));
    }
    found.sort_unstable_by_key(|span| (span.start, std::cmp::Reverse(span.end)));
    let mut end = 0;
    found.retain(|span| {
        let is_outer = span.end > end;
        end = end.max(span.end);
        is_outer
    });
    found
}

/// The parts of a text that a directive makes of it, or not.
fn inner_parts(part: &Part) -> Vec<&Part> {
    match part {
        Part::Text(_) | Part::Value(_) => Vec::new(),
        Part::If(_, yes, no) => yes.iter().chain(no).collect(),
        Part::For(each) => each.body.iter().collect(),
    }
}

/// Whether a reference is in one of some parts of an expression.
fn is_in(parts: &[Span], reference: &Reference<'_>) -> bool {
    let before = parts.partition_point(|part| part.start <= reference.span.start);
    before.checked_sub(1).is_some_and(|last| reference.span.end <= parts[last].end)
}

/// Whether behind one index, or behind the name of a value, there is another one instead of an attribute.
fn is_indexed_twice(steps: &[TraversalStep]) -> bool {
    matches!(steps, [TraversalStep::Index(..), TraversalStep::Index(..), ..])
}

impl Check<'_, '_> {
    fn site(&self, site: &Site<'_>, failures: &mut Vec<Failure>) {
        for call in walk::calls(site.expr) {
            if let Some(message) = self.wrong_function(&call.text) {
                failures.push(Failure::new(&rules::UNDEFINED_NAME, message, (site.file, call.span)));
            }
        }
        let optional = OnceCell::new();
        // In JSON, what something depends on is text.
        for reference in walk::references(site.expr) {
            if site.iterators.contains(&reference.root.text) {
                continue;
            }
            if let Some(message) = self.wrong(site, &optional, &reference) {
                let rule =
                    if &*reference.root.text == "local" { &rules::UNDEFINED_LOCAL } else { &rules::UNDEFINED_NAME };
                failures.push(Failure::new(rule, message, (site.file, reference.span)));
            }
        }
    }

    /// What is wrong with the name of a provider's function. The module has to require that provider itself.
    fn wrong_function(&self, name: &str) -> Option<String> {
        let steps: Vec<&str> = name.strip_prefix("provider::")?.split("::").collect();
        match steps[..] {
            [provider, _] | [provider, _, _] if self.module.required_providers.contains_key(provider) => None,
            [provider, _] | [provider, _, _] => Some(format!(
                "unknown function provider: {provider} is not one of the required_providers of {}",
                self.here()
            )),
            _ => Some(format!(
                "unable to parse provider function: {name} is not provider::NAME::FUNCTION or provider::NAME::ALIAS::FUNCTION"
            )),
        }
    }

    /// Where the names of the module are declared.
    fn here(&self) -> String {
        match self.node.path.is_empty() {
            true => "the root module".to_owned(),
            false => format!("module.{}", self.node.path.join(".module.")),
        }
    }

    fn wrong(&self, site: &Site<'_>, optional: &OnceCell<Vec<Span>>, reference: &Reference<'_>) -> Option<String> {
        let root = &*reference.root.text;
        let first = attribute(reference, 0);
        match (root, first) {
            ("var", Some(name)) if !self.module.variables.contains_key(name) => {
                let hint = hint(name, self.module.variables.keys().map(|k| &**k), "var.");
                Some(format!("undefined variable var.{name}{hint}"))
            }
            ("local", Some(name)) if !self.module.locals.contains_key(name) => {
                let hint = hint(name, self.module.locals.keys().map(|k| &**k), "local.");
                Some(format!("undefined local local.{name}{hint}"))
            }
            ("var" | "local", Some(_)) => None,
            ("terraform" | "tofu", Some(name)) if &**name == "applying" => None,
            ("self", _) if !site.has_self => Some(
                "invalid \"self\" reference: it is there only in provisioners, connections and postconditions".to_owned(),
            ),
            ("self", None) if matches!(reference.steps.first(), Some(TraversalStep::Index(..))) => Some(NO_INDEX.to_owned()),
            ("self", _) => match &site.owner {
                Owner::Resource(own) if built_in::is_type(own.split('.').next()?) => built_in::wrong(reference.steps),
                _ => None,
            },
            ("count", Some(name)) if &**name != "index" => {
                Some(format!("invalid \"count\" attribute: count has index, not {name}"))
            }
            ("count", Some(_)) => (!site.has_count).then(|| {
                "reference to \"count\" in non-counted context: count.index is there only where `count` is set".to_owned()
            }),
            ("each", Some(name)) if !matches!(&**name, "key" | "value") => {
                Some(format!("invalid \"each\" attribute: each has key and value, not {name}"))
            }
            ("each", Some(name)) => (!site.has_each).then(|| {
                format!(
                    "reference to \"each\" in context without for_each: each.{name} is there only where `for_each` is set"
                )
            }),
            ("module", Some(name)) => self.wrong_output((site, optional), reference, name),
            _ => match meaning(reference, false) {
                Meaning::Wrong(message) => Some(message),
                Meaning::Dynamic(_) => self.wrong_resource(site, reference),
                _ => None,
            },
        }
    }

    fn wrong_output(
        &self,
        (site, optional): (&Site<'_>, &OnceCell<Vec<Span>>),
        reference: &Reference<'_>,
        name: &Text,
    ) -> Option<String> {
        let Some(call) = self.module.calls.get(name) else {
            let hint = hint(name, self.module.calls.keys().map(|k| &**k), "module.");
            return Some(format!(
                "reference to undeclared module: {} has no module call \"{name}\"{hint}",
                self.here()
            ));
        };
        if is_indexed_twice(reference.steps.get(1..)?) {
            return Some(format!("invalid reference: the outputs of an instance of module.{name} are read with a dot"));
        }
        let output = match reference.steps.get(1)? {
            TraversalStep::Attribute(output) => Some(&output.text),
            TraversalStep::Index(Key::Number(_) | Key::Text(_), _) => attribute(reference, 2),
        }?;
        let is_repeated = call.arguments.contains_key("count") || call.arguments.contains_key("for_each");
        let has_index = matches!(reference.steps.get(1), Some(TraversalStep::Index(..)));
        if is_repeated != has_index {
            // A wrong key shows when the value is computed.
            return None;
        }
        let mut nodes = self.tree.nodes.iter();
        let child = nodes.find(|child| child.parent == Some(self.index) && child.path.last() == Some(name))?;
        // Outputs are looked up when they are read: where that is not certain, the evaluation finds what is missing.
        if child.module.files.is_empty()
            || child.module.outputs.contains_key(output)
            || is_in(optional.get_or_init(|| optional_parts(site.expr)), reference)
        {
            return None;
        }
        let hint = hint(output, child.module.outputs.keys().map(|k| &**k), "");
        Some(format!("unsupported attribute: module.{name} has no output \"{output}\"{hint}"))
    }

    fn wrong_resource(&self, site: &Site<'_>, reference: &Reference<'_>) -> Option<String> {
        let root = &reference.root.text;
        let (mode, kind, name, taken) = match &**root {
            mode @ ("data" | "ephemeral") => (mode, attribute(reference, 0)?, attribute(reference, 1)?, 2),
            "resource" => ("", attribute(reference, 0)?, attribute(reference, 1)?, 2),
            _ => ("", root, attribute(reference, 0)?, 1),
        };
        let address = if mode.is_empty() { format!("{kind}.{name}") } else { format!("{mode}.{kind}.{name}") };
        let what = match mode {
            "data" => "data source",
            "ephemeral" => "ephemeral resource",
            _ => "resource",
        };
        let Some(declared) = self.module.resources.get(&*address) else {
            let hint = hint(&address, self.module.resources.keys().map(|k| &**k), "");
            return Some(format!(
                "reference to undeclared {what}: {} declares no \"{kind}\" \"{name}\"{hint}",
                self.here()
            ));
        };
        if let Some(check) = self.module.scoped.get(&*address)
            && site.owner != Owner::Check(check.clone())
        {
            return Some(format!("reference to scoped resource: {address} is there only inside of check \"{check}\""));
        }
        let repeated = ["count", "for_each"].into_iter().find(|name| declared.arguments.contains_key(*name));
        match (repeated, reference.steps.get(taken)) {
            _ if !self.needs_keys => None,
            (Some(argument), Some(TraversalStep::Attribute(_))) if !site.is_dependency => Some(format!(
                "missing resource instance key: {address} has \"{argument}\" set, so that its attributes must be accessed on specific instances"
            )),
            (Some(_), _) if is_indexed_twice(reference.steps.get(taken..)?) => Some(NO_INDEX.to_owned()),
            (None, Some(TraversalStep::Index(..))) => {
                Some(format!("unexpected resource instance key: {address} has neither \"count\" nor \"for_each\" set"))
            }
            // What is in a dynamic block is checked where it is evaluated: it may not be there.
            _ if !site.iterators.is_empty() => None,
            _ if mode.is_empty() && built_in::is_type(kind) => built_in::wrong(reference.steps.get(taken..)?),
            _ if mode == "data" => built_in::wrong_data(kind, reference.steps.get(taken..)?),
            _ => None,
        }
    }
}
