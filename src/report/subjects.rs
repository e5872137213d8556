//! The components of a finding, in words.

use crate::diagnostic::{Diagnostic, Subject};

/// The maximum number of components to name as examples: with details of their own, and with only their names.
const MAX_DETAILED: usize = 3;
const MAX_NAMED: usize = 5;
/// Details are cut to so many characters.
const MAX_DETAILS: usize = 300;

/// Lists the components of a finding as notes: three examples with their details, or the names; with `all`, all of
/// them. Empty for a finding whose message already says everything.
pub(super) fn notes(d: &Diagnostic, all: bool) -> Vec<String> {
    let subjects = &d.subjects;
    let Some(first) = subjects.first().filter(|_| subjects.len() > 1) else { return Vec::new() };
    let is_one = subjects.iter().all(|s| (&s.stack, &s.component) == (&first.stack, &first.component));
    if is_one {
        return Vec::new();
    }
    if subjects.iter().all(|s| s.details == first.details) {
        let limit = if all { usize::MAX } else { MAX_NAMED };
        // A cut that hides a single name saves nothing.
        let shown = if subjects.len() <= limit.saturating_add(1) { subjects.len() } else { limit };
        let name = |s: &Subject| Subject { details: String::new(), ..s.clone() }.text();
        let mut names: Vec<String> = subjects.iter().take(shown).map(name).collect();
        if shown < subjects.len() {
            names.push(format!("… {} more", subjects.len() - shown));
        }
        return vec![names.join(", ")];
    }
    let limit = if all { usize::MAX } else { MAX_DETAILED };
    let shown = if subjects.len() <= limit.saturating_add(1) { subjects.len() } else { limit };
    let mut notes: Vec<String> = subjects.iter().take(shown).map(|s| cut(s.text(), all)).collect();
    if shown < subjects.len() {
        notes.push(format!("… and {} more", subjects.len() - shown));
    }
    notes
}

fn cut(text: String, all: bool) -> String {
    match text.char_indices().nth(MAX_DETAILS).filter(|_| !all) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
