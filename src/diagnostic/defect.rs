//! Defects of stacklint itself, as findings: whatever else was found is still told.

use super::{Diagnostic, Group, Label, Rule};
use crate::threads::Defect;
use crate::value::FileId;

/// The rule of these findings. It is not registered: nothing turns it off, and a run that has one ends with 2.
pub static INTERNAL_ERROR: Rule = Rule {
    id: "internal-error",
    group: Group::Correctness,
    level: None,
    since: "0.1.0",
    summary: "stacklint failed",
    page: "# internal-error\n\nA defect of stacklint.\n",
};

/// A change changes how it is reviewed. The rule is not registered: nothing turns it off.
pub static REVIEW_CHANGED: Rule = Rule {
    id: "review-changed",
    group: Group::Change,
    level: None,
    since: "0.1.0",
    summary: "a change edits the settings, the baseline or the comments that decide what is reported of it",
    page: "# review-changed\n\nRules, levels, limits, baselines and comments that silence findings count from the base of a \
           comparison. What the head changes in them is reported, with what it would keep from being reported, and counts \
           from the next commit on. `--settings-from head` makes it count at once.\n",
};

/// Where to report defects.
pub const ISSUES: &str = "https://github.com/stacklint/stacklint/issues";

impl Diagnostic {
    /// A defect that showed while a file was looked at.
    pub(crate) fn defect(defect: &Defect, file: FileId) -> Self {
        let message = format!("stacklint failed here ({}): {}", defect.work, defect.said);
        Diagnostic::new(&INTERNAL_ERROR, message, Label::new(file, 0, 0, ""))
            .note("what this part of the work would have found is missing; everything else is told")
            .help(format!("this is a defect of stacklint: please report it with the file at {ISSUES}"))
            .breaking()
    }

    /// Whether neither settings nor comments nor baselines keep it from being reported.
    pub fn is_unsuppressible(&self) -> bool {
        self.is_defect() || self.rule == &REVIEW_CHANGED
    }

    /// Whether it is a defect of stacklint itself.
    pub fn is_defect(&self) -> bool {
        self.rule == &INTERNAL_ERROR
    }
}
