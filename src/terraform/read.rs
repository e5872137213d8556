//! One file of a module: what it declares, with places. Expressions are looked at, never evaluated.

use super::types::Type;
use crate::text::Text;
use crate::value::Kind;
use hcl_edit::Span;
use hcl_edit::expr::Expression;
use hcl_edit::structure::{Block, Body, Structure};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::ops::Range;

/// Larger files are not read.
const MAX_BYTES: usize = 4 << 20;

/// What a file declares.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Declarations {
    pub(super) variables: Vec<Declared<VariableParts>>,
    pub(super) outputs: Vec<Declared<Option<Kind>>>,
    pub(super) calls: Vec<Declared<CallParts>>,
    /// The type of the backend; `cloud` for a `cloud` block.
    pub(super) backend: Option<Declared<()>>,
    pub(super) required_version: Option<String>,
    pub(super) required_providers: BTreeSet<Text>,
    /// There is nothing in the file but comments.
    pub(super) is_blank: bool,
}

/// A declaration with its name and its place: the first line of a block.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Declared<T> {
    pub(super) name: Text,
    pub(super) span: Range<usize>,
    pub(super) parts: T,
}

/// What a `variable` block says; what it does not say is `None`, so that an override file can add it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct VariableParts {
    pub(super) ty: Option<Type>,
    pub(super) has_default: bool,
    pub(super) nullable: Option<bool>,
    pub(super) sensitive: Option<bool>,
    pub(super) is_validated: bool,
}

/// What a `module` block says.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CallParts {
    /// The `source`, if it is plain text.
    pub(super) source: Option<String>,
    pub(super) has_version: bool,
}

/// Where and why a file cannot be read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Unreadable {
    pub(super) offset: usize,
    pub(super) message: String,
}

/// What a file declares, or why it cannot be read.
pub(super) type Parsed = Result<Declarations, Unreadable>;

impl Declarations {
    /// All places.
    pub(super) fn spans(&self) -> impl Iterator<Item = &Range<usize>> {
        let blocks = self.variables.iter().map(|v| &v.span).chain(self.outputs.iter().map(|o| &o.span));
        blocks.chain(self.calls.iter().map(|c| &c.span)).chain(self.backend.iter().map(|b| &b.span))
    }
}

fn unreadable(offset: usize, message: impl Into<String>) -> Unreadable {
    Unreadable { offset, message: message.into() }
}

fn text_of(bytes: &[u8]) -> Result<&str, Unreadable> {
    if bytes.len() > MAX_BYTES {
        return Err(unreadable(0, "the file is too large"));
    }
    std::str::from_utf8(bytes).map_err(|e| unreadable(e.valid_up_to(), "the file is not UTF-8"))
}

/// Parses a file in the native syntax. Spans count from the start of the file.
///
/// # Errors
/// Syntax; too large, or nested too deeply for the parser.
fn body_of(bytes: &[u8]) -> Result<(Body, Offsets), Unreadable> {
    let text = text_of(bytes)?;
    let inner = text.strip_prefix('\u{feff}').unwrap_or(text);
    let skipped = text.len() - inner.len();
    let body = match hcl_edit::parser::parse_body(inner) {
        Ok(body) => body,
        Err(error) => {
            let (spread, inserted) = spread(inner);
            let Some(body) = hcl_edit::parser::parse_body(&spread).ok().filter(|_| !inserted.is_empty()) else {
                let line = error.location().line().saturating_sub(1);
                let start: usize = inner.split_inclusive('\n').take(line).map(str::len).sum();
                return Err(unreadable(skipped + start, error.message().to_owned()));
            };
            return Ok((body, Offsets { skipped, inserted }));
        }
    };
    Ok((body, Offsets { skipped, inserted: Vec::new() }))
}

/// How places of what was parsed relate to those of the file.
struct Offsets {
    /// Bytes in front of the text.
    skipped: usize,
    /// Where line ends were inserted, sorted, in bytes of what was parsed.
    inserted: Vec<usize>,
}

impl Offsets {
    fn of(&self, span: Range<usize>) -> Range<usize> {
        let place = |at: usize| at - self.inserted.partition_point(|i| *i < at) + self.skipped;
        place(span.start)..place(span.end)
    }
}

