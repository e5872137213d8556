//! A comparison resolves the stacks that import a file that changed, and no others.

use super::{ATMOS, Atmos};
use crate::dialects::{Dialect, Project, Scope};
use crate::files::Files;
use crate::resolution::State;
use crate::source::{Change, ChangeKind, Memory};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

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
