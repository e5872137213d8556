//! YAML functions (`reference: atmos.md` section 8). Most of them only the run time can answer: their value is unknown,
//! with the reason. Nothing is ever executed.

use crate::value::{Data, Key, Map, Prov, Unknown, Value};
use std::sync::Arc;

/// The value of a function string where Atmos evaluates it at once (in locals).
pub(crate) fn evaluate(call: &Arc<str>, prov: &Prov) -> Value {
    let (name, argument) = call.split_once(char::is_whitespace).unwrap_or((call, ""));
    let data = match name {
        "!template" => json_or_text(argument.trim()),
        "!append" | "!literal" | "!cwd" | "!random" | "!cel" => Data::Str(Arc::clone(call)),
        "!unset" => Data::Null,
        name => match reason(name) {
            Some(reason) => Data::Unknown(Arc::new(Unknown { text: Arc::clone(call), reasons: vec![reason.into()] })),
            None => Data::Str(Arc::clone(call)),
        },
    };
    Value { data, prov: prov.clone() }
}

/// Why the value of a function is not known; `None` if the name is no function.
pub(crate) fn reason(name: &str) -> Option<String> {
    let what = match name {
        "!env" => "reads the environment",
        "!exec" => "runs a command",
        "!terraform.output" | "!terraform.state" => "reads Terraform state",
        "!store" | "!store.get" => "reads a store",
        "!secret" => "reads a secret",
        "!emulator" => "asks a running emulator",
        "!version" => "reads the version lock file",
        "!tags" | "!labels" | "!labels.keys" | "!labels.values" => "needs the metadata of a component",
        n if n.starts_with("!aws.") => "asks AWS",
        n if n.starts_with("!git.") || n == "!repo-root" => "asks git",
        _ => return None,
    };
    Some(format!("`{name}` {what}"))
}

/// The data of a JSON text, or the text itself if it is none.
pub(crate) fn json_or_text(text: &str) -> Data {
    match serde_json::from_str::<serde_json::Value>(text) {
        Ok(json) => from_json(&json),
        Err(_) => Data::Str(text.into()),
    }
}

fn from_json(json: &serde_json::Value) -> Data {
    match json {
        serde_json::Value::Null => Data::Null,
        serde_json::Value::Bool(b) => Data::Bool(*b),
        // Go decodes every JSON number into a floating point number.
        serde_json::Value::Number(n) => Data::Float(n.as_f64().unwrap_or(f64::NAN)),
        serde_json::Value::String(s) => Data::Str(s.as_str().into()),
        serde_json::Value::Array(items) => {
            Data::List(Arc::new(items.iter().map(|i| Value::new(from_json(i))).collect()))
        }
        serde_json::Value::Object(entries) => {
            let pairs = entries.iter().map(|(k, v)| (Key::from(k.as_str()), Value::new(from_json(v))));
            Data::Map(Arc::new(Map::from_iter(pairs)))
        }
    }
}
