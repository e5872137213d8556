//! Garden projects: the same commands, with nothing of their own for it.

use crate::common::{Repo, Run, fixture};
use crate::damage::{Damage, damages};
use serde_json::{Value, json};

/// Two commits: the registry of all images, a default of a template and the replicas of one environment change.
fn repo() -> Repo {
    let repo = Repo::new();
    repo.copy(&fixture("demo-garden/base"), "").commit("base");
    repo.tag("base").copy(&fixture("demo-garden/head"), "").commit("head");
    repo
}

/// `stack/type.component path causes` of all changes.
fn changes(run: &Run) -> Vec<String> {
    let json = run.json();
    let mut out = Vec::new();
    for component in json["components"].as_array().unwrap() {
        let text = |key: &str| component[key].as_str().unwrap();
        for change in component["changes"].as_array().unwrap() {
            let cause = |c: &Value| format!("{}:{}", c["file"].as_str().unwrap(), c["line"]);
            let mut causes: Vec<String> = change["causes"].as_array().unwrap().iter().map(cause).collect();
            causes.dedup();
            let address = format!("{}/{}.{}", text("stack"), text("type"), text("component"));
            out.push(format!("{address} {} {}", change["path"].as_str().unwrap(), causes.join(" ")));
        }
    }
    out.sort();
    out
}

#[test]
fn changes_name_the_variable_and_not_the_template_that_shows_it() {
    let run = repo().run(&["diff", "base..HEAD", "--format", "json"]).ends_with(0);
    let all = changes(&run);
    let registry = "project.garden.yml:15";
    assert!(all.contains(&format!("dev/build.api /spec/publishId {registry}")), "{all:#?}");
    assert!(all.contains(&format!("prod/deploy.api /spec/deployCommand/1 {registry}")), "{all:#?}");
    assert!(all.contains(&"prod/deploy.api /spec/deployCommand/2 project.garden.yml:11".to_owned()), "{all:#?}");
    assert!(all.contains(&"dev/run.job-backup /inputs/memory jobs/template.garden.yml:5".to_owned()), "{all:#?}");
    let untouched = |line: &&String| line.contains("web") || line.contains("job-reports") && !line.contains("/inputs");
    assert_eq!(all.iter().find(untouched), None);
}

#[test]
fn environments_are_described_with_variables_of_the_command_line() {
    let run = repo().run(&["describe", "stacks", "--format", "json", "--var", "replicas=9"]).ends_with(0);
    let stacks = run.json();
    let prod = &stacks["prod"]["components"];
    assert_eq!(prod["project"]["shop"]["variables"]["domain"], json!("shop.example.com"));
    assert_eq!(
        prod["deploy"]["api"]["spec"]["deployCommand"],
        json!([
            "./deploy.sh",
            "registry.example.org/shop/api:${actions.build.api.version}",
            "--replicas=9",
            "--host=api.shop.example.com"
        ])
    );
    assert_eq!(prod["test"]["web"], json!({"disabled": true, "type": "exec"}));
    assert_eq!(prod["deploy"]["web"]["dependsOn"], json!(["deploy.api"]));
}

#[test]
fn a_mistake_is_one_finding_at_its_line() {
    let repo = repo();
    repo.write("services/web/garden.yml", "kind: Run\nname: x\ntype: exec\nspec: {command: ['${var.hots.web}']}\n");
    let run = repo.run(&["check", "--format", "concise"]).ends_with(1);
    let lines: Vec<&str> = run.stdout.lines().filter(|line| line.contains("undefined-reference")).collect();
    assert_eq!(lines.len(), 1, "the keys that there are differ by environment: {run}");
    assert!(lines[0].starts_with("services/web/garden.yml:4:"), "{run}");
}

