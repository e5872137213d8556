//! Labels and fixes at the places of values, and findings of many stacks put together.

use crate::diagnostic::{Applicability, Diagnostic, Edit, Fix, Label};
use crate::files::Files;
use crate::syntax::Language;
use crate::text::Text;
use crate::value::{FileId, Origin};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// A label at the key of a value; at the whole value if it has no key.
pub(crate) fn at_key(files: &Files, origin: Origin, words: impl Into<String>) -> Label {
    let file = files.get(origin.file);
    let text = file.text.get(origin.key as usize..origin.start as usize).unwrap_or_default();
    let length = Language::of(&file.path).key_length(text);
    if length == 0 {
        let line = file.text.get(origin.start as usize..origin.end as usize).unwrap_or_default();
        let length = line.lines().next().map_or(0, |l| l.trim_end().len());
        return Label::new(origin.file, origin.start, origin.start + length as u32, words);
    }
    Label::new(origin.file, origin.key, origin.key + length as u32, words)
}

/// A label at a value, without its key; of a value of several lines the first one.
pub(super) fn at_value(files: &Files, origin: Origin, words: impl Into<String>) -> Label {
    let file = files.get(origin.file);
    let text = file.text.get(origin.start as usize..origin.end as usize).unwrap_or_default();
    let length = text.lines().next().map_or(0, |l| l.trim_end().len());
    Label::new(origin.file, origin.start, origin.start + length as u32, words)
}

/// Finds a name inside of a value, as a separate word; `None` if it does not occur exactly once.
pub(super) fn name_in(files: &Files, origin: Origin, name: &str) -> Option<(u32, u32)> {
    let file = files.get(origin.file);
    let text = file.text.get(origin.start as usize..origin.end as usize)?;
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '/' | '.');
    let mut places = text
        .match_indices(name)
        .filter(|(at, _)| !text[..*at].ends_with(is_part) && !text[at + name.len()..].starts_with(is_part));
    let (at, _) = places.next()?;
    if name.is_empty() || places.next().is_some() {
        return None;
    }
    let start = origin.start + at as u32;
    Some((start, start + name.len() as u32))
}

/// A label at a name inside of a value, or at the value where the name is not written out.
pub(super) fn at_name(files: &Files, origin: Origin, name: &str, words: impl Into<String>) -> Label {
    match name_in(files, origin, name) {
        Some((start, end)) => Label::new(origin.file, start, end, words),
        None => at_value(files, origin, words),
    }
}

/// A fix that renames what is written out inside of a value.
pub(super) fn rename(files: &Files, origin: Origin, from: &str, to: &str) -> Option<Fix> {
    let (start, end) = name_in(files, origin, from)?;
    let edit = Edit { file: origin.file, start, end, text: to.to_owned() };
    Some(Fix::one(format!("rename to `{to}`"), edit, Applicability::Unsafe))
}

/// The key of a value; `None` if it is not written there.
pub(super) fn key_in(files: &Files, origin: Origin, key: &str) -> Option<(u32, u32)> {
    name_in(files, Origin { start: origin.key, end: origin.start, ..origin }, key)
}

pub(super) fn rename_key(files: &Files, origin: Origin, from: &str, to: &str) -> Option<Fix> {
    let (start, end) = key_in(files, origin, from)?;
    let edit = Edit { file: origin.file, start, end, text: to.to_owned() };
    Some(Fix::one(format!("rename to `{to}`"), edit, Applicability::Unsafe))
}

/// Findings by place and subject: one cause is one finding, whatever number of stacks it reaches.
#[derive(Default)]
pub(crate) struct Findings {
    found: BTreeMap<Place, Diagnostic>,
}

/// By what findings are one: file, start and end of the place, and token.
pub(crate) type Place = (FileId, u32, u32, String);

impl Findings {
    /// Adds a finding of a stack. Where there is one at the same place and with the same token, only the stack and the
    /// components are added.
    pub(crate) fn add(&mut self, stack: &Text, finding: Diagnostic) {
        let found = match self.found.entry(place_of(&finding)) {
            Entry::Vacant(entry) => entry.insert(finding),
            Entry::Occupied(entry) => {
                let found = entry.into_mut();
                found.subjects.extend(finding.subjects);
                found
            }
        };
        found.stacks.push(Text::clone(stack));
    }

    /// Adds findings with their stacks, as [`Findings::add`] does.
    pub(crate) fn add_all<'f>(&mut self, findings: impl IntoIterator<Item = (&'f Text, Diagnostic)>) {
        findings.into_iter().for_each(|(stack, finding)| self.add(stack, finding));
    }

    /// Adds a stack to a finding that was added; whether there is one.
    pub(crate) fn add_stack(&mut self, place: &Place, stack: &Text) -> bool {
        let Some(found) = self.found.get_mut(place) else { return false };
        if found.stacks.last() != Some(stack) {
            found.stacks.push(Text::clone(stack));
        }
        true
    }

    /// The findings of several parts of a state together, as if they had been added in their order.
    pub(crate) fn together<'f>(parts: impl IntoIterator<Item = &'f Findings>) -> Findings {
        let mut all = Findings::default();
        for (place, finding) in parts.into_iter().flat_map(|part| &part.found) {
            match all.found.entry(place.clone()) {
                Entry::Vacant(entry) => {
                    entry.insert(finding.clone());
                }
                Entry::Occupied(entry) => {
                    let found = entry.into_mut();
                    found.subjects.extend(finding.subjects.iter().cloned());
                    found.stacks.extend(finding.stacks.iter().cloned());
                }
            }
        }
        all
    }

    /// All findings.
    pub(crate) fn finish(self) -> Vec<Diagnostic> {
        let mut found: Vec<Diagnostic> = self.found.into_values().collect();
        for finding in &mut found {
            finding.stacks.sort();
            finding.stacks.dedup();
            finding.subjects.sort();
            finding.subjects.dedup();
        }
        found
    }
}

/// By what a finding is one with others.
pub(crate) fn place_of(finding: &Diagnostic) -> Place {
    let (primary, token) = (&finding.primary, finding.token.clone().unwrap_or_default());
    (primary.file, primary.start, primary.end, token)
}
