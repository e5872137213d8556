//! The meaning of scalars: go-yaml v3's resolution, YAML 1.1 leftovers included.

use std::borrow::Cow;

use super::node::Style;
use super::timestamp::{Timestamp, parse_timestamp};
use go_compat::encoding::base64_decode;

/// The typed meaning of a scalar.
#[derive(Clone, Debug, PartialEq)]
pub enum Scalar {
    /// `~`, `null` or nothing.
    Null,
    /// `true` or `false` in three casings each.
    Bool(bool),
    /// An integer within the range.
    Int(i64),
    /// An integer above `i64::MAX`.
    Uint(u64),
    /// A number with a fraction, an exponent or too many digits.
    Float(f64),
    /// The text itself.
    Str,
    /// A date or a time.
    Time(Timestamp),
    /// The bytes of `!!binary` text. go-yaml makes a string of them, which need not be UTF-8.
    Binary(Vec<u8>),
    /// An unquoted `<<` (or one tagged `!!merge`): a merge key if it is a key, the text `<<` elsewhere.
    Merge,
}

const CORE_PREFIX: &str = "tag:yaml.org,2002:";

/// `!!int` for `tag:yaml.org,2002:int`; other tags stay as they are.
pub fn short_tag(tag: &str) -> Cow<'_, str> {
    match tag.strip_prefix(CORE_PREFIX) {
        Some(name) => Cow::Owned(format!("!!{name}")),
        None => Cow::Borrowed(tag),
    }
}

/// Resolves a scalar with its style and its explicit tag (short or long form; `!` counts as none).
///
/// An error is go-yaml's text for a core tag that does not suit the text; decoding stops at it.
pub fn resolve(text: &str, style: Style, tag: Option<&str>) -> Result<Scalar, String> {
    let tag = tag.filter(|tag| !matches!(*tag, "" | "!")).map(short_tag);
    let Some(tag) = tag else {
        return Ok(match style {
            Style::Plain => plain(text, true),
            _ => Scalar::Str,
        });
    };
    let found = match &*tag {
        "!!str" => return Ok(Scalar::Str),
        "!!merge" if text == "<<" => return Ok(Scalar::Merge),
        "!!binary" => {
            let invalid = |_| "!!binary value contains invalid base64 data".to_owned();
            return base64_decode(text).map(Scalar::Binary).map_err(invalid);
        }
        // Quotes do not matter under an explicit core tag, and only `!!timestamp` still looks for dates.
        "!!null" | "!!bool" | "!!int" | "!!float" | "!!timestamp" => plain(text, tag == "!!timestamp"),
        _ => return Ok(Scalar::Str),
    };
    // Under a tag `<<` is not a merge key.
    let found = if found == Scalar::Merge { Scalar::Str } else { found };
    match (&*tag, &found) {
        ("!!float", Scalar::Int(int)) => Ok(Scalar::Float(*int as f64)),
        _ if tag == core_tag(&found) => Ok(found),
        _ => Err(format!("cannot decode {} `{text}` as a {tag}", core_tag(&found))),
    }
}

/// Returns the short tag that go-yaml uses for a resolved scalar.
pub(crate) fn core_tag(scalar: &Scalar) -> &'static str {
    match scalar {
        Scalar::Null => "!!null",
        Scalar::Bool(_) => "!!bool",
        Scalar::Int(_) | Scalar::Uint(_) => "!!int",
        Scalar::Float(_) => "!!float",
        Scalar::Str => "!!str",
        Scalar::Time(_) => "!!timestamp",
        Scalar::Binary(_) => "!!binary",
        Scalar::Merge => "!!merge",
    }
}

/// Whether plain `text` reads back as something else than the string itself. `<<` does not count: the writer does
/// not quote it.
pub(super) fn is_typed(text: &str) -> bool {
    !matches!(plain(text, true), Scalar::Str | Scalar::Merge)
}

