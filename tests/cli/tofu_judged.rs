//! What OpenTofu finds when it evaluates a configuration, and what it does not mind, case by case.

use crate::tofu_validate::errors;

/// Cases of one file, with the errors of `check` in it.
fn judged(cases: &[(&str, &[&str])]) {
    for (text, expected) in cases {
        assert_eq!(errors(&[("main.tf", text)]), *expected, "{text}");
    }
}

/// The same of files that call a module in `m`, whose text is the same in all of them.
fn calling(module: &str, cases: &[(&str, &[&str])]) {
    for (text, expected) in cases {
        assert_eq!(errors(&[("main.tf", text), ("m/main.tf", module)]), *expected, "{text}");
    }
}

#[test]
fn the_message_of_a_validation_matters_when_it_fails() {
    let of = |condition: &str, message: &str| {
        format!(
            "variable \"n\" {{\n  default = 1\n  validation {{\n    condition     = {condition}\n    error_message = {message}\n  }}\n}}\n\
             output \"n\" {{\n  value = var.n\n}}\n"
        )
    };
    for (condition, message, expected) in [
        ("var.n == 1", "null", &[][..]),
        ("var.n == 1", "[var.n]", &[]),
        ("var.n == 1", "tonumber(\"y\")", &["main.tf:5 tofu-invalid-value"]),
        ("var.n == 2", "[var.n]", &["main.tf:1 tofu-failed-condition", "main.tf:5 tofu-failed-condition"]),
        ("[var.n]", "\"x\"", &["main.tf:4 tofu-failed-condition"]),
    ] {
        assert_eq!(errors(&[("main.tf", &of(condition, message))]), expected, "{condition} {message}");
    }
    // That of a precondition is a text even if it holds.
    judged(&[(
        "resource \"a_b\" \"c\" {\n  lifecycle {\n    precondition {\n      condition     = path.module == \".\"\n      error_message = null\n    }\n  }\n}\n",
        &["main.tf:5 tofu-failed-condition"],
    )]);
}

#[test]
fn what_protects_an_instance_may_be_null() {
    let of = |count: u8, value: &str| {
        format!(
            "variable \"n\" {{\n  default = []\n}}\nresource \"a_b\" \"c\" {{\n  count = {count}\n  lifecycle {{\n    prevent_destroy = {value}\n  }}\n}}\n"
        )
    };
    let wrong = &["main.tf:7 tofu-invalid-value"][..];
    for (count, value, expected) in [
        (1, "null", &[][..]),
        (1, "length(var.n) > 0 ? true : null", &[]),
        (1, "var.n", wrong),
        (0, "var.n", &[]),
        (0, "[]", wrong),
    ] {
        assert_eq!(errors(&[("main.tf", &of(count, value))]), expected, "{count} {value}");
    }
}

#[test]
fn an_import_is_repeated_by_a_tuple_as_well() {
    let of = |resource: &str, import: &str| {
        format!("resource \"a_b\" \"c\" {{\n  {resource}\n}}\nimport {{\n  {import}\n}}\n")
    };
    let two = "count = 2";
    for (resource, import, expected) in [
        (two, "for_each = [\"x\", \"y\"]\n  to = a_b.c[each.key]\n  id = each.value", &[][..]),
        (
            "for_each = toset([\"x\"])",
            "for_each = [{ n = \"x\" }]\n  to = a_b.c[each.value.n]\n  id = each.value.n",
            &[],
        ),
        (
            two,
            "for_each = [\"x\", \"y\", \"z\"]\n  to = a_b.c[each.key]\n  id = each.value",
            &["main.tf:6 tofu-invalid-move"],
        ),
        (two, "for_each = [null]\n  to = a_b.c[0]\n  id = each.value", &["main.tf:7 tofu-invalid-value"]),
        (two, "for_each = tolist([\"x\"])\n  to = a_b.c[0]\n  id = each.value", &["main.tf:5 tofu-invalid-repetition"]),
        (two, "for_each = \"x\"\n  to = a_b.c[0]\n  id = each.value", &["main.tf:5 tofu-invalid-repetition"]),
    ] {
        assert_eq!(errors(&[("main.tf", &of(resource, import))]), expected, "{resource} {import}");
    }
}

