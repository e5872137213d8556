//! Renamed files as go-git finds them: the same content first, then similar content (at least 60 in 100).
//! Source: `plumbing/object/rename.go` of go-git 5, which follows JGit.

use crate::source::{Entry, EntryKind, Source};
use std::collections::{BTreeMap, HashMap, HashSet};

/// The least similarity of a renamed file, in hundredths.
const LEAST: u64 = 60;
/// More pairs of files are not compared by content; go-git has no such limit.
const MAX_PAIRS: usize = 40_000;
/// Larger files are not compared by content.
const MAX_BYTES: usize = 1 << 20;
/// Lines are compared in pieces of at most this many bytes.
const PIECE: usize = 64;

/// A file that is known by another path now.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Renamed<'a> {
    /// The removed file.
    pub(super) from: &'a Entry,
    /// The added file.
    pub(super) to: &'a Entry,
}

/// Pairs removed and added files.
pub(super) fn find<'a>(
    removed: &[&'a Entry],
    new: &[&'a Entry],
    from: &dyn Source,
    to: &dyn Source,
) -> Vec<Renamed<'a>> {
    let (mut removed, mut new) = (removed.to_vec(), new.to_vec());
    let mut found = same_content(&mut removed, &mut new);
    found.extend(similar_content(&removed, &new, from, to));
    found
}

/// Pairs of the same content; what is paired is taken out.
fn same_content<'a>(removed: &mut Vec<&'a Entry>, new: &mut Vec<&'a Entry>) -> Vec<Renamed<'a>> {
    let mut by_id: BTreeMap<_, (Vec<&'a Entry>, Vec<&'a Entry>)> = BTreeMap::new();
    for entry in removed.iter() {
        by_id.entry(entry.id).or_default().0.push(entry);
    }
    for entry in new.iter() {
        by_id.entry(entry.id).or_default().1.push(entry);
    }
    let mut found = Vec::new();
    for (removed, new) in by_id.into_values() {
        if removed.len().saturating_mul(new.len()) > MAX_PAIRS {
            continue;
        }
        let pairs = removed.iter().flat_map(|a| new.iter().map(move |b| (name_score(&b.path, &a.path), *a, *b)));
        let mut pairs: Vec<_> = pairs.filter(|(_, a, b)| a.kind == b.kind).collect();
        pairs.sort_by_key(|(score, ..)| *score);
        take_best(pairs, &mut found);
    }
    let taken: HashSet<&str> = found.iter().flat_map(|r: &Renamed<'_>| [&*r.from.path, &*r.to.path]).collect();
    removed.retain(|e| !taken.contains(&*e.path));
    new.retain(|e| !taken.contains(&*e.path));
    found
}

/// Takes pairs from the end, using each file once.
fn take_best<'a>(pairs: Vec<(u64, &'a Entry, &'a Entry)>, found: &mut Vec<Renamed<'a>>) {
    let (mut from, mut to) = (HashSet::new(), HashSet::new());
    for (_, a, b) in pairs.into_iter().rev() {
        if !from.contains(&a.path) && !to.contains(&b.path) {
            from.insert(&a.path);
            to.insert(&b.path);
            found.push(Renamed { from: a, to: b });
        }
    }
}

fn similar_content<'a>(
    removed: &[&'a Entry],
    new: &[&'a Entry],
    from: &dyn Source,
    to: &dyn Source,
) -> Vec<Renamed<'a>> {
    if removed.is_empty() || new.is_empty() || removed.len().saturating_mul(new.len()) > MAX_PAIRS {
        return Vec::new();
    }
    let indexed = |entries: &[&'a Entry], source: &dyn Source| -> Vec<(&'a Entry, LineIndex)> {
        let regular = entries.iter().filter(|e| e.kind == EntryKind::File);
        regular.filter_map(|e| Some((*e, LineIndex::of(&source.read(e).ok()?)?))).collect()
    };
    let (removed, new) = (indexed(removed, from), indexed(new, to));
    let mut pairs = Vec::new();
    for (a, one) in &removed {
        for (b, other) in &new {
            let (least, most) = (one.size.min(other.size), one.size.max(other.size));
            if least * 100 < LEAST * most {
                continue;
            }
            let score = (one.score(other) * 99 + name_score(&a.path, &b.path) * 100) / 10_000;
            if score >= LEAST {
                pairs.push((score, *a, *b));
            }
        }
    }
    pairs.sort_by_key(|(score, ..)| *score);
    let mut found = Vec::new();
    take_best(pairs, &mut found);
    found
}

