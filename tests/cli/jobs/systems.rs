//! Dependents, order and removal are the same in each system.

use super::waves;
use crate::common::{ATMOS, Repo};

/// Three things of a system, of which the third one needs the second one, and that the first one: the files, and an edit of the
/// first one.
struct Chain {
    system: &'static str,
    files: Vec<(&'static str, String)>,
    edit: (&'static str, &'static str, &'static str),
    /// The third one removed: its file, with what is left of it.
    removed: (&'static str, Option<String>),
}

fn chains() -> Vec<Chain> {
    let root = |key: &str, reads: Option<&str>| {
        let read = reads.map(|key| {
            format!(
                "data \"terraform_remote_state\" \"x\" {{\n  backend = \"s3\"\n  config = {{\n    bucket = \"b\"\n    key = \"{key}\"\n  \
                 }}\n}}\n"
            )
        });
        let backend = format!("terraform {{\n  backend \"s3\" {{\n    bucket = \"b\"\n    key = \"{key}\"\n  }}\n}}\n");
        format!("{backend}{}output \"id\" {{\n  value = 1\n}}\n", read.unwrap_or_default())
    };
    let unit = |needs: &str| {
        let block = format!("dependency \"x\" {{\n  config_path = \"../{needs}\"\n}}\n");
        format!(
            "terraform {{\n  source = \"../../code\"\n}}\n{}inputs = {{\n  n = 1\n}}\n",
            if needs.is_empty() { "" } else { &block }
        )
    };
    let stack = "vars: {stage: dev}\ncomponents:\n  terraform:\n    a: {vars: {n: 1}}\n    b: {dependencies: {components: [{component: \
                 a}]}}\n    c: {dependencies: {components: [{component: b}]}}\n";
    let action = |name: &str, needs: &str| {
        format!(
            "kind: Deploy\ntype: exec\nname: {name}\ndependencies: [{needs}]\nspec: {{deployCommand: [echo, '1']}}\n"
        )
    };
    let module = |name: &str, needs: &str| {
        format!("  - name: {name}\n    type: infra.database\n    config: {{size: small, depends_on: [{needs}]}}\n")
    };
    let infra = format!("modules:\n{}{}", module("a", ""), module("b", "a"));
    vec![
        Chain {
            system: "atmos",
            files: vec![("atmos.yaml", ATMOS.to_owned()), ("stacks/deploy/dev.yaml", stack.to_owned())],
            edit: ("stacks/deploy/dev.yaml", "n: 1", "n: 2"),
            removed: ("stacks/deploy/dev.yaml", Some(stack[..stack.find("    c:").unwrap()].to_owned())),
        },
        Chain {
            system: "opentofu",
            files: vec![
                ("a/main.tf", root("a", None)),
                ("b/main.tf", root("b", Some("a"))),
                ("c/main.tf", root("c", Some("b"))),
            ],
            edit: ("a/main.tf", "value = 1", "value = 2"),
            removed: ("c/main.tf", None),
        },
        Chain {
            system: "terragrunt",
            files: vec![
                ("code/main.tf", "variable \"n\" {\n  default = 0\n}\noutput \"id\" {\n  value = var.n\n}\n".to_owned()),
                ("live/a/terragrunt.hcl", unit("")),
                ("live/b/terragrunt.hcl", unit("a")),
                ("live/c/terragrunt.hcl", unit("b")),
            ],
            edit: ("live/a/terragrunt.hcl", "n = 1", "n = 2"),
            removed: ("live/c/terragrunt.hcl", None),
        },
        Chain {
            system: "garden",
            files: vec![
                ("project.garden.yml", "apiVersion: garden.io/v2\nkind: Project\nname: p\nenvironments: [{name: dev}]\nproviders: [{name: \
                  exec}]\n".to_owned()),
                ("a/garden.yml", action("a", "")),
                ("b/garden.yml", action("b", "deploy.a")),
                ("c/garden.yml", action("c", "deploy.b")),
            ],
            edit: ("a/garden.yml", "'1'", "'2'"),
            removed: ("c/garden.yml", None),
        },
        Chain {
            system: "infra",
            files: vec![("infra.yaml", format!("{infra}{}", module("c", "b")))],
            edit: ("infra.yaml", "size: small, depends_on: []", "size: large, depends_on: []"),
            removed: ("infra.yaml", Some(infra)),
        },
    ]
}

/// A repository with the files of a chain in its first commit.
fn repo(chain: &Chain) -> Repo {
    let repo = Repo::new();
    chain.files.iter().for_each(|(path, text)| _ = repo.write(path, text));
    repo.commit("base");
    repo
}

/// Whether an item of the list is a component, or a stack that is run as a whole.
fn is_named(item: &serde_json::Value, name: &str) -> bool {
    [&item["component"], &item["stack"]].into_iter().any(|one| one.as_str().is_some_and(|one| one.ends_with(name)))
}

/// The last letters of the names of nested dependents, each level with one.
fn nested(dependents: &serde_json::Value) -> Vec<String> {
    let Some(list) = dependents.as_array() else { panic!("{dependents}") };
    let Some(first) = list.first() else { return Vec::new() };
    assert_eq!(list.len(), 1, "{dependents}");
    let name = ["component", "stack"].map(|key| first[key].as_str().unwrap_or_default());
    let name = if name[0].is_empty() { name[1] } else { name[0] };
    let own = name.rsplit(['/', '.']).next().unwrap_or_default().to_owned();
    [vec![own], nested(&first["dependents"])].concat()
}

#[test]
fn what_depends_on_a_job_runs_after_it() {
    for chain in chains() {
        let repo = repo(&chain);
        let (path, from, to) = chain.edit;
        repo.edit(path, from, to).commit("head");
        let [a, b, c] = ["a", "b", "c"];
        assert_eq!(waves(&repo, &[]), [[a]], "{}", chain.system);
        assert_eq!(waves(&repo, &["--include-dependents"]), [[a], [b], [c]], "{}", chain.system);
        assert_eq!(waves(&repo, &["--everything"]), [[a], [b], [c]], "{}", chain.system);
        // The list nests them, whatever the edit reaches.
        let list = repo.run(&["diff", "HEAD~1..HEAD", "--format", "affected", "--include-dependents"]).json();
        let listed = list.as_array().unwrap().iter().find(|item| is_named(item, a)).expect(chain.system);
        assert_eq!(nested(&listed["dependents"]), [b, c], "{}: {list:#}", chain.system);
        // A job has the same name, whatever it runs for.
        let names = |argument: &str| {
            let json = repo.run(&["diff", "HEAD~1..HEAD", "--format", "spacelift", argument]).json();
            json["triggers"].clone()
        };
        assert_eq!(names("--include-dependents"), names("--everything"), "{}", chain.system);
    }
}

#[test]
fn what_is_removed_is_no_job_and_is_listed_apart() {
    for chain in chains() {
        let repo = repo(&chain);
        match &chain.removed {
            (path, Some(text)) => _ = repo.write(path, text),
            (path, None) => _ = repo.remove(path),
        }
        repo.commit("head");
        let json = repo.run(&["diff", "HEAD~1..HEAD", "--format", "waves"]).json();
        assert_eq!(json["waves"], serde_json::json!([]), "{}", chain.system);
        assert_eq!(json["destroy"][0]["include"][0]["component"], "c", "{}", chain.system);
        assert_eq!(json["has_changes"], true);
    }
}
