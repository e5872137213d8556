//! Files that no revision has: imports that are ignored, generated, supplied by the settings, or pointers. What they set is
//! unknown, everything else is compared.

use crate::common::Repo;

const LFS: &str = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12\n";
const OUT: &str = "stacks/gen/out.yaml";
const DEV: &str = "stacks/deploy/dev.yaml";
const GENERATED: &str = "[inputs]\ngenerated = [\"/stacks/gen/\"]\n";

/// A stack that imports `gen/out` and another one, after `files` were added.
fn project(import: &str, files: &[(&str, &str)]) -> Repo {
    let repo = Repo::atmos();
    repo.write(
        "components/terraform/vpc/main.tf",
        "variable \"stage\" {}\nvariable \"cidr\" {}\nvariable \"zone\" {}\n",
    );
    repo.write(
        DEV,
        format!(
            "import: [{import}]\nvars: {{stage: dev}}\ncomponents: {{terraform: {{vpc: {{vars: {{cidr: a}}}}}}}}\n"
        ),
    );
    repo.write(
        "stacks/deploy/prod.yaml",
        "vars: {stage: prod}\ncomponents: {terraform: {vpc: {vars: {cidr: a, zone: b}}}}\n",
    );
    files.iter().for_each(|(path, text)| _ = repo.write(path, text));
    repo.commit("base");
    repo
}

