#![allow(clippy::unwrap_used, reason = "a test may fail")]

use super::node::Node;
use super::node::json;
use crate::dialects::garden::Garden;
use crate::dialects::{Dialect, EvalError, EvalMode};
use crate::limits::{Limit, Limits};
use crate::value;
use proptest::prelude::*;

fn evaluate(template: &str, context: &str, partial: bool) -> Result<String, EvalError> {
    evaluate_within(Limits::default(), template, context, partial)
}

fn evaluate_within(limits: Limits, template: &str, context: &str, partial: bool) -> Result<String, EvalError> {
    let template = value::json::parse(template).unwrap_or_else(|_| value::Value::str(template));
    let context = value::json::parse(context).unwrap();
    let eval = || Garden::with_limits(limits).eval(&template, &context, EvalMode { partial, keeps_escapes: None });
    let done = crate::threads::with_deep_stack(eval)?;
    Ok(json::encode(&Node::from_value(&done.value)))
}

fn check(cases: &[(&str, &str, &str)]) {
    for (template, context, expected) in cases {
        let got = evaluate(template, context, false).unwrap_or_else(|e| e.message);
        assert_eq!(got, *expected, "{template} in {context}");
    }
}

#[test]
fn types_are_kept_by_a_single_part() {
    check(&[
        ("${a}", r#"{"a": [1, null]}"#, "[1,null]"),
        ("x${a}", r#"{"a": [1, null, 2]}"#, r#""x1,,2""#),
        ("x${a}", r#"{"a": {"b": 1}}"#, r#""x[object Object]""#),
        ("${1 / 0}", "{}", r#"{"$number":"Infinity"}"#),
        ("${if a}${b}${endif}", r#"{"a": true, "b": 2}"#, "2"),
        ("${if a}${b}${endif}", r#"{"a": 0, "b": 2}"#, r#""""#),
        ("${if ifa}${b}${endif}", r#"{"a": 1, "b": 2}"#, "2"),
    ]);
}

#[test]
fn escapes_and_text() {
    check(&[
        ("$${unclosed", "{}", r#""$${unclosed""#),
        ("$$${a}", "{}", r#""$${a}""#),
        ("a $${b} ${c}}", r#"{"c": 1}"#, r#""a ${b} 1}""#),
        (
            r#"${"\x41\u00e9\
b"}"#,
            "{}",
            r#""Aéb""#,
        ),
        ("${a.b-c}", r#"{"a": {"b-c": 1}}"#, "1"),
    ]);
}

#[test]
fn what_cannot_be_parsed() {
    for template in [
        "${}",
        "${1+2}",
        "${a -b}",
        "${a\n|| b}",
        "${a.}",
        "${fn(a,)}",
        "${-1}",
        "${{}}",
        "${typeof}",
        "${a ? b}",
        "${[,]}",
    ] {
        let error = evaluate(template, r#"{"a": 1}"#, false).unwrap_err().message;
        assert!(error.ends_with("Unable to parse as valid template string."), "{template}: {error}");
    }
    let deep = format!("${{{}a{}}}", "(".repeat(5_000), ")".repeat(5_000));
    let error = evaluate(&deep, "{}", false).unwrap_err().message;
    assert!(error.ends_with("nested too deeply."), "{error}");
    let long = format!("${{{}a}}", "a || ".repeat(50_000));
    assert_eq!(evaluate(&long, r#"{"a": 3}"#, false).unwrap(), "3");
}

#[test]
fn missing_keys_and_fallbacks() {
    check(&[
        ("${a || b.c || 1}", "{}", "1"),
        ("${a && b}", "{}", "false"),
        ("${a ? 1 : 2}", "{}", "2"),
        ("${a[b] || 3}", r#"{"a": {}}"#, "3"),
        (
            "${a.b || 1}",
            r#"{"a": 2}"#,
            "Invalid template string (${a.b || 1}): Attempted to look up key b on primitive value a.b.",
        ),
        (
            "${a['x.y'].z}",
            r#"{"a": {"x.y": {"_hidden": 1, "q": 2}}}"#,
            "Invalid template string (${a['x.y'].z}): Could not find key z under a[\"x.y\"]. Available keys: q.",
        ),
        ("${a == a}", r#"{"a": null}"#, "true"),
    ]);
}

#[test]
fn values_of_the_context_may_be_templates() {
    check(&[
        ("${var.a}", r#"{"var": {"a": "${var.b}-x", "b": 1}}"#, r#""1-x""#),
        ("${var.a || 'none'}", r#"{"var": {"a": "${var.a}"}}"#, r#""none""#),
        (
            "${var.a}",
            r#"{"var": {"a": "${var.b}", "b": "${c}"}}"#,
            "Invalid template string (${var.a}): Failed to evaluate template expression at var.a: Invalid template \
             string (${var.b}) at path var.a: Failed to evaluate template expression at var.b: Invalid template string \
             (${c}) at path var.b: Could not find key c. Available keys: var.",
        ),
    ]);
}

#[test]
fn structural_operators() {
    check(&[
        (r#"{"b": 1, "$merge": {"a": 2, "b": {"x": 1}}, "a": 3}"#, "{}", r#"{"a":3,"b":{"x":1}}"#),
        (r#"[1, {"$concat": "${[2, 3]}"}, {"$concat": [{"$concat": [4]}]}]"#, "{}", "[1,2,3,4]"),
        (r#"{"$concat": [1]}"#, "{}", r#"{"$concat":[1]}"#),
        (r#"[{"$if": "${a}", "$then": 1}]"#, r#"{"a": false}"#, r#"[{"$undefined":true}]"#),
        (
            r#"{"$forEach": {"b": 1, "2": 2, "1": 3}, "$return": "${item.key}${item.value}"}"#,
            "{}",
            r#"["13","22","b1"]"#,
        ),
        (
            r#"{"$forEach": [[1], [2]], "$return": {"$forEach": "${item.value}", "$return": "${item.key}:${item.value}"}}"#,
            "{}",
            r#"[["0:1"],["0:2"]]"#,
        ),
        (r#"{"$if": "true", "$then": 1}"#, "{}", "Value of $if key must be (or resolve to) a boolean (got string)"),
    ]);
}

#[test]
fn functions_check_their_arguments() {
    check(&[
        ("${range('1', '3')}", "{}", "[1,2,3]"),
        ("${range(3, 1)}", "{}", "[3]"),
        ("${replace('a.b', '.', '[$&]')}", "{}", r#""a[.]b""#),
        (
            "${yamlEncode(a)}",
            r#"{"a": {"b": [1, {"c": "yes: no"}], "d": {}}}"#,
            r#""b:\n  - 1\n  - c: 'yes: no'\nd: {}\n""#,
        ),
        ("${jsonEncode(jsonDecode('{\"b\": 1, \"a\": 2}'))}", "{}", r#""{\"b\":1,\"a\":2}""#),
        (
            "${formatDateUtc('2021-03-04T05:06:07.089Z', \"EEE d MMM yy, h a 'o''clock' do\")}",
            "{}",
            r#""Thu 4 Mar 21, 5 AM o'clock 4th""#,
        ),
        (
            "${upper('')}",
            "{}",
            "Invalid template string (${upper('')}): Error validating argument 'string' for upper helper function:\n\nvalue is not allowed to be empty",
        ),
    ]);
}

#[test]
fn parts_that_are_unresolved_stay() {
    let evaluated = evaluate(r#"{"a": "${x}-${y}", "b": "${y}"}"#, r#"{"y": 1}"#, true).unwrap();
    assert_eq!(evaluated, r#"{"a":"${x}-${y}","b":1}"#);
    let bonsai = evaluate(
        r#"{"a": "${x}-${y}", "b": "${x}?", "c": "$${z}"}"#,
        r#"{"y": 1, "apiVersion": "garden.io/v1"}"#,
        true,
    );
    assert_eq!(bonsai.unwrap(), r#"{"a":"${x}-1","b":"${x}?","c":"$${z}"}"#);
}

#[test]
fn hostile_templates_end_within_limits() {
    for template in [
        "${range(1, 1000000000)}",
        r#"{"$forEach": "${range(1, 100000)}", "$return": {"$forEach": "${range(1, 100000)}", "$return": 1}}"#,
        r#""${indent('a', 1000000000000)}""#,
    ] {
        let limits = Limits::default().with(Limit::TemplateSteps, 50_000);
        let error = evaluate_within(limits, template, "{}", false).unwrap_err().message;
        assert!(error.contains("more than"), "{error}");
    }
    let chain: Vec<String> = (0..5_000).map(|i| format!("\"v{i}\": \"${{v{}}}\"", i + 1)).collect();
    let context = format!("{{{}}}", chain.join(","));
    assert!(evaluate("${v0}", &context, false).unwrap_err().message.contains("more than"));
}

proptest! {
    #![proptest_config(crate::fuzz::cases(256))]

    #[test]
    fn any_text_is_parsed_or_refused(text in "[${}a-c.'\"| &?:()\\[\\]!0-9ifelsnd]{0,40}") {
        let _ = evaluate(&json::quoted(&text), r#"{"a": {"b": "x"}, "c": [1]}"#, false);
        let _ = evaluate(&json::quoted(&text), r#"{"apiVersion": "garden.io/v0"}"#, true);
    }
}
