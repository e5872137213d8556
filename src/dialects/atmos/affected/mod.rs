//! `describe affected` (`reference: atmos.md` sections 11 and 15): the components that a change affects, with the
//! reasons that Atmos reports, and those that it misses.
//!
//! Both revisions are read with the configuration of the head, as Atmos reads them.

mod changed;
mod code;
mod dependents;
mod extras;
mod files;
mod integrations;
mod reasons;
mod renames;
mod unresolved;

use crate::affected::{Affected, AffectedOptions, Context, Item, Request, slug};
use crate::dialects::Project;
use crate::dialects::atmos::config::{Config, search};
use crate::dialects::atmos::paths;
use crate::dialects::atmos::reader::{Deps, Reader};
use crate::dialects::atmos::resolve::Resolver;
use crate::dialects::atmos::rules;
use crate::dialects::atmos::templates::engine::Templates;
use crate::paths::seen_from;
use crate::resolution::{Address, Component, Placed, Resolution, State};
use crate::source::differences;
use crate::terraform::Modules;
use crate::text::Text;
use crate::value::Value;
use changed::ChangedFiles;
use code::CodeReasons;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The types of components that are listed.
const KINDS: [&str; 5] = ["terraform", "helmfile", "packer", "kubernetes", "helm"];
/// Those that are listed when they are removed.
const DELETED_KINDS: [&str; 3] = ["terraform", "helmfile", "packer"];

type Components = BTreeMap<Address, Placed>;

/// The input of a list.
struct Comparison<'a> {
    config: &'a Config,
    /// The folder that paths are seen from.
    current: &'a str,
    templates: &'a Templates,
    options: &'a AffectedOptions,
    filter: &'a dyn Fn(&Address) -> bool,
    stack_filter: &'a dyn Fn(&str) -> bool,
    base: Components,
    head: Components,
    lost: Lost,
    changed: &'a ChangedFiles,
    code: CodeReasons<'a>,
}

/// Parts of the base that the head could not resolve.
struct Lost {
    /// Stacks that it resolves only in part.
    stacks: BTreeSet<Text>,
    components: BTreeSet<Address>,
}

/// The components that a change affects.
pub(super) fn list(resolver: &Resolver, request: &Request<'_>, project: &Project) -> Affected {
    let mut out = Affected::default();
    let Some((config, base, head, lost)) = both(resolver, request, project, &mut out) else { return out };
    let differing = differences(request.base.listing(), request.head.listing());
    let changed = ChangedFiles::of(&differing, request.base, request.head);
    let modules = Modules::new(request.head, request.files, request.cache);
    let comparison = Comparison {
        config: &config,
        current: &project.current,
        templates: &resolver.templates,
        options: request.options,
        filter: request.filter,
        stack_filter: request.stack_filter,
        base,
        head,
        lost,
        changed: &changed,
        code: CodeReasons::new(&config, &changed, &modules, request.files),
    };
    let mut items = comparison.items(&mut out);
    if request.options.dependents {
        dependents::add(&comparison, &mut items, &mut out);
        dependents::mark(&mut items);
    }
    let unreadable = modules.errors();
    let path = |file| request.files.get(file).path.to_string();
    out.unresolved.extend(unreadable.iter().map(|t| format!("{}: {}", path(t.file), t.message)));
    extras::add(&comparison, request, &mut items);
    unresolved::add(&comparison, request, &mut items);
    if request.options.dependents {
        dependents::add(&comparison, &mut items, &mut out);
    }
    out.unresolved.sort();
    out.unresolved.dedup();
    out.items = items.into_values().collect();
    out
}

/// The configuration of the head, the components of both revisions under it, and what the head could not resolve.
fn both(
    resolver: &Resolver,
    request: &Request<'_>,
    project: &Project,
    out: &mut Affected,
) -> Option<(Config, Components, Components, Lost)> {
    let head_reader = resolver.reader(request.head, request.files);
    let base_reader = resolver.reader(request.base, request.files);
    let mut shared = Deps::default();
    let Ok(mut config) = search::load(&head_reader, project, &mut shared) else {
        out.unresolved.push("the configuration".to_owned());
        return None;
    };
    config.templates.enabled &= request.options.process_templates;
    let resolve =
        |reader: &Reader<'_>, shared: &Deps| resolver.resolve_under(reader, &config, project, &mut shared.clone());
    let head = resolve(&head_reader, &shared);
    let mut base = resolve(&base_reader, &shared);
    if let Some(finding) = base.findings.iter().find(|f| f.rule.id() == rules::UNRESOLVED_IMPORT.id()) {
        let (path, message) = (&request.files.get(finding.primary.file).path, &finding.message);
        out.notes.push(format!(
            "the base lacks an import ({path}: {message}), so every component counts as new, as in Atmos"
        ));
        base = Resolution::default();
    }
    for (side, resolution) in [("base", &base), ("head", &head)] {
        out.unresolved.extend(unresolved(resolution).map(|name| format!("{side}: {name}")));
    }
    let lost = Lost {
        stacks: head.incomplete_stacks(&base).into_iter().cloned().collect(),
        components: head.lost_components(&base),
    };
    Some((config, base.components(), head.components(), lost))
}

