//! The evaluated configuration of a root module: every instance of its resources and data sources with its arguments, and
//! its outputs, as a plan on an empty state has them. What only a provider knows is unknown.
//!
//! - `frame`: the instances of modules, with the values of their names.
//! - `names`: what references mean in an instance of a module.
//! - `expansion`: the instances that `count`, `for_each` and `enabled` make.
//! - `body`: the arguments and blocks of a resource.
//! - `conditions`: validations, preconditions, postconditions and checks.
//! - `validate`: expressions of what has no instances.
//! - `sites`: the expressions of a module, with what they may refer to.
//! - `address`, `moves`, `targets`: addresses, what they were before, and what blocks say about them.
//! - `managers`: the provider configurations that manage them.
//! - `providers`: the provider configurations themselves.
//! - `reads`: what resources read, for graphs.
//! - `reached`: what inputs that differ can change.
//! - `schemas`: what providers say about resources.
//! - `decisive`: how much of the inputs decides whether something is wrong.
//! - `references`, `cycles`: names that nothing declares, and those that depend on themselves.

mod address;
mod body;
mod built_in;
mod conditions;
mod cycles;
pub(crate) mod decisive;
pub(crate) mod declared;
pub(crate) mod expansion;
mod frame;
mod instances;
mod managers;
mod module_tree;
mod moves;
mod names;
mod providers;
#[cfg(test)]
mod random;
pub(crate) mod reached;
pub(crate) mod reads;
mod references;
mod schemas;
mod sites;
mod targets;
mod unknown_blocks;
mod validate;
mod walk;

use crate::hcl::ast::Expr;
use crate::resolution::{Absent, Repetition};
use crate::terraform::evaluation::statics::Statics;
use crate::terraform::failure::{Failure, Place};
use crate::terraform::module::Module;
use crate::terraform::module::modules::Modules;
use crate::text::Text;
use crate::value::{FileId, Origin, Value};
use address::Address;
use body::{OWN_ARGUMENTS, OWN_BLOCKS};
use frame::Evaluation;
use reached::Reached;
use reads::Reading;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The evaluated configuration of a root module.
#[derive(Debug, Default)]
pub(crate) struct Configuration {
    /// The instances of resources, data sources and ephemeral resources in all modules.
    pub instances: Vec<Instance>,
    /// The calls and blocks that have no instance.
    pub absent: Vec<Absent>,
    /// The outputs of the root module.
    pub outputs: BTreeMap<Text, Value>,
    /// What is wrong.
    pub failures: Vec<Failure>,
}

/// All expressions of a module, with their files.
pub(crate) fn expressions(module: &Module) -> Vec<(FileId, &Expr)> {
    sites::of(module).into_iter().map(|site| (site.file, site.expr)).collect()
}

/// What a block in the configuration declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// `resource`.
    Managed,
    /// `data`.
    Data,
    /// `ephemeral`.
    Ephemeral,
}

impl Mode {
    /// The mode of the address of a block: `data.aws_ami.os`.
    pub(crate) fn of(address: &str) -> Self {
        match address.split('.').next() {
            Some("data") => Mode::Data,
            Some("ephemeral") => Mode::Ephemeral,
            _ => Mode::Managed,
        }
    }

    /// The type of its blocks.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Mode::Managed => "resource",
            Mode::Data => "data",
            Mode::Ephemeral => "ephemeral",
        }
    }
}

/// An instance of a resource or a data source.
#[derive(Clone, Debug)]
pub(crate) struct Instance {
    /// What it is.
    pub mode: Mode,
    /// Its address: `module.a["x"].aws_s3_bucket.logs[0]`; `[*]` where it is not known which instances there are.
    pub address: Address,
    /// What repeats its block and the calls that lead to it, the outermost call first.
    pub levels: Vec<Repetition>,
    /// The addresses that it may have had before, the nearest first.
    pub former: Vec<Address>,
    /// Its arguments and blocks.
    pub value: Value,
    /// The header of its block.
    pub place: Place,
    /// What decides that it is there: the calls that lead to it, and what repeats them and its block.
    pub shaping: Vec<Origin>,
    /// The provider configuration that manages it.
    pub manager: Value,
    /// What `prevent_destroy` is; null without it.
    pub protection: Value,
    /// What it reads of others in its module.
    pub readings: Rc<[Reading]>,
}

/// What is wanted of an evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// The instances with their values, and what is wrong.
    Values,
    /// What is wrong: the values of instances and outputs are null.
    Failures,
}

/// The number of the tree of modules of a root module: the same number, the same declarations in the same places. `None` where that is
/// not known, and where schemas say how arguments are converted.
pub(crate) fn tree_number(statics: &Statics<'_>, modules: &Modules<'_>) -> Option<u64> {
    declared::check(statics, modules).number.filter(|_| modules.loader.schemas.is_none())
}

/// Evaluates a root module whose modules were entered, or of it only what is reached by inputs that differ. Where only failures are
/// wanted, inputs that nothing distinguishes from those of a root module without failures are not evaluated again.
pub(crate) fn evaluate(
    statics: &Statics<'_>,
    modules: &Modules<'_>,
    wanted: Wanted,
    reached: Option<&Reached>,
) -> Configuration {
    let declared = declared::check(statics, modules);
    let key = (wanted == Wanted::Failures).then(|| declared.key(statics, modules)).flatten();
    let mut configuration = match &key {
        // Of names that depend on themselves nothing is known.
        _ if declared.is_cyclic => Configuration::default(),
        Some(key) if modules.is_sound(key) => Configuration::default(),
        _ => run(statics, wanted, reached),
    };
    if let Some(key) = key.filter(|_| configuration.failures.is_empty()) {
        modules.note_sound(key);
    }
    // What is wrong with a name is wrong with its value, too.
    let known: BTreeMap<(FileId, u32), u32> = declared
        .failures
        .iter()
        .filter_map(|failure| failure.place)
        .map(|(file, span)| ((file, span.start), span.end))
        .collect();
    let is_known = |failure: &Failure| {
        failure.place.is_some_and(|(file, span)| {
            let around = known.range(..=(file, span.start)).next_back();
            around.is_some_and(|((of, _), end)| *of == file && span.end <= *end)
        })
    };
    configuration.failures.retain(|failure| !is_known(failure));
    configuration.failures.splice(..0, declared.failures.iter().cloned());
    configuration
}

fn run(statics: &Statics<'_>, wanted: Wanted, reached: Option<&Reached>) -> Configuration {
    let evaluation = Evaluation::new(statics, wanted, reached);
    let mut configuration = evaluation.run();
    let hidden = validate::check(statics, &evaluation.evaluated.take(), &configuration.failures, reached);
    configuration.failures.extend(hidden);
    configuration
}
