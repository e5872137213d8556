//! The lifecycles of resources and data sources: how they are replaced and destroyed, and which commands run beside that.

use crate::hcl::ast::{Attribute, Expr, ExprKind, walk};
use crate::limits::{Piece, take};
use crate::terraform::components::builder::{Builder, described};
use crate::terraform::components::providers::content;
use crate::terraform::evaluation::shown::{at, origin};
use crate::terraform::module::block::{Declared, Nested, Written};
use crate::terraform::secrets::SecretNames;
use crate::text::Text;
use crate::value::{FileId, Map, Value};
use std::rc::Rc;
use std::sync::Arc;

/// Blocks of commands that run beside what is made.
const COMMANDS: [&str; 2] = ["connection", "provisioner"];
/// Arguments of `lifecycle` that hold addresses or names of arguments, which are no values.
const NAMES: [&str; 2] = ["ignore_changes", "replace_triggered_by"];

/// Adds a component for each resource and each data source with `lifecycle`, provisioners or a connection.
pub(crate) fn add(builder: &mut Builder<'_, '_>) {
    let mut names = SecretNames::default();
    for index in 0..builder.statics.nodes.len() {
        let node = Rc::clone(&builder.statics.nodes[index]);
        for (address, declared) in &node.module.resources {
            let map = of(builder, index, declared);
            if !map.is_empty() {
                take(1, Piece::Setting);
                let inside = |name: Text, module: &Text| format!("module.{module}.{name}").into();
                let own = format!("{address}.lifecycle").into();
                let name = node.path.iter().rev().fold(own, inside);
                let described = described("lifecycle", name, names.hide(&Value::map(map)));
                builder.add(described, [origin(declared.place)].into_iter());
            }
        }
    }
}

/// The arguments of `lifecycle`, and a list of the blocks of each kind of command. Conditions are evaluated with the resource, and
/// `enabled` decides how many instances it has.
fn of(builder: &Builder<'_, '_>, node: usize, declared: &Declared) -> Map {
    let mut map = Map::new();
    let blocks = |kind: &'static str| declared.blocks.iter().filter(move |nested| *nested.kind.text == *kind);
    for nested in blocks("lifecycle") {
        let own = nested.body.attributes.iter().filter(|attribute| &*attribute.name.text != "enabled");
        for attribute in own {
            map.set(attribute.name.text.clone(), argument(builder, node, nested.file, attribute));
        }
    }
    for kind in COMMANDS {
        let blocks: Vec<Value> = blocks(kind).map(|nested| command(builder, node, nested)).collect();
        if !blocks.is_empty() {
            map.set(kind, Value::list(blocks));
        }
    }
    map
}

fn command(builder: &Builder<'_, '_>, node: usize, nested: &Nested) -> Value {
    let attributes = nested.body.attributes.iter();
    let written = attributes.map(|attribute| (attribute.name.text.clone(), Written::of(nested.file, attribute)));
    let mut map =
        content(builder, node, written.collect(), &mut nested.body.blocks.iter().map(|inner| (nested.file, inner)));
    if let Some(label) = nested.labels.first() {
        map.set("type", Value::str(label.text.clone()));
    }
    Value::map(map)
}

/// An argument of `lifecycle`.
fn argument(builder: &Builder<'_, '_>, node: usize, file: FileId, attribute: &Attribute) -> Value {
    let written = Written::of(file, attribute);
    if !NAMES.contains(&&*attribute.name.text) {
        return builder.evaluated(node, &written, format!("lifecycle.{}", attribute.name.text));
    }
    let text = |written: &Written| Value::str(builder.text(written)).with_prov(at(written));
    match &walk::unwrapped(&written.expr).kind {
        ExprKind::Tuple(items) => {
            let item = |item: &Expr| text(&Written { file, span: item.span, expr: Arc::new(item.clone()) });
            Value::list(items.iter().map(item).collect()).with_prov(at(&written))
        }
        _ => text(&written),
    }
}
