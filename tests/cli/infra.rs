//! `infra.yaml` projects: the same commands, with nothing of their own for it.

use crate::common::{ATMOS, Repo, Run, fixture};
use serde_json::{Value, json};

/// Two commits: an environment renames a resource, an imported file changes, a variable becomes a secret, a literal a
/// reference, and one resource depends on another.
fn repo() -> Repo {
    let repo = Repo::new();
    repo.copy(&fixture("infra/base"), "").commit("base");
    repo.tag("base").copy(&fixture("infra/head"), "").commit("head");
    repo
}

/// `stack/component status` of all components that differ.
fn components(run: &Run) -> Vec<String> {
    let json = run.json();
    let text = |c: &Value, key: &str| c[key].as_str().unwrap().to_owned();
    let one = |c: &Value| format!("{}/{} {}", text(c, "stack"), text(c, "component"), text(c, "status"));
    json["components"].as_array().unwrap().iter().map(one).collect()
}

/// `path: before → after` of a component, with the lines behind it.
fn changes(run: &Run, stack: &str, component: &str) -> Vec<String> {
    let json = run.json();
    let found =
        json["components"].as_array().unwrap().iter().find(|c| c["stack"] == stack && c["component"] == component);
    let line = |c: &Value| {
        let sign = if c["side"] == "base" { "-" } else { "+" };
        format!("{sign}{}:{}", c["file"].as_str().unwrap(), c["line"])
    };
    let one = |c: &Value| {
        let causes: Vec<String> = c["causes"].as_array().unwrap().iter().map(line).collect();
        format!("{}: {} → {} {}", c["path"].as_str().unwrap(), c["before"], c["after"], causes.join(" "))
    };
    found.unwrap()["changes"].as_array().unwrap().iter().map(one).collect()
}

#[test]
fn two_revisions_are_compared_environment_by_environment() {
    let run = repo().run(&["diff", "base..HEAD", "--format", "json"]).ends_with(1);
    assert_eq!(
        components(&run),
        [
            "prod/web-eu added",
            "prod/web-live removed",
            "prod/vpc modified",
            "prod/plan modified",
            "prod/secrets modified",
            "staging/web modified",
            "staging/vpc modified",
            "staging/plan modified",
            "staging/secrets modified",
        ]
    );
    let network = "-shared/network.yaml:4 +shared/network.yaml:4";
    for stack in ["prod", "staging"] {
        let cidr = format!("/config/cidr: \"10.0.0.0/16\" → \"10.8.0.0/16\" {network}");
        assert_eq!(changes(&run, stack, "vpc"), [cidr], "the import");
    }
    assert_eq!(
        changes(&run, "staging", "web"),
        [
            "/config/depends_on: null → [\"db\"] +infra.yaml:30",
            "/config/env_vars/DB_HOST: \"db.internal\" → \"${db.private_ip}\" -infra.yaml:30 +infra.yaml:32",
            "/references/1: \"SESSION_KEY (environment)\" → \"SESSION_KEY (secret)\" +infra.yaml:10",
            "/references/2: null → \"db.private_ip (output)\" -infra.yaml:30 +infra.yaml:32",
        ]
    );
    let version = "/schema_version: 1 → 2 -infra.yaml:30 +infra.yaml:32";
    assert_eq!(changes(&run, "staging", "plan"), [version], "the plan can no longer be saved");
    let order = "/order/2: \"web-live\" → \"web-eu\" +infra.yaml:30 -infra.yaml:33 +infra.yaml:35";
    assert_eq!(changes(&run, "prod", "plan"), [order, version]);
}

#[test]
fn a_rename_is_reported_as_what_it_does() {
    let run = repo().run(&["diff", "base..HEAD", "--all"]).ends_with(1);
    let run = run.says("`web-live` in `prod` is renamed, and the next run destroys and recreates it: now `web-eu`");
    run.says("~ component renamed: web-live → web-eu, in prod; destroyed and created again").hides("stays");
}

