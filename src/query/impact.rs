//! The components whose configuration depends on a line of a file, and how.

use super::imports::ImportIndex;
use super::spans::{Lines, Matcher, Spans, opened_by};
use crate::code::Runs;
use crate::diagnostic::Diagnostic;
use crate::diff::pointer;
use crate::files::Files;
use crate::resolution::{Address, Component, Import, LocalLevel, Resolution, State, Unit};
use crate::text::Text;
use crate::value::{Data, DataIdentity, FileId, Origin, Value};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt::Display;
use std::sync::Arc;

/// The maximum number of paths that are listed for one component.
const MAX_PATHS: usize = 1_000;
/// The number of paths of all components from which on one is listed for each further component.
const MANY_PATHS: usize = 1_000_000;
/// The most overridden values that are listed.
const MAX_OVERRIDDEN: usize = 10_000;

/// How a component depends on a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Via {
    /// One of its values was written there.
    Value,
    /// One of its values was computed from what was written there.
    Template,
    /// One of its values was computed from a local name that was written there.
    Local,
    /// An import there leads to a file that contributes one of its values.
    Import,
    /// It names a component there that it inherits from.
    Base,
    /// A setting there steers how it is put together.
    Setting,
    /// It runs the code there.
    Code,
}

impl Via {
    /// The name in output.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Via::Value => "value",
            Via::Template => "template",
            Via::Local => "local",
            Via::Import => "import",
            Via::Base => "base",
            Via::Setting => "setting",
            Via::Code => "code",
        }
    }
}

/// The dependents of a place, sorted by address.
#[derive(Clone, Debug, Default)]
pub(crate) struct Impact {
    /// The components whose configuration depends on it.
    pub components: Vec<Impacted>,
    /// What the code of these makes and that depends on it, sorted by address.
    pub resources: Vec<Impacted>,
    /// The local names whose values depend on it, sorted by file and place.
    pub locals: Vec<ImpactedLocal>,
    /// Values written there without effect, because something overrides them everywhere.
    pub overridden: Vec<Overridden>,
    /// The imports that lead to the file, sorted by place.
    pub importers: Vec<Origin>,
    /// The number of units that the file has a part in.
    pub units: usize,
}

/// A component that depends on a place.
#[derive(Clone, Debug)]
pub(crate) struct Impacted {
    pub address: Address,
    /// JSON Pointers to the values that depend on it, sorted; the empty one means the whole configuration.
    pub paths: BTreeMap<String, Via>,
    /// Whether there are more paths than are listed.
    pub is_cut: bool,
}

/// A local name that depends on a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ImpactedLocal {
    /// Where the name is written.
    pub origin: Origin,
    /// The part of the file that sees it.
    pub level: LocalLevel,
    pub name: Text,
}

/// Something written at a place that was replaced in a component.
#[derive(Clone, Debug)]
pub(crate) struct Overridden {
    /// The component.
    pub address: Address,
    /// JSON Pointer to the value that replaced it.
    pub path: String,
    /// Where it is written.
    pub origin: Origin,
    /// Where the overriding value is written, if known.
    pub by: Option<Origin>,
}

/// A file, or a folder.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'a> {
    pub path: &'a str,
    /// The paths of the file, or of all files in the folder.
    pub paths: &'a [&'a str],
}

impl Place<'_> {
    fn holds(&self, path: &str) -> bool {
        self.path.is_empty()
            || path.strip_prefix(self.path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}

/// Returns what depends on some lines of a file, or on all of it, or on a folder with all that is in it. What runs code there is among
/// `runs`; what a line of code reaches within it is not known.
pub(crate) fn impact(
    resolution: &Resolution,
    runs: &[Runs],
    files: &Files,
    place: Place<'_>,
    lines: Option<Lines>,
) -> Impact {
    let mut ids: BTreeSet<FileId> = resolution.files();
    ids.extend(resolution.documents.iter().map(|d| d.0));
    ids.retain(|id| place.holds(&files.get(*id).path));
    let mut found = Impact::default();
    let has_part = |unit: &&Arc<Unit>| unit.files.iter().chain([&unit.file]).any(|file| ids.contains(file));
    found.units = resolution.units.iter().filter(has_part).count();
    for id in ids {
        let file = files.get(id);
        let spans = match lines {
            Some(lines) => Spans::of_lines(id, &file, opened_by(resolution, id, &file, lines)),
            None => Spans::of_file(id),
        };
        Search::new(resolution, id, spans).run(&mut found);
    }
    for run in runs.iter().flat_map(|runs| place.paths.iter().flat_map(|path| runs.touched_by(path))) {
        let paths = BTreeMap::from([(String::new(), Via::Code)]);
        found.components.push(Impacted { address: run.address.clone(), paths, is_cut: false });
    }
    found.components = united(std::mem::take(&mut found.components));
    found.importers.sort_by_key(|origin| (Text::clone(&files.get(origin.file).path), origin.key));
    found
}

/// Adds what depends on the place of what the code of components makes.
pub(crate) fn add_resources(
    found: &mut Impact,
    (resolution, made): (&Resolution, &[Arc<Unit>]),
    files: &Files,
    place: Place<'_>,
    lines: Option<Lines>,
) {
    let alone = Resolution { units: made.to_vec(), imports: resolution.imports.clone(), ..Resolution::default() };
    let mut resources = Impact::default();
    for id in alone.files().into_iter().filter(|id| place.holds(&files.get(*id).path)) {
        let file = files.get(id);
        let spans = match lines {
            Some(lines) => Spans::of_lines(id, &file, opened_by(resolution, id, &file, lines)),
            None => Spans::of_file(id),
        };
        Search::new(&alone, id, spans).run(&mut resources);
    }
    found.resources = united(resources.components);
}

/// Each component once, sorted by address.
fn united(mut components: Vec<Impacted>) -> Vec<Impacted> {
    components.sort_by(|a, b| a.address.cmp(&b.address));
    components.dedup_by(|again, first| {
        let is_same = again.address == first.address;
        if is_same {
            first.paths.append(&mut again.paths);
        }
        is_same
    });
    components
}

/// What would be missing or no longer resolve without a file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Loss {
    /// Findings that prevent units from being resolved that were resolved before.
    pub breaks: Vec<Diagnostic>,
    /// The missing components, sorted, except those of units that no longer resolve.
    pub removed: Vec<Address>,
}

