use super::*;
use crate::files::Files;
use crate::resolution::{Code, Component, ComponentMetadata, RemovalEffect, ShapingOrigins, State, Unit};
use crate::source::{Memory, Source, differences};
use crate::terraform::Cache;
use crate::value::{Language, Map, Value};
use std::sync::Arc;

fn source(name: &str, files: &[(&str, &str)]) -> Memory {
    Memory::new(name, files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect())
}

fn component(stack: &str, name: &str, folder: &str) -> Component {
    let code = Code {
        folder: folder.into(),
        root: "code".into(),
        origin: None,
        supply: CodeOrigin::Repository,
        is_open: false,
    };
    Component {
        stack: stack.into(),
        kind: "terraform".into(),
        name: name.into(),
        value: Value::map(Map::new()),
        shaping_origins: ShapingOrigins::default(),
        locals: None,
        declared: None,
        removal: RemovalEffect::Orphaned,
        metadata: ComponentMetadata { code: Some(code), ..ComponentMetadata::default() },
        language: Language::default(),
    }
}

/// Returns the differences, as `folder: component of stack, …`.
fn found(base: &Memory, head: &Memory, components: Vec<Component>) -> Vec<String> {
    let (files, cache) = (Files::default(), Cache::default());
    let file = files.add("stack", "1", || "".into());
    let components = components.into_iter().map(Arc::new).collect();
    let unit = Unit { components, state: State::Resolved, ..Unit::broken("unit".into(), file) };
    let resolution = Resolution { units: vec![Arc::new(unit)], ..Resolution::default() };
    let (old, new) = (Modules::new(base, &files, &cache), Modules::new(head, &files, &cache));
    let differing = differences(base.listing(), head.listing());
    let changes = changes(&resolution, &[&old, &new], &differing, &|_| true);
    let line = |c: &CodeChange| {
        let names: Vec<String> = c.components.iter().map(|(stack, _, name)| format!("{name} of {stack}")).collect();
        format!("{}: {}", c.folder, names.join(", "))
    };
    changes.iter().map(line).collect()
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
    assert_eq!(found(&base, &head, components()), ["modules/n: a of dev"]);
    let mut gone = files("2");
    gone[0].1 = "# calls nothing\n";
    assert_eq!(found(&base, &source("head", &gone), components()), ["code/a: a of dev", "modules/n: a of dev"]);
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
