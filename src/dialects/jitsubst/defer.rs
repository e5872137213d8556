//! A resource as its plan has it: variables expanded, references that only the deployment can resolve left as they are,
//! each with its class (`reference: jitsubst.md` sections 6.4 and 6.6).

use super::config::{Config, SecretKind};
use super::expand::{Piece, is_never_set, pieces};
use super::overlay::Resource;
use super::reference::{Body, Seen, references};
use crate::text::Text;
use crate::value::{Data, Entry, Map, Prov, Unknown, Value};
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

/// The maps that expansion leaves alone, at any depth.
pub(crate) const PRESERVED: [&str; 3] = ["env_vars", "env_vars_secret", "secret_env_vars"];

/// The source that a reference is resolved from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// The environment of the deployment.
    Environment,
    /// A declared secret.
    Secret,
    /// The id of a resource.
    Id(String),
    /// Another output of a resource: its module and field.
    Output(String, String),
    /// Nothing: its form is wrong.
    Malformed,
    /// None: expansion replaces it by an empty string, because no variable can have such a name.
    Blanked,
}

impl Class {
    /// The name that users see.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Class::Environment => "environment",
            Class::Secret => "secret",
            Class::Id(_) => "id",
            Class::Output(..) => "output",
            Class::Malformed => "malformed",
            Class::Blanked => "nothing",
        }
    }

    /// The module whose output it is.
    pub(crate) fn module(&self) -> Option<&str> {
        match self {
            Class::Id(module) | Class::Output(module, _) => Some(module),
            _ => None,
        }
    }
}

/// A reference in a string of a resource.
#[derive(Clone, Debug)]
pub(crate) struct Use {
    /// The text between the braces, or the name of the variable.
    pub body: String,
    pub written: String,
    /// The number of equal references before it in the string.
    pub nth: usize,
    /// The source that it is resolved from.
    pub class: Class,
    /// Whether it is in a map that expansion preserves.
    pub preserved: bool,
    /// The string that holds it.
    pub prov: Prov,
}

/// A resource as its plan has it.
#[derive(Clone, Debug)]
pub(crate) struct Planned {
    /// The resource, with its configuration expanded.
    pub resource: Resource,
    /// All references in it.
    pub uses: Vec<Use>,
    /// How many values and references it has.
    pub size: usize,
}

/// Expands a resource.
pub(crate) fn plan(config: &Config, mut resource: Resource) -> Planned {
    let mut run = Run { config, uses: Vec::new(), values: 0 };
    resource.config = run.value(&resource.config, false);
    let size = run.values + run.uses.len();
    Planned { resource, uses: run.uses, size }
}

impl Planned {
    /// The names that it depends on; `None` if some of them are not known.
    pub(crate) fn depends_on(&self) -> Option<Vec<(Text, Prov)>> {
        let Some(value) = self.resource.config.get("depends_on") else { return Some(Vec::new()) };
        let Some(items) = value.as_list() else { return Some(Vec::new()) };
        let known =
            items.iter().filter(|v| !matches!(v.kind(), "map" | "list" | "number" | "boolean" | "null" | "date"));
        known.map(|v| v.as_str().map(|s| (Text::from(s), v.prov.clone()))).collect()
    }

    /// Returns the value for reports: its configuration, its module if that has another name, and the sources of its
    /// references.
    pub(crate) fn value(&self) -> Value {
        let mut out = Map::new();
        if !self.resource.config.is_null() {
            out.set("config", self.resource.config.clone());
        }
        if self.resource.name != self.resource.module {
            let module =
                Value { data: Data::Str(Text::clone(&self.resource.module)), prov: self.resource.prov.clone() };
            out.set("module", module);
        }
        let mut classes: BTreeMap<&str, &Use> = BTreeMap::new();
        for used in self.uses.iter().filter(|u| !matches!(u.class, Class::Blanked | Class::Malformed)) {
            classes.entry(&used.body).or_insert(used);
        }
        if !classes.is_empty() {
            // The class is part of the text, so that another class of the same reference is a difference.
            let item = |u: &&Use| Value::str(format!("{} ({})", u.body, u.class.name())).with_prov(u.prov.clone());
            // The reason why a variable is a secret may explain an entry missing from the list.
            let inputs = [self.resource.prov.clone()].into_iter().chain(classes.values().map(|u| u.prov.clone()));
            let prov = Prov { origin: self.resource.prov.origin, trail: None }.with_inputs(inputs);
            out.set("references", Value::list(classes.values().map(item).collect()).with_prov(prov));
        }
        Value { data: Data::Map(Arc::new(out)), prov: self.resource.prov.clone() }
    }
}

