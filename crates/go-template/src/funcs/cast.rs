//! Conversions between values: those of sprig (`int`, `toString`), those of gomplate (`conv.ToInt`), and their common
//! rules about kinds, emptiness and equality.

use super::call::data;
use crate::{Val, format};
use go_compat::strconv;
use traced_value::{Data, Value};

/// `reflect.Kind`: `string`, `slice`, `map`; `invalid` for nothing.
pub(super) fn kind(value: &Val) -> &'static str {
    match value {
        Val::Object(object) if object.type_name().starts_with('*') => "ptr",
        Val::Object(object) if object.type_name() == "time.Duration" => "int64",
        Val::Object(_) => "struct",
        _ => data_kind(data(value)),
    }
}

/// The kind of data.
pub(super) fn data_kind(data: &Data) -> &'static str {
    match data {
        Data::Null => "invalid",
        Data::Bool(_) => "bool",
        Data::Int(_) => "int",
        Data::Uint(_) => "uint64",
        Data::Float(_) => "float64",
        Data::Str(_) | Data::Unknown(_) => "string",
        Data::Time(_) => "struct",
        Data::List(_) => "slice",
        Data::Map(_) => "map",
    }
}

/// Whether a value is the empty one of its type: `""`, `0`, `false`, nothing, no entries.
pub(super) fn is_empty(value: &Val) -> bool {
    match value {
        Val::Missing => true,
        Val::Object(_) => false,
        Val::Data(value) => is_empty_data(&value.data),
    }
}

/// See [`is_empty`].
pub(super) fn is_empty_data(data: &Data) -> bool {
    match data {
        Data::Null => true,
        Data::Bool(b) => !b,
        Data::Int(n) => *n == 0,
        Data::Uint(n) => *n == 0,
        Data::Float(f) => *f == 0.0,
        Data::Str(s) => s.is_empty(),
        Data::List(l) => l.is_empty(),
        Data::Map(m) => m.is_empty(),
        Data::Time(_) | Data::Unknown(_) => false,
    }
}

/// `reflect.DeepEqual`: NaN differs from itself.
pub(super) fn deep_equal(a: &Val, b: &Val) -> bool {
    match (a, b) {
        (Val::Object(a), Val::Object(b)) => a.type_name() == b.type_name() && a.print() == b.print(),
        (Val::Object(_), _) | (_, Val::Object(_)) => false,
        _ => data(a) == data(b) && !matches!(data(a), Data::Float(f) if f.is_nan()),
    }
}

/// The text of a value as sprig makes it (`toString`): nothing is `<nil>`.
pub(super) fn to_text(value: &Val) -> String {
    match value {
        Val::Missing => "<nil>".into(),
        _ => format::print_value(value),
    }
}

/// The text of data, see [`to_text`].
pub(super) fn data_text(data: &Data) -> String {
    format::print_data(data)
}

/// The texts of a list without its empty places; another value is a list of itself (`toStrings`).
pub(super) fn to_texts(value: &Val) -> Vec<String> {
    match (value, data(value)) {
        (_, Data::List(list)) => list.iter().filter(|v| !v.is_null()).map(|v| data_text(&v.data)).collect(),
        (Val::Object(object), _) => vec![object.print()],
        (_, Data::Null) => Vec::new(),
        (_, data) => vec![data_text(data)],
    }
}

/// An integer out of anything; what is not a number is 0. Text may have a base prefix, and a fraction, which is cut off.
pub(super) fn to_int(value: &Val) -> i64 {
    match data(value) {
        Data::Int(n) => *n,
        Data::Uint(n) => *n as i64,
        Data::Float(f) => float_to_int(*f),
        Data::Bool(b) => (*b).into(),
        Data::Str(s) => strconv::parse_int(trim_decimal(s), 0, 64).unwrap_or(0),
        _ => 0,
    }
}

