//! How values are printed as data: streamed into any serde format without copies.
//!
//! Numbers print as the deployment tool prints them: a float without a fraction is an integer if it fits into 64 bits
//! (`1.0` becomes `1`), numbers that JSON does not support become text (`.nan`, `.inf`, `-.inf`). Dates become RFC 3339
//! text, and unknown values their original text.

use super::{Data, FileId, Map, Origin, Value};
use go_compat::json::Json;
use go_compat::strconv;
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{Error, SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};
use shared_text::Text;
use std::cell::Cell;
use std::fmt;
use std::sync::Arc;

/// The deepest nesting that is printed; a deeper value is an error of the serializer instead of an overflow.
pub const MAX_DEPTH: u32 = 1_000;

/// Floats from here on keep their exponent.
const EXPONENT_FROM: f64 = 1e21;

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Nested { value: self, depth: 0, mask: None }.serialize(serializer)
    }
}

impl Serialize for Map {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize_map(self, (0, None), serializer)
    }
}

/// A value with a text in place of everything that is hidden from output, if there is one.
#[derive(Clone, Copy, Debug)]
pub struct Masked<'a>(pub &'a Value, pub Option<&'static str>);

impl Serialize for Masked<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Nested { value: self.0, depth: 0, mask: self.1 }.serialize(serializer)
    }
}

/// A value with the number of collections around it, and what is printed for what is hidden.
struct Nested<'a> {
    value: &'a Value,
    depth: u32,
    mask: Option<&'static str>,
}

impl Serialize for Nested<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.depth > MAX_DEPTH {
            return Err(S::Error::custom("a value is nested more than 1000 levels deep"));
        }
        let Nested { depth, mask, .. } = *self;
        if let Some(mask) = mask.filter(|_| self.value.is_sensitive()) {
            return serializer.serialize_str(mask);
        }
        match &self.value.data {
            Data::Null => serializer.serialize_unit(),
            Data::Bool(b) => serializer.serialize_bool(*b),
            Data::Int(i) => serializer.serialize_i64(*i),
            Data::Uint(u) => serializer.serialize_u64(*u),
            Data::Float(f) => serialize_float(*f, serializer),
            Data::Str(s) => serializer.serialize_str(s),
            Data::Time(t) => serializer.serialize_str(&t.rfc3339()),
            Data::List(items) => {
                let mut seq = serializer.serialize_seq(Some(items.len()))?;
                for value in items.iter() {
                    seq.serialize_element(&Nested { value, depth: depth + 1, mask })?;
                }
                seq.end()
            }
            Data::Map(map) => serialize_map(map, (depth, mask), serializer),
            Data::Unknown(unknown) => match &unknown.assumed {
                Some(value) => Nested { value, depth: depth + 1, mask }.serialize(serializer),
                None if unknown.is_marked => {
                    let mut out = serializer.serialize_map(Some(1))?;
                    out.serialize_entry("$unknown", unknown.reasons.first().map_or("", |reason| &**reason))?;
                    out.end()
                }
                None => serializer.serialize_str(&unknown.text),
            },
        }
    }
}

fn serialize_map<S: Serializer>(
    map: &Map,
    (depth, mask): (u32, Option<&'static str>),
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut out = serializer.serialize_map(Some(map.len()))?;
    for entry in map {
        out.serialize_entry(&*entry.key, &Nested { value: &entry.value, depth: depth + 1, mask })?;
    }
    out.end()
}

fn serialize_float<S: Serializer>(f: f64, serializer: S) -> Result<S::Ok, S::Error> {
    match Number::of(f) {
        Number::Whole(i) => match (i64::try_from(i), u64::try_from(i)) {
            (Ok(small), _) => serializer.serialize_i64(small),
            (_, Ok(large)) => serializer.serialize_u64(large),
            _ => serializer.serialize_i128(i),
        },
        Number::Fraction(f) => serializer.serialize_f64(f),
        Number::Word(word) => serializer.serialize_str(word),
    }
}

/// How a float is printed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// As an integer.
    Whole(i128),
    /// With a fraction or an exponent.
    Fraction(f64),
    /// As text, because it is not a number.
    Word(&'static str),
}

impl Number {
    /// How `f` is printed.
    pub fn of(f: f64) -> Number {
        if f.is_nan() {
            return Number::Word(".nan");
        }
        if f.is_infinite() {
            return Number::Word(if f > 0.0 { ".inf" } else { "-.inf" });
        }
        if f.fract() != 0.0 || f.abs() >= EXPONENT_FROM {
            return Number::Fraction(f);
        }
        // The shortest digits, not the exact ones: 1.2345678901234567e20 ends in zeros.
        strconv::format_float(f, 'f', None).parse().map_or(Number::Fraction(f), Number::Whole)
    }
}

impl From<Json> for Value {
    fn from(json: Json) -> Self {
        match json {
            Json::Null => Value::new(Data::Null),
            Json::Bool(b) => Value::new(Data::Bool(b)),
            Json::Number(number) => Value::new(Data::Float(number)),
            Json::Text(text) => Value::str(text),
            Json::List(items) => Value::list(items.into_iter().map(Value::from).collect()),
            Json::Map(pairs) => Value::map(pairs.into_iter().map(|(k, v)| (k.into(), Value::from(v))).collect()),
        }
    }
}

/// Parses a JSON text. Each value has an origin whose offsets count the values before it, which preserves the order of
/// entries; there is no file behind it.
///
/// # Errors
/// What is wrong with the text, and where.
pub fn parse(text: &str) -> Result<Value, serde_json::Error> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let value = Reader(&Cell::new(0)).deserialize(&mut deserializer)?;
    deserializer.end().map(|()| value)
}