#[test]
fn what_git_does_not_have_is_unknown_and_the_rest_is_compared() {
    type Files<'a> = &'a [(&'a str, &'a str)];
    let cases: [(&str, Files<'_>, &str); 5] = [
        ("gen/out", &[(".gitignore", "/stacks/gen/\n")], "git ignores it"),
        ("gen/out", &[(OUT, LFS)], "a pointer of Git LFS"),
        ("gen/out", &[("stacklint.toml", GENERATED)], "it is declared as generated"),
        ("'gen/*'", &[("stacklint.toml", GENERATED)], "it is declared as generated"),
        ("'https://example.com/a.yaml'", &[], "is a remote import"),
    ];
    for (import, files, reason) in cases {
        let repo = project(import, files);
        // `zone` may be set there: it is not missing.
        let check = repo.run(&["check"]).ends_with(0).says("1 stack is not fully resolved: dev").says(reason);
        check.hides("missing-required-variable");
        repo.edit(DEV, "cidr: a", "cidr: b").commit("edit");
        let diff = repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(0).says("\"a\" → \"b\"").says(reason);
        diff.says("1 stack is not fully compared: dev");
        let json = repo.run(&["diff", "HEAD~1..HEAD", "--format", "json"]).ends_with(0).json();
        assert_eq!(json["coverage"]["projects"][0]["head"]["unresolved"][0]["partial"], true, "{reason}");
        repo.edit("stacks/deploy/prod.yaml", "zone: b", "zone: c").commit("another");
        let diff = repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(0);
        diff.says("\"b\" → \"c\"").hides("No effective change");
        repo.write(DEV, "import: [nowhere]\nvars: {stage: dev}\ncomponents: {terraform: {vpc: {vars: {cidr: a}}}}\n");
        repo.run(&["check"]).ends_with(1).says("unresolved-import");
    }
}

#[test]
fn what_is_lost_on_one_side_is_neither_removed_nor_added() {
    let text = "vars: {zone: a, cidr: c}\ncomponents: {terraform: {extra: {metadata: {component: vpc}}}}\n";
    let repo = project("gen/out", &[(OUT, text)]);
    repo.write(OUT, LFS).commit("pointer");
    let run = repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(1).says("1 stack is no longer fully resolved: dev");
    let run = run.hides("component removed").hides("fixed[");
    assert!(run.stderr.trim_end().ends_with("dev may change in what is not known"), "{run}");
    let json = repo.run(&["diff", "HEAD~1..HEAD", "--format", "json"]).ends_with(1).json();
    let change = &json["components"][0]["changes"][0];
    assert_eq!((&change["path"], &change["kind"]), (&"/vars/zone".into(), &"changed".into()), "{json}");
    assert!(change["after"]["$unknown"].as_str().is_some_and(|reason| reason.contains("Git LFS")), "{json}");
    assert_eq!(json["components"].as_array().map(Vec::len), Some(1), "{json}");
    let back = repo.run(&["diff", "HEAD..HEAD~1", "--format", "json"]).ends_with(0).json();
    assert!(back["components"][0]["changes"][0]["before"]["$unknown"].is_string(), "{back}");
    // Another content that is not known may be another value.
    repo.write(OUT, LFS.replace("12", "13")).commit("another pointer");
    let run = repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(1).hides("No effective change");
    assert!(run.stderr.contains("dev may change in what is not known"), "{run}");
}

#[test]
fn a_stack_that_needs_what_is_not_known_is_not_passed_over() {
    for rest in [
        "vars: {}\ncomponents: {terraform: {vpc: {vars: {cidr: a}}}}\n",
        "vars: {stage: dev}\ncomponents: {terraform: {vpc: {metadata: {inherits: [base]}, vars: {cidr: a}}}}\n",
    ] {
        let repo =
            project("gen/out", &[(".gitignore", "/stacks/gen/\n"), (DEV, &format!("import: [gen/out]\n{rest}"))]);
        repo.run(&["check"])
            .ends_with(0)
            .says("does not resolve")
            .says("it is not known what stacks/gen/out.yaml sets");
        repo.edit(DEV, "cidr: a", "cidr: b").commit("edit");
        for format in ["text", "json", "markdown", "sarif", "github", "concise"] {
            let run = repo.run(&["diff", "HEAD~1..HEAD", "--format", format]).ends_with(1).hides("No effective change");
            assert!(run.stderr.trim_end().ends_with("may change in what is not known"), "{format}: {run}");
        }
        repo.edit("stacks/deploy/prod.yaml", "zone: b", "zone: c").commit("another stack");
        repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(0).says("\"b\" → \"c\"");
    }
}

#[test]
fn settings_of_the_base_supply_files() {
    let settings = "[inputs.files]\n\"stacks/gen/out.yaml\" = \"ci/out.yaml\"\n";
    let repo = project("gen/out", &[("stacklint.toml", settings), ("ci/out.yaml", "vars: {zone: p}\n")]);
    let zone = || repo.run(&["describe", "component", "vpc", "-s", "dev", "--format", "json"]).ends_with(0).json();
    assert_eq!(zone()["vars"]["zone"], "p");
    repo.run(&["check"]).ends_with(0).hides("not fully");
    // The change does not choose what is supplied.
    repo.write("ci/out.yaml", "vars: {zone: q}\n").edit(DEV, "cidr: a", "cidr: b").commit("edit");
    let json = repo.run(&["diff", "HEAD~1..HEAD", "--format", "json"]).ends_with(0).json();
    assert_eq!(json["components"][0]["changes"].as_array().map(Vec::len), Some(1), "{json}");
    // A file that is committed counts.
    repo.write(OUT, "vars: {zone: r}\n").commit("committed");
    repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(0).says("\"q\" → \"r\"");
    let other = project("gen/out", &[]);
    other.write("stacklint.toml", GENERATED).commit("declares it itself");
    other.run(&["diff", "HEAD~1..HEAD"]).says("import `gen/out` not found");
    repo.write("stacklint.toml", settings.replace("ci/", "no/"));
    repo.run(&["check"])
        .ends_with(2)
        .complains("stacklint.toml:2:")
        .complains("`no/out.yaml` cannot be supplied: no such file");
}

#[test]
fn other_systems_read_such_files_too() {
    let backend = "terraform {\n  backend \"s3\" {\n    key = \"a\"\n  }\n}\n";
    let repo = Repo::new();
    repo.write(
        "live/main.tf",
        format!("{backend}variable \"a\" {{}}\nmodule \"m\" {{\n  source = \"../modules/m\"\n}}\n"),
    );
    repo.write("stacklint.toml", "[inputs]\ngenerated = [\"/modules/\", \"common.hcl\"]\n");
    repo.write("unit/terragrunt.hcl", "include \"root\" {\n  path = \"../common.hcl\"\n}\ninputs = { a = 1 }\n");
    repo.write("other/terragrunt.hcl", "inputs = { a = 1, b = read_tfvars_file(\"common.hcl\") }\n");
    repo.commit("base");
    repo.run(&["check"]).ends_with(0).says("it is declared as generated").hides("error");
    repo.edit("unit/terragrunt.hcl", "a = 1", "a = 2").commit("edit");
    let run = repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(1).hides("No effective change");
    assert!(run.stderr.contains("may change in what is not known"), "{run}");
}
