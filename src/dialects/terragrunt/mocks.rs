//! Mocks of other types than the outputs that they stand for, as far as the values of these outputs are known.

use super::place::inside;
use super::rules;
use super::unit::KIND;
use crate::diagnostic::{Diagnostic, Label};
use crate::paths;
use crate::resolution::Unit;
use crate::value::{Data, Value};
use std::sync::Arc;

/// The type of the components that are outputs of the code of a unit.
const OUTPUT: &str = "output";

/// The mocks of a unit that have other types. `other` returns the unit of another folder.
pub(super) fn check(unit: &Unit, other: impl Fn(&str) -> Option<Arc<Unit>>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let Some(component) = unit.components.iter().find(|component| *component.kind == *KIND) else { return found };
    let dependencies = component.value.get("dependency").and_then(Value::as_map);
    for (name, dependency) in
        dependencies.into_iter().flat_map(|map| map.iter()).map(|entry| (&entry.key, &entry.value))
    {
        let Some(mocks) = dependency.get("mock_outputs").and_then(Value::as_map).filter(|mocks| !mocks.is_empty())
        else {
            continue;
        };
        let path = dependency.get("config_path").and_then(Value::as_str);
        let Some(target) = path.and_then(|path| inside(&unit.id, path)) else { continue };
        let target = if paths::name(&target).ends_with(".hcl") { paths::parent(&target) } else { &target };
        let Some(target) = other(target) else { continue };
        let outputs = target.components.iter().filter(|component| *component.kind == *OUTPUT);
        for output in outputs {
            let (Some(mock), Some(value)) = (mocks.get(&output.name), output.value.get("value")) else { continue };
            let (Some(own), Some(real), Some(at)) = (kind(mock), kind(value), mock.prov.origin) else { continue };
            if own != real {
                let message =
                    format!("the mock of {} of dependency \"{name}\" is {own}, and the output is {real}", output.name);
                let at = Label::new(at.file, at.start, at.end, "");
                let mut finding = Diagnostic::new(&rules::MOCK_TYPE, message, at).token(output.name.to_string());
                finding.stacks.push(component.stack.clone());
                found.push(
                    finding.help(
                        "give the mock the type of the output: a plan with mocks says nothing about the real one",
                    ),
                );
            }
        }
    }
    found
}

/// What a value is, in words; `None` if that is not known.
fn kind(value: &Value) -> Option<&'static str> {
    Some(match &value.data {
        Data::Str(_) => "a string",
        Data::Bool(_) => "a bool",
        Data::Int(_) | Data::Uint(_) | Data::Float(_) => "a number",
        Data::List(_) => "a list",
        Data::Map(_) => "a map",
        _ => return None,
    })
}
