//! The schema of fields. Only known values are checked.

use super::resource::kind_name;
use crate::diagnostic::{Diagnostic, rules};
use crate::dialects::garden::diagnostics::Diagnostics;
use crate::dialects::garden::template::node::{Data, Node};
use crate::dialects::garden::template::syntax::number::text_number;

/// The allowed type of a value.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Shape {
    /// Anything.
    Any,
    Text,
    /// Text without conversions: numbers are not allowed.
    Name,
    /// A name of an action or workflow.
    Identifier,
    /// A number, or text that is one.
    Number,
    /// A truth value, or text that is one.
    Bool,
    /// A mapping.
    Map,
    /// A mapping with values of one shape.
    MapOf(&'static Shape),
    /// A list with items of one shape.
    List(&'static Shape),
    /// A list with items of one shape, where items without a value do not count.
    Sparse(&'static Shape),
    /// A mapping with these keys alone.
    Fields(&'static [Field]),
    /// One of several.
    OneOf(&'static [Shape]),
}

/// A key of a mapping.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field {
    /// The key.
    pub name: &'static str,
    /// The shape of its value.
    pub shape: Shape,
    /// Whether it must be there.
    pub is_required: bool,
}

/// A key that may be there.
pub(crate) const fn optional(name: &'static str, shape: Shape) -> Field {
    Field { name, shape, is_required: false }
}

/// A key that must be there.
pub(crate) const fn required(name: &'static str, shape: Shape) -> Field {
    Field { name, shape, is_required: true }
}

/// Checks the fields of a mapping, and that there are no others. Returns whether they are valid.
pub(crate) fn check_fields(node: &Node, fields: &[&[Field]], what: &str, diagnostics: &Diagnostics) -> bool {
    let before = diagnostics.breaking();
    Check { what, diagnostics }.fields(node, fields, &mut Vec::new());
    diagnostics.breaking() == before
}

struct Check<'a> {
    what: &'a str,
    diagnostics: &'a Diagnostics,
}

/// A step on the way to a value that is checked.
#[derive(Clone, Copy)]
enum Step<'a> {
    Key(&'a str),
    Index(usize),
}

impl Check<'_> {
    fn fields<'n>(&mut self, node: &'n Node, fields: &[&[Field]], path: &mut Vec<Step<'n>>) {
        let Some(map) = node.as_map() else { return };
        let is_open = map.keys().any(|key| key.starts_with('$'));
        for (key, value) in map.iter() {
            let field = fields.iter().flat_map(|some| some.iter()).find(|field| *field.name == **key);
            path.push(Step::Key(key));
            match field {
                Some(field) => self.value(value, &field.shape, path),
                // The rest of an operator that could not be evaluated is reported elsewhere.
                None if key.starts_with('$') || value.is_undefined() => {}
                None => {
                    let known: Vec<&str> = fields.iter().flat_map(|some| some.iter()).map(|field| field.name).collect();
                    let at = place(&path[..path.len() - 1]);
                    let message = format!("`{key}` is not a key of {}{at}: keys are {}", self.what, known.join(", "));
                    self.diagnostics.error(&rules::INVALID_CONFIG, message, &value.prov);
                }
            }
            path.pop();
        }
        for field in fields.iter().flat_map(|some| some.iter()).filter(|field| field.is_required && !is_open) {
            if map.get(field.name).is_none_or(Node::is_undefined) {
                let message = format!("{}{} lacks the required key `{}`", self.what, place(path), field.name);
                self.diagnostics.error(&rules::INVALID_CONFIG, message, &super::resource::first_line(&node.prov));
            }
        }
    }

    fn value<'n>(&mut self, node: &'n Node, shape: &Shape, path: &mut Vec<Step<'n>>) {
        if matches!(node.data, Data::Unknown(_) | Data::Lazy(_) | Data::Context(_)) {
            return;
        }
        let is_optional_null = matches!(node.data, Data::Null | Data::Undefined) && path.len() <= 1;
        if is_optional_null {
            return;
        }
        match (shape, &node.data) {
            (Shape::Any, _)
            | (Shape::Text | Shape::Name, Data::Text(_))
            | (Shape::Number, Data::Number(_))
            | (Shape::Bool, Data::Bool(_))
            | (Shape::Map, Data::Map(_)) => {}
            (Shape::Number, Data::Text(text)) if text_number(text).is_some() => {}
            (Shape::Bool, Data::Text(text)) if matches!(text.as_str(), "true" | "false") => {}
            (Shape::Identifier, Data::Text(name)) => {
                if !is_identifier(name) {
                    let message = format!(
                        "`{name}` is not a name: names are lower-case letters, digits and single dashes, start with a \
                         letter, do not start with `garden`, and have at most 63 characters"
                    );
                    self.diagnostics.error(&rules::INVALID_CONFIG, message, &node.prov);
                }
            }
            (Shape::MapOf(inner), Data::Map(map)) => {
                for (key, value) in map.iter() {
                    path.push(Step::Key(key));
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
            (Shape::Fields(fields), Data::Map(_)) => self.fields(node, &[fields], path),
            (Shape::OneOf(shapes), _) => {
                let fitting = shapes.iter().find(|shape| fits(shape, node));
                match fitting {
                    Some(shape) => self.value(node, shape, path),
                    None => self.refuse(node, shape, path),
                }
            }
            _ => self.refuse(node, shape, path),
        }
    }

    fn refuse(&mut self, node: &Node, shape: &Shape, path: &[Step<'_>]) {
        let message = format!("`{}` of {} must be {}, not a {}", dotted(path), self.what, name(shape), kind_name(node));
        let mut finding =
            Diagnostic::new(&rules::INVALID_CONFIG, message, self.diagnostics.label(&node.prov)).breaking();
        if node.is_undefined() {
            finding = finding.help("an `$if` without `$else` has no value where it is false: add `$else`");
        }
        self.diagnostics.report(finding);
    }
}

/// Whether a value is of the kind of a shape.
fn fits(shape: &Shape, node: &Node) -> bool {
    match shape {
        Shape::Any => true,
        Shape::Text | Shape::Name | Shape::Identifier => matches!(node.data, Data::Text(_)),
        Shape::Number => matches!(node.data, Data::Number(_)),
        Shape::Bool => matches!(node.data, Data::Bool(_)),
        Shape::Map | Shape::MapOf(_) | Shape::Fields(_) => matches!(node.data, Data::Map(_)),
        Shape::List(_) | Shape::Sparse(_) => matches!(node.data, Data::List(_)),
        Shape::OneOf(shapes) => shapes.iter().any(|shape| fits(shape, node)),
    }
}

fn name(shape: &Shape) -> String {
    match shape {
        Shape::Any => "anything".to_owned(),
        Shape::Text | Shape::Name | Shape::Identifier => "a string".to_owned(),
        Shape::Number => "a number".to_owned(),
        Shape::Bool => "a boolean".to_owned(),
        Shape::Map | Shape::MapOf(_) | Shape::Fields(_) => "a mapping".to_owned(),
        Shape::List(_) | Shape::Sparse(_) => "a list".to_owned(),
        Shape::OneOf(shapes) => shapes.iter().map(name).collect::<Vec<_>>().join(" or "),
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

/// Whether a text is a valid name.
pub(crate) fn is_identifier(name: &str) -> bool {
    let parts = name.split('-');
    let is_word = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    name.len() <= 63
        && !name.starts_with("garden")
        && name.starts_with(|c: char| c.is_ascii_lowercase())
        && parts.clone().all(is_word)
}
