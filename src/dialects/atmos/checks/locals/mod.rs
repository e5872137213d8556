//! Findings about locals, at the line that has to change.

use crate::dialects::atmos::locals::blame::{occurrences, pointed};
mod graph;
mod of_components;
mod traces;
mod uses;

use crate::diagnostic::{Applicability, Diagnostic, Edit, Fix, Label};
use crate::dialects::atmos::diagnostics::label;
use crate::dialects::atmos::locals::observations::{Reader, Records, Unresolved};
use crate::dialects::atmos::locals::scopes::FileLocals;
use crate::dialects::atmos::manifest::Manifests;
use crate::dialects::atmos::manifest::local_problems::written;
use crate::dialects::atmos::reader::Deps;
use crate::dialects::atmos::rules;
use crate::resolution::Unit;
use crate::text::Text;
use crate::threads;
use crate::value::{FileId, Key, Origin};
use graph::{Definition, Graph};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use traces::report_traces;

/// The maximum number of names that are listed.
const MAX_NAMES: usize = 12;

/// Files with locals whose references were reported.
#[derive(Default)]
pub(in crate::dialects::atmos) struct ReportedLocals {
    pub files: BTreeMap<FileId, Arc<FileLocals>>,
    /// Those that are taken in without being rendered.
    pub unrendered: BTreeSet<FileId>,
    /// Locals that a finding suggests: they are not reported as unused.
    pub meant: BTreeSet<Origin>,
}

impl ReportedLocals {
    /// Adds findings that were reported elsewhere.
    pub(in crate::dialects::atmos) fn add(&mut self, other: ReportedLocals) {
        self.files.extend(other.files);
        self.unrendered.extend(other.unrendered);
        self.meant.extend(other.meant);
    }
}

/// Reports what was noted about locals, and what is odd about them: here and where files were examined `elsewhere`.
pub(in crate::dialects::atmos) fn report_locals(
    manifests: &Manifests<'_>,
    elsewhere: ReportedLocals,
    units: &[Arc<Unit>],
) {
    let mut reported = report_references(manifests);
    reported.add(elsewhere);
    threads::join(
        || uses::report(manifests, &reported.files, &reported.unrendered, &reported.meant),
        || of_components::report(manifests, &manifests.recorder.observations.records(), &reported.meant, units),
    );
}

/// Reports references to undefined locals, and their consequences. Findings about the locals themselves are possible
/// only after all their readers were examined.
pub(super) fn report_references(manifests: &Manifests<'_>) -> ReportedLocals {
    let records = manifests.recorder.observations.records();
    let graph = Graph::of(&records);
    let mut groups: BTreeMap<(Option<Origin>, [Key; 2]), Vec<&Unresolved>> = BTreeMap::new();
    for found in &records.unresolved {
        groups.entry((found.site.origin, found.path.clone())).or_default().push(found);
    }
    let mut explained: BTreeSet<Origin> = BTreeSet::new();
    let mut meant: BTreeSet<Origin> = BTreeSet::new();
    for ((origin, path), group) in &groups {
        let found = reference(manifests, path, group, &records, &graph, &mut meant);
        let Some(mut finding) = found else { continue };
        explained.extend(origin);
        for found in group {
            if let Reader::Component { stack, .. } = &found.reader {
                finding.stacks.push(Text::clone(stack));
            }
        }
        manifests.recorder.diagnostics.report(finding);
    }
    report_traces(manifests, &records, &explained);
    ReportedLocals { files: records.locals, unrendered: records.unrendered, meant }
}

