//! Locals of components that neither these nor those that inherit from them read.

use super::uses::{name_label, removal, uses};
use crate::diagnostic::{Applicability, Diagnostic, Fix};
use crate::dialects::atmos::locals::observations::{Reader, Records, Unresolved};
use crate::dialects::atmos::locals::scopes::{self, FileLocals};
use crate::dialects::atmos::manifest::Manifests;
use crate::dialects::atmos::rules;
use crate::files::Files;
use crate::resolution::{Component, State, Unit};
use crate::text::{FastMap, FastSet, Text, nearest};
use crate::threads;
use crate::value::{Data, FileId, Key, Origin, Value};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The most characters that a call of a template may have to be looked through.
const MAX_CALL: usize = 1000;

/// The type and the name of a component that declares locals.
type Declared<'a> = (&'a str, &'a str);

/// The components that can read the locals of one: those of its name, and those that inherit from one of its name.
type Readers<'a> = FastMap<Declared<'a>, Vec<(&'a Unit, &'a Component)>>;

/// How many units a thread examines at a time.
const EXAMINED_AT_ONCE: usize = 32;

/// Reports the locals of components that no component reads, except those that other findings suggest (`meant`).
pub(super) fn report(manifests: &Manifests<'_>, records: &Records, meant: &BTreeSet<Origin>, units: &[Arc<Unit>]) {
    let has_any = |file: &&Arc<FileLocals>| scopes::components(&file.raw).next().is_some();
    let unresolved = files_of_unresolved(units);
    let is_known = |file: &&Arc<FileLocals>| !unresolved.contains(&file.loaded.file);
    let files: Vec<&Arc<FileLocals>> = records.locals.values().filter(has_any).filter(is_known).collect();
    if files.is_empty() || may_be_read_elsewhere(manifests, units) {
        return;
    }
    let readers = readers(units, &files);
    let meant: BTreeSet<_> = meant.iter().map(|origin| (origin.file, origin.key)).collect();
    let misspelt = misspelt(records);
    for file in files {
        if !file.locals.problems.is_empty() || records.unrendered.contains(&file.loaded.file) {
            continue;
        }
        // A text that is rendered with the file does not read the component's own, but was probably meant to.
        let own = uses(file, manifests);
        for (kind, name, section) in scopes::components(&file.raw) {
            let Some(locals) = section.as_map().filter(|_| !own.unsure) else { continue };
            let readers = readers.get(&(&**kind, &**name)).map_or(&[][..], |readers| readers);
            let Some(Readings { names, stacks }) = readings(records, readers, file.loaded.file) else { continue };
            for entry in locals.iter().filter(|entry| !names.contains(&entry.key)) {
                let Some(origin) = entry.value.prov.origin.filter(|o| o.file == file.loaded.file) else { continue };
                let is_meant = own.names.contains(&entry.key)
                    || misspelt.contains(&entry.key)
                    || meant.contains(&(origin.file, origin.key));
                if !is_meant {
                    let mut finding = finding(file, (kind, name), &entry.key, origin, locals.len());
                    finding.stacks = stacks.iter().copied().cloned().collect();
                    manifests.recorder.diagnostics.report(finding);
                }
            }
        }
    }
}

/// The locals of a file that components read.
struct Readings<'a> {
    /// The names that some component reads.
    names: BTreeSet<&'a Key>,
    /// The stacks that have the locals.
    stacks: BTreeSet<&'a Text>,
}

/// Returns the locals of a file that its components read; `None` if it has no components, or not all is known.
fn readings<'a>(records: &'a Records, readers: &[(&'a Unit, &'a Component)], file: FileId) -> Option<Readings<'a>> {
    let (mut names, mut stacks) = (BTreeSet::new(), BTreeSet::new());
    for (unit, component) in readers.iter().filter(|(unit, _)| unit.files.binary_search(&file).is_ok()) {
        let key = (Text::clone(&component.kind), Text::clone(&component.name));
        let uses = records.component_uses.get(&unit.name)?.get(&key);
        names.extend(&uses.filter(|uses| !uses.unsure)?.names);
        stacks.insert(&component.stack);
    }
    (!stacks.is_empty()).then_some(Readings { names, stacks })
}

/// Returns the locals that undefined references of components probably mean, which have findings of their own.
fn misspelt(records: &Records) -> BTreeSet<Key> {
    let mean = |found: &Unresolved| match &found.reader {
        Reader::Component { visible, .. } => nearest(&found.path[1], visible.iter().map(|name| &**name)).map(Key::from),
        Reader::Local(..) | Reader::File => None,
    };
    records.unresolved.iter().filter_map(mean).collect()
}

/// Returns the files that have a part in something that is not resolved.
fn files_of_unresolved(units: &[Arc<Unit>]) -> FastSet<FileId> {
    let unresolved = units.iter().filter(|unit| unit.state != State::Resolved || unit.is_incomplete());
    unresolved.flat_map(|unit| unit.files.iter().copied()).collect()
}

