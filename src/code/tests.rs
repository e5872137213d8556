use super::*;
use crate::files::Files;
use crate::resolution::{Code, CodeOrigin, Component, ComponentMetadata, Resolution, State, Unit};
use crate::source::{Memory, Source, differences};
use crate::terraform::load::Runner;
use crate::terraform::module::modules::{Cache, Modules};
use crate::value::{Map, Value};
use std::sync::Arc;

fn source(name: &str, files: &[(&str, &str)]) -> Memory {
    Memory::new(name, files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect())
}

fn component(stack: &str, name: &str, folder: &str) -> Component {
    let code = Code {
        folder: folder.into(),
        root: "code".into(),
        origin: None,
        others: Box::default(),
        supply: CodeOrigin::Repository,
        is_open: false,
    };
    Component {
        metadata: ComponentMetadata { code: Some(code), is_module: true, ..ComponentMetadata::default() },
        ..Component::new((stack.into(), "terraform".into(), name.into()), Value::map(Map::new()))
    }
}

/// Returns the differences, as `folder: component of stack, …`.
fn found(base: &Memory, head: &Memory, components: Vec<Component>) -> Vec<String> {
    let (files, cache) = (Files::default(), Cache::default());
    let file = files.add("stack", "1", || "".into());
    let components = components.into_iter().map(Arc::new).collect();
    let unit = Unit { components, state: State::Resolved, ..Unit::broken("unit".into(), file) };
    let resolution = Resolution { units: vec![Arc::new(unit)], ..Resolution::default() };
    let runs = |source: &Memory| of_components(&resolution, &Modules::new(source, &files, &cache, Runner::default()));
    let (old, new) = (runs(base), runs(head));
    let differing = differences(base.listing(), head.listing());
    let compared = Compared {
        sources: [base, head],
        runs: [&old, &new],
        differing: &differing,
        diff: &Diff::default(),
        files: &files,
    };
    let changes = changes(&compared, &|_| true);
    let line = |c: &CodeChange| {
        let names: Vec<String> = c.components.iter().map(|(stack, _, name)| format!("{name} of {stack}")).collect();
        format!("{}: {}", c.folder, names.join(", "))
    };
    changes.folders.iter().map(line).collect()
}

#[test]
fn a_file_of_a_folder_reaches_all_that_run_it() {
    let base = source("base", &[("code/a/main.tf", "a"), ("code/a/b/x.json", "1"), ("code/ab/main.tf", "1")]);
    let head = source("head", &[("code/a/main.tf", "a"), ("code/a/b/x.json", "2"), ("code/ab/main.tf", "2")]);
    let components =
        vec![component("dev", "a", "code/a"), component("prod", "z", "code/a"), component("dev", "b", "code/a/b")];
    assert_eq!(found(&base, &head, components), ["code/a: a of dev, z of prod", "code/a/b: b of dev"]);
}

#[test]
fn modules_are_followed_through_modules_of_either_revision() {
    let files = |text: &'static str| {
        vec![
            ("code/a/main.tf", "module \"m\" {\n  source = \"../../modules/m\"\n}\n"),
            ("modules/m/main.tf", "module \"n\" {\n  source = \"../n\"\n}\n"),
            ("modules/n/main.tf", "module \"m\" {\n  source = \"../m\"\n}\n"),
            ("modules/n/policy.json", text),
            ("code/b/main.tf", "module \"n\" {\n  source = \"../../modules/n\"\n  version = \"1\"\n}\n"),
        ]
    };
    let (base, head) = (source("base", &files("1")), source("head", &files("2")));
    let components = || vec![component("dev", "a", "code/a"), component("dev", "b", "code/b")];
    assert_eq!(found(&base, &head, components()), ["modules/n: a of dev, b of dev"]);
    let mut gone = files("2");
    gone[0].1 = "# calls nothing\n";
    assert_eq!(
        found(&base, &source("head", &gone), components()),
        ["code/a: a of dev", "modules/n: a of dev, b of dev"]
    );
}

#[test]
fn documents_alone_are_no_code() {
    let base = source("base", &[("code/a/main.tf", "a"), ("code/a/README.md", "1")]);
    let head = source("head", &[("code/a/main.tf", "a"), ("code/a/README.md", "2")]);
    assert_eq!(found(&base, &head, vec![component("dev", "a", "code/a")]), [""; 0]);
}

#[test]
fn what_is_not_deployed_or_fetched_runs_nothing() {
    let base = source("base", &[("code/a/main.tf", "1")]);
    let head = source("head", &[("code/a/main.tf", "2")]);
    let mut off = component("dev", "off", "code/a");
    off.metadata.is_disabled = true;
    let mut fetched = component("dev", "fetched", "code/a");
    if let Some(code) = &mut fetched.metadata.code {
        code.supply = CodeOrigin::Fetched;
    }
    assert_eq!(found(&base, &head, vec![off, fetched]), [""; 0]);
}

#[test]
fn comments_layout_and_moves_within_a_folder_are_no_change() {
    let text = "resource \"a\" \"b\" {\n  c = 1\n}\n";
    let base =
        source("base", &[("code/a/main.tf", text), ("code/a/o_override.tf", text), ("code/a/v.tf", "locals {\n}\n")]);
    for (name, files) in [
        (
            "comment",
            [("code/a/main.tf", "# b\nresource \"a\" \"b\" {\n  c    = 1 # c\n}\n"), ("code/a/v.tf", "locals {\n}\n")],
        ),
        ("move", [("code/a/main.tf", "# empty\n"), ("code/a/v.tf", &*format!("locals {{}}\n{text}"))]),
    ] {
        let head = source("head", &[files[0], ("code/a/o_override.tf", text), files[1]]);
        assert_eq!(found(&base, &head, vec![component("dev", "a", "code/a")]), [""; 0], "{name}");
    }
    // The name of an override file means something.
    let head = source("head", &[("code/a/main.tf", text), ("code/a/o.tf", text), ("code/a/v.tf", "locals {\n}\n")]);
    assert_eq!(found(&base, &head, vec![component("dev", "a", "code/a")]), ["code/a: a of dev"]);
}

#[test]
fn sources_that_are_computed_lead_wherever_they_may() {
    let call = |source: &str| {
        format!(
            "variable \"k\" {{}}\nvariable \"d\" {{\n  default = \"net\"\n}}\nmodule \"m\" {{\n  source = {source}\n}}\n"
        )
    };
    for (source_text, path, expected) in [
        ("\"../../modules/${var.d}\"", "modules/net/x.tf", true),
        ("\"../../modules/${var.d}\"", "modules/other/x.tf", false),
        ("\"../../modules/${var.k}\"", "modules/other/x.tf", true),
        ("\"../../modules/${var.k}\"", "other/x.tf", false),
        ("var.k", "other/x.tf", true),
        ("var.k", "other/x.md", false),
        ("\"./${var.k}\"", "code/a/sub/x.tf", true),
    ] {
        let text = call(source_text);
        let side = |name: &str, content: &str| source(name, &[("code/a/main.tf", &text), (path, content)]);
        let found = found(
            &side("base", "locals {\n}\n"),
            &side("head", "locals {\n  a = 1\n}\n"),
            vec![component("dev", "a", "code/a")],
        );
        assert_eq!(!found.is_empty(), expected, "{source_text} {path}: {found:?}");
    }
}
