//! What differs between two revisions, by what may depend on it: many files ask for many changes.

use super::Deps;
use crate::dialects::atmos::paths;
use crate::limits::take_steps;
use crate::source::{Change, ChangeKind, glob};
use crate::text::{FastMap, FastSet, Text};
use parking_lot::Mutex;

/// What makes a pattern of a name.
const SPECIAL: [char; 7] = ['*', '?', '[', ']', '{', '}', '\\'];
/// The steps of matching a path with a pattern.
const STEPS_OF_A_MATCH: u64 = 4;

/// The changes between two revisions.
pub(in crate::dialects::atmos) struct Changed<'a> {
    all: &'a [Change],
    paths: FastSet<&'a str>,
    /// What is added or removed, and the folders around that.
    listed: FastSet<&'a str>,
    around: FastSet<&'a str>,
    /// Whether one of these matches a pattern: many files have the same.
    matched: Mutex<FastMap<Text, bool>>,
}

impl<'a> Changed<'a> {
    pub(in crate::dialects::atmos) fn new(changes: &'a [Change]) -> Self {
        let listed = changes.iter().filter(|change| change.kind != ChangeKind::Modified);
        let listed: FastSet<&str> = listed.map(|change| &*change.path).collect();
        let mut around = FastSet::default();
        for path in &listed {
            let mut folder = paths::parent(path);
            while around.insert(folder) && !folder.is_empty() {
                folder = paths::parent(folder);
            }
        }
        Changed {
            all: changes,
            paths: changes.iter().map(|change| &*change.path).collect(),
            listed,
            around,
            matched: Mutex::default(),
        }
    }

    /// Whether one of them can make a difference to what has these dependencies.
    pub(in crate::dialects::atmos) fn touches(&self, deps: &Deps) -> bool {
        let has_path = match self.all.len() < deps.paths.len() {
            true => self.all.iter().any(|change| deps.touched_by_path(&change.path, change.kind)),
            false => deps.paths.iter().any(|path| self.paths.contains(&**path) || self.around.contains(&**path)),
        };
        has_path || deps.globs.iter().any(|pattern| self.matches(pattern))
    }

    /// Whether something that is added or removed matches a pattern.
    fn matches(&self, pattern: &Text) -> bool {
        // Most are names of one file.
        if !pattern.contains(SPECIAL) {
            return self.listed.contains(&**pattern);
        }
        if let Some(known) = self.matched.lock().get(pattern) {
            return *known;
        }
        take_steps(self.listed.len() as u64 * STEPS_OF_A_MATCH);
        let found = self.listed.iter().any(|path| glob::path_match(pattern, path).unwrap_or(true));
        self.matched.lock().insert(Text::clone(pattern), found);
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_touch_what_each_of_them_touches() {
        let change = |path: &str, kind| Change { path: path.into(), kind };
        let all = [
            change("a/b/x.yaml", ChangeKind::Modified),
            change("a/c/y.yaml", ChangeKind::Added),
            change("d/z.yaml", ChangeKind::Removed),
        ];
        for length in 0..=all.len() {
            let changes = &all[..length];
            let changed = Changed::new(changes);
            for path in ["", "a", "a/b", "a/b/x.yaml", "a/c", "a/c/y.yaml", "a/c/y", "d", "d/z.yaml", "e"] {
                let deps = Deps { paths: [path.into()].into(), ..Deps::default() };
                assert_eq!(changed.touches(&deps), deps.are_touched(changes), "{path} of {length}");
            }
            for pattern in ["a/*/*.yaml", "**/*.yaml", "a/b/*", "d/[", "e/*", "d/z.yaml", "a/b/x.yaml", "d"] {
                let deps = Deps { globs: [pattern.into()].into(), ..Deps::default() };
                assert_eq!(changed.touches(&deps), deps.are_touched(changes), "{pattern} of {length}");
            }
        }
    }
}
