//! `merge`: what a merge does that neither side does.

use crate::common::{ATMOS, Repo, Run, fixture};
use crate::contracts::{schema, validate};
use serde_json::Value;

const CATALOG: &str = "components: {terraform: {vpc: {vars: {size: 1, owner: net}}}}\n";
const DEV: &str = "import: [catalog/vpc]\nvars: {stage: dev}\ncomponents: {terraform: {vpc: {vars: {size: 5}}}}\n";
const PROD: &str = "import: [catalog/vpc]\nvars: {stage: prod}\n";

/// Files of a version; `None` removes one.
type Edits<'a> = &'a [(&'a str, Option<&'a str>)];

/// A repository with the branches `ours` and `theirs`, which start at a common commit.
fn repo(ours: Edits<'_>, theirs: Edits<'_>) -> Repo {
    let repo = Repo::atmos();
    repo.write("stacks/catalog/vpc.yaml", CATALOG).write("stacks/deploy/dev.yaml", DEV);
    repo.write("stacks/deploy/prod.yaml", PROD).commit("base");
    repo.git(&["branch", "start"]);
    for (name, edits) in [("ours", ours), ("theirs", theirs)] {
        repo.git(&["checkout", "--quiet", "-b", name, "start"]);
        for (path, content) in edits {
            match content {
                Some(content) => repo.write(path, content),
                None => repo.remove(path),
            };
        }
        repo.commit(name);
    }
    repo
}

#[track_caller]
fn json(repo: &Repo, arguments: &[&str], status: i32) -> Value {
    let run = repo.run(&[&["merge", "ours", "theirs", "--format", "json"], arguments].concat()).ends_with(status);
    validate(&schema("merge.json"), &run.json());
    run.json()
}

/// `dev vpc /vars/size emergent` for each listed value.
fn listed(json: &Value) -> Vec<String> {
    let mut all = Vec::new();
    for component in json["components"].as_array().unwrap().iter().chain(json["unknown"].as_array().unwrap()) {
        for value in component["values"].as_array().unwrap() {
            let of = |value: &Value| value.as_str().unwrap_or("-").to_owned();
            let words = [&component["stack"], &component["component"], &value["path"], &value["kind"]];
            all.push(words.map(of).join(" "));
        }
    }
    all
}

/// A default that an override hid, and the override removed.
fn hidden() -> Repo {
    let catalog = CATALOG.replace("size: 1", "size: 2");
    let dev = DEV.replace("{vars: {size: 5}}", "{}");
    repo(&[("stacks/catalog/vpc.yaml", Some(&catalog))], &[("stacks/deploy/dev.yaml", Some(&dev))])
}

#[test]
fn a_value_that_neither_side_had_is_listed_with_the_lines_of_both() {
    let json = json(&hidden(), &[], 1);
    assert_eq!(listed(&json), ["dev vpc /vars/size emergent"]);
    let value = &json["components"][0]["values"][0];
    assert_eq!([&value["base"], &value["ours"], &value["theirs"], &value["merged"]], [&5, &5, &1, &2].map(|n| n));
    let line = |side: &str| format!("{}:{}", value["lines"][side][0]["file"], value["lines"][side][0]["line"]);
    assert_eq!(line("ours"), "\"stacks/catalog/vpc.yaml\":1");
    assert_eq!(line("theirs"), "\"stacks/deploy/dev.yaml\":3");
    assert_eq!(json["merged"]["commit"], Value::Null);
}

#[test]
fn edits_that_have_nothing_to_do_with_each_other_are_independent() {
    let catalog = CATALOG.replace("owner: net", "owner: core");
    let prod = format!("{PROD}components: {{terraform: {{vpc: {{vars: {{size: 3}}}}}}}}\n");
    let repo = repo(&[("stacks/catalog/vpc.yaml", Some(&catalog))], &[("stacks/deploy/prod.yaml", Some(&prod))]);
    assert!(listed(&json(&repo, &[], 0)).is_empty());
    repo.run(&["merge", "ours", "theirs"]).ends_with(0).says("✓ merging theirs into ours: independent");
    repo.run(&["merge", "ours", "theirs", "--format", "markdown"]).ends_with(0).says("### ✓ stacklint: merging theirs");
}

