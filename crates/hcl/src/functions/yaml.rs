//! YAML: plain words mean what they mean in YAML 1.1, as keys too.

use super::encoding::{prov_in, whole_file};
use super::{Args, Fail, Function, NULLABLE, Outcome, S, function};
use crate::ast::Span;
use crate::types::Type;
use crate::types::convert::convert;
use crate::val::number::Number;
use crate::val::{Data, Entries, Val};
use shared_text::Text;
use spanned_yaml::{self as yaml, Document, NodeId, NodeKind, Style};
use traced_value::FileId;

pub(super) const ALL: &[Function] = &[
    function("yamldecode", &[S], decode),
    function("yamlencode", &[NULLABLE], |a| Ok(Val::str(super::yaml_encode::encode(&a.values[0])))),
];

/// The maximum nesting of a document, and the maximum number of values with aliases expanded.
const MAX_DEPTH: usize = 100;
const MAX_VALUES: usize = 200_000;

struct Decoder<'a> {
    document: &'a Document,
    file: Option<FileId>,
    left: usize,
}

fn decode(args: &mut Args<'_, '_>) -> Outcome {
    let document = yaml::document_of(args.str(0).into()).map_err(|e| Fail::Call(e.to_string()))?;
    if document.extra_documents {
        return Err(Fail::Call("only one YAML document is expected".to_owned()));
    }
    let Some(root) = document.root() else { return Err(Fail::Call("missing start of document".to_owned())) };
    let mut decoder = Decoder { document: &document, file: whole_file(&args.values[0]), left: MAX_VALUES };
    decoder.node(root, None, 0).map_err(Fail::Call)
}

impl Decoder<'_> {
    fn node(&mut self, id: NodeId, key: Option<Span>, depth: usize) -> Result<Val, String> {
        if depth > MAX_DEPTH || self.left == 0 {
            return Err("the document is too large or nests too deep".to_owned());
        }
        self.left -= 1;
        let own = self.document.node(id).span;
        let node = self.document.node(self.document.target(id));
        let tag = node.tag.as_ref().map(|t| yaml::short_tag(&t.text).into_owned());
        let value = match &node.kind {
            NodeKind::Scalar { value, style } => scalar(value, *style, tag.as_deref())?,
            NodeKind::Sequence(items) => {
                check_tag(tag.as_deref(), "!!seq")?;
                Val::tuple(items.iter().map(|i| self.node(*i, None, depth + 1)).collect::<Result<_, _>>()?)
            }
            NodeKind::Mapping(pairs) => {
                check_tag(tag.as_deref(), "!!map")?;
                Val::object(self.entries(pairs, depth)?)
            }
            NodeKind::Alias { .. } => Val::null(),
        };
        let span = Span { start: own.start, end: own.end };
        Ok(value.with_prov(prov_in(self.file, key, span)))
    }

    fn entries(&mut self, pairs: &[(NodeId, NodeId)], depth: usize) -> Result<Entries, String> {
        let (mut entries, mut merged) = (Entries::new(), Entries::new());
        for (key, value) in pairs {
            let at = self.document.node(*key).span;
            let place = Some(Span { start: at.start, end: at.end });
            if yaml::is_merge_key(self.document, *key) {
                let value = self.node(*value, None, depth + 1)?;
                let sources: Vec<Val> = match value.as_items() {
                    Some(items) => items.to_vec(),
                    None => vec![value],
                };
                for source in sources {
                    let Some(from) = source.as_entries() else {
                        return Err("map merge requires map or sequence of maps as the value".to_owned());
                    };
                    // Of several maps the last one counts, unlike what YAML says.
                    merged.extend(from.iter().map(|(key, value)| (Text::clone(key), value.clone())));
                }
                continue;
            }
            let key = self.node(*key, None, depth + 1)?;
            let text = convert(&key, &Type::Str).ok().and_then(|k| k.as_str().cloned());
            let Some(text) = text else {
                return Err("a mapping key must be a string, a number or a boolean".to_owned());
            };
            let value = self.node(*value, place, depth + 1)?;
            entries.insert(text, value);
        }
        for (key, value) in merged {
            entries.entry(key).or_insert(value);
        }
        Ok(entries)
    }
}

fn check_tag(tag: Option<&str>, own: &str) -> Result<(), String> {
    match tag {
        None | Some("!") => Ok(()),
        Some(tag) if tag == own => Ok(()),
        Some(tag) => Err(format!("unsupported tag \"{tag}\"")),
    }
}

