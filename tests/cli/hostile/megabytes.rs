//! A megabyte of input costs no more than seconds, whatever it holds. Each run ends within the time of a processor that every test
//! has, see [`crate::common::MOST_PROCESSOR_SECONDS`]; with work that grows with the square, these inputs take longer.

use crate::common::{Repo, Run};

/// A command over a repository whose last commit adds these files.
#[track_caller]
fn ends(base: &[(&str, &str)], head: &[(&str, &str)], arguments: &[&str]) -> Run {
    let repo = Repo::new();
    for files in [base, head] {
        for (path, text) in files {
            repo.write(path, text);
        }
        repo.commit("next");
    }
    repo.run(arguments)
}

const DIFF: &[&str] = &["diff", "HEAD~1..HEAD", "--expect", "none"];

/// A configuration of jitsubst whose module `n` has this text.
fn infra(text: &str) -> String {
    format!(
        "modules:\n  - {{name: m, type: infra.vpc, config: {{a: b}}}}\n  \
         - {{name: n, type: infra.vpc, config: {{env_vars: {{a: '{text}'}}}}}}\n"
    )
}

#[test]
fn equal_references_in_one_text() {
    let text = infra(&"${m.id}".repeat(30_000));
    ends(&[("infra.yaml", &infra("x"))], &[("infra.yaml", &text)], DIFF).ends_with(3);
}

#[test]
fn different_references_in_one_text() {
    let all: String = (0..20_000).map(|i| format!("${{A{i}}}${{m.f{i}}}")).collect();
    ends(&[("infra.yaml", &infra("x"))], &[("infra.yaml", &infra(&all))], DIFF).ends_with(3);
}

#[test]
fn references_that_are_never_closed() {
    let text = infra(&"${".repeat(200_000)).replace("env_vars", "other");
    ends(&[("infra.yaml", &infra("x"))], &[("infra.yaml", &text)], &["check"]).ends_with(0);
}

#[test]
fn environments_with_many_modules() {
    let modules: String =
        (0..300).map(|i| format!("  - {{name: m{i}, type: infra.vpc, config: {{env_vars: {{a: b}}}}}}\n")).collect();
    let environments: String = (0..300).map(|i| format!("  e{i}: {{region: r{i}}}\n")).collect();
    let text = format!("modules:\n{modules}environments:\n{environments}");
    let run = ends(&[("infra.yaml", &infra("x"))], &[("infra.yaml", &text)], &["check"]).ends_with(1);
    run.says("limit-exceeded").says("are not resolved");
}

fn resources(count: usize, value: &str) -> String {
    (0..count).map(|i| format!("resource \"x_y\" \"r{i}\" {{\n  a = \"{value}{i}\"\n}}\n")).collect()
}

#[test]
fn resources_that_all_change() {
    let (base, head) = (resources(3_000, "a"), resources(3_000, "b"));
    let run = ends(&[("main.tf", &base)], &[("main.tf", &head)], DIFF).ends_with(3);
    run.says("3000");
}

#[test]
fn resources_that_read_each_other() {
    let chain: String =
        (1..2_100).map(|i| format!("resource \"x_y\" \"r{i}\" {{\n  v = x_y.r{}.v\n}}\n", i - 1)).collect();
    let first =
        |value: &str| format!("resource \"x_y\" \"r0\" {{\n  v = x_y.{value}.id\n}}\n{chain}{}", resources(2, "a"));
    let (base, head) = (first("a"), first("b"));
    ends(&[("main.tf", &base)], &[("main.tf", &head)], DIFF).ends_with(1);
}

#[test]
fn resources_that_are_made_of_one_another() {
    let chain: String =
        (1..14_500).map(|i| format!("resource \"x_y\" \"r{i}\" {{\n  v = x_y.r{}.v\n}}\n", i - 1)).collect();
    let all = |value: usize| format!("resource \"x_y\" \"r0\" {{\n  v = {value}\n}}\n{chain}");
    let run = ends(&[("main.tf", &all(1))], &[("main.tf", &all(2))], &["diff", "HEAD~1..HEAD"]).ends_with(0);
    run.says("14500 resources").says("main.tf:2");
}

