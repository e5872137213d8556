//! What the code of a component makes, as `component.resources`.

use crate::resolution::{Component, Open, Unit, made_stack};
use crate::text::Text;
use crate::value::{Data, Map, Prov, Unknown, Value};
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
                let known = unit.components.iter().filter_map(|resource| item(resource));
                Value::list(known.chain(unit.open.iter().filter_map(rest)).collect())
            }
            Some(_) => unknown("the code cannot be evaluated"),
            None if component.metadata.code.is_none() || !component.metadata.is_module => Value::list(Vec::new()),
            None => unknown("the code is not in the repository, or cannot be evaluated"),
        }
    }
}

/// What a part of the code makes that is not known.
fn rest(open: &Open) -> Option<Value> {
    let (part, origin) = open.unknown()?;
    let why = format!("the code of `{part}` is elsewhere, or not known");
    let unknown = Unknown { may_be_absent: true, ..Unknown::new(Text::clone(part), why) };
    Some(Value::new(Data::Unknown(Arc::new(unknown))).with_prov(Prov::at(origin)))
}

/// A resource or a data source: `address`, `mode`, `type` and `values`. It may be absent if it is not known how often it is there.
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
    let item = Value::map(map).with_prov(resource.value.prov.clone());
    if !instance.is_open() {
        return Some(item);
    }
    let why = "it is not known how often it is there";
    let unknown = Unknown {
        may_be_absent: true,
        assumed: Some(Box::new(item)),
        ..Unknown::new(Text::clone(&resource.name), why)
    };
    Some(Value::new(Data::Unknown(Arc::new(unknown))).with_prov(resource.value.prov.clone()))
}
