//! The differences between two listings.

use super::listing::{Entry, EntryKind, Listing};

/// How a path differs between two listings.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) enum ChangeKind {
    /// Only in the second.
    Added,
    /// Only in the first.
    Removed,
    /// In both, with other content, or one is a link or submodule and the other is not.
    Modified,
}

/// A path that differs between two listings.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Change {
    pub path: Box<str>,
    /// How it differs.
    pub kind: ChangeKind,
}

/// The entries of one path in two listings; at least one is there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EntryPair<'a> {
    /// In the first.
    pub before: Option<&'a Entry>,
    /// In the second.
    pub after: Option<&'a Entry>,
}

impl EntryPair<'_> {
    pub(crate) fn path(&self) -> &str {
        self.after.or(self.before).map_or("", |entry| &entry.path)
    }
}

/// The entries that differ from `a` to `b`, in the order of their paths. The executable bit is a difference.
pub(crate) fn differences<'a>(a: &'a Listing, b: &'a Listing) -> Vec<EntryPair<'a>> {
    let mut found = Vec::new();
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
    loop {
        let order = match (a.peek(), b.peek()) {
            (None, None) => return found,
            (Some(_), None) => std::cmp::Ordering::Less,
            (None, Some(_)) => std::cmp::Ordering::Greater,
            (Some(a), Some(b)) => a.path.as_bytes().cmp(b.path.as_bytes()),
        };
        let before = if order.is_le() { a.next() } else { None };
        let after = if order.is_ge() { b.next() } else { None };
        let is_same = |(before, after): (&Entry, &Entry)| before.id == after.id && before.kind == after.kind;
        if !before.zip(after).is_some_and(is_same) {
            found.push(EntryPair { before, after });
        }
    }
}

/// Returns the paths that differ between `a` and `b`, in order. A difference of only the executable bit does not count.
pub(crate) fn changed(a: &Listing, b: &Listing) -> Vec<Change> {
    let change = |pair: &EntryPair<'_>| {
        let kind = match (pair.before, pair.after) {
            (Some(old), Some(new)) if old.id == new.id && family(old.kind) == family(new.kind) => return None,
            (Some(_), Some(_)) => ChangeKind::Modified,
            (Some(_), None) => ChangeKind::Removed,
            (None, _) => ChangeKind::Added,
        };
        Some(Change { path: pair.path().into(), kind })
    };
    differences(a, b).iter().filter_map(change).collect()
}

fn family(kind: EntryKind) -> EntryKind {
    if kind == EntryKind::Executable { EntryKind::File } else { kind }
}

#[cfg(test)]
mod tests {
    use super::super::{Memory, Source as _};
    use super::*;
    use std::collections::BTreeMap;

    fn listing(files: &[&str], links: &[(&str, &str)]) -> Listing {
        let files = files.iter().map(|path| ((*path).to_owned(), path.as_bytes().to_vec())).collect();
        let links: BTreeMap<_, _> = links.iter().map(|(path, to)| ((*path).to_owned(), (*to).to_owned())).collect();
        Memory::with_links("memory", files, links).listing().clone()
    }

    #[test]
    fn changes_are_found_by_identity() {
        let a = listing(&["a", "b", "c"], &[("l", "a")]);
        let files = [("a", "a"), ("b", "other"), ("d", "d"), ("l", "a")];
        let files = files.map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec()));
        let b = Memory::new("b", files.into()).listing().clone();
        let changes: Vec<_> =
            changed(&a, &b).into_iter().map(|change| (change.path.to_string(), change.kind)).collect();
        let expected = [
            ("b", ChangeKind::Modified),
            ("c", ChangeKind::Removed),
            ("d", ChangeKind::Added),
            ("l", ChangeKind::Modified),
        ];
        assert_eq!(changes, expected.map(|(path, kind)| (path.to_owned(), kind)));
        assert!(changed(&a, &a).is_empty());
    }
}