#[test]
fn environments_are_described_as_stacks() {
    let repo = repo();
    let json = repo.run(&["describe", "stacks", "--format", "json"]).ends_with(0).json();
    let web = &json["prod"]["components"]["infra.container_service"]["web-eu"];
    assert_eq!(
        web,
        &json!({
            "config": {
                "depends_on": ["db"],
                "env_vars": {
                    "DB_HOST": "${db.private_ip}", "LOG_LEVEL": "warn", "SESSION_KEY": "${SESSION_KEY}",
                },
                "image": "registry/web:${IMAGE_TAG}",
                "provider": "harbor",
                "region": "south",
                "replicas": 3,
            },
            "module": "web",
            "references": ["IMAGE_TAG (environment)", "SESSION_KEY (secret)", "db.private_ip (output)"],
        })
    );
    repo.run(&["describe", "stacks"]).ends_with(0).says("web-eu").hides("vars");
    let one = ["describe", "component", "db", "-s", "prod"];
    repo.run(&one).ends_with(0).says("size: \"large\"").says("infra.yaml:24");
}

#[test]
fn mistakes_are_reported_where_they_are_written() {
    let repo = repo();
    repo.edit("infra.yaml", "${db.private_ip}", "${bd.private_ip}");
    repo.edit("shared/network.yaml", "config: {cidr: 10.8.0.0/16}", "config: {cidr: '${}'}");
    let run = repo.run(&["check", "--format", "concise"]).ends_with(1);
    let expected = "\
infra.yaml:32:19: error[jit-unknown-module]: `${bd.private_ip}` names a module that does not exist
shared/network.yaml:4:21: error[jit-malformed-ref]: malformed reference ${}: empty body
";
    assert_eq!(run.stdout, expected);
    repo.run(&["describe", "stacks", "--format", "json"]).ends_with(1).complains("jit-malformed-ref");
    repo.write("shared/network.yaml", "modules: [\n");
    repo.run(&["check"]).ends_with(1).says("invalid-yaml").says("shared/network.yaml");
    let diff = repo.run(&["diff", "--format", "json"]).ends_with(1).json();
    assert_eq!((&diff["unresolved"], &diff["components"]), (&json!(["infra.yaml"]), &json!([])));
}

#[test]
fn variables_are_checked_where_somebody_says_which_are_set() {
    let repo = repo();
    repo.run(&["check"]).ends_with(0).hides("IMAGE_TAG");
    repo.write("deploy.env", "# what the pipeline sets\nexport IMAGE_TGA=1\n\nOTHER\n");
    let run = repo.run(&["check", "--env-file", "deploy.env"]).ends_with(0);
    run.says("jit-env-silently-empty").says("did you mean `IMAGE_TGA`?");
    // A pipe can be read only once.
    let line = format!("{} check --env-file <(cat deploy.env)", crate::common::bin().display());
    let piped = std::process::Command::new("bash").args(["-c", &line]).current_dir(repo.root()).output().unwrap();
    assert!(String::from_utf8_lossy(&piped.stdout).contains("did you mean `IMAGE_TGA`?"), "{piped:?}");
    repo.write("stacklint.toml", "variables = ['IMAGE_TAG']\n");
    repo.run(&["check"]).ends_with(0).hides("IMAGE_TAG");
    repo.run(&["check", "--env-file", "none.env"]).ends_with(2).complains("cannot read the variables in none.env");
    repo.run(&["config"]).ends_with(0).says("IMAGE_TAG");
}

