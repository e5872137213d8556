//! The input of policies as values: the code of a component, a change, and all of it as JSON for Rego.

use super::cel::{Node, Root, Val};
use crate::diff::{Change, ComponentChange, Status};
use crate::resolution::Component;
use crate::terraform::{Module, Modules};
use crate::text::Text;
use crate::validation::{Path, PathStep};
use crate::value::{Data, Entry, Language, Map, Prov, Unknown, Value};
use serde_json::{Value as Json, json};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, OnceLock};

/// How deep a value may nest to be passed to a policy in Rego.
const MAX_DEPTH: usize = 200;

/// The code of components, by folder.
#[derive(Default)]
pub(super) struct CodeOf {
    known: BTreeMap<Text, Value>,
    /// The code of components that have none, and that of those whose code is not here.
    nothing: Value,
    elsewhere: Value,
}

impl CodeOf {
    pub(super) fn new<'c>(components: impl Iterator<Item = &'c Component>, modules: &Modules<'_>) -> CodeOf {
        let unknown = Unknown::new("", "the code is not in the repository, or cannot be read");
        let mut all = CodeOf {
            known: BTreeMap::new(),
            nothing: Value::map(Map::new()),
            elsewhere: Value::new(Data::Unknown(Arc::new(unknown))),
        };
        for component in components {
            if let Some(folder) = folder(component).filter(|folder| !all.known.contains_key(*folder)) {
                let code = modules.get(folder).map(|module| code(&module));
                all.known.insert(Text::clone(folder), code.unwrap_or_else(|| all.elsewhere.clone()));
            }
        }
        all
    }

    /// The code of one of them.
    pub(super) fn get(&self, component: &Component) -> &Value {
        if component.metadata.code.is_none() || !component.metadata.is_module {
            return &self.nothing;
        }
        folder(component).and_then(|folder| self.known.get(folder)).unwrap_or(&self.elsewhere)
    }
}

/// The folder of the code of a component, if all that it declares is known.
fn folder(component: &Component) -> Option<&Text> {
    component.metadata.known_module().map(|code| &code.folder)
}

fn code(module: &Module) -> Value {
    let text = |text: Option<&str>| text.map_or_else(Value::default, Value::str);
    let at = |map: Map, origin| Value::map(map).with_prov(Prov::at(origin));
    let variables = module.variables.iter().map(|(name, variable)| {
        let fields = [
            ("required", Value::new(Data::Bool(!variable.has_default))),
            ("nullable", Value::new(Data::Bool(variable.is_nullable))),
            ("sensitive", Value::new(Data::Bool(variable.is_sensitive))),
            ("validated", Value::new(Data::Bool(variable.is_validated))),
        ];
        (Text::clone(name), at(map(fields), variable.origin))
    });
    let calls = module.calls.iter().map(|(name, call)| {
        let place = |value: Value| value.with_prov(Prov::at(call.origin));
        // A value that is set, but not as plain text, is unknown.
        let unknown = || Value::new(Data::Unknown(Arc::new(Unknown::new("", "it is not plain text"))));
        let version = match (&call.version, call.has_version) {
            (Some(version), _) => Value::str(version.as_str()),
            (None, true) => unknown(),
            (None, false) => Value::default(),
        };
        let source = call.source.as_deref().map_or_else(unknown, Value::str);
        (Text::clone(name), at(map([("source", place(source)), ("version", place(version))]), call.origin))
    });
    let outputs =
        module.outputs.iter().map(|(name, origin)| Value::str(Text::clone(name)).with_prov(Prov::at(*origin)));
    let providers = module.required_providers.iter().map(|name| Value::str(Text::clone(name)));
    Value::map(map([
        ("folder", Value::str(Text::clone(&module.folder))),
        ("variables", Value::map(variables.collect())),
        ("modules", Value::map(calls.collect())),
        ("outputs", Value::list(outputs.collect())),
        ("providers", Value::list(providers.collect())),
        ("required_version", text(module.required_version.as_deref())),
        ("backend", text(module.backend.as_ref().map(|(kind, _)| &**kind))),
    ]))
}

fn map<const N: usize>(fields: [(&str, Value); N]) -> Map {
    fields.into_iter().map(|(key, value)| (Text::from(key), value)).collect()
}

/// The name of the stacks that a change reaches is the same in all of them, so it is computed once for each.
pub(super) type Reach<'a> = BTreeMap<ReachKey<'a>, BTreeSet<&'a str>>;

/// By what changes of several stacks are one: type, name, path, kind, and the places of the causes.
type ReachKey<'a> = (&'a str, &'a str, &'a str, &'static str, Vec<(usize, u32, u32)>);

