//! Workflow files: the names in their steps.

use super::{World, dev};
use crate::dialects::atmos::Atmos;
use crate::dialects::{Dialect, Scope};
use crate::files::Files;
use crate::source::Memory;

fn world(steps: &str) -> World {
    let world = dev("").set("templates:", "workflows: {base_path: flows}\ntemplates:");
    world.file("flows/a.yaml", &format!("workflows:\n  w:\n    steps:\n{steps}"))
}

/// `by component stack` of what is named.
fn mentions(world: &World) -> Vec<String> {
    let source = Memory::new("memory", world.files.clone());
    let found = Atmos::new().resolve(&source, &world.project, &Files::default(), Scope::All).mentions;
    let name =
        |name: &Option<crate::resolution::MentionedName>| name.as_ref().map_or("-".to_owned(), |n| n.name.to_string());
    found.iter().map(|m| format!("{} {} {}", m.by, name(&m.component), name(&m.stack))).collect()
}

#[test]
fn steps_name_components_and_stacks() {
    for (step, expected) in [
        ("{command: terraform plan vpc -s dev}", "step `step1` of workflow `w` vpc dev"),
        ("{name: x, command: terraform plan vpc}", "step `x` of workflow `w` vpc -"),
        ("{command: terraform plan vpc -s dev, stack: prod}", "step `step1` of workflow `w` vpc prod"),
        ("{command: terraform plan --all, stack: prod}", "step `step1` of workflow `w` - prod"),
        (
            "{type: shell, command: atmos terraform plan vpc -s dev, stack: prod}",
            "step `step1` of workflow `w` vpc dev",
        ),
        ("{type: parallel, steps: [{command: helmfile diff web}]}", "step `step1` of workflow `w` web -"),
    ] {
        assert_eq!(mentions(&world(&format!("    - {step}\n"))), [expected], "{step}");
    }
    for step in [
        "{command: terraform plan $C -s dev}",
        "{command: terraform plan vpc, stack: !env STACK}",
        "{command: terraform plan vpc, stack: '{{ .env.STACK }}'}",
        "{command: terraform plan vpc, env: {ATMOS_BASE_PATH: x}}",
        "{command: terraform plan vpc, working_directory: x}",
        "{type: shell, command: 'cd x && atmos terraform plan vpc'}",
        "{type: confirm, command: terraform plan vpc}",
        "{command: [terraform plan vpc]}",
        "terraform plan vpc",
    ] {
        assert_eq!(mentions(&world(&format!("    - {step}\n"))), [""; 0], "{step}");
    }
}

#[test]
fn workflows_that_are_not_there() {
    let found = |steps: &str| world(steps).file("flows/b.yaml", "workflows: {v: {steps: []}}\n").findings();
    assert_eq!(
        found("    - command: workflow v\n    - command: workflow v -f b\n    - command: workflow w -f a.yaml\n"),
        [""; 0]
    );
    for (step, message) in [
        ("workflow x", "runs workflow `x`, which does not exist"),
        ("workflow v -f a", "runs workflow `v` of `a`, which does not exist"),
        ("workflow v --file=c", "runs a workflow of `c`, which does not exist"),
    ] {
        let found = found(&format!("    - command: {step}\n"));
        assert_eq!(found, [format!("undefined-workflow flows/a.yaml:4 step `step1` of workflow `w` {message}")]);
    }
    // A file that cannot be read may hold it.
    let unreadable = world("    - command: workflow x\n").file("flows/b.yaml", "workflows: [\n");
    assert_eq!(unreadable.findings(), [""; 0]);
}
