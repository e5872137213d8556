//! The dependencies of an action: actions that it names, and actions that its templates read.

use super::sources::Key;
use crate::diagnostic::rules;
use crate::dialects::garden::diagnostics::Diagnostics;
use crate::dialects::garden::project::ActionKind;
use crate::dialects::garden::template::evaluation::references::{Reference, ReferenceKey};
use crate::dialects::garden::template::failure::Failure;
use crate::dialects::garden::template::node::{Data, Node};
use crate::resolution::{Link, LinkKind, ReadTarget, StackSelector};
use crate::text::Text;
use crate::value::Prov;

/// A dependency.
#[derive(Clone, Debug)]
pub(crate) struct Dependency {
    /// The action.
    pub on: Key,
    /// Where it is named or read.
    pub place: Prov,
    /// The field that names it, or the key path that reads it.
    pub by: Text,
    /// The reason for it.
    pub kind: DependencyKind,
}

/// The reason for a dependency.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum DependencyKind {
    /// A field names the action.
    Named,
    /// A template reads what is known of the action before it is executed.
    Static,
    /// A template reads this output, for which the action has to be executed.
    Output(Text),
}

impl Dependency {
    /// Whether it is named, not only read.
    pub(super) fn is_explicit(&self) -> bool {
        self.kind == DependencyKind::Named
    }
}

/// Converts dependencies to links for rules and graphs: the action has to be ready first, and a part of it is read.
/// Actions that may not exist are known only to Garden; `is_skipped` returns whether an action is not awaited.
pub(super) fn links(
    all: &[Dependency],
    is_known: impl Fn(&Key) -> bool,
    is_skipped: impl Fn(&Key) -> bool,
) -> Vec<Link> {
    let link = |dependency: &Dependency, how: LinkKind, reads: ReadTarget| Link {
        how,
        by: Text::clone(&dependency.by),
        component: Text::clone(&dependency.on.1),
        kind: Some(dependency.on.0.word()),
        stack: if is_known(&dependency.on) { StackSelector::Here } else { StackSelector::Unknown },
        reads,
        is_optional: false,
        origin: dependency.place.origin.into(),
        stack_origin: None.into(),
    };
    let kept = || all.iter().filter(|dependency| !is_skipped(&dependency.on));
    let declared = kept().map(|dependency| link(dependency, LinkKind::Declared, ReadTarget::Nothing));
    let read = kept().filter(|dependency| !dependency.is_explicit()).map(|dependency| {
        let reads = match &dependency.kind {
            DependencyKind::Output(name) => ReadTarget::Output(Text::clone(name)),
            DependencyKind::Named | DependencyKind::Static => ReadTarget::Nothing,
        };
        link(dependency, LinkKind::Reads, reads)
    });
    declared.chain(read).collect()
}

/// Returns the actions that fields name. Entries that are not references are reported.
pub(super) fn explicit(builtin: &Node, diagnostics: &Diagnostics) -> Vec<Dependency> {
    let mut out = Vec::new();
    let list = |key: &str| builtin.get(key).and_then(Node::as_list).cloned().unwrap_or_default();
    for entry in list("dependencies").iter() {
        match reference(entry) {
            Ok(Some(on)) => out.push(named(on, "dependencies", entry)),
            Ok(None) => {}
            Err(message) => diagnostics.error(&rules::INVALID_CONFIG, message, &entry.prov),
        }
    }
    let build = |node: &Node, by: &str| Some(named((ActionKind::Build, Text::clone(node.as_text()?)), by, node));
    out.extend(list("copyFrom").iter().filter_map(|copy| build(copy.get("build")?, "copyFrom")));
    out.extend(builtin.get("build").and_then(|node| build(node, "build")));
    out
}

/// A dependency on an action that a field names.
fn named(on: Key, by: &str, node: &Node) -> Dependency {
    Dependency { on, place: node.prov.clone(), by: by.into(), kind: DependencyKind::Named }
}

/// Returns the action of an entry; `None` for an empty or unknown entry.
pub(super) fn reference(entry: &Node) -> Result<Option<Key>, String> {
    let refuse = |text: &str| {
        Err(format!("`{text}` is not the name of an action: write its kind and its name, as in `build.api`"))
    };
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
                None => Err(format!("`{kind}` is not a kind of action")),
            }
        }
        _ => refuse("this"),
    }
}

