//! The declarations of one file of a module, with places. Expressions are parsed, never evaluated.

use super::types::Type;
use crate::hcl::ast::walk;
use crate::hcl::ast::{Attribute, Block, Body, Expr, ExprKind, Name, Span};
use crate::hcl::parse::{Layout, parse_body, parse_expression};
use crate::text::Text;
use crate::value::ValueKind;
use std::collections::BTreeSet;
use std::ops::Range;

/// Larger files are not read.
const MAX_BYTES: usize = 4 << 20;

/// The declarations of a file.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Declarations {
    pub(super) variables: Vec<Declared<VariableParts>>,
    pub(super) outputs: Vec<Declared<Option<ValueKind>>>,
    pub(super) calls: Vec<Declared<CallParts>>,
    /// The type of the backend; `cloud` for a `cloud` block.
    pub(super) backend: Option<Declared<()>>,
    pub(super) required_version: Option<String>,
    pub(super) required_providers: BTreeSet<Text>,
    /// There is nothing in the file but comments.
    pub(super) is_blank: bool,
}

/// A declaration with its name and its place: the first line of a block.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Declared<T> {
    pub(super) name: Text,
    pub(super) span: Range<usize>,
    pub(super) parts: T,
}

/// The content of a `variable` block; missing parts are `None`, so that an override file can add them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct VariableParts {
    pub(super) ty: Option<Type>,
    pub(super) has_default: bool,
    pub(super) nullable: Option<bool>,
    pub(super) sensitive: Option<bool>,
    pub(super) is_validated: bool,
    pub(super) description: Option<Text>,
}

/// The content of a `module` block.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct CallParts {
    /// The `source`, if it is plain text.
    pub(super) source: Option<String>,
    pub(super) has_version: bool,
    /// The `version`, if it is plain text.
    pub(super) version: Option<String>,
}

/// Where and why a file cannot be read.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Unreadable {
    pub(super) offset: usize,
    pub(super) message: String,
}

/// The declarations of a file, or why it cannot be read.
pub(super) type Parsed = Result<Declarations, Unreadable>;

fn unreadable(offset: usize, message: impl Into<String>) -> Unreadable {
    Unreadable { offset, message: message.into() }
}

fn text_of(bytes: &[u8]) -> Result<&str, Unreadable> {
    if bytes.len() > MAX_BYTES {
        return Err(unreadable(0, "the file is too large"));
    }
    std::str::from_utf8(bytes).map_err(|e| unreadable(e.valid_up_to(), "the file is not UTF-8"))
}

/// Parses a file in the native syntax.
///
/// # Errors
/// Syntax, an argument that is set twice; too large, or beyond a limit of the parser.
fn body_of(bytes: &[u8]) -> Result<Body, Unreadable> {
    let parsed = parse_body(text_of(bytes)?, Layout::Lenient);
    if let Some(error) = parsed.errors.into_iter().next() {
        return Err(unreadable(error.span.start as usize, error.detail));
    }
    match redefined(&parsed.body) {
        None => Ok(parsed.body),
        Some(name) => {
            let message = format!("the argument `{}` is set twice in one block", name.text);
            Err(unreadable(name.span.start as usize, message))
        }
    }
}

/// The first argument of a body, or of a block in it, that has the name of one before it.
fn redefined(body: &Body) -> Option<&Name> {
    let mut names = BTreeSet::new();
    let own = body.attributes.iter().map(|a| &a.name).find(|name| !names.insert(&*name.text));
    own.or_else(|| body.blocks.iter().find_map(|block| redefined(&block.body)))
}

fn range(span: Span) -> Range<usize> {
    span.start as usize..span.end as usize
}

