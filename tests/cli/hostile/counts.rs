//! What a root module may be made of: a bit more is a finding, and a bit less is examined.

use crate::common::{Repo, Run};

const ROOT: &str = "terraform {\n  backend \"s3\" {}\n}\n";

fn check(files: &[(&str, &str)]) -> Run {
    let repo = Repo::new();
    files.iter().for_each(|(path, text)| _ = repo.write(path, text));
    repo.commit("base");
    repo.run(&["check"])
}

#[test]
fn modules_of_a_root_module() {
    let calls = |count: usize| -> String {
        ROOT.to_owned()
            + &(0..count).map(|i| format!("module \"m{i}\" {{\n  source = \"./m\"\n}}\n")).collect::<String>()
    };
    let module = ("m/main.tf", "output \"x\" {\n  value = 1\n}\n");
    check(&[("main.tf", &calls(999)), module]).ends_with(0);
    check(&[("main.tf", &calls(1_000)), module]).ends_with(1).says("limit-exceeded").says("more than 1000 modules");
}

#[test]
fn modules_in_modules() {
    let chain = |depth: usize| {
        let repo = Repo::new();
        repo.write("main.tf", format!("{ROOT}module \"m\" {{\n  source = \"./m1\"\n}}\n"));
        for level in 1..depth {
            let call = format!("module \"m\" {{\n  source = \"../m{}\"\n}}\n", level + 1);
            repo.write(&format!("m{level}/main.tf"), call);
        }
        repo.write(&format!("m{depth}/main.tf"), "output \"x\" {\n  value = 1\n}\n").commit("base");
        repo.run(&["check"])
    };
    chain(40).ends_with(0);
    chain(41).ends_with(1).says("limit-exceeded").says("more than 40 levels deep");
}

#[test]
fn instances_of_resources() {
    let resource = |name: usize, count: usize| format!("resource \"a_b\" \"x{name}\" {{\n  count = {count}\n}}\n");
    let one = |count: usize| check(&[("main.tf", &(ROOT.to_owned() + &resource(0, count)))]);
    one(10_000).ends_with(0);
    one(10_001).ends_with(1).says("limit-exceeded").says("more than the 10000 of one block");
    let all = |last: usize| {
        let resources: String = (0..5).map(|i| resource(i, 9_999)).collect();
        check(&[("main.tf", &format!("{ROOT}{resources}{}", resource(5, last)))])
    };
    all(5).ends_with(0);
    all(6).ends_with(1).says("limit-exceeded").says("more than 50000 instances of resources");
}

#[test]
fn arguments_of_all_instances() {
    let arguments: String = (0..200).map(|i| format!("  a{i} = count.index\n")).collect();
    let text = format!("{ROOT}resource \"a_b\" \"x\" {{\n  count = 5001\n{arguments}}}\n");
    check(&[("main.tf", &text)]).ends_with(1).says("limit-exceeded").says("more than the 1000000 that");
}

#[test]
fn levels_of_json() {
    let include = |depth: usize| {
        let repo = super::project(&[("stacks/catalog/deep.json", &("[".repeat(depth) + &"]".repeat(depth)))]);
        let stack = super::DEV.replace("size: 1", "size: !include ../catalog/deep.json");
        repo.write("stacks/deploy/dev.yaml", stack).commit("deep");
        repo.run(&["check"])
    };
    include(256).ends_with(0);
    include(300).ends_with(1).says("exceeded max depth");
    include(100_000).ends_with(1).says("exceeded max depth");
}

/// A root module in which a value that is not known reads many names, and a file beside it that differs and that it does not read.
fn beside(names: usize, resources: usize) -> Repo {
    let repo = Repo::new();
    let parts: String = (0..names).map(|i| format!("${{local.l{i}}}")).collect();
    let locals: String = (0..names).map(|i| format!("  l{i} = \"v{i}\"\n")).collect();
    let resources: String =
        (0..resources).map(|i| format!("resource \"a_b\" \"x{i}\" {{\n  q = \"{i}${{local.all}}\"\n}}\n")).collect();
    let text = format!(
        "terraform {{\n  backend \"s3\" {{}}\n}}\ndata \"a_b\" \"d\" {{}}\n{resources}\
         locals {{\n  all = \"${{data.a_b.d.id}}{parts}\"\n{locals}}}\n"
    );
    let other = |value: usize| format!("variable \"z\" {{\n  default = {value}\n}}\n");
    repo.write("main.tf", text).write("other.tf", other(1)).commit("base");
    repo.write("other.tf", other(2)).commit("head");
    repo
}

/// The resources of which it is not known whether a file that they do not name reaches them.
fn reached(repo: &Repo) -> usize {
    let diff = repo.run(&["diff", "HEAD~1..HEAD", "--format", "json"]).ends_with(0).json();
    let all = diff["components"].as_array().unwrap();
    all.iter().filter(|component| component["component"].as_str().unwrap().starts_with("a_b.x")).count()
}

#[test]
fn names_that_an_expression_is_made_of() {
    assert_eq!(reached(&beside(490, 1)), 0);
    assert_eq!(reached(&beside(510, 1)), 1);
}

#[test]
fn names_that_all_expressions_are_made_of() {
    assert_eq!(reached(&beside(490, 590)), 0);
    // Those that are followed are about 300,000 divided by 491.
    let number = reached(&beside(490, 700));
    assert!((85..=95).contains(&number), "{number}");
}

#[test]
fn unknown_parts_of_values() {
    let repo = Repo::new();
    let parts: String = (0..490).map(|i| format!("data.a_b.d.x{i}, ")).collect();
    let write = |known: usize, resources: usize| {
        let resources: String = (0..resources)
            .map(|i| format!("resource \"a_b\" \"x{i}\" {{\n  q = {{known = {known}, all = local.all}}\n}}\n"))
            .collect();
        let head = "terraform {\n  backend \"s3\" {}\n}\ndata \"a_b\" \"d\" {}\n";
        repo.write("main.tf", format!("{head}locals {{\n  all = [{parts}]\n}}\n{resources}")).commit("next");
    };
    for (resources, whole) in [(800, 0..=0), (900, 80..=90)] {
        write(1, resources);
        write(2, resources);
        let diff = repo.run(&["diff", "HEAD~1..HEAD", "--format", "json"]).ends_with(0).json();
        let changes = diff["components"].as_array().unwrap().iter().flat_map(|one| one["changes"].as_array().unwrap());
        let paths: Vec<&str> = changes.map(|change| change["path"].as_str().unwrap()).collect();
        assert_eq!(paths.len(), resources);
        let number = paths.iter().filter(|path| **path == "/q").count();
        assert!(whole.contains(&number), "{number} of {resources}");
    }
}
