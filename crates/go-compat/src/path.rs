//! Slash-separated paths, as the packages `path` and `path/filepath` treat them.

/// `path.Clean`: the shortest path that means the same; `.` for nothing.
pub fn clean(path: &str) -> String {
    if is_clean(path) {
        return path.to_owned();
    }
    let rooted = path.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|p| *p != "..") => {
                parts.pop();
            }
            ".." if rooted => {}
            part => parts.push(part),
        }
    }
    match (rooted, parts.is_empty()) {
        (true, _) => format!("/{}", parts.join("/")),
        (false, true) => ".".into(),
        (false, false) => parts.join("/"),
    }
}

/// A path in a folder of a tree whose root is the empty path: both joined and cleaned; `None` if that leads out of the tree.
/// Absolute parts are taken as relative, as `path.Join` does.
pub fn within(folder: &str, path: &str) -> Option<String> {
    match folder {
        "" if is_clean(path) => return Some(path.to_owned()),
        _ if is_clean(folder) && is_clean(path) => return Some([folder, "/", path].concat()),
        _ => {}
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// Whether a path consists only of names, so that there is nothing to clean.
fn is_clean(path: &str) -> bool {
    // Whether a name begins with a point needs a closer look; few do.
    let mut before = b'/';
    for byte in path.bytes() {
        if before == b'/' && matches!(byte, b'/' | b'.') {
            return false;
        }
        before = byte;
    }
    before != b'/'
}

/// `path.Join`: the elements that are not empty, joined and cleaned.
pub fn join(parts: &[String]) -> String {
    let joined = parts.iter().filter(|p| !p.is_empty()).map(String::as_str).collect::<Vec<_>>().join("/");
    if joined.is_empty() { joined } else { clean(&joined) }
}

/// `path.Base`: the last element; `.` for nothing, `/` for slashes only.
pub fn base(path: &str) -> String {
    match path.trim_end_matches('/') {
        "" if path.is_empty() => ".".into(),
        "" => "/".into(),
        path => split(path).1.to_owned(),
    }
}

/// `path.Dir`: all but the last element, cleaned.
pub fn dir(path: &str) -> String {
    clean(split(path).0)
}

/// `path.Split`: the part up to the last slash, and the rest.
pub fn split(path: &str) -> (&str, &str) {
    path.split_at(path.rfind('/').map_or(0, |i| i + 1))
}

/// `path.Ext`: from the last point of the last element on, the point included.
pub fn ext(path: &str) -> &str {
    let name = split(path).1;
    name.rfind('.').map_or("", |i| &name[i..])
}

/// `filepath.Rel`.
pub fn relative(from: &str, to: &str) -> Result<String, String> {
    let (base, target) = (clean(from), clean(to));
    if base == target {
        return Ok(".".into());
    }
    let base = if base == "." { String::new() } else { base };
    let fail = || Err(format!("Rel: can't make {to} relative to {from}"));
    if base.starts_with('/') != target.starts_with('/') {
        return fail();
    }
    let split = |p: &str| -> Vec<String> { p.split('/').filter(|s| !s.is_empty()).map(str::to_owned).collect() };
    let (base, target) = (split(&base), split(&target));
    let target: Vec<String> = if target == ["."] { Vec::new() } else { target };
    let common = base.iter().zip(&target).take_while(|(a, b)| a == b).count();
    if base[common..].iter().any(|p| p == "..") {
        return fail();
    }
    let up = base.len() - common;
    let parts: Vec<&str> = std::iter::repeat_n("..", up).chain(target[common..].iter().map(String::as_str)).collect();
    Ok(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn paths() {
        assert_eq!(
            [base(""), base("/"), base("a/b/"), dir("x"), dir("/a/b"), dir("a/b/")],
            [".", "/", "b", ".", "/a", "a/b"]
        );
        assert_eq!([clean("a/../b/./c//d"), clean("../../x"), clean("/..")], ["b/c/d", "../../x", "/"]);
        assert_eq!([ext("a.b/c"), ext("a/b.tar.gz"), ext("catalog/v1.2")], ["", ".gz", ".2"]);
        assert_eq!(relative("/a/b", "/a/c/d"), Ok("../c/d".into()));
        assert_eq!(within("stacks/orgs", "../catalog/./vpc").as_deref(), Some("stacks/catalog/vpc"));
        assert_eq!(within("", "/a//b/").as_deref(), Some("a/b"));
        assert_eq!(within("a", "../..").as_deref(), None);
    }

    /// The rules of the documentation of `path.Clean`, applied one at a time until nothing changes.
    fn cleaned_by_rules(path: &str) -> String {
        let rooted = path.starts_with('/');
        let mut parts: Vec<&str> = path.split('/').filter(|p| !p.is_empty() && *p != ".").collect();
        while let Some(at) = (1..parts.len()).find(|i| parts[*i] == ".." && parts[i - 1] != "..") {
            parts.drain(at - 1..=at);
        }
        let up = if rooted { parts.iter().take_while(|p| **p == "..").count() } else { 0 };
        let rest = parts[up..].join("/");
        let text = if rooted { format!("/{rest}") } else { rest };
        if text.is_empty() { ".".to_owned() } else { text }
    }

    proptest! {
        #[test]
        fn paths_are_cleaned_by_the_rules(path in "([./ab]|\\.\\.|/\\.\\./){0,12}", folder in "[ab]{0,2}(/[ab])?") {
            prop_assert_eq!(clean(&path), cleaned_by_rules(&path));
            prop_assert_eq!(clean(&clean(&path)), clean(&path));
            // A path that leaves the tree and returns counts as leaving it.
            if let Some(found) = within(&folder, &path) {
                let all = clean(&format!("./{folder}/{path}"));
                prop_assert_eq!(if all == "." { "" } else { &all }, found);
            }
        }
    }
}
