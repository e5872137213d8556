//! The packages `encoding/base64` and `encoding/base32`.

const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const BASE64_URL: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const BASE32: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// Groups of `group` characters with `bits` bits each, padded with `=`.
fn encode(data: &[u8], alphabet: &[u8], bits: u32, group: usize) -> String {
    let mut out = String::with_capacity(data.len() * 2);
    let (mut buffer, mut held) = (0u32, 0);
    for byte in data {
        buffer = buffer << 8 | u32::from(*byte);
        held += 8;
        while held >= bits {
            held -= bits;
            out.push(char::from(alphabet[(buffer >> held & ((1 << bits) - 1)) as usize]));
        }
        buffer &= (1 << held) - 1;
    }
    if held > 0 {
        out.push(char::from(alphabet[(buffer << (bits - held) & ((1 << bits) - 1)) as usize]));
    }
    while !out.len().is_multiple_of(group) {
        out.push('=');
    }
    out
}

/// Decodes what [`encode`] makes, ignoring line breaks. Fails with the place of the first bad byte.
fn decode(text: &str, alphabet: &[u8], bits: u32, group: usize) -> Result<Vec<u8>, usize> {
    let mut out = Vec::with_capacity(text.len());
    let (mut buffer, mut held, mut count) = (0u32, 0, 0);
    let bytes = text.as_bytes();
    let mut i = 0;
    let breaks = |i: usize| matches!(bytes.get(i), Some(b'\n' | b'\r'));
    // How many characters of a last group are possible, by what they hold.
    let complete = |n: usize| n as u32 * bits % 8 < bits;
    while i < bytes.len() {
        let (at, byte) = (i, bytes[i]);
        i += 1;
        if breaks(at) {
            continue;
        }
        if byte == b'=' {
            let used = count % group;
            if used < 2 || !complete(used) {
                return Err(at);
            }
            let mut padding = 1;
            while i < bytes.len() {
                if !breaks(i) {
                    if padding == group - used {
                        return Err(i);
                    }
                    if bytes[i] != b'=' {
                        return Err(if group == 4 { i - 1 } else { i });
                    }
                    padding += 1;
                }
                i += 1;
            }
            return if padding == group - used { Ok(out) } else { Err(bytes.len()) };
        }
        let digit = alphabet.iter().position(|a| *a == byte).ok_or(at)?;
        buffer = buffer << bits | digit as u32;
        held += bits;
        count += 1;
        if held >= 8 {
            held -= 8;
            out.push((buffer >> held) as u8);
            buffer &= (1 << held) - 1;
        }
    }
    if count % group == 0 { Ok(out) } else { Err(bytes.len() - count % group) }
}

/// `base64.StdEncoding.EncodeToString`.
pub fn base64_encode(data: &[u8]) -> String {
    encode(data, BASE64, 6, 4)
}

/// `base64.StdEncoding.DecodeString`.
pub fn base64_decode(text: &str) -> Result<Vec<u8>, String> {
    decode_base64(text, BASE64)
}

/// `base64.URLEncoding.DecodeString`.
pub fn base64_url_decode(text: &str) -> Result<Vec<u8>, String> {
    decode_base64(text, BASE64_URL)
}

fn decode_base64(text: &str, alphabet: &[u8]) -> Result<Vec<u8>, String> {
    decode(text, alphabet, 6, 4).map_err(|at| format!("illegal base64 data at input byte {at}"))
}

/// `base32.StdEncoding.EncodeToString`.
pub fn base32_encode(data: &[u8]) -> String {
    encode(data, BASE32, 5, 8)
}

/// `base32.StdEncoding.DecodeString`.
pub fn base32_decode(text: &str) -> Result<Vec<u8>, String> {
    decode(text, BASE32, 5, 8).map_err(|at| format!("illegal base32 data at input byte {at}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values() {
        for (plain, b64, b32) in [
            ("", "", ""),
            ("f", "Zg==", "MY======"),
            ("foo", "Zm9v", "MZXW6==="),
            ("foobar", "Zm9vYmFy", "MZXW6YTBOI======"),
        ] {
            assert_eq!(base64_encode(plain.as_bytes()), b64);
            assert_eq!(base32_encode(plain.as_bytes()), b32);
            assert_eq!(base64_decode(b64).unwrap(), plain.as_bytes());
            assert_eq!(base32_decode(b32).unwrap(), plain.as_bytes());
        }
        assert_eq!(base64_decode("Zg\n=\r=").unwrap(), b"f");
        assert_eq!(base64_url_decode("_-8=").unwrap(), [0xff, 0xef]);
        for (text, at) in [("a!", 1), ("Zg", 0), ("Zg==Zg==", 4), ("A===", 1), ("====", 0)] {
            let message = format!("illegal base64 data at input byte {at}");
            assert_eq!(base64_decode(text).unwrap_err(), message, "{text}");
        }
    }
}
