//! Who imports whom, to find out where a local is defined that a file cannot see.

use crate::dialects::atmos::locals::observations::Records;
use crate::value::{Key, Origin};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// One import.
#[derive(Clone, Debug)]
pub(super) struct ImportStep<'a> {
    /// The importing file.
    pub from: &'a str,
    /// The imported file.
    pub to: &'a str,
    /// The item of its `import` section.
    pub item: Option<Origin>,
}

/// A local that is defined somewhere else.
#[derive(Clone, Debug)]
pub(super) struct Definition<'a> {
    pub path: &'a str,
    pub origin: Option<Origin>,
    /// The component that has it, if it belongs to one.
    pub component: Option<Key>,
    /// Whether the file imports the one that cannot see it.
    pub is_above: bool,
    /// The imports between the two.
    pub chain: Vec<ImportStep<'a>>,
}

/// The imports of a revision.
pub(crate) struct Graph<'a> {
    down: BTreeMap<&'a str, Vec<ImportStep<'a>>>,
    up: BTreeMap<&'a str, Vec<ImportStep<'a>>>,
}

/// How a file was reached from another one.
type Reached<'a, 'g> = BTreeMap<&'a str, Option<&'g ImportStep<'a>>>;

impl<'a> Graph<'a> {
    pub(crate) fn of(records: &'a Records) -> Self {
        let mut graph = Graph { down: BTreeMap::new(), up: BTreeMap::new() };
        for (from, targets) in &records.imports {
            for (to, item) in targets {
                let step = ImportStep { from, to, item: *item };
                graph.down.entry(from).or_default().push(step.clone());
                graph.up.entry(to).or_default().push(step);
            }
        }
        graph
    }

    /// The files that a file imports, however far, the nearest first.
    pub(crate) fn below<'g>(&'g self, from: &str) -> impl Iterator<Item = &'a str> + use<'a, 'g> {
        let mut order = Vec::new();
        walk(from, &self.down, |s| s.to, &mut order);
        order.into_iter()
    }

    /// The imports that lead from a file down to another.
    pub(crate) fn chain(&self, from: &str, to: &str) -> Vec<ImportStep<'a>> {
        let reached = walk(from, &self.down, |s| s.to, &mut Vec::new());
        trace(&reached, to, |s| s.from)
    }

    /// The nearest definition of a local in the files around one: those that it imports, those that import it, and what
    /// else these import. A definition for a whole file goes before one of a component.
    pub(crate) fn nearest(&self, file: &str, name: &str, records: &Records) -> Option<Definition<'a>> {
        let defined = |path: &str| -> Option<(Option<Origin>, Option<Key>)> {
            let found = records.locals.get(records.manifests.get(path)?)?;
            found.definition(name)
        };
        if !records.locals.values().any(|f| f.definition(name).is_some()) {
            return None;
        }
        let mut below = Vec::new();
        let reached_down = walk(file, &self.down, |s| s.to, &mut below);
        let mut above = Vec::new();
        let reached_up = walk(file, &self.up, |s| s.from, &mut above);
        let mut best: Option<Definition<'a>> = None;
        let mut take = |found: Definition<'a>| {
            let better = best.as_ref().is_none_or(|b| b.component.is_some() && found.component.is_none());
            if better {
                best = Some(found);
            }
        };
        for path in below {
            if let Some((origin, component)) = defined(path) {
                let chain = trace(&reached_down, path, |s| s.from);
                take(Definition { path, origin, component, is_above: false, chain });
            }
        }
        let mut seen: BTreeSet<&str> = BTreeSet::new();
        for top in above {
            let to_file = || {
                let mut chain = trace(&reached_up, top, |s| s.to);
                chain.reverse();
                chain
            };
            if let Some((origin, component)) = defined(top) {
                take(Definition { path: top, origin, component, is_above: true, chain: to_file() });
            }
            let mut beside = Vec::new();
            let reached = walk(top, &self.down, |s| s.to, &mut beside);
            for path in beside.into_iter().filter(|p| *p != file) {
                if !seen.insert(path) {
                    continue;
                }
                if let Some((origin, component)) = defined(path) {
                    let mut chain = to_file();
                    chain.extend(trace(&reached, path, |s| s.from));
                    take(Definition { path, origin, component, is_above: false, chain });
                }
            }
        }
        best
    }

    /// A component of the file itself that has a local of this name.
    pub(super) fn component_with(&self, file: &str, name: &str, records: &Records) -> Option<(Key, Origin)> {
        let found = records.locals.get(records.manifests.get(file)?)?;
        let (origin, component) = found.definition(name)?;
        Some((component?, origin?))
    }
}

/// Returns all files that can be reached, the nearest first, with the step that leads to each.
fn walk<'a, 'g>(
    from: &str,
    steps: &'g BTreeMap<&'a str, Vec<ImportStep<'a>>>,
    next: fn(&ImportStep<'a>) -> &'a str,
    order: &mut Vec<&'a str>,
) -> Reached<'a, 'g> {
    let mut reached: Reached<'a, 'g> = BTreeMap::new();
    let mut queue: VecDeque<&ImportStep<'a>> = steps.get(from).into_iter().flatten().collect();
    while let Some(step) = queue.pop_front() {
        let to = next(step);
        if to == from || reached.contains_key(to) {
            continue;
        }
        reached.insert(to, Some(step));
        order.push(to);
        queue.extend(steps.get(to).into_iter().flatten());
    }
    reached
}

/// The steps back from a file to where the walk began, in the order of the walk.
fn trace<'a>(reached: &Reached<'a, '_>, to: &str, previous: fn(&ImportStep<'a>) -> &'a str) -> Vec<ImportStep<'a>> {
    let mut chain: Vec<ImportStep<'a>> = Vec::new();
    let mut at = reached.get(to).copied().flatten();
    while let Some(step) = at {
        chain.push(step.clone());
        at = reached.get(previous(step)).copied().flatten();
    }
    chain.reverse();
    chain
}
