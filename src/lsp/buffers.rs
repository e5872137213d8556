//! The files that are open in the editor.

use super::position::{Encoding, Lines};
use ls_types::{TextDocumentContentChangeEvent, Uri};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The largest text of a buffer, in bytes: that of a file of configuration.
const MAX_BYTES: usize = 64 << 20;

/// An open file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Buffer {
    /// The version of its text, as the editor counts.
    pub(super) version: i32,
    pub(super) text: String,
}

/// The open files by URI.
#[derive(Debug, Default)]
pub(super) struct Buffers {
    open: BTreeMap<Uri, Buffer>,
}

impl Buffers {
    /// A file is open, or no longer.
    pub(super) fn set(&mut self, uri: Uri, buffer: Option<Buffer>) {
        match buffer {
            Some(buffer) => self.open.insert(uri, buffer),
            None => self.open.remove(&uri),
        };
    }

    /// Applies edits in their order. What is edited beyond the largest size stays as it is.
    pub(super) fn edit(
        &mut self,
        uri: &Uri,
        version: i32,
        edits: Vec<TextDocumentContentChangeEvent>,
        encoding: Encoding,
    ) {
        let Some(buffer) = self.open.get_mut(uri) else { return };
        buffer.version = version;
        for edit in edits {
            if buffer.text.len() + edit.text.len() > MAX_BYTES {
                return;
            }
            match edit.range {
                None => buffer.text = edit.text,
                Some(range) => {
                    let lines = Lines::new(&buffer.text, encoding);
                    let (start, end) = (lines.offset(range.start), lines.offset(range.end));
                    buffer.text.replace_range(start..end.max(start), &edit.text);
                }
            }
        }
    }

    /// An open file.
    pub(super) fn get(&self, uri: &Uri) -> Option<&Buffer> {
        self.open.get(uri)
    }

    /// The open files that lie on the disk, with their paths.
    pub(super) fn iter(&self) -> impl Iterator<Item = (PathBuf, &Buffer)> {
        self.open.iter().filter_map(|(uri, buffer)| Some((path_of(uri)?, buffer)))
    }
}

/// The path of a file on the disk.
pub(super) fn path_of(uri: &Uri) -> Option<PathBuf> {
    let is_file = uri.scheme().as_str().eq_ignore_ascii_case("file");
    if is_file { uri.to_file_path().map(std::borrow::Cow::into_owned) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ls_types::{Position, Range};

    #[test]
    fn edits_apply_in_their_order() {
        let uri: Uri = "file:///a/b%20c.yaml".parse().unwrap();
        let mut buffers = Buffers::default();
        buffers.set(uri.clone(), Some(Buffer { version: 1, text: "a: 😀\nb: 2\n".to_owned() }));
        let edit = |start: (u32, u32), end: (u32, u32), text: &str| TextDocumentContentChangeEvent {
            range: Some(Range { start: Position::new(start.0, start.1), end: Position::new(end.0, end.1) }),
            range_length: None,
            text: text.to_owned(),
        };
        let edits = vec![edit((0, 3), (0, 5), "1"), edit((1, 3), (1, 4), "x\ny"), edit((9, 0), (9, 9), "end")];
        buffers.edit(&uri, 2, edits, Encoding::Utf16);
        assert_eq!(buffers.get(&uri), Some(&Buffer { version: 2, text: "a: 1\nb: x\ny\nend".to_owned() }));
        assert_eq!(buffers.iter().next().map(|(path, _)| path), Some("/a/b c.yaml".into()));
        buffers.set(uri.clone(), None);
        assert_eq!(buffers.get(&uri), None);
        assert_eq!(path_of(&"untitled:Untitled-1".parse().unwrap()), None);
    }
}
