//! What Atmos validates besides the stacks (`reference: atmos.md` section 10.1): every manifest below the folder of
//! stacks is held against the schema, whether a stack reaches it or not.

use super::config::Config;
use super::manifest::Manifests;
use super::paths;
use super::reader::{Deps, Loaded, Reader};
use super::schema::Schema;
use super::sink::Sink;
use crate::diagnostic::{Diagnostic, Label};
use crate::dialects::Scope;
use crate::files::Files;
use crate::source::{Change, glob};
use crate::value::{Map, Value};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

/// Holds manifests against the schema as they are processed, and remembers who was reached.
pub(crate) struct Checks<'a> {
    schema: Schema,
    files: &'a Files,
    /// The paths that changed; `None` where everything is looked at.
    changed: Option<HashSet<&'a str>>,
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    /// Every manifest that was processed.
    reached: HashSet<Arc<str>>,
    /// Those that another one imports, and whether it did so without a context.
    imported: HashMap<Arc<str>, bool>,
    found: Vec<Found>,
}

struct Found {
    path: Arc<str>,
    /// Whether the manifest had no context from an importer.
    alone: bool,
    findings: Vec<Diagnostic>,
}

impl<'a> Checks<'a> {
    pub(crate) fn new(schema: Schema, files: &'a Files, changes: Option<&'a [Change]>) -> Self {
        let changed = changes.map(|all| all.iter().map(|c| &*c.path).collect());
        Checks { schema, files, changed, seen: Mutex::default() }
    }

    fn seen(&self) -> std::sync::MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A manifest is processed.
    pub(super) fn reaches(&self, path: &Arc<str>) {
        self.seen().reached.insert(Arc::clone(path));
    }

    /// A manifest is imported.
    pub(super) fn imports(&self, path: &str, alone: bool) {
        let mut seen = self.seen();
        match seen.imported.get_mut(path) {
            Some(known) => *known |= alone,
            None => {
                seen.imported.insert(path.into(), alone);
            }
        }
    }

    /// Holds the content of a manifest, ready to be merged, against the schema. `on_the_way` are the manifests that
    /// led to it.
    pub(super) fn content<'p>(
        &self,
        loaded: &Loaded,
        content: &Map,
        alone: bool,
        deps: &Deps,
        mut on_the_way: impl Iterator<Item = &'p Arc<str>>,
    ) {
        if let Some(changed) = &self.changed {
            let touched = deps.paths.iter().any(|p| changed.contains(&**p));
            if !touched && (alone || !on_the_way.any(|p| changed.contains(&**p))) {
                return;
            }
        }
        let findings = match content.is_empty() && is_null(loaded) {
            true => vec![nothing(loaded)],
            false => self.schema.check(&Value::map(content.clone()), self.files, loaded.file),
        };
        if !findings.is_empty() {
            self.seen().found.push(Found { path: Arc::clone(&loaded.path), alone, findings });
        }
    }

    /// The findings. What a manifest looks like without a context does not matter if it always has one, or if Atmos
    /// does not look at it by itself (it is not in `validated`).
    fn findings(&self, validated: &BTreeSet<String>) -> Vec<Diagnostic> {
        let Seen { imported, found, .. } = std::mem::take(&mut *self.seen());
        let counts = |found: &Found| {
            !found.alone || imported.get(&found.path).copied().unwrap_or_else(|| validated.contains(&*found.path))
        };
        found.into_iter().filter(counts).flat_map(|f| f.findings).collect()
    }
}

/// Whether a file holds nothing but comments.
fn is_null(loaded: &Loaded) -> bool {
    loaded.doc().is_ok_and(|doc| {
        doc.root().is_none_or(|root| match &doc.node(root).kind {
            crate::yaml::Kind::Scalar { value, style } => {
                matches!(crate::yaml::resolve(value, *style, None), Ok(crate::yaml::Scalar::Null))
            }
            _ => false,
        })
    })
}

fn nothing(loaded: &Loaded) -> Diagnostic {
    let message = "a manifest must be a map, and there is nothing here";
    Diagnostic::new("schema-violation", message, Label::new(loaded.file, 0, 0, ""))
        .token("")
        .help("write `{}`, or remove the file; only a file without a single byte is passed over")
}

/// What is wrong in all manifests below the folder of stacks, as far as the scope goes; those that `loader` has not
/// processed are processed here. What `sink` holds already is not said again.
pub(crate) fn manifests(loader: &Manifests<'_>, checks: &Checks<'_>, scope: Scope<'_>, sink: &Sink) {
    let (reader, config) = (loader.reader, loader.config);
    let validated = validated(reader, config);
    let apart = Sink::default();
    if is_wanted(checks, config, scope) {
        unreached(loader, checks, &validated, scope, &apart);
    }
    for mut finding in apart.into_findings() {
        // No stack is broken by it.
        finding.is_breaking = false;
        sink.report(finding);
    }
    sink.report_unless_said(checks.findings(&validated));
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

/// Whether manifests that no stack reaches need a look: always, unless none of them can have changed.
fn is_wanted(checks: &Checks<'_>, config: &Config, scope: Scope<'_>) -> bool {
    let Scope::Touched(changes) = scope else { return true };
    if checks.changed.is_none() {
        return true;
    }
    let seen = checks.seen();
    changes.iter().any(|change| {
        let is_manifest = [".yaml", ".yml", ".tmpl"].iter().any(|e| change.path.ends_with(e));
        is_manifest && paths::relative(&change.path, &config.stacks).is_some() && !seen.reached.contains(&*change.path)
    })
}

/// Processes the manifests that no stack reaches: those that no other one imports, and with them what they import.
fn unreached(
    loader: &Manifests<'_>,
    checks: &Checks<'_>,
    validated: &BTreeSet<String>,
    scope: Scope<'_>,
    apart: &Sink,
) {
    let left: Vec<&String> = {
        let seen = checks.seen();
        validated.iter().filter(|p| !seen.reached.contains(p.as_str())).collect()
    };
    // Who imports whom is known only when they are processed; what is wrong with them then does not count.
    let unheard = Sink::default();
    let first = loader.again(&unheard, None);
    let imports = crate::threads::map(&left, |path| {
        let mut deps = Deps::default();
        first.top(path, &mut deps).map(|processed| processed.targets.clone()).unwrap_or_default()
    });
    let imported: HashSet<&str> = imports.iter().flatten().map(|p| &**p).collect();
    let roots: Vec<&&String> = left.iter().filter(|p| !imported.contains(p.as_str())).collect();
    crate::threads::map(&roots, |path| {
        let own = Sink::default();
        let mut deps = Deps::default();
        let _ = loader.again(&own, Some(checks)).top(path, &mut deps);
        let touched = match (&checks.changed, scope) {
            (Some(_), Scope::Touched(changes)) => changes.iter().any(|c| deps.touched(&c.path, c.kind)),
            _ => true,
        };
        if touched {
            own.into_findings().into_iter().for_each(|f| apart.report(f));
        }
    });
}
