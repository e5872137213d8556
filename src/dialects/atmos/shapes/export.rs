//! Descriptions as JSON Schemas (draft 2020-12), for editors and other tools.

use super::shape::{Condition, List, Map, Names, Range, Rest, Shape};
use serde_json::{Map as Object, Value as Json, json};

/// The JSON Schema of a described shape, with a title.
pub(crate) fn to_json_schema(title: &str, shape: &'static Shape) -> Json {
    let mut defs = Object::new();
    let mut schema = export(shape, &mut defs);
    if let Some(object) = schema.as_object_mut() {
        object.insert("$schema".to_owned(), json!("https://json-schema.org/draft/2020-12/schema"));
        object.insert("title".to_owned(), json!(title));
        object.insert("$defs".to_owned(), Json::Object(defs));
    }
    schema
}

fn export(shape: &'static Shape, defs: &mut Object<String, Json>) -> Json {
    match shape {
        Shape::Any => json!({}),
        Shape::Text => json!({"type": "string"}),
        Shape::OwnText => json!({"type": "string", "not": {"pattern": "^!include"}}),
        Shape::Call => json!({"type": "string", "pattern": "^!include"}),
        Shape::Words(words) => json!({"type": "string", "enum": words}),
        Shape::AnyCase(words) => json!({"type": "string", "examples": words}),
        Shape::Flag => json!({"type": "boolean"}),
        Shape::Number(range) => number(range),
        Shape::List(list) => items(list, defs),
        Shape::Map(map) => object(map, defs),
        Shape::Included(inner) => {
            let inner = export(inner, defs);
            json!({"anyOf": [{"type": "string", "pattern": "^!include"}, inner]})
        }
        Shape::Either(all) => {
            let all: Vec<Json> = all.iter().map(|s| export(s, defs)).collect();
            json!({"anyOf": all})
        }
        Shape::Named(name, inner) => {
            if !defs.contains_key(*name) {
                // There already while it is made, for descriptions that refer to themselves.
                defs.insert((*name).to_owned(), Json::Null);
                let made = export(inner, defs);
                defs.insert((*name).to_owned(), made);
            }
            json!({"$ref": format!("#/$defs/{name}")})
        }
    }
}

fn number(range: &Range) -> Json {
    let mut out = Object::new();
    out.insert("type".to_owned(), json!(if range.whole { "integer" } else { "number" }));
    for (key, bound) in [("minimum", range.min), ("maximum", range.max), ("exclusiveMinimum", range.above)] {
        if let Some(bound) = bound {
            out.insert(key.to_owned(), json!(bound));
        }
    }
    Json::Object(out)
}

fn items(list: &'static List, defs: &mut Object<String, Json>) -> Json {
    let mut out = Object::new();
    out.insert("type".to_owned(), json!("array"));
    out.insert("items".to_owned(), export(list.item, defs));
    if list.filled {
        out.insert("minItems".to_owned(), json!(1));
    }
    if list.unique {
        out.insert("uniqueItems".to_owned(), json!(true));
    }
    Json::Object(out)
}

fn object(map: &'static Map, defs: &mut Object<String, Json>) -> Json {
    let mut out = Object::new();
    out.insert("type".to_owned(), json!("object"));
    let mut properties = Object::new();
    for key in map.keys {
        let mut schema = export(key.shape, defs);
        if let (Some(replacement), Some(object)) = (key.replacement, schema.as_object_mut()) {
            object.insert("deprecated".to_owned(), json!(true));
            object.insert("description".to_owned(), json!(format!("Deprecated; use {replacement}")));
        }
        properties.insert(key.name.to_owned(), schema);
    }
    if !properties.is_empty() {
        out.insert("properties".to_owned(), Json::Object(properties));
    }
    match &map.rest {
        Rest::Free | Rest::Ignored => {}
        Rest::Closed => {
            out.insert("additionalProperties".to_owned(), json!(false));
        }
        Rest::Each(inner) => {
            out.insert("additionalProperties".to_owned(), export(inner, defs));
        }
        Rest::Entries(names, inner) => {
            out.insert("propertyNames".to_owned(), json!({"pattern": pattern(names)}));
            out.insert("additionalProperties".to_owned(), export(inner, defs));
        }
    }
    let conditions: Vec<Json> = map.conditions.iter().map(condition).collect();
    if !conditions.is_empty() {
        out.insert("allOf".to_owned(), Json::Array(conditions));
    }
    Json::Object(out)
}

fn pattern(names: &Names) -> String {
    match names.signs {
        // A hyphen comes last, where it is literal.
        Some(signs) => format!("^[A-Za-z0-9{signs}]+$"),
        None => ".+".to_owned(),
    }
}

fn condition(condition: &'static Condition) -> Json {
    match condition {
        Condition::Needs(key) => json!({"required": [key]}),
        Condition::ExactlyOne(keys) => {
            let each: Vec<Json> = keys.iter().map(|k| json!({"required": [k]})).collect();
            json!({"oneOf": each})
        }
        Condition::OneGroup(groups) => {
            let group = |group: &super::shape::Group| {
                let required: Vec<&str> = group.iter().map(|(k, _)| *k).collect();
                let words = group.iter().filter(|(_, words)| !words.is_empty());
                let limited: Object<String, Json> =
                    words.map(|(k, words)| ((*k).to_owned(), json!({"enum": words}))).collect();
                json!({"required": required, "properties": limited})
            };
            let groups: Vec<Json> = groups.iter().map(group).collect();
            json!({"anyOf": groups})
        }
        Condition::MapDemands(key, other, word) => json!({
            "if": {"properties": {*key: {"type": "object"}}, "required": [key]},
            "then": {"properties": {*other: {"const": word}}, "required": [other]},
        }),
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "a test compares with files and writes them when asked to")]
mod tests {
    use super::*;
    use crate::dialects::atmos::Atmos;

    #[test]
    fn the_published_schemas_are_up_to_date() {
        let all = [("manifest", Atmos::manifest_schema()), ("configuration", Atmos::configuration_schema())];
        for (name, schema) in all {
            let path = format!("{}/schemas/atmos-{name}.json", env!("CARGO_MANIFEST_DIR"));
            let text = format!("{schema:#}\n");
            if std::env::var_os("UPDATE_SCHEMA").is_some() {
                std::fs::write(&path, &text).unwrap();
            }
            let published = std::fs::read_to_string(&path).unwrap_or_default();
            assert!(published == text, "{path} is stale: run `UPDATE_SCHEMA=1 cargo test --lib schema`");
        }
    }

    #[test]
    fn signs_of_names_can_stand_between_brackets() {
        assert_eq!(pattern(&Names::COMPONENT), "^[A-Za-z0-9/_{}. -]+$");
    }
}
