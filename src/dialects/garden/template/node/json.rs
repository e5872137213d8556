//! JSON as JavaScript prints and reads it: entries in their order, numbers as floats.

use super::{Data, Node};
use crate::dialects::garden::template::syntax::number::number_text;
use crate::text::Text;
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use std::fmt;

/// The result of `JSON.stringify`.
pub(crate) fn encode(node: &Node) -> String {
    let mut out = String::new();
    write(node, &mut out);
    out
}

fn write(node: &Node, out: &mut String) {
    match &node.data {
        Data::Bool(b) => out.push_str(if *b { "true" } else { "false" }),
        Data::Number(n) if n.is_finite() => out.push_str(&number_text(*n)),
        Data::Text(text) => out.push_str(&quoted(text)),
        Data::List(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                write(item, out);
            }
            out.push(']');
        }
        Data::Map(map) => {
            out.push('{');
            for (i, (key, value)) in map.iter().filter(|(_, value)| !value.is_undefined()).enumerate() {
                if i > 0 {
                    out.push(',');
                }
                out.push_str(&quoted(key));
                out.push(':');
                write(value, out);
            }
            out.push('}');
        }
        _ => out.push_str("null"),
    }
}

/// Text in double quotes with the escapes of JSON.
pub(crate) fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}

/// The result of `JSON.parse`.
///
/// # Errors
/// What is wrong with the text.
pub(crate) fn decode(text: &str) -> Result<Node, String> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let parsed = Node::deserialize(&mut deserializer).and_then(|node| deserializer.end().map(|()| node));
    parsed.map_err(|error| {
        let before: usize = text.split('\n').take(error.line().saturating_sub(1)).map(|l| l.chars().count() + 1).sum();
        let at = before + error.column().saturating_sub(1);
        match error.to_string() {
            message if message.starts_with("key must be a string") => {
                format!("Expected property name or '}}' in JSON at position {at}")
            }
            _ if error.is_eof() => "Unexpected end of JSON input".to_owned(),
            message => {
                let message = message.split(" at line").next().unwrap_or_default().to_owned();
                format!("{message} in JSON at position {at}")
            }
        }
    })
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reader)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Node, E> {
        Ok(Node::new(Data::Null))
    }

    fn visit_bool<E>(self, b: bool) -> Result<Node, E> {
        Ok(Node::bool(b))
    }

    fn visit_i64<E>(self, n: i64) -> Result<Node, E> {
        Ok(Node::new(Data::Number(n as f64)))
    }

    fn visit_u64<E>(self, n: u64) -> Result<Node, E> {
        Ok(Node::new(Data::Number(n as f64)))
    }

    fn visit_f64<E>(self, n: f64) -> Result<Node, E> {
        Ok(Node::new(Data::Number(n)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Node, E> {
        Ok(Node::text(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Node, A::Error> {
        let mut all = Vec::new();
        while let Some(item) = items.next_element()? {
            all.push(item);
        }
        Ok(Node::list(all))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Node, A::Error> {
        let mut all: Vec<(Text, Node)> = Vec::new();
        while let Some((key, value)) = entries.next_entry::<String, Node>()? {
            all.push((key.into(), value));
        }
        Ok(Node::map(all))
    }
}
