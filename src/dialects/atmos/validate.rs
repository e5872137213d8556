//! What Atmos validates besides the stacks (`reference: atmos.md` section 10.1): every manifest below the folder of
//! stacks is held against the schema, whether a stack reaches it or not.

use super::config::Config;
use super::local_rules::Told;
use super::manifest::Manifests;
use super::paths;
use super::reader::{Deps, Loaded, Reader};
use super::schema::Schema;
use super::sink::Sink;
use crate::diagnostic::{Diagnostic, Label};
use crate::dialects::Scope;
use crate::dialects::atmos::rules;
use crate::files::Files;
use crate::source::{Change, glob};
use crate::text::Text;
use crate::value::{Map, Value};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::{Mutex, PoisonError};

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
    processed: HashSet<Text>,
    /// What each of them imports, and whether it does so without a context.
    imports: HashMap<Text, HashMap<Text, bool>>,
    found: Vec<Found>,
}

impl Seen {
    /// The manifests that are reached from some.
    fn closure<'p>(&'p self, from: impl Iterator<Item = &'p str>) -> HashSet<&'p str> {
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

/// The manifests that no stack reaches.
#[derive(Default)]
pub(crate) struct Unreached {
    /// Those that no other manifest reaches either.
    pub manifests: Vec<String>,
    /// What was told of references to locals in them.
    pub told: Told,
}

struct Found {
    path: Text,
    /// The manifest whose imports led to it.
    root: Text,
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
    pub(super) fn reaches(&self, path: &Text) {
        self.seen().processed.insert(Text::clone(path));
    }

    /// A manifest imports another one, which has no context then or has one.
    pub(super) fn imports(&self, from: &Text, path: &str, alone: bool) {
        let mut seen = self.seen();
        let targets = seen.imports.entry(Text::clone(from)).or_default();
        *targets.entry(path.into()).or_default() |= alone;
    }

    /// Holds the content of a manifest, ready to be merged, against the schema. `on_the_way` are the manifests that
    /// led to it, itself the last. Whether something was found that counts on the way that led here alone.
    pub(super) fn content<'p>(
        &self,
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
            self.seen().found.push(Found { path, root, alone, findings });
            return !alone;
        }
        false
    }

    /// The findings. What a manifest looks like without a context does not matter if it always has one, nor what it
    /// looks like on a way that does not start at one of the manifests that Atmos looks at (`validated`).
    fn findings(&self, validated: &BTreeSet<String>) -> Vec<Diagnostic> {
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
    Diagnostic::new(&rules::SCHEMA_VIOLATION, message, Label::new(loaded.file, 0, 0, ""))
        .token("")
        .help("write `{}`, or remove the file; only a file without a single byte is passed over")
}

/// What is wrong in all manifests below the folder of stacks, as far as the scope goes; those that `loader` has not
/// processed on the way from the stacks (`tops`) are processed here. What `sink` holds already is not said again.
pub(crate) fn manifests(
    loader: &Manifests<'_>,
    checks: &Checks<'_>,
    tops: &[String],
    scope: Scope<'_>,
    sink: &Sink,
) -> Unreached {
    let tops: HashSet<&str> = tops.iter().map(String::as_str).collect();
    let (reader, config) = (loader.reader, loader.config);
    let validated = validated(reader, config);
    let apart = Sink::default();
    let unreached = match is_wanted(checks, config, scope) {
        true => unreached(loader, checks, &tops, &validated, scope, &apart),
        false => Unreached::default(),
    };
    for mut finding in apart.into_findings() {
        // No stack is broken by it.
        finding.is_breaking = false;
        sink.report(finding);
    }
    sink.report_unless_said(checks.findings(&validated));
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

/// Parses all manifests, each on the next thread that is free. All of them will be looked at, most of them at once: stacks
/// import the same ones, and would wait for each other.
pub(crate) fn preload(reader: &Reader<'_>, config: &Config) {
    let paths: Vec<String> = validated(reader, config).into_iter().collect();
    crate::threads::map(&paths, |path| {
        if let Ok(Some(loaded)) = reader.load(path, &mut Deps::default())
            && !loaded.is_empty()
        {
            // What is wrong with it is told where it is used.
            let _ = loaded.doc();
        }
    });
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
        let is_below = paths::relative(&change.path, &config.stacks).is_some();
        is_manifest && is_below && !seen.processed.contains(&*change.path)
    })
}

/// Processes the manifests that no stack reaches: those that no other one imports, and with them what they import.
fn unreached(
    loader: &Manifests<'_>,
    checks: &Checks<'_>,
    tops: &HashSet<&str>,
    validated: &BTreeSet<String>,
    scope: Scope<'_>,
    apart: &Sink,
) -> Unreached {
    let left: Vec<&String> = {
        let seen = checks.seen();
        // A stack that is a template is not validated, nor is what it alone imports validated by way of it.
        let starts = validated.iter().map(String::as_str).filter(|p| seen.processed.contains(*p) && tops.contains(p));
        let reached = seen.closure(starts);
        validated.iter().filter(|p| !reached.contains(p.as_str())).collect()
    };
    // Who imports whom is known only when they are processed; what is wrong with them then does not count.
    let unheard = Sink::default();
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
    let elsewhere = Mutex::new(Told::default());
    crate::threads::map(&roots, |path| {
        let own = Sink::default();
        let mut deps = Deps::default();
        let again = loader.again(&own, Some(checks));
        let _ = again.top(path, &mut deps);
        let told = again.report_references();
        let touched = match (&checks.changed, scope) {
            (Some(_), Scope::Touched(changes)) => changes.iter().any(|c| deps.touched(&c.path, c.kind)),
            _ => true,
        };
        if touched {
            elsewhere.lock().unwrap_or_else(PoisonError::into_inner).add(told);
            own.into_findings().into_iter().for_each(|f| apart.report(f));
        }
    });
    let roots = roots.into_iter().filter(|path| !from_templates.contains(path.as_str()));
    Unreached {
        manifests: roots.map(|path| (*path).clone()).collect(),
        told: elsewhere.into_inner().unwrap_or_else(PoisonError::into_inner),
    }
}
