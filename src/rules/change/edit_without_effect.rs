//! `edit-without-effect`: an edited value changes nothing, because it is overridden wherever it could count.

use super::Changes;
use crate::diagnostic::{Diagnostic, Label};
use crate::diff::Side;
use crate::files::File;
use crate::resolution::{State, Unit};
use crate::rules::rule;
use crate::text::Text;
use crate::value::{FileId, Origin, Value};
use crate::yaml::{Document, NodeId, NodeKind, Span};
use std::collections::{BTreeMap, BTreeSet};

rule!(
    EDIT_WITHOUT_EFFECT,
    "edit-without-effect",
    Change,
    "0.1.0",
    "an edited value changes nothing, because another value overrides it"
);

/// The causes of larger edits are truncated, so missing causes mean nothing.
const MAX_EDITS: usize = 30;
/// The longest chain of overridden values that is followed.
const MAX_CHAIN: usize = 64;

/// A value in a file: its keys, the node of the value, and the span with its key.
type Leaf = (Vec<String>, NodeId, Span);

pub(super) fn check(changes: &Changes<'_>) -> Vec<Diagnostic> {
    let head = changes.context.resolution;
    // The edit may have an effect in a part that could not be resolved.
    let is_open =
        !changes.diff.unresolved.is_empty() || head.units.iter().any(|u| u.state == State::Broken || u.is_partial());
    let sections: Vec<&str> = head.vocabularies.iter().flat_map(|words| words.plain_sections).copied().collect();
    let files = changes.context.files;
    let path_of = |id: FileId| Text::clone(&files.get(id).path);
    let old: BTreeMap<Text, (FileId, &Document)> =
        changes.base.documents.iter().map(|(id, document)| (path_of(*id), (*id, &**document))).collect();
    let mut found = Vec::new();
    for (id, document) in changes.context.documents() {
        let file = files.get(id);
        let Some((counterpart, before)) = old.get(&file.path).filter(|(counterpart, _)| *counterpart != id) else {
            continue;
        };
        let users: Vec<&Unit> =
            head.units.iter().filter(|u| u.files.binary_search(&id).is_ok()).map(|u| &**u).collect();
        let edited = edited(before, document, &sections);
        if users.is_empty() || edited.len() > MAX_EDITS {
            continue;
        }
        let effective = lines_with_effect(changes, id, *counterpart);
        for (keys, _, span) in edited.iter().filter(|leaf| !has_effect(leaf, &file, &effective)) {
            let place = Origin { file: id, key: span.start, start: span.start, end: span.end };
            found.extend(overridden(keys, place, &users, &sections));
        }
    }
    if is_open && !found.is_empty() {
        changes.context.withheld.record(&EDIT_WITHOUT_EFFECT);
        return Vec::new();
    }
    found
}

/// Returns the lines of a file that had an effect, in the newer state; if its older content had one, all lines count.
fn lines_with_effect(changes: &Changes<'_>, head: FileId, base: FileId) -> BTreeSet<u32> {
    let causes =
        changes.diff.components.iter().flat_map(|c| c.causes.iter().chain(c.changes.iter().flat_map(|c| &c.causes)));
    causes.filter(|c| (c.side == Side::Head && c.file == head) || c.file == base).map(|c| c.line).collect()
}

fn has_effect((_, _, span): &&Leaf, file: &File, effective: &BTreeSet<u32>) -> bool {
    let (first, last) = (file.line(span.start), file.line(span.end.saturating_sub(1).max(span.start)));
    effective.range(first..=last).next().is_some()
}

/// The values of sections that are new or other than before.
fn edited(before: &Document, after: &Document, sections: &[&str]) -> Vec<Leaf> {
    let known: BTreeMap<Vec<String>, NodeId> =
        leaves(before, sections).into_iter().map(|(keys, id, _)| (keys, id)).collect();
    let text = |document: &Document, id: NodeId| {
        let span = document.node(id).span;
        document.text().get(span.start as usize..span.end as usize).map(str::to_owned)
    };
    let is_new = |leaf: &Leaf| known.get(&leaf.0).is_none_or(|old| text(before, *old) != text(after, leaf.1));
    leaves(after, sections).into_iter().filter(is_new).collect()
}

/// The values of the sections of a file that reach components as they are. Lists are values, maps are not.
fn leaves(document: &Document, sections: &[&str]) -> Vec<Leaf> {
    let mut found = Vec::new();
    let Some(root) = document.root() else { return found };
    let mut todo: Vec<(Vec<String>, bool, NodeId)> = vec![(Vec::new(), false, root)];
    while let Some((keys, inside, id)) = todo.pop() {
        let NodeKind::Mapping(pairs) = &document.node(id).kind else { continue };
        for (key, value) in pairs {
            let Some(name) = document.scalar(*key) else { continue };
            let mut path = keys.clone();
            path.push(name.to_string());
            // A section is at the top level, in a type, or in a component.
            let is_section = !inside && sections.contains(&&**name) && matches!(keys.len(), 0 | 1 | 3);
            let node = document.node(*value);
            match &node.kind {
                NodeKind::Mapping(_) if inside || is_section || keys.len() < 3 => {
                    todo.push((path, inside || is_section, *value));
                }
                NodeKind::Scalar { .. } | NodeKind::Sequence(_) if inside => {
                    let span = Span { start: document.node(*key).span.start, end: node.span.end };
                    found.push((path, *value, span));
                }
                _ => {}
            }
        }
    }
    found.sort_by_key(|(_, _, span)| span.start);
    found
}

/// A finding, if some component has a value that took the place of the edited one.
fn overridden(keys: &[String], place: Origin, users: &[&Unit], sections: &[&str]) -> Option<Diagnostic> {
    let section = keys.iter().position(|k| sections.contains(&k.as_str()))?;
    let path = || keys[section..].iter().map(String::as_str);
    let (mut winner, mut stacks) = (None, BTreeSet::new());
    for component in users.iter().flat_map(|u| &u.components) {
        if let Some(value) = component.value.at_path(path())
            && let Some(origin) = value.prov.origin.filter(|o| !within(o, &place) && replaced(value, &place))
        {
            winner.get_or_insert(origin);
            stacks.insert(Text::clone(&component.stack));
        }
    }
    let winner = winner?;
    let name = path().collect::<Vec<_>>().join(".");
    let mut finding = Diagnostic::new(
        &EDIT_WITHOUT_EFFECT,
        format!("this edit changes nothing: `{name}` is overridden everywhere"),
        Label::new(place.file, place.start, place.end, ""),
    )
    .related(Label::at(winner, "this value wins"))
    .token(name)
    .help("change the value that wins, or remove one of the two");
    finding.stacks = stacks.into_iter().collect();
    Some(finding)
}

fn within(origin: &Origin, place: &Origin) -> bool {
    origin.file == place.file && place.start <= origin.start && origin.start < place.end
}

/// Whether a value took the place of the one written at `place`.
fn replaced(value: &Value, place: &Origin) -> bool {
    let mut at = value.prov.overrode();
    for _ in 0..MAX_CHAIN {
        let Some(below) = at else { return false };
        if below.prov.origin.is_some_and(|o| within(&o, place)) {
            return true;
        }
        at = below.prov.overrode();
    }
    false
}
