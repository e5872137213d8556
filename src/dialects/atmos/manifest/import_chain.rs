//! The chain of imports from a stack to a manifest: its limits, and cycles in it.

use crate::diagnostic::Diagnostic;
use crate::dialects::atmos::diagnostics::{Diagnostics, label};
use crate::dialects::atmos::imports::imported_sections::ImportedSections;
use crate::dialects::atmos::reader::Loaded;
use crate::dialects::atmos::rules;
use crate::limits::{Limit, Limits};
use crate::text::Text;
use crate::value::Prov;

/// The most cycles that are reported of one stack: files that all import each other have more of them than could be counted.
const MAX_CYCLES: usize = 20;

/// The chain of imports from a stack to a manifest.
#[derive(Default)]
pub(super) struct ImportChain {
    /// The files on it, each with the import that leads on from it.
    pub(super) files: Vec<(Text, Prov)>,
    /// The imports since the last file whose result is remembered. Those before it are another's: whether they were
    /// processed for this stack or for an earlier one must make no difference.
    pub(super) imports: usize,
    /// The import limit was exceeded and reported.
    exhausted: bool,
    /// The cycles that were reported.
    cycles: usize,
    /// The sections of earlier imports, for import paths.
    pub(super) imported_sections: ImportedSections,
}

impl ImportChain {
    /// Reports the import at `site` of a file if it is one too many.
    pub(super) fn exhausts(&mut self, site: &Prov, from: &Loaded, limits: Limits, diagnostics: &Diagnostics) -> bool {
        if !self.exhausted && self.imports < limits.count(Limit::Imports) {
            return false;
        }
        if !std::mem::replace(&mut self.exhausted, true) {
            let exceeded = limits.exceeded(Limit::Imports);
            let place = label(site, from.file, "");
            let finding = Diagnostic::new(&rules::LIMIT_EXCEEDED, format!("there are {exceeded}"), place);
            diagnostics.push(finding.help(exceeded.help()));
        }
        true
    }

    /// Reports an import that leads back to a file of the chain, or is too deep.
    pub(super) fn refuses(&mut self, path: &str, from: &Loaded, limits: Limits, diagnostics: &Diagnostics) -> bool {
        if let Some(start) = self.files.iter().position(|(p, _)| **p == *path) {
            self.cycles += 1;
            if self.cycles <= MAX_CYCLES {
                diagnostics.push(cycle(&self.files[start..], from));
            }
            self.imports += 1;
            return true;
        }
        if self.files.len() < limits.count(Limit::ImportDepth) {
            return false;
        }
        self.imports += 1;
        let site = self.files.last().map_or_else(Prov::default, |file| file.1.clone());
        let exceeded = limits.exceeded(Limit::ImportDepth);
        let message = format!("imports are nested deeper than {} files", exceeded.value);
        let finding = Diagnostic::new(&rules::LIMIT_EXCEEDED, message, label(&site, from.file, ""));
        diagnostics.push(finding.help(exceeded.help()));
        true
    }
}

/// Returns the finding about files that import each other. It starts at the first of them in order of names, so that it
/// is the same from every file.
fn cycle(files: &[(Text, Prov)], from: &Loaded) -> Diagnostic {
    let mut members: Vec<&(Text, Prov)> = files.iter().collect();
    let first = members.iter().enumerate().min_by_key(|(_, m)| &m.0).map_or(0, |(i, _)| i);
    members.rotate_left(first);
    let names: Vec<&str> = members.iter().map(|m| &*m.0).collect();
    let message = format!("these manifests import each other: {} → {}", names.join(" → "), names[0]);
    let mut finding = Diagnostic::new(&rules::IMPORT_CYCLE, message, label(&members[0].1, from.file, ""));
    for (i, (path, site)) in members.iter().enumerate() {
        let next = names[(i + 1) % names.len()];
        finding = finding.related(label(site, from.file, &format!("{path} imports {next}")));
    }
    finding.chain()
}
