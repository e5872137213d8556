//! Stacks and components with another name, in every format.

use crate::common::{ATMOS, Repo, Run};
use serde_json::{Value, json};

const ALL: [&str; 10] =
    ["text", "concise", "json", "sarif", "github", "markdown", "gitlab", "junit", "affected", "matrix"];
const CATALOG: &str = "components:
  terraform:
    bucket: {vars: {name: '{{ .vars.stage }}-logs'}}
    trail: {vars: {size: 1}}
    base: {metadata: {type: abstract}, vars: {size: 1}}
";

/// A project in which two commits, `base` and `head`, differ by what `edit` does.
fn project(files: &[(&str, &str)], edit: impl Fn(&Repo)) -> Repo {
    let repo = Repo::new();
    repo.write("atmos.yaml", ATMOS.replace("name_pattern: '{stage}'", "name_template: 'core-gbl-{{ .vars.stage }}'"));
    files.iter().for_each(|(path, text)| {
        repo.write(path, text);
    });
    repo.commit("base");
    repo.tag("base");
    edit(&repo);
    repo.commit("head");
    repo
}

fn diff(repo: &Repo, format: &str) -> Run {
    repo.run(&["diff", "base..HEAD", "--format", format])
}

/// `core-gbl-log` becomes `core-gbl-log-archive`, in a file of another name.
fn stack() -> Repo {
    let log = "import: [catalog/log]\nvars:\n  stage: log\n";
    let prod = "import: [catalog/log]\nvars: {stage: prod}\n";
    let files =
        [("stacks/catalog/log.yaml", CATALOG), ("stacks/deploy/log.yaml", log), ("stacks/deploy/prod.yaml", prod)];
    project(&files, |repo| {
        repo.remove("stacks/deploy/log.yaml");
        repo.write("stacks/deploy/log-archive.yaml", log.replace("stage: log", "stage: log-archive"));
    })
}

#[test]
fn no_format_says_that_a_renamed_stack_is_to_be_destroyed() {
    let repo = stack();
    for format in ALL {
        // A list of what to deploy has no findings.
        let is_list = ["affected", "matrix"].contains(&format);
        let run = diff(&repo, format).ends_with(if is_list { 0 } else { 1 });
        // SARIF has the pages of all rules.
        let run = if format == "sarif" { run } else { run.hides("destroy it first").hides("-removed") };
        assert!(run.stdout.contains("core-gbl-log-archive") || format == "junit", "{format}: {run}");
    }
    repo.run(&["diff", "base..HEAD", "--fail-on", "warning"]).ends_with(1);
    repo.run(&["diff", "base..HEAD", "--exit-code", "--accept", "stack-renamed"]).ends_with(3);
}

#[test]
fn a_renamed_stack_is_one_change() {
    let repo = stack();
    insta::assert_snapshot!("renamed_stack_text", diff(&repo, "text").stdout);
    insta::assert_snapshot!("renamed_stack_markdown", diff(&repo, "markdown").stdout);
    let json = diff(&repo, "json").json();
    let renames: Vec<Value> = json["renames"].as_array().unwrap().clone();
    let names: Vec<String> = renames
        .iter()
        .map(|r| {
            format!(
                "{}/{} {}/{} {}",
                r["from"]["stack"], r["from"]["component"], r["to"]["stack"], r["to"]["component"], r["state_moves"]
            )
        })
        .collect();
    assert_eq!(names.len(), 3, "{names:#?}");
    assert_eq!(names[1], "\"core-gbl-log\"/\"bucket\" \"core-gbl-log-archive\"/\"bucket\" true");
    assert!(names[0].contains("base") && names[0].ends_with("false"), "{names:#?}");
    assert!(renames.iter().all(|r| r["changes"] == json!([])), "{renames:#?}");
    assert_eq!(renames[0]["causes"][0]["file"], "stacks/deploy/log-archive.yaml");
    assert_eq!(renames[0]["causes"][0]["line"], 3);
    let [finding] = &json["diagnostics"].as_array().unwrap()[..] else { panic!("{json:#}") };
    assert_eq!(
        (&finding["rule"], &finding["file"]),
        (&json!("stack-renamed"), &json!("stacks/deploy/log-archive.yaml"))
    );
}

#[test]
fn affected_says_what_became_of_a_deleted_component() {
    let items = diff(&stack(), "affected").json();
    let items = items.as_array().unwrap();
    let of = |stack: &str| items.iter().find(|i| i["stack"] == stack && i["component"] == "trail").unwrap();
    let (old, new) = (of("core-gbl-log"), of("core-gbl-log-archive"));
    assert_eq!(old["affected"], "deleted.stack");
    assert_eq!(old["renamed_to"], json!({"stack": "core-gbl-log-archive", "component": "trail"}));
    assert_eq!(new["renamed_from"], json!({"stack": "core-gbl-log", "component": "trail"}));
    let jobs = diff(&stack(), "matrix").json();
    let jobs: Vec<&Value> = jobs["include"].as_array().unwrap().iter().map(|j| &j["stack"]).collect();
    assert_eq!(jobs, ["core-gbl-log-archive", "core-gbl-log-archive"]);
}

