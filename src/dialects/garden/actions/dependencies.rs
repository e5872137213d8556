//! What an action depends on: actions that it names, and actions that its templates read.

use super::sources::Key;
use crate::diagnostic::rules;
use crate::dialects::garden::project::ActionKind;
use crate::dialects::garden::sink::Sink;
use crate::dialects::garden::template::node::{Data, Node};
use crate::dialects::garden::template::references::{Reference, ReferenceKey};
use crate::text::Text;
use crate::value::Prov;

/// A dependency.
#[derive(Clone, Debug)]
pub(super) struct Dependency {
    /// The action.
    pub on: Key,
    /// Where it is named or read.
    pub place: Prov,
    /// Whether it is named, not only read.
    pub is_explicit: bool,
}

/// The actions that fields name. Entries that are no references are reported.
pub(super) fn explicit(builtin: &Node, sink: &mut Sink) -> Vec<Dependency> {
    let mut out = Vec::new();
    let list = |key: &str| builtin.get(key).and_then(Node::as_list).cloned().unwrap_or_default();
    for entry in list("dependencies").iter() {
        match reference(entry) {
            Ok(Some(on)) => out.push(Dependency { on, place: entry.prov.clone(), is_explicit: true }),
            Ok(None) => {}
            Err(message) => sink.error(&rules::INVALID_CONFIG, message, &entry.prov),
        }
    }
    let build = |node: &Node| {
        let name = node.as_text()?;
        Some(Dependency { on: (ActionKind::Build, Text::clone(name)), place: node.prov.clone(), is_explicit: true })
    };
    out.extend(list("copyFrom").iter().filter_map(|copy| build(copy.get("build")?)));
    out.extend(builtin.get("build").and_then(build));
    out
}

/// The action that an entry means; none for an empty entry or one that nobody knows.
fn reference(entry: &Node) -> Result<Option<Key>, String> {
    let refuse = |text: &str| Err(format!("`{text}` names no action: write its kind and its name, as in `build.api`"));
    match &entry.data {
        Data::Null | Data::Undefined | Data::Unknown(_) => Ok(None),
        Data::Text(text) => match text.split_once('.') {
            Some((kind, name)) if !name.is_empty() && !name.contains('.') => match ActionKind::of_word(kind) {
                Some(kind) => Ok(Some((kind, name.into()))),
                None => refuse(text),
            },
            _ => refuse(text),
        },
        Data::Map(_) => {
            let text = |key: &str| entry.get(key).and_then(Node::as_text);
            let (Some(kind), Some(name)) = (text("kind"), text("name")) else { return Ok(None) };
            match ActionKind::of_word(kind) {
                Some(kind) => Ok(Some((kind, Text::clone(name)))),
                None => Err(format!("`{kind}` is no kind of action")),
            }
        }
        _ => refuse("this"),
    }
}

/// The action that a key path of a template reads; none if it reads something else. What cannot be one is reported.
pub(super) fn implicit(reference: &Reference, sink: &mut Sink) -> Option<Dependency> {
    let mut path = reference.path.iter();
    let ReferenceKey::Known(root) = path.next()? else { return None };
    let kinds: &[(&str, ActionKind)] = match root.text.as_str() {
        "actions" => &[
            ("build", ActionKind::Build),
            ("deploy", ActionKind::Deploy),
            ("run", ActionKind::Run),
            ("test", ActionKind::Test),
        ],
        "runtime" => &[("services", ActionKind::Deploy), ("tasks", ActionKind::Run)],
        _ => return None,
    };
    let mut refuse = |message: String| {
        sink.error(&rules::UNDEFINED_REFERENCE, message, &reference.place);
        None
    };
    let names: Vec<&str> = kinds.iter().map(|(name, _)| *name).collect();
    let kind = match path.next() {
        None => return refuse(format!("`{}` alone is no reference: name a kind and an action", root.text)),
        Some(ReferenceKey::Unknown) => return None,
        Some(ReferenceKey::Failed(failure)) => {
            sink.failure(failure);
            return None;
        }
        Some(ReferenceKey::Known(segment)) => match kinds.iter().find(|(name, _)| *name == segment.text) {
            Some((_, kind)) if !segment.is_number => *kind,
            _ => {
                let message =
                    format!("`{}.{}` is no kind of action: kinds are {}", root.text, segment.text, names.join(", "));
                return refuse(message);
            }
        },
    };
    let name = match path.next() {
        None => return refuse(format!("`{}.{}` alone is no reference: name an action", root.text, kind.lower())),
        Some(ReferenceKey::Unknown) => return None,
        Some(ReferenceKey::Failed(failure)) => {
            sink.failure(failure);
            return None;
        }
        Some(ReferenceKey::Known(segment)) if segment.is_number => {
            return refuse(format!("`{}` is no name of an action", segment.text));
        }
        Some(ReferenceKey::Known(segment)) => Text::clone(&segment.text),
    };
    if let Some(ReferenceKey::Failed(failure)) = path.next() {
        sink.failure(failure);
        return None;
    }
    Some(Dependency { on: (kind, name), place: reference.place.clone(), is_explicit: false })
}