/// Returns the finding about a reference to an undefined local; `None` if another finding covers it.
fn reference(
    manifests: &Manifests<'_>,
    path: &[Key; 2],
    group: &[&Unresolved],
    records: &Records,
    graph: &Graph<'_>,
    meant: &mut BTreeSet<Origin>,
) -> Option<Diagnostic> {
    let first = group.first()?;
    let files = manifests.reader.files;
    let error = group.iter().find_map(|u| u.error.as_deref());
    let file = first.site.origin.map_or(first.file, |o| o.file);
    let file_path = Text::clone(&files.get(file).path);
    let (start, end) = pointed(files, &first.site, path).unwrap_or_default();
    let primary = Label::new(file, start, end, "");
    let fallback = || {
        let error = error?;
        Some(Diagnostic::new(&rules::TEMPLATE_ERROR, error, label(&first.site, file, "")).breaking())
    };
    if !records.manifests.contains_key(&file_path) {
        return fallback();
    }
    let own = records.locals.get(&file);
    let in_local = match &first.reader {
        Reader::Local(name, kind) => Some((name, *kind)),
        _ => None,
    };
    let mut finding = if &*path[0] != "locals" {
        let (name, kind) = in_local?;
        match needs_import(manifests, name, kind, path, primary, first, graph) {
            Some(finding) => finding,
            None => return fallback(),
        }
    } else {
        let visible_in_file = in_local.is_none() && own.is_some_and(|o| o.defined(&path[1]).is_some());
        if visible_in_file {
            return fallback();
        }
        if error.is_none() && records.lenient.contains(&file) {
            return None;
        }
        let definition = graph.nearest(&file_path, &path[1], records);
        match definition {
            Some(definition) => {
                meant.extend(definition.origin);
                leaked(manifests, path, primary, &file_path, definition)
            }
            None => undefined(manifests, path, primary, first, group, own, records, graph, meant),
        }
    };
    if let Some((name, _)) = in_local {
        finding = finding.note(format!("local `{name}` needs it"));
    }
    finding = match error {
        Some(error) => finding.note(format!("Atmos rejects the file: {error}")).breaking(),
        None => finding.note("Atmos silently renders it as `<no value>`"),
    };
    Some(finding.token(format!("{}.{}", path[0], path[1])))
}

fn leaked(manifests: &Manifests<'_>, path: &[Key; 2], primary: Label, from: &str, found: Definition) -> Diagnostic {
    let files = manifests.reader.files;
    let name = &path[1];
    let place = match found.origin {
        Some(origin) => format!("{}:{}", found.path, files.get(origin.file).line(origin.key)),
        None => found.path.to_string(),
    };
    let message = format!("local `{name}` is defined in {place}, but locals are file-scoped: {from} cannot see it");
    let mut finding = Diagnostic::new(&rules::LEAKED_LOCAL, message, primary).chain();
    for step in &found.chain {
        if let Some(origin) = step.item {
            finding = finding.related(Label::at(origin, format!("{} imports {}", step.from, step.to)));
        }
    }
    if let Some(origin) = found.origin {
        finding = finding.related(Label::at(origin, format!("`{name}` is defined here")));
    }
    match (&found.component, found.is_above) {
        (Some(component), _) => finding.help(format!(
            "component `{component}` defines it: inherit from it with `metadata.inherits`, or set the value in `vars` or `settings`"
        )),
        (None, true) => finding.help(format!(
            "pass it with the `context` of the import and read `.{name}`, or set it in `vars` or `settings`"
        )),
        (None, false) => finding
            .help(format!("define it in {from} too, or set it in `vars` or `settings` there, which imports pass on")),
    }
}

#[allow(clippy::too_many_arguments, reason = "all of it is said")]
fn undefined(
    manifests: &Manifests<'_>,
    path: &[Key; 2],
    primary: Label,
    first: &Unresolved,
    group: &[&Unresolved],
    own: Option<&Arc<FileLocals>>,
    records: &Records,
    graph: &Graph<'_>,
    meant: &mut BTreeSet<Origin>,
) -> Diagnostic {
    let files = manifests.reader.files;
    let name = &path[1];
    let file = primary.file;
    let from = Text::clone(&files.get(file).path);
    let scopes = visible_scopes(first, group, own);
    let mut candidates: BTreeSet<Key> = scopes.iter().flat_map(|s| s.1.iter().cloned()).collect();
    // A local that cannot be resolved itself is not suggested.
    if let Reader::Local(own, _) = &first.reader {
        candidates.remove(own);
    }
    let message = format!("local `{name}` is not defined in {from}");
    let mut finding = Diagnostic::new(&rules::UNDEFINED_LOCAL, message, primary);
    let listed: Vec<String> =
        scopes.iter().filter(|s| !s.1.is_empty()).map(|(scope, names)| list(scope, names)).collect();
    finding = match listed.is_empty() {
        true => finding.note("the file defines no locals"),
        false => finding.note(format!("available locals: {}", listed.join("; "))),
    };
    if let Some(other) = graph.component_with(&from, name, records) {
        finding = finding.related(Label::at(other.1, format!("component `{}` has a local with this name", other.0)));
    }
    match crate::text::nearest(name, candidates.iter().map(|c| &**c)) {
        Some(near) => {
            meant.extend(own.and_then(|o| o.defined(near)));
            let places = first.site.origin.map(|o| occurrences(files, o, path)).unwrap_or_default();
            let edit = |(start, end)| Edit { file, start, end, text: near.to_owned() };
            let edits: Vec<Edit> = places.into_iter().map(edit).collect();
            finding = finding.help(format!("did you mean `{near}`?"));
            match edits.is_empty() {
                true => finding,
                false => {
                    let title = format!("rename to `{near}`");
                    finding.fix(Fix { title, edits, applicability: Applicability::Unsafe })
                }
            }
        }
        None => finding.help(format!("define `{name}` under `locals`, or give the reference a default")),
    }
}

