//! Entries of maps, removed from the text of a manifest. A map that loses all its entries goes with them.

use super::hcl;
use super::rename::list;
use crate::diagnostic::Edit;
use crate::files::Files;
use crate::manifests::{self, Entry, Manifest};
use crate::resolution::Resolution;
use crate::syntax::Language;
use crate::value::FileId;
use crate::yaml::{NodeId, NodeKind};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// What is left without some entries.
#[derive(Debug, Default)]
pub(crate) struct Removed {
    pub edits: Vec<Edit>,
    /// The number of entries that go.
    pub entries: usize,
    /// Why others stay: a clause with a place for each.
    pub kept: Vec<String>,
}

/// Removes the entries whose keys begin at some places, as far as no comment, anchor or anything else on their lines goes with
/// them, and no comment is left without what it stands above.
pub(crate) fn removed(keys: &BTreeSet<(FileId, u32)>, resolution: &Resolution, files: &Files) -> Removed {
    let sections = manifests::sections(resolution);
    let is_kept = |path: &[&str]| manifests::is_component(path, &sections);
    let mut by_file: BTreeMap<FileId, BTreeSet<usize>> = BTreeMap::new();
    keys.iter().for_each(|(file, start)| _ = by_file.entry(*file).or_default().insert(*start as usize));
    let (hcl, by_file) = by_file.into_iter().partition(|(id, _)| Language::of(&files.get(*id).path) == Language::Hcl);
    let mut all = hcl::removed(&hcl, files);
    let by_file: BTreeMap<FileId, BTreeSet<usize>> = by_file;
    for manifest in manifests::some(resolution, files, |id| by_file.contains_key(&id)) {
        let starts = &by_file[&manifest.id];
        let is_gone = |entry: Entry| starts.contains(&manifest.start(entry.key));
        let comments = Comments::None;
        let found = Removal { manifest: &manifest, is_gone: &is_gone, is_kept: &is_kept, comments }.run();
        all.edits.extend(found.edits);
        all.entries += found.entries;
        all.kept.extend(found.kept);
    }
    all
}

/// A clause about the comments above what edits remove, which stay; empty if there are none.
pub(super) fn comments_above(edits: &[Edit], files: &Files) -> String {
    let above = edits.iter().filter(|edit| edit.text.is_empty()).filter_map(|edit| {
        let file = files.get(edit.file);
        let is_below = is_below_comment(&file.text, edit.start as usize);
        is_below.then(|| format!("{}:{}", file.path, file.line(edit.start) - 1))
    });
    let above: Vec<String> = above.collect();
    if above.is_empty() { String::new() } else { format!("; comments above it stay: {}", list(above)) }
}

/// The removal of entries of one manifest.
pub(super) struct Removal<'a> {
    pub(super) manifest: &'a Manifest<'a>,
    /// Whether an entry is to be removed.
    pub(super) is_gone: &'a dyn Fn(Entry) -> bool,
    /// Whether the entry that some keys lead to stays also if its map becomes empty.
    pub(super) is_kept: &'a dyn Fn(&[&str]) -> bool,
    /// What an entry may have and go.
    pub(super) comments: Comments,
}

/// Which comments an entry that goes may have.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Comments {
    /// Any: those on its lines go with it.
    Any,
    /// Those above it, which stay.
    Above,
    None,
}

/// Whether the line above the one that begins at an offset is a comment that is indented in the same way.
pub(super) fn is_below_comment(text: &str, start: usize) -> bool {
    let (above, line) = (&text[..start], &text[start..]);
    let indent = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let above = above.strip_suffix('\n').and_then(|above| above.lines().next_back());
    above.is_some_and(|above| {
        let content = above.trim_start();
        (content.starts_with('#') || content.starts_with("//")) && indent(above) == indent(line)
    })
}

