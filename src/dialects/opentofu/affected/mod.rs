//! The root modules that a change affects, each with its reasons: what a pipeline has to plan.

mod reach;
pub(crate) mod touched;

use super::OpenTofu;
use crate::affected::{Affected, Item, Name, Request};
use crate::dialects::Project;
use crate::dialects::opentofu::discovery::variants::{self, Variant};
use crate::dialects::opentofu::discovery::{self, Candidate};
use crate::diff::Status;
use crate::source::{Source, differences};
use crate::terraform::module::modules::Modules;
use crate::text::Text;
use reach::{Reach, Touch};
use std::collections::{BTreeMap, BTreeSet};

/// The type of the items.
const KIND: &str = "root";
/// Reasons: one of its own files differs, a module that it calls, a file that an expression names, everything is new.
const OWN: &str = "component";
const MODULE: &str = "component.module";
const FILE: &str = "file";

/// A root module of one revision.
struct Side {
    /// Its folder.
    dir: String,
    /// The files that it consists of.
    reach: Reach,
}

impl OpenTofu {
    /// The root modules that a change affects.
    pub(in crate::dialects::opentofu) fn list_affected(&self, request: &Request<'_>, project: &Project) -> Affected {
        let mut out = Affected::default();
        let (base, _) = self.sides(request, request.base, project);
        let (head, broken) = self.sides(request, request.head, project);
        out.unresolved.extend(broken.into_iter().map(|stack| format!("head: {stack}")));
        let pairs = differences(request.base.listing(), request.head.listing());
        let paths: Vec<&str> = pairs.iter().map(|pair| pair.path()).collect();
        let stacks: BTreeSet<&Text> = base.keys().chain(head.keys()).collect();
        for stack in stacks.into_iter().filter(|stack| (request.stack_filter)(stack)) {
            let found = match (base.get(stack), head.get(stack)) {
                (old, Some(new)) => present(stack, old, new, &paths, request),
                (Some(old), None) => Some(gone(stack, old, request)),
                (None, None) => None,
            };
            out.items.extend(found.filter(|item| (request.filter)(&item.address())));
        }
        out
    }

    /// Returns the root modules of a revision by the names of their stacks, and those with unreadable parts.
    fn sides(
        &self,
        request: &Request<'_>,
        source: &dyn Source,
        project: &Project,
    ) -> (BTreeMap<Text, Side>, Vec<Text>) {
        let modules = self.modules(source, request.files, project);
        let (mut sides, mut broken) = (BTreeMap::new(), Vec::new());
        for candidate in self.roots(&modules, project).candidates {
            for variant in variants::of(&modules.loader, &candidate.dir, project) {
                let reach = reach_of(&modules, &candidate, &variant);
                broken.extend(reach.is_broken(&modules).then(|| variant.stack.clone()));
                sides.insert(variant.stack, Side { dir: candidate.dir.clone(), reach });
            }
        }
        // A module that another root module calls is one itself only if stacklint was started in it.
        let called: BTreeSet<String> =
            sides.values().flat_map(|side| side.reach.folders().map(str::to_owned)).collect();
        let is_listed =
            |dir: &str| dir == project.start || !called.contains(dir) || discovery::is_named(dir, &project.roots);
        sides.retain(|_, side| is_listed(&side.dir));
        (sides, broken)
    }
}

/// Returns the files of a root module; it is evaluated only if its text does not show them.
fn reach_of(modules: &Modules<'_>, candidate: &Candidate, variant: &Variant) -> Reach {
    let written = reach::written(modules, candidate, &variant.inputs);
    match written.is_open {
        true => reach::computed(candidate, variant, modules),
        false => written,
    }
}

fn item(stack: &Text, dir: &str) -> Item {
    let dir = Text::from(if dir.is_empty() { "." } else { dir });
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
fn present(stack: &Text, old: Option<&Side>, new: &Side, paths: &[&str], request: &Request<'_>) -> Option<Item> {
    let mut item = item(stack, &new.dir);
    let mut reasons: BTreeSet<(u8, String)> = BTreeSet::new();
    for path in paths {
        let touches = [Some(new), old].into_iter().flatten().filter_map(|side| side.reach.touch(path));
        for touch in touches {
            match touch {
                Touch::Own => drop(reasons.insert((0, OWN.to_owned()))),
                Touch::Module(dir) => {
                    reasons.insert((1, MODULE.to_owned()));
                    item.folder.get_or_insert(dir);
                }
                Touch::File => drop(reasons.insert((2, FILE.to_owned()))),
            }
            item.file.get_or_insert_with(|| (*path).to_owned());
        }
    }
    if old.is_none() {
        reasons.insert((0, OWN.to_owned()));
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
fn gone(stack: &Text, old: &Side, request: &Request<'_>) -> Item {
    let mut item = item(stack, &old.dir);
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
