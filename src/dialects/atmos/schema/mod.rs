//! The schema of manifests (`reference: atmos.md` section 10.2): a description as data, for findings and for a JSON
//! Schema.

mod custom;
mod manifest;
pub(super) mod manifest_checks;
mod sections;
#[cfg(test)]
mod tests;
mod workflow;

use crate::dialects::atmos::config::Config;
use crate::dialects::atmos::diagnostics::Diagnostics;
use crate::dialects::atmos::reader::{Deps, Reader};
use crate::dialects::atmos::shapes::messages::{self, Mismatch};
use crate::dialects::atmos::shapes::{check, shape};
use crate::files::Files;
use crate::value::{FileId, Value};
pub(super) use custom::{Custom, violation};

/// The description of manifests.
pub(super) const MANIFEST: &shape::Shape = &manifest::MANIFEST;

/// The schema that manifests are validated against.
#[derive(Debug)]
pub(super) enum Schema {
    /// The description that comes with stacklint.
    BuiltIn,
    /// A JSON Schema of the repository.
    Custom(Box<Custom>),
    /// One that is configured and cannot be used; why has been reported.
    Unusable,
}

impl Schema {
    /// Returns the schema that the configuration selects.
    pub(super) fn of(
        config: &Config,
        reader: &Reader<'_>,
        deps: &mut Deps,
        anchor: FileId,
        diagnostics: &Diagnostics,
    ) -> Schema {
        match config.manifest_schema.is_empty() {
            true => Schema::BuiltIn,
            false => match custom::read(config, reader, deps, anchor) {
                Ok(custom) => Schema::Custom(Box::new(custom)),
                Err(finding) => {
                    diagnostics.report(*finding);
                    Schema::Unusable
                }
            },
        }
    }

    /// Validates the content of a manifest.
    pub(super) fn check(&self, content: &Value, files: &Files, file: FileId) -> Vec<Mismatch> {
        match self {
            Schema::BuiltIn => {
                let found = check::check(&manifest::MANIFEST, content);
                let found = found.iter().filter(|v| !messages::is_helper(v, files));
                found.map(|v| messages::mismatch(v, files, file)).collect()
            }
            Schema::Custom(custom) => custom.check(content, files, file).into_iter().map(Mismatch::of).collect(),
            Schema::Unusable => Vec::new(),
        }
    }

    /// Whether something is known of what a manifest may be.
    pub(super) fn is_usable(&self) -> bool {
        !matches!(self, Schema::Unusable)
    }
}
