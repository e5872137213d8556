//! The names under which Atmos lists changed files (`reference: atmos.md` section 15): those that go-git prints as the
//! statistics of a patch from the head to the base.

use super::renames::{self, Renamed};
use crate::source::{Entry, EntryKind, EntryPair, Source};
use std::collections::{BTreeMap, HashSet};

/// Bytes of a file that are searched for a NUL, which makes it a binary file.
const SNIFFED: usize = 8_000;

/// Why a changed file is not listed, or not under its own name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Unnoticed {
    /// It is not text.
    Binary,
    /// It has no content on either side.
    Empty,
    /// It is known by the path of the head that its content has moved to.
    MovedTo(String),
    /// It is not a regular file.
    NoFile,
}

/// The files that differ.
#[derive(Debug, Default)]
pub(super) struct ChangedFiles {
    /// The names, sorted; of a renamed file `HEAD => BASE`.
    pub(super) names: Vec<String>,
    /// The changed paths that are not listed.
    pub(super) unnoticed: BTreeMap<String, Unnoticed>,
}

impl ChangedFiles {
    /// The files among `differing` (from base to head).
    pub(super) fn of(differing: &[EntryPair<'_>], base: &dyn Source, head: &dyn Source) -> Self {
        let mut found = ChangedFiles::default();
        let files: Vec<EntryPair<'_>> = differing.iter().map(|pair| regular(*pair)).collect();
        let (mut gone, mut new) = (Vec::new(), Vec::new());
        for (pair, whole) in files.iter().zip(differing) {
            match (pair.before, pair.after) {
                (Some(before), Some(after)) => {
                    found.note(pair.path(), pair.path().to_owned(), content(base, before), content(head, after));
                }
                // From head to base a file that is new in the head is deleted.
                (Some(before), None) => new.push(before),
                (None, Some(after)) => gone.push(after),
                (None, None) => drop(found.unnoticed.insert(whole.path().to_owned(), Unnoticed::NoFile)),
            }
        }
        let renamed = renames::find(&gone, &new, head, base);
        let taken: HashSet<&str> = renamed.iter().flat_map(|r| [&*r.from.path, &*r.to.path]).collect();
        for Renamed { from, to } in &renamed {
            let name = format!("{} => {}", from.path, to.path);
            found.note(&from.path, name, content(base, to), content(head, from));
            found.unnoticed.insert(to.path.to_string(), Unnoticed::MovedTo(from.path.to_string()));
        }
        for (side, entries) in [(head, &gone), (base, &new)] {
            for entry in entries.iter().filter(|e| !taken.contains(&*e.path)) {
                found.note(&entry.path, entry.path.to_string(), content(side, entry), Content::Empty);
            }
        }
        found.names.sort();
        found
    }

    fn note(&mut self, path: &str, name: String, a: Content, b: Content) {
        let why = match (a, b) {
            (Content::Binary, _) | (_, Content::Binary) => Unnoticed::Binary,
            (Content::Empty, Content::Empty) => Unnoticed::Empty,
            _ => return self.names.push(name),
        };
        self.unnoticed.insert(path.to_owned(), why);
    }
}

/// Skips submodules, which are not files.
fn regular<'a>(pair: EntryPair<'a>) -> EntryPair<'a> {
    let file = |entry: Option<&'a Entry>| entry.filter(|e| e.kind != EntryKind::Submodule);
    EntryPair { before: file(pair.before), after: file(pair.after) }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Content {
    Text,
    Binary,
    Empty,
}

fn content(source: &dyn Source, entry: &Entry) -> Content {
    match source.read(entry) {
        Ok(bytes) if bytes.is_empty() => Content::Empty,
        Ok(bytes) if bytes[..bytes.len().min(SNIFFED)].contains(&0) => Content::Binary,
        // A file that is too large to be read counts as text, so it is listed.
        _ => Content::Text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::{Memory, differences};

    fn found(base: &[(&str, &[u8])], head: &[(&str, &[u8])]) -> (Vec<String>, Vec<(String, Unnoticed)>) {
        let memory = |name: &str, files: &[(&str, &[u8])]| {
            Memory::new(name, files.iter().map(|(path, bytes)| ((*path).to_owned(), bytes.to_vec())).collect())
        };
        let (base, head) = (memory("base", base), memory("head", head));
        let changed = ChangedFiles::of(&differences(base.listing(), head.listing()), &base, &head);
        (changed.names, changed.unnoticed.into_iter().collect())
    }

    #[test]
    fn binary_and_empty_files_have_no_name() {
        let base: &[(&str, &[u8])] = &[("b", b"a\0b"), ("filled", b""), ("text", b"1\n")];
        let head: &[(&str, &[u8])] = &[("b", b"a\0c"), ("filled", b"now\n"), ("text", b"2\n"), (".gitkeep", b"")];
        let (names, unnoticed) = found(base, head);
        assert_eq!(names, ["filled", "text"]);
        assert_eq!(unnoticed, [(".gitkeep".to_owned(), Unnoticed::Empty), ("b".to_owned(), Unnoticed::Binary)]);
    }

    #[test]
    fn what_moves_is_known_by_where_it_is() {
        let text = b"variable \"a\" {}\nvariable \"b\" {}\nvariable \"c\" {}\noutput \"d\" {}\n";
        let (names, unnoticed) = found(&[("a/main.tf", text)], &[("b/main.tf", text)]);
        assert_eq!(names, ["b/main.tf => a/main.tf"]);
        assert_eq!(unnoticed, [("a/main.tf".to_owned(), Unnoticed::MovedTo("b/main.tf".to_owned()))]);
        let edited = [&text[..], b"# more\n"].concat();
        assert_eq!(found(&[("a/main.tf", text)], &[("b/main.tf", &edited)]).0, ["b/main.tf => a/main.tf"]);
        let (names, _) = found(&[("a/main.tf", text)], &[("b/main.tf", b"something else\nentirely\n")]);
        assert_eq!(names, ["a/main.tf", "b/main.tf"]);
    }
}
