//! Levels, comments, baselines, novelty and fixes, through the binary.

use crate::common::Repo;
use crate::contracts::{schema, validate};

/// A stack with one error: it imports what is not there.
const BROKEN: &str = "import: [catalog/gone]\nvars: {stage: dev}\n";

fn repo(text: &str) -> Repo {
    let repo = Repo::atmos();
    repo.write("stacks/deploy/dev.yaml", text).write("stacks/deploy/ok.yaml", "vars: {stage: ok}\n");
    repo
}

#[test]
fn levels_come_from_the_settings_of_the_revision() {
    let repo = repo(BROKEN);
    repo.run(&["check"]).ends_with(1).says("error[unresolved-import]");
    repo.write("stacklint.toml", "[rules]\nunresolved-import = 'warning'\n").commit("milder");
    repo.run(&["check"]).ends_with(0).says("warning[unresolved-import]").says("1 warning.");
    repo.run(&["check", "--fail-on", "warning"]).ends_with(1);
    repo.write("stacklint.toml", "[rules]\nunresolved-import = 'off'\n");
    repo.run(&["check"]).ends_with(0).says("No findings.");
    repo.run(&["check", "--rev", "HEAD"]).ends_with(0).says("warning[unresolved-import]");
    repo.write("stacklint.toml", "fail-on = 'never'\n");
    repo.run(&["check"]).ends_with(0).says("error[unresolved-import]");
    repo.run(&["check", "--fail-on", "error"]).ends_with(1);
    repo.run(&["check", "--fail-on", "error", "--exit-zero"]).ends_with(0);
    repo.write("stacklint.toml", "fail-on = 'nevr'\n");
    repo.run(&["check"]).ends_with(2).complains("stacklint.toml:1:11: unknown value `nevr`; did you mean `never`?");
}

#[test]
fn levels_can_differ_by_path() {
    let repo = repo(BROKEN);
    repo.write("stacks/deploy/old/dev.yaml", "import: [catalog/gone]\nvars: {stage: old}\n").write(
        "stacklint.toml",
        "[[overrides]]\npaths = ['stacks/deploy/old/**']\nreason = 'it goes away'\nrules = {unresolved-import = 'note'}\n",
    );
    let run = repo.run(&["check", "--format", "concise"]).ends_with(1);
    run.says("stacks/deploy/dev.yaml:1:10: error[").says("stacks/deploy/old/dev.yaml:1:10: note[");
}

#[test]
fn comments_silence() {
    let repo = repo(&BROKEN.replacen('\n', " # stacklint: ignore[unresolved-import] generated\n", 1));
    let run = repo.run(&["check"]).ends_with(0).says("No findings; 1 suppressed.");
    assert_eq!(run.stderr, "");
    let json = repo.run(&["check", "--format", "json"]).json();
    assert_eq!(json["suppressed"][0]["reason"], "generated");
    assert_eq!(json["diagnostics"].as_array().unwrap().len(), 0);
}

#[test]
fn a_baseline_is_written_and_kept() {
    let repo = repo(BROKEN);
    repo.run(&["check", "--write-baseline", "known.json"]).ends_with(0).complains("wrote 1 finding to");
    repo.run(&["check", "--baseline", "known.json"]).ends_with(0).says("1 suppressed");
    repo.write("stacklint.toml", "baseline = 'known.json'\n");
    repo.run(&["check"]).ends_with(0);
    repo.write("stacks/deploy/ok.yaml", "import: [catalog/missing]\nvars: {stage: ok}\n");
    repo.run(&["check"]).ends_with(1).says("catalog/missing").hides("]: import `catalog/gone` not found");
    repo.run(&["check", "--baseline", "none.json"]).ends_with(2).complains("cannot read the baseline none.json");
    repo.write("bad.json", "{}");
    repo.run(&["check", "--baseline", "bad.json"])
        .ends_with(2)
        .complains("bad.json: it was not written by --write-baseline");
}

