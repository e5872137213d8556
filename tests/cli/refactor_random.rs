//! Random repositories of every system, changed without an effect and with one: what is refactored is printed as before, and
//! what really changed is never proved to be the same. `PROPTEST_CASES` says how many there are of each.

use crate::common::{ATMOS, Repo};
use crate::refactor::{Numbers, stacks};
use property_cases::cases;
use serde_json::Value;
use std::collections::BTreeMap;

/// The number of cases of each system in an ordinary run.
const CASES: u32 = 3;

type Files = BTreeMap<&'static str, String>;

/// A repository, and the same with something written elsewhere.
type Pair = fn(&mut Numbers) -> [Files; 2];

fn random() -> impl Iterator<Item = Numbers> {
    (0..u64::from(cases(CASES).cases)).map(Numbers)
}

fn written(repo: &Repo, files: &Files) {
    files.iter().for_each(|(path, text)| _ = repo.write(path, text));
}

/// Another number in one of the lines with a random input; whether there is one.
fn change_one(repo: &Repo, numbers: &mut Numbers, paths: &[&str]) -> bool {
    let mut places = Vec::new();
    for path in paths {
        let text = std::fs::read_to_string(repo.root().join(path)).unwrap_or_default();
        places.extend(text.match_indices("100").map(|(at, _)| (*path, at)));
    }
    if places.is_empty() {
        return false;
    }
    let (path, at) = places[numbers.below(places.len())];
    let text = std::fs::read_to_string(repo.root().join(path)).unwrap();
    repo.write(path, format!("{}{}{}", &text[..at], "200", &text[at + 3..]));
    true
}

/// Checks what is said about the worktree, given whether it is printed as the last commit was.
#[track_caller]
fn is_sound(repo: &Repo, is_same: bool, what: &str) -> bool {
    let mut proved = false;
    for claim in ["none", "moves"] {
        let run = repo.run(&["diff", "HEAD", "--worktree", "--expect", claim]);
        assert_ne!(run.status, 2, "{what}: {run}");
        assert!(run.status != 0 || is_same, "{what} is proved, and differs:\n{}\n{run}", repo.git(&["diff"]));
        assert!(run.status != 3 || !is_same || claim == "moves", "{what} is refuted:\n{}\n{run}", repo.git(&["diff"]));
        proved |= run.status == 0;
    }
    proved
}

/// Three units with the same input, some with others; it moves into the file that all include.
fn terragrunt(numbers: &mut Numbers) -> [Files; 2] {
    let (mut before, mut after) = (Files::new(), Files::new());
    let shared = "  in0 = 100\n";
    for path in ["live/a/terragrunt.hcl", "live/b/terragrunt.hcl", "live/c/terragrunt.hcl"] {
        let own = ["", "  in1 = 1001\n", "  in1 = [\"x\", 100]\n"][numbers.below(3)];
        let unit = |inputs: String| {
            format!(
                "include \"root\" {{\n  path = find_in_parent_folders(\"root.hcl\")\n}}\n\nterraform {{\n  source = \
                 \"../../modules/app\"\n}}\n\ninputs = {{\n{inputs}}}\n"
            )
        };
        before.insert(path, unit(format!("{shared}{own}")));
        after.insert(path, unit(own.to_owned()));
    }
    before.insert("root.hcl", "inputs = {\n  owner = \"net\"\n}\n".to_owned());
    after.insert("root.hcl", format!("inputs = {{\n  owner = \"net\"\n{shared}}}\n"));
    for files in [&mut before, &mut after] {
        files.insert("modules/app/main.tf", "variable \"in0\" {}\n".to_owned());
    }
    [before, after]
}

/// A value becomes a local, and a block moves into another file.
fn tofu(numbers: &mut Numbers) -> [Files; 2] {
    let other = numbers.below(9);
    let block = |value: &str| {
        format!("resource \"aws_vpc\" \"main\" {{\n  size = {value}\n  tags = {{ other = \"{other}\" }}\n}}\n")
    };
    let rest = "variable \"stage\" {\n  default = \"dev\"\n}\n";
    let locals = "locals {\n  size = 100\n}\n";
    let before = Files::from([("main.tf", format!("{rest}{}", block("100")))]);
    let after = match numbers.below(2) {
        0 => Files::from([("main.tf", rest.to_owned()), ("network.tf", block("100"))]),
        _ => Files::from([("main.tf", format!("{rest}{}", block("local.size"))), ("locals.tf", locals.to_owned())]),
    };
    [before, after]
}

