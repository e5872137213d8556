//! Plain messages for errors of libraries about invalid files.

use super::nearest;

/// The maximum number of names that are listed.
const MAX_NAMES: usize = 12;

/// The message of a reader of TOML, JSON or YAML as people write it: no types of the program, and a name that may have been
/// meant. A place at the end (`at line 1 column 2`) stays, as `(line 1, column 2)`.
pub fn plain(message: &str) -> String {
    let message = message.trim();
    let (message, place) = place(message);
    format!("{}{place}", words(message).unwrap_or_else(|| message.to_owned()))
}

/// A message without its place, and the place.
fn place(message: &str) -> (&str, String) {
    let found = message.rfind(" at line ").and_then(|at| {
        let (line, column) = message[at + " at line ".len()..].split_once(" column ")?;
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        (is_number(line) && is_number(column)).then(|| (&message[..at], format!(" (line {line}, column {column})")))
    });
    found.unwrap_or((message, String::new()))
}

/// The plain message; `None` if the message is plain already.
fn words(message: &str) -> Option<String> {
    if let Some((name, known)) = unknown(message, "unknown field `") {
        return Some(format!("unknown key `{name}`{}", hint(name, &known)));
    }
    if let Some((name, known)) = unknown(message, "unknown variant `") {
        return Some(format!("unknown value `{name}`{}", hint(name, &known)));
    }
    if let Some(name) = message.strip_prefix("missing field `").and_then(|rest| rest.strip_suffix('`')) {
        return Some(format!("the key `{name}` is missing"));
    }
    if let Some(name) = message.strip_prefix("duplicate field `").and_then(|rest| rest.strip_suffix('`')) {
        return Some(format!("the key `{name}` is set twice"));
    }
    for start in ["invalid type: ", "invalid value: "] {
        if let Some((found, wanted)) = message.strip_prefix(start).and_then(|rest| rest.rsplit_once(", expected ")) {
            return Some(format!("this must be {}, not {}", kind(wanted), given(found)));
        }
    }
    if message.starts_with("invalid length ") {
        let wanted = message.rsplit_once(", expected ").map_or("a map", |(_, wanted)| wanted);
        return Some(format!("this must be {}, not a list of a different length", kind(wanted)));
    }
    let known = match message {
        "duplicate key" => "this key is set twice",
        "expected value" => "a value is expected",
        "key must be a string" => "a key must be a string in quotes",
        "trailing characters" => "more text follows the end of the value",
        _ if message.starts_with("EOF while parsing") => "the text ends too early",
        _ if message.starts_with("data did not match any variant") => {
            "this must be a string, a number, `true` or `false`"
        }
        _ => return None,
    };
    Some(known.to_owned())
}

/// The name that is unknown, and those that are known.
fn unknown<'m>(message: &'m str, start: &str) -> Option<(&'m str, Vec<&'m str>)> {
    let rest = message.strip_prefix(start)?;
    let (name, known) = rest.split_once("`, ").or_else(|| rest.strip_suffix('`').map(|name| (name, "")))?;
    Some((name, known.split('`').skip(1).step_by(2).collect()))
}

/// A suggestion of a similar name, or the available names.
fn hint(name: &str, known: &[&str]) -> String {
    if let Some(near) = nearest(name, known.iter().copied()) {
        return format!("; did you mean `{near}`?");
    }
    let names: Vec<String> = known.iter().take(MAX_NAMES).map(|name| format!("`{name}`")).collect();
    let more = if known.len() > MAX_NAMES { ", …" } else { "" };
    if names.is_empty() { String::new() } else { format!("; allowed: {}{more}", names.join(", ")) }
}

/// A description of the expected type.
fn kind(wanted: &str) -> &str {
    match wanted {
        "a boolean" => "`true` or `false`",
        "a sequence" => "a list",
        "a string" | "str" => "a string in quotes",
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number from 0",
        "i8" | "i16" | "i32" | "i64" | "isize" => "a whole number",
        "f32" | "f64" => "a number",
        _ if wanted.starts_with("struct ") => "a map of keys and values",
        _ if wanted.starts_with("a map") => "a map of keys and values",
        _ if wanted.starts_with("enum ") => "one of the allowed values",
        _ => wanted,
    }
}

/// A description of the actual value.
fn given(found: &str) -> String {
    match found {
        "sequence" => "a list".to_owned(),
        "map" => "a map".to_owned(),
        "null" | "unit value" => "nothing".to_owned(),
        _ => match found.split_once(' ') {
            Some(("string", text)) => format!("the text {text}"),
            Some(("integer" | "floating point", number)) => format!("the number {number}"),
            Some(("boolean", flag)) => flag.to_owned(),
            _ => found.to_owned(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn messages_of_libraries_in_plain_words() {
        for (message, expected) in [
            (
                "unknown field `strikt`, expected one of `strict`, `rules`",
                "unknown key `strikt`; did you mean `strict`?",
            ),
            (
                "unknown field `x`, expected `schema` or `findings` at line 1 column 10",
                "unknown key `x`; allowed: `schema`, `findings` (line 1, column 10)",
            ),
            ("unknown field `x`, there are no fields", "unknown key `x`"),
            (
                "unknown variant `warn`, expected one of `error`, `warning`, `note`",
                "unknown value `warn`; allowed: `error`, `warning`, `note`",
            ),
            ("unknown variant `eror`, expected one of `error`, `off`", "unknown value `eror`; did you mean `error`?"),
            ("invalid type: integer `1`, expected a boolean", "this must be `true` or `false`, not the number `1`"),
            ("invalid type: string \"a\", expected a sequence", "this must be a list, not the text \"a\""),
            (
                "invalid type: integer `1`, expected struct SetContent",
                "this must be a map of keys and values, not the number `1`",
            ),
            (
                "invalid length 0, expected struct Entry with 3 elements",
                "this must be a map of keys and values, not a list of a different length",
            ),
            ("invalid value: integer `-3`, expected u64", "this must be a whole number from 0, not the number `-3`"),
            ("missing field `rules`", "the key `rules` is missing"),
            ("EOF while parsing a value at line 2 column 0", "the text ends too early (line 2, column 0)"),
            (
                "data did not match any variant of untagged enum ValueContent",
                "this must be a string, a number, `true` or `false`",
            ),
            (
                "string values must be quoted, expected literal string",
                "string values must be quoted, expected literal string",
            ),
        ] {
            assert_eq!(plain(message), expected);
        }
    }
}
