//! What `moved`, `removed` and `import` blocks name has to be gone, or there; and the provider configurations of resources.

use crate::hcl::ast::walk;
use crate::hcl::ast::{ExprKind, TraversalStep};
use crate::hcl::types::Type;
use crate::hcl::types::convert::convert;
use crate::hcl::val::{Data, Val};
use crate::terraform::configuration::address::{Address, Endpoint};
use crate::terraform::configuration::expansion::Repeat;
use crate::terraform::configuration::frame::{At, Evaluation, Frame};
use crate::terraform::configuration::module_tree::Tree;
use crate::terraform::evaluation::statics::{Node, Statics};
use crate::terraform::failure::Failure;
use crate::terraform::module::block::{Declared, Written};
use crate::terraform::rules;
use crate::text::Text;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

/// The module at the end of the calls that an endpoint names, below another one.
fn module_at(nodes: &[Rc<Node>], from: usize, endpoint: &Endpoint) -> Option<usize> {
    endpoint.modules.iter().try_fold(from, |parent, (name, _)| {
        nodes.iter().position(|node| node.parent == Some(parent) && node.path.last() == Some(name))
    })
}

/// Whether what an endpoint names as a whole is still declared.
fn is_declared(tree: &Tree<'_>, from: usize, endpoint: &Endpoint) -> bool {
    let module = module_at(tree.nodes, from, endpoint);
    match &endpoint.block {
        Some((block, _)) => module.is_some_and(|node| tree.nodes[node].module.resources.contains_key(block)),
        None => module.is_some(),
    }
}

/// Reports moves and removals of what is still there, and moves in circles.
pub(super) fn check(tree: &Tree<'_>) -> Vec<Failure> {
    let mut failures = Vec::new();
    let mut seen = BTreeSet::new();
    for (index, node) in tree.nodes.iter().enumerate() {
        if !seen.insert(&node.module.dir) {
            continue;
        }
        let mut moves: Vec<(Endpoint, Endpoint, &Declared)> = Vec::new();
        for refactoring in &node.module.refactorings {
            let block = &refactoring.block;
            let end = |name: &str| Endpoint::read(&block.arguments.get(name)?.expr, &|_| None);
            let Some(from) = end("from") else { continue };
            let is_there = from.is_whole() && is_declared(tree, index, &from);
            let text = block.arguments.get("from").map(|w| tree.loader.plain_text(w)).unwrap_or_default();
            match &*refactoring.kind {
                "moved" => {
                    let Some(to) = end("to") else { continue };
                    // The instance without a key is another one than those with keys.
                    if is_there && to.is_whole() {
                        let message = format!("moved object still exists: {text} is still declared");
                        failures.push(Failure::new(&rules::INVALID_MOVE, message, block.place));
                    }
                    moves.push((from, to, block));
                }
                "removed" if is_there => {
                    let message = format!("removed block still exists: {text} is still declared");
                    failures.push(Failure::new(&rules::INVALID_MOVE, message, block.place));
                }
                _ => {}
            }
        }
        failures.extend(circle(&moves));
    }
    failures
}

/// A chain of moves that comes back to where it began, reported at the first of them. Linear in their number.
fn circle(moves: &[(Endpoint, Endpoint, &Declared)]) -> Option<Failure> {
    let mut starts: HashMap<&Endpoint, usize> = HashMap::new();
    for (index, (from, ..)) in moves.iter().enumerate() {
        starts.entry(from).or_insert(index);
    }
    // In which walk a move was reached.
    let mut walks: Vec<Option<usize>> = vec![None; moves.len()];
    let mut first: Option<usize> = None;
    for start in 0..moves.len() {
        let mut current = Some(start);
        while let Some(at) = current.filter(|at| walks[*at].is_none()) {
            walks[at] = Some(start);
            current = starts.get(&moves[at].1).copied();
        }
        // The walk came back to itself: all moves from there on lead there again.
        if let Some(entry) = current.filter(|at| walks[*at] == Some(start)) {
            let next = |at: &usize| starts.get(&moves[*at].1).copied().filter(|next| *next != entry);
            first = std::iter::successors(Some(entry), next).chain(first).min();
        }
    }
    let message = "cyclic dependency in move statements: they lead back to where they begin";
    first.map(|at| Failure::new(&rules::INVALID_MOVE, message, moves[at].2.place))
}