#[test]
fn findings_of_two_commits_are_new_known_or_fixed() {
    let repo = repo("vars: {stage: dev}\nimport:\n- catalog/stays\n- catalog/goes\n");
    repo.commit("base");
    let moved = format!("{}vars: {{stage: dev}}\nimport:\n- catalog/stays\n- catalog/comes\n", "# more\n".repeat(20));
    repo.write("stacks/deploy/dev.yaml", moved).commit("head");
    let json = repo.run(&["diff", "HEAD~1..HEAD", "--format", "json"]).ends_with(1).json();
    let reported: Vec<(u64, &str, bool)> = json["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .map(|d| {
            let message = d["message"].as_str().unwrap();
            let name = ["stays", "goes", "comes"].into_iter().find(|n| message.contains(n)).unwrap();
            (d["line"].as_u64().unwrap(), d["status"].as_str().unwrap(), name == "stays")
        })
        .collect();
    // The file is still broken, so that nothing of it is fixed.
    assert_eq!(reported, [(23, "known", true), (24, "new", false)]);
    repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(1).says("✗ 1 error · Nothing was compared · 1 known");
    repo.write("stacks/deploy/ok.yaml", "vars: {stage: good}\ncomponents: {terraform: {box: {}}}\n").commit("next");
    repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(0);
}

#[test]
fn unused_comments_are_taken_out() {
    let text = "vars:\n  stage: dev # stacklint: ignore[duplicate-key] was twice\n  x: 1 # kept\ncomponents: {terraform: {box: {}}}\n";
    let repo = repo(text);
    repo.run(&["check"]).ends_with(0).says("warning[unused-ignore]");
    let run = repo.run(&["check", "--fix", "--diff"]).ends_with(1);
    run.says("-  stage: dev # stacklint: ignore[duplicate-key] was twice\n+  stage: dev\n")
        .complains("would apply 1 fix");
    repo.run(&["check"]).says("warning[unused-ignore]");
    repo.run(&["check", "--fix"]).ends_with(0).complains("applied 1 fix").says("No findings.");
    let path = repo.root().join("stacks/deploy/dev.yaml");
    assert_eq!(
        std::fs::read_to_string(path).unwrap(),
        "vars:\n  stage: dev\n  x: 1 # kept\ncomponents: {terraform: {box: {}}}\n"
    );
    repo.run(&["check", "--fix"]).ends_with(0).complains("applied 0 fixes");
    repo.run(&["check", "--fix", "--staged"]).ends_with(2);
}

#[test]
fn deprecated_keys_move_with_what_belongs_to_them() {
    let manifest = "vars: {stage: dev}\r\ncomponents:\r\n  terraform:\r\n    vpc: {}\r\n    app:\r\n      settings:\r\n        x: 1\r\n        # where it runs\r\n        depends_on:\r\n          1: {component: vpc} # the network\r\n      vars: {size: 1}\r\n";
    let repo = repo(manifest);
    repo.write("atmos.yaml", format!("{}docs:\n  # of help\n  max-width: 80\n", crate::common::ATMOS)).commit("base");
    repo.tag("base");
    let stacks = || {
        let mut stacks = repo.run(&["describe", "stacks", "--format", "json"]).ends_with(0).json();
        let app = &mut stacks["dev"]["components"]["terraform"]["app"];
        let legacy = app["settings"].as_object_mut().unwrap().remove("depends_on").is_some();
        let new = app.as_object_mut().unwrap().remove("dependencies").is_some();
        (stacks, legacy, new)
    };
    let needs = || {
        let graph = repo.run(&["graph", "dependencies", "--format", "text"]).ends_with(0).stdout;
        graph.replace("settings.depends_on", "dependencies.components")
    };
    let (before, needed) = (stacks(), needs());
    // Another program may read the old place.
    repo.run(&["check", "--fix"]).ends_with(0).complains("applied 0 fixes").says("warning[deprecated-key]");
    repo.run(&["check", "--unsafe-fixes"]).ends_with(0).complains("applied 2 fixes").says("No findings.");
    let read = |path: &str| std::fs::read_to_string(repo.root().join(path)).unwrap();
    assert!(read("atmos.yaml").ends_with("}\nsettings:\n  terminal:\n    # of help\n    max_width: 80\n"));
    let moved = "        x: 1\r\n      dependencies:\r\n        # where it runs\r\n        components:\r\n          - {component: vpc} # the network\r\n      vars: {size: 1}\r\n";
    assert!(read("stacks/deploy/dev.yaml").ends_with(moved), "{}", read("stacks/deploy/dev.yaml"));
    // The effective configuration differs in nothing but the place of the dependencies, and what needs what is the same.
    let after = stacks();
    assert_eq!((after.0, before.1, before.2, after.1, after.2), (before.0, true, false, false, true));
    assert_eq!(needs(), needed);
    repo.run(&["diff", "base", "--stack", "dev"]).ends_with(0).hides("vars");
}

