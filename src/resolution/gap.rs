//! What a resolution does not hold of its revision.

use crate::value::FileId;

/// Why a resolution may not be all of a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Gap {
    /// What is missing.
    pub extent: Extent,
    /// Why, as a clause without a full stop.
    pub reason: String,
    /// The file to look into, if one is known.
    pub file: Option<FileId>,
}

/// What a resolution does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// Nothing could be resolved.
    Everything,
    /// Units whose files are there may not have been found.
    Units,
    /// All units were resolved, but their stacks may have other names than is meant.
    Names,
}
