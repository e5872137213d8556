//! Workflows name components that stacks have, or do not have.

use crate::common::Repo;

const CONFIG: &str = "base_path: .\n\
    stacks: {base_path: stacks, included_paths: ['deploy/**/*'], name_template: '{{ .vars.stage }}'}\n\
    components: {terraform: {base_path: components/terraform}}\n\
    workflows: {base_path: stacks/workflows}\n";

/// One commit edits a value of one stack and a workflow below the folder of the stacks, which no stack reads.
#[test]
fn diff_finds_a_command_that_names_no_component() {
    let repo = Repo::new();
    let stack = |stage: &str, size: u32| {
        format!("vars: {{stage: {stage}}}\ncomponents: {{terraform: {{vpc: {{vars: {{size: {size}}}}}}}}}\n")
    };
    let workflow =
        |name: &str| format!("workflows:\n  rollout:\n    steps:\n    - command: terraform apply {name} -s dev\n");
    repo.write("atmos.yaml", CONFIG).write("stacks/workflows/rollout.yaml", workflow("vpc"));
    for stage in ["dev", "stage", "prod"] {
        repo.write(&format!("stacks/deploy/{stage}.yaml"), stack(stage, 1));
    }
    repo.commit("base");
    repo.write("stacks/deploy/dev.yaml", stack("dev", 2)).write("stacks/workflows/rollout.yaml", workflow("vcp"));
    repo.commit("head");
    let run = repo.run(&["diff", "HEAD~1..HEAD", "--format", "concise", "--fail-on", "warning"]).ends_with(1);
    run.says("stacks/workflows/rollout.yaml:4:32: warning[undefined-command-target]").says("`vcp`");
    // An edit of the stack alone changes nothing about it.
    repo.write("stacks/deploy/dev.yaml", stack("dev", 3)).commit("later");
    repo.run(&["diff", "HEAD~1..HEAD", "--fail-on", "warning"]).ends_with(0).hides("undefined-command-target");
}
