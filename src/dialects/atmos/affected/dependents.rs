//! The dependents of an affected component, and their dependents.

use super::integrations;
use super::{Comparison, Items};
use crate::affected::{Affected, Context, Dependent, slug};
use crate::resolution::{Address, Component};
use crate::text::Text;
use crate::value::Value;
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

/// How far dependents of dependents are followed.
const MAX_DEPTH: usize = 64;
/// The maximum number of dependents that are listed: a component that is reached in several ways is listed for each.
const MAX_DEPENDENTS: usize = 100_000;

const FIELDS: [&str; 4] = ["namespace", "tenant", "environment", "stage"];

/// Adds the dependents of all items that have none yet; removed components have none.
pub(super) fn add(comparison: &Comparison<'_>, items: &mut Items, out: &mut Affected) {
    let index = DependencyIndex::of(comparison);
    let mut search = DependentSearch { comparison, index: &index, path: Vec::new(), count: 0, is_cut: false };
    for (address, item) in items.iter_mut().filter(|(_, item)| item.dependents.is_none()) {
        item.dependents = Some(match comparison.head.get(address).filter(|_| !item.deleted) {
            Some(placed) => search.of(&placed.component),
            None => Vec::new(),
        });
    }
    if search.is_cut {
        let most = format!("{MAX_DEPENDENTS} in all, {MAX_DEPTH} levels deep");
        out.unresolved.push(format!("dependents: only some are listed ({most})"));
    }
}

/// The dependencies by the name of what is needed.
struct DependencyIndex<'a> {
    needs: BTreeMap<&'a str, Vec<Need<'a>>>,
}

/// A dependency of a component on one with some name.
struct Need<'a> {
    by: &'a Arc<Component>,
    stack: &'a str,
    /// The context of the other component in a legacy dependency.
    context: Option<[&'a str; 4]>,
}

impl<'a> DependencyIndex<'a> {
    fn of(comparison: &'a Comparison<'_>) -> Self {
        let mut index = DependencyIndex { needs: BTreeMap::new() };
        for placed in comparison.head.values() {
            let component = &placed.component;
            if component.metadata.is_deployed() && (comparison.stack_filter)(&component.stack) {
                index.add(component);
            }
        }
        index
    }

    fn add(&mut self, component: &'a Arc<Component>) {
        let text = |value: &'a Value, name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default();
        let listed = component.value.at_path(["dependencies", "components"]).and_then(Value::as_list);
        let mut found = false;
        for item in listed.into_iter().flat_map(|list| list.iter()) {
            let name = if text(item, "component").is_empty() { text(item, "name") } else { text(item, "component") };
            if name.is_empty() || matches!(text(item, "kind"), "file" | "folder") {
                continue;
            }
            found = true;
            let need = Need { by: component, stack: text(item, "stack"), context: None };
            self.needs.entry(name).or_default().push(need);
        }
        if found {
            return;
        }
        let legacy = component.value.at_path(["settings", "depends_on"]).and_then(Value::as_map);
        for entry in legacy.into_iter().flat_map(|map| map.iter()) {
            let name = text(&entry.value, "component");
            if !name.is_empty() {
                let context = Some(FIELDS.map(|field| text(&entry.value, field)));
                let need = Need { by: component, stack: text(&entry.value, "stack"), context };
                self.needs.entry(name).or_default().push(need);
            }
        }
    }
}

impl Need<'_> {
    /// Whether a component of the needed name is the one that is meant.
    fn means(&self, target: &Component) -> bool {
        let Some(context) = &self.context else {
            let stack = if self.stack.is_empty() { &*self.by.stack } else { self.stack };
            return *target.stack == *stack;
        };
        let in_stack = match (self.stack, context.iter().all(|field| field.is_empty())) {
            ("", true) => target.stack == self.by.stack,
            ("", false) => true,
            (stack, _) => &*target.stack == stack,
        };
        let value = |component: &Component, field: &str| {
            component.value.at_path(["vars", field]).and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        let fits = |(field, said): (&str, &&str)| {
            let wanted = if said.is_empty() { value(self.by, field) } else { (*said).to_owned() };
            value(target, field) == wanted
        };
        in_stack && FIELDS.into_iter().zip(context).all(fits)
    }
}

