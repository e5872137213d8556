//! YAML text to data and back, for the functions that do that.

use spanned_yaml::{self as yaml, Document, Emitter, NodeId, NodeKind};
use std::sync::Arc;
use traced_value::{Data, Entry, Key, Map, Value};
use traced_value::{below, scalar};

/// How deep a document may nest.
const MAX_DEPTH: usize = 200;

/// The data of a YAML text; tags other than those of YAML itself have no meaning.
///
/// # Errors
/// What keeps it from being read.
pub(super) fn decode(text: &str) -> Result<Value, String> {
    let doc = yaml::document_of(text.into()).map_err(|e| e.to_string())?;
    if let Some(problem) = yaml::problems(&doc).first() {
        return Err(format!("yaml: {}", problem.message));
    }
    match doc.root() {
        Some(root) => node(&doc, root, 0),
        None => Ok(Value::default()),
    }
}

fn node(doc: &Document, id: NodeId, depth: usize) -> Result<Value, String> {
    if depth > MAX_DEPTH {
        return Err("yaml: exceeded max depth".to_owned());
    }
    let node_ = doc.node(doc.target(id));
    let core = node_.tag.as_ref().map(|t| &*t.text).filter(|t| t.starts_with("!!"));
    let data = match &node_.kind {
        NodeKind::Scalar { value, style } => scalar(value, *style, core),
        NodeKind::Sequence(items) => {
            let items: Result<Vec<Value>, String> = items.iter().map(|i| node(doc, *i, depth + 1)).collect();
            Data::List(Arc::new(items?))
        }
        NodeKind::Mapping(pairs) => Data::Map(Arc::new(map(doc, pairs, depth)?)),
        NodeKind::Alias { .. } => Data::Null,
    };
    Ok(Value::new(data))
}

fn map(doc: &Document, pairs: &[(NodeId, NodeId)], depth: usize) -> Result<Map, String> {
    let mut own: Vec<(Key, Value)> = Vec::new();
    let mut merged: Vec<Value> = Vec::new();
    for (key, value) in pairs {
        let value = node(doc, *value, depth + 1)?;
        if yaml::is_merge_key(doc, *key) {
            merged.push(value);
            continue;
        }
        let Data::Str(text) = node(doc, *key, depth + 1)?.data else {
            return Err("yaml: a key is not a string".to_owned());
        };
        own.push((text, value));
    }
    Ok(below(&merged).into_iter().chain(own).collect())
}

/// The YAML text of a value; `None` if it holds something that has none.
pub(super) fn encode(value: &Value) -> Option<String> {
    let mut emitter = Emitter::new();
    write(&mut emitter, value)?;
    Some(emitter.finish())
}

fn write(out: &mut Emitter, value: &Value) -> Option<()> {
    match &value.data {
        Data::Null => drop(out.null()),
        Data::Bool(b) => drop(out.bool(*b)),
        Data::Int(i) => drop(out.int(*i)),
        Data::Uint(u) => drop(out.uint(*u)),
        Data::Float(f) => drop(out.float(*f)),
        Data::Str(s) => drop(out.str(s)),
        Data::Time(t) => drop(out.time(t)),
        Data::Unknown(_) => return None,
        Data::List(items) => {
            out.seq_start(items.len());
            items.iter().try_for_each(|v| write(out, v))?;
            out.seq_end();
        }
        Data::Map(map) => {
            let mut entries: Vec<&Entry> = map.iter().collect();
            yaml::sort_keys(&mut entries, |e| &e.key);
            out.map_start(entries.len());
            for entry in entries {
                out.key(&entry.key);
                write(out, &entry.value)?;
            }
            out.map_end();
        }
    }
    Some(())
}
