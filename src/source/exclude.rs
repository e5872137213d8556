//! What a clone itself ignores, beside the files `.gitignore` of its revisions.
#![allow(clippy::disallowed_methods, reason = "git has no object for this file")]

use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Longest file that says what git ignores, in bytes.
pub(super) const MAX_RULES: u64 = 1 << 20;

/// The file in a git directory that names what its clone ignores, with its content; `None` if there is none.
pub(super) fn own_rules(git: &Path) -> Option<(Box<str>, Vec<u8>)> {
    let (mut bytes, file) = (Vec::new(), File::open(git.join("info/exclude")).ok()?);
    file.take(MAX_RULES).read_to_end(&mut bytes).ok()?;
    // Its patterns count from the root of the worktree.
    Some(("exclude".into(), bytes))
}