/// Returns the readers of the components whose locals `files` contain.
fn readers<'a>(units: &'a [Arc<Unit>], files: &[&'a Arc<FileLocals>]) -> Readers<'a> {
    let declared = files.iter().flat_map(|file| scopes::components(&file.raw));
    let mut all: Readers<'_> = declared.map(|(kind, name, _)| ((&**kind, &**name), Vec::new())).collect();
    let parts: Vec<&[Arc<Unit>]> = units.chunks(EXAMINED_AT_ONCE).collect();
    for (declared, unit, component) in threads::map(&parts, |units| readers_in(units, &all)).into_iter().flatten() {
        all.entry(declared).or_default().push((unit, component));
    }
    all
}

/// Returns the components of some units that read locals of a declared component, each with the latter.
fn readers_in<'a>(units: &'a [Arc<Unit>], declared: &Readers<'a>) -> Vec<(Declared<'a>, &'a Unit, &'a Component)> {
    let mut found = Vec::new();
    for unit in units.iter().filter(|unit| unit.state == State::Resolved) {
        for component in unit.components.iter().filter(|component| component.locals.is_some()) {
            // No base is named twice.
            let bases = component.metadata.bases.iter().map(|base| &*base.name);
            let names = bases.filter(|name| **name != *component.name).chain([&*component.name]);
            let known = names.filter_map(|name| declared.get_key_value(&(&*component.kind, name)));
            found.extend(known.map(|(declared, _)| (*declared, &**unit, &**component)));
        }
    }
    found
}

fn finding(
    file: &FileLocals,
    (kind, component): (&Key, &Key),
    name: &Key,
    origin: Origin,
    locals: usize,
) -> Diagnostic {
    let message = format!("local `{name}` of component `{component}` is not used");
    let mut finding = Diagnostic::new(&rules::UNUSED_LOCAL, message, name_label(origin, name))
        .token(format!("{kind}.{component}.{name}"))
        .note("only the component itself and those that inherit from it can use it")
        .help("remove it, or use it");
    let removal = removal(file, locals, origin);
    // Other programs may read it: it is part of what Atmos prints of the component.
    finding.fix = removal.map(|edit| Fix::one(format!("remove `{name}`"), edit, Applicability::Unsafe));
    finding
}

/// Whether a template of the configuration, an included part of a manifest or another component may read locals of
/// components in an unknown way.
fn may_be_read_elsewhere(manifests: &Manifests<'_>, units: &[Arc<Unit>]) -> bool {
    if units.iter().any(|unit| unit.state == State::Broken) || mentions_locals(&manifests.config.all) {
        return true;
    }
    let files: FastSet<FileId> = units.iter().flat_map(|unit| unit.files.iter().copied()).collect();
    files.into_iter().any(|file| reads_whole_components(manifests.reader.files, file))
}

fn mentions_locals(value: &Value) -> bool {
    match &value.data {
        Data::Str(text) => text.contains("locals"),
        Data::List(items) => items.iter().any(mentions_locals),
        Data::Map(map) => map.iter().any(|entry| mentions_locals(&entry.value)),
        _ => false,
    }
}

/// Whether a file includes locals of another one, or reads a component in another way than `(atmos.Component
/// …).section`.
fn reads_whole_components(files: &Files, file: FileId) -> bool {
    const CALL: &str = "atmos.Component";
    let text = &files.get(file).text;
    text.contains("!include") && text.lines().any(|line| line.contains("!include") && line.contains("locals"))
        || text.match_indices(CALL).any(|(at, _)| section_of(&text[..at], &text[at + CALL.len()..]).is_none())
}

/// Returns the section of a component that a call in parentheses reads: `outputs` of `(atmos.Component "x"
/// .stack).outputs.y`, given the text before and after the name of the function. `None` if it may read its locals.
fn section_of<'a>(before: &str, after: &'a str) -> Option<&'a str> {
    let is_opened = before.trim_end().ends_with('(');
    let mut depth = 1_usize;
    let close = after.char_indices().take(MAX_CALL).filter(|_| is_opened).find(|(_, c)| {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        depth == 0
    });
    let rest = after[close?.0 + 1..].strip_prefix('.')?;
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    Some(&rest[..end]).filter(|section| !section.is_empty() && *section != "locals")
}

#[cfg(test)]
mod tests {
    use super::section_of;

    #[test]
    fn the_section_that_a_call_reads() {
        for (text, want) in [
            ("{{ (atmos.Component \"x\" .stack).outputs.y }}", Some("outputs")),
            ("{{ ( atmos.Component (print \"a\") .stack).vars }}", Some("vars")),
            ("{{ (atmos.Component \"x\" .stack).locals.y }}", None),
            ("{{ $c := atmos.Component \"x\" .stack }}{{ $c.locals.y }}", None),
            ("{{ toJson (atmos.Component \"x\" .stack) }}", None),
            ("{{ (atmos.Component \"x\" .stack", None),
        ] {
            let (before, after) = text.split_once("atmos.Component").unwrap();
            assert_eq!(section_of(before, after), want, "{text}");
        }
    }
}