#[test]
fn the_key_of_what_is_imported_is_a_text_or_an_index() {
    let of = |key: &str| {
        format!(
            "resource \"a_b\" \"c\" {{\n  for_each = {{ x = 1, true = 2 }}\n}}\nlocals {{\n  flag = true\n  name = \"x\"\n}}\n\
             import {{\n  to = a_b.c[{key}]\n  id = \"i\"\n}}\n"
        )
    };
    for (key, expected) in [
        ("local.name", &[][..]),
        ("lower(\"X\")", &[]),
        ("a_b.other.id", &["main.tf:9 tofu-undefined-name"]),
        ("local.gone", &["main.tf:9 undefined-local"]),
        ("local.flag", &["main.tf:9 tofu-invalid-value"]),
        ("local.flag ? null : 1", &["main.tf:9 tofu-invalid-value"]),
        ("-1", &["main.tf:9 tofu-invalid-value"]),
        ("sensitive(\"x\")", &["main.tf:9 tofu-sensitive-address"]),
    ] {
        assert_eq!(errors(&[("main.tf", &of(key))]), expected, "{key}");
    }
    judged(&[(
        "import {\n  to = module.gone.a_b.c\n  id = \"x\"\n}\nlocals {\n  a = 1\n}\n",
        &["main.tf:2 tofu-invalid-move"],
    )]);
}

#[test]
fn what_reads_a_variable_waits_for_its_validations() {
    let variable = |name: &str, condition: &str| {
        format!(
            "variable \"{name}\" {{\n  default = 1\n  validation {{\n    condition     = {condition}\n    error_message = \"x\"\n  }}\n}}\n"
        )
    };
    for (text, expected) in [
        (variable("a", "var.a == var.b") + &variable("b", "var.b != 2"), &[][..]),
        (variable("a", "var.a == var.b") + &variable("b", "var.b == var.a"), &["main.tf:1 tofu-cycle"]),
        (variable("a", "var.a == a_b.c.n") + "resource \"a_b\" \"c\" {\n  n = var.a\n}\n", &["main.tf:1 tofu-cycle"]),
    ] {
        assert_eq!(errors(&[("main.tf", &text)]), expected, "{text}");
    }
}

#[test]
fn what_depends_on_itself_waits_for_nothing() {
    judged(&[
        ("resource \"a_b\" \"c\" {\n  depends_on = [a_b.c]\n}\n", &[]),
        ("resource \"a_b\" \"c\" {\n  n = a_b.c.m\n}\n", &["main.tf:2 tofu-cycle"]),
        ("resource \"a_b\" \"c\" {\n  count      = 2\n  depends_on = [a_b.c[0]]\n}\n", &[]),
    ]);
}

#[test]
fn outputs_are_looked_up_where_they_are_read() {
    let module = "output \"there\" {\n  value = 1\n}\n";
    let of = |value: &str| format!("module \"m\" {{\n  source = \"./m\"\n}}\noutput \"o\" {{\n  value = {value}\n}}\n");
    for value in [
        "try(module.m.gone.name, null)",
        "can(module.m.gone) ? [][0] : 1",
        "false ? module.m.gone : 1",
        "false && module.m.gone",
        "[for x in [] : module.m.gone]",
        "\"%{ if false }${module.m.gone}%{ endif }\"",
        "module.m[\"there\"]",
    ] {
        calling(module, &[(&of(value), &[])]);
    }
    let (name, value) = ("main.tf:5 tofu-undefined-name", "main.tf:5 tofu-invalid-value");
    for (text, expected) in [
        ("module.m.gone", name),
        ("true ? module.m.gone : 1", value),
        ("[for x in [1] : module.m.gone]", value),
        ("[for x in module.m.gone : x]", name),
        ("module.gone.there", name),
        ("try(module.gone.there, 1)", name),
    ] {
        calling(module, &[(&of(text), &[expected])]);
    }
}

#[test]
fn attributes_are_read_with_a_dot() {
    let of = |value: &str| {
        format!("resource \"a_b\" \"c\" {{\n  count = 1\n  l     = [[1]]\n}}\noutput \"o\" {{\n  value = {value}\n}}\n")
    };
    for (value, expected) in [
        ("a_b.c[0].l[0][0]", &[][..]),
        ("a_b.c[*][\"l\"]", &[]),
        ("a_b.c[0][\"l\"]", &["main.tf:6 tofu-undefined-name"]),
        ("try(a_b.c[0][\"l\"], 1)", &["main.tf:6 tofu-undefined-name"]),
    ] {
        assert_eq!(errors(&[("main.tf", &of(value))]), expected, "{value}");
    }
    let module = "output \"there\" {\n  value = 1\n}\n";
    let call =
        "module \"m\" {\n  source = \"./m\"\n  count  = 1\n}\noutput \"o\" {\n  value = module.m[0][\"there\"]\n}\n";
    calling(module, &[(call, &["main.tf:6 tofu-undefined-name"])]);
    judged(&[(
        "resource \"a_b\" \"c\" {\n  n = 1\n  lifecycle {\n    postcondition {\n      condition     = self[\"n\"] == 1\n      error_message = \"x\"\n    }\n  }\n}\n",
        &["main.tf:5 tofu-undefined-name"],
    )]);
}

