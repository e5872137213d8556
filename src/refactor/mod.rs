//! Refactorings: edits of manifests that are meant to have no effect. Nothing here proves that: whoever applies them compares.
//!
//! An edit replaces bytes of a file; all others, comments and layout among them, stay as they are.

mod hcl;
mod hoist;
mod inline;
mod insertion;
mod offers;
mod removal;
pub(crate) mod rename;

pub(crate) use hoist::{Hoist, hoist};
pub(crate) use inline::inline;
pub(crate) use offers::{named_at, offers};
pub(crate) use removal::removed;

use crate::diagnostic::Edit;
use crate::files::Files;
use crate::value::FileId;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What is to be changed. Paths of files are from the root of the repository.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Refactoring {
    Hoist(Hoist),
    /// The opposite: a value moves from a file to whatever reads it there.
    Inline {
        path: String,
        /// The file that has it; without one, the only file that writes it and can lose it.
        from: Option<String>,
    },
    /// Redundant values are removed: in these files, or below these folders, or everywhere if none is named.
    Prune {
        paths: Vec<String>,
    },
    Rename {
        what: Named,
        old: String,
        new: String,
    },
}

/// What gets another name.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Named {
    Component {
        /// Whether its state may be searched elsewhere.
        moves_state: bool,
    },
    File,
    Stack,
    /// A local of a file; without one, of the only file that defines it.
    Local(Option<String>),
}

/// The texts of the files that change, the old one and the new one, by path.
pub(crate) type Texts = BTreeMap<String, [String; 2]>;

/// Adds later changes of files to earlier ones.
pub(crate) fn join(texts: &mut Texts, later: Texts) {
    for (path, [old, new]) in later {
        texts.entry(path).or_insert_with(|| [old, String::new()])[1] = new;
    }
}

/// Applies edits.
///
/// # Errors
/// Two of them overlap.
pub(crate) fn applied(mut edits: Vec<Edit>, files: &Files) -> Result<Texts, String> {
    edits.sort();
    let mut by_file: BTreeMap<FileId, Vec<Edit>> = BTreeMap::new();
    edits.into_iter().for_each(|edit| by_file.entry(edit.file).or_default().push(edit));
    let mut texts = Texts::new();
    for (id, edits) in by_file {
        let file = files.get(id);
        let (mut text, mut at) = (String::with_capacity(file.text.len()), 0);
        for Edit { start, end, text: new, .. } in &edits {
            let kept = file.text.get(at..*start as usize);
            text.push_str(kept.ok_or_else(|| format!("two edits of {} overlap", file.path))?);
            text.push_str(new);
            at = *end as usize;
        }
        text.push_str(&file.text[at..]);
        texts.insert(file.path.to_string(), [file.text.to_string(), text]);
    }
    Ok(texts)
}
