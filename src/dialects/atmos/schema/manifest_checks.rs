//! Validates manifests against the schema while they are processed.

use crate::diagnostic::{Diagnostic, Label};
use crate::dialects::atmos::reader::{Deps, Loaded};
use crate::dialects::atmos::rules;
use crate::dialects::atmos::schema::Schema;
use crate::files::Files;
use crate::source::Change;
use crate::text::Text;
use crate::value::{Map, Value};
use parking_lot::{Mutex, MutexGuard};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

/// Validates manifests against the schema as they are processed.
pub(crate) struct SchemaChecks<'a> {
    schema: Schema,
    files: &'a Files,
    /// The paths that changed; `None` where everything is examined.
    pub(in crate::dialects::atmos) changed: Option<HashSet<&'a str>>,
}

/// The processed manifests, and their violations of the schema.
#[derive(Default)]
pub(in crate::dialects::atmos) struct ManifestRecords {
    seen: Mutex<Seen>,
}

/// The manifests that were processed.
#[derive(Default)]
pub(in crate::dialects::atmos) struct Seen {
    /// Every manifest that was processed.
    pub(in crate::dialects::atmos) processed: HashSet<Text>,
    /// The imports of each of them, and whether without a context.
    imports: HashMap<Text, HashMap<Text, bool>>,
    found: Vec<Found>,
}

impl ManifestRecords {
    /// Returns the records made so far.
    pub(in crate::dialects::atmos) fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock()
    }

    /// A manifest is processed.
    pub(in crate::dialects::atmos) fn reaches(&self, path: &Text) {
        self.seen().processed.insert(Text::clone(path));
    }

    /// A manifest imports another one, which has no context then or has one.
    pub(in crate::dialects::atmos) fn imports(&self, from: &Text, path: &str, alone: bool) {
        let mut seen = self.seen();
        let targets = seen.imports.entry(Text::clone(from)).or_default();
        *targets.entry(path.into()).or_default() |= alone;
    }

    /// Adds the records of others.
    pub(in crate::dialects::atmos) fn add(&self, other: &ManifestRecords) {
        let (mut seen, other) = (self.seen(), other.seen());
        seen.processed.extend(other.processed.iter().cloned());
        for (from, targets) in &other.imports {
            let known = seen.imports.entry(Text::clone(from)).or_default();
            for (path, alone) in targets {
                *known.entry(Text::clone(path)).or_default() |= *alone;
            }
        }
        seen.found.extend(other.found.iter().cloned());
    }

    /// The findings. What a manifest looks like without a context does not matter if it always has one, nor what it
    /// looks like on a way that does not start at one of the manifests that Atmos examines (`validated`).
    pub(in crate::dialects::atmos) fn findings(&self, validated: &BTreeSet<String>) -> Vec<Diagnostic> {
        let seen = std::mem::take(&mut *self.seen());
        let mut imported: HashMap<&str, bool> = HashMap::new();
        for importer in seen.closure(validated.iter().map(String::as_str)) {
            for (target, alone) in seen.imports.get(importer).into_iter().flatten() {
                *imported.entry(target).or_default() |= alone;
            }
        }
        let counts = |found: &&Found| match found.alone {
            true => imported.get(&*found.path).copied().unwrap_or_else(|| validated.contains(&*found.path)),
            false => validated.contains(&*found.root),
        };
        seen.found.iter().filter(counts).flat_map(|f| f.findings.iter().cloned()).collect()
    }
}

impl Seen {
    /// The manifests that are reached from some.
    pub(in crate::dialects::atmos) fn closure<'p>(&'p self, from: impl Iterator<Item = &'p str>) -> HashSet<&'p str> {
        let mut reached: HashSet<&str> = HashSet::new();
        let mut next: Vec<&str> = from.collect();
        while let Some(path) = next.pop() {
            if reached.insert(path) {
                next.extend(self.imports.get(path).into_iter().flat_map(|all| all.keys()).map(|p| &**p));
            }
        }
        reached
    }
}

#[derive(Clone)]
struct Found {
    path: Text,
    /// The manifest whose imports led to it.
    root: Text,
    /// Whether the manifest had no context from an importer.
    alone: bool,
    findings: Arc<[Diagnostic]>,
}

impl<'a> SchemaChecks<'a> {
    pub(crate) fn new(schema: Schema, files: &'a Files, changes: Option<&'a [Change]>) -> Self {
        let changed = changes.map(|all| all.iter().map(|c| &*c.path).collect());
        SchemaChecks { schema, files, changed }
    }

    /// Validates the content of a manifest before it is merged, and records violations. `on_the_way` are the manifests
    /// that led to it, itself the last. Returns whether a finding applies only on this path.
    pub(in crate::dialects::atmos) fn content<'p>(
        &self,
        records: &ManifestRecords,
        loaded: &Loaded,
        content: &Map,
        alone: bool,
        deps: &Deps,
        on_the_way: impl Iterator<Item = &'p Text> + Clone,
    ) -> bool {
        if let Some(changed) = &self.changed {
            let touched = deps.paths.iter().any(|p| changed.contains(&**p));
            if !touched && (alone || !on_the_way.clone().any(|p| changed.contains(&**p))) {
                return false;
            }
        }
        let findings = match content.is_empty() && is_null(loaded) {
            true if !self.schema.is_usable() => Vec::new(),
            true => vec![nothing(loaded)],
            false => self.schema.check(&Value::map(content.clone()), self.files, loaded.file),
        };
        if !findings.is_empty() {
            let path = Text::clone(&loaded.path);
            let root = on_the_way.into_iter().next().map_or_else(|| Text::clone(&path), Text::clone);
            records.seen().found.push(Found { path, root, alone, findings: findings.into() });
            return !alone;
        }
        false
    }
}

/// Whether a file holds nothing but comments.
fn is_null(loaded: &Loaded) -> bool {
    loaded.doc().is_ok_and(|doc| {
        doc.root().is_none_or(|root| match &doc.node(root).kind {
            crate::yaml::NodeKind::Scalar { value, style } => {
                matches!(crate::yaml::resolve(value, *style, None), Ok(crate::yaml::Scalar::Null))
            }
            _ => false,
        })
    })
}

fn nothing(loaded: &Loaded) -> Diagnostic {
    let message = "a manifest must be a map, and there is nothing here";
    Diagnostic::new(&rules::SCHEMA_VIOLATION, message, Label::new(loaded.file, 0, 0, ""))
        .token("")
        .help("write `{}`, or remove the file; only an empty file (0 bytes) is skipped")
}