/// Compares a state with one that lacks a file and only contains the units that this affects.
pub(crate) fn loss(whole: &Resolution, without: &Resolution, files: &Files) -> Loss {
    let identity = |f: &Diagnostic| {
        (Text::clone(&files.get(f.primary.file).path), f.primary.start, f.rule.clone(), f.message.clone())
    };
    let known: HashSet<_> = whole.findings.iter().filter(|f| f.is_breaking).map(identity).collect();
    let breaks = without.findings.iter().filter(|f| f.is_breaking && !known.contains(&identity(f))).cloned().collect();
    let by_id: HashMap<&Text, &Arc<Unit>> = without.units.iter().map(|u| (&u.id, u)).collect();
    let mut removed = Vec::new();
    for unit in &whole.units {
        let now = by_id.get(&unit.id);
        if now.is_some_and(|now| now.state != State::Resolved) {
            continue;
        }
        let left: HashSet<Address> = now.iter().flat_map(|now| &now.components).map(|c| c.address()).collect();
        let broken = |c: &Component| {
            now.is_some_and(|now| now.broken.iter().any(|(kind, name)| *kind == c.kind && *name == c.name))
        };
        let lost = unit.components.iter().filter(|c| !left.contains(&c.address()) && !broken(c));
        removed.extend(lost.map(|c| c.address()));
    }
    removed.sort();
    removed.dedup();
    Loss { breaks, removed }
}

/// The search for what depends on spans of one file.
struct Search<'a> {
    resolution: &'a Resolution,
    file: FileId,
    spans: Spans,
    imports: ImportIndex<'a>,
    /// The imports in the spans.
    items: Vec<usize>,
    locals: HashSet<Origin>,
    matchers: HashMap<Spans, Matcher<'a>>,
    /// The number of paths that are listed so far.
    listed: usize,
    /// The collections that were gone through since the spans were others. Components share them.
    examined: HashSet<DataIdentity<'a>>,
    effective: HashSet<Origin>,
    overridden: Vec<Overridden>,
}

/// Whether spans contain a part of an import that affects where it leads or how. Values that are only passed on are
/// known from the values computed from them.
fn steers(import: &Import, spans: &Spans) -> bool {
    let is_passed = || import.context.iter().any(|e| e.value.prov.origin.is_some_and(|origin| spans.touch(origin)));
    spans.touch(import.path) || spans.touch(import.item) && !is_passed()
}

impl<'a> Search<'a> {
    fn new(resolution: &'a Resolution, file: FileId, spans: Spans) -> Self {
        let imports = ImportIndex::new(resolution);
        let items = imports.of(file).filter(|(_, import)| steers(import, &spans)).map(|(i, _)| i).collect();
        let own = resolution.locals.scopes.iter().filter(|s| s.file == file);
        let locals = own.flat_map(|s| &s.locals).filter_map(|l| l.origin).collect();
        let (matchers, examined, effective) = (HashMap::new(), HashSet::new(), HashSet::new());
        let (listed, overridden) = (0, Vec::new());
        Search { resolution, file, spans, imports, items, locals, matchers, listed, examined, effective, overridden }
    }

    fn run(mut self, found: &mut Impact) {
        let resolution = self.resolution;
        for unit in &resolution.units {
            if unit.files.binary_search(&self.file).is_ok() || unit.file == self.file {
                self.unit(unit, &mut found.components);
            }
        }
        self.locals(&mut found.locals);
        let effective = self.effective;
        found.overridden.extend(self.overridden.into_iter().filter(|o| !effective.contains(&o.origin)));
        if self.spans.lines.is_none() {
            found.importers.extend(self.imports.to(self.file).map(|import| import.path));
        }
    }

