//! A cache in a folder, shared by runs. Entries that do not read back exactly as written are ignored.
#![allow(clippy::disallowed_methods, reason = "this is where what is kept reaches the disk")]

use super::Error;
use super::disk::{open_file, read_file};
use super::write::make_folder;
use sha2::{Digest, Sha256};
use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};

/// A cache of bytes by key. It never fails: entries that cannot be read are missing, entries that cannot be written are
/// skipped.
pub(crate) trait Store: Send + Sync {
    /// Returns the entry of a key.
    fn get(&self, key: &str) -> Option<Vec<u8>>;

    /// Keeps bytes under a key of at least three ASCII letters, digits or `-`, in the place of what was there.
    fn put(&self, key: &str, bytes: &[u8]);
}

/// The largest entry, in bytes, with its checksum.
const MAX_ENTRY: u64 = 32 << 20;

/// The length of a checksum, in hexadecimal digits.
const SUM: usize = 64;

/// The prefix of the names of folders with entries.
const PREFIX: &str = "stacklint-";

/// Files that mark the folder as a cache for git and backup programs (<https://bford.info/cachedir/>).
const MARKS: [(&str, &str); 2] = [
    (".gitignore", "# Made by stacklint.\n*\n"),
    ("CACHEDIR.TAG", "Signature: 8a477f597d28d172789f06886806bc55\n# Made by stacklint; can be deleted at any time.\n"),
];

/// A [`Store`] in a folder, one file per entry: a line with the checksum of key and content, then the content. Several
/// programs may use it at the same time, since files are written to a temporary name and then renamed.
#[derive(Debug)]
pub(crate) struct DiskStore {
    folder: PathBuf,
    bound: Bound,
    /// How many entries were written.
    written: AtomicUsize,
}

/// How much a store holds at most. Entries that were not used for the longest time are removed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bound {
    /// The number of entries.
    pub entries: usize,
    /// The bytes of all entries.
    pub bytes: u64,
}

impl DiskStore {
    /// Opens or makes the store in `dir`. Stores with another `space` (part of a file name) have entries of their own. All that
    /// use this one should have the same limit.
    ///
    /// # Errors
    /// There is no folder, and none can be made.
    pub(crate) fn open(dir: &Path, space: &str, bound: Bound) -> Result<Self, Error> {
        let fail = |reason: String| Error::Keep { path: dir.into(), reason };
        if fs::metadata(dir).is_ok_and(|there| !there.is_dir()) {
            return Err(fail("it is not a folder".to_owned()));
        }
        let dir = &make_folder(dir).map_err(|e| fail(e.to_string()))?;
        let is_empty = fs::read_dir(dir).is_ok_and(|mut entries| entries.next().is_none());
        for (name, content) in MARKS.iter().filter(|_| is_empty) {
            let file = fs::OpenOptions::new().write(true).create_new(true).open(dir.join(name));
            // Another run may have been quicker.
            let _ = file.and_then(|mut file| file.write_all(content.as_bytes()));
        }
        let folder = dir.join(format!("{PREFIX}{space}"));
        make_dir(&folder).map_err(|e| fail(e.to_string()))?;
        Ok(DiskStore { folder, bound, written: AtomicUsize::new(0) })
    }

    fn path(&self, key: &str) -> Option<PathBuf> {
        let is_plain = key.len() > 2 && key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
        let (first, rest) = key.split_at_checked(2).filter(|_| is_plain)?;
        Some(self.folder.join(first).join(format!("{rest}.json")))
    }

    fn write(&self, key: &str, bytes: &[u8]) -> std::io::Result<()> {
        let Some(path) = self.path(key) else { return Ok(()) };
        let folder = path.parent().unwrap_or(&self.folder);
        if (bytes.len() + SUM) as u64 >= MAX_ENTRY {
            return Ok(());
        }
        make_dir(folder)?;
        let mut builder = tempfile::Builder::new();
        builder.prefix(".").suffix(".tmp");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // As public as any other new file.
            builder.permissions(fs::Permissions::from_mode(0o666));
        }
        let mut file = builder.tempfile_in(folder)?;
        file.write_all(&[checksum(key, bytes).as_bytes(), b"\n", bytes].concat())?;
        file.persist(path)?;
        // Listing all entries takes longer than writing one.
        let often = (self.bound.entries / 64).max(1);
        if self.written.fetch_add(1, Ordering::Relaxed).is_multiple_of(often) {
            self.remove_unused();
        }
        Ok(())
    }

    /// Removes the entries beyond the limit. Files that a run left behind under temporary names count as well.
    fn remove_unused(&self) {
        let bound = self.bound;
        let children = |folder: &Path| fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
        let files = children(&self.folder).flat_map(|first| children(&first.path()));
        let mut files: Vec<(SystemTime, u64, PathBuf)> = files
            .filter_map(|file| Some((file.metadata().ok().filter(fs::Metadata::is_file)?, file.path())))
            .map(|(metadata, path)| (metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH), metadata.len(), path))
            .collect();
        files.sort();
        let (mut entries, mut bytes) = (files.len(), files.iter().map(|(_, size, _)| size).sum::<u64>());
        for (_, size, path) in files {
            if entries <= bound.entries && bytes <= bound.bytes {
                return;
            }
            // Another run may have removed it.
            let _ = fs::remove_file(path);
            (entries, bytes) = (entries - 1, bytes - size);
        }
    }
}

