//! `compare`: what differs between environments without a reason.

use crate::common::{ATMOS, Repo, Run, fixture};
use crate::contracts::{schema, validate};
use serde_json::Value;

fn block(start: &str) -> String {
    let page = std::fs::read_to_string(fixture("../docs").join("environments.md")).unwrap().replace("\r\n", "\n");
    let after = page.split_once(start).unwrap_or_else(|| panic!("the page has no {start:?}")).1;
    after.split_once("```").unwrap().0.to_owned()
}

/// The repository of `docs/environments.md`.
fn repo() -> Repo {
    let repo = Repo::new();
    repo.write("atmos.yaml", ATMOS);
    for path in ["stacks/catalog/app.yaml", "stacks/deploy/staging.yaml", "stacks/deploy/prod.yaml"] {
        repo.write(path, block(&format!("`{path}`:\n```yaml\n")));
    }
    repo.commit("base");
    repo
}

#[track_caller]
fn json(repo: &Repo, arguments: &[&str], status: i32) -> Value {
    let run = repo.run(&[&["compare", "--format", "json"], arguments].concat()).ends_with(status);
    validate(&schema("compare.json"), &run.json());
    run.json()
}

/// `/vars/size db web` for each difference.
fn listed(json: &Value) -> Vec<String> {
    let of = |one: &Value| {
        let names = one["components"].as_array().unwrap().iter().map(|c| c["component"].as_str().unwrap());
        [one["path"].as_str().unwrap()].into_iter().chain(names).collect::<Vec<_>>().join(" ")
    };
    json["differences"].as_array().unwrap().iter().map(of).collect()
}

#[test]
fn the_example_of_the_page_is_true() {
    let run: Run = repo().run(&["compare", "staging", "prod"]).ends_with(0);
    assert_eq!(block("```console\n$ stacklint compare staging prod\n"), run.stdout);
}

#[test]
fn what_follows_from_names_is_folded_and_the_rest_is_shown() {
    let repo = repo();
    let found = json(&repo, &["staging", "prod"], 0);
    assert_eq!(listed(&found), ["/vars/replicas web", "/vars/size db"]);
    assert_eq!(found["left"]["only"][0]["component"], "debug");
    assert_eq!(found["differences"][1]["places"][1], "stacks/deploy/prod.yaml:5");
    json(&repo, &["staging", "prod", "--exit-code"], 3);
    assert_eq!(listed(&json(&repo, &["prod", "prod", "--exit-code"], 0)), [""; 0]);
    repo.run(&["compare", "staging", "prd"]).ends_with(2).complains("did you mean `prod`?");
    repo.run(&["compare", "staging", "prod", "--format", "markdown"]).ends_with(0).says("- `vars.size` of db: `1 → 5`");
}

#[test]
fn copies_of_a_section_are_the_section() {
    let repo = repo();
    for (stage, kind) in [("staging", "s3"), ("prod", "gcs")] {
        let state = format!("terraform:\n  backend_type: {kind}\n  backend: {{{kind}: {{bucket: b-{kind}}}}}\n");
        let path = format!("stacks/deploy/{stage}.yaml");
        let text = std::fs::read_to_string(repo.root().join(&path)).unwrap();
        repo.write(&path, format!("{text}{state}"));
    }
    let all = ["/backend_type db web", "/vars/replicas web", "/vars/size db"];
    assert_eq!(listed(&json(&repo, &["staging", "prod"], 0)), all);
    // What is set there is no copy.
    let path = "stacks/deploy/prod.yaml";
    let text = std::fs::read_to_string(repo.root().join(path)).unwrap();
    repo.write(path, format!("{text}  remote_state_backend_type: s3\n  remote_state_backend: {{s3: {{bucket: c}}}}\n"));
    let found = listed(&json(&repo, &["staging", "prod"], 0));
    assert!(found.iter().any(|one| one.starts_with("/remote_state_backend")), "{found:?}");
}

