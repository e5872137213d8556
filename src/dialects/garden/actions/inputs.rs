//! Inputs of templates: their declarations, and the validation of their values.

use crate::diagnostic::rules;
use crate::diagnostic::rules::LIMIT_EXCEEDED;
use crate::dialects::garden::diagnostics::{Diagnostics, place_of};
use crate::dialects::garden::project::Resource;
use crate::dialects::garden::project::load::Loader;
use crate::dialects::garden::template::node::json;
use crate::dialects::garden::template::node::{Data, Node};
use crate::paths::resolve;
use crate::text::Text;
use crate::validation::{Budget, JsonSchema, Unusable};
use std::sync::Arc;

/// The inputs that a template accepts.
#[derive(Debug, Default)]
pub(super) struct Schema {
    /// The budget of validations.
    budget: Budget,
    /// The schema; without one, all inputs are accepted.
    schema: Option<JsonSchema>,
    /// The values of inputs that are not set.
    pub defaults: Node,
    /// The schema as it is written.
    tree: Node,
}

impl Schema {
    /// The inputs of a template that is evaluated but for its configs. `None` if they are declared wrongly, which is reported.
    pub(super) fn read(
        template: &Node,
        resource: &Resource,
        loader: &Loader<'_>,
        diagnostics: &Diagnostics,
    ) -> Option<Schema> {
        if let Some(path) = template.get("inputsSchemaPath") {
            let text = path.as_text()?;
            return from_file(path, text, resource, loader, diagnostics);
        }
        let Some(inputs) = template.get("inputs").and_then(Node::as_map) else { return Some(Schema::open()) };
        let (mut properties, mut required, mut defaults) = (Vec::new(), Vec::new(), Vec::new());
        for (name, input) in inputs.iter() {
            let declared = input.get("type").and_then(Node::as_text);
            let Some(declared) = declared.filter(|t| matches!(t.as_str(), "string" | "number" | "boolean")) else {
                let message = format!("the input `{name}` needs a `type`: string, number or boolean");
                diagnostics.error(&rules::INVALID_CONFIG, message, place_of(input, "type"));
                return None;
            };
            match input.get("default").filter(|node| !matches!(node.data, Data::Null)) {
                Some(default) if default.type_of() != declared.as_str() => {
                    let message = format!(
                        "the default of the input `{name}` is a {}, but its type is {declared}",
                        default.type_of()
                    );
                    diagnostics.error(&rules::INVALID_CONFIG, message, &default.prov);
                    return None;
                }
                Some(default) => defaults.push((Text::clone(name), default.clone())),
                None => required.push(Node::text(Text::clone(name))),
            }
            let property = Node::map([("type".into(), Node::text(Text::clone(declared)))]);
            properties.push((Text::clone(name), property));
        }
        let schema = Node::map([
            ("type".into(), Node::text("object")),
            ("additionalProperties".into(), Node::bool(false)),
            ("properties".into(), Node::map(properties)),
            ("required".into(), Node::list(required)),
        ]);
        let budget = Budget::default();
        let ready = JsonSchema::read(&json::encode(&schema), "inputs.json", &mut |_| None, &budget).ok();
        Some(Schema { schema: ready, budget, defaults: Node::map(defaults), tree: schema })
    }

    /// The schema of a template that has none: all inputs are accepted.
    fn open() -> Schema {
        Schema { defaults: Node::map([]), ..Schema::default() }
    }

    /// Adds defaults for inputs that are not set, at any depth that the schema describes.
    pub(super) fn complete(&self, inputs: &Node) -> Node {
        let whole = if inputs.is_undefined() { Node::map([]) } else { inputs.clone() };
        let top = with_defaults(&whole, &Node::map([("properties".into(), described(&self.defaults))]));
        with_defaults(&top, &self.tree)
    }

