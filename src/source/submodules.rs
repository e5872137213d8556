//! The contents of submodules. A revision names the commit of a submodule; whichever repository of this clone has that commit
//! has its files. Nothing that a change commits (`.gitmodules`) chooses where to look.
#![allow(
    clippy::disallowed_methods,
    reason = "this is where the repositories of submodules are looked for on the disk"
)]

use super::objects::{Found, Objects};
use super::{EntryKind, Environment, Error, discover};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Most folders of a git directory that are searched for repositories of submodules.
const MAX_FOLDERS: usize = 10_000;

/// Which repositories have the files below some folders, by the folders.
#[derive(Default)]
pub(super) struct Homes(Vec<(Box<str>, Arc<Objects>)>);

impl Homes {
    /// Whose repository has a file; `None` for the repository itself.
    pub(super) fn of(&self, path: &str) -> Option<&Objects> {
        let is_around = |folder: &str| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
        let around = self.0.iter().filter(|(folder, _)| is_around(folder));
        around.max_by_key(|(folder, _)| folder.len()).map(|(_, objects)| &**objects)
    }
}

/// Adds the files of all submodules to a listing in the making, as far as their commits are in this clone.
pub(super) fn expand(objects: &Objects, name: &str, found: &mut Found, homes: &mut Homes) -> Result<(), Error> {
    let mut next = 0;
    // Submodules have submodules, too: what is found is added at the end.
    while let Some(entry) = found.entries.get(next) {
        next += 1;
        let Some(commit) = entry.id.object_id().filter(|_| entry.kind == EntryKind::Submodule) else { continue };
        let folder = entry.path.clone();
        let Some((home, tree)) = objects.modules().iter().find_map(|home| Some((home, home.tree_of(commit)?))) else {
            continue;
        };
        home.walk(tree, &folder, name, found)?;
        homes.0.push((folder, Arc::clone(home)));
    }
    Ok(())
}

/// The repositories of submodules below git directories (`modules/NAME`, where a name may have slashes).
pub(super) fn repositories(git_dirs: &[PathBuf], limit: u64) -> Vec<Arc<Objects>> {
    let mut found = Vec::new();
    let mut open: Vec<PathBuf> = git_dirs.iter().map(|folder| folder.join("modules")).collect();
    let mut visited = 0;
    while let Some(folder) = open.pop() {
        visited += 1;
        if visited > MAX_FOLDERS {
            break;
        }
        if folder.join("HEAD").is_file() && folder.join("objects").is_dir() {
            found.extend(discover::objects_of(&folder).map(|repo| Arc::new(Objects::new(repo, limit))));
            open.push(folder.join("modules"));
            continue;
        }
        let below = std::fs::read_dir(&folder).into_iter().flatten().filter_map(Result::ok);
        // Links are not followed.
        open.extend(below.filter(|e| e.file_type().is_ok_and(|kind| kind.is_dir())).map(|e| e.path()));
    }
    found
}

/// The repository of a submodule that is checked out in a folder; `None` if none is, or it is not used.
pub(super) fn checked_out(folder: &Path) -> Option<super::Repository> {
    std::fs::symlink_metadata(folder.join(".git")).ok()?;
    let real = folder.canonicalize().ok()?;
    // Variables such as `GIT_DIR` are about the repository around it.
    let found = super::Repository::discover_with(&real, Environment::Ignore).ok()??;
    (found.workdir() == Some(&*real)).then_some(found)
}
