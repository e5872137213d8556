//! One root module: what `init` makes of it, as components.

use super::backend::{self, at, map_of, unknown};
use super::diag::Failure;
use super::discover::Candidate;
use super::evaluate::{Identifier, Statics};
use super::inputs::Inputs;
use super::load::{Cache, Loader, RootFiles};
use super::module::{Module, Written};
use super::tree::{self, Call};
use super::{encryption, provider, version};
use crate::diagnostic::Diagnostic;
use crate::dialects::Project;
use crate::files::Files;
use crate::hcl::ast::Span;
use crate::hcl::export::export_at;
use crate::hcl::val::Val;
use crate::hcl::walk;
use crate::limits::Limit;
use crate::resolution::{
    Component, ComponentMetadata, Dependency, Local, LocalLevel, LocalScope, RemovalEffect, State, Unit,
};
use crate::source::Source;
use crate::text::Text;
use crate::value::{FileId, Key, Language, Map, Origin, Value};
use std::collections::BTreeSet;
use std::sync::Arc;

/// What a root module resolves to.
pub(super) struct Resolved {
    /// Its components.
    pub unit: Arc<Unit>,
    /// Its locals and variables.
    pub scopes: Vec<Arc<LocalScope>>,
    /// What is wrong.
    pub findings: Vec<Diagnostic>,
    /// The folders of the modules that it calls, at any depth.
    pub reached: BTreeSet<String>,
}

/// Arguments of a module call that mean something to the call itself.
const META: [&str; 6] = ["source", "version", "count", "for_each", "depends_on", "providers"];

/// The name of the stack of a folder.
pub(super) fn stack_name(dir: &str) -> Text {
    if dir.is_empty() { ".".into() } else { dir.into() }
}

/// Resolves a root module.
pub(super) fn resolve(
    candidate: &Candidate,
    source: &dyn Source,
    files: &Files,
    cache: &Cache,
    project: &Project,
) -> Resolved {
    let loader = Loader::new(source, files, cache, &project.root);
    let module = Arc::clone(&candidate.module);
    let inputs = Inputs::collect(&loader, &module, &candidate.dir, &project.inputs);
    let mut failures: Vec<Failure> = module.failures.clone();
    failures.extend(inputs.failures.iter().cloned());
    let workspace = project.inputs.workspace.clone().unwrap_or_else(|| "default".to_owned());
    let steps = loader.limits().get(Limit::TemplateSteps);
    let read = RootFiles::new(&loader, candidate.dir.clone());
    let mut statics = Statics::new(Arc::clone(&module), inputs, workspace, read, steps);
    failures.extend(version::check(&module));
    let calls = tree::enter(&mut statics, &loader, &mut failures);
    let mut builder = Builder { stack: stack_name(&candidate.dir), components: Vec::new(), statics: &statics, files };
    builder.modules(&calls);
    builder.providers(&mut failures);
    builder.backends(&module, &mut failures);
    if let Some(value) = encryption::resolve(&statics, &module.encryption, &mut failures) {
        builder.add("encryption", "encryption", value, module.encryption.place.map(origin).into_iter());
    }
    constants(&statics, &mut failures);
    let mut components = builder.components;
    components.sort_by_key(|c| c.address());
    let is_hidden = failures.iter().any(|f| f.hides);
    let file = main_file(candidate, files);
    let report = |f: &Failure| {
        let found = finding(f, file, files, &stack_name(&candidate.dir));
        // What hides declarations is the reason, not what is missing because of it.
        if f.hides || !is_hidden { found.breaking() } else { found }
    };
    let findings = failures.iter().map(report).collect();
    let unit = Unit {
        name: stack_name(&candidate.dir),
        file,
        files: all_files(&statics, file),
        components,
        state: State::Resolved,
        broken: Vec::new(),
        // What is left of it would look as if the rest were gone.
        failed: if is_hidden { vec![stack_name(&candidate.dir)] } else { Vec::new() },
        unlisted: Vec::new(),
    };
    let reached = statics.nodes.iter().skip(1).map(|n| n.module.dir.clone()).collect();
    Resolved { unit: Arc::new(unit), scopes: scopes(&statics, file), findings, reached }
}

