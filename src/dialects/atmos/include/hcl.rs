//! HCL files (`.hcl`, `.tf`, `.tfvars`): attributes whose expressions need nothing from outside.

mod expr;

use crate::value::{Data, Map, Value};
use expr::{Number, Val};
use hcl_edit::structure::{Body, Structure};

/// Larger files are refused.
const MAX_BYTES: usize = 4 << 20;
/// Brackets, interpolations and runs of operators inside each other.
const MAX_DEPTH: usize = 60;

/// The attributes of a file by name. Fractions of numbers are cut off, null is an empty map.
///
/// # Errors
/// Bad syntax, blocks, references to variables or functions.
pub(super) fn parse(bytes: &[u8]) -> Result<Value, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "invalid UTF-8".to_owned())?;
    if text.len() > MAX_BYTES || nesting(text) > MAX_DEPTH {
        return Err("the file is too large or its expressions are nested too deeply".to_owned());
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let body: Body = hcl_edit::parser::parse_body(text).map_err(|e| {
        let place = e.location();
        format!("{},{}: {}", place.line(), place.column(), e.message())
    })?;
    let mut map = Map::new();
    for structure in body.iter() {
        match structure {
            Structure::Block(block) => {
                let name = block.ident.as_str();
                return Err(format!("Unexpected {name:?} block; Blocks are not allowed here."));
            }
            Structure::Attribute(attribute) => {
                let name = attribute.key.as_str();
                if map.has(name) {
                    return Err(format!("Attribute redefined; The argument {name:?} was already set."));
                }
                let value = expr::evaluate(&attribute.value, text).map_err(|e| format!("{name}: {e}"))?;
                map.set(name, convert(&value)?);
            }
        }
    }
    Ok(Value::map(map))
}

fn convert(value: &Val) -> Result<Value, String> {
    Ok(match value {
        Val::Null => Value::map(Map::new()),
        // A null that took on the type of the other branch crashes the reference.
        Val::TypedNull => return Err("null where a value of another type is expected".to_owned()),
        Val::Bool(b) => Value::new(Data::Bool(*b)),
        Val::Number(Number::Int(n)) => whole(*n as f64, i64::try_from(*n).ok()),
        Val::Number(Number::Float(f)) => whole(*f, Some(*f as i64).filter(|_| f.abs() < 9.2e18)),
        Val::Str(s) => Value::str(s.as_str()),
        Val::List(items) => Value::list(items.iter().map(convert).collect::<Result<_, _>>()?),
        Val::Map(map) => {
            let pairs = map.iter().map(|(k, v)| Ok((k.as_str().into(), convert(v)?)));
            Value::map(pairs.collect::<Result<Map, String>>()?)
        }
    })
}

/// Numbers go no further than 64 bits.
fn whole(f: f64, n: Option<i64>) -> Value {
    Value::new(Data::Int(n.unwrap_or(if f < 0.0 { i64::MIN } else { i64::MAX })))
}

