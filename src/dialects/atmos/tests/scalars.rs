//! `reference: atmos.md` section 6: the meaning of scalars and documents.

use super::{World, boxed, dev, json};

#[test]
fn plain_scalars() {
    for (text, expected) in [
        ("yes", "\"yes\""),
        ("No", "\"No\""),
        ("on", "\"on\""),
        ("y", "\"y\""),
        ("true", "true"),
        ("True", "true"),
        ("FALSE", "false"),
        ("0o17", "15"),
        ("017", "15"),
        ("08", "8"),
        ("0x1F", "31"),
        ("0b11", "3"),
        ("1_000", "1000"),
        ("+5", "5"),
        ("00", "0"),
        ("12345678901234567890", "12345678901234567890"),
        ("1.0", "1"),
        ("1e3", "1000"),
        ("1.10", "1.1"),
        ("1:30", "\"1:30\""),
        ("~", "null"),
        ("NULL", "null"),
        ("", "null"),
        ("'12'", "\"12\""),
        ("\"true\"", "\"true\""),
        ("!!str 12", "\"12\""),
        ("!!int '12'", "12"),
        ("!literal 7", "7"),
        ("!unset", "\"!unset\""),
        ("!cwd", "\"!cwd\""),
        ("!env HOME", "\"!env HOME\""),
        ("\"!env HOME\"", "\"!env HOME\""),
    ] {
        let found = boxed(&format!("components:\n  terraform:\n    box:\n      vars:\n        k: {text}\n"));
        assert_eq!(found["vars"]["k"].to_string(), expected, "{text}");
    }
}

#[test]
fn keys_are_text() {
    let found = boxed(
        "components: {terraform: {box: {vars: {1: a, true: b, 3.5: c, null: d, 0x10: e}}}}\n"
            .replace("null: d, ", "")
            .as_str(),
    );
    let keys: Vec<&String> = found["vars"].as_object().unwrap().keys().collect();
    assert_eq!(keys, ["1", "16", "3.5", "stage", "true"]);
    let clash = dev("components:\n  terraform:\n    box:\n      vars:\n        80: a\n        \"80\": b\n");
    clash.fails(&["duplicate-key stacks/deploy/dev.yaml:7"]);
}

#[test]
fn anchors_and_merge_keys() {
    let found = boxed(
        "\
x-defaults:
  one: &one {a: 1, b: 1}
  two: &two {b: 2, c: 2}
components:
  terraform:
    box:
      vars:
        alias: *one
        merged: {c: 3, <<: [*one, *two]}
        late: {<<: *one, a: 9}
",
    );
    assert_eq!(found["vars"]["alias"], json("{a: 1, b: 1}"));
    assert_eq!(found["vars"]["merged"], json("{a: 1, b: 1, c: 3}"));
    assert_eq!(found["vars"]["late"], json("{a: 9, b: 1}"));
}

#[test]
fn only_the_first_document_counts() {
    let found = boxed("components: {terraform: {box: {vars: {a: 1}}}}\n---\nvars: {stage: other}\n");
    assert_eq!(found["vars"]["a"], 1);
}

#[test]
fn empty_files() {
    let world = dev("import: [catalog/zero]\ncomponents: {terraform: {box: {}}}\n").stack("catalog/zero.yaml", "");
    assert_eq!(world.get("box")["vars"], json("{stage: dev}"));
    World::new().stack("deploy/dev.yaml", "[1, 2]\n").fails(&["stacks/deploy/dev.yaml:1", "map"]);
}

#[test]
fn keys_are_split_at_the_delimiter() {
    let manifest = "components: {terraform: {box: {vars: {a.b.c: 1, \"x.y\": 2, a.b.d: 3, z.: 4, .w: 5}}}}\n";
    let plain = dev(manifest).get("box");
    assert_eq!(plain["vars"]["a.b.c"], 1);
    let split = dev(manifest).atmos("settings: {yaml: {key_delimiter: '.'}}\n").get("box");
    assert_eq!(split["vars"], json("{stage: dev, a: {b: {c: 1, d: 3}}, 'x.y': 2, 'z.': 4, '.w': 5}"));
}

#[test]
fn duplicate_keys_and_unknown_tags() {
    dev("settings:\n  a: 1\n  a: 2\n").fails(&["duplicate-key stacks/deploy/dev.yaml:4"]);
    dev("settings:\n  a: !Env X\n").fails(&["unknown-function stacks/deploy/dev.yaml:3", "!Env"]);
}

#[test]
fn deep_nesting_does_not_overflow() {
    let deep = |n: usize| format!("settings: {}{}\n", "[".repeat(n), "]".repeat(n));
    assert!(!dev(&deep(100_000)).findings().is_empty());
    let chain = |n: usize| {
        let mut text = String::from("settings:\n");
        (0..n).for_each(|i| text.push_str(&format!("{}k:\n", " ".repeat(i + 1))));
        text
    };
    dev(&chain(3_000)).findings();
}

