//! Expressions, from their text to their value.

use crate::ast::{Name, TraversalStep};
use crate::eval::{Budget, Evaluator, Scope};
use crate::functions::NoFiles;
use crate::parse;
use crate::parse::{Layout, Parsed, parse_expression};
use crate::val::Val;
use crate::val::export;
use serde_json::{Value as Json, json};
use traced_value::FileId;

/// One name, `secret`.
struct Secret;

impl Scope for Secret {
    fn get(&self, root: &Name, _: &[TraversalStep]) -> Option<(Val, usize)> {
        let marked = || Val::str("pw").marked(crate::val::Marks::SENSITIVE);
        (&*root.text == "secret").then(|| (marked(), 0))
    }
}

fn parse_body(text: &str) -> Parsed {
    parse::parse_body(text, Layout::Strict)
}

fn run(text: &str) -> (Val, Vec<String>) {
    let expr = parse_expression(text).unwrap_or_else(|e| panic!("{text}: {e:?}"));
    let budget = Budget::new(200_000);
    let mut evaluator = Evaluator::new(FileId::new(0), &Secret, &NoFiles, &budget);
    let value = evaluator.eval(&expr);
    (value, evaluator.problems.into_iter().map(|p| p.summary).collect())
}

fn value(text: &str) -> Json {
    let (value, problems) = run(text);
    assert_eq!(problems, Vec::<String>::new(), "{text}");
    serde_json::to_value(export::export(&value)).unwrap()
}

fn problem(text: &str) -> String {
    run(text).1.join(", ")
}

#[test]
fn what_functions_read_counts() {
    let expr = parse_expression("[for l in [range(1000)] : [for i in range(1000) : length(l)]]").unwrap();
    let budget = Budget::new(200_000);
    Evaluator::new(FileId::new(0), &Secret, &NoFiles, &budget).eval(&expr);
    let (taken, read) = (200_000 - budget.left(), 1000 * 1000 / 32);
    assert!(taken > read && taken < 2 * read, "{taken}");
}

#[test]
fn operators_have_their_precedence() {
    for (text, expected) in [
        ("1 + 2 * 3", json!(7)),
        ("(1 + 2) * 3 - -4", json!(13)),
        ("1 + 1 == 2 && \"a\" != \"b\" || false", json!(true)),
        ("true ? 1 : \"a\"", json!("1")),
        ("\"1\" == 1", json!(false)),
        ("[1, 2] == [1, 2]", json!(true)),
        ("!false ? [for x in [1, 2, 3] : x * 2 if x > 1] : []", json!([4, 6])),
        ("7 % 3 / 2", json!(0.5)),
    ] {
        assert_eq!(value(text), expected, "{text}");
    }
}

#[test]
fn collections_and_splats() {
    for (text, expected) in [
        ("{ a = 1, \"b c\" : 2, (\"d\") = 3 }", json!({"a": 1, "b c": 2, "d": 3})),
        ("[{ a = [1] }, { a = [2] }][*].a[0]", json!([1, 2])),
        ("[{ a = 1 }, { a = 2 }].*.a", json!([1, 2])),
        ("[{ a = 1 }, { a = 2 }].*.a[1]", json!(2)),
        ("null[*]", json!([])),
        ("\"x\"[*]", json!(["x"])),
        ("{ for k, v in { a = 1, b = 1 } : v => k... }", json!({"1": ["a", "b"]})),
        ("{ a = { b = [10, 20] } }.a.b.1", json!(20)),
    ] {
        assert_eq!(value(text), expected, "{text}");
    }
}

#[test]
fn templates_and_heredocs() {
    for (text, expected) in [
        ("\"a${1 + 1}b$${c}%%{d}\"", json!("a2b${c}%{d}")),
        ("\"${[1]}\"", json!([1])),
        ("\"%{ for x in [1, 2] ~} ${x} %{ endfor }\"", json!("1 2 ")),
        ("\"%{ if false }a%{ else }b%{ endif }\"", json!("b")),
        ("<<-E\n    a\n      b\n\n    E\n", json!("a\n  b\n\n")),
        // Only the marker and white space around it end a heredoc.
        ("<<E\na\n \tE \t\u{a0}\n", json!("a\n")),
        ("<<E\r\na\r\nE \r\n", json!("a\r\n")),
        ("<<E\na\nE b\nbE\nE\n", json!("a\nE b\nbE\n")),
        ("<<E\n  a\nE\n", json!("  a\n")),
        ("\"\\u00e9\\n\\\"\"", json!("é\n\"")),
    ] {
        assert_eq!(value(text), expected, "{text}");
    }
}