/// Reads a value; counts those that were read.
#[derive(Clone, Copy)]
struct Reader<'a>(&'a Cell<u32>);

impl<'de> DeserializeSeed<'de> for Reader<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        let number = self.0.get();
        self.0.set(number.saturating_add(1));
        let data = deserializer.deserialize_any(self)?;
        Ok(Value::at(data, Origin { file: FileId::new(0), key: number, start: number, end: number }))
    }
}

impl<'de> Visitor<'de> for Reader<'_> {
    type Value = Data;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Data, E> {
        Ok(Data::Null)
    }

    fn visit_bool<E>(self, b: bool) -> Result<Data, E> {
        Ok(Data::Bool(b))
    }

    fn visit_i64<E>(self, n: i64) -> Result<Data, E> {
        Ok(Data::Int(n))
    }

    fn visit_u64<E>(self, n: u64) -> Result<Data, E> {
        Ok(i64::try_from(n).map_or(Data::Uint(n), Data::Int))
    }

    fn visit_f64<E>(self, n: f64) -> Result<Data, E> {
        Ok(Data::Float(n))
    }

    fn visit_str<E>(self, text: &str) -> Result<Data, E> {
        Ok(Data::Str(text.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Data, A::Error> {
        let mut all = Vec::new();
        while let Some(item) = items.next_element_seed(self)? {
            all.push(item);
        }
        Ok(Data::List(Arc::new(all)))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Data, A::Error> {
        let mut all: Vec<(Text, Value)> = Vec::new();
        while let Some(key) = entries.next_key::<String>()? {
            all.push((key.into(), entries.next_value_seed(self)?));
        }
        Ok(Data::Map(Arc::new(all.into_iter().collect())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Unknown;

    fn json(data: Data) -> String {
        serde_json::to_string(&Value::new(data)).unwrap()
    }

    #[test]
    fn numbers() {
        for (number, text) in [
            (1.0, "1"),
            (-0.0, "0"),
            (0.1, "0.1"),
            (1e15, "1000000000000000"),
            (1e19, "10000000000000000000"),
            (1.2345678901234567e20, "123456789012345670000"),
            (-9.223372036854776e18, "-9223372036854776000"),
            (1e21, "1e+21"),
            (f64::NAN, "\".nan\""),
            (f64::INFINITY, "\".inf\""),
            (f64::NEG_INFINITY, "\"-.inf\""),
        ] {
            assert_eq!(json(Data::Float(number)), text);
        }
        let large: f64 = serde_json::from_str(&json(Data::Float(1e300))).unwrap();
        assert_eq!(large, 1e300);
        assert_eq!(json(Data::Uint(u64::MAX)), "18446744073709551615");
        assert_eq!(json(Data::Int(i64::MIN)), "-9223372036854775808");
    }

    #[test]
    fn collections() {
        let unknown = Unknown::new("!env HOME", "");
        let map: Map = [
            ("b".into(), Value::list(vec![Value::default(), Value::str("x\n\"")])),
            ("a".into(), Value::new(Data::Unknown(Arc::new(unknown)))),
        ]
        .into_iter()
        .collect();
        assert_eq!(json(Data::Map(Arc::new(map))), r#"{"a":"!env HOME","b":[null,"x\n\""]}"#);
    }

    #[test]
    fn too_deep_is_an_error() {
        let mut value = Value::default();
        for _ in 0..MAX_DEPTH + 1 {
            value = Value::list(vec![value]);
        }
        assert!(serde_json::to_string(&value).is_err());
        assert!(serde_json::to_string(&value.as_list().unwrap()[0]).is_ok());
    }
}
