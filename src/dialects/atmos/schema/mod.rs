//! What manifests must look like (`reference: atmos.md` section 10.2): one description as data, from which come the
//! findings and a JSON Schema.

mod check;
mod custom;
mod export;
mod manifest;
mod sections;
pub(super) mod shape;
#[cfg(test)]
mod tests;
mod words;
mod workflow;

use super::config::Config;
use super::reader::{Deps, Reader};
use super::sink::Sink;
use crate::diagnostic::Diagnostic;
use crate::diagnostic::Rule;
use crate::dialects::atmos::rules;
use crate::files::Files;
use crate::value::{FileId, Value};
pub(super) use check::{kinds, near};
pub(crate) use custom::{Custom, violation};
pub(super) use export::to_json_schema;
pub(super) use words::{key_label, one_of_kinds, rename_key};

/// The description of manifests.
pub(super) const MANIFEST: &shape::Shape = &manifest::MANIFEST;

/// What manifests are held against.
#[derive(Debug)]
pub(crate) enum Schema {
    /// The description that comes with stacklint.
    BuiltIn,
    /// A JSON Schema of the repository.
    Custom(Box<Custom>),
    /// One that is configured and cannot be used; why has been reported.
    Unusable,
}

/// Metadata that only a component can have: who it is.
const IDENTITY: [&str; 6] = ["name", "type", "component", "inherits", "description", "terraform_workspace"];

/// The rule that a key breaks which is not allowed in the map at a path.
pub(super) fn rule_of_key(path: &str, key: &str) -> &'static Rule {
    let is_metadata = match path {
        "metadata" => IDENTITY.contains(&key),
        // A component type has none.
        path => key == "metadata" && !path.contains('.') && !path.is_empty(),
    };
    if is_metadata { &rules::INEFFECTIVE_METADATA } else { &rules::SCHEMA_VIOLATION }
}

impl Schema {
    /// The schema that the configuration asks for.
    pub(crate) fn of(config: &Config, reader: &Reader<'_>, deps: &mut Deps, anchor: FileId, sink: &Sink) -> Schema {
        match config.manifest_schema.is_empty() {
            true => Schema::BuiltIn,
            false => match custom::read(config, reader, deps, anchor) {
                Ok(custom) => Schema::Custom(Box::new(custom)),
                Err(finding) => {
                    sink.report(*finding);
                    Schema::Unusable
                }
            },
        }
    }

    /// What is wrong with the content of a manifest.
    pub(crate) fn check(&self, content: &Value, files: &Files, file: FileId) -> Vec<Diagnostic> {
        match self {
            Schema::BuiltIn => {
                let found = check::check(&manifest::MANIFEST, content);
                let found = found.iter().filter(|v| !words::is_helper(v, files));
                found.map(|v| words::finding(v, files, file)).collect()
            }
            Schema::Custom(custom) => custom.check(content, files, file),
            Schema::Unusable => Vec::new(),
        }
    }

    /// Whether something is known of what a manifest may be.
    pub(crate) fn is_usable(&self) -> bool {
        !matches!(self, Schema::Unusable)
    }
}