#[test]
fn functions_of_each_family() {
    for (text, expected) in [
        ("cidrsubnet(\"10.20.0.0/16\", 8, 5)", json!("10.20.5.0/24")),
        ("cidrsubnets(\"10.20.0.0/16\", 4, 4, 8, 2)[3]", json!("10.20.64.0/18")),
        ("format(\"%05d|%-3s|%.2f|%v\", 42, \"a\", 3.14159, [1])", json!("00042|a  |3.14|[1]")),
        (
            "format(\"%v %v %v %v\", 999999, 1000000, -1234567.5, 100000000000)",
            json!("999999 1e+06 -1.2345675e+06 1e+11"),
        ),
        ("format(\"%v %v %v %#v\", 0.0001, 0.00001, 0, 1000000)", json!("0.0001 1e-05 0 1000000")),
        ("formatlist(\"%s-%s\", [\"a\", \"b\"], \"x\")", json!(["a-x", "b-x"])),
        ("yamldecode(\"y: on\\nn: 010\\n\")", json!({"true": true, "false": 10})),
        ("yamlencode({ a = [1, { b = \"x\" }] })", json!("\"a\":\n- 1\n- \"b\": \"x\"\n")),
        ("jsonencode([-0, 0 * -1, 0 + -0, yamldecode(\"-0\"), yamldecode(\"-0.0\")])", json!("[-0,-0,0,-0,-0]")),
        ("\"a${-0}\"", json!("a-0")),
        ("-0 == 0", json!(true)),
        ("jsonencode({ z = \"<\", a = null })", json!("{\"a\":null,\"z\":\"\\u003c\"}")),
        ("regex(\"(?P<a>\\\\d+)-(?P<b>x)?\", \"12-\")", json!({"a": "12", "b": null})),
        ("formatdate(\"EEE, DD MMM YYYY hh:mm ZZZ\", \"2026-11-22T13:14:15Z\")", json!("Sun, 22 Nov 2026 13:14 UTC")),
        ("timeadd(\"2026-01-01T00:00:00Z\", \"-1h30m\")", json!("2025-12-31T22:30:00Z")),
        ("merge({ a = 1 }, { b = 2 })", json!({"a": 1, "b": 2})),
        ("title(\"👍🏽false a-b·c\")", json!("👍🏽false A-B·c")),
        ("setproduct([\"a\"], [1, 2])", json!([["a", 1], ["a", 2]])),
        ("try(tonumber(\"x\"), -1)", json!(-1)),
        ("sort(distinct([\"b\", \"a\", \"b\"]))", json!(["a", "b"])),
        ("csvdecode(\"a,b\\n1,\\\"x,y\\\"\\n\")", json!([{"a": "1", "b": "x,y"}])),
        ("uuidv5(\"dns\", \"www.example.com\")", json!("2ed6657d-e927-568b-95e1-2665a8aea6a2")),
        ("templatestring(\"$${a}-%%{ if a == 1 }y%%{ endif }\", { a = 1 })", json!("1-y")),
        ("core::upper(\"straße\")", json!("STRAßE")),
    ] {
        assert_eq!(value(text), expected, "{text}");
    }
}