struct Run<'a> {
    config: &'a Config,
    uses: Vec<Use>,
    /// How many values were expanded.
    values: usize,
}

impl Run<'_> {
    fn value(&mut self, value: &Value, preserved: bool) -> Value {
        self.values += 1;
        let data = match &value.data {
            Data::Str(text) if text.contains('$') => return self.text(text, &value.prov, preserved),
            Data::List(items) => Data::List(Arc::new(items.iter().map(|v| self.value(v, preserved)).collect())),
            Data::Map(map) if !map.is_mixed() => {
                let mut entry = |e: &Entry| {
                    let preserved = preserved || PRESERVED.contains(&&*e.key);
                    (Text::clone(&e.key), self.value(&e.value, preserved))
                };
                Data::Map(Arc::new(map.iter().map(&mut entry).collect()))
            }
            other => other.clone(),
        };
        Value { data, prov: value.prov.clone() }
    }

    fn text(&mut self, text: &Text, prov: &Prov, preserved: bool) -> Value {
        let before = self.uses.len();
        let out = if preserved { self.preserved(text, prov) } else { self.expanded(text, prov) };
        let uses = &self.uses[before..];
        let open: Vec<&Use> = uses.iter().filter(|u| !matches!(u.class, Class::Blanked | Class::Malformed)).collect();
        if open.is_empty() {
            return Value { data: Data::Str(out), prov: prov.clone() };
        }
        let mut said: HashSet<Text> = HashSet::new();
        let reasons = open.iter().map(|u| self.reason(u)).filter(|r| said.insert(Text::clone(r))).collect();
        // A declaration that makes a variable a secret is part of what it is.
        let declared: Vec<Prov> = open
            .iter()
            .filter(|u| u.class == Class::Secret)
            .filter_map(|u| self.config.secret(&u.body).map(|s| s.prov.clone()))
            .collect();
        let prov = prov.with_inputs(declared);
        for used in &mut self.uses[before..] {
            used.prov = prov.clone();
        }
        Value { data: Data::Unknown(Arc::new(Unknown { text: out, reasons, ..Unknown::default() })), prov }
    }

    /// A text that expansion leaves alone: its references wait for the deployment.
    fn preserved(&mut self, text: &Text, prov: &Prov) -> Text {
        let mut seen = Seen::default();
        for reference in references(text) {
            let written = &text[reference.start..reference.end];
            let class = match Body::of(reference.body) {
                Body::Empty | Body::HalfEmpty => Class::Malformed,
                Body::Module { module, field: "id" } => Class::Id(module.to_owned()),
                Body::Module { module, field } => Class::Output(module.to_owned(), field.to_owned()),
                Body::Variable(name) => self.variable(name),
            };
            self.add((written, seen.add(written)), reference.body, class, (prov, true));
        }
        Text::clone(text)
    }

    /// A text after expansion. Of the environment nothing is known, so variables stay, written as `${NAME}`.
    fn expanded(&mut self, text: &Text, prov: &Prov) -> Text {
        let (mut out, mut seen) = (String::with_capacity(text.len()), Seen::default());
        for piece in pieces(text) {
            match piece {
                Piece::Text(text) => out.push_str(text),
                Piece::Eaten => {}
                Piece::Variable { name, written, .. } => {
                    let class = match self.variable(name) {
                        Class::Environment if is_never_set(name) => Class::Blanked,
                        class => class,
                    };
                    if class != Class::Blanked {
                        out.extend(["${", name, "}"]);
                    }
                    self.add((written, seen.add(written)), name, class, (prov, false));
                }
            }
        }
        out.into()
    }

    fn variable(&self, name: &str) -> Class {
        if self.config.secret(name).is_some() { Class::Secret } else { Class::Environment }
    }

    fn add(&mut self, (written, nth): (&str, usize), body: &str, class: Class, site: (&Prov, bool)) {
        let (prov, preserved) = (site.0.clone(), site.1);
        self.uses.push(Use { body: body.to_owned(), written: written.to_owned(), nth, class, preserved, prov });
    }

    fn reason(&self, used: &Use) -> Text {
        match &used.class {
            Class::Id(module) => format!("`{module}` has an id only after it is deployed"),
            Class::Output(module, field) => {
                format!("`{field}` is an output of `{module}`, known only after it is deployed")
            }
            Class::Secret => match self.config.secret(&used.body).map(|s| &s.kind) {
                Some(SecretKind::Output(Some(source))) if source.as_str().is_some() => {
                    let source = source.as_str().unwrap_or_default();
                    format!("the secret `{}` is the output `{source}`", used.body)
                }
                _ => format!("`{}` is a secret", used.body),
            },
            _ => format!("`{}` is an environment variable", used.body),
        }
        .into()
    }
}
