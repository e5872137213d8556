//! Values that code declares to be sensitive are masked wherever they would be shown.

use crate::common::Repo;

const FORMATS: [&str; 8] = ["text", "concise", "github", "markdown", "json", "sarif", "gitlab", "junit"];

const ROOT: &str = "terraform {\n  backend \"local\" {}\n}\n";

/// A change of files that replaces `zqONEzq` by `zqTWOzq` in all of them; the first one is that of the root module.
fn change(main: &str, more: &[(&str, &str)]) -> Repo {
    let repo = Repo::new();
    let main = format!("{ROOT}{main}");
    let all = || std::iter::once(("main.tf", &*main)).chain(more.iter().copied());
    all().for_each(|(path, text)| _ = repo.write(path, text));
    repo.commit("base");
    all().for_each(|(path, text)| _ = repo.write(path, text.replace("ONE", "TWO")));
    repo.commit("head");
    repo
}

/// Everything that is written about a change, and about its newer state; `component` is a resource of the root module.
fn outputs(repo: &Repo, component: &str) -> Vec<String> {
    let mut all: Vec<Vec<&str>> =
        FORMATS.iter().map(|format| vec!["diff", "HEAD~1..HEAD", "--format", format]).collect();
    all.extend(FORMATS.iter().map(|format| vec!["check", "--format", format]));
    for format in ["text", "json"] {
        all.push(vec!["why", ".", component, "/", "--format", format]);
        all.push(vec!["why", "HEAD~1..HEAD", ".", component, "/value", "--format", format]);
    }
    all.push(vec!["describe", "component", component, "-s", "."]);
    all.push(vec!["describe", "locals", "-s", ".", "--provenance", "--format", "text"]);
    let run = |arguments: &Vec<&str>| {
        let run = repo.run(arguments);
        format!("{arguments:?}\n{}{}", run.stdout, run.stderr)
    };
    let mut outputs: Vec<String> = all.iter().map(run).collect();
    repo.run(&["report", "HEAD~1..HEAD", "--out", "page.html"]);
    outputs.push(std::fs::read_to_string(repo.root().join("page.html")).unwrap());
    outputs
}

/// Nothing shows the secret of a change, and the change is shown all the same.
fn is_masked(main: &str, more: &[(&str, &str)]) {
    let repo = change(main, more);
    for output in outputs(&repo, "x_y.r") {
        assert!(!output.contains("zqONEzq") && !output.contains("zqTWOzq"), "{main}\n{output}");
    }
    let report = repo.run(&["diff", "HEAD~1..HEAD", "--format", "json"]).json();
    let components = report["components"].as_array().unwrap();
    let changed = components.iter().find(|component| component["component"] == "x_y.r").unwrap();
    assert_eq!(changed["changes"][0]["before"], changed["changes"][0]["after"], "{changed}");
    repo.run(&["diff", "HEAD~1..HEAD"]).says("•••••••• (secret, changed)");
    repo.run(&["diff", "HEAD~1..HEAD", "--show-secrets", "--format", "json"]).says("zqTWOzq");
}

#[test]
fn the_default_of_a_sensitive_variable() {
    is_masked(
        "variable \"v\" {\n  sensitive = true\n  default   = \"zqONEzq\"\n}\nresource \"x_y\" \"r\" {\n  value = var.v\n}\n",
        &[],
    );
}

#[test]
fn a_file_of_values() {
    let main = "variable \"v\" {\n  sensitive = true\n}\nlocals {\n  l = \"a-${var.v}\"\n}\nresource \"x_y\" \"r\" {\n  value = local.l\n}\n";
    is_masked(main, &[("terraform.tfvars", "v = \"zqONEzq\"\n")]);
    is_masked(main, &[("terraform.tfvars.json", "{\n  \"v\": \"zqONEzq\"\n}\n")]);
}

#[test]
fn a_sensitive_object_is_masked_as_a_whole() {
    let main = "variable \"v\" {\n  sensitive = true\n  default = {\n    host = \"zqONEzq\"\n  }\n}\nresource \"x_y\" \"r\" {\n  value = var.v\n}\n";
    is_masked(main, &[]);
    change(main, &[]).run(&["diff", "HEAD~1..HEAD", "--format", "concise"]).hides("value.host");
}

