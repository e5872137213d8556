//! Writes files for the user: to a temporary name beside the target, then renamed, so that no partial file is ever
//! visible, whatever ends this process. Links in a worktree are never followed: a change may have committed them.
#![allow(clippy::disallowed_methods, reason = "this is where files reach the disk")]

mod target;

use super::Error;
use super::disk::{open_file, read_file};
use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use target::Target;

/// The largest file that is read because the user names it, in bytes.
const MAX_NAMED: u64 = 64 << 20;

/// What becomes of a regular file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FileChange<'a> {
    pub path: &'a str,
    /// Its path afterwards.
    pub to: &'a str,
    /// What the change was made from.
    pub old: &'a [u8],
    pub new: &'a [u8],
}

/// Replaces the content of a regular file below `root`, if it still is what the change was made from.
///
/// # Errors
/// The file is no regular file (a link, say), has changed meanwhile, or cannot be written.
pub(crate) fn replace(root: &Path, path: &str, old: &[u8], new: &[u8]) -> Result<(), Error> {
    replace_all(root, &[FileChange { path, to: path, old, new }])
}

/// Changes all of some files below `root`, or none of them: all are examined before the first one is written, and what was written
/// is taken back if a later one fails.
///
/// # Errors
/// One of them is no regular file (a link, say), has changed meanwhile, or cannot be written; or its new path is taken.
pub(crate) fn replace_all(root: &Path, changes: &[FileChange<'_>]) -> Result<(), Error> {
    changes.iter().try_for_each(|change| check(root, change))?;
    for (done, change) in changes.iter().enumerate() {
        if let Err(error) = written(root, change) {
            for FileChange { path, to, old, new } in changes[..done].iter().rev() {
                // What cannot be taken back stays: the first failure says what is wrong.
                _ = written(root, &FileChange { path: to, to: path, old: new, new: old });
            }
            return Err(error);
        }
    }
    Ok(())
}

/// Whether a change can be made.
fn check(root: &Path, change: &FileChange<'_>) -> Result<(), Error> {
    let full = root.join(change.path);
    let fail = |reason: String| Error::Write { path: full.clone(), reason };
    let target = Target::of(&full, false).map_err(|e| fail(e.to_string()))?;
    let meta = fs::symlink_metadata(target.path()).map_err(|e| fail(e.to_string()))?;
    if !meta.is_file() {
        return Err(fail("it is not a regular file".to_owned()));
    }
    match read_file(&target.path(), change.old.len() as u64) {
        Ok(Some(bytes)) if *bytes == *change.old => {}
        Ok(_) => return Err(fail("it was modified in the meantime".to_owned())),
        Err(error) => return Err(fail(error.to_string())),
    }
    let to = root.join(change.to);
    if change.to != change.path && fs::symlink_metadata(&to).is_ok() {
        return Err(Error::Write { path: to, reason: "it exists already".to_owned() });
    }
    Ok(())
}

fn written(root: &Path, change: &FileChange<'_>) -> Result<(), Error> {
    let full = root.join(change.to);
    let write = || {
        if change.to == change.path {
            return beside(&Target::of(&full, false)?, change.new, None);
        }
        let from = Target::of(&root.join(change.path), false)?.path();
        beside(&Target::of(&full, true)?, change.new, mode(&from))?;
        fs::remove_file(from)
    };
    write().map_err(|e| Error::Write { path: full.clone(), reason: e.to_string() })
}

/// The permissions of a file, where there are some.
#[cfg(unix)]
fn mode(path: &Path) -> Option<u32> {
    use std::os::unix::fs::PermissionsExt;
    fs::symlink_metadata(path).ok().map(|there| there.permissions().mode())
}

#[cfg(not(unix))]
fn mode(_: &Path) -> Option<u32> {
    None
}

/// Writes a file that the user names. A link inside of a worktree is replaced by the file, one elsewhere is followed.
/// If the target is not a regular file (a pipe, `/dev/stdout`) or its folder is not writable, it is written in place.
///
/// # Errors
/// It cannot be written, or the way to it goes through a link in a worktree.
pub(crate) fn write_file(path: &Path, content: &[u8]) -> io::Result<()> {
    let target = Target::of(path, false)?;
    let there = fs::symlink_metadata(target.path());
    let is_replaceable = match &there {
        Ok(there) => there.is_file() || target.in_worktree && there.is_symlink(),
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    };
    if !is_replaceable {
        return fs::write(path, content);
    }
    match beside(&target, content, None) {
        // A folder in which nothing can be made may hold a file that can be written.
        Err(error) if there.is_ok_and(|there| there.is_file()) => {
            let file = open_file(&target.path(), fs::OpenOptions::new().write(true).truncate(true));
            file.map_err(|_| error)?.write_all(content)
        }
        ended => ended,
    }
}

/// Writes an executable file.
pub(super) fn write_program(path: &Path, content: &[u8]) -> io::Result<()> {
    beside(&Target::of(path, true)?, content, Some(0o755))
}

/// Creates a folder and its parents, and returns its path without links.
///
/// # Errors
/// It cannot be made, or the way to it goes through a link in a worktree.
pub(crate) fn make_folder(path: &Path) -> io::Result<PathBuf> {
    // As the way to something in it, every step is a folder.
    Ok(Target::of(&path.join("_"), true)?.folder)
}

/// Reads a file that the user names.
///
/// # Errors
/// It cannot be read, is no UTF-8, is larger than 64 MiB, or is or lies behind a link in a worktree.
pub(crate) fn read_named(path: &Path) -> io::Result<String> {
    let target = Target::of(path, false)?;
    if target.is_committed_link() {
        return Err(target::refusal(&target.path()));
    }
    let mut bytes = Vec::new();
    fs::File::open(target.path())?.take(MAX_NAMED + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_NAMED {
        return Err(io::Error::other(format!("it is larger than {MAX_NAMED} bytes")));
    }
    String::from_utf8(bytes).map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not valid UTF-8"))
}

/// Writes to a temporary name and renames it to the target. Without a mode, an existing file keeps its own, and a new
/// one gets the default.
fn beside(target: &Target, content: &[u8], mode: Option<u32>) -> io::Result<()> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".stacklint-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let known = fs::symlink_metadata(target.path()).ok().filter(fs::Metadata::is_file);
        let kept = known.map_or(0o666, |there| there.permissions().mode());
        builder.permissions(fs::Permissions::from_mode(mode.unwrap_or(kept) & 0o777));
    }
    #[cfg(not(unix))]
    let _ = mode;
    let mut file = builder.tempfile_in(&target.folder)?;
    file.write_all(content)?;
    file.persist(target.path()).map_err(|e| e.error)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_as_it_was_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.yaml");
        fs::write(&path, "old").unwrap();
        // Readers that have the old file open, also through other names, still see all of it.
        let known = tempfile::tempdir().unwrap();
        let opened = known.path().join("opened");
        fs::hard_link(&path, &opened).unwrap();
        replace(folder.path(), "a.yaml", b"old", b"new").unwrap();
        assert_eq!((fs::read(&path).unwrap(), fs::read(&opened).unwrap()), (b"new".to_vec(), b"old".to_vec()));
        assert!(replace(folder.path(), "a.yaml", b"old", b"newer").unwrap_err().to_string().contains("was modified"));
        assert!(replace(folder.path(), "b.yaml", b"", b"x").is_err());
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(&path, folder.path().join("link.yaml")).unwrap();
            assert!(replace(folder.path(), "link.yaml", b"other", b"x").is_err());
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), if cfg!(unix) { 2 } else { 1 });
    }

    #[test]
    fn all_files_are_changed_or_none() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let read = |path: &str| fs::read_to_string(root.join(path)).ok();
        fs::write(root.join("a"), "1").unwrap();
        fs::write(root.join("b"), "2").unwrap();
        let moved = |path, to, old, new| FileChange { path, to, old, new };
        let change = moved("a", "c/d", b"1", b"3");
        for other in [moved("b", "b", b"other", b"4"), moved("b", "a", b"2", b"4"), moved("b", "c/d/e", b"2", b"4")] {
            replace_all(root, &[change, other]).unwrap_err();
            assert_eq!([read("a"), read("b"), read("c/d")], [Some("1".into()), Some("2".into()), None]);
        }
        replace_all(root, &[change, moved("b", "b", b"2", b"4")]).unwrap();
        assert_eq!([read("a"), read("b"), read("c/d")], [None, Some("4".into()), Some("3".into())]);
    }

    #[cfg(unix)]
    #[test]
    fn links_in_a_worktree_are_not_followed() {
        use std::os::unix::fs::symlink;
        let (top, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (top, outside) = (top.path().canonicalize().unwrap(), outside.path().canonicalize().unwrap());
        let root = top.join("repo");
        fs::create_dir_all(root.join(".git")).unwrap();
        fs::write(outside.join("secret"), "secret").unwrap();
        symlink(&outside, root.join("folder")).unwrap();
        symlink(outside.join("secret"), root.join("file")).unwrap();
        symlink(&root, top.join("mine")).unwrap();
        symlink(&outside, root.join(".git/hooks")).unwrap();
        for path in ["folder/new", "folder/../folder/new", "folder/a/b"] {
            for start in [&root, &top.join("mine")] {
                assert!(write_file(&start.join(path), b"x").unwrap_err().to_string().contains("symbolic link"));
                assert!(make_folder(&start.join(path)).is_err() && read_named(&start.join(path)).is_err());
            }
        }
        assert!(read_named(&root.join("file")).unwrap_err().to_string().contains("symbolic link"));
        write_file(&root.join("file"), b"x").unwrap();
        assert_eq!(fs::read(root.join("file")).unwrap(), b"x");
        assert_eq!(fs::read(outside.join("secret")).unwrap(), b"secret");
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 1);
        // Elsewhere, and in `.git`, links are the user's own.
        symlink(outside.join("secret"), top.join("mine.json")).unwrap();
        write_file(&top.join("mine.json"), b"y").unwrap();
        assert_eq!(read_named(&outside.join("secret")).unwrap(), "y");
        assert_eq!(make_folder(&root.join(".git/hooks/a/b")).unwrap(), outside.join("a/b"));
        assert_eq!(make_folder(&root.join("../mine/new/folder")).unwrap(), root.join("new/folder"));
        symlink("circle", top.join("circle")).unwrap();
        assert!(write_file(&top.join("circle"), b"").unwrap_err().to_string().contains("circle"));
    }
}
