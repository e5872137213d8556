//! One root module: what `init` makes of it, as components.

use super::backend::{self, at, map_of, unknown};
use super::diag::Failure;
use super::discover::Candidate;
use super::evaluate::{Identifier, Statics};
use super::inputs::Inputs;
use super::load::{Loader, RootFiles};
use super::module::{Module, Written};
use super::moves::Moves;
use super::reach::{self, Reach};
use super::tree::{self, Call};
use super::variants::Variant;
use super::vocabulary::VOCABULARY;
use super::{declarations, encryption, lints, provider, scopes, version};
use crate::diagnostic::Diagnostic;
use crate::files::Files;
use crate::hcl::ast::Span;
use crate::hcl::export::export_at;
use crate::hcl::val::Val;
use crate::limits::Limit;
use crate::resolution::{Component, ComponentMetadata, LocalScope, RemovalEffect, State, StatePlace, Unit};
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
pub(super) const META: [&str; 6] = ["source", "version", "count", "for_each", "depends_on", "providers"];

/// The name of the stack of a folder.
pub(super) fn stack_name(dir: &str) -> Text {
    if dir.is_empty() { ".".into() } else { dir.into() }
}

/// The evaluation of a root module, before its modules are entered.
fn statics<'a>(candidate: &Candidate, variant: &Variant, loader: &'a Loader<'a>) -> Statics<'a> {
    let module = Arc::clone(&candidate.module);
    let inputs = Inputs::collect(loader, &module, &candidate.dir, &variant.inputs);
    let workspace = variant.inputs.workspace.clone().unwrap_or_else(|| "default".to_owned());
    let steps = loader.limits().get(Limit::TemplateSteps);
    Statics::new(module, inputs, workspace, RootFiles::new(loader, candidate.dir.clone()), steps)
}

/// What a root module is made of, with what only evaluation tells.
pub(super) fn reach(candidate: &Candidate, variant: &Variant, loader: &Loader<'_>) -> Reach {
    let mut statics = statics(candidate, variant, loader);
    tree::enter(&mut statics, loader, &mut Vec::new());
    reach::evaluated(loader, &statics, &variant.inputs)
}

/// A root module that no change reaches: only its name.
pub(super) fn untouched(candidate: &Candidate, variant: &Variant, loader: &Loader<'_>) -> Resolved {
    let file = main_file(candidate, loader.files);
    let mut unit = Unit::broken(variant.stack.clone(), file);
    unit.files.extend(candidate.module.files.iter().copied());
    unit.files.sort();
    unit.files.dedup();
    unit.state = State::OutOfScope;
    Resolved { unit: Arc::new(unit), scopes: Vec::new(), findings: Vec::new(), reached: BTreeSet::new() }
}

/// Resolves a root module.
pub(super) fn resolve(candidate: &Candidate, variant: &Variant, loader: &Loader<'_>) -> Resolved {
    let (files, module) = (loader.files, &candidate.module);
    let mut statics = statics(candidate, variant, loader);
    let mut failures: Vec<Failure> = module.failures.clone();
    failures.extend(statics.inputs.failures.iter().cloned());
    failures.extend(version::check(module));
    let calls = tree::enter(&mut statics, loader, &mut failures);
    let mut builder = Builder { variant, components: Vec::new(), statics: &statics, files };
    builder.modules(&calls);
    builder.providers(&mut failures);
    builder.backends(module, &mut failures);
    if let Some(found) = encryption::resolve(&statics, &module.encryption, &mut failures) {
        let metadata = ComponentMetadata { encryption: found.targets, ..ComponentMetadata::default() };
        let place = module.encryption.place.map(origin).into_iter();
        builder.add(
            Described {
                removal: RemovalEffect::Relocated,
                metadata,
                ..described("encryption", "encryption", found.value)
            },
            place,
        );
    }
    declarations::add(&mut builder);
    constants(&statics, &mut failures);
    let mut components = builder.components;
    components.sort_by_key(|c| c.address());
    let is_hidden = failures.iter().any(|f| f.hides);
    if !is_hidden {
        lints::check(&statics, loader, &mut failures);
    }
    let file = main_file(candidate, files);
    let report = |f: &Failure| {
        let found = finding(f, file, files, &variant.stack);
        // What hides declarations is the reason, not what is missing because of it.
        if f.hides || !is_hidden && !f.is_lint { found.breaking() } else { found }
    };
    let findings = failures.iter().map(report).collect();
    let unit = Unit {
        name: variant.stack.clone(),
        file,
        files: all_files(&statics, file),
        components,
        state: State::Resolved,
        broken: Vec::new(),
        // What is left of it would look as if the rest were gone.
        failed: if is_hidden { vec![variant.stack.clone()] } else { Vec::new() },
        unlisted: Vec::new(),
    };
    let reached = statics.nodes.iter().skip(1).map(|n| n.module.dir.clone()).collect();
    Resolved { unit: Arc::new(unit), scopes: scopes::of(&statics, file), findings, reached }
}

fn finding(failure: &Failure, file: FileId, files: &Files, stack: &Text) -> Diagnostic {
    let mut finding = failure.finding(tree::start_of(file), files);
    finding.stacks.push(stack.clone());
    finding
}

