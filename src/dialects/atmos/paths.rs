//! Paths inside a repository: relative to its root, with `/`, the root itself being the empty path.

pub(crate) use crate::go::path::{clean, ext as extension, within as join};

/// The folder of a file; empty for a file at the root.
pub(crate) fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(dir, _)| dir)
}

/// The path below `base`, if it lies there.
pub(crate) fn relative<'a>(path: &'a str, base: &str) -> Option<&'a str> {
    if base.is_empty() {
        return Some(path);
    }
    path.strip_prefix(base)?.strip_prefix('/')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_below_folders() {
        assert_eq!(relative("stacks/a.yaml", "stacks"), Some("a.yaml"));
        assert_eq!(relative("stacks2/a.yaml", "stacks"), None);
    }
}
