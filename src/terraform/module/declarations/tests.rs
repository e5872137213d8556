use super::check;
use crate::hcl::parse::{Layout, parse_body};
use crate::terraform::load::json::configuration;
use crate::terraform::module::schema;
use crate::value::FileId;

fn wrong(text: &str) -> Vec<String> {
    let (body, mut failures) = (parse_body(text, Layout::Strict).body, Vec::new());
    schema::check(&body, FileId::new(0), &mut failures);
    check(&body.blocks, FileId::new(0), false, false, &mut failures);
    failures.into_iter().map(|failure| failure.message).collect()
}

#[test]
fn addresses_have_kinds() {
    for (from, to, is_right) in [
        ("module.a", "module.b", true),
        ("module.a.aws_vpc.x", "aws_vpc.x", true),
        ("module.a[0]", "module.a[\"x\"]", true),
        ("module.a", "aws_vpc.x", false),
        ("aws_vpc.x", "f(1)", false),
    ] {
        let found = wrong(&format!("moved {{\n  from = {from}\n  to = {to}\n}}\n"));
        assert_eq!(found.is_empty(), is_right, "{from} {to}: {found:?}");
    }
    assert!(wrong("removed {\n  from = module.a\n}\n").is_empty());
    for from in ["aws_vpc.x[0]", "data.aws_vpc.x", "module.a.ephemeral.aws_vpc.x"] {
        assert_eq!(wrong(&format!("removed {{\n  from = {from}\n}}\n")).len(), 1, "{from}");
    }
    for (destroy, expected) in [("false", 0), ("!true", 0), ("var.x", 1)] {
        let text = format!("removed {{\n  from = a.b\n  lifecycle {{\n    destroy = {destroy}\n  }}\n}}\n");
        assert_eq!(wrong(&text).len(), expected, "{destroy}");
    }
}

#[test]
fn blocks_are_complete_and_known() {
    for (text, expected) in [
        ("output \"o\" {\n}\n", 1),
        ("output \"o\" {\n  value = 1\n}\n", 0),
        ("check \"c\" {\n}\n", 1),
        ("import {\n  to = a.b\n  id = 1\n}\n", 0),
        ("resource \"a\" \"b\" {\n  count = 1\n  for_each = {}\n}\n", 1),
        ("resource \"a\" \"b\" {\n  depends_on = [a.c, module.m, 1 + 1]\n}\n", 1),
        ("resource \"a\" \"b\" {\n  lifecycle {\n    ignore_changes = all\n  }\n}\n", 0),
        ("data \"a\" \"b\" {\n  lifecycle {\n    prevent_destroy = true\n  }\n}\n", 1),
        ("resource \"a\" \"b\" {\n  x {\n    y = 1\n    y = 2\n  }\n}\n", 1),
        ("provider \"a\" {\n  alias = \"x-1\"\n  version = \"~> 1.0\"\n}\n", 0),
        ("resource \"a\" \"b\" {\n  provider = 1\n}\n", 1),
        ("resource \"a\" \"b\" {\n  provider = a.by[each.key]\n}\n", 0),
        ("resource \"a\" \"b\" {\n  lifecycle {\n    ignore_changes = [f(\"x\")]\n  }\n}\n", 1),
        ("resource \"a\" \"b\" {\n  lifecycle {\n    ignore_changes = [x, y[0].z, \"v\"]\n  }\n}\n", 0),
        ("resource \"a\" \"b\" {\n  lifecycle {\n    replace_triggered_by = [1]\n  }\n}\n", 1),
        ("resource \"a\" \"b\" {\n  lifecycle {\n    replace_triggered_by = [a.c[each.key].id, a.d]\n  }\n}\n", 0),
        ("resource \"a\" \"b\" {\n  connection {\n  }\n  connection {\n  }\n}\n", 1),
        ("resource \"a\" \"b\" {\n  provisioner {\n  }\n}\n", 1),
        ("resource \"a\" \"b\" {\n  provisioner \"x\" {\n    when = never\n    on_failure = maybe\n  }\n}\n", 2),
        ("resource \"a\" \"b\" {\n  provisioner \"x\" {\n    when = destroy\n    y = [self.id, each.key]\n  }\n}\n", 0),
        ("resource \"a\" \"b\" {\n  provisioner \"x\" {\n    when = destroy\n    y = each.value\n  }\n}\n", 1),
        ("resource \"a\" \"b\" {\n  provisioner \"x\" {\n    y = var.z\n  }\n}\n", 0),
        ("module \"m\" {\n  source = \"./m\"\n  x {\n  }\n}\n", 1),
        ("module \"m\" {\n  source = \"./m\"\n  providers = 1\n}\n", 1),
        (
            "module \"m\" {\n  source = \"./m\"\n  providers = { a = a.b }\n  lifecycle {\n    enabled = false\n  }\n}\n",
            0,
        ),
        ("locals {\n  a {\n  }\n}\n", 1),
    ] {
        let found = wrong(text);
        assert_eq!(found.len(), expected, "{text}: {found:?}");
    }
}

