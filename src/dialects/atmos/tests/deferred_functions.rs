//! `reference: atmos.md` section 8.4.

use super::{dev, json, map};
use crate::dialects::atmos::merge::ListStrategy::{self, Append, Merge, Replace};
use crate::dialects::atmos::merge::deferred::merge_deferred;
use crate::dialects::atmos::merge::deferred_calls::is_held_back;
use serde_json::to_value;

#[test]
fn the_table() {
    let cases: &[(ListStrategy, &[&str], &str)] = &[
        (Replace, &["!template '{\"a\":1}'", "{d: 4, b: {e: 5}}"], "{d: 4, b: {e: 5}}"),
        (Replace, &["{x: 1, y: true}", "!template '{\"w\":2}'"], "'!template {\"w\":2}'"),
        (Replace, &["!template '[1,2]'", "[7]"], "[7]"),
        (Append, &["!template '[1,2]'", "[7]"], "[7]"),
        (Append, &["[9]", "!template '[8]'"], "[9]"),
        (Replace, &["[9]", "!template '[8]'"], "'!template [8]'"),
        (Replace, &["!env X d", "over"], "over"),
        (Replace, &["plain", "!env X q"], "'!env X q'"),
        (Replace, &["!template '{\"a\":1}'", "null"], "'!template {\"a\":1}'"),
        (Replace, &["null", "!env X"], "'!env X'"),
        (Replace, &["{k: !env X q}", "{k2: 1}"], "{k: '!env X q', k2: 1}"),
        (Replace, &["{k: !env X q}", "{k: 1}"], "{k: 1}"),
        (Replace, &["{k: 1}", "{k: !env X q}"], "{k: '!env X q'}"),
        // The first value decides how the others count.
        (Replace, &["!env A", "!env B", "c"], "c"),
        (Replace, &["a", "!env B", "null"], "'!env B'"),
        (Replace, &["{a: 1}", "!env B", "{c: 3}"], "'!env B'"),
        (Replace, &["!env A", "{b: 1}", "{c: 3}"], "{c: 3}"),
        (Append, &["[1]", "!env A", "[2]"], "[1, 2]"),
        // Inside of lists functions are plain text.
        (Replace, &["[{f: !env A}]", "[{g: 1}]"], "[{g: 1}]"),
        (Append, &["[!env A]", "[b]"], "['!env A', b]"),
        (Merge, &["[{f: !env A}]", "[{f: 1}]"], "[{f: 1}]"),
        // Functions that are not deferred merge as text.
        (Replace, &["!cwd", "null"], "null"),
        (Replace, &["!aws.region", "null"], "null"),
    ];
    for (strategy, layers, expected) in cases {
        let maps: Vec<_> = layers.iter().map(|l| map(&format!("k: {l}"))).collect();
        let merged =
            merge_deferred(*strategy, None, &maps.iter().collect::<Vec<_>>(), &mut Vec::new()).expect("no lost path");
        assert_eq!(to_value(&*merged).unwrap()["k"], json(expected), "{strategy:?} {layers:?}");
    }
}

#[test]
fn prefixes_count_silently_boundary() {
    for held in
        ["!env X", "!environment", "!template", "!terraform.state a b", "!store x", "!exec ls", "!labels.keys", "!tags"]
    {
        assert!(is_held_back(held), "{held}");
    }
    for free in ["env X", "!cwd", "!aws.region", "!include x", "! env", "", "!terraform", "!secret x", "!unset"] {
        assert!(!is_held_back(free), "{free}");
    }
}

#[test]
fn nothing_but_a_map_may_cover_a_function() {
    for upper in ["str", "[1]", "null", "7"] {
        let (a, b) = (map("m: {k: !env X q}"), map(&format!("m: {upper}")));
        let lost = merge_deferred(Replace, None, &[&a, &b], &mut Vec::new()).expect_err(upper);
        assert_eq!(lost.path.iter().map(|k| &**k).collect::<Vec<_>>(), ["m", "k"]);
    }
    let manifest = "\
terraform: {vars: {m: {k: !env X q}}}
components:
  terraform:
    box:
      vars:
        m: text
";
    dev(manifest).fails(&["stacks/deploy/dev.yaml:7", "m"]);
}

#[test]
fn imports_and_bases_merge_functions_as_text() {
    let world = dev("import: [catalog/x]\ncomponents: {terraform: {box: {vars: {m: null}}}}\n")
        .stack("catalog/x.yaml", "components: {terraform: {box: {vars: {m: !env X}}}}\n");
    assert_eq!(world.get("box")["vars"]["m"], json("null"));
    let bases = "\
components:
  terraform:
    a: {vars: {m: !env X}}
    b: {vars: {m: null}}
    box: {metadata: {inherits: [a, b]}}
    bag: {metadata: {inherits: [a]}, vars: {m: null}}
";
    assert_eq!(dev(bases).get("box")["vars"]["m"], json("null"));
    assert_eq!(dev(bases).get("bag")["vars"]["m"], "!env X");
}

#[test]
fn sections_that_defer() {
    let manifest = |section: &str| {
        format!(
            "components: {{terraform: {{base: {{{section}: {{m: !env X}}}}, box: {{metadata: {{inherits: [base]}}, {section}: {{m: null}}}}}}}}\n"
        )
    };
    for section in ["vars", "settings", "env", "providers", "hooks", "generate"] {
        assert_eq!(dev(&manifest(section)).refused().get("box")[section]["m"], "!env X", "{section}");
    }
    assert_eq!(dev(&manifest("dependencies")).refused().get("box")["dependencies"]["m"], json("null"));
}
