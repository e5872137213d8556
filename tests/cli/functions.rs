//! YAML functions with and without values, and how their merge is reported, through the binary.

use crate::common::Repo;
use crate::contracts::{schema, validate};

const VALUES: &str = r#"{"dns": {"dev": {"zone": "Z1", "map": {"a": 1}}}, "!exec date": "today"}"#;

const MANIFEST: &str = "\
vars: {stage: dev}
components:
  terraform:
    base:
      metadata: {type: abstract}
      vars:
        options: !terraform.state dns map
    vpc:
      metadata: {inherits: [base]}
      vars:
        options: {b: 2}
        zone: !terraform.state dns zone
        date: !exec date
        home: !env HOME
        user: !env USER
";

fn vars(repo: &Repo, more: &[&str]) -> serde_json::Value {
    let mut args = vec!["describe", "component", "vpc", "-s", "dev", "--format", "json"];
    args.extend(more);
    let run = repo.run(&args).ends_with(0);
    serde_json::from_str::<serde_json::Value>(&run.stdout).unwrap()["vars"].clone()
}

#[test]
fn values_are_passed_to_functions() {
    let repo = Repo::atmos();
    repo.write("stacks/deploy/dev.yaml", MANIFEST)
        .write("values.json", VALUES)
        .write("dev.env", "HOME=/home\nUSER=u\n");
    validate(&schema("values.json"), &serde_json::from_str(VALUES).unwrap());
    let written = vars(&repo, &[]);
    assert_eq!(written["zone"], "!terraform.state dns zone");
    assert_eq!(written["options"], serde_json::json!({"b": 2}));
    let given = vars(&repo, &["--values", "values.json", "--env-file", "dev.env", "--env", "USER=other"]);
    let expected = serde_json::json!({
        "options": {"a": 1, "b": 2}, "zone": "Z1", "date": "today", "home": "/home", "user": "other", "stage": "dev"
    });
    assert_eq!(given, expected);
    let unknown = vars(&repo, &["--functions"]);
    assert_eq!(unknown, written, "nothing is known, so all is printed as it is written");
    repo.run(&["check", "--values", "values.json"]).ends_with(0);
}

#[test]
fn files_and_locals_see_the_environment_that_is_given() {
    let repo = Repo::atmos();
    let tmpl = "vars:\n  owner: '{{ env \"OWNER\" }}'\n";
    let stack = "locals:\n  region: !env REGION\n  zone: '{{ env \"REGION\" }}-a'\nvars: {stage: dev}\n\
                 components:\n  terraform:\n    vpc:\n      vars:\n        region: \"{{ .locals.region }}\"\n        \
                 zone: \"{{ .locals.zone }}\"\n";
    let layers = "import: [mixins/owner, mixins/vpc]\n";
    repo.write("stacks/mixins/owner.yaml.tmpl", tmpl)
        .write("stacks/mixins/vpc.yaml", stack)
        .write("stacks/deploy/dev.yaml", layers);
    let empty = serde_json::json!({"stage": "dev", "owner": "", "region": "", "zone": "-a"});
    assert_eq!(vars(&repo, &[]), empty);
    let given = serde_json::json!({"stage": "dev", "owner": "us", "region": "eu", "zone": "eu-a"});
    assert_eq!(vars(&repo, &["--env", "OWNER=us", "--env", "REGION=eu"]), given);
}

#[test]
fn values_that_cannot_be_used_are_reported() {
    let repo = Repo::atmos();
    repo.write("stacks/deploy/dev.yaml", MANIFEST).write("values.json", "[]").write("bad.env", "no thing\n");
    repo.run(&["check", "--values", "values.json"]).ends_with(2).complains("values.json: it must be an object");
    repo.run(&["check", "--values", "gone.json"]).ends_with(2).complains("cannot read gone.json");
    repo.run(&["check", "--env-file", "bad.env"])
        .ends_with(2)
        .complains("bad.env: line 1: `no thing` is not NAME=VALUE");
    repo.run(&["check", "--env", "nothing"]).ends_with(2).complains("`nothing` is not NAME=VALUE");
}

#[test]
fn a_promised_merge_only_adds_findings() {
    let repo = Repo::atmos();
    repo.write(
        "stacks/catalog/vpc.yaml",
        "components: {terraform: {vpc: {vars: {zone: !terraform.state dns zone , options: {a: 1}}}}}\n",
    )
    .write(
        "stacks/deploy/dev.yaml",
        "import: [catalog/vpc]\nvars: {stage: dev}\ncomponents:\n  terraform:\n    vpc:\n      vars:\n        zone: ~\n        options: !template '{\"b\": 2}'\n",
    );
    let plain = repo.run(&["check", "--format", "concise"]).ends_with(0);
    assert_eq!(plain.stdout, "");
    let run = repo.run(&["check", "--promised-merge", "--format", "concise"]).ends_with(0);
    assert_eq!(run.stdout.matches("warning[deferred-merge-conflict]").count(), 2, "{run}");
    assert!(run.stdout.contains("dev.yaml:7:9") && run.stdout.contains("dev.yaml:8:9"), "{run}");
}

