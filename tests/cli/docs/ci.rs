//! The pages about hooks and CI: the commands in their files are accepted, and fail where they must.

use super::blocks::{Block, all, blocks, pages};
use crate::common::{ATMOS, Repo, fixture, run_in};

#[test]
fn commands_are_understood() {
    let mut seen = 0;
    let of_ci = pages().into_iter().filter(|page| page.starts_with("docs/ci"));
    for page in of_ci.chain(["docs/hooks.md", "docs/merge.md"].map(str::to_owned)) {
        for block in blocks(&page).into_iter().filter(|block| block.language != "console") {
            for line in block.content.lines().map(|l| l.trim_start().trim_start_matches("- ")) {
                let key = ["entry: ", "run: ", "script: "].iter().find_map(|k| line.strip_prefix(k));
                let Some(rest) = key.unwrap_or(line).strip_prefix("stacklint ") else { continue };
                let rest = rest.replace("{{ .Flags.base }}", "main").replace('"', "");
                let mut words: Vec<&str> = rest.split(['#', '>', '|']).next().unwrap().split_whitespace().collect();
                words.push("--help");
                run_in(&fixture(""), &words, &[]).ends_with(0);
                seen += 1;
            }
        }
    }
    assert!(seen >= 11, "only {seen} commands were found");
}

#[test]
fn the_example_of_root_modules_is_what_it_prints() {
    let repo = Repo::new();
    let (mut edits, mut outputs) = (0, 0);
    for Block { language, content, name, .. } in all("docs/opentofu.md") {
        match (language.as_str(), name) {
            ("hcl", Some(path)) => _ = repo.write(&path, content),
            ("diff", Some(path)) => {
                repo.commit("base");
                let lines = |sign: char| {
                    let lines =
                        content.lines().filter_map(|line| line.strip_prefix(sign)).map(|line| format!("{line}\n"));
                    lines.collect::<String>()
                };
                repo.edit(&path, lines('-').trim_start(), lines('+').trim_start()).commit("head");
                edits += 1;
            }
            ("console", _) => {
                let (command, expected) = content.split_once('\n').unwrap();
                let words =
                    command.strip_prefix("$ stacklint ").unwrap().split(' ').map(|word| word.trim_matches('\''));
                if !expected.starts_with('$') {
                    let run = repo.run(&words.collect::<Vec<_>>());
                    assert_eq!(run.stdout.trim(), expected.trim(), "{command}");
                    outputs += 1;
                }
            }
            _ => {}
        }
    }
    assert_eq!((edits, outputs), (1, 3));
}

#[test]
fn the_commands_of_atmos_do_no_harm() {
    let block =
        blocks("docs/ci/atmos.md").into_iter().find(|block| block.name.as_deref() == Some("atmos.yaml")).unwrap();
    let repo = Repo::new();
    repo.write("atmos.yaml", format!("{ATMOS}{}", block.content))
        .write("stacks/deploy/dev.yaml", "vars: {stage: dev}\ncomponents: {terraform: {box: {}}}\n");
    repo.run(&["check"]).ends_with(0).says("No findings");
}

/// The scripts of a value of YAML: of the keys `run` and `script`, each text or a list.
pub(super) fn scripts(value: &serde_json::Value, found: &mut Vec<String>) {
    match value {
        serde_json::Value::Object(map) => {
            for (key, value) in map {
                match (matches!(&**key, "run" | "script" | "entry"), value) {
                    (true, serde_json::Value::String(text)) => found.push(text.clone()),
                    (true, serde_json::Value::Array(lines)) => {
                        let lines: Vec<&str> = lines.iter().filter_map(|line| line.as_str()).collect();
                        found.push(lines.join("\n"));
                    }
                    _ => scripts(value, found),
                }
            }
        }
        serde_json::Value::Array(items) => items.iter().for_each(|item| scripts(item, found)),
        _ => {}
    }
}

