//! Sprig: text, paths, regular expressions, encodings, hashes.

use super::call::{Args, Bytes, MAX_TEXT, affordable, not_evaluated, replace_all};
use super::cast::{self, to_text, to_texts};
use super::{hash, regex, semver, text, url};
use crate::{Val, format};
use go_compat::{encoding, path, strconv};
use traced_value::{Data, Value};

table! { TABLE:
    "hello" ("") => |_| "Hello!";
    "upper" ("s") => |a| text::upper(a.s(0));
    "lower" ("s") => |a| text::lower(a.s(0));
    "title" ("s") => |a| text::title(a.s(0));
    "untitle" ("s") => |a| text::uncapitalize(a.s(0));
    "swapcase" ("s") => |a| text::swap_case(a.s(0));
    "snakecase" ("s") => |a| text::connect(a.s(0), '_');
    "kebabcase" ("s") => |a| text::connect(a.s(0), '-');
    "camelcase" ("s") => |a| text::pascal(a.s(0));
    "nospace" ("s") => |a| text::delete_space(a.s(0));
    "initials" ("s") => |a| text::initials(a.s(0));
    "trim" ("s") => |a| a.s(0).trim().to_owned();
    "trimAll" | "trimall" ("ss") => |a| trim(a.s(1), a.s(0));
    "trimPrefix" ("ss") => |a| a.s(1).strip_prefix(a.s(0)).unwrap_or(a.s(1)).to_owned();
    "trimSuffix" ("ss") => |a| a.s(1).strip_suffix(a.s(0)).unwrap_or(a.s(1)).to_owned();
    "contains" ("ss") => |a| a.s(1).contains(a.s(0));
    "hasPrefix" ("ss") => |a| a.s(1).starts_with(a.s(0));
    "hasSuffix" ("ss") => |a| a.s(1).ends_with(a.s(0));
    "replace" ("sss") => |a| replace_all("replace", a, a.s(2), a.s(0), a.s(1));
    "repeat" ("is") => |a| repeat("repeat", a, a.i(0), a.s(1));
    "trunc" ("is") => |a| trunc(a.i(0), a.s(1));
    "substr" ("iis") => |a| substr(a.i(0), a.i(1), a.s(2));
    "abbrev" ("is") => |a| abbrev(0, a.i(0), a.s(1));
    "abbrevboth" ("iis") => |a| abbrev(a.i(0), a.i(1), a.s(2));
    "wrap" ("is") => |a| Bytes(text::wrap(a.s(1), a.i(0), "", false));
    "wrapWith" ("iss") => |a| Bytes(text::wrap(a.s(2), a.i(0), a.s(1), true));
    "indent" ("is") => |a| indent(a.s(1), a.i(0));
    "nindent" ("is") => |a| indent(a.s(1), a.i(0)).map(|text| format!("\n{text}"));
    "quote" ("a*") => |a| quote(a, |v| strconv::quote(&to_text(v), false));
    "squote" ("a*") => |a| quote(a, |v| format!("'{}'", to_text(v)));
    "cat" ("a*") => cat;
    "plural" ("ssi") => |a| if a.i(2) == 1 { a.s(0).to_owned() } else { a.s(1).to_owned() };
    "toString" ("a") => |a| to_text(a.val(0));
    "toStrings" ("a") => |a| to_texts(a.val(0));
    "join" ("sa") => |a| to_texts(a.val(1)).join(a.s(0));
    "sortAlpha" ("a") => |a| sort_alpha(a.val(0));
    "splitList" ("ss") => |a| split(a.s(1), a.s(0), -1);
    "split" ("ss") => |a| numbered(split(a.s(1), a.s(0), -1));
    "splitn" ("sis") => |a| numbered(split(a.s(2), a.s(0), a.i(1)));

    "base" | "osBase" ("s") => |a| path::base(a.s(0));
    "dir" | "osDir" ("s") => |a| path::dir(a.s(0));
    "clean" | "osClean" ("s") => |a| path::clean(a.s(0));
    "ext" | "osExt" ("s") => |a| path::ext(a.s(0)).to_owned();
    "isAbs" | "osIsAbs" ("s") => |a| a.s(0).starts_with('/');
    "urlParse" ("s") => |a| url::to_dict(a.s(0));
    "urlJoin" ("m") => |a| url::from_dict(&a.map(0));

    "regexMatch" ("ss") => |a| regex::compile(a.s(0)).is_ok_and(|r| r.is_match(a.s(1)));
    "mustRegexMatch" ("ss") => |a| regex::compile(a.s(0)).map(|r| r.is_match(a.s(1)));
    "regexFind" | "mustRegexFind" ("ss") => |a| regex::find(a.s(0), a.s(1));
    "regexFindAll" | "mustRegexFindAll" ("ssi") => |a| regex::find_all(a.s(0), a.s(1), a.i(2));
    "regexReplaceAll" | "mustRegexReplaceAll" ("sss") => |a| regex::replace(a.s(0), a.s(1), a.s(2));
    "regexReplaceAllLiteral" | "mustRegexReplaceAllLiteral" ("sss") => |a| {
        regex::replace_literal(a.s(0), a.s(1), a.s(2))
    };
    "regexSplit" | "mustRegexSplit" ("ssi") => |a| regex::split(a.s(0), a.s(1), a.i(2));
    "regexQuoteMeta" ("s") => |a| regex::quote_meta(a.s(0));

    "b64enc" ("s") => |a| encoding::base64_encode(a.s(0).as_bytes());
    "b64dec" ("s") => |a| Bytes(encoding::base64_decode(a.s(0)).unwrap_or_else(String::into_bytes));
    "b32enc" ("s") => |a| encoding::base32_encode(a.s(0).as_bytes());
    "b32dec" ("s") => |a| Bytes(encoding::base32_decode(a.s(0)).unwrap_or_else(String::into_bytes));
    "sha1sum" ("s") => |a| hash::sha1(a.s(0).as_bytes());
    "sha256sum" ("s") => |a| hash::sha256(a.s(0).as_bytes());
    "sha512sum" ("s") => |a| hash::sha512(a.s(0).as_bytes());
    "adler32sum" ("s") => |a| hash::adler32(a.s(0).as_bytes()).to_string();

    "semver" ("s") => |a| semver::Version::parse(a.s(0)).map(semver::Version::into_val);
    "semverCompare" ("ss") => |a| semver::compare(a.s(0), a.s(1));
    "fail" ("s") => |a| Err::<String, String>(a.s(0).to_owned());
}

