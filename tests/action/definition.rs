//! Invariants of `action.yml` and the workflows as written.

use crate::runner::definition;
use serde_json::Value;
use std::path::Path;
use std::process::Command;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every `run` in a document.
fn scripts(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            found.extend(map.get("run").and_then(Value::as_str).map(str::to_owned));
            map.values().for_each(|v| scripts(v, found));
        }
        Value::Array(list) => list.iter().for_each(|v| scripts(v, found)),
        _ => {}
    }
}

fn workflows() -> Vec<std::path::PathBuf> {
    let folder = root().join(".github/workflows");
    std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect()
}

#[test]
fn no_script_has_an_expression_in_it() {
    for path in workflows().into_iter().chain([root().join("action.yml")]) {
        let value: Value = yaml_serde::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        let mut found = Vec::new();
        scripts(&value, &mut found);
        assert!(!found.is_empty(), "{}", path.display());
        for script in found {
            assert!(!script.contains("${{"), "{}: {script}", path.display());
        }
    }
}

#[test]
fn every_variable_of_a_script_is_given_and_every_input_is_used() {
    let definition = definition();
    let text = std::fs::read_to_string(root().join("action.yml")).unwrap();
    for input in definition["inputs"].as_object().unwrap().keys() {
        assert!(text.contains(&format!("inputs.{input} ")), "{input} is not used");
    }
    for step in definition["runs"]["steps"].as_array().unwrap().iter().filter(|s| s["run"].is_string()) {
        let name = step["id"].as_str().unwrap();
        let script = std::fs::read_to_string(root().join(format!("action/{name}.sh"))).unwrap();
        let given = step["env"].as_object().unwrap();
        for word in script.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|w| w.starts_with("INPUT_")) {
            assert!(given.contains_key(word), "{name}: {word} is not given");
        }
        for variable in given.keys() {
            assert!(
                script.contains(variable) || variable == "ACTION_PATH" || variable == "GH_TOKEN",
                "{name}: {variable}"
            );
        }
    }
}

#[test]
fn the_page_of_a_change_is_kept_as_an_artifact() {
    let definition = definition();
    let steps = definition["runs"]["steps"].as_array().unwrap();
    let step = steps.iter().find(|step| step["id"] == "page").unwrap();
    assert!(step["uses"].as_str().unwrap().starts_with("actions/upload-artifact@"));
    assert_eq!(step["with"]["path"], "${{ steps.run.outputs.page-file }}");
    assert_eq!(step["with"]["name"], "${{ inputs.page }}");
    assert_eq!(step["if"], "inputs.page != '' && steps.run.outputs.page-file != ''");
    // Neither a taken name nor a server without artifacts decides over a change.
    assert_eq!(step["continue-on-error"], true);
    let place = |id: &str| steps.iter().position(|step| step["id"] == id).unwrap();
    assert!(place("run") < place("page") && place("page") < place("finish"));
}

/// A tag can be moved to other code; a commit cannot.
#[test]
fn actions_are_pinned_by_commit() {
    for path in workflows().into_iter().chain([root().join("action.yml")]) {
        let text = std::fs::read_to_string(&path).unwrap();
        for line in text.lines().filter_map(|line| line.trim().trim_start_matches("- ").strip_prefix("uses: ")) {
            let (action, version) = line.split_once(" # ").unwrap_or((line, ""));
            let commit = action.rsplit_once('@').map_or("", |(_, commit)| commit);
            let is_commit = commit.len() == 40 && commit.bytes().all(|b| b.is_ascii_hexdigit());
            assert!(action == "./" || is_commit && version.starts_with('v'), "{}: {line}", path.display());
        }
    }
}

/// Where actionlint is installed it reads the workflows, and the use of the action in them.
#[test]
fn actionlint_has_nothing_to_say() {
    let output =
        match Command::new("actionlint").args(["-no-color", "-oneline"]).args(workflows()).current_dir(root()).output()
        {
            Ok(output) => output,
            Err(_) => return eprintln!("actionlint is not installed: left out"),
        };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}
