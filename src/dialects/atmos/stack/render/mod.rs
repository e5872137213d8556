//! The component pass (`reference: atmos.md` section 7.2): the templates of a whole component, with itself as data.

mod missing_values;

use super::context::StackContext;
use super::manifest::StackManifest;
use crate::diagnostic::Diagnostic;
use crate::dialects::atmos::diagnostics::{ErrorReported, label};
use crate::dialects::atmos::functions::Env;
use crate::dialects::atmos::rules;
use crate::dialects::atmos::templates::engine::{Engine, Failure, Miss};
use crate::dialects::atmos::templates::function_sets;
use crate::dialects::atmos::templates::host::Host;
use crate::dialects::atmos::templates::host::answers::{Answer, Answers, ComponentRef};
use crate::dialects::atmos::templates::scalars::Renderings;
use crate::text::Text;
use crate::value::{Data, Entry, FileId, Flags, Key, Map, Prov, Value};
use missing_values::{blames_local, note_missing};
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Returns another component that the templates or functions of a component read.
pub(super) type Ask<'a> = &'a dyn Fn(&ComponentRef) -> Answer;

/// The maximum number of times that a component is rendered again because the components it reads make it read more.
const MAX_QUESTIONS: usize = 8;

/// A component after the pass.
pub(super) struct Rendered {
    /// Its sections.
    pub(super) map: Map,
    /// The sections before the pass, and the components that their templates read, if any.
    pub(super) requested: Option<(Value, Vec<ComponentRef>)>,
}

/// One run of the templates of a component.
enum Attempt {
    /// Its strings, one by one.
    Parts(Renderings),
    Whole(Result<Arc<Map>, Failure>),
}

impl Attempt {
    fn of(engine: &Engine<'_>, data: &Value, rounds: usize) -> Self {
        // Values without templates are unchanged, and the caller restores them.
        let whole = data.as_map().filter(|all| !holds_templates(all.known("component_info")));
        let Some(all) = whole else {
            return Attempt::Whole(engine.map_in_parts(&Arc::new(without_info(data)), data, rounds));
        };
        match engine.renderings(all, data, rounds) {
            Some(parts) => Attempt::Parts(parts),
            None if engine.leaves(all.flags()) => Attempt::Whole(Ok(Arc::clone(all))),
            None => Attempt::Whole(engine.map(all, data, rounds)),
        }
    }
}

/// Renders the component of a manifest, whose entry has this name and value, with itself as data.
pub(super) fn render(
    stacks: &StackContext<'_>,
    manifest: &StackManifest<'_>,
    map: Map,
    Entry { key: name, value }: &Entry,
    ask: Ask<'_>,
) -> Result<Rendered, ErrorReported> {
    let templates = &stacks.config.templates;
    let functions = function_sets::component(templates.sprig, templates.gomplate);
    let delimiters = delimiters(stacks, manifest)?;
    let env = declared_env(stacks, &map);
    let plain = stacks.component_engine(&functions, delimiters);
    // Without templates the trip through YAML text still takes place.
    let rounds = if templates.enabled { templates.evaluations } else { 0 };
    let leaves = plain.leaves(map.flags()) && !map.flags().has(Flags::RENDERED_NO_VALUE);
    if rounds == 0 && !map.flags().has(Flags::NOT_YAML_STABLE) || leaves {
        let mut map = map;
        map.remove_known("component_info");
        return Ok(Rendered { map, requested: None });
    }
    let misses = Mutex::default();
    let plain = Engine { env: &env, misses: Some(&misses), ..plain };
    let data = Value::map(map);
    let take_misses = || std::mem::take(&mut *misses.lock());
    let is_disabled = data.at_path(["metadata", "enabled"]).and_then(Value::as_bool) == Some(false);
    let mut host = Host { answers: Some(Arc::new(Answers::new(is_disabled))), ..Host::default() };
    let mut attempt = Attempt::of(&Engine { host: Some(&host), ..plain }, &data, rounds);
    for _ in 0..MAX_QUESTIONS {
        let Some(answered) = answered(stacks, manifest, &host, ask) else { break };
        host = answered;
        take_misses();
        attempt = Attempt::of(&Engine { host: Some(&host), ..plain }, &data, rounds);
    }
    let engine = Engine { host: Some(&host), ..plain };
    let targets = host.answers.as_ref().map(|answers| answers.targets()).filter(|targets| !targets.is_empty());
    let requested = targets.map(|targets| (data.clone(), targets));
    let misses = take_misses();
    let map = match attempt {
        Attempt::Parts(parts) => put_back(stacks, parts, data, misses, &engine, manifest.file),
        Attempt::Whole(Ok(map)) => {
            note_missing(stacks, &data, &map, misses, &engine, manifest.file);
            Arc::unwrap_or_clone(map)
        }
        Attempt::Whole(Err(failure)) => {
            return Err(report_failure(stacks, &failure, &data, &engine, manifest.file, name, value));
        }
    };
    Ok(Rendered { map, requested })
}

