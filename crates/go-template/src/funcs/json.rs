//! JSON text as Go's `encoding/json` reads and writes it.

use go_compat::escape::{JsonText, push_json};
pub(super) use go_compat::json::indent;
use go_compat::{json, strconv};
use std::fmt::Write;
use traced_value::{Data, Value};

/// Deeper nesting than Go reads.
const MAX_DEPTH: usize = 500;

/// How JSON text is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// `<`, `>` and `&` are escaped.
    Html,
    /// They are not.
    Raw,
    /// As the library behind gomplate: escaped, and whole floats keep a fraction (`1.0`).
    Codec,
}

fn codec_float(f: f64) -> String {
    let size = f.abs();
    if size != 0.0 && !(1e-6..1e21).contains(&size) {
        return strconv::format_float(f, 'e', None);
    }
    if f.fract() == 0.0 && size < 9_007_199_254_740_992.0 { format!("{f:.1}") } else { format!("{f}") }
}

/// Writes data. Fails for numbers that JSON does not have.
pub(super) fn encode(data: &Data, html: Style) -> Result<String, String> {
    let mut out = String::new();
    write(&mut out, data, html)?;
    Ok(out)
}

fn write(out: &mut String, data: &Data, html: Style) -> Result<(), String> {
    match data {
        Data::Null => out.push_str("null"),
        Data::Bool(b) => out.push_str(if *b { "true" } else { "false" }),
        Data::Int(n) => {
            let _ = write!(out, "{n}");
        }
        Data::Uint(n) => {
            let _ = write!(out, "{n}");
        }
        Data::Float(f) if f.is_finite() && html == Style::Codec => out.push_str(&codec_float(*f)),
        Data::Float(_) if html == Style::Codec => out.push_str("null"),
        Data::Float(f) if f.is_finite() => out.push_str(&strconv::json_float(*f)),
        Data::Float(f) => return Err(format!("json: unsupported value: {}", strconv::float(*f))),
        Data::Str(s) => write_text(out, s, html),
        Data::Unknown(u) => write_text(out, &u.text, html),
        Data::Time(t) => write_text(out, &t.rfc3339(), html),
        Data::List(list) => {
            for (i, value) in list.iter().enumerate() {
                out.push(if i == 0 { '[' } else { ',' });
                write(out, &value.data, html)?;
            }
            out.push_str(if list.is_empty() { "[]" } else { "]" });
        }
        Data::Map(map) => {
            for (i, entry) in map.iter().enumerate() {
                out.push(if i == 0 { '{' } else { ',' });
                write_text(out, &entry.key, html);
                out.push(':');
                write(out, &entry.value.data, html)?;
            }
            out.push_str(if map.is_empty() { "{}" } else { "}" });
        }
    }
    Ok(())
}

fn write_text(out: &mut String, text: &str, style: Style) {
    push_json(out, text, if style == Style::Raw { JsonText::Raw } else { JsonText::Html });
}

/// Reads one JSON text; every number is a float, as in Go.
pub(super) fn decode(text: &str) -> Result<Value, String> {
    json::decode(text, MAX_DEPTH).map(Value::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trips() {
        for (text, want) in [
            (
                r#"{"b":[1,2.5,1e21,-0.0000001],"a":"<é\u00e9\n>"}"#,
                r#"{"a":"\u003céé\n\u003e","b":[1,2.5,1e+21,-1e-7]}"#,
            ),
            ("[ ]", "[]"),
            (r#" "\ud83d\ude00\ud800" "#, "\"😀\u{fffd}\""),
            ("null", "null"),
        ] {
            assert_eq!(encode(&decode(text).unwrap().data, Style::Html).unwrap(), want);
        }
    }
}
