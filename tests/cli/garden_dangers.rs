//! Dangers of Garden: what is deployed somewhere else, has its state in another place, or may be destroyed.

use crate::common::{Repo, Run};

#[test]
fn what_is_deployed_somewhere_else_is_a_danger() {
    let project = |context: &str, namespace: &str, own: &str, local: &str| {
        format!(
            "apiVersion: garden.io/v2\nkind: Project\nname: shop\nenvironments:\n  - {{name: dev, defaultNamespace: d}}\n  - {{name: prod, \
             defaultNamespace: {namespace}}}\nproviders:\n  - {{name: kubernetes, environments: [prod], context: {context}, defaultHostname: h, \
             namespace: {{name: {own}}}}}\n  - {{name: local-kubernetes, environments: [dev], context: {local}}}\n"
        )
    };
    let action = |namespace: &str| {
        format!("kind: Deploy\ntype: kubernetes\nname: api\nspec: {{files: [k.yaml], namespace: {namespace}}}\n")
    };
    let repo = Repo::new();
    repo.write("api/k.yaml", "kind: Deployment\nmetadata: {name: a}\n").write("api/garden.yml", action("a"));
    repo.write("project.garden.yml", project("a", "a", "a", "a")).commit("base");
    for (text, expected) in [
        (project("b", "a", "a", "a"), "`kubernetes` in `prod` acts somewhere else: `context` `a` → `b`"),
        (project("a", "b", "a", "a"), "`shop` in `prod` acts somewhere else: `namespace` `a` → `b`"),
        (project("a", "a", "b", "a"), "`kubernetes` in `prod` acts somewhere else: `name` `a` → `b`"),
    ] {
        repo.write("project.garden.yml", text);
        repo.run(&["diff"]).ends_with(1).says("danger[provider-target-changed]").says(expected);
    }
    // A cluster on the own machine.
    repo.write("project.garden.yml", project("a", "a", "a", "b"));
    repo.run(&["diff"]).ends_with(0).hides("danger[");
    repo.write("project.garden.yml", project("a", "a", "a", "a")).write("api/garden.yml", action("b"));
    repo.run(&["diff"]).ends_with(1).says("`namespace` `a` → `b`");
}

/// The difference between two texts of an action, or of the provider of Terraform, in two environments.
fn diff(path: &str, [before, after]: [String; 2]) -> Run {
    let repo = Repo::new();
    repo.write("project.garden.yml", project("", "")).write("infra/main.tf", "output \"a\" {\n  value = 1\n}\n");
    repo.write(path, before).commit("base");
    repo.write(path, after).commit("head");
    repo.run(&["diff", "HEAD~1..HEAD"])
}

fn project(root: &str, settings: &str) -> String {
    format!(
        "apiVersion: garden.io/v2\nkind: Project\nname: shop\nenvironments: [{{name: dev}}, {{name: prod}}]\nproviders:\n  - {{name: \
         pulumi}}\n  - {{name: kubernetes, context: c, defaultHostname: h}}\n  - {{name: terraform{root}{settings}}}\n"
    )
}

#[test]
fn terraform_with_another_workspace_or_backend_is_a_danger() {
    let action =
        |settings: &str| format!("kind: Deploy\ntype: terraform\nname: infra\nspec: {{root: ../infra{settings}}}\n");
    for (before, after, says) in [
        (", workspace: a", ", workspace: b", "will use another state: `spec.workspace` `a` → `b`"),
        ("", ", workspace: b", "may use another state: `spec.workspace` added (`b`)"),
        (
            ", backendConfig: {bucket: a}",
            ", backendConfig: {bucket: b}",
            "will use another state: `spec.backendConfig.bucket` `a` → `b`",
        ),
    ] {
        let run = diff("actions/garden.yml", [action(before), action(after)]).ends_with(1);
        run.says("danger[state-address-changed]: 2 components in 2 stacks").says(says);
    }
    let run =
        diff("project.garden.yml", [", workspace: a", ", workspace: b"].map(|own| project(", initRoot: infra", own)));
    run.ends_with(1).says("will use another state: `workspace` `a` → `b`");
}

#[test]
fn what_may_be_destroyed_from_now_on_is_a_danger() {
    let action = |tool: &str, settings: &str| {
        format!("kind: Deploy\ntype: {tool}\nname: infra\nspec: {{root: ../infra{settings}}}\n")
    };
    let (yes, no) = (", allowDestroy: true", ", allowDestroy: false");
    let danger = "danger[destroy-protection-removed]";
    for (tool, before, after) in
        [("terraform", "", yes), ("terraform", no, yes), ("pulumi", no, ""), ("pulumi", no, yes)]
    {
        diff("actions/garden.yml", [action(tool, before), action(tool, after)]).ends_with(1).says(danger);
        diff("actions/garden.yml", [action(tool, after), action(tool, before)]).hides("danger[");
    }
    let run = diff(
        "actions/garden.yml",
        [action("terraform", ""), action("terraform", ", allowDestroy: \"${local.env.X == 'a'}\"")],
    );
    run.ends_with(1).says(danger).says("may no longer be protected");
    diff("project.garden.yml", ["", yes].map(|own| project(", initRoot: infra", own))).ends_with(1).says(danger);
    // Without a root module of its own there is nothing to destroy.
    diff("project.garden.yml", ["", yes].map(|own| project("", own))).hides("danger[");
}

#[test]
fn a_chart_with_another_release_or_version_is_reported() {
    let action = |name: &str, version: &str| {
        format!(
            "kind: Deploy\ntype: helm\nname: db\nspec: {{chart: {{name: db, repo: \"https://example.com\", version: \"{version}\"}}, \
             releaseName: {name}}}\n"
        )
    };
    let run = diff("db/garden.yml", [action("a", "1.0.0"), action("b", "1.0.0")]).ends_with(1);
    run.says("danger[provider-target-changed]").says("`releaseName` `a` → `b`");
    let run = diff("db/garden.yml", [action("a", "1.9.0"), action("a", "2.0.0")]);
    run.ends_with(0).says("warning[major-version-changed]").says("`spec.chart.version` `1.9.0` → `2.0.0`");
}

#[test]
fn a_deploy_with_another_name_is_deployed_again() {
    let action =
        |name: &str| format!("kind: Deploy\ntype: helm\nname: {name}\nspec: {{chart: {{name: redis, repo: r}}}}\n");
    let run = diff("cache/garden.yml", ["cache", "store"].map(action));
    run.ends_with(1)
        .says(
            "danger[component-renamed]: 2 components in 2 stacks are renamed, and what is deployed under the old names",
        )
        .says("it is deployed again under the new name, beside what is there")
        .hides("Terraform");
    let named = |name: &str| project("", "").replace("name: prod", &format!("name: {name}"));
    let repo = Repo::new();
    repo.write("cache/garden.yml", action("cache")).write("project.garden.yml", named("prod")).commit("base");
    repo.write("project.garden.yml", named("live"));
    let run = repo.run(&["diff"]).ends_with(1);
    run.says("danger[stack-renamed]: stack `prod` is renamed to `live`: 1 component is deployed again")
        .hides("Terraform");
}