pub(super) fn origin((file, span): (FileId, Span)) -> Origin {
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

/// What becomes a component.
pub(super) struct Described {
    /// Its type.
    pub kind: &'static str,
    /// Its name.
    pub name: Text,
    /// Its configuration.
    pub value: Value,
    /// What becomes of it when it is gone.
    pub removal: RemovalEffect,
    /// What rules may know of it.
    pub metadata: ComponentMetadata,
}

/// A component that only describes others.
pub(super) fn described(kind: &'static str, name: impl Into<Text>, value: Value) -> Described {
    let (removal, metadata) = (RemovalEffect::Nothing, ComponentMetadata::default());
    Described { kind, name: name.into(), value, removal, metadata }
}

/// Collects the components of a root module.
pub(super) struct Builder<'b, 'a> {
    variant: &'b Variant,
    components: Vec<Arc<Component>>,
    /// The evaluation.
    pub statics: &'b Statics<'a>,
    files: &'b Files,
}

impl Builder<'_, '_> {
    /// Adds a component; `shaping` are its lines that none of its values comes from.
    pub(super) fn add(&mut self, described: Described, shaping: impl Iterator<Item = Origin>) {
        let Described { kind, name, value, removal, metadata } = described;
        self.components.push(Arc::new(Component {
            stack: self.variant.stack.clone(),
            kind: kind.into(),
            name,
            value,
            shaping_origins: shaping.collect(),
            locals: None,
            declared: None,
            removal,
            metadata,
            language: Language { vocabulary: &VOCABULARY, ..Language::default() },
        }));
    }

    fn modules(&mut self, calls: &[Call]) {
        let moves = Moves::of(self.statics);
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
                let dir = Value::str(if dir.is_empty() { Text::from(".") } else { dir.clone() });
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
            let former_names = moves.former_names(&call.address);
            let metadata = ComponentMetadata { former_names, shares_state: true, ..ComponentMetadata::default() };
            let described = Described {
                removal: RemovalEffect::Destroyed,
                metadata,
                ..described("module", &*call.address, Value::map(value))
            };
            self.add(described, [origin(call.declared.place)].into_iter());
        }
    }

    /// The arguments of a call, evaluated where they can be before anything runs.
    fn arguments(&self, call: &Call) -> Map {
        let mut map = Map::new();
        let given = call.declared.arguments.iter().filter(|(name, _)| !META.contains(&&***name));
        for (name, written) in given {
            let value = self.evaluated(call.node, written, format!("module.{}.{name}", call.address));
            map.set(Key::from(&**name), value);
        }
        map
    }

    /// The value of an argument of a module: evaluated, or its text with what it needs.
    pub(super) fn evaluated(&self, node: usize, written: &Written, name: String) -> Value {
        match self.statics.value(node, written, Identifier { text: name, place: written.argument() }) {
            Ok(value) => export_at(&value, &at(written)),
            Err(found) => self.as_written(written, &found),
        }
    }

    /// The text of an argument.
    pub(super) fn text(&self, written: &Written) -> Text {
        let file = self.files.get(written.file);
        let text = file.text.get(written.expr.span.start as usize..written.expr.span.end as usize).unwrap_or_default();
        text.into()
    }

    /// The text of what cannot be computed, with what it needs.
    fn as_written(&self, written: &Written, found: &[Failure]) -> Value {
        let mut value = unknown(found, written);
        let text = self.text(written);
        if let crate::value::Data::Unknown(unknown) = &mut value.data {
            let text = if text.starts_with(['"', '<']) { text.to_string() } else { format!("${{{text}}}") };
            Arc::make_mut(unknown).text = text.into();
        }
        value
    }

    fn providers(&mut self, failures: &mut Vec<Failure>) {
        for index in 0..self.statics.nodes.len() {
            for found in provider::resolve(self.statics, index, failures) {
                let value = Value::map(Map::from_iter([("for_each".into(), found.keys)]));
                self.add(described("provider", found.name, value), std::iter::empty());
            }
        }
    }

    fn backends(&mut self, module: &Module, failures: &mut Vec<Failure>) {
        for (kind, found) in [("backend", &module.backend), ("cloud", &module.cloud)] {
            if let Some(found) = found {
                let value = backend::resolve(self.statics, found, failures);
                let is_of_set = self.variant.stack.contains('@') && self.variant.inputs.workspace.is_none();
                let state = StatePlace {
                    backend: found.kind.clone(),
                    settings: value.as_map().cloned().unwrap_or_default(),
                    origin: Some(origin(found.place)),
                    // What is missing is often given to `init`.
                    authored: 0,
                    is_separate: false,
                };
                let metadata = ComponentMetadata {
                    state: Some(state),
                    workspace: (!is_of_set).then(|| self.statics.workspace.as_str().into()),
                    ..ComponentMetadata::default()
                };
                let described = Described {
                    removal: RemovalEffect::Relocated,
                    metadata,
                    ..described(kind, found.kind.clone(), value)
                };
                self.add(described, [origin(found.place)].into_iter());
            }
        }
    }
}
