//! Values of Garden that are known only at run time: an edit of anything that they are made of is a change.

use crate::common::Repo;
use serde_json::Value;

const PROJECT: &str = "apiVersion: garden.io/v2\nkind: Project\nname: shop\nenvironments:\n  - name: dev\n    variables:\n      open: \"${jsonDecode(local.env.MAP)}\"\nproviders: [{name: exec}]\n";

/// The environment whose action has a value, besides variables of the project.
fn repo(variables: &str, value: &str) -> Repo {
    let repo = Repo::new();
    write(&repo, variables, value);
    repo.commit("base");
    repo
}

fn write(repo: &Repo, variables: &str, value: &str) {
    repo.write("project.garden.yml", format!("{PROJECT}variables:\n{variables}"));
    let action = "kind: Run\ntype: exec\nname: x\nvariables:\n  v:";
    repo.write("garden.yml", format!("{action}{value}spec: {{command: [echo]}}\n"));
}

/// The paths of the action that differ.
fn changes(repo: &Repo) -> Vec<String> {
    let json = repo.run(&["diff", "HEAD~1..HEAD", "--all", "--format", "json"]).ends_with(0).json();
    let mut found = Vec::new();
    for component in json["components"].as_array().unwrap().iter().filter(|c| c["component"] == "x") {
        let paths = component["changes"].as_array().unwrap().iter().map(|change| &change["path"]);
        found.extend(paths.map(|path: &Value| path.as_str().unwrap().to_owned()));
    }
    found
}

/// Variables of the project, the value of the action, and what is replaced in one of them.
const EDITS: [(&str, &str, &str, &str); 21] = [
    ("  a: old\n", " \"${local.env.X || var.a}\"\n", "old", "new"),
    ("  a: old\n", " \"${local.env.X && var.a}\"\n", "old", "new"),
    ("  a: old\n", " \"${local.env.X == 'I' ? var.a : 'b'}\"\n", "old", "new"),
    ("  a: old\n", " \"${replace(local.env.X, 'L', var.a)}\"\n", "old", "new"),
    ("  a: old\n", " \"${if local.env.X}${var.a}${else}b${endif}\"\n", "old", "new"),
    ("  a: old\n", " \"${local.env.X + var.a}\"\n", "old", "new"),
    ("  a: old\n", " \"${[var.a] contains local.env.X}\"\n", "old", "new"),
    ("  a: old\n", " \"${join([local.env.X, var.a], '-')}\"\n", "old", "new"),
    ("  a: old\n", " [\"${[local.env.X, var.a]}\"]\n", "local.env.X", "local.env.Y"),
    ("  a: \"${local.env.OLD}\"\n", " \"${upper(var.a)}\"\n", "OLD", "NEW"),
    ("  a: \"${local.env.OLD}\"\n", " \"${var.a.key}\"\n", "OLD", "NEW"),
    ("  a: {b: old}\n", " \"${var.a[local.env.X]}\"\n", "old", "new"),
    ("  a: old\n", "\n    $if: \"${local.env.X == 'I'}\"\n    $then: \"${var.a}\"\n    $else: c\n", "old", "new"),
    ("  a: 1\n", "\n    $if: \"${local.env.X == 'I'}\"\n    $then: old\n    $else: c\n", "old", "new"),
    ("  a: 1\n", "\n    $forEach: \"${split(local.env.X, ',')}\"\n    $return: old-${item.value}\n", "old", "new"),
    (
        "  a: [old, x]\n",
        "\n    $forEach: \"${var.a}\"\n    $filter: \"${local.env.X == item.value}\"\n    $return: \"${item.value}\"\n",
        "old",
        "new",
    ),
    ("  a: {b: old, $merge: \"${local.env.X}\"}\n", " \"${var.a.c}\"\n", "local.env.X", "local.env.Y"),
    ("  a: [$concat: \"${local.env.X}\", b]\n", " \"${var.a[1]}\"\n", "local.env.X", "local.env.Y"),
    ("  a: [$concat: \"${local.env.X}\", b]\n", " \"${var.a.length}\"\n", "local.env.X", "local.env.Y"),
    (
        "  a: [$concat: \"${local.env.X}\", b]\n",
        "\n    $forEach: \"${var.a}\"\n    $return: c\n",
        "local.env.X",
        "local.env.Y",
    ),
    // The environment has an unknown value of this name, which is merged if it is a mapping.
    ("  open: {b: old}\n", " \"${var.open.b}\"\n", "old", "new"),
];

#[test]
fn all_that_an_unknown_value_is_made_of_counts() {
    for (variables, value, old, new) in EDITS {
        let repo = repo(variables, value);
        write(&repo, &variables.replace(old, new), &value.replace(old, new));
        repo.commit("edit");
        let found = changes(&repo);
        assert!(found.iter().any(|path| path.starts_with("/variables/v")), "{variables}{value}{old}: {found:?}");
    }
}

#[test]
fn what_an_unknown_value_is_not_made_of_does_not_count() {
    let value = " \"${local.env.X || var.a}\"\n";
    let repo = repo("  a: a\n  b: old\n", value);
    write(&repo, "  a: a\n  b: new\n", value);
    repo.commit("another variable");
    assert_eq!(changes(&repo), [""; 0]);
    write(&repo, "  a: \"${'a'}\"\n  b: new\n", value);
    repo.commit("the same value, written in another way");
    assert_eq!(changes(&repo), [""; 0]);
}

#[test]
fn a_branch_that_reads_the_value_itself_is_no_mistake() {
    let repo = repo("  a: \"${local.env.X ? 'a' : var.b}\"\n  b: \"${var.a || 'old'}\"\n", " \"${var.b}\"\n");
    repo.run(&["check"]).hides("circular").hides("reads itself");
    repo.edit("project.garden.yml", "'old'", "'new'").commit("edit");
    assert_eq!(changes(&repo), ["/variables/v"]);
}
