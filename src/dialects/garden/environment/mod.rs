//! One environment of a project: its variables and providers, and what of the resources is in it.

mod components;
pub(crate) mod contexts;
mod import;
mod provider;
pub(crate) mod secrets;
mod stage;
pub(crate) mod variables;
mod workflow;

pub(crate) use workflow::fields as workflow_fields;

use super::actions::{self, ActionFiles, Resolved};
use super::diagnostics::Diagnostics;
use super::project::load::Loader;
use super::project::{EnvironmentConfig, Loaded, ProjectConfig};
use crate::diagnostic::rules;
use crate::dialects::ProjectInputs;
use crate::limits::Limit;
use crate::resolution::{Component, Link};
use crate::text::Text;
use crate::value::{Prov, Value};
use std::sync::Arc;

/// An environment, resolved as far as possible.
pub(crate) struct Environment {
    pub name: Text,
    pub components: Vec<Arc<Component>>,
    /// Whether nothing of it could be resolved.
    pub is_broken: bool,
    /// Kinds and names of components that could not be resolved.
    pub broken: Vec<(Text, Text)>,
    /// The source files of actions, by kind and name.
    pub files: Vec<((Text, Text), ActionFiles)>,
}

impl Environment {
    /// An environment about which nothing is known.
    pub(crate) fn broken(name: &Text) -> Self {
        let (components, broken, files) = (Vec::new(), Vec::new(), Vec::new());
        Environment { name: Text::clone(name), components, is_broken: true, broken, files }
    }
}

/// Shared data of the stages of one environment.
pub(crate) struct Input<'a> {
    pub loader: &'a Loader<'a>,
    /// The resources of the project.
    pub loaded: &'a Loaded,
    pub project: &'a ProjectConfig,
    pub environment: &'a EnvironmentConfig,
    /// The namespace, if the user names one.
    pub namespace: Option<&'a str>,
    /// The inputs from the user.
    pub inputs: &'a ProjectInputs,
}

/// A component that is ready but for its address.
pub(crate) struct Part {
    pub kind: Text,
    pub name: Text,
    /// Its configuration.
    pub value: Value,
    /// Lines that shaped it without being a value of it.
    pub shaping: Vec<crate::value::Origin>,
    /// Whether it is disabled in the environment.
    pub is_disabled: bool,
    pub links: Vec<Link>,
    /// Its source files, if it is an action that has some.
    pub files: Option<ActionFiles>,
}

impl Part {
    /// A component of a type and name that needs nothing: its configuration, and lines that shaped it.
    pub(crate) fn new(kind: Text, name: Text, value: Value, shaping: Vec<crate::value::Origin>) -> Self {
        Part { kind, name, value, shaping, is_disabled: false, links: Vec::new(), files: None }
    }
}

pub(crate) fn resolve(input: &Input<'_>, stack: &Text, diagnostics: &Diagnostics) -> Environment {
    let mut parts: Vec<Part> = Vec::new();
    let mut broken: Vec<(Text, Text)> = Vec::new();
    let mut is_broken = true;
    if let Some(stage) = stage::prepare(input, diagnostics) {
        parts.push(components::project(input.project, &stage));
        let providers_are_fine = provider::resolve(&stage, &mut parts, diagnostics);
        if let Some(graph) = actions::graph(&stage, diagnostics) {
            is_broken = !providers_are_fine;
            let modules = actions::modules(&stage, &graph, diagnostics);
            for resolved in modules.into_iter().chain(actions::resolve(&stage, &graph, diagnostics)) {
                let Resolved { part, is_complete } = resolved;
                if !is_complete {
                    broken.push((Text::clone(&part.kind), Text::clone(&part.name)));
                }
                parts.push(part);
            }
            workflow::resolve(&stage, &graph.workflows, &mut parts, diagnostics);
            if input.loaded.reads_secrets {
                secrets::report(&stage, graph.enabled_trees(), diagnostics);
            }
        }
    }
    broken.extend(without_too_large(&mut parts, input, diagnostics));
    let key = |part: &Part| (Text::clone(&part.kind), Text::clone(&part.name));
    let files = parts.iter_mut().filter_map(|part| Some((key(part), part.files.take()?))).collect();
    let components = if is_broken { Vec::new() } else { components::all(stack, parts) };
    Environment { name: Text::clone(stack), components, is_broken, broken, files }
}

/// Removes parts with too many values, and reports them; returns their kinds and names.
fn without_too_large(parts: &mut Vec<Part>, input: &Input<'_>, diagnostics: &Diagnostics) -> Vec<(Text, Text)> {
    let limits = input.loader.reader.limits();
    let most = limits.count(Limit::ComponentValues);
    let too_large: Vec<Part> = parts.extract_if(.., |part| part.value.count(most).is_none()).collect();
    for part in &too_large {
        let exceeded = limits.exceeded(Limit::ComponentValues);
        let message = format!("{}.{} has {exceeded}; {}", part.kind, part.name, exceeded.help());
        let place = part.shaping.last().map(|origin| Prov::at(*origin)).unwrap_or_default();
        diagnostics.error(&rules::LIMIT_EXCEEDED, message, &place);
    }
    too_large.into_iter().map(|part| (part.kind, part.name)).collect()
}

pub(crate) use stage::{Stage, as_written, field};
