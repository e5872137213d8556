//! Values that are not known, and functions with odd arguments. What is expected is what OpenTofu 1.12.6 answers.

mod collections;

use crate::ast::{Name, TraversalStep};
use crate::eval::{Budget, Evaluator, Scope};
use crate::functions::NoFiles;
use crate::parse::parse_expression;
use crate::types::Type;
use crate::val::{Data, Marks, Val, export};
use serde_json::json;
use traced_value::FileId;

/// `text`, `number` and `any` are not known, and may be null; `hidden` is a sensitive text that is not known.
struct Unknowns;

impl Scope for Unknowns {
    fn get(&self, root: &Name, _: &[TraversalStep]) -> Option<(Val, usize)> {
        let value = match &*root.text {
            "text" => Val::unknown(Type::Str, "text"),
            "number" => Val::unknown(Type::Number, "number"),
            "any" => Val::unknown(Type::Dynamic, "any"),
            "hidden" => Val::unknown(Type::Str, "hidden").marked(Marks::SENSITIVE),
            _ => return None,
        };
        Some((value, 0))
    }
}

fn run(text: &str) -> (Val, String) {
    let expr = parse_expression(text).unwrap_or_else(|e| panic!("{text}: {e:?}"));
    let budget = Budget::new(200_000);
    let mut evaluator = Evaluator::new(FileId::new(0), &Unknowns, &NoFiles, &budget);
    let value = evaluator.eval(&expr);
    (value, evaluator.problems.into_iter().map(|p| p.summary).collect::<Vec<_>>().join(", "))
}

/// The value; unknown parts are `null`.
fn known(text: &str) -> serde_json::Value {
    let (value, problems) = run(text);
    assert_eq!(problems, "", "{text}");
    assert!(!value.is_unknown(), "{text}: {value:?}");
    let shown = value.transform(&mut |part| if part.is_unknown() { Val::null() } else { part });
    serde_json::to_value(export::export(&shown)).unwrap()
}

#[test]
fn results_that_are_not_known_have_a_type() {
    for text in [
        "toset(upper(text))",
        "length(abs(number))",
        "[for x in trimspace(text) : x]",
        "merge({}, join(\",\", [text]))",
        "true ? toset([1]) : replace(text, \"a\", \"b\")",
        "tonumber(contains([text], \"a\"))",
        "concat([1], text)",
        "zipmap([], text)",
        "merge(tonumber(null), {})",
        "[for x in text : x]",
        "regexall(\"a\", \"b\")[*].x",
        "csvdecode(\"name\")[*].other",
        "setsubtract(toset([1]), toset([[text]]))",
        "matchkeys([1], [1], [[text]])",
        "alltrue([text, \"k\"])",
        "alltrue([false, \"k\"])",
        "setproduct([1], text)",
        "keys(text)",
        "lookup(text, \"a\", 1)",
        "values(setproduct([text], [1]))",
        "one(number > 1 ? [1, 2] : [3, 4])",
        "element(toset([text]), 0)",
        "parseint(number + 1, 2)",
        "[1, 2][number > 1 ? [1] : [2]]",
        "true ? 1 : setproduct([text], [1])",
        "true ? 1 : (null ? [1] : [2])",
        "false ? [toset([1])][0] : [\"a\"]",
        "number[*].a",
        "length(toset([1, number])).a",
        "number > 1 ? toset(number > 1 ? [{}] : [{}]) : 1",
        "merge(null, \"a\")",
        "setunion(toset([\"a\"]), number > 1 ? [[1]] : [[2]])",
        "merge(null, [1])",
        "true && (null ? [1] : [2])",
        "[for x in tolist(text) : x if 1]",
        "regexall(\"(\", text)",
        "join(\",\", merge(number > 1 ? { a = 1 } : { a = 2 }, { b = 1 }))",
        "lookup({ a = 1 }, \"b\", toset([text])) + 1",
        "sort(toset([text])).b",
        "element(number > 1 ? [[\"a\"]] : [[\"b\"]], -1) + 1",
        "setproduct(text, sort([text]))",
        "cidrcontains(text, \"10.0.0.1\").a",
        "number > 1 ? \"a\" + {} : []",
        "number > 1 ? !{} : []",
        "number > 1 ? -\"a\" : []",
        "number > 1 ? (null < 1) : []",
        "number > 1 ? (null && true) : []",
    ] {
        assert_ne!(run(text).1, "", "{text}");
    }
}

