//! Which components run code that differs between two revisions.
//!
//! A component runs the files of its folder, and those of the local modules that its code calls, in either revision. Whether
//! the files differ is read from the two listings; nothing is executed.

use crate::resolution::{Address, CodeOrigin, Resolution};
use crate::source::EntryPair;
use crate::terraform::Modules;
use crate::text::Text;
use std::collections::{BTreeMap, BTreeSet};

/// A folder of code that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CodeChange {
    /// The folder, from the root of the repository.
    pub folder: Text,
    /// The files below it that differ, sorted.
    pub files: Vec<Text>,
    /// The components of the head that run it: it is their own folder, or a module that their code calls. Sorted.
    pub components: Vec<Address>,
}

impl CodeChange {
    /// The number of stacks that the components are in.
    pub(crate) fn stack_count(&self) -> usize {
        self.components.iter().map(|(stack, ..)| stack).collect::<BTreeSet<_>>().len()
    }
}

/// Returns the changed folders of code that some component of `head` runs, sorted by folder. Components that are not
/// deployed, or whose code is always fetched, run none. `modules` are those of both revisions.
pub(crate) fn changes(
    head: &Resolution,
    modules: &[&Modules<'_>],
    differing: &[EntryPair<'_>],
    filter: &dyn Fn(&Address) -> bool,
) -> Vec<CodeChange> {
    let users = users(head, filter);
    let mut changed = changed_folders(differing);
    let callers = Callers::find(&users, &changed, modules);
    changed.retain(|folder, files| {
        (users.contains_key(folder) || callers.is_module(folder)) && !files.iter().all(|file| is_document(file))
    });
    let change = |(folder, files): (&str, Vec<&str>)| {
        let mut components: Vec<Address> = users.get(folder).cloned().unwrap_or_default();
        for caller in callers.all(folder) {
            // A module in the folder of its only caller is a part of that.
            let holds = folder.strip_prefix(caller).is_some_and(|rest| rest.starts_with('/'));
            components.extend(users.get(caller).filter(|_| !holds).into_iter().flatten().cloned());
        }
        components.sort();
        components.dedup();
        let files = files.into_iter().map(Text::from).collect();
        (!components.is_empty()).then(|| CodeChange { folder: folder.into(), files, components })
    };
    changed.into_iter().filter_map(change).collect()
}

/// The components that run the code of a folder, by folder.
type Users<'a> = BTreeMap<&'a str, Vec<Address>>;

fn users<'a>(head: &'a Resolution, filter: &dyn Fn(&Address) -> bool) -> Users<'a> {
    let mut users: Users<'a> = BTreeMap::new();
    for component in head.units.iter().flat_map(|unit| &unit.components) {
        let code = component.metadata.code.as_ref().filter(|code| code.supply != CodeOrigin::Fetched);
        let Some(code) = code.filter(|_| component.metadata.is_deployed()) else { continue };
        let address = component.address();
        if filter(&address) {
            users.entry(&code.folder).or_default().push(address);
        }
    }
    users
}

/// The files that differ, by every folder around them.
fn changed_folders<'a>(differing: &'a [EntryPair<'_>]) -> BTreeMap<&'a str, Vec<&'a str>> {
    let mut folders: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for pair in differing {
        let mut rest = pair.path();
        while let Some((folder, _)) = rest.rsplit_once('/') {
            folders.entry(folder).or_default().push(pair.path());
            rest = folder;
        }
        folders.entry("").or_default().push(pair.path());
    }
    folders
}

/// Whether a file only documents the code in its folder.
fn is_document(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
    matches!(extension, "md" | "markdown" | "rst" | "adoc") || matches!(stem, "LICENSE" | "CODEOWNERS" | "NOTICE")
}

/// Which folders of code call which modules.
struct Callers<'a> {
    /// By module: the folders whose code calls it.
    direct: BTreeMap<String, BTreeSet<String>>,
    users: &'a Users<'a>,
}

impl<'a> Callers<'a> {
    /// Follows the calls of all code that is used, if a module may have changed.
    fn find(users: &'a Users<'a>, changed: &BTreeMap<&str, Vec<&str>>, modules: &[&Modules<'_>]) -> Self {
        let mut callers = Callers { direct: BTreeMap::new(), users };
        if !changed.keys().any(|folder| modules.iter().any(|m| m.has_code(folder))) {
            return callers;
        }
        let mut known: BTreeSet<String> = users.keys().map(|folder| (*folder).to_owned()).collect();
        let mut pending: Vec<String> = known.iter().cloned().collect();
        while let Some(folder) = pending.pop() {
            for called in modules.iter().flat_map(|m| m.local_calls(&folder)) {
                callers.direct.entry(called.clone()).or_default().insert(folder.clone());
                if known.insert(called.clone()) {
                    pending.push(called);
                }
            }
        }
        callers
    }

    fn is_module(&self, folder: &str) -> bool {
        self.direct.contains_key(folder)
    }

    /// Returns the used folders whose code calls a module, directly or through other modules.
    fn all<'s>(&'s self, module: &'s str) -> BTreeSet<&'s str> {
        let mut seen: BTreeSet<&'s str> = BTreeSet::new();
        let mut pending: Vec<&'s str> = vec![module];
        while let Some(folder) = pending.pop() {
            let direct = self.direct.get(folder).into_iter().flatten();
            pending.extend(direct.map(String::as_str).filter(|caller| seen.insert(caller)));
        }
        seen.retain(|folder| self.users.contains_key(folder));
        seen
    }
}

#[cfg(test)]
mod tests;
