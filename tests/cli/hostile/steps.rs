//! What counts for the steps of a run besides the work of templates and expressions.

use super::project;
use crate::common::Repo;

/// Whatever they are made of: a file that many others import, a module that many root modules call.
#[test]
fn components_count_for_the_run() {
    let components: String = (0..20).map(|i| format!("    c{i}: {{}}\n")).collect();
    let resources: String = (0..20).map(|i| format!("resource \"a_b\" \"r{i}\" {{}}\n")).collect();
    let root = "terraform {\n  backend \"s3\" {}\n}\nmodule \"m\" {\n  source = \"../m\"\n}\n";
    let write = |system: usize, repo: &Repo, i: usize| match system {
        0 => {
            let text = format!("import: [catalog/all]\nvars: {{stage: s{i}}}\n");
            repo.write(&format!("stacks/deploy/s{i}.yaml"), text);
        }
        1 => _ = repo.write(&format!("r{i}/main.tf"), root),
        _ => _ = repo.write(&format!("u{i}/terragrunt.hcl"), "terraform {\n  source = \"../m\"\n}\n"),
    };
    for system in 0..3 {
        let repo = match system {
            0 => project(&[("stacks/catalog/all.yaml", &format!("components:\n  terraform:\n{components}"))]),
            _ => Repo::new(),
        };
        repo.write("stacklint.toml", "[limits]\nrun-steps = 100000\n");
        repo.write("m/main.tf", if system == 0 { "" } else { &resources });
        (0..2).for_each(|i| write(system, &repo, i));
        repo.commit("few");
        repo.run(&["check"]).ends_with(0);
        (2..6).for_each(|i| write(system, &repo, i));
        repo.commit("many");
        repo.run(&["check"]).ends_with(2).complains("run-steps");
    }
}

#[test]
fn what_is_parsed_and_ignored_counts_for_the_run() {
    let check = |files: &[(&str, &str)]| {
        let repo = Repo::new();
        files.iter().for_each(|(path, text)| _ = repo.write(path, *text));
        repo.write("stacklint.toml", "[limits]\nrun-steps = 20000\n").commit("limits");
        repo.run(&["check"])
    };
    // A comment has no values.
    let unit = |length: usize| {
        let unit = "inputs = {\n  a = yamldecode(file(\"x.yaml\"))\n}\n";
        check(&[("terragrunt.hcl", unit), ("x.yaml", &format!("a: 1 #{}\n", "x".repeat(length)))])
    };
    unit(1_000).ends_with(0);
    unit(10_000).ends_with(2).complains("run-steps");
    let ignoring = |patterns: usize| {
        let project = "apiVersion: garden.io/v2\nkind: Project\nname: p\nenvironments: [{name: dev}]\nproviders: [{name: exec}]\n";
        let action = "kind: Run\ntype: exec\nname: a\nspec: {command: [a]}\n";
        let ignored: String = (0..patterns).map(|i| format!("x{i}\n")).collect();
        check(&[("project.garden.yml", project), ("garden.yml", action), (".gardenignore", &ignored)])
    };
    ignoring(10).ends_with(0);
    ignoring(5_000).ends_with(2).complains("run-steps");
}

/// What violates a policy is kept until all of it is reported.
#[test]
fn violations_of_policies_count() {
    let components: String = (0..300).map(|i| format!("    c{i}: {{}}\n")).collect();
    let repo = project(&[(
        "stacks/deploy/bad.yaml",
        &format!("vars: {{stage: bad}}\ncomponents:\n  terraform:\n{components}"),
    )]);
    let check = |that: &str| {
        let policy = format!("[[require]]\nid = 'p'\nthat = '{that}'\nmessage = 'm'\n");
        repo.write("stacklint.toml", format!("[limits]\npolicy-steps = 100000\n{policy}")).commit("limits");
        repo.run(&["check", "--format", "json"])
    };
    check("true").ends_with(0);
    check("false").ends_with(1).says("limit-exceeded").says("policy-steps");
}

