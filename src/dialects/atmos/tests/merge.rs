//! `reference: atmos.md` section 5.

use super::{World, boxed, dev, json, map};
use crate::dialects::atmos::merge::{ListStrategy, merge, merge_imports, merge_values};
use serde_json::to_value;

const STRATEGIES: [ListStrategy; 3] = [ListStrategy::Replace, ListStrategy::Append, ListStrategy::Merge];

/// One value of each kind.
const KINDS: [&str; 12] =
    ["null", "true", "7", "1.5", "text", "''", "{}", "{a: 1}", "{a: {b: 2}}", "[]", "[x, y]", "[{a: 1}]"];

#[test]
fn every_kind_over_every_kind() {
    for strategy in STRATEGIES {
        for lower in KINDS {
            for upper in KINDS {
                let (a, b) = (map(&format!("k: {lower}")), map(&format!("k: {upper}")));
                let merged = to_value(&*merge(strategy, [&a, &b])).unwrap();
                let is = |text: &str, c: char| text.starts_with(c);
                // Two maps and two lists have tables of their own below; otherwise the upper one wins.
                if is(lower, '{') && is(upper, '{') || is(lower, '[') && is(upper, '[') {
                    continue;
                }
                assert_eq!(merged, json(&format!("k: {upper}")), "{strategy:?}: {lower} < {upper}");
            }
        }
    }
}

#[test]
fn maps_merge_deeply() {
    for strategy in STRATEGIES {
        for (lower, upper, merged) in [
            ("{}", "{}", "{}"),
            ("{a: 1}", "{}", "{a: 1}"),
            ("{}", "{a: 1}", "{a: 1}"),
            ("{a: 1}", "{b: 2}", "{a: 1, b: 2}"),
            ("{a: 1}", "{a: 2}", "{a: 2}"),
            ("{a: 1}", "{a: null}", "{a: null}"),
            ("{a: null}", "{a: 1}", "{a: 1}"),
            ("{a: {b: 1, c: 2}}", "{a: {b: 3, d: 4}}", "{a: {b: 3, c: 2, d: 4}}"),
            ("{a: {b: 1}}", "{a: {}}", "{a: {b: 1}}"),
            ("{a: {b: 1}}", "{a: text}", "{a: text}"),
            ("{a: text}", "{a: {b: 1}}", "{a: {b: 1}}"),
        ] {
            let found = merge(strategy, [&map(&format!("k: {lower}")), &map(&format!("k: {upper}"))]);
            assert_eq!(to_value(&*found).unwrap()["k"], json(merged), "{strategy:?}: {lower} < {upper}");
        }
    }
}

#[test]
fn lists_merge_by_strategy() {
    for (lower, upper, replace, append, merged) in [
        ("[]", "[]", "[]", "[]", "[]"),
        ("[1, 2]", "[]", "[]", "[1, 2]", "[1, 2]"),
        ("[]", "[1, 2]", "[1, 2]", "[1, 2]", "[1, 2]"),
        ("[1, 2, 3]", "[9]", "[9]", "[1, 2, 3, 9]", "[1, 2, 3]"),
        ("[1]", "[8, 9]", "[8, 9]", "[1, 8, 9]", "[1, 9]"),
        ("[1, 1]", "[1]", "[1]", "[1, 1, 1]", "[1, 1]"),
        ("[{a: 1}]", "[{b: 2}]", "[{b: 2}]", "[{a: 1}, {b: 2}]", "[{a: 1, b: 2}]"),
        ("[{a: 1}]", "[{a: 2}, {c: 3}]", "[{a: 2}, {c: 3}]", "[{a: 1}, {a: 2}, {c: 3}]", "[{a: 2}, {c: 3}]"),
        ("[{a: 1}]", "[x]", "[x]", "[{a: 1}, x]", "[{a: 1}]"),
        ("[x]", "[{a: 1}]", "[{a: 1}]", "[x, {a: 1}]", "[x]"),
        ("[[1]]", "[[2]]", "[[2]]", "[[1], [2]]", "[[1]]"),
        ("[{l: [1]}]", "[{l: [2, 3]}]", "[{l: [2, 3]}]", "[{l: [1]}, {l: [2, 3]}]", "[{l: [1, 3]}]"),
        ("[null]", "[1]", "[1]", "[null, 1]", "[null]"),
    ] {
        for (strategy, expected) in STRATEGIES.into_iter().zip([replace, append, merged]) {
            let found = merge(strategy, [&map(&format!("k: {lower}")), &map(&format!("k: {upper}"))]);
            assert_eq!(to_value(&*found).unwrap()["k"], json(expected), "{strategy:?}: {lower} < {upper}");
        }
    }
}

