//! Every difference of the code that is run: the verdict, the lists, and `impact`.

use crate::common::Repo;

const ROOT: &str = "terraform {\n  backend \"local\" {}\n}\nvariable \"n\" {\n  default = 1\n}\nlocals {\n  size = 1\n}\nmodule \"m\" {\n  source = \"../../modules/m\"\n  count  = 1\n}\nresource \"terraform_data\" \"r\" {\n  input = [local.size, var.n]\n}\n";
const MODULE: &str = "resource \"terraform_data\" \"i\" {\n  input = file(\"${path.module}/t.json\")\n}\n";

fn repo() -> Repo {
    let repo = Repo::new();
    repo.write("live/a/main.tf", ROOT)
        .write("live/b/main.tf", "terraform {\n  backend \"local\" {}\n}\n")
        .write("modules/m/main.tf", MODULE)
        .write("modules/m/t.json", "1\n")
        .write("vars/prod.tfvars", "n = 1\n")
        .commit("base");
    repo
}

#[test]
fn code_that_a_plan_would_show_is_told_in_every_format() {
    let only_code = "No change of configuration; 1 ";
    for (path, text, names, headline) in [
        (
            "live/a/main.tf",
            ROOT.replace("count  = 1", "count  = 0"),
            "main.tf",
            "1 resource in 1 root module is removed",
        ),
        (
            "live/a/main.tf",
            ROOT.replace("size = 1", "size = 2"),
            "input[0]  1 → 2",
            "1 resource in 1 root module changes",
        ),
        ("modules/m/main.tf", MODULE.replace("\"i\"", "\"j\""), "modules/m", "1 change reaches 1 component"),
        ("modules/m/t.json", "2\n".to_owned(), "t.json", "1 change reaches 1 component"),
        ("vars/prod.tfvars", "n = 2\n".to_owned(), "vars/prod.tfvars", only_code),
    ] {
        let repo = repo();
        repo.write(path, &text).commit("head");
        let shown = repo
            .run(&["diff", "HEAD~1..HEAD", "--fail-on", "never"])
            .ends_with(0)
            .hides("No effective change")
            .says(names);
        shown.hides("reaches nothing").says(headline);
        repo.run(&["diff", "HEAD~1..HEAD", "--exit-code", "--fail-on", "never"]).ends_with(3);
        for format in ["markdown", "concise", "json", "sarif", "github", "affected", "matrix"] {
            let run = repo.run(&["diff", "HEAD~1..HEAD", "--fail-on", "never", "--format", format]).ends_with(0);
            let run = run.hides("No effective change");
            let is_named = run.stdout.contains("live/a")
                || run.stdout.contains("different code")
                || run.stdout.contains("1 variable file differs");
            assert!(is_named || run.stdout.contains(path), "{path} {format}: {run}");
            let is_list = matches!(format, "concise" | "affected" | "matrix");
            assert!(!is_list || !run.stdout.contains("live/b"), "{path} {format}: {run}");
        }
    }
}

#[test]
fn comments_and_what_nothing_reads_are_no_change() {
    let unread = "Nothing that was examined changes; 1 file of code differs that no component is known to read.";
    for (path, text, headline) in [
        (
            "live/a/main.tf",
            format!("# more\n{}", ROOT.replace("  count  = 1", "\n  count = 1 # one")),
            "No effective change.",
        ),
        ("live/a/NOTES.md", "notes\n".to_owned(), "No effective change."),
        ("modules/z/main.tf", MODULE.to_owned(), unread),
    ] {
        let repo = repo();
        repo.write(path, &text).commit("head");
        repo.run(&["diff", "HEAD~1..HEAD", "--exit-code"]).ends_with(0).says(headline);
        assert_eq!(repo.run(&["diff", "HEAD~1..HEAD", "--format", "affected"]).json(), serde_json::json!([]), "{path}");
    }
}

#[test]
fn an_edit_that_is_the_cause_of_a_change_is_told_once() {
    let repo = repo();
    repo.write("live/a/main.tf", ROOT.replace("default = 1", "default = 2")).commit("head");
    repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(0).says("~ input[1]  1 → 2").hides("different code");
}

