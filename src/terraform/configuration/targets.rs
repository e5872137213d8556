//! What `moved`, `removed` and `import` blocks name has to be gone, or there.

use crate::hcl::ast::{TraversalStep, walk};
use crate::hcl::types::Type;
use crate::hcl::types::convert::convert;
use crate::hcl::val::{Data, Marks, Val};
use crate::terraform::configuration::address::{Address, Endpoint};
use crate::terraform::configuration::expansion::{Instances, OPEN, Repeat};
use crate::terraform::configuration::frame::{At, Evaluation, Frame};
use crate::terraform::configuration::managers::label;
use crate::terraform::configuration::module_tree::Tree;
use crate::terraform::evaluation::statics::Node;
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

/// Whether one of the calls that an endpoint names, from the root module on, is certainly not declared.
fn lacks_call(nodes: &[Rc<Node>], endpoint: &Endpoint) -> bool {
    let mut module = Some(0);
    for (name, _) in &endpoint.modules {
        let Some(at) = module.filter(|at| !nodes[*at].module.files.is_empty() && !nodes[*at].module.is_open) else {
            return false;
        };
        if !nodes[at].module.calls.contains_key(name) {
            return true;
        }
        module = nodes.iter().position(|node| node.parent == Some(at) && node.path.last() == Some(name));
    }
    false
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
        ambiguous(&moves, &mut failures);
        failures.extend(circle(&moves));
    }
    failures
}

