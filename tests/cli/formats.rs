//! Invariants of every format.

use crate::common::Repo;
use serde_json::Value as Json;
use std::process::Command;

const FORMATS: [&str; 9] = ["text", "concise", "json", "sarif", "github", "markdown", "gitlab", "junit", "rdjson"];

const DEV: &str = "vars: {stage: dev}\ncomponents: {terraform: {box: {vars: {size: 1}}}}\n";

/// `clean` → `change` (an effective change) → `broken` (a finding in a file with an odd name).
fn repo() -> Repo {
    let repo = Repo::atmos();
    let commit = |name: &str| {
        repo.commit(name);
        repo.tag(name);
    };
    repo.write("stacks/deploy/dev.yaml", DEV);
    commit("clean");
    repo.write("stacks/deploy/dev.yaml", DEV.replace("size: 1", "size: 2"));
    commit("change");
    repo.write("stacks/deploy/ü, b.yaml", "vars: {stage: bad}\nimport: [\"catalog/ö, gone\"]\n");
    commit("broken");
    repo.git(&["remote", "add", "origin", "git@github.com:acme/infra.git"]);
    repo
}

#[test]
fn exit_codes_are_the_same_for_every_format() {
    let repo = repo();
    let cases: [(i32, &[&str]); 8] = [
        (0, &["check", "--rev", "clean"]),
        (1, &["check"]),
        (0, &["check", "--exit-zero"]),
        (0, &["diff", "clean..change"]),
        (3, &["diff", "clean..change", "--exit-code"]),
        (1, &["diff", "clean..broken", "--exit-code"]),
        (2, &["check", "--rev", "nothing"]),
        (2, &["diff", "nothing..broken"]),
    ];
    for format in FORMATS {
        for (status, arguments) in cases {
            let run = repo.run(&[arguments, &["--format", format]].concat());
            assert_eq!(run.status, status, "{arguments:?} --format {format}\n{run}");
            assert_eq!(
                run.stdout.is_empty(),
                status == 2 || (format == "concise" && arguments == ["check", "--rev", "clean"])
            );
        }
    }
    repo.run(&["check", "--format", "tea"]).ends_with(2).complains("[possible values: text, concise, json, sarif");
}

#[test]
fn several_reports_in_one_run() {
    let repo = repo();
    let outputs = ["--output", "sarif=out.sarif", "--output", "github=-", "--output", "markdown=out.md"];
    let run = repo.run(&[&["diff", "clean..broken"], &outputs[..]].concat()).ends_with(1);
    let alone = |format: &str| repo.run(&["diff", "clean..broken", "--format", format]).stdout;
    let read = |name: &str| std::fs::read_to_string(repo.root().join(name)).unwrap();
    assert_eq!(run.stdout, alone("github"));
    assert_eq!(read("out.sarif"), alone("sarif"));
    assert_eq!(read("out.md"), alone("markdown"));
}

