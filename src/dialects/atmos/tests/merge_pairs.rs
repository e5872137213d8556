//! Every pair of kinds at one path, under every list strategy: the table in `merge_pairs.txt`, which is written out from
//! `reference: atmos.md` sections 5 and 8.4.

use super::{NoFiles, json};
use crate::dialects::atmos::document::Decoder;
use crate::dialects::atmos::merge::deferred::merge_deferred;
use crate::dialects::atmos::merge::{ListStrategy, merge};
use crate::value::{Data, FileId, Key, Map, Origin, Prov, Unknown, Value};
use serde_json::to_value;
use std::collections::BTreeSet;
use std::sync::Arc;

const STRATEGIES: [ListStrategy; 3] = [ListStrategy::Replace, ListStrategy::Append, ListStrategy::Merge];

/// A layer with one key, written in its own file. Text that starts with `?` means an unknown value.
fn layer(file: u32, text: &str) -> Arc<Map> {
    if text.starts_with("\"?") {
        let text = text.trim_matches('"');
        let origin = Origin { file: FileId::new(file), key: 0, start: 3, end: 9 };
        let unknown = Value::at(Data::Unknown(Arc::new(Unknown::new(text, "the test says so"))), origin);
        return Arc::new(Map::from_iter([(Key::from("k"), unknown)]));
    }
    let place = |key: u32, span: crate::yaml::Span| {
        Prov::at(Origin { file: FileId::new(file), key, start: span.start, end: span.end })
    };
    let decoder = Decoder { place: &place, include: Some(&NoFiles), delimiter: None, limits: Default::default() };
    let doc = crate::yaml::parse(format!("k: {text}").as_bytes()).expect("YAML");
    decoder.decode(&doc).expect("a manifest").as_map().cloned().expect("a map")
}

/// The files of all that was written for a value.
fn contributors(value: &Value) -> BTreeSet<u32> {
    let mut found: BTreeSet<u32> =
        value.prov.layers().iter().filter_map(|c| c.value.prov.origin).map(|o| o.file.index() as u32).collect();
    let mut next = Some(value);
    while let Some(value) = next {
        found.extend(value.prov.origin.map(|o| o.file.index() as u32));
        next = value.prov.overrode();
    }
    for inner in value.as_map().into_iter().flat_map(|m| m.iter()).map(|e| &e.value) {
        found.extend(inner.prov.origin.map(|o| o.file.index() as u32));
    }
    found
}

#[test]
fn every_pair_of_kinds_under_every_strategy() {
    let rows = include_str!("merge_pairs.txt").lines().filter(|l| !l.starts_with('#')).skip(1);
    let mut pairs = BTreeSet::new();
    for row in rows {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let [lower, upper, expected @ ..] = cells.as_slice() else { panic!("{row}") };
        assert_eq!(expected.len(), 6, "{row}");
        assert!(pairs.insert((*lower, *upper)), "{row} twice");
        let (a, b) = (layer(1, lower), layer(2, upper));
        for (i, strategy) in STRATEGIES.into_iter().enumerate() {
            let plain = merge(strategy, [&a, &b]);
            assert_eq!(to_value(&*plain).unwrap()["k"], json(expected[i]), "{strategy:?}: {row}");
            let last = merge_deferred(strategy, None, &[&a, &b], &mut Vec::new()).expect("no lost path");
            assert_eq!(to_value(&*last).unwrap()["k"], json(expected[3 + i]), "last, {strategy:?}: {row}");
            for merged in [&plain, &last] {
                let both = contributors(merged.get("k").unwrap());
                assert_eq!(both, BTreeSet::from([1, 2]), "{strategy:?}: what both layers wrote is kept: {row}");
            }
        }
    }
    assert_eq!(pairs.len(), 64, "no pair is left out");
}
