//! Which files of a revision are files of an earlier one under another path.

use super::{Entry, Source, differences};
use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap, HashSet};

/// More pairs of files are not compared by their lines.
const MAX_PAIRS: usize = 10_000;

/// The files that moved from one state to another: files that only the newer one has, by what only the older one has. As
/// in git, the content is the same, or more than half of it is.
pub(crate) struct Renames<'a> {
    base: &'a dyn Source,
    head: &'a dyn Source,
    found: OnceCell<BTreeMap<Box<str>, Box<str>>>,
}

impl<'a> Renames<'a> {
    /// Between two states; nothing is read before the first question.
    pub(crate) fn between(base: &'a dyn Source, head: &'a dyn Source) -> Self {
        Renames { base, head, found: OnceCell::new() }
    }

    /// The path in the older state of a file that has another one in the newer state.
    pub(crate) fn before(&self, path: &str) -> Option<&str> {
        self.found.get_or_init(|| self.find()).get(path).map(|before| &**before)
    }

    fn find(&self) -> BTreeMap<Box<str>, Box<str>> {
        let (mut removed, mut added) = (Vec::new(), Vec::new());
        for pair in differences(self.base.listing(), self.head.listing()) {
            match (pair.before, pair.after) {
                (Some(old), None) => removed.push(old),
                (None, Some(new)) => added.push(new),
                _ => {}
            }
        }
        let mut found = Pairs::default();
        found.add(exact(&removed, &added));
        removed.retain(|old| !found.used.contains(&old.path));
        added.retain(|new| !found.before.contains_key(&new.path));
        if removed.len() * added.len() <= MAX_PAIRS {
            let (old, new) = (lines(self.base, &removed), lines(self.head, &added));
            let mut alike = Vec::new();
            for (old, old_lines) in removed.iter().zip(&old) {
                for (new, new_lines) in added.iter().zip(&new) {
                    let share = old_lines.share(new_lines);
                    alike.extend(share.map(|share| ((share, name(old) == name(new)), *old, *new)));
                }
            }
            found.add(alike);
        }
        found.before
    }
}

/// The pairs of files so far.
#[derive(Default)]
struct Pairs {
    /// The older path by the newer one.
    before: BTreeMap<Box<str>, Box<str>>,
    /// The older paths.
    used: HashSet<Box<str>>,
}

impl Pairs {
    /// Pairs files that have no pair yet: the most similar ones first; of these, those that keep their name.
    fn add(&mut self, mut pairs: Vec<Pair<'_>>) {
        pairs.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| (&a.1.path, &a.2.path).cmp(&(&b.1.path, &b.2.path))));
        for (_, old, new) in pairs {
            if !self.before.contains_key(&new.path) && self.used.insert(old.path.clone()) {
                self.before.insert(new.path.clone(), old.path.clone());
            }
        }
    }
}

/// Two files: how much of them is the same in thousandths and whether the name is, the older one, the newer one.
type Pair<'e> = ((usize, bool), &'e Entry, &'e Entry);

/// The pairs of files with the same content.
fn exact<'e>(removed: &[&'e Entry], added: &[&'e Entry]) -> Vec<Pair<'e>> {
    let mut by_content: HashMap<_, Vec<&Entry>> = HashMap::new();
    for old in removed {
        by_content.entry(&old.id).or_default().push(old);
    }
    let same = |new: &&'e Entry| {
        let old = by_content.get(&new.id).into_iter().flatten();
        old.map(|old| ((1000, name(old) == name(new)), *old, *new)).collect::<Vec<_>>()
    };
    added.iter().flat_map(same).take(MAX_PAIRS).collect()
}

fn name(entry: &Entry) -> &str {
    crate::paths::name(&entry.path)
}

/// The lines of a file: how often each occurs.
#[derive(Default)]
struct Lines {
    counts: HashMap<Box<[u8]>, usize>,
    /// In bytes.
    size: usize,
}

fn lines(source: &dyn Source, entries: &[&Entry]) -> Vec<Lines> {
    let of = |bytes: std::sync::Arc<[u8]>| {
        let mut all = Lines { size: bytes.len(), ..Lines::default() };
        bytes.split_inclusive(|b| *b == b'\n').for_each(|line| *all.counts.entry(line.into()).or_default() += 1);
        all
    };
    entries.iter().map(|entry| source.read(entry).map(of).unwrap_or_default()).collect()
}

impl Lines {
    /// How much of the longer one of two files both have, in thousandths; `None` if that is at most half.
    fn share(&self, other: &Lines) -> Option<usize> {
        let both = self.counts.iter().filter_map(|(line, n)| Some(line.len() * *n.min(other.counts.get(line)?)));
        let common: usize = both.sum();
        let share = common * 1000 / self.size.max(other.size).max(1);
        (share > 500).then_some(share)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Memory;
    use super::*;

    fn before(old: &[(&str, &str)], new: &[(&str, &str)], path: &str) -> Option<String> {
        let source = |files: &[(&str, &str)]| {
            Memory::new("x", files.iter().map(|(p, t)| ((*p).to_owned(), t.as_bytes().to_vec())).collect())
        };
        let (old, new) = (source(old), source(new));
        Renames::between(&old, &new).before(path).map(str::to_owned)
    }

    #[test]
    fn a_file_that_moves_keeps_most_of_its_lines() {
        let text = "a: 1\nb: 2\nc: 3\n";
        assert_eq!(before(&[("a", text)], &[("b", text)], "b").as_deref(), Some("a"));
        assert_eq!(before(&[("a", text)], &[("b", "a: 1\nb: 2\nc: 4\n")], "b").as_deref(), Some("a"));
        assert_eq!(before(&[("a", text)], &[("b", "a: 1\nx: 2\nc: 4\n")], "b"), None);
        // A copy is no move, and a file that stays did not become another one.
        assert_eq!(before(&[("a", text)], &[("a", text), ("b", text)], "b"), None);
        let same = [("a/x.yaml", text), ("b/y.yaml", text)];
        assert_eq!(before(&same, &[("c/y.yaml", text), ("c/x.yaml", text)], "c/y.yaml").as_deref(), Some("b/y.yaml"));
    }
}
