//! Segments of key paths.

use crate::text::Text;

/// A segment of a key path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Segment {
    pub text: Text,
    /// Whether it is a number.
    pub is_number: bool,
}

/// A key path as one text, another one for each path.
pub(crate) fn joined(key: &[Segment]) -> Text {
    match key {
        [] => Text::default(),
        [only] if !only.text.is_empty() && !only.text.contains('\0') => Text::clone(&only.text),
        all => all.iter().flat_map(|segment| [segment.text.as_str(), "\0"]).collect::<String>().into(),
    }
}
