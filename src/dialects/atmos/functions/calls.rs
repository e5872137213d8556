//! Recognizes strings of a component as calls of YAML functions (`reference: atmos.md` section 8.2): each function has
//! its own grammar, and for some the type of the result is known.

use super::arguments::{self, ArgError};
use super::tags::{self, Tag};
use crate::dialects::atmos::functions::json_or_text;
use crate::dialects::atmos::vocabulary::VOCABULARY;
use crate::text::Text;
use crate::value::{Call, Language, Mark, Output, Reading, Value, ValueKind, is_call};

/// How Atmos's values are to be read.
pub(crate) fn language(promised_merge: bool) -> Language {
    Language { read, mark, has_layers: true, promised_merge, vocabulary: &VOCABULARY }
}

/// Template functions whose result is the JSON text of their argument.
const TO_JSON: [&str; 6] = ["toJson", "toRawJson", "toPrettyJson", "mustToJson", "mustToRawJson", "data.ToJSON"];

/// The function of a string and its arguments as text; `None` if it is not a call.
pub(crate) fn split(text: &str) -> Option<(&str, &str)> {
    if !is_call(text) {
        return None;
    }
    let (name, arguments) = tags::split(text);
    (tags::lookup(name) == Some(Tag::Call)).then_some((name, arguments))
}

/// Parses a string.
fn read(text: &str) -> Option<Reading> {
    let (name, arguments) = split(text)?;
    match parse(name, arguments) {
        Ok(call) => Some(Reading::Call(call)),
        // The result of a template is not known yet.
        Err(_) if arguments.contains("{{") => Some(Reading::Call(Call {
            function: name.into(),
            arguments: vec![arguments.into()],
            kind: gives(name),
            ..Call::default()
        })),
        Err(reason) => Some(Reading::Refused(reason)),
    }
}

/// Returns the mark of a value as written.
fn mark(source: &str) -> Option<Mark> {
    let tag = source.split(|c: char| c.is_whitespace() || matches!(c, ',' | ']' | '}')).next()?;
    match tag.trim_matches(['"', '\'']) {
        "!append" if tag.starts_with('!') => Some(Mark::Append),
        "!unset" => Some(Mark::Unset),
        _ => None,
    }
}

/// The query of an output as Atmos runs it: from the root on, `id` is `.id`. Blanks outside of quotes do not count.
fn query(expression: &str) -> String {
    let dot = if expression.starts_with('.') { "" } else { "." };
    let mut query = String::with_capacity(expression.len() + 1);
    query.push_str(dot);
    let mut quote = None;
    for c in expression.trim().chars() {
        let is_blank = c.is_whitespace() && quote.is_none();
        if is_blank && query.ends_with(' ') {
            continue;
        }
        match quote {
            Some(open) if open == c => quote = None,
            None if matches!(c, '"' | '\'') => quote = Some(c),
            _ => {}
        }
        query.push(if is_blank { ' ' } else { c });
    }
    query
}

/// Returns the type of a function's result, if it does not depend on the arguments.
fn gives(name: &str) -> Option<ValueKind> {
    match name {
        "!env" | "!repo-root" | "!cwd" | "!random" | "!cel" => Some(ValueKind::String),
        "!labels" => Some(ValueKind::Map),
        "!tags" | "!labels.keys" | "!labels.values" => Some(ValueKind::List),
        n if n.starts_with("!aws.") || n.starts_with("!git.") => Some(ValueKind::String),
        _ => None,
    }
}

/// Why a function rejects its arguments, if it does.
pub(super) fn refused(name: &str, arguments: &str) -> Option<String> {
    parse(name, arguments).err()
}

/// The message for arguments that Atmos rejects.
fn refusal(name: &str, message: &str) -> String {
    match message {
        m if m.contains("requires 2 or 3") => {
            format!("`{name}` takes a component and an output, or a component, a stack and an output")
        }
        m if m.contains("requires 3 or 4") => "`!store` takes a store, a component and a key".to_owned(),
        m if m.contains("requires 2 p") => "`!store.get` takes a store and a key".to_owned(),
        m if m.contains("accepts 1 or 2") => "`!env` takes the name of a variable and a default".to_owned(),
        m => format!("`{name}`: {m}"),
    }
}