fn scalar(text: &Text, style: Style, tag: Option<&str>) -> Result<Val, String> {
    let is_plain = matches!(style, Style::Plain);
    let is_quoted = matches!(style, Style::SingleQuoted | Style::DoubleQuoted);
    let found = match tag {
        None if is_plain => plain(text)?,
        None | Some("!" | "!!str" | "!!binary") => Val::str(Text::clone(text)),
        // A quoted text that begins like another value stays one, whatever its tag is.
        Some("!!null" | "!!bool" | "!!int" | "!!float" | "!!timestamp") if is_quoted && begins_like_a_value(text) => {
            Val::str(Text::clone(text))
        }
        Some(wanted @ ("!!null" | "!!bool" | "!!int" | "!!float" | "!!timestamp")) => {
            let value = plain(text)?;
            let fits = match (&value.data, wanted) {
                (Data::Null(_), "!!null") | (Data::Bool(_), "!!bool") => true,
                (Data::Number(n), "!!int") => n.as_integer().is_some(),
                (Data::Number(_), "!!float") => true,
                (Data::Str(_), "!!timestamp") => time(text).is_some(),
                _ => false,
            };
            if !fits {
                return Err(format!("cannot parse \"{text}\" as tag {wanted}"));
            }
            value
        }
        Some(tag) => return Err(format!("unsupported tag \"{tag}\"")),
    };
    Ok(found)
}

fn plain(text: &Text) -> Result<Val, String> {
    Ok(match &**text {
        "" | "~" | "null" | "Null" | "NULL" => Val::null(),
        "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => Val::bool(true),
        "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => Val::bool(false),
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => Val::number(Number::Infinite(true)),
        "-.inf" | "-.Inf" | "-.INF" => Val::number(Number::Infinite(false)),
        ".nan" | ".NaN" | ".NAN" => return Err("floating point NaN is not supported".to_owned()),
        _ => match number(text).map(Val::number) {
            Some(number) => number,
            None => match time(text) {
                Some(time) => Val::str(time),
                None => Val::str(Text::clone(text)),
            },
        },
    })
}

/// Whether a text begins with a character that numbers, truth values and null begin with.
fn begins_like_a_value(text: &str) -> bool {
    text.chars().next().is_none_or(|first| first.is_ascii_digit() || "+-.yYnNtTfFoO~<".contains(first))
}

/// A point in time as it is printed: without a fraction of a second.
fn time(text: &str) -> Option<String> {
    if !text.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let time = yaml::parse_timestamp(text)?.rfc3339();
    let Some((seconds, rest)) = time.split_once('.') else { return Some(time) };
    Some(format!("{seconds}{}", rest.trim_start_matches(|c: char| c.is_ascii_digit())))
}

fn number(text: &str) -> Option<Number> {
    let (negative, rest) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        b'0'..=b'9' | b'.' => (false, text),
        _ => return None,
    };
    let radix = |prefix: &str, base: u32| {
        let digits = text.strip_prefix(prefix).filter(|digits| digits.starts_with(|c: char| c.is_alphanumeric()))?;
        let is_plain = digits.chars().all(|c| c.is_digit(base));
        is_plain.then(|| num_bigint::BigInt::parse_bytes(digits.as_bytes(), base)).flatten()
    };
    if let Some(integer) = radix("0x", 16).or_else(|| radix("0o", 8)) {
        return Some(Number::integer(integer));
    }
    let (mantissa, exponent) = rest.split_once(['e', 'E']).map_or((rest, None), |(m, e)| (m, Some(e)));
    let digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    let is_mantissa = match mantissa.split_once('.') {
        Some((whole, fraction)) => {
            (whole.is_empty() || digits(whole)) && (fraction.is_empty() || digits(fraction)) && mantissa.len() > 1
        }
        None => digits(mantissa),
    };
    let is_exponent = exponent.is_none_or(|e| digits(e.strip_prefix(['+', '-']).unwrap_or(e)));
    if !is_mantissa || !is_exponent {
        return None;
    }
    let whole = if mantissa.starts_with('.') { format!("0{rest}") } else { rest.to_owned() };
    let number = Number::parse(&whole)?;
    Some(if negative { number.negate() } else { number })
}
