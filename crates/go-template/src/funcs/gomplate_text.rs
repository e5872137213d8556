//! gomplate: `strings`, `regexp`, `path`, `filepath`, `base64`, `crypto`, `uuid`.

use super::call::{Args, Bytes, data, not_evaluated, replace_all};
use super::cast::{conv_data_text, conv_int, conv_text};
use super::sprig_text::{repeat, split, trim};
use super::{hash, regex, text};
use crate::format;
use go_compat::{encoding, glob, path, strconv};
use traced_value::Data;

fn t(a: &Args<'_>, i: usize) -> String {
    conv_text(a.val(i))
}

table! { STRINGS:
    "Abbrev" ("a*") => abbrev;
    "ReplaceAll" ("ssa") => |a| replace_all("replaceAll", a, &t(a, 2), a.s(0), a.s(1));
    "Contains" ("sa") => |a| t(a, 1).contains(a.s(0));
    "HasPrefix" ("sa") => |a| t(a, 1).starts_with(a.s(0));
    "HasSuffix" ("sa") => |a| t(a, 1).ends_with(a.s(0));
    "Repeat" ("ia") => |a| {
        if a.i(0) < 0 { Err(format!("negative count {}", a.i(0))) } else { repeat("Repeat", a, a.i(0), &t(a, 1)) }
    };
    "Sort" ("a") => sort;
    "Split" ("sa") => |a| split(&t(a, 1), a.s(0), -1);
    "SplitN" ("sia") => |a| split(&t(a, 2), a.s(0), a.i(1));
    "Trim" ("sa") => |a| trim(&t(a, 1), a.s(0));
    "TrimPrefix" ("sa") => |a| { let s = t(a, 1); s.strip_prefix(a.s(0)).unwrap_or(&s).to_owned() };
    "TrimSuffix" ("sa") => |a| { let s = t(a, 1); s.strip_suffix(a.s(0)).unwrap_or(&s).to_owned() };
    "Title" ("a") => |a| text::title_case(&t(a, 0));
    "ToUpper" ("a") => |a| t(a, 0).to_uppercase();
    "ToLower" ("a") => |a| t(a, 0).to_lowercase();
    "TrimSpace" ("a") => |a| t(a, 0).trim().to_owned();
    "Trunc" ("ia") => |a| trunc(a.i(0), &t(a, 1));
    "Indent" ("a*") => indent;
    "Slug" ("a") => |a| text::slug(&t(a, 0)).map_or_else(|| not_evaluated("strings.Slug", a), |s| Data::Str(s.into()).into());
    "Quote" ("a") => |a| strconv::quote(&t(a, 0), false);
    "Squote" ("a") => |a| format!("'{}'", t(a, 0).replace('\'', "''"));
    "ShellQuote" ("a") => |a| match a.data(0) {
        Data::List(list) => shell_quote_all(list.len()),
        _ => shell_quote(&t(a, 0)),
    };
    "SnakeCase" ("a") => |a| text::joined_words(&t(a, 0), "_");
    "KebabCase" ("a") => |a| text::joined_words(&t(a, 0), "-");
    "CamelCase" ("a") => |a| text::camel(&t(a, 0));
    "WordWrap" ("a*") => word_wrap;
    "RuneCount" ("a*") => |a| a.all.iter().map(|v| conv_text(v).chars().count() as i64).sum::<i64>();
}

table! { STRINGS_BARE:
    "replaceAll" ("ssa") => |a| replace_all("replaceAll", a, &t(a, 2), a.s(0), a.s(1));
    "title" ("a") => |a| text::title_case(&t(a, 0));
    "toUpper" ("a") => |a| t(a, 0).to_uppercase();
    "toLower" ("a") => |a| t(a, 0).to_lowercase();
    "trimSpace" ("a") => |a| t(a, 0).trim().to_owned();
    "indent" ("a*") => indent;
    "quote" ("a") => |a| strconv::quote(&t(a, 0), false);
    "shellQuote" ("a") => |a| match a.data(0) {
        Data::List(list) => shell_quote_all(list.len()),
        _ => shell_quote(&t(a, 0)),
    };
    "squote" ("a") => |a| format!("'{}'", t(a, 0).replace('\'', "''"));
    "contains" ("ss") => |a| a.s(0).contains(a.s(1));
    "hasPrefix" ("ss") => |a| a.s(0).starts_with(a.s(1));
    "hasSuffix" ("ss") => |a| a.s(0).ends_with(a.s(1));
    "split" ("ss") => |a| split(a.s(0), a.s(1), -1);
    "splitN" ("ssi") => |a| split(a.s(0), a.s(1), a.i(2));
    "trim" ("ss") => |a| trim(a.s(0), a.s(1));
}