fn plain(text: &str, dates: bool) -> Scalar {
    let Some(&first) = text.as_bytes().first() else { return Scalar::Null };
    match first {
        b'~' | b'n' | b'N' if matches!(text, "~" | "null" | "Null" | "NULL") => Scalar::Null,
        b't' | b'T' if matches!(text, "true" | "True" | "TRUE") => Scalar::Bool(true),
        b'f' | b'F' if matches!(text, "false" | "False" | "FALSE") => Scalar::Bool(false),
        b'<' if text == "<<" => Scalar::Merge,
        b'.' => match text {
            ".nan" | ".NaN" | ".NAN" => Scalar::Float(f64::NAN),
            ".inf" | ".Inf" | ".INF" => Scalar::Float(f64::INFINITY),
            _ => dotted(text).map_or(Scalar::Str, Scalar::Float),
        },
        b'+' | b'-' | b'0'..=b'9' => number(text, dates),
        _ => Scalar::Str,
    }
}

fn number(text: &str, dates: bool) -> Scalar {
    match text {
        "+.inf" | "+.Inf" | "+.INF" => return Scalar::Float(f64::INFINITY),
        "-.inf" | "-.Inf" | "-.INF" => return Scalar::Float(f64::NEG_INFINITY),
        _ => {}
    }
    if dates && let Some(time) = parse_timestamp(text) {
        return Scalar::Time(time);
    }
    let text = match text.contains('_') {
        true => Cow::Owned(text.replace('_', "")),
        false => Cow::Borrowed(text),
    };
    if let Some(int) = signed(&text, 0) {
        return Scalar::Int(int);
    }
    if let Some(uint) = unsigned(&text, 0) {
        return Scalar::Uint(uint);
    }
    if let Some(float) = float(&text) {
        return Scalar::Float(float);
    }
    // The reference tries binary and octal once more, and then allows a sign after the prefix.
    for (prefix, radix) in [("0b", 2), ("0o", 8)] {
        if let Some(digits) = text.strip_prefix(prefix) {
            if let Some(int) = signed(digits, radix) {
                return Scalar::Int(int);
            }
            if let Some(uint) = unsigned(digits, radix) {
                return Scalar::Uint(uint);
            }
        }
        let digits = text.strip_prefix('-').and_then(|text| text.strip_prefix(prefix));
        if let Some(int) = digits.and_then(|digits| signed(&format!("-{digits}"), radix)) {
            return Scalar::Int(int);
        }
    }
    Scalar::Str
}

/// Parses a float that begins with a dot. Here, unlike after a digit, underscores must be between digits.
fn dotted(text: &str) -> Option<f64> {
    if !text.contains('_') {
        return float(text);
    }
    let bytes = text.as_bytes();
    let digit = |index: Option<usize>| index.and_then(|index| bytes.get(index)).is_some_and(u8::is_ascii_digit);
    let between = |(index, _)| digit(usize::checked_sub(index, 1)) && digit(Some(index + 1));
    text.match_indices('_').all(between).then(|| float(&text.replace('_', "")))?
}

fn signed(text: &str, radix: u32) -> Option<i64> {
    let (negative, digits) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let magnitude = unsigned(digits, radix)?;
    match negative {
        true => 0_i64.checked_sub_unsigned(magnitude),
        false => i64::try_from(magnitude).ok(),
    }
}

/// Digits without a sign; radix 0 reads Go's prefixes, a leading zero meaning octal.
fn unsigned(text: &str, radix: u32) -> Option<u64> {
    let (digits, radix) = match (radix, text.as_bytes()) {
        (0, [b'0', b'x' | b'X', _, ..]) => (&text[2..], 16),
        (0, [b'0', b'o' | b'O', _, ..]) => (&text[2..], 8),
        (0, [b'0', b'b' | b'B', _, ..]) => (&text[2..], 2),
        (0, [b'0', _, ..]) => (&text[1..], 8),
        (0, _) => (text, 10),
        _ => (text, radix),
    };
    // The standard parser would take a sign.
    if !digits.starts_with(|first: char| first.is_ascii_alphanumeric()) {
        return None;
    }
    u64::from_str_radix(digits, radix).ok()
}

/// `[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?` within the range of a double.
fn float(text: &str) -> Option<f64> {
    let bytes = text.as_bytes();
    let digits = |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut at = usize::from(matches!(bytes.first(), Some(b'+' | b'-')));
    let whole = digits(at);
    at += whole;
    if bytes.get(at) == Some(&b'.') {
        let fraction = digits(at + 1);
        if whole == 0 && fraction == 0 {
            return None;
        }
        at += 1 + fraction;
    } else if whole == 0 {
        return None;
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        at += 1 + usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        let exponent = digits(at);
        if exponent == 0 {
            return None;
        }
        at += exponent;
    }
    if at != bytes.len() {
        return None;
    }
    text.parse().ok().filter(|float: &f64| float.is_finite())
}

