//! Hashes and encodings of bytes.

use sha1::Digest;

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

/// SHA-1 in hexadecimal digits.
pub(super) fn sha1(data: &[u8]) -> String {
    hex(&sha1::Sha1::digest(data))
}

/// SHA-224 in hexadecimal digits.
pub(super) fn sha224(data: &[u8]) -> String {
    hex(&sha2::Sha224::digest(data))
}

/// SHA-256 in hexadecimal digits.
pub(super) fn sha256(data: &[u8]) -> String {
    hex(&sha2::Sha256::digest(data))
}

/// SHA-384 in hexadecimal digits.
pub(super) fn sha384(data: &[u8]) -> String {
    hex(&sha2::Sha384::digest(data))
}

/// SHA-512 in hexadecimal digits.
pub(super) fn sha512(data: &[u8]) -> String {
    hex(&sha2::Sha512::digest(data))
}

/// SHA-512/224 in hexadecimal digits.
pub(super) fn sha512_224(data: &[u8]) -> String {
    hex(&sha2::Sha512_224::digest(data))
}

/// SHA-512/256 in hexadecimal digits.
pub(super) fn sha512_256(data: &[u8]) -> String {
    hex(&sha2::Sha512_256::digest(data))
}

/// The Adler-32 checksum.
pub(super) fn adler32(data: &[u8]) -> u32 {
    let (a, b) = data.iter().fold((1u32, 0u32), |(a, b), byte| {
        let a = (a + u32::from(*byte)) % 65_521;
        (a, (b + a) % 65_521)
    });
    b << 16 | a
}

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

/// Standard base64 with padding.
pub(crate) fn base64_encode(data: &[u8]) -> String {
    encode(data, BASE64, 6, 4)
}

/// Standard base64, or with `url` the alphabet for URLs.
pub(crate) fn base64_decode(text: &str, url: bool) -> Result<Vec<u8>, String> {
    decode(text, if url { BASE64_URL } else { BASE64 }, 6, 4)
        .map_err(|at| format!("illegal base64 data at input byte {at}"))
}

/// Standard base32 with padding.
pub(super) fn base32_encode(data: &[u8]) -> String {
    encode(data, BASE32, 5, 8)
}

/// Standard base32.
pub(super) fn base32_decode(text: &str) -> Result<Vec<u8>, String> {
    decode(text, BASE32, 5, 8).map_err(|at| format!("illegal base32 data at input byte {at}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values() {
        assert_eq!(sha1(b"abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
        assert_eq!(&sha256(b"abc")[..16], "ba7816bf8f01cfea");
        assert_eq!(adler32(b"Wikipedia"), 300_286_872);
        for (plain, b64, b32) in [
            ("", "", ""),
            ("f", "Zg==", "MY======"),
            ("foo", "Zm9v", "MZXW6==="),
            ("foobar", "Zm9vYmFy", "MZXW6YTBOI======"),
        ] {
            assert_eq!(base64_encode(plain.as_bytes()), b64);
            assert_eq!(base32_encode(plain.as_bytes()), b32);
            assert_eq!(base64_decode(b64, false).unwrap(), plain.as_bytes());
            assert_eq!(base32_decode(b32).unwrap(), plain.as_bytes());
        }
        assert_eq!(base64_decode("a!", false).unwrap_err(), "illegal base64 data at input byte 1");
        assert_eq!(base64_decode("Zg", false).unwrap_err(), "illegal base64 data at input byte 0");
    }
}
