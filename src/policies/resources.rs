//! What the code of a component makes, as `component.resources`.

use crate::resolution::{Component, Unit, made_stack};
use crate::text::Text;
use crate::value::{Data, Map, Unknown, Value};
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

/// The name of the section.
pub(super) const RESOURCES: &str = "resources";

/// What the code of components makes.
#[derive(Default)]
pub(super) struct ResourcesOf<'a> {
    /// By the name of its stack.
    made: HashMap<&'a str, &'a Unit>,
    /// Whether a policy reads it.
    is_read: bool,
}

impl<'a> ResourcesOf<'a> {
    /// What was made, if a policy reads it.
    pub(super) fn new(made: &'a [Arc<Unit>], is_read: bool) -> Self {
        let made = made.iter().filter(|_| is_read).map(|unit| (&*unit.name, &**unit));
        ResourcesOf { made: made.collect(), is_read }
    }

    /// The component with what its code makes.
    pub(super) fn with<'c>(&self, component: &'c Component) -> Cow<'c, Component> {
        if !self.is_read {
            return Cow::Borrowed(component);
        }
        let mut map = component.value.as_map().map(|map| Map::clone(map)).unwrap_or_default();
        map.set(Text::from(RESOURCES), self.of(component));
        let value = Value { data: Data::Map(Arc::new(map)), prov: component.value.prov.clone() };
        Cow::Owned(Component { value, ..component.clone() })
    }

    fn of(&self, component: &Component) -> Value {
        let unknown = |why: &str| Value::new(Data::Unknown(Arc::new(Unknown::new("", why))));
        match self.made.get(&*made_stack(&component.address())) {
            Some(unit) if unit.failed.is_empty() => {
                Value::list(unit.components.iter().filter_map(|resource| item(resource)).collect())
            }
            Some(_) => unknown("the code cannot be evaluated"),
            None if component.metadata.code.is_none() || !component.metadata.is_module => Value::list(Vec::new()),
            None => unknown("the code is not in the repository, or cannot be evaluated"),
        }
    }
}

/// A resource or a data source: `address`, `mode`, `type` and `values`.
fn item(resource: &Component) -> Option<Value> {
    let instance = resource.metadata.instance_of.as_ref()?;
    let kind = instance.kind.rsplit('.').next().unwrap_or(&instance.kind);
    let text = |text: &Text| Value::str(text.clone()).with_prov(resource.value.prov.clone());
    let fields = [
        ("address", text(&resource.name)),
        ("mode", text(&resource.kind)),
        ("type", Value::str(kind).with_prov(resource.value.prov.clone())),
        ("values", resource.value.clone()),
    ];
    let map: Map = fields.into_iter().map(|(key, value)| (Text::from(key), value)).collect();
    Some(Value::map(map).with_prov(resource.value.prov.clone()))
}
