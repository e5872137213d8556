//! Modules of Garden.

use crate::common::Repo;

/// What a plugin makes of a module is not known, but what the module says is.
#[test]
fn modules_that_plugins_convert_are_components() {
    let project = "apiVersion: garden.io/v2\nkind: Project\nname: p\nenvironments: [{name: dev}]\n\
                   variables: {image: one, size: 1}\nproviders: [{name: kubernetes, context: c, deploymentRegistry: {hostname: h}}]\n";
    let api = "kind: Module\nname: api\ntype: container\nvariables: {size: 2}\nbuild: {dependencies: [base]}\n\
               services: [{name: api, replicas: \"${var.size}\", env: {IMAGE: \"${var.image}\", AT: \"${providers.kubernetes.outputs.at}\"}}]\n";
    let base = "kind: Module\nname: base\ntype: container\ninclude: [Dockerfile]\n";
    let chart = "kind: Module\nname: chart\ntype: helm\nnamespace: shop\nrepo: https://charts.example.com\n";
    let repo = Repo::new();
    repo.write("garden.yml", project).write("api/garden.yml", api).write("base/garden.yml", base);
    repo.write("chart/garden.yml", chart).write("base/Dockerfile", "1\n").write("base/README.md", "1\n");
    repo.write("api/main.go", "1\n").commit("base");
    repo.run(&["check"]).ends_with(0);
    let run = repo.run(&["describe", "component", "api", "-s", "dev"]);
    run.says("api (module) in dev")
        .says("replicas: 2")
        .says("IMAGE: \"one\"")
        .says("${providers.kubernetes.outputs.at}");
    repo.run(&["graph", "dependencies", "--format", "dot"]).says("api").says("base");
    for (path, from, to, status, says) in [
        ("garden.yml", "image: one", "image: two", 0, "services[0].env.IMAGE"),
        ("api/garden.yml", "size: 2", "size: 3", 0, "services[0].replicas"),
        ("base/garden.yml", "type: container", "type: jib-container", 0, "~ type"),
        ("chart/garden.yml", "namespace: shop", "namespace: other", 1, "danger["),
        ("api/main.go", "1", "2", 0, "1 component in 1 stack runs different code"),
        ("base/Dockerfile", "1", "2", 0, "1 component in 1 stack runs different code"),
        ("base/README.md", "1", "2", 0, "No effective change"),
    ] {
        repo.edit(path, from, to).commit("edit");
        repo.run(&["diff", "HEAD^..HEAD"]).ends_with(status).says(says);
    }
    // Part of a text that is not known as a whole.
    repo.edit("api/garden.yml", "AT: \"${providers", "AT: \"${var.image}-${this.buildPath}-${providers").commit("text");
    repo.edit("garden.yml", "image: two", "image: three").commit("edit");
    repo.run(&["diff", "HEAD^..HEAD"]).ends_with(0).says("services[0].env.AT").says("services[0].env.IMAGE");
    // What cannot be evaluated is not compared, and not the same.
    repo.edit("api/garden.yml", "${var.size}", "${var.image}${var.missing}").commit("wrong");
    repo.run(&["diff", "HEAD^..HEAD"]).ends_with(1).says("error[undefined-reference]").says("missing");
    repo.edit("garden.yml", "image: three", "image: four").commit("edit");
    repo.run(&["diff", "HEAD^..HEAD"]).hides("No effective change");
    repo.edit("api/garden.yml", "${var.image}${var.missing}", "${var.size}").commit("right");
    repo.write("chart/garden.yml", "").commit("removed");
    repo.run(&["diff", "HEAD^..HEAD"]).ends_with(1).says("danger[component-removed]: `chart` in `dev` is removed");
    repo.edit("api/garden.yml", "type: container", "disabled: true\ntype: container").commit("disabled");
    repo.run(&["diff", "HEAD^..HEAD"]).ends_with(0).says("warning[component-disabled]: `api` in `dev` is disabled");
}

/// What is in other repositories and in the cloud is not known.
#[test]
fn where_more_of_a_project_comes_from_is_compared() {
    let project = "apiVersion: garden.io/v2\nkind: Project\nname: p\nid: one\ndomain: https://a.example.com\n\
                   environments: [{name: dev}]\nvariables: {at: v1}\nproviders: [{name: exec}]\n\
                   sources: [{name: more, repositoryUrl: \"https://git.example.com/more#${var.at}\"}]\n";
    let repo = Repo::new();
    repo.write("garden.yml", project).commit("base");
    for (from, to, says) in [
        ("id: one", "id: two", "~ id  \"one\" → \"two\""),
        ("a.example", "b.example", "~ domain"),
        ("at: v1", "at: v2", "sources[0].repositoryUrl"),
        ("more#", "other#", "sources[0].repositoryUrl"),
    ] {
        repo.edit("garden.yml", from, to).commit("edit");
        repo.run(&["diff", "HEAD^..HEAD"]).ends_with(0).says(says).hides("No effective change");
    }
}