#[test]
fn places_are_the_same_in_every_format() {
    let repo = repo();
    let of = |format: &str| repo.run(&["check", "--rev", "broken", "--format", format]).ends_with(1).stdout;
    assert!(of("concise").starts_with("stacks/deploy/ü, b.yaml:2:10: error[unresolved-import]: "));
    let sarif: Json = serde_json::from_str(&of("sarif")).unwrap();
    let run = &sarif["runs"][0];
    let place = &run["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "stacks/deploy/%C3%BC%2C%20b.yaml");
    let region = ["startLine", "startColumn", "endLine", "endColumn"].map(|key| place["region"][key].as_u64().unwrap());
    assert_eq!(region, [2, 10, 2, 27]);
    assert_eq!(run["versionControlProvenance"][0]["repositoryUri"], "https://github.com/acme/infra");
    let commit = repo.git(&["rev-parse", "broken"]);
    assert_eq!(run["versionControlProvenance"][0]["revisionId"], commit.trim());
    let github = of("github");
    let annotations: Vec<&str> = github.lines().filter(|l| l.starts_with("::error")).collect();
    let start = "::error file=stacks/deploy/ü%2C b.yaml,line=2,endLine=2,col=10,endColumn=27,title=unresolved-import::";
    assert!(annotations.len() == 1 && annotations[0].starts_with(start), "{github}");
    let link = format!("https://github.com/acme/infra/blob/{}/stacks/deploy/%C3%BC%2C%20b.yaml#L2", commit.trim());
    assert!(of("markdown").contains(&link));
    let gitlab: Json = serde_json::from_str(&of("gitlab")).unwrap();
    assert_eq!(gitlab[0]["location"]["path"], "stacks/deploy/ü, b.yaml");
    assert_eq!(gitlab[0]["fingerprint"], run["results"][0]["partialFingerprints"]["stacklint/v1"]);
    let reviewdog: Json = serde_json::from_str(&of("rdjson")).unwrap();
    let place = &reviewdog["diagnostics"][0]["location"];
    assert_eq!(place["path"], "stacks/deploy/ü, b.yaml");
    // In bytes of UTF-8.
    assert_eq!([&place["range"]["start"]["column"], &place["range"]["end"]["column"]], [10, 28]);
    assert!(of("junit").contains("file=\"stacks/deploy/ü, b.yaml\" line=\"2\""));
}

/// The schema of SARIF 2.1.0 that comes with the crate whose types are written, where the sources of crates are.
fn sarif_schema() -> Option<Json> {
    let arguments = ["metadata", "--format-version", "1", "--offline", "--manifest-path", "Cargo.toml"];
    let metadata = Command::new(env!("CARGO")).args(arguments).current_dir(env!("CARGO_MANIFEST_DIR")).output().ok()?;
    let metadata: Json = serde_json::from_slice(&metadata.stdout).ok()?;
    let package = metadata["packages"].as_array()?.iter().find(|p| p["name"] == "serde-sarif")?;
    let folder = std::path::Path::new(package["manifest_path"].as_str()?).parent()?;
    let mut schema: Json = serde_json::from_slice(&std::fs::read(folder.join("src/schema.json")).ok()?).ok()?;
    for object in ["run", "toolComponent"] {
        // Its regular expression has a bracket too many; stacklint writes no language.
        schema["definitions"][object]["properties"]["language"].as_object_mut()?.remove("pattern");
    }
    Some(schema)
}

#[test]
fn sarif_fits_the_schema_of_sarif() {
    let Some(schema) = sarif_schema() else {
        return crate::common::skipped("the sources of serde-sarif, with the schema, are not here");
    };
    let schema = jsonschema::options().should_validate_formats(true).build(&schema).unwrap();
    let repo = repo();
    repo.edit("stacks/deploy/dev.yaml", "vars: {stage: dev}", "vars: {stage: dev} # stacklint: ignore[import-cycle]");
    repo.write(
        "stacks/deploy/cycle.yaml",
        "vars: {stage: c}\nimport:\n  - catalog/a # stacklint: ignore[unresolved-import] later\n  - catalog/b\n",
    );
    repo.write("stacks/catalog/b.yaml", "import: [catalog/c]\n")
        .write("stacks/catalog/c.yaml", "import: [catalog/b]\n");
    repo.edit("stacks/deploy/ü, b.yaml", "stage: bad", "stage: worse");
    let runs: [&[&str]; 6] = [
        &["check"],
        &["check", "--rev", "clean"],
        &["diff", "clean..broken"],
        &["diff", "broken..clean"],
        &["diff", "clean"],
        &["diff", "broken"],
    ];
    let mut seen = String::new();
    for arguments in runs {
        let run = repo.run(&[arguments, &["--format", "sarif"]].concat());
        let errors: Vec<String> =
            schema.iter_errors(&run.json()).map(|e| format!("{}: {e}", e.instance_path())).collect();
        assert!(errors.is_empty(), "{arguments:?}: {errors:#?}");
        seen.push_str(&run.stdout);
    }
    for part in ["fixes", "codeFlows", "suppressions", "relatedLocations", "\"absent\"", "\"unchanged\"", "\"new\""] {
        assert!(seen.contains(part), "no {part} was written");
    }
}

#[test]
fn formats_are_offered_only_where_they_work() {
    let repo = Repo::review();
    let help = |command: &str| repo.run(&[command, "--help"]).ends_with(0).stdout;
    assert!(help("diff").contains("matrix") && !help("check").contains("matrix"));
    repo.run(&["check", "--format", "matrix"]).ends_with(2).complains("possible values");
    let run = repo.run(&["check", "--output", "affected=x.json"]).ends_with(2);
    run.complains("format `affected` needs two revisions: use `stacklint diff`");
    repo.run(&["diff", "--output", "sarf=x.json"]).ends_with(2).complains("did you mean `sarif`?");
}

#[test]
fn concise_lists_changes_one_line_each() {
    let repo = Repo::atmos();
    let stack = |size: u32, more: &str| {
        format!(
            "vars: {{stage: dev}}\ncomponents:\n  terraform:\n    box:\n      vars:\n        size: {size}\n        name: a{size}\n{more}"
        )
    };
    repo.write("stacks/deploy/dev.yaml", stack(1, "    old: {}\n")).commit("base");
    repo.write("stacks/deploy/dev.yaml", stack(2, "    new: {vars: {a: 1}}\n"));
    let run = repo.run(&["diff", "--format", "concise"]);
    let run = run.says("stacks/deploy/dev.yaml:6: change: ~ vars.size 1 → 2 in box of dev\n");
    let run = run.says("stacks/deploy/dev.yaml:7: change: ~ vars.name \"a1\" → \"a2\" in box of dev\n");
    let run = run.says("change: + new of dev added").says("change: - old of dev removed");
    assert!(run.stdout.lines().all(|line| line.contains(": change: ") || line.contains('[')), "{run}");
}