#[test]
fn instances_that_read_all_instances() {
    let text = |separator: &str| {
        format!(
            "resource \"aws_y\" \"y\" {{\n}}\nresource \"aws_x\" \"a\" {{\n  count = 2200\n  \
             name  = \"${{count.index}}{separator}${{aws_y.y.id}}\"\n}}\nresource \"aws_x\" \"b\" {{\n  count = 2200\n  \
             name  = \"${{count.index}}-${{join(\",\", aws_x.a[*].name)}}\"\n  \
             other = [for x in aws_x.a : x.name if count.index > 5]\n  third = aws_x.a[count.index].name\n}}\n"
        )
    };
    let run = ends(&[("main.tf", &text("-"))], &[("main.tf", &text("+"))], DIFF).ends_with(1);
    run.says("4400 resources");
}

#[test]
fn units_of_a_stack_with_values() {
    let units: String = (0..1_500)
        .map(|i| {
            format!("unit \"u{i}\" {{\n  source = \"../app\"\n  path   = \"u{i}\"\n  values = {{ a = {i} }}\n}}\n")
        })
        .collect();
    let base = [("app/terragrunt.hcl", "terraform {\n  source = \".\"\n}\n"), ("app/main.tf", "variable \"a\" {}\n")];
    ends(&base, &[("live/terragrunt.stack.hcl", &units)], DIFF).ends_with(3);
}

#[test]
fn locals_that_are_made_of_one_another() {
    let chain: String = (0..6_000).map(|i| format!("  a{} = local.a{i}\n", i + 1)).collect();
    let text = format!("locals {{\n  a0 = 1\n{chain}}}\ninputs = {{ a = local.a6000 }}\n");
    ends(&[("u/terragrunt.hcl", "inputs = {}\n")], &[("u/terragrunt.hcl", &text)], DIFF).ends_with(3);
}

#[test]
fn components_with_another_name() {
    let all = |name: &str| {
        let components: String = (0..3_000).map(|i| format!("    {name}{i}: {{vars: {{a: {i}}}}}\n")).collect();
        format!("vars: {{stage: bad}}\ncomponents:\n  terraform:\n{components}")
    };
    let (base, head) = (all("c"), all("d"));
    let base = [("atmos.yaml", crate::common::ATMOS), ("stacks/deploy/bad.yaml", &*base)];
    ends(&base, &[("stacks/deploy/bad.yaml", &head)], DIFF).ends_with(3);
}

#[test]
fn units_that_include_a_file_with_many_inputs() {
    let repo = Repo::new();
    let inputs: String = (0..5_000).map(|i| format!("  a{i} = {i}\n")).collect();
    repo.write("root.hcl", format!("inputs = {{\n{inputs}}}\n"));
    for number in 0..600 {
        repo.write(&format!("u{number}/terragrunt.hcl"), "include \"r\" {\n  path = \"../root.hcl\"\n}\n");
    }
    repo.commit("base");
    repo.run(&["check"]).ends_with(0);
}

#[test]
fn dependencies_that_are_not_there() {
    let paths: String = (0..60_000).map(|i| format!("\"../d{i}\",\n")).collect();
    let text = format!("dependencies {{\n  paths = [\n{paths}]\n}}\n");
    ends(&[("u/terragrunt.hcl", "inputs = {}\n")], &[("u/terragrunt.hcl", &text)], &["check"]).ends_with(1);
}

#[test]
fn jobs_that_an_edit_of_one_file_leads_to() {
    let project = |environments: usize| {
        let all: String = (0..environments).map(|i| format!("  - name: e{i}\n")).collect();
        format!("apiVersion: garden.io/v1\nkind: Project\nname: p\nenvironments:\n{all}providers: [{{name: exec}}]\n")
    };
    let actions = |count: usize| -> String {
        (0..count).map(|i| format!("---\nkind: Build\ntype: exec\nname: b{i}\n")).collect()
    };
    let base = [("project.garden.yml", &*project(1)), ("garden.yml", &actions(1))];
    let head = [("project.garden.yml", &*project(10_000)), ("garden.yml", &actions(5_000))];
    ends(&base, &head, &["ci", "--base", "HEAD~1"]).ends_with(1).says("limit-exceeded");
}

