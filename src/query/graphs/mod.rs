//! Graphs of one state, or of a change: imports, inheritance, dependencies and references.

mod change;
mod components;
mod files;
pub(crate) mod layout;

pub(crate) use change::{Differences, unresolved};

use crate::files::Files;
use crate::resolution::Resolution;
use crate::terraform::Modules;
use crate::value::Origin;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The maximum number of edges of one graph; further edges are omitted, which the graph records.
pub(crate) const MAX_EDGES: usize = 200_000;

/// The subject of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum About {
    /// Which files import which others.
    Imports,
    /// Which components inherit from which others.
    Inheritance,
    /// Which components depend on which others: declared or by what they read.
    Dependencies,
    /// Which local names read which others.
    Locals,
    /// Which values components read from others, and nothing that is only declared.
    References,
    /// Which code components run, and which modules that calls.
    Modules,
}

impl About {
    /// The name that users type.
    pub(crate) fn name(self) -> &'static str {
        match self {
            About::Imports => "imports",
            About::Inheritance => "inheritance",
            About::Dependencies => "dependencies",
            About::Locals => "locals",
            About::References => "references",
            About::Modules => "modules",
        }
    }
}

/// The change of a node or an edge between two states.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Change {
    /// Nothing, or one state alone is shown.
    #[default]
    Same,
    /// Only the newer state has it.
    Added,
    /// Only the older state has it.
    Removed,
    /// It differs.
    Changed,
    /// It does not change, but it leads to something that does.
    Reached,
    /// Only one state has it, but of the other one not everything could be resolved.
    Unresolved,
}

impl Change {
    /// The name in output.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Change::Same => "same",
            Change::Added => "added",
            Change::Removed => "removed",
            Change::Changed => "changed",
            Change::Reached => "reached",
            Change::Unresolved => "unresolved",
        }
    }
}

/// A node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Node {
    pub change: Change,
    /// It is named but not there.
    pub is_missing: bool,
}

/// An edge: its source needs its target.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Edge {
    /// The reason, if there is more to say than the kind of the graph.
    pub label: String,
    /// Where it is written: path and line.
    pub place: Option<(String, u32)>,
    pub change: Change,
}

/// Nodes by name and edges by the names of their ends.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Graph {
    pub nodes: BTreeMap<String, Node>,
    /// The edges. Of several between two nodes, the first one is kept.
    pub edges: BTreeMap<(String, String), Edge>,
    /// There are more edges than are shown.
    pub is_cut: bool,
}

/// The input of a graph.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    /// The state.
    pub resolution: &'a Resolution,
    /// The code of its components.
    pub modules: &'a Modules<'a>,
    pub files: &'a Files,
    /// Which stacks are shown.
    pub keep: &'a dyn Fn(&str) -> bool,
}

impl Context<'_> {
    fn place(&self, origin: Option<Origin>) -> Option<(String, u32)> {
        let origin = origin?;
        let file = self.files.get(origin.file);
        Some((file.path.to_string(), file.line(origin.key)))
    }
}

/// The graph of a state.
pub(crate) fn graph(about: About, context: &Context<'_>) -> Graph {
    match about {
        About::Imports => files::imports(context),
        About::Locals => files::locals(context),
        About::Inheritance => components::inheritance(context),
        About::Dependencies => components::needs(context, false),
        About::References => components::needs(context, true),
        About::Modules => components::modules(context),
    }
}

impl Graph {
    fn add_node(&mut self, name: &str) {
        if !self.nodes.contains_key(name) {
            self.nodes.insert(name.to_owned(), Node::default());
        }
    }

    fn add_edge(&mut self, from: &str, to: &str, label: &str, place: Option<(String, u32)>) {
        let key = (from.to_owned(), to.to_owned());
        if self.edges.len() >= MAX_EDGES && !self.edges.contains_key(&key) {
            self.is_cut = true;
            return;
        }
        self.add_node(from);
        self.add_node(to);
        self.edges.entry(key).or_insert_with(|| Edge { label: label.to_owned(), place, change: Change::Same });
    }

    /// The edges that leave each node, in order.
    pub(crate) fn outgoing(&self) -> BTreeMap<&str, Vec<&str>> {
        let mut all: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (from, to) in self.edges.keys() {
            all.entry(from).or_default().push(to);
        }
        all
    }

    /// Adds the nodes and edges of another graph.
    pub(crate) fn unite(&mut self, other: Graph) {
        self.nodes.extend(other.nodes);
        self.edges.extend(other.edges);
        self.is_cut |= other.is_cut;
    }

    /// Keeps at most so many nodes and edges, the first ones by name, and those that differ before others.
    pub(crate) fn limit(&mut self, nodes: usize, edges: usize) {
        if self.nodes.len() > nodes {
            let mut names: Vec<(bool, String)> =
                self.nodes.iter().map(|(name, node)| (node.change == Change::Same, name.clone())).collect();
            names.sort();
            for (_, name) in names.drain(nodes..) {
                self.nodes.remove(&name);
            }
            self.is_cut = true;
        }
        let known = &self.nodes;
        self.edges.retain(|(from, to), _| known.contains_key(from) && known.contains_key(to));
        if let Some(key) = self.edges.keys().nth(edges).cloned() {
            drop(self.edges.split_off(&key));
            self.is_cut = true;
        }
    }

    /// Keeps nodes within a distance of a node, in both directions, and returns whether the node exists.
    pub(crate) fn focus(&mut self, node: &str, depth: usize) -> bool {
        if !self.nodes.contains_key(node) {
            return false;
        }
        let mut near = BTreeSet::from([node.to_owned()]);
        let mut backwards: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (from, to) in self.edges.keys() {
            backwards.entry(to).or_default().push(from);
        }
        let forwards = self.outgoing();
        for edges in [&forwards, &backwards] {
            let mut seen = BTreeSet::from([node]);
            let mut todo = VecDeque::from([(node, 0)]);
            while let Some((at, distance)) = todo.pop_front() {
                if distance == depth {
                    continue;
                }
                for next in edges.get(at).into_iter().flatten().copied() {
                    if seen.insert(next) {
                        todo.push_back((next, distance + 1));
                    }
                }
            }
            near.extend(seen.into_iter().map(str::to_owned));
        }
        self.nodes.retain(|name, _| near.contains(name));
        self.edges.retain(|(from, to), _| near.contains(from) && near.contains(to));
        true
    }
}