#[test]
fn several_systems_in_one_repository() {
    let repo = repo();
    repo.write("atmos.yaml", ATMOS)
        .write("stacks/deploy/dev.yaml", "vars: {stage: dev}\ncomponents: {terraform: {box: {}}}\n");
    repo.commit("both");
    let stacks = |arguments: &[&str]| -> Vec<String> {
        let run = repo.run(&[&["describe", "stacks", "--format", "json"], arguments].concat()).ends_with(0);
        run.json().as_object().unwrap().keys().cloned().collect()
    };
    assert_eq!(stacks(&[]), ["dev", "prod", "staging"]);
    assert_eq!(stacks(&["--dialect", "jitsubst"]), ["prod", "staging"]);
    assert_eq!(stacks(&["--dialect", "atmos"]), ["dev"]);
    assert_eq!(stacks(&["--config", "infra.yaml"]), ["prod", "staging"]);
    assert_eq!(stacks(&["--config", "atmos.yaml"]), ["dev"]);
    assert_eq!(stacks(&["--config", "atmos.yaml", "--config", "infra.yaml"]), ["dev", "prod", "staging"]);
    let run = repo.run(&["diff", "HEAD~1..HEAD", "--format", "json"]).ends_with(0);
    assert_eq!(components(&run), ["dev/box added"]);
    repo.run(&["check", "--dialect", "none"])
        .ends_with(2)
        .complains("[possible values: atmos, jitsubst, garden, terragrunt, opentofu]");
}

#[test]
fn what_only_looks_like_another_system_is_none() {
    // A folder `stacks` may be anything.
    let repo = repo();
    repo.write("stacks/readme.yaml", "about: nothing\n");
    repo.run(&["check"]).ends_with(0).hides("no stack manifests");
    // And so may an infra.yaml.
    let other = Repo::atmos();
    other.write("infra.yaml", "servers: [a]\n");
    other.write("stacks/deploy/dev.yaml", "vars: {stage: dev}\ncomponents: {terraform: {box: {}}}\n");
    other.run(&["check"]).ends_with(0);
    let none = Repo::new();
    none.write("infra.yaml", "servers: [a]\n");
    none.run(&["check"]).ends_with(2).complains("an infra.yaml with `modules`");
}

#[test]
fn a_project_that_comes_and_goes() {
    let repo = Repo::new();
    repo.write("readme", "x").commit("nothing");
    repo.copy(&fixture("infra/base"), "").commit("project");
    let added = repo.run(&["diff", "HEAD~1..HEAD", "--format", "json"]).ends_with(0);
    assert!(components(&added).iter().all(|c| c.ends_with("added")), "{added}");
    let removed = repo.run(&["diff", "HEAD..HEAD~1", "--format", "json"]).ends_with(1);
    assert_eq!(components(&removed).len(), components(&added).len());
    assert!(components(&removed).iter().all(|c| c.ends_with("removed")), "{removed}");
}

#[test]
fn what_steers_resources_is_compared_too() {
    let repo = Repo::new();
    let text = "environments:\n  dev: {provider: aws}\nsecrets:\n  generate:\n    - {key: TOKEN, type: random_hex, length: 16}\nmodules:\n  - name: aws\n    type: iac.provider\n    config: {region: north}\n  - name: state\n    type: iac.state\n    config: {bucket: one}\n  - name: db\n    type: infra.database\n    config: {size: small}\n";
    repo.write("infra.yaml", format!("imports: [more.yaml]\n{text}"));
    repo.write("more.yaml", "secrets:\n  generate:\n    - {key: TOKEN, length: 1}\n    - {key: OTHER, length: 8}\n")
        .commit("base");
    for (old, new, path, status) in [
        ("north", "south", "config.region", 1),
        ("one", "two", "config.bucket", 1),
        ("16", "32", "generate[0].length", 3),
    ] {
        repo.edit("infra.yaml", old, new).commit("edit");
        let run = repo.run(&["diff", "HEAD^..HEAD", "--exit-code"]).ends_with(status);
        assert!(run.stdout.contains(path) && !run.stdout.contains("No effective change"), "{path}: {run}");
    }
    repo.edit("more.yaml", "length: 8", "length: 9").commit("imported");
    repo.run(&["diff", "HEAD^..HEAD", "--exit-code"]).ends_with(3).says("generate[1].length");
    repo.edit("more.yaml", "length: 1", "length: 2").commit("hidden");
    repo.run(&["diff", "HEAD^..HEAD", "--exit-code"]).ends_with(0);
}

