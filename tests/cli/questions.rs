//! `impact` and `why`.

use super::contracts::{schema, validate};
use crate::common::{ATMOS, Repo};
use serde_json::{Value, json};

const DEV: &str = "\
import:
  - catalog/vpc
locals:
  region: us-east-1
  zone: \"{{ .locals.region }}a\"
vars:
  stage: dev
components:
  terraform:
    vpc:
      vars:
        cidr: 10.1.0.0/16
        zone: \"{{ .locals.zone }}\"
        password: hunter2
";
const PROD: &str = "\
import:
  - catalog/*
vars:
  stage: prod
components:
  terraform:
    vpc:
      metadata:
        inherits:
          - base
";
const CATALOG: &str = "\
components:
  terraform:
    base:
      metadata: {type: abstract}
      vars:
        size: 3
    vpc:
      vars:
        cidr: 10.0.0.0/16
        name: vpc
";

fn repo() -> Repo {
    let repo = Repo::atmos();
    repo.write("stacks/deploy/dev.yaml", DEV).write("stacks/deploy/prod.yaml", PROD);
    repo.write("stacks/catalog/vpc.yaml", CATALOG).commit("all");
    repo
}

#[track_caller]
fn impact(repo: &Repo, place: &str) -> Value {
    let run = repo.run(&["impact", place, "--format", "json"]);
    assert_eq!(run.status, 0, "{run:?}");
    validate(&schema("impact.json"), &run.json());
    run.json()
}

/// Stack, component and paths of the components that depend on a place.
#[track_caller]
fn reached(repo: &Repo, place: &str) -> Vec<String> {
    let answer = impact(repo, place);
    let line = |c: &Value| {
        let paths: Vec<_> = c["paths"].as_array().unwrap().iter().map(|p| p.as_str().unwrap().to_owned()).collect();
        let via: Vec<_> = c["via"].as_array().unwrap().iter().map(|p| p.as_str().unwrap().to_owned()).collect();
        let name = |key: &str| c[key].as_str().unwrap().to_owned();
        format!("{} {} {} by {}", name("stack"), name("component"), paths.join(" "), via.join(" "))
    };
    answer["components"].as_array().unwrap().iter().map(line).collect()
}

#[track_caller]
fn why(repo: &Repo, arguments: &[&str]) -> Value {
    let run = repo.run(&[&["why"], arguments, &["--format", "json"]].concat());
    assert_eq!(run.status, 0, "{run:?}");
    validate(&schema("why.json"), &run.json());
    run.json()
}

/// Role and place of the steps.
#[track_caller]
fn steps(answer: &Value) -> Vec<String> {
    let steps = answer["steps"].as_array().unwrap().iter();
    let step = |s: &Value| format!("{} {}:{}", s["role"].as_str().unwrap(), s["file"].as_str().unwrap(), s["line"]);
    steps.map(step).collect()
}

#[test]
fn what_is_missing_is_named_beside_what_does_not_resolve() {
    let repo = repo();
    repo.edit("stacks/deploy/prod.yaml", "catalog/*", "catalog/gone");
    repo.run(&["why", "dev", "vpcc", "vars"])
        .ends_with(1)
        .complains("catalog/gone")
        .complains("stack `dev` has no component `vpcc`; did you mean `vpc`?");
    repo.run(&["why", "dev", "vpc", "vars.cidr"]).ends_with(0).says("10.1.0.0/16");
}

#[test]
fn a_line_reaches_the_values_that_come_from_it() {
    let repo = repo();
    // `cidr` is replaced in `dev`.
    assert_eq!(reached(&repo, "stacks/catalog/vpc.yaml:9"), ["prod vpc /vars/cidr by value"]);
    assert_eq!(
        reached(&repo, "stacks/catalog/vpc.yaml:10"),
        ["dev vpc /vars/name by value", "prod vpc /vars/name by value"]
    );
    let size = reached(&repo, "stacks/catalog/vpc.yaml:6");
    assert!(size.contains(&"prod vpc /vars/size by value".to_owned()), "{size:?}");
    assert!(!size.iter().any(|c| c.starts_with("dev vpc")), "{size:?}");
    let base = reached(&repo, "stacks/deploy/prod.yaml:10");
    assert!(base.len() == 1 && base[0].starts_with("prod vpc  ") && base[0].ends_with(" base"), "{base:?}");
    assert_eq!(reached(&repo, "stacks/deploy/dev.yaml:1").len(), 2, "the line opens the imports");
}

#[test]
fn a_line_that_opens_a_map_stands_for_all_of_it() {
    let repo = repo();
    let all = reached(&repo, "stacks/catalog/vpc.yaml:8");
    assert_eq!(all, ["dev vpc /vars/name by value", "prod vpc /vars/cidr /vars/name by value"]);
    assert_eq!(reached(&repo, "stacks/catalog/vpc.yaml:9-10"), all);
}

#[test]
fn a_local_reaches_through_templates() {
    let repo = repo();
    let answer = impact(&repo, "stacks/deploy/dev.yaml:4");
    assert_eq!(answer["components"][0]["paths"], json!(["/vars/zone"]));
    assert_eq!(answer["components"][0]["via"], json!(["local"]));
    let names: Vec<_> = answer["locals"].as_array().unwrap().iter().map(|l| l["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["region", "zone"]);
}

#[test]
fn what_is_overridden_everywhere_is_listed_apart() {
    let repo = repo();
    repo.write(
        "stacks/deploy/prod.yaml",
        PROD.replace("      metadata", "      vars: {cidr: 10.2.0.0/16}\n      metadata"),
    );
    let answer = impact(&repo, "stacks/catalog/vpc.yaml:9");
    assert_eq!(answer["components"], json!([]));
    let by: Vec<_> = answer["overridden"].as_array().unwrap().iter().map(|o| (&o["stack"], &o["by"]["line"])).collect();
    assert_eq!(by, [(&json!("dev"), &json!(12)), (&json!("prod"), &json!(8))]);
}

#[test]
fn an_import_reaches_what_comes_only_through_it() {
    let repo = repo();
    let all = reached(&repo, "stacks/deploy/dev.yaml:2");
    assert_eq!(all.len(), 2, "{all:?}");
    assert!(all[1].ends_with(" /vars/name by import"), "{all:?}");
    // A value that arrives in two ways does not depend on one of them.
    repo.write("stacks/catalog/all.yaml", "import: [catalog/vpc]\n");
    repo.write("stacks/deploy/dev.yaml", DEV.replace("catalog/vpc\n", "catalog/vpc\n  - catalog/all\n"));
    assert_eq!(reached(&repo, "stacks/deploy/dev.yaml:2"), [""; 0]);
}

#[test]
fn a_file_says_what_imports_it_and_what_is_lost_without_it() {
    let repo = repo();
    let answer = impact(&repo, "stacks/catalog/vpc.yaml");
    let importers: Vec<_> = answer["importers"].as_array().unwrap().iter().map(|i| (&i["file"], &i["line"])).collect();
    let (dev, prod) = (json!("stacks/deploy/dev.yaml"), json!("stacks/deploy/prod.yaml"));
    assert_eq!(importers, [(&dev, &json!(2)), (&prod, &json!(2))]);
    let broken: Vec<_> = answer["without"]["breaks"].as_array().unwrap().iter().map(|b| &b["file"]).collect();
    assert!(broken.contains(&&dev) && broken.contains(&&prod), "{answer:#}");
    repo.write("stacks/deploy/prod.yaml", "import: ['catalog/*']\nvars: {stage: prod}\n");
    repo.write("stacks/catalog/other.yaml", "vars: {x: 1}\n");
    let answer = impact(&repo, "stacks/catalog/vpc.yaml");
    let gone: Vec<_> =
        answer["without"]["removed"].as_array().unwrap().iter().map(|c| (&c["stack"], &c["component"])).collect();
    assert!(gone.contains(&(&json!("prod"), &json!("vpc"))), "{gone:?}");
    assert_eq!(impact(&repo, "stacks/catalog/other.yaml")["without"], json!({"breaks": [], "removed": []}));
}

#[test]
fn code_reaches_the_components_that_run_it() {
    let repo = repo();
    repo.write("components/terraform/vpc/main.tf", "module \"net\" {\n  source = \"../../../modules/net\"\n}\n");
    repo.write("modules/net/main.tf", "variable \"x\" {}\n");
    let all = ["dev vpc  by code", "prod vpc  by code"];
    assert_eq!(reached(&repo, "components/terraform/vpc/main.tf:1"), all);
    assert_eq!(reached(&repo, "modules/net/main.tf"), all);
}

#[test]
fn places_that_are_not_there() {
    let repo = repo();
    for (place, message) in [
        (
            "stacks/catalog/vcp.yaml",
            "worktree has no file stacks/catalog/vcp.yaml; did you mean stacks/catalog/vpc.yaml?",
        ),
        ("stacks/catalog/vpc.yaml:11", "stacks/catalog/vpc.yaml has 10 lines and no line 11"),
        ("../x.yaml", "../x.yaml is outside of the repository"),
    ] {
        let run = repo.run(&["impact", place]);
        assert_eq!((run.status, run.stderr.trim()), (2, format!("stacklint: {message}").as_str()));
    }
}

#[test]
fn what_cannot_be_resolved_is_no_all_clear() {
    let repo = repo();
    repo.write("stacks/deploy/broken.yaml", "import: [catalog/nothing, catalog/vpc]\nvars: {stage: broken}\n");
    let run = repo.run(&["impact", "stacks/catalog/vpc.yaml:6", "--format", "json"]);
    assert_eq!(run.status, 1);
    assert!(run.stderr.contains("stacks/deploy/broken.yaml:1"), "{}", run.stderr);
    assert_eq!(repo.run(&["why", "broken", "vpc", "vars"]).status, 1);
}

#[test]
fn a_value_comes_from_lines() {
    let repo = repo();
    let answer = why(&repo, &["dev", "vpc", "vars.cidr"]);
    assert_eq!(answer["value"], "10.1.0.0/16");
    let (dev, catalog) = ("stacks/deploy/dev.yaml", "stacks/catalog/vpc.yaml");
    assert_eq!(
        steps(&answer),
        [format!("value {dev}:12"), format!("overrides {catalog}:9"), format!("import {dev}:2")]
    );
    let answer = why(&repo, &["dev", "vpc", "/vars/zone"]);
    let zone = steps(&answer);
    for step in [format!("value {dev}:13"), format!("reads {dev}:5"), format!("reads {dev}:4")] {
        assert!(zone.contains(&step), "{zone:?}");
    }
    let answer = why(&repo, &["prod", "vpc", "vars.size"]);
    assert!(steps(&answer).contains(&"base stacks/deploy/prod.yaml:10".to_owned()), "{answer:#}");
}

#[test]
fn a_value_in_several_stacks() {
    let repo = repo();
    repo.write("stacks/deploy/test.yaml", "import: [catalog/vpc]\nvars: {stage: test}\n");
    let groups = why(&repo, &["*", "vpc", "vars.cidr"]);
    let stacks: Vec<_> = groups["groups"].as_array().unwrap().iter().map(|g| &g["stacks"]).collect();
    assert_eq!(stacks, [&json!(["prod", "test"]), &json!(["dev"])]);
    let text = repo.run(&["why", "*", "vpc", "vars.cidr"]).stdout;
    assert!(text.starts_with("the same in 2 stacks, different in 1\n"), "{text}");
}

#[test]
fn values_that_are_not_there() {
    let repo = repo();
    for (arguments, message) in [
        (&["dev", "vpc", "vars.cird"][..], "`vars` has no key `cird`; did you mean `cidr`?"),
        (&["dve", "vpc", "vars"], "there is no stack `dve`; did you mean `dev`?"),
        (&["dev", "vcp", "vars"], "stack `dev` has no component `vcp`; did you mean `vpc`?"),
    ] {
        let run = repo.run(&[&["why"], arguments].concat());
        assert_eq!((run.status, run.stderr.trim()), (2, format!("stacklint: {message}").as_str()));
    }
}

#[test]
fn text_masks_secrets_and_control_characters() {
    let repo = repo();
    let run = repo.run(&["why", "dev", "vpc", "vars.password"]);
    assert!(!run.stdout.contains("hunter2") && run.stdout.contains("••••"), "{}", run.stdout);
    assert!(!repo.run(&["why", "dev", "vpc"]).stdout.contains("hunter2"));
    assert!(repo.run(&["why", "dev", "vpc", "vars.password", "--show-secrets"]).stdout.contains("hunter2"));
    repo.write("stacks/deploy/dev.yaml", DEV.replace("hunter2", "hunter2\n        \"\\e[31m\": \"\\e[31mx\""));
    for arguments in [&["why", "dev", "vpc"][..], &["impact", "stacks/deploy/dev.yaml"]] {
        assert!(!repo.run(arguments).stdout.contains('\u{1b}'));
    }
}

#[test]
fn answers_as_text() {
    let repo = repo();
    let why = repo.run(&["why", "dev", "vpc", "vars.zone"]).stdout;
    let table = repo.run(&["why", "dev", "vpc", "vars"]).stdout;
    let line = repo.run(&["impact", "stacks/catalog/vpc.yaml:8"]).stdout;
    let file = repo.run(&["impact", "stacks/catalog/vpc.yaml"]).stdout;
    insta::assert_snapshot!([why, table, line, file].join("----\n"));
    assert!(ATMOS.contains("{stage}"));
}

#[test]
fn a_difference_is_explained_from_both_sides() {
    let repo = repo();
    repo.tag("base").write("stacks/catalog/vpc.yaml", CATALOG.replace("10.0.0.0/16", "10.9.0.0/16")).commit("head");
    let found = why(&repo, &["base..HEAD", "prod", "vpc", "vars.cidr"]);
    assert_eq!((&found["base"]["value"], &found["head"]["value"]), (&json!("10.0.0.0/16"), &json!("10.9.0.0/16")));
    assert_eq!(found["changed"], true);
    let causes: Vec<_> = found["causes"].as_array().unwrap().iter().map(|c| (&c["side"], &c["line"])).collect();
    assert_eq!(causes, [(&json!("base"), &json!(9)), (&json!("head"), &json!(9))]);
    let same = why(&repo, &["base..HEAD", "dev", "vpc", "vars.cidr"]);
    assert_eq!((&same["changed"], &same["causes"]), (&json!(false), &json!([])));
    let text = repo.run(&["why", "base..HEAD", "prod", "vpc", "vars.cidr"]).stdout;
    assert!(text.starts_with("- stacks/catalog/vpc.yaml:9  cidr: 10.0.0.0/16\n+ stacks/catalog/vpc.yaml:9"), "{text}");
    let run = repo.run(&["why", "base..HEAD", "prod", "vcp", "vars.cidr"]);
    assert_eq!((run.status, run.stderr.contains("did you mean `vpc`?")), (2, true));
}

#[test]
fn help_fits_a_screen_and_lists_every_command() {
    let folder = Repo::new();
    let short = folder.run(&["diff", "-h"]).ends_with(0);
    assert!(short.stdout.lines().count() <= 30, "{short}");
    let all = folder.run(&["--help"]).ends_with(0);
    for group in ["Review:", "Explore:", "Set up:", "More:"] {
        assert!(all.stdout.contains(group), "{all}");
    }
    let mistake = |args: &[&str]| folder.run(args).ends_with(2).stderr;
    assert!(mistake(&["help", "nothing"]).starts_with("stacklint: unrecognized subcommand 'nothing'"));
    assert!(mistake(&["diff", "--bogus"]).starts_with("stacklint: unexpected argument '--bogus' found"));
}

#[test]
fn rules_are_found_by_a_part_of_their_names() {
    let folder = Repo::new();
    let found = folder.run(&["rules", "LOCAL"]).ends_with(0).says("undefined-local");
    assert!(!found.stdout.contains("unresolved-import"), "{found}");
    let none = folder.run(&["rules", "no-such-text"]).ends_with(2);
    assert!(none.stderr.contains("no rule has `no-such-text`"), "{none}");
}
