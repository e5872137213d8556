//! Writing into the worktree: only files that are there, and only when a fix is asked for.
#![allow(clippy::disallowed_methods, reason = "this is where fixes reach the disk")]

use super::Error;
use std::fs;
use std::path::Path;

/// Replaces the content of a regular file below `root`, if it still is what the change was made from. The file is written
/// beside and then moved into its place, so that nobody sees half of it.
///
/// # Errors
/// The file is no regular file (a link, say), has changed meanwhile, or cannot be written.
pub fn replace(root: &Path, path: &str, old: &[u8], new: &[u8]) -> Result<(), Error> {
    let full = root.join(path);
    let fail = |reason: String| Error::Write { path: full.clone(), reason };
    let meta = fs::symlink_metadata(&full).map_err(|e| fail(e.to_string()))?;
    if !meta.is_file() {
        return Err(fail("it is no regular file".to_owned()));
    }
    if fs::read(&full).map_err(|e| fail(e.to_string()))? != old {
        return Err(fail("it has changed meanwhile".to_owned()));
    }
    let folder = full.parent().unwrap_or(root);
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(|e| fail(e.to_string()))?;
    std::io::Write::write_all(&mut file, new).map_err(|e| fail(e.to_string()))?;
    fs::set_permissions(file.path(), meta.permissions()).map_err(|e| fail(e.to_string()))?;
    file.persist(&full).map_err(|e| fail(e.to_string()))?;
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
        // Whoever has the old file open, by another name or not, still has all of it.
        let known = tempfile::tempdir().unwrap();
        let opened = known.path().join("opened");
        fs::hard_link(&path, &opened).unwrap();
        replace(folder.path(), "a.yaml", b"old", b"new").unwrap();
        assert_eq!((fs::read(&path).unwrap(), fs::read(&opened).unwrap()), (b"new".to_vec(), b"old".to_vec()));
        assert!(replace(folder.path(), "a.yaml", b"old", b"newer").unwrap_err().to_string().contains("changed"));
        assert!(replace(folder.path(), "b.yaml", b"", b"x").is_err());
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(&path, folder.path().join("link.yaml")).unwrap();
            assert!(replace(folder.path(), "link.yaml", b"new", b"x").is_err());
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), if cfg!(unix) { 2 } else { 1 });
    }
}
