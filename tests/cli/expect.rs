//! `diff --expect`: what a change is proved to do.

use crate::common::{ATMOS, Repo, Run, fixture};
use crate::contracts::{schema, validate};
use serde_json::Value;

const CATALOG: &str =
    "components:\n  terraform:\n    vpc:\n      vars:\n        size: 1\n        id: !terraform.output net id\n";
const MAIN: &str = "variable \"size\" {}\nvariable \"id\" {}\nvariable \"stage\" {}\nresource \"aws_vpc\" \"this\" {\n  size = var.size\n}\n";

fn repo() -> Repo {
    let repo = Repo::atmos();
    repo.write("stacks/catalog/vpc.yaml", CATALOG).write("components/terraform/vpc/main.tf", MAIN);
    for stage in ["dev", "prod"] {
        let text = format!("import: [catalog/vpc]\nvars: {{stage: {stage}}}\n");
        repo.write(&format!("stacks/deploy/{stage}.yaml"), text);
    }
    repo.write("scripts/run.sh", "true\n").write("README.md", "words\n");
    repo.write("stacks/workflows/up.yaml", "workflows: {up: {steps: [{command: terraform plan vpc}]}}\n")
        .commit("base");
    repo
}

#[track_caller]
fn expect(repo: &Repo, what: &str, status: i32) -> Value {
    let arguments = ["diff", "HEAD~..HEAD", "--expect", what, "--format", "json"];
    let of = |arguments: &[&str]| {
        let run = repo.run(arguments).ends_with(status);
        validate(&schema("report-v1.json"), &run.json());
        run.json()["expectation"].clone()
    };
    let (narrow, whole) = (of(&arguments), of(&[&arguments[..], &["--strict"]].concat()));
    assert_eq!(narrow["verdict"], whole["verdict"]);
    assert!(narrow["digests"].is_null() && whole["untouched"] == 0);
    whole
}

#[test]
fn what_reads_nothing_that_differs_is_not_resolved_unless_it_may_read_more() {
    let repo = repo();
    repo.write("stacks/other.yaml", "vars: {x: 1}\n").write(".gitignore", "secrets.yaml\n");
    repo.edit("stacks/deploy/prod.yaml", "import: [", "import: [other, ").commit("base");
    let prove = |what: &str, edit: &str, status: i32, text: &str| {
        repo.edit("stacks/other.yaml", "\n", edit).commit(what);
        repo.run(&["diff", "HEAD~..HEAD", "--expect", "none"]).ends_with(status).says(text);
    };
    let certificate =
        "1 stack, 1 component resolved on both sides; 1 stack reads nothing that differs; 0 values differ";
    prove("comment", " # words\n", 0, certificate);
    repo.edit("stacks/catalog/vpc.yaml", "components:", "import: [secrets]\ncomponents:").commit("lacking");
    prove("imports a file that git ignores", " # other\n", 1, "parts are not resolved: dev, prod");
    repo.edit("stacks/catalog/vpc.yaml", "import: [secrets]\n", "");
    repo.edit("stacks/deploy/dev.yaml", "[catalog/vpc]", "catalog/vpc").commit("broken");
    prove("shows no imports", " # again\n", 1, "1 part is not resolved: stacks/deploy/dev.yaml");
}

