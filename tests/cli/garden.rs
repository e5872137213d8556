//! Garden projects: the same commands, with nothing of their own for it.

use crate::common::{Repo, Run, fixture};
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
    // One for each list of the keys there are, which differs by environment.
    assert!(lines.len() <= 2 && !lines.is_empty(), "{run}");
    assert!(lines.iter().all(|line| line.starts_with("services/web/garden.yml:4:")), "{run}");
}

#[test]
fn nothing_is_said_to_be_gone_where_nothing_could_be_resolved() {
    let repo = repo();
    repo.write("project.garden.yml", "kind: Project\nname: [\n").commit("broken");
    let run = repo.run(&["diff", "base..HEAD", "--format", "json"]).ends_with(1);
    assert_eq!(run.json()["components"], json!([]), "{run}");
}

#[test]
fn templates_are_evaluated_alone() {
    let repo = Repo::plain();
    repo.write("c.json", r#"{"var": {"replicas": 3}}"#);
    let run = repo.run(&["eval", "--dialect", "garden", "--context", "c.json", "${var.replicas > 2 ? 'many' : 'few'}"]);
    assert_eq!(run.ends_with(0).stdout, "many\n");
}
