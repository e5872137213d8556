//! What modules say about themselves besides what they make: the tools and providers that they require, and refactoring blocks.

use crate::limits::{Piece, take};
use crate::resolution::ComponentMetadata;
use crate::terraform::components::builder::{Builder, Described, described};
use crate::terraform::components::moves;
use crate::terraform::components::providers::module_prefix;
use crate::terraform::evaluation::shown::{at, map_of, origin};
use crate::terraform::evaluation::statics::Node;
use crate::terraform::module::block::{Refactoring, Written};
use crate::text::Text;
use crate::value::{Data, Key, Map, Value};
use std::rc::Rc;

/// Adds what the root module requires, with `of_all` also what called modules require, and the refactoring blocks.
pub(crate) fn add(builder: &mut Builder<'_, '_>, of_all: bool) {
    for index in 0..builder.statics.nodes.len() {
        let node = Rc::clone(&builder.statics.nodes[index]);
        if of_all || index == 0 {
            required(builder, index, &node);
        }
        for refactoring in node.module.refactorings.iter().filter(|r| index == 0 || &*r.kind == "removed") {
            refactored(builder, &node, refactoring);
        }
    }
}

/// The versions of the tool and the providers that a module requires.
fn required(builder: &mut Builder<'_, '_>, index: usize, node: &Node) {
    let module = &node.module;
    if module.required_version.is_empty() && module.required_providers.is_empty() {
        return;
    }
    take(1 + module.required_providers.len(), Piece::Setting);
    let mut providers = Map::new();
    for (name, written) in &module.required_providers {
        providers.set(Key::from(&**name), builder.evaluated(index, written, format!("required_providers.{name}")));
    }
    let versions = module.required_version.iter();
    let versions: Vec<Value> =
        versions.map(|(written, _)| builder.evaluated(index, written, "required_version".to_owned())).collect();
    let version = match versions.len() {
        0 => None,
        1 => versions.into_iter().next(),
        _ => Some(Value::list(versions)),
    };
    let providers = (!providers.is_empty()).then(|| Value::map(providers));
    let map = map_of([("required_version", version), ("required_providers", providers)]);
    let name = format!("{}terraform", module_prefix(node));
    builder.add(described("settings", name, Value::map(map)), std::iter::empty());
}

fn refactored(builder: &mut Builder<'_, '_>, node: &Node, refactoring: &Refactoring) {
    take(1, Piece::Setting);
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
    builder.add(Described { metadata, ..described(kind, name, Value::map(map)) }, [origin(block.place)].into_iter());
}