/// By what changes of several stacks are one.
fn reach_key<'a>(component: &'a ComponentChange, change: Option<&'a Change>) -> ReachKey<'a> {
    let causes = change.map_or(&component.causes, |change| &change.causes);
    let places = causes.iter().map(|c| (c.file.index(), c.line, c.column)).collect();
    let (path, kind) = match change {
        Some(change) => (change.path.as_str(), change.kind.name()),
        None => ("", component.status.name()),
    };
    (&component.kind, &component.name, path, kind, places)
}

/// The changes of a component: those of its values, or that it is new or gone.
pub(super) fn changes(component: &ComponentChange) -> Vec<Option<&Change>> {
    match component.status {
        Status::Modified => component.changes.iter().filter(|change| !change.is_same_call).map(Some).collect(),
        Status::Added | Status::Removed => vec![None],
    }
}

/// The stacks that each change reaches.
pub(super) fn reach(components: &[ComponentChange]) -> Reach<'_> {
    let mut all: Reach<'_> = BTreeMap::new();
    for component in components {
        for change in changes(component) {
            all.entry(reach_key(component, change)).or_default().insert(&component.stack);
        }
    }
    all
}

pub(super) fn change(component: &ComponentChange, change: Option<&Change>, reach: &Reach<'_>) -> Value {
    let (before, after) = match change {
        Some(change) => (change.before.clone(), change.after.clone()),
        None => {
            let whole = |side: &Option<Arc<Component>>| side.as_ref().map(|component| component.value.clone());
            (whole(&component.before), whole(&component.after))
        }
    };
    let path = change.map_or_else(String::new, |change| dotted(&change.path));
    let kind = change.map_or(component.status.name(), |change| change.kind.name());
    let stacks = reach.get(&reach_key(component, change)).into_iter().flatten();
    Value::map(map([
        ("path", Value::str(path)),
        ("kind", Value::str(kind)),
        ("before", before.unwrap_or_default()),
        ("after", after.unwrap_or_default()),
        ("stacks", Value::list(stacks.map(|stack| Value::str(*stack)).collect())),
    ]))
}

/// A JSON Pointer as keys with dots between them.
fn dotted(pointer: &str) -> String {
    crate::diff::pointer::keys(pointer).collect::<Vec<_>>().join(".")
}

/// Which sections of components a policy may read, and which values in them.
pub(super) struct Wanted<'a> {
    module: &'a super::rego::Module,
    known: HashMap<String, Section, foldhash::fast::RandomState>,
    /// Whether components must be distinguished even if their names are not read.
    needs_names: bool,
}

/// Whether a section may be read, and which values in it.
struct Section {
    is_wanted: bool,
    keys: HashMap<String, bool, foldhash::fast::RandomState>,
}

impl<'a> Wanted<'a> {
    pub(super) fn new(module: &'a super::rego::Module, needs_names: bool) -> Self {
        Wanted { module, known: HashMap::default(), needs_names }
    }

    fn section(&mut self, name: &str) -> bool {
        if let Some(known) = self.known.get(name) {
            return known.is_wanted;
        }
        let is_wanted = self.module.may_read(name, None);
        self.known.insert(name.to_owned(), Section { is_wanted, keys: HashMap::default() });
        is_wanted
    }

    fn value(&mut self, section: &str, key: &str) -> bool {
        let known = self.known.get(section).and_then(|section| section.keys.get(key));
        if let Some(is_wanted) = known {
            return *is_wanted;
        }
        let is_wanted = self.module.may_read(section, Some(key));
        if let Some(section) = self.known.get_mut(section) {
            section.keys.insert(key.to_owned(), is_wanted);
        }
        is_wanted
    }

    /// The names of a component that it may read: its stack, type and name.
    pub(super) fn names<'c>(&mut self, component: &'c Component) -> Vec<(&'static str, &'c Text)> {
        let all = [("stack", &component.stack), ("type", &component.kind), ("name", &component.name)];
        all.into_iter().filter(|(key, _)| self.needs_names || self.section(key)).collect()
    }

    /// The values of a component that it may read: sections, or values in them.
    pub(super) fn of<'c>(&mut self, component: &'c Component) -> Vec<Part<'c>> {
        let mut parts = Vec::new();
        for section in component.value.as_map().into_iter().flat_map(|map| map.iter()) {
            if !self.section(&section.key) {
                continue;
            }
            match section.value.as_map().filter(|_| !is_open(&section.value, &component.language)) {
                None => parts.push(Part { section: &section.key, entry: None, value: &section.value }),
                Some(map) => {
                    let wanted = map.iter().filter(|entry| self.value(&section.key, &entry.key));
                    let part = |e: &'c Entry| Part { section: &section.key, entry: Some(&e.key), value: &e.value };
                    let known = parts.len();
                    parts.extend(wanted.map(part));
                    if parts.len() == known {
                        // It is there, but nothing in it is read.
                        parts.push(Part { section: &section.key, entry: None, value: nothing() });
                    }
                }
            }
        }
        parts
    }
}

