//! What is proved about a change: rewriting that keeps all values proves, a changed value never does.

use super::systems::{INPUTS, STACKS, VALUES, layout, model, system, written};
use super::{Texts, source};
use crate::dialects::Project;
use crate::review::{Expectation, Filter, NoHost, Overrides, Proof, Request, Verdict, Workspace, compare};
use proptest::prelude::*;

/// The proof in which everything is resolved. It says the same as the one that leaves out what no edit reaches.
fn prove(expectation: &str, base: &Texts, head: &Texts) -> Proof {
    let (whole, narrow) = (proof(expectation, base, head, true), proof(expectation, base, head, false));
    assert_eq!(whole.verdict(), narrow.verdict(), "{whole:?}\n{narrow:?}");
    assert_eq!((&whole.refuting, &whole.open), (&narrow.refuting, &narrow.open));
    assert_eq!(whole.untouched, 0);
    whole
}

fn proof(expectation: &str, base: &Texts, head: &Texts, strict: bool) -> Proof {
    let expect = Some(Expectation::parse(expectation).unwrap());
    let (project, overrides) = (Project::default(), Overrides { expect, strict, ..Overrides::default() });
    let workspace = Workspace { project: &project, folders: &[], dialect: None, host: &NoHost };
    let request = Request { filter: Filter::default(), overrides: &overrides, affected: None };
    let review = compare(&source("base", base), &source("head", head), &workspace, &request).unwrap();
    review.comparison.unwrap().proof.unwrap()
}

proptest! {
    #![proptest_config(crate::fuzz::cases(60))]

    #[test]
    fn what_keeps_all_values_is_proved_and_what_changes_one_is_not(
        model in model(),
        layouts in (layout(), layout()),
        (stack, input, by) in (0..STACKS, 0..INPUTS, 1..VALUES.len()),
        system in system(),
    ) {
        let layouts = [layouts.0, layouts.1];
        let base = written(system, &layouts[0], &model);
        let same = prove("none", &base, &written(system, &layouts[1], &model));
        prop_assert_eq!(same.verdict(), Verdict::Proved, "{:?}", same);
        let digests = same.digests().unwrap();
        prop_assert_eq!(&digests[0], &digests[1]);
        let mut other = model.clone();
        other[stack][input] = (other[stack][input] + by) % VALUES.len();
        let head = written(system, &layouts[1], &other);
        let differs = prove("none", &base, &head);
        prop_assert_ne!(differs.verdict(), Verdict::Proved, "{:?}", differs);
        let digests = differs.digests().unwrap();
        prop_assert_ne!(&digests[0], &digests[1]);
        prop_assert_ne!(prove("moves", &base, &head).verdict(), Verdict::Proved);
        let (changed, unchanged) = (format!("only={}{stack}*", system.stack()), "only=nothing".to_owned());
        prop_assert_eq!(prove(&changed, &base, &head).verdict(), Verdict::Proved);
        prop_assert_ne!(prove(&unchanged, &base, &head).verdict(), Verdict::Proved);
    }
}
