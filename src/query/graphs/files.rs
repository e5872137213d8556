//! Graphs whose nodes are files or names in them.

use super::{Context, Graph};
use crate::resolution::{Local, LocalScope};
use crate::text::Text;
use crate::value::{FileId, Origin};
use std::collections::{BTreeSet, HashMap};

/// Files and what they import, from the units of the stacks that are shown.
pub(super) fn imports(context: &Context<'_>) -> Graph {
    let mut graph = Graph::default();
    let path = |id: FileId| Text::clone(&context.files.get(id).path);
    let shown = reached(context);
    for unit in context.resolution.units.iter().filter(|u| shown.contains(&u.file)) {
        graph.add_node(&path(unit.file));
    }
    for import in context.resolution.imports.items.iter().filter(|i| shown.contains(&i.item.file)) {
        let from = path(import.item.file);
        let label = if import.is_pattern { written(context, import.path) } else { String::new() };
        for target in &import.targets {
            graph.add_edge(&from, &path(*target), &label, context.place(Some(import.path)));
        }
    }
    graph
}

fn written(context: &Context<'_>, origin: Origin) -> String {
    let file = context.files.get(origin.file);
    file.text.get(origin.start as usize..origin.end as usize).unwrap_or_default().trim().to_owned()
}

/// The files that have a part in a stack that is shown.
fn reached(context: &Context<'_>) -> BTreeSet<FileId> {
    let is_shown = |unit: &&std::sync::Arc<crate::resolution::Unit>| {
        (context.keep)(&unit.name) || unit.components.iter().any(|c| (context.keep)(&c.stack))
    };
    let units = context.resolution.units.iter().filter(is_shown);
    units.flat_map(|unit| unit.files.iter().copied().chain([unit.file])).collect()
}

/// Local names and what they read in their own file.
pub(super) fn locals(context: &Context<'_>) -> Graph {
    let mut graph = Graph::default();
    let shown = reached(context);
    let scopes: Vec<&LocalScope> =
        context.resolution.locals.scopes.iter().map(|s| &**s).filter(|s| shown.contains(&s.file)).collect();
    let name = |scope: &LocalScope, local: &Local| {
        format!("{}: {}.{}", context.files.get(scope.file).path, scope.level, local.name)
    };
    let each = || scopes.iter().flat_map(|scope| scope.locals.iter().map(move |local| (*scope, local)));
    let by_place: HashMap<Origin, String> =
        each().filter_map(|(scope, local)| Some((local.origin?, name(scope, local)))).collect();
    for (scope, local) in each() {
        let from = name(scope, local);
        graph.add_node(&from);
        for dependency in &local.depends_on {
            let known = dependency.origin.and_then(|origin| by_place.get(&origin));
            let other = || format!("{}: {}", context.files.get(scope.file).path, dependency.path);
            let to = known.cloned().unwrap_or_else(other);
            graph.add_edge(&from, &to, "", context.place(local.origin));
        }
    }
    graph
}
