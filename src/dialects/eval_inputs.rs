//! Values from the user about the world outside of the files: environment variables, outputs of components.

use crate::value::{Data, Value};
use serde_json::Value as Json;
use std::collections::BTreeMap;

/// External values with which functions can be evaluated.
#[derive(Clone, Debug, Default)]
pub(crate) struct EvalInputs {
    /// Environment variables. Of others nothing is known.
    pub env: BTreeMap<String, String>,
    /// The outputs (a map), by component and stack.
    pub outputs: BTreeMap<String, BTreeMap<String, Value>>,
    /// Values of calls, by the call as it is written.
    pub calls: BTreeMap<String, Value>,
}

impl EvalInputs {
    /// Adds the values of a JSON text: `{component: {stack: {output: value}}}`, and values of calls under keys that
    /// start with `!`. `schemas/values.json` describes it. What is there already is replaced, output by output.
    ///
    /// # Errors
    /// What is wrong with the text.
    pub(crate) fn add_values(&mut self, text: &str) -> Result<(), String> {
        let Json::Object(components) = serde_json::from_str(text).map_err(|e| crate::text::plain(&e.to_string()))?
        else {
            return Err("it must be an object: {component: {stack: {output: value}}}".to_owned());
        };
        for (component, stacks) in components {
            if component.starts_with('!') {
                self.calls.insert(component, value(&stacks));
                continue;
            }
            let Json::Object(stacks) = stacks else {
                return Err(format!("`{component}` must be an object: {{stack: {{output: value}}}}"));
            };
            for (stack, outputs) in stacks {
                let Json::Object(outputs) = outputs else {
                    return Err(format!("`{component}.{stack}` must be an object: {{output: value}}"));
                };
                let known = self.outputs.entry(component.clone()).or_default().entry(stack).or_default();
                let mut all = known.as_map().map(|m| (**m).clone()).unwrap_or_default();
                for (output, inputs) in outputs {
                    all.set(output, value(&inputs));
                }
                *known = Value::map(all);
            }
        }
        Ok(())
    }
}

fn value(json: &Json) -> Value {
    Value::new(match json {
        Json::Null => Data::Null,
        Json::Bool(b) => Data::Bool(*b),
        Json::Number(n) => match (n.as_i64(), n.as_u64()) {
            (Some(i), _) => Data::Int(i),
            (None, Some(u)) => Data::Uint(u),
            _ => Data::Float(n.as_f64().unwrap_or(f64::NAN)),
        },
        Json::String(text) => Data::Str(text.as_str().into()),
        Json::Array(items) => return Value::list(items.iter().map(value).collect()),
        Json::Object(entries) => {
            return Value::map(entries.iter().map(|(k, v)| (k.as_str().into(), value(v))).collect());
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_united_output_by_output() {
        let mut inputs = EvalInputs::default();
        inputs.add_values(r#"{"vpc": {"dev": {"id": "a", "n": 1}}, "!exec date": [1]}"#).unwrap();
        inputs.add_values(r#"{"vpc": {"dev": {"id": "b"}, "prod": {}}}"#).unwrap();
        let dev = &inputs.outputs["vpc"]["dev"];
        assert_eq!(serde_json::to_string(dev).unwrap(), r#"{"id":"b","n":1}"#);
        assert_eq!(inputs.outputs["vpc"].len(), 2);
        assert_eq!(serde_json::to_string(&inputs.calls["!exec date"]).unwrap(), "[1]");
        for bad in ["", "[]", "{\"vpc\": 1}", "{\"vpc\": {\"dev\": []}}"] {
            assert!(inputs.add_values(bad).is_err(), "{bad}");
        }
    }
}
