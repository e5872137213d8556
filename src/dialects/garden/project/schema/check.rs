//! Checks values against schemas. Only known values are checked.

use super::formats::Format;
use super::{Field, Range, Rule, Shape};
use crate::diagnostic::{Diagnostic, rules};
use crate::dialects::garden::diagnostics::Diagnostics;
use crate::dialects::garden::project::resource::{first_line, kind_name};
use crate::dialects::garden::template::node::{Data, Node};
use crate::dialects::garden::template::syntax::number::text_number;
use crate::value::Prov;
use std::collections::BTreeSet;

/// So many mistakes of one value are told.
const MOST_TOLD: usize = 50;

/// Checks the fields of a mapping, and that there are no others. Returns whether they are valid.
pub(crate) fn check_fields(node: &Node, fields: &[&[Field]], what: &str, diagnostics: &Diagnostics) -> bool {
    let before = diagnostics.breaking();
    Check::new(what, diagnostics, false).fields(node, fields, false, &mut Vec::new());
    diagnostics.breaking() == before
}

/// Checks a value against a shape.
pub(crate) fn check_shape(node: &Node, shape: &Shape, what: &str, diagnostics: &Diagnostics) {
    Check::new(what, diagnostics, false).value(node, shape, &mut Vec::new());
}

/// The same for what a plugin reads, whose version may be another one: what is wrong is reported, and the rest still compared.
pub(crate) fn check_plugins(node: &Node, shape: &Shape, what: &str, diagnostics: &Diagnostics) {
    Check::new(what, diagnostics, true).value(node, shape, &mut Vec::new());
}

struct Check<'a> {
    what: &'a str,
    diagnostics: &'a Diagnostics,
    /// Whether templates have no place here.
    is_literal: bool,
    /// Whether a plugin reads this.
    is_plugins: bool,
    /// How many mistakes were found.
    found: usize,
}

/// A step on the way to a value that is checked.
#[derive(Clone, Copy)]
enum Step<'a> {
    Key(&'a str),
    Index(usize),
}

impl<'a> Check<'a> {
    fn new(what: &'a str, diagnostics: &'a Diagnostics, is_plugins: bool) -> Self {
        Check { what, diagnostics, is_literal: false, is_plugins, found: 0 }
    }

