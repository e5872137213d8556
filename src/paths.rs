//! Paths inside a repository: relative to its root, with `/`, the root itself being the empty path.

pub(crate) use crate::go::path::within;

/// Stands for the absolute path of the repository, which no file of it holds.
pub(crate) const REPOSITORY: &str = "<repo>";

/// A name in a folder. The root may also be called `.`.
pub(crate) fn join(folder: &str, name: &str) -> String {
    match folder {
        "" | "." => name.to_owned(),
        folder => [folder, "/", name].concat(),
    }
}

/// The folder that a path is in; empty for a path at the root.
pub(crate) fn parent(path: &str) -> &str {
    last_slash(path).map_or("", |at| &path[..at])
}

/// The last part of a path.
pub(crate) fn name(path: &str) -> &str {
    last_slash(path).map_or(path, |at| &path[at + 1..])
}

/// Where the last name of a path is cut off. All paths of a repository are asked often, and names are short: bytes from the end.
fn last_slash(path: &str) -> Option<usize> {
    path.bytes().rposition(|byte| byte == b'/')
}

/// A path as it is written in a file of a folder; `None` if it is absolute or leads out of the repository.
pub(crate) fn resolve(folder: &str, path: &str) -> Option<String> {
    if path.starts_with('/') { None } else { within(folder, path) }
}

/// A path seen from a folder that it is below; `None` elsewhere.
pub(crate) fn relative<'a>(path: &'a str, folder: &str) -> Option<&'a str> {
    match folder {
        "" => Some(path),
        folder => path.strip_prefix(folder)?.strip_prefix('/'),
    }
}

/// A path seen from a folder that it is below; the path itself elsewhere.
pub(crate) fn seen_from<'a>(folder: &str, path: &'a str) -> &'a str {
    relative(path, folder).unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_a_repository() {
        assert_eq!([join("", "a"), join(".", "a"), join("a/b", "c")], ["a", "a", "a/b/c"]);
        assert_eq!([parent("a/b/c"), parent("a")], ["a/b", ""]);
        assert_eq!([name("a/b/c"), name("a"), name("a/")], ["c", "a", ""]);
        assert_eq!(resolve("a/b", "../c/./d").as_deref(), Some("a/c/d"));
        assert_eq!([resolve("a", "/b"), resolve("a", "../../b")], [None, None]);
        assert_eq!(relative("stacks/a.yaml", "stacks"), Some("a.yaml"));
        assert_eq!([relative("stacks2/a.yaml", "stacks"), relative("stacks", "stacks")], [None, None]);
        assert_eq!(relative("a/b", ""), Some("a/b"));
    }
}
