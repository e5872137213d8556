//! A runner: the steps of `action.yml` in the environment that GitHub describes.

use crate::common::{Repo, bin, git_in};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The action's definition.
pub(crate) fn definition() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("action.yml");
    yaml_serde::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// A repository on a server, and a clone of it on a runner.
pub(crate) struct Runner {
    pub(crate) origin: Repo,
    pub(crate) clone: PathBuf,
    temp: PathBuf,
}

/// The results of a job.
#[derive(Debug, Default)]
pub(crate) struct Job {
    pub(crate) status: i32,
    pub(crate) log: String,
    pub(crate) outputs: BTreeMap<String, String>,
    pub(crate) summary: String,
}

impl Runner {
    /// Serves a repository. Like GitHub, it provides commits by their ids.
    pub(crate) fn new(origin: Repo) -> Self {
        origin.git(&["config", "uploadpack.allowAnySHA1InWant", "true"]);
        let (clone, temp) = (origin.beside("clone"), origin.beside("temp"));
        std::fs::create_dir(&temp).unwrap();
        Runner { origin, clone, temp }
    }

    /// Checks a commit out as actions/checkout does: `depth` commits, nothing else.
    pub(crate) fn checkout(&self, commit: &str, depth: usize) -> &Self {
        let url = format!("file://{}", self.origin.root().display());
        std::fs::create_dir(&self.clone).unwrap();
        let git = |arguments: &[&str]| git_in(&self.clone, arguments);
        git(&["init", "--quiet", "."]);
        git(&["remote", "add", "origin", &url]);
        match depth {
            0 => git(&["fetch", "--quiet", "origin", "+refs/heads/*:refs/remotes/origin/*", commit]),
            _ => git(&["fetch", "--quiet", "--no-tags", &format!("--depth={depth}"), "origin", commit]),
        };
        git(&["checkout", "--quiet", "--detach", commit]);
        self
    }

    /// A folder for programs that come before those of the machine.
    pub(crate) fn programs(&self) -> PathBuf {
        let folder = self.temp.join("bin");
        std::fs::create_dir_all(&folder).unwrap();
        folder
    }

    /// Runs the job of an event.
    pub(crate) fn run(&self, event: &str, payload: &Value, inputs: &[(&str, &str)]) -> Job {
        self.run_on("refs/heads/topic", event, payload, inputs)
    }

    /// Runs the job of an event on a reference.
    pub(crate) fn run_on(&self, reference: &str, event: &str, payload: &Value, inputs: &[(&str, &str)]) -> Job {
        let definition = definition();
        let mut context: BTreeMap<String, String> = BTreeMap::new();
        for (name, input) in definition["inputs"].as_object().unwrap() {
            let default = input["default"].as_str().unwrap().replace("${{ github.token }}", "token");
            context.insert(format!("inputs.{name}"), default);
        }
        context.insert("inputs.binary".to_owned(), bin().to_str().unwrap().to_owned());
        for (name, value) in inputs {
            context.insert(format!("inputs.{name}"), (*value).to_owned()).expect("an input of the action");
        }
        // Empty for an action in the folder of the workflow.
        context.insert("github.action_ref".to_owned(), String::new());
        context.insert("github.action_path".to_owned(), env!("CARGO_MANIFEST_DIR").to_owned());
        context.insert("github.action_repository".to_owned(), String::new());
        context.insert("github.token".to_owned(), "token".to_owned());
        let number = payload["pull_request"]["number"].to_string().replace("null", "");
        context.insert("github.event.pull_request.number".to_owned(), number);

        let file = |name: &str, text: &str| {
            let path = self.temp.join(name);
            std::fs::write(&path, text).unwrap();
            path
        };
        let event_file = file("event.json", &payload.to_string());
        let summary = file("summary.md", "");
        let mut job = Job::default();
        for step in definition["runs"]["steps"].as_array().unwrap().iter().filter(|s| s["run"].is_string()) {
            let id = step["id"].as_str().unwrap();
            let outputs = file(&format!("output-{id}"), "");
            let mut command = Command::new("bash");
            command.args(["--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step["run"].as_str().unwrap()]);
            let path = format!("{}:{}", self.programs().display(), std::env::var("PATH").unwrap());
            command.env_clear().current_dir(&self.clone).env("PATH", path);
            command.env("HOME", "/nonexistent").env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null");
            command.env("CI", "true").env("GITHUB_ACTIONS", "true").env("RUNNER_TEMP", &self.temp);
            command.env("GITHUB_REPOSITORY", "acme/infra").env("GITHUB_WORKSPACE", &self.clone);
            command.env("GITHUB_EVENT_NAME", event).env("GITHUB_EVENT_PATH", &event_file).env("GITHUB_REF", reference);
            command
                .env("GITHUB_OUTPUT", &outputs)
                .env("GITHUB_STEP_SUMMARY", &summary)
                .env("COMMENTS", self.comments());
            for (name, value) in step["env"].as_object().unwrap() {
                command.env(name, evaluate(value.as_str().unwrap(), &context));
            }
            let output = command.output().unwrap();
            job.log += &String::from_utf8(output.stdout).unwrap();
            job.log += &String::from_utf8(output.stderr).unwrap();
            for line in std::fs::read_to_string(&outputs).unwrap().lines() {
                let (name, value) = line.split_once('=').expect("outputs are lines of NAME=VALUE");
                context.insert(format!("steps.{id}.outputs.{name}"), value.to_owned());
            }
            job.status = output.status.code().unwrap();
            if job.status != 0 {
                break;
            }
        }
        for (name, output) in definition["outputs"].as_object().unwrap() {
            job.outputs.insert(name.clone(), evaluate(output["value"].as_str().unwrap(), &context));
        }
        job.summary = std::fs::read_to_string(summary).unwrap();
        job
    }

    /// Where the fake service keeps comments: one file each, named by its number.
    pub(crate) fn comments(&self) -> PathBuf {
        let folder = self.temp.join("comments");
        std::fs::create_dir_all(&folder).unwrap();
        folder
    }
}

/// The value of a text with an expression; what a step did not set is empty.
fn evaluate(text: &str, context: &BTreeMap<String, String>) -> String {
    let Some((before, rest)) = text.split_once("${{") else { return text.to_owned() };
    let (name, after) = rest.split_once("}}").unwrap();
    let name = name.trim();
    let value = context.get(name);
    assert!(value.is_some() || name.starts_with("steps."), "what is {name}?");
    format!("{before}{}{}", value.cloned().unwrap_or_default(), evaluate(after, context))
}

impl Job {
    #[track_caller]
    pub(crate) fn ends_with(self, status: i32) -> Self {
        assert_eq!(self.status, status, "{self:#?}");
        self
    }

    #[track_caller]
    pub(crate) fn says(self, text: &str) -> Self {
        assert!(self.log.contains(text), "no {text:?} in {self:#?}");
        self
    }

    /// Whether outputs have these values.
    #[track_caller]
    pub(crate) fn sets(self, expected: &[(&str, &str)]) -> Self {
        for (name, value) in expected {
            assert_eq!(self.outputs[*name], *value, "{name} of {self:#?}");
        }
        self
    }

    /// Returns the content of the report in an output.
    #[track_caller]
    pub(crate) fn file(&self, output: &str) -> String {
        std::fs::read_to_string(&self.outputs[output]).unwrap_or_else(|e| panic!("{output}: {e} in {self:#?}"))
    }
}
