//! Findings: mistakes in the user's files, with their places and advice.

pub(crate) mod baseline;
mod collector;
mod defect;
mod finding;
mod fingerprint;
pub(crate) mod fix;
mod ignore;
pub(crate) mod policy;
mod rule;
pub(crate) mod rules;
mod secrets;
pub(crate) mod together;

use crate::text::Text;
pub(crate) use baseline::Baseline;
pub(crate) use collector::{Diagnostics, ErrorReported, entry_label, value_label};
pub(crate) use defect::{ISSUES, UNREGISTERED};
pub(crate) use defect::{REVIEW_CHANGED, UNTRUSTED_REPOSITORY};
pub(crate) use finding::{Finding, Novelty, Suppressed, Suppression};
pub(crate) use fingerprint::fingerprint_of;
pub(crate) use fix::{Applicability, Edit, Fix};
pub(crate) use ignore::may_have_comments;
pub(crate) use policy::{Policy, Side, TrustedFile, Verdict};
pub(crate) use rule::rule;
pub(crate) use rule::{Group, Rule, RuleRef};
pub(crate) use together::{FindingGroup, Subject};

use crate::value::{FileId, Origin};
use std::collections::HashSet;

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Level {
    /// Worth knowing; never fails a run.
    Note,
    /// Probably a mistake.
    Warning,
    /// A certain mistake, or the deployment tool will reject it.
    Error,
    /// What reverting the commit does not undo once it is applied: a state moves, a deployed component goes away.
    Danger,
}

impl Level {
    /// All levels, the worst one first.
    pub(crate) const ALL: [Level; 4] = [Level::Danger, Level::Error, Level::Warning, Level::Note];

    /// The name that users and JSON see.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Level::Note => "note",
            Level::Warning => "warning",
            Level::Error => "error",
            Level::Danger => "danger",
        }
    }
}

/// A place in a file with words to it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Label {
    pub file: FileId,
    /// Offset of its first byte in the file.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
    /// The text of the label; may be empty on the primary label.
    pub message: String,
}

impl Label {
    /// A label at a span of a file.
    pub(crate) fn new(file: FileId, start: u32, end: u32, message: impl Into<String>) -> Self {
        Label { file, start, end: end.max(start), message: message.into() }
    }

    /// A label where a value was written.
    pub(crate) fn at(origin: Origin, message: impl Into<String>) -> Self {
        Label::new(origin.file, origin.key, origin.end, message)
    }
}

/// A finding. It has exactly one primary place, which `Diagnostic::new` requires. Its level is decided later and in one
/// place, from its rule and the settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Diagnostic {
    /// The rule that it violates.
    pub rule: RuleRef,
    /// One sentence that describes the problem.
    pub message: String,
    pub primary: Label,
    /// Other places that belong to it, in the order of the explanation.
    pub related: Vec<Label>,
    /// Whether the related places are the steps of a chain (a cycle, a chain of references).
    pub is_chain: bool,
    /// Further information.
    pub notes: Vec<String>,
    pub help: Option<String>,
    /// Edits that resolve the finding.
    pub fix: Option<Fix>,
    /// The subject of the finding, independent of lines: `vpc` in the path of a value, an unknown name. Defaults to the
    /// text at the primary place. Findings of two revisions are matched by it.
    pub token: Option<String>,
    /// What it is about in the resolution: `stack/component/path`.
    pub address: Option<String>,
    /// Whether something could not be resolved because of it.
    pub is_breaking: bool,
    /// Whether the deployment tool refuses what has it, though everything is resolved here: the stacks that it reaches, or, if it
    /// names none, those that its file is a part of.
    pub is_refused: bool,
    /// Whether other findings are not reported because of it: a change must not bring it unnoticed.
    pub withholds: bool,
    /// The stacks that it reaches, sorted.
    pub stacks: Vec<Text>,
    /// The components that it is about, if it names them.
    pub subjects: Vec<Subject>,
    /// How to combine it with other findings of its rule at its place; `None` if it stays separate.
    pub together: Option<FindingGroup>,
    /// The rule whose finding at the same line, if there is one, has the same cause: then it is a note of that.
    pub follows: Option<&'static Rule>,
    /// Where it is shown in the newer state, if its primary place is in the older one.
    pub at_head: Option<AtHead>,
}