/// The declarations of a file in the native syntax (`.tf`, `.tofu`).
///
/// # Errors
/// It cannot be parsed.
pub(super) fn native(bytes: &[u8]) -> Result<Declarations, Unreadable> {
    let body = body_of(bytes)?;
    let is_blank = body.attributes.is_empty() && body.blocks.is_empty();
    let mut found = Declarations { is_blank, ..Declarations::default() };
    for block in &body.blocks {
        let span = range(block.header());
        match (&*block.kind.text, block.label(0).cloned()) {
            ("variable", Some(name)) => {
                found.variables.push(Declared { name, span, parts: variable(block) });
            }
            ("output", Some(name)) => {
                let kind = block.body.get("value").and_then(|a| kind(&a.expr));
                found.outputs.push(Declared { name, span, parts: kind });
            }
            ("module", Some(name)) => {
                let source = block.body.get("source").and_then(text);
                let version = block.body.get("version");
                let parts = CallParts { source, has_version: version.is_some(), version: version.and_then(text) };
                found.calls.push(Declared { name, span, parts });
            }
            ("terraform", None) => settings(&block.body, &mut found),
            _ => {}
        }
    }
    Ok(found)
}

fn settings(body: &Body, found: &mut Declarations) {
    if let Some(version) = body.get("required_version") {
        found.required_version = text(version);
    }
    for block in &body.blocks {
        let span = range(block.kind.span.to(block.body.span));
        match (&*block.kind.text, block.label(0)) {
            ("backend", Some(kind)) => {
                found.backend = Some(Declared { name: Text::clone(kind), span, parts: () });
            }
            ("cloud", None) => found.backend = Some(Declared { name: "cloud".into(), span, parts: () }),
            ("required_providers", None) => {
                found.required_providers.extend(block.body.attributes.iter().map(|a| Text::clone(&a.name.text)));
            }
            _ => {}
        }
    }
}

fn variable(block: &Block) -> VariableParts {
    let get = |key: &str| block.body.get(key).map(|a| &a.expr);
    let flag = |key: &str| match get(key).map(|expr| &expr.kind) {
        Some(ExprKind::Bool(b)) => Some(*b),
        _ => None,
    };
    VariableParts {
        ty: get("type").map(|expr| Type::parse(expr)),
        has_default: get("default").is_some(),
        nullable: flag("nullable"),
        sensitive: flag("sensitive"),
        is_validated: block.body.blocks_of("validation").next().is_some(),
        description: block.body.get("description").and_then(|a| walk::constant_text(&a.expr)).map(shortened),
    }
}

/// The most of a description that is kept, in characters.
const MAX_DESCRIPTION: usize = 1_000;

fn shortened(text: &str) -> Text {
    text.trim().chars().take(MAX_DESCRIPTION).collect::<String>().into()
}

fn text(attribute: &Attribute) -> Option<String> {
    walk::constant_text(&attribute.expr).map(str::to_owned)
}

/// The declarations of a file in the JSON syntax (`.tf.json`, `.tofu.json`). Places are those of the quoted names, or the
/// start of the file.
///
/// # Errors
/// It cannot be parsed.
pub(super) fn json(bytes: &[u8]) -> Result<Declarations, Unreadable> {
    use serde_json::Value as Json;
    let text = text_of(bytes)?;
    let root: Json = serde_json::from_str(text).map_err(|e| {
        let start: usize = text.split_inclusive('\n').take(e.line().saturating_sub(1)).map(str::len).sum();
        unreadable(start, "the file is not valid JSON")
    })?;
    let place = |name: &str| {
        let quoted = format!("\"{name}\"");
        text.find(&quoted).map_or(0..0, |at| at..at + quoted.len())
    };
    let mut found = Declarations::default();
    for (name, body) in labelled(root.get("variable")) {
        let flag = |key: &str| body.get(key).and_then(Json::as_bool);
        let ty = body.get("type").and_then(Json::as_str).map(parse_expression);
        let parts = VariableParts {
            ty: ty.map(|t| t.map_or(Type::Any, |t| Type::parse(&t))),
            has_default: body.get("default").is_some(),
            nullable: flag("nullable"),
            sensitive: flag("sensitive"),
            is_validated: body.get("validation").is_some(),
            description: body.get("description").and_then(Json::as_str).map(shortened),
        };
        found.variables.push(Declared { name: name.into(), span: place(name), parts });
    }
    for (name, body) in labelled(root.get("output")) {
        let parts = body.get("value").and_then(json_kind);
        found.outputs.push(Declared { name: name.into(), span: place(name), parts });
    }
    for (name, body) in labelled(root.get("module")) {
        let source = body.get("source").and_then(Json::as_str).map(str::to_owned);
        let version = body.get("version").and_then(Json::as_str).map(str::to_owned);
        let parts = CallParts { source, has_version: body.contains_key("version"), version };
        found.calls.push(Declared { name: name.into(), span: place(name), parts });
    }
    for settings in bodies(root.get("terraform")) {
        if let Some((kind, _)) = labelled(settings.get("backend")).into_iter().next() {
            found.backend = Some(Declared { name: kind.into(), span: place("backend"), parts: () });
        }
        if settings.get("cloud").is_some() {
            found.backend = Some(Declared { name: "cloud".into(), span: place("cloud"), parts: () });
        }
        if let Some(version) = settings.get("required_version").and_then(Json::as_str) {
            found.required_version = Some(version.to_owned());
        }
        let providers = bodies(settings.get("required_providers"));
        found.required_providers.extend(providers.flat_map(|p| p.keys()).map(|k| Text::from(k.as_str())));
    }
    Ok(found)
}

