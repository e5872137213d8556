//! The source files of an action: files in its folder that it includes, does not exclude and no ignore file excludes.

use super::prepare::Prepared;
use crate::dialects::garden::project::{ActionKind, Ignores, is_never_scanned};
use crate::dialects::garden::template::node::{Data, Node};
use crate::paths::{join, resolve, seen_from};
use crate::source::glob;
use crate::text::Text;

/// Which files are the sources of an action (`reference`: sections 2 and 3).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ActionFiles {
    /// Their folder, from the root of the repository.
    pub dir: String,
    /// Patterns relative to the folder, one of which must match; `None` for all files.
    include: Option<Vec<String>>,
    /// Patterns that must not match.
    exclude: Vec<String>,
    /// The file that configures the action, which is not a source.
    config: Text,
}

impl ActionFiles {
    /// Those of an action; `None` if its sources are in another repository, outside of this one or not known.
    pub(super) fn of(action: &Prepared) -> Option<Self> {
        let field = |key: &str| action.builtin.get(key);
        let source = field("source");
        if source.and_then(|source| source.get("repository")).is_some() {
            return None;
        }
        let dir = match source.and_then(|source| source.get("path")) {
            Some(path) => resolve(action.source.dir(), path.as_text()?)?,
            None => action.source.dir().to_owned(),
        };
        let (include, exclude) = (texts(field("include"))?, texts(field("exclude"))?.unwrap_or_default());
        // An action that only deploys, runs or tests a build has no sources of its own.
        let uses_build = action.source.kind != ActionKind::Build && field("build").is_some();
        let has_none =
            exclude.iter().any(|pattern| pattern == "**/*") || uses_build && include.is_none() && exclude.is_empty();
        let include = if has_none { Some(Vec::new()) } else { include };
        Some(ActionFiles { dir, include, exclude, config: Text::clone(&action.source.path) })
    }

    /// Whether a file (a path from the root of the repository) is one of them, under the ignore files of a project.
    pub(crate) fn contains(&self, path: &str, ignores: &Ignores) -> bool {
        let is_below = self.dir.is_empty() || path.strip_prefix(&self.dir).is_some_and(|rest| rest.starts_with('/'));
        if !is_below || *path == *self.config || is_never_scanned(path) {
            return false;
        }
        let inside = seen_from(&self.dir, path);
        // A plain name of a folder excludes nothing.
        let is_excluded = self.exclude.iter().any(|pattern| glob::path_match(bare(pattern), inside).unwrap_or(false));
        self.include.as_ref().is_none_or(|all| all.iter().any(|pattern| includes(pattern, inside)))
            && !is_excluded
            && !ignores.leave_out(path)
    }
}

fn bare(pattern: &str) -> &str {
    pattern.strip_prefix("./").unwrap_or(pattern)
}

/// Whether a pattern includes a file: by its path, or by that of a folder around it.
fn includes(pattern: &str, path: &str) -> bool {
    let pattern = bare(pattern).trim_end_matches('/');
    glob::path_match(pattern, path).unwrap_or(false) || glob::path_match(&join(pattern, "**/*"), path).unwrap_or(false)
}

/// The texts of a list, if there is one; nothing if it is not known.
fn texts(list: Option<&Node>) -> Option<Option<Vec<String>>> {
    let Some(list) = list else { return Some(None) };
    match &list.data {
        Data::List(items) => {
            items.iter().map(|item| Some(item.as_text()?.to_string())).collect::<Option<_>>().map(Some)
        }
        Data::Null | Data::Undefined => Some(None),
        _ => None,
    }
}
