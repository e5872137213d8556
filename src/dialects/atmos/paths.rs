//! Paths inside a repository, and the keys of manifests.

use crate::value::Key;

pub(super) use crate::go::path::{clean, ext as extension};
pub(super) use crate::paths::{parent, relative, within as join};

/// Returns the manifest key: the path relative to the folder of stacks without `.yaml` or `.yml`; `.tmpl` is kept.
pub(super) fn manifest_key(path: &str, stacks: &str) -> Key {
    let path = relative(path, stacks).unwrap_or(path);
    let path = path.strip_suffix(".yaml").unwrap_or(path);
    path.strip_suffix(".yml").unwrap_or(path).into()
}
