//! One manifest with all that it imports, merged.

use super::import_chain::ImportChain;
use super::import_targets::ImportSite;
use super::overrides::AllOverrides;
use super::{Call, Manifests, Processed};
use crate::diagnostic::{Diagnostic, Label};
use crate::dialects::atmos::diagnostics::ErrorReported;
use crate::dialects::atmos::imports::items::{self, Import};
use crate::dialects::atmos::merge::merge_imports;
use crate::dialects::atmos::reader::{Deps, Loaded};
use crate::dialects::atmos::{paths, rules};
use crate::reads::{Unread, made_of};
use crate::text::Text;
use crate::value::{Data, Key, Map, Unknown, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Processes the manifest at a path, the last one of `chain`.
pub(super) fn process(
    manifests: &Manifests<'_>,
    path: &str,
    call: &Call,
    chain: &mut ImportChain,
    deps: &mut Deps,
) -> Result<Processed, ErrorReported> {
    let loaded = match load(manifests, path, chain, deps)? {
        Content::Manifest(loaded) => loaded,
        Content::Nothing => return Ok(Processed::default()),
        Content::Unknown(why) => {
            let lacks = [(Text::from(path), Arc::new(why))].into();
            return Ok(Processed { lacks, ..Processed::default() });
        }
    };
    manifests.recorder.observations.manifest(path, loaded.file);
    let mut out = Processed::default();
    let (own, context) = manifests.read(&loaded, call, deps)?;
    if let Some(checks) = manifests.checks {
        let files = chain.files.iter().map(|(path, _)| path);
        out.path_dependent = checks.content(&manifests.recorder.manifests, &loaded, &own, call.given(), files);
    }
    let section = |map: &Map, key: &str| section(manifests, &loaded, map, key);
    let overrides = call.overrides.of_file(&own, manifests.merger, section)?;
    let relative = paths::relative(path, &manifests.config.stacks).unwrap_or(path);
    let items = items::read_items(&own, relative).map_err(|(message, site)| {
        manifests.recorder.diagnostics.error(&rules::SCHEMA_VIOLATION, message, &site, loaded.file)
    })?;
    let layers = Vec::new();
    let mut merging = Merging { manifests, loaded: &loaded, context, overrides, layers, is_poisoned: false, out };
    for item in items {
        merging.import(&item, chain, deps);
    }
    merging.finish(own)
}

/// What a finding about a file that git does not have says of the stacks that import it.
const NOT_FULLY: &str = "what it sets is unknown: stacks that import it are not fully compared";

/// What a manifest contains.
enum Content {
    Manifest(Arc<Loaded>),
    /// It does not exist, or is empty.
    Nothing,
    /// It is imported, and git does not have it.
    Unknown(Unknown),
}

/// Loads the file at a path.
fn load(manifests: &Manifests<'_>, path: &str, chain: &ImportChain, deps: &mut Deps) -> Result<Content, ErrorReported> {
    let loaded = match manifests.reader.load(path, deps) {
        Ok(Some(loaded)) => loaded,
        Ok(None) => return Ok(Content::Nothing),
        Err(Unread { message, is_unavailable }) => {
            let site = chain.files.iter().rev().find_map(|(_, p)| p.origin);
            let file = manifests.reader.files.add(path, "", || Text::from(""));
            let label = site.map_or_else(|| Label::new(file, 0, 0, ""), |o| Label::at(o, ""));
            let finding = Diagnostic::new(crate::diagnostic::rules::unread(is_unavailable), message.as_str(), label);
            if !is_unavailable || chain.files.len() == 1 {
                return Err(manifests.recorder.diagnostics.push(finding));
            }
            manifests.recorder.diagnostics.report(finding.note(NOT_FULLY));
            let mut unknown = Unknown::new(path, message);
            unknown.add_reads(made_of::path(manifests.reader.source, path));
            return Ok(Content::Unknown(unknown));
        }
    };
    if manifests.checks.is_some() {
        manifests.recorder.manifests.reaches(&loaded.path);
    }
    Ok(if loaded.is_empty() { Content::Nothing } else { Content::Manifest(loaded) })
}

/// A section that must be a map; empty if it is not there.
fn section(manifests: &Manifests<'_>, loaded: &Loaded, map: &Map, key: &str) -> Result<Arc<Map>, ErrorReported> {
    match map.get(key) {
        None => Ok(Arc::default()),
        Some(Value { data: Data::Map(m), .. }) => Ok(Arc::clone(m)),
        Some(other) => {
            let message = format!("`{key}` must be a map, not {}", other.a_kind());
            Err(manifests.recorder.diagnostics.error(&rules::NON_MAPPING_SECTION, message, &other.prov, loaded.file))
        }
    }
}

/// A manifest that is being merged with its imports.
struct Merging<'a> {
    manifests: &'a Manifests<'a>,
    loaded: &'a Loaded,
    /// The context passed to its imports.
    context: Arc<Map>,
    overrides: AllOverrides,
    /// Its imports, the lowest first.
    layers: Vec<Arc<Map>>,
    /// Some import cannot be had.
    is_poisoned: bool,
    out: Processed,
}

