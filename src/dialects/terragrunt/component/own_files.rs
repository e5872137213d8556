//! Files beside the configuration of a unit that are a part of what runs: Terragrunt copies all files of the unit's folder to its
//! code, and hooks execute scripts.

use crate::code::{Runs, of_components};
use crate::dialects::State;
use crate::dialects::terragrunt::load::{UNIT, UNIT_JSON};
use crate::dialects::terragrunt::place::{REPOSITORY, inside};
use crate::dialects::terragrunt::unit::KIND;
use crate::paths::{name, parent, relative};
use crate::reads::{Named, NamedFiles};
use crate::resolution::{Component, Resolution, Unit};
use crate::source::{Node, Source};
use crate::terraform::load::names::{LOCK, configuration};
use crate::terraform::module::modules::Modules;
use crate::terraform::reach::is_readme;
use crate::value::Value;
use std::collections::BTreeSet;

/// The kinds of hooks.
const HOOKS: [&str; 3] = ["before_hook", "after_hook", "error_hook"];

/// The code of units, with these files.
pub(in crate::dialects::terragrunt) fn runs(resolution: &Resolution, state: State<'_>, modules: &Modules<'_>) -> Runs {
    let mut runs = of_components(resolution, modules);
    // A generated unit is copied from elsewhere.
    let home = |unit: &Unit| parent(&state.files.get(unit.file).path).to_owned();
    let homes: BTreeSet<String> = resolution.units.iter().map(|unit| home(unit)).collect();
    for unit in &resolution.units {
        for component in unit.components.iter().filter(|component| *component.kind == *KIND) {
            let home = home(unit);
            // A file that others include configures no code of its own.
            let source = component.value.at_path(["terraform", "source"]);
            let has_code = source.is_some_and(|source| !source.is_null()) || modules.is_there(&home);
            let mut files = if has_code { beside(state.source, &home, &homes) } else { BTreeSet::new() };
            files.extend(executed(state.source, &home, component));
            if !files.is_empty() {
                runs.add_files(component.address(), &unit.id, files);
            }
        }
    }
    runs
}

/// The files in the folder of a unit and below, without those of other units there, configuration, and code in folders below,
/// which only a call loads.
fn beside(source: &dyn Source, home: &str, homes: &BTreeSet<String>) -> BTreeSet<String> {
    let is_copied = |path: &&str| {
        let Some(below) = relative(path, home) else { return false };
        let name = name(below);
        let is_hidden = below.split('/').any(|part| part.starts_with('.')) && name != LOCK;
        let is_configuration = name.ends_with(".hcl") && name != LOCK || [UNIT, UNIT_JSON].contains(&name);
        let is_code = below.contains('/') && configuration(name).is_some();
        let mut around = std::iter::successors(Some(parent(path)), |folder| Some(parent(folder)));
        let is_of_other = around.by_ref().take_while(|folder| *folder != home).any(|folder| homes.contains(folder));
        !is_hidden && !is_configuration && !is_code && !is_of_other && !is_readme(path)
    };
    let paths = source.listing().under(home).iter().map(|entry| &*entry.path);
    let files = paths.filter(is_copied).filter(|path| matches!(source.listing().lookup(path), Ok(Node::File(_))));
    files.map(str::to_owned).collect()
}

/// The files that hooks of a unit name, such as scripts, and those that these name. Everything, if they name too much.
fn executed(source: &dyn Source, home: &str, component: &Component) -> BTreeSet<String> {
    let terraform = component.value.get("terraform");
    let hooks = HOOKS.iter().filter_map(|kind| terraform?.get(kind)?.as_map());
    let mut found = BTreeSet::new();
    for hook in hooks.flat_map(|hooks| hooks.iter()) {
        let Some(words) = hook.value.get("execute").and_then(Value::as_list) else { continue };
        let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
        let text = words.join(" ").replace(&format!("{REPOSITORY}/"), " ");
        let at = hook.value.get("working_dir").and_then(Value::as_str).and_then(|dir| inside(home, dir));
        let code = component.metadata.code.as_ref().map(|code| &*code.folder);
        let folders: Vec<&str> = [Some(home), at.as_deref(), code, Some("")].into_iter().flatten().collect();
        let may_name = |word: &str| word.contains(['.', '/']);
        let named = NamedFiles { folders: &folders, may_name: &may_name, into_files: true };
        let is_all = named.visit(&text, &mut |path, _| match source.listing().lookup(path) {
            Ok(Node::File(entry)) => {
                found.insert(path.to_owned());
                let bytes = source.read(entry).ok();
                let text = bytes.and_then(|bytes| Some(std::str::from_utf8(&bytes).ok()?.to_owned()));
                text.map_or(Named::Leaf, Named::Text)
            }
            Ok(Node::Dir(_)) => {
                found.insert(path.to_owned());
                Named::Leaf
            }
            Err(_) => Named::Nothing,
        });
        if !is_all {
            found.insert(String::new());
        }
    }
    found
}
