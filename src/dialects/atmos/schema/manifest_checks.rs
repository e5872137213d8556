//! Validates manifests against the schema while they are processed.

use crate::diagnostic::{Diagnostic, Label};
use crate::dialects::atmos::reader::Loaded;
use crate::dialects::atmos::rules;
use crate::dialects::atmos::schema::Schema;
use crate::dialects::atmos::shapes::messages::Mismatch;
use crate::files::Files;
use crate::text::Text;
use crate::threads;
use crate::value::{Map, Value};
use parking_lot::{Mutex, MutexGuard};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

/// Validates manifests against the schema as they are processed.
pub(crate) struct SchemaChecks<'a> {
    schema: Schema,
    files: &'a Files,
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
    imports: HashMap<Text, HashMap<Text, Ways>>,
    found: Vec<Found>,
}

/// How a manifest imports another one.
#[derive(Clone, Copy, Default)]
struct Ways {
    /// Without a context.
    alone: bool,
    with_context: bool,
}

impl Ways {
    fn add(&mut self, other: Ways) {
        self.alone |= other.alone;
        self.with_context |= other.with_context;
    }
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
        targets.entry(path.into()).or_default().add(Ways { alone, with_context: !alone });
    }

    pub(in crate::dialects::atmos) fn add(&self, other: &ManifestRecords) {
        let (mut seen, other) = (self.seen(), other.seen());
        seen.processed.extend(other.processed.iter().cloned());
        for (from, targets) in &other.imports {
            let known = seen.imports.entry(Text::clone(from)).or_default();
            for (path, ways) in targets {
                known.entry(Text::clone(path)).or_default().add(*ways);
            }
        }
        seen.found.extend(other.found.iter().cloned());
    }

    /// The findings. What a manifest looks like without a context does not matter if it always has one, nor what it
    /// looks like on a way that does not start at one of the manifests that Atmos examines (`validated`).
    pub(in crate::dialects::atmos) fn findings(&self, validated: &BTreeSet<String>, files: &Files) -> Vec<Diagnostic> {
        let seen = std::mem::take(&mut *self.seen());
        let mut imported: HashMap<&str, Ways> = HashMap::new();
        for importer in seen.closure(validated.iter().map(String::as_str)) {
            for (target, ways) in seen.imports.get(importer).into_iter().flatten() {
                imported.entry(target).or_default().add(*ways);
            }
        }
        let counts = |found: &&Found| {
            let imported = imported.get(&*found.path);
            match &found.reached {
                Reached::Alone => imported.map_or_else(|| validated.contains(&*found.path), |ways| ways.alone),
                Reached::WithContext => imported.is_some_and(|ways| ways.with_context),
                Reached::From(root) => validated.contains(&**root),
            }
        };
        // A manifest is usually the same to all that import it.
        let mut known: HashMap<_, Vec<&Mismatch>> = HashMap::new();
        let mut distinct: Vec<&Mismatch> = Vec::new();
        for mismatch in seen.found.iter().filter(counts).flat_map(|f| f.mismatches.iter()) {
            let finding = &mismatch.finding;
            let known = known.entry((finding.primary.file, finding.primary.start, finding.rule.id())).or_default();
            if !known.contains(&mismatch) {
                known.push(mismatch);
                distinct.push(mismatch);
            }
        }
        threads::map(&distinct, |mismatch| mismatch.with_fix(files))
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
    reached: Reached,
    mismatches: Arc<[Mismatch]>,
}

/// On which ways a manifest has some content.
#[derive(Clone)]
enum Reached {
    /// Without a context from an importer.
    Alone,
    /// With any context.
    WithContext,
    /// With a context that depends on the way from this top-level manifest.
    From(Text),
}

/// The context that an importer gives to a manifest.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::dialects::atmos) enum Given {
    /// None.
    Nothing,
    /// One that makes no difference to the content.
    Context,
    /// One that may make a difference.
    Data,
}

impl<'a> SchemaChecks<'a> {
    pub(crate) fn new(schema: Schema, files: &'a Files) -> Self {
        SchemaChecks { schema, files }
    }

    /// Validates the content of a manifest before it is merged, and records violations. `on_the_way` are the manifests
    /// that led to it, itself the last. Returns whether a finding applies only on this path.
    pub(in crate::dialects::atmos) fn content<'p>(
        &self,
        records: &ManifestRecords,
        loaded: &Loaded,
        content: &Map,
        given: Given,
        on_the_way: impl Iterator<Item = &'p Text>,
    ) -> bool {
        let mismatches = match content.is_empty() && is_null(loaded) {
            true if !self.schema.is_usable() => Vec::new(),
            true => vec![Mismatch::of(nothing(loaded))],
            false => self.schema.check(&Value::map(content.clone()), self.files, loaded.file),
        };
        if !mismatches.is_empty() {
            let path = Text::clone(&loaded.path);
            let reached = match given {
                Given::Nothing => Reached::Alone,
                Given::Context => Reached::WithContext,
                Given::Data => {
                    Reached::From(on_the_way.into_iter().next().map_or_else(|| Text::clone(&path), Text::clone))
                }
            };
            // Atmos only warns of deprecated keys.
            let refused = |mut mismatch: Mismatch| {
                if mismatch.finding.rule != &rules::DEPRECATED_KEY {
                    mismatch.finding = mismatch.finding.refused();
                }
                mismatch
            };
            let mismatches = mismatches.into_iter().map(refused).collect();
            let is_singular = matches!(reached, Reached::From(_));
            records.seen().found.push(Found { path, reached, mismatches });
            return is_singular;
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