#[test]
fn what_is_not_known_is_different_from_other_types() {
    for (text, expected) in [
        ("upper(text) == [1]", json!(false)),
        ("upper(text) != 1", json!(true)),
        ("number + 1 == \"a\"", json!(false)),
        ("upper(text) == null", json!(false)),
        ("formatlist(\"%s\", split(\",\", text)) == null", json!(false)),
        ("formatlist(\"%s\", [text])[0] == null", json!(false)),
        ("issensitive(text) == null", json!(false)),
        ("sort([text]) == null", json!(false)),
        ("{ a = upper(text), b = \"q\" } == { a = \"x\", b = 1 }", json!(false)),
        ("[upper(text), \"q\"] == [\"x\", 1]", json!(false)),
        ("setsubtract(toset([text]), toset([text])) == null", json!(false)),
        ("text == [1]", json!(false)),
        ("[1, text] == [2, \"a\"]", json!(false)),
        ("\"a${text}\" == toset([])", json!(false)),
        ("anytrue([any, true])", json!(true)),
        ("alltrue([false, any])", json!(false)),
        ("keys(regex(\"(?P<a>x)(?P<b>y)?\", text))", json!(["a", "b"])),
    ] {
        assert_eq!(known(text), expected, "{text}");
    }
    for text in [
        "text == null",
        "any == 1",
        "upper(text) == \"A\"",
        "alltrue([any, false])",
        "strcontains(text, \"a\") == null",
        "timeadd(text, \"1h\") == null",
        "ephemeralasnull({ a = upper(text) }).a == null",
        "formatlist(\"a%s\", [text])[0] == \"b\"",
    ] {
        assert!(run(text).0.is_unknown(), "{text}");
    }
}

#[test]
fn choices_keep_what_both_values_have() {
    for (text, expected) in [
        ("number > 1 ? 1 : 1", json!(1)),
        ("number > 1 ? tolist([1, 2]) : tolist([3, 4])", json!([null, null])),
        ("number > 1 ? tomap({}) : tomap({})", json!({})),
        ("number > 1 ? toset([1]) : toset([2])", json!([null])),
        ("length(number > 1 ? [1, 2] : [3, 4])", json!(2)),
        ("length(slice(number > 1 ? [1, 2] : [3, 4], 1, 2))", json!(1)),
        ("length(toset([1, number])) > 3", json!(false)),
        ("distinct(number > 1 ? [] : [])", json!([])),
        ("length(concat([1], number > 1 ? [1, 2] : [3, 4]))", json!(3)),
        ("format(\"%5s|%.1s\", \"👍🏽\", \"👍🏽a\")", json!("    👍🏽|👍🏽")),
        ("keys(merge({ a = 1 }, number > 1 ? { b = 1 } : null))", json!(["a", "b"])),
        ("true ? (number > 1 ? [1, 2] : [3, 4]) : tolist([5])", json!([null, null])),
        ("number > 1 ? null : null", json!(null)),
        ("(number > 1 ? \"a\" : \"b\")[*]", json!([null])),
    ] {
        assert_eq!(known(text), expected, "{text}");
    }
    for text in [
        "number > 1 ? true : true",
        "number > 1 ? \"a\" : \"a\"",
        "text[*]",
        "-(number > 1 ? 3 : 5) < 0",
        "number > 1 ? {} : tomap({})",
        "toset(number > 1 ? [1] : [2])",
        "coalesce(any, [text]) == null",
        "tolist(toset([\"a\", text])) == null",
        "[text, 1] == [\"a\", 2]",
        "{ a = text, b = 1 } == { a = \"a\", b = 2 }",
        "(number > 1 ? any : true) == \"a\"",
        "number > 1 ? [1, 2] : tolist([3, 4])",
    ] {
        assert!(run(text).0.is_unknown(), "{text}");
    }
}

#[test]
fn an_argument_without_a_type_leaves_open_what_follows() {
    assert_eq!(known("merge(null, [])"), json!({}));
    for text in [
        "{ for x in [number > 1 ? [1] : [2]] : x => 1 }",
        "setproduct(any, null)",
        "concat(\"a\", any)",
        "\"%{ if [text] == any }a%{ endif }\"",
    ] {
        let (value, problems) = run(text);
        assert!(value.is_unknown() && problems.is_empty(), "{text}: {problems}");
    }
    assert_eq!(run("setproduct(null, any)").1, "Invalid function argument");
}

