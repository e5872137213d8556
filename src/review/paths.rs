//! The files that a report is limited to.

use super::Error;
use crate::query::reach::code_folders;
use crate::source::glob::Glob;
use crate::source::{Listing, Source};
use crate::text;
use std::collections::BTreeSet;

/// The maximum number of patterns: every file is checked against each of them.
const MAX_PATTERNS: usize = 64;
/// More paths than this are counted in a sentence.
const MAX_NAMES: usize = 3;

/// Paths from the root of the repository: of files, of folders with all that is in them, and patterns.
#[derive(Debug)]
pub(super) struct Paths {
    /// As given by the user, in that order.
    names: Vec<String>,
    plain: BTreeSet<String>,
    patterns: Vec<Glob>,
}

impl Paths {
    /// Reads the paths. The empty one is the root, with all files.
    ///
    /// # Errors
    /// One of them is no pattern, or there are too many patterns.
    pub(super) fn new(names: &[String]) -> Result<Self, Error> {
        let mut paths = Paths { names: names.to_vec(), plain: BTreeSet::new(), patterns: Vec::new() };
        for path in names {
            let path = path.trim_end_matches('/');
            paths.plain.insert(path.to_owned());
            if path.contains(['*', '?', '[', '{']) {
                let glob = Glob::new(path).map_err(|e| Error::Message(format!("`{path}` is not a path: {e}")))?;
                paths.patterns.push(glob);
            }
        }
        if paths.patterns.len() > MAX_PATTERNS {
            return Err(Error::Message(format!(
                "{} path patterns exceed the limit of {MAX_PATTERNS} for one run: name folders instead",
                paths.patterns.len()
            )));
        }
        Ok(paths)
    }

    /// Whether a file is one of them.
    pub(super) fn matches(&self, file: &str) -> bool {
        with_folders(file).any(|path| self.plain.contains(path)) || self.patterns.iter().any(|glob| glob.matches(file))
    }

    /// Makes sure that each of them names a file of one of some states.
    pub(super) fn find(&self, sources: &[&dyn Source]) -> Result<(), Error> {
        let paths = || sources.iter().flat_map(|source| files(source.listing()));
        let known: BTreeSet<&str> = paths().flat_map(with_folders).collect();
        let is_found = |names: &str| {
            let plain = names.trim_end_matches('/');
            let mut own = self.patterns.iter().filter(|glob| glob.as_str() == plain);
            known.contains(plain) || own.any(|glob| paths().any(|path| glob.matches(path)))
        };
        let Some(missing) = self.names.iter().find(|names| !is_found(names)) else {
            return Ok(());
        };
        let names: Vec<&str> = sources.iter().map(|source| source.name()).collect();
        let near = text::nearest(missing, paths());
        let hint = near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
        Err(Error::Message(format!("no file matches `{missing}` in {}{hint}", names.join(" or "))))
    }

    /// The folders of the selected files of a state that may be code.
    pub(super) fn code_folders(&self, source: &dyn Source) -> BTreeSet<String> {
        code_folders(files(source.listing()).filter(|path| self.matches(path)))
    }

    /// `a` reaches; `a`, `b` reach; `a`, `b`, `c`, 2 more reach.
    pub(super) fn description(&self) -> String {
        let mut names: Vec<String> = self.names.iter().take(MAX_NAMES).map(|name| shown(name)).collect();
        if self.names.len() > MAX_NAMES {
            names.push(format!("{} more", self.names.len() - MAX_NAMES));
        }
        format!("{} {}", names.join(", "), if self.names.len() == 1 { "reaches" } else { "reach" })
    }
}

/// A path, and its parent folders, up to the root.
pub(super) fn with_folders(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(path), |path| match path.rsplit_once('/') {
        Some((folder, _)) => Some(folder),
        None => (!path.is_empty()).then_some(""),
    })
}

fn shown(path: &str) -> String {
    if path.is_empty() { "the root".to_owned() } else { format!("`{path}`") }
}

/// The paths of all files of a state.
fn files(listing: &Listing) -> impl Iterator<Item = &str> {
    listing.iter().map(|entry| &*entry.path)
}

#[cfg(test)]
mod tests {
    use super::Paths;

    #[test]
    fn files_folders_and_patterns() {
        let paths = |names: &[&str]| Paths::new(&names.iter().map(|g| (*g).to_owned()).collect::<Vec<_>>()).unwrap();
        for (names, file, expected) in [
            ("a/b.yaml", "a/b.yaml", true),
            ("a/b.yaml", "a/b.yaml.bak", false),
            ("a", "a/b/c.yaml", true),
            ("a/", "a/b.yaml", true),
            ("a", "ab/c.yaml", false),
            ("", "a/b.yaml", true),
            ("a/*.yaml", "a/b.yaml", true),
            ("a/*.yaml", "a/b/c.yaml", false),
            ("**/c.yaml", "a/b/c.yaml", true),
            ("a[1].yaml", "a[1].yaml", true),
        ] {
            assert_eq!(paths(&[names]).matches(file), expected, "{names} {file}");
        }
        assert!(Paths::new(&["[".to_owned()]).is_err());
        assert!(Paths::new(&vec!["*".to_owned(); 65]).is_err());
        assert_eq!(paths(&["a", "b", "c", "d", "e"]).description(), "`a`, `b`, `c`, 2 more reach");
    }
}
