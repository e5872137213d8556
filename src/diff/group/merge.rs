//! Groups that a reader takes for one: components that come or go with one file, and edited lines next to each other that
//! reach the same components.

use super::{Effect, Group};
use crate::diff::Cause;
use crate::files::Files;
use crate::text::Text;
use std::collections::HashMap;

/// Merges groups; each stands where the first of its groups stood.
pub(super) fn merge<'a>(groups: Vec<Group<'a>>, files: &Files) -> Vec<Group<'a>> {
    let mut merged: Vec<Group<'a>> = Vec::with_capacity(groups.len());
    let mut whole: HashMap<(Effect, Text), usize> = HashMap::new();
    for group in groups {
        match group.effect {
            Effect::Added | Effect::Removed => {
                let Some(first) = group.causes.first() else {
                    merged.push(group);
                    continue;
                };
                let at = *whole.entry((group.effect, path(first, files))).or_insert(merged.len());
                match merged.get_mut(at) {
                    Some(known) => absorb(known, group, files),
                    None => merged.push(group),
                }
            }
            Effect::Modified => match merged.last_mut().filter(|last| is_next_to(last, &group, files)) {
                Some(last) => {
                    last.changes.extend(group.changes);
                    last.causes = united(&last.causes, &group.causes, files);
                }
                None => merged.push(group),
            },
            Effect::Renamed => merged.push(group),
        }
    }
    merged
}

fn path(cause: &Cause, files: &Files) -> Text {
    Text::clone(&files.get(cause.file).path)
}

/// Adds the components of a group to those of another.
fn absorb<'a>(known: &mut Group<'a>, group: Group<'a>, files: &Files) {
    known.addresses.extend(group.addresses);
    known.addresses.sort();
    known.causes = united(&known.causes, &group.causes, files);
}

/// The causes of both, sorted by place.
fn united(a: &[Cause], b: &[Cause], files: &Files) -> Vec<Cause> {
    let mut all: Vec<Cause> = a.iter().chain(b).cloned().collect();
    all.sort_by_cached_key(|c| (path(c, files), c.line, c.side, c.column));
    all.dedup();
    all
}

/// Whether a group reaches the same components as the one before it, from lines of one file that touch.
fn is_next_to(last: &Group<'_>, group: &Group<'_>, files: &Files) -> bool {
    if last.effect != Effect::Modified || last.causes == group.causes || last.addresses != group.addresses {
        return false;
    }
    let (Some(first), Some(_)) = (last.causes.first(), group.causes.first()) else { return false };
    let file = path(first, files);
    let is_there = |causes: &[Cause]| causes.iter().all(|c| path(c, files) == file);
    // Both are sorted by line.
    let end = last.causes.iter().map(|c| c.line).max().unwrap_or(0);
    let start = group.causes.iter().map(|c| c.line).min().unwrap_or(0);
    is_there(&last.causes) && is_there(&group.causes) && start <= end.saturating_add(1)
}