#[test]
fn elements_stay_known_beside_others() {
    for (text, expected) in [
        ("setproduct([\"a\", text], [1, 2])", json!([["a", 1], ["a", 2], [null, 1], [null, 2]])),
        ("setproduct([], [text])", json!([])),
        ("setproduct(toset([\"a\"]), toset([text]))", json!([["a", null]])),
        ("setproduct([1, 2], number > 1 ? [] : [])", json!([])),
        ("chunklist([\"a\", text, \"b\"], 2)", json!([["a", null], ["b"]])),
    ] {
        assert_eq!(known(text), expected, "{text}");
    }
    for text in [
        "setproduct(toset([\"a\", text]), [1])",
        "setproduct([], compact([text]))",
        "setproduct([], toset([\"a\", text]))",
        "one(toset([\"a\", text]))",
        "toset([\"a\", text]) == toset([\"b\"])",
    ] {
        let (value, problems) = run(text);
        assert!(value.is_unknown() && problems.is_empty(), "{text}: {problems}");
    }
}

#[test]
fn the_beginning_of_a_directive_is_not_known() {
    for text in ["\"a-%{ for x in [\"b\", text] }${x}%{ endfor }\"", "\"a-%{ if true }b${text}%{ endif }\""] {
        assert_eq!(known(&format!("startswith({text}, \"c\")")), json!(false), "{text}");
        assert!(run(&format!("startswith({text}, \"a-c\")")).0.is_unknown(), "{text}");
    }
}

#[test]
fn what_follows_may_combine_with_the_end_of_a_beginning() {
    for text in ["\"ab${text}\"", "\"-${text}\"", "\"日本${text}\"", "\"e\\u0301 ${text}\"", "format(\"ab%s\", text)"]
    {
        assert_eq!(known(&format!("{text} == \"c\"")), json!(false), "{text}");
    }
    for text in ["\"a${text}\"", "\"e\\u0301${text}\"", "\"👍🏽${text}\"", "format(\"é%s\", text)"] {
        assert!(run(&format!("{text} == \"c\"")).0.is_unknown(), "{text}");
    }
}

#[test]
fn marks_of_both_branches_and_of_all_arguments_count() {
    for text in [
        "false ? hidden : \"a\"",
        "true ? \"a\" : hidden",
        "\"%{ if true }a%{ else }${hidden}%{ endif }\"",
        "coalesce(\"a\", hidden)",
        "coalesce(text, hidden)",
        "contains([text], hidden)",
        "one([{ a = hidden }])",
        "formatlist(\"%s\", [hidden])",
    ] {
        let (value, problems) = run(text);
        assert!(problems.is_empty() && value.marks == Marks::SENSITIVE, "{text}: {value:?} {problems}");
    }
}

#[test]
fn conditions_of_for_are_checked_without_elements() {
    for text in ["[for x in [] : x if null]", "[for x in toset([]) : x if 1]", "{ for x in [\"a\"] : x => 1 if \"b\" }"]
    {
        let (value, problems) = run(text);
        assert!(value.is_failed() && problems == "Invalid 'for' condition", "{text}: {value:?} {problems}");
    }
}

#[test]
fn attempts_may_be_expanded() {
    for (text, expected) in
        [("try([][0], [\"a\", \"b\"]...)", json!("a")), ("try([1]...)", json!(1)), ("can([1]...)", json!(true))]
    {
        assert_eq!(known(text), expected, "{text}");
    }
    for text in ["try(1, 2...)", "try(1, [][0]...)", "can([]...)", "can([1, 2]...)", "max(text...)", "try([]...)"] {
        assert_ne!(run(text).1, "", "{text}");
    }
    assert!(run("max(any...)").0.unknown_reason().is_some_and(|reason| &**reason == "any"));
}

#[test]
fn numbers_are_formatted_from_all_of_their_digits() {
    for (text, expected) in [
        ("format(\"%v\", 1000000)", "1e+06"),
        ("format(\"%v\", 123456)", "123456"),
        ("format(\"%+v\", 1)", "1"),
        ("format(\"%#v\", 1e7)", "10000000"),
        ("format(\"%g\", 1234567)", "1.234567e+06"),
        ("format(\"%G\", 12345678901234567890)", "1.234567890123456789E+19"),
        ("format(\"%v\", -1e-7)", "-1e-07"),
        ("format(\"%f\", 12345678901234567890)", "12345678901234567890.000000"),
        ("format(\"%.20f\", 0.1)", "0.10000000000000000000"),
        ("format(\"%.0f|%.0f|%.0f\", 0.5, 1.5, 2.5)", "0|2|2"),
        ("format(\"%.3e|%.0e|%e\", 12345, 1500, 0)", "1.234e+04|2e+03|0.000000e+00"),
        ("format(\"%.2g|%.10g|%.3g\", 100, 100, 1234.5678)", "1e+02|100|1.23e+03"),
        ("format(\"%08.3f|%+.1e|% g\", -1.5, 15, 1)", "-001.500|+1.5e+01| 1"),
        ("format(\"%.1f|%.2f|%f\", 99.96, 0.004, 0.0000004)", "100.0|0.00|0.000000"),
        ("format(\"%q\", \"<&>\")", "\"\\u003c\\u0026\\u003e\""),
        ("format(\"%f|%v\", 1 / 0, -1 / 0)", "+Inf|-Inf"),
    ] {
        assert_eq!(known(text), json!(expected), "{text}");
    }
}

