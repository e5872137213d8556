//! The source files of an action: files in its folder that it includes, does not exclude and no ignore file excludes.

use super::prepare::Prepared;
use super::sources::ActionSource;
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
    /// Those of an action; `None` if its sources are in another repository or outside of this one. Where something of it is not
    /// known, whatever it may be counts: any file if the folder is not known.
    pub(super) fn of(action: &Prepared) -> Option<Self> {
        let field = |key: &str| action.builtin.get(key).filter(|value| !is_nothing(value));
        let source = field("source");
        let config = Text::clone(&action.source.path);
        if source.and_then(|source| source.get("repository")).is_some_and(|value| !is_nothing(value)) {
            return None;
        }
        let path = source.and_then(|source| source.get("path")).filter(|value| !is_nothing(value));
        let dir = match path.map(Node::as_text) {
            Some(Some(path)) => Some(resolve(action.source.dir(), path)?),
            Some(None) => None,
            None if source.is_some_and(|source| !matches!(source.data, Data::Map(_))) => None,
            None => Some(action.source.dir().to_owned()),
        };
        let (include, exclude) = (field("include").map_or(Some(Vec::new()), texts), field("exclude"));
        let (has_include, exclude) = (field("include").is_some(), exclude.map(known_texts).unwrap_or_default());
        // An action that only deploys, runs or tests a build has no sources of its own.
        let uses_build = action.source.kind != ActionKind::Build && field("build").and_then(Node::as_text).is_some();
        let is_of_build = uses_build && !has_include && field("exclude").is_none();
        let has_none = is_of_build
            || exclude.iter().any(|pattern| pattern == "**/*")
            || has_include && include.as_ref().is_some_and(Vec::is_empty);
        Some(match (has_none, dir) {
            (true, dir) => {
                let dir = dir.unwrap_or_else(|| action.source.dir().to_owned());
                ActionFiles { dir, include: Some(Vec::new()), exclude, config }
            }
            // Patterns count from the folder.
            (false, None) => ActionFiles { dir: String::new(), include: None, exclude: Vec::new(), config },
            (false, Some(dir)) => ActionFiles { dir, include: include.filter(|_| has_include), exclude, config },
        })
    }

    /// Those of a module with evaluated fields; `None` if they are in another repository.
    pub(super) fn of_module(source: &ActionSource, fields: &Node) -> Option<Self> {
        let field = |key: &str| fields.get(key).filter(|value| !is_nothing(value));
        if field("repositoryUrl").is_some() {
            return None;
        }
        let exclude = field("exclude").map(known_texts).unwrap_or_default();
        // Patterns that are not known may mean any file.
        let include = field("include").and_then(texts);
        let (dir, config) = (source.dir().to_owned(), Text::clone(&source.path));
        Some(ActionFiles { dir, include, exclude, config })
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

/// Whether nothing is written there.
fn is_nothing(value: &Node) -> bool {
    matches!(value.data, Data::Null | Data::Undefined)
}

/// The texts of a list; `None` if one of them is not known.
fn texts(list: &Node) -> Option<Vec<String>> {
    let Data::List(items) = &list.data else { return None };
    items.iter().map(|item| Some(item.as_text()?.to_string())).collect()
}

/// The texts of a list that are known.
fn known_texts(list: &Node) -> Vec<String> {
    let Data::List(items) = &list.data else { return Vec::new() };
    items.iter().filter_map(|item| Some(item.as_text()?.to_string())).collect()
}
