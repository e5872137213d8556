//! Imports: whose word counts, and what goes wrong.

use super::*;

const VPC: &str = "modules: [{name: vpc, type: infra.vpc, config: {from: 'lib', cidr: '10.0.0.0/16'}}]\n";

#[test]
fn who_comes_first_wins() {
    let world = World::new(
        "imports: [lib/a.yaml, lib/b.yaml]
environments: {prod: {region: main}}
secrets: {entries: [{name: S}]}
modules: [{name: m, type: infra.vpc, config: {from: main}}]
",
    )
    .file("lib/a.yaml", "imports: [c.yaml]\nmodules: [{name: x, type: infra.vpc, config: {from: a}}]\n")
    .file("lib/b.yaml", "modules: [{name: c, type: infra.vpc, config: {from: b}}]\n")
    .file(
        "lib/c.yaml",
        "environments: {prod: {region: c}, dev: {region: c}}
modules:
  - {name: m, type: infra.vpc, config: {from: c}}
  - {name: x, type: infra.vpc, config: {from: c}}
  - {name: c, type: infra.vpc, config: {from: c}}
",
    );
    assert_eq!(world.findings(), [""; 0]);
    for (name, from) in [("m", "main"), ("x", "a"), ("c", "c")] {
        assert_eq!(world.config("prod", name), json!({"from": from, "region": "main"}), "{name}");
    }
    assert_eq!(world.config("dev", "m")["region"], "c");
    assert_eq!(world.stacks()["prod"]["plan"]["order"], json!(["m", "x", "c"]), "depth first");
}

#[test]
fn diamonds_are_no_circles() {
    let world = World::new("imports: [a.yaml, b.yaml]\n")
        .file("a.yaml", "imports: [lib.yaml]\n")
        .file("b.yaml", "imports: [./lib.yaml]\n")
        .file("lib.yaml", VPC);
    assert_eq!(world.findings(), [""; 0]);
    assert_eq!(world.config("default", "vpc")["from"], "lib");
}

#[test]
fn circles_are_reported_with_their_steps() {
    let world =
        World::new("imports: [a.yaml]\n").file("a.yaml", "imports: [b.yaml]\n").file("b.yaml", "imports: [a.yaml]\n");
    assert_eq!(world.findings(), ["import-cycle b.yaml1:11 a.yaml []"]);
    let words = world.words();
    assert!(words.starts_with("files import each other: `a.yaml` → `b.yaml` → `a.yaml`"), "{words}");
    let own = World::new("imports: [infra.yaml]\n");
    assert_eq!(own.findings(), ["import-cycle 1:11 infra.yaml []"]);
}

#[test]
fn files_that_are_missing_or_broken() {
    let world = World::new("imports: [shared/net.yml, lib.yaml]\nmodules: [{name: a, type: infra.vpc}]\n")
        .file("shared/net.yaml", VPC)
        .file("lib.yaml", "a: [1\n");
    let found = world.findings();
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[0].starts_with("unresolved-import 1:11 shared/net.yml"), "{found:?}");
    assert!(found[1].starts_with("invalid-yaml lib.yaml2:1"), "{found:?}");
    // A configuration with missing imports is not used.
    let resolution = world.resolve(&Files::default());
    assert_eq!((resolution.units.len(), resolution.units[0].state), (1, State::Broken));
    assert!(resolution.units[0].components.is_empty() && resolution.findings.iter().all(|f| f.is_breaking));
    for (text, expected) in [
        ("imports: [../x.yaml]\nmodules: []\n", "unresolved-import 1:11 ../x.yaml []"),
        ("imports: [{a: b}]\nmodules: []\n", "invalid-config 1:11 {a: b} []"),
        ("imports: x\nmodules: []\n", "invalid-config 1:10 x []"),
        ("modules: {a: b}\n", "invalid-config 1:10 {a: b} []"),
        ("modules: [x]\n", "invalid-config 1:11 x []"),
        ("modules: [{type: infra.vpc}]\n", "invalid-config 1:11 {type: infra.vpc} []"),
        ("modules: [{name: a, type: infra.vpc, config: x}]\n", "invalid-config 1:46 x []"),
        ("modules: [{name: a, type: infra.vpc, environments: {b: x}}]\n", "invalid-config 1:56 x []"),
        ("modules: [{name: a, name: b}]\n", "duplicate-key 1:21 name []"),
    ] {
        assert_eq!(World::new(text).findings(), [expected], "{text}");
    }
}

#[test]
fn deep_chains_of_imports_end() {
    let mut world = World::new("imports: [f0.yaml]\n");
    for i in 0..1_000 {
        world = world.file(&format!("f{i}.yaml"), &format!("imports: [f{}.yaml]\n", i + 1));
    }
    assert_eq!(world.findings().len(), 1);
    assert!(world.words().contains("nested deeper than 64 files"));
}

#[test]
fn where_a_configuration_lies() {
    let there = |files: &[(&str, &str)], start: &str| {
        let files = files.iter().map(|(p, t)| ((*p).to_owned(), t.as_bytes().to_vec())).collect();
        find(&Memory::new("memory", files), start)
    };
    let config = "modules: []\n";
    assert_eq!(there(&[("infra.yaml", config), ("config/infra.yaml", config)], ""), Some("infra.yaml".into()));
    assert_eq!(there(&[("config/infra.yaml", config)], ""), Some("config/infra.yaml".into()));
    assert_eq!(there(&[("svc/infra.yaml", config)], "svc/a/b"), Some("svc/infra.yaml".into()));
    assert_eq!(there(&[("svc/infra.yaml", config)], ""), None);
    // The name is a common one.
    assert_eq!(there(&[("infra.yaml", "servers: [a]\n")], ""), None);
    assert_eq!(there(&[("infra.yaml", "modules: [\n")], ""), Some("infra.yaml".into()));
    assert_eq!(there(&[("infra.yaml", "imports: [a.yaml]\n")], ""), Some("infra.yaml".into()));
}