/// A variable of the project becomes one of each environment.
fn garden(numbers: &mut Numbers) -> [Files; 2] {
    let other = numbers.below(9);
    let project = |all: &str, each: &str| {
        format!(
            "apiVersion: garden.io/v2\nkind: Project\nname: shop\ndefaultEnvironment: dev\nenvironments:\n  - name: dev\n{each}  \
             - name: prod\n{each}providers:\n  - name: exec\nvariables:\n  other: {other}\n{all}---\nkind: Run\nname: api\ntype: \
             exec\nspec:\n  command: [make, \"SIZE=${{var.size}}\"]\n"
        )
    };
    let before = Files::from([("garden.yml", project("  size: 100\n", ""))]);
    let after = match numbers.below(2) {
        0 => project("", "    variables: {size: 100}\n"),
        _ => project("  size: 1\n", "    variables: {size: 100}\n"),
    };
    [before, Files::from([("garden.yml", after)])]
}

/// The last module moves into a file that is imported.
fn infra(numbers: &mut Numbers) -> [Files; 2] {
    let module = |name: &str, size: usize| {
        format!("  - name: {name}\n    type: infra.database\n    config:\n      size: {size}\n")
    };
    let (db, web) = (module("db", 100), module("web", 1000 + numbers.below(9)));
    let before = Files::from([("infra.yaml", format!("modules:\n{db}{web}"))]);
    let after = Files::from([
        ("infra.yaml", format!("imports:\n  - shared/web.yaml\nmodules:\n{db}")),
        ("shared/web.yaml", format!("modules:\n{web}")),
    ]);
    [before, after]
}

#[test]
fn what_is_written_elsewhere_is_the_same_and_another_value_is_not() {
    let systems: [(&str, Pair); 4] = [("terragrunt", terragrunt), ("tofu", tofu), ("garden", garden), ("infra", infra)];
    for (system, pair) in systems {
        let (mut proved, mut differing) = (0, 0);
        for mut numbers in random() {
            let [before, after] = pair(&mut numbers);
            let repo = Repo::new();
            written(&repo, &before);
            repo.commit("base");
            let printed = stacks(&repo);
            written(&repo, &after);
            proved += usize::from(is_sound(&repo, printed == stacks(&repo), system));
            let paths: Vec<&str> = after.keys().copied().collect();
            assert!(change_one(&repo, &mut numbers, &paths), "{system}: nothing to change");
            let is_same = printed == stacks(&repo);
            differing += usize::from(!is_same);
            is_sound(&repo, is_same, system);
        }
        assert!(proved > 0 && differing > 0, "{system}: {proved} proved, {differing} differ");
    }
}

/// A repository of stacks with a catalog, a base with two heirs, and a local.
fn catalog(numbers: &mut Numbers) -> Repo {
    let repo = Repo::atmos();
    let value = |numbers: &mut Numbers| ["100", "100", "100", "'100'", "{k: 100}", "[100, 1]"][numbers.below(6)];
    let inputs = |numbers: &mut Numbers, indent: &str, own: &str| -> String {
        let chosen = (0..4).filter(|_| numbers.below(3) > 0).collect::<Vec<_>>();
        let lines = chosen.into_iter().map(|i| format!("{indent}in{i}: {}\n", value(numbers)));
        format!("{indent}own: {own}\n{}", lines.collect::<String>())
    };
    let terraform = "terraform:\n  backend_type: s3\n  backend: {s3: {bucket: b}}\n";
    let vpc = format!("components:\n  terraform:\n    vpc:\n      vars:\n{}", inputs(numbers, "        ", "1"));
    repo.write("stacks/catalog/vpc.yaml", vpc);
    let base = "components:\n  terraform:\n    base:\n      metadata: {type: abstract}\n      vars: {own: 2}\n";
    repo.write("stacks/catalog/base.yaml", base);
    repo.write("stacks/mixins/all.yaml", format!("import: [../catalog/vpc]\nvars:\n{}", inputs(numbers, "  ", "3")));
    for stage in ["dev", "prod"] {
        let heir = |numbers: &mut Numbers, name: &str| {
            let vars = inputs(numbers, "        ", name);
            format!("    {name}:\n      metadata: {{component: base, inherits: [base]}}\n      vars:\n{vars}")
        };
        let (one, two) = (heir(numbers, "one"), heir(numbers, "two"));
        let own = inputs(numbers, "        ", stage);
        let global = inputs(numbers, "  ", stage);
        let text = format!(
            "import:\n  - catalog/base\n  - mixins/all\nlocals: {{size: 100}}\nvars:\n  stage: {stage}\n  size: '{{{{ .locals.size \
             }}}}'\n{global}{terraform}components:\n  terraform:\n    vpc:\n      vars:\n{own}{one}{two}"
        );
        repo.write(&format!("stacks/deploy/{stage}.yaml"), text);
    }
    repo.commit("base");
    repo
}

