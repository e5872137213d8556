//! Reads the files of a revision within the limits, and records what was asked for and what answered.

mod answers;
mod cache;
pub(crate) mod made_of;
mod named;
mod pieces;
mod reader;
mod table;
mod unread;

pub(crate) use answers::Answers;
pub(crate) use cache::ParsedCache;
pub(crate) use named::{Named, NamedFiles};
pub(crate) use pieces::{PossibleFiles, Readable, may_be, pieces, unquoted};
pub(crate) use reader::{Reader, read};
pub(crate) use table::Table;
pub(crate) use unread::Unread;

use crate::paths;
use crate::source::{BlobId, Listing, ResolveError, glob};
use crate::text::Text;
use std::collections::BTreeMap;
use std::hash::{BuildHasher, Hash, Hasher, RandomState};
use std::sync::LazyLock;

/// Hashes the answers to questions about names. Its keys are chosen when the program starts, so that nobody can name files such
/// that two different answers have one hash.
static NAMES: LazyLock<RandomState> = LazyLock::new(RandomState::new);

/// All that a result was made from: a result of the same code with the same reads is the same.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Reads {
    /// The paths that were asked for, whether they exist or not. A file that a link leads to has its own path too.
    pub files: BTreeMap<Text, Answer>,
    /// The names that were asked for, with a hash of the answer.
    pub listings: BTreeMap<Listed, u64>,
}

/// What is at a path, links followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    File {
        /// Its path, links followed.
        path: Text,
        /// Its content.
        id: BlobId,
    },
    /// No file, for this reason: nothing is there, it is a folder, or the path cannot be followed.
    None(ResolveError),
}

/// A question about which files there are.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Listed {
    /// The names directly in a folder, with their kinds.
    Children(Text),
    /// The paths below a folder with names that end so.
    Below {
        folder: Text,
        /// The end of the name.
        ending: Text,
    },
    /// The files that match a pattern.
    Matching(Text),
    /// The symbolic links with their targets.
    Links,
    /// All files with their contents.
    Contents,
}

impl Answer {
    /// What is at a path of a revision.
    fn of(listing: &Listing, path: &str) -> Self {
        match listing.resolve(path) {
            Ok(entry) => Answer::File { path: Text::from(&*entry.path), id: entry.id },
            Err(error) => Answer::None(error),
        }
    }
}

impl Listed {
    /// A hash of the answer in a revision.
    fn hash_in(&self, listing: &Listing) -> u64 {
        let mut hasher = NAMES.build_hasher();
        match self {
            Listed::Children(folder) => {
                listing.children(folder).iter().for_each(|(name, kind)| (name, *kind as u8).hash(&mut hasher));
            }
            Listed::Below { folder, ending } if folder.is_empty() && ending.is_empty() => {
                listing.paths_hash().hash(&mut hasher);
            }
            Listed::Below { folder, ending } => {
                let below = listing.under(folder).iter().filter(|entry| entry.path.ends_with(&**ending));
                below.for_each(|entry| entry.path.hash(&mut hasher));
            }
            Listed::Matching(pattern) => match glob::expand(listing, pattern) {
                Ok(paths) => paths.hash(&mut hasher),
                Err(error) => error.to_string().hash(&mut hasher),
            },
            Listed::Links => listing.links_hash().hash(&mut hasher),
            Listed::Contents => listing.contents_hash().hash(&mut hasher),
        }
        hasher.finish()
    }
}

impl Reads {
    /// Adds other reads of the same revision.
    pub(crate) fn add(&mut self, other: &Reads) {
        self.files.extend(other.files.iter().map(|(path, answer)| (Text::clone(path), answer.clone())));
        self.listings.extend(other.listings.iter().map(|(listed, hash)| (listed.clone(), *hash)));
    }

    /// Whether a path was asked for.
    pub(crate) fn has(&self, path: &str) -> bool {
        self.files.contains_key(path)
    }

    /// Whether a change of a path may change an answer.
    pub(crate) fn concern(&self, path: &str) -> bool {
        let names = |listed: &Listed| match listed {
            Listed::Children(folder) => paths::parent(path) == &**folder,
            Listed::Below { folder, ending } => paths::relative(path, folder).is_some() && path.ends_with(&**ending),
            Listed::Matching(pattern) => glob::path_match(pattern, path).unwrap_or(true),
            Listed::Links => false,
            Listed::Contents => true,
        };
        self.has(path) || self.listings.keys().any(names)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::Files;
    use crate::limits::Limits;
    use crate::source::{Memory, Source};

    fn source(files: &[(&str, &str)]) -> Memory {
        Memory::new("memory", files.iter().map(|(p, t)| ((*p).to_owned(), t.as_bytes().to_vec())).collect())
    }

    #[test]
    fn reads_are_the_same_where_all_answers_are() {
        let before = [("a/x.yml", "1"), ("a/y.txt", "2"), ("b", "3")];
        let (base, files) = (source(&before), Files::default());
        let reader = Reader::new(&base, &files, Limits::default());
        assert!(reader.find("a/x.yml").unwrap().is_some());
        assert!(reader.find("gone").unwrap().is_none() && reader.find("a").unwrap().is_none());
        assert_eq!(reader.below("a", ".yml").len(), 1);
        let reads = reader.take();
        assert!(reads.has("gone") && !reads.has("b") && Answers::new(&base).has(&reads));
        assert_eq!(reader.take(), Reads::default());
        let with = |path: &'static str, text: &'static str| {
            let mut all = before.to_vec();
            all.retain(|(other, _)| *other != path);
            all.push((path, text));
            source(&all)
        };
        for (path, text) in [("b", "4"), ("c", ""), ("a/y.txt", "5"), ("a/z.txt", "")] {
            assert!(Answers::new(&with(path, text)).has(&reads), "{path} was not asked for");
        }
        for (path, text) in [("a/x.yml", "4"), ("gone", ""), ("gone/x", ""), ("a/d/z.yml", "")] {
            assert!(!Answers::new(&with(path, text)).has(&reads), "{path} was asked for");
            assert_eq!(reads.concern(path), path != "gone/x", "{path}");
        }
    }

    #[test]
    fn children_are_told_apart_by_name_and_kind() {
        let children = |files: &[(&str, &str)]| Listed::Children("a".into()).hash_in(source(files).listing());
        let one = children(&[("a/x", "1"), ("b", "")]);
        assert_eq!(one, children(&[("a/x", "2"), ("c", "")]));
        assert_ne!(one, children(&[("a/x/y", "1")]));
        assert_ne!(one, children(&[("a/y", "1")]));
    }
}
