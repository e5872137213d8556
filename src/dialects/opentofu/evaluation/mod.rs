//! Evaluation of root modules: values that can be computed before anything runs.

pub(crate) mod inputs;
mod node;
mod reference;
pub(crate) mod statics;
pub(crate) mod tree;
pub(crate) mod variable;

use crate::dialects::opentofu::discovery::Candidate;
use crate::dialects::opentofu::discovery::variants::Variant;
use crate::dialects::opentofu::load::functions::RootFiles;
use crate::dialects::opentofu::module::modules::Modules;
use crate::limits::Limit;
use inputs::Inputs;
use statics::Statics;

/// The evaluation of a root module, before its modules are entered.
pub(crate) fn of_root<'a>(candidate: &Candidate, variant: &Variant, modules: &'a Modules<'a>) -> Statics<'a> {
    let loader = &modules.loader;
    let module = candidate.module(modules);
    let inputs = Inputs::collect(loader, &module, &candidate.dir, &variant.inputs);
    let workspace = variant.inputs.workspace.clone().unwrap_or_else(|| "default".to_owned());
    let steps = loader.limits().get(Limit::TemplateSteps);
    Statics::new(module, inputs, workspace, RootFiles::new(loader, candidate.dir.clone()), steps)
}
