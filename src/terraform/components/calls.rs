//! Calls of modules as components.

use crate::hcl::ast::TraversalStep;
use crate::hcl::ast::walk::references;
use crate::hcl::val::export::export_at;
use crate::hcl::val::{Data, Marks, Val};
use crate::resolution::{CalledModule, ComponentMetadata, Needed, RemovalEffect};
use crate::terraform::components::builder::{Builder, Described, described};
use crate::terraform::components::moves::Moves;
use crate::terraform::evaluation::shown::{at, exported, hidden_if, map_of, origin};
use crate::terraform::evaluation::tree::Call;
use crate::terraform::module::block::META;
use crate::text::Text;
use crate::value::{Key, Map, Value};

/// The type of these components.
pub(crate) const MODULE: &str = "module";

/// Adds a component for each of these calls of modules.
pub(crate) fn add<'c>(builder: &mut Builder<'_, '_>, calls: impl IntoIterator<Item = &'c Call>) {
    let moves = Moves::of(builder.statics);
    for call in calls {
        let text = |value: &Option<Val>, name: &str| {
            let written = call.declared.arguments.get(name)?;
            let evaluated = || builder.evaluated(call.node, written, format!("module.{}.{name}", call.address));
            match value {
                Some(value) => Some(export_at(value, &at(written))),
                // One that is null is as good as none, one that cannot be computed is there.
                None if name == "version" => Some(evaluated()).filter(|version| !version.is_null()),
                None => Some(exported(builder.statics, call.node, written, Err(Vec::new()))),
            }
        };
        let dir = call.dir.as_ref().map(|dir| {
            let dir = Value::str(if dir.is_empty() { Text::from(".") } else { dir.clone() });
            let from = call.declared.arguments.get("source").zip(call.source.as_ref());
            from.map_or_else(Default::default, |(w, s)| dir.clone().with_prov(at(w).with_inputs([s.prov.clone()])))
        });
        let argument = |name: &str| call.declared.arguments.get(name);
        let repeated = |name: &str| {
            argument(name).map(|w| builder.evaluated(call.node, w, format!("module.{}.{name}", call.address)))
        };
        let written = |name: &str| argument(name).map(|w| Value::str(builder.text(w)).with_prov(at(w)));
        let inputs = arguments(builder, call);
        let inputs = (!inputs.is_empty()).then(|| Value::map(inputs));
        let value = map_of([
            ("source", text(&call.source, "source")),
            ("version", text(&call.version, "version")),
            ("dir", dir),
            ("inputs", inputs),
            ("defaults", defaults(builder, call)),
            ("count", repeated("count")),
            ("for_each", repeated("for_each")),
            ("providers", written("providers")),
            ("depends_on", written("depends_on")),
            ("required_providers", required_providers(builder, call)),
        ]);
        let former_names = moves.former_names(&call.address).into();
        let (called, needed) = (called(call), needed(call).into());
        let metadata =
            ComponentMetadata { former_names, called, needed, shares_state: true, ..ComponentMetadata::default() };
        // What is destroyed is known of a module that is here: its resources.
        let is_here = child(builder, call).is_some_and(|node| !builder.statics.nodes[node].module.files.is_empty());
        let described = Described {
            removal: if is_here { RemovalEffect::Nothing } else { RemovalEffect::Destroyed },
            metadata,
            ..described(MODULE, &*call.address, Value::map(value))
        };
        builder.add(described, [origin(call.declared.place)].into_iter());
    }
}

/// Returns the module of a call, if its source can be computed.
fn called(call: &Call) -> Option<CalledModule> {
    let folder = call.dir.as_ref().map(|dir| if dir.is_empty() { Text::from(".") } else { dir.clone() });
    let source = || match &call.source.as_ref()?.data {
        Data::Str(text) if call.source.as_ref()?.marks == Marks::NONE => Some(text.clone()),
        _ => None,
    };
    let origin = call.declared.arguments.get("source").and_then(|written| at(written).origin);
    Some(CalledModule { place: folder.or_else(source)?, origin })
}

/// Returns the sibling modules that a call's arguments read or that it names in `depends_on`, in the order of the text.
/// References through local values are not followed.
fn needed(call: &Call) -> Vec<Needed> {
    let around = call.address.rsplit_once('.').map_or(String::new(), |(around, _)| format!("{around}."));
    let mut found: Vec<Needed> = Vec::new();
    for (argument, written) in call.declared.arguments.iter() {
        for reference in references(&written.expr).iter().filter(|reference| &*reference.root.text == "module") {
            let Some(TraversalStep::Attribute(name)) = reference.steps.first() else { continue };
            let name = Text::from(format!("{around}{}", name.text));
            let is_read = &**argument != "depends_on";
            match found.iter_mut().find(|known| known.name == name) {
                Some(known) => known.is_read |= is_read,
                None => {
                    let origin = Some(origin((written.file, reference.span)));
                    found.push(Needed { kind: "module".into(), name, origin, is_read });
                }
            }
        }
    }
    found.sort_by_key(|needed| needed.origin);
    found
}

/// The module that a call leads to, if it is in the repository.
fn child(builder: &Builder<'_, '_>, call: &Call) -> Option<usize> {
    let name = call.address.rsplit('.').next();
    let nodes = builder.statics.nodes.iter();
    nodes.enumerate().find(|(_, n)| n.parent == Some(call.node) && n.path.last().map(|n| &**n) == name).map(|(i, _)| i)
}

/// The defaults of the variables that a call does not set.
fn defaults(builder: &Builder<'_, '_>, call: &Call) -> Option<Value> {
    let node = child(builder, call)?;
    let mut map = Map::new();
    let declarations = &builder.statics.nodes[node].module.declarations;
    for (name, declared) in declarations.iter().filter(|(name, _)| !call.declared.arguments.contains_key(*name)) {
        if let Some(written) = declared.arguments.get("default") {
            let marks =
                builder.statics.nodes[node].module.variables.get(name).map_or(Marks::NONE, |variable| variable.marks);
            map.set(Key::from(&**name), hidden_if(builder.evaluated(node, written, format!("var.{name}")), marks));
        }
    }
    (!map.is_empty()).then(|| Value::map(map))
}

/// The providers that the module of a call requires.
fn required_providers(builder: &Builder<'_, '_>, call: &Call) -> Option<Value> {
    let node = child(builder, call)?;
    let mut map = Map::new();
    for (name, written) in &builder.statics.nodes[node].module.required_providers {
        map.set(Key::from(&**name), builder.evaluated(node, written, format!("required_providers.{name}")));
    }
    (!map.is_empty()).then(|| Value::map(map))
}

/// The arguments of a call, evaluated where they can be before anything runs.
fn arguments(builder: &Builder<'_, '_>, call: &Call) -> Map {
    let mut map = Map::new();
    let given = call.declared.arguments.iter().filter(|(name, _)| !META.contains(&&***name));
    let variables = child(builder, call).map(|node| &builder.statics.nodes[node].module.variables);
    for (name, written) in given {
        let value = builder.given(call.node, written, format!("module.{}.{name}", call.address));
        let marks = variables.and_then(|variables| variables.get(name)).map_or(Marks::NONE, |variable| variable.marks);
        map.set(Key::from(&**name), hidden_if(value, marks));
    }
    map
}
