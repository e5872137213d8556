//! Paths into values as people type them.

use crate::diff::pointer;
use crate::value::{Data, Value};

/// The keys of a path: a JSON Pointer (`/vars/cidr`), or keys with dots between them (`vars.cidr`), where the longest key
/// that a value has counts, so that keys with dots in them can be typed as they are.
pub(crate) fn keys(path: &str, value: &Value) -> Vec<String> {
    if path.is_empty() || path.starts_with('/') {
        return pointer::keys(path).collect();
    }
    let parts: Vec<&str> = path.split('.').collect();
    let mut keys = Vec::new();
    let mut at = Some(value);
    let mut next = 0;
    while next < parts.len() {
        let longest = (next + 1..=parts.len()).rev().find(|end| step(at, &parts[next..*end].join(".")).is_some());
        let end = longest.unwrap_or(next + 1);
        let key = parts[next..end].join(".");
        at = step(at, &key);
        keys.push(key);
        next = end;
    }
    keys
}

/// The pointer that some keys make.
pub(crate) fn pointer(keys: &[String]) -> String {
    let mut path = String::new();
    keys.iter().for_each(|key| pointer::push(&mut path, key));
    path
}

fn step<'a>(value: Option<&'a Value>, key: &str) -> Option<&'a Value> {
    match &value?.data {
        Data::Map(map) => map.get(key),
        Data::List(items) => items.get(key.parse::<usize>().ok()?),
        _ => None,
    }
}

/// The value at a path with the values around it, the outermost first.
///
/// # Errors
/// There is none: a message with what may have been meant.
pub(crate) fn find<'a>(value: &'a Value, keys: &[String]) -> Result<Vec<&'a Value>, String> {
    let mut found = vec![value];
    for (depth, key) in keys.iter().enumerate() {
        let above = found[depth];
        match step(Some(above), key) {
            Some(value) => found.push(value),
            None => return Err(missing(above, &keys[..depth], key)),
        }
    }
    Ok(found)
}

/// Returns at most about `most` completions of a typed path, keys with dots between them or JSON Pointers. A single
/// match is returned with its children.
pub(crate) fn completions(value: &Value, typed: &str, most: usize) -> Vec<String> {
    let is_pointer = typed.starts_with('/');
    let mut found = Vec::new();
    let mut todo = vec![(String::new(), value)];
    while let Some((above, value)) = todo.pop() {
        each_inside(value, &mut |key, item| {
            let path = joined(&above, key, is_pointer);
            let goes_on = typed.strip_prefix(&*path).is_some_and(|rest| rest.starts_with(['.', '/']));
            if goes_on {
                todo.push((path, item));
            } else if path.starts_with(typed) && found.len() < most {
                found.push((path, item));
            }
        });
    }
    if let [(above, value)] = &found[..] {
        let (above, value) = (above.clone(), *value);
        each_inside(value, &mut |key, item| {
            if found.len() < most {
                found.push((joined(&above, key, is_pointer), item));
            }
        });
    }
    found.into_iter().map(|(path, _)| path).collect()
}

fn joined(above: &str, key: &str, is_pointer: bool) -> String {
    let mut path = above.to_owned();
    if is_pointer {
        pointer::push(&mut path, key);
    } else {
        path.push_str(if above.is_empty() { "" } else { "." });
        path.push_str(key);
    }
    path
}

fn each_inside<'a>(value: &'a Value, visit: &mut dyn FnMut(&str, &'a Value)) {
    match &value.data {
        Data::Map(map) => map.iter().for_each(|e| visit(&e.key, &e.value)),
        Data::List(items) => items.iter().enumerate().for_each(|(i, item)| visit(&i.to_string(), item)),
        _ => {}
    }
}

fn missing(above: &Value, around: &[String], key: &str) -> String {
    let place = if around.is_empty() { "the configuration".to_owned() } else { format!("`{}`", around.join(".")) };
    match &above.data {
        Data::Map(map) => match crate::text::nearest(key, map.keys().map(|k| &**k)) {
            Some(near) => format!("{place} has no key `{key}`; did you mean `{near}`?"),
            None => format!("{place} has no key `{key}`"),
        },
        Data::List(items) => format!("{place} is a list of {} items and has no item `{key}`", items.len()),
        _ => format!("{place} is {} and has no key `{key}`", above.a_kind()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Map;

    fn sample() -> Value {
        let map = |key: &str, value: Value| Value::map(Map::from_iter([(key.into(), value)]));
        map("vars", map("a.b", Value::list(vec![map("cidr", Value::str("x"))])))
    }

    #[test]
    fn dots_and_pointers() {
        let value = sample();
        for path in ["vars.a.b.0.cidr", "/vars/a.b/0/cidr"] {
            let keys = keys(path, &value);
            assert_eq!(pointer(&keys), "/vars/a.b/0/cidr");
            assert_eq!(find(&value, &keys).unwrap().last().unwrap().as_str(), Some("x"));
        }
        assert_eq!(keys("", &value).len(), 0);
    }

    #[test]
    fn what_is_typed_goes_on() {
        let value = sample();
        for (typed, expected) in [
            ("", &["vars", "vars.a.b"][..]),
            ("vars", &["vars", "vars.a.b"]),
            ("vars.", &["vars.a.b", "vars.a.b.0"]),
            ("vars.a.b.0.c", &["vars.a.b.0.cidr"]),
            ("/vars/a", &["/vars/a.b", "/vars/a.b/0"]),
            ("settings", &[]),
        ] {
            assert_eq!(completions(&value, typed, 10), expected, "{typed}");
        }
        assert_eq!(completions(&value, "", 1), ["vars"]);
    }

    #[test]
    fn what_is_not_there() {
        let value = sample();
        for (path, message) in [
            ("var", "the configuration has no key `var`; did you mean `vars`?"),
            ("vars.a.b.3", "`vars.a.b` is a list of 1 items and has no item `3`"),
            ("vars.a.b.0.cidr.x", "`vars.a.b.0.cidr` is a string and has no key `x`"),
        ] {
            assert_eq!(find(&value, &keys(path, &value)).unwrap_err(), message);
        }
    }
}
