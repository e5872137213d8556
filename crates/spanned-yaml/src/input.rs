//! From bytes to text, with the reference reader's rules about encodings.

/// An encoding error: the reference's wording and the byte offset in the input.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Undecodable {
    pub(super) problem: &'static str,
    pub(super) offset: usize,
    /// Everything before the error, decoded.
    pub(super) before: String,
}

/// Decodes UTF-8 (the byte order mark is kept, so that offsets are those of the file) or UTF-16 with a byte order mark.
pub(super) fn decode(bytes: &[u8]) -> Result<std::borrow::Cow<'_, str>, Undecodable> {
    match bytes {
        [0xff, 0xfe, rest @ ..] => decode_utf16(rest, u16::from_le_bytes).map(Into::into),
        [0xfe, 0xff, rest @ ..] => decode_utf16(rest, u16::from_be_bytes).map(Into::into),
        _ => match std::str::from_utf8(bytes) {
            Ok(text) => Ok(text.into()),
            Err(error) => {
                let offset = error.valid_up_to();
                let before = String::from_utf8_lossy(&bytes[..offset]).into_owned();
                let (problem, ahead) = utf8_problem(&bytes[offset..]);
                Err(Undecodable { problem, offset: offset + ahead, before })
            }
        },
    }
}

/// Names what is wrong with the sequence at the start of `bytes`, and how many bytes in.
fn utf8_problem(bytes: &[u8]) -> (&'static str, usize) {
    let lead = bytes.first().copied().unwrap_or(0);
    let width = match lead {
        0xc0..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf7 => 4,
        _ => return ("invalid leading UTF-8 octet", 0),
    };
    if bytes.len() < width {
        return ("incomplete UTF-8 octet sequence", 0);
    }
    if let Some(bad) = (1..width).find(|&index| bytes[index] & 0xc0 != 0x80) {
        return ("invalid trailing UTF-8 octet", bad);
    }
    match (lead, bytes[1]) {
        (0xc0 | 0xc1, _) | (0xe0, ..=0x9f) | (0xf0, ..=0x8f) => ("invalid length of a UTF-8 sequence", 0),
        _ => ("invalid Unicode character", 0),
    }
}

fn decode_utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Result<String, Undecodable> {
    let mut text = String::with_capacity(bytes.len());
    let at = |index: usize| bytes.get(index..index + 2).map(|pair| unit([pair[0], pair[1]]));
    let mut index = 0;
    while index < bytes.len() {
        // The mark's two bytes come before `bytes`.
        let fail = |problem, ahead: usize, before: String| Undecodable { problem, offset: 2 + index + ahead, before };
        let Some(high) = at(index) else { return Err(fail("incomplete UTF-16 character", 0, text)) };
        let decoded = match high {
            0xdc00..=0xdfff => return Err(fail("unexpected low surrogate area", 0, text)),
            0xd800..=0xdbff => {
                let Some(low) = at(index + 2) else { return Err(fail("incomplete UTF-16 surrogate pair", 0, text)) };
                if low & 0xfc00 != 0xdc00 {
                    return Err(fail("expected low surrogate area", 2, text));
                }
                index += 2;
                0x1_0000 + (u32::from(high & 0x3ff) << 10) + u32::from(low & 0x3ff)
            }
            _ => u32::from(high),
        };
        text.push(char::from_u32(decoded).unwrap_or(char::REPLACEMENT_CHARACTER));
        index += 2;
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings() {
        assert_eq!(decode(b"a: 1").unwrap(), "a: 1");
        assert_eq!(decode(b"\xef\xbb\xbfa").unwrap(), "\u{feff}a");
        assert_eq!(decode(b"\xff\xfea\0\x3d\xd8\x80\xde").unwrap(), "a\u{1f680}");
        assert_eq!(decode(b"\xfe\xff\0a").unwrap(), "a");
        for (bytes, problem, offset) in [
            (&b"a\xff"[..], "invalid leading UTF-8 octet", 1),
            (b"a\x80", "invalid leading UTF-8 octet", 1),
            (b"ab\xc3", "incomplete UTF-8 octet sequence", 2),
            (b"\xe2\x82 ", "invalid trailing UTF-8 octet", 2),
            (b"\xc0\x80", "invalid length of a UTF-8 sequence", 0),
            (b"\xed\xa0\x80", "invalid Unicode character", 0),
            (b"\xff\xfea", "incomplete UTF-16 character", 2),
            (b"\xff\xfe\0\xdc", "unexpected low surrogate area", 2),
            (b"\xff\xfe\0\xd8", "incomplete UTF-16 surrogate pair", 2),
            (b"\xff\xfe\0\xd8a\0", "expected low surrogate area", 4),
        ] {
            let error = decode(bytes).unwrap_err();
            assert_eq!((error.problem, error.offset), (problem, offset), "{bytes:?}");
        }
    }
}
