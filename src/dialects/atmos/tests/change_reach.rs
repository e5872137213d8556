//! A comparison resolves the stacks that import a file that changed, and no others.

use super::{ATMOS, Atmos};
use crate::dialects::{Dialect, Project, Scope};
use crate::files::Files;
use crate::resolution::{State, Unit};
use crate::source::{Change, ChangeKind, Memory};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// How many files there are that only others import, and how many stacks.
const FILES: usize = 7;
const STACKS: usize = 5;

/// What a file imports: of the files after it, those whose bit is set, in this order or the other way round.
fn imports(number: usize, bits: u8, is_reversed: bool) -> Vec<usize> {
    let mut found: Vec<usize> = (number..FILES).filter(|file| bits >> file & 1 == 1).collect();
    if is_reversed {
        found.reverse();
    }
    found
}

fn manifest(imports: &[usize], rest: &str) -> Vec<u8> {
    let items: String = imports.iter().map(|file| format!("- f{file}\n")).collect();
    let section = if items.is_empty() { String::new() } else { format!("import:\n{items}") };
    format!("{section}{rest}").into_bytes()
}

proptest! {
    #![proptest_config(crate::fuzz::cases(48))]

    #[test]
    fn stacks_that_import_a_changed_file_are_resolved(
        of_files in any::<[(u8, bool); FILES]>(),
        of_stacks in any::<[(u8, bool); STACKS]>(),
        changed in prop::collection::btree_set(0..FILES, 1..3),
    ) {
        let mut sources = BTreeMap::from([("atmos.yaml".to_owned(), ATMOS.as_bytes().to_vec())]);
        let of_file = |file: usize| imports(file + 1, of_files[file].0, of_files[file].1);
        for file in 0..FILES {
            sources.insert(format!("stacks/f{file}.yaml"), manifest(&of_file(file), &format!("vars: {{v{file}: 1}}\n")));
        }
        // A file is reached if it changed, or if one that it imports is reached: those come after it.
        let mut reached: BTreeSet<usize> = changed.clone();
        for file in (0..FILES).rev() {
            if of_file(file).iter().any(|next| reached.contains(next)) {
                reached.insert(file);
            }
        }
        let mut expected = BTreeSet::new();
        for (stack, (bits, is_reversed)) in of_stacks.into_iter().enumerate() {
            let own = imports(0, bits, is_reversed);
            let rest = format!("vars: {{stage: s{stack}}}\ncomponents: {{terraform: {{box: {{}}}}}}\n");
            sources.insert(format!("stacks/deploy/s{stack}.yaml"), manifest(&own, &rest));
            if own.iter().any(|file| reached.contains(file)) {
                expected.insert(format!("deploy/s{stack}"));
            }
        }
        let change = |file: &usize| Change { path: format!("stacks/f{file}.yaml").into(), kind: ChangeKind::Modified };
        let changes: Vec<Change> = changed.iter().map(change).collect();
        let resolution =
            Atmos::new().resolve(&Memory::new("m", sources), &Project::default(), &Files::default(), Scope::Touched(&changes));
        let resolved = resolution.units.iter().filter(|unit| unit.state != State::OutOfScope);
        prop_assert_eq!(resolved.map(|unit| unit.name.to_string()).collect::<BTreeSet<_>>(), expected);
    }
}

#[test]
fn versions_of_a_merge_are_resolved_once_where_they_are_equal() {
    let (atmos, files) = (Atmos::new(), Files::default());
    let changed = |file: usize| Change { path: format!("stacks/f{file}.yaml").into(), kind: ChangeKind::Modified };
    let changes = [0, 1].map(changed);
    let units = |versions: [usize; 2], scope: Scope<'_>| -> Vec<Arc<Unit>> {
        let mut sources = BTreeMap::from([("atmos.yaml".to_owned(), ATMOS.as_bytes().to_vec())]);
        for (file, version) in versions.into_iter().enumerate() {
            sources.insert(format!("stacks/f{file}.yaml"), format!("vars: {{v: {version}}}\n").into_bytes());
            let rest = format!("vars: {{stage: s{file}}}\ncomponents: {{terraform: {{box: {{}}}}}}\n");
            sources.insert(format!("stacks/deploy/s{file}.yaml"), manifest(&[file], &rest));
        }
        atmos.resolve(&Memory::new("m", sources), &Project::default(), &files, scope).units
    };
    // The base, both sides, and the merge; then all units, as where others can see a difference.
    let versions = [[0, 0], [1, 0], [0, 2], [1, 2]];
    let found = versions.map(|version| units(version, Scope::Touched(&changes)));
    for (stack, equal) in [(0, [(0, 2), (1, 3)]), (1, [(0, 1), (2, 3)])] {
        for (a, b) in equal {
            assert!(Arc::ptr_eq(&found[a][stack], &found[b][stack]), "s{stack} in {a} and {b}");
        }
        assert!(!Arc::ptr_eq(&found[0][stack], &found[3][stack]));
    }
    for (version, before) in versions.into_iter().zip(&found) {
        let after = units(version, Scope::All);
        assert!(before.iter().zip(&after).all(|(a, b)| Arc::ptr_eq(a, b)), "{version:?}");
    }
    // What no change reaches is only named, although it is known.
    let named = units([0, 0], Scope::Touched(&changes[..1]));
    assert_eq!([&named[0], &named[1]].map(|unit| unit.state), [State::Resolved, State::OutOfScope]);
}
