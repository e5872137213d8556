//! The root modules of OpenTofu that a change affects, with reasons: what a pipeline plans.

use crate::common::Repo;
use serde_json::{Value, json};

/// Two root modules: one calls a module that calls another one, the other one computes its source.
fn repo() -> Repo {
    let repo = Repo::new();
    repo.write("envs/a/main.tf", "terraform {\n  backend \"local\" {}\n}\n\nmodule \"m\" {\n  source = \"../../modules/m\"\n}\n")
        .write(
            "envs/b/main.tf",
            "terraform {\n  backend \"local\" {}\n}\n\nvariable \"kind\" {\n  default = \"n\"\n}\n\nmodule \"m\" {\n  \
             source = \"../../modules/${var.kind}\"\n}\n\nresource \"x\" \"y\" {\n  data = file(\"data/${terraform.workspace}.json\")\n}\n",
        )
        .write("envs/b/data/default.json", "1\n")
        .write(
            "modules/m/main.tf",
            "resource \"a\" \"b\" {\n  text = templatefile(\"${path.module}/tpl/${each.key}.tpl\", {})\n}\n\nmodule \"n\" {\n  \
             source = \"../n\"\n}\n",
        )
        .write("modules/m/tpl/a.tpl", "hello\n")
        .write("modules/m/README.md", "about\n")
        .write("modules/n/main.tf", "output \"x\" {\n  value = 1\n}\n")
        .commit("base");
    repo
}

/// `stack: reasons` of the root modules that the last commit affects.
fn affected(repo: &Repo) -> Vec<String> {
    let items = repo.run(&["diff", "HEAD~1..HEAD", "--format", "affected"]).json();
    let text = |v: &Value| v.as_str().unwrap_or_default().to_owned();
    let reasons = |item: &Value| {
        let all = item["affected_all"].as_array().unwrap().iter().map(text);
        all.collect::<Vec<_>>().join(" ")
    };
    items.as_array().unwrap().iter().map(|item| format!("{}: {}", text(&item["stack"]), reasons(item))).collect()
}

#[test]
fn an_edit_affects_the_roots_that_read_the_file() {
    for (path, text, expected) in [
        (
            "modules/n/main.tf",
            "output \"x\" {\n  value = 2\n}\n",
            &["envs/a: component.module", "envs/b: component.module"][..],
        ),
        ("modules/m/tpl/a.tpl", "good day\n", &["envs/a: file stack.resource"]),
        ("modules/m/tpl/new.tpl", "new\n", &["envs/a: file stack.resource"]),
        ("modules/m/README.md", "more\n", &[]),
        ("envs/b/data/default.json", "2\n", &["envs/b: file stack.resource"]),
        ("envs/a/.terraform.lock.hcl", "# locked\n", &["envs/a: component"]),
        ("envs/b/b.auto.tfvars", "kind = \"m\"\n", &["envs/b: component stack.module stack.resource"]),
        ("docs/x.md", "x\n", &[]),
    ] {
        let repo = repo();
        repo.write(path, text).commit("head");
        assert_eq!(affected(&repo), expected, "{path}");
    }
}

#[test]
fn links_count_as_the_files_that_they_lead_to() {
    let repo = repo();
    repo.write("shared/root.tf", "locals {\n  a = 1\n}\n\noutput \"a\" {\n  value = local.a\n}\n");
    #[cfg(unix)]
    repo.link("envs/a/root.tf", "../../shared/root.tf");
    repo.commit("linked");
    repo.write("shared/root.tf", "locals {\n  a = 2\n}\n\noutput \"a\" {\n  value = local.a\n}\n").commit("edited");
    #[cfg(unix)]
    assert_eq!(affected(&repo), ["envs/a: component stack.output"]);
}

#[test]
fn a_root_that_is_gone_is_listed_without_a_job() {
    let repo = repo();
    repo.remove("envs/a/main.tf").commit("gone");
    assert_eq!(affected(&repo), ["envs/a: deleted.stack"]);
    let matrix = repo.run(&["diff", "HEAD~1..HEAD", "--format", "matrix"]).json();
    assert_eq!(matrix, json!({"include": []}));
}

#[test]
fn the_matrix_names_the_folders_to_plan() {
    let repo = repo();
    repo.write("modules/m/tpl/a.tpl", "good day\n").commit("head");
    let matrix = repo.run(&["diff", "HEAD~1..HEAD", "--format", "matrix"]).json();
    let job = json!({"stack": "envs/a", "component": "envs/a", "component_path": "envs/a", "component_type": "root"});
    assert_eq!(matrix, json!({"include": [job]}));
}

#[test]
fn settings_name_roots_workspaces_and_sets() {
    let repo = repo();
    repo.write("stacklint.toml", "roots = [\"envs/b\"]\nworkspaces = [\"dev\", \"prod\"]\n").commit("settings");
    let stacks = |repo: &Repo| -> Vec<String> {
        let all = repo.run(&["describe", "stacks", "--format", "json"]).json();
        all.as_object().unwrap().keys().cloned().collect()
    };
    assert_eq!(stacks(&repo), ["envs/b@dev", "envs/b@prod"]);
    repo.write("envs/b/m.tfvars", "kind = \"m\"\n").write(
        "stacklint.toml",
        "[variable-sets.plain.variables]\nkind = \"n\"\n\n[variable-sets.other]\nvar-files = [\"m.tfvars\"]\n",
    );
    let all = repo.run(&["describe", "stacks", "--format", "json"]).json();
    let dir = |stack: &str| all[stack]["components"]["module"]["m"]["dir"].clone();
    assert_eq!((dir("envs/b@plain"), dir("envs/b@other")), (json!("modules/n"), json!("modules/m")));
    assert!(all.get("envs/a@other").is_none(), "a root without the file of a set is not resolved with it");
}

/// A change cannot choose which of its root modules are examined.
#[test]
fn the_settings_of_the_base_count() {
    let repo = repo();
    repo.write("stacklint.toml", "roots = [\"envs/a\"]\n");
    repo.write("envs/b/b.auto.tfvars", "kind = \"m\"\n").commit("hide");
    assert_eq!(affected(&repo), ["envs/b: component stack.module stack.resource"]);
    // From the next commit on they count.
    repo.write("envs/b/b.auto.tfvars", "kind = \"n\"\n").commit("next");
    assert_eq!(affected(&repo), [""; 0]);
}

/// Resolving only what a change touches gives the same result as resolving everything.
#[test]
fn many_roots_give_the_same_answer() {
    let repo = Repo::new();
    for i in 0..40 {
        let text = format!(
            "terraform {{\n  backend \"local\" {{\n    path = \"{i}\"\n  }}\n}}\n\nmodule \"m\" {{\n  source = \"../../modules/m{}\"\n}}\n",
            i % 4
        );
        repo.write(&format!("roots/r{i:02}/main.tf"), text);
    }
    for i in 0..4 {
        repo.write(
            &format!("modules/m{i}/main.tf"),
            "module \"inner\" {\n  source  = \"acme/x/aws\"\n  version = \"1.0.0\"\n}\n",
        );
    }
    repo.commit("base");
    repo.write("modules/m1/main.tf", "module \"inner\" {\n  source  = \"acme/x/aws\"\n  version = \"1.1.0\"\n}\n")
        .commit("head");
    assert_eq!(affected(&repo).len(), 10);
    let run = repo.run(&["diff", "HEAD~1..HEAD", "--format", "json"]).json();
    let changed = run["components"].as_array().unwrap();
    assert_eq!(changed.len(), 10);
    assert!(changed.iter().all(|c| c["component"] == "m.inner" && c["changes"][0]["path"] == "/version"));
}
