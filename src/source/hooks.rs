//! Where git looks for hooks, and one hook put there or taken away.
#![allow(clippy::disallowed_methods, reason = "this is where hooks reach the disk")]

use super::discover::Protected;
use super::write::{make_folder, write_program};
use super::{Error, Repository};
use gix::config::Source as Level;
use std::fs;
use std::path::{Path, PathBuf};

/// The folder that git runs hooks from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hooks {
    /// The folder, which need not exist.
    pub folder: PathBuf,
    /// Whose it is.
    pub owner: Owner,
}

/// Who uses a folder of hooks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    /// This repository and its linked worktrees.
    Repository,
    /// `core.hooksPath` is set for all repositories of the user or the machine.
    Everybody,
    /// The configuration of this repository names a folder outside of it.
    Elsewhere,
}

impl Repository {
    /// Where git looks for hooks: `core.hooksPath`, else `hooks` in the git directory that all worktrees share.
    pub(crate) fn hooks(&self) -> Hooks {
        self.objects.with(|repo| {
            let config = repo.config_snapshot();
            let common = repo.common_dir();
            let common = common.canonicalize().unwrap_or_else(|_| common.to_owned());
            let default = Hooks { folder: common.join("hooks"), owner: Owner::Repository };
            let sections = config.plumbing().sections_by_name("core").into_iter().flatten();
            let last = sections.filter(|s| s.value("hooksPath").is_some()).last();
            let path = match (config.trusted_path("core.hooksPath"), &last) {
                (Ok(Some(path)), Some(_)) => path,
                // Files that the user's own configuration includes are not in the rest.
                _ => match Protected::read(self.environment).path("core.hooksPath") {
                    Some(path) => path,
                    None => return default,
                },
            };
            // Hooks run at the root of the worktree, and that is what a relative path starts from.
            let root = self.workdir().unwrap_or(self.git_dir());
            let folder = root.join(path);
            let real = folder.canonicalize().unwrap_or_else(|_| folder.clone());
            let owner = match last.map(|s| s.meta().source) {
                Some(Level::Local | Level::Worktree) if real.starts_with(root) || real.starts_with(&common) => {
                    Owner::Repository
                }
                Some(Level::Local | Level::Worktree) => Owner::Elsewhere,
                Some(Level::GitInstallation | Level::System | Level::Git | Level::User) | None => Owner::Everybody,
                Some(_) => Owner::Repository,
            };
            Hooks { folder, owner }
        })
    }
}

impl Hooks {
    /// The content of a hook; `None` if it is absent or no text.
    pub(crate) fn read(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.folder.join(name)).ok()
    }

    /// Whether something of this name is there, a broken link included.
    pub(crate) fn has(&self, name: &str) -> bool {
        fs::symlink_metadata(self.folder.join(name)).is_ok()
    }

    /// Writes an executable hook atomically.
    ///
    /// # Errors
    /// The folder or the file cannot be written.
    pub(crate) fn write(&self, name: &str, text: &str) -> Result<(), Error> {
        let path = self.folder.join(name);
        write_program(&path, text.as_bytes()).map_err(|e| fail(&path, &e))
    }

    /// Renames a hook.
    ///
    /// # Errors
    /// It cannot be renamed.
    pub(crate) fn rename(&self, from: &str, to: &str) -> Result<(), Error> {
        let path = self.folder.join(from);
        make_folder(&self.folder).map_err(|e| fail(&path, &e))?;
        fs::rename(&path, self.folder.join(to)).map_err(|e| fail(&path, &e))
    }

    /// Deletes a hook.
    ///
    /// # Errors
    /// It cannot be deleted.
    pub(crate) fn remove(&self, name: &str) -> Result<(), Error> {
        let path = self.folder.join(name);
        make_folder(&self.folder).map_err(|e| fail(&path, &e))?;
        fs::remove_file(&path).map_err(|e| fail(&path, &e))
    }
}

fn fail(path: &Path, error: &std::io::Error) -> Error {
    Error::Write { path: path.to_owned(), reason: error.to_string() }
}
