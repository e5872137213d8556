//! Findings about something missing, withheld because a part that could not be resolved may contain it.

use crate::diagnostic::Rule;
use crate::diagnostic::rules::INCOMPLETE_ANALYSIS;
use crate::diagnostic::{Diagnostic, Label};
use crate::files::Files;
use crate::resolution::Resolution;
use parking_lot::Mutex;
use std::collections::BTreeSet;

/// The rules that withheld findings.
#[derive(Debug, Default)]
pub(crate) struct SkippedRules {
    rules: Mutex<BTreeSet<&'static str>>,
}

impl SkippedRules {
    /// A rule would have reported something if all was resolved.
    pub(super) fn record(&self, rule: &'static Rule) {
        self.rules.lock().insert(rule.id());
    }

    /// Whether a rule withheld findings.
    pub(super) fn has(&self, rule: &'static Rule) -> bool {
        self.rules.lock().contains(rule.id())
    }

    /// Reports this at the first place that prevents something from being resolved, and resets the record.
    pub(super) fn report(&self, resolution: &Resolution, files: &Files) -> Option<Diagnostic> {
        let rules = std::mem::take(&mut *self.rules.lock());
        let first = |places: &mut dyn Iterator<Item = Label>| {
            places.min_by_key(|label| (files.get(label.file).path.to_string(), label.start))
        };
        let breaking = resolution.findings.iter().filter(|f| f.is_breaking).map(|f| f.primary.clone());
        let open = resolution.imports.items.iter().filter(|i| i.is_open).map(|i| Label::at(i.path, ""));
        let units = resolution.units.iter().filter(|u| u.is_incomplete());
        let mut units = units.map(|u| Label::new(u.file, 0, 0, ""));
        let place = first(&mut breaking.chain(open)).or_else(|| first(&mut units))?;
        let names: Vec<String> = rules.iter().map(|rule| format!("`{rule}`")).collect();
        if names.is_empty() {
            return None;
        }
        let message = format!("findings of {} were withheld: not fully resolved because of this", names.join(", "));
        let finding = Diagnostic::new(&INCOMPLETE_ANALYSIS, message, Label { message: String::new(), ..place });
        Some(
            finding
                .token(names.join(" "))
                .follows(&INCOMPLETE_ANALYSIS)
                .note("something reported as missing may be in a part that could not be resolved"),
        )
    }
}
