//! Calls of modules as components.

use crate::dialects::opentofu::components::builder::{Builder, Described, described};
use crate::dialects::opentofu::components::moves::Moves;
use crate::dialects::opentofu::components::value::{at, map_of, origin, unknown};
use crate::dialects::opentofu::evaluation::tree::Call;
use crate::dialects::opentofu::module::block::META;
use crate::hcl::export::export_at;
use crate::hcl::val::Val;
use crate::resolution::{ComponentMetadata, RemovalEffect};
use crate::text::Text;
use crate::value::{Key, Map, Value};

/// Adds a component for each call of a module.
pub(crate) fn add(builder: &mut Builder<'_, '_>, calls: &[Call]) {
    let moves = Moves::of(builder.statics);
    for call in calls {
        let text = |value: &Option<Val>, name: &str| {
            let written = call.declared.arguments.get(name)?;
            Some(match value {
                Some(value) => export_at(value, &at(written)),
                None if name == "version" => return None,
                None => unknown(&[], written),
            })
        };
        let dir = call.dir.as_ref().map(|dir| {
            let dir = Value::str(if dir.is_empty() { Text::from(".") } else { dir.clone() });
            let from = call.declared.arguments.get("source").zip(call.source.as_ref());
            from.map_or_else(Default::default, |(w, s)| dir.clone().with_prov(at(w).with_inputs([s.prov.clone()])))
        });
        let inputs = arguments(builder, call);
        let inputs = (!inputs.is_empty()).then(|| Value::map(inputs));
        let value = map_of([
            ("source", text(&call.source, "source")),
            ("version", text(&call.version, "version")),
            ("dir", dir),
            ("inputs", inputs),
        ]);
        let former_names = moves.former_names(&call.address);
        let metadata = ComponentMetadata { former_names, shares_state: true, ..ComponentMetadata::default() };
        let described = Described {
            removal: RemovalEffect::Destroyed,
            metadata,
            ..described("module", &*call.address, Value::map(value))
        };
        builder.add(described, [origin(call.declared.place)].into_iter());
    }
}

/// The arguments of a call, evaluated where they can be before anything runs.
fn arguments(builder: &Builder<'_, '_>, call: &Call) -> Map {
    let mut map = Map::new();
    let given = call.declared.arguments.iter().filter(|(name, _)| !META.contains(&&***name));
    for (name, written) in given {
        let value = builder.evaluated(call.node, written, format!("module.{}.{name}", call.address));
        map.set(Key::from(&**name), value);
    }
    map
}
