//! Secrets in messages: functions quote what they reject, conditions what they judge.

use super::{MASK, texts_in};
use crate::files::File;
use aho_corasick::{AhoCorasick, MatchKind};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The fewest bytes of a secret that is searched for: shorter ones are parts of words.
const SHORTEST: usize = 4;

/// Masks what is written under secret names in some files, and further secrets, in messages.
pub(crate) fn hide_written<'m>(
    files: impl IntoIterator<Item = Arc<File>>,
    further: impl IntoIterator<Item = String>,
    messages: impl IntoIterator<Item = &'m mut String>,
) {
    let mut messages = messages.into_iter().peekable();
    if messages.peek().is_none() {
        return;
    }
    let mut texts: BTreeSet<String> = further.into_iter().collect();
    for file in files {
        texts.extend(texts_in(&file, 0..file.text.len() as u32).into_iter().map(str::to_owned));
    }
    texts.retain(|text| text.len() >= SHORTEST);
    let search = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(&texts);
    let Some(search) = search.ok().filter(|_| !texts.is_empty()) else { return };
    for message in messages.filter(|message| search.is_match(message.as_str())) {
        *message = search.replace_all(message, &vec![MASK; texts.len()]);
    }
}
