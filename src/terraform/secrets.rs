//! What code declares to be secret: the places where values of sensitive variables and arguments of `sensitive()` are written, and
//! arguments of resources whose names say so.

use crate::hcl::ast::{ExprKind, walk};
use crate::hcl::val::Marks;
use crate::resolution::secrets::{is_hidden, is_secret_in};
use crate::syntax::secrets::{is_named_by, is_secret_below};
use crate::terraform::configuration::expressions;
use crate::terraform::evaluation::statics::Statics;
use crate::terraform::module::Module;
use crate::text::{FastMap, Text};
use crate::value::{Data, FileId, Map, Value};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Tells which arguments are secret by their names; what it finds out about a name is kept.
#[derive(Default)]
pub(super) struct SecretNames(FastMap<(Text, bool), bool>);

impl SecretNames {
    /// The arguments of a resource, those hidden from output that are secret by their names.
    pub(super) fn hide(&mut self, arguments: &Value) -> Value {
        self.hidden(arguments, false).unwrap_or_else(|| arguments.clone())
    }

    /// The value with its secrets hidden; `None` if it has none.
    fn hidden(&mut self, value: &Value, is_secret: bool) -> Option<Value> {
        if value.is_sensitive() {
            return None;
        }
        let data = match &value.data {
            Data::Map(map) => {
                let mut changed: Option<Map> = None;
                for entry in map.iter() {
                    let is_secret = self.is_secret(map, is_secret, &entry.key);
                    if let Some(hidden) = self.hidden(&entry.value, is_secret) {
                        changed.get_or_insert_with(|| (**map).clone()).set(entry.key.clone(), hidden);
                    }
                }
                Data::Map(Arc::new(changed?))
            }
            Data::List(items) => {
                let hidden: Vec<Option<Value>> = items.iter().map(|item| self.hidden(item, is_secret)).collect();
                if hidden.iter().all(Option::is_none) {
                    return None;
                }
                let items = items.iter().zip(hidden).map(|(item, hidden)| hidden.unwrap_or_else(|| item.clone()));
                Data::List(Arc::new(items.collect()))
            }
            _ => return is_hidden(value, is_secret).then(|| value.hidden()),
        };
        Some(Value { data, prov: value.prov.clone() })
    }

    fn is_secret(&mut self, map: &Map, around: bool, key: &Text) -> bool {
        // What is beside such a key may name it.
        if is_named_by(key) {
            return is_secret_in(map, around, key);
        }
        let key = (key.clone(), around);
        *self.0.entry(key).or_insert_with_key(|(key, around)| is_secret_below(*around, key))
    }
}

/// Notes the places in their files, so that no excerpt of these shows them.
pub(super) fn note(statics: &Statics<'_>) {
    let mut places: BTreeSet<(FileId, u32, u32)> = BTreeSet::new();
    for node in &statics.nodes {
        let variables = node.module.variables.iter().filter(|(_, variable)| variable.marks.has(Marks::SENSITIVE));
        for (name, variable) in variables {
            let default = variable.default.as_ref().and_then(|default| default.prov.origin);
            let given = match node.parent {
                None => statics.given_place(name, variable),
                Some(parent) => {
                    let call = node.path.last().and_then(|call| statics.nodes[parent].module.calls.get(call));
                    let written = call.and_then(|call| call.arguments.get(name));
                    written.map(|written| super::evaluation::shown::origin(written.place()))
                }
            };
            places.extend(default.into_iter().chain(given).map(|origin| (origin.file, origin.start, origin.end)));
        }
        let outputs = node.module.outputs.values().filter(|output| output.is_set("sensitive"));
        let values = outputs.filter_map(|output| output.arguments.get("value"));
        places.extend(values.map(|value| (value.file, value.expr.span.start, value.expr.span.end)));
        places.extend(node.module.sensitive_calls.get_or_init(|| sensitive_calls(&node.module)));
    }
    for (file, start, end) in places {
        statics.files.loader().reader.files.get(file).add_secret(start..end);
    }
}

/// The calls of `sensitive()` in the expressions of a module: file, start and end.
fn sensitive_calls(module: &Module) -> Vec<(FileId, u32, u32)> {
    let mut places = Vec::new();
    for (file, expr) in expressions(module) {
        walk::visit(expr, &mut |expr| {
            if let ExprKind::Call(call) = &expr.kind
                && &*call.name.text == "sensitive"
            {
                places.push((file, expr.span.start, expr.span.end));
            }
        });
    }
    places
}
