//! The structure of the source: which modules import which, and which words the core may hold.
#![allow(clippy::unwrap_used, reason = "a test may fail")]
#![allow(clippy::disallowed_methods, reason = "these tests read the source files")]

mod caches;
mod cycles;
mod imports;
mod promises;
mod stages;
mod words;

use std::path::{Path, PathBuf};

/// A file of `src/`, or of a crate of `crates/`, without its tests.
pub struct Source {
    /// Its path below the `src/` of its package, with `/`.
    pub path: String,
    /// Its text, up to the module of its tests.
    pub text: String,
}

impl Source {
    /// The top-level module that it belongs to; empty for `lib.rs` and `main.rs`.
    pub fn module(&self) -> &str {
        let first = self.path.split('/').next().unwrap_or_default();
        match first.trim_end_matches(".rs") {
            "lib" | "main" => "",
            name => name,
        }
    }
}

/// The production files of `src/`, sorted by path.
pub fn sources() -> Vec<Source> {
    below(&root().join("src"))
}

/// The production files of each package: those of `src/`, then those of the crates, each with where its `src/` is (`src`,
/// `crates/hcl/src`).
pub fn packages() -> Vec<(String, Vec<Source>)> {
    let mut packages = vec![("src".to_owned(), sources())];
    let folders = std::fs::read_dir(root().join("crates")).unwrap().map(|entry| entry.unwrap().path().join("src"));
    for folder in folders {
        let name = folder.strip_prefix(root()).unwrap().to_string_lossy().replace('\\', "/");
        packages.push((name, below(&folder)));
    }
    packages.sort_by(|a, b| (a.0 != "src", &a.0).cmp(&(b.0 != "src", &b.0)));
    assert!(packages.len() > 5 && packages.iter().all(|(_, sources)| !sources.is_empty()), "crates are found");
    packages
}

/// The production files below a folder, sorted by path.
fn below(root: &Path) -> Vec<Source> {
    let mut paths = Vec::new();
    collect(root, &mut paths);
    paths.sort();
    let source = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).unwrap();
        let below = path.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/");
        Source { path: below, text: production(&text).to_owned() }
    };
    paths.into_iter().map(source).filter(|s| !is_test(&s.path)).collect()
}

/// The root of the project.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn collect(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, into);
        } else if path.extension().is_some_and(|e| e == "rs") {
            into.push(path);
        }
    }
}

/// The text before the tests of a file.
fn production(text: &str) -> &str {
    let tests = text.match_indices("#[cfg(test)]").map(|(at, _)| at);
    let is_inline = |at: &usize| {
        let rest = text[*at..].trim_start_matches("#[cfg(test)]").trim_start();
        let rest = rest.split_once("mod tests").filter(|(before, _)| before.lines().all(|l| l.starts_with("#[")));
        rest.is_some_and(|(_, after)| after.trim_start().starts_with('{'))
    };
    tests.into_iter().find(is_inline).map_or(text, |at| &text[..at])
}

fn is_test(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default().trim_end_matches(".rs");
    path.split('/').any(|part| part == "tests")
        || ["tests", "fuzz", "fixture", "properties"].contains(&name)
        || name.ends_with("_tests")
}
