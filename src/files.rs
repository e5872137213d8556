//! The files of an analysis. Both revisions share one table: the same path with the same content is one file, so that a
//! place in it is the same place on both sides.

use crate::text::{FastMap, FastSet, Text};
use crate::value::FileId;
use parking_lot::{Mutex, RwLock};
use std::any::Any;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// One file, as it was read.
#[derive(Debug)]
pub(crate) struct File {
    /// Its path from the root of the repository, with `/`.
    pub path: Text,
    /// Its text. Offsets of [`crate::value::Origin`] are byte offsets into it.
    pub text: Text,
    /// The offsets of lines; computed on demand for few files.
    lines: OnceLock<Vec<u32>>,
    derived: OnceLock<Arc<dyn Any + Send + Sync>>,
    /// The bytes that something which reads the file declares to be secret.
    secrets: Mutex<BTreeSet<(u32, u32)>>,
}

/// A place as people count: from 1, columns in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Position {
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
}

impl File {
    fn new(path: Text, text: Text) -> Self {
        File { path, text, lines: OnceLock::new(), derived: OnceLock::new(), secrets: Mutex::default() }
    }

    /// Notes that what is written in a range of bytes is secret, whatever its key is.
    pub(crate) fn add_secret(&self, range: Range<u32>) {
        self.secrets.lock().insert((range.start, range.end));
    }

    /// The ranges that are noted as secret and overlap a range.
    pub(crate) fn secrets_in(&self, range: &Range<u32>) -> Vec<Range<u32>> {
        let secrets = self.secrets.lock();
        let overlapping = secrets.iter().filter(|(start, end)| *start < range.end && range.start < *end);
        overlapping.map(|(start, end)| *start..*end).collect()
    }

    /// Data derived from the text, cached. Only the first type of it is kept.
    pub(crate) fn derived<T: Any + Send + Sync>(&self, make: impl FnOnce() -> T) -> Arc<T> {
        let known = self.derived.get().and_then(|known| Arc::clone(known).downcast::<T>().ok());
        known.unwrap_or_else(|| {
            let made = Arc::new(make());
            self.derived.get_or_init(|| Arc::clone(&made) as Arc<dyn Any + Send + Sync>);
            made
        })
    }

    /// The first byte of each line.
    fn lines(&self) -> &[u32] {
        self.lines.get_or_init(|| {
            let ends = self.text.bytes().enumerate().filter(|(_, b)| *b == b'\n');
            std::iter::once(0).chain(ends.map(|(i, _)| i as u32 + 1)).collect()
        })
    }

    /// Returns the line (from 1) of a byte offset.
    pub(crate) fn line(&self, offset: u32) -> u32 {
        self.lines().partition_point(|start| *start <= offset) as u32
    }

    /// The position of a byte offset; an offset past the end is the end.
    pub(crate) fn position(&self, offset: u32) -> Position {
        let line = self.line(offset);
        let start = self.lines()[line as usize - 1] as usize;
        let mut end = (offset as usize).clamp(start, self.text.len());
        while !self.text.is_char_boundary(end) {
            end -= 1;
        }
        Position { line, column: self.text[start..end].chars().count() as u32 + 1 }
    }

    /// The text of a line (from 1), without its line end.
    pub(crate) fn line_text(&self, line: u32) -> &str {
        let Some(start) = (line as usize).checked_sub(1).and_then(|i| self.lines().get(i)) else { return "" };
        let end = self.lines().get(line as usize).map_or(self.text.len(), |e| *e as usize);
        self.text[*start as usize..end].trim_end_matches(['\n', '\r'])
    }

    /// The byte offsets of a line (from 1), without its line end; empty at the end of the file for a line that is not there.
    pub(crate) fn line_span(&self, line: u32) -> std::ops::Range<u32> {
        let start = (line as usize).checked_sub(1).and_then(|i| self.lines().get(i));
        let start = start.map_or(self.text.len() as u32, |start| *start);
        start..start + self.line_text(line).len() as u32
    }

    /// The end of a span without the white space that it ends with. A span of a key that reaches to its value in the next
    /// line ends with the key.
    pub(crate) fn trimmed_end(&self, start: u32, end: u32) -> u32 {
        let text = self.text.get(start as usize..end as usize);
        text.map_or(end, |text| start + text.trim_end().len() as u32)
    }

    /// The number of lines.
    pub(crate) fn line_count(&self) -> u32 {
        self.lines().len() as u32
    }
}

/// All files of an analysis; can be shared between threads.
#[derive(Debug, Default)]
pub(crate) struct Files {
    inner: RwLock<Inner>,
    /// The paths that were asked for, each once.
    paths: RwLock<FastSet<Text>>,
}

