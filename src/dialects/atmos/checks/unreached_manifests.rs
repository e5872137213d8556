//! Validation besides the stacks (`reference: atmos.md` section 10.1): Atmos validates every manifest below the folder
//! of stacks against the schema, whether a stack uses it or not.

use super::locals::{ReportedLocals, report_references};
use crate::diagnostic::Rule;
use crate::dialects::Scope;
use crate::dialects::atmos::config::Config;
use crate::dialects::atmos::diagnostics::Diagnostics;
use crate::dialects::atmos::manifest::{ManifestCache, Manifests};
use crate::dialects::atmos::paths;
use crate::dialects::atmos::reader::{Deps, Reader};
use crate::dialects::atmos::recorder::Recorder;
use crate::dialects::atmos::rules;
use crate::source::glob;
use crate::text::Text;
use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

/// The manifests that no stack reaches.
#[derive(Default)]
pub(crate) struct Unreached {
    /// Those that no other manifest reaches either.
    pub manifests: Vec<String>,
    /// Reported references to locals in them.
    pub reported: ReportedLocals,
}

/// Checks all manifests below the folder of stacks, within the scope; those that `loader` has not processed for a stack
/// (`tops`) are processed here. Findings that `diagnostics` already contains are not repeated. `validated` are those of
/// [`validated`].
pub(crate) fn check(
    loader: &Manifests<'_>,
    tops: &[String],
    validated: &BTreeSet<String>,
    scope: Scope<'_>,
) -> Unreached {
    let tops: HashSet<&str> = tops.iter().map(String::as_str).collect();
    let recorder = loader.recorder;
    let apart = Diagnostics::default();
    let unreached = match is_wanted(loader, scope) {
        true => unreached(loader, &tops, validated, &apart),
        false => Unreached::default(),
    };
    for mut finding in apart.into_findings() {
        // No stack is broken by it.
        finding.is_breaking = false;
        recorder.diagnostics.report(finding);
    }
    // The resolution itself may have reported an error about the shape of a manifest.
    const SHAPE: [&Rule; 3] = [&rules::SCHEMA_VIOLATION, &rules::INEFFECTIVE_METADATA, &rules::NON_MAPPING_SECTION];
    // For a question about some stacks, nothing of this is shown.
    if !matches!(scope, Scope::Stacks(_)) {
        let findings = recorder.manifests.findings(validated, loader.reader.files);
        recorder.diagnostics.report_unless_reported(findings, &SHAPE);
    }
    unreached
}

/// The manifests that Atmos validates by themselves. Unlike elsewhere, excluded paths are not taken from the folder of
/// stacks here.
pub(crate) fn validated(reader: &Reader<'_>, config: &Config) -> BTreeSet<String> {
    let excluded = |path: &str| config.excluded.iter().any(|pattern| glob::path_match(pattern, path).unwrap_or(true));
    let mut out = BTreeSet::new();
    for extension in ["yaml", "yml"] {
        let pattern = paths::join(&config.stacks, &format!("**/*.{extension}")).unwrap_or_default();
        let found = reader.glob(&pattern, &mut Deps::default()).unwrap_or_default();
        out.extend(found.into_iter().filter(|p| !excluded(p)));
    }
    out
}

/// Parses manifests, each on the next thread that is free. All of them will be examined, most of them at once: stacks
/// import the same ones, and would wait for each other.
pub(crate) fn preload(reader: &Reader<'_>, paths: &BTreeSet<String>) {
    crate::threads::map(&paths.iter().collect::<Vec<_>>(), |path| {
        if let Ok(Some(loaded)) = reader.load(path, &mut Deps::default())
            && !loaded.is_empty()
        {
            // Its mistakes are reported where it is used.
            let _ = loaded.doc();
        }
    });
}

/// Whether manifests that no stack uses must be checked: not for some stacks, nor if none of them can have changed.
fn is_wanted(loader: &Manifests<'_>, scope: Scope<'_>) -> bool {
    let changes = match scope {
        Scope::All => return true,
        Scope::Stacks(_) => return false,
        Scope::Touched(changes) => changes,
    };
    let seen = loader.recorder.manifests.seen();
    changes.iter().any(|change| {
        let is_manifest = [".yaml", ".yml", ".tmpl"].iter().any(|e| change.path.ends_with(e));
        let is_below = paths::relative(&change.path, &loader.config.stacks).is_some();
        is_manifest && is_below && !seen.processed.contains(&*change.path)
    })
}

/// Processes the manifests that no stack reaches: those that no other one imports, and with them what they import.
fn unreached(
    loader: &Manifests<'_>,
    tops: &HashSet<&str>,
    validated: &BTreeSet<String>,
    apart: &Diagnostics,
) -> Unreached {
    let left: Vec<&String> = {
        let seen = loader.recorder.manifests.seen();
        // A stack that is a template is not validated, and neither are files that only it imports.
        let starts = validated.iter().map(String::as_str).filter(|p| seen.processed.contains(*p) && tops.contains(p));
        let reached = seen.closure(starts);
        validated.iter().filter(|p| !reached.contains(p.as_str())).collect()
    };
    let imported: HashSet<Text> = imports(loader, &left);
    let from_templates: HashSet<Text> = {
        let seen = loader.recorder.manifests.seen();
        seen.closure(tops.iter().copied()).into_iter().map(Text::from).collect()
    };
    let roots: Vec<&&String> = left.iter().filter(|p| !imported.contains(p.as_str())).collect();
    // They may import the same ones, which are processed and recorded once.
    let cache = ManifestCache::new(loader.reader, loader.config);
    let recorders = crate::threads::map(&roots, |path| {
        let own = Arc::new(Recorder::default());
        let _ = loader.again(&cache, &own).top(path, &mut Deps::default());
        own
    });
    let recorded = Recorder::collect(recorders);
    loader.recorder.manifests.add(&recorded.manifests);
    let reported = report_references(&loader.again(&cache, &recorded));
    apart.add(&recorded.diagnostics);
    let roots = roots.into_iter().filter(|path| !from_templates.contains(path.as_str()));
    Unreached { manifests: roots.map(|path| (*path).clone()).collect(), reported }
}

/// What some manifests import. Who imports whom is known only when they are processed; what is wrong with them then does not count.
fn imports(loader: &Manifests<'_>, manifests: &[&String]) -> HashSet<Text> {
    let (cache, unheard) = (ManifestCache::new(loader.reader, loader.config), Recorder::default());
    let first = loader.again(&cache, &unheard).with_checks(None);
    let imports = crate::threads::map(manifests, |path| {
        let processed = first.top(path, &mut Deps::default());
        processed.map(|processed| processed.targets.clone()).unwrap_or_default()
    });
    imports.into_iter().flatten().collect()
}
