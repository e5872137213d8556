//! Which components run the code of a folder: those that name it, and those whose code calls it as a module.

use crate::resolution::{CodeOrigin, Component};
use crate::terraform::Modules;
use crate::terraform::called_folder;
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
                todo.extend(called_folder(&folder, source).filter(|next| seen.insert(next.clone())));
            }
        }
        false
    }
}
