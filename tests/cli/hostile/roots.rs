//! Root modules of attackers: nesting, repetition and growth end at the limits, and the root module beside it is
//! resolved.

use crate::common::Repo;

const GOOD: &str = "terraform {\n  backend \"local\" {\n    path = \"good\"\n  }\n}\n";

/// A root module `bad` with this text, and a good one.
fn repo(text: &str) -> Repo {
    let repo = Repo::new();
    repo.write("good/main.tf", GOOD)
        .write("bad/main.tf", format!("terraform {{\n  backend \"local\" {{}}\n}}\n\n{text}"));
    repo
}

/// It ends in order, and the good root module is there.
#[track_caller]
fn ends(repo: &Repo) {
    let run = repo.run(&["check", "--format", "json"]);
    assert!(run.status <= 1, "{run}");
    let all = repo.run(&["describe", "stacks", "--format", "json"]);
    assert!(all.status <= 1, "{all}");
    assert!(all.stdout.contains("\"path\": \"good\"") || all.stdout.contains("\"path\":\"good\""), "{all}");
}

/// A module whose source is this expression, so that it is evaluated.
fn source(expression: &str) -> String {
    format!("module \"m\" {{\n  source = \"./${{{expression}}}\"\n}}\n")
}

#[test]
fn expressions_that_nest() {
    for (open, close) in
        [("[", "]"), ("(", ")"), ("{ a = ", " }"), ("-", ""), ("\"${", "}\""), ("upper(", ")"), ("a ? b : ", "c")]
    {
        ends(&repo(&source(&format!("{}1{}", open.repeat(20_000), close.repeat(20_000)))));
        // Not closed.
        ends(&repo(&format!("locals {{\n  a = {}", open.repeat(20_000))));
    }
    ends(&repo(&format!("{}{}", "a {\n".repeat(20_000), "}\n".repeat(20_000))));
    ends(&repo(&format!("locals {{\n  a = a{}\n}}\n", ".b".repeat(50_000))));
    ends(&repo(&format!("variable \"v\" {{\n  type = {}any{}\n}}\n", "list(".repeat(10_000), ")".repeat(10_000))));
}

#[test]
fn texts_that_are_large() {
    let long = "x ${1 + 1} y\n".repeat(25_000);
    ends(&repo(&format!("locals {{\n  a = <<-EOT\n{long}EOT\n}}\n{}", source("length(local.a)"))));
    ends(&repo(&format!("locals {{\n  a = <<EOT\n{}", "never closed\n".repeat(50_000))));
    ends(&repo(&format!("locals {{\n  a = \"{}\"\n}}\n{}", "$".repeat(250_000), source("local.a"))));
}

/// An expression whose value is too large ends at a limit.
fn value_ends(_: &str, expression: &str) {
    let repo = repo(&source(expression));
    // Once up to the default.
    if expression.starts_with("length([") {
        assert!(repo.run(&["check", "--format", "json"]).status <= 1);
    }
    repo.write("stacklint.toml", "[limits]\ntemplate-steps = 200_000\n");
    ends(&repo);
}

cases! {
    value_ends:
    nested_for_expressions => "length([for a in range(1024) : [for b in range(1024) : [for c in range(1024) : c]]])";
    padding => "format(\"%999999999s\", \"\")";
    joined_padding => "join(\"\", [for i in range(256) : format(\"%9999s\", i)])";
    setproduct => "length(setproduct(range(1000), range(1000), range(1000)))";
    setproduct_with_an_empty_list => "length(setproduct(range(1000), range(1000), range(1000), range(1000), []))";
    many_subnets => "cidrsubnets(\"::/0\", [for i in range(1024) : 32]...)[0]";
    subnets_that_cannot_be => "cidrsubnets(\"10.0.0.0/8\", 99999999999, -4)[0]";
    a_slow_pattern => "regex(\"((a*)*)*b\", join(\"\", [for i in range(1024) : \"aaaaaaaa\"]))";
    a_large_pattern => "regex(\"(a{1000}){1000}\", \"a\")";
    a_large_power => "pow(99999999999, 99999999999)";
    a_long_number => "parseint(join(\"\", [for i in range(1024) : \"9999999999999999\"]), 10)";
    a_large_exponent => "1e999999999";
    a_negative_offset => "substr(\"a\", -99999999999, 99999999999)";
    a_large_indentation => "indent(999999999, \"a\\nb\")";
    a_long_range => "range(0, 1e18)[0]";
    a_nested_template => "templatestring(join(\"\", [for i in range(1024) : \"%{ for x in range(1024) }x%{ endfor }\"]), {})";
    deep_json => "jsondecode(join(\"\", [for i in range(1024) : \"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\"]))";
    yaml_aliases => "yamldecode(\"a: &a [x, x]\\nb: &b [*a, *a, *a, *a, *a, *a, *a, *a]\\nc: &c [*b, *b, *b, *b, *b, *b]\\nd: [*c, *c, *c, *c]\")";
    a_broken_archive => "base64gunzip(\"H4sIAAAAAAAA\")";
    a_long_duration => "timeadd(\"2020-01-01T00:00:00Z\", \"999999999999999h\")";
}

