//! The units that a change affects, with their folders.

use super::component::code_stack;
use super::discovery::stack_name;
use super::load::STACK;
use super::unit::{KIND, is_run};
use crate::affected::{self, Affected, Item, Request};
use crate::diagnostic::Diagnostic;
use crate::dialects::lies_below;
use crate::paths;
use crate::resolution::{Address, Component, Resolution, StackSelector, State, Unit};
use crate::source::differences;
use crate::text::Text;
use crate::value::FileId;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The name of the folder of a unit in the list.
pub(super) const FOLDER: &str = "terragrunt_folder";

/// Units by their address, with their folders.
type Units<'a> = BTreeMap<Address, (&'a Text, &'a Arc<Component>)>;

fn units(resolution: &Resolution) -> Units<'_> {
    let of_unit = resolution.units.iter().flat_map(|unit| unit.components.iter().map(move |c| (&unit.id, c)));
    let of_unit = of_unit.filter(|(_, component)| is_run(&component.kind));
    of_unit.map(|(folder, component)| (component.address(), (folder, component))).collect()
}

/// The list: what differs in configuration or code, and what cannot be resolved any more.
pub(super) fn list(request: &Request<'_>) -> Affected {
    let [base, head] = request.resolutions;
    let (before, after) = (units(base), units(head));
    let differing = affected::differing(request.diff, request.code, request.filter);
    let mut items: BTreeMap<Address, Item> = BTreeMap::new();
    let lost = affected::lost(base, head, request.filter).map(|(_, item)| item);
    let (units, of_code): (Vec<Item>, Vec<Item>) =
        differing.into_iter().chain(lost).partition(|item| is_run(&item.component_type));
    units.into_iter().for_each(|item| _ = items.entry(item.address()).or_insert(item));
    // What the code of a unit makes belongs to the unit.
    let stacks: BTreeMap<Text, Item> = of_code.into_iter().map(|item| (Text::clone(&item.stack), item)).collect();
    for (address, (_, component)) in &after {
        if let Some(item) = stacks.get(&code_stack(component)) {
            items.entry(address.clone()).or_insert_with(|| of_unit(address, item));
        }
    }
    let revisions = [&before, &after];
    let failing = failing(request.resolutions, revisions).into_iter().chain(of_broken_stacks(head, revisions));
    for (address, Failing { component, why }) in failing.filter(|(address, _)| (request.filter)(address)) {
        items.entry(address.clone()).or_insert_with(|| {
            let mut item = affected::of_code(&address);
            item.component_path = component.metadata.code.as_ref().map(|code| code.folder.clone()).unwrap_or_default();
            item.mark_unresolved(why);
            item.extra = None;
            item
        });
    }
    for (address, item) in still_broken(request) {
        items.entry(address).or_insert(item);
    }
    let mut items: Vec<Item> = items.into_values().collect();
    for item in &mut items {
        let address = item.address();
        if let Some((folder, _)) = after.get(&address).or_else(|| before.get(&address)) {
            item.integrations.insert(FOLDER, folder.to_string());
            // Terragrunt runs in the folder of the unit, wherever its code is.
            item.component_path = Text::clone(folder);
        }
    }
    Affected { items: ordered(items, [&after, &before]), ..Affected::default() }
}

/// A unit without a value that differs, and why it is listed.
struct Failing<'a> {
    component: &'a Arc<Component>,
    why: &'static str,
}

/// The units that fail in another way than before: a run of them ends otherwise, whatever their values are.
fn failing<'a>([base, head]: [&Resolution; 2], [before, after]: [&Units<'a>; 2]) -> Vec<(Address, Failing<'a>)> {
    let [old, new] = [mistakes(base), mistakes(head)];
    let both =
        after.iter().filter(|(address, _)| before.contains_key(*address) && old.get(*address) != new.get(*address));
    let why = "it fails in one of the two revisions, or in another way";
    both.map(|(address, (_, component))| (address.clone(), Failing { component, why })).collect()
}