fn finding(failure: &Failure, file: FileId, files: &Files, stack: &Text) -> Diagnostic {
    let mut finding = failure.finding(tree::start_of(file), files);
    finding.stacks.push(stack.clone());
    finding
}

fn origin((file, span): (FileId, Span)) -> Origin {
    Origin { file, key: span.start, start: span.start, end: span.end }
}

/// The file that stands for a root module: its `main`, or its first one; a link to a file of others stands for nothing.
fn main_file(candidate: &Candidate, files: &Files) -> FileId {
    let own = |id: &&FileId| files.get(**id).path.rsplit_once('/').map_or("", |(dir, _)| dir) == candidate.dir;
    let is_main = |id: &&FileId| files.get(**id).path.rsplit('/').next().is_some_and(|n| n.starts_with("main."));
    let all = || candidate.module.files.iter().filter(own);
    let found = all().find(is_main).or_else(|| all().next()).copied();
    found.unwrap_or_else(|| files.add(&candidate.dir, "", || Text::from("")))
}

fn all_files(statics: &Statics<'_>, file: FileId) -> Vec<FileId> {
    let of_modules = statics.nodes.iter().flat_map(|n| n.module.files.iter().copied());
    let all: BTreeSet<FileId> =
        of_modules.chain(statics.inputs.files.iter().copied()).chain(statics.read_files()).chain([file]).collect();
    all.into_iter().collect()
}

/// Variables that are computed in any case, whether something uses them or not.
fn constants(statics: &Statics<'_>, failures: &mut Vec<Failure>) {
    for (index, node) in statics.nodes.iter().enumerate() {
        for (name, variable) in &node.module.variables {
            if variable.is_const == Some(true)
                && let Err(found) = statics.variable_value(index, name)
            {
                failures.extend(found);
            }
        }
    }
}

struct Builder<'b, 'a> {
    stack: Text,
    components: Vec<Arc<Component>>,
    statics: &'b Statics<'a>,
    files: &'b Files,
}

impl Builder<'_, '_> {
    fn add(&mut self, kind: &str, name: &str, value: Value, shaping: impl Iterator<Item = Origin>) {
        let removal = match kind {
            "module" | "provider" => RemovalEffect::Destroyed,
            _ => RemovalEffect::Orphaned,
        };
        self.components.push(Arc::new(Component {
            stack: self.stack.clone(),
            kind: kind.into(),
            name: name.into(),
            value,
            shaping_origins: shaping.collect(),
            locals: None,
            declared: None,
            removal,
            metadata: ComponentMetadata::default(),
            language: Language::default(),
        }));
    }

    fn modules(&mut self, calls: &[Call]) {
        for call in calls {
            let text = |value: &Option<Val>, name: &str| {
                let written = call.declared.arguments.get(name)?;
                Some(match value {
                    Some(value) => export_at(value, &at(written)),
                    None if name == "version" => return None,
                    None => unknown(&[], written),
                })
            };
            let dir = call.dir.as_ref().map(|dir| {
                let dir = Value::str(if dir.is_empty() { "." } else { dir.as_str() });
                let from = call.declared.arguments.get("source").zip(call.source.as_ref());
                from.map_or_else(Default::default, |(w, s)| dir.clone().with_prov(at(w).with_inputs([s.prov.clone()])))
            });
            let inputs = self.arguments(call);
            let inputs = (!inputs.is_empty()).then(|| Value::map(inputs));
            let value = map_of([
                ("source", text(&call.source, "source")),
                ("version", text(&call.version, "version")),
                ("dir", dir),
                ("inputs", inputs),
            ]);
            self.add("module", &call.address, Value::map(value), [origin(call.declared.place)].into_iter());
        }
    }