/// A state, a provider and a resource, in two environments.
const PLACED: &str = "modules:
  - name: state
    type: iac.state
    config: {backend: spaces, bucket: a}
    environments: {prod: {config: {prefix: p}}}
  - name: cloud
    type: iac.provider
    config: {provider: harbor, region: north}
  - name: db
    type: infra.database
    protected: true
    config: {provider: cloud, region: north, size: small}
environments:
  dev: {provider: cloud}
  prod: {provider: cloud}
";

/// The difference that edits of that make.
fn edited(edits: &[(&str, &str)]) -> Run {
    let repo = Repo::new();
    repo.write("infra.yaml", PLACED).commit("base");
    let text = edits.iter().fold(PLACED.to_owned(), |text, (old, new)| {
        assert!(text.contains(old), "{old}");
        text.replace(old, new)
    });
    repo.write("infra.yaml", text).commit("head");
    repo.run(&["diff", "HEAD~1..HEAD"])
}

#[test]
fn a_state_in_another_place_is_a_danger() {
    let run = edited(&[("bucket: a", "bucket: b")]).ends_with(1);
    run.says(
        "danger[state-address-changed]: 2 components in 2 stacks will use another state: `config.bucket` `a` → `b`",
    );
    // One environment alone.
    let run = edited(&[("prefix: p", "prefix: q")]).ends_with(1);
    run.says("`state` in `prod` will use another state: `config.prefix` `p` → `q`").hides("dev");
    let run = edited(&[("backend: spaces, ", "")]).ends_with(1);
    run.says("may use another state: `config.backend` removed (was `spaces`)");
    // Without such a module no state is kept.
    let module = PLACED.split_at(PLACED.find("  - name: state").unwrap()).1;
    let module = &module[..module.find("  - name: cloud").unwrap()];
    edited(&[(module, "")]).ends_with(1).says("no backend says where it is any more, so it is kept nowhere");
    // Another name of the module is nothing to the state.
    edited(&[("name: state", "name: store")]).ends_with(0).hides("danger[");
    // An address with a password.
    let dsn = "backend: postgres, dsn: \"postgres://u:hidden@";
    let repo = Repo::new();
    let with = |host: &str| PLACED.replace("backend: spaces, bucket: a", &format!("{dsn}{host}/s\""));
    repo.write("infra.yaml", with("one")).commit("base");
    repo.write("infra.yaml", with("two"));
    repo.run(&["diff"]).ends_with(1).says("`config.dsn` is another one").hides("hidden");
}

#[test]
fn a_place_of_a_provider_or_a_resource_that_differs_is_a_danger() {
    let run = edited(&[("harbor, region: north", "harbor, region: south")]).ends_with(1);
    run.says(
        "danger[provider-target-changed]: 2 components in 2 stacks act somewhere else: `region` `north` → `south`",
    );
    let run = edited(&[("cloud, region: north", "cloud, region: south")]).ends_with(1);
    run.says("danger[provider-target-changed]").says("it is destroyed in the old place, or stays there");
    edited(&[("small", "large")]).ends_with(0).hides("danger[");
}

#[test]
fn a_resource_that_is_no_longer_protected_is_a_danger() {
    for new in ["", "    protected: false\n"] {
        let run = edited(&[("    protected: true\n", new)]).ends_with(1);
        run.says("danger[destroy-protection-removed]").says("and may be destroyed");
    }
}

#[test]
fn what_is_no_resource_is_as_an_environment_has_it() {
    let repo = Repo::new();
    let text = PLACED.replace("{prod: {config: {prefix: p}}}", "{prod: {config: {prefix: p}}, dev: null}");
    repo.write("infra.yaml", text).commit("base");
    let stacks = repo.run(&["describe", "stacks", "--format", "json"]).ends_with(0).json();
    assert_eq!(stacks["dev"]["components"]["iac.state"], Value::Null, "{stacks}");
    assert_eq!(
        stacks["prod"]["components"]["iac.state"]["state"]["config"],
        json!({"backend": "spaces", "bucket": "a", "prefix": "p"}),
        "{stacks}"
    );
}
