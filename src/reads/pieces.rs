//! Paths of files of which only some pieces are known.

use super::{Reader, made_of};
use crate::paths;
use crate::text::Text;
use crate::value::Read;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;

/// More files that a path may be are compared as one.
const MAX_FILES: usize = 100;

/// What paths may be that are not known, in one revision and by their texts: results share most of them.
#[derive(Default)]
pub(crate) struct PossibleFiles {
    known: Mutex<HashMap<(Text, Readable), Arc<Possible>>>,
}

/// Which files a function reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Readable {
    /// Any.
    All,
    /// Those with one of these endings, or with none.
    Ending(&'static [&'static str]),
    /// Those without these endings, if nothing of a path is known.
    Without(&'static [&'static str]),
}

/// What one of them may be.
struct Possible {
    reads: Vec<Read>,
    /// Whether the reads are files, each by its path.
    is_each: bool,
}

impl PossibleFiles {
    /// The files that the path of an expression may be, as a part of what a value is made of.
    pub(crate) fn reads(&self, reader: &Reader<'_>, text: &Text, readable: Readable) -> Vec<Read> {
        let key = (text.clone(), readable);
        let known = self.known.lock().get(&key).cloned();
        let possible = known.unwrap_or_else(|| {
            let found = Arc::new(Possible::of(reader, text, readable));
            self.known.lock().insert(key, Arc::clone(&found));
            found
        });
        match possible.is_each {
            true => reader.record(Some(&mut possible.reads.iter().map(|read| &*read.name))),
            false => reader.record(None),
        }
        possible.reads.clone()
    }
}

impl Possible {
    fn of(reader: &Reader<'_>, text: &str, readable: Readable) -> Self {
        let pieces = pieces(text);
        let is_readable = |path: &str| {
            let has_one_of = |ends: &[&str]| ends.iter().any(|end| path.ends_with(end));
            match readable {
                Readable::All => true,
                Readable::Ending(ends) => !paths::name(path).contains('.') || has_one_of(ends),
                Readable::Without(ends) => !pieces.iter().all(|piece| piece.is_empty()) || !has_one_of(ends),
            }
        };
        let entries = reader.source().listing().iter();
        let entries = entries.filter(|entry| is_readable(&entry.path) && may_be(&entry.path, &pieces));
        let each =
            entries.map(|entry| Read { name: Text::from(&*entry.path), content: Some(entry.id.to_string().into()) });
        let each: Vec<Read> = each.collect();
        match each.len() <= MAX_FILES {
            true => Possible { reads: each, is_each: true },
            false => Possible { reads: vec![made_of::all("some file of the repository", each)], is_each: false },
        }
    }
}

/// What is written out of a path in the text of an expression, from the start to the end: `"${local.a}/../vars/${local.b}.tfvars"`
/// has nothing at its start, `vars/`, and `.tfvars` at its end. Nothing is, if it is not one text with expressions in it.
pub(crate) fn pieces(text: &str) -> Vec<&str> {
    let (mut pieces, mut rest) = (Vec::new(), unquoted(text));
    while let Some((piece, inside)) = rest.split_once("${") {
        pieces.push(piece);
        let mut depth = 1;
        let end = inside.find(|c| {
            depth += i32::from(c == '{') - i32::from(c == '}');
            depth == 0
        });
        rest = end.map_or("", |end| &inside[end + 1..]);
    }
    pieces.push(rest);
    // A quote outside of the expressions is that of a text in a longer expression, as in `join("/", ["a", "${b}"])`.
    if pieces.len() == 1 || pieces.iter().any(|piece| piece.contains(['"', '\\', '%'])) {
        return Vec::new();
    }
    // What stands before `../`, `./` and `//` need not be in the path that is meant.
    let below = |piece: &'_ str| ["./", "//"].iter().filter_map(|part| Some(piece.rfind(part)? + part.len())).max();
    pieces.into_iter().map(|piece| piece[below(piece).unwrap_or(0)..].trim_start_matches('/')).collect()
}

/// A text without the quotes around it, if it has both.
pub(crate) fn unquoted(text: &str) -> &str {
    text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text)
}

/// Whether a path may be one of which some pieces are known, see [`pieces`].
pub(crate) fn may_be(path: &str, pieces: &[&str]) -> bool {
    let Some((last, before)) = pieces.split_last() else { return true };
    let mut rest = Some(path).filter(|path| path.ends_with(last));
    for piece in before {
        rest = rest.and_then(|rest| rest.find(piece).map(|at| &rest[at + piece.len()..]));
    }
    rest.is_some_and(|rest| rest.ends_with(last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_path_may_be() {
        let text = "\"${local.folder}/../vars/${get_env(\"A\", \"{}\")}.tfvars\"";
        assert_eq!(pieces(text), ["", "vars/", ".tfvars"]);
        for (path, expected) in
            [("vars/prod.tfvars", true), ("live/vars/a/b.tfvars", true), ("vars/a.json", false), ("prod.tfvars", false)]
        {
            assert_eq!(may_be(path, &pieces(text)), expected, "{path}");
        }
        assert_eq!(pieces("\"${a}/b/./c//vars/${d}\""), ["", "vars/", ""]);
        for any in ["local.files", "join(\"/\", [\"a\", \"${b}.txt\"])", "c ? \"${a}/b\" : \"d\"", "\"${f(\"}\")}/x\""]
        {
            assert!(may_be("a.tfvars", &pieces(any)), "{any}");
        }
    }
}