/// How deep the expression tree may get, by a count that does not understand the text: brackets and operators inside of
/// plain texts count as far as they are not obviously harmless.
fn nesting(text: &str) -> usize {
    let (mut depth, mut prefixes, mut binaries, mut deepest) = (0usize, 0usize, 0usize, 0usize);
    for line in text.lines() {
        let trimmed = line.trim_start();
        if trimmed.starts_with('#') || trimmed.starts_with("//") {
            continue;
        }
        if depth == 0 {
            (prefixes, binaries) = (0, 0);
        }
        // Where a text holds expressions, quotes nest and say nothing.
        let plain_quotes = !line.contains("${") && !line.contains("%{");
        let (mut quoted, mut escaped, mut signs, mut before) = (false, false, 0usize, 0u8);
        for b in line.bytes() {
            if plain_quotes && b == b'"' && !escaped {
                quoted = !quoted;
            }
            escaped = b == b'\\' && !escaped;
            if quoted {
                continue;
            }
            match b {
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' => depth = depth.saturating_sub(1),
                b'?' | b'!' => prefixes += 1,
                b'+' | b'-' | b'*' | b'/' | b'%' | b'<' | b'>' | b'&' | b'|' | b'.' => binaries += 1,
                b'=' if before == b'=' => binaries += 1,
                _ => {}
            }
            signs = if b == b'-' { signs + 1 } else { 0 };
            before = b;
            deepest = deepest.max(depth).max(prefixes).max(signs / 8).max(binaries / 100);
        }
    }
    deepest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str) -> Result<Value, String> {
        parse(format!("a = {text}\n").as_bytes()).map(|v| v.get("a").cloned().unwrap_or_default())
    }

    #[test]
    fn what_is_too_large_or_too_deep_is_not_parsed() {
        let nested = |n: usize| one(&format!("{}1{}", "[".repeat(n), "]".repeat(n)));
        assert!(nested(MAX_DEPTH - 1).is_ok());
        assert!(nested(MAX_DEPTH + 1).unwrap_err().contains("nested too deeply"));
        assert!(parse("\n".repeat(MAX_BYTES).as_bytes()).is_ok());
        assert!(parse("\n".repeat((4 << 20) + 1).as_bytes()).unwrap_err().contains("too large"));
    }

    #[test]
    fn scalars() {
        for (text, want) in [
            ("2 + 3", Data::Int(5)),
            ("0.5", Data::Int(0)),
            ("-7 / 2", Data::Int(-3)),
            ("12345678901234567890", Data::Int(i64::MAX)),
            ("9007199254740993", Data::Int(9_007_199_254_740_993)),
            ("\"5\" + 1", Data::Int(6)),
            ("1 < 2 && !false", Data::Bool(true)),
            ("\"x${1 + 1}y\"", Data::Str("x2y".into())),
            ("\"${true}\"", Data::Bool(true)),
            ("true ? 1 : \"x\"", Data::Str("1".into())),
            ("<<-EOT\n    one\n      two\n  EOT", Data::Str("one\n  two\n".into())),
            ("<<EOT\n  one\nEOT", Data::Str("  one\n".into())),
            ("true ? 1 : foo", Data::Int(1)),
            ("0.1 + 0.2 == 0.3", Data::Bool(true)),
            ("1 / 0", Data::Int(i64::MAX)),
            ("[for x in [1, 2, 3]: x * 2 if x > 1][0]", Data::Int(4)),
            ("{ for k, v in { b = 1 }: k => v + 1 }.b", Data::Int(2)),
            ("([{ b = 1 }, { b = 2 }][*].b)[1]", Data::Int(2)),
            ("\"%{ if 1 > 2 }x%{ else }y%{ endif }\"", Data::Str("y".into())),
        ] {
            assert_eq!(one(text).map(|v| v.data), Ok(want), "{text}");
        }
        assert_eq!(one("null").unwrap(), Value::map(Map::new()));
    }

    #[test]
    fn refused() {
        for text in [
            "var.x",
            "upper(\"x\")",
            "0 / 0",
            "\"x\ny\"",
            "\"x\" + 1",
            "\"x${null}\"",
            "[1][3]",
            "{}.b",
            "1\na = 2",
            "b {}",
        ] {
            assert!(one(text).is_err(), "{text}");
        }
        assert!(parse(b"b \"x\" {\n}\n").is_err());
        assert!(
            one(&"(".repeat(50_000)).is_err() && one(&"-".repeat(50_000)).is_err() && one(&"!".repeat(9000)).is_err()
        );
        for text in [format!("{}1", "1 + ".repeat(5900)), format!("\"${{{}1}}\"", "1 + ".repeat(300_000))] {
            assert!(one(&text).is_err());
        }
        let brackets = format!("{}1{}", "[".repeat(59), "]".repeat(59));
        let interpolations = format!("{}1{}", "\"${".repeat(59), "}\"".repeat(59));
        assert!(
            one(&brackets).is_ok() && one(&interpolations).is_ok() && one(&format!("{}true", "!".repeat(58))).is_ok()
        );
        assert!(one(&format!("[{}]", "\"arn:aws:s3:::a-b-c/d/e\", ".repeat(5000))).is_ok());
    }
}