#[test]
fn declared_differences_are_counted() {
    let repo = repo();
    repo.write("stacklint.toml", block("```toml\n"));
    let found = json(&repo, &["staging", "prod"], 0);
    assert_eq!(listed(&found), ["/vars/replicas web"]);
    assert_eq!(found["declared"], 1);
}

#[test]
fn environments_of_several_stacks_and_of_revisions() {
    let repo = repo();
    for (region, stage, size) in [("ue1", "dev", 1), ("ew1", "dev", 2), ("ue1", "qa", 1), ("ew1", "qa", 3)] {
        let text = format!(
            "vars: {{stage: {region}-{stage}, environment: {region}}}\ncomponents: {{terraform: {{app: {{vars: {{size: {size}}}}}}}}}\n"
        );
        repo.write(&format!("stacks/deploy/{region}-{stage}.yaml"), text);
    }
    repo.commit("more");
    let found = json(&repo, &["*-dev", "*-qa"], 0);
    assert_eq!(listed(&found), ["/vars/size app"]);
    assert_eq!(found["differences"][0]["components"][0]["place"], "ew1");
    let more =
        "vars: {stage: ue1-dev, environment: ue1}\ncomponents: {terraform: {app: {vars: {size: 1}}, debug: {}}}\n";
    repo.write("stacks/deploy/ue1-dev.yaml", more);
    repo.write(
        "stacklint.toml",
        "[[environments]]\nleft = \"*-dev\"\nright = \"*-qa\"\n[rules]\nenvironment-drift = \"warning\"\n",
    );
    let run = repo.run(&["check", "--format", "concise"]);
    assert!(run.stdout.contains("`vars.size` of app in ew1 differs between *-dev and *-qa"), "{run}");
    assert!(run.stdout.contains("`debug` of ue1 is in *-dev, and not in *-qa"), "{run}");
    repo.remove("stacklint.toml").git(&["checkout", "--quiet", "stacks"]);
    repo.edit("stacks/deploy/prod.yaml", "size: 5", "size: 6").commit("edit");
    assert_eq!(listed(&json(&repo, &["HEAD~:prod", "HEAD:prod"], 0)), ["/vars/size db"]);
}

#[test]
fn folders_of_units() {
    let repo = Repo::new();
    for (stage, version, extra) in [("stage", "1.1.0", ""), ("prod", "1.0.0", "  size = 3\n")] {
        let unit = |name: &str| format!("live/{stage}/us-east-1/{name}/terragrunt.hcl");
        repo.write(
            &unit("db"),
            format!("terraform {{\n  source = \"tfr:///acme/db/aws?version={version}\"\n}}\ninputs = {{\n  name = \"db-{stage}\"\n{extra}}}\n"),
        );
        repo.write(&unit(&format!("net-{stage}")), "inputs = {\n  a = 1\n}\n");
    }
    repo.write("live/stage/us-east-1/scratch/terragrunt.hcl", "inputs = {\n  a = 1\n}\n").commit("base");
    let found = json(&repo, &["live/stage", "live/prod"], 0);
    assert_eq!(listed(&found), ["/terraform/source db", "/inputs/size db"]);
    assert_eq!(found["differences"][0]["version"], true);
    assert_eq!(found["left"]["only"].as_array().unwrap().len(), 1);
    assert_eq!(listed(&json(&repo, &["live/stage/us-east-1/scratch", "live/prod/us-east-1/net-prod"], 0)), [""; 0]);
    // What its code makes follows from it.
    repo.write("live/stage/us-east-1/scratch/main.tf", "variable \"a\" {}\noutput \"a\" {\n  value = var.a\n}\n")
        .commit("code");
    let found = json(&repo, &["live/stage", "live/prod"], 0);
    assert_eq!(found["left"]["only"].as_array().unwrap().len(), 1, "{found}");
}

