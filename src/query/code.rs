//! Which components run the code of a folder: those that name it, and those whose code calls it as a module.

use crate::go::path::within;
use crate::resolution::{CodeOrigin, Component};
use crate::terraform::Modules;
use crate::text::Text;
use std::collections::{BTreeMap, BTreeSet};

/// The maximum number of folders that are followed from one component.
const MAX_FOLDERS: usize = 1_000;

/// Finds out which code reaches some folders; each folder is examined once.
pub(super) struct Callers<'a> {
    modules: &'a Modules<'a>,
    targets: BTreeSet<String>,
    known: BTreeMap<Text, bool>,
}

impl<'a> Callers<'a> {
    /// For the folder of a file.
    pub(super) fn of(modules: &'a Modules<'a>, file: &str) -> Self {
        let target = file.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
        Callers::of_folders(modules, BTreeSet::from([target]))
    }

    /// For some folders.
    pub(super) fn of_folders(modules: &'a Modules<'a>, targets: BTreeSet<String>) -> Self {
        Callers { modules, targets, known: BTreeMap::new() }
    }

    /// Whether a component runs code of the folder.
    pub(super) fn has(&mut self, component: &Component) -> bool {
        let Some(code) = component.metadata.code.as_ref().filter(|c| c.supply != CodeOrigin::Fetched) else {
            return false;
        };
        if let Some(known) = self.known.get(&code.folder) {
            return *known;
        }
        let found = self.leads_here(&code.folder);
        self.known.insert(Text::clone(&code.folder), found);
        found
    }

    fn leads_here(&self, folder: &str) -> bool {
        if self.targets.is_empty() {
            return false;
        }
        let mut seen = BTreeSet::from([folder.to_owned()]);
        let mut todo = vec![folder.to_owned()];
        while let Some(folder) = todo.pop() {
            if self.targets.contains(&folder) {
                return true;
            }
            let Some(module) = self.modules.get(&folder).filter(|_| seen.len() < MAX_FOLDERS) else { continue };
            for source in module.calls.values().filter_map(|call| call.source.as_deref()) {
                todo.extend(join(&folder, source).filter(|next| seen.insert(next.clone())));
            }
        }
        false
    }
}

/// Returns the folder of the source of a module call; `None` if it is not in the repository.
pub(super) fn join(folder: &str, source: &str) -> Option<String> {
    if !(source.starts_with("./") || source.starts_with("../") || source == "." || source == "..") {
        return None;
    }
    within(folder, source)
}

#[cfg(test)]
mod tests {
    use super::join;

    #[test]
    fn sources_of_calls() {
        for (source, expected) in [
            ("./x", Some("a/b/x")),
            ("../x//y/", Some("a/x/y")),
            ("../..", Some("")),
            ("../../..", None),
            ("x/y", None),
            ("git::https://example.com/x.git", None),
        ] {
            assert_eq!(join("a/b", source).as_deref(), expected, "{source}");
        }
    }
}
