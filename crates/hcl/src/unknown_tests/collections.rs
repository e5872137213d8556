//! Templates, collections and keys with parts that are not known.

use super::*;

#[test]
fn templates_are_rendered_around_what_is_not_known() {
    assert_eq!(known("templatestring(\"a-$${x}\", { x = text }) == \"b\""), json!(false));
    for text in ["templatestring(\"$${x}$${y}\", { x = text, y = null })", "templatestring(\"$${y}\", { x = text })"] {
        assert_ne!(run(text).1, "", "{text}");
    }
}

#[test]
fn a_set_of_a_choice_has_the_length_that_both_have() {
    let choice = "(number > 1 ? toset([1, 2]) : toset([3, 4]))";
    assert_eq!(known(&format!("length({choice})")), json!(2));
    assert_eq!(known(&format!("sort({choice})")), json!([null, null]));
    assert_eq!(known("setproduct([1], number > 1 ? [1] : [2])"), json!([null]));
    for text in [format!("tolist({choice})"), format!("setunion({choice}, [1])"), format!("{choice} == toset([1, 2])")]
    {
        assert!(run(&text).0.is_unknown(), "{text}");
    }
}

#[test]
fn a_conditional_makes_no_collection_of_parts_of_several_types() {
    for text in ["true ? { a = { b = 1 }, c = { b = \"x\" } } : tomap({})", "false ? tolist([]) : [[1], [\"x\"]]"] {
        assert_eq!(run(text).1, "Inconsistent conditional result types", "{text}");
    }
    assert_eq!(known("true ? { a = 1, c = \"x\" } : tomap({})"), json!({"a": "1", "c": "x"}));
    assert_eq!(known("false ? { a = { b = 1 }, c = { b = \"x\" } } : tomap({})"), json!({}));
}

#[test]
fn index_finds_what_comes_before_the_unknown() {
    assert_eq!(known("[index([\"a\", text], \"a\"), index([\"a\", \"b\", any], \"b\")]"), json!([0, 1]));
    for text in
        ["index([text, \"a\"], \"a\")", "index([\"a\", \"b\"], text)", "index([any], {})", "index([\"a\"], any)"]
    {
        let (value, problems) = run(text);
        assert!(value.is_unknown() && problems.is_empty(), "{text}: {value:?} {problems}");
    }
}

#[test]
fn an_empty_map_keeps_the_type_of_its_values() {
    let empty = "(true ? {} : tomap({ a = \"b\" }))";
    assert_eq!(known(&format!("[{empty} == tomap({empty}), {empty} == tomap({{}})]")), json!([true, false]));
}

#[test]
fn the_default_of_lookup_has_to_fit_where_it_is_not_used() {
    assert_eq!(known("lookup(tomap({ a = 1 }), \"a\", \"2\")"), json!(1));
    for text in ["lookup(tomap({ a = 1 }), \"a\", \"x\")", "lookup(tomap({ a = 1 }), text, [])"] {
        assert_eq!(run(text).1, "Invalid function argument", "{text}");
    }
}

#[test]
fn behind_an_unknown_key_no_key_is_judged() {
    for (text, problem) in [
        ("{ for k, v in { n = text, t = {} } : v => k }", ""),
        ("{ for k, v in { n = text, t = null } : v => k }", ""),
        ("{ for k, v in { a = {}, n = text } : v => k }", "Incorrect key type"),
        ("[for v in [true, text, {}] : v if v]", ""),
        ("[for v in [true, {}, text] : v if v]", "Invalid 'for' condition"),
    ] {
        let (value, problems) = run(text);
        assert!(value.is_unknown(), "{text}: {value:?}");
        assert_eq!(problems, problem, "{text}");
    }
}