/// What a component of the stacks is, under whatever name, but for what says so.
fn without_names(printed: &str, name: &str) -> Vec<Value> {
    let all: Value = serde_json::from_str(printed).unwrap();
    let of = |stack: &Value| {
        let one = &stack["components"]["terraform"][name];
        let parts = ["vars", "backend", "backend_type", "workspace", "component", "settings", "env"];
        Value::from_iter(parts.map(|part| (part, one[part].clone())))
    };
    all.as_object().unwrap().values().map(of).collect()
}

/// What is printed but for the base, which is only there to be inherited from.
fn deployed(printed: &str) -> Value {
    let mut all: Value = serde_json::from_str(printed).unwrap();
    for stack in all.as_object_mut().unwrap().values_mut() {
        stack["components"]["terraform"].as_object_mut().unwrap().remove("base");
    }
    all
}

/// Runs a refactoring. Returns what is printed afterwards, and whether something changed: only what succeeds changes files.
fn refactored(repo: &Repo, words: &[&str]) -> (String, bool) {
    let run = repo.run(words);
    assert!(run.status < 2, "{run}");
    let is_changed = !repo.git(&["status", "--porcelain"]).is_empty();
    assert!(run.status == 0 || !is_changed, "{run}");
    (stacks(repo), is_changed)
}

#[test]
fn refactorings_of_manifests_are_printed_as_before_and_another_value_is_not() {
    let input = |numbers: &mut Numbers| format!("in{}", numbers.below(4));
    let (mut changed, mut differing) = ([0; 6], 0);
    for mut numbers in random().flat_map(|one| (0..4).map(move |i| Numbers(one.0 * 4 + i))) {
        let repo = catalog(&mut numbers);
        let before = stacks(&repo);
        let kind = numbers.below(6);
        let name = input(&mut numbers);
        let words: Vec<String> = match kind {
            0 => vec!["hoist".into(), format!("components.terraform.vpc.vars.{name}")],
            1 => vec!["hoist".into(), format!("vars.{name}"), "--base".into(), "base".into()],
            2 => vec!["prune".into()],
            3 => ["rename", "component", "vpc", "net/vpc"].map(String::from).into(),
            4 => ["rename", "file", "stacks/catalog/vpc.yaml", "stacks/net/vpc.yaml"].map(String::from).into(),
            _ => ["rename", "local", "size", "width", "--file", "stacks/deploy/dev.yaml"].map(String::from).into(),
        };
        let words: Vec<&str> =
            ["refactor"].into_iter().chain(words.iter().map(String::as_str)).chain(["--write"]).collect();
        let (after, is_changed) = refactored(&repo, &words);
        changed[kind] += usize::from(is_changed);
        match kind {
            3 if is_changed => {
                assert_eq!(without_names(&before, "vpc"), without_names(&after, "net/vpc"), "{}", repo.git(&["diff"]));
            }
            // A base is only there to be inherited from.
            1 => assert_eq!(
                ["one", "two", "vpc"].map(|name| without_names(&before, name)),
                ["one", "two", "vpc"].map(|name| without_names(&after, name)),
                "{}",
                repo.git(&["diff"])
            ),
            _ => assert_eq!(before, after, "{words:?}:\n{}", repo.git(&["diff"])),
        }
        let paths = ["stacks/deploy/dev.yaml", "stacks/deploy/prod.yaml"];
        if change_one(&repo, &mut numbers, &paths) {
            let is_same = deployed(&before) == deployed(&stacks(&repo));
            differing += usize::from(!is_same);
            is_sound(&repo, is_same, &words.join(" "));
        }
    }
    assert!(changed.iter().sum::<usize>() > 0 && differing > 0, "{changed:?} changed something, {differing} differ");
}

