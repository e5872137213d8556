//! Encodings: base64, JSON, CSV, URLs, character sets.

use super::{Args, FORGETTING, Fail, Function, NULLABLE, Outcome, S, function};
use crate::ast::Span;
use crate::parse::json::{Json, JsonKind, parse_json};
use crate::types::Type;
use crate::val::{Data, Entries, Val};
use go_compat::encoding::{base64_decode, base64_encode};
use go_compat::escape::{self, JsonText, push_json};
use shared_text::Text;
use traced_value::{FileId, Origin, Prov};

pub(super) const ALL: &[Function] = &[
    function("base64decode", &[FORGETTING], base64),
    function("base64encode", &[S], |a| Ok(Val::str(base64_encode(a.str(0).as_bytes())))),
    function("base64gunzip", &[FORGETTING], gunzip),
    function("base64gzip", &[S], |_| super::hashes::impure("the compressed form depends on the compressor")),
    function("csvdecode", &[S], csv),
    function("jsondecode", &[S], json_decode),
    function("jsonencode", &[NULLABLE], json_encode),
    function("textdecodebase64", &[S, S], text_decode),
    function("textencodebase64", &[S, S], text_encode),
    function("urldecode", &[S], url_decode),
    function("urlencode", &[S], |a| Ok(Val::str(escape::query(a.str(0))))),
];

/// The bytes that a text in base64 stands for; `None` if it is none.
pub(super) fn base64_bytes(text: &str) -> Option<Vec<u8>> {
    let clean: String = text.chars().filter(|c| !matches!(c, '\r' | '\n')).collect();
    base64_decode(&clean).ok()
}

fn decoded(text: &str) -> Result<Vec<u8>, Fail> {
    base64_bytes(text).ok_or_else(|| Fail::Call(format!("failed to decode base64 data \"{text}\"")))
}

/// What begins as compressed text does may be one: it is not unpacked.
fn gunzip(args: &mut Args<'_, '_>) -> Outcome {
    /// The first bytes of the header: what it is, and the only method that there is.
    const START: [u8; 3] = [0x1f, 0x8b, 8];
    /// The lengths of header and trailer.
    const LEAST: usize = 10 + 8;
    let bytes = decoded(args.str(0))?;
    match bytes.starts_with(&START) && bytes.len() >= LEAST {
        true => super::hashes::impure("compressed text is not unpacked"),
        false => Err(Fail::Call("failed to gunzip bytestream: it does not begin as one".to_owned())),
    }
}

fn base64(args: &mut Args<'_, '_>) -> Outcome {
    let bytes = decoded(args.str(0))?;
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Val::str(text)),
        Err(_) => Err(Fail::Call("the result of decoding the provided string is not valid UTF-8".to_owned())),
    }
}

/// The file that a text is all of, if it is: then values in it have places of their own.
pub(super) fn whole_file(value: &Val) -> Option<FileId> {
    let text = value.as_str()?;
    let is_whole = |o: &Origin| o.start == 0 && o.key == 0 && o.end as usize == text.len() && o.end > 0;
    let mut found = None;
    value.prov.for_each_input(&mut |origin| {
        if found.is_none() && is_whole(&origin) {
            found = Some(origin.file);
        }
    });
    found
}

pub(super) fn prov_in(file: Option<FileId>, key: Option<Span>, span: Span) -> Prov {
    match file {
        Some(file) => {
            Prov::at(Origin { file, key: key.map_or(span.start, |k| k.start), start: span.start, end: span.end })
        }
        None => Prov::default(),
    }
}

fn json_decode(args: &mut Args<'_, '_>) -> Outcome {
    let (found, errors) = parse_json(args.str(0));
    match (found, errors.first()) {
        (Some(json), None) => Ok(json_value(&json, whole_file(&args.values[0]), None)),
        (_, error) => Err(Fail::Call(
            error.map_or_else(|| "unexpected end of JSON".to_owned(), |e| e.detail.trim_end_matches('.').to_owned()),
        )),
    }
}

fn json_value(json: &Json, file: Option<FileId>, key: Option<Span>) -> Val {
    let value = match &json.kind {
        JsonKind::Null => Val::null(),
        JsonKind::Bool(b) => Val::bool(*b),
        JsonKind::Number(n) => Val::number(n.clone()),
        JsonKind::Str(s) => Val::str(Text::clone(s)),
        JsonKind::Array(items) => Val::tuple(items.iter().map(|item| json_value(item, file, None)).collect()),
        JsonKind::Object(entries) => {
            let one = |(name, value): &(crate::ast::Name, Json)| {
                (Text::clone(&name.text), json_value(value, file, Some(name.span)))
            };
            Val::object(entries.iter().map(one).collect())
        }
    };
    value.with_prov(prov_in(file, key, json.span))
}

