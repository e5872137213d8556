//! The identity of a file's content.

use gix::ObjectId;
use std::fmt;

/// Identity of a file's content: its git blob id (20 or 32 bytes). Equal ids mean equal bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlobId {
    len: u8,
    bytes: [u8; 32],
}

impl BlobId {
    /// Returns the git id of `content` in a SHA-1 repository.
    pub fn of(content: &[u8]) -> Self {
        Self::with(gix::hash::Kind::Sha1, content)
    }

    pub(super) fn with(kind: gix::hash::Kind, content: &[u8]) -> Self {
        // Hashing fails only for a SHA-1 collision attack. No repository contains such content; its SHA-256 identifies
        // it.
        let hash = |kind| gix::objs::compute_hash(kind, gix::objs::Kind::Blob, content);
        hash(kind).or_else(|_| hash(gix::hash::Kind::Sha256)).unwrap_or_else(|_| kind.null()).into()
    }

    /// The raw bytes, 20 or 32 of them.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }

    pub(super) fn object_id(self) -> Option<ObjectId> {
        ObjectId::try_from(self.as_bytes()).ok()
    }
}

impl From<ObjectId> for BlobId {
    fn from(id: ObjectId) -> Self {
        let mut bytes = [0; 32];
        let source = id.as_slice();
        let len = source.len().min(bytes.len());
        bytes[..len].copy_from_slice(&source[..len]);
        Self { len: len as u8, bytes }
    }
}

impl fmt::Display for BlobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let mut digits = [0; 64];
        for (pair, byte) in digits.chunks_exact_mut(2).zip(self.as_bytes()) {
            pair.copy_from_slice(&[DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
        }
        let digits = &digits[..2 * self.as_bytes().len()];
        f.write_str(std::str::from_utf8(digits).unwrap_or_default())
    }
}

impl fmt::Debug for BlobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_those_of_git() {
        assert_eq!(BlobId::of(b"").to_string(), "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
        assert_eq!(BlobId::of(b"hello\n").to_string(), "ce013625030ba8dba906f756967f9e9ca394464a");
        let id = BlobId::of(b"x");
        assert_eq!(id.object_id().map(BlobId::from), Some(id));
    }
}
