//! Internal errors of stacklint, as findings: all other findings are still reported.

use super::{Diagnostic, Label, Rule, rule};
use crate::threads::Defect;
use crate::value::FileId;

// These rules are not registered: nothing turns them off.
rule!(INTERNAL_ERROR, "internal-error", Correctness, "0.1.0", "stacklint failed");
rule!(
    REVIEW_CHANGED,
    "review-changed",
    Change,
    "0.1.0",
    "a change edits the settings, the baseline or the comments that control its own review"
);
rule!(
    UNTRUSTED_REPOSITORY,
    "untrusted-repository",
    Correctness,
    "0.1.0",
    "the git repository refers to files outside of it, so nothing in it is analyzed"
);

/// The rules that settings do not know. `stacklint explain` describes them as well.
pub(crate) static UNREGISTERED: [&Rule; 3] = [&INTERNAL_ERROR, &REVIEW_CHANGED, &UNTRUSTED_REPOSITORY];

/// Where to report defects.
pub(crate) const ISSUES: &str = "https://github.com/stacklint/stacklint/issues";

impl Diagnostic {
    /// A defect that showed while a file was examined.
    pub(crate) fn defect(defect: &Defect, file: FileId) -> Self {
        let message = format!("stacklint failed here ({}): {}", defect.work, defect.message);
        Diagnostic::new(&INTERNAL_ERROR, message, Label::new(file, 0, 0, ""))
            .note("findings of this part are missing; all others are reported")
            .help(format!("this is a bug in stacklint: please report it with the file at {ISSUES}"))
            .breaking()
    }

    /// Whether neither settings nor comments nor baselines keep it from being reported.
    pub(crate) fn is_unsuppressible(&self) -> bool {
        self.is_defect() || self.rule == &REVIEW_CHANGED
    }

    /// Whether it reports that stacklint could not run, or only partly.
    pub(crate) fn is_failure(&self) -> bool {
        self.is_defect() || self.rule == &UNTRUSTED_REPOSITORY
    }

    /// Whether it is a defect of stacklint itself.
    pub(crate) fn is_defect(&self) -> bool {
        self.rule == &INTERNAL_ERROR
    }
}
