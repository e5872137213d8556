//! Files beside the configuration of a unit that are a part of what runs: Terragrunt copies all files of the unit's folder to its
//! code, and hooks execute scripts.

use crate::code::{Runs, of_components};
use crate::dialects::State;
use crate::dialects::terragrunt::load::{UNIT, UNIT_JSON};
use crate::dialects::terragrunt::place::inside;
use crate::dialects::terragrunt::unit::KIND;
use crate::paths::join;
use crate::resolution::{Component, Resolution};
use crate::source::{Node, Source};
use crate::terraform::load::names::LOCK;
use crate::terraform::module::modules::Modules;
use crate::value::Value;
use std::collections::BTreeSet;

/// The kinds of hooks.
const HOOKS: [&str; 3] = ["before_hook", "after_hook", "error_hook"];

/// The code of units, with these files.
pub(in crate::dialects::terragrunt) fn runs(resolution: &Resolution, state: State<'_>, modules: &Modules<'_>) -> Runs {
    let mut runs = of_components(resolution, modules);
    for unit in &resolution.units {
        for component in unit.components.iter().filter(|component| *component.kind == *KIND) {
            let files = files(state.source, &unit.id, component);
            if !files.is_empty() {
                runs.add_files(component.address(), &unit.id, files);
            }
        }
    }
    runs
}

/// The paths of these files.
fn files(source: &dyn Source, folder: &str, component: &Component) -> BTreeSet<String> {
    let is_configuration = |child: &str| child.ends_with(".hcl") || [UNIT, UNIT_JSON].contains(&child);
    let is_copied = |child: &str| child == LOCK || !child.starts_with('.') && !is_configuration(child);
    let beside = source.listing().children(folder);
    let own = beside.iter().filter(|(child, _)| is_copied(child)).map(|(child, _)| join(folder, child));
    let terraform = component.value.get("terraform");
    let hooks = HOOKS.iter().filter_map(|kind| terraform?.get(kind)?.as_map());
    let commands = hooks.flat_map(|hooks| hooks.iter()).filter_map(|hook| hook.value.get("execute")?.as_list());
    let words =
        commands.flat_map(|words| words.iter()).filter_map(Value::as_str).filter_map(|word| inside(folder, word));
    own.chain(words).filter(|path| matches!(source.listing().lookup(path), Ok(Node::File(_)))).collect()
}
