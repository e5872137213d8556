//! Cost limits of a change: whatever it contains ends within limits of time and memory, as a finding, and the rest is
//! still analyzed. Each test prints its measurements.

use super::{DEV, note, project};
use crate::common::{ATMOS, Repo, limited};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The time after which a run hangs.
const HANGS: Duration = Duration::from_secs(600);
#[cfg(target_os = "linux")]
const MOST_MEMORY: u64 = 2 << 30;

/// The result of a run, and its cost.
struct Measured {
    status: Option<i32>,
    said: String,
}

/// Runs a command, and holds its time of a processor and its memory against what any run may take.
fn measured(name: &str, repo: &Repo, arguments: &[&str]) -> Measured {
    let start = Instant::now();
    let mut child = limited(repo.root(), arguments)
        .stdout(Stdio::from(std::fs::File::create(repo.beside("out")).unwrap()))
        .stderr(Stdio::from(std::fs::File::create(repo.beside("err")).unwrap()))
        .spawn()
        .unwrap();
    let (mut peak, id) = (0, child.id());
    let status = loop {
        peak = peak.max(memory(id));
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if start.elapsed() > HANGS {
            child.kill().unwrap();
        }
        std::thread::sleep(Duration::from_millis(10));
    };
    let took = start.elapsed();
    let read = |name: &str| String::from_utf8_lossy(&std::fs::read(repo.beside(name)).unwrap()).into_owned();
    let said = read("out") + &read("err");
    note(&format!("{name}: {:.1} s, {} MiB, status {:?}", took.as_secs_f64(), peak >> 20, status.code()));
    #[cfg(target_os = "linux")]
    assert!(peak < MOST_MEMORY, "{name} took {peak} bytes");
    assert!(status.code().is_some_and(|code| code <= 2), "{name}: {status:?} {said}");
    Measured { status: status.code(), said }
}

/// The peak memory of a process in bytes; 0 if unknown.
fn memory(id: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|l| l.trim().trim_end_matches(" kB").parse::<u64>().ok()).unwrap_or(0) << 10
}

impl Measured {
    /// Asserts that a finding reports the limit and that the other stack is still analyzed.
    #[track_caller]
    fn assert_reported(&self, words: &[&str]) {
        assert_eq!(self.status, Some(1), "{}", self.said);
        for word in words.iter().chain(&["gone-too"]) {
            assert!(
                self.said.contains(word) || crate::common::unwrapped(&self.said).contains(word),
                "no {word:?} in {}",
                self.said
            );
        }
    }
}

/// A project in which a component names a schema or policy, and another stack has a mistake.
fn validated(kind: &str, text: &str) -> Repo {
    let repo = project(&[("stacks/deploy/other.yaml", "import: [gone-too]\nvars: {stage: other}\n")]);
    let name = if kind == "opa" { "policy.rego" } else { "schema.json" };
    repo.write(name, text);
    let validation = format!("settings: {{validation: {{a: {{schema_type: {kind}, schema_path: {name}}}}}}}");
    repo.write("stacks/deploy/dev.yaml", DEV.replace("{size: 1}", &format!("{{size: 1}}, {validation}")));
    repo
}

/// A policy with one rule.
fn rule(body: &str) -> String {
    format!("package atmos\nerrors[m] {{ {body}; m = \"x\" }}\n")
}

/// Texts of which each is twice as long as the one before.
fn doubled() -> String {
    let texts: String = (1..40).map(|i| format!("s{i} = concat(\"\", [s{0}, s{0}])\n", i - 1)).collect();
    format!("package atmos\ns0 = \"0123456789\"\n{texts}errors[m] {{ m = s39 }}\n")
}

/// Rules of which each needs the one before.
fn chained() -> String {
    let rules: String = (1..4000).map(|i| format!("r{i} {{ r{} }}\n", i - 1)).collect();
    format!("package atmos\nr0 {{ true }}\n{rules}errors[m] {{ not r3999; m = \"x\" }}\n")
}