#[test]
fn aliases_do_not_explode() {
    let mut text = String::from("settings:\n  a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for i in 1..12 {
        let before = format!("*a{}", i - 1);
        text.push_str(&format!("  a{i}: &a{i} [{}]\n", [before.as_str(); 10].join(", ")));
    }
    text.push_str("components: {terraform: {box: {}}}\n");
    assert!(!dev(&text).findings().is_empty());
}

#[test]
fn what_a_trip_through_yaml_does_to_text() {
    let of = |vars: &str| dev(&format!("components: {{terraform: {{box: {{vars: {vars}}}}}}}\n"));
    let kept = of(r#"{a: "x\n\ty\n", b: "\tx", c: " \tx\ny", d: "x\t\ny"}"#).get("box")["vars"].clone();
    assert_eq!(kept, json(r#"{"a": "x\n\ty\n", "b": "\tx", "c": " \tx\ny", "d": "x\t\ny", "stage": "dev"}"#));
    let cut = of(r#"{"\nk": "\nv\n"}"#).get("box")["vars"].clone();
    assert_eq!(cut, json(r#"{"k": "v\n", "stage": "dev"}"#));
    for vars in [r#"{v: "\tx\ny"}"#, r#"{v: "\tx\n"}"#, r#"{v: ["\t\n"]}"#] {
        of(vars).fails(&["invalid-yaml stacks/deploy/dev.yaml", "cannot be parsed again", "found a tab character"]);
    }
}

#[test]
fn merge_keys_take_what_is_included() {
    let text = |merged: &str| {
        format!(
            "components:\n  terraform:\n    box:\n      vars:\n        k:\n          <<: {merged}\n          x: 1\n"
        )
    };
    let world = |merged: &str| {
        dev(&text(merged)).file("a.json", r#"{"a": 1, "x": 2}"#).file("l.json", r#"[{"a": 1}, {"a": 2, "b": 3}]"#)
    };
    for (merged, expected) in [
        ("!include a.json", r#"{"a": 1, "x": 1}"#),
        ("[!include a.json, {a: 5, c: 2}]", r#"{"a": 1, "c": 2, "x": 1}"#),
        ("[{a: 5}, !include a.json]", r#"{"a": 5, "x": 1}"#),
        ("!include l.json", r#"{"a": 1, "b": 3, "x": 1}"#),
    ] {
        assert_eq!(world(merged).get("box")["vars"]["k"], json(expected), "{merged}");
    }
    for merged in ["!include a.json .a", "[!include a.json, 1]", "plain", "[!include l.json]"] {
        world(merged).fails(&["invalid-yaml stacks/deploy/dev.yaml:7", "map merge requires map"]);
    }
}

#[test]
fn tags_inside_of_what_a_tag_leaves_alone_are_dropped() {
    let vars = |text: &str| {
        let world = dev(&format!("components:\n  terraform:\n    box:\n      vars:\n        k: {text}\n"));
        world.file("t.txt", "hello").get("box")["vars"]["k"].clone()
    };
    for (text, expected) in [
        ("!literal {x: !env HOME, y: !include t.txt}", r#"{"x": "HOME", "y": "t.txt"}"#),
        ("!literal [!env HOME, [!append [1]], !nothing a]", r#"["HOME", [[1]], "a"]"#),
        ("!append {x: !include t.txt, y: !env 5}", r#"{"x": "t.txt", "y": 5}"#),
        ("!literal {<<: {x: !env HOME}}", r#"{"x": "HOME"}"#),
        // These look inside of their targets.
        ("!env {x: !include t.txt, y: !env HOME}", r#"{"x": "hello", "y": "!env HOME"}"#),
        ("!append [!include t.txt, {y: !env HOME}]", r#"["hello", {"y": "!env HOME"}]"#),
        ("[!literal {x: !env A}, {x: !env A}]", r#"[{"x": "A"}, {"x": "!env A"}]"#),
    ] {
        assert_eq!(vars(text), json(expected), "{text}");
    }
}

#[test]
fn keys_have_tags_as_values_do() {
    let world = |key: &str| {
        let world = dev(&format!("components:\n  terraform:\n    box:\n      vars:\n        {key}: 1\n"));
        world.file("t.txt", "hello").file("m.json", r#"{"a": 7}"#)
    };
    for (key, expected) in [
        ("!include t.txt", "hello"),
        ("!include m.json .a", "7"),
        ("!env HOME", "!env HOME"),
        ("!literal a", "a"),
        ("!append 5", "5"),
    ] {
        assert_eq!(world(key).get("box")["vars"][expected], 1, "{key}");
    }
    world("!include m.json").fails(&["invalid-yaml stacks/deploy/dev.yaml:6", "cannot be a key"]);
    world("!nothing a").fails(&["unknown-function stacks/deploy/dev.yaml:6", "`!nothing`"]);
    world("!include gone.txt").fails(&["unresolved-include stacks/deploy/dev.yaml:6", "gone.txt"]);
}
