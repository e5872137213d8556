//! What a merge lists: what the definition says of its four versions, each resolved by itself, in all systems.

use super::systems::{INPUTS, KNOWN, Model, STACKS, layout, model, system, written};
use super::{Texts, source};
use crate::dialects::{Project, Scope};
use crate::diff::merged::tests::expected;
use crate::files::Files;
use crate::review::{Filter, NoHost, Overrides, Request, Workspace, merge, resolve};
use crate::settings::Settings;
use proptest::prelude::*;
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};

type Address = (String, String, String);

/// The components of a state that is resolved by itself.
fn components(texts: &Texts) -> BTreeMap<Address, Json> {
    let project = Project::default();
    let workspace = Workspace { project: &project, folders: &[], dialect: None, host: &NoHost };
    let source = source("one", texts);
    let found = resolve(&source, &workspace, &Settings::default(), Files::default(), Scope::All).unwrap();
    let one = |placed: crate::resolution::Placed| {
        let (stack, kind, name) = placed.component.address();
        let value = serde_json::to_value(&placed.component.value).unwrap();
        ((stack.to_string(), kind.to_string(), name.to_string()), value)
    };
    found.resolution.components().into_values().map(one).collect()
}

/// What a merge lists, as `STACK KIND NAME PATH EFFECT`.
fn listed(texts: &[Texts; 4]) -> Vec<String> {
    let (project, overrides) = (Project::default(), Overrides::default());
    let workspace = Workspace { project: &project, folders: &[], dialect: None, host: &NoHost };
    let request = Request { filter: Filter::default(), overrides: &overrides, affected: None };
    let [base, ours, theirs, merged] = ["base", "ours", "theirs", "merged"];
    let sources = [(base, 0), (ours, 1), (theirs, 2), (merged, 3)].map(|(name, at)| source(name, &texts[at]));
    let [a, b, c, d] = &sources;
    let review = merge([a, b, c, d], &workspace, &request).unwrap();
    let mut found = Vec::new();
    for project in review.projects {
        assert!(project.broken.is_empty() && project.unresolved.is_empty(), "{project:?}");
        for component in project.components {
            for value in component.values.iter().map(|listed| &listed.value) {
                let winner = value.effect.winner().map_or_else(String::new, |winner| format!(" {}", winner.name()));
                let (stack, kind, name) = (&component.stack, &component.kind, &component.name);
                found.push(format!("{stack} {kind} {name} {} {}{winner}", value.path, value.effect.name()));
            }
        }
    }
    found.sort();
    found
}

/// Edits of values: in which stack, of which input, to which value.
fn edits() -> impl Strategy<Value = Vec<(usize, usize, usize)>> {
    prop::collection::vec((0..STACKS, 0..INPUTS, 0..KNOWN), 0..4)
}

proptest! {
    #![proptest_config(crate::fuzz::cases(60))]

    #[test]
    fn the_listed_effects_are_those_of_the_four_resolutions(
        system in system(),
        base in model(),
        (ours, theirs, more) in (edits(), edits(), edits()),
        has_more in any::<bool>(),
        layouts in [layout(), layout(), layout(), layout()],
    ) {
        let base: Model = base.into_iter().map(|stack| stack.into_iter().map(|value| value % KNOWN).collect()).collect();
        let edited = |all: &[&[(usize, usize, usize)]]| {
            let mut model = base.clone();
            all.iter().copied().flatten().for_each(|(stack, input, value)| model[*stack][*input] = *value);
            model
        };
        let more = if has_more { &more[..] } else { &[] };
        let models = [edited(&[]), edited(&[&ours]), edited(&[&theirs]), edited(&[&ours, &theirs, more])];
        let texts = [0, 1, 2, 3].map(|version| written(system, &layouts[version], &models[version]));
        let each = texts.each_ref().map(components);
        let addresses: BTreeSet<&Address> = each.iter().flat_map(BTreeMap::keys).collect();
        let mut all = Vec::new();
        for address @ (stack, kind, name) in addresses {
            let versions = each.each_ref().map(|version| version.get(address).cloned().unwrap_or(Json::Null));
            all.extend(expected(&versions).into_iter().map(|one| format!("{stack} {kind} {name} {one}")));
        }
        all.sort();
        prop_assert_eq!(listed(&texts), all);
    }
}