/// The text with the content of every block at its top on lines of its own, and where line ends were inserted. People write
/// `variable "x" { type = string` and go on below; what it declares is clear, though the syntax has no room for it.
fn spread(text: &str) -> (String, Vec<usize>) {
    let (mut out, mut inserted) = (String::with_capacity(text.len() + 64), Vec::new());
    let (mut depth, mut quoted, mut before) = (0usize, false, ' ');
    let mut chars = text.char_indices().peekable();
    let mut is_blank = true;
    while let Some((at, c)) = chars.next() {
        let is_comment = !quoted && (c == '#' || c == '/' && text[at..].starts_with("//"));
        if is_comment {
            let end = text[at..].find('\n').map_or(text.len(), |end| at + end);
            out.push_str(&text[at..end]);
            while chars.next_if(|(i, _)| *i < end).is_some() {}
            continue;
        }
        let closes = !quoted && c == '}' && depth == 1;
        if closes && !is_blank {
            inserted.push(out.len());
            out.push('\n');
        }
        out.push(c);
        match c {
            '"' if before != '\\' => quoted = !quoted,
            '\n' => (quoted, is_blank) = (false, true),
            '{' | '[' | '(' if !quoted => depth += 1,
            '}' | ']' | ')' if !quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
        let opens = !quoted && c == '{' && depth == 1;
        // What comes next in this line. The whole of the line would be its length for every brace in it.
        let next = || text[at + c.len_utf8()..].chars().find(|c| *c == '\n' || !c.is_whitespace());
        if opens && next().is_some_and(|c| !matches!(c, '\n' | '}')) {
            inserted.push(out.len());
            out.push('\n');
        }
        is_blank = (is_blank && c.is_whitespace()) || c == '\n' || opens;
        before = if before == '\\' { ' ' } else { c };
    }
    (out, inserted)
}

/// The declarations of a file in the native syntax (`.tf`, `.tofu`).
///
/// # Errors
/// It cannot be parsed.
pub(super) fn native(bytes: &[u8]) -> Result<Declarations, Unreadable> {
    let (body, offsets) = body_of(bytes)?;
    let mut found = Declarations { is_blank: body.is_empty(), ..Declarations::default() };
    for block in body.blocks() {
        let label = block.labels.first().map(|l| Text::from(l.as_str()));
        // What the head of the block spans: up to its opening brace, as far as that can be told.
        let end = block.labels.last().and_then(Span::span).or_else(|| block.ident.span());
        let span = offsets.of(block.span().map_or(0, |s| s.start)..end.map_or(0, |s| s.end));
        match (block.ident.as_str(), label) {
            ("variable", Some(name)) => {
                found.variables.push(Declared { name, span, parts: variable(block) });
            }
            ("output", Some(name)) => {
                let kind = block.body.get_attribute("value").and_then(|a| kind(&a.value));
                found.outputs.push(Declared { name, span, parts: kind });
            }
            ("module", Some(name)) => {
                let source = block.body.get_attribute("source").and_then(|a| text(&a.value));
                let has_version = block.body.get_attribute("version").is_some();
                found.calls.push(Declared { name, span, parts: CallParts { source, has_version } });
            }
            ("terraform", None) => settings(&block.body, &offsets, &mut found),
            _ => {}
        }
    }
    Ok(found)
}

fn settings(body: &Body, offsets: &Offsets, found: &mut Declarations) {
    for structure in body.iter() {
        match structure {
            Structure::Attribute(a) if a.key.as_str() == "required_version" => found.required_version = text(&a.value),
            Structure::Attribute(_) => {}
            Structure::Block(block) => {
                let span = offsets.of(block.span().unwrap_or(0..0));
                match (block.ident.as_str(), block.labels.first()) {
                    ("backend", Some(kind)) => {
                        found.backend = Some(Declared { name: kind.as_str().into(), span, parts: () });
                    }
                    ("cloud", None) => found.backend = Some(Declared { name: "cloud".into(), span, parts: () }),
                    ("required_providers", None) => {
                        found.required_providers.extend(block.body.attributes().map(|a| Text::from(a.key.as_str())));
                    }
                    _ => {}
                }
            }
        }
    }
}

fn variable(block: &Block) -> VariableParts {
    let get = |key: &str| block.body.get_attribute(key).map(|a| &a.value);
    let flag = |key: &str| match get(key) {
        Some(Expression::Bool(b)) => Some(*b.value()),
        _ => None,
    };
    VariableParts {
        ty: get("type").map(Type::parse),
        has_default: get("default").is_some(),
        nullable: flag("nullable"),
        sensitive: flag("sensitive"),
        is_validated: block.body.has_blocks("validation"),
    }
}

fn text(expression: &Expression) -> Option<String> {
    match expression {
        Expression::String(s) => Some(s.as_str().to_owned()),
        _ => None,
    }
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
        let ty = body.get("type").and_then(Json::as_str).map(|t| t.parse::<Expression>());
        let parts = VariableParts {
            ty: ty.map(|t| t.map_or(Type::Any, |t| Type::parse(&t))),
            has_default: body.get("default").is_some(),
            nullable: flag("nullable"),
            sensitive: flag("sensitive"),
            is_validated: body.get("validation").is_some(),
        };
        found.variables.push(Declared { name: name.into(), span: place(name), parts });
    }
    for (name, body) in labelled(root.get("output")) {
        let parts = body.get("value").and_then(json_kind);
        found.outputs.push(Declared { name: name.into(), span: place(name), parts });
    }
    for (name, body) in labelled(root.get("module")) {
        let source = body.get("source").and_then(Json::as_str).map(str::to_owned);
        let parts = CallParts { source, has_version: body.contains_key("version") };
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
    let (body, _) = body_of(bytes)?;
    Ok(body.attributes().map(|a| Text::from(a.key.as_str())).collect())
}

/// The kind of the value of an expression, where its form tells it.
fn kind(expression: &Expression) -> Option<Kind> {
    match expression {
        Expression::Bool(_) => Some(Kind::Bool),
        Expression::Number(_) => Some(Kind::Number),
        Expression::String(_) | Expression::HeredocTemplate(_) => Some(Kind::String),
        // A template that is one interpolation has the value of that.
        Expression::StringTemplate(template) => (template.iter().count() > 1).then_some(Kind::String),
        Expression::Array(_) => Some(Kind::List),
        Expression::Object(_) => Some(Kind::Map),
        Expression::ForExpr(each) => Some(if each.key_expr.is_some() { Kind::Map } else { Kind::List }),
        Expression::Parenthesis(inner) => kind(inner.inner()),
        _ => None,
    }
}

/// The same for the JSON syntax, in which text may be a template.
fn json_kind(value: &serde_json::Value) -> Option<Kind> {
    use serde_json::Value as Json;
    match value {
        Json::Bool(_) => Some(Kind::Bool),
        Json::Number(_) => Some(Kind::Number),
        Json::String(text) => (!text.contains("${") && !text.contains("%{")).then_some(Kind::String),
        Json::Array(_) => Some(Kind::List),
        Json::Object(_) => Some(Kind::Map),
        Json::Null => None,
    }
}
