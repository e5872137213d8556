//! The effects of a change: actions whose configuration or source files differ, and their dependents.

use super::Garden;
use super::actions::ActionFiles;
use super::project::Ignores;
use crate::affected::jobs::Needs;
use crate::affected::{Affected, Dependent, Item, Request, dependents, lost, of_change, of_code};
use crate::code::{Run, Runs, named, outside};
use crate::dialects::{Project, Scope, State as DialectState};
use crate::resolution::{Address, Component, LinkKind, StackSelector, State};
use crate::source::differences;
use crate::terraform::reach::Reach;
use crate::text::Text;
use crate::value::Value;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

/// The kind of providers.
const PROVIDER: &str = "provider";
/// Kinds of components that nothing is executed for.
pub(super) const SETTINGS: [&str; 2] = ["project", PROVIDER];

type Items = BTreeMap<Address, Item>;
type Components = BTreeMap<Address, Arc<Component>>;

impl Garden {
    /// The components that a change affects.
    pub(super) fn list_affected(&self, request: &Request<'_>, project: &Project) -> Affected {
        let mut out = Affected::default();
        let mut items: Items =
            request.diff.components.iter().map(|change| (change.address(), of_change(change, request.diff))).collect();
        let mut components = Components::new();
        for dir in self.folders(request.head, project) {
            let head = self.project((request.head, request.files), &dir, project, Scope::All);
            let base = self.ignores((request.base, request.files), &dir);
            let broken = head.units.iter().filter(|unit| unit.state == State::Broken);
            out.unresolved.extend(broken.map(|unit| format!("head: {}", unit.name)));
            add_sources(request, (&base, &head.ignores), &head.files, &mut items);
            let all = head.units.iter().flat_map(|unit| &unit.components);
            components.extend(all.map(|component| (component.address(), Arc::clone(component))));
        }
        add_outside(request, &mut items);
        let [base, head] = request.resolutions;
        for (address, item) in lost(base, head, request.filter) {
            items.entry(address).or_insert(item);
        }
        for ((_, kind, _), item) in &mut items {
            item.deployable &= !SETTINGS.contains(&kind.as_str());
        }
        if request.options.dependents {
            add_dependents(request, &components, &mut items, &mut out);
        }
        out.unresolved.sort();
        out.items = items.into_values().collect();
        out
    }
}

impl Garden {
    /// The source files of actions.
    pub(super) fn source_runs(&self, state: DialectState<'_>, project: &Project) -> Runs {
        let mut runs = Runs::default();
        for dir in self.folders(state.source, project) {
            let resolved = self.project((state.source, state.files), &dir, project, Scope::All);
            // They are sources of actions that nobody knows.
            for module in &resolved.modules {
                let below = state.source.listing().under(module).iter().map(|entry| entry.path.to_string());
                runs.reaches.push(Reach::of_files(below.collect()));
            }
            let all = resolved.units.iter().flat_map(|unit| &unit.components);
            let specs: BTreeMap<Address, &Value> =
                all.filter_map(|component| Some((component.address(), component.value.get("spec")?))).collect();
            // Many actions have the same files.
            let mut known: BTreeMap<(&ActionFiles, BTreeSet<String>), usize> = BTreeMap::new();
            for (address, files) in &resolved.files {
                let spec = specs.get(address).and_then(|spec| serde_json::to_string(spec).ok()).unwrap_or_default();
                let named = named(state.source, &files.dir, &spec);
                let reach = *known.entry((files, named)).or_insert_with_key(|(files, named)| {
                    let below = state.source.listing().under(&files.dir).iter().map(|entry| &*entry.path);
                    let own = below.filter(|path| files.contains(path, &resolved.ignores));
                    let own: BTreeSet<String> = own.map(str::to_owned).collect();
                    let others = outside(state.source, &files.dir, own.union(named).cloned().collect());
                    let others = others.iter().map(ToString::to_string).collect();
                    runs.reaches.push(Reach::of_files(own).with_files(others));
                    runs.reaches.len() - 1
                });
                let (address, folder) = (address.clone(), files.dir.as_str().into());
                runs.all.push(Run { address, folder, reach, fetched: Vec::new() });
            }
            // A provider runs scripts that only its configuration names.
            let all = resolved.units.iter().flat_map(|unit| &unit.components);
            for provider in all.filter(|component| *component.kind == *PROVIDER) {
                let config = serde_json::to_string(&provider.value).unwrap_or_default();
                let scripts = named(state.source, &dir, &config);
                if !scripts.is_empty() {
                    runs.reaches.push(Reach::of_files(BTreeSet::new()).with_files(scripts));
                    let (address, folder, reach) = (provider.address(), dir.as_str().into(), runs.reaches.len() - 1);
                    runs.all.push(Run { address, folder, reach, fetched: Vec::new() });
                }
            }
        }
        runs.all.sort_by(|a, b| a.address.cmp(&b.address));
        runs
    }
}