/// Results of OpenTofu 1.12.6 for expressions with unexpected results.
#[test]
fn functions_have_the_peculiarities_of_opentofu() {
    for (text, expected) in [
        // Elements are compared with their types.
        ("contains([\"1\"], 1)", json!(false)),
        ("contains([\"a\", 1], 1)", json!(true)),
        ("contains([[\"a\"]], tolist([\"a\"]))", json!(false)),
        // A side that decides excuses the other one; null is not true.
        ("tobool(\"x\") || true", json!(true)),
        ("false && tobool(\"x\")", json!(false)),
        ("true && null", json!(false)),
        ("null || true", json!(true)),
        ("[{}.x, false][1] || true", json!(true)),
        ("false && [{}.x, true][1]", json!(false)),
        ("coalesce(null, [\"a\"], true)", json!(["a"])),
        ("coalesce([\"a\"], toset([7]))", json!([7])),
        ("toset([{ a = \"x\" }, {}])", json!([{"a": "x"}, {}])),
        ("tomap({ a = null, b = { c = 1 } })", json!({"a": null, "b": {"c": 1}})),
        ("timecmp(\"2020-01-01T1:00:00Z\", \"2020-01-01T01:00:00Z\")", json!(0)),
        ("log(3, 0.1)", json!(-0.47712125471966244)),
        ("title(\"ǆ\")", json!("ǅ")),
        ("lower(\"ΑΣ İ\")", json!("ας i".replace('ς', "σ"))),
        ("substr(\"abc\", -2, 0)", json!("bc")),
        ("substr(\"abc\", 1, 0)", json!("")),
        (
            "yamldecode(\"[1_000, 0b11, 0x1f, -0x1f, 017, .5, 1e3]\")",
            json!(["1_000", "0b11", 31, "-0x1f", 17, 0.5, 1000]),
        ),
        ("yamlencode(true)", json!("true\n...\n")),
        ("textencodebase64(\"a\", \"UTF-16\")", json!("/v8AYQ==")),
        ("textencodebase64(\"é\", \"csISOLatin1\")", json!("6Q==")),
        ("textdecodebase64(\"//5hAA==\", \"UTF-16\")", json!("a")),
    ] {
        assert_eq!(value(text), expected, "{text}");
    }
    for text in [
        "false && []",
        "[{}.x, true][1] || true",
        "true && { a = {}.x, b = false }.b",
        "[{}.x, true][1] && true",
        "signum(2.5)",
        "timeadd(\"2020-01-01T1:00:00Z\", \"1h\")",
        "timeadd(\"2020-01-01T01:00:00,5Z\", \"1h\")",
        "formatdate(\"hh\", \"2020-01-01T1:00:00Z\")",
        "parseint(10, 2)",
        "join(\",\")",
        "indent(-1, \"a\")",
        "jsondecode(\"01\")",
        "format(\"%[1]s\", \"a\", \"b\")",
        "coalesce([1], [[]], [])",
        "coalescelist([1], {})",
        "setproduct([1, []], [1])",
        "tolist([null, []])",
        "cidrsubnets(\"0.0.0.0/0\", 8)",
        "textdecodebase64(\"/w==\", \"UTF-8\")",
        "textencodebase64(\"a\", \"ascii\")",
    ] {
        assert!(!run(text).1.is_empty(), "{text}");
    }
}

#[test]
fn mistakes_are_named() {
    for (text, expected) in [
        ("upperr(\"a\")", "Call to unknown function"),
        ("upper()", "Not enough function arguments"),
        ("upper(\"a\", \"b\")", "Too many function arguments"),
        ("\"x${null}\"", "Invalid template interpolation value"),
        ("[1][2]", "Invalid index"),
        ("{ a = 1 }.b", "Unsupported attribute"),
        ("true ? [1] : \"x\"", "Inconsistent conditional result types"),
        ("range(1025)", "Error in function call"),
        ("other", "Variables not allowed"),
        ("{ a.b = 1 }", "Variables not allowed"),
    ] {
        let found = problem(text);
        assert!(
            found == expected || text.starts_with("{ a.b") && found == "Ambiguous attribute key",
            "{text}: {found}"
        );
    }
}

#[test]
fn marks_pass_to_what_is_computed() {
    let sensitive = |text: &str| run(text).0.marks.has(crate::val::Marks::SENSITIVE);
    assert!(sensitive("\"a-${secret}\""));
    assert!(sensitive("length(secret)"));
    assert!(sensitive("secret == \"pw\" ? 1 : 2"));
    assert!(sensitive("jsonencode({ a = secret })"));
    assert!(!sensitive("nonsensitive(secret)"));
    assert!(!sensitive("keys({ a = secret })"));
    assert!(!sensitive("[secret, 1]"));
}

#[test]
fn unknown_values_stay_unknown() {
    let (value, problems) = run("\"a-${timestamp()}\"");
    assert!(value.is_unknown() && problems.is_empty());
    assert_eq!(value.unknown_reason().map(|r| &**r), Some("timestamp() reads the clock"));
    let (value, _) = run("merge({ a = timestamp() }, { b = 1 }).b");
    assert!(!value.is_unknown());
}

#[test]
fn bodies_are_read_around_mistakes() {
    let parsed = parse_body("a = 1\nb = \"open\nc = 2\n}\nd {\n  x = [1, 2\n}\n");
    assert_eq!(parsed.errors.first().map(|e| e.summary), Some("Unterminated template string"));
    let parsed = parse_body("locals {\n  x = [1 2]\n  y = 3\n}\nmodule \"m\" {\n}\n");
    assert_eq!(parsed.errors.iter().map(|e| e.summary).collect::<Vec<_>>(), ["Missing item separator"]);
    assert_eq!(parsed.body.blocks.len(), 2);
    assert!(parsed.body.blocks[0].body.get("y").is_some());
    let one_line = parse_body("\u{feff}locals { a = \"b\" }\r\nx = 1 # end");
    assert!(one_line.errors.is_empty(), "{:?}", one_line.errors);
    assert_eq!((one_line.body.blocks.len(), one_line.body.attributes.len()), (1, 1));
}

