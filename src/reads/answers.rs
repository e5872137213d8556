//! What a revision answers to the questions of earlier reads.

use super::{Answer, Listed, Reads};
use crate::source::Source;
use crate::text::{FastMap, Text};
use parking_lot::Mutex;
use std::collections::BTreeMap;

/// The answers of one revision, each found once: many results were made from the same files.
pub(crate) struct Answers<'a> {
    source: &'a dyn Source,
    files: Mutex<FastMap<Text, Answer>>,
    listings: Mutex<FastMap<Listed, u64>>,
}

impl<'a> Answers<'a> {
    /// Creates the answers of a revision.
    pub(crate) fn new(source: &'a dyn Source) -> Self {
        Answers { source, files: Mutex::default(), listings: Mutex::default() }
    }

    /// Whether all answers are the same as when something was read: a result that was made from that is the same in this revision.
    pub(crate) fn has(&self, reads: &Reads) -> bool {
        let mut known = self.files.lock();
        let is_same = |(path, answer): (&Text, &Answer)| match known.get(path) {
            Some(known) => known == answer,
            None => {
                let found = Answer::of(self.source.listing(), path);
                let is_same = found == *answer;
                known.insert(Text::clone(path), found);
                is_same
            }
        };
        if !reads.files.iter().all(is_same) {
            return false;
        }
        drop(known);
        reads.listings.iter().all(|(listed, hash)| self.hash(listed) == *hash)
    }

    /// Returns the answers to questions about paths and about names.
    pub(crate) fn reads(
        &self,
        paths: impl IntoIterator<Item = Text>,
        listings: impl IntoIterator<Item = Listed>,
    ) -> Reads {
        let mut known = self.files.lock();
        let answer = |path: Text| {
            let answer = known.entry(Text::clone(&path)).or_insert_with(|| Answer::of(self.source.listing(), &path));
            (path, answer.clone())
        };
        let files: BTreeMap<Text, Answer> = paths.into_iter().map(answer).collect();
        drop(known);
        let listings = listings.into_iter().map(|listed| (listed.clone(), self.hash(&listed))).collect();
        Reads { files, listings }
    }

    /// Returns a hash of the answer to a question about names.
    fn hash(&self, listed: &Listed) -> u64 {
        if let Some(known) = self.listings.lock().get(listed) {
            return *known;
        }
        let found = listed.hash_in(self.source.listing());
        self.listings.lock().insert(listed.clone(), found);
        found
    }
}