impl Store for DiskStore {
    fn get(&self, key: &str) -> Option<Vec<u8>> {
        let path = self.path(key)?;
        let entry = read_file(&path, MAX_ENTRY).ok()??;
        let (sum, rest) = entry.split_at_checked(SUM)?;
        let bytes = rest.strip_prefix(b"\n")?;
        let is_whole = sum == checksum(key, bytes).as_bytes();
        if is_whole {
            // The time decides only which entries are removed first.
            let _ = mark_used(&path);
        }
        is_whole.then(|| bytes.to_vec())
    }

    fn put(&self, key: &str, bytes: &[u8]) {
        // Then the next run does the work again.
        let _ = self.write(key, bytes);
    }
}

/// Notes in the time of a file that it was used, unless that was noted within the last hour.
fn mark_used(path: &Path) -> std::io::Result<()> {
    const RECENTLY: Duration = Duration::from_secs(3600);
    let (known, now) = (fs::symlink_metadata(path)?.modified()?, SystemTime::now());
    match now.duration_since(known).is_ok_and(|age| age < RECENTLY) {
        true => Ok(()),
        false => open_file(path, fs::OpenOptions::new().write(true))?.set_modified(now),
    }
}

/// Whether something directly in the folder of a store belongs to the store.
pub(super) fn is_own(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    name.starts_with(PREFIX) || MARKS.iter().any(|(mark, _)| *mark == name)
}

/// Creates a folder if it does not exist. A link to a folder is an error.
fn make_dir(folder: &Path) -> std::io::Result<()> {
    match fs::symlink_metadata(folder) {
        Ok(there) if there.is_dir() => Ok(()),
        Ok(_) => Err(std::io::Error::other(format!("{} is not a folder", folder.display()))),
        Err(_) => match fs::create_dir(folder) {
            Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => Err(error),
            _ => Ok(()),
        },
    }
}

