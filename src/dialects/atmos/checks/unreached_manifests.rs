//! Validation besides the stacks (`reference: atmos.md` section 10.1): Atmos validates every manifest below the folder
//! of stacks against the schema, whether a stack uses it or not.

use super::locals::{ReportedLocals, report_references};
use crate::dialects::Scope;
use crate::dialects::atmos::config::Config;
use crate::dialects::atmos::diagnostics::Diagnostics;
use crate::dialects::atmos::manifest::Manifests;
use crate::dialects::atmos::paths;
use crate::dialects::atmos::reader::{Deps, Reader};
use crate::dialects::atmos::schema::manifest_checks::SchemaChecks;
use crate::source::glob;
use crate::text::Text;
use parking_lot::Mutex;
use std::collections::{BTreeSet, HashSet};

/// The manifests that no stack reaches.
#[derive(Default)]
pub(crate) struct Unreached {
    /// Those that no other manifest reaches either.
    pub manifests: Vec<String>,
    /// Reported references to locals in them.
    pub told: ReportedLocals,
}

/// Checks all manifests below the folder of stacks, within the scope; those that `loader` has not processed for a stack
/// (`tops`) are processed here. Findings that `diagnostics` already contains are not repeated.
pub(crate) fn check(
    loader: &Manifests<'_>,
    checks: &SchemaChecks<'_>,
    tops: &[String],
    scope: Scope<'_>,
    diagnostics: &Diagnostics,
) -> Unreached {
    let tops: HashSet<&str> = tops.iter().map(String::as_str).collect();
    let (reader, config) = (loader.reader, loader.config);
    let validated = validated(reader, config);
    let apart = Diagnostics::default();
    let unreached = match is_wanted(checks, config, scope) {
        true => unreached(loader, checks, &tops, &validated, scope, &apart),
        false => Unreached::default(),
    };
    for mut finding in apart.into_findings() {
        // No stack is broken by it.
        finding.is_breaking = false;
        diagnostics.report(finding);
    }
    diagnostics.report_unless_said(checks.findings(&validated));
    unreached
}

/// The manifests that Atmos validates by themselves. Unlike elsewhere, excluded paths are not taken from the folder of
/// stacks here.
fn validated(reader: &Reader<'_>, config: &Config) -> BTreeSet<String> {
    let excluded = |path: &str| config.excluded.iter().any(|pattern| glob::path_match(pattern, path).unwrap_or(true));
    let mut out = BTreeSet::new();
    for extension in ["yaml", "yml"] {
        let pattern = paths::join(&config.stacks, &format!("**/*.{extension}")).unwrap_or_default();
        let found = reader.glob(&pattern, &mut Deps::default()).unwrap_or_default();
        out.extend(found.into_iter().filter(|p| !excluded(p)));
    }
    out
}

/// Parses all manifests, each on the next thread that is free. All of them will be examined, most of them at once: stacks
/// import the same ones, and would wait for each other.
pub(crate) fn preload(reader: &Reader<'_>, config: &Config) {
    let paths: Vec<String> = validated(reader, config).into_iter().collect();
    crate::threads::map(&paths, |path| {
        if let Ok(Some(loaded)) = reader.load(path, &mut Deps::default())
            && !loaded.is_empty()
        {
            // Its mistakes are reported where it is used.
            let _ = loaded.doc();
        }
    });
}

/// Whether manifests that no stack uses must be checked: always, unless none of them can have changed.
fn is_wanted(checks: &SchemaChecks<'_>, config: &Config, scope: Scope<'_>) -> bool {
    let Scope::Touched(changes) = scope else { return true };
    if checks.changed.is_none() {
        return true;
    }
    let seen = checks.seen();
    changes.iter().any(|change| {
        let is_manifest = [".yaml", ".yml", ".tmpl"].iter().any(|e| change.path.ends_with(e));
        let is_below = paths::relative(&change.path, &config.stacks).is_some();
        is_manifest && is_below && !seen.processed.contains(&*change.path)
    })
}

/// Processes the manifests that no stack reaches: those that no other one imports, and with them what they import.
fn unreached(
    loader: &Manifests<'_>,
    checks: &SchemaChecks<'_>,
    tops: &HashSet<&str>,
    validated: &BTreeSet<String>,
    scope: Scope<'_>,
    apart: &Diagnostics,
) -> Unreached {
    let left: Vec<&String> = {
        let seen = checks.seen();
        // A stack that is a template is not validated, and neither are files that only it imports.
        let starts = validated.iter().map(String::as_str).filter(|p| seen.processed.contains(*p) && tops.contains(p));
        let reached = seen.closure(starts);
        validated.iter().filter(|p| !reached.contains(p.as_str())).collect()
    };
    // Who imports whom is known only when they are processed; what is wrong with them then does not count.
    let unheard = Diagnostics::default();
    let first = loader.again(&unheard, None);
    let imports = crate::threads::map(&left, |path| {
        let mut deps = Deps::default();
        first.top(path, &mut deps).map(|processed| processed.targets.clone()).unwrap_or_default()
    });
    let imported: HashSet<&str> = imports.iter().flatten().map(|p| &**p).collect();
    let from_templates: HashSet<Text> = {
        let seen = checks.seen();
        seen.closure(tops.iter().copied()).into_iter().map(Text::from).collect()
    };
    let roots: Vec<&&String> = left.iter().filter(|p| !imported.contains(p.as_str())).collect();
    let elsewhere = Mutex::new(ReportedLocals::default());
    crate::threads::map(&roots, |path| {
        let own = Diagnostics::default();
        let mut deps = Deps::default();
        let again = loader.again(&own, Some(checks));
        let _ = again.top(path, &mut deps);
        let told = report_references(&again);
        let touched = match (&checks.changed, scope) {
            (Some(_), Scope::Touched(changes)) => changes.iter().any(|c| deps.touched(&c.path, c.kind)),
            _ => true,
        };
        if touched {
            elsewhere.lock().add(told);
            own.into_findings().into_iter().for_each(|f| apart.report(f));
        }
    });
    let roots = roots.into_iter().filter(|path| !from_templates.contains(path.as_str()));
    Unreached { manifests: roots.map(|path| (*path).clone()).collect(), told: elsewhere.into_inner() }
}
