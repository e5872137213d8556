//! Which files take in which others.

use crate::value::{FileId, Map, Origin};
use std::sync::Arc;

/// An item by which a file takes in others.
#[derive(Clone, Debug)]
pub(crate) struct Import {
    /// The item.
    pub item: Origin,
    /// The path in it.
    pub path: Origin,
    /// The files that it leads to, in the order in which they are taken in, each once.
    pub targets: Vec<FileId>,
    /// It stands for all files whose names fit.
    pub is_pattern: bool,
    /// Where it leads depends on what is known only on the way there.
    pub is_computed: bool,
    /// It may lead to more: what it names could not be had.
    pub is_open: bool,
    /// The files are taken in in another way than usual.
    pub is_special: bool,
    /// A file that is taken in twice gives more than one that is taken in once: lists are joined.
    pub is_additive: bool,
    /// What is passed to the files.
    pub context: Arc<Map>,
}

/// What files take in, and those that nothing does.
#[derive(Clone, Debug, Default)]
pub(crate) struct Imports {
    /// The items, sorted by place.
    pub items: Vec<Import>,
    /// The files that nothing takes in and that define no unit themselves, though they lie where such files are.
    pub unreached: Vec<FileId>,
}