/// The place in the newer state of something that only the older one has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AtHead {
    /// The line (from 1) where it was, in the file at the same path.
    Line(u32),
    /// The file as a whole: the line was removed, or is no longer used.
    File,
}

impl Diagnostic {
    /// A finding of `rule` at one place.
    pub(crate) fn new(rule: impl Into<RuleRef>, message: impl Into<String>, primary: Label) -> Self {
        Diagnostic {
            rule: rule.into(),
            message: message.into(),
            primary,
            related: Vec::new(),
            is_chain: false,
            notes: Vec::new(),
            help: None,
            fix: None,
            token: None,
            address: None,
            is_breaking: false,
            is_refused: false,
            withholds: false,
            stacks: Vec::new(),
            subjects: Vec::new(),
            together: None,
            follows: None,
            at_head: None,
        }
    }

    /// Adds a related place.
    #[must_use]
    pub(crate) fn related(mut self, label: Label) -> Self {
        self.related.push(label);
        self
    }

    /// The related places are the steps of a chain.
    #[must_use]
    pub(crate) fn chain(mut self) -> Self {
        self.is_chain = true;
        self
    }

    /// Adds a note.
    #[must_use]
    pub(crate) fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Adds advice.
    #[must_use]
    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds a fix.
    #[must_use]
    pub(crate) fn fix(mut self, fix: Fix) -> Self {
        self.fix = Some(fix);
        self
    }

    /// Names what is wrong without lines.
    #[must_use]
    pub(crate) fn token(mut self, token: impl Into<String>) -> Self {
        self.token = Some(token.into());
        self
    }

    /// Names what it is about among what was resolved.
    #[must_use]
    pub(crate) fn address(mut self, address: impl Into<String>) -> Self {
        self.address = Some(address.into());
        self
    }

    /// Names a component that it is about.
    #[must_use]
    pub(crate) fn subject(mut self, stack: &Text, component: &Text) -> Self {
        let (stack, component) = (Text::clone(stack), Text::clone(component));
        self.subjects.push(Subject { stack, component, details: String::new() });
        self
    }

    /// Sets how to combine it with other findings of its rule at its place.
    #[must_use]
    pub(crate) fn together(mut self, together: FindingGroup) -> Self {
        self.together = Some(together);
        self
    }

    /// A finding of another rule at the same line has the same cause.
    #[must_use]
    pub(crate) fn follows(mut self, rule: &'static Rule) -> Self {
        self.follows = Some(rule);
        self
    }

    /// Something could not be resolved because of it.
    #[must_use]
    pub(crate) fn breaking(mut self) -> Self {
        self.is_breaking = true;
        self
    }

    /// The deployment tool refuses what has it.
    #[must_use]
    pub(crate) fn refused(mut self) -> Self {
        self.is_refused = true;
        self
    }
}

/// Sorts findings by place and unites those that are equal but for the stacks that they reach and their related places: one
/// cause, one finding.
pub(crate) fn unite(findings: &mut Vec<Diagnostic>) {
    let key = |d: &Diagnostic| (d.primary.file, d.primary.start, d.primary.end, d.rule.clone(), d.message.clone());
    findings.sort_by_cached_key(key);
    findings.dedup_by(|later, kept| {
        let same = key(later) == key(kept);
        if same {
            kept.stacks.append(&mut later.stacks);
            kept.subjects.append(&mut later.subjects);
            kept.related.append(&mut later.related);
            kept.is_breaking |= later.is_breaking;
            kept.is_refused |= later.is_refused;
        }
        same
    });
    for finding in findings {
        finding.stacks.sort();
        finding.stacks.dedup();
        let mut seen = HashSet::new();
        finding.related.retain(|label| seen.insert(label.clone()));
    }
}