fn json_encode(args: &mut Args<'_, '_>) -> Outcome {
    let mut out = String::new();
    write_json(&args.values[0], &mut out);
    Ok(Val::str(out))
}

pub(super) fn write_json(value: &Val, out: &mut String) {
    match &value.data {
        Data::Null(_) | Data::Unknown(..) => out.push_str("null"),
        Data::Bool(b) => out.push_str(if *b { "true" } else { "false" }),
        Data::Number(n) => out.push_str(&n.to_string()),
        Data::Str(text) | Data::Reference(text) => push_json(out, text, JsonText::Html),
        _ => match (value.as_items(), value.as_entries()) {
            (Some(items), _) => {
                out.push('[');
                for (i, item) in items.iter().enumerate() {
                    if i > 0 {
                        out.push(',');
                    }
                    write_json(item, out);
                }
                out.push(']');
            }
            (_, Some(entries)) => {
                out.push('{');
                for (i, (key, item)) in entries.iter().enumerate() {
                    if i > 0 {
                        out.push(',');
                    }
                    push_json(out, key, JsonText::Html);
                    out.push(':');
                    write_json(item, out);
                }
                out.push('}');
            }
            _ => out.push_str("null"),
        },
    }
}

fn url_decode(args: &mut Args<'_, '_>) -> Outcome {
    let out = escape::unquery(args.str(0)).map_err(|e| Fail::Call(format!("failed to decode URL: {e}")))?;
    Ok(Val::str(String::from_utf8_lossy(&out).into_owned()))
}

/// The rows of a text with commas; the first one names the columns.
fn csv(args: &mut Args<'_, '_>) -> Outcome {
    let rows = csv_rows(args.str(0)).map_err(Fail::Call)?;
    let mut rows = rows.into_iter();
    let Some(header) = rows.next() else { return Err(Fail::Call("missing header line".to_owned())) };
    let mut sorted = header.clone();
    sorted.sort();
    if let Some(twice) = sorted.windows(2).find(|w| w[0] == w[1]) {
        return Err(Fail::Call(format!("duplicate column name \"{}\"", twice[0])));
    }
    let mut all = Vec::new();
    for (index, row) in rows.enumerate() {
        if row.len() != header.len() {
            return Err(Fail::Call(format!("record on line {}: wrong number of fields", index + 2)));
        }
        let entries: Entries = header.iter().zip(row).map(|(k, v)| (Text::from(k.as_str()), Val::str(v))).collect();
        all.push(Val::object(entries));
    }
    let row = header.iter().map(|name| (Text::from(name.as_str()), Val::str(""))).collect();
    Ok(Val::list(Type::of(&Val::object(row)), all))
}

fn csv_rows(text: &str) -> Result<Vec<Vec<String>>, String> {
    let (mut rows, mut row, mut field) = (Vec::new(), Vec::new(), String::new());
    let mut chars = text.chars().peekable();
    let (mut quoted, mut was_quoted) = (false, false);
    while let Some(c) = chars.next() {
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => {
                chars.next();
                field.push('"');
            }
            '"' if quoted => quoted = false,
            '"' if field.is_empty() && !was_quoted => (quoted, was_quoted) = (true, true),
            '"' => return Err("parse error: bare \" in non-quoted field".to_owned()),
            _ if quoted => field.push(c),
            ',' => {
                row.push(std::mem::take(&mut field));
                was_quoted = false;
            }
            '\r' if chars.peek() == Some(&'\n') => {}
            '\n' => {
                let is_empty = row.is_empty() && field.is_empty() && !was_quoted;
                row.push(std::mem::take(&mut field));
                let done = std::mem::take(&mut row);
                if !is_empty {
                    rows.push(done);
                }
                was_quoted = false;
            }
            _ => field.push(c),
        }
    }
    if quoted {
        return Err("parse error: extraneous or missing \" in quoted-field".to_owned());
    }
    if !field.is_empty() || !row.is_empty() || was_quoted {
        row.push(field);
        rows.push(row);
    }
    Ok(rows)
}

/// The character sets that are known here.
#[derive(Clone, Copy, PartialEq)]
enum Charset {
    Utf8,
    Utf16 { little: bool, has_mark: bool },
    Latin1,
    Ascii,
}

