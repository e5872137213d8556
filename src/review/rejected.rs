//! The report on a repository that is not used: a run that analyzes nothing must not leave an empty report behind.

use super::{Coverage, Review, Revision};
use crate::diagnostic::{Diagnostic, Finding, Label, Level, UNTRUSTED_REPOSITORY, fingerprint_of};
use crate::dialects::Dialects;
use crate::files::Files;
use crate::limits::Limits;
use crate::settings::Settings;
use crate::source;
use crate::text::Text;
use std::sync::Arc;

/// Returns a review that consists of one error: why the repository is rejected. `place` is the reason in its
/// configuration. The coverage names the whole repository as not analyzed.
pub(crate) fn rejected(message: &str, place: &source::ConfigPlace) -> Review {
    let files = Files::default();
    let file = files.add(&place.path, "", || Text::from(&*place.text));
    let diagnostic =
        Diagnostic::new(&UNTRUSTED_REPOSITORY, message, Label::new(file, place.span.start, place.span.end, ""))
            .note("nothing was analyzed")
            .breaking();
    let fingerprint = fingerprint_of(&diagnostic, &files);
    let coverage = Coverage { not_analyzed: vec![".".to_owned()], ..Coverage::default() };
    Review {
        files: Arc::new(files),
        head: Revision::default(),
        comparison: None,
        findings: vec![Finding { diagnostic, level: Level::Error, novelty: None, fingerprint, also: Vec::new() }],
        suppressed: Vec::new(),
        rules: vec![((&UNTRUSTED_REPOSITORY).into(), Level::Error)],
        settings: Settings::default(),
        unreadable: Vec::new(),
        has_defect: false,
        coverage,
        resolved: (Arc::new(Dialects::new(None, Limits::default())), Vec::new()),
    }
}
