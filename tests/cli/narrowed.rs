//! Reports that are limited to stacks, components, or to what files reach.

use super::contracts::{schema, validate};
use crate::common::Repo;

fn stack(stage: &str, cidr: &str) -> String {
    format!(
        "import: [catalog/vpc]\nvars: {{stage: {stage}}}\ncomponents:\n  terraform:\n    vpc:\n      vars:\n        cidr: {cidr}\n    queue:\n      vars: {{size: 1}}\n"
    )
}

const CATALOG: &str = "components:\n  terraform:\n    vpc:\n      vars:\n        name: net\n";

/// `base`, and a worktree that changes a catalog, a stack and the code of a component.
fn repo() -> Repo {
    let repo = Repo::atmos();
    repo.write("stacks/catalog/vpc.yaml", CATALOG);
    repo.write("stacks/deploy/dev.yaml", stack("dev", "10.1.0.0/16"));
    repo.write("stacks/deploy/prod.yaml", stack("prod", "10.2.0.0/16"));
    repo.write("components/terraform/vpc/main.tf", "variable \"cidr\" {}\nvariable \"name\" {}\n");
    repo.write("components/terraform/queue/main.tf", "variable \"size\" {}\n").commit("base");
    repo.write("stacks/catalog/vpc.yaml", CATALOG.replace("net", "network"));
    repo.write("stacks/deploy/prod.yaml", stack("prod", "10.3.0.0/16").replace("size: 1", "size: 2"));
    repo.write("components/terraform/queue/main.tf", "variable \"size\" {}\n# edited\n");
    repo
}

fn first_lines(text: &str) -> String {
    text.lines().take(3).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_diff_shows_what_files_reach() {
    let repo = repo();
    let run = repo.run(&["diff", "HEAD", "--", "stacks/catalog/vpc.yaml"]).ends_with(0);
    assert!(first_lines(&run.stdout).contains("limited to what `stacks/catalog/vpc.yaml` reaches"), "{run}");
    let run = run.says("vars.name").hides("vars.size").hides("queue");
    // Other changes of a component that the file affects are shown as well.
    run.says("10.3.0.0/16");
    let run = repo.run(&["diff", "HEAD", "--", "stacks/deploy/prod.yaml"]).ends_with(0);
    run.says("vars.size").says("of prod").hides("of dev");
    for path in ["components/terraform/queue", "components/terraform/queue/main.tf", "components/terraform/q*/*.tf"] {
        let run = repo.run(&["diff", "HEAD", "--", path]).ends_with(0);
        run.says("queue").hides("vars.name").hides("vars.cidr");
    }
    let json = repo.run(&["diff", "HEAD", "--format", "json", "--", "stacks/catalog"]).ends_with(0).json();
    validate(&schema("report-v1.json"), &json);
    assert_eq!(
        json["coverage"]["narrowed"],
        "limited to what `stacks/catalog` reaches: changes and findings of others are not shown"
    );
}

#[test]
fn paths_begin_in_the_current_folder() {
    let repo = repo();
    let run = repo.run(&["-C", "stacks", "diff", "HEAD", "--", "catalog"]).ends_with(0);
    run.says("limited to what `stacks/catalog` reaches").says("vars.name").hides("vars.size");
}

#[test]
fn a_part_without_a_change_is_no_all_clear() {
    let repo = repo();
    repo.run(&["diff", "HEAD", "--exit-code", "--", "stacks/deploy/dev.yaml"]).ends_with(3);
    repo.write("stacks/catalog/vpc.yaml", CATALOG);
    repo.write("components/terraform/queue/main.tf", "variable \"size\" {}\n");
    let run = repo.run(&["diff", "HEAD", "--", "stacks/deploy/dev.yaml"]).ends_with(0);
    let run = run.says("limited to what").says("No effective change in this part.");
    assert!(!run.stdout.contains("No effective change.\n"), "{run}");
    for format in ["text", "markdown", "github"] {
        let run = repo.run(&["diff", "HEAD", "--stack", "dev", "--format", format]).ends_with(0);
        run.says("limited to stacks").says("No effective change in this part");
    }
}

#[test]
fn a_path_that_names_no_file_is_an_error() {
    let repo = repo();
    for (arguments, message) in [
        (&["diff", "HEAD", "--", "stacks/deploy/prdo.yaml"][..], "did you mean `stacks/deploy/prod.yaml`?"),
        (&["diff", "HEAD", "--", "stacks", "nowhere"], "no file matches `nowhere` in HEAD or worktree"),
        (&["check", "nowhere"], "no file matches `nowhere` in worktree"),
        (&["check", "stacks/*.yaml"], "no file matches `stacks/*.yaml`"),
        (&["check", "--stack", "prdo"], "no stack matches `prdo`; did you mean `prod`?"),
        (&["check", "--component", "vcp"], "no component matches `vcp`; did you mean `vpc`?"),
    ] {
        repo.run(arguments).ends_with(2).complains(message);
    }
    // A file that only one side has is there.
    repo.remove("stacks/deploy/dev.yaml");
    repo.run(&["diff", "HEAD", "--", "stacks/deploy/dev.yaml"]).says("dev").hides("vars.size");
}

#[test]
fn a_check_shows_what_is_requested() {
    let repo = repo();
    let broken = |stage: &str| stack(stage, "10.1.0.0/16").replace("{size: 1}", "{size: \"{{ .nothing }}\"}");
    repo.write("stacks/deploy/dev.yaml", broken("dev")).write("stacks/deploy/prod.yaml", broken("prod"));
    let all = repo.run(&["check"]).says("stacks/deploy/dev.yaml").says("stacks/deploy/prod.yaml");
    for arguments in
        [&["check", "stacks/deploy/dev.yaml"][..], &["check", "--stack", "dev"], &["check", "--stack", "d*"]]
    {
        let run = repo.run(arguments).ends_with(all.status);
        assert!(first_lines(&run.stdout).contains("limited to"), "{run}");
        run.says("stacks/deploy/dev.yaml").hides("stacks/deploy/prod.yaml");
    }
    let run = repo.run(&["check", "--rev", "HEAD", "--component", "vpc"]).ends_with(0);
    run.says("limited to components `vpc`").says("No findings in this part");
}

#[test]
fn what_keeps_a_stack_from_being_resolved_is_always_shown() {
    let repo = repo();
    repo.write("stacks/deploy/prod.yaml", "import: [nowhere]\nvars: {stage: prod}\n");
    repo.run(&["check", "stacks/deploy/dev.yaml"]).ends_with(1).says("nowhere");
}

#[test]
fn fixes_stay_in_the_part() {
    let repo = repo();
    let before = "vars: {stage: other, a: 0755}\ncomponents: {terraform: {vpc: {vars: {b: yes}}}}\n";
    repo.write("stacks/deploy/other.yaml", before);
    repo.run(&["check", "--unsafe-fixes", "stacks/deploy/dev.yaml"]);
    assert_eq!(std::fs::read_to_string(repo.root().join("stacks/deploy/other.yaml")).unwrap(), before);
}

#[test]
fn a_project_folder_that_is_not_there_is_an_error() {
    let repo = repo();
    repo.run(&["check", "--project", "stakcs"]).ends_with(2).complains("did you mean `stacks`?");
    repo.run(&["diff", "HEAD", "--project", "nowhere"]).ends_with(2).complains("there is no folder `nowhere`");
}
