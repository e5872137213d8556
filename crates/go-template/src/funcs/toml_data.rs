//! TOML text as gomplate reads it and writes it (`data.TOML`, `data.ToTOML`).

use crate::Val;
use go_compat::strconv;
use go_compat::time::days_of;
use spanned_yaml::Timestamp;
use std::fmt::Write;
use std::sync::Arc;
use toml::Value as Toml;
use traced_value::{Data, Entry, Key, Map, Value};

/// The table of a TOML text.
///
/// # Errors
/// The text is no TOML.
pub(super) fn read(text: &str) -> Result<Val, String> {
    let table: toml::Table = text
        .parse()
        .map_err(|e: toml::de::Error| format!("Unable to unmarshal object {text}: toml: {}", e.message().trim()))?;
    Ok(match value(&Toml::Table(table)) {
        Some(value) => Val::Data(value),
        None => Val::unknown("data.TOML", "dates of TOML without an offset are not evaluated"),
    })
}

/// Converts a TOML value; `None` for dates and times without an offset, which Go prints in special ways.
fn value(toml: &Toml) -> Option<Value> {
    let data = match toml {
        Toml::String(text) => Data::Str(text.as_str().into()),
        Toml::Integer(number) => Data::Int(*number),
        Toml::Float(number) => Data::Float(*number),
        Toml::Boolean(truth) => Data::Bool(*truth),
        Toml::Datetime(date) => Data::Time(Arc::new(timestamp(date)?)),
        Toml::Array(items) => Data::List(Arc::new(items.iter().map(value).collect::<Option<_>>()?)),
        Toml::Table(entries) => {
            let pairs = entries.iter().map(|(key, item)| Some((Key::from(key.as_str()), value(item)?)));
            Data::Map(Arc::new(pairs.collect::<Option<Map>>()?))
        }
    };
    Some(Value::new(data))
}

/// The point in time of a date with a time and an offset.
fn timestamp(date: &toml::value::Datetime) -> Option<Timestamp> {
    let (day, time, offset) = (date.date?, date.time?, date.offset?);
    let second = time.second.unwrap_or(0);
    if second > 59 {
        return None;
    }
    let minutes = match offset {
        toml::value::Offset::Z => 0,
        toml::value::Offset::Custom { minutes } => minutes,
    };
    let offset = i32::from(minutes) * 60;
    let days = days_of(day.year.into(), day.month.into(), day.day.into());
    let second = i64::from(time.hour) * 3600 + i64::from(time.minute) * 60 + i64::from(second);
    let seconds = days * 86_400 + second - i64::from(offset);
    Some(Timestamp { seconds, nanos: time.nanosecond.unwrap_or(0), offset })
}

/// Returns the TOML text of a map; `None` for values that the library rejects: other types, and lists with nulls.
pub(super) fn write(value: &Value) -> Option<String> {
    let mut out = String::new();
    table(&mut out, &[], value.as_map()?)?;
    Some(out)
}

/// Whether a value is written as one or several tables.
fn has_tables(data: &Data) -> bool {
    match data {
        Data::Map(_) => true,
        Data::List(items) => matches!(items.first().map(|item| &item.data), Some(Data::Map(_))),
        _ => false,
    }
}

/// The entries of a map in the order of the library: those with tables last.
fn ordered(map: &Map) -> impl Iterator<Item = &Entry> {
    let with = |tables: bool| map.iter().filter(move |entry| has_tables(&entry.value.data) == tables);
    with(false).chain(with(true))
}

fn table(out: &mut String, path: &[String], map: &Map) -> Option<()> {
    for Entry { key, value } in ordered(map).filter(|entry| !entry.value.is_null()) {
        let path: Vec<String> = path.iter().cloned().chain([name(key)]).collect();
        let indent = "  ".repeat(path.len() - 1);
        match &value.data {
            Data::Map(map) => {
                if path.len() == 1 && !out.is_empty() {
                    out.push('\n');
                }
                let _ = writeln!(out, "{indent}[{}]", path.join("."));
                table(out, &path, map)?;
            }
            Data::List(items) if has_tables(&value.data) => {
                for item in items.iter() {
                    if !out.is_empty() {
                        out.push('\n');
                    }
                    let _ = writeln!(out, "{indent}[[{}]]", path.join("."));
                    table(out, &path, item.as_map()?)?;
                }
            }
            data => {
                let _ = write!(out, "{indent}{} = ", path.last()?);
                element(out, data)?;
                out.push('\n');
            }
        }
    }
    Some(())
}

