//! The JSON syntax: which names are blocks, and how many labels they have.

use super::schema::{self, BlockType, Labels};
use crate::hcl::ast::{Attribute, Block, Body, Name, SyntaxError};
use crate::hcl::parse::json::{Json, JsonKind, parse_json};
use std::sync::Arc;

/// The content of the file of a unit.
pub(super) fn body(text: &str) -> (Body, Vec<SyntaxError>) {
    let (json, mut errors) = parse_json(text);
    let body = json.map(|json| content(&json, &schema::UNIT, &mut errors)).unwrap_or_default();
    (body, errors)
}

fn wrong(json: &Json, kind: &str, errors: &mut Vec<SyntaxError>) {
    let detail = format!("A JSON object is required, representing the content of a \"{kind}\" block.");
    errors.push(SyntaxError { summary: "Incorrect JSON value type", detail, span: json.span });
}

/// The content of a block: an object, or a list of objects that count as one.
fn content(json: &Json, kind: &BlockType, errors: &mut Vec<SyntaxError>) -> Body {
    let mut body = Body { span: json.span, ..Body::default() };
    let objects: Vec<&Json> = match &json.kind {
        JsonKind::Array(items) => items.iter().collect(),
        _ => vec![json],
    };
    for object in objects {
        let Some(entries) = object.entries() else {
            wrong(object, kind.name, errors);
            continue;
        };
        // A comment, except where names of values stand.
        let is_comment = |name: &str| name == "//" && kind.attributes.iter().all(|a| a.name != "//");
        for (name, value) in entries.iter().filter(|(name, _)| !is_comment(&name.text)) {
            match kind.block(&name.text) {
                Some(inner) => blocks(inner, name, value, &mut body, errors),
                None => {
                    body.attributes.push(Attribute { name: name.clone(), expr: Arc::new(value.expr(false, errors)) })
                }
            }
        }
    }
    body
}

/// Adds the blocks of a type.
fn blocks(kind: &BlockType, name: &Name, value: &Json, body: &mut Body, errors: &mut Vec<SyntaxError>) {
    let items: Vec<&Json> = match &value.kind {
        JsonKind::Array(items) => items.iter().collect(),
        JsonKind::Null => return,
        _ => vec![value],
    };
    for item in items {
        let Some(entries) = item.entries() else {
            wrong(item, kind.name, errors);
            continue;
        };
        let is_bare = |entries: &[(Name, Json)]| entries.iter().any(|(name, _)| kind.attribute(&name.text).is_some());
        let has_labels = match kind.labels {
            Labels::None => false,
            Labels::Optional => !is_bare(entries),
            Labels::One => true,
        };
        if !has_labels {
            let inner = content(item, kind, errors);
            body.blocks.push(Block { kind: name.clone(), labels: Vec::new(), body: inner });
            continue;
        }
        for (label, value) in entries.iter().filter(|(label, _)| &*label.text != "//") {
            let several: Vec<&Json> = match &value.kind {
                JsonKind::Array(items) => items.iter().collect(),
                _ => vec![value],
            };
            for one in several {
                let inner = content(one, kind, errors);
                // The name of the type may be far above: the place of a block is that of its label.
                let kind = Name { text: name.text.clone(), span: label.span };
                body.blocks.push(Block { kind, labels: vec![label.clone()], body: inner });
            }
        }
    }
}