#[test]
fn impact_of_modules_and_folders() {
    let repo = repo();
    for place in ["modules/m/main.tf", "modules/m/t.json", "modules"] {
        repo.run(&["impact", place]).ends_with(0).says("live/a (root) by code").hides("live/b");
    }
    repo.write("modules/z/main.tf", MODULE).commit("more");
    repo.run(&["impact", "modules/z/main.tf"]).ends_with(0).says("no component depends on it");
}

#[test]
fn another_version_of_code_that_is_fetched_is_other_code() {
    let source = |component: &str, version: &str, folder: &str| {
        format!(
            "    - component: {component}\n      source: github.com/a/b.git//m?ref={{{{.Version}}}}\n      version: {version}\n      \
             targets: [{folder}]\n"
        )
    };
    let manifest = |vpc: &str, db: &str| {
        let sources = source("vpc", vpc, "components/terraform/vpc") + &source("db", db, "components/terraform/db");
        format!("apiVersion: atmos/v1\nkind: AtmosVendorConfig\nspec:\n  sources:\n{sources}")
    };
    let repo = Repo::new();
    repo.write(
        "atmos.yaml",
        "base_path: .\nstacks:\n  base_path: stacks\n  included_paths: [\"*.yaml\"]\n  name_pattern: \"{stage}\"\n\
         components:\n  terraform:\n    base_path: components/terraform\n",
    );
    let stack = "vars:\n  stage: dev\ncomponents:\n  terraform:\n    vpc:\n      vars:\n        a: 1\n    db:\n      vars:\n        a: 1\n";
    // The code of `db` is in the repository: what is fetched another time counts once it is there.
    repo.write("stacks/dev.yaml", stack).write("components/terraform/db/main.tf", "variable \"a\" {}\n");
    repo.write("vendor.yaml", manifest("1.0.0", "1.0.0")).commit("base");
    repo.write("vendor.yaml", manifest("1.0.0", "2.0.0")).commit("committed code");
    let run = repo.run(&["diff", "HEAD^..HEAD", "--exit-code"]).ends_with(0);
    assert!(run.stdout.contains("No effective change"), "{run}");
    repo.write("vendor.yaml", manifest("2.0.0", "2.0.0")).commit("fetched code");
    let run = repo.run(&["diff", "HEAD^..HEAD", "--exit-code"]).ends_with(3);
    assert!(run.stdout.contains("components/terraform/vpc changed (vendor.yaml)"), "{run}");
    let run = repo.run(&["diff", "HEAD^..HEAD", "--format", "matrix"]).ends_with(0);
    assert!(run.stdout.contains("\"vpc\"") && !run.stdout.contains("\"db\""), "{run}");
}

/// Of code whose text does not show what it reads, every file counts but those that people read.
#[test]
fn any_file_of_a_chart_or_an_image_counts() {
    let repo = Repo::new();
    repo.write(
        "atmos.yaml",
        "base_path: .\nstacks: {base_path: stacks, included_paths: ['*.yaml'], name_template: '{{ .vars.stage }}'}\ncomponents: {helmfile: {base_path: charts}, packer: {base_path: images}}\n",
    );
    repo.write(
        "stacks/dev.yaml",
        "vars: {stage: dev}\ncomponents: {helmfile: {web: {vars: {a: 1}}}, packer: {img: {vars: {a: 1}}}}\n",
    );
    let files = [
        ("charts/web/helmfile.yaml", "releases: [{name: a, chart: ./chart}]\n", true),
        ("charts/web/chart/templates/notes.md", "a\n", true),
        ("charts/web/chart/tests/x.txt", "a\n", true),
        ("charts/web/chart/README.md", "a\n", false),
        ("charts/web/LICENSE", "a\n", false),
        ("images/img/main.pkr.hcl", "build {}\n", true),
        ("images/img/motd.md", "a\n", true),
    ];
    files.iter().for_each(|(path, text, _)| _ = repo.write(path, text));
    repo.commit("base");
    for (path, text, counts) in files {
        repo.write(path, format!("{text}# b\n"));
        let run = repo.run(&["diff"]).ends_with(0);
        assert_eq!(run.stdout.contains("runs different code"), counts, "{path}: {run}");
        let jobs = repo.run(&["diff", "--format", "matrix", "--by", "configuration"]).json();
        assert_eq!(jobs["include"].as_array().unwrap().len(), usize::from(counts), "{path}: {jobs}");
        repo.git(&["checkout", "--quiet", "."]);
    }
}
