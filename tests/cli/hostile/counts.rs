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
