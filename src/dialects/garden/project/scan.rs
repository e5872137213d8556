//! Which files of a project are read for configuration.

use super::config::ProjectConfig;
use super::discover::is_config_name;
use super::ignore::Ignores;
use super::load::Loader;
use crate::diagnostic::Diagnostic;
use crate::diagnostic::rules::INCOMPLETE_ANALYSIS;
use crate::dialects::garden::diagnostics::Diagnostics;
use crate::dialects::garden::template::node::Node;
use crate::paths::{join, name, seen_from};
use crate::source::{Entry, EntryKind, glob};

/// Folders that are never looked into.
const NEVER: [&str; 2] = [".git", ".garden"];

/// The configuration files of a project, sorted by path.
pub(crate) fn files(loader: &Loader<'_>, config: &ProjectConfig, diagnostics: &Diagnostics) -> Vec<String> {
    let dir = config.dir.as_str();
    let entries = ["garden.yml", "garden.yaml"].map(|ending| loader.reader.below(dir, ending));
    let ignores = Ignores::read(loader, config, diagnostics);
    let (include, exclude) = (patterns(config, "include"), patterns(config, "exclude").unwrap_or_default());
    let mut found = Vec::new();
    for entry in entries.into_iter().flatten() {
        let (path, name) = (seen_from(dir, &entry.path), name(&entry.path));
        if !is_config_name(name) || is_never_scanned(path) {
            continue;
        }
        let is_included = include.as_ref().is_none_or(|all| all.iter().any(|pattern| includes(pattern, path)));
        let is_excluded = exclude.iter().any(|pattern| matches(pattern, path));
        if is_included && !is_excluded && !ignores.leave_out(&entry.path) {
            found.push(entry.path.to_string());
        }
    }
    found.sort();
    found
}

/// Whether there may be more of them: a submodule that is scanned, too, is not in this clone, which is reported.
pub(crate) fn may_lack(loader: &Loader<'_>, config: &ProjectConfig, diagnostics: &Diagnostics) -> bool {
    let listing = loader.reader.source().listing();
    let lacks = |entry: &&Entry| entry.kind == EntryKind::Submodule && listing.under(&entry.path).is_empty();
    let mut submodules = listing.under(&config.dir).iter().filter(lacks).peekable();
    if submodules.peek().is_none() {
        return false;
    }
    let ignores = Ignores::read(loader, config, diagnostics);
    let exclude = patterns(config, "exclude").unwrap_or_default();
    let is_excluded = |path: &str| {
        let path = seen_from(&config.dir, path);
        exclude.iter().any(|pattern| matches(pattern, path) || matches(pattern, &join(path, "garden.yml")))
    };
    let scanned: Vec<&str> =
        submodules.map(|entry| &*entry.path).filter(|path| !is_excluded(path) && !ignores.leave_out(path)).collect();
    for path in &scanned {
        let message = format!(
            "the submodule {path} is not in this clone, so the actions, modules and templates in it are not known"
        );
        diagnostics.report(Diagnostic::new(&INCOMPLETE_ANALYSIS, message, diagnostics.label(&config.tree.prov)));
    }
    !scanned.is_empty()
}

/// The patterns of a list of `scan`, if there is one.
fn patterns(config: &ProjectConfig, key: &str) -> Option<Vec<String>> {
    config.tree.get("scan").and_then(|scan| scan.get(key)).map(texts)
}

/// Whether a path leads through a folder that is never looked into.
pub(crate) fn is_never_scanned(path: &str) -> bool {
    path.split('/').rev().skip(1).any(|part| NEVER.contains(&part) || part.starts_with("debug-info"))
}

/// The texts of a list.
fn texts(node: &Node) -> Vec<String> {
    let items = node.as_list().map(|items| items.as_slice()).unwrap_or_default();
    items.iter().filter_map(|item| item.as_text().map(|text| text.to_string())).collect()
}

fn matches(pattern: &str, path: &str) -> bool {
    let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
    glob::path_match(pattern, path).unwrap_or(false)
}

/// Whether an entry of `scan.include` means a path. A folder means all in it; `*` or `**` as the last segment mean
/// configuration files directly in the folder before it.
fn includes(pattern: &str, path: &str) -> bool {
    let pattern = pattern.strip_prefix("./").unwrap_or(pattern).trim_end_matches('/');
    let (folder, last) = pattern.rsplit_once('/').unwrap_or(("", pattern));
    if matches!(last, "*" | "**") {
        return matches(&join(folder, "*"), path);
    }
    matches(pattern, path) || matches(&format!("{pattern}/**/*"), path)
}