#[test]
fn types_that_have_little_in_common() {
    let objects: String = (0..5_000).map(|i| format!("    {{ a{i} = {i}, b = [] }},\n")).collect();
    let mixed: String = (0..5_000).map(|i| format!("    {i}, [{i}], {{ a{i} = {i} }},\n")).collect();
    let deep = |depth: usize| format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
    let nested: String = (1..60).map(|depth| format!("    {},\n", deep(depth))).collect();
    for list in [objects, mixed, nested] {
        let text = format!("locals {{\n  a = [\n{list}  ]\n  b = true ? local.a : []\n  c = toset(local.a)\n}}\n");
        ends(&repo(&format!("{text}{}", source("length(local.b) + length(local.c)"))));
    }
}

#[test]
fn modules_that_call_each_other() {
    let ring = repo(&source("\"../ring\""));
    ring.write(
        "ring/main.tf",
        "module \"a\" {\n  source = \"./next\"\n}\n\nmodule \"b\" {\n  source = \"./next\"\n}\n",
    )
    .write("ring/next/main.tf", "module \"c\" {\n  source = \"../\"\n}\n\nmodule \"d\" {\n  source = \"../next\"\n}\n");
    ends(&ring);
    #[cfg(unix)]
    {
        let linked = repo("module \"m\" {\n  source = \"./again/again/again\"\n}\n");
        linked.link("bad/again", ".");
        ends(&linked);
        let outside = repo("locals {\n  a = file(\"outside\")\n}\n\nmodule \"m\" {\n  source = \"./${local.a}\"\n}\n");
        outside.link("bad/outside", "/etc/hostname");
        ends(&outside);
    }
    let wide = repo("");
    for i in 0..30 {
        let calls: String = (0..3).map(|k| format!("module \"c{k}\" {{\n  source = \"../m{}\"\n}}\n", i + 1)).collect();
        wide.write(&format!("m{i}/main.tf"), calls);
    }
    wide.write("m30/main.tf", "").write("bad/more.tf", "module \"m\" {\n  source = \"../m0\"\n}\n");
    ends(&wide);
}

#[test]
fn names_that_are_many() {
    let moved: String =
        (0..3_000).map(|i| format!("moved {{\n  from = module.m{i}\n  to   = module.m{}\n}}\n", i + 1)).collect();
    ends(&repo(&format!("{moved}{}", source("\"x\""))));
    let locals: String = (0..20_000).map(|i| format!("  l{i} = {i}\n")).collect();
    ends(&repo(&format!("locals {{\n{locals}}}\n")));
    let values: String = (0..20_000).map(|i| format!("v{i} = {i}\n")).collect();
    let repo = repo("");
    repo.write("bad/x.auto.tfvars", values);
    ends(&repo);
}

/// Settings name files of the repository, and nothing else.
#[test]
fn settings_reach_no_file_outside() {
    let repo = repo("variable \"v\" {\n  default = \"own\"\n}\n\noutput \"v\" {\n  value = var.v\n}\n");
    repo.write(
        "stacklint.toml",
        "var-files = [\"../../../../../../etc/passwd\", \"/../../etc/passwd\", \"//etc/passwd\"]\n",
    );
    ends(&repo);
    repo.write("stacklint.toml", "roots = [\"**\"]\nworkspaces = [\"../../x\", \"a b\"]\n");
    ends(&repo);
}
