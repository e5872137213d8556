//! Reports in numbers, and in one line.

use crate::common::{Repo, Run};

fn stack(stage: &str, size: u32) -> String {
    let components = format!("vpc: {{vars: {{size: {size}, cidr: a}}}}\n    dns: {{vars: {{size: {size}}}}}\n");
    format!("vars: {{stage: {stage}}}\ncomponents:\n  terraform:\n    {components}")
}

/// Three stacks: one is removed, and in another one two components get another size and one of them a name.
fn repo() -> Repo {
    let repo = Repo::atmos();
    for stage in ["dev", "prod", "test"] {
        repo.write(&format!("stacks/deploy/{stage}.yaml"), stack(stage, 1));
    }
    repo.commit("base");
    repo.tag("base").remove("stacks/deploy/prod.yaml");
    let named = stack("dev", 2).replace("cidr: a", "cidr: a, name: \"{{ .locals.nam }}\"") + "locals: {name: x}\n";
    repo.write("stacks/deploy/dev.yaml", named).commit("head");
    repo
}

/// The rows of a table, each as words with one blank between them.
fn rows(run: &Run) -> Vec<String> {
    run.stdout.lines().skip(1).map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

#[test]
fn numbers_by_rule_and_by_kind_of_change() {
    let run = repo().run(&["diff", "base..HEAD", "--statistics"]).ends_with(1);
    assert!(run.stdout.starts_with("✗ 1 danger, 1 error · "), "{run}");
    let rows = rows(&run);
    let has = |start: &str| assert!(rows.iter().any(|row| row.starts_with(start)), "{start}\n{run}");
    has("1 danger stack-removed ");
    has("1 error undefined-local ");
    has("2 components removed");
    has("2 components modified");
    has("2 values changed");
    has("1 value added");
    run.hides("stacks/deploy/");
}

#[test]
fn numbers_of_one_state() {
    let repo = repo();
    repo.write("stacks/deploy/test.yaml", stack("test", 1).replace("cidr: a", "a: \"{{ .locals.b }}{{ .locals.c }}\""));
    let run = repo.run(&["check", "--statistics"]).ends_with(1);
    assert!(rows(&run).iter().any(|row| row.starts_with("3 error undefined-local ")), "{run}");
}

#[test]
fn quiet_is_the_verdict() {
    let repo = repo();
    let run = repo.run(&["diff", "base..HEAD", "-q"]).ends_with(1);
    assert!(run.stdout.starts_with("✗ 1 danger, 1 error · ") && run.stdout.lines().count() == 1, "{run}");
    let run = repo.run(&["check", "--quiet"]).ends_with(1);
    assert_eq!(run.stdout, "1 error.\n", "{run}");
    repo.run(&["diff", "HEAD", "-q"]).ends_with(0).says("✓ No effective change · no new findings");
    // What is at risk and what is not known are parts of a verdict.
    repo.write("stacks/deploy/test.yaml", "components: [");
    let run = repo.run(&["diff", "HEAD", "-q"]).ends_with(1);
    assert!(run.stdout.lines().count() > 1 && run.stdout.starts_with('✗'), "{run}");
}

#[test]
fn they_are_about_text() {
    let repo = repo();
    for one in ["-q", "--statistics"] {
        repo.run(&["diff", "base..HEAD", one, "--format", "json"]).ends_with(2).complains("cannot be used with");
    }
    let run = repo.run(&["diff", "base..HEAD", "-q", "--output", "json=a.json", "--output", "text"]).ends_with(1);
    assert_eq!(run.stdout.lines().count(), 1, "{run}");
    assert!(std::fs::read_to_string(repo.root().join("a.json")).unwrap().contains("undefined-local"));
}
