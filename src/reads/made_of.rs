//! What unknown values are made of: values, files and folders with their contents, as two revisions compare them.

use crate::paths;
use crate::source::{BlobId, Node, ResolveError, Source};
use crate::text::Text;
use crate::value::{Data, Read, Value};
use std::collections::BTreeSet;

/// How many files of a folder are compared one by one. A bigger folder is compared as a whole.
pub(super) const MAX_FILES: usize = 500;

/// A value that is read under a name.
pub(crate) fn value(name: impl Into<Text>, value: &Value) -> Read {
    Read { name: name.into(), content: Some(BlobId::of(&bytes(value)).to_string().into()) }
}

/// All that a value is made of: its JSON, and the texts and inputs of its unknown parts. Equal values have equal bytes.
pub(crate) fn bytes(value: &Value) -> Vec<u8> {
    let mut bytes = serde_json::to_vec(value).unwrap_or_default();
    unknown_parts(value, &mut bytes);
    bytes
}

/// Appends what the unknown parts of a value are made of, which its JSON does not show.
fn unknown_parts(value: &Value, out: &mut Vec<u8>) {
    match &value.data {
        Data::Unknown(unknown) => {
            out.extend(unknown.meaning().as_bytes());
            for read in &unknown.reads {
                out.extend(read.name.as_bytes());
                out.extend(read.content.as_deref().unwrap_or_default().as_bytes());
            }
        }
        Data::List(items) => items.iter().for_each(|item| unknown_parts(item, out)),
        Data::Map(map) => map.iter().for_each(|entry| unknown_parts(&entry.value, out)),
        _ => {}
    }
}

/// A text that is read under a name.
pub(crate) fn text(name: impl Into<Text>, text: &str) -> Read {
    Read { name: name.into(), content: Some(BlobId::of(text.as_bytes()).to_string().into()) }
}

/// Many reads as one, under a name of its own.
pub(crate) fn all(name: &str, mut reads: Vec<Read>) -> Read {
    reads.sort();
    let lines = reads.iter().map(|read| format!("{} {}", read.name, read.content.as_deref().unwrap_or_default()));
    text(name, &lines.collect::<Vec<_>>().join("\n"))
}

/// What is at a path from the root of the repository, links followed: a file, all files below a folder, or nothing.
pub(crate) fn path(source: &dyn Source, path: &str) -> Vec<Read> {
    let read = |content: String| vec![Read { name: path.into(), content: Some(content.into()) }];
    match source.listing().lookup(path) {
        Ok(Node::File(entry)) => read(entry.id.to_string()),
        Ok(Node::Dir(dir)) => matching(source, path, &|path| paths::relative(path, &dir).is_some()),
        Err(ResolveError::Unavailable(why)) => read(format!("unavailable: {why}")),
        Err(_) => read("absent".to_owned()),
    }
}

/// All files below a folder or with names that are made of a computed part, as `matches` says; `name` is that of the whole.
pub(crate) fn matching(source: &dyn Source, name: &str, matches: &dyn Fn(&str) -> bool) -> Vec<Read> {
    let entries: Vec<_> = source.listing().iter().filter(|entry| matches(&entry.path)).collect();
    if entries.len() <= MAX_FILES {
        let one = |path: &str, id: BlobId| Read { name: path.into(), content: Some(id.to_string().into()) };
        return entries.iter().map(|entry| one(&entry.path, entry.id)).collect();
    }
    let lines: Vec<String> = entries.iter().map(|entry| format!("{} {}", entry.path, entry.id)).collect();
    vec![text(name, &lines.join("\n"))]
}

/// Everything in a revision, for what may read any file.
pub(crate) fn anything(source: &dyn Source) -> Read {
    let entries = source.listing().iter();
    let lines: Vec<String> = entries.map(|entry| format!("{} {}", entry.path, entry.id)).collect();
    text("some file of the repository", &lines.join("\n"))
}

/// The words of a text that may name files: a command, an expression, a script. Of a path that begins with a variable or with
/// the output of a command (`$DIR/x`, `${DIR}/x`, `"$(dirname "$0")/x"`) it is the rest, which counts from some folder.
pub(crate) fn words(text: &str) -> BTreeSet<&str> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '+' | '@' | '~');
    let mut words = BTreeSet::new();
    let mut start = 0;
    for piece in text.split_inclusive(|c: char| !is_part(c)) {
        let word = piece.trim_end_matches(|c: char| !is_part(c));
        let before = &text[..start];
        start += piece.len();
        let is_rest = before.ends_with([')', '}']) || before.ends_with(")\"") || before.ends_with("}\"");
        words.insert(word.trim_end_matches(['.', '/']));
        if before.ends_with('$')
            && let Some((_, rest)) = word.split_once('/')
        {
            words.insert(rest.trim_end_matches(['.', '/']));
        } else if is_rest && let Some(rest) = word.strip_prefix('/') {
            words.insert(rest.trim_end_matches(['.', '/']));
        }
    }
    words.retain(|word| word.chars().any(char::is_alphanumeric));
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Memory;
    use crate::value::Unknown;
    use std::sync::Arc;

    fn source(files: &[(&str, &str)]) -> Memory {
        Memory::new("memory", files.iter().map(|(p, t)| ((*p).to_owned(), t.as_bytes().to_vec())).collect())
    }

    #[test]
    fn contents_decide_what_is_the_same() {
        let (base, head) = (source(&[("a/x", "1"), ("a/y", "1")]), source(&[("a/x", "1"), ("a/y", "2")]));
        for (name, is_same) in [("a/x", true), ("a/y", false), ("a", false), ("b", true)] {
            assert_eq!(path(&base, name) == path(&head, name), is_same, "{name}");
        }
        assert_ne!(path(&base, "a/x"), path(&base, "b"));
        let unknown = |content: &str| {
            let mut unknown = Unknown::new("x", "a test");
            unknown.add_reads([text("f", content)]);
            Value::new(Data::Unknown(Arc::new(unknown)))
        };
        assert_eq!(value("v", &unknown("1")), value("v", &unknown("1")));
        assert_ne!(value("v", &Value::list(vec![unknown("1")])), value("v", &Value::list(vec![unknown("2")])));
    }

    #[test]
    fn words_that_may_be_paths() {
        let found: Vec<&str> =
            words("bash -c './scripts/a.sh --in=data/b.txt | jq .x' ; cat \"c d\".").into_iter().collect();
        assert_eq!(found, ["--in", "-c", "./scripts/a.sh", ".x", "bash", "c", "cat", "d", "data/b.txt", "jq"]);
        for text in
            ["$DIR/lib/x", "${DIR}/lib/x", "\"$(dirname \"$0\")/lib/x\"", "\"$(pwd)\"/lib/x", "\"${A:-b}\"/lib/x"]
        {
            assert!(words(text).contains("lib/x"), "{text}");
        }
        assert!(!words("cat /etc/x").contains("etc/x"));
    }
}