/// Where the code of many components makes something else, all of it is kept until it is reported.
#[test]
fn what_code_makes_counts_for_the_run() {
    let components: String =
        (0..10).map(|i| format!("    c{i}: {{metadata: {{component: box}}, vars: {{size: {i}}}}}\n")).collect();
    let stack = format!("vars: {{stage: bad}}\ncomponents:\n  terraform:\n{components}");
    let code = |argument: &str| {
        let resources: String =
            (0..40).map(|i| format!("resource \"a_b\" \"r{i}\" {{\n  a = \"{argument}${{var.size}}\"\n}}\n")).collect();
        format!("variable \"size\" {{}}\n{resources}")
    };
    let repo = project(&[("stacks/deploy/bad.yaml", &stack), ("components/terraform/box/main.tf", &code("x"))]);
    repo.write("stacklint.toml", "[limits]\nrun-steps = 650000\n").commit("limits");
    repo.write("components/terraform/box/main.tf", code("y")).commit("other");
    let diff = repo.run(&["diff", "HEAD~1..HEAD", "--format", "json"]);
    diff.ends_with(2).complains("run-steps");
}

/// Whether a file is a part of some code is asked for each file that differs and each root module.
#[test]
fn files_that_differ_count_for_each_code() {
    let repo = Repo::new();
    repo.write("stacklint.toml", "[limits]\nrun-steps = 300000\n");
    for i in 0..50 {
        repo.write(&format!("r{i}/main.tf"), "terraform {\n  backend \"s3\" {}\n}\noutput \"x\" {\n  value = 1\n}\n");
    }
    let diff = |count: usize, text: &str| {
        (0..count).for_each(|i| _ = repo.write(&format!("data/x{i}.bin"), text));
        repo.commit("next");
        repo.run(&["diff", "HEAD~1..HEAD", "--format", "json"])
    };
    repo.commit("base");
    diff(10, "1").ends_with(0);
    diff(2_000, "2").ends_with(2).complains("run-steps");
}

/// The reason for which a file cannot be resolved is looked for once, and not for each of its components.
#[test]
fn components_that_are_broken_in_one_file() {
    let components: String = (0..3).map(|i| format!("    c{i}: {{metadata: {{inherits: [gone{i}]}}}}\n")).collect();
    let repo = project(&[(
        "stacks/deploy/bad.yaml",
        &format!("vars: {{stage: bad}}\ncomponents:\n  terraform:\n{components}"),
    )]);
    let coverage = repo.run(&["check", "--format", "json"]).ends_with(1).json()["coverage"].to_string();
    for i in 0..3 {
        assert!(coverage.contains(&format!("\"c{i}\"")), "{coverage}");
    }
    assert_eq!(coverage.matches("gone0").count(), 3, "{coverage}");
}

/// Whether an import may find a file that is added is asked for each pattern and each such file.
#[test]
fn patterns_count_for_each_file_that_is_added() {
    let repo = project(&[]);
    repo.write("stacklint.toml", "[limits]\nrun-steps = 200000\n");
    for i in 0..60 {
        repo.write(&format!("stacks/catalog/x{i}.yaml"), "vars: {a: 1}\n");
        let manifest =
            format!("import: ['catalog/x{i}.y*']\n{}", super::DEV.replace("stage: dev", &format!("stage: s{i}")));
        repo.write(&format!("stacks/deploy/s{i}.yaml"), manifest);
    }
    repo.commit("base");
    let diff = |count: usize| {
        (0..count).for_each(|i| _ = repo.write(&format!("data/{count}/x{i}.bin"), "x"));
        repo.commit("next");
        repo.run(&["diff", "HEAD~1..HEAD", "--format", "json"])
    };
    diff(10).ends_with(0);
    diff(1_000).ends_with(2).complains("run-steps");
}

