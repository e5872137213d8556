//! JSON Pointers (RFC 6901).

/// Appends a key or an index.
pub(crate) fn push(path: &mut String, key: &str) {
    path.push('/');
    if !key.bytes().any(|byte| matches!(byte, b'~' | b'/')) {
        path.push_str(key);
        return;
    }
    for c in key.chars() {
        match c {
            '~' => path.push_str("~0"),
            '/' => path.push_str("~1"),
            c => path.push(c),
        }
    }
}

/// Returns the keys of a pointer, unescaped; none for the pointer to the whole document.
pub(crate) fn keys(path: &str) -> impl Iterator<Item = String> + '_ {
    path.split('/').skip(1).map(|key| key.replace("~1", "/").replace("~0", "~"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        let mut path = String::new();
        for key in ["a/b", "", "~1", "0"] {
            push(&mut path, key);
        }
        assert_eq!(path, "/a~1b//~01/0");
        assert_eq!(keys(&path).collect::<Vec<_>>(), ["a/b", "", "~1", "0"]);
        assert_eq!(keys("").count(), 0);
    }
}