#[test]
fn arguments_and_outputs_of_modules() {
    let module = "variable \"v\" {\n  sensitive = true\n}\nvariable \"d\" {\n  sensitive = true\n  default = \"zqONEzq\"\n}\n\
                  resource \"x_y\" \"in\" {\n  v = var.v\n  d = var.d\n}\noutput \"o\" {\n  sensitive = true\n  value = \"${var.v}-1\"\n}\n";
    is_masked(
        "module \"m\" {\n  source = \"./m\"\n  v      = \"zqONEzq\"\n}\nresource \"x_y\" \"r\" {\n  value = module.m.o\n}\n",
        &[("m/main.tf", module)],
    );
}

#[test]
fn the_function_and_what_is_computed_from_it() {
    is_masked(
        "locals {\n  conn = { host = \"db\", pw = sensitive(\"zqONEzq\") }\n  text = jsonencode(local.conn)\n}\nresource \"x_y\" \"r\" {\n  \
         value = local.text\n  list = [local.conn.pw]\n  env {\n    data = { for k, v in local.conn : k => v }\n  }\n}\n",
        &[],
    );
    is_masked(
        "locals {\n  s = sensitive(\"zqONEzq\")\n}\nresource \"x_y\" \"r\" {\n  value = local.s != \"x\" ? local.s : \"none\"\n}\n",
        &[],
    );
}

#[test]
fn names_of_arguments() {
    for argument in [
        "private_key = \"zqONEzq\"",
        "user { password = \"zqONEzq\" }",
        "env {\n name = \"DB_PASSWORD\"\n value = \"zqONEzq\"\n }",
    ] {
        is_masked(&format!("resource \"x_y\" \"r\" {{\n  {argument}\n}}\n"), &[]);
    }
}

/// What comes from a place whose name says that it is secret is masked for people, wherever it goes.
#[test]
fn values_that_come_from_secret_names() {
    let read = |value: &str| format!("resource \"x_y\" \"r\" {{\n  value = {value}\n}}\n");
    for main in [
        format!("locals {{\n  password = \"zqONEzq\"\n  b = \"x-${{local.password}}\"\n}}\n{}", read("local.b")),
        format!("locals {{\n  db = {{ password = \"zqONEzq\" }}\n}}\n{}", read("jsonencode(local.db)")),
        format!("variable \"db_password\" {{\n  default = \"zqONEzq\"\n}}\n{}", read("var.db_password")),
        format!("variable \"db\" {{\n  default = {{ password = \"zqONEzq\" }}\n}}\n{}", read("var.db.password")),
        read("jsonencode([{ password = \"zqONEzq\" }])"),
        read("<<-E\n    export DB_PASSWORD=zqONEzq\n    export API_TOKEN=\"zqONEzq\"\n  E"),
        format!(
            "locals {{\n  db_password = \"zqONEzq\"\n  m = {{ a = 1 }}\n}}\n{}",
            read("local.m[local.db_password]")
        ),
        format!(
            "variable \"db_password\" {{\n  type = number\n  default = \"zqONEzq\"\n}}\n{}",
            read("var.db_password")
        ),
    ] {
        let repo = change(&main, &[]);
        for format in ["text", "concise", "github", "markdown", "sarif", "junit"] {
            for arguments in [&["diff", "HEAD~1..HEAD"][..], &["check"]] {
                let run = repo.run(&[arguments, &["--all", "--format", format]].concat());
                let said = format!("{}{}", run.stdout, run.stderr);
                assert!(!said.contains("zqONEzq") && !said.contains("zqTWOzq"), "{main}\n{format}: {said}");
            }
        }
    }
}

#[test]
fn messages_of_what_fails() {
    let main = "variable \"v\" {\n  sensitive = true\n  default = \"zqONEzq\"\n}\nlocals {\n  n = parseint(var.v, 10)\n  m = { for k in [1, 2] : var.v => k }\n}\n\
                resource \"x_y\" \"r\" {\n  value = var.v\n}\n";
    is_masked(main, &[]);
    change(main, &[]).run(&["check"]).ends_with(1).says("parseint");
}