/// Expects a number of mistakes in a text.
#[track_caller]
fn expect(text: &str, expected: usize) {
    let found = wrong(text);
    assert_eq!(found.len(), expected, "{text}: {found:#?}");
}

fn resource(content: &str) -> String {
    format!("resource \"a_thing\" \"b\" {{\n{content}\n}}\n")
}

#[test]
fn blocks_have_only_what_is_known() {
    for (text, expected) in [
        ("moved {\n  from = a.b\n  to = a.c\n  x = 1\n}\n", 1),
        ("moved {\n  from = a.b\n  to = a.c\n  x {\n  }\n}\n", 1),
        ("removed {\n  from = a.b\n  lifecycle {\n    destroy = true\n    x = 1\n  }\n}\n", 1),
        ("removed {\n  from = a.b\n  lifecycle {\n  }\n  lifecycle {\n  }\n}\n", 1),
        ("removed {\n  from = a.b\n  connection {\n    host = \"x\"\n  }\n}\n", 1),
        ("import {\n  to = a.b\n  id = \"x\"\n  count = 1\n}\n", 1),
        ("check \"c\" {\n  x = 1\n  assert {\n    condition = var.a\n    error_message = \"x\"\n  }\n}\n", 1),
        (
            "check \"c\" {\n  resource \"a\" \"b\" {\n  }\n  assert {\n    condition = var.a\n    error_message = \"x\"\n  }\n}\n",
            1,
        ),
        (
            "variable \"a\" {\n  validation {\n    condition = var.a\n    error_message = \"x\"\n    y {\n    }\n  }\n}\n",
            1,
        ),
        (
            "output \"a\" {\n  value = 1\n  postcondition {\n    condition = var.a\n    error_message = \"x\"\n  }\n}\n",
            1,
        ),
        ("provider \"a\" {\n  lifecycle {\n  }\n  x {\n  }\n}\n", 1),
        ("required_providers {\n}\n", 1),
        ("terraform {\n  required_providers {\n    a {\n    }\n  }\n}\n", 1),
        ("terraform {\n  required_version = \"1\"\n  required_version = \"2\"\n}\n", 1),
        ("terraform {\n  encryption {\n    state {\n      x {\n      }\n    }\n  }\n}\n", 1),
        (
            "terraform {\n  encryption {\n    plan {\n      fallback {\n        fallback {\n        }\n      }\n    }\n  }\n}\n",
            0,
        ),
        ("language {\n  x = 1\n}\n", 1),
        (
            "language {\n  edition = tofu2024\n  compatible_with {\n    opentofu = \"1.12\"\n    other = \"2\"\n  }\n}\n",
            0,
        ),
        ("language {\n  edition = \"x\"\n  experiments = [y]\n}\n", 2),
        ("module \"m\" {\n  source = \"./m\"\n  lifecycle {\n    prevent_destroy = true\n  }\n}\n", 1),
        ("module \"m\" {\n  source = \"./m\"\n  _ {\n  }\n  _ {\n  }\n}\n", 1),
        ("ephemeral \"a\" \"b\" {\n  connection {\n    host = \"x\"\n  }\n}\n", 1),
        ("data \"a\" \"b\" {\n  connection {\n    of = \"the provider\"\n  }\n}\n", 0),
        ("data \"a\" \"b\" {\n  locals {\n  }\n}\n", 1),
    ] {
        expect(text, expected);
    }
    for (content, expected) in [
        ("  lifecycle {\n    x {\n    }\n  }", 1),
        ("  lifecycle \"x\" {\n  }", 1),
        ("  lifecycle {\n    destroy = \"x\"\n  }", 1),
        ("  locals {\n  }", 1),
        ("  x \"y\" {\n  }", 0),
    ] {
        expect(&resource(content), expected);
    }
}