/// A file with something that only a run knows, which reads one of several things; the files that it is read from.
fn unknown(system: &str, read: usize) -> Files {
    match system {
        "atmos" => {
            let calls =
                ["!env SIZE", "!env OTHER", "!terraform.output vpc other", "!store ssm vpc id", "'{{ env \"SIZE\" }}'"];
            let text = format!(
                "vars: {{stage: dev}}\ncomponents: {{terraform: {{vpc: {{vars: {{x: 1}}}}, app: {{vars: {{a: {}}}}}}}}}\n",
                calls[read]
            );
            Files::from([("atmos.yaml", ATMOS.to_owned()), ("stacks/deploy/dev.yaml", text)])
        }
        "terragrunt" => {
            let reads = [
                "get_env(\"SIZE\")",
                "get_env(\"OTHER\")",
                "dependency.db.outputs.size",
                "dependency.db.outputs.other",
                "run_cmd(\"make\", \"size\")",
            ];
            let unit = format!(
                "terraform {{\n  source = \"../modules/app\"\n}}\n\ndependency \"db\" {{\n  config_path = \"../db\"\n}}\n\ninputs = {{\n  \
                 size = {}\n}}\n",
                reads[read]
            );
            let db = "terraform {\n  source = \"../modules/app\"\n}\n\ninputs = {\n  size = 1\n}\n";
            Files::from([
                ("app/terragrunt.hcl", unit),
                ("db/terragrunt.hcl", db.to_owned()),
                ("modules/app/main.tf", "variable \"size\" {}\n".to_owned()),
            ])
        }
        "tofu" => {
            let reads = ["var.size", "var.other", "data.aws_vpc.main.id", "timestamp()", "aws_vpc.main.id"];
            let text = format!(
                "variable \"size\" {{}}\nvariable \"other\" {{}}\ndata \"aws_vpc\" \"main\" {{}}\nresource \"aws_vpc\" \"main\" \
                 {{}}\nresource \"aws_subnet\" \"main\" {{\n  size = {}\n}}\n",
                reads[read]
            );
            Files::from([("main.tf", text)])
        }
        "garden" => {
            let reads = ["local.env.SIZE", "local.env.OTHER", "git.branch", "local.username", "secrets.size"];
            let text = format!(
                "apiVersion: garden.io/v2\nkind: Project\nname: shop\ndefaultEnvironment: dev\nenvironments: [{{name: \
                 dev}}]\nproviders:\n  - name: exec\n---\nkind: Run\nname: api\ntype: exec\nspec:\n  command: [make, \
                 \"SIZE=${{{}}}\"]\n",
                reads[read]
            );
            Files::from([("garden.yml", text)])
        }
        _ => {
            let reads = ["{{.env.SIZE}}", "{{.env.OTHER}}", "{{.db.size}}", "{{.db.other}}", "{{.vars.size}}"];
            let text = format!(
                "modules:\n  - name: db\n    type: infra.database\n    config:\n      size: 1\n  - name: web\n    type: infra.web\n    \
                 config:\n      size: \"{}\"\n",
                reads[read]
            );
            Files::from([("infra.yaml", text)])
        }
    }
}

/// What only a run knows and reads something else is never proved to be the same; the same text in another layout is.
#[test]
fn what_is_not_known_proves_nothing() {
    for system in ["atmos", "terragrunt", "tofu", "garden", "infra"] {
        for mut numbers in random() {
            let read = numbers.below(5);
            let other = (read + 1 + numbers.below(4)) % 5;
            let repo = Repo::new();
            written(&repo, &unknown(system, read));
            repo.commit("base");
            written(&repo, &unknown(system, other));
            for claim in ["none", "moves"] {
                let run = repo.run(&["diff", "HEAD", "--worktree", "--expect", claim]);
                assert!([1, 3].contains(&run.status), "{system}, {read} → {other}: {run}\n{}", repo.git(&["diff"]));
            }
            repo.git(&["checkout", "--quiet", "."]);
            let path = *unknown(system, read).keys().next().unwrap();
            let text = std::fs::read_to_string(repo.root().join(path)).unwrap();
            repo.write(path, format!("# Another line.\n{text}"));
            repo.run(&["diff", "HEAD", "--worktree", "--expect", "none"]).ends_with(0);
        }
    }
}