/// Adds the actions whose source files differ, or whether they are source files at all. All items learn the folder of their
/// source files.
fn add_sources(
    request: &Request<'_>,
    (base, head): (&Ignores, &Ignores),
    files: &BTreeMap<Address, ActionFiles>,
    items: &mut Items,
) {
    let (old, new) = (request.base.listing(), request.head.listing());
    let differing: Vec<String> = differences(old, new).iter().map(|pair| pair.path().to_owned()).collect();
    let mut paths: BTreeSet<&str> = differing.iter().map(String::as_str).collect();
    if !base.is_same(head) {
        // A file that stays the same may be ignored on one side alone.
        let all = old.iter().chain(new.iter()).map(|entry| &*entry.path);
        paths.extend(all.filter(|path| base.leave_out(path) != head.leave_out(path)));
    }
    // Many actions have the same files: all that are rendered together, and those of all environments.
    let mut known: BTreeMap<&ActionFiles, Option<&str>> = BTreeMap::new();
    for (address, files) in files.iter().filter(|(address, _)| (request.filter)(address)) {
        let first = *known.entry(files).or_insert_with(|| {
            let is_source = |path: &&&str| {
                old.get(path).is_some() && files.contains(path, base)
                    || new.get(path).is_some() && files.contains(path, head)
            };
            paths.iter().find(is_source).copied()
        });
        let Some(item) = (match first {
            Some(_) => Some(items.entry(address.clone()).or_insert_with(|| of_code(address))),
            None => items.get_mut(address),
        }) else {
            continue;
        };
        item.component_path = Text::from(files.dir.as_str());
        let Some(file) = first else { continue };
        item.affected_all.insert(0, "component".to_owned());
        item.affected = "component".to_owned();
        (item.file, item.folder) = (Some(file.to_owned()), Some(files.dir.clone()));
    }
}

/// Adds the actions that read files outside of their folders, which differ.
fn add_outside(request: &Request<'_>, items: &mut Items) {
    for (address, touched) in &request.code.touched {
        let (false, Some(first)) = (items.contains_key(address), touched.first()) else { continue };
        let mut item = of_code(address);
        item.affected = "component".to_owned();
        item.affected_all.push("component".to_owned());
        item.file = Some(first.path.to_string());
        item.extra = Some(format!("Garden does not count files outside of the folder of an action: {}", first.path));
        items.insert(address.clone(), item);
    }
}

/// Adds to each item what depends on it, and lists that too.
fn add_dependents(request: &Request<'_>, components: &Components, items: &mut Items, out: &mut Affected) {
    let is_asked = |c: &Component| c.metadata.is_deployed() && (request.stack_filter)(&c.stack);
    let needs: Needs = components.values().filter(|c| is_asked(c)).map(|c| (c.address(), needs(c))).collect();
    let needed_by = dependents::needed_by(&needs);
    let mut todo: VecDeque<Address> = items.iter().filter(|(_, item)| !item.deleted).map(|(a, _)| a.clone()).collect();
    while let Some(address) = todo.pop_front() {
        for &dependent in needed_by.get(&address).into_iter().flatten() {
            let item = items.entry(dependent.clone()).or_insert_with(|| {
                todo.push_back(dependent.clone());
                of_code(dependent)
            });
            if item.affected_all.is_empty() {
                item.affected = "dependency".to_owned();
                item.affected_all.push("dependency".to_owned());
            }
        }
    }
    out.unresolved.extend(dependents::add(items.values_mut(), &needed_by, &Dependent::new));
}

/// What an action declares that it needs.
fn needs(component: &Component) -> BTreeSet<Address> {
    let links = component.metadata.links.iter();
    let declared = links.filter(|link| link.how == LinkKind::Declared && link.stack == StackSelector::Here);
    let kinds = declared.filter_map(|link| Some((link.kind.as_ref()?, &link.component)));
    kinds.map(|(kind, name)| (Text::clone(&component.stack), Text::clone(kind), Text::clone(name))).collect()
}