    /// The arguments of a call, evaluated where they can be before anything runs.
    fn arguments(&self, call: &Call) -> Map {
        let mut map = Map::new();
        let given = call.declared.arguments.iter().filter(|(name, _)| !META.contains(&&***name));
        for (name, written) in given {
            let text = format!("module.{}.{name}", call.address);
            let value = match self.statics.value(call.node, written, Identifier { text, place: written.argument() }) {
                Ok(value) => export_at(&value, &at(written)),
                Err(found) => self.as_written(written, &found),
            };
            map.set(Key::from(&**name), value);
        }
        map
    }

    /// The text of what cannot be computed, with what it needs.
    fn as_written(&self, written: &Written, found: &[Failure]) -> Value {
        let mut value = unknown(found, written);
        let file = self.files.get(written.file);
        let text = file.text.get(written.expr.span.start as usize..written.expr.span.end as usize).unwrap_or_default();
        if let crate::value::Data::Unknown(unknown) = &mut value.data {
            let text = if text.starts_with(['"', '<']) { text.to_owned() } else { format!("${{{text}}}") };
            Arc::make_mut(unknown).text = text.into();
        }
        value
    }

    fn providers(&mut self, failures: &mut Vec<Failure>) {
        for index in 0..self.statics.nodes.len() {
            for found in provider::resolve(self.statics, index, failures) {
                let value = Value::map(Map::from_iter([("for_each".into(), found.keys)]));
                self.add("provider", &found.name, value, std::iter::empty());
            }
        }
    }

    fn backends(&mut self, module: &Module, failures: &mut Vec<Failure>) {
        for (kind, found) in [("backend", &module.backend), ("cloud", &module.cloud)] {
            if let Some(found) = found {
                let value = backend::resolve(self.statics, found, failures);
                self.add(kind, &found.kind, value, [origin(found.place)].into_iter());
            }
        }
    }
}

/// The locals of the root module, and its variables.
fn scopes(statics: &Statics<'_>, file: FileId) -> Vec<Arc<LocalScope>> {
    let module = Arc::clone(&statics.nodes[0].module);
    let value = |found: Result<Val, Vec<Failure>>, prov| match found {
        Ok(value) => Some(export_at(&value, &prov)),
        Err(found) => {
            let is_open = !found.is_empty() && found.iter().all(|f| f.is_open);
            let reasons = found.iter().take(3).map(|f| f.message.as_str().into()).collect();
            let unknown = crate::value::Unknown { text: "(not known)".into(), assumed: None, reasons };
            is_open.then(|| Value::new(crate::value::Data::Unknown(Arc::new(unknown))).with_prov(prov))
        }
    };
    let locals = module.locals.iter().map(|(name, written)| Local {
        name: name.clone(),
        value: value(statics.local_value(0, name), at(written)),
        printed: None,
        origin: at(written).origin,
        depends_on: dependencies(&module, written),
        shadows: None,
    });
    let variables = module.variables.iter().map(|(name, variable)| Local {
        name: name.clone(),
        value: value(statics.variable_value(0, name), crate::value::Prov::at(origin(variable.place))),
        printed: None,
        origin: Some(origin(variable.place)),
        depends_on: Vec::new(),
        shadows: None,
    });
    let scope = |level, locals: Vec<Local>| Arc::new(LocalScope { file, level, locals });
    let mut all = Vec::new();
    let found: Vec<Local> = locals.collect();
    all.extend((!found.is_empty()).then(|| scope(LocalLevel::File, found)));
    let found: Vec<Local> = variables.collect();
    all.extend((!found.is_empty()).then(|| scope(LocalLevel::Kind("variable".into()), found)));
    all
}

fn dependencies(module: &Module, written: &Written) -> Vec<Dependency> {
    let mut found: Vec<Dependency> = Vec::new();
    for reference in walk::references(&written.expr) {
        let Some(crate::hcl::ast::Step::Attribute(name)) = reference.steps.first() else { continue };
        let path = format!("{}.{}", reference.root.text, name.text);
        let place = match &*reference.root.text {
            "local" => module.locals.get(&name.text).map(Written::argument),
            "var" => module.variables.get(&name.text).map(|v| v.place),
            _ => None,
        };
        let dependency = Dependency { path, origin: place.map(origin) };
        if !found.contains(&dependency) {
            found.push(dependency);
        }
    }
    found
}
