//! The names of a component in Spacelift and Atlantis.

use super::Comparison;
use super::files;
use crate::affected::Affected;
use crate::dialects::atmos::names::{Context, templated};
use crate::resolution::{Address, Component};
use crate::template::MissingKey;
use crate::text::Text;
use crate::value::{Map, Value, key};
use std::collections::BTreeMap;

/// The names by the keys under which they are printed.
pub(super) fn integrations(comparison: &Comparison<'_>, component: &Component) -> BTreeMap<&'static str, String> {
    if &*component.kind != "terraform" {
        return BTreeMap::new();
    }
    let names =
        [("spacelift_stack", spacelift(comparison, component)), ("atlantis_project", atlantis(comparison, component))];
    names.into_iter().filter_map(|(key, name)| Some((key, name.filter(|n| !n.is_empty())?))).collect()
}

fn spacelift(comparison: &Comparison<'_>, component: &Component) -> Option<String> {
    let settings = component.value.at_path(["settings", "spacelift"])?;
    if settings.get("workspace_enabled").and_then(Value::as_bool) != Some(true) {
        return None;
    }
    if let Some(pattern) = settings.get("stack_name_pattern").and_then(Value::as_str) {
        return Some(context(component).filled(pattern));
    }
    if let Some(name) = settings.get("stack_name").and_then(Value::as_str) {
        return Some(name.to_owned());
    }
    Some(format!("{}-{}", prefix(comparison, component)?, component.name).replace('/', "-"))
}

/// The name of the stack of a component, from its variables and settings alone.
fn prefix(comparison: &Comparison<'_>, component: &Component) -> Option<String> {
    let config = comparison.config;
    if config.name_template.is_empty() {
        return context(component).prefix(&config.name_pattern);
    }
    let section = |name: &'static str| {
        let value = component.value.get(name).filter(|v| v.as_map().is_some()).cloned();
        (key(name), value.unwrap_or_else(|| Value::map(Map::new())))
    };
    let data = Value::map(Map::from_iter([section("vars"), section("settings")]));
    let missing = if config.templates.ignore_missing { MissingKey::Default } else { MissingKey::Error };
    let name = templated(&config.name_template, &files::engine(comparison, missing), &data).ok()?;
    name.as_str().map(str::to_owned)
}

fn atlantis(comparison: &Comparison<'_>, component: &Component) -> Option<String> {
    let settings = component.value.at_path(["settings", "atlantis"])?;
    let template = match settings.get("project_template").filter(|t| t.as_map().is_some()) {
        Some(own) => own,
        None => {
            let name = settings.get("project_template_name")?.as_str()?;
            comparison.config.all.at_path(["integrations", "atlantis", "project_templates", name])?
        }
    };
    let pattern = template.get("name")?.as_str()?;
    Some(context(component).filled(pattern))
}

/// The components that administer the Spacelift stack of a component.
pub(super) fn admins(comparison: &Comparison<'_>, component: &Component, out: &mut Affected) -> Vec<Address> {
    if &*component.kind != "terraform" {
        return Vec::new();
    }
    let selector = component.value.at_path(["settings", "spacelift", "admin_stack_selector"]);
    let Some(selector) = selector.and_then(Value::as_map) else { return Vec::new() };
    let name = selector.get("component").and_then(Value::as_str).unwrap_or_default();
    // With a template of names Atmos compares the name of the component's stack with itself.
    let pattern = &comparison.config.name_pattern;
    let wanted = Context::of(selector).prefix(pattern);
    let is_meant = |other: &Component| {
        !comparison.config.name_template.is_empty() || wanted.is_some() && context(other).prefix(pattern) == wanted
    };
    let mut found = Vec::new();
    for (address, placed) in &comparison.head {
        let other = &placed.component;
        if &*other.kind != "terraform" || &*other.name != name || !is_meant(other) {
            continue;
        }
        let Some(settings) = other.value.at_path(["settings", "spacelift"]) else { continue };
        match settings.get("workspace_enabled").and_then(Value::as_bool) {
            Some(true) => found.push(address.clone()),
            _ => out.unresolved.push(format!(
                "`{}` in `{}` is administered by `{}` in `{}`, which has no Spacelift workspace",
                component.name, component.stack, other.name, other.stack
            )),
        }
    }
    found
}

/// The tokens of patterns.
fn context(component: &Component) -> Context {
    let empty = Default::default();
    let vars = component.value.get("vars").and_then(Value::as_map).unwrap_or(&empty);
    Context::of(vars).with_component(Text::from(component.name.replace('/', "-")))
}