/// What keeps units from being resolved: rules and messages by unit.
fn mistakes(resolution: &Resolution) -> BTreeMap<Address, BTreeSet<(&str, &str)>> {
    let mut of_files: BTreeMap<FileId, Vec<&Diagnostic>> = BTreeMap::new();
    for finding in resolution.findings.iter().filter(|finding| finding.is_breaking) {
        of_files.entry(finding.primary.file).or_default().push(finding);
    }
    let mut found: BTreeMap<Address, BTreeSet<(&str, &str)>> = BTreeMap::new();
    for unit in &resolution.units {
        let all: Vec<&Diagnostic> =
            unit.files.iter().filter_map(|file| of_files.get(file)).flatten().copied().collect();
        for component in unit.components.iter().filter(|component| is_run(&component.kind)) {
            let own = all.iter().filter(|finding| finding.stacks.contains(&component.stack));
            found.entry(component.address()).or_default().extend(own.map(|f| (f.rule.id(), &*f.message)));
        }
    }
    found
}

/// The units of the older revision whose stack file cannot be resolved any more.
fn of_broken_stacks<'a>(head: &Resolution, [before, after]: [&Units<'a>; 2]) -> Vec<(Address, Failing<'a>)> {
    let is_stack = |unit: &&Arc<Unit>| unit.state == State::Broken && paths::name(&unit.id) == STACK;
    let folders: BTreeSet<Text> =
        head.units.iter().filter(is_stack).map(|unit| stack_name(paths::parent(&unit.id))).collect();
    let gone = before.iter().filter(|(address, _)| !after.contains_key(*address) && folders.contains(&address.0));
    let why = "the older revision has it";
    gone.map(|(address, (_, component))| (address.clone(), Failing { component, why })).collect()
}

/// The units that the newer revision cannot resolve, of which a file differs: what they become is not known.
fn still_broken(request: &Request<'_>) -> Vec<(Address, Item)> {
    let differing = differences(request.base.listing(), request.head.listing());
    let paths: BTreeSet<&str> = differing.iter().map(|pair| pair.path()).collect();
    let broken = |unit: &&Arc<Unit>| unit.state == State::Broken && paths::name(&unit.id) != STACK;
    let item = |unit: &Arc<Unit>| {
        let (stack, name) = super::discovery::address(&unit.id);
        let address = (stack, KIND.into(), name);
        let is_read = unit.files.iter().any(|file| paths.contains(&*request.files.get(*file).path));
        let is_touched = is_read || paths.iter().any(|path| lies_below(path, &unit.id));
        (is_touched && (request.filter)(&address)).then(|| {
            let mut item = affected::of_code(&address);
            item.mark_unresolved("Terragrunt stops with an error");
            item.integrations.insert(FOLDER, unit.id.to_string());
            item.component_path = Text::clone(&unit.id);
            (address, item)
        })
    };
    request.resolutions[1].units.iter().filter(broken).filter_map(item).collect()
}

/// The items, each behind those of the units that its own needs, by way of others too. Those that need each other come by address.
fn ordered(items: Vec<Item>, units: [&Units<'_>; 2]) -> Vec<Item> {
    let mut waiting: BTreeMap<Address, Item> = items.into_iter().map(|item| (item.address(), item)).collect();
    let starts: Vec<Address> = waiting.keys().cloned().collect();
    let (mut found, mut seen) = (Vec::new(), BTreeSet::new());
    for start in starts {
        let mut open = vec![(start, false)];
        while let Some((address, is_left)) = open.pop() {
            if is_left {
                found.extend(waiting.remove(&address));
            } else if seen.insert(address.clone()) {
                let unit = units.iter().find_map(|units| units.get(&address));
                open.push((address, true));
                let needed: BTreeSet<Address> = unit.into_iter().flat_map(|(_, component)| needs(component)).collect();
                open.extend(needed.into_iter().rev().map(|address| (address, false)));
            }
        }
    }
    found
}

/// The units that a unit needs.
fn needs(unit: &Component) -> impl Iterator<Item = Address> {
    unit.metadata.links.iter().filter_map(|link| match &link.stack {
        StackSelector::Stack(stack) => Some((Text::clone(stack), KIND.into(), Text::clone(&link.component))),
        _ => None,
    })
}

/// The item of a unit whose code makes something else, or nothing that is known.
fn of_unit(address: &Address, item: &Item) -> Item {
    let mut unit = affected::of_code(address);
    match item.affected == affected::UNRESOLVED {
        true => {
            unit.mark_unresolved("its code cannot be evaluated");
            unit.extra = None;
        }
        false => {
            unit.affected_all.push("component".to_owned());
            unit.affected = "component".to_owned();
        }
    }
    unit
}
