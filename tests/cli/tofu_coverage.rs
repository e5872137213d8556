//! No false all-clear for root modules: unresolved parts are never reported as removed, unchanged or fixed, in any
//! format.

use crate::common::Repo;
use crate::damage::{Damage, damages, names, unresolved};

/// Two root modules that call one module.
fn repo() -> Repo {
    let repo = Repo::new();
    for stage in ["dev", "prod"] {
        let backend = format!("terraform {{\n  backend \"s3\" {{\n    key = \"{stage}\"\n  }}\n}}\n");
        repo.write(&format!("envs/{stage}/backend.tf"), backend)
            .write(&format!("envs/{stage}/main.tf"), "module \"net\" {\n  source = \"../../modules/net\"\n}\n")
            .write(&format!("envs/{stage}/variables.tf"), "variable \"size\" {\n  default = 1\n}\n")
            .write(&format!("envs/{stage}/x.auto.tfvars"), "size = 2\n");
    }
    repo.write("modules/net/main.tf", "module \"sub\" {\n  source = \"../sub\"\n}\n");
    repo.write("modules/sub/main.tf", "variable \"a\" {\n  default = 1\n}\n").commit("good");
    repo
}

damages! {
    broken_on_the_head broken_on_the_base: {
        a_broken_file_of_a_root_module => |r| r.write("envs/dev/main.tf", "module \"net\" {\n  source = \n}\n"), ["envs/dev"], "Expected the start of an expression";
        a_broken_file_that_alone_says_that_a_folder_is_a_root_module => |r| r.remove("envs/dev/x.auto.tfvars").write("envs/dev/backend.tf", "terraform {{{\n").write("envs/dev/main.tf", "# nothing\n"), ["envs/dev"], "definition is required here";
        a_missing_folder_of_a_module => |r| r.edit("envs/dev/main.tf", "modules/net", "modules/nett"), ["envs/dev"], "modules/nett, which does not exist";
        a_deleted_module_of_a_module => |r| r.remove("modules/sub/main.tf"), ["envs/dev", "envs/prod"], "modules/sub, which does not exist";
        a_broken_file_of_a_module => |r| r.write("modules/sub/main.tf", "variable \"a\" {\n"), ["envs/dev", "envs/prod"], "no closing brace";
        unreadable_values => |r| r.write("envs/dev/x.auto.tfvars", "size = [1 2]\n"), ["envs/dev"], "Expected a comma";
    }
}

fn broken_on_the_head(damage: &Damage) {
    let Damage { name, edit, lost, reason } = *damage;
    let repo = repo();
    edit(&repo);
    repo.commit("bad");
    let range = "HEAD~1..HEAD";
    let run = repo.run(&["diff", range, "--format", "json"]).ends_with(1);
    let report = run.json();
    assert_eq!(names(&report, "head"), lost, "{name}: {run}");
    assert!(unresolved(&report, "head").iter().all(|(_, r)| r.contains(reason)), "{name}: {run}");
    assert!(names(&report, "base").is_empty(), "{name}: {run}");
    assert_eq!(report["components"].as_array().unwrap().len(), 0, "{name}: {run}");
    let text = repo.run(&["diff", range]).ends_with(1).hides("No effective change").hides("removed");
    assert!(text.stdout.contains("no longer resolve"), "{name}: {text}");
    assert!(lost.iter().all(|stack| text.stdout.contains(stack)), "{name}: {text}");
}

fn broken_on_the_base(damage: &Damage) {
    let Damage { name, edit, lost, .. } = *damage;
    let repo = repo();
    repo.tag("good");
    edit(&repo);
    repo.commit("bad");
    let run = repo.run(&["diff", "HEAD..good", "--format", "json"]).ends_with(0);
    assert_eq!(names(&run.json(), "base"), lost, "{name}: {run}");
    assert_eq!(run.json()["components"].as_array().unwrap().len(), 0, "{name}: {run}");
    repo.run(&["diff", "HEAD..good"]).ends_with(0).hides("No effective change").says("not compared");
    repo.run(&["diff", "HEAD..good", "--exit-code"]).ends_with(3);
}

#[test]
fn the_root_modules_are_named_as_what_was_compared() {
    let repo = repo();
    repo.edit("envs/dev/backend.tf", "dev", "development").commit("change");
    let line = "compared 2 stacks, 8 components; envs/dev/main.tf, envs/prod/main.tf";
    repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(1).says(line);
    repo.remove("envs/dev/backend.tf").remove("envs/dev/main.tf").remove("envs/dev/variables.tf");
    repo.remove("envs/dev/x.auto.tfvars").commit("less");
    // None of its modules has a resource.
    let report = repo.run(&["diff", "HEAD~1..HEAD", "--format", "json"]).ends_with(0).json();
    let statuses: Vec<_> = report["components"].as_array().unwrap().iter().map(|c| c["status"].clone()).collect();
    assert_eq!(statuses, ["removed"; 4], "what is removed with its files is removed");
}

#[test]
fn a_root_module_that_loses_what_shows_that_it_is_one_is_not_removed() {
    let root = "terraform {\n  backend \"s3\" {\n    bucket = \"b\"\n    key    = \"a\"\n  }\n}\nprovider \"x\" {\n}\n";
    let resource = "variable \"size\" {\n  default = 1\n}\nresource \"x_y\" \"a\" {\n  size = var.size\n}\n";
    let repo = Repo::new();
    repo.write("live/main.tf", format!("{root}{resource}")).write("other/main.tf", format!("{root}{resource}"));
    repo.edit("other/main.tf", "\"a\"\n  }", "\"o\"\n  }").commit("base");
    repo.write("live/main.tf", resource.replace("default = 1", "default = 2")).commit("head");
    let run = repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(1);
    run.hides("stack-removed").hides("component x_y.a").says("1 → 2").says("backend");
    // The only one.
    repo.remove("other/main.tf").write("live/main.tf", format!("{root}{resource}")).commit("base");
    repo.write("live/main.tf", resource.replace("default = 1", "default = 2")).commit("head");
    repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(1).hides("stack-removed").says("1 → 2");
    // Its code is gone, or it is a module now.
    repo.write("live/main.tf", format!("{root}{resource}")).commit("base");
    repo.remove("live/main.tf")
        .write("live/README.md", "gone\n")
        .write("new/main.tf", root.replace("\"a\"", "\"n\""))
        .commit("head");
    repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(1).says("stack-removed");
}

#[test]
fn texts_that_lead_to_files_are_paths() {
    let repo = Repo::new();
    let main = "terraform {\n  backend \"local\" {\n    path = \"state/main.json\"\n  }\n}\nresource \"x_release\" \"a\" {\n  chart   = \"./chart\"\n  \
                image   = \"infra/app\"\n  package = [\"out/code.zip\"]\n}\n";
    repo.write("infra/main.tf", main).write("infra/out/code.zip", "1\n").write("infra/chart/values.yaml", "a: 1\n");
    repo.write("infra/state/main.json", "{}\n")
        .write("infra/app/x.py", "1\n")
        .write("infra/other/x.py", "1\n")
        .commit("base");
    for (path, is_read) in [
        ("infra/chart/values.yaml", true),
        ("infra/out/code.zip", true),
        ("infra/state/main.json", false),
        ("infra/app/x.py", false),
        ("infra/other/x.py", false),
    ] {
        repo.write(path, "2\n").commit("edit");
        let run = repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(0);
        assert_eq!(run.stdout.contains("1 root module runs different code"), is_read, "{path}: {run}");
    }
}