type JsonMap = serde_json::Map<String, serde_json::Value>;

/// A block, or a list of them.
fn bodies(value: Option<&serde_json::Value>) -> impl Iterator<Item = &JsonMap> {
    let list = value.and_then(serde_json::Value::as_array).map_or(&[][..], Vec::as_slice);
    let one = value.and_then(serde_json::Value::as_object);
    one.into_iter().chain(list.iter().filter_map(serde_json::Value::as_object))
}

/// Blocks with one label: `{"name": {…}}`, each body perhaps a list of one.
fn labelled(value: Option<&serde_json::Value>) -> Vec<(&str, &JsonMap)> {
    let named = bodies(value).flat_map(|m| m.iter()).filter(|(name, _)| *name != "//");
    named.filter_map(|(name, body)| Some((name.as_str(), bodies(Some(body)).next()?))).collect()
}

/// The names that a file of values (`.tfvars`, or `.tfvars.json`) sets.
///
/// # Errors
/// It cannot be parsed.
pub(super) fn values(bytes: &[u8], is_json: bool) -> Result<BTreeSet<Text>, Unreadable> {
    if is_json {
        let text = text_of(bytes)?;
        let map: JsonMap = serde_json::from_str(text).map_err(|_| unreadable(0, "the file is not valid JSON"))?;
        return Ok(map.keys().map(|k| Text::from(k.as_str())).collect());
    }
    Ok(body_of(bytes)?.attributes.into_iter().map(|a| a.name.text).collect())
}

/// Returns the kind of the value of an expression, if its syntax shows it.
fn kind(expression: &Expr) -> Option<ValueKind> {
    match &walk::unwrapped(expression).kind {
        ExprKind::Bool(_) => Some(ValueKind::Bool),
        ExprKind::Number(_) => Some(ValueKind::Number),
        ExprKind::Template(_) => Some(ValueKind::String),
        ExprKind::Tuple(_) => Some(ValueKind::List),
        ExprKind::Object(_) => Some(ValueKind::Map),
        ExprKind::For(each) => Some(if each.key.is_some() { ValueKind::Map } else { ValueKind::List }),
        _ => None,
    }
}

/// The same for the JSON syntax, in which text may be a template.
fn json_kind(value: &serde_json::Value) -> Option<ValueKind> {
    use serde_json::Value as Json;
    match value {
        Json::Bool(_) => Some(ValueKind::Bool),
        Json::Number(_) => Some(ValueKind::Number),
        Json::String(text) => (!text.contains("${") && !text.contains("%{")).then_some(ValueKind::String),
        Json::Array(_) => Some(ValueKind::List),
        Json::Object(_) => Some(ValueKind::Map),
        Json::Null => None,
    }
}
