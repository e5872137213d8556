//! The report as a reviewer reads it: one finding for one cause, the verdict first, and as long as one can read.

use crate::common::Repo;

const COMPONENTS: [&str; 8] = ["a", "b", "c", "d", "e", "f", "g", "h"];

/// Four stacks with eight components each. Each component keeps its state under its own name, and later all share one.
fn repo() -> Repo {
    let repo = Repo::atmos();
    let names = COMPONENTS.map(|name| format!("    {name}:\n      vars: {{enabled: true}}\n")).concat();
    let catalog = |key: &str| {
        format!(
            "terraform:\n  backend_type: s3\n  backend:\n    s3:\n      bucket: acme\n{key}components:\n  terraform:\n{names}"
        )
    };
    repo.write("stacks/catalog/all.yaml", catalog(""));
    for stage in ["dev", "test", "stage", "prod"] {
        let text = format!("import: [catalog/all]\nvars: {{stage: {stage}}}\n");
        repo.write(&format!("stacks/deploy/{stage}.yaml"), text);
    }
    repo.commit("base");
    repo.tag("base").write("stacks/catalog/all.yaml", catalog("      workspace_key_prefix: shared\n"));
    repo.commit("head");
    repo
}

#[test]
fn one_cause_is_one_finding_in_all_formats() {
    let repo = repo();
    let of = |format: &str| repo.run(&["diff", "base..HEAD", "--format", format]);
    let text = of("text")
        .says("32 components in 4 stacks will use another state")
        .says("\"a\" → \"shared\"  in a of dev, prod, stage, test");
    assert_eq!(text.stdout.matches("danger[state-address-changed]").count(), 1, "{text}");
    assert!(text.stdout.lines().count() < 90, "{text}");
    let json = of("json").json();
    let findings = json["diagnostics"].as_array().unwrap();
    assert_eq!(findings.len(), 1);
    assert_eq!(findings[0]["addresses"].as_array().unwrap().len(), 32);
    let details = findings[0]["addresses"][0]["details"].as_str().unwrap();
    assert_eq!(details, "`backend.workspace_key_prefix` `a` → `shared`");
    assert_eq!(findings[0]["fingerprints"].as_array().unwrap().len(), 8, "one for each text");
    let annotations = of("github").stdout;
    assert_eq!(annotations.matches("::error").count(), 1, "{annotations}");
    let sarif = of("sarif").json();
    assert_eq!(sarif["runs"][0]["results"].as_array().unwrap().len(), 1);
    let all = repo.run(&["diff", "base..HEAD", "--all"]);
    assert!(all.stdout.contains("h in test: ") && !all.stdout.contains(" more"), "{all}");
}

#[test]
fn a_baseline_knows_each_of_the_findings() {
    let repo = repo();
    repo.run(&["diff", "base..HEAD", "--write-baseline", "known.json"]).ends_with(0);
    let run = repo.run(&["diff", "base..HEAD", "--baseline", "known.json"]).ends_with(0);
    run.hides("danger[").says("8 suppressed");
}

#[test]
fn a_long_report_starts_with_its_verdict() {
    let repo = Repo::atmos();
    let vars = |value: &str| (0..120).map(|i| format!("        v{i}: {value}{i}\n\n")).collect::<String>();
    let stack = |value: &str| {
        format!("vars: {{stage: dev}}\ncomponents:\n  terraform:\n    vpc:\n      vars:\n{}", vars(value))
    };
    repo.write("stacks/deploy/dev.yaml", stack("old")).commit("base");
    repo.tag("base").write("stacks/deploy/dev.yaml", stack("new")).commit("head");
    let run = repo.run(&["diff", "base..HEAD"]).ends_with(0);
    let first = run.stdout.lines().next().unwrap_or_default();
    assert_eq!(first, "~ 120 changes reach 1 component in 1 stack", "{run}");
    assert!(run.stdout.lines().count() <= 60, "{run}");
    assert!(run.stdout.contains("more blocks of changes") && run.stdout.contains("--all shows everything"), "{run}");
    assert!(run.stdout.contains("\"old0\" → \"new0\""), "both values stay visible: {run}");
    let all = repo.run(&["diff", "base..HEAD", "--all"]).stdout;
    assert!((0..120).all(|i| all.contains(&format!("\"old{i}\" → \"new{i}\""))));
}

#[test]
fn different_values_say_whose_they_are() {
    let run = repo().run(&["diff", "base..HEAD"]);
    run.says("8 different values").says("in a of dev, prod, stage, test");
}

#[test]
fn severe_findings_come_first() {
    let repo = Repo::atmos();
    repo.write(
        "stacks/deploy/a.yaml",
        "vars: {stage: a}\ncomponents: {terraform: {vpc: {metadata: {inherits: [nothing]}}}}\n",
    );
    repo.write("stacks/deploy/z.yaml", "import: [catalog/none]\nvars: {stage: z}\n");
    let run = repo.run(&["check"]).ends_with(1);
    let levels: Vec<&str> = run
        .stdout
        .lines()
        .filter_map(|line| line.split_once('[').map(|(level, _)| level))
        .filter(|level| ["error", "warning", "note"].contains(level))
        .collect();
    let mut sorted = levels.clone();
    sorted.sort_by_key(|level| ["error", "warning", "note"].iter().position(|l| l == level));
    assert_eq!(levels, sorted, "{run}");
}

#[test]
fn what_is_staged_before_the_first_commit() {
    let repo = Repo::atmos();
    repo.write("stacks/deploy/dev.yaml", "vars: {stage: dev}\ncomponents: {terraform: {vpc: {vars: {a: 1}}}}\n");
    repo.git(&["add", "."]);
    repo.run(&["diff", "--staged"]).ends_with(0).says("1 component in 1 stack (1 added)");
}

#[test]
fn a_narrowed_report_says_so() {
    let repo = repo();
    repo.run(&["diff", "base..HEAD", "--stack", "dev"])
        .says("limited to stacks `dev`: changes and findings of others are not shown");
    let run = repo.run(&["diff", "base..base", "--stack", "dev", "--component", "a"]).ends_with(0);
    run.says("limited to stacks `dev` and components `a`");
}
