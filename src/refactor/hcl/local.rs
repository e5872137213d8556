//! Locals of files in HCL.

use super::{HclFile, read};
use crate::diagnostic::Edit;
use crate::files::Files;
use crate::refactor::removal::comments_above;
use crate::refactor::rename::{sections, the_only};
use crate::resolution::Resolution;
use crate::syntax::hcl::{NameUse, Subject, names};
use crate::text::count;
use std::ops::Range;

/// The file at a path that defines a local, or the only one that does, with the place of its name.
///
/// # Errors
/// There is none, or there are several: a sentence without a full stop.
pub(in crate::refactor) fn defining(
    name: &str,
    path: Option<&str>,
    resolution: &Resolution,
    files: &Files,
) -> Result<(HclFile, usize), String> {
    let sections = sections(resolution);
    let at = |file: &HclFile| {
        let keys = |section: &&str| [*section, name].map(str::to_owned);
        sections.iter().find_map(|section| Some(file.entry(&keys(section))?.key.start as usize))
    };
    let all = read(resolution, files).into_iter().filter(|file| path.is_none_or(|path| *file.file.path == *path));
    let found: Vec<(HclFile, usize)> = all.filter_map(|file| at(&file).map(|at| (file, at))).collect();
    the_only(found, name, path, |(file, _)| &file.file.path)
}

/// Where a file reads a local.
fn uses(file: &HclFile, name: &str) -> Vec<Range<usize>> {
    let is_it = |one: &NameUse| !one.is_declaration && one.subject == Subject::Own(format!("local.{name}"));
    let found = names(file.text()).uses.into_iter().filter(is_it);
    found.map(|one| one.span.start as usize..one.span.end as usize).collect()
}

/// Gives a local another name, where it is defined and where its file reads it.
///
/// # Errors
/// It cannot have that name: a sentence without a full stop.
pub(in crate::refactor) fn rename_local(
    [old, new]: [&str; 2],
    path: Option<&str>,
    resolution: &Resolution,
    files: &Files,
) -> Result<(Vec<Edit>, String), String> {
    let (file, at) = defining(old, path, resolution, files)?;
    let is_letter = |c: char| c == '_' || c.is_alphabetic();
    if !new.starts_with(is_letter) || !new.chars().all(|c| is_letter(c) || c.is_numeric() || c == '-') {
        return Err(format!("`{new}` cannot be the name of a local: use letters, digits, `-` and `_`"));
    }
    if defining(new, Some(&file.file.path), resolution, files).is_ok() {
        return Err(format!("`{new}` is already defined in {}", file.file.path));
    }
    let mut edits = vec![file.edit(at..at + old.len(), new)];
    for place in uses(&file, old) {
        // The name is the last part, which may be written with blanks around its dot.
        if !file.text()[place.clone()].ends_with(old) {
            return Err(format!("{} reads it in a way that is not known", file.place_of(place.start as u32)));
        }
        edits.push(file.edit(place.end - old.len()..place.end, new));
    }
    let places = count(edits.len(), "place");
    Ok((edits, format!("the local `{old}` of {} becomes `{new}`, in {places}", file.file.path)))
}

/// Writes the expression of a local wherever its file reads it.
///
/// # Errors
/// It is not known how: a sentence without a full stop.
pub(in crate::refactor) fn inline_local(
    name: &str,
    path: Option<&str>,
    resolution: &Resolution,
    files: &Files,
) -> Result<(Vec<Edit>, String), String> {
    let (file, at) = defining(name, path, resolution, files)?;
    let entry = file.source.entry_of(at).ok_or("it is not written as an entry")?;
    let value = file.value(entry);
    if value.contains('\n') || value.contains("<<") {
        return Err(format!("{} has several lines", file.place(entry)));
    }
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    let is_quoted = value.starts_with('"') && value.ends_with('"') && !value[1..value.len() - 1].contains('"');
    let is_closed = is_quoted || value.chars().all(is_word);
    let value = if is_closed { value.to_owned() } else { format!("({value})") };
    let places = uses(&file, name);
    let mut edits = vec![file.removal(entry, false)?];
    for place in &places {
        let behind = file.text()[place.end..].trim_start_matches([' ', '\t']);
        if behind.starts_with(['.', '[']) && !value.starts_with('(') && !value.contains('.') {
            return Err(format!("{} reads a part of it", file.place_of(place.start as u32)));
        }
        edits.push(file.edit(place.clone(), value.clone()));
    }
    let (places, stay) = (count(places.len(), "place"), comments_above(&edits, files));
    Ok((edits, format!("the local `{name}` of {} is written where it is read, in {places}{stay}", file.file.path)))
}