#[test]
fn sets_of_what_is_not_known_have_no_length() {
    assert_eq!(known("toset([1, number, number])"), json!([1, null, null]));
    for text in ["tolist(toset([\"a\", text]))", "flatten([toset([\"a\", text]), [1]])", "length(toset([1, number]))"] {
        assert!(run(text).0.is_unknown(), "{text}");
    }
}

#[test]
fn attempts_need_values_that_are_known_completely() {
    for text in ["try([text], 1)", "can([text])", "issensitive(hidden)"] {
        let (value, problems) = run(text);
        assert!(value.is_unknown() && problems.is_empty() && value.marks == Marks::NONE, "{text}: {value:?}");
    }
    assert_eq!(known("try(text.a.b, 1)"), json!(1));
}

#[test]
fn empty_lists_keep_the_type_of_their_elements() {
    for text in ["compact(csvdecode(\"name\"))", "join(\",\", setproduct([], [1]))", "sort(regexall(\"(a)(b)\", \"\"))"]
    {
        assert_eq!(run(text).1, "Invalid function argument", "{text}");
    }
    assert!(matches!(run("regexall(\"a\", \"b\")[*]").0.data, Data::List(Type::Str, _)));
}

#[test]
fn powers_round_like_those_of_go() {
    for (text, expected) in [
        ("tostring(pow(0.30000000000000004, 16))", "0.000000004304672100000009"),
        ("tostring(pow(2, -3))", "0.125"),
        ("tostring(pow(2, 0.5))", "1.4142135623730951"),
        ("tostring(pow(-3, 3))", "-27"),
    ] {
        assert_eq!(known(text), json!(expected), "{text}");
    }
}

#[test]
fn a_text_that_would_be_too_long_is_refused() {
    for text in ["indent(9007199254740993, \"one line\")", "indent(9007199254740993, \"two\\nlines\")"] {
        assert_eq!(run(text).1, "Error in function call", "{text}");
    }
}

#[test]
fn a_format_that_is_not_known_makes_texts_that_are_not_known() {
    assert_eq!(known("formatlist(\"x-${text}/%s\", [\"a\", \"b\"])"), json!([null, null]));
    assert_eq!(known("length(formatlist(text, [\"a\", \"b\", \"c\"]))"), json!(3));
    // Two elements of a set may turn out to be one.
    let (length, problems) = run("length(formatlist(\"%s\", setunion([text], [\"a\"])))");
    assert!(length.is_unknown() && problems.is_empty(), "{length:?} {problems}");
}

#[test]
fn arguments_that_are_no_lists_are_wrong_also_with_parts_that_are_not_known() {
    for text in ["sum({ a = number, b = 1 })", "index({ a = text, b = 1 }, \"x\")", "index(toset([text]), \"x\")"] {
        assert_eq!(run(text).1, "Invalid function argument", "{text}");
    }
    assert!(run("sum([1, number])").0.is_unknown());
}

#[test]
fn a_remainder_with_infinity_has_no_value() {
    for text in ["5.5 % (1 / 0)", "(1 / 0) % 5", "0 % (1 / 0)"] {
        assert_eq!(run(text).1, "Operation failed", "{text}");
    }
    assert_eq!(known("1 % 0"), json!(1));
}

#[test]
fn a_splat_reads_the_elements_of_a_tuple_that_is_not_known() {
    assert_eq!(run("(text == \"a\" ? [true, 1] : [false, 2])[*].k").1, "Unsupported attribute, Unsupported attribute");
    assert_eq!(known("length((text == \"a\" ? [true, 1] : [false, 2])[*])"), json!(2));
}

#[test]
fn a_conversion_of_what_is_not_known_forgets_the_type_of_the_elements() {
    let text = "true ? regexall(\"^\", \"a\") : toset(text == \"a\" ? [[true]] : [[false]])";
    assert_eq!(known(text), json!([""]));
}

