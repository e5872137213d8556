//! Paths inside a repository: relative to its root, with `/`, the root itself being the empty path.

use crate::value::Key;

pub(super) use crate::go::path::{clean, ext as extension, within as join};

/// The folder of a file; empty for a file at the root.
pub(super) fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(dir, _)| dir)
}

/// Returns the path relative to `base`, if it is below it.
pub(super) fn relative<'a>(path: &'a str, base: &str) -> Option<&'a str> {
    if base.is_empty() {
        return Some(path);
    }
    path.strip_prefix(base)?.strip_prefix('/')
}

/// Returns the manifest key: the path relative to the folder of stacks without `.yaml` or `.yml`; `.tmpl` is kept.
pub(super) fn manifest_key(path: &str, stacks: &str) -> Key {
    let path = relative(path, stacks).unwrap_or(path);
    let path = path.strip_suffix(".yaml").unwrap_or(path);
    path.strip_suffix(".yml").unwrap_or(path).into()
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