#[test]
fn templates_are_evaluated_alone() {
    let repo = Repo::plain();
    repo.write("c.json", r#"{"var": {"replicas": 3}}"#);
    let run = repo.run(&["eval", "--dialect", "garden", "--context", "c.json", "${var.replicas > 2 ? 'many' : 'few'}"]);
    assert_eq!(run.ends_with(0).stdout, "many\n");
}

/// An action of each kind with its own sources; `run.later` reads only a static output.
const ACTIONS: &str = "\
kind: Build
name: api
type: exec
include: [src/**/*, Makefile]
exclude: ['**/*.md']
spec: {command: [make]}
---
kind: Deploy
name: api
type: exec
build: api
spec: {deployCommand: ['${actions.build.api.outputs.log}']}
---
kind: Test
name: smoke
type: exec
include: []
dependencies: [deploy.api]
spec: {command: [curl]}
---
kind: Run
name: later
type: exec
include: []
spec: {command: ['${actions.build.api.version}']}
---
kind: Run
name: other
type: exec
source: {path: ../other}
spec: {command: [x]}
";

fn project() -> Repo {
    let repo = Repo::new();
    let project = "apiVersion: garden.io/v2\nkind: Project\nname: shop\nenvironments: [{name: dev}, {name: prod}]\n\
                   providers: [{name: exec}]\nvariables: {url: a}\n";
    repo.write("project.garden.yml", project).write("api/garden.yml", ACTIONS);
    for path in ["api/src/main.c", "api/src/README.md", "api/notes.txt", "other/run.sh", "api/src/x.tmp"] {
        repo.write(path, "1\n");
    }
    repo.commit("base");
    repo.tag("base");
    repo
}

/// `type.component reasons` of what is affected in `prod`.
fn affected(repo: &Repo, more: &[&str]) -> Vec<String> {
    let run = repo.run(&[&["diff", "base..HEAD", "--format", "affected"], more].concat()).ends_with(0);
    let all = run.json();
    let text = |item: &Value, key: &str| item[key].as_str().unwrap().to_owned();
    let items = all.as_array().unwrap().iter().filter(|item| item["stack"] == "prod");
    let reasons = |item: &Value| {
        let all: Vec<&str> = item["affected_all"].as_array().unwrap().iter().map(|r| r.as_str().unwrap()).collect();
        all.join(" ")
    };
    items.map(|i| format!("{}.{} {}", text(i, "component_type"), text(i, "component"), reasons(i))).collect()
}

#[test]
fn sources_and_dependencies_affect_actions() {
    for (path, expected) in [
        ("api/src/main.c", &["build.api component"][..]),
        ("api/src/README.md", &[]),
        ("api/notes.txt", &[]),
        ("other/run.sh", &["run.other component"]),
        ("other/garden.txt", &["run.other component"]),
        ("other/debug-info-1/x", &[]),
    ] {
        let repo = project();
        repo.write(path, "2\n").commit("edit");
        assert_eq!(affected(&repo, &[]), expected, "{path}");
    }
    let repo = project();
    repo.write("api/src/main.c", "2\n").commit("edit");
    let all = affected(&repo, &["--include-dependents"]);
    assert_eq!(all, ["build.api component", "deploy.api dependency", "run.later dependency", "test.smoke dependency"]);
    let run = repo.run(&["diff", "base..HEAD", "--format", "affected", "--include-dependents"]).ends_with(0);
    let build = run.json().as_array().unwrap().iter().find(|item| item["component_type"] == "build").unwrap().clone();
    assert_eq!((&build["file"], &build["folder"]), (&json!("api/src/main.c"), &json!("api")), "{run}");
    assert_eq!(build["dependents"][0]["dependents"][0]["component"], json!("smoke"), "{run}");
    assert_eq!(build["included_in_dependents"], json!(false), "{run}");
}

#[test]
fn what_is_ignored_is_no_source() {
    let repo = project();
    repo.write("api/.gardenignore", "*.tmp\n").commit("ignore");
    assert_eq!(affected(&repo, &[]), ["build.api component"], "it loses a file");
    repo.tag("ignored").write("api/src/x.tmp", "2\n").commit("edit");
    let run = repo.run(&["diff", "ignored..HEAD", "--format", "affected"]).ends_with(0);
    assert_eq!(run.json(), json!([]), "{run}");
}

#[test]
fn dependencies_are_a_graph() {
    let repo = project();
    let run = repo.run(&["graph", "dependencies", "--stack", "prod", "--format", "json"]).ends_with(0);
    for edge in ["prod/deploy/api", "prod/build/api", "actions.build.api.version", "prod/test/smoke", "\"build\""] {
        assert!(run.stdout.contains(edge), "{edge}: {run}");
    }
    repo.run(&["check"]).ends_with(0).hides("cycle");
    repo.edit("api/garden.yml", "include: [src/**/*, Makefile]", "dependencies: [test.smoke]");
    let run = repo.run(&["check", "--format", "concise"]).ends_with(1);
    let lines: Vec<&str> = run.stdout.lines().filter(|line| line.contains("cycle")).collect();
    assert_eq!(lines.len(), 1, "{run}");
    assert!(lines[0].contains("dependency-cycle") && lines[0].contains("`build.api`"), "{run}");
}

#[test]
fn a_dependency_that_is_still_read_is_not_dropped() {
    let repo = project();
    repo.edit("api/garden.yml", "build: api\n", "").commit("edit");
    repo.run(&["diff", "base..HEAD"]).ends_with(0).hides("dependency-dropped");
}

damages! {
    what_is_not_resolved_is_not_removed: {
        a_broken_project_file => |r| r.write("project.garden.yml", "kind: Project\nname: [\n"), ["dev", "prod"], "did not find expected";
        a_mistyped_kind_of_the_project => |r| r.edit("project.garden.yml", "kind: Project", "kind: Projekt"), ["dev", "prod"], "project.garden.yml is not in";
        a_project_without_environments => |r| r.edit("project.garden.yml", "[{name: dev}, {name: prod}]", "[]"), ["dev", "prod"], "at least one item";
        a_project_that_is_moved_and_broken => |r| r.remove("project.garden.yml").write("garden.yml", "kind: Project\nname: [\n"), ["dev", "prod"], "did not find expected";
        a_broken_action_file => |r| r.write("api/garden.yml", "kind: Build\nname: [\n"), ["dev", "prod"], "did not find expected";
        a_mistyped_key_of_an_environment => |r| r.edit("project.garden.yml", "{name: prod}", "{nmae: prod}"), ["dev", "prod"], "lacks the required key `name`";
        a_mistyped_variable_of_one_environment => |r| r.edit("project.garden.yml", "{name: prod}", "{name: prod, varfile: nope.env}"), ["prod"], "nope.env";
        a_missing_dependency => |r| r.edit("api/garden.yml", "dependencies: [deploy.api]", "dependencies: [deploy.apu]"), ["dev", "prod"], "apu";
    }
}

fn what_is_not_resolved_is_not_removed(damage: &Damage) {
    let Damage { name, edit, lost, reason } = *damage;
    let repo = project();
    edit(&repo);
    repo.commit("bad");
    let json = repo.run(&["diff", "base..HEAD", "--format", "json"]).ends_with(1);
    let report = json.json();
    let unresolved = report["coverage"]["projects"][0]["head"]["unresolved"].as_array().unwrap().clone();
    let mut stacks: Vec<&str> = unresolved.iter().filter_map(|one| one["stack"].as_str()).collect();
    stacks.sort_unstable();
    assert_eq!(stacks, lost, "{name}: {json}");
    assert!(unresolved.iter().all(|one| one["reason"].as_str().unwrap().contains(reason)), "{name}: {json}");
    let components = report["components"].as_array().unwrap();
    let is_lost = |c: &&Value| lost.contains(&c["stack"].as_str().unwrap());
    assert_eq!(components.iter().find(is_lost), None, "{name}: {json}");
    assert!(!report["coverage"]["projects"][0]["config"].as_array().unwrap().is_empty(), "{name}: {json}");
    let text = repo.run(&["diff", "base..HEAD"]).ends_with(1).hides("No effective change").hides("removed");
    assert!(text.stdout.contains("no longer resolve"), "{name}: {text}");
    let run = repo.run(&["diff", "base..HEAD", "--format", "affected"]).ends_with(1).complains("no longer resolve");
    let items = run.json();
    let is_kept = |item: &Value| item["affected"] == "unresolved" && item.get("deleted").is_none();
    assert!(items.as_array().unwrap().iter().filter(is_lost).all(is_kept), "{name}: {run}");
    // The other way round nothing is new.
    repo.tag("bad");
    let json = repo.run(&["diff", "bad..base", "--format", "json"]).ends_with(0);
    assert_eq!(json.json()["components"].as_array().unwrap().iter().find(is_lost), None, "{name}: {json}");
    repo.run(&["diff", "bad..base"]).ends_with(0).hides("No effective change").says("not compared");
}

#[test]
fn an_environment_that_is_gone_is_removed() {
    let repo = project();
    repo.edit("project.garden.yml", ", {name: prod}", "").commit("less");
    let run = repo.run(&["diff", "base..HEAD", "--format", "json"]).ends_with(1);
    let all = run.json()["components"].as_array().unwrap().clone();
    assert!(!all.is_empty() && all.iter().all(|c| c["stack"] == "prod" && c["status"] == "removed"), "{run}");
}

#[test]
fn an_edit_of_the_project_changes_the_environments_that_have_it() {
    let repo = Repo::new();
    let project = |replicas: u8| {
        format!(
            "apiVersion: garden.io/v2\nkind: Project\nname: shop\nenvironments:\n  - name: dev\n    variables: {{replicas: 1}}\n  \
             - name: prod\n    variables: {{replicas: {replicas}}}\n"
        )
    };
    let action = |i: u32| {
        format!("kind: Run\nname: r{i}\ntype: exec\ninclude: []\nspec: {{command: [run, 'n${{var.replicas}}']}}\n")
    };
    let actions: Vec<String> = (0..300).map(action).collect();
    repo.write("project.garden.yml", project(2)).write("a/garden.yml", actions.join("---\n")).commit("base");
    repo.tag("base").write("project.garden.yml", project(3)).commit("head");
    let run = repo.run(&["diff", "base..HEAD", "--format", "json"]).ends_with(0);
    let json = run.json();
    let components = json["components"].as_array().unwrap();
    assert_eq!(components.len(), 301, "300 actions and the project");
    assert!(components.iter().all(|component| component["stack"] == "prod"));
    // Both environments read the file that is edited.
    assert_eq!(json["coverage"]["projects"][0]["head"]["untouched"], 0);
    assert_eq!(json["coverage"]["projects"][0]["head"]["stacks"], 2);
    let run = repo.run(&["diff", "base..HEAD", "-s", "dev", "--format", "json"]).ends_with(0);
    assert_eq!(run.json()["components"], json!([]), "a filter that asks for it has it resolved");
}

#[test]
fn a_namespace_exists_in_every_command_that_names_it() {
    let repo = Repo::new();
    repo.write("garden.yml", "kind: Project\nname: shop\nenvironments: [{name: dev, variables: {size: 1}}]\n")
        .write(
            "api/garden.yml",
            "kind: Build\ntype: exec\nname: base\n---\nkind: Build\ntype: exec\nname: api\ndependencies: [build.base]\n\
             spec: {command: [make, \"--size=${var.size}\", \"${environment.namespace}\"]}\n",
        )
        .commit("base");
    repo.tag("base");
    repo.write("garden.yml", "kind: Project\nname: shop\nenvironments: [{name: dev, variables: {size: 2}}]\n")
        .commit("head");
    for (arguments, expected) in [
        (&["graph", "dependencies", "-s", "feature.dev"][..], "feature.dev"),
        (&["graph", "dependencies", "base..HEAD", "-s", "feature.dev", "--all"], "feature.dev"),
        (&["why", "feature.dev", "api", "spec.command.2"], "feature"),
        (&["why", "base..HEAD", "feature.dev", "api", "spec.command.1"], "feature.dev"),
        (&["policy", "eval", "component.spec.command[2]", "-s", "feature.dev", "-c", "api"], "feature"),
        (&["diff", "base..HEAD", "--stack", "feature.dev"], "feature.dev"),
    ] {
        let run = repo.run(arguments).ends_with(0);
        assert!(run.stdout.contains(expected), "{arguments:?}: {}", run.stdout);
    }
    // An environment that does not exist has no namespaces.
    let run = repo.run(&["graph", "dependencies", "-s", "feature.prod"]);
    assert!(run.stderr.contains("no stack matches `feature.prod`"), "{}", run.stderr);
}

#[test]
fn a_folder_of_a_project_does_not_hide_the_projects_below_it() {
    let repo = Repo::new();
    let project = |name: &str, size: u8| {
        format!("kind: Project\nname: {name}\nenvironments: [{{name: dev, variables: {{size: {size}}}}}]\n")
    };
    repo.write("garden.yml", project("whole", 1)).write("examples/one/garden.yml", project("one", 1)).commit("base");
    repo.tag("base");
    repo.write("examples/one/garden.yml", project("one", 2)).commit("head");
    for folder in ["examples", ".", "examples/one"] {
        repo.run(&["diff", "base..HEAD", "--project", folder]).ends_with(0).says("variables.size");
    }
}

#[test]
fn edited_source_files_of_actions_are_no_change_without_effect() {
    let project = "apiVersion: garden.io/v1\nkind: Project\nname: p\nenvironments: [{name: dev}]\nproviders: [{name: container}]\n";
    let actions = "kind: Build\nname: api\ntype: container\nexclude: [docs/**/*]\n---\nkind: Run\nname: mig\ntype: exec\n\
                   include: [mig.sh]\nspec: {command: [./mig.sh]}\n";
    let repo = Repo::new();
    repo.write("project.garden.yml", project).write("api/garden.yml", actions).write("other/x.txt", "1\n");
    repo.write("api/Dockerfile", "FROM a\n").write("api/mig.sh", "one\n").write("api/docs/a.txt", "1\n").commit("base");
    for (path, text, actions) in [
        ("api/Dockerfile", "FROM b\n", Some("1 component in 1 stack runs different code")),
        ("api/mig.sh", "two\n", Some("2 components in 1 stack run different code")),
        ("api/docs/a.txt", "2\n", None),
        ("other/x.txt", "2\n", None),
    ] {
        repo.write(path, text).commit("edit");
        let run = repo.run(&["diff", "HEAD^..HEAD", "--exit-code"]).ends_with(if actions.is_some() { 3 } else { 0 });
        assert!(run.stdout.contains(actions.unwrap_or("No effective change")), "{path}: {run}");
    }
}

/// What may be a source counts as one.
#[test]
fn sources_that_are_not_known_may_be_any_files() {
    let project =
        "apiVersion: garden.io/v2\nkind: Project\nname: p\nenvironments: [{name: dev}]\nproviders: [{name: exec}]\n";
    for (action, expected) in [
        ("kind: Run\nsource: {path: '${local.env.DIR}'}\ninclude: [b.md]\n", [true, true]),
        ("kind: Run\nsource: '${local.env.SOURCE}'\n", [true, true]),
        ("kind: Run\nsource: {path: '${local.env.DIR}'}\ninclude: []\n", [false, false]),
        ("kind: Run\nsource: {path: ../x}\ninclude: ['${local.env.FILE}']\n", [true, false]),
        ("kind: Run\nsource: {path: ../x}\nexclude: ['${local.env.FILE}', 'b.txt']\n", [true, false]),
        ("kind: Run\nsource: {path: ../x}\nbuild: '${local.env.BUILD || null}'\n", [true, false]),
    ] {
        let repo = Repo::new();
        repo.write("project.garden.yml", project).write("x/a.txt", "1\n").write("y/b.txt", "1\n");
        let action = format!("{action}name: one\ntype: exec\nspec: {{command: [x]}}\n");
        repo.write("actions/garden.yml", action.as_str()).commit("base");
        for (path, is_source) in ["x/a.txt", "y/b.txt"].into_iter().zip(expected) {
            repo.write(path, "2\n").commit("edit");
            let run = repo.run(&["diff", "HEAD^..HEAD"]).ends_with(0);
            assert_eq!(run.stdout.contains("runs different code"), is_source, "{action}{path}: {run}");
        }
    }
}

/// Garden builds what an enabled action depends on, though it is disabled.
#[test]
fn disabled_builds_that_are_needed_are_built() {
    let repo = Repo::new();
    let project =
        "apiVersion: garden.io/v2\nkind: Project\nname: p\nenvironments: [{name: dev}]\nproviders: [{name: exec}]\n";
    let build = |name: &str| {
        format!(
            "kind: Build\nname: {name}\ntype: exec\ndisabled: true\nsource: {{path: ../{name}}}\nspec: {{command: [a]}}\n---\n"
        )
    };
    let actions = format!(
        "{}{}kind: Run\nname: r\ntype: exec\nbuild: needed\nspec: {{command: [x]}}\n",
        build("needed"),
        build("other")
    );
    repo.write("project.garden.yml", project).write("a/garden.yml", actions).commit("base");
    for (name, is_built) in [("needed", true), ("other", false)] {
        let is_told = |text: &str| {
            let run = repo.run(&["diff", "HEAD^..HEAD"]).ends_with(0);
            assert_eq!(run.stdout.contains(text), is_built, "{name}: {run}");
        };
        repo.write(&format!("{name}/main.c"), "1\n").commit("file");
        is_told("runs different code");
        let written = std::fs::read_to_string(repo.root().join("a/garden.yml")).unwrap();
        let (before, after) = written.split_at(written.find(&format!("../{name}")).unwrap());
        repo.write("a/garden.yml", format!("{before}{}", after.replacen("[a]", "[b]", 1))).commit("spec");
        is_told("spec.command");
    }
}

/// What no component shows is not proved.
#[test]
fn what_garden_keeps_to_itself_is_not_proved() {
    let project =
        "apiVersion: garden.io/v2\nkind: Project\nname: p\nenvironments: [{name: dev}]\nproviders: [{name: exec}]\n";
    let rest = "---\nkind: Module\nname: m\ntype: container\nbuild: {timeout: 1}\n---\nkind: Command\nname: c\nsteps: [{exec: {command: [a]}}]\n\
                ---\nkind: ConfigTemplate\nname: t\nconfigs: [{kind: Run, name: x, type: exec, spec: {command: [t1]}}]\n";
    let repo = Repo::new();
    repo.write("project.garden.yml", format!("{project}id: one\n")).write("m/garden.yml", &rest[4..]);
    repo.write("m/README.md", "1\n").write("docs/README.md", "1\n").commit("base");
    for (path, from, to, status) in [
        ("project.garden.yml", "one", "two", 3),
        ("m/garden.yml", "timeout: 1", "timeout: 2", 3),
        ("m/garden.yml", "[a]", "[b]", 1),
        ("m/garden.yml", "[t1]", "[t2]", 0),
        ("m/garden.yml", "name: c", "name:  c", 0),
        ("m/README.md", "1", "2", 1),
        ("docs/README.md", "1", "2", 0),
    ] {
        repo.edit(path, from, to).commit("edit");
        let run = repo.run(&["diff", "HEAD^..HEAD", "--expect", "none"]);
        assert_eq!(run.status, status, "{path}: {to}: {run}");
    }
}

/// Garden does not count these, but what it deploys is made of them.
#[test]
fn files_outside_of_the_folder_of_an_action_are_told_as_extra() {
    let repo = Repo::new();
    repo.write(
        "project.garden.yml",
        "apiVersion: garden.io/v2\nkind: Project\nname: p\nenvironments: [{name: dev}]\nproviders: [{name: exec}, {name: kubernetes}]\n",
    );
    repo.write(
        "api/garden.yml",
        "kind: Deploy\ntype: helm\nname: a\nspec: {chart: {path: chart}, valueFiles: [../shared/v.yaml]}\n---\nkind: Run\ntype: exec\nname: r\nexclude: ['**/*']\nspec: {command: [sh, ../scripts/s.sh]}\n",
    );
    repo.write("api/chart/Chart.yaml", "dependencies: [{name: l, repository: 'file://../../lib'}]\n");
    let files = [("shared/v.yaml", "a"), ("scripts/s.sh", "r"), ("lib/Chart.yaml", "a"), ("other/x.yaml", "")];
    files.iter().for_each(|(path, _)| _ = repo.write(path, "a: 1\n"));
    repo.commit("base");
    for (path, action) in files {
        repo.write(path, "a: 2\n");
        let list = repo.run(&["diff", "--format", "affected"]).json();
        let names: Vec<&str> =
            list.as_array().unwrap().iter().map(|item| item["component"].as_str().unwrap()).collect();
        assert_eq!(names.concat(), action, "{path}: {list}");
        assert!(list.as_array().unwrap().iter().all(|item| item["extra"].as_str().unwrap().contains(path)), "{list}");
        let run = repo.run(&["diff"]).ends_with(0);
        assert_eq!(run.stdout.contains("runs different code"), !action.is_empty(), "{path}: {run}");
        repo.git(&["checkout", "--quiet", "."]);
    }
}

/// A file that is ignored on one side is a source on the other one, though it does not differ.
#[test]
fn ignore_files_change_what_actions_are_made_of() {
    let repo = Repo::new();
    repo.write(
        "project.garden.yml",
        "apiVersion: garden.io/v2\nkind: Project\nname: p\nenvironments: [{name: dev}]\nproviders: [{name: exec}]\n",
    );
    repo.write("api/garden.yml", "kind: Build\ntype: exec\nname: a\n").write("api/x.tmp", "x\n");
    repo.write(".gardenignore", "*.tmp\n").commit("base");
    repo.write(".gardenignore", "*.log\n");
    repo.run(&["diff"]).ends_with(0).says("1 component in 1 stack runs different code");
}

/// They lie in no folder of an action, and no action names them.
#[test]
fn scripts_that_a_provider_names_are_a_part_of_what_runs() {
    let project = |arguments: &str| {
        format!(
            "apiVersion: garden.io/v2\nkind: Project\nname: p\nenvironments: [{{name: dev}}]\n\
             providers: [{{name: exec, initScript: './scripts/init.sh{arguments}'}}]\n"
        )
    };
    let repo = Repo::new();
    repo.write("project.garden.yml", project(" a")).write("scripts/init.sh", "echo 1\n").write("scripts/x.sh", "1\n");
    repo.write("a/garden.yml", "kind: Run\nname: one\ntype: exec\nspec: {command: [x]}\n").commit("base");
    repo.write("scripts/init.sh", "echo 2\n").commit("edit");
    let run = repo.run(&["diff", "HEAD^..HEAD"]).ends_with(0).hides("No effective change");
    run.says("1 component in 1 stack runs different code").says("scripts changed (init.sh)");
    repo.write("scripts/x.sh", "2\n").commit("another");
    repo.run(&["diff", "HEAD^..HEAD"]).ends_with(0).hides("runs different code");
}
