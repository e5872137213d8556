//! Evaluation of root modules: values that can be computed before anything runs.

pub(crate) mod followed;
pub(crate) mod given;
pub(crate) mod inputs;
pub(crate) mod made_of;
pub(crate) mod named_files;
mod node;
pub(crate) mod parts;
pub(crate) mod reference;
pub(crate) mod shown;
pub(crate) mod statics;
pub(crate) mod tree;
pub(crate) mod variable;

use crate::limits::Limit;
use crate::terraform::load::functions::RootFiles;
use crate::terraform::module::modules::Modules;
use given::Given;
use inputs::Inputs;
use statics::Statics;

/// The evaluation of the root module in a folder, before its modules are entered. Without configuration in the folder, it
/// is that of a module without declarations.
pub(crate) fn of_root<'a>(dir: &str, given: Given<'_>, modules: &'a Modules<'a>) -> Statics<'a> {
    let loader = &modules.loader;
    let module = modules.root(dir, given.over);
    let inputs = Inputs::collect(loader, &module, dir, given);
    let workspace = given.workspace.map(str::to_owned);
    let steps = loader.reader.limits().get(Limit::TemplateSteps);
    Statics::new(module, inputs, workspace, RootFiles::new(loader, dir.to_owned(), given.over.cloned()), steps)
}
