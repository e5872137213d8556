//! A finding as it is reported: judged by the settings and compared with the other revision.

use super::{Diagnostic, Level};
use crate::text::Text;

/// Whether a finding is about what the newer revision brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Novelty {
    /// Only the head has it.
    New,
    /// Both revisions have it.
    Known,
    /// Only the base has it, and the head has what it is about.
    Fixed,
    /// Only the base has it, because the head does not have what it is about.
    Removed,
}

impl Novelty {
    /// The name that users and JSON see.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Novelty::New => "new",
            Novelty::Known => "known",
            Novelty::Fixed => "fixed",
            Novelty::Removed => "removed",
        }
    }
}

/// A finding as it is reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    pub diagnostic: Diagnostic,
    /// How severe it is.
    pub level: Level,
    /// Whether it is new, where two revisions were examined.
    pub novelty: Option<Novelty>,
    /// An identity that does not change when lines move: 32 hexadecimal digits. Equal findings of one file are
    /// numbered, so that no two findings of one state share it.
    pub fingerprint: Text,
    /// The fingerprints of the other findings that were united with it.
    pub also: Vec<Text>,
}

impl Finding {
    /// Whether the state that was analyzed has it; of two the newer one.
    pub(crate) fn is_present(&self) -> bool {
        !matches!(self.novelty, Some(Novelty::Fixed | Novelty::Removed))
    }

    /// The fingerprints of all findings that it represents.
    pub(crate) fn fingerprints(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&self.fingerprint).chain(&self.also).map(|text| &**text)
    }

    /// Whether it counts for the outcome of a run: all do in one state, only new ones do between two.
    pub(crate) fn counts(&self) -> bool {
        self.novelty.is_none_or(|n| n == Novelty::New)
    }
}

/// A finding that is not reported, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Suppressed {
    pub finding: Finding,
    /// Why.
    pub by: Suppression,
}

/// Why a finding is not reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Suppression {
    /// A comment in the file, with its reason.
    Comment(String),
    /// The baseline has it.
    Baseline,
}
