//! What in a tree of modules can have another value if only some inputs of the root module differ: what reads these, directly or
//! through others. Everything else has the same values, and is not evaluated to be compared.

#[cfg(test)]
mod tests;

use crate::hcl::ast::walk::{self, Reference};
use crate::hcl::ast::{Expr, TraversalStep};
use crate::terraform::configuration::sites::{self, Owner};
use crate::terraform::evaluation::statics::{Node, Statics};
use crate::terraform::module::Module;
use crate::terraform::module::paths::is_reader;
use crate::text::Text;
use foldhash::fast::RandomState;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

/// A thing in a module: the number of the module in its tree, and what it is.
type Thing = (usize, Owner);

/// What reads inputs that differ.
#[derive(Debug, Default)]
pub(crate) struct Reached {
    /// By module.
    things: HashMap<usize, HashSet<Owner, RandomState>, RandomState>,
    /// The modules that have some of it, and those that call these.
    entered: HashSet<usize>,
    /// The modules of which a part of it has operands that can hide each other's mistakes.
    hiding: HashSet<usize>,
    /// The same where modules of one folder have all that one of them has, if there are several.
    of_folders: Option<Box<Reached>>,
}

impl Reached {
    /// What reads some variables of the root module; `None` if everything may: instances that are imported, and what provider
    /// configurations manage. What reads files belongs to it too: these may differ.
    pub(crate) fn of(statics: &Statics<'_>, differing: &BTreeSet<Text>) -> Option<Self> {
        if statics.nodes[0].module.refactorings.iter().any(|block| &*block.kind == "import") {
            return None;
        }
        let readers = Readers::of(&statics.nodes);
        let mut todo: Vec<Thing> = differing.iter().map(|name| (0, Owner::Variable(name.clone()))).collect();
        todo.extend(readers.of_files.iter().cloned());
        let mut reached = Reached::default();
        while let Some(thing) = todo.pop() {
            if thing.1 == Owner::Other {
                return None;
            }
            if reached.things.entry(thing.0).or_default().insert(thing.1.clone()) {
                if readers.hiding.contains(&thing) {
                    reached.hiding.insert(thing.0);
                }
                todo.extend(readers.of_thing(&thing));
            }
        }
        for node in reached.things.keys() {
            let parents = std::iter::successors(Some(*node), |node| statics.nodes[*node].parent);
            reached.entered.extend(parents);
        }
        reached.of_folders = reached.united(&statics.nodes);
        Some(reached)
    }

    /// What modules of one folder have together; `None` if each folder is one module.
    fn united(&self, nodes: &[Rc<Node>]) -> Option<Box<Reached>> {
        let mut folders: HashMap<&str, Vec<usize>> = HashMap::new();
        nodes.iter().enumerate().for_each(|(i, node)| folders.entry(&node.module.dir).or_default().push(i));
        if folders.len() == nodes.len() {
            return None;
        }
        let mut united = Reached { entered: self.entered.clone(), ..Reached::default() };
        for alike in folders.values() {
            let all = alike.iter().filter_map(|node| self.things.get(node)).flatten();
            let all: HashSet<Owner, RandomState> = all.cloned().collect();
            let is_hiding = alike.iter().any(|node| self.hiding.contains(node));
            for node in alike {
                united.things.insert(*node, all.clone());
                united.hiding.extend(is_hiding.then_some(*node));
            }
        }
        Some(Box::new(united))
    }

    /// The same for expressions that are evaluated without what is given to a module, once for each folder.
    pub(super) fn of_folders(&self) -> &Reached {
        self.of_folders.as_deref().unwrap_or(self)
    }

    /// Whether something in a module is a part of it.
    pub(super) fn has(&self, node: usize, owner: &Owner) -> bool {
        self.things.get(&node).is_some_and(|things| things.contains(owner))
    }

    /// Whether something in a module that is a part of it has to be validated: what is open, or has operands that can hide mistakes.
    pub(super) fn is_validated(&self, node: usize, is_open: impl Fn(&Owner) -> bool) -> bool {
        self.hiding.contains(&node) || self.things.get(&node).is_some_and(|things| things.iter().any(is_open))
    }

    /// Whether an output of the root module is a part of it.
    pub(crate) fn has_output(&self, name: &Text) -> bool {
        self.has(0, &Owner::Output(name.clone()))
    }

    /// Whether something in a module, or in one that it calls, is a part of it.
    pub(super) fn enters(&self, node: usize) -> bool {
        self.entered.contains(&node)
    }
}

/// Who reads what in a tree of modules.
struct Readers<'t> {
    nodes: &'t [Rc<Node>],
    children: HashMap<(usize, Text), usize, RandomState>,
    known: HashMap<Thing, Vec<Thing>, RandomState>,
    /// What reads files, or something that its text does not show.
    of_files: Vec<Thing>,
    /// What has operands that can hide each other's mistakes.
    hiding: HashSet<Thing, RandomState>,
}