/// The delimiters of templates.
fn delimiters<'a>(
    stacks: &'a StackContext<'_>,
    manifest: &StackManifest<'_>,
) -> Result<(&'a str, &'a str), ErrorReported> {
    let templates = &stacks.config.templates;
    match &templates.delimiters {
        Some(Ok((left, right))) => Ok((left.as_str(), right.as_str())),
        Some(Err(())) if templates.enabled => {
            let setting = stacks.config.all.at_path(["templates", "settings", "delimiters"]);
            let site = setting.map_or_else(Prov::default, |v| v.prov.clone());
            let message = "`templates.settings.delimiters` must be a list of two non-empty strings";
            Err(stacks.recorder.diagnostics.error(&rules::INVALID_CONFIG, message, &site, manifest.file))
        }
        None | Some(Err(())) => Ok(("{{", "}}")),
    }
}

/// Reports why a component cannot be rendered.
fn report_failure(
    stacks: &StackContext<'_>,
    failure: &Failure,
    data: &Value,
    engine: &Engine<'_>,
    file: FileId,
    name: &Key,
    value: &Value,
) -> ErrorReported {
    if blames_local(stacks, failure, data, engine, file) {
        return ErrorReported;
    }
    let (message, site) = failure.parts();
    let rule = if matches!(failure, Failure::Template { .. }) { &rules::TEMPLATE_ERROR } else { &rules::INVALID_YAML };
    let what = match failure {
        Failure::Template { .. } => message.to_owned(),
        Failure::Yaml { .. } if !data.holds(Flags::TEMPLATE) => {
            format!("component `{name}` cannot be parsed again after Atmos has written it as YAML: {message}")
        }
        Failure::Yaml { .. } => format!("the rendered component `{name}` is not valid YAML: {message}"),
    };
    let site = if site.origin.is_some() { site } else { &value.prov };
    let mut finding = Diagnostic::new(rule, what, label(site, file, ""));
    finding.stacks = data.get("atmos_stack").and_then(Value::as_str).map(Text::from).into_iter().collect();
    stacks.recorder.diagnostics.push(finding)
}

/// Resolves the components that a rendering requested; `None` if it requested no new ones.
fn answered(stacks: &StackContext<'_>, manifest: &StackManifest<'_>, host: &Host, ask: Ask<'_>) -> Option<Host> {
    let answers = host.answers.as_ref()?;
    let requested = answers.requested();
    let needs_versions = host.versions.is_none() && host.wanted.load(Ordering::Relaxed);
    if requested.is_empty() && !needs_versions {
        return None;
    }
    let versions = match needs_versions {
        true => {
            let named = manifest.map.get("version").and_then(|v| v.get("track")).filter(|_| stacks.describes);
            Some(stacks.lock_file.track(named, &stacks.recorder.diagnostics))
        }
        false => host.versions.clone(),
    };
    let more = requested.into_iter().map(|target| {
        let answer = ask(&target);
        (target, answer)
    });
    Some(Host { answers: Some(Arc::new(answers.with(more))), versions, wanted: Arc::default() })
}

/// Replaces the strings of a component by the rendered ones. Unless the original is needed, it is changed in place.
fn put_back(
    stacks: &StackContext<'_>,
    parts: Renderings,
    data: Value,
    misses: Vec<Miss>,
    engine: &Engine<'_>,
    file: FileId,
) -> Map {
    let is_asked = !misses.is_empty() || parts.hold(Flags::RENDERED_NO_VALUE) || data.holds(Flags::RENDERED_NO_VALUE);
    let before = is_asked.then(|| data.clone());
    let Data::Map(mut map) = data.data else { return Map::new() };
    parts.put_into(&mut map);
    if let Some(before) = before {
        note_missing(stacks, &before, &map, misses, engine, file);
    }
    Arc::unwrap_or_clone(map)
}

/// The environment variables that the configuration and the settings of a component declare for its templates.
fn declared_env(stacks: &StackContext<'_>, component: &Map) -> Env {
    let path = ["templates", "settings", "env"];
    let own = component.known("settings").and_then(|s| s.at_path(path));
    let all = [stacks.config.all.at_path(path), own];
    let entries = all.into_iter().flatten().filter_map(Value::as_map).flat_map(|m| m.iter());
    let given = stacks.external.env.iter().map(|(name, value)| (Text::clone(name), Text::clone(value)));
    given.chain(entries.filter_map(|e| Some((Text::clone(&e.key), Text::from(e.value.as_str()?))))).collect()
}

fn holds_templates(value: Option<&Value>) -> bool {
    value.is_some_and(|v| v.holds(Flags::TEMPLATE))
}

/// Removes the keys of a component that only the caller knows.
fn without_info(component: &Value) -> Map {
    let mut map = component.as_map().map(|m| (**m).clone()).unwrap_or_default();
    map.remove("component_info");
    map
}
