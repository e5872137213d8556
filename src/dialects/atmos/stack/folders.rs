//! The folders of code, each found once for all components that share it.

use crate::dialects::atmos::config::Config;
use crate::dialects::atmos::paths;
use crate::text::{FastMap, Text};
use crate::threads::PerThread;

/// The folders of code of one revision.
#[derive(Default)]
pub(in crate::dialects::atmos) struct CodeFolders(PerThread<Known>);

/// What a thread has found, by the type of components, and by what their configuration says.
#[derive(Default)]
struct Known {
    paths: FastMap<(&'static str, Text, Text), Text>,
    folders: FastMap<(&'static str, Text), Option<CodeFolder>>,
}

/// A folder of code, as paths in the repository.
#[derive(Clone)]
pub(super) struct CodeFolder {
    pub(super) folder: Text,
    /// The folder of all code of the type.
    pub(super) root: Text,
}

impl CodeFolders {
    /// The path of a component's code as `component_info` prints it, given its `component_folder_prefix` and its `component`.
    pub(super) fn printed(&self, kind: &'static str, prefix: &Text, component: &Text, config: &Config) -> Text {
        let find = || {
            let separator = if prefix.is_empty() { "" } else { "/" };
            let base = config.component_path(kind);
            Text::from(paths::clean(&format!("{base}/{prefix}{separator}{component}")))
        };
        let known = self.0.with(|known| {
            let key = (kind, Text::clone(prefix), Text::clone(component));
            Text::clone(known.paths.entry(key).or_insert_with(find))
        });
        known.unwrap_or_else(find)
    }

    /// The folder of the code at a printed path; `None` if it is not known, or outside of the repository.
    pub(super) fn code(&self, kind: &'static str, path: &Text, config: &Config) -> Option<CodeFolder> {
        let find = || {
            let is_known = !path.contains("{{") && !path.contains("<no value>") && !path.starts_with('/');
            let folder = is_known.then(|| paths::join(&config.base, path)).flatten()?;
            let root = paths::join(&config.base, config.component_path(kind))?;
            Some(CodeFolder { folder: folder.into(), root: root.into() })
        };
        let known = self.0.with(|known| known.folders.entry((kind, Text::clone(path))).or_insert_with(find).clone());
        known.unwrap_or_else(find)
    }
}
