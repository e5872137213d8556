//! Resolves one root module to components, like `init`.

mod backend;
mod builder;
mod calls;
mod declared;
mod encryption;
mod locals;
mod moves;
mod provider;
mod resources;
pub(crate) mod value;

use crate::diagnostic::Diagnostic;
use crate::dialects::opentofu::checks;
use crate::dialects::opentofu::discovery::Candidate;
use crate::dialects::opentofu::discovery::variants::Variant;
use crate::files::Files;
use crate::hcl::ast::Span;
use crate::paths;
use crate::resolution::{ComponentMetadata, LocalScope, RemovalEffect, State, Unit};
use crate::terraform::configuration;
use crate::terraform::evaluation::statics::{Node, Statics};
use crate::terraform::evaluation::{self, tree};
use crate::terraform::failure::Failure;
use crate::terraform::module::block::Declared;
use crate::terraform::module::modules::Modules;
use crate::terraform::module::version;
use crate::terraform::rules;
use crate::text::Text;
use crate::value::FileId;
use builder::{Builder, Described, described};
use std::collections::BTreeSet;
use std::sync::Arc;
use value::origin;

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
pub(crate) fn untouched(candidate: &Candidate, variant: &Variant, modules: &Modules<'_>) -> Resolved {
    let own: Vec<FileId> = candidate.outline.files.iter().filter_map(|path| modules.loader.add(path)).collect();
    let file = main_file(&candidate.dir, &own, modules.loader.reader.files);
    let mut unit = Unit::broken(variant.stack.clone(), file);
    unit.files.extend(own);
    unit.files.sort();
    unit.files.dedup();
    unit.state = State::OutOfScope;
    Resolved { unit: Arc::new(unit), scopes: Vec::new(), findings: Vec::new(), reached: BTreeSet::new() }
}

