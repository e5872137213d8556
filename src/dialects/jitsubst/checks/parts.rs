//! Where in a file a reference of a text is written.

use crate::diagnostic::{Label, value_label};
use crate::dialects::jitsubst::expand::{Piece, pieces};
use crate::dialects::jitsubst::reference::references;
use crate::files::Files;
use crate::value::{FileId, Prov};
use std::collections::HashMap;

/// The places of the references of one text after the other. A text is searched once for all of them.
pub(super) struct Parts<'a> {
    files: &'a Files,
    last: Option<Last>,
}

/// The references of the text that was searched last.
struct Last {
    whole: Label,
    /// The offsets in the text by what is written there.
    places: HashMap<String, Vec<usize>>,
}

impl<'a> Parts<'a> {
    pub(super) fn of(files: &'a Files) -> Self {
        Parts { files, last: None }
    }

    /// The place of the reference that is `written` in a string and has `nth` equal ones before it. The whole string, where
    /// escapes or folding hide it.
    pub(super) fn place(&mut self, (site, file): (&Prov, FileId), written: &str, nth: usize) -> Label {
        let whole = value_label(site, file, "");
        if self.last.as_ref().is_none_or(|l| l.whole != whole) {
            let places = self.places(&whole);
            self.last = Some(Last { whole: whole.clone(), places });
        }
        let places = self.last.as_ref().and_then(|l| l.places.get(written));
        match places.and_then(|p| p.get(nth)) {
            Some(at) => {
                let start = whole.start + *at as u32;
                Label::new(whole.file, start, start + written.len() as u32, "")
            }
            None => whole,
        }
    }

    fn places(&self, whole: &Label) -> HashMap<String, Vec<usize>> {
        let file = self.files.get(whole.file);
        let raw = file.text.get(whole.start as usize..whole.end as usize).unwrap_or_default();
        let mut places: HashMap<String, Vec<usize>> = HashMap::new();
        let in_braces = references(raw).map(|r| (&raw[r.start..r.end], r.start));
        let without = pieces(raw).into_iter().filter_map(|piece| match piece {
            Piece::Variable { written, start, .. } if !written.starts_with("${") => Some((written, start)),
            _ => None,
        });
        for (written, start) in in_braces.chain(without) {
            match places.get_mut(written) {
                Some(places) => places.push(start),
                None => drop(places.insert(written.to_owned(), vec![start])),
            }
        }
        places
    }
}