#[test]
fn what_code_makes_of_a_difference_is_counted() {
    let repo = Repo::new();
    let code = "variable \"size\" {\n  type = number\n}\nvariable \"stage\" {}\nresource \"aws_vpc\" \"this\" {\n  size = var.size\n  twice = 2 * var.size\n\
                \x20 zones = var.stage == \"prod\" ? 3 : 1\n}\n";
    repo.write("modules/app/main.tf", code);
    for (stage, size) in [("stage", 1), ("prod", 5)] {
        let inputs = format!("inputs = {{\n  stage = \"{stage}\"\n  size = {size}\n}}\n");
        let text = format!("terraform {{\n  source = \"../../../modules/app\"\n}}\n{inputs}");
        repo.write(&format!("live/{stage}/app/terragrunt.hcl"), text);
        let call = format!("module \"net\" {{\n  source = \"../../modules/net\"\n  size = {size}\n}}\n");
        let extra = "module \"more\" {\n  source = \"../../modules/net\"\n  size = 1\n}\n";
        repo.write(&format!("roots/{stage}/main.tf"), if stage == "prod" { call + extra } else { call });
    }
    repo.write("modules/net/main.tf", "variable \"size\" {}\nresource \"aws_vpc\" \"this\" {\n  size = var.size\n}\n")
        .commit("base");
    let found = json(&repo, &["live/stage", "live/prod"], 0);
    assert_eq!(listed(&found), ["/inputs/size app", "/twice aws_vpc.this", "/zones aws_vpc.this"]);
    assert_eq!(found["made"], 1);
    repo.run(&["compare", "live/stage", "live/prod"])
        .ends_with(0)
        .says("; 1 value that code makes differs as an input does");
    // What a call of a root module leads to.
    let found = json(&repo, &["roots/stage", "roots/prod"], 0);
    assert_eq!(listed(&found), ["/inputs/size net"]);
    assert_eq!(found["right"]["only"].as_array().unwrap().len(), 1, "{found}");
}

#[test]
fn many_components_and_repeated_paths_are_told_together() {
    let repo = Repo::new();
    let call = |name: &str, keys: usize| {
        let keys: Vec<String> = (0..keys).map(|key| format!("\"k{key}\"")).collect();
        let arguments = format!("for_each = toset([{}])\n  source = \"../../modules/net\"", keys.join(", "));
        format!("module \"{name}\" {{\n  {arguments}\n}}\n")
    };
    let list = |items: &str| format!("resource \"aws_lb\" \"this\" {{\n  names = [{items}]\n}}\n");
    repo.write(
        "modules/net/main.tf",
        (0..5).map(|i| format!("resource \"aws_vpc\" \"v{i}\" {{}}\n")).collect::<String>(),
    );
    repo.write("roots/stage/main.tf", call("net", 1) + &list("\"a\", \"b\", \"c\""));
    repo.write("roots/prod/main.tf", call("net", 4) + &list("")).commit("base");
    let run = repo.run(&["compare", "roots/stage", "roots/prod"]).ends_with(0);
    for key in ["k1", "k2", "k3"] {
        assert!(run.stdout.replace("\n    ", " ").contains(&format!("5 of module.net[\"{key}\"]")), "{run}");
    }
    assert_eq!(run.stdout.matches("names.0 of aws_lb.this").count(), 1, "{run}");
    assert!(run.stdout.contains("\"c\" → –"), "{run}");
}

#[test]
fn what_does_not_resolve_is_named() {
    let repo = repo();
    repo.write("stacks/deploy/broken.yaml", "vars: {stage: [x\n").commit("broken");
    assert_eq!(json(&repo, &["staging", "prod"], 1)["unresolved"].as_array().unwrap().len(), 1);
    repo.remove("stacks/deploy/broken.yaml");
    let without = "components: {terraform: {app: {metadata: {inherits: [gone]}}}}\n";
    // It may be any stack, until its name is known.
    repo.write("stacks/deploy/other.yaml", format!("import: [catalog/gone]\nvars: {{stage: qa}}\n{without}"))
        .commit("any");
    assert_eq!(json(&repo, &["staging", "prod"], 1)["unresolved"].as_array().unwrap().len(), 1);
    repo.edit("stacks/deploy/other.yaml", "import: [catalog/gone]\n", "").commit("another");
    assert_eq!(json(&repo, &["staging", "prod"], 0)["unresolved"].as_array().unwrap().len(), 0);
    repo.run(&["compare", "staging", "qaa"]).ends_with(2);
}

