//! The stages together: projects in memory, resolved, and templates with a context.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod eval;
mod findings;
mod imports;
mod overlay;
mod plan;
mod properties;

use super::*;
use crate::source::Memory;
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;

/// A project in memory.
#[derive(Clone, Debug, Default)]
struct World {
    files: BTreeMap<String, Vec<u8>>,
    project: Project,
}

impl World {
    fn new(infra: &str) -> Self {
        World::default().file("infra.yaml", infra)
    }

    fn file(mut self, path: &str, text: &str) -> Self {
        self.files.insert(path.to_owned(), text.as_bytes().to_vec());
        self
    }

    fn variables(mut self, names: &[&str]) -> Self {
        self.project.variables = Some(names.iter().map(|n| (*n).to_owned()).collect());
        self
    }

    fn source(&self) -> Memory {
        Memory::new("memory", self.files.clone())
    }

    fn resolve(&self, files: &Files) -> Resolution {
        Jitsubst::new().resolve(&self.source(), &self.project, files, Scope::All)
    }

    /// `{stack: {name: value}}`, the plan of each stack included.
    fn stacks(&self) -> Json {
        let mut out = json!({});
        for ((stack, _, name), placed) in self.resolve(&Files::default()).components() {
            out[&*stack][&*name] = serde_json::to_value(&placed.component.value).unwrap();
        }
        out
    }

    /// The configuration of a resource.
    #[track_caller]
    fn config(&self, stack: &str, name: &str) -> Json {
        let all = self.stacks();
        let found = all[stack][name].clone();
        assert!(!found.is_null(), "no {stack}/{name} in {all:#}; {:#?}", self.findings());
        found["config"].clone()
    }

    /// `rule line:column text` of all findings but those about secrets that are not used, with the stacks they reach.
    fn findings(&self) -> Vec<String> {
        let files = Files::default();
        let mut out = Vec::new();
        for finding in self.resolve(&files).findings.iter().filter(|d| d.rule.id() != "jit-unused-secret") {
            let (file, at) = (files.get(finding.primary.file), &finding.primary);
            let place = file.position(at.start);
            let text = &file.text[at.start as usize..at.end as usize];
            let stacks = finding.stacks.join("+");
            let path = if &*file.path == "infra.yaml" { "" } else { &*file.path };
            out.push(format!("{} {path}{}:{} {text} [{stacks}]", finding.rule.id(), place.line, place.column));
        }
        out
    }

    /// The ids of the rules that find something, with the text at the place.
    fn rules(&self) -> Vec<String> {
        let short = |f: String| f.rsplit_once(" [").map_or(f.clone(), |(f, _)| f.to_owned());
        let without_place = |f: String| {
            let mut parts = f.splitn(3, ' ');
            let (rule, _, text) = (parts.next(), parts.next(), parts.next());
            format!("{} {}", rule.unwrap_or_default(), text.unwrap_or_default())
        };
        self.findings().into_iter().map(|f| without_place(short(f))).collect()
    }

    /// The message of the only finding, with notes, help and related places.
    #[track_caller]
    fn words(&self) -> String {
        let found = self.resolve(&Files::default()).findings;
        assert_eq!(found.len(), 1, "{found:#?}");
        let only = &found[0];
        let related = only.related.iter().map(|l| l.message.clone());
        std::iter::once(only.message.clone())
            .chain(related)
            .chain(only.notes.iter().cloned())
            .chain(only.help.clone())
            .collect::<Vec<_>>()
            .join(" | ")
    }
}
