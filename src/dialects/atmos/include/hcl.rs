//! HCL files (`.hcl`, `.tf`, `.tfvars`): attributes whose expressions need nothing from outside, and call no function.

use crate::hcl::ast::{Attribute, SyntaxError};
use crate::hcl::eval::{Budget, Evaluator, NoNames};
use crate::hcl::functions::NoFiles;
use crate::hcl::parse::{Layout, parse_body};
use crate::hcl::types::Type;
use crate::hcl::val::number::Number;
use crate::hcl::val::{Data as HclData, Val};
use crate::value::{Data, FileId, Map, Value};

/// Larger files are rejected.
const MAX_BYTES: usize = 4 << 20;
/// Steps that the evaluation of one attribute may take.
const MAX_STEPS: u64 = 1_000_000;

/// The attributes of a file by name. Fractions of numbers are cut off, null is an empty map.
///
/// # Errors
/// Bad syntax, blocks, references to variables or functions.
pub(super) fn parse(bytes: &[u8]) -> Result<Value, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "invalid UTF-8".to_owned())?;
    if text.len() > MAX_BYTES {
        return Err("the file is too large".to_owned());
    }
    let parsed = parse_body(text, Layout::Strict);
    if let Some(error) = parsed.errors.first() {
        return Err(message(text, error));
    }
    if let Some(block) = parsed.body.blocks.first() {
        return Err(format!("Unexpected {:?} block; Blocks are not allowed here.", &*block.kind.text));
    }
    let mut map = Map::new();
    for attribute in &parsed.body.attributes {
        let name = &*attribute.name.text;
        if map.has(name) {
            return Err(format!("Attribute redefined; The argument {name:?} was already set."));
        }
        let value = evaluate(attribute).map_err(|why| format!("{name}: {why}"))?;
        map.set(name, convert(&value)?);
    }
    Ok(Value::map(map))
}

/// A mistake with its line and column.
fn message(text: &str, error: &SyntaxError) -> String {
    let before = text.get(..error.span.start as usize).unwrap_or(text);
    let (above, line) = before.rsplit_once('\n').unwrap_or(("", before));
    let number = above.matches('\n').count() + usize::from(before.contains('\n')) + 1;
    format!("{number},{}: {}; {}", line.chars().count() + 1, error.summary, error.detail)
}

fn evaluate(attribute: &Attribute) -> Result<Val, String> {
    let budget = Budget::new(MAX_STEPS);
    // No place in the file is part of a result.
    let mut evaluator = Evaluator::new(FileId::new(0), &NoNames, &NoFiles, &budget).without_calls();
    let value = evaluator.eval(&attribute.expr);
    match evaluator.problems.first() {
        Some(problem) => Err(format!("{}; {}", problem.summary, problem.detail)),
        None => Ok(value),
    }
}

fn convert(value: &Val) -> Result<Value, String> {
    Ok(match &value.data {
        HclData::Null(Type::Dynamic) => Value::map(Map::new()),
        // A null that took on the type of the other branch crashes the reference.
        HclData::Null(_) => return Err("null where a value of another type is expected".to_owned()),
        HclData::Bool(b) => Value::new(Data::Bool(*b)),
        HclData::Number(number) => whole(number),
        HclData::Str(text) => Value::str(text.clone()),
        HclData::List(_, items) | HclData::Set(_, items) | HclData::Tuple(items) => {
            Value::list(items.iter().map(convert).collect::<Result<_, _>>()?)
        }
        HclData::Map(_, entries) | HclData::Object(entries) => {
            let pairs = entries.iter().map(|(key, value)| Ok((key.clone(), convert(value)?)));
            Value::map(pairs.collect::<Result<Map, String>>()?)
        }
        HclData::Unknown(..) | HclData::Partial(..) | HclData::Reference(_) => {
            return Err("the value is not known".to_owned());
        }
    })
}

/// Numbers go no further than 64 bits.
fn whole(number: &Number) -> Value {
    let limit = if number.is_negative() { i64::MIN } else { i64::MAX };
    Value::new(Data::Int(number.truncate().as_i64().unwrap_or(limit)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str) -> Result<Value, String> {
        parse(format!("a = {text}\n").as_bytes()).map(|v| v.get("a").cloned().unwrap_or_default())
    }

    #[test]
    fn what_is_too_large_is_not_parsed() {
        assert!(parse("\n".repeat(MAX_BYTES).as_bytes()).is_ok());
        assert!(parse("\n".repeat(MAX_BYTES + 1).as_bytes()).unwrap_err().contains("too large"));
    }

    #[test]
    fn mistakes_have_a_place() {
        assert_eq!(
            parse(b"a = 1\n\n\xc3\xa9 = [1 2]\n").unwrap_err().split(';').next(),
            Some("3,8: Missing item separator")
        );
        assert_eq!(parse(b"= 1").unwrap_err().split(';').next(), Some("1,1: Argument or block definition required"));
        let deep = one(&"[".repeat(1000)).unwrap_err();
        assert!(deep.contains("Too deep nesting"), "{deep}");
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
        assert!(one(&format!("[{}]", "\"arn:aws:s3:::a-b-c/d/e\", ".repeat(5000))).is_ok());
    }
}