/// How many bytes of a file are in equal lines.
struct LineIndex {
    size: u64,
    hashed: u64,
    pieces: HashMap<Vec<u8>, u64>,
}

impl LineIndex {
    /// `None` for a file that is too large, or empty.
    fn of(bytes: &[u8]) -> Option<Self> {
        if bytes.is_empty() || bytes.len() > MAX_BYTES {
            return None;
        }
        let is_text = !bytes[..bytes.len().min(8_000)].contains(&0);
        let mut index = LineIndex { size: bytes.len() as u64, hashed: 0, pieces: HashMap::new() };
        for line in bytes.split_inclusive(|b| *b == b'\n') {
            for piece in line.chunks(PIECE) {
                // A carriage return before the end of a line does not count.
                let text = match piece {
                    [start @ .., b'\r', b'\n'] if is_text => [start, b"\n"].concat(),
                    piece => piece.to_vec(),
                };
                let length = text.len() as u64;
                index.hashed += length;
                *index.pieces.entry(text).or_default() += length;
            }
        }
        Some(index)
    }

    /// The bytes in common, in ten-thousandths of the larger file.
    fn score(&self, other: &LineIndex) -> u64 {
        let most = self.hashed.max(other.hashed).max(1);
        let common: u64 = self.pieces.iter().map(|(piece, n)| other.pieces.get(piece).map_or(0, |m| *n.min(m))).sum();
        (common * 10_000 / most).min(10_000)
    }
}

/// How similar two paths are, in hundredths: half for the folder, from its start and its end, half for the end of the name.
fn name_score(a: &str, b: &str) -> u64 {
    let split = |path: &str| path.rfind('/').map_or(0, |at| at + 1);
    let (a_dir, b_dir) = (split(a), split(b));
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let share = |same: usize, most: usize| (same * 100).checked_div(most).map_or(100, |share| share as u64);
    let equal = |x: &mut dyn Iterator<Item = (&u8, &u8)>| x.take_while(|(x, y)| x == y).count();
    let most = a_dir.max(b_dir);
    let forward = share(equal(&mut a[..a_dir].iter().zip(&b[..b_dir])), most);
    let backward = match forward {
        100 => 100,
        _ => share(equal(&mut a[..a_dir].iter().rev().zip(b[..b_dir].iter().rev())), most),
    };
    let name =
        share(equal(&mut a[a_dir..].iter().rev().zip(b[b_dir..].iter().rev())), (a.len() - a_dir).max(b.len() - b_dir));
    ((forward + backward) * 25 + name * 50) / 100
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_compared_by_folder_and_name() {
        assert_eq!(name_score("a/b.tf", "a/b.tf"), 100);
        assert_eq!(name_score("b.tf", "c.tf"), 87);
        assert_eq!(name_score("x/main.tf", "y/main.tf"), 62);
        assert!(name_score("x/main.tf", "x/other.tf") > name_score("x/main.tf", "y/outputs.md"));
    }

    #[test]
    fn carriage_returns_do_not_count() {
        let (a, b) = (LineIndex::of(b"one\ntwo\n"), LineIndex::of(b"one\r\ntwo\r\n"));
        assert!(a.unwrap().score(&b.unwrap()) == 10_000);
    }
}
