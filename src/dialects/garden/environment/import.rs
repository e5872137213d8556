//! Variables imported from files (`importVariables`). Those from commands or a cloud are unknown.

use super::Input;
use super::contexts::open;
use crate::dialects::garden::diagnostics::Diagnostics;
use crate::dialects::garden::project::varfile::{Format, Varfile, load_as};
use crate::dialects::garden::template::node::convert::to_text;
use crate::dialects::garden::template::node::json;
use crate::dialects::garden::template::node::{Data, Node};
use crate::text::Text;
use indexmap::IndexMap;

/// The imported variables. Later sources win; all values are text.
pub(super) fn imported(input: &Input<'_>, diagnostics: &Diagnostics) -> Node {
    let mut all: IndexMap<Text, Node> = IndexMap::new();
    let mut is_open = false;
    let sources = input.project.tree.get("importVariables").and_then(Node::as_list).cloned().unwrap_or_default();
    for source in sources.iter() {
        let text = |key: &str| source.get(key).and_then(Node::as_text).map(|text| text.as_str());
        let (Some("file"), Some(path)) = (text("from"), text("path")) else {
            is_open = true;
            continue;
        };
        let format = match text("format") {
            Some("json") => Format::Json,
            Some("yaml") => Format::Yaml,
            _ => Format::Dotenv,
        };
        // Garden warns of a file that is not there, and imports nothing.
        let varfile = Varfile { dir: &input.project.dir, path, is_optional: true, place: Some(&source.prov) };
        let Some(node) = load_as(input.loader, &varfile, format, diagnostics) else { continue };
        is_open |= matches!(node.data, Data::Open(..));
        for (key, value) in node.as_map().into_iter().flat_map(|map| map.iter()) {
            let text = match &value.data {
                Data::Null | Data::Undefined => String::new(),
                Data::List(_) | Data::Map(_) => json::encode(value),
                _ => to_text(value),
            };
            all.insert(Text::clone(key), Node::at(Data::Text(text.into()), value.prov.clone()));
        }
    }
    match is_open {
        true => open(all, "imported", "comes from outside of the repository"),
        false => Node::map(all),
    }
}
