//! What values contain, found once, so that passes can skip them.

use shared_text::first_eight;
use std::ops::BitOr;

/// What a subtree contains, so that passes can skip subtrees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags(u8);

impl Flags {
    /// Some string holds `{{`.
    pub const TEMPLATE: Flags = Flags(1);
    /// Some string starts with `!` (a function call in some dialects).
    pub const CALL: Flags = Flags(2);
    /// Some value is a date.
    pub const TIME: Flags = Flags(4);
    /// Some value is unknown.
    pub const UNKNOWN: Flags = Flags(8);
    /// Some string or key starts with a line break, or with a tab and has several lines, or a key is `<<`: does not survive a
    /// trip through YAML text.
    pub const NOT_YAML_STABLE: Flags = Flags(16);
    /// Some key starts with two underscores: a marker that a dialect reserves.
    pub const MARKER: Flags = Flags(32);
    /// Some string or key holds what templates leave where a value is missing: `<no value>`, `%!s(…)`.
    pub const RENDERED_NO_VALUE: Flags = Flags(64);
    /// Some value is contested, see [`Value::has_override`](crate::Value::has_override).
    pub const OVERRIDDEN: Flags = Flags(128);

    /// Whether all bits of `other` are set.
    #[inline]
    pub fn has(self, other: Flags) -> bool {
        self.0 & other.0 == other.0
    }

    /// All bits of this one that are not in `other`.
    #[must_use]
    #[inline]
    pub fn without(self, other: Flags) -> Flags {
        Flags(self.0 & !other.0)
    }

    /// Whether nothing is set.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The flags that text can have; the others are those of dates, unknown values, keys and histories.
    const TEXT: Flags =
        Flags(Flags::TEMPLATE.0 | Flags::CALL.0 | Flags::NOT_YAML_STABLE.0 | Flags::RENDERED_NO_VALUE.0);

    /// Whether text has a flag.
    #[inline]
    pub(crate) fn is_in_text(flag: Flags, text: &str) -> bool {
        match flag {
            Flags::TEMPLATE => has_template(text),
            Flags::CALL => is_call(text),
            Flags::RENDERED_NO_VALUE => has_trace(text),
            _ => Flags::TEXT.has(flag) && Flags::of_text(text).has(flag),
        }
    }

    #[inline]
    pub(crate) fn of_text(text: &str) -> Flags {
        let mut flags = of_marks(text);
        if is_call(text) {
            flags = flags | Flags::CALL;
        }
        if is_fragile(text) {
            flags = flags | Flags::NOT_YAML_STABLE;
        }
        flags
    }
}

/// Finds delimiters of templates in text. Most text contains none of their characters, which a single scan shows.
fn of_marks(text: &str) -> Flags {
    let mut flags = Flags::default();
    if text.bytes().fold(false, |any, byte| any | matches!(byte, b'{' | b'<' | b'%')) {
        if has_template(text) {
            flags = flags | Flags::TEMPLATE;
        }
        if has_trace(text) {
            flags = flags | Flags::RENDERED_NO_VALUE;
        }
    }
    flags
}

/// Whether text changes when it is written and read as YAML: line breaks at its start are lost, and a tab at the start
/// of several lines is treated as indentation, which is an error.
fn is_fragile(text: &str) -> bool {
    match text.as_bytes().first() {
        Some(b'\n' | b'\r') => true,
        Some(b'\t') => text.contains('\n'),
        _ => false,
    }
}

impl BitOr for Flags {
    type Output = Flags;
    fn bitor(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }
}

/// Whether text is a function call in those dialects that have them.
#[inline]
pub fn is_call(text: &str) -> bool {
    text.as_bytes().first() == Some(&b'!')
}

/// Whether text may hold template actions.
#[inline]
pub fn has_template(text: &str) -> bool {
    has_byte(text, b'{') && has_pair(text, *b"{{")
}

/// Whether text contains an ASCII character. It looks at eight bytes at a time: most text is short, and has none.
fn has_byte(text: &str, byte: u8) -> bool {
    const LOW: u64 = u64::from_ne_bytes([0x01; 8]);
    const HIGH: u64 = u64::from_ne_bytes([0x80; 8]);
    let wanted = u64::from_ne_bytes([byte; 8]);
    let has = |eight: &[u8; 8]| {
        // A byte of it is zero where the character is.
        let differing = u64::from_ne_bytes(*eight) ^ wanted;
        differing.wrapping_sub(LOW) & !differing & HIGH != 0
    };
    let bytes = text.as_bytes();
    match bytes.last_chunk() {
        Some(last) => has(last) || bytes.as_chunks().0.iter().any(has),
        None => has(&first_eight(bytes).to_ne_bytes()),
    }
}

fn has_pair(text: &str, pair: [u8; 2]) -> bool {
    text.as_bytes().array_windows::<2>().any(|two| *two == pair)
}

fn has_trace(text: &str) -> bool {
    has_byte(text, b'%') && has_pair(text, *b"%!") || has_byte(text, b'<') && text.contains("<no value>")
}

/// The flags of a key.
#[inline]
pub(crate) fn key_flags(key: &str) -> Flags {
    let mut flags = of_marks(key);
    if key == "<<" || is_fragile(key) {
        flags = flags | Flags::NOT_YAML_STABLE;
    }
    if key.starts_with("__") {
        flags = flags | Flags::MARKER;
    }
    flags
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn bytes_are_found_wherever_they_are(text in "[ -~\u{80}-\u{17f}]{0,40}") {
            prop_assert_eq!(has_byte(&text, b'{'), text.contains('{'));
            prop_assert_eq!(of_marks(&text) == Flags::default(), !has_template(&text) && !has_trace(&text));
        }

        #[test]
        fn marks_of_templates_are_found_wherever_they_are(before in "[a{<%é]{0,20}", after in "[b}>!]{0,20}") {
            for mark in ["{{", "%!", "<no value>", ""] {
                let text = format!("{before}{mark}{after}");
                prop_assert_eq!(has_template(&text), text.contains("{{"));
                prop_assert_eq!(has_trace(&text), text.contains("%!") || text.contains("<no value>"));
            }
        }
    }
}