/// The oldest commit from which on a difference is there, and whether that is certain.
fn since(one: &Value, repo: &Repo) -> (String, bool) {
    let subject = one["since"]["commit"].as_str().map(|id| repo.git(&["log", "-1", "--format=%s", id]));
    (subject.map_or_else(|| "worktree".to_owned(), |text| text.trim().to_owned()), one["since"]["exact"] == true)
}

/// A history in which environments drift apart.
fn drifted() -> Repo {
    let repo = repo();
    repo.write("README.md", "words").commit("words");
    repo.edit("stacks/deploy/prod.yaml", "size: 5", "size: 1").commit("alike");
    repo.edit("stacks/deploy/prod.yaml", "size: 1", "size: 6").commit("more");
    repo.write("README.md", "more words").commit("more words");
    repo.edit("stacks/deploy/prod.yaml", "size: 6", "size: 7").commit("even more");
    repo
}

#[test]
fn history_says_since_when_something_differs() {
    let repo = drifted();
    let found = json(&repo, &["staging", "prod", "--since"], 0);
    let of = |found: &Value, number: usize| since(&found["differences"][number], &repo);
    assert_eq!(listed(&found), ["/vars/replicas web", "/vars/size db"]);
    assert_eq!(of(&found, 0), ("base".to_owned(), true));
    assert_eq!(of(&found, 1), ("more".to_owned(), true), "values may change, it still is the same difference");
    assert_eq!(since(&found["left"]["only"][0], &repo), ("base".to_owned(), true));
    let found = json(&repo, &["HEAD~2:staging", "HEAD~2:prod", "--since"], 0);
    assert_eq!(of(&found, 1), ("more".to_owned(), true));
    // What is not committed.
    repo.edit("stacks/deploy/staging.yaml", "replicas: 3", "replicas: 3, size: 1");
    let found = json(&repo, &["staging", "prod", "--since"], 0);
    assert_eq!(listed(&found)[0], "/vars/replicas web");
    assert_eq!(of(&found, 2), ("worktree".to_owned(), true), "{found}");
    repo.git(&["checkout", "--quiet", "."]);
    // Where the search ends.
    let found = json(&repo, &["staging", "prod", "--since=2"], 0);
    assert_eq!(of(&found, 1), ("more words".to_owned(), false));
    let run = repo.run(&["compare", "staging", "prod", "--since=2"]).ends_with(0);
    assert!(run.stdout.contains(": more words or earlier (only 2 commits were examined)"), "{run}");
    repo.run(&["compare", "staging", "prod", "--since", "--format", "markdown"]).ends_with(0).says(": more\n");
    let run = repo.run(&["compare", "HEAD~:staging", "HEAD:prod", "--since"]).ends_with(2);
    assert!(run.stderr.contains("of one revision"), "{run}");
}

#[test]
fn what_older_states_do_not_show_is_not_known() {
    let repo = drifted();
    repo.write("stacks/deploy/broken.yaml", "vars: {stage: [x\n").commit("broken");
    repo.edit("stacks/deploy/prod.yaml", "size: 7", "size: 1").commit("alike, perhaps");
    repo.remove("stacks/deploy/broken.yaml").edit("stacks/deploy/prod.yaml", "size: 1", "size: 8").commit("repaired");
    let found = json(&repo, &["staging", "prod", "--since"], 0);
    assert_eq!(since(&found["differences"][1], &repo), ("repaired".to_owned(), false));
    assert_eq!(found["differences"][1]["since"]["reason"], "the state before it is not resolved");
    let clone = repo.beside("clone");
    repo.git(&[
        "clone",
        "--quiet",
        "--depth",
        "1",
        &format!("file://{}", repo.root().display()),
        clone.to_str().unwrap(),
    ]);
    let run = repo.run(&["-C", clone.to_str().unwrap(), "compare", "staging", "prod", "--since"]).ends_with(0);
    assert!(run.stdout.contains(": repaired or earlier (the clone has no older commits)"), "{run}");
}