    /// Reports invalid inputs. Unknown values are valid.
    pub(super) fn check(&self, inputs: &Node, what: &str, diagnostics: &Diagnostics) {
        let Some(schema) = &self.schema else { return };
        let value = inputs.to_value();
        let verdict = match schema.check(&value, false, &self.budget) {
            Ok(verdict) => verdict,
            Err(Unusable::Wrong(why) | Unusable::Unsupported(why) | Unusable::Exceeded(why)) => {
                let message = format!("the inputs of {what} are not validated against their schema: {why}");
                return diagnostics.error(&LIMIT_EXCEEDED, message, &inputs.prov);
            }
        };
        for violation in verdict.violations {
            let at = violation.path.along(&value);
            let place = at.last().map(|value| value.prov.clone()).unwrap_or_default();
            let place = match (&violation.key, at.last()) {
                (Some(key), Some(map)) => map.get(key).map_or(place, |value| value.prov.clone()),
                _ => place,
            };
            let place = if place.origin.is_some() { place } else { inputs.prov.clone() };
            let path = violation.path.to_string();
            let subject = match (&violation.key, path.is_empty()) {
                (Some(key), true) => format!("`{key}` {} the inputs", violation.words),
                (Some(key), false) => format!("`{key}` {} `{path}`", violation.words),
                (None, true) => format!("the inputs {}", violation.words),
                (None, false) => format!("the input `{path}` {}", violation.words),
            };
            diagnostics.error(&rules::SCHEMA_VIOLATION, format!("{subject} of {what}"), &place);
        }
    }
}

/// Defaults as properties of a schema.
fn described(defaults: &Node) -> Node {
    let all = defaults.as_map().into_iter().flat_map(|map| map.iter());
    Node::map(all.map(|(name, default)| (Text::clone(name), Node::map([("default".into(), default.clone())]))))
}

/// Adds the defaults of the properties that a schema describes, if they are not set, also inside of defaults and of items of lists.
fn with_defaults(value: &Node, schema: &Node) -> Node {
    if let (Data::List(items), Some(schema)) = (&value.data, schema.get("items")) {
        let items = items.iter().map(|item| with_defaults(item, schema)).collect();
        return Node::at(Data::List(Arc::new(items)), value.prov.clone());
    }
    let (Data::Map(given), Some(properties)) = (&value.data, schema.get("properties").and_then(Node::as_map)) else {
        return value.clone();
    };
    let own = given.iter().map(|(key, value)| match properties.get(key) {
        Some(schema) => (Text::clone(key), with_defaults(value, schema)),
        None => (Text::clone(key), value.clone()),
    });
    let more = properties.iter().filter(|(key, _)| given.get(key).is_none());
    let default = |schema: &Node| Some(with_defaults(schema.get("default")?, schema));
    let more = more.filter_map(|(key, schema)| Some((Text::clone(key), default(schema)?)));
    Node::at(Data::Map(Arc::new(own.chain(more).collect())), value.prov.clone())
}

fn from_file(
    path: &Node,
    text: &str,
    resource: &Resource,
    loader: &Loader<'_>,
    diagnostics: &Diagnostics,
) -> Option<Schema> {
    let refuse = |message: String| {
        diagnostics.error(&rules::INVALID_CONFIG, message, &path.prov);
        None
    };
    let Some(found) = resolve(resource.dir(), text) else {
        return refuse(format!("the schema of inputs `{text}` is outside of the repository"));
    };
    let local = Diagnostics::new(resource.file);
    let Some(content) = loader.text(&found, &local) else {
        return refuse(format!("the schema of inputs `{text}` does not exist"));
    };
    let parsed = match json::decode(&content) {
        Ok(node) => node,
        Err(message) => return refuse(format!("the schema of inputs `{text}` is not valid JSON: {message}")),
    };
    let declared = parsed.get("type").and_then(Node::as_text).map(Text::as_str);
    if declared != Some("object") {
        let declared = declared.unwrap_or("undefined");
        return refuse(format!("the schema of inputs `{text}` has the type {declared}, but must be an object"));
    }
    let mut other = |path: &str| loader.text(path, &Diagnostics::new(resource.file)).map(|text| text.to_string());
    let budget = Budget::default();
    match JsonSchema::read(&content, &found, &mut other, &budget) {
        Ok(schema) => Some(Schema { schema: Some(schema), budget, defaults: defaults(&parsed), tree: parsed }),
        Err(Unusable::Wrong(message)) => refuse(format!("the schema of inputs `{text}` is invalid: {message}")),
        Err(Unusable::Exceeded(message)) => refuse(format!("the schema of inputs `{text}` exceeds a limit: {message}")),
        Err(Unusable::Unsupported(_)) => {
            Some(Schema { schema: None, budget, defaults: defaults(&parsed), tree: parsed })
        }
    }
}

/// The defaults that a schema has for its properties.
fn defaults(schema: &Node) -> Node {
    let properties = schema.get("properties").and_then(Node::as_map);
    let all = properties
        .into_iter()
        .flat_map(|all| all.iter())
        .filter_map(|(name, property)| Some((Text::clone(name), with_defaults(property.get("default")?, property))));
    Node::map(all)
}
