//! Checks for valid configuration that is probably a mistake: unused values and locals, addresses that depend on the
//! workspace.

use crate::dialects::opentofu::{locked, rules};
use crate::hcl::ast::walk;
use crate::hcl::ast::{Body, Span, TraversalStep};
use crate::paths;
use crate::terraform::components::backend;
use crate::terraform::evaluation::statics::Statics;
use crate::terraform::failure::{Failure, Place};
use crate::terraform::load::Loader;
use crate::terraform::module::Module;
use crate::terraform::module::block::Written;
use crate::text::nearest;
use crate::value::FileId;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The maximum number of names of undeclared values that are reported of one root module.
const MAX_TOLD: usize = 50;

/// Checks a root module whose files could all be read.
pub(crate) fn check(statics: &Statics<'_>, loader: &Loader<'_>, failures: &mut Vec<Failure>) {
    undeclared(statics, loader, failures);
    if loader.is_terraform {
        rejected(statics, failures);
    }
    let mut seen = BTreeSet::new();
    for node in &statics.nodes {
        if seen.insert(&node.module.dir) {
            unused(&node.module, loader, failures);
            backend::remote_states(&node.module, failures);
        }
    }
    workspace(statics, failures);
    locked::check(statics, loader, failures);
}

/// Whether a file belongs to one folder alone. What several share need not be of use in each of them.
fn is_own(file: FileId, dir: &str, loader: &Loader<'_>) -> bool {
    let path = &loader.reader.files.get(file).path;
    paths::parent(path) == dir && !loader.is_linked(path)
}

/// Values in files for variables that nothing declares.
fn undeclared(statics: &Statics<'_>, loader: &Loader<'_>, failures: &mut Vec<Failure>) {
    let root = &statics.nodes[0].module;
    let declared = &root.variables;
    let own = statics.inputs.undeclared.iter().filter(|(_, (file, _))| is_own(*file, &root.dir, loader));
    for (name, place) in own.take(MAX_TOLD) {
        let message = format!("`{name}` is not a variable of this root module, so that its value has no effect");
        let near = nearest(name, declared.keys().map(|k| &**k));
        let help = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => "remove the value, or declare the variable".to_owned(),
        };
        failures.push(Failure::new(&rules::UNDECLARED_VARIABLE, message, *place).lint(Some(help)));
    }
}

/// Locals that no expression of the module refers to.
fn unused(module: &Module, loader: &Loader<'_>, failures: &mut Vec<Failure>) {
    for (name, written) in &module.locals {
        if is_own(written.file, &module.dir, loader) && !module.used_locals.contains(name) {
            let end = written.span.start + name.len() as u32;
            let place = (written.file, Span { start: written.span.start, end: end.min(written.span.end) });
            let message = format!("`{name}` is not used in its module");
            failures.push(Failure::new(&rules::UNUSED_LOCAL, message, place).lint(Some("remove it".to_owned())));
        }
    }
}

/// Addresses of states and modules that depend on the workspace that is selected.
fn workspace(statics: &Statics<'_>, failures: &mut Vec<Failure>) {
    let root = Arc::clone(&statics.nodes[0].module);
    for backend in root.backend.iter().chain(&root.cloud) {
        let mut all = Vec::new();
        arguments(&backend.body, backend.place.0, &mut all);
        for written in &all {
            dependent(&root, written, "where the state is kept", failures);
        }
    }
    let mut seen = BTreeSet::new();
    for node in statics.nodes.iter().filter(|node| seen.insert(node.module.dir.clone())) {
        for call in node.module.calls.values() {
            for name in ["source", "version"] {
                if let Some(written) = call.arguments.get(name) {
                    dependent(&node.module, written, "which module is called", failures);
                }
            }
        }
    }
}

/// Reports expressions that OpenTofu evaluates and Terraform rejects: references in backends, in sources and versions
/// of modules, instances of providers, encryption of states.
fn rejected(statics: &Statics<'_>, failures: &mut Vec<Failure>) {
    let mut note = |message: &str, place: Place| {
        failures.push(Failure::new(&rules::TERRAFORM_REJECTS, message, place).lint(None));
    };
    let root = &statics.nodes[0].module;
    let mut written: Vec<(Written, &str)> = Vec::new();
    for backend in root.backend.iter().chain(&root.cloud) {
        let mut all = Vec::new();
        arguments(&backend.body, backend.place.0, &mut all);
        written
            .extend(all.into_iter().map(|w| (w, "Terraform allows no references in the configuration of a backend")));
    }
    if let Some(place) = root.encryption.place {
        note("Terraform does not support state encryption", place);
    }
    let mut seen = BTreeSet::new();
    for node in statics.nodes.iter().filter(|node| seen.insert(node.module.dir.clone())) {
        for name in ["source", "version"] {
            let of_calls = node.module.calls.values().filter_map(|call| call.arguments.get(name));
            let text = "Terraform allows only literal text for the source and the version of a module";
            written.extend(of_calls.map(|w| (w.clone(), text)));
        }
        let instances = node.module.providers.iter().filter_map(|p| p.block.arguments.get("for_each"));
        for written in instances {
            note("Terraform does not support `for_each` in providers", written.argument());
        }
    }
    for (written, message) in written {
        if !walk::references(&written.expr).is_empty() || !walk::calls(&written.expr).is_empty() {
            note(message, written.place());
        }
    }
}

fn arguments(body: &Body, file: FileId, all: &mut Vec<Written>) {
    let written = body.attributes.iter().map(|a| Written { file, span: a.span(), expr: Arc::clone(&a.expr) });
    all.extend(written);
    body.blocks.iter().for_each(|block| arguments(&block.body, file, all));
}

fn dependent(module: &Module, written: &Written, what: &str, failures: &mut Vec<Failure>) {
    let mut seen = BTreeSet::new();
    let mut open = vec![written.clone()];
    while let Some(current) = open.pop() {
        for reference in walk::references(&current.expr) {
            let Some(TraversalStep::Attribute(name)) = reference.steps.first() else { continue };
            match (&*reference.root.text, &*name.text) {
                ("terraform" | "tofu", "workspace") => {
                    let message = format!("{what} depends on the selected workspace");
                    let help = "use a variable: the selected workspace is not recorded in any file".to_owned();
                    failures.push(Failure::new(&rules::WORKSPACE_ADDRESS, message, written.place()).lint(Some(help)));
                    return;
                }
                ("local", _) if seen.insert(name.text.clone()) => {
                    open.extend(module.locals.get(&name.text).cloned());
                }
                _ => {}
            }
        }
    }
}
