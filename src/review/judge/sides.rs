//! What is reported of a comparison: the base decides, where the change cannot be trusted with its own review.

use super::{Judge, Judged, judge, trust};
use crate::diagnostic::Side;
use crate::files::Files;
use crate::review::{Error, Request};
use crate::settings::{Load, Settings};
use crate::source::{Renames, Source};

/// The settings of both sides that control the review.
pub(in crate::review) struct JudgeInputs<'a> {
    pub(in crate::review) request: &'a Request<'a>,
    pub(in crate::review) files: &'a Files,
    /// Base and head.
    pub(in crate::review) sides: (&'a dyn Source, &'a dyn Source),
    /// What was loaded of their settings.
    pub(in crate::review) loads: (Option<&'a Load>, &'a Load),
    /// Whether the base decides.
    pub(in crate::review) of_base: bool,
}

impl JudgeInputs<'_> {
    /// Decides what is reported, and adds what the head changes in that.
    pub(in crate::review) fn judge(&self, trusted: &Settings, in_head: Side, in_base: Side) -> Result<Judged, Error> {
        let (base, head) = self.sides;
        let overrides = self.request.overrides;
        let known = |path: &str| trust::file_in(base, self.files, path);
        let renames = Renames::between(base, head);
        let own = Judge {
            files: self.files,
            settings: &self.loads.1.settings,
            overrides,
            source: head,
            other: Some(base),
            trusted: None,
            renames: Some(&renames),
        };
        if !self.of_base {
            return judge(&own, in_head, Some(in_base));
        }
        let by = Judge { settings: trusted, source: base, other: Some(head), trusted: Some(&known), ..own };
        let edited = trust::edited(self.sides, self.loads);
        // Findings about the head's own settings, except comments: those are reported one by one.
        let own = match &edited {
            Some(_) => judge(&Judge { trusted: Some(&known), ..own }, in_head.clone(), Some(in_base.clone())).ok(),
            None => None,
        };
        let mut verdict = judge(&by, in_head, Some(in_base))?;
        let changed =
            trust::findings(&verdict, edited.as_deref().zip(own.as_ref()), self.sides, self.loads, self.files);
        if !changed.is_empty() {
            let side = Side { diagnostics: changed, ..Side::default() };
            let reported = judge(&by, side, Some(Side::default()))?.findings;
            verdict.findings.splice(0..0, reported);
        }
        Ok(verdict)
    }
}
