//! Paths inside a repository: relative to its root, with `/`, the root itself being the empty path.

/// Joins and cleans as Go's `path.Join`; `None` if the result lies outside the repository. Absolute parts are taken as
/// relative, as Go's `Join` does.
pub(crate) fn join(base: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for part in base.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// Cleans a path as Go's `path.Clean`, which keeps leading `..` parts and the `.` of an empty path.
pub(crate) fn clean(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|p| *p != "..") => {
                parts.pop();
            }
            ".." if path.starts_with('/') => {}
            part => parts.push(part),
        }
    }
    let cleaned = parts.join("/");
    match (path.starts_with('/'), cleaned.is_empty()) {
        (true, _) => format!("/{cleaned}"),
        (false, true) => ".".to_owned(),
        (false, false) => cleaned,
    }
}

/// The folder of a file; empty for a file at the root.
pub(crate) fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(dir, _)| dir)
}

/// The extension as Go sees it: from the last dot of the last part, the dot included; empty without one.
pub(crate) fn extension(path: &str) -> &str {
    let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
    name.rfind('.').map_or("", |i| &name[i..])
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
    fn joins_like_go_but_stays_inside() {
        assert_eq!(join("stacks/orgs", "../catalog/./vpc").as_deref(), Some("stacks/catalog/vpc"));
        assert_eq!(join("", "/a//b/").as_deref(), Some("a/b"));
        assert_eq!(join("a", "../..").as_deref(), None);
        assert_eq!(clean("./components//terraform/"), "components/terraform");
        assert_eq!(clean("../x/../y"), "../y");
        assert_eq!(clean(""), ".");
        assert_eq!(extension("catalog/v1.2"), ".2");
        assert_eq!(extension("a.b/c"), "");
        assert_eq!(relative("stacks/a.yaml", "stacks"), Some("a.yaml"));
        assert_eq!(relative("stacks2/a.yaml", "stacks"), None);
    }
}
