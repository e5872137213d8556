//! Unknown parts of a collection change by what they come from, not by what is written beside them.

use crate::common::Repo;
use serde_json::Value;
use std::collections::BTreeSet;

const RESOURCES: &str = "resource \"aws_y\" \"y\" {\n}\nvariable \"key\" {\n  default = \"k\"\n}\n";
const MODULE: &str = "variable \"map\" {\n  type = map(string)\n}\nvariable \"any\" {\n}\nvariable \"set\" {\n  type = set(string)\n}\n\
    resource \"aws_x\" \"map\" {\n  v = var.map\n}\nresource \"aws_x\" \"any\" {\n  v = var.any\n}\n\
    resource \"aws_x\" \"set\" {\n  v = var.set\n}\nresource \"aws_x\" \"one\" {\n  v = \"${var.map.b}-x\"\n}\n";

/// The paths of the values of resources that differ, as `resource pointer`.
fn changed(base: &str, head: &str) -> BTreeSet<String> {
    let repo = Repo::new();
    repo.write("m/main.tf", MODULE);
    for text in [base, head] {
        repo.write("main.tf", format!("{RESOURCES}{text}"));
        repo.commit("next");
    }
    let json = repo.run(&["diff", "HEAD~1..HEAD", "--all", "--format", "json"]).json();
    let text = |value: &Value, name: &str| value[name].as_str().unwrap_or_default().to_owned();
    let components = json["components"].as_array().unwrap().iter().filter(|c| c["type"] == "resource");
    let of = |component: &Value| {
        let name = text(component, "component");
        let changes = component["changes"].as_array().unwrap().clone();
        changes.into_iter().map(move |change| format!("{name} {}", text(&change, "path"))).collect::<Vec<_>>()
    };
    components.flat_map(of).collect()
}

/// Changes `from` into `to` in the text of a root module, and compares the values that differ.
#[track_caller]
fn assert_changes(text: &str, (from, to): (&str, &str), expected: &[&str]) {
    assert!(text.contains(from), "{text}");
    let found = changed(text, &text.replace(from, to));
    assert_eq!(found, expected.iter().map(|path| (*path).to_owned()).collect(), "{text}");
}

fn resource(value: &str) -> String {
    format!("resource \"aws_x\" \"x\" {{\n  v = {value}\n}}\n")
}

#[test]
fn an_entry_beside_it_is_another_value() {
    let of = |value: &str, edit, expected: &[&str]| assert_changes(&resource(value), edit, expected);
    of("{ a = \"old\", b = aws_y.y.id }", ("old", "new"), &["aws_x.x /v/a"]);
    of("{ a = \"old\", b = { c = [aws_y.y.id, \"z\"] } }", ("\"z\"", "\"y\""), &["aws_x.x /v/b/c/1"]);
    of("(merge({ a = \"old\", b = aws_y.y.id }, { c = 1 }))", ("old", "new"), &["aws_x.x /v/a"]);
    of("{ a = \"old\", b = aws_y.y.id }", ("y.id", "y.arn"), &["aws_x.x /v/b"]);
    of("[{ b = aws_y.y.id }, { b = aws_y.y.arn }]", ("y.arn", "y.name"), &["aws_x.x /v/1/b"]);
    // Neither the order of entries nor how a number is written is a value.
    of("{ a = 1, b = aws_y.y.id }", ("a = 1, b = aws_y.y.id", "b = aws_y.y.id, a = 1.0"), &[]);
}

#[test]
fn entries_are_followed_through_names() {
    let locals = "locals {\n  tags = { a = \"old\", b = aws_y.y.id, c = { d = [aws_y.y.id, aws_y.y.arn] } }\n  \
                  all  = merge(local.tags, { e = 1 })\n}\n";
    for name in ["local.tags", "local.all", "merge(local.all, { f = aws_y.y.id })"] {
        let text = format!("{locals}{}", resource(name));
        assert_changes(&text, ("old", "new"), &["aws_x.x /v/a"]);
        assert_changes(&text, ("y.arn", "y.name"), &["aws_x.x /v/c/d/1"]);
    }
    let text = format!("{locals}{}", resource("\"${local.all.b}-x\""));
    assert_changes(&text, ("old", "new"), &[]);
    assert_changes(&text, ("b = aws_y.y.id", "b = aws_y.y.arn"), &["aws_x.x /v"]);
    // As a whole, it has all entries.
    assert_changes(&format!("{locals}{}", resource("jsonencode(local.all)")), ("old", "new"), &["aws_x.x /v"]);
    let call = "module \"m\" {\n  source = \"./m\"\n  map = { a = \"old\", b = aws_y.y.id }\n  \
                any = { a = \"last\", b = aws_y.y.id }\n  set = [\"x\", aws_y.y.id]\n}\n";
    assert_changes(call, ("old", "new"), &["module.m.aws_x.map /v/a"]);
    assert_changes(call, ("last", "new"), &["module.m.aws_x.any /v/a"]);
    let both = ["module.m.aws_x.map /v/b", "module.m.aws_x.one /v"];
    assert_changes(call, ("\"old\", b = aws_y.y.id", "\"old\", b = aws_y.y.arn"), &both);
    // A set has no order of its own.
    assert_changes(call, ("\"x\"", "\"y\""), &["module.m.aws_x.set /v/0", "module.m.aws_x.set /v/1"]);
}

