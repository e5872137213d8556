//! No false all-clear: unresolved parts are never reported as removed, unchanged or fixed, in any format.

use crate::common::{ATMOS, Repo, Run};
use crate::damage::{Damage, damages, names, unresolved};
use serde_json::Value as Json;

const NET: &str = "components: {terraform: {net: {vars: {cidr: 10.0.0.0/8}}}}\n";

fn stack(stage: &str) -> String {
    format!(
        "import: [catalog/net]\nvars: {{stage: {stage}}}\ncomponents: {{terraform: {{box: {{vars: {{size: 1}}}}}}}}\n"
    )
}

/// Two stacks with two components each.
fn repo() -> Repo {
    let repo = Repo::atmos();
    repo.write("stacks/catalog/net.yaml", NET);
    for stage in ["dev", "prod"] {
        repo.write(&format!("stacks/deploy/{stage}.yaml"), stack(stage));
    }
    repo.commit("good");
    repo
}

damages! {
    broken_on_the_head broken_on_the_base broken_on_both_sides: {
        a_broken_configuration => |r| r.write("atmos.yaml", format!("{ATMOS}  : {{\n")), ["dev", "prod"], "did not find expected";
        a_deleted_configuration => |r| r.remove("atmos.yaml"), ["dev", "prod"], "atmos.yaml is not in";
        an_empty_configuration => |r| r.write("atmos.yaml", ""), ["dev", "prod"], "stacks.base_path";
        a_mistyped_base_path => |r| r.edit("atmos.yaml", "base_path: stacks", "base_path: stack"), ["dev", "prod"], "no stack manifests found";
        a_mistyped_included_paths => |r| r.edit("atmos.yaml", "deploy/**/*", "deploi/**/*"), ["dev", "prod"], "no stack manifests found";
        a_name_pattern_that_nothing_fits => |r| r.edit("atmos.yaml", "{stage}", "{tenant}-{stage}"), ["dev", "prod"], "tenant";
        a_missing_import => |r| r.edit("stacks/deploy/dev.yaml", "catalog/net", "catalog/nett"), ["dev"], "catalog/nett";
        a_deleted_import => |r| r.remove("stacks/catalog/net.yaml"), ["dev", "prod"], "catalog/net";
        a_manifest_that_is_moved_and_broken => |r| r.remove("stacks/deploy/dev.yaml").write("stacks/deploy/development.yaml", stack("dev").replace("catalog/net", "catalog/nett")), ["dev"], "catalog/nett";
    }
}

/// A pattern with an unexpected meaning has the same meaning on both sides, so only one side is broken.
mod of_one_side {
    use super::*;

    damages! {
        broken_on_the_head broken_on_the_base: {
            a_mistyped_name_pattern => |r| r.edit("atmos.yaml", "'{stage}'", "'{stage}-{stag}'"), ["dev", "prod"], "{stag}";
        }
    }
}

/// Checks that no format reports a lost stack as removed or added.
#[track_caller]
fn is_silent_about(run: &Run, lost: &[&str], what: &str) {
    for component in run.json()["components"].as_array().unwrap() {
        let stack = component["stack"].as_str().unwrap();
        assert!(!lost.contains(&stack), "{what}: {run}");
    }
}

