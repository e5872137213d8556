//! Hashes of bytes.

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values() {
        assert_eq!(sha1(b"abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
        assert_eq!(&sha256(b"abc")[..16], "ba7816bf8f01cfea");
        assert_eq!(adler32(b"Wikipedia"), 300_286_872);
    }
}