impl Removal<'_> {
    pub(super) fn run(&self) -> Removed {
        let mut removed = Removed::default();
        if let Some(root) = self.manifest.document.root() {
            self.map(root, &mut Vec::new(), &mut removed);
        }
        removed
    }

    /// Examines a map. Returns the number of removed entries if nothing of it is left: then nothing is noted.
    fn map<'k>(&'k self, map: NodeId, path: &mut Vec<&'k str>, removed: &mut Removed) -> Option<usize> {
        let pairs = self.manifest.pairs(map);
        // The number of entries that go with each entry, if all of it goes.
        let mut gone: Vec<Option<usize>> = Vec::new();
        for (key, value) in pairs {
            let entry = Entry { key: *key, value: *value };
            if (self.is_gone)(entry) {
                gone.push(Some(1));
                continue;
            }
            path.push(self.manifest.document.scalar(*key).map_or("", |key| key));
            let below = self.map(*value, path, removed).filter(|_| !self.manifest.pairs(*value).is_empty());
            let is_kept = path.len() == 1 && pairs.len() == 1 || (self.is_kept)(path);
            path.pop();
            match below {
                Some(entries) if is_kept => {
                    self.note(self.emptied(entry), entries, entry, removed);
                    gone.push(None);
                }
                below => gone.push(below),
            }
        }
        let total: usize = gone.iter().flatten().sum();
        if total > 0 && gone.iter().all(Option::is_some) && !path.is_empty() {
            return Some(total);
        }
        let entry = |i: usize| Entry { key: pairs[i].0, value: pairs[i].1 };
        for (i, entries) in gone.iter().enumerate().filter_map(|(i, entries)| Some((i, (*entries)?))) {
            let range = match self.manifest.is_flow(map) {
                true => self.item(pairs, &gone, i),
                false => self.lines(entry(i)),
            };
            self.note(range.map(|range| (range, "")), entries, entry(i), removed);
        }
        None
    }

    fn note(
        &self,
        found: Result<(Range<usize>, &str), &'static str>,
        entries: usize,
        entry: Entry,
        removed: &mut Removed,
    ) {
        let manifest = self.manifest;
        let checked = found.and_then(|(range, text)| {
            let has_comment = manifest.comment_in(&range).is_some() && self.comments != Comments::Any;
            let start = manifest.line_start(manifest.start(entry.key));
            let is_below = self.comments == Comments::None && is_below_comment(manifest.text(), start);
            let refused = has_comment.then_some("has a comment on its lines");
            let refused = refused.or(is_below.then_some("has a comment above it"));
            refused.or((!self.has_no_anchor(entry)).then_some("has an anchor")).map_or(Ok((range, text)), Err)
        });
        match checked {
            Ok((range, text)) => {
                let edit =
                    Edit { file: manifest.id, start: range.start as u32, end: range.end as u32, text: text.into() };
                removed.edits.push(edit);
                removed.entries += entries;
            }
            Err(why) => removed.kept.push(format!("{} {why}", manifest.place(manifest.start(entry.key)))),
        }
    }

    /// Whether nothing else can refer to a part of an entry.
    fn has_no_anchor(&self, entry: Entry) -> bool {
        let document = self.manifest.document;
        let mut open = vec![entry.key, entry.value];
        while let Some(id) = open.pop() {
            let node = document.node(id);
            if node.anchor.is_some() {
                return false;
            }
            match &node.kind {
                NodeKind::Sequence(items) => open.extend(&**items),
                NodeKind::Mapping(pairs) => open.extend(pairs.iter().flat_map(|(key, value)| [*key, *value])),
                NodeKind::Scalar { .. } | NodeKind::Alias { .. } => {}
            }
        }
        true
    }

    /// The lines of an entry in a map in block style.
    fn lines(&self, entry: Entry) -> Result<Range<usize>, &'static str> {
        let manifest = self.manifest;
        let (key, end) = (manifest.start(entry.key), manifest.entry_end(entry));
        let (start, stop) = (manifest.line_start(key), manifest.line_end(end));
        let behind = manifest.text()[end..stop].trim();
        let is_alone = manifest.text()[start..key].bytes().all(|b| b == b' ');
        match is_alone && (behind.is_empty() || behind.starts_with('#')) {
            true => Ok(start..stop),
            false => Err("shares its line"),
        }
    }

    /// An entry of a map in braces, with a comma.
    fn item(
        &self,
        pairs: &[(NodeId, NodeId)],
        gone: &[Option<usize>],
        index: usize,
    ) -> Result<Range<usize>, &'static str> {
        let manifest = self.manifest;
        let start = |i: usize| manifest.start(pairs[i].0);
        let end = |i: usize| manifest.entry_end(Entry { key: pairs[i].0, value: pairs[i].1 });
        if pairs.iter().any(|(key, _)| manifest.document.node(*key).tag.is_some()) {
            return Err("stands beside a key with a tag");
        }
        let last_kept = gone.iter().rposition(Option::is_none);
        match last_kept {
            Some(kept) if kept < index && index == kept + 1 => Ok(end(kept)..end(gone.len() - 1)),
            // A part of the range of the first one behind the last that stays.
            Some(kept) if kept < index => Ok(end(gone.len() - 1)..end(gone.len() - 1)),
            Some(_) => Ok(start(index)..start(index + 1)),
            None => Err("is all of the file"),
        }
    }

    /// The map of an entry that stays, and what to write instead.
    fn emptied(&self, entry: Entry) -> Result<(Range<usize>, &'static str), &'static str> {
        let manifest = self.manifest;
        if manifest.is_flow(entry.value) {
            return Ok((manifest.start(entry.value)..manifest.end(entry.value), "{}"));
        }
        let colon = manifest.colon(entry).ok_or("has no colon")?;
        Ok((colon + 1..manifest.end(entry.value), " {}"))
    }
}