#[test]
fn the_name_of_a_file() {
    is_masked(
        "variable \"v\" {\n  sensitive = true\n  default   = \"zqONEzq\"\n}\n\
         resource \"x_y\" \"r\" {\n  value = var.v\n  file  = file(\"${path.module}/${var.v}.txt\")\n}\n",
        &[],
    );
}

#[test]
fn what_is_not_sensitive_is_shown() {
    for main in [
        "variable \"v\" {\n  default = \"zqONEzq\"\n}\nresource \"x_y\" \"r\" {\n  value = var.v\n}\n",
        "locals {\n  s = sensitive(\"zqONEzq\")\n}\nresource \"x_y\" \"r\" {\n  value = nonsensitive(local.s)\n}\n",
        "variable \"v\" {\n  sensitive = true\n  default = { a = \"zqONEzq\" }\n}\nresource \"x_y\" \"r\" {\n  value = nonsensitive(var.v).a\n}\n",
        "resource \"x_y\" \"r\" {\n  password_length = \"zqONEzq\"\n}\n",
    ] {
        change(main, &[]).run(&["diff", "HEAD~1..HEAD", "--format", "concise"]).says("\"zqONEzq\" → \"zqTWOzq\"");
    }
}

#[test]
fn a_mark_changes_no_value() {
    let repo = Repo::new();
    let main = |flag: &str| {
        format!(
            "{ROOT}variable \"v\" {{\n  default = \"a\"\n{flag}}}\nresource \"x_y\" \"r\" {{\n  value = var.v\n}}\n"
        )
    };
    repo.write("main.tf", main("")).commit("base");
    repo.write("main.tf", main("  sensitive = true\n")).commit("head");
    let report = repo.run(&["diff", "HEAD~1..HEAD", "--format", "json"]).json();
    let names: Vec<&str> =
        report["components"].as_array().unwrap().iter().filter_map(|c| c["component"].as_str()).collect();
    assert_eq!(names, ["v"]);
}

#[test]
fn a_policy_quotes_no_secret() {
    let repo = change(
        "variable \"v\" {\n  sensitive = true\n  default = \"zqONEzq\"\n}\nresource \"x_y\" \"r\" {\n  value = var.v\n}\n",
        &[],
    );
    repo.write("stacklint.toml", "[[policies]]\nid = \"p\"\nfile = \"p.rego\"\nmessage = \"m\"\n");
    repo.write(
        "p.rego",
        "package p\n\nimport rego.v1\n\ndeny contains msg if {\n  msg := sprintf(\"got %s\", [input.value])\n}\n",
    );
    repo.run(&["check"]).hides("zqTWOzq");
}

#[test]
fn a_sensitive_value_that_its_type_does_not_admit_is_not_quoted() {
    let main = "variable \"x\" {\n  type      = number\n  sensitive = true\n}\noutput \"o\" {\n  value     = var.x\n  sensitive = true\n}\n";
    let repo = change(main, &[("terraform.tfvars", "x = \"zqONEzq\"\n")]);
    repo.run(&["check"]).ends_with(1).says("terraform.tfvars:1");
    for output in outputs(&repo, "o") {
        assert!(!output.contains("zqONEzq") && !output.contains("zqTWOzq"), "{output}");
    }
}

#[test]
fn states_of_a_switch_are_shown() {
    let repo = Repo::new();
    let main = |state: &str| {
        format!(
            "{ROOT}variable \"tokens\" {{\n  default = \"{state}\"\n}}\nresource \"x_vm\" \"a\" {{\n  \
             metadata {{\n    http_tokens = var.tokens\n    password    = \"{state}d\"\n  }}\n}}\n"
        )
    };
    repo.write("main.tf", main("optional")).commit("base");
    repo.write("main.tf", main("required")).commit("head");
    let run = repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(0);
    let run =
        run.says("metadata[0].http_tokens  \"optional\" → \"required\"").says("~ tokens  \"optional\" → \"required\"");
    run.hides("optionald").hides("requiredd");
}
