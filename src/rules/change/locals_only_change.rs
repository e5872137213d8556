//! `locals-only-change`: an edit of only local names, and its effects.

use super::{Changes, MAX_NAMES};
use crate::diagnostic::rules::UNUSED_LOCAL;
use crate::diagnostic::{Diagnostic, Label, Level};
use crate::diff::locals::LocalChange;
use crate::diff::{ChangeKind, Side};
use crate::resolution::Resolution;
use crate::rules::rule;
use crate::text::Text;
use crate::value::FileId;
use crate::yaml::{Document, NodeId, NodeKind};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

rule!(
    LOCALS_ONLY_CHANGE,
    "locals-only-change",
    Change,
    "0.1.0",
    "only locals of a file change, or a local that no component depends on",
    Some(Level::Note)
);

pub(super) fn check(changes: &Changes<'_>) -> Vec<Diagnostic> {
    let mut by_file: BTreeMap<&Text, Vec<&LocalChange>> = BTreeMap::new();
    for local in &changes.diff.locals {
        by_file.entry(&local.file).or_default().push(local);
    }
    // A part that could not be resolved may read them.
    let resolutions = [changes.base, changes.context.resolution];
    let is_open = resolutions.iter().any(|e| e.units.iter().any(|u| u.is_incomplete()));
    let mut found = Vec::new();
    for (path, locals) in by_file {
        // A local that is added or removed without effect replaces a literal value, or is replaced by one.
        let is_idle = |l: &&LocalChange| l.reached.is_empty() && l.kind == ChangeKind::Changed;
        let idle: Vec<&LocalChange> = locals.iter().copied().filter(is_idle).collect();
        let reaches = locals.iter().any(|l| !l.reached.is_empty());
        let is_only = is_only(changes, path);
        if is_open && !idle.is_empty() {
            changes.context.withheld.record(&LOCALS_ONLY_CHANGE);
            continue;
        }
        if is_only && reaches {
            found.extend(reported(changes, path, &locals));
        } else {
            found.extend(idle.into_iter().filter_map(|local| reported(changes, path, &[local])));
        }
    }
    found
}

/// One finding about some locals of a file.
fn reported(changes: &Changes<'_>, path: &str, locals: &[&LocalChange]) -> Option<Diagnostic> {
    let files = changes.context.files;
    let first = locals.iter().min_by_key(|l| (l.side == Side::Base, l.line))?;
    let resolution = if first.side == Side::Head { changes.context.resolution } else { changes.base };
    let id = file_of(resolution, path, changes)?;
    let (file, line) = (files.get(id), first.line);
    let (span, text) = (file.line_span(line), file.line_text(line));
    let skip = (text.len() - text.trim_start().len()) as u32;
    let name = text.trim_start().find(':').map_or(text.trim().len() as u32, |i| i as u32);
    let primary = Label::new(id, span.start + skip, span.start + skip + name, "");
    let is_unused =
        |d: &Diagnostic| d.rule == &UNUSED_LOCAL && d.primary.file == id && d.primary.start == primary.start;
    if changes.context.resolution.findings.iter().any(is_unused) {
        return None;
    }
    let mut names: Vec<String> = locals.iter().take(MAX_NAMES).map(|l| format!("`{}`", l.name)).collect();
    if locals.len() > MAX_NAMES {
        names.push(format!("… {} more", locals.len() - MAX_NAMES));
    }
    let token = locals.iter().map(|l| format!("{}.{}", l.scope, l.name)).collect::<Vec<_>>().join(" ");
    let reached: BTreeSet<_> = locals.iter().flat_map(|l| &l.reached).collect();
    let components: BTreeSet<_> = reached.iter().map(|(address, _)| address).collect();
    let message = match reached.len() {
        0 => format!("local {} changes, but no component changes because of it", names.join(", ")),
        values => format!(
            "only locals change here ({}), and with them {} of {}",
            names.join(", "),
            count(values, "value"),
            count(components.len(), "component")
        ),
    };
    let mut finding = Diagnostic::new(&LOCALS_ONLY_CHANGE, message, primary).token(token);
    finding.stacks = components.iter().map(|(stack, ..)| Text::clone(stack)).collect();
    finding.stacks.dedup();
    Some(finding)
}

fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

fn file_of(resolution: &Resolution, path: &str, changes: &Changes<'_>) -> Option<FileId> {
    resolution.documents.iter().map(|d| d.0).find(|id| *changes.context.files.get(*id).path == *path)
}

/// Whether nothing but the locals of a file differs.
fn is_only(changes: &Changes<'_>, path: &str) -> bool {
    let document = |resolution: &'_ Resolution| -> Option<Arc<Document>> {
        let file = file_of(resolution, path, changes)?;
        Some(Arc::clone(&resolution.documents.iter().find(|d| d.0 == file)?.1))
    };
    let (Some(old), Some(new)) = (document(changes.base), document(changes.context.resolution)) else { return false };
    match (old.root(), new.root()) {
        (Some(a), Some(b)) => {
            let words = &changes.context.resolution.vocabularies;
            let sections: Vec<&str> = words.iter().map(|words| words.locals).collect();
            is_same((&old, a), (&new, b), 0, &sections)
        }
        _ => false,
    }
}

/// Whether two nodes are equal except for local names, which are at the top level, in a type or in a component.
fn is_same(old: (&Document, NodeId), new: (&Document, NodeId), depth: usize, sections: &[&str]) -> bool {
    let text = |(document, id): (&Document, NodeId)| {
        let span = document.node(id).span;
        document.text().get(span.start as usize..span.end as usize).map(|t| t.trim_end().to_owned())
    };
    let pairs = |(document, id): (&Document, NodeId)| match &document.node(id).kind {
        NodeKind::Mapping(pairs) => {
            let named = pairs.iter().map(|(key, value)| Some((document.scalar(*key)?.to_string(), *value)));
            named.collect::<Option<Vec<_>>>()
        }
        _ => None,
    };
    let (Some(mut a), Some(mut b)) = (pairs(old), pairs(new)) else { return text(old) == text(new) };
    if depth > 3 {
        return text(old) == text(new);
    }
    for all in [&mut a, &mut b] {
        all.retain(|(key, _)| !sections.contains(&key.as_str()) || depth == 2);
    }
    a.len() == b.len()
        && a.iter().zip(&b).all(|((k, x), (l, y))| k == l && is_same((old.0, *x), (new.0, *y), depth + 1, sections))
}