/// A text with one space between its words.
fn joined(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn broken_on_the_head(damage: &Damage) {
    let Damage { name, edit, lost, reason } = *damage;
    let repo = repo();
    edit(&repo);
    repo.commit("bad");
    let range = "HEAD~1..HEAD";
    let json = repo.run(&["diff", range, "--format", "json"]).ends_with(1);
    assert_eq!(names(&json.json(), "head"), lost, "{name}: {json}");
    assert!(unresolved(&json.json(), "head").iter().all(|(_, r)| r.contains(reason)), "{name}: {json}");
    assert!(names(&json.json(), "base").is_empty(), "{name}: {json}");
    is_silent_about(&json, lost, name);
    let fixed = json.json()["diagnostics"].as_array().unwrap().iter().any(|d| d["status"] == "fixed");
    assert!(!fixed, "{name}: {json}");

    let text = repo.run(&["diff", range]).ends_with(1).hides("No effective change").hides("removed");
    let lead = text.stdout.lines().take_while(|l| !l.is_empty()).collect::<Vec<_>>().join("\n");
    assert!(lead.contains("no longer resolve") && lost.iter().all(|s| lead.contains(s)), "{name}: {text}");
    // A finding may say why.
    assert!(joined(&text.stdout).contains(reason), "{name}: {text}");
    let last = text.stdout.lines().last().unwrap();
    assert!(last.starts_with("compared ") && last.ends_with("atmos.yaml"), "{name}: {text}");

    let markdown = repo.run(&["diff", range, "--format", "markdown"]).ends_with(1).hides("No effective change");
    assert!(markdown.stdout.contains("no longer resolve"), "{name}: {markdown}");
    let github = repo.run(&["diff", range, "--format", "github"]).ends_with(1);
    let first = github.stdout.lines().find(|l| l.starts_with("::error")).unwrap();
    assert!(first.contains("no longer resolve"), "{name}: {github}");
    // Whatever may be affected is planned; nothing of it is deleted.
    let run = repo.run(&["diff", range, "--format", "affected"]).ends_with(1).complains("no longer resolve");
    let items = run.json();
    let is_lost = |item: &&serde_json::Value| lost.contains(&item["stack"].as_str().unwrap());
    let is_kept = |item: &serde_json::Value| item["affected"] == "unresolved" && item.get("deleted").is_none();
    assert!(items.as_array().unwrap().iter().filter(is_lost).all(is_kept), "{name}: {run}");
    let none = repo.run(&["diff", range, "--format", "affected", "--fail-on", "never"]);
    none.ends_with(1);
}

fn broken_on_the_base(damage: &Damage) {
    let Damage { name, edit, lost, .. } = *damage;
    let repo = repo();
    repo.tag("good");
    edit(&repo);
    repo.commit("bad");
    let json = repo.run(&["diff", "HEAD..good", "--format", "json"]).ends_with(0);
    assert_eq!(names(&json.json(), "base"), lost, "{name}: {json}");
    assert!(names(&json.json(), "head").is_empty(), "{name}: {json}");
    is_silent_about(&json, lost, name);
    repo.run(&["diff", "HEAD..good"]).ends_with(0).hides("No effective change").says("not compared");
    repo.run(&["diff", "HEAD..good", "--format", "markdown"]).ends_with(0).says("not compared");
    repo.run(&["diff", "HEAD..good", "--format", "affected"]).ends_with(1);
    repo.run(&["diff", "HEAD..good", "--exit-code"]).ends_with(1);
    repo.run(&["diff", "HEAD..good", "--strict"]).ends_with(1);
}

fn broken_on_both_sides(damage: &Damage) {
    let Damage { name, edit, lost, .. } = *damage;
    let repo = repo();
    edit(&repo);
    repo.write("stacks/other.txt", "1").commit("bad");
    repo.write("stacks/other.txt", "2").commit("worse");
    let range = "HEAD~1..HEAD";
    let json = repo.run(&["diff", range, "--format", "json"]);
    let coverage = json.json()["coverage"]["projects"][0].clone();
    // Without a configuration, defaults are used.
    let is_counted =
        |side: &str| !coverage[side]["unresolved"].as_array().unwrap().is_empty() || coverage[side]["stacks"] == 0;
    assert!(is_counted("base") && is_counted("head"), "{name}: {json}");
    assert_eq!(json.json()["components"].as_array().unwrap().len(), 0, "{name}: {json}");
    // If nothing at all was analyzed, the run does not succeed.
    let expected = i32::from(lost.len() == 2);
    assert_eq!(json.status, expected, "{name}: {json}");
    repo.run(&["ci", "--base", "HEAD~1"]).ends_with(expected);
    for format in ["text", "markdown"] {
        repo.run(&["diff", range, "--format", format]).hides("No effective change");
    }
    for more in [&["--exit-code"][..], &["--strict"], &["--format", "affected"], &["--format", "matrix"]] {
        repo.run(&[&["diff", range], more].concat()).ends_with(1);
    }
    let hook = repo.write("stacks/third.yaml", "a: 1\n");
    hook.git(&["add", "--all"]);
    let hook = repo.run(&["hook", "run"]);
    assert_eq!(hook.status, 0, "{name}: {hook}");
    repo.run(&["hook", "run", "--strict"]).ends_with(1);
}

/// The stack has no component left that resolves, and is not removed for that.
#[test]
fn a_component_whose_base_is_gone() {
    let repo = repo();
    repo.edit("stacks/deploy/dev.yaml", "box: {", "box: {metadata: {inherits: [net]}, ").commit("inherits");
    repo.write("stacks/catalog/net.yaml", "").commit("emptied");
    let range = "HEAD~1..HEAD";
    let json = repo.run(&["diff", range, "--format", "json"]).ends_with(1).json();
    let changed = json["components"].as_array().unwrap().iter();
    let changed: Vec<String> = changed.map(|c| format!("{} {} {}", c["stack"], c["component"], c["status"])).collect();
    let removed = ["\"dev\" \"net\" \"removed\"", "\"prod\" \"net\" \"removed\""];
    assert_eq!(changed, removed, "{json:#}");
    assert_eq!(json["coverage"]["projects"][0]["head"]["unresolved"][0]["component"], "box", "{json:#}");
    let text = repo.run(&["diff", range]).ends_with(1).says("1 component no longer resolves: box in dev");
    text.says("net in dev, prod").hides("stack `dev` is removed").hides("[stack-removed]");
    let affected = repo.run(&["diff", range, "--format", "affected"]).ends_with(1).json();
    let items = affected.as_array().unwrap().iter();
    let items: Vec<String> = items.map(|i| format!("{} {} {}", i["stack"], i["component"], i["affected"])).collect();
    let [dev, prod] = removed.map(|r| r.replace("removed", "deleted"));
    assert_eq!(items, ["\"dev\" \"box\" \"unresolved\"".to_owned(), dev, prod], "{affected:#}");
}

#[test]
fn a_project_in_which_nothing_is_found_on_either_side() {
    for (config, reason) in
        [(ATMOS.replace("deploy", "nowhere"), "no stack manifests found"), (ATMOS.into(), "no stack")]
    {
        let repo = Repo::new();
        repo.write("atmos.yaml", config).write("stacks/deploy/dev.yaml", "vars: {stage: dev}\n").commit("one");
        repo.write("stacks/deploy/dev.yaml", "vars: {stage: dev, size: 1}\n").commit("two");
        for format in ["text", "markdown"] {
            let run = repo.run(&["diff", "HEAD~1..HEAD", "--format", format]).ends_with(1).says("Nothing was compared");
            run.hides("No effective change").says(reason);
        }
        repo.run(&["diff", "HEAD~1..HEAD", "--format", "affected"]).ends_with(1);
        repo.run(&["ci", "--base", "HEAD~1"]).ends_with(1).says("Nothing was compared");
    }
}

#[test]
fn what_is_removed_with_its_files_is_removed() {
    let repo = repo();
    repo.remove("stacks/deploy/dev.yaml").commit("less");
    let run = repo.run(&["diff", "HEAD~1..HEAD", "--format", "json"]).ends_with(1);
    assert_eq!(run.json()["components"].as_array().unwrap().len(), 2, "{run}");
    assert_eq!(run.json()["components"][0]["status"], "removed", "{run}");
    for path in ["stacks/deploy/prod.yaml", "stacks/catalog/net.yaml", "atmos.yaml"] {
        repo.remove(path);
    }
    repo.commit("nothing");
    let run = repo.run(&["diff", "HEAD~1..HEAD", "--format", "json"]);
    assert_eq!(run.json()["components"].as_array().unwrap().len(), 2, "{run}");
}

#[test]
fn findings_of_a_removed_stack_go_with_it() {
    let repo = repo();
    let wrong = stack("dev").replace("size: 1", "size: '{{ .nothing | nope }}'");
    repo.write("stacks/deploy/dev.yaml", wrong).commit("wrong");
    repo.remove("stacks/deploy/dev.yaml").commit("less");
    let run = repo.run(&["diff", "HEAD~1..HEAD", "--format", "json"]).ends_with(1);
    let statuses: Vec<_> = run.json()["diagnostics"].as_array().unwrap().iter().map(|d| d["status"].clone()).collect();
    assert!(!statuses.contains(&Json::from("fixed")), "{run}");
    assert!(statuses.contains(&Json::from("removed")), "{run}");
    repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(1).says("1 removed together with their subject").hides("(fixed)");
}

#[test]
fn what_was_analyzed_is_in_every_format() {
    let repo = repo();
    repo.edit("stacks/deploy/dev.yaml", "size: 1", "size: 2").commit("change");
    let line = "compared 2 stacks, 2 components (no edit reaches 1 of the stacks); atmos.yaml";
    for format in ["text", "markdown", "github", "junit", "sarif"] {
        repo.run(&["diff", "HEAD~1..HEAD", "--format", format]).ends_with(0).says(line);
    }
    for format in ["concise", "gitlab", "rdjson", "affected", "matrix"] {
        repo.run(&["diff", "HEAD~1..HEAD", "--format", format]).ends_with(0).hides("compared").complains(line);
    }
    let report = repo.run(&["diff", "HEAD~1..HEAD", "--format", "json"]).ends_with(0).json();
    let side = serde_json::json!({"stacks": 2, "components": 2, "untouched": 1, "unresolved": []});
    let expected = serde_json::json!({"projects": [
        {"dialect": "atmos", "path": ".", "config": ["atmos.yaml"], "base": side, "head": side}
    ]});
    assert_eq!(report["coverage"], expected);
    repo.run(&["check"]).ends_with(0).says("checked 2 stacks, 4 components; atmos.yaml");
    let sarif = repo.run(&["check", "--format", "sarif"]).ends_with(0).json();
    assert_eq!(sarif["runs"][0]["invocations"][0]["properties"]["coverage"]["projects"][0]["head"]["stacks"], 2);
    repo.run(&["config"]).ends_with(0).says("2 stacks, 4 components").says("atmos.yaml");
}

#[test]
fn analyzing_nothing_is_an_error() {
    let repo = repo();
    for arguments in [
        &["diff", "HEAD..HEAD", "--stack", "prdo"][..],
        &["diff", "HEAD..HEAD", "--component", "bax"],
        &["describe", "stacks", "--stack", "prdo"],
        &["describe", "stacks", "--component", "bax"],
    ] {
        let run = repo.run(arguments).ends_with(2);
        assert!(run.stderr.contains("did you mean `prod`?") || run.stderr.contains("did you mean `box`?"), "{run}");
    }
    repo.run(&["diff", "HEAD..HEAD", "--stack", "prod", "--component", "bax"]).ends_with(2).complains("box");
    let empty = Repo::new();
    empty.write("README.md", "x").commit("one");
    empty.run(&["diff", "HEAD"]).ends_with(2).complains("no project");
    empty.run(&["check"]).ends_with(2).complains("no project");
    let bare = Repo::atmos();
    bare.write("stacks/deploy/dev.yaml", "vars: {stage: dev}\n").commit("one");
    bare.run(&["check"]).ends_with(1).says("nothing to analyze");
    bare.run(&["describe", "stacks"]).ends_with(1).complains("nothing to analyze");
    bare.run(&["diff", "HEAD"]).ends_with(1);
}

#[test]
fn a_pattern_of_the_settings_that_matches_nothing_is_a_warning() {
    let repo = repo();
    let settings = "protected = ['*-prd', 'prod']\n[[overrides]]\npaths = ['stakcs/**']\nreason = 'x'\nrules = {}\n";
    repo.write("stacklint.toml", settings).commit("settings");
    for arguments in [&["check"][..], &["diff", "HEAD~1..HEAD", "--settings-from", "head"]] {
        let run = repo.run(arguments).ends_with(0).says("no stack matches `*-prd`").says("no file matches `stakcs/**`");
        assert!(!run.stdout.contains("`prod`"), "{run}");
    }
}

#[test]
fn what_is_wrong_with_the_configuration_is_said_of_its_file() {
    let repo = repo();
    let schemas = "schemas: {atmos: {manifest: schemas/manifest.json}}\n";
    repo.write("schemas/manifest.json", "{}\n").write("atmos.yaml", format!("{ATMOS}{schemas}")).commit("a schema");
    repo.edit("atmos.yaml", "'{stage}'", "'{stage}-{stag}'").commit("mistyped");
    repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(1).says("the names of stacks change").says("--> atmos.yaml:1");
}
