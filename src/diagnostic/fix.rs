//! Changes of files that make a finding go away.

use crate::value::FileId;

/// How far a fix can be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Applicability {
    /// Only to be shown; never applied.
    DisplayOnly,
    /// Probably what was meant, but it changes what is computed.
    Unsafe,
    /// Changes nothing but what is wrong.
    Safe,
}

impl Applicability {
    /// The name that users and JSON see.
    pub fn name(self) -> &'static str {
        match self {
            Applicability::DisplayOnly => "display-only",
            Applicability::Unsafe => "unsafe",
            Applicability::Safe => "safe",
        }
    }
}

/// Bytes of a file that are replaced.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edit {
    /// The file.
    pub file: FileId,
    /// First byte.
    pub start: u32,
    /// One past the last byte; as `start` for an insertion.
    pub end: u32,
    /// What comes in their place.
    pub text: String,
}

/// A change that makes a finding go away: all its edits or none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// What it does, in one line: ``rename to `vpc` ``.
    pub title: String,
    /// The edits, sorted, without overlap.
    pub edits: Vec<Edit>,
    /// How far it can be trusted.
    pub applicability: Applicability,
}

impl Fix {
    /// A fix of one edit.
    pub fn one(title: impl Into<String>, edit: Edit, applicability: Applicability) -> Self {
        Fix { title: title.into(), edits: vec![edit], applicability }
    }
}
