//! Evaluates YAML functions of a component, after its templates, with external inputs (`reference: atmos.md` sections
//! 8.2 and 8.4). Nothing is executed: values without an input are unknown, with the reason.

use crate::dialects::EvalInputs;
use crate::dialects::atmos::functions::arguments;
use crate::dialects::atmos::functions::calls;
use crate::dialects::atmos::functions::{Env, json_or_text, reason};
use crate::dialects::atmos::include::{QueryError, query};
use crate::dialects::atmos::merge::deferred::{Deferral, put, resolved};
use crate::dialects::atmos::reader::plain_text;
use crate::limits::{Limit, Limits};
use crate::text::Text;
use crate::value::{Data, Flags, Key, Language, Map, MapBuilder, Unknown, Value};
use std::sync::Arc;

/// The key under which contributions to deferred places go through the templates together with their component.
const WAITING: &str = "\u{f8f2}";

/// External inputs.
#[derive(Clone, Copy)]
pub(crate) struct ExternalInputs<'a> {
    /// The inputs of the user; without them functions are not evaluated.
    pub eval_inputs: Option<&'a EvalInputs>,
    /// The environment variables among it.
    pub env: &'a Env,
    /// The absolute path of the repository; empty if there is no work tree.
    pub root: &'a str,
    /// How values are to be read.
    pub language: Language,
    /// Whether environment variables without an input are assumed to be unset.
    pub assumes_env: bool,
}

/// Puts what the places that wait for functions have into a component, so that its templates are rendered too.
pub(super) fn attach(map: &mut Map, deferrals: &[Deferral]) {
    let waiting: Vec<Value> = deferrals.iter().map(|d| Value::list(d.values.clone())).collect();
    if !waiting.is_empty() {
        map.set(WAITING, Value::list(waiting));
    }
}

/// Evaluates the functions of a rendered component of a stack.
///
/// `outputs` returns the outputs of a component of a stack, if they are known.
pub(crate) fn evaluate(
    mut map: Map,
    deferrals: &[Deferral],
    stack: &str,
    external: ExternalInputs<'_>,
    outputs: &dyn Fn(&str, &str) -> Option<Value>,
) -> Map {
    let Some(eval_inputs) = external.eval_inputs else { return map };
    let waiting = map.remove(WAITING);
    let run = Evaluation { eval_inputs, external, outputs, stack, component: map.clone() };
    let mut out = run.map(&Arc::new(map));
    let waiting = waiting.as_ref().and_then(Value::as_list).map_or(&[][..], |l| l);
    for (deferral, values) in deferrals.iter().zip(waiting) {
        let values: Vec<Value> =
            values.as_list().into_iter().flat_map(|l| l.iter()).filter_map(|v| run.value(v)).collect();
        let layers = Value::map((*out).clone()).at_path(deferral.path.iter().map(|k| &**k)).map(|v| v.prov.clone());
        let mut value = resolved(&values, deferral.strategy).unwrap_or_else(|| run.unresolved(&values, deferral));
        if let Some(layers) = layers.filter(|p| !p.layers().is_empty()) {
            value.prov = value.prov.with_layers(layers.layers().to_vec());
        }
        // A value in the way was reported while the layers were merged.
        let _ = put(&mut out, &deferral.path, value);
    }
    (*out).clone()
}

struct Evaluation<'a> {
    eval_inputs: &'a EvalInputs,
    external: ExternalInputs<'a>,
    outputs: &'a dyn Fn(&str, &str) -> Option<Value>,
    stack: &'a str,
    component: Map,
}

