//! What users and machines read: one format a file, pure functions from results to bytes.

pub mod describe;
pub mod json;
pub mod text;

use crate::diagnostic::{Diagnostic, Level};

/// Whether a finding is about what the newer revision brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Novelty {
    /// Only the head has it.
    New,
    /// Both revisions have it.
    Known,
    /// Only the base has it.
    Fixed,
}

impl Novelty {
    /// The name that users and JSON see.
    pub fn name(self) -> &'static str {
        match self {
            Novelty::New => "new",
            Novelty::Known => "known",
            Novelty::Fixed => "fixed",
        }
    }
}

/// A finding as it is reported.
#[derive(Clone, Copy, Debug)]
pub struct Finding<'a> {
    /// What was found.
    pub diagnostic: &'a Diagnostic,
    /// How severe it is.
    pub level: Level,
    /// Whether it is new, where two revisions were looked at.
    pub novelty: Option<Novelty>,
}

/// What one side of a comparison is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Revision {
    /// As the user named it, or `index` or `worktree`.
    pub rev: String,
    /// The id of the commit; none for the index and the worktree.
    pub commit: Option<String>,
}

#[cfg(test)]
mod tests;
