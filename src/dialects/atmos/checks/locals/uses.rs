//! Locals that nothing uses, that hide others, or whose names cannot be written.

use crate::diagnostic::{Applicability, Diagnostic, Edit, Fix, Label};
use crate::dialects::atmos::diagnostics::label;
use crate::dialects::atmos::locals::Scope;
use crate::dialects::atmos::locals::scopes::FileLocals;
use crate::dialects::atmos::locals::uses::Uses;
use crate::dialects::atmos::manifest::Manifests;
use crate::dialects::atmos::rules;
use crate::template::MissingKey;
use crate::threads;
use crate::value::{FileId, Flags, Key, Origin};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Reports findings about the locals of files, independent of their importers. Those that other findings suggest are
/// not reported as unused.
pub(in crate::dialects::atmos) fn report(
    manifests: &Manifests<'_>,
    files: &BTreeMap<FileId, Arc<FileLocals>>,
    unrendered: &BTreeSet<FileId>,
    meant: &BTreeSet<Origin>,
) {
    let meant: BTreeSet<_> = meant.iter().map(|o| (o.file, o.key)).collect();
    let is_examined =
        |file: &&Arc<FileLocals>| file.locals.problems.is_empty() && !unrendered.contains(&file.loaded.file);
    let files: Vec<&Arc<FileLocals>> = files.values().filter(is_examined).collect();
    let found = threads::map(&files, |file| file.oddities(|| oddities(file, manifests)));
    let is_meant = |d: &Diagnostic| meant.contains(&(d.primary.file, d.primary.start));
    for finding in found.into_iter().flatten().filter(|d| d.rule != &rules::UNUSED_LOCAL || !is_meant(d)) {
        manifests.recorder.diagnostics.report(finding.clone());
    }
}

/// Returns findings about the locals of a file.
pub(in crate::dialects::atmos) fn oddities(file: &FileLocals, manifests: &Manifests<'_>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    if file.locals.present {
        let uses = uses(file, manifests);
        let global = file.locals.scopes.iter().find(|s| s.kind.is_none());
        for scope in &file.locals.scopes {
            for entry in scope.raw.iter() {
                let Some(origin) = entry.value.prov.origin.filter(|o| o.file == file.loaded.file) else { continue };
                // Nothing can use what cannot be written.
                let invalid = invalid(&entry.key, origin, &uses);
                found.extend(invalid.or_else(|| unused(file, scope, &entry.key, origin, &uses)));
                found.extend(shadowed(scope, global, &entry.key, origin));
            }
        }
    }
    found.extend(hidden_in_components(file));
    found
}

/// Returns the locals that the texts of a file read.
pub(super) fn uses(file: &FileLocals, manifests: &Manifests<'_>) -> Uses {
    // An included file may be named by a text that is not there any more when the rest is examined.
    let included = |line: &str| line.contains("!include") && line.contains("{{");
    let text = &file.loaded.text;
    let mut uses = Uses { unsure: text.contains("!include") && text.lines().any(included), ..Uses::default() };
    let engine = manifests.engine(MissingKey::Default);
    uses.add_map(&file.raw, &|text| engine.parse(text));
    uses
}

fn unused(file: &FileLocals, scope: &Scope, name: &Key, origin: Origin, uses: &Uses) -> Option<Diagnostic> {
    if uses.unsure || uses.names.contains(name) {
        return None;
    }
    let message = format!("local `{name}` is not used in {}", file.loaded.path);
    let finding = Diagnostic::new(&rules::UNUSED_LOCAL, message, name_label(origin, name))
        .token(format!("{}.{name}", scope.kind.unwrap_or("global")))
        .note("locals are file-scoped: files that import this one cannot use it");
    let finding = match removal(file, scope.raw.len(), origin) {
        Some(edit) => finding.fix(Fix::one(format!("remove `{name}`"), edit, Applicability::Safe)),
        None => finding,
    };
    Some(finding.help("remove it, or use it"))
}