impl Evaluation<'_, '_> {
    /// Reports imports into instances that are not there.
    pub(super) fn imports(&self, root: &Rc<Frame>, addresses: &BTreeSet<&Address>) {
        let module = self.module(root);
        for import in module.refactorings.iter().filter(|block| &*block.kind == "import") {
            let Some(to) = import.block.arguments.get("to") else { continue };
            let instances = self.expand(&At::module(root), &import.block);
            for repeat in instances.repeats() {
                let at = At { repeat: &repeat, ..At::module(root) };
                let key_of = |expr: &crate::hcl::ast::Expr| {
                    let expr = std::sync::Arc::new(expr.clone());
                    key(&self.value(&at, &Written { file: to.file, span: to.span, expr }))
                };
                let Some(endpoint) = Endpoint::read(&to.expr, &key_of) else { continue };
                let Some((block, block_key)) = endpoint.block.clone() else { continue };
                let keyed = |(name, key): &(Text, Option<String>)| (name.clone(), key.clone().unwrap_or_default());
                let modules: Vec<(Text, String)> = endpoint.modules.iter().map(keyed).collect();
                let address = Address { modules, block, key: block_key.unwrap_or_default() };
                let is_open = |other: &&Address| other.block == address.block && other.to_string().contains("[*]");
                let is_here = module_at(&self.statics.nodes, 0, &endpoint).is_some();
                if is_here && !addresses.contains(&address) && !addresses.iter().any(is_open) {
                    let message = format!(
                        "configuration for import target does not exist: {address} is not an instance of a declared resource"
                    );
                    self.report(Failure::new(&rules::INVALID_MOVE, message, to.place()));
                }
                if let Some(id) = import.block.arguments.get("id") {
                    self.value(&at, id);
                }
            }
        }
    }

    /// Reports resources of provider configurations that are not there.
    pub(super) fn providers(&self, frame: &Rc<Frame>) {
        let module = self.module(frame);
        let node = &self.statics.nodes[frame.node];
        for declared in module.resources.values() {
            let Some(written) = declared.arguments.get("provider") else { continue };
            let expr = walk::unwrapped(&written.expr);
            let (base, key_expr) = match &expr.kind {
                ExprKind::Index(base, key) => (&**base, Some(&**key)),
                _ => (expr, None),
            };
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
                    let Some(for_each) = provider.block.arguments.get("for_each") else { continue };
                    let keys = self.value(&At::module(frame), for_each);
                    let known: Vec<Text> = match (keys.as_entries(), keys.as_items()) {
                        (Some(entries), _) => entries.keys().cloned().collect(),
                        (_, Some(items)) if items.iter().all(|item| item.as_str().is_some()) => {
                            items.iter().filter_map(|item| item.as_str().cloned()).collect()
                        }
                        _ => continue,
                    };
                    let literal = steps.iter().find_map(|step| match step {
                        TraversalStep::Index(crate::hcl::ast::Key::Text(text), _) => Some(text.clone()),
                        _ => None,
                    });
                    for repeat in self.expand(&At::module(frame), declared).repeats() {
                        let at = At { repeat: &repeat, ..At::module(frame) };
                        let computed = key_expr.and_then(|expr| {
                            let expr = std::sync::Arc::new(expr.clone());
                            self.value(&at, &Written { expr, ..written.clone() }).as_str().cloned()
                        });
                        if let Some(key) = literal.clone().or(computed).filter(|key| !known.contains(key)) {
                            let message = format!("provider instance not present: {label} has no instance \"{key}\"");
                            self.report(Failure::new(&rules::UNDEFINED_NAME, message, written.place()));
                        }
                    }
                }
                None => {}
            }
        }
    }
}

/// Whether the call of a module passes a provider configuration to it, or may: nothing is known of calls without `providers` in
/// modules that declare what they take.
fn is_passed(statics: &Statics<'_>, node: &Node, label: &str) -> bool {
    let Some(parent) = node.parent else { return false };
    let call = node.path.last().and_then(|name| statics.nodes[parent].module.calls.get(name));
    let Some(providers) = call.and_then(|call| call.arguments.get("providers")) else { return false };
    let ExprKind::Object(items) = &providers.expr.kind else { return true };
    items.iter().any(|(key, _)| {
        let text = statics.files.loader().reader.files.get(providers.file);
        let written = text.text.get(key.span.start as usize..key.span.end as usize).unwrap_or_default();
        written.trim_matches(['"', '(', ')']) == label
    })
}

/// A key of an instance.
fn key(value: &Val) -> Option<Repeat> {
    match &value.data {
        Data::Number(number) => Some(Repeat::Count(usize::try_from(number.as_i64()?).ok()?)),
        Data::Unknown(..) | Data::Partial(..) => None,
        _ => Some(Repeat::Each(convert(value, &Type::Str).ok()?.as_str()?.clone(), Val::null())),
    }
}
