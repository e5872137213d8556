//! A revision that is compared with the worktree.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::source::{Entry, Error, Folder, Listing, Source};

/// Another source, with what the worktree knows better than git. The files that git ignores are no part of a change, so both
/// sides have them. Of a file that another program converts (Git LFS, git-crypt) and that is as git left it, the worktree has
/// the content.
struct Beside {
    inner: Box<dyn Source>,
    worktree: Folder,
    listing: Listing,
}

/// Returns `base` as it is compared with `head`.
pub(crate) fn beside(base: Box<dyn Source>, head: &dyn Source) -> Box<dyn Source> {
    let Some(worktree) = head.folder() else { return base };
    let (old, new) = (base.listing(), worktree.listing());
    let is_stored = |entry: &Entry| worktree.stored(&entry.path) == Some(entry.id);
    let of_git = old.iter().map(|entry| new.get(&entry.path).filter(|_| is_stored(entry)).unwrap_or(entry));
    let ignored = new.iter().filter(|entry| worktree.ignores(&entry.path) && old.get(&entry.path).is_none());
    let entries: Vec<Entry> = of_git.chain(ignored).cloned().collect();
    let links = |listing: &Listing| -> BTreeMap<Box<str>, Box<str>> {
        let known = entries.iter().filter_map(|e| Some((e.path.clone(), listing.link_target(&e.path)?.into())));
        known.collect()
    };
    let mut all = links(new);
    all.retain(|path, _| old.get(path).is_none());
    all.extend(links(old));
    let listing = Listing::new(entries, all).ignoring_as(old);
    Box::new(Beside { inner: base, worktree, listing })
}

impl Beside {
    fn own(&self, entry: &Entry) -> Result<Arc<[u8]>, &dyn Source> {
        Err(match self.inner.listing().get(&entry.path) {
            Some(inner) if inner.id == entry.id => &*self.inner,
            _ => &self.worktree,
        })
    }
}

impl Source for Beside {
    super::like_inner!();
}
