//! Scans of raw text for details that parser events do not include.

use std::ops::Range;

/// Where a node's tag is written and where its content begins.
pub(super) struct Found {
    pub(super) tag: Range<usize>,
    pub(super) content: usize,
}

/// Walks over the anchor and the tag that libyaml found at `from`, in whichever order, and the space behind them.
pub(super) fn scan(text: &str, from: usize, limit: usize, mut anchor: bool, mut tag: bool) -> Found {
    let bytes = &text.as_bytes()[..limit];
    let mut found = Found { tag: from..from, content: from };
    let mut at = from;
    while anchor || tag {
        at = skip_space(bytes, at);
        match bytes.get(at) {
            Some(b'&') if anchor => {
                anchor = false;
                at += 1 + run(&bytes[at + 1..], |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
            }
            Some(b'!') if tag => {
                tag = false;
                let end = match bytes.get(at + 1) {
                    Some(b'<') => at + run(&bytes[at..], |byte| byte != b'>') + 1,
                    _ => at + run(&bytes[at..], is_tag_byte),
                };
                found.tag = at..end.min(limit);
                at = found.tag.end;
            }
            _ => break,
        }
    }
    found.content = skip_space(bytes, at);
    found
}

/// Offset of a `\/` escape in a double-quoted token.
pub(super) fn escaped_slash(raw: &str) -> Option<usize> {
    let bytes = raw.as_bytes();
    let mut at = raw.find('\\')?;
    while at + 1 < bytes.len() {
        match (bytes[at], bytes[at + 1]) {
            (b'\\', b'/') => return Some(at),
            (b'\\', _) => at += 2,
            _ => at += 1,
        }
    }
    None
}

fn run(bytes: &[u8], accept: impl Fn(u8) -> bool) -> usize {
    bytes.iter().position(|&byte| !accept(byte)).unwrap_or(bytes.len())
}

fn is_tag_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-;/?:@&=+$.!~*'()%".contains(&byte)
}

/// Skips blanks, line breaks and comments.
fn skip_space(bytes: &[u8], mut at: usize) -> usize {
    loop {
        match bytes.get(at..).unwrap_or_default() {
            [b' ' | b'\t' | b'\r' | b'\n', ..] => at += 1,
            [0xc2, 0x85, ..] => at += 2,
            [0xe2, 0x80, 0xa8 | 0xa9, ..] => at += 3,
            // Only after a blank or a break, which is what libyaml demands behind a property.
            [b'#', ..] => at += run(&bytes[at..], |byte| !matches!(byte, b'\n' | b'\r')),
            _ => return at,
        }
    }
}