/// Units that include a file, with inputs that they often share, a local and a dependency.
fn units(numbers: &mut Numbers) -> Repo {
    let repo = Repo::new();
    let value = |numbers: &mut Numbers| ["100", "100", "100", "\"100\"", "{ k = 100 }", "[100, 1]"][numbers.below(6)];
    let inputs = |numbers: &mut Numbers| -> String {
        let chosen = (0..4).filter(|_| numbers.below(3) > 0).collect::<Vec<_>>();
        chosen.into_iter().map(|i| format!("  in{i} = {}\n", value(numbers))).collect()
    };
    let backend = "remote_state {\n  backend = \"s3\"\n  config = {\n    bucket = \"b\"\n    key    = \
                   \"${path_relative_to_include()}/x\"\n  }\n}\n";
    repo.write("live/root.hcl", format!("{backend}\ninputs = {{\n  owner = \"net\"\n{}}}\n", inputs(numbers)));
    repo.write("modules/app/main.tf", "variable \"in0\" {\n  default = 1\n}\noutput \"id\" {\n  value = var.in0\n}\n");
    for path in ["live/dev/app", "live/dev/db", "live/prod/app"] {
        let depends = match path {
            "live/dev/db" => "\ndependency \"app\" {\n  config_path = \"../app\"\n}\n",
            _ => "",
        };
        let reads = if depends.is_empty() { "" } else { "  id = dependency.app.outputs.id\n" };
        let own = inputs(numbers);
        let text = format!(
            "include \"root\" {{\n  path = find_in_parent_folders(\"root.hcl\")\n}}\n\nterraform {{\n  source = \
             \"../../../modules/app\"\n}}\n{depends}\nlocals {{\n  size = 100\n  twice = local.size * 2\n}}\n\ninputs = {{\n  own = \
             local.twice\n{reads}{own}}}\n"
        );
        repo.write(&format!("{path}/terragrunt.hcl"), text);
    }
    repo.commit("base");
    repo
}

#[test]
fn refactorings_of_units_are_printed_as_before_and_another_value_is_not() {
    let (mut changed, mut differing) = ([0; 6], 0);
    for mut numbers in random().flat_map(|one| (0..4).map(move |i| Numbers(one.0 * 4 + i))) {
        let repo = units(&mut numbers);
        let before = stacks(&repo);
        let kind = numbers.below(6);
        let input = format!("inputs.in{}", numbers.below(4));
        let local = ["--file", "live/dev/app/terragrunt.hcl"];
        let from = ["--from", "live/dev/app/terragrunt.hcl"];
        let words: Vec<&str> = match kind {
            0 => vec!["hoist", &input],
            1 => vec!["inline", &input],
            2 => vec!["prune"],
            3 => [&["rename", "local", "size", "width"], &local[..]].concat(),
            4 => [&["inline", "locals.size"], &from[..]].concat(),
            _ => vec!["rename", "component", "live/dev/app", "live/web", "--move-state"],
        };
        let words: Vec<&str> = [&["refactor"], &words[..], &["--write"]].concat();
        let (after, is_changed) = refactored(&repo, &words);
        changed[kind] += usize::from(is_changed);
        let shown = |printed: &str| -> Value {
            let mut all: Value = serde_json::from_str(printed).unwrap();
            for stack in all.as_object_mut().unwrap().values_mut() {
                for unit in stack["components"]["unit"].as_object_mut().into_iter().flat_map(|units| units.values_mut())
                {
                    unit.as_object_mut().unwrap().remove("locals");
                }
            }
            all
        };
        match kind {
            // Names that only the file sees.
            3 | 4 => assert_eq!(shown(&before), shown(&after), "{}", repo.git(&["diff"])),
            5 if is_changed => {
                let [old, new]: [Value; 2] = [&before, &after].map(|printed| serde_json::from_str(printed).unwrap());
                let of =
                    |all: &Value, stack: &str, name: &str| all[stack]["components"]["unit"][name]["inputs"].clone();
                assert_eq!(of(&old, "live/dev", "app"), of(&new, "live", "web"), "{}", repo.git(&["diff"]));
                // What is not known says whose outputs it reads.
                let db = of(&new, "live/dev", "db").to_string().replace("outputs of ../../web ", "outputs of ../app ");
                assert_eq!(of(&old, "live/dev", "db").to_string(), db, "{}", repo.git(&["diff"]));
            }
            _ => assert_eq!(before, after, "{words:?}:\n{}", repo.git(&["diff"])),
        }
        let paths = ["live/dev/db/terragrunt.hcl", "live/prod/app/terragrunt.hcl"];
        if change_one(&repo, &mut numbers, &paths) && kind != 5 {
            let is_same = shown(&before) == shown(&stacks(&repo));
            differing += usize::from(!is_same);
            is_sound(&repo, is_same, &words.join(" "));
        }
    }
    assert!(changed.iter().sum::<usize>() > 0 && differing > 0, "{changed:?} changed something, {differing} differ");
}