#[test]
fn drift_is_a_finding() {
    let repo = repo();
    repo.write(
        "stacklint.toml",
        "[[environments]]\nleft = \"staging\"\nright = \"prod\"\n[rules]\nenvironment-drift = \"warning\"\n",
    );
    repo.commit("declared");
    let run = repo.run(&["check", "--format", "concise"]).ends_with(0);
    assert_eq!(run.stdout.matches("environment-drift").count(), 3, "{run}");
    // A change of one file is compared with what nobody edited.
    repo.edit("stacks/deploy/staging.yaml", "level: 1}}", "level: 1}}\n    db: {vars: {owner: x}}").commit("drift");
    let run = repo.run(&["diff", "HEAD~..HEAD", "--format", "concise"]).ends_with(0);
    assert!(run.stdout.contains("`vars.owner` of db differs between staging and prod"), "{run}");
    repo.edit("stacklint.toml", "\"prod\"", "\"prd\"").commit("a typo");
    let run = repo.run(&["check"]).ends_with(0);
    assert!(format!("{run}").contains("nothing matches `prd` of `environments`"), "{run}");
}

#[test]
fn long_lists_and_texts_are_shortened_to_what_differs() {
    let repo = Repo::atmos();
    for (stage, version) in [("staging", "2.1.0"), ("prod", "2.0.9")] {
        let extra: String =
            (0..20).filter(|_| stage == "prod").map(|i| format!("    extra-{i}: {{vars: {{a: 1}}}}\n")).collect();
        let address = format!("https://modules.example/a-long-way/to/the/module.zip?version={version}");
        let text = format!(
            "vars: {{stage: {stage}}}\ncomponents:\n  terraform:\n    web: {{vars: {{from: '{address}'}}}}\n{extra}"
        );
        repo.write(&format!("stacks/deploy/{stage}.yaml"), text);
    }
    repo.commit("base");
    let run = repo.run(&["compare", "staging", "prod"]).ends_with(0);
    assert!(run.stdout.contains("…version=2.1.0\" → …version=2.0.9\""), "{run}");
    assert!(run.stdout.contains("… 8 more"), "{run}");
    let run = repo.run(&["compare", "staging", "prod", "--all"]).ends_with(0);
    assert!(run.stdout.contains("extra-9") && run.stdout.contains("https://modules.example/a-long-way"), "{run}");
}

#[test]
fn what_has_no_name_or_cannot_be_read_may_be_meant() {
    let repo = Repo::atmos();
    let stack = |stage: &str| format!("vars: {{{stage}}}\ncomponents: {{terraform: {{box: {{}}}}}}\n");
    repo.write("stacks/deploy/dev.yaml", stack("stage: dev")).write("stacks/deploy/prod.yaml", stack("stage: prod"));
    repo.run(&["compare", "dev", "prod"]).ends_with(0);
    for broken in [&*stack("size: 1"), "vars: {size: qa\n", "vars: {stage: prod\n", "vars: {stage: 'qa\n"] {
        repo.write("stacks/deploy/other.yaml", broken);
        repo.run(&["compare", "dev", "prod"]).ends_with(1).says("1 part is not resolved: deploy/other");
    }
    // It says that it is another stack.
    repo.write("stacks/deploy/other.yaml", "vars: {stage: qa\n");
    let run = repo.run(&["compare", "dev", "prod"]).ends_with(0);
    assert!(!run.stdout.contains("not resolved"), "{run}");
}
