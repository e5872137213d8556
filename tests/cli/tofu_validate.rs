//! What `tofu validate` finds in blocks and modules that have no instance, and where ephemeral values go.

use crate::common::Repo;

/// The errors of `check` in a root module, as `file:line rule`.
pub(crate) fn errors(files: &[(&str, &str)]) -> Vec<String> {
    let repo = Repo::new();
    for (path, text) in files {
        repo.write(path, text);
    }
    repo.commit("base");
    let json = repo.run(&["check", "--dialect", "opentofu", "--format", "json"]).json();
    let all = json["diagnostics"].as_array().unwrap().iter().filter(|finding| finding["level"] == "error");
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let mut found: Vec<String> =
        all.map(|f| format!("{}:{} {}", text(&f["file"]), f["line"], text(&f["rule"]))).collect();
    found.sort();
    found
}

const TOKEN: &str = "variable \"token\" {\n  ephemeral = true\n  default   = \"t\"\n}\n";

#[test]
fn ephemeral_values_are_not_stored_whatever_repeats_the_resource() {
    for (repetition, also) in [
        ("count = 1", None),
        ("count = 0", None),
        ("for_each = toset([])", None),
        ("count = -1", Some("tofu-invalid-repetition")),
        ("count = null", Some("tofu-invalid-repetition")),
        ("count = var.token == \"t\" ? 1 : 0", Some("tofu-invalid-repetition")),
    ] {
        let resource = format!("{TOKEN}resource \"a_b\" \"c\" {{\n  {repetition}\n  name = var.token\n}}\n");
        let mut expected: Vec<String> = also.iter().map(|rule| format!("main.tf:6 {rule}")).collect();
        expected.push("main.tf:7 tofu-sensitive-address".to_owned());
        assert_eq!(errors(&[("main.tf", &resource)]), expected, "{repetition}");
    }
}

#[test]
fn an_ephemeral_value_needs_a_variable_that_takes_it() {
    for (count, ephemeral, expected) in [
        (1, "", &["main.tf:8 tofu-sensitive-address"][..]),
        (0, "", &["main.tf:8 tofu-sensitive-address"]),
        (1, "  ephemeral = true\n", &[]),
    ] {
        let call = format!("{TOKEN}module \"m\" {{\n  source = \"./m\"\n  count  = {count}\n  v = var.token\n}}\n");
        let variable = format!("variable \"v\" {{\n  type = string\n{ephemeral}}}\n");
        assert_eq!(errors(&[("main.tf", &call), ("m/main.tf", &variable)]), expected, "{count} {ephemeral}");
    }
}

#[test]
fn modules_without_instances_are_validated() {
    let variable = "variable \"v\" {\n  type    = map(number)\n  default = {}\n  validation {\n    \
                    condition     = length(var.v) > 0\n    error_message = \"Empty.\"\n  }\n}\n\
                    variable \"s\" {\n  sensitive = true\n  type      = set(string)\n  default   = [\"a\"]\n}\n";
    for (argument, more, expected) in [
        ("v = { a = 1 }", "", &[][..]),
        ("v = {}", "", &["main.tf:4 tofu-failed-condition"]),
        ("", "", &["m/main.tf:1 tofu-failed-condition"]),
        ("v = { a = aws_vpc.v.id == 1 ? [] : [1] }", "", &["main.tf:4 tofu-invalid-value"]),
        (
            "v = { a = 1 }",
            "resource \"a_b\" \"c\" {\n  for_each = var.s\n}\n",
            &["m/main.tf:15 tofu-sensitive-address"],
        ),
        (
            "v = { a = 1 }",
            "module \"n\" {\n  source = \"./n\"\n  count = -1\n}\n",
            &["m/main.tf:16 tofu-invalid-repetition"],
        ),
    ] {
        let call = format!(
            "module \"m\" {{\n  source = \"./m\"\n  count  = 0\n  {argument}\n}}\nresource \"aws_vpc\" \"v\" {{\n}}\n"
        );
        let called = format!("{variable}{more}");
        let files = [("main.tf", &*call), ("m/main.tf", &called), ("m/n/main.tf", "locals {\n  a = 1\n}\n")];
        assert_eq!(errors(&files), expected, "{argument} {more}");
    }
}

#[test]
fn the_index_of_no_instance_is_a_number() {
    let text = "resource \"a_b\" \"c\" {\n  count = 0\n  name  = length(max(count.index, 1))\n}\n";
    assert_eq!(errors(&[("main.tf", text)]), ["main.tf:3 tofu-invalid-value"]);
}

#[test]
fn a_precondition_is_judged_beside_wrong_arguments() {
    let text = "resource \"a_b\" \"c\" {\n  name = [][0]\n  lifecycle {\n    precondition {\n      condition     = \
                local.a == 2\n      error_message = \"No.\"\n    }\n  }\n}\nlocals {\n  a = 1\n}\n";
    assert_eq!(errors(&[("main.tf", text)]), ["main.tf:2 tofu-invalid-value", "main.tf:5 tofu-failed-condition"]);
}

#[test]
fn a_variable_whose_default_is_refused_keeps_its_type() {
    let variable = "variable \"a\" {\n  type = object({ b = optional(map(string)) })\n  default = { b = 5 }\n}\n";
    let output = |value: &str| format!("{variable}output \"o\" {{\n  value = {value}\n}}\n");
    let only = "main.tf:3 tofu-invalid-declaration".to_owned();
    // The types of the branches of the second conditional do not agree, which the first one hides.
    let hidden = output("true ? { c = 1 } : (false ? var.a.b : 1)");
    assert_eq!(errors(&[("main.tf", &hidden)]), std::slice::from_ref(&only));
    let wrong = output("var.a.c");
    assert_eq!(errors(&[("main.tf", &wrong)]), [only, "main.tf:6 tofu-invalid-value".to_owned()]);
}
