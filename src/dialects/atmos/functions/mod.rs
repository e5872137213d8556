//! YAML functions (`reference: atmos.md` section 8). Most of them only the run time can answer: their value is unknown,
//! with the reason. Nothing is ever executed.

pub(super) mod arguments;
pub(super) mod calls;
pub(super) mod tags;

use crate::text::Text;
use crate::value::{Data, Key, Map, Prov, Unknown, Value};
use arguments::TerraformArgs;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Evaluates a function string in locals, as Atmos does immediately and without a component; `None` if the function
/// returns nothing, after which Atmos treats the string as text.
///
/// # Errors
/// Why the function is rejected, which keeps Atmos from reading the file.
pub(super) fn evaluate_in_locals(call: &Text, prov: &Prov, env: &Env) -> Result<Option<Value>, String> {
    let (name, argument) = tags::split(call);
    let data = match name {
        "!unset" => return Err("`!unset` leaves a local without a value, which Atmos rejects".to_owned()),
        // Functions without arguments are known by their whole text, others than them are text.
        "!tags" | "!labels.keys" | "!labels.values" if **call == *name => Data::List(Arc::default()),
        "!labels" if **call == *name => Data::Map(Arc::default()),
        "!tags" | "!labels" | "!labels.keys" | "!labels.values" => Data::Str(Text::clone(call)),
        name if name.starts_with("!aws.") && **call != *name => Data::Str(Text::clone(call)),
        name => {
            let is_function = name == "!template" || reason(name, argument).is_some();
            if let Some(why) = calls::refused(name, argument).filter(|_| is_function) {
                return Err(why);
            }
            let value = evaluate(call, prov, env);
            return Ok(Some(value).filter(|value| !value.is_null()));
        }
    };
    Ok(Some(Value { data, prov: prov.clone() }))
}

/// Evaluates a function string with a partially known environment.
pub(super) fn evaluate(call: &Text, prov: &Prov, env: &Env) -> Value {
    let (name, argument) = tags::split(call);
    let data = match name {
        "!template" => json_or_text(argument),
        "!append" | "!literal" | "!cwd" | "!random" | "!cel" => Data::Str(Text::clone(call)),
        "!unset" => Data::Null,
        "!env" if let Some(known) = variable(argument, env) => Data::Str(known),
        name => match reason(name, argument) {
            Some(reason) => {
                let assumed = (name == "!env").then(|| Box::new(Value::str(env_default(argument))));
                Data::Unknown(Arc::new(Unknown { assumed, ..Unknown::new(Text::clone(call), reason) }))
            }
            None => Data::Str(Text::clone(call)),
        },
    };
    Value { data, prov: prov.clone() }
}

/// Returns the result of `!env`, if the variable is known.
fn variable(arguments: &str, env: &Env) -> Option<Text> {
    let (name, _) = arguments::parse_env(arguments).ok()?;
    env.get(name.as_str()).cloned()
}

/// Returns the result of `!env` if the variable is not set: its default, or nothing.
pub(super) fn env_default(arguments: &str) -> String {
    arguments::parse_env(arguments).map(|(_, default)| default).unwrap_or_default()
}

/// Environment variables by name.
pub(super) type Env = BTreeMap<Text, Text>;

/// An environment that declares nothing.
pub(super) static NO_ENV: Env = BTreeMap::new();

/// Why the value of a function is not known; `None` if the name is not a function.
pub(super) fn reason(name: &str, arguments: &str) -> Option<String> {
    let what = match name {
        "!env" => match arguments::parse_env(arguments) {
            Ok((variable, _)) => format!("reads the environment variable `{variable}`"),
            Err(_) => "reads the environment".to_owned(),
        },
        "!exec" => "runs a command".to_owned(),
        "!terraform.output" | "!terraform.state" => match arguments::parse_terraform(arguments) {
            Ok(TerraformArgs { component, stack, expression }) => {
                let stack = stack.map_or_else(String::new, |s| format!(" in stack `{s}`"));
                format!("reads `{expression}` of component `{component}`{stack} from Terraform")
            }
            Err(_) => "reads Terraform state".to_owned(),
        },
        "!store" | "!store.get" => {
            let parsed = if name == "!store" {
                arguments::parse_store(arguments)
            } else {
                arguments::parse_store_get(arguments)
            };
            match parsed.map(|a| a.words) {
                Ok(words) if words.len() > 1 => format!("reads `{}` from store `{}`", words[1..].join(" "), words[0]),
                _ => "reads a store".to_owned(),
            }
        }
        "!secret" => "reads a secret".to_owned(),
        "!emulator" => "needs a running emulator".to_owned(),
        "!version" => "reads the version lock file".to_owned(),
        "!tags" | "!labels" | "!labels.keys" | "!labels.values" => "needs the metadata of a component".to_owned(),
        n if n.starts_with("!aws.") => "asks AWS".to_owned(),
        n if n.starts_with("!git.") || n == "!repo-root" => "asks git".to_owned(),
        _ => return None,
    };
    Some(format!("`{name}` {what}"))
}

/// Parses a JSON text; returns the text itself if it is invalid.
pub(super) fn json_or_text(text: &str) -> Data {
    match serde_json::from_str::<serde_json::Value>(text) {
        Ok(json) => from_json(&json),
        Err(_) => Data::Str(text.into()),
    }
}

pub(super) fn from_json(json: &serde_json::Value) -> Data {
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
