//! The variables of a root module as components.

use crate::terraform::components::builder::{Builder, described};
use crate::terraform::evaluation::shown::{at, hidden_if, origin};
use crate::terraform::module::block::Declared;
use crate::value::{Key, Map, Value};
use std::sync::Arc;

/// Arguments of variables that are shown.
const SHOWN: [&str; 5] = ["default", "nullable", "sensitive", "ephemeral", "const"];

/// Adds a component for each variable of the root module.
pub(crate) fn add(builder: &mut Builder<'_, '_>) {
    let module = Arc::clone(&builder.statics.nodes[0].module);
    for (name, declared) in &module.declarations {
        let mut map = Map::new();
        for argument in SHOWN {
            if let Some(written) = declared.arguments.get(argument) {
                map.set(Key::from(argument), builder.evaluated(0, written, format!("var.{name}")));
            }
        }
        map.set("type", type_of(builder, declared));
        if let (Some(default), Some(variable)) = (map.get("default"), module.variables.get(name)) {
            let default = hidden_if(default.clone(), variable.marks);
            map.set("default", default);
        }
        builder.add(described("variable", name.clone(), Value::map(map)), [origin(declared.place)].into_iter());
    }
}

/// The type of a variable as text, however its lines are broken.
fn type_of(builder: &Builder<'_, '_>, declared: &Declared) -> Value {
    let Some(written) = declared.arguments.get("type") else { return Value::str("any") };
    let text = builder.text(written);
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    Value::str(text).with_prov(at(written))
}