fn parse(name: &str, arguments: &str) -> Result<Call, String> {
    let words = |list: Vec<String>| list.into_iter().map(Text::from).collect::<Vec<Text>>();
    let mut call = Call { function: name.into(), kind: gives(name), ..Call::default() };
    let refused = |e: ArgError| refusal(name, &e.message);
    match name {
        "!template" => {
            if arguments.is_empty() {
                return Err("`!template` needs a string".to_owned());
            }
            call.arguments = vec![arguments.into()];
            if arguments.contains("{{") {
                call.json_of = json_of(arguments);
            } else {
                call.kind = ValueKind::of(&Value::new(json_or_text(arguments)));
            }
        }
        "!exec" if arguments.is_empty() => return Err("`!exec` needs a command".to_owned()),
        "!env" => {
            if arguments.is_empty() {
                return Err("`!env` requires a variable name".to_owned());
            }
            let (variable, default) = arguments::parse_env(arguments).map_err(refused)?;
            call.arguments = words(vec![variable, default]);
        }
        "!terraform.output" | "!terraform.state" => {
            if arguments.is_empty() {
                return Err(format!("`{name}` needs a component and an output"));
            }
            let parsed = arguments::parse_terraform(arguments).map_err(refused)?;
            let stack = parsed.stack.clone().unwrap_or_default();
            call.arguments = words(vec![parsed.component.clone(), stack, query(&parsed.expression)]);
            call.kind = default_kind(&parsed.expression);
            call.output = Some(Output {
                component: parsed.component.into(),
                stack: parsed.stack.map(Text::from),
                expression: parsed.expression.into(),
            });
        }
        "!store" | "!store.get" => {
            let parsed = match name {
                "!store" => arguments::parse_store(arguments),
                _ => arguments::parse_store_get(arguments),
            };
            let parsed = parsed.map_err(refused)?;
            call.arguments = words(parsed.words);
            let options = [("default", parsed.default), ("query", parsed.query)];
            call.arguments.extend(options.into_iter().filter_map(|(k, v)| Some(format!("{k}={}", v?).into())));
        }
        // These are recognized by their whole text: with an argument they stay text.
        "!tags" | "!labels" | "!labels.keys" | "!labels.values" if !arguments.is_empty() => {
            return Err(format!("`{name}` does not accept arguments"));
        }
        n if n.starts_with("!aws.") && !arguments.is_empty() => return Err(format!("`{n}` does not accept arguments")),
        _ => call.arguments = if arguments.is_empty() { Vec::new() } else { vec![arguments.into()] },
    }
    Ok(call)
}

/// Returns the type of the default in a query (`.subnets // []`), which the output has as well.
fn default_kind(expression: &str) -> Option<ValueKind> {
    let (_, default) = expression.rsplit_once("//")?;
    let json = serde_json::from_str::<serde_json::Value>(default.trim()).ok()?;
    Some(match json {
        serde_json::Value::Bool(_) => ValueKind::Bool,
        serde_json::Value::Number(_) => ValueKind::Number,
        serde_json::Value::String(text) if !text.is_empty() => ValueKind::String,
        serde_json::Value::Array(_) => ValueKind::List,
        serde_json::Value::Object(_) => ValueKind::Map,
        // An empty string stands for anything that is missing.
        _ => return None,
    })
}