#[test]
fn a_merged_entry_is_that_of_the_last_argument_with_its_key() {
    let locals = "locals {\n  own  = { a = \"old\", b = aws_y.y.id }\n  more = { c = 1 }\n  none = null\n  \
                  for  = { for k in [\"old\"] : k => 1 }\n  all  = merge(local.own, local.more)\n}\n";
    let (first, last) = (&["aws_x.x /v/c"][..], &["aws_x.x /v/b", "aws_x.x /v/c"][..]);
    // What changes if `more` gets the key, too: that of the last argument counts.
    for (name, if_both) in [
        ("merge(local.own, local.more)", last),
        ("merge(local.more, local.own, local.none, { d = 2 })", first),
        ("merge(local.own, local.more, { d = aws_y.y.arn })", last),
        ("merge({ b = 1 }, local.own, (local.more))", last),
        ("local.all", last),
    ] {
        let text = format!("{locals}{}", resource(name));
        assert_changes(&text, ("a = \"old\"", "a = \"new\""), &["aws_x.x /v/a"]);
        assert_changes(&text, ("y.id", "y.name"), &["aws_x.x /v/b"]);
        assert_changes(&text, ("{ c = 1 }", "{ b = aws_y.y.id }"), if_both);
    }
    let text = format!("{locals}{}", resource("\"${local.all.b}-x\""));
    assert_changes(&text, ("a = \"old\"", "a = \"new\""), &[]);
    assert_changes(&text, ("{ c = 1 }", "{ b = aws_y.y.id }"), &["aws_x.x /v"]);
    // Which keys it has is known, though they are computed.
    let text = format!("{locals}{}", resource("merge(local.own, local.for)"));
    assert_changes(&text, ("[\"old\"]", "[\"new\"]"), &["aws_x.x /v/new", "aws_x.x /v/old"]);
    // Which keys what is not known has is not.
    let text = format!("{locals}{}", resource("merge(local.own, aws_y.y.tags)"));
    assert_changes(&text, ("a = \"old\"", "a = \"new\""), &["aws_x.x /v"]);
}

#[test]
fn a_block_is_made_of_what_its_arguments_give() {
    let text = "variable \"u\" {}\nresource \"aws_d\" \"d\" {\n  name = \"old\"\n  filter {\n    name = \"inner\"\n  }\n  \
                dynamic \"tag\" {\n    for_each = [\"k\"]\n    content {\n      key = tag.value\n      v = \"each\"\n    }\n  }\n  \
                part {\n    u = var.u\n    v = \"beside\"\n  }\n}\n\
                data \"aws_d\" \"look\" {\n  by {\n    v = \"look\"\n  }\n}\n\
                module \"far\" {\n  source = \"acme/x/y\"\n  name = \"far\"\n}\n\
                resource \"aws_x\" \"whole\" {\n  v = [jsonencode(aws_d.d), module.far.id, data.aws_d.look.id]\n}\n\
                resource \"aws_x\" \"part\" {\n  v = aws_d.d.filter[0].id\n}\n\
                resource \"aws_x\" \"beside\" {\n  v = aws_d.d.part[0].u\n}\n";
    for (value, changed) in [
        ("old", &["aws_d.d /name", "aws_x.whole /v/0"][..]),
        ("inner", &["aws_d.d /filter/0/name", "aws_x.part /v", "aws_x.whole /v/0"]),
        ("each", &["aws_d.d /tag/0/v", "aws_x.whole /v/0"]),
        ("far", &["aws_x.whole /v/1"]),
        ("look", &["aws_x.whole /v/2"]),
    ] {
        let written = format!(" = \"{value}\"");
        assert_changes(text, (&written, " = \"new\""), changed);
        // The same, in other words.
        assert_changes(text, (&written, &format!(" = (\"{value}\")")), &[]);
        assert_changes(text, (&written, &format!(" = join(\"\", [\"{value}\"])")), &[]);
    }
    assert_changes(text, ("[\"k\"]", "[\"l\"]"), &["aws_d.d /tag/0/key", "aws_x.whole /v/0"]);
    // Beside what is not known, the texts are compared.
    assert_changes(text, ("\"beside\"", "\"new\""), &["aws_d.d /part/0/v", "aws_x.whole /v/0"]);
    let all = ["aws_d.d /part/0/u", "aws_x.beside /v", "aws_x.whole /v/0"];
    assert_changes(text, ("u = var.u", "u = \"${var.u}-x\""), &all);
}

