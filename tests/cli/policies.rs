//! Policies of a repository: their findings and places, levels, `eval` and `test`.

use super::contracts::{schema, validate};
use crate::common::Repo;

const ZONES: &str = "\
[[require]]
id = \"two-zones\"
where = \"component.stack != 'dev' && has(component.vars.zones)\"
that = \"size(component.vars.zones) >= 2\"
message = \"at least two zones\"
help = \"add a zone\"
";

/// Three stacks with one component that a catalog configures.
fn project(settings: &str, zones: &str) -> Repo {
    let repo = Repo::atmos();
    repo.write(
        "stacks/catalog/vpc.yaml",
        format!("components:\n  terraform:\n    vpc:\n      vars:\n        zones: {zones}\n"),
    );
    for stage in ["dev", "qa", "prod"] {
        repo.write(
            &format!("stacks/deploy/{stage}.yaml"),
            format!("import: [catalog/vpc]\nvars: {{stage: {stage}}}\n"),
        );
    }
    repo.write("stacklint.toml", settings).commit("base");
    repo
}

#[test]
fn a_finding_stands_at_the_line_that_wrote_the_value_once_for_all_stacks() {
    let repo = project(ZONES, "[a]");
    let run = repo.run(&["check", "--format", "json"]).ends_with(1);
    let json = run.json();
    let all = json["diagnostics"].as_array().unwrap();
    assert_eq!(all.len(), 1, "{run}");
    assert_eq!((&all[0]["rule"], &all[0]["file"]), (&"two-zones".into(), &"stacks/catalog/vpc.yaml".into()));
    assert_eq!(all[0]["stacks"], serde_json::json!(["prod", "qa"]));
    repo.run(&["check", "--format", "concise"])
        .says("stacks/catalog/vpc.yaml:5:9: error[two-zones]: at least two zones");
    // An override in one stack is another cause, and is reported at its own line.
    repo.write(
        "stacks/deploy/qa.yaml",
        "import: [catalog/vpc]\nvars: {stage: qa}\ncomponents: {terraform: {vpc: {vars: {zones: [b]}}}}\n",
    );
    let run = repo.run(&["check"]).ends_with(1);
    run.says("stacks/catalog/vpc.yaml:5").says("stacks/deploy/qa.yaml:3").says("which replaces this");
    project(ZONES, "[a, b]").run(&["check"]).ends_with(0);
}

#[test]
fn equal_values_that_different_lines_wrote_are_found_at_each_of_them() {
    let settings = "\
[[require]]
id = 'sizes'
where = 'has(component.vars.sizes)'
that = 'component.vars.sizes.all(size, size != \"small\")'
message = 'not small'

[[require]]
id = 'owners'
where = 'has(component.vars.sizes)'
that = 'has(component.vars.owner)'
message = 'an owner is needed'

[[require]]
id = 'sizes-of-names'
where = 'component.name != \"c\" && has(component.vars.sizes)'
that = 'component.vars.sizes[1] == \"large\"'
message = 'the second is large'
";
    let repo = Repo::atmos();
    let vars = "\n      vars:\n        sizes: [large, small]\n";
    let stack = format!("vars: {{stage: dev}}\ncomponents:\n  terraform:\n    a:{vars}    b:{vars}    c:{vars}");
    repo.write("stacks/deploy/dev.yaml", stack).write("stacklint.toml", settings).commit("base");
    let run = repo.run(&["check", "--format", "concise"]).ends_with(1);
    let mut expected = Vec::new();
    for line in [6, 9, 12] {
        expected.push(format!("stacks/deploy/dev.yaml:{}:5: error[owners]: an owner is needed", line - 2));
        expected.push(format!("stacks/deploy/dev.yaml:{line}:24: error[sizes]: not small"));
        if line < 12 {
            expected.push(format!("stacks/deploy/dev.yaml:{line}:24: error[sizes-of-names]: the second is large"));
        }
    }
    let found: Vec<&str> = run.stdout.lines().filter(|line| line.contains("error[")).collect();
    assert_eq!(found, expected, "{run}");
}

