//! Paths, with what gomplate answers.

use crate::{FunctionSet, MissingKey, TemplateOptions, parse};

const FUNCTIONS: FunctionSet = FunctionSet { sprig: true, gomplate: true, host: None };

const DATA: &str = r#"{"a": 1, "s": "text", "n": null, "m": {"x": 1}, "l": [1, 2, 3, 4],
    "items": [{"name": "a", "size": 1, "tags": ["x"]}, {"name": "b", "size": 2}, {"name": "c", "size": 3.5}],
    "mixed": [{"v": 1}, {"w": 2}, null, "t"], "k.ey": "dot", "deep": {"a": {"b": {"c": "found"}}}}"#;

fn answer_about(path: &str, data: &str) -> String {
    let text = format!("{{{{ coll.JSONPath {} . | toJson }}}}", go_compat::strconv::quote(path, false));
    let template = parse(&text, &TemplateOptions { left: "", right: "", functions: &FUNCTIONS }).expect("a template");
    let data = super::super::yaml_data::decode(data).expect("YAML");
    match template.execute(&data, MissingKey::Default, &FUNCTIONS) {
        Ok(rendered) => match rendered.unknowns.first() {
            Some((_, unknown)) => format!("unknown: {}", unknown.reasons[0]),
            None => rendered.text,
        },
        Err(error) => match error.message.split_once("error calling JSONPath: ") {
            Some((_, message)) => format!("error: {message}"),
            None => error.message,
        },
    }
}

fn answer(path: &str) -> String {
    answer_about(path, DATA)
}

#[test]
fn paths() {
    for (path, want) in [
        ("$.a", "1"),
        (".deep.a.b.c", r#""found""#),
        (".deep['a']['b']", r#"{"c":"found"}"#),
        (".k\\.ey", r#""dot""#),
        (".n", "null"),
        (".l[0]", "1"),
        (".l[-1]", "4"),
        (".l[1:3]", "[2,3]"),
        (".l[:-1]", "[1,2,3]"),
        (".l[::2]", "[1,3]"),
        (".l[0,-1]", "[1,4]"),
        (".l[*]", "[1,2,3,4]"),
        (".l[]", "1"),
        (".items[*].name", r#"["a","b","c"]"#),
        (".items[0]['name','size']", r#"["a",1]"#),
        (".items[1].tags[0]", "error: executing JSONPath failed: tags is not found"),
        (".mixed", r#"[{"v":1},{"w":2},null,"t"]"#),
        // Nulls are dropped from the results of several places.
        (".mixed[*]", r#"[{"v":1},{"w":2},"t"]"#),
        (".m.*", "1"),
        ("..c", r#""found""#),
        (".items..name", r#"["a","b","c"]"#),
        ("\"quoted\"", r#""quoted""#),
        ("", "error: couldn't parse"),
    ] {
        let want = if path.is_empty() { answer("$") } else { want.to_owned() };
        assert_eq!(answer(path), want, "{path}");
    }
}

#[test]
fn filters() {
    for (path, want) in [
        (r#".items[?(@.name == "b")].size"#, "2"),
        (".items[?(@.name!='b')].name", r#"["a","c"]"#),
        (".items[?(@.tags)].name", r#""a""#),
        (".items[?(@.missing)].name", "[]"),
        (".l[?(@>2)]", "[3,4]"),
        (r#".mixed[?(@.v == 1)]"#, "error: executing JSONPath failed: v is not found"),
        (".items[?(@.size>1)]", "error: executing JSONPath failed: incompatible types for comparison"),
        (
            ".items[?(@.size=~1)]",
            "error: couldn't parse JSONPath .items[?(@.size=~1)]: unrecognized character in action: U+007E '~'",
        ),
        (".m[?(@.x)]", "error: executing JSONPath failed: map[x:1] is not array or slice and cannot be filtered"),
    ] {
        assert_eq!(answer(path), want, "{path}");
    }
}

#[test]
fn mistakes() {
    for (path, want) in [
        (".missing", "executing JSONPath failed: missing is not found"),
        (".l[4]", "executing JSONPath failed: array index out of bounds: index 4, length 4"),
        (".l[3:1]", "executing JSONPath failed: starting index 3 is greater than ending index 1"),
        (".s[0]", "executing JSONPath failed: string is not array or slice"),
        (".l[x]", "couldn't parse JSONPath .l[x]: invalid array index x"),
        (".l[0", "couldn't parse JSONPath .l[0: unterminated array"),
        (".a b", "executing JSONPath failed: unrecognized identifier b"),
        ("....", "couldn't parse JSONPath ....: invalid multiple recursive descent"),
        ("!", "couldn't parse JSONPath !: unrecognized character in action: U+0021 '!'"),
    ] {
        assert_eq!(answer(path), format!("error: {want}"), "{path}");
    }
    assert_eq!(answer_about("$", "null"), "error: reflect: call of reflect.Value.CanInterface on zero Value");
    assert_eq!(answer_about("[0]", "null"), "error: reflect: call of reflect.Value.Type on zero Value");
}

/// Go lists the entries of a map in random order.
#[test]
fn what_is_not_known() {
    for (path, reason) in [
        ("$..x", "1"),
        (".items[0].*", "unknown: `JSONPath` iterates over a map in random order"),
        ("..name", r#"["a","b","c"]"#),
        (".*.a", r#"{"b":{"c":"found"}}"#),
        (".s.*", "unknown: `JSONPath` of this value is not evaluated"),
        ("range .l", "unknown: `JSONPath` with `range` is not evaluated"),
        (".a} {.s", "unknown: `JSONPath` with braces in its expression is not evaluated"),
    ] {
        assert_eq!(answer(path), reason, "{path}");
    }
    let data = r#"{"a": {"name": 1}, "b": {"name": 2}}"#;
    assert_eq!(answer_about("..name", data), "unknown: `JSONPath` iterates over a map in random order");
    // Which lists are forgotten depends on the order.
    let data = r#"{"a": [1], "b": [1, 2]}"#;
    assert_eq!(answer_about(".*[1:]", data), "unknown: `JSONPath` iterates over a map in random order");
}

#[test]
fn work_is_bounded() {
    let many = format!("[{}]", vec!["[0]"; 3000].join(","));
    let union = "[0,0,0,0,0,0,0,0]".repeat(12);
    assert_eq!(answer_about(&union, &many), "error: executing JSONPath failed: int is not array or slice");
    let nested = format!("{}1{}", "[".repeat(100), "]".repeat(100));
    assert_eq!(answer_about(&union, &nested), "unknown: `JSONPath` of so many values is not evaluated");
    assert_eq!(answer_about(&"...*".repeat(50), &nested), "unknown: `JSONPath` of so many values is not evaluated");
}
