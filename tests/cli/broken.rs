//! Mistakes in manifests: found at their line, while all else is still resolved.

use crate::common::Repo;
use serde_json::Value;

const GOOD: &str = "vars: {stage: good}\ncomponents: {terraform: {box: {vars: {size: 1}}}}\n";

struct Case<'a> {
    files: &'a [(&'a str, &'a str)],
    rule: &'a str,
    /// `file:line` of the finding.
    at: &'a str,
    /// Words of its message.
    says: &'a [&'a str],
}

impl Case<'_> {
    #[track_caller]
    fn check(&self) -> Value {
        let repo = Repo::atmos();
        repo.write("stacks/deploy/good.yaml", GOOD).commit("good");
        for (path, text) in self.files {
            repo.write(path, text);
        }
        repo.commit("bad");

        // The finding, at its line; one only.
        let run = repo.run(&["check", "--format", "json"]).ends_with(1);
        let json = run.json();
        let found = json["diagnostics"].as_array().unwrap();
        assert_eq!(found.len(), 1, "{run}");
        let finding = found[0].clone();
        assert_eq!(finding["rule"], self.rule, "{run}");
        assert_eq!(finding["level"], "error", "{run}");
        assert_eq!(format!("{}:{}", finding["file"].as_str().unwrap(), finding["line"]), self.at, "{run}");
        for words in self.says {
            assert!(finding["message"].as_str().unwrap().contains(words), "no {words:?} in\n{run}");
        }
        let text = repo.run(&["check"]).ends_with(1).says(self.rule);
        assert!(text.stdout.contains(self.at), "no {} in\n{text}", self.at);

        // The other stack is resolved all the same, and the reasons go to standard error.
        let described = repo.run(&["describe", "stacks", "--format", "json"]).ends_with(1);
        assert_eq!(described.json()["good"]["components"]["terraform"]["box"]["vars"]["size"], 1, "{described}");
        assert!(described.stderr.contains(self.rule), "{described}");

        // In a diff the finding is new.
        let diff = repo.run(&["diff", "HEAD~1..HEAD", "--format", "json"]).ends_with(1);
        assert_eq!(diff.json()["diagnostics"][0]["status"], "new", "{diff}");
        assert_eq!(diff.json()["diagnostics"][0]["fingerprint"], finding["fingerprint"], "{diff}");
        finding
    }
}

#[test]
fn broken_yaml() {
    Case {
        files: &[("stacks/deploy/bad.yaml", "vars:\n  stage: bad\n  list: [1, 2\ncomponents: {}\n")],
        rule: "invalid-yaml",
        at: "stacks/deploy/bad.yaml:4",
        says: &[],
    }
    .check();
}

#[test]
fn broken_yaml_of_an_imported_file() {
    let finding = Case {
        files: &[
            ("stacks/deploy/bad.yaml", "import: [catalog/x]\nvars: {stage: bad}\n"),
            ("stacks/deploy/worse.yaml", "import: [catalog/x]\nvars: {stage: worse}\n"),
            ("stacks/catalog/x.yaml", "vars:\n  a: 1\n  a: 2\n"),
        ],
        rule: "duplicate-key",
        at: "stacks/catalog/x.yaml:3",
        says: &["a"],
    }
    .check();
    assert_eq!(finding["related"][0]["line"], 2);
}

#[test]
fn an_import_of_nothing() {
    Case {
        files: &[("stacks/deploy/bad.yaml", "import:\n  - catalog/gone\nvars:\n  stage: bad\n")],
        rule: "unresolved-import",
        at: "stacks/deploy/bad.yaml:2",
        says: &["catalog/gone"],
    }
    .check();
}

#[test]
fn a_template_that_fails() {
    let text = |template: &str| {
        format!(
            "vars:\n  stage: bad\ncomponents:\n  terraform:\n    box:\n      vars:\n        a: 1\n        b: \"{template}\"\n"
        )
    };
    for template in ["x {{ .vars.stage | nope }}", "x {{ if }}", "{{ .vars.stage.more }}"] {
        Case {
            files: &[("stacks/deploy/bad.yaml", &text(template))],
            rule: "template-error",
            at: "stacks/deploy/bad.yaml:8",
            says: &[],
        }
        .check();
    }
}

#[test]
fn a_cycle_of_imports() {
    let finding = Case {
        files: &[
            ("stacks/deploy/bad.yaml", "import:\n  - catalog/one\nvars:\n  stage: bad\n"),
            ("stacks/catalog/one.yaml", "import:\n  - catalog/two\n"),
            ("stacks/catalog/two.yaml", "import:\n  - catalog/one\n"),
        ],
        rule: "import-cycle",
        at: "stacks/catalog/one.yaml:2",
        says: &["stacks/catalog/one.yaml", "stacks/catalog/two.yaml"],
    }
    .check();
    assert_eq!(finding["related"].as_array().unwrap().len(), 2);
}

