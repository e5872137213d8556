//! Invariants of every project: no panics, the same result again, and the same after another state was resolved.

use super::*;
use crate::source::{Change, ChangeKind, Source};
use proptest::prelude::*;

fn expression() -> impl Strategy<Value = String> {
    let leaves = [
        "1",
        "null",
        "\"x\"",
        "true",
        "local.a",
        "local.b",
        "local",
        "values.v",
        "values",
        "feature.f.value",
        "include.root.inputs",
        "include.locals",
        "dependency.d.outputs.o",
        "dependency.d",
        "get_env(\"A\")",
        "get_env(\"A\", \"b\")",
        "run_cmd(\"x\")",
        "get_terragrunt_dir()",
        "path_relative_to_include()",
        "find_in_parent_folders(\"root.hcl\")",
        "find_in_parent_folders(\"root.hcl\", \"x\")",
        "unit.a.path",
        "read_terragrunt_config(\"../shared.hcl\")",
        "read_terragrunt_config(\"../b\", {})",
        "read_tfvars_file(\"x.tfvars\")",
        "mark_glob_as_read(\"**\")",
        "file(\"terragrunt.hcl\")",
        "1/0",
        "[for k, v in { a = 1 } : k]",
        "get_repo_root()",
        "sops_decrypt_file(\"x\")",
        "nothing(1)",
        "{",
    ];
    let leaf = prop::sample::select(leaves.to_vec()).prop_map(str::to_owned);
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(|all| format!("[{}]", all.join(", "))),
            prop::collection::vec(inner.clone(), 0..3).prop_map(|all| {
                let entries: Vec<String> = all.iter().zip(["a", "b", "c"]).map(|(v, k)| format!("{k} = {v}")).collect();
                format!("{{ {} }}", entries.join(", "))
            }),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("merge({a}, {b})")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("{a} == {b} ? {a} : {b}")),
            inner.clone().prop_map(|a| format!("try({a}, 1)")),
            inner.prop_map(|a| format!("\"x-${{{a}}}\"")),
        ]
    })
}

fn block() -> impl Strategy<Value = String> {
    let forms = [
        "locals {\n  a = @\n  b = @\n}\n",
        "inputs = @\n",
        "include \"root\" {\n  path = @\n  expose = true\n  merge_strategy = \"deep\"\n}\n",
        "include {\n  path = \"../root.hcl\"\n}\n",
        "include \"root\" {\n  path = \"../root.hcl\"\n  expose = true\n}\n",
        "dependency \"d\" {\n  config_path = @\n  mock_outputs = @\n}\n",
        "dependency \"d\" {\n  config_path = \"../b\"\n  skip_outputs = @\n}\n",
        "dependencies {\n  paths = [@]\n}\n",
        "feature \"f\" {\n  default = @\n}\n",
        "terraform {\n  source = @\n}\n",
        "generate \"g\" {\n  path = @\n  if_exists = \"skip\"\n  contents = @\n}\n",
        "generate \"f\" {\n  path = \"f.tf\"\n  if_exists = \"overwrite\"\n  contents = \"resource t g { x = @ }\"\n}\n",
        "terraform {\n  source = \"../b\"\n}\ninputs = { a = @ }\n",
        "generate = @\n",
        "remote_state = @\n",
        "remote_state {\n  backend = \"s3\"\n  config = @\n}\n",
        "exclude {\n  if = @\n  actions = [\"all\"]\n}\n",
        "unit \"a\" {\n  source = @\n  path = \"a\"\n  values = @\n}\n",
        "unit \"b\" {\n  source = \"../b\"\n  path = @\n}\n",
        "stack \"s\" {\n  source = \"../live\"\n  path = \"s\"\n}\n",
        "errors {\n  ignore \"i\" {\n    ignorable_errors = @\n  }\n}\n",
        "unit \"c\" {\n  source = \"../a\"\n  path = \"c\"\n  autoinclude {\n    inputs = @\n  }\n}\n",
        "prevent_destroy = @\n",
        "x {\n",
        "*/",
    ];
    let form = prop::sample::select(forms.to_vec());
    (form, prop::collection::vec(expression(), 2)).prop_map(|(form, all)| {
        let mut all = all.into_iter();
        let parts: Vec<&str> = form.split('@').collect();
        let last = parts.len() - 1;
        let filled = parts.iter().enumerate().map(|(i, part)| {
            let value = if i == last { String::new() } else { all.next().unwrap_or_default() };
            format!("{part}{value}")
        });
        filled.collect()
    })
}

