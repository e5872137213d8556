//! `describe locals`, and locals in `diff`.

use super::contracts::{schema, validate};
use crate::common::Repo;
use serde_json::{Value, json};

const DEV: &str = "\
locals:
  region: us-east-1
  prefix: \"{{ .locals.region }}-{{ .vars.stage }}\"
  tags: {team: net}
  host: !env HOST
  url: \"https://{{ .locals.host }}/\"
vars: {stage: dev}
terraform:
  locals:
    region: eu-west-1
    tags: {cost: low}
    bucket: \"{{ .locals.prefix }}-{{ .locals.region }}\"
helmfile: {locals: {}}
import: [catalog/vpc]
components:
  terraform:
    vpc:
      metadata: {inherits: [base]}
      locals: {name: \"{{ .locals.bucket }}-vpc\", own: \"{{ .locals.size }}\"}
      vars: {n: 1}
";
const CATALOG: &str = "components: {terraform: {base: {metadata: {type: abstract}, locals: {size: 3}}}}\n";

fn repo() -> Repo {
    let repo = Repo::atmos();
    repo.write("stacks/deploy/dev.yaml", DEV).write("stacks/catalog/vpc.yaml", CATALOG);
    repo.write("stacks/deploy/none.yaml", "vars: {stage: none}\ncomponents: {terraform: {box: {}}}\n");
    repo
}

#[track_caller]
fn describe(repo: &Repo, arguments: &[&str]) -> Value {
    let run = repo.run(&[&["describe", "locals"], arguments, &["--format", "json"]].concat());
    assert_eq!(run.status, 0, "{run:?}");
    validate(&schema("describe-locals.json"), &run.json());
    run.json()
}

#[test]
fn locals_have_the_shape_of_the_reference() {
    let repo = repo();
    let global = json!({
        "region": "us-east-1", "prefix": "us-east-1-dev", "tags": {"team": "net"}, "host": "HOST",
        "url": "https://HOST/",
    });
    let terraform = json!({"region": "eu-west-1", "tags": {"cost": "low"}, "bucket": "us-east-1-dev-eu-west-1"});
    let want = json!({"locals": global, "terraform": {"locals": terraform}, "helmfile": {"locals": {}}});
    for stack in ["dev", "deploy/dev"] {
        assert_eq!(describe(&repo, &["-s", stack]), want);
    }
    // Those of a component are as they were before its templates were rendered, but the file's are in them.
    let merged = json!({
        "region": "eu-west-1", "prefix": "us-east-1-dev", "tags": {"team": "net", "cost": "low"}, "host": "HOST",
        "url": "https://HOST/", "bucket": "us-east-1-dev-eu-west-1", "size": 3,
        "name": "{{ .locals.bucket }}-vpc", "own": "{{ .locals.size }}",
    });
    let want = json!({"components": {"terraform": {"vpc": {"locals": merged}}}});
    assert_eq!(describe(&repo, &["vpc", "-s", "dev"]), want);
}

#[test]
fn provenance_tells_where_names_come_from() {
    let repo = repo();
    let found = describe(&repo, &["vpc", "-s", "dev", "--provenance"]);
    let bucket = &found["scopes"][1]["values"]["bucket"];
    assert_eq!((&bucket["line"], &bucket["value"]), (&json!(12), &json!("us-east-1-dev-eu-west-1")));
    let needs: Vec<_> = bucket["depends_on"].as_array().unwrap().iter().map(|d| (&d["path"], &d["line"])).collect();
    assert_eq!(needs, [(&json!("locals.prefix"), &json!(3)), (&json!("locals.region"), &json!(10))]);
    assert_eq!(found["scopes"][1]["values"]["region"]["shadows"]["line"], 2);
    let global = &found["scopes"][0]["values"];
    assert_eq!(global["region"]["used_by"], json!(["prefix"]));
    assert_eq!(global["prefix"]["used_by"], json!(["terraform.bucket"]));
    assert_eq!(global["host"]["unknown"], json!(["`!env` reads the environment variable `HOST`"]));
    assert_eq!(global["url"]["unknown"], global["host"]["unknown"]);
    let size = &found["scopes"][3]["values"]["size"];
    assert_eq!((&size["file"], &size["line"]), (&json!("stacks/catalog/vpc.yaml"), &json!(1)));
    // The scope for helmfile, empty as it is, brings back what the one for terraform hides.
    let merged = &found["merged"];
    assert_eq!((&merged["region"]["scope"], &merged["region"]["line"]), (&json!("global"), &json!(2)));
    assert_eq!(merged["bucket"]["scope"], "terraform");
    assert_eq!(merged["size"]["scope"], "component");

    let text = repo.run(&["describe", "locals", "-s", "dev", "--provenance"]).stdout;
    for part in [
        "terraform\n",
        "depends on locals.prefix (line 3), locals.region (line 10)",
        "hides      stacks/deploy/dev.yaml:2",
        "merged\n",
    ] {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
}

#[test]
fn what_has_no_locals_is_reported() {
    let repo = repo();
    for (arguments, words) in [
        (&["-s", "none"][..], "stack has no locals defined: none"),
        (&["-s", "prod"], "stack not found: prod"),
        (&["-s", "deu"], "stack not found: deu; did you mean `dev`?"),
        (&["vcp", "-s", "dev"], "stack `dev` has no component `vcp`; did you mean `vpc`?"),
    ] {
        let run = repo.run(&[&["describe", "locals"], arguments].concat());
        assert_eq!(run.status, 2, "{run:?}");
        assert!(run.stderr.contains(words), "{}", run.stderr);
    }
    repo.write("stacks/deploy/dev.yaml", "vars: {stage: dev}\nlocals:\n  a: 1\n  b: '{{ .locals.b }}'\n");
    let run = repo.run(&["describe", "locals", "-s", "dev", "--format", "json"]);
    assert_eq!(run.status, 1, "{run:?}");
    assert_eq!(run.json(), json!({"locals": {"a": 1}}));
    assert!(run.stderr.contains("local-cycle"), "{}", run.stderr);
}

#[test]
fn a_diff_shows_locals_and_what_they_reach() {
    let repo = Repo::atmos();
    let file = |region: &str, more: &str| {
        format!(
            "locals:\n  region: {region}\n  name: \"{{{{ .locals.region }}}}-net\"\n  tags: {{team: {region}, cost: low}}\n  idle: {region}\n{more}vars: {{stage: dev}}\ncomponents:\n  terraform:\n    vpc:\n      vars: {{name: \"{{{{ .locals.name }}}}\", tags: \"{{{{ .locals.tags }}}}\", plain: 1}}\n"
        )
    };
    repo.write("stacks/deploy/dev.yaml", file("east", "  old: 1\n"));
    repo.write(
        "stacks/deploy/other.yaml",
        "locals: {same: 1}\nvars: {stage: other}\ncomponents: {terraform: {box: {vars: {v: '{{ .locals.same }}'}}}}\n",
    );
    repo.commit("base");
    repo.tag("base");
    repo.write("stacks/deploy/dev.yaml", file("west", "  new: {a: 1}\nterraform: {locals: {zone: z}}\n"));
    repo.commit("head");
    repo.tag("head");
    let run = repo.run(&["diff", "base..head", "--format", "json"]);
    validate(&schema("report-v1.json"), &run.json());
    let locals = run.json()["locals"].clone();
    let short: Vec<String> = locals
        .as_array()
        .unwrap()
        .iter()
        .map(|l| {
            let paths: Vec<&str> =
                l["reached"].as_array().unwrap().iter().map(|r| r["path"].as_str().unwrap()).collect();
            let text = |k: &str| l[k].as_str().unwrap().to_owned();
            format!("{} {}.{}:{} {}", text("kind"), text("scope"), text("name"), l["line"], paths.join(" "))
        })
        .collect();
    assert_eq!(
        short,
        [
            "changed global.idle:5 ",
            "changed global.name:3 /vars/name",
            "added global.new:6 ",
            "removed global.old:6 ",
            "changed global.region:2 /vars/name",
            "changed global.tags:4 /vars/tags/team",
            "added terraform.zone:7 ",
        ]
    );
    assert_eq!(locals[0]["before"], "east");
    assert_eq!(locals[1]["after"], "west-net");
    assert_eq!(locals[1]["reached"][0]["component"], "vpc");
    let text = repo.run(&["diff", "base..head"]).stdout;
    for part in [
        "Locals\n  stacks/deploy/dev.yaml global\n",
        "~ idle",
        "\"east\" → \"west\"  reaches nothing",
        "reaches 1 value in 1 component",
    ] {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
}

#[test]
fn a_stack_that_breaks_has_not_lost_its_locals() {
    let repo = Repo::atmos();
    repo.write("stacks/catalog/x.yaml", "locals: {a: 1}\nvars: {v: '{{ .locals.a }}'}\n");
    repo.write("stacks/deploy/dev.yaml", "import: [catalog/x]\nvars: {stage: dev}\n");
    repo.commit("base");
    repo.tag("base");
    repo.write("stacks/deploy/dev.yaml", "import: [catalog/x, catalog/gone\nvars: {stage: dev}\n");
    repo.commit("head");
    repo.tag("head");
    let run = repo.run(&["diff", "base..head", "--format", "json"]);
    assert_eq!(run.json()["locals"], json!([]));
}

#[test]
fn findings_about_locals_are_the_same_on_both_sides() {
    let repo = Repo::atmos();
    let stack = |name: &str, v: u8| {
        format!(
            "import: [catalog/x]\nlocals: {{idle: 1}}\nvars: {{stage: {name}, v: {v}}}\ncomponents: {{terraform: {{box: {{vars: {{a: '{{{{ .locals.nope }}}}'}}}}}}}}\n"
        )
    };
    repo.write("stacks/catalog/x.yaml", "locals: {far: 1, near: 2}\nvars: {n: '{{ .locals.near }}'}\n");
    for name in ["dev", "prod", "test"] {
        repo.write(&format!("stacks/deploy/{name}.yaml"), stack(name, 1));
    }
    repo.commit("base");
    repo.tag("base");
    repo.write("stacks/deploy/dev.yaml", stack("dev", 2).replace(".locals.nope", ".locals.far"));
    repo.write("stacks/deploy/prod.yaml", stack("prod", 2));
    repo.commit("head");
    repo.tag("head");
    let run = repo.run(&["diff", "base..head", "--format", "json"]);
    let found: Vec<String> = run.json()["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .map(|d| {
            format!("{} {} {}", d["status"].as_str().unwrap(), d["rule"].as_str().unwrap(), d["file"].as_str().unwrap())
        })
        .filter(|d| !d.starts_with("known"))
        .collect();
    assert_eq!(
        found,
        [
            "new leaked-local stacks/deploy/dev.yaml",
            "fixed unused-local stacks/catalog/x.yaml",
            "fixed undefined-local stacks/deploy/dev.yaml"
        ]
    );
}
