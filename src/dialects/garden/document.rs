//! From YAML to [`Node`]s: YAML 1.2 core schema as Garden reads it, several documents of a file, merge keys.

use super::template::node::{Data, Node, Object};
use crate::diagnostic::{Rule, rules};
use crate::limits::{Limit, Limits};
use crate::text::{Text, intern};
use crate::value::decode::{DecodeState, DecodeStep, exceeded};
use crate::value::{FileId, Origin, Prov};
use crate::yaml::{self, Document, NodeId, NodeKind, ProblemKind, Span, Style};
use std::sync::Arc;

/// An error that prevents a document from being read.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    /// The rule that reports it.
    pub rule: &'static Rule,
    pub message: String,
    pub span: Span,
    /// A place that has to do with it, and in which way.
    pub related: Option<(Span, &'static str)>,
}

/// The value of one document; `undefined` if it is empty. Without a file values have no provenance.
///
/// # Errors
/// All that keeps it from being read.
pub(crate) fn read(doc: &Document, file: Option<FileId>, limits: Limits) -> Result<Node, Vec<Problem>> {
    let problems = yaml::problems(doc);
    if !problems.is_empty() {
        return Err(problems.into_iter().map(Problem::from).collect());
    }
    let mut reader = Reader { doc, file, limits, walk: DecodeState::new(limits), problems: Vec::new() };
    let node = doc.root().map(|root| reader.node(root, None)).unwrap_or_default();
    if reader.problems.is_empty() { Ok(node) } else { Err(reader.problems) }
}

impl From<yaml::Problem> for Problem {
    fn from(problem: yaml::Problem) -> Self {
        let rule = match problem.kind {
            ProblemKind::DuplicateKey => &rules::DUPLICATE_KEY,
            ProblemKind::BeyondLimit => &rules::LIMIT_EXCEEDED,
            ProblemKind::InvalidKey | ProblemKind::BadMerge | ProblemKind::BadScalar => &rules::INVALID_YAML,
        };
        let related = problem.related.map(|span| (span, "first written here"));
        Problem { rule, message: problem.message, span: problem.span, related }
    }
}

/// The values of all documents of a text without provenance.
///
/// # Errors
/// What is wrong with the text.
pub(crate) fn read_text(text: &str) -> Result<Vec<Node>, String> {
    let docs = yaml::documents_of(Text::from(text)).map_err(|error| error.message)?;
    let one = |doc: &Document| {
        let read = read(doc, None, Limits::default());
        read.map_err(|problems| problems.into_iter().next().map(|p| p.message).unwrap_or_default())
    };
    docs.iter().map(one).collect()
}

struct Reader<'a> {
    doc: &'a Document,
    file: Option<FileId>,
    limits: Limits,
    walk: DecodeState<Node>,
    problems: Vec<Problem>,
}

impl Reader<'_> {
    fn node(&mut self, id: NodeId, key: Option<u32>) -> Node {
        let node = self.doc.node(id);
        let before = match self.walk.enter(self.doc, id) {
            DecodeStep::Known(value) => return value,
            DecodeStep::Alias(target) => return self.node(target, key),
            DecodeStep::Decode(before) => before,
            DecodeStep::Beyond(limit) => {
                self.exceeded(limit, node.span);
                return Node::default();
            }
        };
        let tag = node.tag.as_ref().map(|t| &*t.text);
        let data = match &node.kind {
            NodeKind::Scalar { value, style } => scalar(value, *style, tag),
            NodeKind::Sequence(items) => Data::List(Arc::new(items.iter().map(|id| self.node(*id, None)).collect())),
            NodeKind::Mapping(pairs) => Data::Map(Arc::new(self.map(pairs))),
            NodeKind::Alias { .. } => Data::Null,
        };
        let start = node.tag.as_ref().map_or(node.span.start, |t| t.span.start.min(node.span.start));
        let origin = |file| Origin { file, key: key.unwrap_or(start).min(start), start, end: node.span.end };
        let value = Node::at(data, self.file.map(|file| Prov::at(origin(file))).unwrap_or_default());
        self.walk.leave(node, id, before, &value);
        value
    }

    fn map(&mut self, pairs: &[(NodeId, NodeId)]) -> Object {
        let mut own: Vec<(Text, Node)> = Vec::new();
        let mut merged: Vec<(Text, Node)> = Vec::new();
        for (key, value) in pairs {
            let Some(text) = self.doc.scalar(self.doc.target(*key)).cloned() else { continue };
            let start = self.doc.node(*key).span.start;
            let value = self.node(*value, Some(start));
            if !yaml::is_merge_key(self.doc, *key) {
                own.push((intern(&text), value));
                continue;
            }
            match &value.data {
                Data::List(items) => {
                    for map in items.iter().rev().filter_map(Node::as_map) {
                        merged.extend(map.iter().map(|(k, v)| (Text::clone(k), v.clone())));
                    }
                }
                Data::Map(map) => merged.extend(map.iter().map(|(k, v)| (Text::clone(k), v.clone()))),
                _ => {}
            }
        }
        merged.into_iter().chain(own).collect()
    }

    /// Reports a limit; only the first one.
    fn exceeded(&mut self, limit: Limit, span: Span) {
        if self.problems.is_empty() {
            let (message, help) = exceeded(self.limits, limit);
            let message = format!("{message}; {help}");
            self.problems.push(Problem { rule: &rules::LIMIT_EXCEEDED, message, span, related: None });
        }
    }
}

