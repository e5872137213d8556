//! Resolves one root module to components, like `init`.

mod locals;
mod variables;
mod workspace;

use crate::diagnostic::Diagnostic;
use crate::diagnostic::rules::INCOMPLETE_ANALYSIS;
use crate::dialects::opentofu::checks;
use crate::dialects::opentofu::discovery::Candidate;
use crate::dialects::opentofu::discovery::variants::Variant;
use crate::files::Files;
use crate::hcl::ast::Span;
use crate::paths;
use crate::resolution::{LocalScope, State, Unit};
use crate::terraform::components::backend::Workspace;
use crate::terraform::components::calls;
use crate::terraform::configuration::Wanted;
use crate::terraform::failure::Failure;
use crate::terraform::module::modules::Modules;
use crate::terraform::module::version;
use crate::terraform::root;
use crate::terraform::rules::{UNDEFINED_LOCAL, UNDEFINED_NAME};
use crate::text::Text;
use crate::value::FileId;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The resolution of a root module.
pub(crate) struct Resolved {
    /// Its components.
    pub unit: Arc<Unit>,
    /// Its locals and variables.
    pub scopes: Vec<Arc<LocalScope>>,
    pub findings: Vec<Diagnostic>,
    /// The folders of the modules that it calls, at any depth.
    pub reached: BTreeSet<String>,
}

/// A root module that no change reaches: only its name.
pub(crate) fn untouched(
    candidate: &Candidate,
    variant: &Variant,
    modules: &Modules<'_>,
    may_read_more: bool,
) -> Resolved {
    let own: Vec<FileId> = candidate.outline.files.iter().filter_map(|path| modules.loader.add(path)).collect();
    let file = main_file(&candidate.dir, &own, modules.loader.reader.files);
    let mut unit = Unit::broken(variant.stack.clone(), file);
    unit.files.extend(own);
    unit.files.sort();
    unit.files.dedup();
    (unit.state, unit.may_read_more) = (State::OutOfScope, may_read_more);
    Resolved { unit: Arc::new(unit), scopes: Vec::new(), findings: Vec::new(), reached: BTreeSet::new() }
}

/// Resolves a root module.
pub(crate) fn resolve(candidate: &Candidate, variant: &Variant, modules: &Modules<'_>) -> Resolved {
    let files = modules.loader.reader.files;
    let mut evaluated = root::evaluate(&candidate.dir, variant.given(), modules, Wanted::Values);
    let module = Arc::clone(&evaluated.statics.nodes[0].module);
    let mut failures = Vec::new();
    let mut builder = evaluated.builder(&variant.stack);
    calls::add(&mut builder, &evaluated.calls);
    variables::add(&mut builder);
    let mut components = builder.components;
    let is_assumed = variant.inputs.workspace.is_none();
    let is_of_set = variant.stack.contains('@') && is_assumed;
    let name = evaluated.statics.workspace.as_deref().filter(|_| !is_of_set);
    let workspace = Workspace { name, is_assumed };
    components.extend(evaluated.settings(&variant.stack, workspace, (Wanted::Values, false), &mut failures));
    components.extend(evaluated.components(&variant.stack));
    components.sort_by_key(|c| c.address());
    let mut failures = evaluated.take_failures(failures);
    let is_hidden = failures.iter().any(|f| f.hides);
    if is_assumed && !is_hidden {
        let run = (variant.given(), modules);
        workspace::excuse(&mut failures, &evaluated, (&candidate.dir, &variant.stack), run);
    }
    if !is_hidden {
        checks::check(&evaluated.statics, &modules.loader, &mut failures);
    }
    let old = version::before_1(&module);
    if old.is_some() {
        // What is wrong today may be right there, but names need a declaration in every release.
        failures.retain(|failure| failure.hides || [&UNDEFINED_LOCAL, &UNDEFINED_NAME].contains(&failure.rule));
    }
    let file = main_file(&candidate.dir, &module.files, files);
    let report = |f: &Failure| {
        let found = finding(f, file, files, &variant.stack);
        // Hidden declarations are the cause of what seems to be missing.
        if f.hides || !is_hidden && !f.is_lint { found.breaking() } else { found }
    };
    let mut findings: Vec<Diagnostic> = failures.iter().map(report).collect();
    findings.extend(old.map(|written| {
        let message = "only releases before 1.0 may run this: mistakes other than undeclared names are not reported, because \
                       their language is another one";
        let failure = Failure::new(&INCOMPLETE_ANALYSIS, message, written.argument());
        let found = finding(&failure, file, files, &variant.stack).token("before 1.0");
        Diagnostic { withholds: true, ..found }
    }));
    let unit = Unit {
        files: evaluated.files().into_iter().chain([file]).collect::<BTreeSet<_>>().into_iter().collect(),
        components,
        absent: evaluated.absent(),
        open: evaluated.open(&variant.stack, true),
        state: State::Resolved,
        // A partial result would look as if the rest were removed.
        failed: if is_hidden { vec![variant.stack.clone()] } else { Vec::new() },
        ..Unit::broken(variant.stack.clone(), file)
    };
    let reached = evaluated.statics.nodes.iter().skip(1).map(|n| n.module.dir.clone()).collect();
    Resolved { unit: Arc::new(unit), scopes: locals::of(&evaluated.statics, file, variant), findings, reached }
}

fn finding(failure: &Failure, file: FileId, files: &Files, stack: &Text) -> Diagnostic {
    let mut finding = failure.finding((file, Span::default()), files);
    finding.stacks.push(stack.clone());
    finding
}

/// Returns the file that represents a root module: its `main`, or its first one; a link to a file elsewhere does not
/// count.
fn main_file(dir: &str, all: &[FileId], files: &Files) -> FileId {
    let is_own = |id: &&FileId| paths::parent(&files.get(**id).path) == dir;
    let is_main = |id: &&FileId| paths::name(&files.get(**id).path).starts_with("main.");
    let own = || all.iter().filter(is_own);
    let found = own().find(is_main).or_else(|| own().next()).copied();
    found.unwrap_or_else(|| files.add(dir, "", || Text::from("")))
}
