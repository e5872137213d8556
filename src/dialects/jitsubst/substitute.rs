//! Substitution at the last moment (`reference: jitsubst.md` sections 1 to 5): strictly, as when a plan is applied, or
//! leniently, as when it is made.

use super::reference::{Body, references};
use crate::template::value_text;
use crate::text::Text;
use crate::value::{Data, Map, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The values that references can refer to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sources {
    /// Environment variables; `None` without an environment.
    pub env: Option<BTreeMap<String, String>>,
    /// Outputs of resources by module and field.
    pub outputs: BTreeMap<String, Arc<Map>>,
    /// Ids of resources that were replaced, by module. They come first.
    pub replaced: BTreeMap<String, String>,
}

/// How to treat unresolvable references.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// It is an error.
    Strict,
    /// It stays as it is written.
    Lenient,
}

/// A value with its references resolved.
#[derive(Clone, Debug)]
pub(crate) struct Resolved {
    pub value: Value,
    /// The bodies of the references that stayed, each with the reason.
    pub unresolved: BTreeMap<String, String>,
}

/// Resolves the strings of a value. Keys, other scalars and maps with keys other than strings stay.
///
/// # Errors
/// The first one in the order of keys and items, in the words of the deployment tool.
pub(crate) fn resolve(value: &Value, sources: &Sources, mode: Mode) -> Result<Resolved, String> {
    let mut run = Run { sources, mode, unresolved: BTreeMap::new() };
    let value = run.value(value)?;
    Ok(Resolved { value, unresolved: run.unresolved })
}

struct Run<'a> {
    sources: &'a Sources,
    mode: Mode,
    unresolved: BTreeMap<String, String>,
}

impl Run<'_> {
    fn value(&mut self, value: &Value) -> Result<Value, String> {
        let data = match &value.data {
            Data::Str(text) if text.contains("${") => Data::Str(self.text(text)?.into()),
            Data::List(items) => {
                Data::List(Arc::new(items.iter().map(|v| self.value(v)).collect::<Result<_, String>>()?))
            }
            Data::Map(map) if !map.is_mixed() => {
                let entry = |e: &crate::value::Entry| Ok((Text::clone(&e.key), self.value(&e.value)?));
                Data::Map(Arc::new(map.iter().map(entry).collect::<Result<_, String>>()?))
            }
            other => other.clone(),
        };
        Ok(Value { data, prov: value.prov.clone() })
    }

    fn text(&mut self, text: &str) -> Result<String, String> {
        let (mut out, mut from) = (String::with_capacity(text.len()), 0);
        for reference in references(text) {
            out.push_str(&text[from..reference.start]);
            match self.lookup(reference.body)? {
                Some(value) => out.push_str(&value),
                None => out.push_str(&text[reference.start..reference.end]),
            }
            from = reference.end;
        }
        out.push_str(&text[from..]);
        Ok(out)
    }

    fn lookup(&mut self, body: &str) -> Result<Option<String>, String> {
        let sources = self.sources;
        let found = match Body::of(body) {
            Body::Empty | Body::HalfEmpty => return Err(malformed(body).unwrap_or_default()),
            Body::Variable(name) => match &sources.env {
                Some(env) => env.get(name).cloned().ok_or("env var not set".to_owned()),
                None => Err("env var not set (envLookup not configured)".to_owned()),
            },
            Body::Module { module, field } => {
                let output = sources.outputs.get(module).map(|outputs| outputs.get(field));
                let replaced = sources.replaced.get(module).filter(|_| field == "id");
                match (replaced, output) {
                    (Some(id), _) => Ok(id.clone()),
                    (None, Some(Some(value))) => Ok(value_text(value)),
                    _ if field == "id" => Err(format!("module {module:?} has no .id in replaceIDMap or syncedOutputs")),
                    (None, Some(None)) => Err(format!("module {module:?} has no field {field:?}")),
                    (None, None) => Err(format!("module {module:?} not found in syncedOutputs")),
                }
            }
        };
        match (found, self.mode) {
            (Ok(value), _) => Ok(Some(value)),
            (Err(reason), Mode::Strict) => Err(format!("unresolved reference ${{{body}}}: {reason}")),
            (Err(reason), Mode::Lenient) => {
                self.unresolved.entry(body.to_owned()).or_insert(reason);
                Ok(None)
            }
        }
    }
}

/// Describes a malformed body, in the words of the deployment tool.
pub(crate) fn malformed(body: &str) -> Option<String> {
    let what = match Body::of(body) {
        Body::Empty => "empty body",
        Body::HalfEmpty => "empty module or field",
        _ => return None,
    };
    Some(format!("malformed reference ${{{body}}}: {what}"))
}