#[test]
fn provisioners_and_connections() {
    for (content, expected) in [
        ("  provisioner \"chef\" {\n  }", 1),
        ("  provisioner \"local-exec\" {\n    command = \"x\"\n    y = 1\n  }", 1),
        ("  provisioner \"local-exec\" {\n    command = []\n    environment = \"x\"\n    interpreter = \"y\"\n  }", 3),
        (
            "  provisioner \"local-exec\" {\n    command = var.x\n    environment = local.y\n    quiet = \"true\"\n  }",
            0,
        ),
        ("  provisioner \"local-exec\" {\n    command = \"x\"\n    y {\n    }\n  }", 1),
        ("  provisioner \"local-exec\" {\n    command = \"x\"\n    lifecycle {\n    }\n  }", 1),
        ("  provisioner \"local-exec\" {\n    _ {\n      command = \"x\"\n    }\n  }", 0),
        ("  provisioner \"file\" {\n    destination = \"z\"\n  }", 1),
        ("  provisioner \"file\" {\n    source = \"x\"\n    content = null\n    destination = \"z\"\n  }", 0),
        ("  provisioner \"remote-exec\" {\n    inline = [\"a\"]\n    script = \"b\"\n  }", 1),
        ("  provisioner \"of-a-plugin\" {\n    anything = 1\n    any {\n    }\n  }", 0),
        ("  connection {\n    port = \"x\"\n    host = \"h\"\n    when = 1\n  }\n  provisioner \"x\" {\n  }", 2),
        ("  connection {\n    user = \"u\"\n  }\n  provisioner \"x\" {\n  }", 1),
        (
            "  connection {\n    user = \"u\"\n  }\n  provisioner \"x\" {\n    connection {\n      host = \"h\"\n    }\n  }",
            0,
        ),
        ("  connection {\n    user = \"u\"\n  }", 0),
        ("  connection {\n    host = var.h\n  }\n  provisioner \"x\" {\n    when = destroy\n  }", 1),
        ("  connection {\n    host = self.h\n  }\n  provisioner \"x\" {\n    when = destroy\n  }", 0),
    ] {
        expect(&resource(content), expected);
    }
    for (when, expected) in [("", 1), ("    when = destroy\n", 0)] {
        let provisioner = format!("  provisioner \"local-exec\" {{\n    command = \"x\"\n{when}  }}\n");
        expect(&format!("removed {{\n  from = a.b\n{provisioner}}}\n"), expected);
        expect(&format!("removed {{\n  from = module.b\n{provisioner}}}\n"), 1);
    }
}

#[test]
fn references_that_are_not_evaluated() {
    for (content, expected) in [
        ("  depends_on = [a.c.id]", 1),
        ("  depends_on = [a.c[0], module.m.out, var.x, \"a.d\"]", 0),
        ("  depends_on = [local.x.y, data.a.b.c]", 2),
        ("  depends_on = [a.c[var.k]]", 1),
        ("  lifecycle {\n    ignore_changes = [\"*\"]\n  }", 1),
        ("  lifecycle {\n    ignore_changes = \"all\"\n  }", 1),
        ("  lifecycle {\n    replace_triggered_by = [\"a.c\"]\n  }", 1),
        ("  lifecycle {\n    replace_triggered_by = [var.x, local.y, path.module, a.c[each.value]]\n  }", 4),
        ("  lifecycle {\n    replace_triggered_by = [a.c[a.d.id]]\n  }", 1),
        ("  provider = AWS", 1),
        ("  provider = a.b.c", 1),
        ("  provider = null.west", 0),
        ("  provider = \"a.b\"", 0),
    ] {
        expect(&resource(content), expected);
    }
    for (providers, expected) in [
        ("{ a = a, a = a.b }", 1),
        ("{ a = a.b.c }", 1),
        ("{ a[\"x\"] = a }", 1),
        ("{ null = null, a.b = a }", 0),
        ("{ A = a }", 1),
    ] {
        expect(&format!("module \"m\" {{\n  source = \"./m\"\n  providers = {providers}\n}}\n"), expected);
    }
    for (address, is_right) in [
        ("a.b", true),
        ("module.m.a.b[0]", true),
        ("a", false),
        ("a.b.c", false),
        ("module.m.a", false),
        ("\"a.b\"", false),
        ("a.b[var.x]", false),
        ("ephemeral.a.b", false),
        ("null.x", true),
    ] {
        expect(&format!("moved {{\n  from = {address}\n  to = a.z\n}}\n"), usize::from(!is_right));
    }
    for (address, expected) in [("a.b[var.x]", 0), ("module.m", 1), ("data.a.b", 1), ("\"a.b\"", 1), ("f(a.b)", 1)] {
        expect(&format!("import {{\n  to = {address}\n  id = \"x\"\n}}\n"), expected);
    }
    expect("import {\n  to = a.b\n  id = \"x\"\n  identity = {}\n}\n", 1);
    expect("import {\n  to = module.m.a.b\n  id = \"x\"\n  provider = a.c\n}\n", 1);
}