/// Returns the character set for a name or alias registered by IANA, as in Go's `ianaindex`.
fn charset(name: &str, index: usize) -> Result<Charset, Fail> {
    match name.to_ascii_lowercase().as_str() {
        "utf-8" | "csutf8" => Ok(Charset::Utf8),
        "utf-16" | "csutf16" => Ok(Charset::Utf16 { little: false, has_mark: true }),
        "utf-16le" | "csutf16le" => Ok(Charset::Utf16 { little: true, has_mark: false }),
        "utf-16be" | "csutf16be" => Ok(Charset::Utf16 { little: false, has_mark: false }),
        "iso-8859-1" | "iso_8859-1" | "iso_8859-1:1987" | "latin1" | "l1" | "ibm819" | "cp819" | "iso-ir-100"
        | "csisolatin1" => Ok(Charset::Latin1),
        "us-ascii" | "us" | "iso646-us" | "ibm367" | "cp367" | "iso-ir-6" | "csascii" | "ansi_x3.4-1968" => {
            Ok(Charset::Ascii)
        }
        other if OTHERS.iter().any(|prefix| other.starts_with(prefix)) => {
            Err(Fail::Unknown(format!("the character set {name} is not known here")))
        }
        _ => Err(Fail::Argument(index, format!("\"{name}\" is not a supported IANA encoding name or alias"))),
    }
}

/// Prefixes of names of character sets that Go supports and this program does not.
const OTHERS: [&str; 16] = [
    "windows-",
    "iso-",
    "iso_",
    "ibm",
    "cp8",
    "shift_jis",
    "ms_kanji",
    "cs",
    "big5",
    "gb",
    "euc-",
    "koi8-",
    "hz-",
    "mac",
    "latin",
    "tis-620",
];

fn text_encode(args: &mut Args<'_, '_>) -> Outcome {
    let text = args.str(0);
    let narrow =
        |limit: u32| text.chars().map(|c| u8::try_from(c as u32).ok().filter(|_| (c as u32) < limit)).collect();
    let bytes: Option<Vec<u8>> = match charset(args.str(1), 1)? {
        Charset::Utf8 => Some(text.as_bytes().to_vec()),
        Charset::Utf16 { little, has_mark } => {
            let mark = has_mark.then_some(0xfeff);
            let bytes = |unit: u16| if little { unit.to_le_bytes() } else { unit.to_be_bytes() };
            Some(mark.into_iter().chain(text.encode_utf16()).flat_map(bytes).collect())
        }
        Charset::Latin1 => narrow(256),
        Charset::Ascii => narrow(128),
    };
    let wrong = || {
        Fail::Argument(0, format!("the given string contains characters that cannot be represented in {}", args.str(1)))
    };
    Ok(Val::str(base64_encode(&bytes.ok_or_else(wrong)?)))
}

fn text_decode(args: &mut Args<'_, '_>) -> Outcome {
    let set = charset(args.str(1), 1)?;
    let wrong = |_| Fail::Argument(0, "the given value is has an invalid base64 symbol".to_owned());
    let bytes = base64_decode(args.str(0)).map_err(wrong)?;
    let text = match set {
        Charset::Utf8 => String::from_utf8(bytes).ok(),
        Charset::Utf16 { little, has_mark } => from_utf16(&bytes, little, has_mark),
        Charset::Latin1 => Some(bytes.iter().map(|b| char::from(*b)).collect()),
        Charset::Ascii => bytes.iter().map(|b| Some(char::from(*b)).filter(char::is_ascii)).collect(),
    };
    // A replacement character in the text counts as one that was put there.
    let text = text.filter(|text| !text.contains(char::REPLACEMENT_CHARACTER)).ok_or_else(|| {
        Fail::Argument(0, format!("the given string contains symbols that are not defined for {}", args.str(1)))
    });
    Ok(Val::str(text?))
}

/// Decodes UTF-16; `None` if it is invalid. The byte-order mark determines the byte order.
fn from_utf16(bytes: &[u8], mut little: bool, has_mark: bool) -> Option<String> {
    let mut bytes = bytes;
    if has_mark
        && let [first @ (0xfe | 0xff), second, rest @ ..] = bytes
        && first ^ second == 1
        && *second >= 0xfe
    {
        (little, bytes) = (*first == 0xff, rest);
    }
    let (units, []) = bytes.as_chunks::<2>() else { return None };
    let unit = |pair: &[u8; 2]| if little { u16::from_le_bytes(*pair) } else { u16::from_be_bytes(*pair) };
    String::from_utf16(&units.iter().map(unit).collect::<Vec<u16>>()).ok()
}