/// A value within a line.
fn element(out: &mut String, data: &Data) -> Option<()> {
    match data {
        Data::Str(text) => quote(out, text),
        Data::Bool(truth) => out.push_str(if *truth { "true" } else { "false" }),
        Data::Int(number) => out.push_str(&number.to_string()),
        Data::Uint(number) => out.push_str(&number.to_string()),
        Data::Float(number) if number.is_nan() => out.push_str("nan"),
        Data::Float(number) if number.is_infinite() => out.push_str(if *number > 0.0 { "+inf" } else { "-inf" }),
        Data::Float(number) => {
            let text = strconv::format_float(*number, 'f', None);
            out.push_str(&text);
            out.push_str(if text.contains('.') { "" } else { ".0" });
        }
        Data::Time(time) => out.push_str(&time.rfc3339()),
        Data::List(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                out.push_str(if i == 0 { "" } else { ", " });
                element(out, &item.data)?;
            }
            out.push(']');
        }
        Data::Map(map) => {
            out.push('{');
            for (i, Entry { key, value }) in ordered(map).enumerate().filter(|(_, entry)| !entry.value.is_null()) {
                let _ = write!(out, "{} = ", name(key));
                element(out, &value.data)?;
                // A null at the end leaves its comma behind.
                out.push_str(if i + 1 == map.len() { "" } else { ", " });
            }
            out.push('}');
        }
        Data::Null | Data::Unknown(_) => return None,
    }
    Some(())
}

/// Writes a key, with quotes if necessary.
fn name(key: &str) -> String {
    let is_bare = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    if !key.is_empty() && key.bytes().all(is_bare) {
        return key.to_owned();
    }
    let mut out = String::new();
    quote(&mut out, key);
    out
}

fn quote(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\u{c}' => out.push_str("\\f"),
            '\r' => out.push_str("\\r"),
            '\0'..='\u{1f}' | '\u{7f}' => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            _ => out.push(c),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::super::yaml_data;
    use super::*;

    #[test]
    fn values_are_written_as_the_library_does() {
        for (data, toml) in [
            ("{b: 1.0, a: \"q\\\"\\n\", c: [1, x, [true]]}", "a = \"q\\\"\\n\"\nb = 1.0\nc = [1, \"x\", [true]]\n"),
            ("{t: {u: {x: 1}, y: 2}, a: 1}", "a = 1\n\n[t]\n  y = 2\n  [t.u]\n    x = 1\n"),
            ("{l: [{a: 1}, {b: {c: 2}}]}", "[[l]]\n  a = 1\n\n[[l]]\n  [l.b]\n    c = 2\n"),
            ("{l: [1, {b: 1, a: null}, {a: 1, b: null}]}", "l = [1, {b = 1}, {a = 1, }]\n"),
            ("{\"a b\": {\"\": 1}, n: null}", "[\"a b\"]\n  \"\" = 1\n"),
            (
                "{d: 2021-03-04T05:06:07+02:00, i: .inf, f: 1e21}",
                "d = 2021-03-04T05:06:07+02:00\nf = 1000000000000000000000.0\ni = +inf\n",
            ),
            ("{}", ""),
        ] {
            assert_eq!(write(&yaml_data::decode(data).unwrap()).as_deref(), Some(toml), "{data}");
        }
        for refused in ["{l: [1, null]}", "{l: [{a: 1}, 2]}", "[1]", "5"] {
            assert_eq!(write(&yaml_data::decode(refused).unwrap()), None, "{refused}");
        }
    }

    #[test]
    fn dates_with_an_offset_are_read() {
        for (text, shown) in [
            ("a = 2020-01-01T00:00:00Z", "2020-01-01 00:00:00 +0000 UTC"),
            ("a = 1979-05-27T00:32:00.5-07:00", "1979-05-27 00:32:00.5 -0700 -0700"),
        ] {
            let Ok(Val::Data(value)) = read(text) else { panic!("{text}") };
            assert_eq!(crate::value_text(value.get("a").unwrap()), shown, "{text}");
        }
        for text in ["a = 2020-01-01", "a = 10:00:00", "a = 2020-01-01T10:00:00", "a = 2016-12-31T23:59:60Z"] {
            assert!(read(text).unwrap().as_unknown().is_some(), "{text}");
        }
        assert!(read("a = 2020-02-30T00:00:00Z").is_err());
    }
}