/// Reports moves from one address to several, and from several addresses to one.
fn ambiguous(moves: &[(Endpoint, Endpoint, &Declared)], failures: &mut Vec<Failure>) {
    let mut by_start: HashMap<&Endpoint, &Endpoint> = HashMap::new();
    let mut by_end: HashMap<&Endpoint, &Endpoint> = HashMap::new();
    for (from, to, block) in moves {
        let is_other = *by_start.entry(from).or_insert(to) != to;
        let message = match is_other {
            true => "ambiguous move statements: another one moves the same object to another address",
            false if *by_end.entry(to).or_insert(from) != from => {
                "ambiguous move statements: another one moves another object to the same address"
            }
            false => continue,
        };
        failures.push(Failure::new(&rules::INVALID_MOVE, message, block.place));
    }
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
    /// Reports moves of instances that are still there. Those of whole resources and modules need no values, see [`check`].
    pub(super) fn moved_instances(&self, addresses: &BTreeSet<&Address>) {
        let mut by_block: HashMap<(&str, &str), Vec<&Address>> = HashMap::new();
        for address in addresses {
            by_block.entry((&address.block, &address.key)).or_default().push(address);
        }
        for node in &self.statics.nodes {
            for moved in node.module.refactorings.iter().filter(|block| &*block.kind == "moved") {
                let end = |name: &str| Endpoint::read(&moved.block.arguments.get(name)?.expr, &|_| None);
                let Some((from, to)) = end("from").zip(end("to")) else { continue };
                let Some((block, key)) = from.block.as_ref().filter(|_| !from.is_whole() || !to.is_whole()) else {
                    continue;
                };
                let named = from.modules.iter().map(|(name, key)| (name.clone(), key.clone().unwrap_or_default()));
                let named: Vec<(Text, String)> = named.collect();
                let is_in_module = |address: &&&Address| {
                    address.modules.split_at_checked(node.path.len()).is_some_and(|(around, rest)| {
                        around.iter().map(|(name, _)| name).eq(&node.path) && *rest == named[..]
                    })
                };
                let there = by_block.get(&(&**block, key.as_deref().unwrap_or_default()));
                if let Some(address) = there.and_then(|there| there.iter().find(is_in_module)) {
                    let message = format!("moved object still exists: {address} is still declared");
                    self.report(Failure::new(&rules::INVALID_MOVE, message, moved.block.place));
                }
            }
        }
    }

    /// Reports imports into instances that are not there.
    pub(super) fn imports(&self, root: &Rc<Frame>, addresses: &BTreeSet<&Address>) {
        let module = self.module(root);
        let mut seen: BTreeSet<Address> = BTreeSet::new();
        for import in module.refactorings.iter().filter(|block| &*block.kind == "import") {
            let Some(to) = import.block.arguments.get("to") else { continue };
            if let Some(provider) = import.block.arguments.get("provider")
                && let Some((block, _)) =
                    Endpoint::read(&to.expr, &|_| Some(Repeat::Count(0))).and_then(|endpoint| endpoint.block)
                && let Some(target) = module.resources.get(&block)
                && target.arguments.get("provider").and_then(|own| label(&own.expr)) != label(&provider.expr)
            {
                let message = format!("invalid import provider argument: {block} has another provider");
                self.report(Failure::new(&rules::INVALID_DECLARATION, message, provider.place()));
            }
            for repeat in self.import_repeats(root, import.block.arguments.get("for_each"), &import.block) {
                let at = At { repeat: &repeat, ..At::module(root) };
                let key_of = |expr: &crate::hcl::ast::Expr| {
                    let expr = std::sync::Arc::new(expr.clone());
                    self.import_key(&at, &Written { file: to.file, span: expr.span, expr })
                };
                let Some(endpoint) = Endpoint::read(&to.expr, &key_of) else { continue };
                let Some((block, block_key)) = endpoint.block.clone() else { continue };
                let keyed = |(name, key): &(Text, Option<String>)| (name.clone(), key.clone().unwrap_or_default());
                let modules: Vec<(Text, String)> = endpoint.modules.iter().map(keyed).collect();
                let address = Address { modules, block, key: block_key.unwrap_or_default() };
                let is_open = |other: &&Address| other.block == address.block && other.to_string().contains(OPEN);
                let is_here = module_at(&self.statics.nodes, 0, &endpoint).is_some();
                let is_nowhere = lacks_call(&self.statics.nodes, &endpoint);
                // A plan without a state finds no instances in what an import reads of its own target.
                let for_each = import.block.arguments.get("for_each");
                let reads_itself = for_each.is_some_and(|for_each| is_read(&address.block, for_each));
                let is_there = addresses.contains(&address) || addresses.iter().any(is_open);
                let is_missing = is_here && !is_there && !reads_itself && !self.is_failed(root, &address);
                if is_missing || is_nowhere {
                    let message = format!(
                        "configuration for import target does not exist: {address} is not an instance of a declared resource"
                    );
                    self.report(Failure::new(&rules::INVALID_MOVE, message, to.place()));
                }
                if let Some(id) = import.block.arguments.get("id") {
                    self.import_id(&at, id);
                }
                if repeat.is_certain() && !address.to_string().contains(OPEN) && !seen.insert(address.clone()) {
                    let message = format!("duplicate import: another import block is for {address}");
                    self.report(Failure::new(&rules::INVALID_MOVE, message, to.place()));
                }
            }
        }
    }

    /// What repeats an import: a tuple, too, which gives an index to each of its items.
    fn import_repeats(&self, root: &Rc<Frame>, for_each: Option<&Written>, block: &Declared) -> Vec<Repeat> {
        let at = At::module(root);
        let value = for_each.map(|written| self.value(&at, written));
        match value.as_ref().filter(|value| value.marks == Marks::NONE).map(|value| &value.data) {
            Some(Data::Tuple(items)) => {
                items.iter().enumerate().map(|(index, item)| Repeat::Item(index, item.clone())).collect()
            }
            _ => self.expand(&at, block).repeats(),
        }
    }

    /// The key of an instance that is imported; reported if no instance has such a key.
    fn import_key(&self, at: &At<'_>, written: &Written) -> Option<Repeat> {
        let value = self.value(at, written);
        if value.is_failed() {
            return None;
        }
        let wrong = |rule, why: &str| {
            let message = format!("import block 'to' address contains an invalid key: {why}");
            self.report_at(at, Failure::new(rule, message, written.place()));
            None
        };
        for (mark, word) in [(Marks::SENSITIVE, "sensitive"), (Marks::EPHEMERAL, "ephemeral")] {
            if value.marks.has(mark) {
                return wrong(&rules::SENSITIVE, &format!("it is {word}"));
            }
        }
        match &value.data {
            Data::Unknown(..) | Data::Partial(..) => None,
            Data::Str(text) => Some(Repeat::Each(text.clone(), Val::null())),
            Data::Number(number) => match number.as_i64().and_then(|index| usize::try_from(index).ok()) {
                Some(index) => Some(Repeat::Count(index)),
                None => wrong(&rules::INVALID_VALUE, "an index is a whole number, zero or more"),
            },
            Data::Null(_) => wrong(&rules::INVALID_VALUE, "it is null"),
            _ => wrong(&rules::INVALID_VALUE, "it must be a string or a number"),
        }
    }

    /// Whether something is wrong with what repeats a resource, or a module around it, so that its instances are not known.
    fn is_failed(&self, root: &Rc<Frame>, address: &Address) -> bool {
        let mut frame = Rc::clone(root);
        for (name, key) in &address.modules {
            let Some(called) = self.call(&frame, name) else { return false };
            if matches!(called.instances, Instances::Failed) {
                return true;
            }
            let Some((_, child)) = called.frames.iter().find(|(repeat, _)| repeat.suffix() == *key) else {
                return false;
            };
            frame = Rc::clone(child);
        }
        self.block(&frame, &address.block).is_some_and(|block| block.whole.is_failed())
    }

    /// Reports an `id` that is no text, or that must not be shown.
    fn import_id(&self, at: &At<'_>, id: &Written) {
        let value = self.value(at, id);
        let hidden = [(Marks::SENSITIVE, "sensitive"), (Marks::EPHEMERAL, "ephemeral")];
        let wrong = match convert(&value, &Type::Str) {
            _ if value.is_failed() => return,
            Err(why) => Some((&rules::INVALID_VALUE, why.text())),
            Ok(text) if text.is_null() => {
                Some((&rules::INVALID_VALUE, "the id of what is imported is null".to_owned()))
            }
            Ok(text) if text.is_unknown() => None,
            Ok(_) => hidden
                .iter()
                .find(|(mark, _)| value.marks.has(*mark))
                .map(|(_, word)| (&rules::SENSITIVE, format!("the id of what is imported cannot be {word}"))),
        };
        if let Some((rule, why)) = wrong {
            self.report_at(at, Failure::new(rule, format!("invalid import id: {why}"), id.place()));
        }
    }
}

/// Whether an expression refers to a resource.
fn is_read(block: &str, written: &Written) -> bool {
    walk::references(&written.expr).iter().any(|reference| match reference.steps.first() {
        Some(TraversalStep::Attribute(name)) => format!("{}.{}", reference.root.text, name.text) == block,
        _ => false,
    })
}