#[test]
fn a_merge_of_components_with_many_values() {
    let values: String = (0..8_000).map(|i| format!("  k{i}: {i}\n")).collect();
    let components: String = (0..4_000).map(|i| format!("    c{i}: {{}}\n")).collect();
    let text = format!("vars:\n  stage: bad\n{values}components:\n  terraform:\n{components}");
    let base = [("atmos.yaml", crate::common::ATMOS), ("stacks/deploy/dev.yaml", super::DEV)];
    ends(&base, &[("stacks/deploy/bad.yaml", &text)], &["merge", "HEAD~1", "HEAD"]).ends_with(0);
}

#[test]
fn what_depends_on_a_file_whose_values_many_components_share() {
    let values: String = (0..8_000).map(|i| format!("    k{i}: {i}\n")).collect();
    let components: String = (0..4_000).map(|i| format!("    c{i}: {{}}\n")).collect();
    let text = format!("vars: {{stage: bad}}\noverrides:\n  vars:\n{values}components:\n  terraform:\n{components}");
    let base = [("atmos.yaml", crate::common::ATMOS), ("stacks/deploy/dev.yaml", super::DEV)];
    let path = "stacks/deploy/bad.yaml";
    ends(&base, &[(path, &text)], &["impact", path]).ends_with(0).says("4000 components");
}

#[test]
fn arguments_that_are_missing_everywhere() {
    let variables: String = (0..4_000).map(|i| format!("variable \"v{i}\" {{}}\n")).collect();
    let calls: String = (0..900).map(|i| format!("module \"m{i}\" {{\n  source = \"./m\"\n}}\n")).collect();
    let base = [("main.tf", "variable \"a\" {}\n"), ("stacklint.toml", "[limits]\nmemory = 800\n")];
    let run = ends(&base, &[("m/main.tf", &variables), ("main.tf", &calls)], &["check"]).ends_with(1);
    run.says("limit-exceeded").says("declare more than 170000 names together");
    let few = calls.lines().take(3 * 40).map(|line| format!("{line}\n")).collect::<String>();
    ends(&base, &[("m/main.tf", &variables), ("main.tf", &few)], &["check"]).ends_with(1).says("50 errors");
}

#[test]
fn units_that_may_read_any_file() {
    let repo = Repo::new();
    let unit = "terraform {\n  source = \"../../m\"\n  extra_arguments \"v\" {\n    commands           = [\"plan\"]\n    \
                required_var_files = [get_env(\"V\")]\n  }\n}\ninputs = {\n  x = file(get_env(\"D\"))\n}\n";
    for number in 0..1_500 {
        repo.write(&format!("live/u{number}/terragrunt.hcl"), unit).write(&format!("live/u{number}/a.txt"), "1\n");
    }
    repo.write("m/main.tf", "variable \"x\" {}\n").write("a.txt", "1\n").commit("base");
    repo.write("a.txt", "2\n").commit("head");
    let run = repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(0);
    run.says("some file of the repository").hides("No effective change");
}

#[test]
fn patterns_of_stacks_that_match_nothing() {
    let patterns: String = (0..40_000).map(|i| format!("'deploy/{i}/**/*',")).collect();
    let config = crate::common::ATMOS.replace("'deploy/**/*'", &format!("{patterns}'deploy/**/*'"));
    assert!(config.contains("39999"), "{}", crate::common::ATMOS);
    let base = [("atmos.yaml", crate::common::ATMOS), ("stacks/deploy/dev.yaml", super::DEV)];
    ends(&base, &[("atmos.yaml", &config)], &["ci", "--base", "HEAD~1"]).ends_with(0);
}

#[test]
fn what_depends_on_a_list_that_many_components_share() {
    let components: String = (0..2_000).map(|i| format!("    c{i}: {{metadata: {{inherits: [base]}}}}\n")).collect();
    let list = "1,".repeat(100_000);
    let text = format!(
        "vars: {{stage: bad}}\ncomponents:\n  terraform:\n    base: {{metadata: {{type: abstract}}, vars: {{a: [{list}]}}}}\n{components}"
    );
    let base = [("atmos.yaml", crate::common::ATMOS), ("stacks/deploy/dev.yaml", super::DEV)];
    let path = "stacks/deploy/bad.yaml";
    ends(&base, &[(path, &text)], &["impact", path]).ends_with(0).says("2001 components");
}