/// The edit that takes out the lines of a local of a section with so many, if it has whole lines for itself and is not the
/// only one.
pub(super) fn removal(file: &FileLocals, locals: usize, origin: Origin) -> Option<Edit> {
    let text = &file.loaded.text;
    let start = text[..origin.key as usize].rfind('\n').map_or(0, |i| i + 1);
    let before = text.get(start..origin.key as usize)?;
    let end = text.get(origin.end as usize..)?;
    let line_end = end.find('\n').map(|i| origin.end as usize + i + 1)?;
    let after = text.get(origin.end as usize..line_end)?.trim();
    let is_block = matches!(text.as_bytes().get(origin.start as usize), Some(b'|' | b'>' | b'&' | b'*' | b'!'));
    let alone = before.trim().is_empty() && after.is_empty() && !is_block && locals > 1;
    let written = text.get(origin.key as usize..origin.end as usize)?;
    // An anchor inside may be used elsewhere.
    (alone && !written.contains('&')).then(|| Edit {
        file: origin.file,
        start: start as u32,
        end: line_end as u32,
        text: String::new(),
    })
}

/// The name in front of a value.
pub(super) fn name_label(origin: Origin, name: &str) -> Label {
    let end = (origin.key + name.len() as u32).min(origin.end);
    Label::new(origin.file, origin.key, end, "")
}

fn invalid(name: &Key, origin: Origin, uses: &Uses) -> Option<Diagnostic> {
    let is_letter = |c: char| c == '_' || c.is_alphabetic();
    let is_valid = name.starts_with(is_letter) && name.chars().all(|c| is_letter(c) || c.is_numeric());
    // A reference with `index` is deliberate.
    if is_valid || uses.unsure || uses.indexed.contains(name) {
        return None;
    }
    let message = format!(
        "templates cannot refer to `.locals.{name}`: {}",
        match name.chars().next() {
            None => "the name is empty".to_owned(),
            Some(c) if c.is_numeric() => "the name starts with a digit".to_owned(),
            Some(_) => {
                let odd = name.chars().find(|c| !(is_letter(*c) || c.is_numeric())).unwrap_or(' ');
                format!("the name contains `{odd}`")
            }
        }
    );
    let plain: String = name.chars().map(|c| if is_letter(c) || c.is_numeric() { c } else { '_' }).collect();
    let plain = if plain.starts_with(is_letter) { plain } else { format!("_{plain}") };
    Some(
        Diagnostic::new(&rules::INVALID_LOCAL_NAME, message, name_label(origin, name))
            .token(&**name)
            .help(format!("rename it to `{plain}`, or read it with `index .locals \"{name}\"`")),
    )
}

/// A local of a component type that hides one of the file.
fn shadowed(scope: &Scope, global: Option<&Scope>, name: &Key, origin: Origin) -> Option<Diagnostic> {
    let kind = scope.kind?;
    let outer = global?;
    let (own, hidden) = (scope.own.get(name)?, outer.own.get(name)?);
    if own.holds(Flags::UNKNOWN) || hidden.holds(Flags::UNKNOWN) || own == hidden {
        return None;
    }
    let message = format!("local `{name}` of `{kind}` hides the local of the file, which has another value");
    let finding =
        Diagnostic::new(&rules::SHADOWED_LOCAL, message, name_label(origin, name)).token(format!("{kind}.{name}"));
    let finding = match outer.raw.get(name).and_then(|v| v.prov.origin) {
        Some(outer) => finding.related(Label::at(outer, "this one is hidden")),
        None => finding,
    };
    Some(
        finding
            .note(format!("all scopes of a file are one map: components of other types get the value of `{kind}` too"))
            .help("give one of them another name"),
    )
}

/// Locals of components that never take effect in their file, because one of the file has the same name.
fn hidden_in_components(file: &FileLocals) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for (kind, component, section) in crate::dialects::atmos::locals::scopes::components(&file.raw) {
        for entry in section.as_map().into_iter().flat_map(|m| m.iter()) {
            let Some(outer) = file.locals.flat.get(&entry.key) else { continue };
            let known = !outer.flags().has(Flags::UNKNOWN) && !entry.value.holds(Flags::TEMPLATE);
            let is_same = outer == &entry.value;
            let (Some(_), true, false) = (entry.value.prov.origin, known, is_same) else { continue };
            let message =
                format!("local `{}` of component `{component}` is hidden by the local of the file", entry.key);
            let mut finding =
                Diagnostic::new(&rules::SHADOWED_LOCAL, message, label(&entry.value.prov, file.loaded.file, ""))
                    .token(format!("{kind}.{component}.{}", entry.key))
                    .note("templates of the file read the file's value, before the locals of the component apply");
            if let Some(origin) = file.defined(&entry.key) {
                finding = finding.related(Label::at(origin, "this one applies in this file"));
            }
            found.push(finding.help("give one of them another name"));
        }
    }
    found
}