/// The kinds of what is open.
fn open(proof: &Value) -> Vec<String> {
    proof["open"].as_array().unwrap().iter().map(|one| one["kind"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn comments_layout_and_documents_have_no_effect() {
    let repo = repo();
    repo.edit("stacks/catalog/vpc.yaml", "size: 1", "size: 0x1 # words").write("README.md", "other\n");
    repo.edit("components/terraform/vpc/main.tf", "size = var.size", "size   = var.size # words");
    repo.edit("stacks/workflows/up.yaml", "{command: terraform plan vpc}", "{command: 'terraform plan vpc'}")
        .commit("edit");
    let proof = expect(&repo, "none", 0);
    assert_eq!(proof["verdict"], "proved");
    assert_eq!([&proof["stacks"], &proof["components"], &proof["unknown"]], [2, 2, 2]);
    assert_eq!(proof["digests"]["base"], proof["digests"]["head"]);
    let harmless = ["README.md", "components/terraform/vpc/main.tf", "stacks/workflows/up.yaml"];
    assert_eq!(proof["without_effect"].as_array().unwrap().len(), harmless.len() - 1, "{proof}");
    repo.run(&["diff", "HEAD~..HEAD", "--expect", "none"])
        .ends_with(0)
        .says("✓ Proved: no effect: 2 stacks, 2 components");
    repo.run(&["diff", "HEAD~..HEAD", "--expect", "none", "--format", "markdown"])
        .ends_with(0)
        .says("✓ stacklint: Proved");
}

#[test]
fn a_value_refutes_with_the_smallest_first() {
    let repo = repo();
    repo.edit("stacks/catalog/vpc.yaml", "size: 1", "size: 22");
    repo.edit("stacks/deploy/prod.yaml", "stage: prod", "stage: prod, x: 1").commit("edit");
    let proof = expect(&repo, "none", 3);
    assert_eq!(proof["verdict"], "refuted");
    let first = &proof["counterexamples"][0];
    assert_eq!([&first["stack"], &first["component"], &first["change"]["path"]], ["prod", "vpc", "/vars/x"]);
    assert_ne!(proof["digests"]["base"], proof["digests"]["head"]);
    repo.run(&["diff", "HEAD~..HEAD", "--expect", "none"])
        .ends_with(3)
        .says("✗ Refuted: no effect")
        .says("for example vars.x of vpc in prod: – → 1 (stacks/deploy/prod.yaml:2)");
    expect(&repo, "only=*", 0);
    expect(&repo, "only=prod", 3);
    repo.run(&["diff", "HEAD~..HEAD", "--expect", "all"]).ends_with(2);
}

#[test]
fn what_is_not_known_proves_nothing() {
    for (edit, kind) in [
        (("stacks/catalog/vpc.yaml", "net id", "net arn"), "value"),
        (("scripts/run.sh", "true", "false"), "file"),
        (("stacks/workflows/up.yaml", "plan", "apply"), "file"),
        (("components/terraform/vpc/main.tf", "size = var.size", "size = var.size\n  depends_on = []"), "code"),
        (("atmos.yaml", "base_path: .\n", "base_path: .\nlogs: {level: Debug}\n"), "setting"),
        (("stacks/deploy/prod.yaml", "stage: prod", "stage: [prod"), "part"),
    ] {
        let repo = repo();
        let (path, from, to) = edit;
        repo.edit(path, from, to).commit("edit");
        let proof = expect(&repo, "none", 1);
        assert_eq!(proof["verdict"], "not-provable");
        assert!(open(&proof).contains(&kind.to_owned()), "{path}: {proof}");
        let run = repo.run(&["diff", "HEAD~..HEAD", "--expect", "none"]).ends_with(1);
        assert!(
            run.stdout.contains("! Not provable") && run.stderr.contains("`none` is not provable"),
            "{}",
            run.stdout
        );
    }
}

#[test]
fn code_whose_effect_is_evaluated_is_compared_by_it() {
    let repo = repo();
    repo.edit("components/terraform/vpc/main.tf", "size = var.size", "size = var.size + 0").commit("edit");
    assert_eq!(expect(&repo, "none", 0)["verdict"], "proved");
    repo.edit("components/terraform/vpc/main.tf", "var.size + 0", "var.size + 1").commit("edit");
    assert_eq!(expect(&repo, "none", 3)["counterexamples"][0]["type"], "resource");
}

#[test]
fn values_that_code_passes_on_are_seen_unless_something_hidden_reads_them() {
    const USE: &str = "variable \"id\" {}\nlocals {\n  n = 0\n}";
    for (hidden, status) in [("", 0), ("provider \"aws\" {\n  region = var.stage\n}\n", 1)] {
        let repo = repo();
        repo.write("components/terraform/vpc/providers.tf", hidden).commit("base");
        repo.edit("components/terraform/vpc/main.tf", "variable \"id\" {}", USE);
        repo.edit("components/terraform/vpc/main.tf", "size = var.size", "size = var.size + local.n").commit("edit");
        expect(&repo, "none", status);
        repo.edit("components/terraform/vpc/main.tf", "n = 0", "n = 1").commit("edit");
        expect(&repo, "none", 3);
    }
}

#[test]
fn root_modules_are_evaluated() {
    let repo = Repo::new();
    repo.write("live/backend.tf", "terraform {\n  backend \"local\" {}\n}\n");
    repo.write(
        "live/main.tf",
        "resource \"aws_x\" \"a\" {\n  size = 1\n}\nresource \"aws_x\" \"b\" {\n  size = 1\n}\n",
    )
    .commit("base");
    repo.write("live/locals.tf", "locals {\n  size = 1\n}\n");
    repo.edit("live/main.tf", "\"a\" {\n  size = 1", "\"a\" {\n  size = local.size").commit("hoist");
    assert_eq!(expect(&repo, "none", 0)["verdict"], "proved");
    repo.edit("live/locals.tf", "1", "2").commit("edit");
    expect(&repo, "none", 3);
    let moved = "moved {\n  from = aws_x.b\n  to   = aws_x.c\n}\n";
    repo.edit("live/main.tf", "\"b\" {", "\"c\" {").write("live/moved.tf", moved).commit("move");
    expect(&repo, "none", 3);
    assert_eq!(expect(&repo, "moves", 0)["moved"], 1);
    repo.edit("live/main.tf", "\"a\" {", "\"d\" {").commit("replace");
    expect(&repo, "moves", 3);
}

#[test]
fn locked_versions_of_providers_are_code() {
    let lock = |version: u32| {
        format!("provider \"registry.opentofu.org/hashicorp/aws\" {{\n  version = \"{version}.0.0\"\n}}\n")
    };
    let repo = Repo::new();
    repo.write("main.tf", "resource \"aws_x\" \"a\" {}\n").write(".terraform.lock.hcl", lock(5)).commit("base");
    repo.write(".terraform.lock.hcl", lock(6)).commit("edit");
    assert_eq!(open(&expect(&repo, "none", 1)), ["code"]);
}

/// It is not known how many blocks there are; whatever they say may be deployed.
#[test]
fn blocks_for_something_unknown_are_what_is_written_in_them() {
    const MAIN: &str = "variable \"u\" {}\nlocals {\n  k = 1\n}\nresource \"a_b\" \"x\" {\n  dynamic \"rule\" {\n    \
                        for_each = var.u\n    content {\n      own = 1\n      size = local.k\n      from = file(\"a.txt\")\n    }\n  \
                        }\n  rule {\n    beside = 1\n    inner {}\n  }\n}\n";
    let repo = Repo::new();
    repo.write("main.tf", MAIN).write("a.txt", "1\n").commit("base");
    for (path, old, new) in [
        ("main.tf", "own = 1", "own = 2"),
        ("main.tf", "k = 1", "k = 2"),
        ("a.txt", "1", "2"),
        ("main.tf", "beside = 1", "beside = 2"),
        ("main.tf", "inner {}", "inner {}\n    inner {}"),
        ("main.tf", "own = 2", "own = 2\n      more {}"),
    ] {
        repo.edit(path, old, new).commit("edit");
        let proof = expect(&repo, "none", 1);
        assert!(open(&proof).contains(&"value".to_owned()), "{new}: {proof}");
        repo.run(&["diff", "HEAD~..HEAD"]).ends_with(0).hides("No change").hides("No effective change");
    }
    repo.edit("main.tf", "own = 2", "own  = 2 # words").commit("layout");
    expect(&repo, "none", 0);
}

#[test]
fn sections_that_no_component_shows_may_have_an_effect() {
    let repo = Repo::new();
    let module = |name: &str| format!("modules: [{{name: {name}, type: infra.vpc, config: {{size: 1}}}}]\n");
    let imported = format!("{}workflows: {{a: 1}}\n", module("b"));
    repo.write("infra.yaml", format!("imports: [b.yaml]\npipelines: {{a: 1}}\n{}", module("a")))
        .write("b.yaml", imported)
        .commit("base");
    for (path, old, new) in [("infra.yaml", "{a: 1}", "{a: 2}"), ("b.yaml", "workflows: {a: 1}", "workflows: {a: 2}")] {
        repo.edit(path, old, new).commit("edit");
        assert_eq!(open(&expect(&repo, "none", 1)), ["file"], "{path}");
    }
    repo.edit("infra.yaml", "pipelines: {a: 2}", "pipelines:\n  a: 2 # words").commit("layout");
    expect(&repo, "none", 0);
}

#[test]
fn where_data_of_templates_comes_from_is_a_setting() {
    let repo = repo();
    let settings = "templates:\n  settings:\n    enabled: true\n    gomplate:\n      enabled: true\n      datasources: {d: {url: 'https://a.example'}}\n";
    repo.write("atmos.yaml", format!("{}{settings}", ATMOS.split("templates:").next().unwrap())).commit("base");
    repo.edit("atmos.yaml", "a.example", "b.example").commit("edit");
    assert_eq!(open(&expect(&repo, "none", 1)), ["setting"]);
}

#[test]
fn what_is_rejected_has_an_effect() {
    let repo = Repo::new();
    repo.write("main.tf", "resource \"aws_x\" \"a\" {\n  size = 1\n}\n").commit("base");
    repo.edit("main.tf", "size = 1", "size = 1\n  size = 2").commit("twice");
    repo.run(&["diff", "HEAD~..HEAD", "--expect", "none"]).ends_with(1).says("1 part is not resolved: main.tf:3");
    // It was so before.
    repo.edit("main.tf", "\n}", " # words\n}").commit("words");
    expect(&repo, "none", 0);
}

#[test]
fn a_document_that_code_reads_is_code() {
    let repo = repo();
    repo.edit("components/terraform/vpc/main.tf", "size = var.size", "size = file(\"${path.module}/README.md\")");
    repo.write("components/terraform/vpc/README.md", "1\n").commit("base");
    repo.write("components/terraform/vpc/README.md", "2\n").commit("edit");
    assert_eq!(expect(&repo, "none", 3)["verdict"], "refuted");
}

/// Names alone do not make a file harmless: folders of environments are called `test`, and pipelines run commands.
#[test]
fn what_lies_aside_is_harmless_unless_something_may_run_it() {
    const CALL: &str = "resource \"null_resource\" \"a\" {\n  provisioner \"local-exec\" {\n    command = \"sh";
    let repo = repo();
    let code = |arguments: &str| format!("{MAIN}# docs/x.md, examples/x.sh\n{CALL} {arguments}\"\n  }}\n}}\n");
    for (path, arguments, status) in [
        (".github/workflows/apply.yml", "", 1),
        (".gitlab-ci.yml", "", 1),
        (".github/dependabot.yml", "", 0),
        ("environments/test/deploy.sh", "", 1),
        ("deploy/examples/run.sh", "", 1),
        ("NOTICE.sh", "", 1),
        ("modules.tftest.hcl", "", 0),
        ("components/terraform/vpc/envs/test/a.tfbackend", "", 1),
        ("components/terraform/vpc/test/run.sh", "", 0),
        ("components/terraform/vpc/test/run.sh", "./test/run.sh", 1),
        ("components/terraform/vpc/docs/x.md", "", 0),
        ("components/terraform/vpc/docs/x.md", "docs/x.md", 1),
        ("components/terraform/vpc/examples/x.sh", "", 0),
    ] {
        repo.write("components/terraform/vpc/main.tf", code(arguments)).write(path, "a: 1\n").commit("base");
        repo.write(path, "a: 2\n").commit("edit");
        let run = repo.run(&["diff", "HEAD~..HEAD", "--expect", "none"]);
        assert_eq!(run.status, status, "{path} {arguments}: {run}");
    }
}

#[test]
fn files_may_be_renamed_where_the_state_stays() {
    let repo = repo();
    repo.git(&["mv", "stacks/deploy/dev.yaml", "stacks/deploy/development.yaml"]);
    repo.commit("rename");
    expect(&repo, "none", 3);
    assert_eq!(expect(&repo, "moves", 0)["verdict"], "proved");
    repo.edit("stacks/deploy/development.yaml", "stage: dev", "stage: development").commit("rename the stack");
    let proof = expect(&repo, "moves", 3);
    assert_eq!(proof["verdict"], "refuted");
}

/// The example that `docs/refactoring.md` shows.
#[test]
fn the_example_of_the_page_is_true() {
    let page = std::fs::read_to_string(fixture("../docs").join("refactoring.md")).unwrap().replace("\r\n", "\n");
    let block = |start: &str| {
        let after = page.split_once(start).unwrap_or_else(|| panic!("the page has no {start:?}")).1;
        after.split_once("```").unwrap().0.to_owned()
    };
    let repo = Repo::new();
    repo.write("atmos.yaml", ATMOS);
    repo.write("stacks/catalog/vpc.yaml", "components: {terraform: {vpc: {}}}\n");
    for stage in ["dev", "prod"] {
        let text = block("`stacks/deploy/dev.yaml`:\n```yaml\n").replace("dev", stage);
        repo.write(&format!("stacks/deploy/{stage}.yaml"), text);
    }
    repo.commit("base");
    repo.write("stacks/catalog/vpc.yaml", block("`stacks/catalog/vpc.yaml`:\n```yaml\n"));
    for stage in ["dev", "prod"] {
        repo.edit(&format!("stacks/deploy/{stage}.yaml"), "components: {terraform: {vpc: {vars: {size: 5}}}}\n", "");
    }
    repo.commit("hoist");
    let run: Run = repo.run(&["diff", "HEAD~..HEAD", "--expect", "none"]).ends_with(0);
    assert_eq!(block("```console\n$ stacklint diff main..HEAD --expect none\n"), run.stdout);
    repo.edit("stacks/catalog/vpc.yaml", "size: 5", "size: 4").commit("another value");
    let run: Run = repo.run(&["diff", "HEAD~2..HEAD", "--expect", "none"]).ends_with(3);
    assert_eq!(block("$ stacklint diff main..HEAD --expect none  # with 4\n"), run.stdout);
}
