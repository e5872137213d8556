//! Files beside the configuration of a unit that are a part of what runs: Terragrunt copies all files of the unit's folder to its
//! code, hooks execute scripts, and inputs name files that code elsewhere reads.

use super::arguments::{VAR_FILE, is_other};
use crate::code::{Runs, of_components};
use crate::dialects::State;
use crate::dialects::terragrunt::load::{UNIT, UNIT_JSON};
use crate::dialects::terragrunt::place::{REPOSITORY, inside};
use crate::dialects::terragrunt::unit::KIND;
use crate::paths::{name, parent, relative};
use crate::reads::{Named, NamedFiles, may_be, pieces, unquoted};
use crate::resolution::{Component, Resolution, Unit};
use crate::source::{Node, Source};
use crate::terraform::load::names::{LOCK, configuration};
use crate::terraform::module::modules::Modules;
use crate::terraform::module::paths::is_within;
use crate::terraform::reach::is_readme;
use crate::value::{Data, Value};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// The kinds of hooks.
const HOOKS: [&str; 3] = ["before_hook", "after_hook", "error_hook"];

/// The endings of files of values.
const ENDINGS: [&str; 2] = [".tfvars", ".tfvars.json"];

/// More files that a path may be count as all files.
const MAX_POSSIBLE: usize = 100;
/// The most different paths that are searched in all files; each further one may be any file.
const MAX_SEARCHED: usize = 1_000;

/// What names files of values in `extra_arguments`.
const VALUES: [&str; 3] = ["required_var_files", "optional_var_files", "arguments"];