#[cfg(test)]
mod tests {
    use super::Scalar::{Bool, Float, Int, Merge, Null, Str, Uint};
    use super::*;

    #[test]
    fn plain_scalars() {
        for (text, expected) in [
            ("", Null),
            ("~", Null),
            ("Null", Null),
            ("nULL", Str),
            ("True", Bool(true)),
            ("yes", Str),
            ("on", Str),
            ("017", Int(15)),
            ("0o17", Int(15)),
            ("-0o17", Int(-15)),
            ("0O17", Int(15)),
            ("0b101", Int(5)),
            ("0b-1", Int(-1)),
            ("0o+7", Int(7)),
            ("-0b-1", Str),
            ("0x1F", Int(31)),
            ("0x_1F", Int(31)),
            ("-0x1F", Int(-31)),
            ("0x", Str),
            ("0xZZ", Str),
            ("00", Int(0)),
            ("08", Float(8.0)),
            ("019", Float(19.0)),
            ("1_000", Int(1000)),
            ("1__0", Int(10)),
            ("1_", Int(1)),
            ("_1", Str),
            ("+5", Int(5)),
            ("-9223372036854775808", Int(i64::MIN)),
            ("-9223372036854775809", Float(-9223372036854775809.0)),
            ("12345678901234567890", Uint(12345678901234567890)),
            ("18446744073709551616", Float(18446744073709551616.0)),
            ("1.", Float(1.0)),
            ("5.e3", Float(5000.0)),
            (".5", Float(0.5)),
            ("-.5", Float(-0.5)),
            (".5_0", Float(0.5)),
            (".5_", Str),
            ("._5", Str),
            ("1_0.5", Float(10.5)),
            ("1e400", Str),
            ("1e", Str),
            ("0x1p4", Str),
            ("inf", Str),
            (".Inf", Float(f64::INFINITY)),
            ("-.INF", Float(f64::NEG_INFINITY)),
            ("1:30", Str),
            ("-", Str),
            (".", Str),
            ("=", Str),
            ("<<", Merge),
        ] {
            assert_eq!(resolve(text, Style::Plain, None).unwrap(), expected, "{text}");
            assert_eq!(resolve(text, Style::SingleQuoted, None).unwrap(), Str, "quoted {text}");
        }
        assert!(matches!(resolve("2024-01-01", Style::Plain, None).unwrap(), Scalar::Time(_)));
    }

    #[test]
    fn tagged_scalars() {
        for (text, tag, expected) in [
            ("12", "!!str", Ok(Str)),
            ("12", "!", Ok(Int(12))),
            ("12", "tag:yaml.org,2002:int", Ok(Int(12))),
            ("12", "!!float", Ok(Float(12.0))),
            ("abc", "!!int", Err("cannot decode !!str `abc` as a !!int")),
            ("1.5", "!!int", Err("cannot decode !!float `1.5` as a !!int")),
            ("18446744073709551615", "!!float", Err("cannot decode !!int `18446744073709551615` as a !!float")),
            ("yes", "!!bool", Err("cannot decode !!str `yes` as a !!bool")),
            ("", "!!null", Ok(Null)),
            ("x", "!!null", Err("cannot decode !!str `x` as a !!null")),
            ("2024-01-01", "!!int", Err("cannot decode !!str `2024-01-01` as a !!int")),
            ("aGk=", "!!binary", Ok(Scalar::Binary(b"hi".to_vec()))),
            ("aGk", "!!binary", Err("!!binary value contains invalid base64 data")),
            ("12", "!!set", Ok(Str)),
            ("12", "!env", Ok(Str)),
            ("<<", "!!merge", Ok(Merge)),
        ] {
            let expected: Result<Scalar, String> = expected.map_err(str::to_owned);
            assert_eq!(
                resolve(text, Style::DoubleQuoted, Some(tag).filter(|tag| *tag != "!")).is_ok(),
                expected.is_ok()
            );
            assert_eq!(resolve(text, Style::Plain, Some(tag)), expected, "{tag} {text}");
        }
    }
}
