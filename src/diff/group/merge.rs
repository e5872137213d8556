//! Merges groups that a reader considers one: components that are added or removed with one file, and neighboring
//! edited lines that affect the same components.

use super::{Effect, Group};
use crate::diff::Cause;
use crate::files::Files;
use crate::text::Text;
use std::collections::HashMap;

/// A group and those that were merged with it. Its causes and addresses are sorted once, at the end.
struct Merged<'a> {
    group: Group<'a>,
    /// The file and the lines of its causes; `None` where several files have them.
    span: Option<Span>,
    is_united: bool,
}

/// Lines of one file, both from 1.
struct Span {
    path: Text,
    first: u32,
    last: u32,
}

/// Merges groups; each result takes the position of its first group.
pub(super) fn merge<'a>(groups: Vec<Group<'a>>, files: &Files) -> Vec<Group<'a>> {
    let mut merged: Vec<Merged<'a>> = Vec::with_capacity(groups.len());
    let mut whole: HashMap<(Effect, Text), usize> = HashMap::new();
    for group in groups {
        let known = match group.effect {
            Effect::Added | Effect::Removed => group.causes.first().and_then(|first| {
                let at = *whole.entry((group.effect, path(first, files))).or_insert(merged.len());
                merged.get_mut(at).map(|known| (known, None))
            }),
            Effect::Modified => {
                let span = span(&group.causes, files);
                merged.last_mut().filter(|last| last.is_before(&group, span.as_ref())).map(|last| (last, span))
            }
            Effect::Renamed => None,
        };
        match known {
            Some((known, span)) => known.absorb(group, span),
            None => {
                let span = span(&group.causes, files);
                merged.push(Merged { group, span, is_united: false });
            }
        }
    }
    merged.into_iter().map(|merged| merged.finish(files)).collect()
}

impl<'a> Merged<'a> {
    /// Whether a group reaches the same components, from lines of the same file that touch.
    fn is_before(&self, group: &Group<'_>, span: Option<&Span>) -> bool {
        let known = &self.group;
        if known.effect != Effect::Modified || known.causes == group.causes || known.addresses != group.addresses {
            return false;
        }
        let (Some(own), Some(next)) = (&self.span, span) else { return false };
        own.path == next.path && next.first <= own.last.saturating_add(1)
    }

    fn absorb(&mut self, group: Group<'a>, span: Option<Span>) {
        self.is_united = true;
        self.group.causes.extend(group.causes);
        match group.effect {
            Effect::Modified => self.group.changes.extend(group.changes),
            _ => self.group.addresses.extend(group.addresses),
        }
        if let (Some(own), Some(more)) = (&mut self.span, span) {
            own.first = own.first.min(more.first);
            own.last = own.last.max(more.last);
        }
    }

    fn finish(mut self, files: &Files) -> Group<'a> {
        if self.is_united {
            self.group.causes.sort_by_cached_key(|c| (path(c, files), c.line, c.side, c.column));
            // Of several values on one line, the column of the first one is used.
            self.group.causes.dedup_by(|b, a| (b.line, b.side) == (a.line, a.side) && path(b, files) == path(a, files));
            self.group.addresses.sort();
        }
        self.group
    }
}

fn path(cause: &Cause, files: &Files) -> Text {
    Text::clone(&files.get(cause.file).path)
}

/// Where causes are, if there are any and all are in one file.
fn span(causes: &[Cause], files: &Files) -> Option<Span> {
    let path = path(causes.first()?, files);
    let is_there = causes.iter().all(|cause| files.get(cause.file).path == path);
    let lines = || causes.iter().map(|cause| cause.line);
    is_there.then_some(Span { path, first: lines().min()?, last: lines().max()? })
}
