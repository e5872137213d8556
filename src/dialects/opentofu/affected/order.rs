//! The order of root modules: one that reads the state of another one runs after it.

use super::{address, folder_of};
use crate::paths;
use crate::resolution::{Address, Component, Resolution};
use crate::terraform::state::{self, StateLocation};
use crate::text::Text;
use crate::value::{Map, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

/// How the addresses of data sources begin that read a state.
const REMOTE_STATE: &str = "data.terraform_remote_state.";

/// A state object, see [`state::object`].
type Object = Vec<(&'static str, String)>;

/// Pairs of a root module and one whose state it reads. What is not known is no pair.
pub(in crate::dialects::opentofu) fn of(resolution: &Resolution) -> Vec<(Address, Address)> {
    let components = || {
        let units = resolution.units.iter();
        units.flat_map(|unit| unit.components.iter().map(move |component| (&unit.name, component)))
    };
    let owners: BTreeMap<Object, &Text> =
        components().filter_map(|(stack, one)| Some((own(stack, one)?, stack))).collect();
    let whole = |stack: &Text| address(stack, &folder_of(stack));
    let read = components().filter_map(|(stack, one)| Some((stack, *owners.get(&read(stack, one)?)?)));
    read.map(|(stack, owner)| (whole(stack), whole(owner))).collect()
}

/// The state of a root module, by the component that configures it.
fn own(stack: &Text, component: &Arc<Component>) -> Option<Object> {
    let place = component.metadata.state.as_ref()?;
    object(stack, &place.backend, &place.settings, component.metadata.workspace.as_deref())
}

/// The state that a data source reads.
fn read(stack: &Text, component: &Arc<Component>) -> Option<Object> {
    let value = Some(&component.value).filter(|_| component.name.starts_with(REMOTE_STATE))?;
    let text = |key: &str| value.get(key).and_then(Value::as_str);
    let none = Map::none();
    let settings = value.get("config").map_or(Some(&none), Value::as_map)?;
    object(stack, text("backend")?, settings, value.get("workspace").map_or(Some("default"), Value::as_str))
}

fn object(stack: &Text, backend: &str, settings: &Map, workspace: Option<&str>) -> Option<Object> {
    let folder = folder_of(stack);
    let location = StateLocation {
        backend,
        settings,
        workspace: workspace.unwrap_or("default"),
        is_assumed: false,
        folder: Some(&folder),
    };
    let mut parts = state::object(&location)?;
    for (name, value) in &mut parts {
        if *name == "path" {
            *value = paths::resolve("", value.trim_start_matches('/'))?;
        }
    }
    Some(parts)
}
