//! A check that is split over several runs, and their reports put together.

use super::contracts::{schema, validate};
use crate::common::{Repo, Run, fixture};
use serde_json::Value as Json;

/// Four stacks: one mistake in a catalog, one in a stack, one between stacks, one in the code.
fn repo() -> Repo {
    let repo = Repo::atmos();
    repo.write("stacks/catalog/box.yaml", "components:\n  terraform:\n    box:\n      vars:\n        ports: [1, 2]\n");
    for (stage, more) in [("a", ""), ("b", "        ports: none\n"), ("c", "        token: hunter2!Xy9\n"), ("d", "")] {
        let stack = format!(
            "import: [catalog/box]\nvars: {{stage: {stage}}}\ncomponents:\n  terraform:\n    box:\n      vars:\n        name: {stage}\n{more}"
        );
        repo.write(&format!("stacks/deploy/{stage}.yaml"), stack);
    }
    repo.write(
        "stacks/deploy/d.yaml",
        "vars: {stage: d}\ncomponents:\n  terraform:\n    box:\n      dependencies: {components: [{component: gone}]}\n",
    );
    let variable = |name: &str| format!("variable \"{name}\" {{\n  default = null\n}}\n");
    repo.write("components/terraform/box/main.tf", ["ports", "name", "token"].map(variable).concat());
    repo.commit("base");
    repo
}

/// The reports of all shards, as files beside the repository.
fn shards(repo: &Repo, of: usize, format: &str, options: &[&str]) -> Vec<String> {
    let [reports] = shards_in(repo, of, [format], options);
    reports
}

/// The reports of all shards in several formats, which each shard writes in one run.
fn shards_in<const N: usize>(repo: &Repo, of: usize, formats: [&str; N], options: &[&str]) -> [Vec<String>; N] {
    let path = |index: usize, format: &str| repo.beside(&format!("shard-{index}.{format}")).display().to_string();
    for index in 1..=of {
        let shard = format!("{index}/{of}");
        let outputs = formats.map(|format| format!("--output={format}={}", path(index, format)));
        let outputs = outputs.each_ref().map(String::as_str);
        let run = repo.run(&[&["check", "--shard", &shard][..], &outputs[..], options].concat());
        assert!(run.status < 2, "{run}");
    }
    formats.map(|format| (1..=of).map(|index| path(index, format)).collect())
}

fn merge(repo: &Repo, paths: &[String], options: &[&str]) -> Run {
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    repo.run(&[&["merge-reports"], &paths[..], options].concat())
}

#[test]
fn the_shards_tell_what_one_run_tells() {
    for options in [&[][..], &["--pedantic", "--preview"], &["--rev", "HEAD", "--fail-on", "warning"]] {
        let repo = repo();
        let formats = ["json", "sarif"];
        let wholes = formats.map(|format| repo.run(&[&["check", "--format", format], options].concat()));
        for of in [1, 3, 6] {
            let shards = shards_in(&repo, of, formats, options);
            for ((whole, reports), format) in wholes.iter().zip(shards).zip(formats) {
                let merged = merge(&repo, &reports, &[]).ends_with(whole.status);
                assert_eq!(merged.json(), whole.json(), "{of} shards, {format}");
            }
        }
    }
}

#[test]
fn every_shard_says_that_it_is_one() {
    let repo = repo();
    for (shard, number) in [("1/3", 2), ("2/3", 1), ("3/3", 1)] {
        let (index, of) = shard.split_once('/').unwrap();
        let words = format!("shard {index} of {of}: analyzed {number} of 4 stacks");
        for format in ["text", "json", "sarif", "github", "markdown", "junit"] {
            let run = repo.run(&["check", "--shard", shard, "--format", format]);
            assert!(run.stdout.contains(&words), "{format}: {run}");
            assert!(!run.stdout.contains("No findings."), "{format}: {run}");
        }
        for format in ["concise", "gitlab", "rdjson"] {
            let run = repo.run(&["check", "--shard", shard, "--format", format]);
            assert!(run.stderr.contains(&words), "{format}: {run}");
        }
        let json = repo.run(&["check", "--shard", shard, "--format", "json"]).json();
        validate(&schema("report-v1.json"), &json);
        assert_eq!(json["coverage"]["shard"]["units"], number);
        assert_eq!(json["coverage"]["projects"][0]["head"]["stacks"], number);
    }
}

/// Rule and file of each finding of a shard.
fn found(repo: &Repo, shard: &str) -> Vec<String> {
    let json = repo.run(&["check", "--shard", shard, "--format", "json"]).json();
    let text = |finding: &Json, key: &str| finding[key].as_str().unwrap().to_owned();
    let all = json["diagnostics"].as_array().unwrap().iter();
    all.map(|f| format!("{} {}", text(f, "rule"), text(f, "file"))).collect()
}

#[test]
fn a_finding_belongs_to_the_shard_of_its_stack_or_to_the_first() {
    let repo = repo();
    // The mistake in `a` would be of the first shard, too.
    assert_eq!(found(&repo, "1/4"), ["undefined-dependency stacks/deploy/d.yaml"]);
    assert_eq!(found(&repo, "2/4"), ["merge-type-conflict stacks/deploy/b.yaml"]);
    assert_eq!(found(&repo, "3/4"), ["secret-in-plain-text stacks/deploy/c.yaml"]);
    assert_eq!(found(&repo, "4/4"), [""; 0]);
}