/// The scopes whose locals a reference could use, with their names.
fn visible_scopes(first: &Unresolved, group: &[&Unresolved], own: Option<&Arc<FileLocals>>) -> Vec<(String, Vec<Key>)> {
    let mut scopes = Vec::new();
    let in_kind = match &first.reader {
        Reader::Local(_, kind) => Some(*kind),
        _ => None,
    };
    for scope in own.map(|o| o.locals.scopes.as_slice()).unwrap_or_default() {
        if in_kind.is_none_or(|kind| scope.kind.is_none() || scope.kind == kind) {
            scopes.push((scope.kind.unwrap_or("global").to_owned(), scope.raw.keys().cloned().collect()));
        }
    }
    let mut of_components: BTreeSet<Key> = BTreeSet::new();
    for found in group {
        if let Reader::Component { visible, .. } = &found.reader {
            of_components.extend(visible.iter().cloned());
        }
    }
    if !of_components.is_empty() {
        scopes.push(("component".to_owned(), of_components.into_iter().collect()));
    }
    scopes
}

/// A local that uses a section which only an imported file sets.
fn needs_import(
    manifests: &Manifests<'_>,
    name: &Key,
    kind: Option<&'static str>,
    path: &[Key; 2],
    primary: Label,
    found: &Unresolved,
    graph: &Graph<'_>,
) -> Option<Diagnostic> {
    let from = Text::clone(&manifests.reader.files.get(found.file).path);
    let (to, origin) = graph.below(&from).find_map(|to| Some((to, sets(manifests, to, kind, path)?)))?;
    let what = format!("{}.{}", path[0], path[1]);
    let message = format!(
        "local `{name}` needs `{what}`, which only {to} sets: locals are resolved before imports and see only their own file"
    );
    let mut finding = Diagnostic::new(&rules::LOCAL_NEEDS_IMPORT, message, primary).chain();
    for step in graph.chain(&from, to) {
        if let Some(item) = step.item {
            finding = finding.related(Label::at(item, format!("{} imports {}", step.from, step.to)));
        }
    }
    finding = finding.related(Label::at(origin, format!("`{what}` is set here")));
    Some(finding.help(format!(
        "set `{what}` in {from}, or use `{{{{ .{what} }}}}` where the local is used: components see imported values"
    )))
}

/// Where a file sets a key of a section, for all or for a component type.
fn sets(manifests: &Manifests<'_>, file: &str, kind: Option<&str>, path: &[Key; 2]) -> Option<Origin> {
    let loaded = manifests.reader.load(file, &mut Deps::default()).ok()??;
    let raw = written(manifests, &loaded, &mut Deps::default())?;
    let own = raw.get(&path[0]).and_then(|s| s.get(&path[1]));
    let typed = || raw.get(kind?)?.get(&path[0])?.get(&path[1]);
    own.or_else(typed)?.prov.origin
}

/// ``global: `a`, `b`, … 3 more``.
fn list(scope: &str, names: &[Key]) -> String {
    let shown: Vec<String> = names.iter().take(MAX_NAMES).map(|n| format!("`{n}`")).collect();
    let more = names.len().saturating_sub(MAX_NAMES);
    let rest = if more > 0 { format!(", … {more} more") } else { String::new() };
    format!("{scope}: {}{rest}", shown.join(", "))
}
