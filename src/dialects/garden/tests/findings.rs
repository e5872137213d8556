use super::*;

#[test]
fn what_is_wrong_is_found_at_its_line() {
    for (actions, expected) in [
        ("kind: Run\nname: x\ntype: exec\nspec: {command: ['${var.a']}\n", "template-error a/garden.yml:4"),
        ("kind: Run\nname: x\ntype: exec\nspec: {command: ['${uper(1)}']}\n", "unknown-function a/garden.yml:4"),
        ("kind: Run\nname: x\ntype: exec\nspec: {comand: [a]}\n", "invalid-config a/garden.yml:4"),
        ("kind: Run\nname: x\ntype: exec\nspec: {command: [1]}\n", "invalid-config a/garden.yml:4"),
        ("kind: Run\nname: X\ntype: exec\nspec: {command: [a]}\n", "invalid-config a/garden.yml:2"),
        ("kind: Run\nname: x\ntype: helm\n", "invalid-config a/garden.yml:3"),
        ("kind: Rum\nname: x\n", "invalid-config a/garden.yml:1"),
        ("name: x\n", "invalid-config a/garden.yml:1"),
        (
            "kind: Run\nname: x\ntype: exec\ndependencies: [build.y]\nspec: {command: [a]}\n",
            "undefined-dependency a/garden.yml:4",
        ),
        (
            "kind: Run\nname: x\ntype: exec\nspec: {command: ['${actions.build.y.version}']}\n",
            "undefined-dependency a/garden.yml:4",
        ),
        (
            "kind: Run\nname: x\ntype: exec\nspec: {command: ['${actions.builds.y.version}']}\n",
            "undefined-reference a/garden.yml:4",
        ),
        (
            "kind: Run\nname: x\ntype: exec\ndescription: '${actions.run.y.name}'\n",
            "garden-context-phase a/garden.yml:4",
        ),
        (
            "kind: Run\nname: x\ntype: exec\nvarfiles: [no.env]\nspec: {command: [a]}\n",
            "unresolved-include a/garden.yml:4",
        ),
        (
            "kind: Run\nname: x\ntype: exec\nspec: {command: {$if: '${var.stage}', $then: [a]}}\n",
            "template-error a/garden.yml:4",
        ),
        ("kind: Run\nname: x\nname: y\n", "duplicate-key a/garden.yml:3"),
        ("- a\n", "invalid-config a/garden.yml:1"),
        ("kind: RenderTemplate\nname: x\ntemplate: no\n", "undefined-reference a/garden.yml:3"),
        (
            "kind: Workflow\nname: x\nsteps: [{script: '${steps.b.log}'}, {name: b, script: a}]\n",
            "undefined-reference a/garden.yml:3",
        ),
    ] {
        let findings = World::with(actions).findings();
        assert!(!findings.is_empty() && findings.iter().all(|f| f.starts_with(expected)), "{actions}{findings:#?}");
    }
}

#[test]
fn what_may_come_from_another_repository_is_not_missing() {
    let action = "kind: Run\nname: x\ntype: exec\ndependencies: [deploy.redis]\n\
        spec: {command: ['${actions.build.y.version}']}\n---\nkind: Module\nname: m\ntype: exec\nbuild: {dependencies: [n]}\n";
    for (sources, is_open) in [
        ("", false),
        ("sources: []\n", false),
        ("sources: [{name: other, repositoryUrl: 'https://example.com/other.git#main'}]\n", true),
    ] {
        let world = World::of(&format!("{PROJECT}{sources}")).file("a/garden.yml", action);
        let found = world.findings();
        let is_missing = |finding: &String| finding.starts_with("undefined-dependency");
        assert_eq!(found.iter().any(is_missing), !is_open, "{sources}{found:#?}");
        assert!(!is_open || found.is_empty(), "{found:#?}");
    }
}

#[test]
fn files_that_are_left_out_are_not_read() {
    let project = format!("{PROJECT}scan: {{include: ['a/*', b], exclude: ['b/no/**/*']}}\n");
    let broken = "kind: Nothing\n";
    let world = World::of(&project)
        .file("a/deep/garden.yml", broken)
        .file("b/no/garden.yml", broken)
        .file("c/garden.yml", broken)
        .file("b/.gardenignore", "skipped\n")
        .file("b/skipped/garden.yml", broken)
        .file("b/deep/garden.yml", "kind: Run\nname: x\ntype: exec\nspec: {command: [a]}\n");
    assert_eq!(world.findings(), Vec::<String>::new());
    assert_eq!(world.command(), json!(["a"]));
}

#[test]
fn hostile_projects_end_within_limits() {
    for actions in [
        "kind: Run\nname: x\ntype: exec\nspec: {command: {$forEach: '${range(1, 1000000)}', $return: {$forEach: '${range(1, 1000000)}', $return: a}}}\n",
        "kind: ConfigTemplate\nname: t\nconfigs: [{kind: Run, type: exec, name: x}]\n---\nkind: RenderTemplate\nname: r\ntemplate: t\nmatrix:\n  a: [1,2,3,4,5,6,7,8,9,10]\n  b: [1,2,3,4,5,6,7,8,9,10]\n  c: [1,2,3,4,5,6,7,8,9,10]\n  d: [1,2,3,4,5,6,7,8,9,10]\n  e: [1,2,3,4,5,6,7,8,9,10]\n",
    ] {
        let mut world = World::with(actions);
        world.limits = world.limits.with(crate::limits::Limit::TemplateSteps, 50_000);
        let findings = world.findings();
        assert!(findings.iter().any(|f| f.starts_with("limit-exceeded")), "{findings:#?}");
    }
}
