//! A JSON Schema of the repository for its manifests (`schemas.atmos.manifest`, `reference: atmos.md` section 10.1).

use crate::diagnostic::Rule;
use crate::diagnostic::{Diagnostic, Label};
use crate::dialects::atmos::config::Config;
use crate::dialects::atmos::diagnostics::label;
use crate::dialects::atmos::paths;
use crate::dialects::atmos::reader::{Deps, Reader};
use crate::dialects::atmos::rules;
use crate::dialects::atmos::shapes::messages::key_label;
use crate::files::Files;
use crate::validation::{Budget, JsonSchema, Unusable, Violation};
use crate::value::{FileId, Prov, Value};

/// A schema of the repository.
#[derive(Debug)]
pub(crate) struct Custom {
    schema: JsonSchema,
    path: String,
    budget: Budget,
}

/// The schema that the configuration names, or what is wrong with it.
pub(super) fn read(
    config: &Config,
    reader: &Reader<'_>,
    deps: &mut Deps,
    anchor: FileId,
) -> Result<Custom, Box<Diagnostic>> {
    let named = &config.manifest_schema;
    let site = config.all.at_path(["schemas", "atmos", "manifest"]).map_or_else(Prov::default, |v| v.prov.clone());
    let finding = |rule, message: String| Diagnostic::new(rule, message, label(&site, anchor, ""));
    let withheld = |why: &str| {
        let message = format!("manifests are not validated: `{named}` {why}");
        Err(Box::new(finding(&rules::INCOMPLETE_ANALYSIS, message)))
    };
    let mut loaded = None;
    for folder in [&config.start, &config.base] {
        let Some(path) = paths::join(folder, named) else { continue };
        loaded = match reader.load(&path, deps) {
            Ok(found) => found,
            Err(why) => {
                return Err(Box::new(finding(crate::diagnostic::rules::unread(why.is_unavailable), why.message)));
            }
        };
        if loaded.is_some() {
            break;
        }
    }
    let Some(loaded) = loaded else {
        if named.contains("://") || named.contains("::") {
            return withheld("is fetched from the network");
        }
        if named.starts_with('/') {
            return withheld("is outside of the repository");
        }
        let message = format!("`schemas.atmos.manifest` names a file that does not exist: {named}");
        let help = "Atmos looks for it in the folder that it is started in, and in `base_path`";
        return Err(Box::new(finding(&rules::INVALID_CONFIG, message).token(named).help(help)));
    };
    let mut read = |path: &str| reader.load(path, deps).ok().flatten().map(|l| l.text.to_string());
    let budget = Budget::default();
    match JsonSchema::read(&loaded.text, &loaded.path, &mut read, &budget) {
        Ok(schema) => Ok(Custom { schema, path: loaded.path.to_string(), budget }),
        Err(Unusable::Exceeded(why)) => {
            let place = Label::new(loaded.file, 0, 0, "");
            Err(Box::new(Diagnostic::new(
                &rules::LIMIT_EXCEEDED,
                format!("this schema is not evaluated: {why}"),
                place,
            )))
        }
        Err(Unusable::Unsupported(why)) => withheld(&format!("is not evaluated, because {why}")),
        Err(Unusable::Wrong(why)) => {
            let message = format!("this cannot be the schema of manifests: {why}");
            let place = Label::new(loaded.file, 0, 0, "");
            let finding = Diagnostic::new(&rules::INVALID_CONFIG, message, place).token("");
            Err(Box::new(finding.related(label(&site, anchor, "named here"))))
        }
    }
}

impl Custom {
    /// Validates a manifest.
    pub(super) fn check(&self, content: &Value, files: &Files, file: FileId) -> Vec<Diagnostic> {
        let place = Label::new(file, 0, 0, "");
        let verdict = match self.schema.check(content, false, &self.budget) {
            Ok(verdict) => verdict,
            Err(Unusable::Wrong(why) | Unusable::Unsupported(why) | Unusable::Exceeded(why)) => {
                let message = format!("this manifest is not validated against {}: {why}", self.path);
                return vec![Diagnostic::new(&rules::LIMIT_EXCEEDED, message, place).token("")];
            }
        };
        let note = format!("the schema is {}", self.path);
        let found = verdict.violations.iter();
        found
            .map(|v| violation(&rules::SCHEMA_VIOLATION, v, content, "a manifest", files, &place).note(&note))
            .collect()
    }
}

/// Returns the finding about a violation. `whole` is the name of the whole value, `place` its place if no nearer one is
/// known.
pub(crate) fn violation(
    rule: &'static Rule,
    violation: &Violation,
    root: &Value,
    whole: &str,
    files: &Files,
    place: &Label,
) -> Diagnostic {
    let Violation { path, key, words, help } = violation;
    let what = if path.0.is_empty() { whole.to_owned() } else { format!("`{path}`") };
    let around = path.along(root);
    let nearest = around.iter().rev().find_map(|v| v.prov.origin);
    let primary = nearest.map_or_else(|| place.clone(), |origin| Label::at(origin, ""));
    let mut finding = match key {
        None => Diagnostic::new(rule, format!("{what} {words}"), primary),
        Some(key) => {
            let value = path.of(root).and_then(|v| v.get(key)).filter(|v| v.prov.origin.is_some());
            let primary = value.map_or(primary, |value| key_label(value, key, files, place.file));
            Diagnostic::new(rule, format!("`{key}` {words} {what}"), primary).token(key)
        }
    };
    finding.help.clone_from(help);
    finding
}