#[test]
fn requirements_of_a_module() {
    for (requirement, expected) in [
        ("a = { source = \"a/b\", version = 5 }", 1),
        ("a = { source = 1, version = var.v }", 2),
        ("a = { source = \"a/b_c\" }", 1),
        ("a_b = \"1.0\"", 1),
        ("a = { configuration_aliases = [\"a.b\"] }", 1),
        ("a = { configuration_aliases = [c.b] }", 1),
        ("a = { configuration_aliases = a.b }", 1),
        ("a = { configuration_aliases = [a.b, a.c] }", 0),
    ] {
        expect(&format!("terraform {{\n  required_providers {{\n    {requirement}\n  }}\n}}\n"), expected);
    }
    expect("terraform {\n  provider_meta \"a_b\" {\n    x = var.y\n  }\n}\n", 2);
    expect("provider \"a b\" {\n}\n", 1);
    expect("resource \"_a\" \"b\" {\n}\n", 1);
    expect("variable \"a\" {\n  deprecated = \" \"\n}\n", 1);
    expect("variable \"a\" {\n  validation {\n    condition = var.b\n    error_message = \"x\"\n  }\n}\n", 1);
}

#[test]
fn what_override_files_cannot_have() {
    let wrong = |text: &str| {
        let (body, mut failures) = (parse_body(text, Layout::Strict).body, Vec::new());
        check(&body.blocks, FileId::new(0), false, true, &mut failures);
        failures.len()
    };
    let condition = "    condition = var.a\n    error_message = \"x\"\n";
    for (text, expected) in [
        ("moved {\n  from = a.b\n  to = a.c\n}\n".to_owned(), 1),
        ("removed {\n  from = a.b\n}\n".to_owned(), 1),
        ("import {\n  to = a.b\n}\n".to_owned(), 1),
        (format!("check \"c\" {{\n  assert {{\n{condition}  }}\n}}\n"), 1),
        (format!("variable \"a\" {{\n  validation {{\n{condition}  }}\n}}\n"), 1),
        (format!("output \"a\" {{\n  precondition {{\n{condition}  }}\n}}\n"), 1),
        (format!("resource \"a\" \"b\" {{\n  lifecycle {{\n    precondition {{\n{condition}    }}\n  }}\n}}\n"), 1),
        ("resource \"a\" \"b\" {\n  depends_on = [a.c]\n}\n".to_owned(), 1),
        ("resource \"a\" \"b\" {\n  x = 1\n}\n".to_owned(), 0),
        ("terraform {\n  backend \"a\" {\n  }\n  backend \"b\" {\n  }\n}\n".to_owned(), 1),
    ] {
        assert_eq!(wrong(&text), expected, "{text}");
    }
}

#[test]
fn references_of_json_are_texts() {
    for (text, expected) in [
        (r#"{"moved": {"from": "a.b[0]", "to": "module.m.a.c"}, "removed": {"from": "a.d"}}"#, 0),
        (r#"{"import": {"to": "a.b[\"x\"]", "id": "y"}}"#, 0),
        (r#"{"moved": {"from": "a", "to": "a.c"}}"#, 1),
        (
            r#"{"resource": {"a": {"b": {"provider": "a.w", "depends_on": ["a.c"], "lifecycle":
            {"ignore_changes": "all", "replace_triggered_by": ["a.c.id"]}}}}}"#,
            0,
        ),
        (r#"{"module": {"m": {"source": "./m", "providers": {"a.b": "a"}}}}"#, 0),
        (r#"{"terraform": {"required_providers": {"a": {"source": "b/a", "configuration_aliases": ["a.b"]}}}}"#, 0),
        (r#"{"removed": {"from": "a.d", "lifecycle": {"destroy": "x"}}}"#, 1),
    ] {
        let (parsed, mut failures) = (configuration(text), Vec::new());
        assert!(parsed.errors.is_empty(), "{text}");
        schema::check(&parsed.body, FileId::new(0), &mut failures);
        check(&parsed.body.blocks, FileId::new(0), true, false, &mut failures);
        assert_eq!(failures.len(), expected, "{text}: {failures:?}");
    }
}