#[test]
fn components_that_share_values_differ_where_policies_read_more() {
    let settings = "\
[[require]]
id = 'two-zones'
where = 'has(component.vars.zones)'
that = 'size(component.vars.zones) >= 2 || component.name == \"dns\"'
message = 'prod needs two zones'

[[require]]
id = 'owned'
that = 'component.vars.owner == \"net\"'
message = 'an owner'
path = 'vars.owner'
";
    let repo = Repo::atmos();
    let catalog = "components:\n  terraform:\n    vpc: {vars: &v {zones: [a], owner: net}}\n    dns: {vars: *v}\n    db: {vars: {size: 1}}\n";
    repo.write("stacks/catalog/all.yaml", catalog);
    for (stage, more) in [("dev", ""), ("prod", ""), ("qa", "components: {terraform: {vpc: {vars: {owner: app}}}}\n")] {
        let text = format!("import: [catalog/all]\nvars: {{stage: {stage}}}\n{more}");
        repo.write(&format!("stacks/deploy/{stage}.yaml"), text);
    }
    repo.write("stacklint.toml", settings).commit("base");
    let run = repo.run(&["check", "--format", "json"]).ends_with(1);
    let json = run.json();
    let mut found: Vec<String> = json["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .map(|d| format!("{} {}:{} {} {}", d["rule"], d["file"], d["line"], d["address"], d["stacks"]).replace('"', ""))
        .collect();
    found.sort();
    let wanted = [
        // A missing key is reported at the map without it; the message of `two-zones` names a stack, so each is
        // separate.
        "owned stacks/catalog/all.yaml:5 dev/db/vars.owner [dev,prod,qa]",
        "owned stacks/deploy/qa.yaml:3 qa/vpc/vars.owner [qa]",
        "two-zones stacks/catalog/all.yaml:3 dev/vpc/vars.zones [dev,qa]",
        "two-zones stacks/catalog/all.yaml:3 prod/vpc/vars.zones [prod]",
    ];
    assert_eq!(found, wanted, "{run}");
}

#[test]
fn policies_are_judged_like_rules() {
    let repo = project(ZONES, "[a] # stacklint: ignore[two-zones] it moves soon");
    repo.run(&["check"]).ends_with(0).hides("two-zones");
    let repo = project(ZONES, "[a, b] # stacklint: ignore[two-zones] it moves soon");
    repo.run(&["check"]).says("unused-ignore");
    for (more, status) in [
        ("level = 'warning'\n", 0),
        ("[rules]\ntwo-zones = 'off'\n", 0),
        ("[rules]\ntwo-zones = 'note'\n", 0),
        ("[groups]\npolicy = 'off'\n", 0),
        ("[[overrides]]\npaths = ['stacks/catalog/**']\nrules = {two-zones = 'off'}\nreason = 'x'\n", 0),
        ("[rules]\ntwo-zonse = 'off'\n", 1),
    ] {
        let run = project(&format!("{ZONES}{more}"), "[a]").run(&["check"]).ends_with(status);
        if more.contains("zonse") {
            run.says("did you mean `two-zones`?");
        }
    }
    let repo = project(ZONES, "[a]");
    repo.run(&["check", "--write-baseline", "known.json"]).ends_with(0);
    repo.run(&["check", "--baseline", "known.json"]).ends_with(0).hides("error[two-zones]");
    repo.run(&["rules"]).ends_with(0).says("two-zones");
    let rules = repo.run(&["rules", "--format", "json"]).ends_with(0).says("\"two-zones\"");
    validate(&schema("rules.json"), &rules.json());
    repo.run(&["explain", "two-zones"]).ends_with(0).says("size(component.vars.zones) >= 2").says("add a zone");
    repo.run(&["config"]).ends_with(1 - 1).says("rules.two-zones");
    let sarif = repo.run(&["check", "--format", "sarif"]).json();
    let rules = sarif["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap();
    assert!(rules.iter().any(|rule| rule["id"] == "stacklint/two-zones"), "{rules:?}");
    for format in ["text", "concise", "markdown", "junit", "gitlab", "github"] {
        repo.run(&["check", "--format", format]).says("two-zones");
    }
}

#[test]
fn findings_are_new_known_or_fixed() {
    let repo = project(ZONES, "[a]");
    repo.write("stacks/deploy/dev.yaml", "import: [catalog/vpc]\nvars: {stage: dev, more: 1}\n").commit("other");
    repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(0).hides("error[two-zones]");
    repo.write("stacks/catalog/vpc.yaml", "components: {terraform: {vpc: {vars: {zones: [a, b]}}}}\n").commit("fixed");
    repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(0).says("1 fixed");
    repo.write("stacks/catalog/vpc.yaml", "components: {terraform: {vpc: {vars: {zones: []}}}}\n").commit("broken");
    repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(1).says("error[two-zones]");
}

#[test]
fn a_change_is_judged_at_the_lines_that_caused_it() {
    let settings = "[[require]]\nid = 'no-shrinking'\nwhere = \"change.path == 'vars.size' && change.before != null\"\n\
                    that = 'change.after >= change.before'\nmessage = 'nothing shrinks'\nhelp = 'ask first'\n";
    let repo = project(settings, "[a]");
    let catalog = |size: &str| format!("components: {{terraform: {{vpc: {{vars: {{size: {size}}}}}}}}}\n");
    repo.write("stacks/catalog/vpc.yaml", catalog("3")).commit("three");
    repo.write("stacks/catalog/vpc.yaml", catalog("2")).commit("two");
    let run = repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(1).says("error[no-shrinking]: nothing shrinks");
    run.says("stacks/catalog/vpc.yaml:1").says("ask first").says("3 stacks");
    repo.write("stacks/catalog/vpc.yaml", catalog("5")).commit("five");
    repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(0).hides("no-shrinking");
    // An unknown value neither passes nor fails.
    repo.write("stacks/catalog/vpc.yaml", catalog("!terraform.output db size")).commit("unknown");
    let run = repo.run(&["diff", "HEAD~1..HEAD"]).hides("error[no-shrinking]");
    run.says("the policy `no-shrinking` cannot be evaluated: `change.after` is not known");
    // `check` has no change to examine.
    repo.run(&["check"]).hides("no-shrinking").hides("unused-policy");
}

#[test]
fn stacks_of_a_change() {
    let settings =
        "[[require]]\nid = 'small-steps'\nthat = 'size(change.stacks) < 3'\nmessage = 'one stage at a time'\n";
    let repo = project(settings, "[a]");
    repo.write("stacks/catalog/vpc.yaml", "components: {terraform: {vpc: {vars: {zones: [b]}}}}\n").commit("all");
    repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(1).says("one stage at a time");
    repo.write("stacks/deploy/qa.yaml", "import: [catalog/vpc]\nvars: {stage: qa, more: 1}\n").commit("one");
    repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(0).hides("one stage at a time");
}

const DENY: &str = "\
package networks

import rego.v1

deny contains result if {
    input.component.vars.size > 2
    result := {\"msg\": sprintf(\"%d is too large\", [input.component.vars.size]), \"path\": \"vars.size\"}
}

violation contains \"no small names\" if input.component.vars.name == \"x\"

warn contains \"size should be even\" if input.component.vars.size % 2 == 1
";

/// A disk for each of three stacks, encrypted only where the variable says so.
fn disks(settings: &str) -> Repo {
    let repo = project(settings, "[a]");
    let code = "variable \"zones\" {}\nvariable \"stage\" {}\nresource \"disk\" \"d\" {\n  for_each = toset(var.zones)\n  \
                encrypted = var.stage != \"dev\"\n  id = data.disk.x.id\n}\ndata \"disk\" \"x\" {}\n";
    repo.write("components/terraform/vpc/main.tf", code).commit("code");
    repo
}

#[test]
fn policies_read_what_the_code_makes() {
    let require =
        |that: &str| format!("[[require]]\nid = 'encrypted'\nthat = \"{that}\"\nmessage = 'disks are encrypted'\n");
    let encrypted = require("component.resources.filter(r, r.mode == 'resource').all(r, r.values.encrypted)");
    let repo = disks(&encrypted);
    repo.run(&["check", "--format", "concise"])
        .ends_with(1)
        .says("components/terraform/vpc/main.tf:5")
        .says("error[encrypted]: disks are encrypted")
        .hides("incomplete-analysis");
    let json = repo.run(&["check", "--format", "json"]).json();
    assert_eq!(json["diagnostics"][0]["stacks"], serde_json::json!(["dev"]), "{json}");
    // What is unknown is neither right nor wrong.
    let repo = disks(&require("component.resources.all(r, r.mode == 'data' || r.values.id == 'x')"));
    repo.run(&["check", "--format", "concise"]).hides("error[encrypted]").says("incomplete-analysis");
    repo.run(&["policy", "eval", "size(component.resources)", "-s", "prod"]).ends_with(0).says("2");
}

#[test]
fn policies_over_a_change_read_what_the_code_makes() {
    let settings = "[[rego]]\nid = 'disks'\nfile = 'disks.rego'\n";
    let repo = disks("");
    let policy = "package disks\nimport rego.v1\ndeny contains msg if {\n  some r in input.component.resources\n  r.mode == \"resource\"\n  \
                  not r.values.encrypted\n  msg := sprintf(\"%s is not encrypted\", [r.address])\n}\n";
    repo.write("stacklint.toml", settings).write("disks.rego", policy).commit("policy");
    let code = "variable \"zones\" {}\nvariable \"stage\" {}\nresource \"disk\" \"d\" {\n  encrypted = var.stage != \"prod\"\n}\n";
    repo.write("components/terraform/vpc/main.tf", code).commit("head");
    repo.run(&["diff", "HEAD~1..HEAD", "--format", "concise"]).ends_with(1).says("disk.d is not encrypted");
    repo.run(&["diff", "HEAD~1..HEAD", "--format", "concise", "--no-code"]).hides("disk.d is not encrypted");
}

#[test]
fn rego_over_one_component() {
    let settings = "[[rego]]\nid = 'networks'\nfile = 'rules/networks.rego'\nmessage = 'networks are small'\n";
    let repo = project(settings, "[a]");
    repo.write("rules/networks.rego", DENY);
    let with = |vars: &str| {
        let text = format!("components:\n  terraform:\n    vpc:\n      vars:\n        {vars}\n");
        repo.write("stacks/catalog/vpc.yaml", text);
        repo.run(&["check", "--format", "concise"])
    };
    let run = with("size: 3").ends_with(1).says("stacks/catalog/vpc.yaml:5:9: error[networks]: 3 is too large");
    run.says("warning[networks-warning]: size should be even");
    with("name: x").ends_with(1).says("error[networks]: no small names");
    with("size: 2").ends_with(0).hides("networks");
    // Something unknown that it reads, and something that it does not.
    with("size: !terraform.output db size").hides("error[networks]").says("`vars.size` is not known");
    with("other: !terraform.output db size").hides("the policy `networks` cannot be evaluated");
    repo.write(
        "rules/networks.rego",
        "package networks\n\ndeny[msg] { input.component.vars.size == 2; msg := \"old syntax\" }\n",
    );
    with("size: 2").ends_with(1).says("old syntax");
    // Something is found because something is not there.
    repo.write(
        "rules/networks.rego",
        "package networks\nimport rego.v1\ndeny contains \"set it\" if not input.component.vars.size\n",
    );
    with("size: 2").ends_with(0);
    with("other: 2").ends_with(1).says("set it");
    with("size: !terraform.output db size").hides("set it").says("`vars.size` is not known");
}

#[test]
fn rego_over_all_components() {
    let settings =
        "[[rego]]\nid = 'unique'\nfile = 'unique.rego'\nover = 'components'\nwhere = 'has(component.vars.cidr)'\n";
    let repo = project(settings, "[a]");
    let policy = "package unique\nimport rego.v1\n\ndeny contains result if {\n    some a in input.components\n    some b in input.components\n    \
                  a.stack < b.stack\n    a.vars.cidr == b.vars.cidr\n    result := {\"msg\": \"used twice\", \"component\": b, \"path\": \"vars.cidr\", \
                  \"components\": [{\"component\": a, \"path\": [\"vars\", \"cidr\"]}]}\n}\n";
    repo.write("unique.rego", policy);
    let stack = |stage: &str, cidr: &str| {
        let text = format!(
            "vars: {{stage: {stage}}}\ncomponents:\n  terraform:\n    net:\n      vars:\n        cidr: {cidr}\n"
        );
        repo.write(&format!("stacks/deploy/{stage}.yaml"), text);
    };
    stack("dev", "10.0.0.0/16");
    stack("prod", "10.0.0.0/16");
    let run = repo.run(&["check"]).ends_with(1).says("error[unique]: used twice");
    run.says("stacks/deploy/prod.yaml:6").says("`vars.cidr` of `net` in `dev`");
    // The change of one stack is checked against the others.
    stack("prod", "10.1.0.0/16");
    repo.commit("fine");
    stack("prod", "10.0.0.0/16");
    repo.commit("twice");
    repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(1).says("error[unique]: used twice");
    stack("qa", "!terraform.output vpc cidr");
    repo.run(&["check"]).ends_with(1).says("used twice").says("the policy `unique` cannot be evaluated: `vars.cidr`");
}

#[test]
fn a_head_that_reads_what_one_item_lacks_keeps_the_findings_of_the_others() {
    let settings = "[[rego]]\nid = 'sizes'\nfile = 'sizes.rego'\nover = 'components'\n";
    for rule in [
        "deny contains {\"msg\": sprintf(\"size %v\", [c.vars.size]), \"component\": c} if some c in input.components",
        "deny contains result(c) if {\n    some c in input.components\n}\nresult(c) := {\"msg\": sprintf(\"size %v\", [c.vars.size]), \"component\": c}",
        "sizes[i] := c.vars.size if some i, c in input.components\ndeny contains {\"msg\": sprintf(\"size %v\", [size]), \"component\": input.components[i]} if some i, size in sizes",
    ] {
        let repo = Repo::atmos();
        let (first, last) = ("vars: {size: 1}", "vars: {size: 3}");
        let stack = format!(
            "vars: {{stage: a}}\ncomponents: {{terraform: {{a: {{{first}}}, b: {{}}, c: {{{last}}}, d: {{}}}}}}\n"
        );
        repo.write("stacks/deploy/a.yaml", stack);
        repo.write("stacklint.toml", settings).write("sizes.rego", format!("package sizes\nimport rego.v1\n{rule}\n"));
        repo.commit("base");
        repo.run(&["check"]).ends_with(1).says("size 1").says("size 3");
    }
}

#[test]
fn messages_that_differ_in_names_are_one_finding() {
    let settings = "[[rego]]\nid = 'zones'\nfile = 'zones.rego'\n";
    let deny = "package zones\nimport rego.v1\ndeny contains {\"msg\": msg, \"path\": \"vars.zones\"} if {\n    \
                count(input.component.vars.zones) < 2\n    msg := sprintf(\"%s in %s has one zone\", [input.component.name, \
                input.component.stack])\n}\n";
    let repo = project(settings, "[a]\n    net: {metadata: {inherits: [vpc]}}");
    repo.write("zones.rego", deny);
    let run = repo.run(&["check"]).ends_with(1);
    run.says("net in dev has one zone; the same for 5 more components").says("vpc in dev").says("net in prod");
    let json = repo.run(&["check", "--format", "json"]).ends_with(1).json();
    let all = json["diagnostics"].as_array().unwrap();
    assert_eq!(all.len(), 1);
    assert_eq!(all[0]["addresses"].as_array().unwrap().len(), 6);
    assert_eq!(all[0]["fingerprints"].as_array().unwrap().len(), 2);
}

#[test]
fn an_unknown_value_is_neither_a_pass_nor_a_false_alarm() {
    let repo = project(ZONES, "!terraform.output other zones");
    let run = repo.run(&["check"]).hides("error[two-zones]").says("note[incomplete-analysis]: the policy `two-zones`");
    run.says("`vars.zones` is not known").says("stacks/catalog/vpc.yaml:5").says("2 stacks");
    repo.run(&["check", "--strict"]).ends_with(1);
}

#[test]
fn what_cannot_be_evaluated_is_reported_and_all_else_is_evaluated() {
    for (policy, words) in [
        (
            "id = 'a'\nthat = 'componet.stack'\nmessage = 'm'",
            "there is no variable `componet`; did you mean `component`?",
        ),
        ("id = 'duplicate-key'\nthat = 'true'\nmessage = 'm'", "a rule of stacklint has this id"),
        ("id = 'two-zones'\nthat = 'true'\nmessage = 'm'", "another policy has this id"),
        ("id = 'Big'\nthat = 'true'\nmessage = 'm'", "lower-case letters"),
        ("id = 'a'\nthat = 'component.stack > 1'\nmessage = 'm'", "string cannot be compared with int"),
        ("id = 'a'\nthat = 'component.stack'\nmessage = 'm'", "is not a boolean"),
        ("id = 'a'\nthat = 'true'\nmessage = ' '", "its message is empty"),
    ] {
        let repo = project(&format!("{ZONES}[[require]]\n{policy}\n"), "[a]");
        repo.run(&["check"]).ends_with(1).says("invalid-policy").says(words).says("error[two-zones]");
    }
    for (text, words) in [
        (None, "there is no file x.rego"),
        (Some("package a\n"), "it has neither `deny` nor `violation` nor `warn`"),
        (Some("deny[m] { m := 1 }\n"), "it names no package"),
        (Some("package a\ndeny contains msg if {\n"), "cannot be evaluated"),
        (Some("package a\nimport rego.v1\ndeny contains m if { http.send({}); m := \"x\" }\n"), "cannot be evaluated"),
        (
            Some("package a\nimport rego.v1\ndeny contains m if { time.now_ns() > 1; m := \"x\" }\n"),
            "cannot be evaluated",
        ),
        (
            Some("package a\nimport rego.v1\ndeny contains m if { opa.runtime().env.HOME; m := \"x\" }\n"),
            "cannot be evaluated",
        ),
    ] {
        let repo = project(&format!("{ZONES}[[rego]]\nid = 'b'\nfile = 'x.rego'\n"), "[a]");
        if let Some(text) = text {
            repo.write("x.rego", text);
        }
        repo.run(&["check"]).ends_with(1).says("invalid-policy").says(words).says("error[two-zones]");
    }
}

#[test]
fn a_policy_that_applies_to_nothing_is_reported() {
    let repo = project(&ZONES.replace("'dev'", "'dev' && component.type == 'helmfil'"), "[a]");
    repo.run(&["check"]).ends_with(0).says("warning[unused-policy]: the policy `two-zones` applies to no component");
    // It may apply to a part that could not be resolved.
    repo.write("stacks/deploy/broken.yaml", "import: [gone]\nvars: {stage: broken}\n");
    repo.run(&["check"]).ends_with(1).hides("unused-policy");
}

const CASES: &str = "\
cases:
  - name: one zone
    components:
      - {stack: prod, name: vpc, vars: {zones: [a]}}
    expect: [two-zones]
  - name: two zones
    components:
      - {stack: prod, name: vpc, vars: {zones: [a, b]}}
    expect: []
  - name: not known
    components:
      - stack: prod
        name: vpc
        vars:
          zones: !unknown
    expect: [incomplete-analysis]
";

#[test]
fn cases_test_policies() {
    let frozen =
        "[[require]]\nid = 'frozen'\nover = 'change'\nthat = \"component.name == 'dns'\"\nmessage = 'frozen'\n";
    let repo = project(&format!("{ZONES}{frozen}"), "[a]");
    repo.write("policies/zones.yaml", CASES);
    let run = repo.run(&["policy", "test"]).ends_with(0).says("passed zones.yaml: one zone").says("3 passed, 0 failed");
    run.says("policies that report nothing in any case: frozen").says("policies that are satisfied in no case: frozen");
    repo.run(&["policy", "test", "--require-coverage"]).ends_with(1);
    let change = |name: &str, expect: &str| {
        format!(
            "cases:\n- name: {name}\n  changes: [{{component: {{stack: prod, name: {name}}}, path: vars.a, kind: changed, before: 1, after: 2}}]\n  \
             expect: [{expect}]\n"
        )
    };
    repo.write("policies/frozen/a.yml", change("dns", "")).write("policies/frozen/b.yml", change("vpc", "frozen"));
    repo.run(&["policy", "test", "--require-coverage"]).ends_with(0).says("5 passed").hides("policies that");
    repo.write("policies/frozen/b.yml", change("vpc", ""));
    let run = repo.run(&["policy", "test"]).ends_with(1).says("FAILED").says("found and not expected: frozen");
    run.says("4 passed, 1 failed");
    let json = repo.run(&["policy", "test", "--format", "json"]).json();
    validate(&schema("policy-test.json"), &json);
    assert_eq!(json["cases"].as_array().unwrap().len(), 5);
    // The cases fail without the policy.
    repo.write("stacklint.toml", frozen);
    repo.run(&["policy", "test", "policies/zones.yaml"]).ends_with(1).says("expected and not found: two-zones");
    repo.write("policies/zones.yaml", "cases: 1\n");
    assert!(repo.run(&["policy", "test"]).ends_with(2).stderr.contains("zones.yaml"));
    repo.run(&["policy", "test", "stacks"]).ends_with(2);
}

#[test]
fn an_expression_is_tried_on_a_stack() {
    let repo = project(ZONES, "[a, !terraform.output other zone]");
    let eval = |expression: &str| repo.run(&["policy", "eval", expression, "-s", "prod"]);
    eval("size(component.vars.zones)").ends_with(0).says("vpc (terraform): 2");
    eval("component.vars.zones[1] == 'b'").ends_with(0).says("unknown, because `vars.zones[1]` is");
    eval("component.vars.gone").ends_with(0).says("`component.vars.gone` is not set");
    assert!(eval("componet").ends_with(2).stderr.contains("did you mean `component`?"));
    repo.run(&["policy", "eval", "true", "-s", "nowhere"]).ends_with(2);
    let json = repo.run(&["policy", "eval", "component.name", "-s", "prod", "-c", "vpc", "--format", "json"]).json();
    validate(&schema("policy-eval.json"), &json);
    assert_eq!(json[0]["value"], "vpc");
    let json = repo.run(&["policy", "eval", "component.none", "-s", "prod", "--format", "json"]).json();
    validate(&schema("policy-eval.json"), &json);
}

#[test]
fn the_order_of_findings_does_not_depend_on_threads() {
    let repo = project(&format!("{ZONES}{}", ZONES.replace("two-zones", "other").replace(">= 2", ">= 3")), "[a]");
    let run = |threads: &str| repo.run_with(&["check", "--format", "json"], &[("RAYON_NUM_THREADS", threads)]).stdout;
    assert_eq!(run("1"), run("4"));
}

/// A component whose code calls a module that is elsewhere, and repeats a resource by a value that is not known.
fn open_code(that: &str, more: &str) -> Repo {
    let repo = Repo::atmos();
    repo.write(
        "components/terraform/vpc/main.tf",
        format!(
            "variable \"key\" {{ default = null }}\ndata \"aws_zones\" \"all\" {{}}\nresource \"aws_disk\" \"d\" {{\n  size = 1\n  \
             kms  = data.aws_zones.all.key\n}}\n{more}"
        ),
    );
    repo.write("stacks/deploy/dev.yaml", "vars: {stage: dev}\ncomponents: {terraform: {vpc: {vars: {}}}}\n");
    let settings = format!("[[require]]\nid = 'pol'\nthat = '''{that}'''\nmessage = 'broken'\n");
    repo.write("stacklint.toml", settings).commit("base");
    repo
}

const MODULE: &str = "module \"m\" {\n  source  = \"ns/m/aws\"\n  version = \"1.0.0\"\n}\n";
const REPEATED: &str = "resource \"aws_key\" \"k\" {\n  count = length(data.aws_zones.all.names)\n  safe = false\n}\n";

#[test]
fn resources_that_are_not_known_are_neither_there_nor_absent() {
    let incomplete = |that: &str, more: &str, place: &str| {
        let run = open_code(that, more).run(&["check", "--format", "concise"]).ends_with(0);
        run.says(&format!("{place}: note[incomplete-analysis]: the policy `pol` cannot be evaluated"));
    };
    let broken = |that: &str, more: &str| {
        open_code(that, more).run(&["check", "--format", "concise"]).ends_with(1).says("error[pol]: broken");
    };
    let holds = |that: &str, more: &str| {
        open_code(that, more).run(&["check"]).ends_with(0).hides("incomplete-analysis");
    };
    let no_key = "!component.resources.exists(r, r.type == 'aws_key')";
    let a_key = "component.resources.exists(r, r.type == 'aws_key')";
    let safe_keys = "component.resources.filter(r, r.type == 'aws_key').all(r, r.values.safe)";
    let a_disk = "component.resources.exists(r, r.type == 'aws_disk')";
    let no_disk = "component.resources.all(r, r.type != 'aws_disk')";
    // What the module makes is not known; what is known decides where it can.
    incomplete(no_key, MODULE, "components/terraform/vpc/main.tf:8:13");
    incomplete(a_key, MODULE, "components/terraform/vpc/main.tf:8:13");
    incomplete(safe_keys, MODULE, "components/terraform/vpc/main.tf:8:13");
    incomplete("size(component.resources) < 9", MODULE, "components/terraform/vpc/main.tf:8:13");
    holds(a_disk, MODULE);
    broken(no_disk, MODULE);
    holds(no_key, "");
    broken(a_key, "");
    // A resource that is perhaps not there fulfills nothing, and has to be right if it is.
    incomplete(a_key, REPEATED, "components/terraform/vpc/main.tf:7:1");
    broken(safe_keys, REPEATED);
    // An argument that is null is none.
    let has_kms = "component.resources.filter(r, r.type == 'aws_disk').all(r, has(r.values.kms))";
    incomplete(has_kms, "", "components/terraform/vpc/main.tf:5:10");
    let no_kms = "component.resources.filter(r, r.type == 'aws_disk').all(r, !has(r.values.kms))";
    incomplete(no_kms, "", "components/terraform/vpc/main.tf:5:10");
    holds("component.resources.filter(r, r.type == 'aws_disk').all(r, has(r.values.size))", "");
}

#[test]
fn a_policy_in_rego_about_resources_that_are_not_known_is_certain_or_incomplete() {
    let run = |rego: &str, more: &str| {
        let repo = open_code("true", more);
        repo.write("stacklint.toml", "[[rego]]\nid = 'pol'\nfile = 'p.rego'\nmessage = 'broken'\n");
        repo.write("p.rego", format!("package p\nimport rego.v1\n{rego}\n")).commit("policy");
        repo.run(&["check", "--format", "concise"])
    };
    let unsafe_key = "deny contains msg if {\n some r in input.component.resources\n r.type == \"aws_key\"\n not_safe(r)\n msg := \
                      \"broken\"\n}\nnot_safe(r) if r.values.safe == false";
    let no_key =
        "deny contains \"broken\" if count([r | some r in input.component.resources; r.type == \"aws_key\"]) == 0";
    run(unsafe_key, REPEATED).ends_with(1).says("error[pol]: broken");
    run(unsafe_key, MODULE).ends_with(0).says("note[incomplete-analysis]: the policy `pol` cannot be evaluated");
    run(no_key, MODULE).ends_with(0).says("note[incomplete-analysis]: the policy `pol` cannot be evaluated");
    run(no_key, REPEATED).ends_with(0).says("note[incomplete-analysis]: the policy `pol` cannot be evaluated");
}

#[test]
fn a_policy_over_all_components_is_incomplete_if_some_are_not_listed() {
    let rego = "package p\nimport rego.v1\ndeny contains {\"msg\": \"no key\", \"component\": c} if {\n some c in \
                input.components\n c.type == \"resource\"\n count([k | some k in input.components; startswith(k.name, \
                \"aws_key\")]) == 0\n}\n";
    let run = |more: &str| {
        let repo = Repo::new();
        repo.write(
            "main.tf",
            format!("terraform {{}}\nresource \"aws_disk\" \"d\" {{}}\ndata \"aws_zones\" \"all\" {{}}\n{more}"),
        );
        repo.write(
            "stacklint.toml",
            "[[rego]]\nid = 'pol'\nfile = 'p.rego'\nover = 'components'\nmessage = 'broken'\n",
        );
        repo.write("p.rego", rego).commit("base");
        repo.run(&["check", "--format", "concise"])
    };
    run("").ends_with(1).says("main.tf:2:1: error[pol]: no key");
    for open in [MODULE, REPEATED] {
        run(open).ends_with(0).says("`pol` cannot be evaluated: it is not known which components there are");
    }
}
