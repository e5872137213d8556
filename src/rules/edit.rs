//! Edits of manifests: removing a key, replacing a value.

use crate::diagnostic::{Applicability, Edit, Fix};
use crate::files::{File, Files};
use crate::syntax::removal::{self, EntryPlace};
use crate::value::Origin;
use std::ops::Range;

/// Removes the lines of a key and its value from a map in block style (see [`removal::entry`]).
pub(super) fn removal(files: &Files, origin: Origin, title: &str, applicability: Applicability) -> Option<Fix> {
    without(files, origin, removal::entry, title, applicability)
}

/// Removes an item from a list (see [`removal::item`]).
pub(super) fn item_removal(files: &Files, item: Origin, title: &str, applicability: Applicability) -> Option<Fix> {
    without(files, item, removal::item, title, applicability)
}

fn without(
    files: &Files,
    origin: Origin,
    find: fn(&File, EntryPlace) -> Option<Range<usize>>,
    title: &str,
    applicability: Applicability,
) -> Option<Fix> {
    let place = EntryPlace { key: origin.key as usize, start: origin.start as usize, end: origin.end as usize };
    let range = find(&files.get(origin.file), place)?;
    let edit = Edit { file: origin.file, start: range.start as u32, end: range.end as u32, text: String::new() };
    Some(Fix::one(title, edit, applicability))
}

/// Replaces a value.
pub(super) fn replacement(origin: Origin, text: &str, title: &str) -> Fix {
    let edit = Edit { file: origin.file, start: origin.start, end: origin.end, text: text.to_owned() };
    Fix::one(title, edit, Applicability::Unsafe)
}