    fn fields<'n>(&mut self, node: &'n Node, fields: &[&[Field]], is_open: bool, path: &mut Vec<Step<'n>>) {
        let Some(map) = node.as_map() else { return };
        let fields = || fields.iter().flat_map(|some| some.iter());
        let is_known = !map.keys().any(|key| key.starts_with('$'));
        for (key, value) in map.iter() {
            path.push(Step::Key(key));
            match fields().find(|field| *field.name == **key) {
                Some(_) if value.is_undefined() => {}
                Some(field) => self.value(value, &field.shape, path),
                // The rest of an operator that could not be evaluated is reported elsewhere. A document itself has none.
                None if is_open || key.starts_with('$') && path.len() > 1 || value.is_undefined() => {}
                None => {
                    let known: Vec<&str> = fields().map(|field| field.name).collect();
                    let at = place(&path[..path.len() - 1]);
                    let message = format!("`{key}` is not a key of {}{at}: keys are {}", self.what, known.join(", "));
                    // A value may come from elsewhere.
                    let is_inside = value.prov.origin.zip(node.prov.origin).is_some_and(|(inner, outer)| {
                        inner.file == outer.file && (outer.start..=outer.end).contains(&inner.start)
                    });
                    let at = if is_inside { value.prov.clone() } else { first_line(&node.prov) };
                    self.tell(message, &at, None);
                }
            }
            path.pop();
        }
        for field in fields().filter(|field| field.is_required && is_known) {
            if !has(node, field.name) {
                let message = format!("{} lacks the required key `{}`", self.subject(path), field.name);
                self.tell(message, &first_line(&node.prov), None);
            }
        }
    }

    fn value<'n>(&mut self, node: &'n Node, shape: &Shape, path: &mut Vec<Step<'n>>) {
        if let Shape::Literal(inner) | Shape::Evaluated(inner) = shape {
            let outer = std::mem::replace(&mut self.is_literal, matches!(shape, Shape::Literal(_)));
            self.value(node, inner, path);
            self.is_literal = outer;
            return;
        }
        if !is_known(node) {
            if self.is_literal && node.as_lazy().is_some() && !matches!(shape, Shape::Any) {
                let subject = self.subject(path);
                let message = format!("{subject} must not be a template or an operator: Garden does not evaluate it");
                self.report(node, message);
            }
            return;
        }
        match (shape, &node.data) {
            (Shape::Any, _)
            | (Shape::PlainNumber, Data::Number(_))
            | (Shape::Bool | Shape::PlainBool, Data::Bool(_))
            | (Shape::Map, Data::Map(_))
            | (Shape::Nullable(_), Data::Null | Data::Undefined) => {}
            (Shape::Text(format), Data::Text(text)) => self.format(node, *format, text, path),
            (Shape::Number(range), Data::Number(number)) => self.number(node, *number, *range, path),
            (Shape::Number(range), Data::Text(text)) => match text_number(text) {
                Some(number) => self.number(node, number, *range, path),
                None => self.refuse(node, shape, path),
            },
            (Shape::Bool, Data::Text(text)) if is_truth_value(text) => {}
            (Shape::MapOf(names, inner) | Shape::PlainMapOf(names, inner), Data::Map(map)) => {
                let is_plain = matches!(shape, Shape::PlainMapOf(..));
                let is_there = |key: &str, value: &Node| !key.starts_with('$') && (is_plain || !value.is_undefined());
                for (key, value) in map.iter().filter(|(key, value)| is_there(key, value)) {
                    path.push(Step::Key(key));
                    self.format(value, *names, key, path);
                    self.value(value, inner, path);
                    path.pop();
                }
            }
            (Shape::List(inner) | Shape::Sparse(inner), Data::List(items)) => {
                let is_sparse = matches!(shape, Shape::Sparse(_));
                for (i, item) in items.iter().enumerate() {
                    if is_sparse && matches!(item.data, Data::Undefined | Data::Null) {
                        continue;
                    }
                    path.push(Step::Index(i));
                    self.value(item, inner, path);
                    path.pop();
                }
            }
            (Shape::Fields(fields), Data::Map(_)) => self.fields(node, &[fields], false, path),
            (Shape::Open(fields), Data::Map(_)) => self.fields(node, &[fields], true, path),
            (Shape::Nullable(inner), _) => self.value(node, inner, path),
            (Shape::OneOf(shapes), _) => match shapes.iter().find(|shape| fits(shape, node)) {
                Some(shape) => self.value(node, shape, path),
                None => self.refuse(node, shape, path),
            },
            (Shape::ByWord(key, all), Data::Map(_)) => {
                let word = node.get(key).and_then(Node::as_text);
                match all.iter().find(|(known, _)| word.is_some_and(|word| *word == **known)) {
                    Some((_, fields)) => self.fields(node, &[fields], false, path),
                    None => {
                        let words: Vec<&str> = all.iter().map(|(word, _)| *word).collect();
                        let message = format!("`{key}` of {} must be one of {}", self.subject(path), words.join(", "));
                        self.report(node.get(key).unwrap_or(node), message);
                    }
                }
            }
            (Shape::With(inner, rule), _) => {
                self.value(node, inner, path);
                if let Some(problem) = problem(node, *rule) {
                    self.report(node, format!("{} {problem}", self.subject(path)));
                }
            }
            _ => self.refuse(node, shape, path),
        }
    }

    /// The text itself is not shown: it may hold a secret.
    fn format(&mut self, node: &Node, format: Format, text: &str, path: &[Step<'_>]) {
        if !format.has(text) {
            self.report(node, format!("{} must be {}", self.subject(path), format.described()));
        }
    }

    fn number(&mut self, node: &Node, number: f64, range: Range, path: &[Step<'_>]) {
        if !range.has(number) {
            self.report(node, format!("{} must be {}", self.subject(path), range.described()));
        }
    }

    /// What is at a path, at the beginning of a sentence.
    fn subject(&self, path: &[Step<'_>]) -> String {
        match path {
            [] => self.what.to_owned(),
            _ => format!("`{}` of {}", dotted(path), self.what),
        }
    }

    fn refuse(&mut self, node: &Node, shape: &Shape, path: &[Step<'_>]) {
        let (shape, kind) = (name(shape), kind_name(node));
        self.report(node, format!("{} must be {shape}, not a {kind}", self.subject(path)));
    }

    fn report(&mut self, node: &Node, message: String) {
        let help = "an `$if` without `$else` has no value where it is false: add `$else`";
        self.tell(message, &node.prov, node.is_undefined().then_some(help));
    }

    /// Reports a mistake. Of very many, the rest is one finding.
    fn tell(&mut self, message: String, place: &Prov, help: Option<&str>) {
        self.found += 1;
        let message = match self.found {
            found if found > MOST_TOLD => return,
            MOST_TOLD => format!("{} has more mistakes than are told, from here on", self.what),
            _ => message,
        };
        let mut finding = Diagnostic::new(&rules::INVALID_CONFIG, message, self.diagnostics.label(place));
        if let Some(help) = help {
            finding = finding.help(help);
        }
        self.diagnostics.report(if self.is_plugins { finding } else { finding.breaking() });
    }
}

impl Range {
    fn has(self, number: f64) -> bool {
        (self.min..=self.max).contains(&number) && (!self.is_whole || number.fract() == 0.0)
    }

    fn described(self) -> String {
        let kind = if self.is_whole { "a whole number" } else { "a number" };
        match (self.min.is_finite(), self.max.is_finite()) {
            (true, true) => format!("{kind} from {} to {}", self.min, self.max),
            (true, false) => format!("{kind} of at least {}", self.min),
            (false, true) => format!("{kind} of at most {}", self.max),
            (false, false) => kind.to_owned(),
        }
    }
}

/// Whether a value is known, as far as its kind.
fn is_known(node: &Node) -> bool {
    !matches!(node.data, Data::Unknown(_) | Data::Lazy(_) | Data::Context(_) | Data::Open(..))
}

/// Whether a mapping has a value for a key.
fn has(node: &Node, key: &str) -> bool {
    node.get(key).is_some_and(|value| !value.is_undefined())
}

fn is_truth_value(text: &str) -> bool {
    text.eq_ignore_ascii_case("true") || text.eq_ignore_ascii_case("false")
}

/// What is wrong with a value for which a rule holds. Operators that are not evaluated may add any key.
fn problem(node: &Node, rule: Rule) -> Option<String> {
    let count = |keys: &[&str]| {
        let is_open = node.as_map().is_none_or(|map| map.keys().any(|key| key.starts_with('$')));
        (!is_open).then(|| keys.iter().filter(|key| has(node, key)).count())
    };
    match rule {
        Rule::HasItem => node.as_list()?.is_empty().then(|| "needs at least one item".to_owned()),
        Rule::UniqueBy(key) => {
            let mut seen = BTreeSet::new();
            let items = node.as_list()?;
            let mut names = items.iter().filter_map(|item| item.get(key)?.as_text());
            let twice = names.find(|name| !seen.insert((*name).clone()))?;
            Some(format!("has two items with the `{key}` `{twice}`"))
        }
        Rule::SomeKey(keys) => (count(keys)? == 0).then(|| format!("needs one of {}", keys.join(", "))),
        Rule::OneKey(keys) => (count(keys)? != 1).then(|| format!("needs one of {}, and only one", keys.join(", "))),
        Rule::Alone(key, others) => {
            let other = others.iter().find(|other| has(node, other)).filter(|_| has(node, key))?;
            Some(format!("must not have both {key} and {other}"))
        }
        Rule::Needs(key, other) => {
            (has(node, key) && count(&[other])? == 0).then(|| format!("has {key}, which needs {other} beside it"))
        }
        Rule::MostOneKey(keys) => (count(keys)? > 1).then(|| format!("must not have both {}", keys.join(" and "))),
    }
}

/// Whether a value is of the kind of a shape.
fn fits(shape: &Shape, node: &Node) -> bool {
    match shape {
        Shape::Any => true,
        Shape::Text(_) => matches!(node.data, Data::Text(_)),
        Shape::Number(_) | Shape::PlainNumber => matches!(node.data, Data::Number(_)),
        Shape::Bool | Shape::PlainBool => matches!(node.data, Data::Bool(_)),
        Shape::Map
        | Shape::MapOf(..)
        | Shape::PlainMapOf(..)
        | Shape::Fields(_)
        | Shape::Open(_)
        | Shape::ByWord(..) => {
            matches!(node.data, Data::Map(_))
        }
        Shape::List(_) | Shape::Sparse(_) => matches!(node.data, Data::List(_)),
        Shape::OneOf(shapes) => shapes.iter().any(|shape| fits(shape, node)),
        Shape::Nullable(shape) => matches!(node.data, Data::Null) || fits(shape, node),
        Shape::With(shape, _) | Shape::Literal(shape) | Shape::Evaluated(shape) => fits(shape, node),
    }
}

fn name(shape: &Shape) -> String {
    match shape {
        Shape::Any => "anything".to_owned(),
        Shape::Text(_) => "a string".to_owned(),
        Shape::Number(_) | Shape::PlainNumber => "a number".to_owned(),
        Shape::Bool | Shape::PlainBool => "a boolean".to_owned(),
        Shape::Map
        | Shape::MapOf(..)
        | Shape::PlainMapOf(..)
        | Shape::Fields(_)
        | Shape::Open(_)
        | Shape::ByWord(..) => "a mapping".to_owned(),
        Shape::List(_) | Shape::Sparse(_) => "a list".to_owned(),
        Shape::OneOf(shapes) => {
            let mut names: Vec<String> = shapes.iter().map(name).collect();
            names.dedup();
            names.join(" or ")
        }
        Shape::Nullable(shape) | Shape::With(shape, _) | Shape::Literal(shape) | Shape::Evaluated(shape) => name(shape),
    }
}

fn place(path: &[Step<'_>]) -> String {
    if path.is_empty() { String::new() } else { format!(" at `{}`", dotted(path)) }
}

/// A path as messages show it: `spec.command.0`.
fn dotted(path: &[Step<'_>]) -> String {
    let text = |step: &Step<'_>| match step {
        Step::Key(key) => (*key).to_owned(),
        Step::Index(index) => index.to_string(),
    };
    path.iter().map(text).collect::<Vec<_>>().join(".")
}