#[test]
fn imports_that_each_add_a_secret() {
    let imports: String = (0..4_000).map(|i| format!("  - i{i}.yaml\n")).collect();
    let main = format!("imports:\n{imports}{}", infra("x"));
    let file = |i: usize| {
        let secret = format!("secrets: {{generate: [{{key: K{i}}}]}}\n");
        (format!("i{i}.yaml"), format!("{secret}modules: [{{name: n{i}, type: infra.vpc, config: {{}}}}]\n"))
    };
    let files: Vec<(String, String)> = (0..4_000).map(file).collect();
    let files = files.iter().map(|(path, text)| (path.as_str(), text.as_str()));
    let base = [("infra.yaml", &*infra("x")), ("stacklint.toml", "[limits]\nmemory = 800\n")];
    let head: Vec<_> = files.chain([("infra.yaml", &*main)]).collect();
    ends(&base, &head, &["merge", "HEAD~1", "HEAD"]).ends_with(0);
}

#[test]
fn secrets_that_nothing_uses() {
    let secrets: String = (0..40_000).map(|i| format!("    - {{key: K-{i}}}\n")).collect();
    let text = format!("{}secrets:\n  generate:\n{secrets}", infra("${K-39999}"));
    let run =
        ends(&[("infra.yaml", &infra("x"))], &[("infra.yaml", &text)], &["check", "--pedantic", "--format", "json"]);
    run.says("the secret `K-39998` is never used").hides("the secret `K-39999` is never used");
}

#[test]
fn a_map_that_grows() {
    let first: String = (0..15_000).map(|i| format!("    k{i} = {i}\n")).collect();
    let more: String = (0..8_000).map(|i| format!("  m{} = merge(local.m{i}, {{ x{i} = 1 }})\n", i + 1)).collect();
    let text = format!("locals {{\n  m0 = {{\n{first}  }}\n{more}}}\noutput \"x\" {{\n  value = local.m8000\n}}\n");
    let base = [("main.tf", "variable \"a\" {}\n"), ("stacklint.toml", "[limits]\nmemory = 1000\n")];
    ends(&base, &[("main.tf", &text)], &["check"]).ends_with(1).says("need more steps than allowed");
}

#[test]
fn units_that_have_more_values_than_all_may_have() {
    let repo = Repo::new();
    let (ones, lists) = ("1,".repeat(1_000), "local.a,".repeat(90));
    let text = format!("locals {{\n  a = [{ones}]\n}}\ninputs = {{\n  b = [{lists}]\n}}\n");
    for number in 0..66 {
        repo.write(&format!("live/u{number:02}/terragrunt.hcl"), if number < 60 { &*text } else { "inputs = {}\n" });
    }
    repo.commit("units");
    let run = repo.run(&["check"]).ends_with(1).says("those from `live/u64` on are not resolved");
    run.says("limit-exceeded").says("2 files do not resolve").says("live/u65/terragrunt.hcl");
}

/// The overrides of the settings are compared with a path once for each rule, not for each finding.
#[test]
fn findings_of_a_file_for_which_many_overrides_may_be() {
    let overrides: String = (0..4_000)
        .map(|i| {
            format!("[[overrides]]\npaths = ['**/x{i}*/**']\nreason = 'x'\nrules = {{ambiguous-scalar = 'off'}}\n")
        })
        .collect();
    let values: String = (0..8_000).map(|i| format!("        a{i}: 12e5\n")).collect();
    let stack = format!("vars: {{stage: dev}}\ncomponents:\n  terraform:\n    box:\n      vars:\n{values}");
    let settings = format!("[rules]\nambiguous-scalar = 'warning'\n{overrides}");
    let files =
        [("stacklint.toml", &*settings), ("atmos.yaml", crate::common::ATMOS), ("stacks/deploy/dev.yaml", &stack)];
    ends(&[], &files, &["check", "--format", "json"]).says("ambiguous-scalar");
}

#[test]
fn undeclared_names_on_lines_of_their_own() {
    let names: String = (0..20_000).map(|i| format!("    var.gone{i},\n")).collect();
    let text = format!("terraform {{\n  backend \"s3\" {{}}\n}}\noutput \"x\" {{\n  value = [\n{names}  ]\n}}\n");
    ends(&[], &[("main.tf", &text)], &["check"]).ends_with(1).says("gone1");
}