#[test]
fn marks_of_what_is_not_known_are_forgotten() {
    for text in [
        "tostring(hidden)",
        "tolist(split(\",\", text) == [] ? [hidden] : split(\",\", hidden))",
        "!tobool(hidden)",
        "-sensitive(number)",
        "abs(sensitive(number))",
        "file(hidden)",
        "fileset(sensitive(\".\"), text)",
        "base64decode(hidden)",
        "templatestring(hidden, {})",
        "can(hidden)",
        "[1, 2][sensitive(number)]",
        "split(\",\", text)[sensitive(0)]",
        "{ (hidden) = 1 }",
        "[for x in sensitive(any) : x]",
        "flatten(sensitive(any))",
        "zipmap([\"a\", hidden], [1, 2])",
        "\"%{ for x in [hidden] }${x}%{ endfor }\"",
        "\"%{ for x in [sensitive(1), text] }${x}%{ endfor }\"",
        "\"%{ for x in split(\",\", hidden) }a%{ endfor }\"",
    ] {
        let (value, problems) = run(text);
        assert!(problems.is_empty() && value.is_unknown(), "{text}: {value:?} {problems}");
        assert_eq!(value.all_marks(), Marks::NONE, "{text}");
    }
    for text in [
        "upper(hidden)",
        "ceil(sensitive(number))",
        "[for x in split(\",\", hidden) : x]",
        "sensitive([1, 2])[number]",
        "element([1, 2], sensitive(number))",
        "slice(split(\",\", text), sensitive(0), 1)",
        "keys(sensitive(tomap(any)))",
        "zipmap(sensitive([\"a\", text]), [1, 2])",
        "flatten([any, sensitive([1])])",
        "\"%{ for x in [1] }${x}%{ endfor }${hidden}\"",
        "\"%{ for x in sensitive([1]) }${text}%{ endfor }\"",
        "templatestring(\"a\", { x = hidden })",
    ] {
        let (value, problems) = run(text);
        assert!(problems.is_empty() && value.all_marks().has(Marks::SENSITIVE), "{text}: {value:?} {problems}");
    }
}

#[test]
fn kinds_of_arguments_that_do_not_matter_yet() {
    for text in [
        "sum(\"${text}\")",
        "sum(number)",
        "index(\"abc\", text)",
        "index(text, \"a\")",
        "templatestring(\"a\", \"${text}\")",
        "concat(split(\",\", text), \"a\")",
        "element(split(\",\", text), 1.5)",
        "flatten({ a = any })",
        "{ for x in [text] : x => [][0] }",
    ] {
        let (value, problems) = run(text);
        assert!(problems.is_empty() && value.is_unknown(), "{text}: {value:?} {problems}");
    }
    assert_eq!(known("flatten({ a = [upper(text)], b = 1 })"), json!([null, 1]));
    for text in
        ["concat(\"a\", split(\",\", text))", "sum({ a = number })", "index({ a = text }, 1)", "flatten({ a = 1 })"]
    {
        assert_ne!(run(text).1, "", "{text}");
    }
}

#[test]
fn a_key_has_a_type_also_where_nothing_else_is_known() {
    for (text, expected) in [
        ("any[number]", ""),
        ("any[[]]", ""),
        ("[1, 2][number]", ""),
        ("split(\",\", text)[\"0\"]", ""),
        ("split(\",\", text)[\"x\"]", "Invalid index"),
        ("split(\",\", text)[null]", "Invalid index"),
        ("{ a = any }[[text]]", "Invalid index"),
        ("\"x\"[number]", "Invalid index"),
        ("\"x\"[any]", ""),
        ("toset([])[any]", ""),
        ("length(text)[any]", ""),
        ("length(text)[number]", "Invalid index"),
    ] {
        assert_eq!(run(text).1, expected, "{text}");
    }
}

#[test]
fn what_is_certainly_not_packed_or_encrypted_is_a_mistake() {
    for (text, expected) in [
        ("base64gunzip(base64gzip(\"x\"))", ""),
        ("base64gunzip(\"H4sIAAAAAAAA/6qoAAQAAP//g9zsfwEAAAA=\")", ""),
        ("base64gunzip(text)", ""),
        ("base64gunzip(\"%\")", "Error in function call"),
        ("base64gunzip(\"YWJj\")", "Error in function call"),
        ("rsadecrypt(\"YWJj\", \"-----BEGIN RSA PRIVATE KEY-----\")", ""),
        ("rsadecrypt(\"YWJj\", text)", ""),
        ("rsadecrypt(\"%\", \"-----BEGIN RSA PRIVATE KEY-----\")", "Invalid function argument"),
        ("rsadecrypt(\"YWJj\", \"\")", "Invalid function argument"),
    ] {
        assert_eq!(run(text).1, expected, "{text}");
    }
}