#[test]
fn an_instance_of_a_provider_has_a_key() {
    let of = |key: &str| {
        format!(
            "provider \"a\" {{\n  alias    = \"by\"\n  for_each = {{ x = 1, true = 2 }}\n}}\nlocals {{\n  none = null\n}}\n\
             resource \"a_b\" \"c\" {{\n  provider = a.by[{key}]\n}}\nresource \"a_b\" \"other\" {{\n  provider = a.by[\"x\"]\n}}\n"
        )
    };
    for (key, expected) in [
        ("lower(\"X\")", &[][..]),
        ("!false", &[]),
        ("local.none", &["main.tf:9 tofu-invalid-value"]),
        ("[]", &["main.tf:9 tofu-invalid-value"]),
        ("sensitive(\"x\")", &["main.tf:9 tofu-sensitive-address"]),
        ("upper(\"x\")", &["main.tf:9 tofu-undefined-name"]),
        ("1", &["main.tf:9 tofu-undefined-name"]),
        ("local.gone", &["main.tf:9 undefined-local"]),
        ("each.key", &["main.tf:9 tofu-undefined-name"]),
        ("a_b.other.id", &[]),
    ] {
        assert_eq!(errors(&[("main.tf", &of(key))]), expected, "{key}");
    }
    let passing = |key: &str, count: u8| {
        format!(
            "terraform {{\n  required_providers {{\n    a = {{\n      source = \"x/a\"\n    }}\n  }}\n}}\nprovider \"a\" {{\n  alias    = \"by\"\n  for_each = toset([\"x\"])\n}}\n\
             module \"m\" {{\n  source    = \"./m\"\n  n         = {count}\n  for_each  = toset([\"x\"])\n  providers = {{ a = a.by[{key}] }}\n}}\n"
        )
    };
    let module = "terraform {\n  required_providers {\n    a = {\n      source = \"x/a\"\n    }\n  }\n}\nvariable \"n\" {}\nresource \"a_b\" \"c\" {\n  count = var.n\n}\n";
    for (key, count, expected) in [
        ("each.key", 1, &[][..]),
        ("\"gone\"", 1, &["main.tf:16 tofu-undefined-name"]),
        ("\"gone\"", 0, &[]),
        ("local.gone", 1, &["main.tf:16 undefined-local"]),
    ] {
        calling(module, &[(&passing(key, count), expected)]);
    }
}

#[test]
fn the_state_that_is_read_has_a_backend_that_exists() {
    let of = |backend: &str| format!("data \"terraform_remote_state\" \"a\" {{\n  backend = {backend}\n}}\n");
    judged(&[
        (&of("\"gcs\""), &[]),
        (&of("var.backend"), &["main.tf:2 tofu-undefined-name"]),
        (&of("\"gs3\""), &["main.tf:2 tofu-backend"]),
        (&of("\"etcd\""), &["main.tf:2 tofu-backend"]),
    ]);
}

#[test]
fn a_module_requires_the_providers_whose_functions_it_calls() {
    let required = "terraform {\n  required_providers {\n    a = {\n      source = \"x/a\"\n    }\n  }\n}\n";
    for (function, expected) in [
        ("provider::a::f", &[][..]),
        ("provider::a::west::f", &[]),
        ("provider::b::f", &["main.tf:9 tofu-undefined-name"]),
        ("provider::a", &["main.tf:9 tofu-undefined-name"]),
        ("provider::a::b::c::f", &["main.tf:9 tofu-undefined-name"]),
    ] {
        let text = format!("{required}output \"o\" {{\n  value = try({function}(1), 2)\n}}\n");
        assert_eq!(errors(&[("main.tf", &text)]), expected, "{function}");
    }
    let call = format!("{required}module \"m\" {{\n  source = \"./m\"\n}}\n");
    calling("output \"o\" {\n  value = provider::a::f(1)\n}\n", &[(&call, &["m/main.tf:2 tofu-undefined-name"])]);
}
