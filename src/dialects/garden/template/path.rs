//! Key paths: what lookups look for.

use super::ast::Key;
use super::convert::number_text;
use crate::text::Text;

/// The most segments of a path whose ends are prepared.
const MOST_PREPARED: usize = 8;

/// A segment of a key path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Segment {
    /// Its text.
    pub text: Text,
    /// Whether it is a number.
    pub is_number: bool,
}

/// A key path as it is written: `a.b["c"]`.
#[derive(Debug)]
pub(crate) struct KeyPath {
    /// Its keys.
    pub keys: Vec<Key>,
    /// Its segments, if none of them has to be evaluated.
    pub(super) segments: Option<Vec<Segment>>,
    /// See [`joined`]: the text of the whole path, of the path without its first segment, and so on. Only of short paths.
    pub(super) joined: Vec<Text>,
}

impl KeyPath {
    /// The path of some keys.
    pub(super) fn new(keys: Vec<Key>) -> KeyPath {
        let segments: Option<Vec<Segment>> = keys.iter().map(segment).collect();
        let short = segments.as_deref().filter(|segments| segments.len() <= MOST_PREPARED).unwrap_or_default();
        let joined = (0..short.len()).map(|first| joined(&short[first..])).collect();
        KeyPath { keys, segments, joined }
    }
}

/// The segment that a key is, if it need not be evaluated.
fn segment(key: &Key) -> Option<Segment> {
    match key {
        Key::Name(name) => Some(Segment { text: Text::clone(name), is_number: false }),
        Key::Index(n) => Some(Segment { text: number_text(*n).into(), is_number: true }),
        Key::Computed(_) => None,
    }
}

/// A key path as one text, another one for each path.
pub(super) fn joined(key: &[Segment]) -> Text {
    match key {
        [] => Text::default(),
        [only] if !only.text.is_empty() && !only.text.contains('\0') => Text::clone(&only.text),
        all => all.iter().flat_map(|segment| [segment.text.as_str(), "\0"]).collect::<String>().into(),
    }
}