#[test]
fn what_a_renamed_stack_changes_beyond_its_name_is_shown() {
    let log = "import: [catalog/log]\nvars:\n  stage: log\n";
    let files = [("stacks/catalog/log.yaml", CATALOG), ("stacks/deploy/log.yaml", log)];
    let head = "import: [catalog/log]\nvars:\n  stage: archive\ncomponents:\n  terraform:\n    trail:\n      vars:\n        size: 2\n";
    let repo = project(&files, |repo| {
        repo.write("stacks/deploy/log.yaml", head);
    });
    let run = diff(&repo, "text").ends_with(1);
    run.says("~ stack renamed: core-gbl-log → core-gbl-archive, 3 components; 2 states move").says("vars.size  1 → 2");
    let json = diff(&repo, "json").json();
    let changes: Vec<&Value> =
        json["renames"].as_array().unwrap().iter().flat_map(|r| r["changes"].as_array().unwrap()).collect();
    assert_eq!(changes.iter().map(|c| &c["path"]).collect::<Vec<_>>(), ["/vars/size"]);
    assert_eq!(changes[0]["causes"].as_array().unwrap().last().unwrap()["line"], 8);
}

#[test]
fn another_configuration_is_another_stack() {
    let log = "vars: {stage: log}\ncomponents: {terraform: {a: {vars: {x: 1}}, b: {vars: {x: 1}}}}\n";
    let repo = project(&[("stacks/deploy/log.yaml", log)], |repo| {
        repo.remove("stacks/deploy/log.yaml");
        repo.write("stacks/deploy/new.yaml", log.replace("stage: log", "stage: new").replace("x: 1", "x: 9"));
    });
    diff(&repo, "text").says("stack `core-gbl-log` is removed, with 2 components").hides("renamed");
    assert_eq!(diff(&repo, "json").json()["renames"], json!([]));
}

#[test]
fn a_renamed_component() {
    let dev = "vars: {stage: dev}\ncomponents:\n  terraform:\n    vpc:\n      metadata: {component: network}\n      vars: {size: 1}\n";
    let repo = Repo::atmos();
    repo.write("stacks/deploy/dev.yaml", dev).commit("base");
    repo.tag("base").edit("stacks/deploy/dev.yaml", "    vpc:", "    main-vpc:").commit("head");
    let run = diff(&repo, "text").ends_with(1).hides("destroy it first");
    let run = run.says("~ component renamed: vpc → main-vpc, in dev; its state moves");
    run.says("danger[component-renamed]: `vpc` in `dev` is renamed, and its state stays under the old name: now")
        .says("1 change reaches 1 component in 1 stack (1 renamed)");
    let json = diff(&repo, "json").json();
    assert_eq!(json["renames"][0]["to"]["component"], "main-vpc");
    let github = diff(&repo, "github").stdout;
    assert!(github.contains("::error file=stacks/deploy/dev.yaml,line=4,"), "{github}");
}

#[test]
fn another_component_of_the_same_values_is_no_rename() {
    let dev = "vars: {stage: dev}\ncomponents: {terraform: {guard: {vars: {enabled: true}}}}\n";
    let repo = project(&[("stacks/deploy/dev.yaml", dev)], |repo| {
        repo.edit("stacks/deploy/dev.yaml", "guard", "inspector");
    });
    diff(&repo, "text").says("`guard` in `core-gbl-dev` is removed").hides("renamed");
}

#[test]
fn a_stack_that_keeps_its_workspaces_moves_no_state() {
    let dev = "vars: {stage: dev}\ncomponents: {terraform: {vpc: {metadata: {terraform_workspace: fixed}, vars: {size: 1}}}}\n";
    let repo = project(&[("stacks/deploy/dev.yaml", dev)], |repo| {
        repo.edit("stacks/deploy/dev.yaml", "stage: dev", "stage: test");
    });
    diff(&repo, "text").ends_with(0).says("core-gbl-dev → core-gbl-test, 1 component; no state moves").hides("warning");
}

#[test]
fn all_that_the_code_of_a_renamed_unit_makes_is_one_change() {
    let repo = Repo::new();
    let code = "resource \"x_thing\" \"a\" {\n  size = 1\n}\n\nresource \"x_thing\" \"b\" {\n  size = 2\n}\n\noutput \"id\" {\n  \
                value = x_thing.a.id\n}\n";
    let unit =
        "terraform {\n  source = \"../../modules/app\"\n}\n\ninputs = {\n  owner = \"net\"\n  team  = \"core\"\n}\n";
    repo.write("modules/app/main.tf", code).write("dev/app/terragrunt.hcl", unit).commit("base");
    repo.git(&["tag", "base"]);
    repo.git(&["mv", "dev/app", "dev/web"]);
    repo.git(&["mv", "modules/app", "modules/web"]);
    repo.edit("dev/web/terragrunt.hcl", "modules/app", "modules/web").commit("renamed");
    let run = diff(&repo, "text");
    let run = run.says("~ stack renamed: dev/app → dev/web, 3 components");
    assert_eq!(run.stdout.matches("renamed: dev/app").count(), 1, "{run}");
}