#[test]
fn comments_and_baselines_hold_in_shards() {
    let repo = repo();
    repo.edit("stacks/deploy/b.yaml", "ports: none", "ports: none # stacklint: ignore[merge-type-conflict] so it is");
    repo.edit("stacks/deploy/a.yaml", "name: a", "name: a # stacklint: ignore[merge-type-conflict] nothing here");
    let baseline = repo.beside("baseline.json").display().to_string();
    repo.run(&["check", "--write-baseline", &baseline]);
    repo.edit("stacks/deploy/d.yaml", "component: gone", "component: lost");
    let options = ["--baseline", &baseline];
    let whole = repo.run(&[&["check", "--format", "json"][..], &options].concat());
    assert_eq!(whole.json()["suppressed"].as_array().unwrap().len(), 3, "{whole}");
    let merged = merge(&repo, &shards(&repo, 3, "json", &options), &[]).ends_with(whole.status);
    assert_eq!(merged.json(), whole.json());
}

#[test]
fn what_cannot_be_resolved_is_told_by_all_shards_together() {
    let repo = repo();
    repo.write("stacks/deploy/b.yaml", "vars: {stage: b").write("stacks/catalog/box.yaml", "components: {{{");
    for options in [&[][..], &["--strict"], &["--exit-zero"]] {
        let whole = repo.run(&[&["check", "--format", "json"], options].concat());
        let merged = merge(&repo, &shards(&repo, 3, "json", options), &[]).ends_with(whole.status);
        assert_eq!(merged.json(), whole.json());
        let whole = repo.run(&[&["check", "--format", "sarif"], options].concat());
        let merged = merge(&repo, &shards(&repo, 2, "sarif", options), &[]).ends_with(whole.status);
        assert_eq!(merged.json()["runs"][0]["results"], whole.json()["runs"][0]["results"]);
    }
}

#[test]
fn all_systems_can_be_split() {
    for name in ["review/head", "planting/jit-environments", "demo-garden/head", "planting/tofu-monorepo"] {
        let repo = Repo::new();
        repo.copy(&fixture(name), "").commit("base");
        let whole = repo.run(&["check", "--format", "json", "--pedantic"]);
        assert!(whole.status < 2, "{name}: {whole}");
        let merged = merge(&repo, &shards(&repo, 2, "json", &["--pedantic"]), &[]).ends_with(whole.status);
        assert_eq!(merged.json(), whole.json(), "{name}");
    }
}

#[test]
fn shards_of_one_stack_may_be_empty() {
    let repo = Repo::atmos();
    repo.write("stacks/deploy/a.yaml", "vars: {stage: a}\ncomponents: {terraform: {box: {}}}\n").commit("base");
    repo.run(&["check", "--shard", "1/3"]).says("analyzed 1 of 1 stack");
    repo.run(&["check", "--shard", "3/3", "--strict"]).ends_with(0).says("analyzed 0 of 1 stack");
    let whole = repo.run(&["check", "--format", "json", "--strict"]);
    let merged = merge(&repo, &shards(&repo, 3, "json", &["--strict"]), &[]).ends_with(whole.status);
    assert_eq!(merged.json(), whole.json());
}

#[test]
fn wrong_shards_are_wrong_usage() {
    let repo = repo();
    for shard in ["0/3", "4/3", "x", "", "1", "3/0", "-1/3", "1/2/3", "1/100000000000000000000"] {
        repo.run(&["check", &format!("--shard={shard}")]).ends_with(2).complains("--shard");
    }
    for options in [&["--stack", "a"][..], &["--fix"], &["--write-baseline", "x.json"], &["stacks"]] {
        repo.run(&[&["check", "--shard", "1/2"], options].concat()).ends_with(2);
    }
}

#[test]
fn reports_that_do_not_fit_together_are_refused() {
    let repo = repo();
    let paths = shards(&repo, 2, "json", &[]);
    merge(&repo, &paths[..1], &[]).ends_with(2).complains("the report of shard 2 of 2 is missing");
    let twice = [paths[0].clone(), paths[0].clone()];
    merge(&repo, &twice, &[]).ends_with(2).complains("are both of shard 1");
    let sarif = shards(&repo, 2, "sarif", &[]);
    let mixed = [paths[0].clone(), sarif[1].clone()];
    merge(&repo, &mixed, &[]).ends_with(2).complains("are reports of different formats");
    let other = repo.beside("other.json").display().to_string();
    repo.run(&["check", "--shard", "2/2", "--pedantic", "--output", &format!("json={other}")]);
    merge(&repo, &[paths[0].clone(), other.clone()], &[]).ends_with(2).complains("are of different checks");
    repo.edit("stacks/deploy/c.yaml", "name: c", "name: e").commit("head");
    repo.run(&["check", "--rev", "HEAD", "--shard", "2/2", "--output", &format!("json={other}")]);
    merge(&repo, &[paths[0].clone(), other], &[]).ends_with(2).complains("different revisions");
    let whole = repo.beside("whole.json").display().to_string();
    repo.run(&["check", "--output", &format!("json={whole}")]);
    merge(&repo, &[whole], &[]).ends_with(2).complains("it covers no shard");
    merge(&repo, &["nowhere.json".to_owned()], &[]).ends_with(2).complains("cannot read the report nowhere.json");
    repo.run(&["merge-reports"]).ends_with(2);
}

#[test]
fn the_exit_code_follows_the_findings_of_all() {
    let repo = repo();
    let paths = shards(&repo, 2, "json", &[]);
    merge(&repo, &paths, &[])
        .ends_with(1)
        .complains("2 shards: 2 errors, 1 warning; checked 4 stacks, 4 components; atmos.yaml");
    merge(&repo, &paths, &["--fail-on", "never"]).ends_with(0);
    let out = repo.beside("out.json").display().to_string();
    let run = merge(&repo, &paths, &["--out", &out]).ends_with(1);
    assert_eq!(run.stdout, "");
    let json: Json = serde_json::from_str(&std::fs::read_to_string(out).unwrap()).unwrap();
    validate(&schema("report-v1.json"), &json);
}