table! { REGEXP:
    "Find" ("aa") => |a| regex::find(&t(a, 0), &t(a, 1));
    "FindAll" ("a*") => |a| two_or_three(a, |re, n, input| regex::find_all(re, input, n));
    "Match" ("aa") => |a| regex::compile(&t(a, 0)).map(|r| r.is_match(&t(a, 1)));
    "QuoteMeta" ("a") => |a| regex::quote_meta(&t(a, 0));
    "Replace" ("aaa") => |a| regex::replace(&t(a, 0), &t(a, 2), &t(a, 1));
    "ReplaceLiteral" ("aaa") => |a| regex::replace_literal(&t(a, 0), &t(a, 2), &t(a, 1));
    "Split" ("a*") => |a| two_or_three(a, |re, n, input| regex::split(re, input, n));
}

table! { PATH:
    "Base" ("a") => |a| path::base(&t(a, 0));
    "Clean" ("a") => |a| path::clean(&t(a, 0));
    "Dir" ("a") => |a| path::dir(&t(a, 0));
    "Ext" ("a") => |a| path::ext(&t(a, 0)).to_owned();
    "IsAbs" ("a") => |a| t(a, 0).starts_with('/');
    "Join" ("a*") => |a| path::join(&a.all.iter().map(conv_text).collect::<Vec<_>>());
    "Match" ("aa") => |a| glob::matches(&t(a, 0), &t(a, 1));
    "Split" ("a") => |a| { let s = t(a, 0); let (dir, file) = path::split(&s); vec![dir.to_owned(), file.to_owned()] };
}

table! { FILEPATH:
    "FromSlash" | "ToSlash" ("a") => |a| t(a, 0);
    "Rel" ("aa") => |a| path::relative(&t(a, 0), &t(a, 1));
    "VolumeName" ("a") => |_| "";
}

table! { BASE64:
    "Encode" ("a") => |a| if matches!(a.data(0), Data::Null) { String::new() } else { encoding::base64_encode(t(a, 0).as_bytes()) };
    "Decode" ("a") => |a| {
        let s = t(a, 0);
        encoding::base64_decode(&s).or_else(|_| encoding::base64_url_decode(&s)).map(Bytes)
    };
    "DecodeBytes" ("a") => |a| not_evaluated("base64.DecodeBytes", a);
}

table! { CRYPTO:
    "SHA1" ("a") => |a| hash::sha1(t(a, 0).as_bytes());
    "SHA224" ("a") => |a| hash::sha224(t(a, 0).as_bytes());
    "SHA256" ("a") => |a| hash::sha256(t(a, 0).as_bytes());
    "SHA384" ("a") => |a| hash::sha384(t(a, 0).as_bytes());
    "SHA512" ("a") => |a| hash::sha512(t(a, 0).as_bytes());
    "SHA512_224" ("a") => |a| hash::sha512_224(t(a, 0).as_bytes());
    "SHA512_256" ("a") => |a| hash::sha512_256(t(a, 0).as_bytes());
}

unknown_table! { CRYPTO_UNKNOWN:
    "PBKDF2" | "WPAPSK" | "SHA1Bytes" | "SHA224Bytes" | "SHA256Bytes" | "SHA384Bytes" | "SHA512Bytes"
        | "SHA512_224Bytes" | "SHA512_256Bytes" | "RSADecrypt" | "RSADecryptBytes" | "RSADerivePublicKey"
        | "ECDSADerivePublicKey" | "DecryptAES" | "DecryptAESBytes" => "is not evaluated";
    "Bcrypt" | "RSAEncrypt" | "RSAGenerateKey" | "ECDSAGenerateKey" | "EncryptAES" => "draws random numbers";
}

table! { UUID:
    "Nil" ("") => |_| "00000000-0000-0000-0000-000000000000";
    "IsValid" ("a") => |a| parse_uuid(&t(a, 0)).is_some();
    "Parse" ("a") => |a| {
        let s = t(a, 0);
        parse_uuid(&s).ok_or_else(|| match s.len() {
            32 | 36 | 38 | 45 => "invalid UUID format".to_owned(),
            n => format!("invalid UUID length: {n}"),
        })
    };
}

unknown_table! { UUID_UNKNOWN:
    "V1" | "V4" => "draws random numbers";
}