#[test]
fn files_with_a_conflict_are_named_and_a_result_is_judged() {
    let (two, three) = (CATALOG.replace("size: 1", "size: 2"), CATALOG.replace("size: 1", "size: 3"));
    let repo = repo(&[("stacks/catalog/vpc.yaml", Some(&two))], &[("stacks/catalog/vpc.yaml", Some(&three))]);
    let found = json(&repo, &[], 1);
    assert_eq!(found["conflicts"], serde_json::json!(["stacks/catalog/vpc.yaml"]));
    repo.run(&["merge", "ours", "theirs"]).ends_with(1).says("conflict in stacks/catalog/vpc.yaml");
    repo.run(&["merge", "ours", "theirs", "--format", "markdown"]).ends_with(1).says("`stacks/catalog/vpc.yaml`");
    repo.git(&["checkout", "--quiet", "-b", "resolved", "ours"]);
    repo.write("stacks/catalog/vpc.yaml", &three).commit("resolved");
    let found = json(&repo, &["--result", "resolved"], 1);
    assert_eq!(listed(&found), ["prod vpc /vars/size contested"]);
    assert_eq!(found["components"][0]["values"][0]["winner"], "theirs");
    assert_eq!(found["conflicts"], serde_json::json!([]));
}

#[test]
fn stacks_that_only_the_merge_breaks_are_named() {
    let mixin = "vars: {tier: a}\n";
    let repo = Repo::atmos();
    repo.write("stacks/mixins/a.yaml", mixin).write("stacks/catalog/vpc.yaml", CATALOG);
    repo.write("stacks/deploy/dev.yaml", DEV).write("stacks/deploy/prod.yaml", PROD).commit("base");
    repo.git(&["checkout", "--quiet", "-b", "ours"]);
    repo.remove("stacks/mixins/a.yaml").commit("ours");
    repo.git(&["checkout", "--quiet", "-b", "theirs", "HEAD~"]);
    repo.edit("stacks/deploy/dev.yaml", "[catalog/vpc]", "[catalog/vpc, mixins/a]").commit("theirs");
    let found = json(&repo, &[], 1);
    assert_eq!(found["broken"], serde_json::json!(["dev"]));
    assert_eq!(found["broken_stacks"][0]["versions"], serde_json::json!(["merged"]));
    assert_eq!(found["diagnostics"][0]["file"], "stacks/deploy/dev.yaml");
    let run = repo.run(&["merge", "ours", "theirs"]).ends_with(1);
    run.says("stack dev does not resolve in merged: stacks/deploy/dev.yaml").complains("1 stack does not resolve");
    // The other way round it is the same.
    let run = repo.run(&["merge", "theirs", "ours", "--format", "json"]).ends_with(1);
    assert_eq!(run.json()["broken"], serde_json::json!(["dev"]));
}

#[test]
fn a_stack_of_two_files_is_broken_by_the_name_that_validation_gives_to_it() {
    let repo = Repo::atmos();
    repo.write("stacks/deploy/dev.yaml", DEV).write("stacks/catalog/vpc.yaml", CATALOG).commit("base");
    repo.git(&["branch", "start"]);
    for (side, size) in [("ours", 1), ("theirs", 2)] {
        repo.git(&["checkout", "--quiet", "-b", side, "start"]);
        let text = format!(
            "name: main-qa\nvars: {{stage: qa}}\ncomponents: {{terraform: {{vpc: {{vars: {{size: {size}}}}}}}}}\n"
        );
        repo.write(&format!("stacks/deploy/qa-{side}.yaml"), text).commit(side);
    }
    let found = json(&repo, &[], 1);
    assert_eq!(found["broken"], serde_json::json!(["main-qa"]));
    assert_eq!(found["components"], serde_json::json!([]));
    let reason = found["broken_stacks"][0]["reason"].to_string();
    assert!(reason.contains("is configured differently by"), "{reason}");
}

#[test]
fn only_findings_that_neither_side_has_are_reported() {
    let repo = Repo::atmos();
    let module = "variable \"size\" {}\nvariable \"name\" {}\n";
    repo.write("components/terraform/vpc/variables.tf", module);
    let stack = "vars: {stage: dev}\ncomponents: {terraform: {vpc: {vars: {size: 1, name: a}}}}\n";
    repo.write("stacks/deploy/dev.yaml", stack).commit("base");
    repo.git(&["checkout", "--quiet", "-b", "ours"]);
    repo.write("components/terraform/vpc/variables.tf", format!("{module}variable \"zone\" {{}}\n"));
    repo.write("stacks/deploy/dev.yaml", stack.replace("size: 1", "zone: z, size: 1")).commit("ours");
    repo.git(&["checkout", "--quiet", "-b", "theirs", "HEAD~"]);
    repo.write("stacks/deploy/qa.yaml", stack.replace("stage: dev", "stage: qa")).commit("theirs");
    let found = json(&repo, &[], 1);
    let rules: Vec<_> = found["diagnostics"].as_array().unwrap().iter().map(|d| d["rule"].as_str().unwrap()).collect();
    assert_eq!(rules, ["missing-required-variable"]);
    assert_eq!(found["diagnostics"][0]["file"], "stacks/deploy/qa.yaml");
    assert_eq!(found["diagnostics"][0]["level"], "warning");
    repo.run(&["merge", "ours", "theirs", "--fail-on", "error"]).ends_with(0).says("1 new finding");
}