impl Evaluation<'_> {
    fn map(&self, map: &Arc<Map>) -> Arc<Map> {
        if !map.flags().has(Flags::CALL) {
            return Arc::clone(map);
        }
        let mut out = MapBuilder::with_capacity(map.len());
        for entry in map.iter() {
            if let Some(value) = self.value(&entry.value) {
                out.push(Text::clone(&entry.key), value);
            }
        }
        Arc::new(out.finish())
    }

    /// The value with its functions evaluated; `None` if it is to be removed.
    fn value(&self, value: &Value) -> Option<Value> {
        let data = match &value.data {
            Data::Map(map) => Data::Map(self.map(map)),
            Data::List(items) if value.holds(Flags::CALL) => {
                Data::List(Arc::new(items.iter().filter_map(|item| self.value(item)).collect()))
            }
            Data::Str(text) => match calls::split(text) {
                Some(("!unset", _)) => return None,
                Some((name, arguments)) => self.call(text, name, arguments),
                None => return Some(value.clone()),
            },
            _ => return Some(value.clone()),
        };
        Some(Value { data, prov: value.prov.clone() })
    }

    fn call(&self, text: &Text, name: &str, arguments: &str) -> Data {
        let given = self
            .eval_inputs
            .calls
            .iter()
            .find(|(call, _)| ***call == **text || self.external.language.same_call(call, text));
        if let Some((_, value)) = given {
            return value.data.clone();
        }
        if self.external.language.call(&Value::str(Text::clone(text))).is_none() {
            // Its arguments are invalid; a rule reports that.
            return Data::Str(Text::clone(text));
        }
        let metadata = |key: &str| self.component.get("metadata").and_then(|m| m.get(key));
        let labels = || metadata("labels").and_then(Value::as_map).cloned().unwrap_or_default();
        let list = |items: Vec<Value>| Data::List(Arc::new(items));
        let known = match name {
            "!template" => Some(json_or_text(arguments)),
            "!env" => self.variable(arguments),
            "!labels" => Some(Data::Map(labels())),
            "!labels.keys" => Some(list(labels().keys().map(|k| Value::str(Text::clone(k))).collect())),
            "!labels.values" => Some(list(labels().iter().map(|e| e.value.clone()).collect())),
            "!tags" => Some(metadata("tags").map_or_else(|| list(Vec::new()), |tags| tags.data.clone())),
            "!repo-root" | "!git.root" => {
                (!self.external.root.is_empty()).then(|| Data::Str(self.external.root.into()))
            }
            "!terraform.output" | "!terraform.state" => self.output(arguments),
            // Accepted tags that Atmos never evaluates here.
            "!cwd" | "!random" | "!cel" => Some(Data::Str(Text::clone(text))),
            _ => None,
        };
        known.unwrap_or_else(|| {
            let reason = reason(name, arguments).unwrap_or_else(|| format!("`{name}` is not evaluated"));
            let assumed = (name == "!env" && self.external.assumes_env)
                .then(|| Box::new(Value::str(crate::dialects::atmos::functions::env_default(arguments))));
            Data::Unknown(Arc::new(Unknown { assumed, ..Unknown::new(Text::clone(text), reason) }))
        })
    }

    /// The environment of the component takes precedence over the inputs.
    fn variable(&self, arguments: &str) -> Option<Data> {
        let (name, _) = arguments::parse_env(arguments).ok()?;
        let own = self.component.get("env").and_then(|env| env.get(&name));
        let text = match own.map(|v| &v.data) {
            Some(Data::Str(text)) if !text.starts_with('!') => text.to_string(),
            Some(Data::Bool(b)) => b.to_string(),
            Some(Data::Int(i)) => i.to_string(),
            Some(_) => return None,
            None => self.eval_inputs.env.get(&name)?.clone(),
        };
        Some(Data::Str(text.into()))
    }

    /// Returns the input for an output, by name or query.
    fn output(&self, arguments: &str) -> Option<Data> {
        let parsed = arguments::parse_terraform(arguments).ok()?;
        let stack = parsed.stack.as_deref().unwrap_or(self.stack);
        let given = self.eval_inputs.outputs.get(&parsed.component).and_then(|stacks| stacks.get(stack)).cloned();
        let outputs = &given.or_else(|| (self.outputs)(&parsed.component, stack))?;
        if let Some(value) = outputs.get(parsed.expression.strip_prefix('.').unwrap_or(&parsed.expression)) {
            return Some(value.data.clone());
        }
        let dot = if parsed.expression.starts_with('.') { "" } else { "." };
        let (limits, expression) = (Limits::default(), format!("{dot}{}", parsed.expression));
        let yaml = |text: &str| plain_text(text, limits);
        match query(outputs, &expression, &yaml, &mut limits.get(Limit::TemplateSteps)) {
            // There is no value: it may have no input.
            Ok(value) if value.is_null() => None,
            Ok(value) => Some(value.data),
            Err(QueryError::Bad(_) | QueryError::Unsupported(_) | QueryError::TooMuch) => None,
        }
    }

    /// A place that hangs on functions that are not known; printed as if they were left alone.
    fn unresolved(&self, values: &[Value], deferral: &Deferral) -> Value {
        let unknown = values.iter().filter_map(|v| match &v.data {
            Data::Unknown(unknown) => Some(unknown),
            _ => None,
        });
        let mut reasons: Vec<Text> = unknown.clone().flat_map(|u| u.reasons.iter().cloned()).collect();
        reasons.dedup();
        let text: Key = unknown.map(|u| Text::clone(&u.text)).next_back().unwrap_or_default();
        let last = deferral.values.last().cloned().unwrap_or_default();
        let assumed = Some(Box::new(Value::new(last.data))).filter(|v| v.as_str().is_none());
        Value {
            data: Data::Unknown(Arc::new(Unknown { text, assumed, reasons, ..Unknown::default() })),
            prov: last.prov,
        }
    }
}