#[test]
fn templates_of_one_file() {
    let values: String = (0..6_000).map(|i| format!("        a{i}: '{{{{ .vars.stage }}}}-{i}'\n")).collect();
    let stack = format!("vars: {{stage: dev}}\ncomponents:\n  terraform:\n    box:\n      vars:\n{values}");
    let files = [("atmos.yaml", crate::common::ATMOS), ("stacks/deploy/dev.yaml", &stack)];
    ends(&[], &files, &["check"]).ends_with(0);
}

/// Each finding of such a line has an excerpt.
#[test]
fn imports_of_one_list_that_are_not_there() {
    let catalog: Vec<String> = (0..1_500).map(|i| format!("stacks/catalog/some-name-of-a-file-{i:05}.yaml")).collect();
    let imports: String = (0..4_000).map(|i| format!("- catalog/some-name-of-a-yyy-{i:05}\n")).collect();
    let stack = format!("import:\n{imports}vars: {{stage: dev}}\ncomponents: {{terraform: {{box: {{}}}}}}\n");
    let mut files = vec![("atmos.yaml", crate::common::ATMOS), ("stacks/deploy/dev.yaml", &*stack)];
    files.extend(catalog.iter().map(|path| (&**path, "vars: {}\n")));
    ends(&[], &files, &["check"]).ends_with(1).says("unresolved-import");
}

/// The same for findings about references: their excerpts are of one long line.
#[test]
fn references_with_findings_in_one_line() {
    let text = infra(&(0..3_000).map(|i| format!("${{ gone{i}.id }}")).collect::<String>());
    ends(&[("infra.yaml", &infra("x"))], &[("infra.yaml", &text)], &["check", "--all"]).says("jit-whitespace-in-ref");
}

/// Manifests that no stack reaches are examined, too: what they import is processed once for all of them.
#[test]
fn manifests_that_nobody_reaches_and_that_import_the_same() {
    let repo = Repo::new();
    let config = "stacks: {base_path: stacks, included_paths: ['deploy/**/*'], name_pattern: '{stage}'}\n";
    let stack = "vars: {stage: dev}\ncomponents: {terraform: {box: {}}}\n";
    repo.write("atmos.yaml", config).write("stacks/deploy/dev.yaml", stack);
    for level in 0..60 {
        let import = if level < 59 { format!("import: [c/{0}a, c/{0}b]\n", level + 1) } else { String::new() };
        for half in ["a", "b"] {
            repo.write(&format!("stacks/c/{level}{half}.yaml"), format!("{import}vars: {{x: {level}}}\n"));
        }
    }
    (0..6_000).for_each(|i| _ = repo.write(&format!("stacks/unused/{i}.yaml"), "import: [c/0a, c/0b]\n"));
    repo.commit("unused");
    repo.run(&["check", "--format", "json"]).ends_with(0);
}

#[test]
fn outputs_that_are_missing_in_one_expression() {
    let all = "module.m.gone, ".repeat(60_000);
    let root = format!(
        "terraform {{\n  backend \"s3\" {{}}\n}}\nmodule \"m\" {{\n  source = \"./m\"\n}}\nlocals {{\n  x = [{all}]\n}}\n"
    );
    let module = ("m/main.tf", "output \"o\" {\n  value = 1\n}\n");
    ends(&[module], &[module, ("main.tf", &root)], &["check"]).ends_with(1).says("gone");
}

#[test]
fn names_are_searched_in_long_paths() {
    let wide: String = (0..40_000).map(|i| format!("a{i}: {{}}, ")).collect();
    let deep = (0..200).fold(format!("{{{wide}}}"), |inner, _| format!("{{{}: {inner}}}", "k".repeat(900)));
    let stack =
        |more: &str| format!("vars: {{stage: dev}}\ncomponents: {{terraform: {{b: {{vars: {{y: 1}}{more}}}}}}}\n");
    let repo = Repo::new();
    repo.write("atmos.yaml", crate::common::ATMOS).write("stacks/deploy/dev.yaml", stack("")).commit("base");
    repo.write("stacks/deploy/dev.yaml", stack(&format!(", providers: {{p: {deep}}}"))).commit("long paths");
    repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(0).says("1 change reaches 1 component");
}