fn file() -> impl Strategy<Value = String> {
    prop::collection::vec(block(), 0..4).prop_map(|blocks| blocks.concat())
}

fn project() -> impl Strategy<Value = World> {
    (file(), file(), file(), file(), file()).prop_map(|(a, b, root, shared, live)| {
        World::new(&[
            ("a/terragrunt.hcl", &a),
            ("b/terragrunt.hcl", &b),
            ("root.hcl", &root),
            ("shared.hcl", &shared),
            ("live/terragrunt.stack.hcl", &live),
            ("b/terragrunt.values.hcl", "v = 1\n"),
            ("a/main.tf", "variable \"a\" {}\nresource \"t\" \"r\" {\n  x = var.a\n}\n"),
            ("b/main.tf", "output \"o\" {\n  value = file(\"terragrunt.hcl\")\n}\n"),
        ])
    })
}

/// Everything of a resolution that is shown.
fn shown(resolution: &Resolution) -> String {
    let components = resolution.components();
    let all = components.iter().map(|(address, placed)| {
        format!("{address:?} {}", serde_json::to_string(&placed.component.value).unwrap_or_default())
    });
    let findings = resolution.findings.iter().map(|finding| format!("{} {}", finding.rule.id(), finding.message));
    // Findings come in the order of the files in their table.
    let mut lines: Vec<String> = all.chain(findings).collect();
    lines.sort();
    lines.join("\n")
}

proptest! {
    #![proptest_config(crate::fuzz::cases(64))]

    #[test]
    fn any_project_resolves_and_gives_the_same_again(world in project(), other in project()) {
        let (files, dialect) = (Files::default(), Terragrunt::default());
        let of = |world: &World| Memory::new("memory", world.files.clone());
        let resolve = |source: &dyn Source| shown(&dialect.resolve(source, &world.project, &files, Scope::All));
        let first = resolve(&of(&world));
        resolve(&of(&other));
        prop_assert_eq!(&first, &resolve(&of(&world)));
        prop_assert_eq!(first, shown(&world.resolve(&Files::default())));
    }

    /// Units that an edit reaches are resolved as ever; what it does not reach is the same on both sides.
    #[test]
    fn edits_reach_all_units_that_they_change(world in project(), text in file(), which in 0..4_usize) {
        let mut base = world;
        base.files.remove("live/terragrunt.stack.hcl");
        let path = ["a/terragrunt.hcl", "b/terragrunt.hcl", "root.hcl", "shared.hcl"][which];
        let mut head = base.clone();
        head.files.insert(path.to_owned(), text.into_bytes());
        let changes = [Change { path: path.into(), kind: ChangeKind::Modified }];
        let source = Memory::new("memory", head.files.clone());
        let touched =
            Terragrunt::default().resolve(&source, &head.project, &Files::default(), Scope::Touched(&changes));
        let of = |resolution: &Resolution, unit: &Unit| {
            let found = resolution.units.iter().find(|other| other.id == unit.id);
            found.map(|unit| {
                let values = unit.components.iter().map(|c| (c.address(), serde_json::to_string(&c.value).unwrap_or_default()));
                (unit.state, values.collect::<Vec<_>>())
            })
        };
        let [before, after] = [&base, &head].map(|world| world.resolve(&Files::default()));
        for unit in &touched.units {
            let whole = of(&after, unit);
            match unit.state {
                State::OutOfScope => prop_assert_eq!(of(&before, unit), whole, "{} is out of scope", unit.id),
                _ => prop_assert_eq!(of(&touched, unit), whole, "{}", unit.id),
            }
        }
    }
}
