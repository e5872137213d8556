//! Parser and evaluator with untrusted text: whatever it is, they terminate, stay within the text and within their
//! budget, and return the same result again.

use crate::ast::Expr;
use crate::ast::walk;
use crate::eval::{Budget, Evaluator, NoNames};
use crate::functions::NoFiles;
use crate::items::{in_one_line, items, plainly, said};
use crate::parse::{Layout, parse_body, parse_expression};
use crate::val::export::export;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use traced_value::FileId;

/// Fragments with a meaning for the parser or the evaluator.
const PIECES: &[&str] = &[
    "a",
    "var.x",
    "local.y",
    "path.module",
    "each.key",
    "null",
    "true",
    "1",
    "0.1",
    "1e400",
    "-",
    "!",
    "+",
    "*",
    "/",
    "%",
    "==",
    "&&",
    "||",
    "<=",
    "?",
    ":",
    "=>",
    "...",
    ".",
    "[",
    "]",
    "{",
    "}",
    "(",
    ")",
    ",",
    "=",
    "\n",
    " ",
    "\t",
    "#",
    "//",
    "/*",
    "*/",
    "\"",
    "\"a\"",
    "${",
    "%{",
    "$${",
    "%%{",
    "~}",
    "%{ if true }",
    "%{ else }",
    "%{ endif }",
    "%{ for x in [1] }",
    "%{ endfor }",
    "<<EOT\n",
    "<<-EOT\n",
    "\nEOT\n",
    "[*]",
    ".*",
    "[0]",
    "[for x in ",
    " : x]",
    "{for k, v in ",
    " : k => v...}",
    " if ",
    "range(9)",
    "range(",
    "format(\"%5s\", ",
    "format(\"%999999999s\", ",
    "cidrsubnet(\"10.0.0.0/8\", 8, ",
    "cidrsubnets(\"::/0\", 32, 32, ",
    "regex(\"(a*)*b\", ",
    "regexall(",
    "jsonencode(",
    "yamldecode(",
    "split(\"\", ",
    "join(\",\", ",
    "setproduct(",
    "templatestring(",
    "try(",
    "can(",
    "merge(",
    "flatten(",
    "pow(9, ",
    "parseint(\"z\", ",
    "substr(\"é\", ",
    "zipmap(",
    "timeadd(\"2020-01-01T00:00:00Z\", ",
    "é",
    "\u{301}",
    "𝄞",
    "\u{0}",
    "\u{feff}",
    "\r\n",
    "\\u00e9",
    "\\n",
    "\\",
    "b \"c\" {\n",
    "x = ",
];

fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![9 => select(PIECES).prop_map(String::from), 1 => any::<char>().prop_map(String::from)];
    vec(piece, 0..32).prop_map(|pieces| pieces.concat())
}

/// Expressions that parse, so that the evaluator has something to do.
fn expression() -> impl Strategy<Value = String> {
    let leaf = select(
        &["1", "-2.5", "\"a\"", "\"é b\"", "null", "true", "[]", "{}", "[1, \"2\"]", "{ a = 1, b = [2] }", "range(5)"]
            [..],
    );
    leaf.prop_map(String::from).prop_recursive(5, 40, 3, |inner| {
        let functions = select(
            &[
                "length",
                "keys",
                "values",
                "jsonencode",
                "jsondecode",
                "yamlencode",
                "yamldecode",
                "flatten",
                "distinct",
                "sort",
                "upper",
                "tostring",
                "tonumber",
                "tolist",
                "toset",
                "tomap",
                "reverse",
                "compact",
                "sum",
                "max",
                "min",
                "base64encode",
                "sha256",
                "csvdecode",
                "urlencode",
                "abs",
                "ceil",
                "one",
                "alltrue",
                "transpose",
                "concat",
                "merge",
                "setunion",
                "coalesce",
                "try",
                "format",
                "formatlist",
                "join",
                "split",
                "regex",
                "regexall",
                "replace",
                "substr",
                "range",
                "chunklist",
                "slice",
                "element",
                "lookup",
                "zipmap",
                "setproduct",
                "cidrsubnet",
                "cidrhost",
                "cidrsubnets",
                "pow",
                "log",
                "parseint",
                "indent",
                "title",
                "textencodebase64",
                "formatdate",
                "timeadd",
                "templatestring",
                "matchkeys",
                "index",
                "contains",
                "trim",
                "strrev",
            ][..],
        );
        prop_oneof![
            (functions, vec(inner.clone(), 0..4)).prop_map(|(name, args)| format!("{name}({})", args.join(", "))),
            (inner.clone(), select(&["+", "-", "*", "/", "%", "==", "!=", "<", ">=", "&&", "||"][..]), inner.clone())
                .prop_map(|(a, op, b)| format!("({a} {op} {b})")),
            (inner.clone(), inner.clone(), inner.clone()).prop_map(|(a, b, c)| format!("({a} ? {b} : {c})")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("[for k, v in {a} : {b} if v != k]")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("{{for k, v in {a} : \"${{k}}\" => {b}...}}")),
            inner.clone().prop_map(|a| format!("\"x${{{a}}}y\"")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a})[{b}]")),
            inner.prop_map(|a| format!("({a})[*].a")),
        ]
    })
}

