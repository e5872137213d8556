//! The checks that a cache keeps, and entries that somebody wrote into it.

use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

/// The files below a folder; none if it does not exist.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

/// Writes an entry with the checksum that belongs to its content.
pub(crate) fn forge(entry: &Path, body: &str) {
    let name = |path: &Path| path.file_stem().unwrap().to_str().unwrap().to_owned();
    let key = name(entry.parent().unwrap()) + &name(entry);
    let sum: String = Sha256::digest(format!("{key}\n{body}")).iter().map(|byte| format!("{byte:02x}")).collect();
    std::fs::write(entry, format!("{sum}\n{body}")).unwrap();
}

/// The body of the entry of a check, as if nothing had been found; `None` for other entries.
pub(crate) fn without_findings(entry: &Path) -> Option<String> {
    let text = std::fs::read_to_string(entry).unwrap();
    let (_, body) = text.split_once('\n')?;
    let (before, rest) = body.split_once("\"findings\":[")?;
    let (_, after) = rest.split_once("],\"coverage\"")?;
    Some(format!("{before}\"findings\":[],\"coverage\"{after}"))
}
