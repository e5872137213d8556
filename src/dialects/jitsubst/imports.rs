//! A file with everything it imports, depth first (`reference: jitsubst.md` section 6.1).

use super::config::{self, Config};
use crate::diagnostic::{Diagnostic, Label};
use crate::diagnostic::{Diagnostics, value_label};
use crate::dialects::jitsubst::rules;
use crate::dialects::yaml_file::{YamlFile, YamlLoader};
use crate::limits::Limit;
use crate::paths;
use crate::reads::Unread;
use crate::text::Text;
use crate::value::{Map, Origin, Value};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A configuration with the files it came from.
#[derive(Default)]
pub(crate) struct Imported {
    /// The configuration; `None` if a file could not be used.
    pub config: Option<Config>,
    /// The files, the main one first, in the order in which they were met.
    pub files: Vec<Arc<YamlFile>>,
}

/// Loads a file and what it imports.
pub(crate) fn load(loader: &YamlLoader<'_>, path: &str, diagnostics: &Diagnostics) -> Imported {
    let mut walk = ImportWalk { loader, diagnostics, open: Vec::new(), files: Vec::new(), seen: BTreeSet::new() };
    let mut config = walk.file(path, None, &Arc::from([]));
    if let Some(config) = &mut config {
        config.add_secrets_of_modules();
    }
    Imported { config, files: walk.files }
}

struct ImportWalk<'a, 's> {
    loader: &'a YamlLoader<'a>,
    diagnostics: &'s Diagnostics,
    /// The files on the way here, each with the import that leads on from it.
    open: Vec<(String, Label)>,
    files: Vec<Arc<YamlFile>>,
    seen: BTreeSet<String>,
}

impl ImportWalk<'_, '_> {
    /// Reads a file with its imports; `None` if any of it cannot be used.
    fn file(&mut self, path: &str, import: Option<(&Value, &YamlFile)>, way: &Arc<[Origin]>) -> Option<Config> {
        let loaded = match self.loader.load(path) {
            Ok(loaded) => loaded,
            Err(Unread { message, is_unavailable }) => {
                let label = self.site(import);
                self.diagnostics.push(Diagnostic::new(rules::unread(is_unavailable), message, label));
                return None;
            }
        };
        let Some(loaded) = loaded else {
            self.missing(path, import);
            return None;
        };
        if !self.seen.insert(path.to_owned()) {
            // Who comes first wins, so a file that was taken in before has nothing to add.
            return Some(Config::default());
        }
        self.files.push(Arc::clone(&loaded));
        let value = match &loaded.value {
            Ok(value) => value,
            Err(problems) => {
                for problem in problems {
                    self.diagnostics.push(problem.clone());
                }
                return None;
            }
        };
        let root = match value.as_map() {
            Some(root) => Arc::clone(root),
            None if value.is_null() => Arc::new(Map::new()),
            None => {
                let message = format!("a configuration must be a map, not a {}", value.kind());
                self.diagnostics.push(Diagnostic::new(
                    &rules::INVALID_CONFIG,
                    message,
                    value_label(&value.prov, loaded.file, ""),
                ));
                return None;
            }
        };
        let mut whole = Some(Config::read(&root, loaded.file, way, self.diagnostics));
        let imports = config::list(&root, "imports", loaded.file, self.diagnostics);
        let all: Vec<Option<Config>> = imports.iter().map(|import| self.import(path, &loaded, import, way)).collect();
        match (&mut whole, all.into_iter().collect()) {
            (Some(config), Some(all)) => config.import(all),
            _ => whole = None,
        }
        whole
    }

    fn import(&mut self, path: &str, loaded: &YamlFile, import: &Value, way: &Arc<[Origin]>) -> Option<Config> {
        let place = value_label(&import.prov, loaded.file, "");
        let Some(text) = config::text(import) else {
            let message = format!("an import must be the path of a file, not a {}", import.kind());
            self.diagnostics.push(Diagnostic::new(&rules::INVALID_CONFIG, message, place));
            return None;
        };
        let Some(target) = paths::resolve(paths::parent(path), &text) else {
            let message = format!("`{text}` is outside of the repository");
            self.diagnostics.push(Diagnostic::new(&rules::UNRESOLVED_IMPORT, message, place).token(&*text));
            return None;
        };
        if target == path || self.open.iter().any(|(p, _)| *p == target) {
            self.cycle(path, &target, place);
            return None;
        }
        let limits = self.loader.reader.limits();
        if self.open.len() >= limits.count(Limit::ImportDepth) {
            let exceeded = limits.exceeded(Limit::ImportDepth);
            let message = format!("imports are nested deeper than {} files", exceeded.value);
            self.diagnostics.push(Diagnostic::new(&rules::LIMIT_EXCEEDED, message, place).help(exceeded.help()));
            return None;
        }
        self.open.push((path.to_owned(), place));
        let way: Arc<[Origin]> = way.iter().copied().chain(import.prov.origin).collect();
        let config = self.file(&target, Some((import, loaded)), &way);
        self.open.pop();
        config
    }

    fn cycle(&mut self, path: &str, target: &str, place: Label) {
        let from = self.open.iter().position(|(p, _)| p == target).unwrap_or(self.open.len());
        let mut steps: Vec<(String, Label)> = self.open[from..].to_vec();
        steps.push((path.to_owned(), place.clone()));
        let mut names: Vec<String> = steps.iter().map(|(p, _)| format!("`{p}`")).collect();
        names.push(format!("`{target}`"));
        let message = format!("files import each other: {}", names.join(" → "));
        let mut finding = Diagnostic::new(&rules::IMPORT_CYCLE, message, place).chain().token(target);
        if steps.len() > 1 {
            for (i, (path, at)) in steps.iter().enumerate() {
                let next = steps.get(i + 1).map_or(target, |(p, _)| p);
                finding = finding.related(Label { message: format!("`{path}` imports `{next}`"), ..at.clone() });
            }
        }
        self.diagnostics.push(finding);
    }

    fn missing(&mut self, path: &str, import: Option<(&Value, &YamlFile)>) {
        let label = self.site(import);
        let (rule, message) = match import {
            Some(_) => (&rules::UNRESOLVED_IMPORT, format!("there is no file `{path}`")),
            None => (&rules::INVALID_CONFIG, format!("the configuration file {path} does not exist")),
        };
        let mut finding = Diagnostic::new(rule, message, label).token(path);
        if import.is_some() {
            let manifests = [".yaml", ".yml"].map(|ending| self.loader.reader.below("", ending));
            let near = crate::text::nearest(path, manifests.iter().flatten().map(|entry| &*entry.path));
            finding.help = near.map(|n| format!("did you mean `{n}`?"));
        }
        self.diagnostics.push(finding);
    }

    fn site(&self, import: Option<(&Value, &YamlFile)>) -> Label {
        match import {
            Some((value, loaded)) => value_label(&value.prov, loaded.file, ""),
            None => Label::new(self.loader.reader.files.add("infra.yaml", "", || Text::from("")), 0, 0, ""),
        }
    }
}
