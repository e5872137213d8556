//! Where a file is evaluated: the folders that paths and functions count from.

use crate::paths;
use crate::text::Text;

pub(super) use crate::paths::REPOSITORY;

/// The folders that a file is evaluated with, from the root of the repository.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// The folder of the file, where `file()` looks.
    pub folder: String,
    /// The folder that relative paths count from: that of the unit, also in an included file.
    pub dir: String,
    /// The folder of the unit that is resolved.
    pub original: String,
    /// The folder of the included file, if this is one.
    pub included: Option<String>,
    /// The files that are included, with their folders; `None` if the file is not known.
    pub includes: Vec<(Text, Option<String>)>,
}

impl Place {
    /// A file that is read by itself.
    pub(super) fn of_file(path: &str, original: &str) -> Self {
        let folder = paths::parent(path).to_owned();
        Place { dir: folder.clone(), folder, original: original.to_owned(), included: None, includes: Vec::new() }
    }

    /// A file that this one includes.
    pub(super) fn of_included(&self, path: &str) -> Self {
        let folder = paths::parent(path).to_owned();
        Place {
            included: Some(folder.clone()),
            folder,
            dir: self.dir.clone(),
            original: self.original.clone(),
            includes: Vec::new(),
        }
    }
}

/// A path of the repository as the functions show it.
pub(super) fn shown(path: &str) -> String {
    paths::join(REPOSITORY, path).trim_end_matches('/').to_owned()
}

/// A written path from the root of the repository, in a file whose relative paths count from a folder; `None` if it leads out of
/// the repository.
pub(super) fn inside(dir: &str, written: &str) -> Option<String> {
    match written.strip_prefix(REPOSITORY) {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => paths::resolve("", rest.trim_start_matches('/')),
        _ => paths::resolve(dir, written),
    }
}

/// The way from one folder to another: `../a`, `.` for the same.
pub(super) fn way(from: &str, to: &str) -> String {
    crate::terraform::evaluation::tree::relative(from, to)
}
