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

/// Whether a path is fetched from elsewhere.
pub(super) fn is_remote(path: &str) -> bool {
    if path.contains("://") || path.contains("::") {
        return true;
    }
    let host = path.split('/').next().unwrap_or_default();
    let known = ["github.com", "gitlab.com", "bitbucket.org"];
    path.contains("//") && !path.starts_with('/') || path.starts_with("git@") || known.contains(&host)
}

/// A path without repeated runs of two or more segments, as Atmos cleans the paths of its configuration (its
/// `CleanDuplicatedPath`): `tests/tf/tests/tf/stacks` is `tests/tf/stacks`.
pub(super) fn without_repeats(path: String) -> String {
    let mut parts: Vec<&str> = path.split('/').collect();
    let repeat = |parts: &[&str]| {
        let runs = (2..=parts.len() / 2).flat_map(|n| (0..=parts.len() - 2 * n).map(move |start| (start, n)));
        let mut runs = runs.filter(|(start, n)| parts[*start..start + n] == parts[start + n..start + 2 * n]);
        runs.next()
    };
    let mut is_clean = true;
    while let Some((start, n)) = repeat(&parts) {
        parts.drain(start + n..start + 2 * n);
        is_clean = false;
    }
    if is_clean { path } else { parts.join("/") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remote_paths_are_distinguished() {
        for path in ["git::https://x/y", "https://x/y.yaml", "github.com/acme/stacks//catalog", "s3::https://b/k"] {
            assert!(is_remote(path), "{path}");
        }
        for path in ["catalog/vpc", "./x", "mixins/region/us-east-2.yaml"] {
            assert!(!is_remote(path), "{path}");
        }
    }

    #[test]
    fn repeated_runs_of_segments_are_dropped() {
        for (path, clean) in [
            ("tests/tf/tests/tf/stacks", "tests/tf/stacks"),
            ("a/b/a/b/a/b", "a/b"),
            ("x/a/b/c/a/b/c", "x/a/b/c"),
            ("infra/infra/stacks", "infra/infra/stacks"),
            ("a/b/c/a/b", "a/b/c/a/b"),
            ("", ""),
        ] {
            assert_eq!(without_repeats(path.to_owned()), clean, "{path}");
        }
    }
}