/// `strings.Trim`.
pub(super) fn trim(text: &str, cut: &str) -> String {
    text.trim_matches(|c| cut.contains(c)).to_owned()
}

/// `strings.SplitN`; a negative count splits everywhere, an empty separator between all characters.
pub(super) fn split(text: &str, separator: &str, count: i64) -> Vec<String> {
    let limit = if count < 0 { usize::MAX } else { usize::try_from(count).unwrap_or(usize::MAX) };
    if limit == 0 {
        return Vec::new();
    }
    if !separator.is_empty() {
        return text.splitn(limit, separator).map(str::to_owned).collect();
    }
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if parts.len() + 1 == limit {
            parts.push(rest.to_owned());
            break;
        }
        parts.push(c.to_string());
        rest = &rest[c.len_utf8()..];
    }
    parts
}

fn numbered(parts: Vec<String>) -> Vec<(traced_value::Key, Value)> {
    parts.into_iter().enumerate().map(|(i, part)| (format!("_{i}").into(), Value::str(part))).collect()
}

/// `strings.Repeat`: a negative count panics.
fn repeat_text(text: &str, count: i64) -> Result<String, String> {
    let count = usize::try_from(count).map_err(|_| "strings: negative Repeat count".to_owned())?;
    if text.len().saturating_mul(count) > MAX_TEXT {
        return Err("strings: Repeat output length overflow".into());
    }
    Ok(text.repeat(count))
}

/// Repeats text; too much of it is unknown.
pub(super) fn repeat(name: &str, args: &Args<'_>, count: i64, text: &str) -> Result<Val, String> {
    if count > 0 && (text.len() as u128) * (count as u128) > MAX_TEXT as u128 {
        return Ok(not_evaluated(name, args));
    }
    Ok(Data::Str(repeat_text(text, count)?.into()).into())
}

fn indent(input: &str, width: i64) -> Result<String, String> {
    let pad = repeat_text(" ", width)?;
    if !affordable(input.len(), input.matches('\n').count() + 1, pad.len()) {
        return Err("strings: Repeat output length overflow".into());
    }
    Ok(text::indent_all(input, &pad))
}

fn bounds(from: i64, to: i64, length: i64) -> String {
    if to < 0 {
        format!("runtime error: slice bounds out of range [:{to}]")
    } else if to > length {
        format!("runtime error: slice bounds out of range [:{to}] with length {length}")
    } else {
        format!("runtime error: slice bounds out of range [{from}:{to}]")
    }
}

fn trunc(count: i64, text: &str) -> Bytes {
    let (bytes, length) = (text.as_bytes(), text.len() as i64);
    if count < 0 && length + count > 0 {
        return bytes[(length + count) as usize..].into();
    }
    if count >= 0 && length > count {
        return bytes[..count as usize].into();
    }
    bytes.into()
}

fn substr(start: i64, end: i64, text: &str) -> Result<Bytes, String> {
    let length = text.len() as i64;
    let (from, to) = if start < 0 {
        (0, end)
    } else if end < 0 || end > length {
        (start, length)
    } else {
        (start, end)
    };
    if to < 0 || to > length || from > to {
        return Err(bounds(from, to, length));
    }
    Ok(text.as_bytes()[from as usize..to as usize].into())
}

fn abbrev(left: i64, right: i64, input: &str) -> Bytes {
    if right < 4 || left > 0 && right < 7 {
        return input.as_bytes().into();
    }
    Bytes(text::abbreviate(input.as_bytes(), left, right).unwrap_or_default())
}

fn present<'a>(args: &Args<'a>) -> impl Iterator<Item = &'a Val> {
    args.all.iter().filter(|v| !matches!(v, Val::Missing | Val::Data(Value { data: Data::Null, .. })))
}

fn quote(args: &Args<'_>, one: impl Fn(&Val) -> String) -> String {
    present(args).map(one).collect::<Vec<_>>().join(" ")
}

fn cat(args: &Args<'_>) -> String {
    present(args).map(format::print_value).collect::<Vec<_>>().join(" ")
}

fn sort_alpha(value: &Val) -> Vec<String> {
    if !matches!(super::call::data(value), Data::List(_)) {
        return vec![cast::to_text(value)];
    }
    let mut texts = to_texts(value);
    texts.sort();
    texts
}