impl<'t> Readers<'t> {
    fn of(nodes: &'t [Rc<Node>]) -> Self {
        let indexed = nodes.iter().enumerate();
        let here = indexed.filter(|(_, node)| !node.module.files.is_empty());
        let children =
            here.filter_map(|(index, node)| Some(((node.parent?, node.path.last()?.clone()), index))).collect();
        let mut readers =
            Readers { nodes, children, known: HashMap::default(), of_files: Vec::new(), hiding: HashSet::default() };
        for (index, node) in nodes.iter().enumerate() {
            for site in sites::of(&node.module) {
                if sites::may_hide(site.expr) {
                    readers.hiding.insert((index, site.owner.clone()));
                }
                readers.add(index, &site.owner, site.expr);
            }
            for (address, declared) in &node.module.resources {
                let provider = declared.arguments.get("provider");
                provider.into_iter().for_each(|w| readers.add(index, &Owner::Resource(address.clone()), &w.expr));
            }
            for (name, declared) in &node.module.calls {
                let providers = declared.arguments.get("providers");
                providers.into_iter().for_each(|w| readers.add(index, &Owner::Call(name.clone()), &w.expr));
            }
        }
        readers
    }

    /// Notes what an expression of something reads.
    fn add(&mut self, node: usize, owner: &Owner, expr: &Expr) {
        let reads_files =
            walk::calls(expr).iter().any(|name| is_reader(name.text.strip_prefix("core::").unwrap_or(&name.text)));
        let mut is_seen = !reads_files;
        for reference in walk::references(expr) {
            match self.named(node, &reference) {
                Some(things) => {
                    for thing in things {
                        self.known.entry(thing).or_default().push((node, owner.clone()));
                    }
                }
                None => is_seen = false,
            }
        }
        if !is_seen {
            self.of_files.push((node, owner.clone()));
        }
    }

    /// What a reference names; `None` if that does not follow from its text.
    fn named(&self, node: usize, reference: &Reference<'_>) -> Option<Vec<Thing>> {
        let mut names = reference.steps.iter().filter_map(|step| match step {
            TraversalStep::Attribute(name) => Some(&name.text),
            TraversalStep::Index(..) => None,
        });
        let is_named = matches!(reference.steps.first(), Some(TraversalStep::Attribute(_)));
        let first = names.next().filter(|_| is_named);
        let one = |owner| Some(vec![(node, owner)]);
        match &*reference.root.text {
            "var" => one(Owner::Variable(first?.clone())),
            "local" => one(Owner::Local(first?.clone())),
            "module" => {
                let call = first?.clone();
                let child = self.children.get(&(node, call.clone()));
                let mut things = vec![(node, Owner::Call(call))];
                if let Some(child) = child {
                    let outputs = &self.nodes[*child].module.outputs;
                    let output = |name: &Text| (*child, Owner::Output(name.clone()));
                    match names.next() {
                        Some(name) => things.push(output(name)),
                        None => things.extend(outputs.keys().map(output)),
                    }
                }
                Some(things)
            }
            "path" | "terraform" | "tofu" | "count" | "each" | "self" => Some(Vec::new()),
            mode @ ("data" | "ephemeral" | "resource") => {
                let (kind, name) = (first?, names.next()?);
                let prefix = if mode == "resource" { String::new() } else { format!("{mode}.") };
                one(Owner::Resource(format!("{prefix}{kind}.{name}").into()))
            }
            // A resource, or a name that a block or a configuration of a provider has.
            kind => match first {
                Some(name) => one(Owner::Resource(format!("{kind}.{name}").into())),
                None => Some(Vec::new()),
            },
        }
    }

    /// What reads something, or is made of it.
    fn of_thing(&self, thing: &Thing) -> Vec<Thing> {
        let (node, owner) = thing;
        let mut found = self.known.get(thing).cloned().unwrap_or_default();
        match owner {
            Owner::Argument(call, variable) => found.push(match self.children.get(&(*node, call.clone())) {
                Some(child) => (*child, Owner::Variable(variable.clone())),
                None => (*node, Owner::Call(call.clone())),
            }),
            Owner::Call(call) => {
                let declared = self.nodes[*node].module.calls.get(call);
                let arguments = declared.into_iter().flat_map(|declared| declared.arguments.keys());
                found.extend(arguments.map(|name| (*node, Owner::Argument(call.clone(), name.clone()))));
                let child = self.children.get(&(*node, call.clone()));
                found.extend(
                    child
                        .into_iter()
                        .flat_map(|child| all(&self.nodes[*child].module).into_iter().map(|owner| (*child, owner))),
                );
            }
            _ => {}
        }
        found
    }
}

/// Everything in a module.
fn all(module: &Module) -> Vec<Owner> {
    let variables = module.variables.keys().cloned().map(Owner::Variable);
    let locals = module.locals.keys().cloned().map(Owner::Local);
    let outputs = module.outputs.keys().cloned().map(Owner::Output);
    let resources = module.resources.keys().cloned().map(Owner::Resource);
    let calls = module.calls.keys().cloned().map(Owner::Call);
    let checks = module.checks.keys().cloned().map(Owner::Check);
    variables.chain(locals).chain(outputs).chain(resources).chain(calls).chain(checks).collect()
}
