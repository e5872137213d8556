//! Resources: the documents of configuration files.

use crate::diagnostic::rules;
use crate::diagnostic::{Diagnostic, Label};
use crate::dialects::garden::diagnostics::Diagnostics;
use crate::dialects::garden::template::failure::Failure;
use crate::dialects::garden::template::node::{Data, Node};
use crate::dialects::garden::template::structure::parse_tree;
use crate::dialects::garden::template::syntax::ast::LanguageVersion;
use crate::paths::parent;
use crate::text::Text;
use crate::value::{FileId, Prov, Value};
use arcstr::literal;

/// The kind of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum ActionKind {
    /// It builds something.
    Build,
    /// It deploys something.
    Deploy,
    /// It runs something.
    Run,
    /// It tests something.
    Test,
}

impl ActionKind {
    pub(crate) const ALL: [ActionKind; 4] = [ActionKind::Build, ActionKind::Deploy, ActionKind::Run, ActionKind::Test];

    /// As files write it.
    pub(crate) fn title(self) -> &'static str {
        match self {
            ActionKind::Build => "Build",
            ActionKind::Deploy => "Deploy",
            ActionKind::Run => "Run",
            ActionKind::Test => "Test",
        }
    }

    /// As references write it.
    pub(crate) fn lower(self) -> &'static str {
        match self {
            ActionKind::Build => "build",
            ActionKind::Deploy => "deploy",
            ActionKind::Run => "run",
            ActionKind::Test => "test",
        }
    }

    /// The same as text that is made once.
    pub(crate) fn word(self) -> Text {
        match self {
            ActionKind::Build => literal!("build"),
            ActionKind::Deploy => literal!("deploy"),
            ActionKind::Run => literal!("run"),
            ActionKind::Test => literal!("test"),
        }
    }

    pub(crate) fn of_title(title: &str) -> Option<ActionKind> {
        Self::ALL.into_iter().find(|kind| kind.title() == title)
    }

    /// The kind of a word in any case.
    pub(crate) fn of_word(word: &str) -> Option<ActionKind> {
        Self::ALL.into_iter().find(|kind| kind.lower().eq_ignore_ascii_case(word))
    }
}

/// A document of a configuration file.
#[derive(Debug)]
pub(crate) struct Resource {
    /// Its `kind`; empty if it has none.
    pub kind: Text,
    /// Its fields, with templates parsed.
    pub tree: Node,
    /// The file that holds it.
    pub file: FileId,
    /// The path of that file from the root of the repository.
    pub path: Text,
}

impl Resource {
    /// The folder of its file.
    pub(crate) fn dir(&self) -> &str {
        parent(&self.path)
    }

    pub(crate) fn name(&self) -> Option<&Text> {
        self.tree.get("name")?.as_text()
    }

    /// Whether it is a module whose actions only its plugin knows.
    pub(crate) fn is_hidden(&self) -> bool {
        *self.kind == *MODULE && self.tree.get("type").and_then(Node::as_text).is_none_or(|kind| *kind != *KNOWN_TYPE)
    }

    pub(crate) fn is_project(&self) -> bool {
        *self.kind == *"Project"
    }
}

/// The kind of modules, and the type of those that become actions here.
const MODULE: &str = "Module";
const KNOWN_TYPE: &str = "exec";

/// Whether no component shows a document: commands, modules whose actions only their plugin knows, and templates of these.
pub(crate) fn is_hidden(document: &Value) -> bool {
    let text = |key: &str| document.get(key).and_then(Value::as_str);
    let has_hidden = |key: &str| {
        let items = document.get(key).and_then(Value::as_list).map_or(&[][..], |items| items);
        items.iter().any(is_hidden) || key == "modules" && !items.is_empty()
    };
    match text("kind") {
        Some("Command") => true,
        Some(MODULE) => text("type") != Some(KNOWN_TYPE),
        _ => has_hidden("configs") || has_hidden("modules"),
    }
}