/// The code of units, with these files.
pub(in crate::dialects::terragrunt) fn runs(resolution: &Resolution, state: State<'_>, modules: &Modules<'_>) -> Runs {
    let mut runs = of_components(resolution, modules);
    // A generated unit is copied from elsewhere.
    let home = |unit: &Unit| parent(&state.files.get(unit.file).path).to_owned();
    let homes: BTreeSet<String> = resolution.units.iter().map(|unit| home(unit)).collect();
    let possible = Possible { source: state.source, known: RefCell::default() };
    for unit in &resolution.units {
        for component in unit.components.iter().filter(|component| *component.kind == *KIND) {
            let home = home(unit);
            // A file that others include configures no code of its own.
            let source = component.value.at_path(["terraform", "source"]);
            let has_code = source.is_some_and(|source| !source.is_null()) || modules.is_there(&home);
            let mut files = if has_code { beside(state.source, &home, &homes) } else { BTreeSet::new() };
            files.extend(executed(&possible, &home, component));
            files.extend(passed(&possible, &home, component));
            if has_code && component.metadata.code.is_none() {
                files.extend(given(&possible, &home, component));
            }
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
fn executed(possible: &Possible<'_>, home: &str, component: &Component) -> BTreeSet<String> {
    let terraform = component.value.get("terraform");
    let hooks = HOOKS.iter().filter_map(|kind| terraform?.get(kind)?.as_map());
    let mut found = BTreeSet::new();
    for hook in hooks.flat_map(|hooks| hooks.iter()) {
        let Some(execute) = hook.value.get("execute") else { continue };
        let words = execute.as_list().map_or(std::slice::from_ref(execute), |words| words);
        for (index, word) in words.iter().enumerate() {
            let Data::Unknown(unknown) = &word.data else { continue };
            let pieces = pieces(&unknown.text);
            if index == 0 || pieces.iter().any(|piece| piece.contains(['.', '/'])) {
                found.extend(possible.files(&pieces, &[]));
            }
        }
        let at = hook.value.get("working_dir").and_then(Value::as_str).and_then(|dir| inside(home, dir));
        let folders: Vec<&str> = folders(home, component).chain(at.as_deref()).collect();
        add_named(possible.source, &folders, words.iter().filter_map(Value::as_str), true, &mut found);
    }
    found
}

/// The files of values that arguments of commands pass to the code: what they set may reach what is not evaluated. Of a path that is
/// not known, all that it may be, and if nothing shows how it ends, all that are called like files of values.
fn passed(possible: &Possible<'_>, home: &str, component: &Component) -> BTreeSet<String> {
    let blocks = component.value.at_path(["terraform", "extra_arguments"]).and_then(Value::as_map);
    let folders: Vec<&str> = folders(home, component).collect();
    let mut found = BTreeSet::new();
    for block in blocks.into_iter().flat_map(|blocks| blocks.iter()) {
        let lists = VALUES.iter().filter_map(|name| block.value.get(name)?.as_list());
        let values: Vec<&Value> = lists.flat_map(|list| list.iter()).collect();
        add_named(possible.source, &folders, values.iter().filter_map(|value| value.as_str()), false, &mut found);
        let lists = VALUES.iter().filter_map(|name| block.value.get(name));
        for value in values.into_iter().chain(lists) {
            let Data::Unknown(unknown) = &value.data else { continue };
            if !is_other(&unknown.text) {
                let pieces = pieces(unquoted(&unknown.text).trim_start_matches(VAR_FILE));
                let is_ending_known = pieces.last().is_some_and(|last| !last.is_empty());
                found.extend(possible.files(&pieces, if is_ending_known { &[] } else { &ENDINGS }));
            }
        }
    }
    found
}

/// The files and folders that inputs of code elsewhere name by their places in the repository: that code may read them. A folder
/// around the unit says no more than where the unit is.
fn given(possible: &Possible<'_>, home: &str, component: &Component) -> BTreeSet<String> {
    let (mut open, mut found) = (Vec::from_iter(component.value.get("inputs")), BTreeSet::new());
    while let Some(value) = open.pop() {
        match &value.data {
            Data::Map(map) => open.extend(map.iter().map(|entry| &entry.value)),
            Data::List(items) => open.extend(items.iter()),
            Data::Str(text) if text.starts_with(REPOSITORY) => {
                let path = inside(home, text).filter(|path| !is_within(home, path));
                found.extend(path.filter(|path| possible.source.listing().lookup(path).is_ok()));
            }
            Data::Unknown(unknown) => {
                let pieces = pieces(&unknown.text);
                if pieces.last().is_some_and(|last| last.contains('/') && name(last).contains('.')) {
                    found.extend(possible.files(&pieces, &[]));
                }
            }
            _ => {}
        }
    }
    found
}

type Paths = Rc<BTreeSet<String>>;

/// Files that paths may be of which only some pieces are known, by these and by endings: units share most of them.
struct Possible<'s> {
    source: &'s dyn Source,
    known: RefCell<BTreeMap<(String, bool), Paths>>,
}

impl Possible<'_> {
    /// Those with some pieces, and with one of some endings if there are any. The empty path stands for all files if these are too many.
    fn files(&self, pieces: &[&str], endings: &[&str]) -> BTreeSet<String> {
        let key = (pieces.join("\0"), endings.is_empty());
        let known = self.known.borrow().get(&key).cloned();
        if known.is_none() && self.known.borrow().len() >= MAX_SEARCHED {
            return BTreeSet::from([String::new()]);
        }
        let found = known.unwrap_or_else(|| {
            let paths = self.source.listing().iter().map(|entry| &*entry.path);
            let paths = paths.filter(|path| endings.is_empty() || endings.iter().any(|ending| path.ends_with(ending)));
            let found: BTreeSet<String> = paths.filter(|path| may_be(path, pieces)).map(str::to_owned).collect();
            let found = if found.len() > MAX_POSSIBLE { BTreeSet::from([String::new()]) } else { found };
            let found = Rc::new(found);
            self.known.borrow_mut().insert(key, Rc::clone(&found));
            found
        });
        BTreeSet::clone(&found)
    }
}

/// The folders that paths of a unit may count from.
fn folders<'a>(home: &'a str, component: &'a Component) -> impl Iterator<Item = &'a str> {
    let code = component.metadata.code.as_ref().map(|code| &*code.folder);
    [Some(home), code, Some("")].into_iter().flatten()
}

/// Adds the files that words name, and those that these name.
fn add_named<'w>(
    source: &dyn Source,
    folders: &[&str],
    words: impl Iterator<Item = &'w str>,
    into_files: bool,
    found: &mut BTreeSet<String>,
) {
    let text = words.collect::<Vec<_>>().join(" ").replace(&format!("{REPOSITORY}/"), " ");
    let may_name = |word: &str| word.contains(['.', '/']);
    let named = NamedFiles { folders, may_name: &may_name, into_files };
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