/// A value of a component that a policy may read.
pub(super) struct Part<'c> {
    pub(super) section: &'c Text,
    /// Its key in the section; `None` if it is the whole section.
    pub(super) entry: Option<&'c Text>,
    pub(super) value: &'c Value,
}

/// A map with nothing in it.
fn nothing() -> &'static Value {
    static NOTHING: OnceLock<Value> = OnceLock::new();
    NOTHING.get_or_init(|| Value::map(Map::new()))
}

/// Whether there may be more in a value than is known.
pub(super) fn is_open(value: &Value, language: &Language) -> bool {
    Node { value, at: super::cel::root(Root::Component), language }.is_open()
}

/// Converts a value to JSON for a policy in Rego.
pub(super) struct ToJson<'a> {
    /// The replacement for unknown values; without it, a key is omitted, and an item of a list is `null`.
    pub(super) fill: Option<&'a Json>,
    /// The ways to what is unknown are added here.
    pub(super) unknown: Vec<Path>,
    at: Vec<PathStep>,
}

impl<'a> ToJson<'a> {
    pub(super) fn new(fill: Option<&'a Json>) -> Self {
        ToJson { fill, unknown: Vec::new(), at: Vec::new() }
    }

    /// A component, with those of its sections that `wanted` names; `None` if it is nested too deeply.
    pub(super) fn component(
        &mut self,
        component: &Component,
        at: &[PathStep],
        wanted: &mut Wanted<'_>,
    ) -> Option<Json> {
        let mut fields = serde_json::Map::new();
        component.value.as_map()?;
        for part in wanted.of(component) {
            self.at.clear();
            self.at.extend_from_slice(at);
            self.at.push(PathStep::Key(part.section.to_string()));
            self.at.extend(part.entry.map(|key| PathStep::Key(key.to_string())));
            let made = self.value(part.value, &component.language)?;
            match part.entry {
                None => fields.extend(made.map(|made| (part.section.to_string(), made))),
                Some(key) => {
                    let section = fields.entry(part.section.to_string()).or_insert_with(|| json!({}));
                    if let Some(made) = made {
                        section[key.as_str()] = made;
                    }
                }
            }
        }
        for (key, text) in wanted.names(component) {
            fields.insert(key.to_owned(), Json::from(&**text));
        }
        Some(Json::Object(fields))
    }

    /// Converts a value at a place; the inner `None` is for an unknown value that is omitted.
    pub(super) fn at(&mut self, value: &Value, language: &Language, at: PathStep) -> Option<Option<Json>> {
        self.at = vec![at];
        self.value(value, language)
    }

    fn value(&mut self, value: &Value, language: &Language) -> Option<Option<Json>> {
        if self.at.len() > MAX_DEPTH {
            return None;
        }
        Some(Some(match &value.data {
            Data::List(items) => {
                if is_open(value, language) {
                    self.unknown.push(Path(self.at.clone()));
                }
                let mut all = Vec::with_capacity(items.len());
                for (i, item) in items.iter().enumerate() {
                    self.at.push(PathStep::Item(i));
                    let made = match &item.data {
                        Data::Unknown(unknown) if unknown.may_be_absent => {
                            self.unknown.push(Path(self.at.clone()));
                            // It is judged as if it were there.
                            match &unknown.assumed {
                                Some(item) => self.value(item, language)?,
                                None => self.fill.cloned(),
                            }
                        }
                        _ => Some(self.value(item, language)?.unwrap_or_default()),
                    };
                    self.at.pop();
                    all.extend(made);
                }
                Json::Array(all)
            }
            Data::Map(map) => {
                if is_open(value, language) {
                    self.unknown.push(Path(self.at.clone()));
                }
                let mut all = serde_json::Map::new();
                for entry in map.iter() {
                    self.at.push(PathStep::Key(entry.key.to_string()));
                    let made = self.value(&entry.value, language)?;
                    self.at.pop();
                    if let Some(made) = made {
                        all.insert(entry.key.to_string(), made);
                    }
                }
                Json::Object(all)
            }
            _ => {
                let node = Node { value, at: super::cel::root(Root::Component), language };
                match node.into_val() {
                    Val::Unknown(_) => {
                        self.unknown.push(Path(self.at.clone()));
                        return Some(self.fill.cloned());
                    }
                    _ => serde_json::to_value(value).ok()?,
                }
            }
        }))
    }
}