#[test]
fn append_continues_what_lies_below() {
    for strategy in STRATEGIES {
        for (lower, upper, expected) in [
            ("[a]", "!append [b]", "[a, b]"),
            ("[a, b]", "!append [b]", "[a, b, b]"),
            ("[]", "!append [b]", "[b]"),
            ("text", "!append [b]", "[b]"),
            ("{x: 1}", "!append [b]", "[b]"),
            ("null", "!append [b]", "[b]"),
            ("[a]", "!append []", "[a]"),
            ("!append [a]", "!append [b]", "[a, b]"),
            ("!append [a]", "text", "text"),
        ] {
            let found = merge(strategy, [&map(&format!("k: {lower}")), &map(&format!("k: {upper}"))]);
            assert_eq!(to_value(&*found).unwrap()["k"], json(expected), "{strategy:?}: {lower} < {upper}");
        }
        let found = merge(strategy, [&map("other: 1"), &map("k: !append [b]")]);
        assert_eq!(to_value(&*found).unwrap()["k"], json("[b]"));
    }
}

#[test]
fn a_lone_import_keeps_its_marker() {
    let one = map("k: !append [b]");
    let kept = merge_imports(ListStrategy::Replace, [&one]);
    let continued = merge(ListStrategy::Replace, [&map("k: [a]"), &kept]);
    assert_eq!(to_value(&*continued).unwrap(), json("k: [a, b]"));
    let used = merge_imports(ListStrategy::Replace, [&map("x: 1"), &one]);
    let replaced = merge(ListStrategy::Replace, [&map("k: [a]"), &used]);
    assert_eq!(to_value(&*replaced).unwrap(), json("k: [b], x: 1".replace(", x", "\nx").as_str()));
}

#[test]
fn append_works_in_a_file_without_imports() {
    let manifest = "\
terraform: {vars: {l: [g]}}
components: {terraform: {box: {vars: {l: !append [c]}}}}
";
    assert_eq!(boxed(manifest)["vars"]["l"], json("[g, c]"));
    let world = dev(&format!("import: [catalog/x]\n{manifest}")).stack("catalog/x.yaml", "settings: {x: 1}\n");
    assert_eq!(world.get("box")["vars"]["l"], json("[c]"));
}

#[test]
fn dates_are_lost() {
    let (a, b) = (map("a: 2024-01-02\nb: '2024-01-02'\nl: [2024-01-02]"), map("x: 1"));
    let merged = to_value(&*merge(ListStrategy::Replace, [&a, &b])).unwrap();
    assert_eq!(merged, json("{a: {}, b: '2024-01-02', l: [{}], x: 1}"));
    assert_eq!(boxed("components: {terraform: {box: {vars: {d: 2024-01-02}}}}\n")["vars"]["d"], json("{}"));
}

#[test]
fn values_merge_like_entries() {
    let value = |text: &str| map(&format!("k: {text}")).get("k").unwrap().clone();
    let merged = merge_values(ListStrategy::Append, &value("[1]"), &value("[2]"));
    assert_eq!(to_value(&merged).unwrap(), json("[1, 2]"));
    let merged = merge_values(ListStrategy::Replace, &value("{a: 1}"), &value("{b: 2}"));
    assert_eq!(to_value(&merged).unwrap(), json("{a: 1, b: 2}"));
}

#[test]
fn the_strategy_of_settings_reaches_the_components_only() {
    let catalog = "vars: {l: [c]}\n";
    let manifest = |settings: &str| {
        World::new().stack("catalog/x.yaml", catalog).stack(
            "deploy/dev.yaml",
            &format!("import: [catalog/x]\nvars: {{stage: dev, l: [g]}}\n{settings}components: {{terraform: {{box: {{vars: {{l: [b]}}}}}}}}\n"),
        )
    };
    assert_eq!(manifest("").get("box")["vars"]["l"], json("[b]"));
    assert_eq!(manifest("settings: {list_merge_strategy: append}\n").get("box")["vars"]["l"], json("[g, b]"));
    assert_eq!(manifest("settings: {list_merge_strategy: merge}\n").get("box")["vars"]["l"], json("[g]"));
    let everywhere = manifest("").atmos("settings: {list_merge_strategy: append}\n");
    assert_eq!(everywhere.get("box")["vars"]["l"], json("[c, g, b]"));
}

#[test]
fn unknown_strategies_are_findings() {
    let manifest = "components: {terraform: {box: {vars: {l: [b]}}}}\n";
    dev(manifest).atmos("settings: {list_merge_strategy: glue}\n").fails(&["invalid-config atmos.yaml:5", "`glue`"]);
}
