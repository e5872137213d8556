//! Changes of files that make a finding go away.

use crate::files::Files;
use crate::value::FileId;
use std::collections::BTreeMap;

/// How far a fix can be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Applicability {
    /// Only to be shown; never applied.
    DisplayOnly,
    /// Probably what was meant, but it changes what is computed.
    Unsafe,
    /// Changes nothing but what is wrong.
    Safe,
}

impl Applicability {
    /// The name that users and JSON see.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Applicability::DisplayOnly => "display-only",
            Applicability::Unsafe => "unsafe",
            Applicability::Safe => "safe",
        }
    }
}

/// Bytes of a file that are replaced.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Edit {
    pub file: FileId,
    /// Offset of its first byte in the file.
    pub start: u32,
    /// One past the last byte; as `start` for an insertion.
    pub end: u32,
    /// The replacement.
    pub text: String,
}

/// A change that makes a finding go away: all its edits or none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fix {
    /// A description of one line: ``rename to `vpc` ``.
    pub title: String,
    /// The edits, sorted, without overlap.
    pub edits: Vec<Edit>,
    /// How far it can be trusted.
    pub applicability: Applicability,
}

impl Fix {
    /// A fix of one edit.
    pub(crate) fn one(title: impl Into<String>, edit: Edit, applicability: Applicability) -> Self {
        Fix { title: title.into(), edits: vec![edit], applicability }
    }
}

/// The result of applying fixes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Fixed {
    /// The new texts of the files that change.
    pub texts: BTreeMap<FileId, String>,
    /// How many fixes were applied.
    pub applied: usize,
    /// The number of skipped fixes that overlap an applied one; another round may apply them.
    pub overlapping: usize,
}

/// Applies the fixes that are at least as safe as `least`, in their order. A fix that overlaps an earlier one is
/// skipped.
pub(crate) fn apply<'a>(fixes: impl IntoIterator<Item = &'a Fix>, least: Applicability, files: &Files) -> Fixed {
    let mut taken: BTreeMap<FileId, Vec<&Edit>> = BTreeMap::new();
    let mut fixed = Fixed::default();
    for fix in fixes.into_iter().filter(|f| f.applicability >= least && f.applicability != Applicability::DisplayOnly) {
        let fits = |edit: &Edit| {
            let text = &files.get(edit.file).text;
            text.get(edit.start as usize..edit.end as usize).is_some()
        };
        let collides = |edit: &Edit| {
            taken.get(&edit.file).is_some_and(|all| {
                all.iter().any(|t| edit.start < t.end && t.start < edit.end || edit.start == t.start)
            })
        };
        if !fix.edits.iter().all(fits) || fix.edits.iter().any(collides) {
            fixed.overlapping += 1;
            continue;
        }
        fixed.applied += 1;
        for edit in &fix.edits {
            taken.entry(edit.file).or_default().push(edit);
        }
    }
    for (id, mut edits) in taken {
        edits.sort_by_key(|e| e.start);
        let old = &files.get(id).text;
        let (mut text, mut at) = (String::with_capacity(old.len()), 0);
        for edit in edits {
            text.push_str(&old[at..edit.start as usize]);
            text.push_str(&edit.text);
            at = edit.end as usize;
        }
        text.push_str(&old[at..]);
        fixed.texts.insert(id, text);
    }
    fixed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_applied_whole_or_not_at_all() {
        let files = Files::default();
        let file = files.add("a", "1", || "0123456789".into());
        let edit = |start, end, text: &str| Edit { file, start, end, text: text.into() };
        let fix = |edits: Vec<Edit>, applicability| Fix { title: String::new(), edits, applicability };
        let all = [
            fix(vec![edit(1, 2, "one"), edit(8, 9, "")], Applicability::Safe),
            fix(vec![edit(1, 3, "x"), edit(5, 6, "y")], Applicability::Safe),
            fix(vec![edit(3, 3, "+")], Applicability::Unsafe),
            fix(vec![edit(4, 5, "?")], Applicability::DisplayOnly),
            fix(vec![edit(9, 30, "?")], Applicability::Safe),
        ];
        let safe = apply(&all, Applicability::Safe, &files);
        assert_eq!((safe.texts[&file].as_str(), safe.applied, safe.overlapping), ("0one2345679", 1, 2));
        let risky = apply(&all, Applicability::Unsafe, &files);
        assert_eq!((risky.texts[&file].as_str(), risky.applied), ("0one2+345679", 2));
    }
}