/// `{{ toJson .settings.x }}` and `{{ .settings.x | toJson }}`: the path.
fn json_of(text: &str) -> Option<Vec<Text>> {
    let inner = text.strip_prefix("{{")?.strip_suffix("}}")?;
    let inner = inner.strip_prefix('-').unwrap_or(inner);
    let inner = inner.strip_suffix('-').unwrap_or(inner).trim();
    let path = TO_JSON.iter().find_map(|function| {
        let called = inner.strip_prefix(function).filter(|rest| rest.starts_with([' ', '(']));
        let piped = || Some(inner.strip_suffix(function)?.trim_end().strip_suffix('|')?.trim());
        called.or_else(piped)
    })?;
    let path = path.trim();
    let path = path.strip_prefix('(').and_then(|p| p.strip_suffix(')')).unwrap_or(path).trim();
    let is_name = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || c == '_');
    let parts: Vec<&str> = path.strip_prefix('.')?.split('.').collect();
    parts.iter().all(|p| is_name(p)).then(|| parts.into_iter().map(Text::from).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(text: &str) -> Call {
        match read(text) {
            Some(Reading::Call(call)) => call,
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn kinds_are_reported_where_they_can_be() {
        for (text, kind) in [
            ("!template {\"a\": 1}", Some(ValueKind::Map)),
            ("!template [1, 2]", Some(ValueKind::List)),
            ("!template{\"a\": 1}", Some(ValueKind::Map)),
            ("!template 12", Some(ValueKind::Number)),
            ("!template true", Some(ValueKind::Bool)),
            ("!template null", Some(ValueKind::Null)),
            ("!template some text", Some(ValueKind::String)),
            ("!template {{ .x }}", None),
            ("!env HOME", Some(ValueKind::String)),
            ("!env {{ .x }} {{ .y }} z", Some(ValueKind::String)),
            ("!terraform.state vpc id", None),
            ("!terraform.state vpc '.subnets // []'", Some(ValueKind::List)),
            ("!terraform.output vpc .x // \"\"", None),
            ("!terraform.output vpc .x // 5", Some(ValueKind::Number)),
            ("!store s c k | default x", None),
            ("!exec ls", None),
            ("!labels", Some(ValueKind::Map)),
            ("!tags", Some(ValueKind::List)),
            ("!aws.region", Some(ValueKind::String)),
            ("!unset", None),
        ] {
            assert_eq!(call(text).kind, kind, "{text}");
        }
    }

    #[test]
    fn json_texts_of_values() {
        let path = |text: &str| call(text).json_of.map(|p| p.join("."));
        for text in [
            "!template {{ toJson .settings.a_b }}",
            "!template {{- .settings.a_b | toJson -}}",
            "!template {{toJson (.settings.a_b)}}",
        ] {
            assert_eq!(path(text).as_deref(), Some("settings.a_b"), "{text}");
        }
        for text in [
            "!template {{ toJson .a }} {{ toJson .b }}",
            "!template {{ toJson (merge .a .b) }}",
            "!template {{ .a | first | toJson }}",
            "!template x{{ toJson .a }}",
        ] {
            assert_eq!(path(text), None, "{text}");
        }
    }

    #[test]
    fn refusals() {
        let refused = |text: &str| matches!(read(text), Some(Reading::Refused(_)));
        for text in [
            "!env",
            "!env A b c",
            "!env 'A",
            "!exec",
            "!template",
            "!template  ",
            "!terraform.state",
            "!terraform.state vpc",
            "!terraform.state a b c d",
            "!terraform.output \"vpc id",
            "!store s k",
            "!store.get s",
            "!store s c k | default a b",
            "!tags x",
            "!aws.region eu",
        ] {
            assert!(refused(text), "{text}");
        }
        for text in [
            "!terraform.state a b",
            "!terraform.state a b c",
            "!terraform.state {{ .x }}",
            "!store.get s k",
            "!env A",
            "!env\"HOME\"",
            "!unset",
            "!cwd",
            "!version x",
            "plain",
            "!environment",
            "!important",
            "!",
            "!(x)",
        ] {
            assert!(!refused(text), "{text}");
        }
        assert_eq!(call("!terraform.state a b").output.map(|o| (o.component, o.stack, o.expression)), {
            Some(("a".into(), None, "b".into()))
        });
    }

    #[test]
    fn calls_are_equal_by_function_and_arguments() {
        let language = language(false);
        assert!(language.same_call("!env  HOME", "!env \"HOME\""));
        assert!(language.same_call("!terraform.state vpc  dev id", "!terraform.state vpc dev id"));
        for other in ["vpc .id", "vpc \".id\"", "vpc '.id'", "vpc  id", " vpc id ", "vpc \"id \""] {
            assert!(language.same_call("!terraform.output vpc id", &format!("!terraform.output {other}")), "{other}");
        }
        for other in ["vpc .ids", "vpc dev id", "dev vpc id", "vpc ..id"] {
            assert!(!language.same_call("!terraform.output vpc id", &format!("!terraform.output {other}")), "{other}");
        }
        let defaulted = |rest: &str| format!("!terraform.state vpc .a{rest}");
        assert!(language.same_call(&defaulted(" // \"x  y\""), &defaulted("  //  \"x  y\"")));
        assert!(!language.same_call(&defaulted(" // \"x  y\""), &defaulted(" // \"x y\"")));
        assert!(!language.same_call("!terraform.state vpc id", "!terraform.output vpc id"));
        assert!(!language.same_call("!env A", "!env A b"));
        assert!(!language.same_call("plain", "plain"));
    }

    #[test]
    fn marks() {
        assert_eq!(mark("!append [a]"), Some(Mark::Append));
        assert_eq!(mark("!append\n  - a"), Some(Mark::Append));
        assert_eq!(mark("\"!append\" x"), None);
        assert_eq!(mark("!unset"), Some(Mark::Unset));
        assert_eq!(mark("\"!unset\""), Some(Mark::Unset));
        assert_eq!(mark("!unset}"), Some(Mark::Unset));
        assert_eq!(mark("[a]"), None);
        assert_eq!(mark("!appendix"), None);
    }
}
