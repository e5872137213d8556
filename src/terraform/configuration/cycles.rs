//! Names that depend on themselves, through all modules of a root module.

use crate::hcl::ast::walk::{self, Reference};
use crate::hcl::ast::{Key, TraversalStep};
use crate::terraform::configuration::module_tree::Tree;
use crate::terraform::configuration::sites::{self, Owner};
use crate::terraform::failure::{Failure, Place};
use crate::terraform::module::Module;
use crate::terraform::module::block::Written;
use crate::terraform::rules;
use crate::text::Text;
use foldhash::fast::RandomState;
use std::collections::{BTreeMap, HashMap};

/// How many names of a cycle are shown.
const MAX_SHOWN: usize = 12;

/// Something that depends on other things: in a module of the tree.
type Id = (usize, Owner);

/// What depends on what.
struct Graph {
    ids: HashMap<Id, usize, RandomState>,
    names: Vec<(String, Option<Place>)>,
    edges: Vec<Vec<usize>>,
}

/// Reports what depends on itself.
pub(super) fn check(tree: &Tree<'_>) -> Vec<Failure> {
    let mut failures = Vec::new();
    let graph = Graph::of(tree, &mut failures);
    failures.extend(graph.cycle());
    failures
}

fn attribute<'r>(reference: &'r Reference<'_>, index: usize) -> Option<&'r Text> {
    match reference.steps.get(index) {
        Some(TraversalStep::Attribute(name)) => Some(&name.text),
        _ => None,
    }
}

/// A node for everything in a module, for those that depend on a module as a whole.
fn everything() -> Owner {
    Owner::Other
}

impl Graph {
    fn of(tree: &Tree<'_>, failures: &mut Vec<Failure>) -> Self {
        let mut graph = Graph { ids: HashMap::default(), names: Vec::new(), edges: Vec::new() };
        let mut children: BTreeMap<(usize, Text), usize> = BTreeMap::new();
        for (index, node) in tree.nodes.iter().enumerate() {
            if let Some((parent, name)) = node.parent.zip(node.path.last()) {
                children.insert((parent, name.clone()), index);
            }
        }
        let child = |index: usize, name: &Text| children.get(&(index, name.clone())).copied();
        for (index, node) in tree.nodes.iter().enumerate() {
            let module = &node.module;
            graph.declare(tree, index, module);
            for site in sites::of(module) {
                let owner = match &site.owner {
                    // What depends on the arguments of a module that is not here is not known.
                    Owner::Argument(call, variable) => match child(index, call) {
                        Some(child) => (child, Owner::Variable(variable.clone())),
                        None => continue,
                    },
                    // Nothing depends on these.
                    Owner::Other | Owner::Check(_) => continue,
                    // What reads a variable waits for its conditions.
                    other => (index, other.clone()),
                };
                let from = graph.id(owner);
                let is_condition = matches!(site.owner, Owner::Variable(_));
                for reference in walk::references(site.expr) {
                    if site.iterators.contains(&reference.root.text) {
                        continue;
                    }
                    if let Owner::Resource(address) = &site.owner
                        && resource(module, &reference).as_ref() == Some(address)
                    {
                        // A provisioner runs when the resource is there, so it may name it; what depends on itself waits for nothing.
                        if site.is_later || site.is_dependency && !site.is_trigger {
                            continue;
                        }
                        let message =
                            format!("self-referential block: the configuration of {address} refers to itself");
                        failures.push(Failure::new(&rules::CYCLE, message, (site.file, reference.span)));
                        continue;
                    }
                    for target in targets(tree, index, &reference, site.is_dependency, &child) {
                        let to = graph.id(target);
                        // A condition may read its own variable.
                        if !is_condition || to != from {
                            graph.edges[from].push(to);
                        }
                    }
                }
            }
            // The instances of a call, and what it depends on, come before everything in its module.
            if let Some((parent, name)) = node.parent.zip(node.path.last()) {
                let call = graph.id((parent, Owner::Call(name.clone())));
                let has_dependencies = tree.nodes[parent].module.calls.get(name);
                let has_dependencies = has_dependencies.is_some_and(|call| call.arguments.contains_key("depends_on"));
                for address in module.resources.keys().filter(|_| has_dependencies) {
                    let id = graph.id((index, Owner::Resource(address.clone())));
                    graph.edges[id].push(call);
                }
                let (whole, around) = (graph.id((index, everything())), graph.id((parent, everything())));
                graph.edges[around].push(whole);
            }
            let whole = graph.id((index, everything()));
            let parts = module.resources.keys().map(|address| Owner::Resource(address.clone()));
            for part in parts.chain(module.outputs.keys().map(|name| Owner::Output(name.clone()))) {
                let id = graph.id((index, part));
                graph.edges[whole].push(id);
            }
        }
        graph
    }