/// Returns the result of an expression, and its problems.
fn run(expr: &Expr) -> (String, Vec<String>) {
    let budget = Budget::new(20_000);
    let mut evaluator = Evaluator::new(FileId::new(0), &NoNames, &NoFiles, &budget);
    let value = evaluator.eval(expr);
    let shown = serde_json::to_string(&export(&value)).unwrap_or_default();
    (shown, evaluator.problems.into_iter().map(|p| format!("{}: {}", p.summary, p.detail)).collect())
}

proptest! {
    #![proptest_config(property_cases::cases(300))]

    #[test]
    fn hcl_of_strangers(text in text(), layout in select(&[Layout::Strict][..])) {
        let parsed = parse_body(&text, layout);
        for error in &parsed.errors {
            prop_assert!(text.get(error.span.start as usize..error.span.end as usize).is_some(), "{:?} in {:?}", error, text);
        }
        let mut open = vec![&parsed.body];
        while let Some(body) = open.pop() {
            for attribute in &body.attributes {
                let span = attribute.span();
                prop_assert!(text.get(span.start as usize..span.end as usize).is_some(), "{:?} in {:?}", span, text);
                let _ = (walk::references(&attribute.expr), run(&attribute.expr));
            }
            open.extend(body.blocks.iter().map(|block| &block.body));
        }
        if let Ok(expr) = parse_expression(&text) {
            run(&expr);
        }
    }

    #[test]
    fn expressions_of_strangers(text in expression()) {
        let Ok(expr) = parse_expression(&text) else { return Err(TestCaseError::fail(format!("{text} does not parse"))) };
        let first = run(&expr);
        prop_assert_eq!(&first, &run(&expr), "{}", text);
        prop_assert!(first.0.len() < 1 << 24, "{} comes to too much", text);
    }

    #[test]
    fn hcl_in_json_of_strangers(text in text()) {
        let (_, errors) = crate::parse::json::parse_json(&text);
        prop_assert!(errors.iter().all(|e| e.span.end as usize <= text.len()), "{:?} in {:?}", errors, text);
        let quoted = serde_json::json!({ "a": { "b": text } }).to_string();
        crate::parse::json::parse_json(&quoted);
    }

    #[test]
    fn words_of_strangers(text in text()) {
        for item in items(&text) {
            prop_assert!(text.get(item.span.start as usize..item.span.end as usize).is_some(), "{:?} in {:?}", item.span, text);
        }
        let _ = (said(&text), plainly(&text), in_one_line(&text));
    }

    #[test]
    fn the_order_of_entries_says_nothing(a in expression(), b in expression()) {
        let [one, other] = [format!("f({{a = {a}, b = {b}}})"), format!("f({{b = {b}\n a = {a}}})")];
        prop_assert_eq!(said(&one), said(&other));
        prop_assert_eq!(said(&in_one_line(&one)), said(&one));
        if said(&a) != said(&b) {
            prop_assert_ne!(said(&format!("f({{a = {b}, b = {a}}})")), said(&one));
        }
    }
}