#[test]
fn a_path_of_which_nothing_is_known_means_no_code() {
    let of = |more: &str| format!("variable \"p\" {{}}\nresource \"aws_x\" \"key\" {{\n  v = file(var.p)\n}}\n{more}");
    let repo = Repo::new();
    repo.write("main.tf", of("")).write("key.pub", "one").commit("base");
    repo.write("main.tf", of(&resource("1"))).write("more.tf", "# more\n").commit("code");
    repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(0).says("aws_x.x").hides("aws_x.key");
    repo.write("key.pub", "two").commit("data");
    repo.run(&["diff", "HEAD~1..HEAD"])
        .ends_with(0)
        .says("it reads `key.pub`, which this change edits")
        .says("aws_x.key");
    // The names of the folder say more.
    repo.write("main.tf", of("").replace("var.p", "\"${path.module}/${var.p}\"")).commit("named");
    repo.write("more.tf", "# other\n").commit("code");
    repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(0).says("it reads `more.tf`, which this change edits");
}

#[test]
fn what_gives_an_entry_may_not_be_told() {
    let of = |value: &str, edit, expected: &[&str]| assert_changes(&resource(value), edit, expected);
    // Which key is computed, and which argument has it, is only known when they are evaluated.
    of("{ b = aws_y.y.id, (var.key) = \"old\" }", ("old", "new"), &["aws_x.x /v/b", "aws_x.x /v/k"]);
    of(
        "merge({ b = aws_y.y.id }, { for k in [\"old\"] : k => 1 })",
        ("\"old\"", "\"b\""),
        &["aws_x.x /v/b", "aws_x.x /v/old"],
    );
    of("{ b = \"old\", b = aws_y.y.id }", ("aws_y.y.id", "aws_y.y.arn"), &["aws_x.x /v/b"]);
    of(
        "[for a in [\"old\", \"z\"] : \"${a}-${aws_y.y.id}\"]",
        ("\"old\"", "\"new\""),
        &["aws_x.x /v/0", "aws_x.x /v/1"],
    );
    of("true ? { a = \"old\", b = aws_y.y.id } : {}", ("true", "(1 == 1)"), &["aws_x.x /v/b"]);
}

#[test]
fn what_repeats_a_block_is_its_own() {
    let of = |name: &str, value: &str| {
        format!("resource \"aws_x\" \"{name}\" {{\n  for_each = {{ k = {value} }}\n  v        = each.value\n}}\n")
    };
    let text = format!("{}{}", of("a", "aws_y.y.id"), of("b", "\"${aws_y.y.id}-old\""));
    assert_changes(&text, ("old", "new"), &["aws_x.b[\"k\"] /v"]);
}

#[test]
fn names_of_a_cycle_end() {
    let locals = "locals {\n  a = local.b.x\n  b = local.a\n  c = { x = local.c.x, y = aws_y.y.id }\n}\n";
    let repo = Repo::new();
    repo.write("main.tf", format!("{RESOURCES}{locals}{}", resource("[local.a.y, local.c, local.b]"))).commit("one");
    repo.run(&["check"]).ends_with(1).says("cycle");
}

#[test]
fn more_unknown_parts_than_are_told_apart_are_unknown_together() {
    let parts: String = (0..99).map(|i| format!("    k{i} = aws_y.y.a{i}\n")).collect();
    let uses: String = (0..4_100).map(|i| format!("resource \"aws_x\" \"r{i}\" {{\n  v = local.many\n}}\n")).collect();
    let text = |z: &str| format!("{RESOURCES}locals {{\n  many = {{\n{parts}    z = {z}\n  }}\n}}\n{uses}");
    let repo = Repo::new();
    repo.write("main.tf", text("1")).commit("base");
    repo.write("main.tf", text("2")).commit("head");
    let json = repo.run(&["diff", "HEAD~1..HEAD", "--format", "json"]).json();
    let changed = json["components"].as_array().unwrap().iter().filter(|c| c["type"] == "resource");
    let paths: Vec<&str> = changed.map(|c| c["changes"][0]["path"].as_str().unwrap()).collect();
    // None is unchanged because there are too many.
    assert_eq!((paths.len(), BTreeSet::from_iter(paths)), (4_100, BTreeSet::from(["/v", "/v/z"])));
}
