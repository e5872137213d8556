//! The declarations of a root module besides those that `init` computes: variables, required tools and
//! providers, and refactoring blocks.

use crate::resolution::ComponentMetadata;
use crate::terraform::components::builder::{Builder, Described, described};
use crate::terraform::components::moves;
use crate::terraform::evaluation::shown::origin;
use crate::terraform::evaluation::shown::{at, hidden_if, map_of};
use crate::terraform::evaluation::statics::Node;
use crate::terraform::module::block::{Declared, Refactoring, Written};
use crate::text::Text;
use crate::value::{Data, Key, Map, Value};
use std::rc::Rc;
use std::sync::Arc;

/// Arguments of variables that are shown.
const OF_VARIABLES: [&str; 5] = ["default", "nullable", "sensitive", "ephemeral", "const"];

/// Adds a component for each declaration of the root module.
pub(crate) fn add(builder: &mut Builder<'_, '_>) {
    let module = Arc::clone(&builder.statics.nodes[0].module);
    for (name, declared) in &module.declarations {
        let mut map = shown(builder, declared, &format!("var.{name}"), &OF_VARIABLES);
        map.set("type", type_of(builder, declared));
        if let (Some(default), Some(variable)) = (map.get("default"), module.variables.get(name)) {
            let default = hidden_if(default.clone(), variable.marks);
            map.set("default", default);
        }
        declaration(builder, described("variable", name.clone(), Value::map(map)), declared);
    }
    if !module.required_version.is_empty() || !module.required_providers.is_empty() {
        let mut providers = Map::new();
        for (name, written) in &module.required_providers {
            providers.set(Key::from(&**name), builder.evaluated(0, written, format!("required_providers.{name}")));
        }
        let versions = module.required_version.iter();
        let versions: Vec<Value> =
            versions.map(|(written, _)| builder.evaluated(0, written, "required_version".to_owned())).collect();
        let version = match versions.len() {
            0 => None,
            1 => versions.into_iter().next(),
            _ => Some(Value::list(versions)),
        };
        let providers = (!providers.is_empty()).then(|| Value::map(providers));
        let map = map_of([("required_version", version), ("required_providers", providers)]);
        builder.add(described("settings", "terraform", Value::map(map)), std::iter::empty());
    }
    for index in 0..builder.statics.nodes.len() {
        let node = Rc::clone(&builder.statics.nodes[index]);
        for refactoring in node.module.refactorings.iter().filter(|r| index == 0 || &*r.kind == "removed") {
            refactored(builder, &node, refactoring);
        }
    }
}

fn declaration(builder: &mut Builder<'_, '_>, described: Described, declared: &Declared) {
    builder.add(described, [origin(declared.place)].into_iter());
}

fn shown(builder: &Builder<'_, '_>, declared: &Declared, name: &str, arguments: &[&str]) -> Map {
    let mut map = Map::new();
    for argument in arguments {
        if let Some(written) = declared.arguments.get(*argument) {
            map.set(Key::from(*argument), builder.evaluated(0, written, name.to_owned()));
        }
    }
    map
}

/// The type of a variable as text, however its lines are broken.
fn type_of(builder: &Builder<'_, '_>, declared: &Declared) -> Value {
    let Some(written) = declared.arguments.get("type") else { return Value::str("any") };
    let text = builder.text(written);
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    Value::str(text).with_prov(at(written))
}

fn refactored(builder: &mut Builder<'_, '_>, node: &Node, refactoring: &Refactoring) {
    let Refactoring { kind, block } = refactoring;
    let argument = |name: &str| block.arguments.get(name);
    let text = |written: &Written| Value::str(builder.text(written)).with_prov(at(written));
    let subject = argument(if &**kind == "import" { "to" } else { "from" });
    let name = subject.map_or_else(|| Text::from("(none)"), |written| builder.text(written));
    // What a called module names is in it.
    let name = node.path.iter().rev().fold(name, |name, module| format!("module.{module}.{name}").into());
    let lifecycle = block.blocks.iter().filter(|b| &*b.kind.text == "lifecycle").find_map(|b| b.body.get("destroy"));
    // Where nothing is written, OpenTofu keeps it and Terraform destroys it; of the files, only OpenTofu reads `.tofu`.
    let path = builder.statics.path(block.place.0);
    let is_kept_by_default = path.ends_with(".tofu") || path.ends_with(".tofu.json");
    let destroys = match lifecycle {
        Some(attribute) => Some(matches!(attribute.expr.kind, crate::hcl::ast::ExprKind::Bool(true))),
        None => is_kept_by_default.then_some(false),
    };
    let (kind, map) = match &**kind {
        "moved" => ("moved", map_of([("to", argument("to").map(text))])),
        "removed" => ("removed", map_of([("destroy", destroys.map(|destroys| Value::new(Data::Bool(destroys))))])),
        _ => ("import", map_of([("id", argument("id").map(|w| builder.evaluated(0, w, "import.id".to_owned())))])),
    };
    let mut metadata = ComponentMetadata::default();
    if kind == "removed" && destroys == Some(false) {
        let address = subject.and_then(moves::call_address);
        let around: String = node.path.iter().map(|module| format!("{module}.")).collect();
        let address = address.map(|address| format!("{around}{address}"));
        let module = address.map(|name| (Text::from("module"), Text::from(name)));
        metadata.released = module.into_iter().chain([(Text::from("resource"), name.clone())]).collect();
    }
    declaration(builder, Described { metadata, ..described(kind, name, Value::map(map)) }, block);
}