/// The action that a key path of a template reads; `None` if it reads something else. What cannot be one is reported.
pub(super) fn implicit(reference: &Reference, diagnostics: &Diagnostics) -> Option<Dependency> {
    match read_action(reference) {
        Ok(dependency) => dependency,
        Err(Refusal::Message(message)) => {
            diagnostics.error(&rules::UNDEFINED_REFERENCE, message, &reference.place);
            None
        }
        Err(Refusal::Failure(failure)) => {
            diagnostics.failure(failure);
            None
        }
    }
}

/// Why a key path that begins like one of an action reads none.
pub(crate) enum Refusal<'a> {
    /// An error message.
    Message(String),
    /// Why a part of it has no value.
    Failure(&'a Failure),
}

/// The kinds of actions by their words in key paths that begin with a root; `None` if the root is another one.
fn kinds_below(root: &str) -> Option<&'static [(&'static str, ActionKind)]> {
    match root {
        "actions" => Some(&[
            ("build", ActionKind::Build),
            ("deploy", ActionKind::Deploy),
            ("run", ActionKind::Run),
            ("test", ActionKind::Test),
        ]),
        "runtime" => Some(&[("services", ActionKind::Deploy), ("tasks", ActionKind::Run)]),
        _ => None,
    }
}

/// Returns the action that a key path reads; `None` if it reads something else, or an unknown action.
///
/// # Errors
/// It begins like one of an action and is none.
pub(crate) fn read_action(reference: &Reference) -> Result<Option<Dependency>, Refusal<'_>> {
    let mut path = reference.path.iter();
    let Some(ReferenceKey::Known(root)) = path.next() else { return Ok(None) };
    let Some(kinds) = kinds_below(&root.text) else { return Ok(None) };
    let refuse = |message: String| Err(Refusal::Message(message));
    let (word, kind) = match path.next() {
        None => return refuse(format!("`{}` alone is not a reference: name a kind and an action", root.text)),
        Some(ReferenceKey::Unknown) => return Ok(None),
        Some(ReferenceKey::Failed(failure)) => return Err(Refusal::Failure(failure)),
        Some(ReferenceKey::Known(segment)) => match kinds.iter().find(|(word, _)| *word == segment.text) {
            Some(known) if !segment.is_number => *known,
            _ => {
                let words: Vec<&str> = kinds.iter().map(|(word, _)| *word).collect();
                let (root, words) = (&root.text, words.join(", "));
                return refuse(format!("`{root}.{}` is not a kind of action: kinds are {words}", segment.text));
            }
        },
    };
    let name = match path.next() {
        None => return refuse(format!("`{}.{word}` alone is not a reference: name an action", root.text)),
        Some(ReferenceKey::Unknown) => return Ok(None),
        Some(ReferenceKey::Failed(failure)) => return Err(Refusal::Failure(failure)),
        Some(ReferenceKey::Known(segment)) if segment.is_number => {
            return refuse(format!("`{}` is not the name of an action", segment.text));
        }
        Some(ReferenceKey::Known(segment)) => Text::clone(&segment.text),
    };
    let rest = path.as_slice();
    if let Some(ReferenceKey::Failed(failure)) = rest.first() {
        return Err(Refusal::Failure(failure));
    }
    let (by, reads) = (written(&[&root.text, word, &name], rest), dependency_kind(kind, rest));
    Ok(Some(Dependency { on: (kind, name), place: reference.place.clone(), by, kind: reads }))
}

/// A key path as text, `*` for segments that are not known.
fn written(known: &[&str], rest: &[ReferenceKey]) -> Text {
    let rest = rest.iter().map(|key| match key {
        ReferenceKey::Known(segment) => segment.text.as_str(),
        _ => "*",
    });
    known.iter().copied().chain(rest).collect::<Vec<_>>().join(".").into()
}

/// Returns how reading a key path after the name of an action depends on it.
fn dependency_kind(kind: ActionKind, rest: &[ReferenceKey]) -> DependencyKind {
    match rest {
        [ReferenceKey::Known(outputs), ReferenceKey::Known(output), ..]
            if outputs.text == *"outputs" && !is_static(kind, &output.text) =>
        {
            DependencyKind::Output(Text::clone(&output.text))
        }
        _ => DependencyKind::Static,
    }
}

/// Whether an output is known before the action is executed: the name of a container image (`reference`: section 15,
/// "Graph").
pub(super) fn is_static(kind: ActionKind, output: &str) -> bool {
    /// In camel case; the same words joined by hyphens mean the same.
    const IMAGE: [&str; 5] =
        ["localimagename", "localimageid", "deploymentimagename", "deploymentimagetag", "deploymentimageid"];
    kind == ActionKind::Build && IMAGE.contains(&output.replace('-', "").to_lowercase().as_str())
}