fn abbrev(a: &Args<'_>) -> Result<Bytes, String> {
    let (offset, width, input) = match a.len() {
        0 | 1 => return Err("abbrev requires a 'maxWidth' and 'input' argument".into()),
        2 => (0, conv_int(a.val(0)), t(a, 1)),
        3 => (conv_int(a.val(0)), conv_int(a.val(1)), t(a, 2)),
        _ => (0, 0, String::new()),
    };
    let input = input.as_bytes();
    if input.len() as i64 <= width { Ok(input.into()) } else { text::abbreviate(input, offset, width).map(Bytes) }
}

fn sort(a: &Args<'_>) -> Result<Vec<String>, String> {
    let Data::List(list) = a.data(0) else {
        return Err(format!("wrong type for value; expected []string; got {}", format::type_name(a.val(0))));
    };
    let mut texts: Vec<String> = list.iter().map(|v| conv_data_text(&v.data)).collect();
    texts.sort();
    Ok(texts)
}

fn trunc(length: i64, text: &str) -> Bytes {
    match usize::try_from(length) {
        Ok(n) if n < text.len() => text.as_bytes()[..n].into(),
        _ => text.as_bytes().into(),
    }
}

/// The result for a list: the library prints the addresses of the list instead of its content.
fn shell_quote_all(count: usize) -> String {
    vec!["'<interface {} Value>'"; count].join(" ")
}

fn shell_quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\"'\"'"))
}

fn indent(a: &Args<'_>) -> Result<String, String> {
    let Some(last) = a.all.last() else { return Err("runtime error: index out of range [-1]".into()) };
    let bad = || "indent: invalid arguments".to_owned();
    let (width, pad) = match (a.len(), a.data(0), a.data(1)) {
        (2, Data::Str(pad), _) => (1, pad.to_string()),
        (2, Data::Int(width), _) => (*width, " ".into()),
        (3, Data::Int(width), Data::Str(pad)) => (*width, pad.to_string()),
        (2 | 3, ..) => return Err(bad()),
        _ => (1, " ".into()),
    };
    let input = conv_text(last);
    let Some(width) = usize::try_from(width).ok().filter(|w| *w > 0 && !pad.contains('\n')) else { return Ok(input) };
    if pad.len().saturating_mul(width).saturating_mul(input.lines().count().max(1)) > super::call::MAX_TEXT {
        return Err("strings: Repeat output length overflow".into());
    }
    Ok(text::indent_lines(&input, &pad.repeat(width)))
}

fn word_wrap(a: &Args<'_>) -> Result<Bytes, String> {
    let (mut width, mut line_break) = (0, String::new());
    match a.len() {
        1 => {}
        2 => match data(a.val(0)) {
            Data::Str(s) => line_break = s.to_string(),
            _ => width = conv_int(a.val(0)),
        },
        3 => (width, line_break) = (conv_int(a.val(0)), t(a, 1)),
        n => return Err(format!("expected 1, 2, or 3 args, got {n}")),
    }
    let width = if width == 0 { 80 } else { width };
    Ok(Bytes(text::wrap(&t(a, a.len() - 1), width, &line_break, false)))
}

fn two_or_three(
    a: &Args<'_>,
    f: impl Fn(&str, i64, &str) -> Result<Vec<String>, String>,
) -> Result<Vec<String>, String> {
    match a.len() {
        2 => f(&t(a, 0), -1, &t(a, 1)),
        3 => f(&t(a, 0), conv_int(a.val(1)), &t(a, 2)),
        n => Err(format!("wrong number of args: want 2 or 3, got {n}")),
    }
}

fn parse_uuid(text: &str) -> Option<String> {
    let hex = |s: &str| s.bytes().all(|b| b.is_ascii_hexdigit());
    let plain = match text.len() {
        36 => text.to_owned(),
        45 if text.get(..9)?.eq_ignore_ascii_case("urn:uuid:") => text.get(9..)?.to_owned(),
        38 => text.get(1..37)?.to_owned(),
        32 if hex(text) => {
            format!("{}-{}-{}-{}-{}", &text[..8], &text[8..12], &text[12..16], &text[16..20], &text[20..])
        }
        _ => return None,
    };
    let parts: Vec<&str> = plain.split('-').collect();
    let lengths: Vec<usize> = parts.iter().map(|p| p.len()).collect();
    (lengths == [8, 4, 4, 4, 12] && parts.iter().all(|p| hex(p))).then(|| plain.to_ascii_lowercase())
}