/// A file that is searched in all folders above a unit is a question for each of them.
#[test]
fn questions_about_paths_count_for_the_run() {
    let check = |levels: usize| {
        let repo = Repo::new();
        repo.write("stacklint.toml", "[limits]\nrun-steps = 100000\n");
        let searches: String =
            (0..100).map(|i| format!("  n{i} = find_in_parent_folders(\"n{i}.hcl\", \"\")\n")).collect();
        let unit = format!("locals {{\n{searches}}}\ninputs = {{ a = local.n1 }}\n");
        repo.write(&format!("{}terragrunt.hcl", "a/".repeat(levels)), unit).commit("unit");
        repo.run(&["check"])
    };
    check(10).ends_with(0);
    check(100).ends_with(2).complains("run-steps");
}

/// What a module declares is looked up for each unit that runs it, and kept once.
#[test]
fn names_of_modules_count_for_the_run() {
    let check = |units: usize, modules: usize| {
        let repo = Repo::new();
        repo.write("stacklint.toml", "[limits]\nrun-steps = 200000\n");
        let variables: String = (0..400).map(|i| format!("variable \"v{i}\" {{\n  default = 1\n}}\n")).collect();
        (0..modules).for_each(|i| _ = repo.write(&format!("m{i}/main.tf"), &*variables));
        for i in 0..units {
            let unit = format!("terraform {{\n  source = \"../m{}\"\n}}\n", i % modules);
            repo.write(&format!("u{i}/terragrunt.hcl"), unit);
        }
        repo.commit("units");
        repo.run(&["check"])
    };
    check(5, 1).ends_with(0);
    check(50, 1).ends_with(2).complains("run-steps");
    check(10, 10).ends_with(2).complains("run-steps");
}

/// A finding is kept as long as what it is about.
#[test]
fn findings_count_for_the_run() {
    let check = |unit: bool, mistakes: usize| {
        let repo = Repo::new();
        repo.write("stacklint.toml", "[limits]\nrun-steps = 150000\n");
        let text: String = (0..mistakes).map(|i| format!("  a{i} = local.x{i}\n")).collect();
        if unit {
            repo.write("u/terragrunt.hcl", format!("inputs = {{\n{text}}}\n"));
        } else {
            let vars = text.replace("  a", "      a").replace(" = local", ": !env local");
            repo.write(
                "atmos.yaml",
                "stacks: {base_path: stacks, included_paths: ['**/*'], name_pattern: '{stage}'}\n",
            );
            let stack =
                format!("vars: {{stage: bad}}\ncomponents:\n  terraform:\n    c:\n{}", vars.replace("!env", "!what"));
            repo.write("stacks/bad.yaml", stack);
        }
        repo.commit("mistakes");
        repo.run(&["check"])
    };
    check(true, 10).ends_with(1);
    check(true, 300).ends_with(2).complains("run-steps");
    check(false, 10).ends_with(1);
    check(false, 300).ends_with(2).complains("run-steps");
}

/// Each value that a merge puts together with others counts, and what it has in its history where that is made anew.
#[test]
fn merges_count_for_the_run() {
    let check = |keys: usize, depth: usize, stacks: usize| {
        let vars = |text: &str| (0..keys).map(|k| format!("  k{k}: {text}\n")).collect::<String>();
        let repo = project(&[("stacks/catalog/low.yaml", &format!("vars:\n{}", vars("low")))]);
        for i in 0..depth {
            let import = if i + 1 < depth { format!("import: [catalog/d{}]\n", i + 1) } else { String::new() };
            repo.write(&format!("stacks/catalog/d{i}.yaml"), format!("{import}vars:\n{}", vars(&i.to_string())));
        }
        for i in 0..stacks {
            repo.write(&format!("stacks/catalog/own{i}.yaml"), format!("vars: {{k0: {i}}}\n"));
            let imports = format!("import: [catalog/low, catalog/own{i}, catalog/d0]\n");
            repo.write(&format!("stacks/deploy/s{i}.yaml"), format!("{imports}vars: {{stage: s{i}}}\n"));
        }
        repo.write("stacklint.toml", "[limits]\nrun-steps = 100000\n").commit("merges");
        repo.run(&["check"])
    };
    check(30, 2, 4).ends_with(0);
    check(3_000, 2, 4).ends_with(2).complains("run-steps");
    check(30, 60, 4).ends_with(2).complains("run-steps");
}
