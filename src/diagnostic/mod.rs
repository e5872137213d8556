//! Findings: what is wrong in the user's files, where, and what to do.

use crate::value::{FileId, Origin};
use std::sync::Arc;

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Worth knowing; never fails a run.
    Note,
    /// Probably a mistake.
    Warning,
    /// Cannot mean what it says, or the deployment tool will refuse it.
    Error,
}

impl Level {
    /// The name that users and JSON see.
    pub fn name(self) -> &'static str {
        match self {
            Level::Note => "note",
            Level::Warning => "warning",
            Level::Error => "error",
        }
    }
}

/// A place in a file with words to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The file.
    pub file: FileId,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
    /// What is to be said about the place; may be empty on the primary label.
    pub message: String,
}

impl Label {
    /// A label at a span of a file.
    pub fn new(file: FileId, start: u32, end: u32, message: impl Into<String>) -> Self {
        Label { file, start, end: end.max(start), message: message.into() }
    }

    /// A label where a value was written.
    pub fn at(origin: Origin, message: impl Into<String>) -> Self {
        Label::new(origin.file, origin.key, origin.end, message)
    }
}

/// A finding. It has exactly one primary place; `Diagnostic::new` asks for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The id of the rule, in kebab case.
    pub rule: &'static str,
    /// How bad it is.
    pub level: Level,
    /// One sentence that says what is wrong.
    pub message: String,
    /// Where.
    pub primary: Label,
    /// Other places that belong to it, in the order of the explanation.
    pub related: Vec<Label>,
    /// What else to know.
    pub notes: Vec<String>,
    /// What to do.
    pub help: Option<String>,
    /// The stacks that it reaches, sorted.
    pub stacks: Vec<Arc<str>>,
}

impl Diagnostic {
    /// A finding of `rule` at one place.
    pub fn new(rule: &'static str, level: Level, message: impl Into<String>, primary: Label) -> Self {
        Diagnostic {
            rule,
            level,
            message: message.into(),
            primary,
            related: Vec::new(),
            notes: Vec::new(),
            help: None,
            stacks: Vec::new(),
        }
    }

    /// Adds a related place.
    #[must_use]
    pub fn related(mut self, label: Label) -> Self {
        self.related.push(label);
        self
    }

    /// Adds what else to know.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Says what to do.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// Sorts findings by place and unites those that are equal but for the stacks they reach: one cause, one finding.
pub fn unite(findings: &mut Vec<Diagnostic>) {
    let key = |d: &Diagnostic| (d.primary.file, d.primary.start, d.primary.end, d.rule, d.message.clone());
    findings.sort_by_cached_key(key);
    findings.dedup_by(|later, kept| {
        let same = key(later) == key(kept);
        if same {
            kept.stacks.append(&mut later.stacks);
        }
        same
    });
    for finding in findings {
        finding.stacks.sort();
        finding.stacks.dedup();
    }
}
