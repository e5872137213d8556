//! Values as text, as JavaScript does it.

use super::{Data, Node};
use crate::dialects::garden::template::syntax::number::number_text;

/// The result of `String(value)`.
pub(crate) fn to_text(node: &Node) -> String {
    match &node.data {
        Data::Undefined => "undefined".to_owned(),
        Data::Null => "null".to_owned(),
        Data::Bool(b) => b.to_string(),
        Data::Number(n) => number_text(*n),
        Data::Text(text) => text.to_string(),
        Data::List(items) => items.iter().map(list_item_text).collect::<Vec<_>>().join(","),
        Data::Unknown(unknown) => unknown.text.to_string(),
        Data::Map(_) | Data::Open(..) | Data::Context(_) | Data::Lazy(_) => "[object Object]".to_owned(),
    }
}

/// An item of a list that becomes text: nothing is the empty text.
pub(crate) fn list_item_text(node: &Node) -> String {
    match node.data {
        Data::Undefined | Data::Null => String::new(),
        _ => to_text(node),
    }
}
