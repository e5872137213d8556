//! Unknown values are compared by their text and by everything of the repository that they are made of.

use crate::common::Repo;

const ATMOS: &str = "base_path: \".\"\ncomponents: {terraform: {base_path: components/terraform}}\n\
    stacks: {base_path: stacks, included_paths: [\"deploy/**/*\"], name_pattern: \"{stage}\"}\n\
    templates: {settings: {enabled: true, sprig: {enabled: true}, gomplate: {enabled: true, datasources: {ip: {url: data/ip.json}}}}}\n\
    stores:\n  params: {type: redis, options: {url: one}}\n  other: {type: redis, options: {url: three}}\nauth: {realm: one}\n";
const ROOT: &str = "terraform {\n  backend \"local\" {}\n}\nresource \"terraform_data\" \"r\" {\n  input = local.input\n}\n\
    locals {\n  input = \"a\"\n  name  = \"${terraform_data.r.id}-b\"\n}\nvariable \"zone\" {}\n";

/// Whether the last commit of a repository is reported as a change, with a remark on what is not known.
fn is_told(repo: &Repo) -> bool {
    let run = repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(0);
    let strict = repo.run(&["diff", "HEAD~1..HEAD", "--exit-code"]);
    let is_changed = strict.status == 3;
    assert_eq!(is_changed, !run.stdout.contains("No effective change"), "{run}");
    assert!(!is_changed || run.stdout.contains("result not known"), "{run}");
    is_changed
}

#[test]
fn values_of_atmos_are_made_of_the_files_that_they_read() {
    for (value, file, is_read) in [
        ("!exec ./scripts/a.sh", "scripts/a.sh", true),
        ("!exec ./scripts/a.sh", "data/list.txt", true),
        ("!exec ./scripts/a.sh", "data/dev.txt", false),
        ("!exec 'cat $DIR/dev.txt'", "data/dev.txt", true),
        ("!exec 'cat data/$STAGE.txt'", "data/dev.txt", true),
        ("'{{ file.Read (env.Getenv \"FILE\") }}'", "data/dev.txt", true),
        ("'{{ file.Read \"data/dev.txt\" }}'", "data/dev.txt", true),
        ("'{{ file.Read (printf \"data/%s.txt\" .vars.stage) | trim }}'", "data/dev.txt", true),
        ("'{{ (datasource \"ip\").a }}'", "data/ip.json", true),
        ("!include data/x.yaml '.a = load(\"data/y.yaml\")'", "data/y.yaml", true),
        ("'{{ env \"CIDR\" }}'", "data/dev.txt", false),
        ("'{{ env \"CIDR\" }} of data'", "data/dev.txt", false),
        ("'{{ if env \"CIDR\" }}{{ file.Read \"data/dev.txt\" }}{{ end }}'", "data/dev.txt", true),
    ] {
        let repo = Repo::new();
        let stack =
            format!("vars: {{stage: dev}}\ncomponents:\n  terraform:\n    vpc:\n      vars:\n        cidr: {value}\n");
        repo.write("atmos.yaml", ATMOS).write("stacks/deploy/dev.yaml", stack);
        repo.write("components/terraform/vpc/main.tf", "variable \"cidr\" {}\nvariable \"stage\" {}\n");
        repo.write("scripts/a.sh", "cat data/list.txt\n").write("data/list.txt", "1").write("data/dev.txt", "1");
        repo.write("data/ip.json", "{\"a\": 1}").write("data/x.yaml", "a: 1\n").write("data/y.yaml", "b: 1\n");
        repo.commit("base");
        let more = if file == "data/ip.json" { "{\"a\": 2}" } else { "b: 2\ndata/list.txt\n" };
        repo.write(file, more).commit("head");
        assert_eq!(is_told(&repo), is_read, "{value} and {file}");
    }
}

#[test]
fn values_of_atmos_are_made_of_the_settings_that_say_where_they_come_from() {
    for (value, old, is_read) in [
        ("!store params net cidr", "url: one", true),
        ("!store.get params cidr", "url: one", true),
        ("!store params net cidr", "url: three", false),
        ("'{{ atmos.Store \"params\" .stack \"net\" \"cidr\" }}'", "url: one", true),
        ("!aws.account_id", "realm: one", true),
        ("!env CIDR", "url: one", false),
    ] {
        let repo = Repo::new();
        let stack =
            format!("vars: {{stage: dev}}\ncomponents:\n  terraform:\n    vpc:\n      vars:\n        cidr: {value}\n");
        repo.write("atmos.yaml", ATMOS).write("stacks/deploy/dev.yaml", stack);
        repo.write("components/terraform/vpc/main.tf", "variable \"cidr\" {}\nvariable \"stage\" {}\n");
        repo.commit("base");
        repo.edit("atmos.yaml", old, &old.replace(':', ": x")).commit("head");
        assert_eq!(is_told(&repo), is_read, "{value} and {old}");
    }
}