    /// The components of a unit that depend on the spans.
    fn unit(&mut self, unit: &'a Arc<Unit>, found: &mut Vec<Impacted>) {
        let mut spans = self.spans.clone();
        if !self.items.is_empty() {
            spans.files.extend(self.imports.only_by(unit.file, &self.items));
        }
        self.examined.clear();
        let mut matcher = self.matchers.remove(&spans).unwrap_or_else(|| Matcher::new(spans.clone()));
        let shared = unit.components.first().is_some_and(|c| self.steered(&c.shaping_origins.shared));
        for component in &unit.components {
            let mut impacted = Impacted { address: component.address(), paths: BTreeMap::new(), is_cut: false };
            if shared {
                impacted.paths.insert(String::new(), Via::Setting);
            }
            self.shaped(component, &mut impacted);
            let hits = matcher.component(&component.value);
            if hits.effective || hits.overridden {
                self.values(&mut matcher, &component.value, &mut String::new(), &mut impacted);
            }
            if !impacted.paths.is_empty() {
                self.listed += impacted.paths.len();
                found.push(impacted);
            }
        }
        self.matchers.insert(spans, matcher);
    }

    /// Whether one of some places that shape components is in the spans, and is not an import: the effect of imports is
    /// known.
    fn steered(&self, origins: &[Origin]) -> bool {
        let mut touched = origins.iter().filter(|origin| self.spans.touch(**origin));
        touched.any(|origin| !self.is_import(*origin))
    }

    fn is_import(&self, origin: Origin) -> bool {
        self.imports.of(origin.file).any(|(_, import)| import.item == origin || import.path == origin)
    }

    /// Lines that shaped a component without being a value of it.
    fn shaped(&self, component: &Component, impacted: &mut Impacted) {
        for origin in component.shaping_origins.own.iter().filter(|origin| self.spans.touch(**origin)) {
            let is_base = component.metadata.bases.iter().any(|base| base.origin == Some(*origin));
            if !self.is_import(*origin) {
                impacted.paths.entry(String::new()).or_insert(if is_base { Via::Base } else { Via::Setting });
            }
        }
    }

    /// The values of a component that depend on the spans, and those that replaced something there.
    fn values(&mut self, matcher: &mut Matcher<'a>, value: &'a Value, path: &mut String, impacted: &mut Impacted) {
        if let Some(origin) = matcher.own(value) {
            self.effective.insert(origin);
            if impacted.paths.len() < if self.listed < MANY_PATHS { MAX_PATHS } else { 1 } {
                impacted.paths.insert(path.clone(), self.via(origin, value));
            } else {
                impacted.is_cut = true;
            }
        } else if self.overridden.len() < MAX_OVERRIDDEN
            && let Some(origin) = matcher.replaced(value)
        {
            let address = impacted.address.clone();
            self.overridden.push(Overridden { address, path: path.clone(), origin, by: value.prov.origin });
        }
        let is_collection = matches!(value.data, Data::Map(_) | Data::List(_));
        let is_examined = is_collection && !self.examined.insert(value.data.identity());
        let length = path.len();
        // Returns whether there is more to look for: of a component that shares the collection, no more than is listed.
        let mut goes_on = |key: &dyn Display, item: &'a Value, search: &mut Self| {
            if is_examined && impacted.is_cut {
                return false;
            }
            let hits = matcher.hits(item);
            if hits.effective || hits.overridden {
                pointer::push(path, &key.to_string());
                search.values(matcher, item, path, impacted);
                path.truncate(length);
            }
            true
        };
        _ = match &value.data {
            Data::Map(map) => map.iter().all(|e| goes_on(&e.key, &e.value, self)),
            Data::List(items) => items.iter().enumerate().all(|(i, item)| goes_on(&i, item, self)),
            _ => true,
        };
    }

    fn via(&self, origin: Origin, value: &Value) -> Via {
        if origin.file != self.file {
            Via::Import
        } else if value.prov.origin == Some(origin) {
            Via::Value
        } else if self.locals.contains(&origin) {
            Via::Local
        } else {
            Via::Template
        }
    }

    /// The local names that depend on the spans. Only their own file sees them.
    fn locals(&mut self, found: &mut Vec<ImpactedLocal>) {
        let mut matcher = Matcher::new(self.spans.clone());
        let mut seen = HashSet::new();
        for scope in self.resolution.locals.scopes.iter().filter(|s| s.file == self.file) {
            for local in &scope.locals {
                let Some(origin) = local.origin else { continue };
                let is_read = local.value.as_ref().is_some_and(|value| matcher.hits(value).effective);
                // Each stack of the file has the same names.
                if (is_read || self.spans.touch(origin)) && seen.insert((origin, &scope.level, &local.name)) {
                    let (level, name) = (scope.level.clone(), Text::clone(&local.name));
                    found.push(ImpactedLocal { origin, level, name });
                }
            }
        }
    }
}
