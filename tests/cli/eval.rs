//! `eval`: templates on their own, and with a component as context.

use crate::common::Repo;
use serde_json::json;

fn folder(context: &str, template: &str) -> Repo {
    let folder = Repo::plain();
    folder.write("context.json", context).write("template.json", template);
    folder
}

const JSON: [&str; 5] = ["--context", "context.json", "--format", "json", "template.json"];

fn eval<'a>(dialect: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&["eval", "--dialect", dialect], &JSON[..], more].concat()
}

#[test]
fn a_value_and_what_stays_open() {
    let folder = folder(r#"{"env": {"A": "1"}}"#, r#"{"x": "${A}", "y": "${B} ${m.f}"}"#);
    let strict = folder.run(&eval("jitsubst", &[])).ends_with(1);
    assert_eq!(strict.stdout, "");
    strict.complains("unresolved reference ${B}: env var not set");
    let partial = folder.run(&eval("jitsubst", &["--partial"])).ends_with(0);
    assert_eq!(partial.json(), json!({"value": {"x": "1", "y": "${B} ${m.f}"}, "unresolved": ["B", "m.f"]}));
    let text = folder.run(&["eval", "--dialect", "jitsubst", "--context", "context.json", "--partial", "${A} ${B}"]);
    let text = text.ends_with(0).says("1 ${B}\n").complains("not resolved: B");
    text.complains("because `${B}`: env var not set");
}

#[test]
fn go_templates_with_a_context() {
    let folder = folder(
        r#"{"vars": {"stage": "dev", "n": 3, "list": ["a"]}}"#,
        r#"{"name": "x-{{ .vars.stage | upper }}", "n": "{{ .vars.n }}", "keep": [1, true], "gone": "{{ .vars.nope }}"}"#,
    );
    let run = folder.run(&eval("atmos", &[])).ends_with(0);
    let value = json!({"name": "x-DEV", "n": "3", "keep": [1, true], "gone": "<no value>"});
    assert_eq!(run.json(), json!({"value": value, "unresolved": []}));
    folder.write("template.json", r#"["{{ .vars.stage", "x"]"#);
    folder.run(&eval("atmos", &[])).ends_with(1).complains("unclosed action");
    folder.write("template.json", r#"["{{ env \"HOME\" }}", "{{ .vars.stage }}"]"#);
    folder.run(&eval("atmos", &[])).ends_with(1).complains("cannot resolve").complains("because `env` reads");
    let run = folder.run(&eval("atmos", &["--partial"])).ends_with(0);
    let open = r#"{{ env "HOME" }}"#;
    assert_eq!(run.json(), json!({"value": [open, "dev"], "unresolved": [open]}));
}

#[test]
fn a_component_is_a_context() {
    let repo = Repo::atmos();
    repo.write("stacks/deploy/dev.yaml", "vars: {stage: dev}\ncomponents: {terraform: {box: {vars: {size: 2}}}}\n");
    repo.commit("one");
    let eval =
        |template: &str, more: &[&str]| repo.run(&[&["eval", template, "-s", "dev", "-c", "box"], more].concat());
    assert_eq!(eval("{{ .vars.stage }}-{{ .vars.size }}", &[]).ends_with(0).stdout, "dev-2\n");
    assert_eq!(eval("{{ add .vars.size 1 }}", &["--format", "json"]).ends_with(0).json()["value"], json!("3"));
    repo.write("stacks/deploy/dev.yaml", "vars: {stage: dev}\ncomponents: {terraform: {box: {vars: {size: 5}}}}\n");
    assert_eq!(eval("{{ .vars.size }}", &["--rev", "HEAD"]).ends_with(0).stdout, "2\n");
    assert_eq!(eval("{{ .vars.size }}", &[]).ends_with(0).stdout, "5\n");
    let bad = repo.run(&["eval", "x", "-s", "dev", "-c", "bx"]).ends_with(2);
    bad.complains("stack `dev` has no component `bx`; did you mean `box`?");
}

#[test]
fn what_cannot_be_meant() {
    let folder = folder("{}", "{}");
    let run = |arguments: &[&str]| folder.run(&[&["eval"], arguments].concat()).ends_with(2);
    run(&["x"]).complains("--context");
    run(&["x", "--context", "context.json"]).complains(
        "--dialect atmos or --dialect jitsubst or --dialect garden or --dialect terragrunt or --dialect opentofu",
    );
    run(&["none.json", "--dialect", "jitsubst", "--context", "context.json"]).complains("cannot read none.json");
    run(&["x", "--dialect", "jitsubst", "--context", "none.json"]).complains("cannot read none.json");
    run(&["x", "-s", "dev"]).complains("--component");
    folder.write("context.json", "{");
    run(&["x", "--dialect", "jitsubst", "--context", "context.json"]).complains("cannot read context.json");
    folder.write("context.json", "[]");
    let shape = folder.run(&["eval", "x", "--dialect", "jitsubst", "--context", "context.json"]).ends_with(1);
    shape.complains("the context must be a map, not a list");
}

#[test]
fn a_resource_is_no_context() {
    let repo = Repo::new();
    repo.write("infra.yaml", "modules: [{name: net, type: infra.vpc}]\n");
    let run = repo.run(&["eval", "x", "-s", "default", "-c", "net"]).ends_with(2);
    run.complains("in jitsubst a component cannot be used as context");
}

#[test]
fn mistakes_are_shown_in_the_template() {
    let folder = folder("{}", "{}");
    let run = |dialect: &str, template: &str| {
        folder.run(&["eval", "--dialect", dialect, "--context", "context.json", template]).ends_with(1)
    };
    let unknown = run("atmos", "a\nb {{ .x | uper }}").complains("did you mean `upper`?");
    let unknown = unknown.complains("--> line 2, column 11 of the template");
    unknown.complains("2 | b {{ .x | uper }}\n  |           ^^^^");
    run("atmos", "{{ .a").complains("of the template").complains("1 | {{ .a");
    run("opentofu", "${uper(\"a\")}").complains("Did you mean \"upper\"?").complains("1 | ${uper(");
    run("garden", "x ${uper('a')}").complains("did you mean `upper`?").complains("of the template");
    run("jitsubst", "x ${A}").complains("1 | x ${A}\n  |   ^^^^");
    // Of several texts the one at fault is shown.
    folder.write("template.json", r#"["{{ .a }}", {"k": "x {{ uper .b }}"}]"#);
    folder.run(&eval("atmos", &[])).ends_with(1).complains("1 | x {{ uper .b }}\n  |      ^^^^");
}

#[test]
fn files_that_do_not_fit_are_explained_in_plain_words() {
    let folder = folder("{\"a\":", "{}");
    let run = folder.run(&eval("atmos", &[])).ends_with(2);
    run.complains("cannot read context.json: the text ends too early (line 1, column 5)");
}

#[test]
fn what_a_template_looks_up() {
    let template = r#"{
        "command": ["run", "${var.image}:${actions.build.api.version}"],
        "env": {"$if": "${var.debug}", "$then": "${secrets.token || local.env.TOKEN}", "$else": "${never.read}"},
        "size": "${var.sizes[var.size]}"
    }"#;
    let folder = folder(r#"{"var": {"image": "x", "debug": true, "sizes": [1]}, "secrets": {"token": ""}}"#, template);
    let run = folder.run(&eval("garden", &["--references"])).ends_with(0);
    let found = |path: &[&str], at: &str, missing: bool| json!({"path": path, "at": at, "missing": missing});
    let action = json!({
        "path": ["actions", "build", "api", "version"], "at": "command.1", "type": "build", "component": "api", "missing": true
    });
    let expected = json!([
        found(&["var", "image"], "command.1", false),
        action,
        found(&["var", "debug"], "env.$if", false),
        found(&["secrets", "token"], "env.$then", false),
        found(&["local", "env", "TOKEN"], "env.$then", true),
        // The key in brackets has no value, so it is unknown which of the sizes is read.
        json!({"path": ["var", "sizes", null], "at": "size", "missing": true}),
        found(&["var", "size"], "size", true),
    ]);
    assert_eq!(run.json(), json!({"references": expected}));
    let ask = |dialect: &str, template: &str| {
        folder.run(&["eval", "--dialect", dialect, "--context", "context.json", "--references", template])
    };
    let text = ask("garden", "${var.sizes[0]} ${var['x.y']} ${actions.build.api.version}").ends_with(0).stdout;
    assert_eq!(
        text,
        "var.sizes[0]\nvar[\"x.y\"], not in the context\nactions.build.api.version (build.api), not in the context\n"
    );
    for (template, error) in [
        ("${actions}", "`actions` alone is not a reference"),
        ("${actions.build}", "`actions.build` alone is not a reference"),
        ("${actions.bild.api}", "`actions.bild` is not a kind of action"),
        ("${runtime.tasks.1}", "`1` is not the name of an action"),
        ("${actions[a.b].api}", "Could not find key a"),
        ("${a", "Unable to parse"),
        ("${var.image.x ? 1 : 2}", "Attempted to look up key x on primitive value"),
    ] {
        assert_eq!(ask("garden", template).ends_with(1).complains(error).stdout, "", "{template}");
    }
    ask("jitsubst", "${A}").ends_with(2).complains("--references is not supported in jitsubst");
}
