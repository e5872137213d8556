//! Parts of its revision that a resolution does not contain.

use crate::value::FileId;

/// Why a resolution may not be all of a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Gap {
    /// The missing part.
    pub extent: Extent,
    /// Why, as a clause without a full stop.
    pub reason: String,
    /// The file to look into, if one is known.
    pub file: Option<FileId>,
}

/// The parts that a resolution does not contain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// Nothing could be resolved.
    Everything,
    /// Units whose files are there may not have been found.
    Units,
    /// All units were resolved, but their stacks may have other names than is meant.
    Names,
}
