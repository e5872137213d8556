//! The stages together: projects in memory, resolved.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod backend;
mod change_reach;
mod component_validation;
mod config;
mod custom_schema;
mod custom_types;
mod deferred_functions;
mod edits;
mod evaluated_functions;
mod fuzz;
mod imports;
mod inheritance;
mod locals;
mod merge;
mod merge_pairs;
mod names;
mod narrowed;
mod overrides;
mod properties;
mod scalars;
mod sections;
mod templates;
mod validate_stacks;
mod vendor;
mod workflows;

use super::*;
use crate::diagnostic::Diagnostic;
use crate::source::Memory;
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A configuration that names stacks by their `stage`, with templates on.
const ATMOS: &str = "\
base_path: .
stacks: {base_path: stacks, included_paths: ['deploy/**/*'], excluded_paths: ['**/_*'], name_pattern: '{stage}'}
components: {terraform: {base_path: components/terraform}, helmfile: {base_path: components/helmfile}}
templates: {settings: {enabled: true, sprig: {enabled: true}, gomplate: {enabled: true}}}
";

/// A project in memory.
#[derive(Clone)]
struct World {
    files: BTreeMap<String, Vec<u8>>,
    project: Project,
    /// Whether the schema may reject it.
    refused: bool,
}

impl World {
    fn new() -> Self {
        World { files: BTreeMap::new(), project: Project::default(), refused: false }.file("atmos.yaml", ATMOS)
    }

    fn file(mut self, path: &str, text: &str) -> Self {
        self.files.insert(path.to_owned(), text.as_bytes().to_vec());
        self
    }

    /// A manifest or another file below `stacks`.
    fn stack(self, path: &str, text: &str) -> Self {
        self.file(&format!("stacks/{path}"), text)
    }

    /// More settings below [`ATMOS`], which must not have their keys yet.
    fn atmos(self, more: &str) -> Self {
        self.file("atmos.yaml", &format!("{ATMOS}{more}"))
    }

    /// The settings with a part replaced.
    #[track_caller]
    fn set(mut self, from: &str, to: &str) -> Self {
        let text = String::from_utf8(self.files["atmos.yaml"].clone()).expect("text");
        assert!(text.contains(from), "no {from:?}");
        self.files.insert("atmos.yaml".to_owned(), text.replace(from, to).into_bytes());
        self
    }

    /// Findings of the schema are ignored: Atmos would resolve it.
    fn refused(mut self) -> Self {
        self.refused = true;
        self
    }

    fn env(mut self, name: &str, value: &str) -> Self {
        self.project.env.insert(name.to_owned(), value.to_owned());
        self
    }

    fn resolution(&self) -> Resolution {
        let source = Memory::new("memory", self.files.clone());
        Atmos::new().resolve(&source, &self.project, &Files::default(), Scope::All)
    }

    /// Returns the output of `describe stacks`, as far as it resolves.
    fn stacks(&self) -> Json {
        let mut out = Json::Object(serde_json::Map::new());
        for ((stack, kind, name), placed) in self.resolution().components() {
            let json = serde_json::to_value(&placed.component.value).expect("JSON");
            out[&*stack]["components"][&*kind][&*name] = json;
        }
        out
    }

    /// `stack/component` of all components, and nothing is wrong.
    #[track_caller]
    fn names(&self) -> Vec<String> {
        let resolution = self.resolution();
        assert_eq!(self.findings(), [""; 0]);
        resolution.components().keys().map(|(stack, _, name)| format!("{stack}/{name}")).collect()
    }

    /// A Terraform component of stack `dev`; nothing keeps anything from being resolved.
    #[track_caller]
    fn get(&self, component: &str) -> Json {
        let (findings, stacks) = (self.findings_that(|d| d.is_breaking), self.stacks());
        let found = stacks["dev"]["components"]["terraform"][component].clone();
        assert!(findings.is_empty() && !found.is_null(), "{findings:#?}\n{stacks:#}");
        found
    }

    /// `rule file:line message` of what is wrong.
    fn findings(&self) -> Vec<String> {
        self.findings_that(|_| true)
    }

    fn findings_that(&self, keep: impl Fn(&Diagnostic) -> bool) -> Vec<String> {
        let files = Files::default();
        let source = Memory::new("memory", self.files.clone());
        let resolution = Atmos::new().resolve(&source, &self.project, &files, Scope::All);
        let line = |d: &Diagnostic| {
            let file = files.get(d.primary.file);
            format!("{} {}:{} {}", d.rule.id(), file.path, file.line(d.primary.start), d.message)
        };
        let is_counted = |d: &&Diagnostic| d.is_breaking || !self.refused && d.rule.id() != "deprecated-key";
        resolution.findings.iter().filter(is_counted).filter(|d| keep(d)).map(line).collect()
    }

    /// The only finding; all its `parts` occur in order.
    #[track_caller]
    fn fails(&self, parts: &[&str]) {
        let findings = self.findings();
        assert_eq!(findings.len(), 1, "{findings:#?}\n{:#}", self.stacks());
        let mut rest = &*findings[0];
        for part in parts {
            let at = rest.find(part).unwrap_or_else(|| panic!("no {part:?} in {:?}", findings[0]));
            rest = &rest[at + part.len()..];
        }
    }
}

/// The project of one manifest, of stack `dev`.
fn dev(text: &str) -> World {
    World::new().stack("deploy/dev.yaml", &format!("vars: {{stage: dev}}\n{text}"))
}

/// Component `box` of one manifest.
#[track_caller]
fn boxed(text: &str) -> Json {
    dev(text).get("box")
}

/// YAML (JSON mostly) as JSON.
#[track_caller]
fn json(text: &str) -> Json {
    yaml_serde::from_str(text).expect("YAML")
}

/// A map as it is written in a manifest, tags and all.
#[track_caller]
fn map(text: &str) -> Arc<crate::value::Map> {
    let place = |_: u32, _: crate::yaml::Span| crate::value::Prov::default();
    let decoder =
        document::Decoder { place: &place, include: Some(&NoFiles), delimiter: None, limits: Default::default() };
    let doc = crate::yaml::parse(text.as_bytes()).expect("YAML");
    decoder.decode(&doc).expect("a manifest").as_map().cloned().unwrap_or_default()
}

struct NoFiles;

impl document::Include for NoFiles {
    fn include(
        &self,
        path: &str,
        _: bool,
        _: &crate::value::Prov,
    ) -> Result<crate::value::Value, document::NotIncluded> {
        Err(format!("no {path}").into())
    }
}