/// The kinds of resources.
pub(crate) const KINDS: [&str; 10] =
    ["Project", "Build", "Deploy", "Run", "Test", "Workflow", "Command", "ConfigTemplate", "RenderTemplate", "Module"];

/// Reads a document; `None` if it is empty.
pub(super) fn read(
    node: &Node,
    file: FileId,
    path: &Text,
    era: LanguageVersion,
    findings: &mut Vec<Diagnostic>,
) -> Option<Resource> {
    let map = match &node.data {
        Data::Undefined | Data::Null => return None,
        Data::Map(map) => map,
        _ => {
            let message = format!("a document must be a mapping, not a {}", kind_name(node));
            findings.push(Diagnostic::new(&rules::INVALID_CONFIG, message, label(&node.prov, file)).breaking());
            return None;
        }
    };
    let mut failures: Vec<Failure> = Vec::new();
    let entry = |(key, value): (&Text, &Node)| (Text::clone(key), parse_tree(value, era, &[key], &mut failures));
    let tree = Node::at(Data::Map(std::sync::Arc::new(map.iter().map(entry).collect())), node.prov.clone());
    for failure in failures {
        let label = match failure.place.origin {
            Some(origin) => Label::new(origin.file, origin.start, origin.end, ""),
            None => Label::new(file, 0, 0, ""),
        };
        findings.push(Diagnostic::new(&rules::TEMPLATE_ERROR, failure.plain.clone(), label).breaking());
    }
    let kind = match node.get("kind").and_then(Node::as_text).map(Text::as_str) {
        Some("ModuleTemplate") => "ConfigTemplate".into(),
        Some(kind) => kind.into(),
        None => Text::default(),
    };
    Some(Resource { kind, tree, file, path: Text::clone(path) })
}

/// Whether a resource can be used: its kind exists, and fields that must not be templates are not.
pub(super) fn is_valid(resource: &Resource, diagnostics: &Diagnostics) -> bool {
    if resource.is_project() {
        return false;
    }
    for field in ["apiVersion", "kind", "type", "name"] {
        if let Some(node) = resource.tree.get(field)
            && node.as_lazy().is_some()
        {
            diagnostics.error(&rules::INVALID_CONFIG, format!("`{field}` must not be a template"), &node.prov);
            return false;
        }
    }
    if let Some(internal) = resource.tree.get("internal") {
        diagnostics.error(&rules::INVALID_CONFIG, "`internal` is not a key of a resource", &internal.prov);
        return false;
    }
    if resource.kind.is_empty() {
        diagnostics.error(&rules::INVALID_CONFIG, "this document has no `kind`", &first_line(&resource.tree.prov));
        return false;
    }
    if !KINDS.contains(&resource.kind.as_str()) {
        let place = resource.tree.get("kind").map_or(&resource.tree.prov, |node| &node.prov);
        let message = format!("there is no kind `{}`: kinds are {}", resource.kind, KINDS.join(", "));
        diagnostics.error(&rules::INVALID_CONFIG, message, place);
        return false;
    }
    true
}

/// The place of a mapping, without all that is in it.
pub(crate) fn first_line(prov: &Prov) -> Prov {
    let mut prov = Prov { origin: prov.origin, trail: None };
    if let Some(origin) = &mut prov.origin {
        origin.end = origin.start;
        origin.key = origin.start;
    }
    prov
}

fn label(prov: &Prov, file: FileId) -> Label {
    prov.origin.map_or_else(|| Label::new(file, 0, 0, ""), |origin| Label::at(origin, ""))
}

/// Returns the name of a type in messages.
pub(crate) fn kind_name(node: &Node) -> &'static str {
    match node.data {
        Data::Undefined => "missing value",
        Data::Null => "null",
        Data::Bool(_) => "boolean",
        Data::Number(_) => "number",
        Data::Text(_) => "string",
        Data::List(_) => "list",
        _ => "mapping",
    }
}
