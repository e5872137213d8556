//! The stages together: projects in memory, resolved.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod actions;
mod findings;
mod properties;
mod schema;
mod variables;

use super::*;
use crate::dialects::VariableInput;
use crate::source::Memory;
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;

/// A project with two environments.
const PROJECT: &str = "\
apiVersion: garden.io/v2
kind: Project
name: shop
environments:
  - name: dev
    variables: {stage: dev, replicas: 1}
  - name: prod
    variables: {stage: prod, replicas: 3}
providers:
  - name: exec
variables: {region: eu}
";

/// A project in memory.
#[derive(Clone, Debug, Default)]
struct World {
    files: BTreeMap<String, Vec<u8>>,
    project: Project,
    limits: Limits,
}

impl World {
    fn of(project: &str) -> Self {
        World::default().file("project.garden.yml", project)
    }

    /// The usual project with actions in a file.
    fn with(actions: &str) -> Self {
        World::of(PROJECT).file("a/garden.yml", actions)
    }

    fn file(mut self, path: &str, text: &str) -> Self {
        self.files.insert(path.to_owned(), text.as_bytes().to_vec());
        self
    }

    fn var(mut self, name: &str, text: &str) -> Self {
        let input = VariableInput::Value { name: name.to_owned(), text: text.to_owned() };
        self.project.inputs.variables.push(input);
        self
    }

    fn resolve(&self, files: &Files) -> Resolution {
        let source = Memory::new("memory", self.files.clone());
        let resolve = || Garden::with_limits(self.limits).resolve(&source, &self.project, files, Scope::All);
        threads::with_deep_stack(resolve)
    }

    /// `{stack: {kind.name: value}}`.
    fn stacks(&self) -> Json {
        let mut out = json!({});
        for ((stack, kind, name), placed) in self.resolve(&Files::default()).components() {
            out[&*stack][format!("{kind}.{name}")] = serde_json::to_value(&placed.component.value).unwrap();
        }
        out
    }

    /// The configuration of a component in `dev`.
    #[track_caller]
    fn dev(&self, key: &str) -> Json {
        let all = self.stacks();
        let found = all["dev"][key].clone();
        assert!(!found.is_null(), "no {key} in {all:#}; {:#?}", self.findings());
        found
    }

    /// The command of a Run action called `x` in `dev`.
    #[track_caller]
    fn command(&self) -> Json {
        self.dev("run.x")["spec"]["command"].clone()
    }

    /// `rule file:line message` of all findings.
    fn findings(&self) -> Vec<String> {
        let files = Files::default();
        let mut out = Vec::new();
        for finding in &self.resolve(&files).findings {
            let (file, at) = (files.get(finding.primary.file), &finding.primary);
            let line = file.position(at.start).line;
            out.push(format!("{} {}:{line} {}", finding.rule.id(), file.path, finding.message));
        }
        out
    }

    /// Returns the lines that decided a value: where it is written, and what it was computed from.
    fn lines(&self, stack: &str, key: &str, path: &[&str]) -> Vec<String> {
        let files = Files::default();
        let resolution = self.resolve(&files);
        let (kind, name) = key.split_once('.').unwrap();
        let components = resolution.components();
        let placed = &components[&(stack.into(), kind.into(), name.into())];
        let value = path.iter().try_fold(&placed.component.value, |value, key| match key.parse::<usize>() {
            Ok(index) => value.as_list()?.get(index),
            Err(_) => value.get(key),
        });
        let mut out = Vec::new();
        value.unwrap().prov.for_each_input(&mut |origin| {
            let file = files.get(origin.file);
            out.push(format!("{}:{}", file.path, file.line(origin.key)));
        });
        out.dedup();
        out
    }
}