/// Resolves a root module.
pub(crate) fn resolve(candidate: &Candidate, variant: &Variant, modules: &Modules<'_>) -> Resolved {
    let files = modules.loader.reader.files;
    let mut statics = evaluation::of_root(&candidate.dir, variant.given(), modules);
    let module = Arc::clone(&statics.nodes[0].module);
    let mut failures: Vec<Failure> = module.failures.clone();
    failures.extend(statics.inputs.failures.iter().cloned());
    failures.extend(version::check(&module));
    let calls = tree::enter(&mut statics, modules, &mut failures);
    failures.extend(imports_in_calls(&statics));
    failures.extend(repeated_providers(&statics));
    let mut builder = Builder { variant, components: Vec::new(), statics: &statics };
    calls::add(&mut builder, &calls);
    provider::add(&mut builder, &mut failures);
    backend::add(&mut builder, &mut failures);
    if let Some(found) = encryption::resolve(&statics, &module.encryption, &mut failures) {
        let metadata = ComponentMetadata { encryption: found.targets.into(), ..ComponentMetadata::default() };
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
    let mut configuration = configuration::evaluate(&statics);
    resources::add(&mut builder, std::mem::take(&mut configuration.instances));
    declared::add(&mut builder, &configuration.outputs);
    variables(&statics, &mut failures);
    let mut components = builder.components;
    components.sort_by_key(|c| c.address());
    let hides = |failures: &[Failure]| failures.iter().any(|f| f.hides);
    // Where declarations are hidden, nothing is evaluated: OpenTofu stops there, too.
    if !hides(&failures) {
        add(&mut failures, configuration.failures);
    }
    let is_hidden = hides(&failures);
    if !is_hidden {
        checks::check(&statics, &modules.loader, &mut failures);
    }
    let file = main_file(&candidate.dir, &module.files, files);
    let report = |f: &Failure| {
        let found = finding(f, file, files, &variant.stack);
        // Hidden declarations are the cause of what seems to be missing.
        if f.hides || !is_hidden && !f.is_lint { found.breaking() } else { found }
    };
    let findings = failures.iter().map(report).collect();
    let unit = Unit {
        files: all_files(&statics, file),
        components,
        state: State::Resolved,
        // A partial result would look as if the rest were removed.
        failed: if is_hidden { vec![variant.stack.clone()] } else { Vec::new() },
        ..Unit::broken(variant.stack.clone(), file)
    };
    let reached = statics.nodes.iter().skip(1).map(|n| n.module.dir.clone()).collect();
    Resolved { unit: Arc::new(unit), scopes: locals::of(&statics, file, variant), findings, reached }
}

/// Adds failures of the evaluation. What is wrong at a place, and was reported there before, is not reported again.
fn add(failures: &mut Vec<Failure>, found: Vec<Failure>) {
    for failure in found {
        let is_cycle = failure.is_cyclic && failures.iter().any(|known| known.is_cyclic);
        if !is_cycle && failures.iter().all(|known| known.place != failure.place || known.is_open) {
            // Its value is unknown: everything else is as it is.
            let help = failure.help.clone();
            failures.push(if failure.hides { failure } else { failure.lint(help) });
        }
    }
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

fn all_files(statics: &Statics<'_>, file: FileId) -> Vec<FileId> {
    let of_modules = statics.nodes.iter().flat_map(|n| n.module.files.iter().copied());
    let all: BTreeSet<FileId> =
        of_modules.chain(statics.inputs.files.iter().copied()).chain(statics.read_files()).chain([file]).collect();
    all.into_iter().collect()
}

/// Import blocks of called modules: only the root module can have some.
fn imports_in_calls(statics: &Statics<'_>) -> Vec<Failure> {
    let called = statics.nodes.iter().skip(1).flat_map(|node| &node.module.refactorings);
    let imports = called.filter(|block| &*block.kind == "import");
    let message = "invalid import configuration: an import block in a called module is not allowed";
    imports.map(|import| Failure::new(&rules::INVALID_DECLARATION, message, import.block.place)).collect()
}

/// Calls that repeat or delay a module which configures providers itself, at any depth: such a module exists once.
fn repeated_providers(statics: &Statics<'_>) -> Vec<Failure> {
    let mut failures: Vec<Failure> = Vec::new();
    let is_configured = |node: &Node| node.module.providers.iter().any(|p| !is_empty(&p.block));
    for node in statics.nodes.iter().skip(1).filter(|node| is_configured(node)) {
        let mut current = node;
        while let Some(caller) = current.parent.map(|parent| &statics.nodes[parent]) {
            let call = current.path.last().and_then(|name| caller.module.calls.get(name));
            let arguments = ["count", "for_each", "depends_on"].into_iter();
            let found = call.and_then(|call| arguments.filter_map(|name| call.arguments.get(name)).next());
            if let Some(written) = found {
                let message = format!(
                    "module is incompatible with count, for_each, enabled and depends_on: module.{} configures providers itself",
                    node.address()
                );
                let failure = Failure::new(&rules::INVALID_DECLARATION, message, written.place());
                if failures.iter().all(|known| known.place != failure.place) {
                    failures.push(failure);
                }
            }
            current = caller;
        }
    }
    failures
}

/// Whether a provider configuration has nothing, so that it only says that the module takes one.
fn is_empty(block: &Declared) -> bool {
    block.arguments.keys().all(|name| matches!(&**name, "alias" | "version")) && block.blocks.is_empty()
}

/// Variables that are computed in any case, whether something uses them or not: constants, and what is given to the root
/// module, which `plan` converts to the types of its variables.
fn variables(statics: &Statics<'_>, failures: &mut Vec<Failure>) {
    for (index, node) in statics.nodes.iter().enumerate() {
        for (name, variable) in &node.module.variables {
            let found = match (variable.is_const, node.parent) {
                (Some(true), _) => statics.variable_value(index, name),
                (_, None) => statics.given_value(name, variable),
                (_, Some(_)) => continue,
            };
            // A value that is not given here may be given to the run.
            let is_wrong = |failure: &Failure| variable.is_const == Some(true) || failure.rule == &rules::INVALID_VALUE;
            failures.extend(found.err().into_iter().flatten().filter(is_wrong));
        }
    }
}