/// The checksum of an entry, in hexadecimal digits.
fn checksum(key: &str, bytes: &[u8]) -> String {
    let mut hash = Sha256::new();
    hash.update(key);
    hash.update(b"\n");
    hash.update(bytes);
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "abcdef-native";

    const LARGE: Bound = Bound { entries: 1_000, bytes: u64::MAX };

    fn entry(store: &DiskStore) -> PathBuf {
        store.path(KEY).unwrap()
    }

    #[test]
    fn what_was_put_is_there() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path().join("a/b");
        let store = DiskStore::open(&dir, "1", LARGE).unwrap();
        assert_eq!(store.get(KEY), None);
        for content in [&b"one"[..], b"", b"two\n\xff"] {
            store.put(KEY, content);
            assert_eq!(store.get(KEY).as_deref(), Some(content));
        }
        assert_eq!(entry(&store), dir.join("stacklint-1/ab/cdef-native.json"));
        assert_eq!(fs::read_dir(dir.join("stacklint-1/ab")).unwrap().count(), 1, "nothing else is left there");
        assert_eq!(DiskStore::open(&dir, "1", LARGE).unwrap().get(KEY).as_deref(), Some(&b"two\n\xff"[..]));
        assert_eq!(DiskStore::open(&dir, "2", LARGE).unwrap().get(KEY), None);
        for (name, content) in MARKS {
            assert_eq!(fs::read_to_string(dir.join(name)).unwrap(), content);
        }
    }

    #[test]
    fn what_is_damaged_is_not_there_until_it_is_put_again() {
        let folder = tempfile::tempdir().unwrap();
        let store = DiskStore::open(folder.path(), "1", LARGE).unwrap();
        store.put("abcdee-native", b"another");
        let another = fs::read(store.path("abcdee-native").unwrap()).unwrap();
        store.put(KEY, b"content");
        let good = fs::read(entry(&store)).unwrap();
        let mut bad: Vec<Vec<u8>> = (0..good.len()).map(|end| good[..end].to_vec()).collect();
        bad.extend((0..good.len()).map(|i| {
            let mut bytes = good.clone();
            bytes[i] ^= 1;
            bytes
        }));
        bad.extend([another, [&good[..], b"x"].concat(), b"garbage".to_vec(), vec![0; MAX_ENTRY as usize + 1]]);
        for bytes in bad {
            fs::write(entry(&store), &bytes).unwrap();
            assert_eq!(store.get(KEY), None, "{:?}", bytes.get(..100));
        }
        store.put(KEY, b"content");
        assert_eq!(fs::read(entry(&store)).unwrap(), good);
    }

    #[test]
    fn a_bounded_store_keeps_what_was_used_last() {
        let folder = tempfile::tempdir().unwrap();
        let size = (SUM + 1 + 10) as u64;
        let open = |entries, bytes| DiskStore::open(folder.path(), "1", Bound { entries, bytes }).unwrap();
        let age = |store: &DiskStore, key: &str, seconds| {
            let file = fs::File::options().write(true).open(store.path(key).unwrap()).unwrap();
            file.set_modified(SystemTime::now() - std::time::Duration::from_secs(seconds)).unwrap();
        };
        let store = open(3, u64::MAX);
        for (i, key) in ["aaa-1", "bbb-2", "ccc-3"].iter().enumerate() {
            store.put(key, b"0123456789");
            age(&store, key, 100_000 - i as u64);
        }
        assert!(store.get("aaa-1").is_some(), "it is used again");
        store.put("ddd-4", b"0123456789");
        let known = |store: &DiskStore| {
            let keys = ["aaa-1", "bbb-2", "ccc-3", "ddd-4", "eee-5"];
            keys.map(|key| store.path(key).unwrap().exists())
        };
        assert_eq!(known(&store), [true, false, true, true, false]);
        age(&store, "ddd-4", 10_000);
        open(usize::MAX, 2 * size).put("eee-5", b"0123456789");
        assert_eq!(known(&store), [true, false, false, false, true]);
        open(1, size).put("bbb-2", &[b'x'; 1000]);
        assert_eq!(known(&store), [false; 5], "one that is too large is not kept");
    }

    #[test]
    fn what_is_in_the_way_keeps_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let store = DiskStore::open(folder.path(), "1", LARGE).unwrap();
        fs::create_dir_all(entry(&store)).unwrap();
        store.put(KEY, b"content");
        assert_eq!(store.get(KEY), None);
        for key in ["", "ab", "../../x", "ab/cd", "äöü"] {
            store.put(key, b"content");
            assert_eq!(store.get(key), None);
        }
        store.put("abcd", &vec![0; MAX_ENTRY as usize]);
        assert_eq!(store.get("abcd"), None);
        let file = folder.path().join("file");
        fs::write(&file, "x").unwrap();
        for path in [&file, &file.join("below")] {
            assert!(
                DiskStore::open(path, "1", LARGE).unwrap_err().to_string().starts_with("cannot store anything in"),
                "{path:?}"
            );
        }
        // A folder with foreign files gets no marks.
        assert!(!folder.path().join("stacklint-1/.gitignore").exists());
        let others = folder.path().join("others");
        fs::create_dir(&others).unwrap();
        fs::write(others.join("x"), "").unwrap();
        DiskStore::open(&others, "1", LARGE).unwrap();
        assert!(!others.join(".gitignore").exists());
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let (dir, outside) = (folder.path().join("dir"), folder.path().join("outside"));
        let store = DiskStore::open(&dir, "1", LARGE).unwrap();
        store.put(KEY, b"content");
        let good = fs::read(entry(&store)).unwrap();
        fs::write(&outside, &good).unwrap();
        fs::remove_file(entry(&store)).unwrap();
        symlink(&outside, entry(&store)).unwrap();
        assert_eq!(store.get(KEY), None);
        store.put(KEY, b"new");
        assert_eq!(fs::read(&outside).unwrap(), good);
        assert_eq!(store.get(KEY).as_deref(), Some(&b"new"[..]));
        fs::remove_file(&outside).unwrap();
        fs::create_dir(&outside).unwrap();
        symlink(&outside, dir.join("stacklint-1/xy")).unwrap();
        store.put("xyz-native", b"content");
        symlink(&outside, dir.join("stacklint-2")).unwrap();
        assert!(DiskStore::open(&dir, "2", LARGE).is_err());
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
    }
}
