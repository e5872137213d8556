//! Files that exist where the code runs, but whose content git does not have: they are not missing, and what they contain is
//! not known.

use super::BlobId;
use gix::bstr::ByteSlice;
use gix::glob::pattern::Case;
use gix::ignore::Search;
use gix::ignore::search::Ignore;
use std::path::{Path, PathBuf};

/// The name of a file with patterns of paths that git ignores.
pub(super) const IGNORE_FILE: &str = ".gitignore";

/// Longest file that Git LFS takes for a pointer, in bytes (its specification).
const MAX_POINTER: usize = 1024;

/// Why the content of a file is not known, though it is not missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Unavailable {
    /// A file of the revision, or the clone, says that git ignores it: a tool provides it.
    #[error("git ignores it, so this revision does not have it")]
    Ignored,
    /// It is in a submodule whose commit, this one, is not in the clone.
    #[error("it is in a submodule whose commit {0} is not in this clone: run `git submodule update --init`")]
    Submodule(BlobId),
    /// A link leads to it, or elsewhere.
    #[error("where the symbolic link leads is not in this clone, which is partial")]
    Link,
    /// The settings say that a tool makes it.
    #[error("it is declared as generated")]
    Generated,
    /// Git has a pointer to it.
    #[error("git has only a pointer of Git LFS to it")]
    Lfs,
    /// Git has it encrypted by git-crypt.
    #[error("git has it encrypted by git-crypt")]
    GitCrypt,
    /// Git has it encrypted as a whole by sops.
    #[error("git has it encrypted by sops")]
    Sops,
}

impl Unavailable {
    /// Why the bytes that git has of a file are not its content; `None` if they are.
    pub(super) fn of_bytes(bytes: &[u8]) -> Option<Self> {
        let is_pointer = || bytes.len() < MAX_POINTER && bytes.contains_str("\noid sha256:");
        match bytes {
            [b'\0', b'G', b'I', b'T', b'C', b'R', b'Y', b'P', b'T', b'\0', ..] => Some(Self::GitCrypt),
            _ if bytes.starts_with(b"version https://git-lfs.github.com/spec/") && is_pointer() => Some(Self::Lfs),
            _ if is_sops_binary(bytes) || is_sops_yaml(bytes) => Some(Self::Sops),
            _ => None,
        }
    }
}

/// Whether sops encrypted a file that it takes for binary: a JSON object with only the keys `data` and `sops`.
fn is_sops_binary(bytes: &[u8]) -> bool {
    let text = bytes.trim_ascii_start();
    let Some(first) = text.strip_prefix(b"{").map(<[u8]>::trim_ascii_start) else { return false };
    let Some(data) = first.strip_prefix(b"\"data\":").map(<[u8]>::trim_ascii_start) else { return false };
    let end = data.find_byte(b',').and_then(|_| data[1..].find_byte(b'"')).map_or(data.len(), |end| end + 2);
    let rest = data.get(end..).unwrap_or_default().trim_ascii_start();
    let next = rest.strip_prefix(b",").map(<[u8]>::trim_ascii_start);
    data.starts_with(b"\"ENC[") && next.is_some_and(|next| next.starts_with(b"\"sops\""))
}

/// Whether sops encrypted values of a YAML file: it adds a map `sops` at the end.
fn is_sops_yaml(bytes: &[u8]) -> bool {
    bytes.contains_str("ENC[AES256_GCM,") && (bytes.starts_with(b"sops:") || bytes.contains_str("\nsops:"))
}

/// The paths that files of patterns name: those of the clone, which count least, and the files `.gitignore` of a revision.
pub(super) fn ignored_by(files: impl Iterator<Item = (Box<str>, Vec<u8>)>) -> Search {
    let mut files: Vec<_> = files.collect();
    // The files of inner folders come later, and count more.
    files.sort_by_key(|(path, _)| path.matches('/').count());
    let mut search = Search::default();
    for (path, bytes) in files {
        // Paths are relative, so the root is empty.
        let _ = search.add_patterns_buffer(&bytes, PathBuf::from(&*path), Some(Path::new("")), Ignore::default());
    }
    // Of the file that git makes for a new repository, there are only comments.
    search.patterns.retain(|file| !file.patterns.is_empty());
    search
}

/// Whether a path, of a file or a folder, or one of the folders around it is ignored.
pub(super) fn is_ignored(search: &Search, path: &str) -> bool {
    if search.patterns.is_empty() {
        return false;
    }
    let is_excluded = |path: &str, is_folder: bool| {
        let found = search.pattern_matching_relative_path(path.as_bytes().as_bstr(), Some(is_folder), Case::Sensitive);
        found.is_some_and(|found| !found.pattern.is_negative())
    };
    let around = path.match_indices('/').any(|(end, _)| is_excluded(&path[..end], true));
    around || is_excluded(path, false) || is_excluded(path, true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_not_the_content() {
        let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 3\n";
        let sops = "{\n\t\"data\": \"ENC[AES256_GCM,data:Zm9v,iv:YQ==,type:str]\",\n\t\"sops\": {}\n}";
        for (bytes, expected) in [
            (pointer.as_bytes(), Some(Unavailable::Lfs)),
            (b"\0GITCRYPT\0\x93", Some(Unavailable::GitCrypt)),
            (sops.as_bytes(), Some(Unavailable::Sops)),
            (b"", None),
            (b"{}", None),
            (b"{\"data\": \"ENC[x]\"}", None),
            (b"{\"data\":", None),
            (b"{\"data\": \"x\", \"sops\": {}}", None),
            (b"version https://git-lfs.github.com/spec/v1\n# about pointers\n", None),
            (b"a: ENC[AES256_GCM,data:Zm9v,type:str]\nsops:\n    mac: x\n", Some(Unavailable::Sops)),
            (b"a: ENC[AES256_GCM,data:Zm9v,type:str]\n", None),
            (b"a: x\nsops:\n    mac: x\n", None),
            (format!("{pointer}{}", "x".repeat(MAX_POINTER)).as_bytes(), None),
        ] {
            assert_eq!(Unavailable::of_bytes(bytes), expected, "{}", String::from_utf8_lossy(bytes));
        }
    }

    #[test]
    fn patterns_count_from_their_folder() {
        let file = |path: &str, text: &str| (Box::from(path), text.as_bytes().to_vec());
        let files = [
            file("exclude", "/mine/\n*.log\nb.tf\n"),
            file("-a/.gitignore", "!kept.tf\n"),
            file(".gitignore", "/gen/\n*.log\nkept.tf\n!b.tf\n"),
            file("a/.gitignore", "b\n!x.log\n"),
        ];
        let search = ignored_by(files.into_iter());
        let cases = [
            ("gen", true),
            ("gen/x/y", true),
            ("c/gen/x", false),
            ("mine/x", true),
            ("c/mine/x", false),
            ("b.tf", false),
            ("c/y.log", true),
            ("a/x.log", false),
            ("a/b", true),
            ("a/c/b/d", true),
            ("b", false),
            ("-a/kept.tf", false),
            ("kept.tf", true),
        ];
        for (path, expected) in cases {
            assert_eq!(is_ignored(&search, path), expected, "{path}");
        }
        assert!(!is_ignored(&Search::default(), "x"));
    }
}