/// A policy ends within its limits, and so does what is after it.
fn policy_ends(name: &str, (text, words): (String, &str)) {
    measured(name, &validated("opa", &text), &["check"]).assert_reported(&[words]);
}

cases! {
    policy_ends:
    policy_a_function_that_calls_itself => ("package atmos\nf(x) = y { y = f(x) }\nerrors[m] { m = f(1) }\n".to_owned(), "calls itself");
    policy_functions_that_call_each_other => ("package atmos\nf(x) = y { y = g([x]) }\ng(x) = y { y = f([x]) }\nerrors[m] { m = f(1) }\n".to_owned(), "calls itself");
    policy_units_parse => (rule("units.parse(\"1e999999999\") > 1"), "limit-exceeded");
    policy_to_number => (rule("to_number(\"1e999999999\") > 1"), "limit-exceeded");
    policy_a_large_number => (rule("x = 1e999999999; x > 1"), "limit-exceeded");
    policy_sprintf => (rule("x = sprintf(\"%1000000000d\", [1]); count(x) > 1"), "limit-exceeded");
    policy_numbers_range => (rule("x = numbers.range(1, 2000000000); count(x) > 1"), "limit-exceeded");
    policy_nested_brackets => (rule(&format!("x = {}1{}", "[".repeat(60), "]".repeat(60))), "limit-exceeded");
    policy_texts_that_double => (doubled(), "limit-exceeded");
    policy_shifts => (rule("bits.lsh(1, 4000000000) > 1"), "limit-exceeded");
    policy_texts_that_are_kept => (rule(
                "s = concat(\"\", [sprintf(\"%900d\", [i]) | i = numbers.range(1, 4000)[_]]); x = [t | i = numbers.range(1, 100000)[_]; t = concat(\"\", [s, format_int(i, 10)])]; count(x) > 1",
            ), "limit-exceeded");
    policy_lists_that_are_kept => (rule("x = [numbers.range(i, 200000) | i = numbers.range(1, 5000)[_]]; count(x) > 1"), "limit-exceeded");
    policy_a_chain_of_rules => (chained(), "");
}

/// One takes all the time that there is for policies, which is said of those that have none left.
#[test]
fn policies_without_end() {
    let text = "package atmos\nerrors[m] { a = numbers.range(1, 3000); a[i] * a[j] * a[k] < 0; m = \"x\" }\n";
    let repo = validated("opa", text);
    let dev = std::fs::read_to_string(repo.root().join("stacks/deploy/dev.yaml")).unwrap();
    repo.write("stacks/deploy/prod.yaml", dev.replace("stage: dev", "stage: prod"));
    let words = ["limit-exceeded", "this policy is not evaluated: all schemas and policies together may take"];
    measured("loops in loops", &repo, &["check"]).assert_reported(&words);
}

/// A schema of so many levels, each of which names the next one three times.
fn levels(n: usize, inner: &str) -> String {
    let one = |i: usize| {
        let next = format!("{{\"$ref\": \"#/$defs/d{}\"}}", i + 1);
        format!("\"d{i}\": {{\"{inner}\": [{next}, {next}, {next}]}}, ")
    };
    let all: String = (0..n).map(one).collect();
    format!("{{\"$ref\": \"#/$defs/d0\", \"$defs\": {{{all}\"d{n}\": {{\"type\": \"string\"}}}}}}")
}

/// A schema of references, each to the next one.
fn references() -> String {
    let chain: String = (0..20_000).map(|i| format!("\"d{i}\": {{\"$ref\": \"#/$defs/d{}\"}}, ", i + 1)).collect();
    format!("{{\"$ref\": \"#/$defs/d0\", \"$defs\": {{{chain}\"d20000\": {{}}}}}}")
}

/// A schema ends within its limits.
fn schema_ends(name: &str, (text, words): (String, &str)) {
    measured(name, &validated("jsonschema", &text), &["check"]).assert_reported(&[words]);
}