#[test]
fn blocks_on_one_line_have_one_argument() {
    for (text, expected) in [
        ("a { b = 1 }\nc {}\nd \"e\" {\n}\n", ""),
        ("a { b = 1\n}\n", "Invalid single-argument block definition"),
        ("a { b = 1, c = 2 }\nd = 1\n", "Invalid single-argument block definition"),
        ("a { b { c = 1 } }\nd = 1\n", "Argument definition required"),
        ("a {\n  b = 1 }\n", "Missing newline after argument"),
        ("a {\n  b {}}\n", "Missing newline after block definition"),
        ("a { = 1 }\nd = 1\n", "Argument or block definition required"),
    ] {
        let errors = |layout| parse::parse_body(text, layout).errors.iter().map(|e| e.summary).collect::<Vec<_>>();
        assert_eq!(errors(Layout::Strict).join(", "), expected, "{text}");
        let is_broken = text.contains("{ = ") || text.contains(", c");
        assert_eq!(errors(Layout::Lenient).is_empty(), !is_broken, "{text}");
    }
}

#[test]
fn long_chains_have_a_limit() {
    let chain = |part: &str, n: usize| parse_expression(&format!("a{}", part.repeat(n)));
    for part in ["+1", " && b", "[c]", ".*", "[*]", ".*[0]", "?1:1", "[c].d", "+{ a = 1 }.*"] {
        let found = chain(part, 30_000).err().and_then(|errors| errors.first().map(|e| e.summary));
        assert!(matches!(found, Some("Too long expression" | "Too deep nesting")), "{part}: {found:?}");
        assert!(chain(part, 100).is_ok(), "{part}");
    }
    for part in [".b", "[0]", "[\"x\"]"] {
        assert!(chain(part, 30_000).is_ok(), "{part}");
    }
    assert!(chain("::b", 30_000).is_err());
    // The left sides of nested chains add up.
    let nested = (0..140).fold("1".to_owned(), |inner, _| format!("({inner}){}", "+1".repeat(100)));
    assert_eq!(parse_expression(&nested).unwrap_err()[0].summary, "Too long expression");
    // Adjacent expressions do not.
    let wide = format!("[{}]", format!("1{}, ", "+1".repeat(900)).repeat(20));
    assert!(parse_expression(&wide).is_ok());
    let numbers = format!("a = [{}]", "1e-19999, ".repeat(30_000));
    assert!(parse_body(&numbers).errors.iter().any(|e| e.summary == "Too many digits"));
}

#[test]
fn hostile_texts_end() {
    for text in ["[", "{", "(", "\"${", "!", "-", "a.", "a[", "f(", "x ? ", "[for a in "] {
        let deep = text.repeat(20_000);
        assert!(parse::parse_expression(&deep).is_err());
        let _ = parse_body(&format!("a = {deep}"));
    }
    let blocks = "a {\n".repeat(20_000);
    assert!(!parse_body(&blocks).errors.is_empty());
    let doubling = format!("[for a in range(1000) : [for b in range(1000) : {}]]", "[for c in range(1000) : c]");
    assert_eq!(problem(&doubling), "Evaluation limit exceeded");
    // A value of a list that a function makes is a step.
    assert_eq!(problem("[for a in range(300) : length(range(1000))]"), "Evaluation limit exceeded");
}

#[test]
fn zero_keeps_its_sign_but_for_abs() {
    for (text, expected) in [
        ("abs(-0)", "0"),
        ("max(-0, 0)", "-0"),
        ("max(0, -0)", "0"),
        ("min(0, -0)", "0"),
        ("sum([-0])", "-0"),
        ("sum([-0, 0])", "0"),
    ] {
        assert_eq!(value(&format!("jsonencode({text})")), json!(expected), "{text}");
    }
}

#[test]
fn networks_of_negative_numbers_are_those_of_their_bits() {
    for (text, expected) in [
        ("cidrsubnet(\"10.0.0.0/8\", 4, -1)", "0.16.0.0/12"),
        ("cidrsubnet(\"10.0.0.0/8\", -1, 1)", "10.0.0.0/7"),
        ("cidrsubnet(\"10.0.0.0/8\", -4, -1)", "6.0.0.0/4"),
        ("cidrsubnet(\"fd00::/48\", 16, -1)", "0:0:0:1::/64"),
    ] {
        assert_eq!(value(text), json!(expected), "{text}");
    }
    for text in
        ["cidrsubnet(\"10.0.0.0/8\", 4, -17)", "cidrsubnet(\"10.0.0.0/8\", 4, 16)", "cidrsubnet(\"10.0.0.0/8\", 25, 0)"]
    {
        assert_eq!(run(text).1, ["Error in function call"], "{text}");
    }
}