#[derive(Debug, Default)]
struct Inner {
    files: Vec<Arc<File>>,
    /// The versions of each path: their identities, and their ids.
    ids: FastMap<Text, Vec<(Text, FileId)>>,
}

impl Inner {
    fn id(&self, path: &str, identity: &str) -> Option<FileId> {
        let (_, id) = self.ids.get(path)?.iter().find(|(known, _)| **known == *identity)?;
        Some(*id)
    }
}

impl Files {
    /// Returns the id of a file that was added, by its path and its content.
    pub(crate) fn known(&self, path: &str, identity: &str) -> Option<FileId> {
        self.inner.read().id(path, identity)
    }

    /// Returns the id of the file at `path` whose content is `identity` (a blob id); `text` is called only the first
    /// time.
    pub(crate) fn add(&self, path: &str, identity: &str, text: impl FnOnce() -> Text) -> FileId {
        if let Some(id) = self.known(path, identity) {
            return id;
        }
        let path = Text::from(path);
        let file = Arc::new(File::new(Text::clone(&path), text()));
        let mut inner = self.inner.write();
        if let Some(id) = inner.id(&path, identity) {
            return id;
        }
        let id = FileId::new(inner.files.len() as u32);
        inner.files.push(file);
        inner.ids.entry(path).or_default().push((identity.into(), id));
        id
    }

    /// Returns a table without earlier versions of files: those of a path that has another content now, or another version that was
    /// added later. `content` returns the identity of a path. The ids of the files stay; those of earlier versions are
    /// never used again.
    pub(crate) fn without_earlier_versions(&self, content: impl Fn(&str) -> Option<String>) -> Files {
        let inner = self.inner.read();
        let dropped = Arc::new(File::new(Text::default(), Text::default()));
        let mut files: Vec<Arc<File>> = inner.files.iter().map(|_| Arc::clone(&dropped)).collect();
        let mut ids: FastMap<Text, Vec<(Text, FileId)>> = FastMap::default();
        for (path, versions) in &inner.ids {
            let newest = versions.iter().map(|(_, id)| *id).max();
            let now = content(path);
            let is_kept = |(identity, id): &&(Text, FileId)| Some(*id) == newest || now.as_deref() == Some(&**identity);
            let kept: Vec<(Text, FileId)> = versions.iter().filter(is_kept).cloned().collect();
            kept.iter().for_each(|(_, id)| files[id.index()] = Arc::clone(&inner.files[id.index()]));
            ids.insert(Text::clone(path), kept);
        }
        Files { inner: RwLock::new(Inner { files, ids }), paths: RwLock::default() }
    }

    /// Returns a path as a text that everyone shares who asks for it: many units ask for the same files, below deep folders.
    pub(crate) fn shared(&self, path: &str) -> Text {
        if let Some(known) = self.paths.read().get(path) {
            return Text::clone(known);
        }
        let mut paths = self.paths.write();
        if let Some(known) = paths.get(path) {
            return Text::clone(known);
        }
        let path = Text::from(path);
        paths.insert(Text::clone(&path));
        path
    }

    /// Returns the file of an id from this table.
    pub(crate) fn get(&self, id: FileId) -> Arc<File> {
        Arc::clone(&self.inner.read().files[id.index()])
    }

    /// The ids of the versions of a file, in the order in which they were added.
    pub(crate) fn versions(&self, path: &str) -> Vec<FileId> {
        self.inner.read().ids.get(path).into_iter().flatten().map(|(_, id)| *id).collect()
    }

    /// The texts of the versions of a file.
    #[cfg(test)]
    pub(crate) fn texts(&self, path: &str) -> Vec<Text> {
        self.inner.read().files.iter().filter(|file| *file.path == *path).map(|file| Text::clone(&file.text)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn earlier_versions_are_dropped_and_ids_stay() {
        let files = Files::default();
        let add = |path: &str, identity: &str| files.add(path, identity, || format!("{path} {identity}").into());
        let [old, new, other, gone, older] =
            [("a", "1"), ("a", "2"), ("b", "1"), ("c", "1"), ("d", "1")].map(|(path, identity)| add(path, identity));
        let newer = add("d", "2");
        let content = [("a", "2"), ("b", "1"), ("d", "1")];
        let content =
            |path: &str| content.iter().find(|(of, _)| *of == path).map(|(_, identity)| (*identity).to_owned());
        let kept = files.without_earlier_versions(content);
        // What is there now, or was there last.
        for (id, text) in [(new, "a 2"), (other, "b 1"), (gone, "c 1"), (older, "d 1"), (newer, "d 2"), (old, "")] {
            assert_eq!(&*kept.get(id).text, text);
        }
        assert_eq!(kept.add("a", "2", || unreachable!("it is known")), new);
        assert!(kept.add("a", "1", || "again".into()) > newer);
    }
}
