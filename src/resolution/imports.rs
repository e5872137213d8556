//! Which files take in which others.

use crate::value::{FileId, Map, Origin};
use std::sync::Arc;

/// An item by which a file takes in others.
#[derive(Clone, Debug)]
pub(crate) struct Import {
    pub item: Origin,
    pub path: Origin,
    /// The imported files, in the order in which they are imported, without duplicates.
    pub targets: Vec<FileId>,
    /// It matches all files with matching names.
    pub is_pattern: bool,
    /// Its target depends on values that are known only when it is resolved.
    pub is_computed: bool,
    /// It may have more targets: something that it names could not be read.
    pub is_open: bool,
    /// The files are taken in in another way than usual.
    pub is_special: bool,
    /// Importing a file twice differs from importing it once: lists are appended.
    pub is_additive: bool,
    /// The context passed to the files.
    pub context: Arc<Map>,
}

/// The imports of files, and the files that nothing imports.
#[derive(Clone, Debug, Default)]
pub(crate) struct Imports {
    /// The items, sorted by place.
    pub items: Vec<Import>,
    /// The files that nothing imports and that define no unit, although they are in a folder for such files.
    pub unreached: Vec<FileId>,
}