/// The data of a scalar by the core schema of YAML 1.2: dates and `yes` are text, `017` is 17.
fn scalar(text: &Text, style: Style, tag: Option<&str>) -> Data {
    match tag {
        Some("!!str") => return Data::Text(Text::clone(text)),
        Some("!!int" | "!!float" | "!!bool" | "!!null") => return plain(text),
        _ => {}
    }
    match style {
        Style::Plain => plain(text),
        _ => Data::Text(Text::clone(text)),
    }
}

fn plain(text: &Text) -> Data {
    match text.as_str() {
        "" | "~" | "null" | "Null" | "NULL" => Data::Null,
        "true" | "True" | "TRUE" => Data::Bool(true),
        "false" | "False" | "FALSE" => Data::Bool(false),
        other => number(other).map_or_else(|| Data::Text(Text::clone(text)), Data::Number),
    }
}

fn number(text: &str) -> Option<f64> {
    let radix = |digits: &str, radix: u32| -> Option<f64> {
        let all = digits.chars().map(|c| c.to_digit(radix)).collect::<Option<Vec<u32>>>()?;
        (!all.is_empty()).then(|| all.iter().fold(0.0, |n, digit| n * f64::from(radix) + f64::from(*digit)))
    };
    if let Some(digits) = text.strip_prefix("0o") {
        return radix(digits, 8);
    }
    if let Some(digits) = text.strip_prefix("0x") {
        return radix(digits, 16);
    }
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let negative = text.starts_with('-');
    match unsigned {
        ".inf" | ".Inf" | ".INF" => return Some(if negative { f64::NEG_INFINITY } else { f64::INFINITY }),
        ".nan" | ".NaN" | ".NAN" if unsigned == text => return Some(f64::NAN),
        _ => {}
    }
    let digits = unsigned.bytes().any(|b| b.is_ascii_digit());
    let starts = unsigned.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    let numeric = unsigned.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'e' | b'E' | b'+' | b'-'));
    if digits && starts && numeric { text.parse().ok() } else { None }
}

/// Whether plain text is read as text.
pub(crate) fn is_text(text: &str) -> bool {
    matches!(plain(&Text::from(text)), Data::Text(_)) && !is_date(text)
}

/// Whether text looks like a date, which some readers convert.
fn is_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() >= 10
        && bytes[..10].iter().enumerate().all(|(i, b)| if matches!(i, 4 | 7) { *b == b'-' } else { b.is_ascii_digit() })
        && bytes[10..].iter().all(|b| b.is_ascii_digit() || b"-:.+ TtZz".contains(b))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail")]
    use super::super::template::node::json;
    use super::*;

    #[test]
    fn scalars_of_the_core_schema() {
        let text = "[0o17, 017, 0x1f, 1_000, 1:30, yes, 2026-01-01, ~, TRUE, -1.5e3, .5, '1', !!str 2, +12, e3, 1.]";
        let nodes = read_text(text).unwrap();
        let expected = r#"[15,17,31,"1_000","1:30","yes","2026-01-01",null,true,-1500,0.5,"1","2",12,"e3",1]"#;
        assert_eq!(json::encode(&nodes[0]), expected);
    }

    #[test]
    fn documents_and_merge_keys() {
        let nodes = read_text("b: &x {k: 1, l: 2}\na: {l: 3, <<: *x}\n---\n---\n- 1\n").unwrap();
        let shown: Vec<String> = nodes.iter().map(json::encode).collect();
        assert_eq!(shown, [r#"{"b":{"k":1,"l":2},"a":{"k":1,"l":3}}"#, "null", "[1]"]);
        assert!(read_text("a: 1\na: 2").is_err());
    }
}