cases! {
    schema_ends:
    schema_levels_of_triple_allof => (levels(14, "allOf"), "limit-exceeded");
    schema_levels_of_triple_anyof => (levels(40, "anyOf"), "limit-exceeded");
    schema_a_reference_to_itself => ("{\"$ref\": \"#\"}".to_owned(), "refers to itself");
    schema_references_in_a_circle => ("{\"$ref\": \"#/$defs/a\", \"$defs\": {\"a\": {\"anyOf\": [{\"$ref\": \"#/$defs/b\"}]}, \"b\": {\"$ref\": \"#/$defs/a\"}}}".to_owned(), "refers to itself");
    schema_a_chain_of_references => (references(), "limit-exceeded");
    schema_nested_brackets => (format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000)), "recursion limit");
}

/// A template ends within its limits.
fn template_ends(name: &str, (template, words): (&str, &str)) {
    let stack = format!("vars: {{stage: bad}}\ncomponents: {{terraform: {{b: {{vars: {{a: '{template}'}}}}}}}}\n");
    let repo = project(&[
        (
            "atmos.yaml",
            "stacks: {base_path: stacks, included_paths: ['deploy/**/*'], name_template: '{{ .vars.stage }}'}\n\
             templates: {settings: {enabled: true, sprig: {enabled: true}, gomplate: {enabled: true}}}\n",
        ),
        ("stacks/deploy/bad.yaml", stack.as_str()),
        ("stacks/deploy/other.yaml", "import: [gone-too]\nvars: {stage: other}\n"),
    ]);
    // Without optimization a fifth of the steps.
    let part = if cfg!(debug_assertions) { 5 } else { 1 };
    repo.write("stacklint.toml", format!("[limits]\ntemplate-steps = {}\n", 5_000_000 / part));
    measured(name, &repo, &["check"]).assert_reported(&[words]);
}

cases! {
    template_ends:
    template_sha512sum_in_a_loop => ("{{ $x := repeat 1000000 \"x\" }}{{ range until 100000 }}{{ $y := sha512sum $x }}{{ end }}", "too many steps");
    template_contains_on_megabytes => ("{{ $x := repeat 4000000 \"ab\" }}{{ range until 100000 }}{{ if contains \"ba!\" $x }}{{ end }}{{ end }}", "too many steps");
    template_texts_made_in_a_loop => ("{{ range until 100000 }}{{ $y := repeat 1000 \"x\" }}{{ end }}", "too many steps");
    template_uniq_of_lists_made_at_once => ("{{ len (uniq (chunk 1 (until 20000))) }}", "too many steps");
    template_json_paths_through_a_long_list => ("{{ $l := until 20000 }}{{ range until 100000 }}{{ $x := coll.JSONPath \"[?(@>1)]\" $l }}{{ end }}", "too many steps");
    template_uniq_of_numbers => ("{{ len (uniq (until 300000)) }}", "");
    template_uniq_of_lists => ("{{ $l := list }}{{ range $i := until 3000 }}{{ $l = append $l (list $i) }}{{ end }}{{ range until 100 }}{{ $x := uniq $l }}{{ end }}", "too many steps");
}

/// As long as a file may be, about.
const LONG: usize = 200_000;
/// Long enough to overflow a stack, for what reads them with the same parser.
const SHORTER: usize = 100_000;

