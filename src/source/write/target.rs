//! Where a path that the user names really leads, without going through links that a change may have committed.
#![allow(clippy::disallowed_methods, reason = "links are looked for on the disk")]

use std::ffi::OsString;
use std::io;
use std::path::{Component, Path, PathBuf};

/// More links than this on the way are a circle.
const MAX_LINKS: usize = 40;

/// A path without links.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Target {
    /// The folder, without links.
    pub(super) folder: PathBuf,
    /// The name in the folder, which may be a link only if the folder is in a worktree.
    pub(super) name: OsString,
    /// Whether the folder is part of a worktree, so that a change controls its content.
    pub(super) in_worktree: bool,
}

impl Target {
    /// Follows a path step by step. Below a folder with an entry `.git` no link is followed; in `.git` itself, and outside of
    /// worktrees, links are the user's own.
    ///
    /// # Errors
    /// A folder on the way is a link in a worktree, is not a folder, or is absent and `make` is not set.
    pub(super) fn of(path: &Path, make: bool) -> io::Result<Self> {
        let absolute = std::path::absolute(path)?;
        let mut todo: Vec<OsString> = Vec::new();
        // The folders so far, and whether each is part of a worktree.
        let mut stack: Vec<(PathBuf, bool)> = vec![(PathBuf::new(), false)];
        let mut links = 0;
        push(&absolute, &mut todo, &mut stack);
        while let Some(step) = todo.pop() {
            if step == ".." {
                if stack.len() > 1 {
                    stack.pop();
                }
                continue;
            }
            let (folder, in_worktree) = stack.last().cloned().unwrap_or_default();
            let (here, is_last) = (folder.join(&step), todo.is_empty());
            match std::fs::symlink_metadata(&here) {
                // A descriptor has no other name: `/dev/stdout`, `/dev/fd/63`.
                Ok(there) if there.is_symlink() && !(is_last && (in_worktree || folder.starts_with("/proc"))) => {
                    links += 1;
                    if in_worktree {
                        return Err(refusal(&here));
                    }
                    if links > MAX_LINKS {
                        return Err(io::Error::other(format!("{} leads back to itself", path.display())));
                    }
                    push(&std::fs::read_link(&here)?, &mut todo, &mut stack);
                    continue;
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound && make && !is_last => make_dir(&here)?,
                Err(error) if !is_last => return Err(error),
                Ok(_) | Err(_) => {}
            }
            if is_last {
                return Ok(Target { folder, name: step, in_worktree });
            }
            let is_root = std::fs::symlink_metadata(here.join(".git")).is_ok();
            let is_own = step == ".git";
            stack.push((here, !is_own && (in_worktree || is_root)));
        }
        Err(io::Error::other(format!("{} is a folder", path.display())))
    }

    /// The path without links.
    pub(super) fn path(&self) -> PathBuf {
        self.folder.join(&self.name)
    }

    /// Whether the name itself is a link that a change may have committed.
    pub(super) fn is_committed_link(&self) -> bool {
        self.in_worktree && std::fs::symlink_metadata(self.path()).is_ok_and(|there| there.is_symlink())
    }
}

/// Adds the steps of a path; an absolute one starts at the root again.
fn push(path: &Path, todo: &mut Vec<OsString>, stack: &mut Vec<(PathBuf, bool)>) {
    let mut root = PathBuf::new();
    let mut steps = Vec::new();
    for component in path.components() {
        match component {
            Component::Prefix(_) | Component::RootDir => root.push(component),
            Component::CurDir => {}
            Component::ParentDir => steps.push("..".into()),
            Component::Normal(name) => steps.push(name.to_owned()),
        }
    }
    if !root.as_os_str().is_empty() {
        *stack = vec![(root, false)];
    }
    todo.extend(steps.into_iter().rev());
}

fn make_dir(folder: &Path) -> io::Result<()> {
    match std::fs::create_dir(folder) {
        // Another run may have been quicker.
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

pub(super) fn refusal(link: &Path) -> io::Error {
    io::Error::other(format!("{} is a symbolic link in a worktree, which is not followed", link.display()))
}