#[test]
fn one_line_is_one_finding_however_many_stacks_it_reaches() {
    let repo = Repo::atmos();
    repo.write("stacks/catalog/base.yaml", "components: {terraform: {vpc: {vars: {l: [a]}}}}\n").write(
        "stacks/catalog/vpc.yaml",
        "import: [catalog/base]\ncomponents: {terraform: {vpc: {vars: {l: text}}, other: {metadata: {inherits: [vpc]}}}}\n",
    );
    for stage in ["dev", "prod", "test"] {
        repo.write(
            &format!("stacks/deploy/{stage}.yaml"),
            format!("import: [catalog/vpc]\nvars: {{stage: {stage}}}\n"),
        );
    }
    let run = repo.run(&["check", "--format", "json"]).ends_with(1);
    let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    let found = report["diagnostics"].as_array().unwrap();
    assert_eq!(found.len(), 1, "{run}");
    assert_eq!(found[0]["rule"], "merge-type-conflict");
    assert_eq!(found[0]["stacks"], serde_json::json!(["dev", "prod", "test"]));
}

#[test]
fn fixes_write_what_was_meant() {
    let repo = Repo::atmos();
    repo.write("stacks/catalog/base.yaml", "vars:\n  l: [a]\n  n: 1\n").write(
        "stacks/deploy/dev.yaml",
        "import: [catalog/base]\nvars:\n  stage: dev\n  l: {}\n  n: 1\ncomponents: {terraform: {vpc: {vars: {}}}}\n",
    );
    repo.run(&["check", "--unsafe-fixes", "--pedantic"]).ends_with(0);
    let text = std::fs::read_to_string(repo.root().join("stacks/deploy/dev.yaml")).unwrap();
    assert_eq!(
        text,
        "import: [catalog/base]\nvars:\n  stage: dev\n  l: []\ncomponents: {terraform: {vpc: {vars: {}}}}\n"
    );
    repo.write(
        "stacks/deploy/dev.yaml",
        "vars: {stage: dev}\nsettings:\n  home: !envv HOME\ncomponents: {terraform: {vpc: {}}}\n",
    );
    repo.run(&["check", "--unsafe-fixes"]).ends_with(0);
    assert!(std::fs::read_to_string(repo.root().join("stacks/deploy/dev.yaml")).unwrap().contains("home: !env HOME"));
}

#[test]
fn a_call_that_is_spelled_differently_is_marked() {
    let repo = Repo::atmos();
    let manifest = |call: &str| {
        format!("vars: {{stage: dev}}\ncomponents:\n  terraform:\n    vpc:\n      vars:\n        zone: {call}\n")
    };
    repo.write("stacks/deploy/dev.yaml", manifest("!terraform.state dns zone")).commit("one");
    repo.write("stacks/deploy/dev.yaml", manifest("!terraform.state  dns  'zone'")).commit("spelled otherwise");
    repo.run(&["diff", "HEAD~1..HEAD", "--exit-code"]).ends_with(3).says("(the same call)");
    repo.run(&["diff", "HEAD~1..HEAD", "--format", "markdown"]).ends_with(0).says("(the same call)");
    repo.run(&["diff", "HEAD~1..HEAD", "--format", "json"]).ends_with(0).says("\"same_call\": true");
    repo.write("stacks/deploy/dev.yaml", manifest("!terraform.state dns '.zone'")).commit("from the root on");
    repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(0).says("(the same call)");
    let long = format!("!terraform.state dns .zone // \"{}\"", "x".repeat(200));
    repo.write("stacks/deploy/dev.yaml", manifest(&long)).commit("with a default");
    repo.write("stacks/deploy/dev.yaml", manifest(&long.replace(" //", "   //"))).commit("with more blanks");
    for format in ["text", "markdown"] {
        repo.run(&["diff", "HEAD~1..HEAD", "--format", format]).ends_with(0).says("the same call");
    }
    repo.write("stacks/deploy/dev.yaml", manifest("!terraform.state dns other")).commit("another");
    repo.run(&["diff", "HEAD~1..HEAD", "--exit-code"]).ends_with(3);
    repo.write("stacks/deploy/dev.yaml", manifest("fixed")).commit("known");
    repo.write("stacks/deploy/dev.yaml", manifest("!exec date")).commit("unknown");
    repo.run(&["diff", "HEAD~1..HEAD", "--format", "concise"]).says("[value-became-unknown]: `vars.zone` was known");
    repo.write("values.json", VALUES);
    let run = repo.run(&["diff", "HEAD~1..HEAD", "--format", "concise", "--values", "values.json"]);
    assert!(!run.stdout.contains("value-became-unknown"), "{run}");
}

#[test]
fn providers_are_lists_or_maps() {
    let repo = Repo::atmos();
    repo.write("stacks/base.yaml", "terraform: {providers: {aws: {region: eu}}}\n");
    let stack = |aws: &str| {
        format!(
            "import: [base]\nvars: {{stage: dev}}\nterraform: {{providers: {{aws: {aws}}}}}\ncomponents: {{terraform: {{vpc: {{}}}}}}\n"
        )
    };
    repo.write("stacks/deploy/dev.yaml", stack("[{region: eu}, {alias: us, region: us}]"));
    repo.run(&["check"]).hides("merge-type-conflict");
    repo.write("stacks/deploy/dev.yaml", stack("eu"));
    repo.run(&["check"]).ends_with(1).says("merge-type-conflict");
}