#[test]
fn what_is_not_known_is_not_independent() {
    let (old, new) = ("vars: {zone: a}\n", "vars: {zone: b}\n");
    let repo = Repo::atmos();
    let dev = "import: [catalog/kept]\nvars: {stage: dev}\ncomponents: {terraform: {vpc: {vars: {size: 1}}}}\n";
    repo.write("stacks/catalog/kept.yaml", "vars: {kept: 1}\n");
    repo.write("data.yaml", old).write("stacks/deploy/dev.yaml", dev).commit("base");
    repo.git(&["checkout", "--quiet", "-b", "ours"]);
    repo.write("data.yaml", new).commit("ours");
    repo.git(&["checkout", "--quiet", "-b", "theirs", "HEAD~"]);
    repo.edit("stacks/deploy/dev.yaml", "size: 1", "size: '{{ env \"SIZE\" }}{{ .vars.kept }}'").commit("theirs");
    // Their side sets what is known only at run time, and nothing else touches it.
    assert!(listed(&json(&repo, &[], 0)).is_empty());
    repo.git(&["checkout", "--quiet", "ours"]);
    repo.edit("stacks/catalog/kept.yaml", "kept: 1", "kept: 2").commit("ours");
    let found = json(&repo, &[], 1);
    assert_eq!(listed(&found), ["dev vpc /vars/size unknown"]);
    repo.run(&["merge", "ours", "theirs"]).ends_with(1).says("not known: it may depend on both sides");
}

#[test]
fn renames_are_followed_and_the_base_can_be_named() {
    let repo = hidden();
    repo.git(&["checkout", "--quiet", "theirs"]);
    repo.git(&["mv", "stacks/catalog/vpc.yaml", "stacks/catalog/network.yaml"]);
    repo.edit("stacks/deploy/dev.yaml", "catalog/vpc", "catalog/network");
    repo.edit("stacks/deploy/prod.yaml", "catalog/vpc", "catalog/network").commit("renamed");
    assert_eq!(listed(&json(&repo, &[], 1)), ["dev vpc /vars/size emergent"]);
    // As if all of our side had been there before.
    assert!(listed(&json(&repo, &["--base", "ours"], 0)).is_empty());
}

#[test]
fn nothing_is_written_and_no_driver_is_run() {
    let repo = hidden();
    repo.git(&["checkout", "--quiet", "theirs"]);
    repo.write(".gitattributes", "*.yaml merge=evil filter=evil diff=evil\n");
    repo.edit("stacks/catalog/vpc.yaml", "}}}}\n", "}}}}\n# end\n").commit("attributes");
    let evil = "touch \"$(git rev-parse --show-toplevel)/executed\"";
    for key in ["merge.evil.driver", "filter.evil.clean", "filter.evil.smudge", "diff.evil.textconv"] {
        repo.git(&["config", key, evil]);
    }
    let objects = || repo.git(&["count-objects", "-v"]);
    let before = objects();
    repo.run(&["merge", "ours", "theirs"]).ends_with(1);
    assert_eq!(objects(), before);
    assert!(!repo.root().join("executed").exists());
}

#[test]
fn mistakes_of_the_user_are_explained() {
    let repo = hidden();
    repo.run(&["merge", "ours", "their"]).ends_with(2).complains("did you mean `theirs`?");
    repo.git(&["checkout", "--quiet", "--orphan", "alone"]);
    repo.commit("alone");
    repo.run(&["merge", "ours", "alone"]).ends_with(2).complains("have no common ancestor");
    repo.run(&["merge", "ours"]).ends_with(2);
}