#[test]
fn a_manifest_that_imports_itself() {
    Case {
        files: &[("stacks/deploy/bad.yaml", "vars:\n  stage: bad\nimport:\n  - deploy/bad\n")],
        rule: "import-cycle",
        at: "stacks/deploy/bad.yaml:4",
        says: &["itself"],
    }
    .check();
}

#[test]
fn a_base_component_that_is_not_there() {
    Case {
        files: &[(
            "stacks/deploy/bad.yaml",
            "vars:\n  stage: bad\ncomponents:\n  terraform:\n    box:\n      metadata:\n        inherits:\n          - ghost\n",
        )],
        rule: "undefined-base-component",
        at: "stacks/deploy/bad.yaml:8",
        says: &["ghost"],
    }
    .check();
}

#[test]
fn locals_that_need_each_other() {
    Case {
        files: &[(
            "stacks/deploy/bad.yaml",
            "locals:\n  a: \"{{ .locals.b }}\"\n  b: \"{{ .locals.a }}\"\nvars:\n  stage: bad\n",
        )],
        rule: "local-cycle",
        at: "stacks/deploy/bad.yaml:2",
        says: &["a → b → a"],
    }
    .check();
}

#[test]
fn a_section_that_is_no_map() {
    Case {
        files: &[(
            "stacks/deploy/bad.yaml",
            "vars:\n  stage: bad\ncomponents:\n  terraform:\n    box:\n      vars: [1]\n",
        )],
        rule: "non-mapping-section",
        at: "stacks/deploy/bad.yaml:6",
        says: &["vars"],
    }
    .check();
}

#[test]
fn an_unknown_function() {
    Case {
        files: &[("stacks/deploy/bad.yaml", "vars:\n  stage: bad\n  x: !evn HOME\n")],
        rule: "unknown-function",
        at: "stacks/deploy/bad.yaml:3",
        says: &["!evn"],
    }
    .check();
}

#[test]
fn one_mistake_in_a_shared_file_is_one_finding() {
    let repo = Repo::atmos();
    repo.write("stacks/catalog/x.yaml", "import:\n  - catalog/gone\n");
    for stage in ["a", "b", "c"] {
        repo.write(&format!("stacks/deploy/{stage}.yaml"), format!("import: [catalog/x]\nvars: {{stage: {stage}}}\n"));
    }
    let run = repo.run(&["check", "--format", "json"]).ends_with(1);
    assert_eq!(run.json()["diagnostics"].as_array().unwrap().len(), 1, "{run}");
}

#[test]
fn a_broken_configuration() {
    for (text, at) in [("stacks: [", "atmos.yaml:1"), ("base_path: .\n", "atmos.yaml:1")] {
        let repo = Repo::new();
        repo.write("atmos.yaml", text).write("stacks/deploy/good.yaml", GOOD);
        let run = repo.run(&["check", "--format", "json"]).ends_with(1);
        let finding = &run.json()["diagnostics"][0];
        assert_eq!(finding["rule"], "invalid-config", "{run}");
        assert_eq!(format!("{}:{}", finding["file"].as_str().unwrap(), finding["line"]), at, "{run}");
    }
}

#[test]
fn a_broken_base_can_be_compared() {
    let repo = Repo::atmos();
    repo.write("stacks/deploy/bad.yaml", "vars: {stage: bad\n").write("stacks/deploy/good.yaml", GOOD).commit("base");
    repo.write("stacks/deploy/bad.yaml", GOOD.replace("good", "bad"));
    repo.edit("stacks/deploy/good.yaml", "size: 1", "size: 2").commit("head");
    repo.run(&["diff", "HEAD~1..HEAD"]).ends_with(0).says("1 → 2");
}

#[test]
fn a_stack_that_breaks_is_not_gone() {
    let repo = Repo::atmos();
    repo.write("stacks/deploy/good.yaml", GOOD).commit("base");
    for text in [
        "import: [catalog/gone]\nvars: {stage: good}\ncomponents: {terraform: {box: {vars: {size: 1}}}}\n",
        "vars: {stage: good}\ncomponents: {terraform: {box: {vars: {size: 1, x: 'a {{ nope }}'}}}}\n",
    ] {
        repo.write("stacks/deploy/good.yaml", text);
        let run = repo.run(&["diff", "--format", "json"]).ends_with(1);
        assert_eq!(run.json()["components"], serde_json::json!([]), "{run}");
        repo.run(&["diff"]).ends_with(1).hides("removed").hides("No effective change");
    }
}

#[test]
fn a_component_that_resolves_is_described_whatever_else_is_broken() {
    let repo = Repo::atmos();
    repo.write("stacks/deploy/good.yaml", GOOD).write("stacks/deploy/bad.yaml", "import: [catalog/gone]\n");
    let run = repo.run(&["describe", "component", "box", "-s", "good"]).ends_with(0).says("size: 1");
    assert_eq!(run.stderr, "");
}