/// The whole part in front of a point, if the text is a plain decimal number.
fn trim_decimal(text: &str) -> &str {
    let Some((whole, fraction)) = text.split_once('.') else { return text };
    let digits = whole.strip_prefix(['-', '+']).unwrap_or(whole);
    if !digits.bytes().chain(fraction.bytes()).all(|b| b.is_ascii_digit()) {
        return text;
    }
    if digits.is_empty() { "0" } else { whole }
}

/// The result of converting a float outside of the range of integers on the processors that Go supports.
pub(super) fn float_to_int(f: f64) -> i64 {
    if f.is_nan() || !(-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&f) {
        i64::MIN
    } else {
        f as i64
    }
}

/// A float out of anything; what is not a number is 0.
pub(super) fn to_float(value: &Val) -> f64 {
    match data(value) {
        Data::Int(n) => *n as f64,
        Data::Uint(n) => *n as f64,
        Data::Float(f) => *f,
        Data::Bool(b) => u8::from(*b).into(),
        Data::Str(s) => strconv::parse_float(s).unwrap_or(0.0),
        _ => 0.0,
    }
}

/// `conv.ToString`: nothing is `nil`.
pub(super) fn conv_text(value: &Val) -> String {
    match value {
        Val::Missing | Val::Data(Value { data: Data::Null, .. }) => "nil".into(),
        _ => format::print_value(value),
    }
}

/// The text of an entry of a list as `conv.ToString` makes it.
pub(super) fn conv_data_text(data: &Data) -> String {
    if matches!(data, Data::Null) { "nil".into() } else { data_text(data) }
}

/// `conv.ToInt64`: text may have thousands separators, a base prefix or a fraction.
pub(super) fn conv_int(value: &Val) -> i64 {
    let Data::Str(text) = data(value) else { return to_int(value) };
    let text = text.replace(',', "");
    match strconv::parse_int(&text, 0, 64) {
        Ok(n) => n,
        Err(_) => strconv::parse_float(&text).map_or(0, float_to_int),
    }
}

/// `conv.ToFloat64`: see [`conv_int`].
pub(super) fn conv_float(value: &Val) -> f64 {
    let Data::Str(text) = data(value) else { return to_float(value) };
    let text = text.replace(',', "");
    match strconv::parse_int(&text, 0, 64) {
        Ok(n) => n as f64,
        Err(_) => strconv::parse_float(&text).unwrap_or(0.0),
    }
}

/// `conv.ToBool`: `true`, `yes`, `t` and everything that is the number one.
pub(super) fn conv_bool(value: &Val) -> bool {
    match data(value) {
        Data::Bool(b) => *b,
        Data::Str(text) => {
            let text = text.to_lowercase();
            matches!(text.as_str(), "1" | "t" | "true" | "yes") || conv_float(&Data::Str(text.into()).into()) == 1.0
        }
        Data::Int(n) => *n == 1,
        Data::Uint(n) => *n == 1,
        Data::Float(f) => *f == 1.0,
        _ => false,
    }
}

/// `strconv.ParseBool`.
pub(super) fn parse_bool(text: &str) -> Option<bool> {
    match text {
        "1" | "t" | "T" | "TRUE" | "true" | "True" => Some(true),
        "0" | "f" | "F" | "FALSE" | "false" | "False" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers() {
        for (text, sprig, conv) in [
            ("077", 63, 63),
            ("08", 0, 8),
            ("x", 0, 0),
            ("1.9", 1, 1),
            (".5", 0, 0),
            ("-1.5", -1, -1),
            ("1e3", 0, 1000),
            ("1,000", 0, 1000),
            ("0x2A", 42, 42),
            ("", 0, 0),
        ] {
            let value: Val = Value::str(text).into();
            assert_eq!(to_int(&value), sprig, "{text}");
            assert_eq!(conv_int(&value), conv, "{text}");
        }
        assert_eq!(to_int(&Data::Bool(true).into()), 1);
        assert_eq!(to_int(&Data::Float(2.9).into()), 2);
    }
}