#[cfg(unix)]
#[test]
fn scripts_fail_if_the_command_fails() {
    let folder = Repo::plain();
    folder.write("bin/stacklint", "#!/bin/sh\nexit 1\n").executable("bin/stacklint");
    for other in ["git", "reviewdog", "pip", "jq", "tofu", "atmos", "terragrunt", "spacectl", "buildkite-agent"] {
        folder.write(&format!("bin/{other}"), "#!/bin/sh\nexit 0\n").executable(&format!("bin/{other}"));
    }
    let mut all = Vec::new();
    for page in pages() {
        for block in blocks(&page) {
            let content = block.content;
            match block.language.as_str() {
                "sh" => all.push(content),
                "groovy" => all.extend(content.split("'''").skip(1).step_by(2).map(str::to_owned)),
                "yaml" => {
                    let parsed = yaml_serde::from_str::<serde_json::Value>(&content);
                    parsed.iter().for_each(|value| scripts(value, &mut all));
                }
                _ => {}
            }
        }
    }
    all.retain(|script| script.contains("stacklint ") && !script.contains("cargo "));
    assert!(all.len() >= 9, "only {} scripts were found", all.len());
    let path = format!("{}:/usr/bin:/bin", folder.root().join("bin").display());
    for script in all {
        let mut bash = std::process::Command::new("bash");
        bash.args(["-e", "-c", &script]).current_dir(folder.root()).env("PATH", &path).env("GITHUB_OUTPUT", "output");
        let output = bash.output().expect("bash");
        assert!(!output.status.success(), "this passes though `stacklint` fails:\n{script}");
    }
}

/// The first state of the example is the first file of each name, the second state the second one.
#[test]
fn the_example_about_code_is_what_is_printed() {
    let repo = Repo::new();
    repo.write("atmos.yaml", ATMOS);
    let page = all("docs/code.md");
    let mut seen: Vec<&str> = Vec::new();
    for block in &page {
        let Some(name) = block.name.as_deref() else { continue };
        if seen.contains(&name) {
            repo.commit("base");
        }
        seen.push(name);
        repo.write(name, &block.content);
    }
    repo.commit("head");
    let mut compared = 0;
    for block in page.iter().filter(|block| block.language == "console") {
        let (command, output) = block.content.split_once('\n').unwrap();
        let words = command.trim_start_matches("$ stacklint ").split(' ').map(|word| word.replace('\'', ""));
        let words: Vec<String> = words.collect();
        let run = repo.run(&words.iter().map(String::as_str).collect::<Vec<_>>()).ends_with(0);
        assert_eq!(run.stdout.trim_end(), output.trim_end(), "{command}");
        compared += 1;
    }
    assert_eq!(compared, 2);
}

/// A template of `packaging/ci`.
fn template(name: &str) -> serde_json::Value {
    yaml_serde::from_str(&super::blocks::read(&format!("packaging/ci/{name}"))).expect("YAML")
}

#[test]
fn templates_use_commands_that_there_are() {
    for name in ["gitlab.yml", "azure.yml"] {
        let mut all = Vec::new();
        scripts(&template(name), &mut all);
        let ours: Vec<&str> = all.iter().filter_map(|script| script.strip_prefix("stacklint ")).collect();
        assert_eq!(ours.len(), 1, "{name}: {all:?}");
        let words: Vec<&str> = ours[0].split_whitespace().chain(["--help"]).collect();
        run_in(&fixture(""), &words, &[]).ends_with(0);
    }
}

#[cfg(unix)]
#[test]
fn the_template_for_azure_makes_a_matrix_of_each_wave() {
    if !std::path::Path::new("/usr/bin/jq").exists() {
        return crate::common::skipped("jq is not installed");
    }
    let azure = template("azure.yml");
    let steps = azure["stages"][0]["jobs"][0]["steps"].as_array().unwrap();
    let script = steps.iter().find_map(|step| step["bash"].as_str()).unwrap();
    let folder = Repo::plain();
    let entry = |name: &str| {
        format!("{{\"name\":\"{name}\",\"stack\":\"s\",\"component\":\"c\",\"folder\":\"f\",\"workspace\":\"\"}}")
    };
    let run = |waves: &str| {
        folder.write("waves.json", format!("{{\"waves\":[{waves}]}}"));
        let mut bash = std::process::Command::new("bash");
        bash.args(["-c", script]).current_dir(folder.root()).env("REPORTS", ".");
        let output = bash.output().expect("bash");
        (output.status.success(), String::from_utf8(output.stdout).expect("UTF-8"))
    };
    let wave = format!("{{\"include\":[{},{}]}}", entry("a.b"), entry("a-b"));
    let (is_done, text) = run(&wave);
    assert!(
        is_done && text.contains("\"a_b_0\":{\"STACK\":\"s\",\"COMPONENT\":\"c\",\"FOLDER\":\"f\",\"WORKSPACE\":\"\"}"),
        "{text}"
    );
    assert!(text.contains("\"a_b_1\"") && text.contains("variable=wave2;isOutput=true]{}"), "{text}");
    // What has no stage does not get lost.
    assert!(!run(&[&*wave; 4].join(",")).0);
}
