//! The root modules that a change affects, each with its reasons: what a pipeline has to plan.

pub(super) mod order;
pub(crate) mod touched;

use super::OpenTofu;
use crate::affected::{Affected, Item, Name, Request, UNRESOLVED};
use crate::code::{Run, Runners, Runs, Touched, is_backend_file};
use crate::dialects::Project;
use crate::dialects::opentofu::discovery::variants;
use crate::dialects::opentofu::discovery::{self, Roots};
use crate::diff::Status;
use crate::resolution::{Address, Resolution};
use crate::terraform::module::modules::Modules;
use crate::terraform::reach::{self, Touch};
use crate::text::Text;
use std::collections::BTreeSet;

/// The type of the items.
const KIND: &str = "root";
/// Reasons: one of its own files differs, a module that it calls, a file that an expression names, everything is new.
const OWN: &str = "component";
const MODULE: &str = "component.module";
const FILE: &str = "file";

/// What runs code: root modules.
pub(in crate::dialects::opentofu) fn runs(modules: &Modules<'_>, roots: &Roots, project: &Project) -> Runs {
    let mut runs = Runs { runners: Runners::Stacks("root module"), ..Runs::default() };
    let mut called: BTreeSet<String> = BTreeSet::new();
    for candidate in &roots.candidates {
        for variant in variants::of(&modules.loader, &candidate.dir, project) {
            let reach = reach::of_root(modules, &candidate.dir, variant.given());
            called.extend(reach.folders().map(str::to_owned));
            let address = address(&variant.stack, &candidate.dir);
            let (folder, fetched) = (candidate.dir.as_str().into(), Vec::new());
            runs.all.push(Run { address, folder, reach: runs.reaches.len(), fetched });
            runs.reaches.push(reach);
        }
    }
    // A module that another root module calls is one itself only if it has a backend, or stacklint was started in it.
    let with_backend = roots.candidates.iter().filter(|candidate| candidate.outline.has_backend);
    let with_backend: BTreeSet<&str> = with_backend.map(|candidate| &*candidate.dir).collect();
    let is_listed = |dir: &str| {
        dir == project.start
            || !called.contains(dir)
            || with_backend.contains(dir)
            || discovery::is_named(dir, &project.roots)
    };
    runs.all.retain(|run| is_listed(&run.folder));
    runs.all.sort_by(|a, b| a.address.cmp(&b.address));
    runs
}

/// The address of a root module as a whole.
fn address(stack: &Text, dir: &str) -> Address {
    (stack.clone(), KIND.into(), if dir.is_empty() { ".".into() } else { dir.into() })
}

impl OpenTofu {
    /// The root modules that a change affects.
    pub(in crate::dialects::opentofu) fn list_affected(&self, request: &Request<'_>) -> Affected {
        let mut out = Affected::default();
        let [base, head] = request.resolutions;
        let stacks = |resolution: &'_ Resolution| resolution.units.iter().map(|unit| unit.name.clone()).collect();
        let sides: [BTreeSet<Text>; 2] = [stacks(base), stacks(head)];
        let incomplete = head.units.iter().filter(|unit| unit.is_incomplete());
        out.unresolved.extend(incomplete.map(|unit| format!("head: {}", unit.name)));
        let all: BTreeSet<&Text> = sides.iter().flatten().collect();
        for stack in all.into_iter().filter(|stack| (request.stack_filter)(stack)) {
            let found = match sides[1].contains(stack) {
                true => present(stack, !sides[0].contains(stack), request),
                false => Some(gone(stack, request)),
            };
            out.items.extend(found.filter(|item| (request.filter)(&item.address())));
        }
        out
    }
}

fn item(stack: &Text) -> Item {
    let dir = folder_of(stack);
    Item {
        component: dir.clone(),
        component_type: KIND.into(),
        component_path: dir,
        stack: stack.clone(),
        stack_slug: stack.replace(['/', '@'], "-"),
        deployable: true,
        is_job: true,
        ..Item::default()
    }
}

/// The item of a root module that is there; `None` if nothing reaches it.
fn present(stack: &Text, is_new: bool, request: &Request<'_>) -> Option<Item> {
    let mut item = item(stack);
    let mut reasons: BTreeSet<(u8, String)> = BTreeSet::new();
    for Touched { path, touch, .. } in request.code.touched.get(&item.address()).into_iter().flatten() {
        match touch {
            Touch::Own => drop(reasons.insert((0, OWN.to_owned()))),
            Touch::Module(dir) => {
                reasons.insert((1, MODULE.to_owned()));
                item.folder.get_or_insert_with(|| dir.clone());
            }
            Touch::File | Touch::Fetched => drop(reasons.insert((2, FILE.to_owned()))),
            Touch::Variables => {
                reasons.insert((2, FILE.to_owned()));
                let set = match is_backend_file(path) {
                    true => "arguments that its backend leaves out",
                    false => "variables that it declares",
                };
                item.extra
                    .get_or_insert_with(|| format!("{path} sets {set}, and no root module loads this file by itself"));
            }
        }
        item.file.get_or_insert_with(|| path.to_string());
    }
    if is_new {
        reasons.insert((0, OWN.to_owned()));
    }
    let [base, head] = request.resolutions;
    let is_whole = |side: &Resolution| side.units.iter().any(|unit| unit.name == *stack && !unit.is_incomplete());
    if is_whole(base) && !is_whole(head) {
        reasons.insert((4, UNRESOLVED.to_owned()));
    }
    let changed = request.diff.components.iter().filter(|change| change.stack == *stack);
    reasons.extend(changed.map(|change| (3, format!("stack.{}", change.kind))));
    let old_name = request.diff.renames.iter().find_map(|rename| {
        let (from, to) = (&request.diff.components[rename.from], &request.diff.components[rename.to]);
        (to.stack == *stack && from.stack != *stack).then(|| from.stack.clone())
    });
    item.renamed_from = old_name.map(|stack| Name { component: folder_of(&stack), stack });
    finished(item, reasons.into_iter().map(|(_, reason)| reason).collect())
}

/// The item of a removed root module.
fn gone(stack: &Text, request: &Request<'_>) -> Item {
    let mut item = item(stack);
    let new_name = request.diff.renames.iter().find_map(|rename| {
        let (from, to) = (&request.diff.components[rename.from], &request.diff.components[rename.to]);
        (from.stack == *stack && to.stack != *stack && from.status == Status::Removed).then(|| to.stack.clone())
    });
    item.renamed_to = new_name.map(|stack| Name { component: folder_of(&stack), stack });
    item.deleted = true;
    item.deletion_type = Some("stack");
    // The folder for a job no longer exists.
    item.is_job = false;
    item.affected = "deleted.stack".to_owned();
    item.affected_all = vec![item.affected.clone()];
    item
}

/// The folder of the root module that a stack is of.
fn folder_of(stack: &Text) -> Text {
    stack.split_once('@').map_or_else(|| stack.clone(), |(dir, _)| dir.into())
}

fn finished(mut item: Item, reasons: Vec<String>) -> Option<Item> {
    item.affected = reasons.first()?.clone();
    item.affected_all = reasons;
    Some(item)
}
