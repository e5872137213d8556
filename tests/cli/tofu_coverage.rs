//! No false all-clear for root modules: unresolved parts are never reported as removed, unchanged or fixed, in any
//! format.

use crate::common::Repo;
use serde_json::Value as Json;

/// Two root modules that call one module.
fn repo() -> Repo {
    let repo = Repo::new();
    for stage in ["dev", "prod"] {
        let backend = format!("terraform {{\n  backend \"s3\" {{\n    key = \"{stage}\"\n  }}\n}}\n");
        repo.write(&format!("envs/{stage}/backend.tf"), backend)
            .write(&format!("envs/{stage}/main.tf"), "module \"net\" {\n  source = \"../../modules/net\"\n}\n")
            .write(&format!("envs/{stage}/variables.tf"), "variable \"size\" {\n  default = 1\n}\n")
            .write(&format!("envs/{stage}/x.auto.tfvars"), "size = 2\n");
    }
    repo.write("modules/net/main.tf", "module \"sub\" {\n  source = \"../sub\"\n}\n");
    repo.write("modules/sub/main.tf", "variable \"a\" {\n  default = 1\n}\n").commit("good");
    repo
}

/// An edit that keeps root modules from being resolved.
struct Damage {
    name: &'static str,
    edit: fn(&Repo),
    /// The stacks that it concerns.
    lost: &'static [&'static str],
    /// Words of the reason.
    reason: &'static str,
}

const DAMAGES: [Damage; 6] = [
    Damage {
        name: "a broken file of a root module",
        edit: |r| {
            r.write("envs/dev/main.tf", "module \"net\" {\n  source = \n}\n");
        },
        lost: &["envs/dev"],
        reason: "Expected the start of an expression",
    },
    Damage {
        name: "a broken file that alone says that a folder is a root module",
        edit: |r| {
            r.remove("envs/dev/x.auto.tfvars");
            r.write("envs/dev/backend.tf", "terraform {{{\n").write("envs/dev/main.tf", "# nothing\n");
        },
        lost: &["envs/dev"],
        reason: "what it declares is not known",
    },
    Damage {
        name: "a missing folder of a module",
        edit: |r| {
            r.edit("envs/dev/main.tf", "modules/net", "modules/nett");
        },
        lost: &["envs/dev"],
        reason: "modules/nett, which does not exist",
    },
    Damage {
        name: "a deleted module of a module",
        edit: |r| {
            r.remove("modules/sub/main.tf");
        },
        lost: &["envs/dev", "envs/prod"],
        reason: "modules/sub, which does not exist",
    },
    Damage {
        name: "a broken file of a module",
        edit: |r| {
            r.write("modules/sub/main.tf", "variable \"a\" {\n");
        },
        lost: &["envs/dev", "envs/prod"],
        reason: "no closing brace",
    },
    Damage {
        name: "unreadable values",
        edit: |r| {
            r.write("envs/dev/x.auto.tfvars", "size = [1 2]\n");
        },
        lost: &["envs/dev"],
        reason: "Expected a comma",
    },
];

/// The stacks of a side that are not resolved, with the reasons.
fn unresolved(report: &Json, side: &str) -> Vec<(String, String)> {
    let list = report["coverage"]["projects"][0][side]["unresolved"].as_array().unwrap();
    let text = |value: &Json| value.as_str().unwrap_or_default().to_owned();
    list.iter().filter(|u| u["stack"].is_string()).map(|u| (text(&u["stack"]), text(&u["reason"]))).collect()
}

fn names(report: &Json, side: &str) -> Vec<String> {
    unresolved(report, side).into_iter().map(|(stack, _)| stack).collect()
}

#[test]
fn broken_on_the_head() {
    for Damage { name, edit, lost, reason } in DAMAGES {
        let repo = repo();
        edit(&repo);
        repo.commit("bad");
        let range = "HEAD~1..HEAD";
        let run = repo.run(&["diff", range, "--format", "json"]).ends_with(1);
        let report = run.json();
        assert_eq!(names(&report, "head"), lost, "{name}: {run}");
        assert!(unresolved(&report, "head").iter().all(|(_, r)| r.contains(reason)), "{name}: {run}");
        assert!(names(&report, "base").is_empty(), "{name}: {run}");
        assert_eq!(report["components"].as_array().unwrap().len(), 0, "{name}: {run}");
        let text = repo.run(&["diff", range]).ends_with(1).hides("No effective change").hides("removed");
        assert!(text.stdout.contains("no longer resolve"), "{name}: {text}");
        assert!(lost.iter().all(|stack| text.stdout.contains(stack)), "{name}: {text}");
    }
}

#[test]
fn broken_on_the_base() {
    for Damage { name, edit, lost, .. } in DAMAGES {
        let repo = repo();
        repo.tag("good");
        edit(&repo);
        repo.commit("bad");
        let run = repo.run(&["diff", "HEAD..good", "--format", "json"]).ends_with(0);
        assert_eq!(names(&run.json(), "base"), lost, "{name}: {run}");
        assert_eq!(run.json()["components"].as_array().unwrap().len(), 0, "{name}: {run}");
        repo.run(&["diff", "HEAD..good"]).ends_with(0).hides("No effective change").says("not compared");
        repo.run(&["diff", "HEAD..good", "--exit-code"]).ends_with(3);
    }
}

#[test]
fn the_root_modules_are_named_as_what_was_compared() {
    let repo = repo();
    repo.edit("envs/dev/backend.tf", "dev", "development").commit("change");
    let line = "compared 2 stacks, 8 components; envs/dev/main.tf, envs/prod/main.tf";
    repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(1).says(line);
    repo.remove("envs/dev/backend.tf").remove("envs/dev/main.tf").remove("envs/dev/variables.tf");
    repo.remove("envs/dev/x.auto.tfvars").commit("less");
    let report = repo.run(&["diff", "HEAD~1..HEAD", "--format", "json"]).ends_with(1).json();
    let statuses: Vec<_> = report["components"].as_array().unwrap().iter().map(|c| c["status"].clone()).collect();
    assert_eq!(statuses, ["removed"; 4], "what is removed with its files is removed");
}
