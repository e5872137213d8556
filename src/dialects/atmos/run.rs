//! What Atmos gives to the code of a component beside its variables, which it passes in a file: the environment, and files that it
//! generates into the folder (`reference: atmos.md`).

use super::stack::evaluated;
use crate::resolution::Component;
use crate::terraform::evaluation::given::{GeneratedFile, RunInputs, VariableInput};
use crate::text::Text;
use crate::value::{Data, Flags, Map, Value};
use std::sync::Arc;

/// The prefix of environment variables that set variables.
const PREFIX: &str = "TF_VAR_";

/// The environment and the generated files of a component.
pub(super) fn inputs(component: &Component) -> RunInputs {
    let section = |name: &str| component.value.get(name).and_then(Value::as_map);
    let mut inputs = RunInputs::default();
    if let Some(env) = section("env") {
        add_env(&mut inputs, env, &component.metadata.inputs.all);
    }
    let generated = section("generate").into_iter().flat_map(|files| files.iter());
    inputs.generated.extend(generated.filter_map(|entry| file(&entry.key, &entry.value)));
    inputs
}

fn add_env(inputs: &mut RunInputs, env: &Arc<Map>, vars: &Map) {
    for entry in evaluated(env).iter() {
        let text = match &entry.value.data {
            Data::Str(text) => text.to_string(),
            Data::Bool(_) | Data::Int(_) | Data::Uint(_) | Data::Float(_) => {
                serde_json::to_string(&entry.value).unwrap_or_default()
            }
            Data::Unknown(unknown) => {
                // A variable that the file of variables sets wins.
                let name = entry.key.strip_prefix(PREFIX).filter(|name| vars.get(name).is_none());
                inputs.unknown.extend(name.map(|name| VariableInput::Unknown {
                    name: Some(name.to_owned()),
                    what: format!("`{}`", unknown.text),
                }));
                continue;
            }
            _ => continue,
        };
        inputs.env.insert(entry.key.to_string(), text);
    }
}

/// A file that is generated: text as it is, a map in the format that its name says. The text of other formats is not known.
fn file(name: &Text, content: &Value) -> Option<GeneratedFile> {
    let origin = content.prov.origin?;
    let text = match &content.data {
        Data::Null => return None,
        Data::Str(text) => Some(Text::clone(text)),
        Data::Map(_) if name.ends_with(".json") && !content.holds(Flags::UNKNOWN) => {
            serde_json::to_string(content).ok().map(Text::from)
        }
        _ => None,
    };
    Some(GeneratedFile { name: name.to_string(), text, origin })
}