    /// Gives what a module declares a name and a place.
    fn declare(&mut self, tree: &Tree<'_>, index: usize, module: &Module) {
        let prefix = &tree.nodes[index].prefix;
        let mut note = |owner: Owner, name: String, place: Option<Place>| {
            let id = self.id((index, owner));
            self.names[id] = (format!("{prefix}{name}"), place);
        };
        for (name, written) in &module.locals {
            note(Owner::Local(name.clone()), format!("local.{name}"), Some(Written::argument(written)));
        }
        for (name, variable) in &module.variables {
            note(Owner::Variable(name.clone()), format!("var.{name}"), Some(variable.place));
        }
        for (name, declared) in &module.outputs {
            note(Owner::Output(name.clone()), format!("output.{name}"), Some(declared.place));
        }
        for (address, declared) in &module.resources {
            note(Owner::Resource(address.clone()), address.to_string(), Some(declared.place));
        }
        for (name, declared) in &module.calls {
            note(Owner::Call(name.clone()), format!("module.{name}"), Some(declared.place));
        }
    }

    fn id(&mut self, id: Id) -> usize {
        let next = self.edges.len();
        let found = *self.ids.entry(id).or_insert(next);
        if found == next {
            self.edges.push(Vec::new());
            self.names.push((String::new(), None));
        }
        found
    }

    /// The first cycle.
    fn cycle(&self) -> Option<Failure> {
        // 0: not visited, 1: on the way, 2: done.
        let mut state = vec![0_u8; self.edges.len()];
        for start in 0..self.edges.len() {
            if state[start] != 0 {
                continue;
            }
            let mut way: Vec<(usize, usize)> = vec![(start, 0)];
            state[start] = 1;
            while let Some((id, next)) = way.last_mut() {
                let Some(to) = self.edges[*id].get(*next).copied() else {
                    state[*id] = 2;
                    way.pop();
                    continue;
                };
                *next += 1;
                match state[to] {
                    0 => {
                        state[to] = 1;
                        way.push((to, 0));
                    }
                    1 => {
                        let from = way.iter().position(|(id, _)| *id == to).unwrap_or_default();
                        return self.failure(&way[from..].iter().map(|(id, _)| *id).collect::<Vec<_>>());
                    }
                    _ => {}
                }
            }
        }
        None
    }

    fn failure(&self, cycle: &[usize]) -> Option<Failure> {
        let place = cycle.iter().find_map(|id| self.names[*id].1)?;
        let names = cycle.iter().chain(cycle.first()).map(|id| &*self.names[*id].0).filter(|name| !name.is_empty());
        let mut names: Vec<&str> = names.collect();
        if names.len() > MAX_SHOWN {
            names.splice(MAX_SHOWN / 2..names.len() - MAX_SHOWN / 2, ["…"]);
        }
        let message = format!("cycle: {}", names.join(" depends on "));
        Some(Failure::new(&rules::CYCLE, message, place).cyclic())
    }
}

/// The address of the resource that a reference names.
fn resource(module: &Module, reference: &Reference<'_>) -> Option<Text> {
    let (first, second) = (attribute(reference, 0)?, attribute(reference, 1));
    let address = match &*reference.root.text {
        mode @ ("data" | "ephemeral") => format!("{mode}.{first}.{}", second?),
        "resource" => format!("{first}.{}", second?),
        kind => format!("{kind}.{first}"),
    };
    module.resources.contains_key(&*address).then(|| address.into())
}

/// What a reference depends on.
fn targets(
    tree: &Tree<'_>,
    index: usize,
    reference: &Reference<'_>,
    is_dependency: bool,
    child: &dyn Fn(usize, &Text) -> Option<usize>,
) -> Vec<Id> {
    let module = &tree.nodes[index].module;
    let Some(first) = attribute(reference, 0) else { return Vec::new() };
    match &*reference.root.text {
        "local" => vec![(index, Owner::Local(first.clone()))],
        "var" => vec![(index, Owner::Variable(first.clone()))],
        "module" => {
            let call = (index, Owner::Call(first.clone()));
            let Some(child) = child(index, first) else { return vec![call] };
            if is_dependency {
                return vec![call, (child, everything())];
            }
            let output = match reference.steps.get(1) {
                Some(TraversalStep::Attribute(name)) => Some(&name.text),
                Some(TraversalStep::Index(Key::Number(_) | Key::Text(_), _)) => attribute(reference, 2),
                None => None,
            };
            let of_child = &tree.nodes[child].module.outputs;
            let outputs: Vec<Id> = match output {
                Some(name) => vec![(child, Owner::Output(name.clone()))],
                None => of_child.keys().map(|name| (child, Owner::Output(name.clone()))).collect(),
            };
            outputs.into_iter().chain([call]).collect()
        }
        _ => resource(module, reference).map(|address| (index, Owner::Resource(address))).into_iter().collect(),
    }
}