struct DependentSearch<'a> {
    comparison: &'a Comparison<'a>,
    index: &'a DependencyIndex<'a>,
    /// The components that the current one was reached through.
    path: Vec<Address>,
    count: usize,
    is_cut: bool,
}

impl DependentSearch<'_> {
    /// Returns the dependents of a component, sorted, without those on the current path: Atmos follows such a cycle
    /// forever.
    fn of(&mut self, target: &Component) -> Vec<Dependent> {
        let needs = self.index.needs.get(&*target.name).map(Vec::as_slice).unwrap_or_default();
        let is_cycle = |by: &Component| self.path.contains(&by.address());
        let meant = needs.iter().filter(|n| n.by.name != target.name && n.means(target) && !is_cycle(n.by));
        let found: Vec<&Arc<Component>> = meant.map(|n| n.by).collect();
        if !found.is_empty() && (self.path.len() >= MAX_DEPTH || self.count + found.len() > MAX_DEPENDENTS) {
            self.is_cut = true;
            return Vec::new();
        }
        self.count += found.len();
        self.path.push(target.address());
        let mut dependents: Vec<Dependent> = found.into_iter().map(|by| self.dependent(by)).collect();
        self.path.pop();
        dependents
            .sort_by(|a, b| (&a.stack_slug, &a.component, &a.stack).cmp(&(&b.stack_slug, &b.component, &b.stack)));
        dependents
    }

    fn dependent(&mut self, component: &Component) -> Dependent {
        Dependent {
            component: Text::clone(&component.name),
            component_type: Text::clone(&component.kind),
            component_path: self.comparison.component_path(component),
            context: Context::of(component),
            stack: Text::clone(&component.stack),
            stack_slug: slug(&component.stack, &component.name),
            integrations: integrations::integrations(self.comparison, component),
            settings: self.comparison.settings(component),
            dependents: self.of(component),
            included_in_dependents: false,
        }
    }
}

/// Marks the items that are among the dependents of others, and within each other item what is below a sibling.
pub(super) fn mark(items: &mut Items) {
    let mut below: HashSet<String> = HashSet::new();
    for item in items.values() {
        let mut slugs = HashSet::new();
        collect(item.dependents.as_deref().unwrap_or_default(), &mut slugs);
        slugs.remove(&item.stack_slug);
        below.extend(slugs.into_iter().cloned());
    }
    for item in items.values_mut() {
        item.included_in_dependents = below.contains(&item.stack_slug);
        if !item.included_in_dependents {
            mark_siblings(item.dependents.as_deref_mut().unwrap_or_default());
        }
    }
}

fn collect<'a>(dependents: &'a [Dependent], slugs: &mut HashSet<&'a String>) {
    for dependent in dependents {
        slugs.insert(&dependent.stack_slug);
        collect(&dependent.dependents, slugs);
    }
}

fn mark_siblings(dependents: &mut [Dependent]) {
    let mut reached: Vec<HashSet<String>> = Vec::with_capacity(dependents.len());
    for dependent in dependents.iter() {
        let mut slugs = HashSet::new();
        collect(std::slice::from_ref(dependent), &mut slugs);
        reached.push(slugs.into_iter().cloned().collect());
    }
    for (index, dependent) in dependents.iter_mut().enumerate() {
        let mut others = reached.iter().enumerate().filter(|(other, _)| *other != index);
        dependent.included_in_dependents = others.any(|(_, slugs)| slugs.contains(&dependent.stack_slug));
        mark_siblings(&mut dependent.dependents);
    }
}