/// The merge that `docs/merge.md` shows.
#[test]
fn the_example_of_the_page_is_true() {
    let page = std::fs::read_to_string(fixture("../docs").join("merge.md")).unwrap().replace("\r\n", "\n");
    let block = |start: &str| {
        let after = page.split_once(start).unwrap_or_else(|| panic!("the page has no {start:?}")).1;
        after.split_once("```").unwrap().0.to_owned()
    };
    let repo = Repo::new();
    repo.write("atmos.yaml", ATMOS);
    for path in ["stacks/catalog/vpc.yaml", "stacks/deploy/dev.yaml"] {
        repo.write(path, block(&format!("`{path}`:\n```yaml\n")));
    }
    repo.commit("base");
    repo.git(&["checkout", "--quiet", "-B", "main"]);
    repo.edit("stacks/catalog/vpc.yaml", "size: 1", "size: 2").commit("ours");
    repo.git(&["checkout", "--quiet", "-b", "feature", "HEAD~"]);
    repo.edit("stacks/deploy/dev.yaml", "        size: 5\n", "").commit("theirs");
    let run: Run = repo.run(&["merge", "main", "feature"]).ends_with(1);
    assert_eq!(block("```console\n$ stacklint merge main feature\n"), run.stdout);
}

#[test]
fn what_code_makes_of_values_of_the_other_side_is_compared() {
    let code = |size: &str| {
        let tags = "variable \"size\" {}\nvariable \"owner\" {\n  default = \"net\"\n}\n";
        format!("{tags}resource \"aws_vpc\" \"this\" {{\n  size  = {size}\n  owner = var.owner\n}}\n")
    };
    let stack = |stage: &str, size: usize| {
        format!("vars: {{stage: {stage}}}\ncomponents:\n  terraform:\n    vpc:\n      vars: {{size: {size}}}\n")
    };
    let repo = Repo::atmos();
    repo.write("components/terraform/vpc/main.tf", code("var.size"));
    for stage in ["dev", "prod"] {
        repo.write(&format!("stacks/deploy/{stage}.yaml"), stack(stage, 1));
    }
    repo.commit("base");
    let head = || repo.git(&["rev-parse", "HEAD"]).trim().to_owned();
    let base = head();
    repo.write("components/terraform/vpc/main.tf", code("var.size * 10")).commit("the code");
    let ours = head();
    repo.git(&["checkout", "--quiet", &base]);
    repo.write("stacks/deploy/dev.yaml", stack("dev", 2)).commit("a value");
    let found = repo.run(&["merge", &ours, "HEAD", "--format", "json"]).ends_with(1).json();
    assert_eq!(found["components"].as_array().unwrap().len(), 1, "{found}");
    let one = &found["components"][0];
    assert_eq!((&one["stack"], &one["component"]), (&"dev/vpc".into(), &"aws_vpc.this".into()));
    let value = &one["values"][0];
    assert_eq!(
        (&value["path"], &value["kind"], &value["winner"]),
        (&"/size".into(), &"contested".into(), &"neither".into())
    );
    assert_eq!(
        [&value["base"], &value["ours"], &value["theirs"], &value["merged"]].map(|v| v.as_i64()),
        [1, 10, 2, 20].map(Some)
    );
    // What the other side does to another component has nothing to do with the code.
    repo.git(&["checkout", "--quiet", &base]);
    repo.write("stacks/deploy/qa.yaml", "vars: {stage: qa}\ncomponents: {terraform: {eks: {vars: {a: 1}}}}\n")
        .commit("another");
    repo.run(&["merge", &ours, "HEAD"]).ends_with(0).says("independent");
}

#[test]
fn a_locked_version_that_the_other_side_does_not_allow() {
    let lock = |version: &str| format!("provider \"registry.opentofu.org/acme/x\" {{\n  version = \"{version}\"\n}}\n");
    let code = |constraint: &str| {
        format!(
            "terraform {{\n  backend \"local\" {{}}\n  required_providers {{\n    x = {{\n      source  = \"acme/x\"\n      version = \"{constraint}\"\n    }}\n  }}\n}}\n"
        )
    };
    let (path, locked) = ("live/.terraform.lock.hcl", lock("1.4.0"));
    for (constraint, is_met) in [("~> 1.2", false), (">= 1.2", true)] {
        let repo = Repo::new();
        repo.write("live/main.tf", code(">= 1.0")).write(path, &locked).commit("base");
        repo.git(&["branch", "ours"]);
        repo.write(path, lock("2.0.0")).commit("a newer version");
        repo.git(&["branch", "theirs"]);
        repo.git(&["checkout", "--quiet", "ours"]);
        repo.write("live/main.tf", code(constraint)).commit("a narrower constraint");
        let run = repo.run(&["merge", "ours", "theirs"]).ends_with(i32::from(!is_met));
        assert_eq!(run.stdout.contains("tofu-locked-version"), !is_met, "{run}");
    }
}
