//! What OpenTofu's loader, `validate` and every plan reject is an error; which folders are root modules.

use crate::common::Repo;

const BACKEND: &str = "terraform {\n  backend \"local\" {}\n}\n";

/// The rules of the errors of `check` in a root module with these files.
fn errors(files: &[(&str, &str)]) -> Vec<String> {
    let repo = Repo::new();
    repo.write("live/zz.tf", BACKEND);
    for (path, text) in files {
        repo.write(&format!("live/{path}"), text);
    }
    repo.commit("base");
    let json = repo.run(&["check", "--format", "json"]).json();
    let all = json["diagnostics"].as_array().unwrap().iter().filter(|finding| finding["level"] == "error");
    all.map(|finding| finding["rule"].as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
fn declarations_that_stop_init_are_errors() {
    for text in [
        "data \"a\" \"b\" {\n}\ndata \"a\" \"b\" {\n}\n",
        "module \"m\" {\n  source = \"./m\"\n  depends_on = [f(1)]\n}\n",
        "provider \"Acme\" {\n}\n",
        "removed {\n  from = module.a[0]\n}\n",
        "check \"c\" {\n  assert {\n    condition = path.root != null\n  }\n}\n",
        "check \"c\" {\n  assert {\n    condition     = [for x in [1] : x] != []\n    error_message = \"no\"\n  }\n}\n",
        "output \"o\" {\n  value = 1\n  precondition {\n    condition = path.root != null\n  }\n}\n",
        "terraform {\n  required_providers {\n    a = [1]\n  }\n}\n",
        "resource \"a\" \"b\" {\n  lifecycle {\n  }\n  lifecycle {\n  }\n}\n",
        "output \"o\" {\n  value     = 1\n  sensitive = tobool(\"true\")\n}\n",
        "output \"o\" {\n  value     = 1\n  sensitive = { a = 1 }\n}\n",
        "locals {\n  x = true\n}\nresource \"a\" \"b\" {\n  lifecycle {\n    create_before_destroy = local.x\n  }\n}\n",
        "resource \"a\" \"b\" {\n  for_each = { x = 1 }\n  provisioner \"local-exec\" {\n    when    = destroy\n    command = \"x ${each.key} ${each.value}\"\n  }\n}\n",
        "module \"m\" {\n  source = \"./m\"\n  x {\n  }\n}\n",
        "variable \"v\" {\n  default     = 1\n  description = [1]\n}\n",
        "variable \"v\" {\n  default     = 1\n  description = null\n}\n",
        "output \"o\" {\n  value       = 1\n  description = {}\n}\n",
        "locals {\n  a {\n  }\n}\n",
        "module \"i\" {\n  source = \"./i\"\n}\n",
        "module \"p\" {\n  source = \"./p\"\n  count  = 2\n}\n",
    ] {
        let called = [
            ("m/main.tf", "output \"o\" {\n  value = 1\n}\n"),
            ("i/main.tf", "import {\n  to = a.b\n  id = \"x\"\n}\nresource \"a\" \"b\" {\n}\n"),
            ("p/main.tf", "provider \"a\" {\n  region = \"x\"\n}\n"),
        ];
        assert_eq!(errors(&[&[("main.tf", text)], &called[..]].concat()), ["tofu-invalid-declaration"], "{text}");
    }
}

#[test]
fn declarations_in_json_are_complete_in_their_own_way() {
    let json = r#"{
      "resource": {"a": {"b": {"depends_on": ["a.c[\"x.y\"]", "module.m"], "lifecycle": {"ignore_changes": "all",
        "precondition": {"condition": "${path.root != null}", "error_message": "no"}}}, "c": {}}},
      "module": {"m": {"source": "./m"}}, "check": {"c": {"assert": {"condition": "${path.root != null}", "error_message": "no"}}},
      "moved": {"from": "a.d[\"x.y\"]", "to": "a.b"}
    }"#;
    let found = errors(&[("main.tf.json", json), ("m/main.tf", "output \"o\" {\n  value = 1\n}\n")]);
    assert_eq!(found, [""; 0]);
}

#[test]
fn values_that_do_not_fit_their_variables_are_errors() {
    for (kind, value, is_right) in [
        ("string", "{}", false),
        ("string", "true", true),
        ("number", "\"1.5\"", true),
        ("bool", "1", false),
        ("list(any)", "[1, {}]", false),
        ("map(any)", "{ a = 1, b = [1] }", false),
        ("map(any)", "{ a = 1, b = \"x\" }", true),
        ("set(number)", "[\"a\"]", false),
        ("object({ a = list(any) })", "{ a = [[], {}] }", false),
        ("object({ a = string, b = optional(number) })", "{ a = 1 }", true),
        ("tuple([string])", "[]", false),
        ("any", "[1, {}]", true),
    ] {
        let variable = format!("variable \"v\" {{\n  type = {kind}\n}}\n");
        let found = errors(&[("main.tf", &variable), ("terraform.tfvars", &format!("v = {value}\n"))]);
        assert_eq!(found.is_empty(), is_right, "{value} for {kind}: {found:?}");
        assert!(found.iter().all(|rule| rule == "tofu-invalid-value"), "{found:?}");
    }
}

#[test]
fn root_modules_have_what_only_they_have_or_call_others() {
    let (call, moved) = ("module \"m\" {\n  source = \"../m\"\n}\n", "moved {\n  from = a.b\n  to   = a.c\n}\n");
    for (folder, files, is_root) in [
        ("a", &[("main.tf", BACKEND)][..], true),
        ("a", &[("main.tf", "output \"o\" {\n  value = 1\n}\n"), (".terraform.lock.hcl", "")], true),
        ("a", &[("main.tf", "import {\n  to = a.b\n  id = 1\n}\nresource \"a\" \"b\" {\n}\n")], true),
        ("a", &[("main.tf", call)], true),
        ("a", &[("main.tf", moved)], true),
        ("a", &[("main.tf", moved), ("v.tf", "variable \"v\" {}\n")], false),
        ("a", &[("main.tf", "terraform {\n  required_version = \">= 1.6\"\n}\n")], false),
        ("modules/a", &[("main.tf", "module \"m\" {\n  source = \"../../m\"\n}\n")], false),
        ("modules/a", &[("main.tf", moved)], false),
    ] {
        let repo = Repo::new();
        repo.write("m/main.tf", "variable \"x\" {\n  default = 1\n}\n").write("z/main.tf", BACKEND);
        for (path, text) in files {
            repo.write(&format!("{folder}/{path}"), text);
        }
        repo.commit("base");
        let stacks = repo.run(&["describe", "stacks", "--format", "json"]).json();
        assert_eq!(stacks.as_object().is_some_and(|all| all.contains_key(folder)), is_root, "{folder}: {files:?}");
    }
}

#[test]
fn what_init_reads_of_calls_and_providers_is_compared() {
    let main = "provider \"aws\" {\n  region = \"a\"\n  assume_role {\n    role_arn = \"b\"\n  }\n}\nprovider \"aws\" {\n  alias = \"w\"\n}\n\
        module \"m\" {\n  source     = \"./m\"\n  for_each   = toset([\"c\"])\n  providers  = { aws = aws }\n  depends_on = [module.n]\n}\n\
        module \"n\" {\n  source = \"./m\"\n  count  = 1\n}\n";
    let child = "terraform {\n  required_providers {\n    time = {\n      version = \"1.0\"\n    }\n  }\n}\nvariable \"x\" {\n  default = \"e\"\n}\n";
    for (path, old, new, place) in [
        ("main.tf", "\"a\"", "\"z\"", "arguments.region"),
        ("main.tf", "\"b\"", "\"z\"", "role_arn"),
        ("main.tf", "toset([\"c\"])", "toset([\"z\"])", "for_each"),
        ("main.tf", "{ aws = aws }", "{ aws = aws.w }", "providers"),
        ("main.tf", "[module.n]", "[]", "depends_on"),
        ("main.tf", "count  = 1", "count  = 0", "count"),
        ("m/main.tf", "1.0", "2.0", "required_providers"),
        ("m/main.tf", "\"e\"", "\"z\"", "defaults.x"),
    ] {
        let repo = Repo::new();
        repo.write("main.tf", format!("{BACKEND}{main}")).write("m/main.tf", child).commit("base");
        repo.edit(path, old, new).commit("head");
        repo.run(&["diff", "HEAD~1..HEAD", "--exit-code", "--fail-on", "never"]).ends_with(3).says(place);
    }
}

#[test]
fn a_call_whose_resources_are_all_moved_is_renamed() {
    let call = |name: &str| format!("{BACKEND}module \"{name}\" {{\n  source = \"./m\"\n}}\n");
    let moved = |name: &str| format!("moved {{\n  from = module.old.a.{name}\n  to   = module.new.a.{name}\n}}\n");
    for (moves, is_destroyed) in [(moved("x") + &moved("y"), false), (moved("x"), true)] {
        let repo = Repo::new();
        repo.write("m/main.tf", "resource \"a\" \"x\" {\n}\nresource \"a\" \"y\" {\n}\n").write("main.tf", call("old"));
        repo.commit("base");
        repo.write("main.tf", call("new")).write("moved.tf", &moves).commit("head");
        let run = repo.run(&["diff", "HEAD~1..HEAD"]);
        assert_eq!(run.stdout.contains("component-renamed"), is_destroyed, "{run}");
    }
}

#[test]
fn what_no_instance_and_no_failure_evaluates_is_checked() {
    for (text, rule) in [
        ("module \"m\" {\n  source = \"./m\"\n  count  = 0\n  v      = tobool(100)\n}\n", "tofu-invalid-value"),
        (
            "module \"m\" {\n  source   = \"./m\"\n  for_each = toset([])\n  v        = each.key + {}\n}\n",
            "tofu-invalid-value",
        ),
        (
            "check \"c\" {\n  assert {\n    condition     = path.root != null\n    error_message = upper([])\n  }\n}\n",
            "tofu-invalid-value",
        ),
        (
            "check \"c\" {\n  assert {\n    condition     = path.root != null\n    error_message = null\n  }\n}\n",
            "tofu-failed-condition",
        ),
        (
            "output \"o\" {\n  value = 1\n  precondition {\n    condition     = path.root != null\n    error_message = [1]\n  }\n}\n",
            "tofu-failed-condition",
        ),
        ("resource \"terraform_data\" \"a\" {\n}\nlocals {\n  x = terraform_data.a.other\n}\n", "tofu-undefined-name"),
        (
            "resource \"terraform_data\" \"a\" {\n}\nlocals {\n  x = try(terraform_data.a.id.name, 1)\n}\n",
            "tofu-undefined-name",
        ),
        (
            "resource \"terraform_data\" \"a\" {\n}\nresource \"a\" \"b\" {\n  for_each = terraform_data.a.id\n}\n",
            "tofu-invalid-repetition",
        ),
        (
            "resource \"terraform_data\" \"a\" {\n}\nresource \"a\" \"b\" {\n  dynamic \"c\" {\n    for_each = terraform_data.a.id\n    \
             content {\n    }\n  }\n}\n",
            "tofu-invalid-repetition",
        ),
        (
            "resource \"terraform_data\" \"a\" {\n  input = 1\n}\nlocals {\n  x = [for i in terraform_data.a.output : i]\n}\n",
            "tofu-invalid-value",
        ),
        (
            "resource \"terraform_data\" \"a\" {\n}\nresource \"a\" \"b\" {\n  dynamic \"c\" {\n    for_each = split(\",\", terraform_data.a.id)\n    \
             content {\n      d {\n        dynamic \"e\" {\n          for_each = c.value == \"\" ? null : null\n          content {\n          }\n        }\n      }\n    }\n  }\n}\n",
            "tofu-invalid-repetition",
        ),
    ] {
        let child = ("m/main.tf", "variable \"v\" {\n}\n");
        assert_eq!(errors(&[("main.tf", text), child]), [rule], "{text}");
    }
    let healthy = "module \"m\" {\n  source = \"./m\"\n  count  = 0\n  v      = terraform_data.a[count.index].id\n}\nresource \"terraform_data\" \"a\" {\n  count = 0\n  input = [1]\n}\n\
                   check \"c\" {\n  assert {\n    condition     = length(terraform_data.a) == 0\n    error_message = \"${join(\",\", terraform_data.a[*].id)}\"\n  }\n}\n";
    assert_eq!(errors(&[("main.tf", healthy), ("m/main.tf", "variable \"v\" {\n}\n")]), [""; 0]);
}

#[test]
fn a_known_operand_hides_no_mistake_of_the_other_one() {
    let variable = |condition: &str| {
        format!(
            "variable \"a\" {{\n  type    = string\n  default = \"x\"\n  validation {{\n    condition     = {condition}\n    \
             error_message = \"no\"\n  }}\n}}\n"
        )
    };
    for wrong in ["tobool(\"yes\") || var.a != null", "length(\"ab\") > 1 && (contains([], null) || var.a == var.a)"] {
        assert_eq!(errors(&[("main.tf", &variable(wrong))]), ["tofu-invalid-value"], "{wrong}");
    }
    // Decided by what is written, and by what a call gives.
    let call = "module \"m\" {\n  source = \"./m\"\n  a      = \"x\"\n}\n";
    assert_eq!(errors(&[("main.tf", &variable("tobool(\"yes\") || true || var.a == \"x\""))]), [""; 0]);
    assert_eq!(errors(&[("main.tf", call), ("m/main.tf", &variable("tobool(\"yes\") || var.a == \"x\""))]), [""; 0]);
    let output =
        "variable \"a\" {\n  type = string\n}\noutput \"o\" {\n  value = tobool(\"yes\") || var.a == \"x\"\n}\n";
    assert_eq!(errors(&[("main.tf", call), ("m/main.tf", output)]), ["tofu-invalid-value"]);
    // What a call with several instances gives is known as well, but not what its own variables and its key are.
    let given = |value: &str| {
        format!(
            "variable \"r\" {{\n  default = \"x\"\n}}\nmodule \"m\" {{\n  source   = \"./m\"\n  for_each = toset([\"x\"])\n  a        = \
             {value}\n}}\n"
        )
    };
    let validated = variable("tobool(\"yes\") || var.a == \"x\"");
    for (value, expected) in
        [("\"x\"", &[][..]), ("var.r", &["tofu-invalid-value"]), ("each.key", &["tofu-invalid-value"])]
    {
        assert_eq!(errors(&[("main.tf", &given(value)), ("m/main.tf", &validated)]), expected, "{value}");
    }
    // The type of what is read is known.
    let typed = variable("slice(terraform_data.t.id, 1, 3) || var.a != null");
    let resource = "resource \"terraform_data\" \"t\" {\n}\n";
    assert_eq!(errors(&[("main.tf", &format!("{typed}{resource}"))]), ["tofu-invalid-value"]);
    // Reported once.
    assert_eq!(errors(&[("main.tf", &variable("tobool(\"yes\") || var.a == null"))]), ["tofu-invalid-value"]);
}

#[test]
fn an_ephemeral_variable_that_is_null_is_still_not_stored() {
    let text = "variable \"a\" {\n  type      = string\n  ephemeral = true\n  default   = null\n}\n\
                resource \"a\" \"b\" {\n  c = var.a\n}\n";
    assert_eq!(errors(&[("main.tf", text)]), ["tofu-sensitive-address"]);
}

#[test]
fn a_value_that_is_sensitive_is_not_shown_and_decides_nothing_that_is() {
    let secret = "variable \"s\" {\n  type      = string\n  sensitive = true\n  default   = \"true\"\n}\n";
    for (text, rule) in [
        ("output \"o\" {\n  value     = var.s\n  sensitive = true\n}\n", None),
        ("output \"o\" {\n  value     = var.s\n  sensitive = false\n}\n", Some("tofu-sensitive-address")),
        // Decided by what is known, and not before that.
        (
            "resource \"terraform_data\" \"t\" {\n}\noutput \"o\" {\n  value = terraform_data.t.output >= var.s && false\n}\n",
            Some("tofu-sensitive-address"),
        ),
        ("resource \"a\" \"b\" {\n  lifecycle {\n    prevent_destroy = var.s\n  }\n}\n", Some("tofu-invalid-value")),
        ("resource \"a\" \"b\" {\n  lifecycle {\n    prevent_destroy = nonsensitive(var.s)\n  }\n}\n", None),
        ("resource \"a\" \"b\" {\n  lifecycle {\n    prevent_destroy = 1 + {}\n  }\n}\n", Some("tofu-invalid-value")),
    ] {
        assert_eq!(errors(&[("main.tf", &format!("{secret}{text}"))]), rule.into_iter().collect::<Vec<_>>(), "{text}");
    }
}

#[test]
fn moves_that_contradict_each_other_are_errors() {
    let of = |moves: &[(&str, &str)]| {
        let blocks = moves.iter().map(|(from, to)| format!("moved {{\n  from = a.{from}\n  to   = a.{to}\n}}\n"));
        let resources = ["b", "c"].map(|name| format!("resource \"a\" \"{name}\" {{\n}}\n"));
        let text: String = blocks.chain(resources).collect();
        errors(&[("main.tf", &text)])
    };
    assert_eq!(of(&[("x", "b"), ("x", "c")]), ["tofu-invalid-move"]);
    assert_eq!(of(&[("x", "b"), ("y", "b")]), ["tofu-invalid-move"]);
    for right in [&[("x", "b"), ("x", "b")], &[("x", "y"), ("y", "b")], &[("x", "b"), ("x[0]", "c")]] {
        assert_eq!(of(right), [""; 0], "{right:?}");
    }
}

#[test]
fn an_instance_that_moves_is_not_declared_any_more() {
    let of = |count: &str, from: &str, to: &str| {
        let counted = format!("resource \"a\" \"b\" {{\n  count = {count}\n}}\nresource \"a\" \"c\" {{\n}}\n");
        let moved = format!("moved {{\n  from = {from}\n  to   = {to}\n}}\n");
        let inside = counted.replace("\"a\"", "\"d\"");
        let call = "module \"m\" {\n  source = \"./m\"\n}\n";
        errors(&[("main.tf", &format!("{counted}{call}{moved}")), ("m/main.tf", &inside)])
    };
    for from in ["a.b[0]", "module.m.d.b[1]"] {
        assert_eq!(of("2", from, "a.x[0]"), ["tofu-invalid-move"], "{from}");
        assert_eq!(of("length([for x in [1, 2] : x])", from, "a.x[0]"), ["tofu-invalid-move"], "{from}");
    }
    assert_eq!(of("2", "a.c", "a.x[0]"), ["tofu-invalid-move"]);
    for (count, from) in
        [("2", "a.b[2]"), ("2", "a.c[0]"), ("2", "a.b"), ("tonumber(substr(timestamp(), 0, 1))", "a.b[0]")]
    {
        assert_eq!(of(count, from, "a.x[0]"), [""; 0], "{from}");
    }
}

#[test]
fn ephemeral_values_are_not_stored_in_modules_without_instances() {
    let of = |count: usize, argument: &str| {
        let resource = format!("ephemeral \"a\" \"s\" {{\n  x = 1\n}}\nresource \"a\" \"b\" {{\n  {argument}\n}}\n");
        errors(&[
            ("main.tf", &format!("module \"m\" {{\n  source = \"./m\"\n  count = {count}\n}}\n")),
            ("m/main.tf", &resource),
        ])
    };
    for count in [0, 1] {
        assert_eq!(of(count, "v = ephemeral.a.s.id"), ["tofu-sensitive-address"], "{count}");
        assert_eq!(of(count, "v_wo = ephemeral.a.s.id"), [""; 0], "{count}");
    }
}

#[test]
fn hidden_values_do_not_enable_anything() {
    let of = |enabled: &str| {
        let variables = "variable \"s\" {\n  default = \"x\"\n  sensitive = true\n}\n\
                         variable \"e\" {\n  default = \"x\"\n  ephemeral = true\n}\n";
        let resource = format!("resource \"a\" \"b\" {{\n  lifecycle {{\n    enabled = {enabled}\n  }}\n}}\n");
        errors(&[("main.tf", &format!("{variables}{resource}"))])
    };
    assert_eq!(of("var.s == \"x\""), ["tofu-sensitive-address"]);
    assert_eq!(of("var.e == \"x\""), ["tofu-sensitive-address"]);
    assert_eq!(of("nonsensitive(var.s) == \"x\""), [""; 0]);
}

#[test]
fn a_file_of_values_sets_a_variable_once() {
    let variable = ("main.tf", "variable \"v\" {\n  type = number\n}\n");
    assert_eq!(errors(&[variable, ("terraform.tfvars", "v = 1\nv = 2\n")]), ["tofu-variable-values"]);
    assert_eq!(errors(&[variable, ("terraform.tfvars", "v = 1\n"), ("x.auto.tfvars", "v = 2\n")]), [""; 0]);
}

#[test]
fn what_a_plan_does_not_evaluate_is_no_mistake() {
    let data = "resource \"terraform_data\" \"d\" {\n  count = 1\n}\n";
    let dynamic = |for_each: &str, content: &str| {
        format!(
            "{data}resource \"a\" \"b\" {{\n  dynamic \"c\" {{\n    for_each = {for_each}\n    content {{\n      x = {content}\n    }}\n  }}\n  \
             c {{\n    y = upper([])\n  }}\n}}\n"
        )
    };
    let unknown = "split(\",\", terraform_data.d[0].id)";
    assert_eq!(errors(&[("main.tf", &dynamic(unknown, "try(terraform_data.d[0].id.x, 1)"))]), [""; 0]);
    let known = errors(&[("main.tf", &dynamic("[1]", "terraform_data.d[0].id.x"))]);
    assert_eq!(known, ["tofu-undefined-name", "tofu-invalid-value"]);
    let import = "import {\n  for_each = { for k, v in terraform_data.d : \"z${k}\" => v }\n  to = terraform_data.d[each.key]\n  id = \"i\"\n}\n";
    assert_eq!(errors(&[("main.tf", &format!("{data}{import}"))]), [""; 0]);
    let import = "import {\n  for_each = { z = 1 }\n  to = terraform_data.d[each.key]\n  id = \"i\"\n}\n";
    assert_eq!(errors(&[("main.tf", &format!("{data}{import}"))]), ["tofu-invalid-move"]);
}

#[test]
fn providers_that_are_passed_fit_the_called_module() {
    let root = "provider \"aws\" {\n}\nprovider \"aws\" {\n  alias = \"w\"\n}\nmodule \"m\" {\n  source = \"./m\"\n  providers = { PASSED }\n}\n";
    let requires = |source: &str| {
        format!("terraform {{\n  required_providers {{\n    aws = {{ source = \"{source}\" }}\n  }}\n}}\n")
    };
    let own = "provider \"aws\" {\n  region = \"x\"\n}\n".to_owned();
    for (passed, module, expected) in [
        ("aws = aws.w", requires("hashicorp/aws"), 0),
        ("aws = aws.w", requires("registry.terraform.io/hashicorp/aws"), 0),
        ("aws = aws.w", requires("acme/aws"), 1),
        ("aws = aws", String::new(), 0),
        ("aws = aws", own, 1),
        ("aws = aws", "provider \"aws\" {\n}\n".to_owned(), 0),
    ] {
        let found = errors(&[("main.tf", &root.replace("PASSED", passed)), ("m/main.tf", &module)]);
        assert_eq!(found, vec!["tofu-invalid-declaration"; expected], "{passed} {module}");
    }
}

#[test]
fn an_import_has_the_provider_of_its_target() {
    for (own, other, expected) in [("aws.w", "aws.w", 0), ("aws.w", "aws", 1), ("null.w", "null.w", 0)] {
        let kind = own.split('.').next().unwrap();
        let text = format!(
            "provider \"{kind}\" {{\n  alias = \"w\"\n}}\nresource \"{kind}_x\" \"a\" {{\n  provider = {own}\n}}\n\
             import {{\n  to       = {kind}_x.a\n  id       = \"i\"\n  provider = {other}\n}}\n"
        );
        assert_eq!(errors(&[("main.tf", &text)]), vec!["tofu-invalid-declaration"; expected], "{own} {other}");
    }
}

#[test]
fn what_is_built_in_has_known_arguments_and_attributes() {
    for (text, expected) in [
        ("resource \"terraform_data\" \"a\" {\n  inputs = 1\n}\n", &["tofu-invalid-declaration"][..]),
        ("resource \"terraform_data\" \"a\" {\n  output = 1\n}\n", &["tofu-invalid-declaration"]),
        (
            "resource \"terraform_data\" \"a\" {\n  lifecycle {\n    ignore_changes = [inputs]\n  }\n}\n",
            &["tofu-invalid-declaration"],
        ),
        ("resource \"terraform_thing\" \"a\" {\n}\n", &["tofu-invalid-declaration"]),
        ("data \"terraform_remote_state\" \"a\" {\n  config = {}\n}\n", &["tofu-invalid-declaration"]),
        (
            "data \"terraform_remote_state\" \"a\" {\n  backend = \"local\"\n}\noutput \"o\" {\n  value = data.terraform_remote_state.a.vpc\n}\n",
            &["tofu-undefined-name"],
        ),
        (
            "data \"terraform_remote_state\" \"a\" {\n  backend = \"local\"\n}\noutput \"o\" {\n  value = data.terraform_remote_state.a.outputs.vpc\n}\n",
            &[],
        ),
        (
            "resource \"terraform_data\" \"a\" {\n  provisioner \"local-exec\" {\n    command = self.inputs\n  }\n}\n",
            &["tofu-undefined-name"],
        ),
    ] {
        assert_eq!(errors(&[("main.tf", text)]), expected, "{text}");
    }
}

#[test]
fn override_files_override_what_is_there() {
    for (base, over, expected) in [
        ("output \"a\" {\n  value = 1\n}\n", "output \"b\" {\n  value = 1\n}\n", 1),
        ("provider \"a\" {\n}\n", "provider \"a\" {\n  alias = \"b\"\n}\n", 1),
        ("provider \"a\" {\n  alias = \"b\"\n}\n", "provider \"a\" {\n  alias = \"b\"\n  x     = 1\n}\n", 0),
        ("", "moved {\n  from = a.b\n  to   = a.c\n}\n", 1),
    ] {
        let found = errors(&[("main.tf", base), ("x_override.tf", over)]);
        assert_eq!(found, vec!["tofu-invalid-declaration"; expected], "{over}");
    }
}

#[test]
fn the_language_block_says_which_versions_understand_it() {
    for (version, expected) in [(">= 1.12", 0), ("999.9", 1), ("abc", 1)] {
        let text = format!("language {{\n  compatible_with {{\n    opentofu = \"{version}\"\n  }}\n}}\n");
        assert_eq!(errors(&[("main.tf", &text)]), vec!["tofu-invalid-declaration"; expected], "{version}");
    }
}