#[test]
fn what_is_fetched_from_elsewhere_is_no_mistake() {
    let repo = repo("import: ['git::https://example.com/stacks.git//catalog/x.yaml']\nvars: {stage: dev}\n");
    repo.run(&["check"]).ends_with(0).says("note[incomplete-analysis]");
    repo.run(&["check", "--fail-on", "note"]).ends_with(0);
    repo.run(&["check", "--strict"]).ends_with(1);
}

#[test]
fn rules_can_be_listed_and_explained() {
    let repo = repo(BROKEN);
    repo.write("stacklint.toml", "[rules]\nunresolved-import = 'note'\n");
    let list = repo.run(&["rules"]).ends_with(0).says("correctness\n").says("suspicious\n");
    assert!(list.stdout.lines().any(|l| l.trim_start().starts_with("unresolved-import") && l.contains(" note ")));
    let json = repo.run(&["rules", "--format", "json"]).json();
    validate(&schema("rules.json"), &json);
    repo.run(&["explain", "unused-ignore"])
        .ends_with(0)
        .says("unused-ignore\nsuspicious · warning by default · since 0.1.0\n")
        .hides("```");
    repo.run(&["explain", "unused-ignor"]).ends_with(2).complains("did you mean `unused-ignore`?");
    let config = repo.run(&["config"]).ends_with(0);
    let line = |key: &str| config.stdout.lines().find(|l| l.starts_with(key)).unwrap().to_owned();
    let words = line("rules.unresolved-import");
    assert_eq!(words.split_whitespace().skip(1).collect::<Vec<_>>(), ["note", "stacklint.toml:2"]);
    assert!(line("fail-on").ends_with("default"));
    let json = repo.run(&["config", "--format", "json"]).json();
    validate(&schema("config.json"), &json);
}

#[test]
fn shells_and_manuals_are_served() {
    let repo = Repo::plain();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        repo.run(&["completions", shell]).ends_with(0).says("stacklint");
    }
    repo.run(&["man"]).ends_with(0).says(".TH stacklint 1");
    repo.run(&["man", "diff"]).ends_with(0).says(".TH stacklint-diff 1");
    repo.run(&["man", "dif"]).ends_with(2);
}

#[test]
fn rules_about_changes_fail_ci_where_settings_say_so() {
    let repo = Repo::atmos();
    let stack = |more: &str| format!("vars: {{stage: dev}}\ncomponents:\n  terraform:\n    box: {{}}\n{more}");
    repo.write("stacklint.toml", "fail-on = 'warning'\n");
    repo.write("stacks/deploy/dev.yaml", stack("    old: {vars: {a: 1}}\n")).commit("base");
    repo.tag("base");
    repo.write("stacks/deploy/dev.yaml", stack("")).commit("head");
    let ci = ["ci", "--base", "base"];
    repo.run(&ci).ends_with(1).says("component-removed");
    repo.run(&[&ci[..], &["--fail-on", "error"]].concat()).ends_with(0).says("component-removed");
    repo.write("stacklint.toml", "[rules]\ncomponent-removed = 'error'\n").commit("later");
    repo.tag("base").write("stacks/deploy/dev.yaml", "vars: {stage: dev}\ncomponents: {terraform: {other: {}}}\n");
    repo.commit("removed");
    repo.run(&["ci", "--base", "HEAD~1"]).ends_with(1).says("component-removed");
}