impl Merging<'_> {
    /// Adds the files of an import.
    fn import(&mut self, item: &Import, chain: &mut ImportChain, deps: &mut Deps) {
        let manifests = self.manifests;
        if let Some(last) = chain.files.last_mut() {
            last.1 = item.site.clone();
        }
        let call = Call {
            context: merge_imports(manifests.merger, [&item.context, &self.context]),
            skip_templates: item.skip_templates,
            ignore_missing: item.ignore_missing || manifests.config.templates.ignore_missing,
            overrides: self.overrides.clone(),
        };
        let site = ImportSite { manifests, from: self.loaded, item };
        self.out.contextual |= site.is_rendered();
        let mut lacks = BTreeMap::new();
        let files = site.files(&mut chain.imported_sections, deps, &mut lacks);
        let is_missing = |files: &[String]| files.is_empty() && (!item.skip_if_missing || !lacks.is_empty());
        let known = files.as_deref().ok().filter(|files| !is_missing(files));
        manifests.recorder.observations.item(item, known);
        self.out.lacks.extend(lacks);
        let Ok(files) = files else {
            self.is_poisoned = true;
            return;
        };
        for file in files {
            self.is_poisoned |= self.import_file(item, &file, &call, chain, deps).is_err();
        }
    }

    /// Adds one file of an import.
    fn import_file(
        &mut self,
        item: &Import,
        file: &str,
        call: &Call,
        chain: &mut ImportChain,
        deps: &mut Deps,
    ) -> Result<(), ErrorReported> {
        let (manifests, loaded) = (self.manifests, self.loaded);
        self.out.edges.extend(item.site.origin);
        self.out.targets.insert(file.into());
        if manifests.checks.is_some() {
            manifests.recorder.manifests.imports(&loaded.path, file, call.context.is_empty());
        }
        manifests.recorder.observations.import(&loaded.path, file, item.site.origin);
        let (limits, diagnostics) = (manifests.reader.limits(), &manifests.recorder.diagnostics);
        if chain.exhausts(&item.site, loaded, limits, diagnostics) || chain.refuses(file, loaded, limits, diagnostics) {
            return Err(ErrorReported);
        }
        let result = manifests.file(file, call, chain, deps)?;
        self.overrides.add(&result.overrides, manifests.merger, &manifests.cache.overrides);
        self.out.contextual |= result.contextual;
        self.out.path_dependent |= result.path_dependent;
        self.out.edges.extend(&result.edges);
        self.out.lacks.extend(result.lacks.iter().map(|(path, why)| (Text::clone(path), Arc::clone(why))));
        let imported_sections: Map = ["settings", "vars", "env"]
            .iter()
            .filter_map(|k| Some((Key::from(*k), result.merged.get(k).filter(|v| !v.is_null())?.clone())))
            .collect();
        if !imported_sections.is_empty() {
            chain.imported_sections.push(Arc::new(imported_sections));
        }
        self.layers.push(Arc::clone(&result.merged));
        Ok(())
    }

    /// The content of the manifest (`own`) on top of its imports.
    fn finish(self, own: Map) -> Result<Processed, ErrorReported> {
        if self.is_poisoned {
            return Err(ErrorReported);
        }
        let merger = self.manifests.merger;
        let own = self.overrides.apply(own, merger);
        let mut layers = self.layers;
        layers.push(Arc::new(own));
        Ok(Processed { merged: merge_imports(merger, &layers), overrides: self.overrides, ..self.out })
    }
}