#[test]
fn arguments_of_modules_are_made_of_names_and_files() {
    for (argument, edits, is_read) in [
        ("local.name", &[("main.tf", "id}-b", "id}-c")][..], true),
        ("\"${local.name}-${var.zone}\"", &[("terraform.tfvars", "east", "west")], true),
        ("terraform_data.r.input", &[("main.tf", "\"a\"", "\"c\"")], true),
        ("templatefile(\"t.tpl\", { a = local.name })", &[("t.tpl", "one", "two")], true),
        ("file(\"keys/${terraform_data.r.id}.pem\")", &[("keys/a.pem", "one", "two")], true),
        ("file(\"keys/${terraform_data.r.id}.pem\")", &[("keys/a.txt", "one", "two")], false),
        ("module.other.out", &[("o/main.tf", "-x", "-y")], true),
        ("local.name", &[("t.tpl", "one", "two")], false),
    ] {
        let repo = Repo::new();
        let call = format!(
            "module \"m\" {{\n  source = \"./m\"\n  x = {argument}\n}}\nmodule \"other\" {{\n  source = \"./o\"\n}}\n"
        );
        repo.write("main.tf", format!("{ROOT}{call}")).write("m/main.tf", "variable \"x\" {}\n");
        let other =
            "resource \"terraform_data\" \"o\" {}\noutput \"out\" {\n  value = \"${terraform_data.o.id}-x\"\n}\n";
        repo.write("o/main.tf", other).write("terraform.tfvars", "zone = \"east\"\n");
        repo.write("t.tpl", "one").write("keys/a.pem", "one").write("keys/a.txt", "one").commit("base");
        for (path, old, new) in edits {
            repo.edit(path, old, new);
        }
        repo.commit("head");
        assert_eq!(is_told(&repo), is_read, "{argument} and {edits:?}");
    }
}

#[test]
fn the_cause_is_the_edited_line_of_a_file_that_is_read() {
    let repo = Repo::new();
    let code = "terraform {\n  backend \"s3\" {}\n}\nresource \"x_y\" \"a\" {}\nresource \"x_y\" \"b\" {\n  v = templatefile(\"t.tpl\", { n = x_y.a.id })\n}\n";
    repo.write("main.tf", code).write("t.tpl", "first ${n}\nsecond\n").commit("base");
    repo.edit("t.tpl", "second", "other").commit("head");
    let run = repo.run(&["diff", "HEAD~1..HEAD"]);
    assert!(run.stdout.contains("t.tpl:2") && !run.stdout.contains("t.tpl:1"), "{run}");
    let repo = Repo::new();
    let stack = "vars: {stage: dev}\ncomponents:\n  terraform:\n    vpc:\n      vars:\n        a: !include ../../a.txt\n        b: '{{ file.Read \"b.txt\" }}'\n";
    repo.write("atmos.yaml", ATMOS).write("stacks/deploy/dev.yaml", stack);
    repo.write("a.txt", "first\nsecond\n").write("b.txt", "first\nsecond\n").commit("base");
    repo.edit("a.txt", "second", "other").edit("b.txt", "second", "other").commit("head");
    let changes = repo.run(&["diff", "HEAD~1..HEAD", "--format", "json"]).json()["components"][0]["changes"].clone();
    let causes = |index: usize| changes[index]["causes"].as_array().unwrap().iter().map(|cause| cause["file"].clone());
    assert!(causes(0).all(|file| file == "a.txt"), "{changes}");
    assert!(causes(1).count() > 0 && causes(1).all(|file| file == "b.txt"), "{changes}");
}

#[test]
fn what_is_unknown_is_never_what_it_is_assumed_to_be() {
    let repo = Repo::new();
    let stack = |value: &str| {
        format!("vars: {{stage: dev}}\ncomponents:\n  terraform:\n    vpc:\n      vars:\n        cidr: {value}\n")
    };
    repo.write("atmos.yaml", ATMOS)
        .write("components/terraform/vpc/main.tf", "variable \"cidr\" {}\nvariable \"stage\" {}\n");
    repo.write("stacks/deploy/dev.yaml", stack("a")).commit("known");
    repo.write("stacks/deploy/dev.yaml", stack("'{{ env \"CIDR\" | default \"a\" }}'")).commit("unknown");
    repo.write("stacks/deploy/dev.yaml", stack("a")).commit("known again");
    for range in ["HEAD~2..HEAD~1", "HEAD~1..HEAD"] {
        repo.run(&["diff", range, "--exit-code"]).ends_with(3).says("vars.cidr");
    }
}

#[test]
fn scripts_of_commands_are_followed_beside_them_and_missed_if_they_go() {
    let head =
        "vars: {stage: dev}\ncomponents:\n  terraform:\n    vpc:\n      vars:\n        cidr: !exec ./scripts/a.sh\n";
    for source in ["$(dirname \"$0\")/lib.sh", "$HERE/lib.sh", "${BASH_SOURCE%/*}/lib.sh"] {
        let repo = Repo::new();
        repo.write("atmos.yaml", ATMOS).write("stacks/deploy/dev.yaml", head);
        repo.write("components/terraform/vpc/main.tf", "variable \"cidr\" {}\nvariable \"stage\" {}\n");
        repo.write("scripts/a.sh", format!("#!/bin/sh\n. \"{source}\"\n"))
            .write("scripts/lib.sh", "1\n")
            .commit("base");
        repo.write("scripts/lib.sh", "2\n").commit("head");
        assert!(is_told(&repo), "{source}");
        repo.remove("scripts/a.sh").commit("without the script");
        assert!(is_told(&repo), "{source}");
    }
}
