//! The JSON syntax of configuration: which names are blocks and how many labels they have.

use crate::hcl::ast::{Attribute, Block, Body, Name, SyntaxError};
use crate::hcl::parse::json::{Json, JsonKind, parse_json};
use crate::terraform::load::Parsed;
use crate::text::Text;
use std::sync::Arc;

/// A type of block: its name, how many labels it has, and the blocks in it.
struct Schema {
    name: &'static str,
    labels: usize,
    inner: &'static [Schema],
}

const fn schema(name: &'static str, labels: usize, inner: &'static [Schema]) -> Schema {
    Schema { name, labels, inner }
}

const TARGET: &[Schema] = &[schema("fallback", 0, FALLBACK)];
const FALLBACK: &[Schema] = &[schema("fallback", 0, &[])];

const ENCRYPTION: &[Schema] = &[
    schema("key_provider", 2, &[]),
    schema("method", 2, &[]),
    schema("state", 0, TARGET),
    schema("plan", 0, TARGET),
    schema(
        "remote_state_data_sources",
        0,
        &[schema("default", 0, TARGET), schema("remote_state_data_source", 1, TARGET)],
    ),
];

const TERRAFORM: &[Schema] = &[
    schema("backend", 1, &[]),
    schema("cloud", 0, &[]),
    schema("encryption", 0, ENCRYPTION),
    schema("required_providers", 0, &[]),
    schema("provider_meta", 1, &[]),
];

const LANGUAGE: &[Schema] = &[schema("compatible_with", 0, &[])];
const CONDITIONS: &[Schema] = &[schema("precondition", 0, &[]), schema("postcondition", 0, &[])];
const PROVISIONER: Schema = schema("provisioner", 1, &[schema("connection", 0, &[])]);
/// The blocks of a resource that its provider does not declare. Others are arguments: without the schema of the provider they look alike.
const RESOURCE: &[Schema] =
    &[schema("lifecycle", 0, CONDITIONS), schema("connection", 0, &[]), PROVISIONER, schema("dynamic", 1, &DYNAMIC)];
/// What a dynamic block makes can have dynamic blocks again, at any depth.
static DYNAMIC: [Schema; 1] = [schema("content", 0, &NESTED)];
static NESTED: [Schema; 1] = [schema("dynamic", 1, &DYNAMIC)];

const ROOT: &[Schema] = &[
    schema("terraform", 0, TERRAFORM),
    schema("language", 0, LANGUAGE),
    schema("variable", 1, &[schema("validation", 0, &[])]),
    schema("locals", 0, &[]),
    schema("module", 1, &[schema("lifecycle", 0, &[])]),
    schema("provider", 1, &[]),
    schema("output", 1, CONDITIONS),
    schema("resource", 2, RESOURCE),
    schema("data", 2, RESOURCE),
    schema("ephemeral", 2, RESOURCE),
    schema("moved", 0, &[]),
    schema("removed", 0, &[schema("lifecycle", 0, &[]), PROVISIONER]),
    schema("import", 0, &[]),
    schema("check", 1, &[schema("assert", 0, &[]), schema("data", 2, RESOURCE)]),
];

/// A file of configuration.
pub(crate) fn configuration(text: &str) -> Parsed {
    let (json, errors) = parse_json(text);
    let mut reader = Reader { errors };
    let body = json.map(|json| reader.body(&json, ROOT, false, "")).unwrap_or_default();
    Parsed { text: Text::from(text), body, errors: reader.errors }
}

/// A file of values: strings are plain text.
pub(crate) fn values(text: &str) -> Parsed {
    let (json, errors) = parse_json(text);
    let mut reader = Reader { errors };
    let body = json.map(|json| reader.body(&json, &[], true, "")).unwrap_or_default();
    Parsed { text: Text::from(text), body, errors: reader.errors }
}

struct Reader {
    errors: Vec<SyntaxError>,
}

impl Reader {
    fn wrong(&mut self, json: &Json, what: &str) {
        let detail = format!(
            "Either a JSON object or a JSON array is required, representing the contents of one or more \"{what}\" blocks."
        );
        self.errors.push(SyntaxError { summary: "Incorrect JSON value type", detail, span: json.span });
    }

    /// The content of a block: an object, or a list of objects that count as one.
    fn body(&mut self, json: &Json, schemas: &[Schema], literal: bool, kind: &str) -> Body {
        let mut body = Body { span: json.span, ..Body::default() };
        let objects: Vec<&Json> = match &json.kind {
            JsonKind::Array(items) => items.iter().collect(),
            _ => vec![json],
        };
        for object in objects {
            let Some(entries) = object.entries() else {
                self.wrong(object, kind);
                continue;
            };
            for (name, value) in entries.iter().filter(|(name, _)| &*name.text != "//") {
                match schemas.iter().find(|s| *s.name == *name.text) {
                    Some(schema) => self.blocks(schema, name, value, &mut body),
                    None => {
                        // Descriptions, types and defaults of variables are plain text.
                        let is_plain = literal
                            || (kind == "variable" && matches!(&*name.text, "type" | "default" | "description"));
                        let expr = Arc::new(value.expr(is_plain, &mut self.errors));
                        body.attributes.push(Attribute { name: name.clone(), expr });
                    }
                }
            }
        }
        body
    }

    /// The blocks of a type: an object, or a list of objects, for each combination of labels.
    fn blocks(&mut self, schema: &Schema, name: &Name, value: &Json, body: &mut Body) {
        let mut found = Vec::new();
        self.labelled(schema, value, &mut Vec::new(), &mut found);
        for (labels, json) in found {
            let inner = self.body(json, schema.inner, false, schema.name);
            // The name of the type may be far above: the place of a block is that of its last label.
            let span = labels.last().map_or(name.span, |l: &Name| l.span);
            let kind = Name { text: name.text.clone(), span };
            body.blocks.push(Block { kind, labels, body: inner });
        }
    }

    fn labelled<'j>(
        &mut self,
        schema: &Schema,
        value: &'j Json,
        labels: &mut Vec<Name>,
        found: &mut Vec<(Vec<Name>, &'j Json)>,
    ) {
        if let JsonKind::Array(items) = &value.kind {
            for item in items {
                self.labelled(schema, item, labels, found);
            }
            return;
        }
        let Some(entries) = value.entries() else {
            if !matches!(value.kind, JsonKind::Null) {
                self.wrong(value, schema.name);
            }
            return;
        };
        if labels.len() == schema.labels {
            found.push((labels.clone(), value));
            return;
        }
        for (name, inner) in entries.iter().filter(|(name, _)| &*name.text != "//") {
            labels.push(name.clone());
            self.labelled(schema, inner, labels, found);
            labels.pop();
        }
    }
}