/// An expression of a length, and what is wrong with it; nothing if it is well formed.
type Chain = fn(usize) -> (String, &'static str);

const ATTRIBUTES: Chain = |n| (format!("a{}", ".b".repeat(n)), "");
const INDEXES: Chain = |n| (format!("a{}", "[0]".repeat(n)), "");
const SPLATS: Chain = |n| (format!("a{}", "[*]".repeat(n)), "levels deep");
const COMPUTED_INDEXES: Chain = |n| (format!("a{}", "[b]".repeat(n)), "in a row");
const OPERATORS: Chain = |n| (format!("1{}", "+1".repeat(n)), "in a row");
const CONDITIONALS: Chain = |n| (format!("1{}", "?1:1".repeat(n)), "levels deep");
const NAMESPACES: Chain = |n| (format!("a{}()", "::b".repeat(n)), "");
const BRACKETS: Chain = |n| (format!("{}1{}", "[".repeat(n), "]".repeat(n)), "levels deep");
/// As high as a tree may be.
const HIGH: Chain = |_| (format!("{}{}1{}", "[".repeat(140), "1+".repeat(900), "]".repeat(140)), "");

/// Code with a long chain is read, or reported.
fn code_with(name: &str, chain: Chain) {
    let (expression, wrong) = chain(LONG);
    let repo = project(&[("stacks/deploy/other.yaml", "import: [gone-too]\nvars: {stage: other}\n")]);
    repo.write("components/terraform/box/main.tf", format!("variable \"size\" {{ default = {expression} }}\n"));
    let words = if wrong.is_empty() { vec![] } else { vec!["tofu-invalid-syntax", wrong] };
    measured(name, &repo, &["check"]).assert_reported(&words);
}

/// A root module with a long chain is read, or reported.
fn root_module_with(name: &str, chain: Chain) {
    let (expression, wrong) = chain(SHORTER);
    let repo = Repo::new();
    repo.write("live/main.tf", "terraform {\n  backend \"s3\" {\n    key = local.key\n  }\n}\n");
    repo.write("live/locals.tf", format!("locals {{\n  key = {expression}\n}}\n")).write("live/x.tofu", "");
    repo.write("other/main.tf", "terraform {\n  backend \"s3\" {\n    key = local.gone-too\n  }\n}\n");
    repo.commit("roots");
    let words = if wrong.is_empty() { vec![] } else { vec![wrong] };
    measured(name, &repo, &["check", "--dialect", "opentofu"]).assert_reported(&words);
}

/// An included file with a long chain is reported.
fn include_with(name: &str, chain: Chain) {
    let (expression, wrong) = chain(SHORTER);
    let repo = project(&[
        ("stacks/deploy/bad.yaml", "vars: {stage: bad, size: !include ../size.tfvars}\n"),
        ("stacks/deploy/other.yaml", "import: [gone-too]\nvars: {stage: other}\n"),
    ]);
    repo.write("stacks/size.tfvars", format!("size = {expression}\n"));
    let wrong = if wrong.is_empty() { "not allowed" } else { wrong };
    measured(name, &repo, &["check"]).assert_reported(&[wrong]);
}

cases! {
    code_with:
    code_with_attributes => ATTRIBUTES;
    code_with_indexes => INDEXES;
    code_with_splats => SPLATS;
    code_with_computed_indexes => COMPUTED_INDEXES;
    code_with_operators => OPERATORS;
    code_with_conditionals => CONDITIONALS;
    code_with_namespaces => NAMESPACES;
    code_with_brackets => BRACKETS;
}

cases! {
    root_module_with:
    root_module_with_attributes => ATTRIBUTES;
    root_module_with_indexes => INDEXES;
    root_module_with_splats => SPLATS;
    root_module_with_computed_indexes => COMPUTED_INDEXES;
    root_module_with_operators => OPERATORS;
    root_module_with_conditionals => CONDITIONALS;
    root_module_with_namespaces => NAMESPACES;
    root_module_with_brackets => BRACKETS;
    root_module_with_high => HIGH;
}

cases! {
    include_with:
    include_with_attributes => ATTRIBUTES;
    include_with_indexes => INDEXES;
    include_with_splats => SPLATS;
    include_with_computed_indexes => COMPUTED_INDEXES;
    include_with_operators => OPERATORS;
    include_with_conditionals => CONDITIONALS;
    include_with_namespaces => NAMESPACES;
    include_with_brackets => BRACKETS;
}

/// Ten levels of trees that each have the next one ten times.
#[test]
fn a_tree_bomb() {
    let repo = project(&[]);
    repo.write("x", "vars: {}\n");
    let mut id = repo.git(&["hash-object", "-w", "x"]).trim().to_owned();
    let mut kind = "100644 blob";
    for _ in 0..10 {
        let lines: String = (0..10).map(|i| format!("{kind} {id}\tf{i}.yaml\n")).collect();
        repo.write("lines", lines);
        let file = std::fs::File::open(repo.root().join("lines")).unwrap();
        let made = Command::new("git").arg("mktree").current_dir(repo.root()).stdin(file).output().unwrap();
        id = String::from_utf8(made.stdout).unwrap().trim().to_owned();
        kind = "040000 tree";
    }
    let commit = repo.git(&["commit-tree", "-p", "HEAD", "-m", "bomb", &id]);
    let run = measured("a tree of ten levels of ten", &repo, &["diff", &format!("HEAD..{}", commit.trim())]);
    assert_eq!(run.status, Some(2), "{}", run.said);
    assert!(run.said.contains("more than"), "{}", run.said);
}

/// Files of 300 MiB that are small in git, wherever something is read before a project is known, and in it.
#[test]
fn files_that_are_small_in_git() {
    let bomb = vec![b'\n'; 300 << 20];
    let paths = [".gitattributes", ".gitignore", ".gitmodules", "stacklint.toml", "stacks/deploy/bad.yaml"];
    for path in paths {
        let repo = project(&[]);
        std::fs::write(repo.root().join(path), &bomb).unwrap();
        repo.commit("bomb");
        std::fs::remove_file(repo.root().join(path)).unwrap();
        for arguments in [&["check", "--rev", "HEAD"][..], &["diff", "HEAD~1..HEAD"], &["ci", "--base", "HEAD~1"]] {
            let run = measured(&format!("{path}: {arguments:?}"), &repo, arguments);
            let is_read = matches!(path, "stacklint.toml" | "stacks/deploy/bad.yaml");
            assert!(
                !is_read || run.status != Some(0) && run.said.contains(path),
                "{path}: {arguments:?}: {}",
                run.said
            );
        }
    }
}

/// Two files of each of thirty levels, which import both of the next one: no walk over what they share takes each way.
#[test]
fn diamonds_of_imports() {
    let level =
        |i: usize| format!("import: [c/a{i}, c/b{i}]\nsettings: {{k{i}: '{{{{ .vars.stage }}}}', shared: {i}}}\n");
    let repo = project(&[]);
    for i in 0..30 {
        for side in ["a", "b"] {
            repo.write(
                &format!("stacks/c/{side}{i}.yaml"),
                if i < 29 { level(i + 1) } else { "vars: {x: 1}\n".into() },
            );
        }
    }
    let stack = |size: usize| {
        format!(
            "import: [c/a0, c/b0]\nvars: {{stage: bad}}\ncomponents: {{terraform: {{box: {{vars: {{size: {size}}}}}}}}}\n"
        )
    };
    repo.write("stacks/deploy/bad.yaml", stack(1)).commit("diamonds");
    repo.write("stacks/deploy/bad.yaml", stack(2)).write("stacks/c/a29.yaml", "vars: {x: 2}\n").commit("edit");
    for arguments in [
        &["check"][..],
        &["diff", "HEAD~1..HEAD"],
        &["ci", "--base", "HEAD~1"],
        &["merge", "HEAD~1", "HEAD"],
        &["describe", "stacks", "--format", "json"],
        &["describe", "component", "box", "-s", "bad"],
        &["why", "bad", "box", "vars.x"],
        &["impact", "stacks/c/a29.yaml"],
        &["graph", "imports"],
        &["compare", "dev", "bad"],
        &["refactor", "prune"],
    ] {
        measured(&format!("diamonds: {arguments:?}"), &repo, arguments);
    }
}

#[test]
fn settings_only_lower_limits() {
    let repo = Repo::new();
    let chain: String = (1..80).map(|i| format!("    k{i}: {{metadata: {{inherits: [k{}]}}}}\n", i - 1)).collect();
    repo.write("atmos.yaml", ATMOS).write("stacklint.toml", "[limits]\ninheritance-depth = 100\n");
    let text = format!("vars: {{stage: dev}}\ncomponents:\n  terraform:\n    k0: {{vars: {{a: 1}}}}\n{chain}");
    repo.write("stacks/deploy/dev.yaml", text);
    repo.run(&["check"]).ends_with(1).says("limit-exceeded").says("--raise-limits");
    repo.run(&["check", "--raise-limits"]).ends_with(0);
}

/// A Garden project ends within its limits.
fn garden_ends(name: &str, (rest, finding): (String, &str)) {
    const PROJECT: &str = "apiVersion: garden.io/v2\nkind: Project\nname: shop\nenvironments: [{name: dev}]\n";
    let repo = Repo::new();
    repo.write("project.garden.yml", format!("{PROJECT}{rest}")).commit("hostile");
    let run = measured(name, &repo, &["check", "--format", "concise"]);
    assert_eq!(run.status, Some(1), "{name}: {}", run.said);
    assert!(run.said.contains(finding), "{name}: {}", run.said);
}

/// A Garden action with this command.
fn garden_run(command: &str) -> String {
    format!("---\nkind: Run\nname: x\ntype: exec\nspec: {{command: {command}}}\n")
}

fn garden_matrix() -> String {
    let keys: String = (0..8).map(|i| format!("  m{i}: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]\n")).collect();
    format!(
        "---\nkind: ConfigTemplate\nname: t\nconfigs: [{{kind: Run, type: exec, name: x}}]\n---\n\
         kind: RenderTemplate\nname: r\ntemplate: t\nmatrix:\n{keys}"
    )
}

/// Many actions in each of many environments.
#[test]
fn garden_environments_with_many_actions() {
    let environments: Vec<String> = (0..1_000).map(|i| format!("{{name: e{i}}}")).collect();
    let actions: String =
        (0..1_000).map(|i| format!("---\nkind: Run\nname: a{i}\ntype: exec\nspec: {{command: [a]}}\n")).collect();
    let project = format!("kind: Project\nname: shop\nenvironments: [{}]\n", environments.join(", "));
    let repo = Repo::new();
    repo.write("project.garden.yml", format!("apiVersion: garden.io/v2\n{project}{actions}")).commit("hostile");
    let run = measured("1,000 environments with 1,000 actions", &repo, &["check", "--format", "concise"]);
    assert_eq!(run.status, Some(1), "{}", run.said);
    assert!(run.said.contains("those from `e104` on are not resolved"), "{}", run.said);
}

/// Many actions of each of many.
fn garden_multiplied() -> String {
    let configs: String = (0..200)
        .map(|i| format!("- {{kind: Run, type: exec, name: 'a${{inputs.n}}-{i}', spec: {{command: [a]}}}}\n"))
        .collect();
    let renders: String =
        (0..200).map(|i| format!("---\nkind: RenderTemplate\nname: r{i}\ntemplate: t\ninputs: {{n: {i}}}\n")).collect();
    format!("---\nkind: ConfigTemplate\nname: t\nconfigs:\n{configs}{renders}")
}

fn garden_doubled() -> String {
    let doubled: String = (0..40).map(|i| format!("  v{i}: '${{var.v{n}}}${{var.v{n}}}'\n", n = i + 1)).collect();
    format!("variables:\n{doubled}  v40: x\n{}", garden_run("['${var.v0}']"))
}

fn garden_nested() -> String {
    let nested = format!("{}a{}", "${(".repeat(5_000), ")}".repeat(5_000));
    format!("variables: {{v0: \"{nested}\"}}\n{}", garden_run("['${var.v0}']"))
}

cases! {
    garden_ends:
    garden_loops_over_ranges => (garden_run("{$forEach: '${range(1, 1000000)}', $return: {$forEach: '${range(1, 1000000)}', $return: '${item.value}'}}"), "limit-exceeded");
    garden_a_matrix_that_explodes => (garden_matrix(), "limit-exceeded");
    garden_actions_that_multiply => (garden_multiplied(), "templates render more than 20000 configs");
    garden_variables_that_double => (garden_doubled(), "limit-exceeded");
    garden_variables_that_need_each_other => ("variables: {a: '${var.b}', b: '${var.a}'}\n".to_owned(), "cycle");
    garden_nested_templates => (garden_nested(), "template-error");
}
