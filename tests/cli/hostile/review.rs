//! A change cannot configure its own review.

use super::{DEV, project};
use crate::common::Repo;

/// A change that breaks an import, with whatever else it commits.
fn change(before: &[(&str, &str)], after: &[(&str, &str)]) -> Repo {
    let repo = project(&[]);
    before.iter().for_each(|(path, text)| {
        repo.write(path, text);
    });
    repo.commit("base");
    repo.tag("base").write("stacks/deploy/dev.yaml", format!("import: [gone]\n{DEV}"));
    after.iter().for_each(|(path, text)| {
        repo.write(path, text);
    });
    repo.commit("head");
    repo
}

/// Settings and comments of the head hide nothing: the file that it writes, and its text.
fn hides_nothing(_: &str, (path, text): (&str, &str)) {
    let repo = change(&[], &[(path, text)]);
    let run = repo.run(&["diff", "base..HEAD"]).ends_with(1).says("error[unresolved-import]").says("review-changed");
    if !text.contains("fail-on") {
        run.says("would suppress 1 error");
    }
    repo.run(&["ci", "--base", "base"]).ends_with(1).says("error[unresolved-import]");
    repo.git(&["reset", "--soft", "base"]);
    repo.run(&["hook", "run"]).ends_with(1).says("unresolved-import");
    repo.git(&["commit", "--quiet", "-m", "head"]);
    // A user who trusts the change can say so.
    let trusting = repo.run(&["diff", "base..HEAD", "--settings-from", "head"]).hides("review-changed");
    // But whatever is reported of the cause, a stack that does not resolve is lost.
    match text.contains("fail-on") {
        true => trusting.ends_with(0),
        false => trusting.ends_with(1).complains("exit code 1: dev does not resolve"),
    };
    // From the next commit on it counts.
    repo.write("stacks/deploy/other.yaml", DEV.replace("stage: dev", "stage: other")).commit("later");
    repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(0).hides("review-changed");
}

cases! {
    hides_nothing:
    fail_on_never => ("stacklint.toml", "fail-on = 'never'\n");
    a_rule_that_is_off => ("stacklint.toml", "[rules]\nunresolved-import = 'off'\n");
    a_group_that_is_off => ("stacklint.toml", "[groups]\ncorrectness = 'off'\n[limits]\nimports = 1\n");
    a_minimum_level => ("stacklint.toml", "min-level = 'error'\n[rules]\nunresolved-import = 'note'\n");
    an_override => ("stacklint.toml", "[[overrides]]\npaths = ['**']\nreason = 'x'\nrules = {unresolved-import = 'off'}\n");
    a_comment => (
        "stacks/deploy/dev.yaml",
        "# stacklint: ignore-file[unresolved-import] x\nimport: [gone]\nvars: {stage: dev}\ncomponents: {terraform: {box: {vars: {size: 1}}}}\n",
    );
}

#[test]
fn nothing_suppresses_what_the_change_says_of_itself() {
    let settings = "[groups]\nchange = 'off'\nsuspicious = 'off'\n";
    let own = format!("# stacklint: ignore-file[review-changed] x\n{settings}min-level = 'error'\n");
    let repo = change(&[("stacklint.toml", settings)], &[("stacklint.toml", &own)]);
    // `min-level` is inside of a table, where it is unknown.
    repo.run(&["diff", "base..HEAD"]).ends_with(2);
    let text = format!("fail-on = 'never'\n{settings}");
    repo.write("stacklint.toml", text).commit("head");
    repo.run(&["diff", "base..HEAD"]).ends_with(1).says("review-changed").says("`fail-on` to `never`");
}

#[test]
fn no_baseline_suppresses_what_the_change_says_of_itself() {
    let repo = change(&[], &[("stacklint.toml", "fail-on = 'never'\n")]);
    repo.run(&["check", "--write-baseline", "known.json"]).ends_with(0);
    let known = std::fs::read_to_string(repo.root().join("known.json")).unwrap();
    let report: serde_json::Value =
        serde_json::from_str(&repo.run(&["diff", "base..HEAD", "--format", "json"]).stdout).unwrap();
    let fingerprint = |rule: &str| {
        let all = report["diagnostics"].as_array().unwrap();
        all.iter().find(|d| d["rule"] == rule).unwrap()["fingerprint"].as_str().unwrap().to_owned()
    };
    let (import, review) = (fingerprint("unresolved-import"), fingerprint("review-changed"));
    assert!(known.contains(&import), "{known}");
    std::fs::write(repo.beside("known.json"), &known).unwrap();
    repo.run(&["diff", "base..HEAD", "--baseline", "../known.json"]).hides("error[unresolved-import]");
    std::fs::write(
        repo.beside("known.json"),
        known.replace(&import, &review).replace("unresolved-import", "review-changed"),
    )
    .unwrap();
    repo.run(&["diff", "base..HEAD", "--baseline", "../known.json"]).says("[review-changed]");
}

#[test]
fn baselines_of_the_head_hide_nothing() {
    let repo = change(&[], &[]);
    repo.run(&["check", "--write-baseline", "known.json"]).ends_with(0);
    repo.write("stacklint.toml", "baseline = 'known.json'\n").commit("head");
    repo.run(&["check"]).ends_with(0);
    repo.run(&["diff", "base..HEAD"]).ends_with(1).says("unresolved-import").says("would suppress 1 error");
    repo.run(&["diff", "base..HEAD", "--baseline", "known.json"]).ends_with(1).says("unresolved-import");
    // Whatever is reported of the cause, a stack that does not resolve is lost.
    let lost = "exit code 1: dev does not resolve\n";
    repo.run(&["diff", "base..HEAD", "--settings-from", "head"]).ends_with(1).complains(lost);
    std::fs::copy(repo.root().join("known.json"), repo.beside("known.json")).unwrap();
    repo.run(&["diff", "base..HEAD", "--baseline", "../known.json"]).ends_with(1).complains(lost);
}

#[test]
fn what_the_base_settled_stays_settled() {
    let comment = "# stacklint: ignore[unresolved-import] known\n";
    let ignored = format!("import:\n{}  - gone\n{DEV}", comment.replace('#', "  #"));
    let repo = project(&[("stacks/deploy/old.yaml", &ignored.replace("stage: dev", "stage: old"))]);
    repo.tag("base");
    // An edit elsewhere in the file moves the comment.
    repo.edit("stacks/deploy/old.yaml", "import:", "# words\n\nimport:").commit("head");
    repo.run(&["diff", "base..HEAD"]).ends_with(0).hides("review-changed");
    // The same comment at another place is another one.
    repo.edit("stacks/deploy/old.yaml", "  - gone", "  - worse").commit("worse");
    repo.run(&["diff", "base..HEAD"]).ends_with(1).says("review-changed").says("would suppress 1 error");
}

#[test]
fn the_first_commit_has_no_base() {
    let repo = Repo::atmos();
    repo.write("stacks/deploy/dev.yaml", format!("import: [gone]\n{DEV}"));
    repo.write("stacklint.toml", "[rules]\nunresolved-import = 'warning'\n").git(&["add", "--all"]);
    repo.run(&["hook", "run"])
        .ends_with(1)
        .says("warning[unresolved-import]")
        .complains("stacks/deploy/dev.yaml does not");
}