/// The units and components that could not be resolved.
fn unresolved(resolution: &Resolution) -> impl Iterator<Item = String> {
    resolution.units.iter().flat_map(|unit| {
        let whole = (unit.state == State::Broken).then(|| unit.name.to_string());
        let parts = unit.broken.iter().map(|(kind, name)| format!("{}: {kind} {name}", unit.name));
        whole.into_iter().chain(parts)
    })
}

type Items = BTreeMap<Address, Item>;

impl Comparison<'_> {
    fn items(&self, out: &mut Affected) -> Items {
        let mut items = Items::new();
        let mut admins = Vec::new();
        for (address, placed) in self.head.iter().filter(|(address, _)| (self.filter)(address)) {
            let component = &placed.component;
            if self.is_skipped(component) {
                continue;
            }
            let found = reasons::reasons(self, address, component);
            let Some(first) = found.all.first().cloned() else { continue };
            if self.options.admin_stacks && first != "component.module" {
                admins.extend(integrations::admins(self, component, out));
            }
            let mut item = self.item(component);
            (item.affected, item.affected_all) = (first, found.all);
            (item.file, item.folder) = (found.file, found.folder);
            items.insert(address.clone(), item);
        }
        for address in admins {
            let Some(placed) = self.head.get(&address) else { continue };
            let item = items.entry(address).or_insert_with(|| self.item(&placed.component));
            item.affected_all.push("stack.settings.spacelift.admin_stack_selector".to_owned());
            item.affected = item.affected_all[0].clone();
        }
        self.add_deleted(&mut items);
        items
    }

    /// Whether Atmos skips a component, whatever changes.
    fn is_skipped(&self, component: &Component) -> bool {
        let metadata = &component.metadata;
        !KINDS.contains(&&*component.kind)
            || !metadata.is_deployed()
            || self.options.exclude_locked && metadata.is_locked
    }

    fn add_deleted(&self, items: &mut Items) {
        let stacks: BTreeSet<&Text> = self.head.keys().map(|(stack, ..)| stack).collect();
        for (address, placed) in self.base.iter().filter(|(address, _)| (self.filter)(address)) {
            let component = &placed.component;
            let is_listed = DELETED_KINDS.contains(&&*component.kind) && !component.metadata.is_abstract;
            if !is_listed || self.head.contains_key(address) || self.lost.components.contains(address) {
                continue;
            }
            let whole = !stacks.contains(&address.0) && !self.lost.stacks.contains(&address.0);
            let mut item = self.item(component);
            item.affected = if whole { "deleted.stack" } else { "deleted" }.to_owned();
            item.affected_all = vec![item.affected.clone()];
            item.context = Context::of(component);
            item.deleted = true;
            item.deletion_type = Some(if whole { "stack" } else { "component" });
            item.settings = None;
            items.insert(address.clone(), item);
        }
    }

    /// The folder of the code of a component, from the root of the repository; from the current folder where that is below the
    /// root and around the code, as Atmos prints it there.
    fn component_path(&self, component: &Component) -> Text {
        if matches!(&*component.kind, "kubernetes" | "helm") {
            return Text::default();
        }
        let path = component.value.at_path(["component_info", "component_path"]).and_then(Value::as_str);
        let Some(path) = path else { return Text::default() };
        let from_root = paths::join(&self.config.base, path).filter(|_| !path.starts_with('/'));
        from_root.map_or_else(|| path.into(), |path| seen_from(self.current, &path).into())
    }

    /// An item without reasons.
    fn item(&self, component: &Component) -> Item {
        Item {
            component: Text::clone(&component.name),
            component_type: Text::clone(&component.kind),
            component_path: self.component_path(component),
            stack: Text::clone(&component.stack),
            stack_slug: slug(&component.stack, &component.name),
            integrations: integrations::integrations(self, component),
            settings: self.settings(component),
            deployable: true,
            is_job: true,
            ..Item::default()
        }
    }

    fn settings(&self, component: &Component) -> Option<Value> {
        let settings = component.value.get("settings").filter(|s| s.as_map().is_some());
        settings.filter(|_| self.options.settings).cloned()
    }
}

/// Returns the folder of the code of a type, relative to the root of the repository (`None` if it is outside), and
/// whether it is set.
fn code_root(config: &Config, kind: &str) -> Option<(String, bool)> {
    let written = config.all.at_path(["components", kind, "base_path"]).and_then(Value::as_str).unwrap_or_default();
    Some((paths::join(&config.base, written)?, !written.is_empty()))
}

fn counterpart<'a>(side: &'a BTreeMap<Address, Placed>, address: &Address) -> Option<&'a Arc<Component>> {
    side.get(address).map(|placed| &placed.component)
}
