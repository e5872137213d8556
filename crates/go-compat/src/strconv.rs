//! Numbers and quoted text as Go's `strconv` writes and reads them.

use std::fmt::Write;

/// More digits after the point than any double has; beyond it only zeros follow.
const MAX_DIGITS: usize = 1100;

/// The shortest digits that read back as `value`, as `%v` prints them: with an exponent below 1e-4 and from 1e6 up,
/// `100000` but `1e+06` and `1.23456789e+08`. JSON has other rules, see [`json_float`].
pub fn float(value: f64) -> String {
    general(value, None)
}

/// How JSON text spells a double: an exponent only below 1e-6 and from 1e21, without a leading zero in it.
pub fn json_float(value: f64) -> String {
    let size = value.abs();
    if size != 0.0 && !(1e-6..1e21).contains(&size) {
        let text = exponent(value, None);
        return text.replace("e-0", "e-");
    }
    fixed(value, None)
}

/// How yaml.v3 spells a double: as [`float`], specials in YAML's words.
pub fn yaml_float(value: f64) -> String {
    match value {
        _ if value.is_nan() => ".nan".to_owned(),
        _ if value.is_infinite() => if value > 0.0 { ".inf" } else { "-.inf" }.to_owned(),
        _ => float(value),
    }
}

/// Formats like `strconv.FormatFloat(value, verb, precision, 64)`; `None` is the shortest exact form.
/// Verbs: `e`, `E`, `f`, `g`, `G`; every other verb is treated as `g`.
pub fn format_float(value: f64, verb: char, precision: Option<usize>) -> String {
    let text = match verb {
        'e' | 'E' => exponent(value, precision),
        'f' | 'F' => fixed(value, precision),
        _ => general(value, precision),
    };
    if verb.is_ascii_uppercase() && value.is_finite() { text.to_ascii_uppercase() } else { text }
}

fn special(value: f64) -> Option<String> {
    if value.is_nan() {
        return Some("NaN".into());
    }
    value.is_infinite().then(|| if value > 0.0 { "+Inf".into() } else { "-Inf".into() })
}

fn fixed(value: f64, precision: Option<usize>) -> String {
    if let Some(text) = special(value) {
        return text;
    }
    match precision {
        None => {
            let (digits, exp) = shortest(value);
            plain(&digits, exp)
        }
        Some(p) => {
            let mut text = format!("{value:.*}", p.min(MAX_DIGITS));
            text.extend(std::iter::repeat_n('0', p.saturating_sub(MAX_DIGITS)));
            text
        }
    }
}

fn exponent(value: f64, precision: Option<usize>) -> String {
    if let Some(text) = special(value) {
        return text;
    }
    let (mut out, exp) = match precision {
        None => shortest(value),
        Some(p) => split_exponent(&format!("{value:.*e}", p.min(MAX_DIGITS))),
    };
    out.extend(std::iter::repeat_n('0', precision.unwrap_or(0).saturating_sub(MAX_DIGITS)));
    push_exponent(&mut out, exp);
    out
}

fn split_exponent(text: &str) -> (String, i32) {
    let (digits, exp) = text.split_once('e').unwrap_or((text, "0"));
    (digits.to_owned(), exp.parse().unwrap_or(0))
}

/// The fewest digits that read back as a finite value, with a point behind the first one, and the exponent.
fn shortest(value: f64) -> (String, i32) {
    let (digits, exp) = split_exponent(&format!("{value:e}"));
    (even_tie(&digits, value).unwrap_or(digits), exp)
}

/// If two shortest mantissas are equally near to the value, Go chooses the even one: returns it if `mantissa` is odd.
fn even_tie(mantissa: &str, value: f64) -> Option<String> {
    let digits = mantissa.bytes().filter(u8::is_ascii_digit).count();
    let last = mantissa.bytes().next_back().filter(|last| last.is_ascii_digit() && last % 2 == 1)?;
    // Ties need a value that is a whole number of quarters or so: 30 digits show all of it.
    if digits < 16 {
        return None;
    }
    let exact = format!("{value:.30e}");
    let (exact, exponent) = exact.split_once('e')?;
    let tail = exact.get(exact.find('.')? + digits..)?;
    let tie = tail.starts_with('5') && tail[1..].bytes().all(|byte| byte == b'0');
    // The even neighbor is on the other side of the exact value.
    let even = if exact.starts_with(mantissa) { last + 1 } else { last - 1 };
    let candidate = format!("{}{}", &mantissa[..mantissa.len() - 1], char::from(even));
    (tie && even <= b'9' && format!("{candidate}e{exponent}").parse() == Ok(value)).then_some(candidate)
}

/// Digits with a point behind the first one, without an exponent.
fn plain(mantissa: &str, exp: i32) -> String {
    let (sign, mantissa) = mantissa.strip_prefix('-').map_or(("", mantissa), |rest| ("-", rest));
    let digits = mantissa.replace('.', "");
    let whole = usize::try_from(exp + 1).unwrap_or(0);
    match digits.split_at_checked(whole) {
        Some(("", digits)) => format!("{sign}0.{}{digits}", "0".repeat((-1 - exp).unsigned_abs() as usize)),
        Some((digits, "")) => format!("{sign}{digits}"),
        Some((whole, fraction)) => format!("{sign}{whole}.{fraction}"),
        None => format!("{sign}{digits}{}", "0".repeat(whole - digits.len())),
    }
}

fn push_exponent(out: &mut String, exp: i32) {
    let sign = if exp < 0 { '-' } else { '+' };
    let _ = write!(out, "e{sign}{:02}", exp.abs());
}

/// `%g`: with an exponent if it is below -4, or at least the number of digits requested (6 for the shortest form).
fn general(value: f64, precision: Option<usize>) -> String {
    if let Some(text) = special(value) {
        return text;
    }
    let (mut digits, exp) = match precision {
        None => shortest(value),
        Some(p) => split_exponent(&format!("{value:.*e}", p.clamp(1, MAX_DIGITS) - 1)),
    };
    if digits.contains('.') {
        digits.truncate(digits.trim_end_matches('0').trim_end_matches('.').len());
    }
    let count = digits.bytes().filter(u8::is_ascii_digit).count() as i32;
    let from = match precision {
        None => 6,
        // Digits that are not there do not count against a larger precision than the number needs.
        Some(p) => {
            let p = p.clamp(1, MAX_DIGITS) as i32;
            if p > count && count > exp { count } else { p }
        }
    };
    if exp < -4 || exp >= from {
        push_exponent(&mut digits, exp);
        return digits;
    }
    plain(&digits, exp)
}

/// Whether Go prints the character as it is (letters, marks, numbers, punctuation, symbols and the ASCII space).
pub fn is_print(c: char) -> bool {
    if c.is_ascii() {
        return c == ' ' || c.is_ascii_graphic();
    }
    // The escaping of the standard library follows the same categories; the letter in front keeps it from escaping
    // combining characters, which it does at the start of a text only.
    let mut pair = String::from("a");
    pair.push(c);
    pair.escape_debug().count() == 2
}

/// `strconv.Quote`; with `ascii`, everything else is escaped (`QuoteToASCII`).
pub fn quote(text: &str, ascii: bool) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        push_escaped(&mut out, c, '"', ascii);
    }
    out.push('"');
    out
}

/// `strconv.QuoteRune`.
pub fn quote_char(c: char, ascii: bool) -> String {
    let mut out = String::from("'");
    push_escaped(&mut out, c, '\'', ascii);
    out.push('\'');
    out
}

fn push_escaped(out: &mut String, c: char, quote: char, ascii: bool) {
    let _ = match c {
        '\\' => out.write_str("\\\\"),
        c if c == quote => write!(out, "\\{c}"),
        c if is_print(c) && (c.is_ascii() || !ascii) => out.write_char(c),
        '\u{7}' => out.write_str("\\a"),
        '\u{8}' => out.write_str("\\b"),
        '\u{c}' => out.write_str("\\f"),
        '\n' => out.write_str("\\n"),
        '\r' => out.write_str("\\r"),
        '\t' => out.write_str("\\t"),
        '\u{b}' => out.write_str("\\v"),
        c if c < ' ' || c == '\u{7f}' => write!(out, "\\x{:02x}", c as u32),
        c if (c as u32) < 0x10000 => write!(out, "\\u{:04x}", c as u32),
        c => write!(out, "\\U{:08x}", c as u32),
    };
}

/// Whether the text can be written between backquotes unchanged (`strconv.CanBackquote`).
pub fn can_backquote(text: &str) -> bool {
    text.chars().all(|c| c == '\t' || !(c < ' ' || c == '`' || c == '\u{7f}' || c == '\u{feff}'))
}

/// Why a number was not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberError {
    /// Not a number.
    Syntax,
    /// Outside of the type; holds what Go returns all the same.
    Range,
    /// A base that does not exist.
    Base,
}

impl NumberError {
    /// The error text: `strconv.<function>: parsing "<text>": invalid syntax`.
    pub fn text(self, function: &str, text: &str) -> String {
        let why = match self {
            NumberError::Syntax => "invalid syntax",
            NumberError::Range => "value out of range",
            NumberError::Base => "invalid base",
        };
        format!("strconv.{function}: parsing {}: {why}", quote(text, false))
    }
}

/// `strconv.ParseUint(text, base, bits)`: the value, or the error with the value that Go returns next to it.
pub fn parse_uint(text: &str, base: u32, bits: u32) -> Result<u64, (NumberError, u64)> {
    let syntax = (NumberError::Syntax, 0);
    let prefixed = base == 0;
    let (digits, base) = match base {
        0 => detect_base(text),
        2..=36 => (text, base),
        _ => return Err((NumberError::Base, 0)),
    };
    if text.is_empty() || digits.is_empty() || (prefixed && !underscores_ok(text)) {
        return Err(syntax);
    }
    let bits = if bits == 0 || bits > 64 { 64 } else { bits };
    let max = u64::MAX >> (64 - bits);
    let mut value: u64 = 0;
    let mut overflow = false;
    for c in digits.chars() {
        if c == '_' && prefixed {
            continue;
        }
        let digit = c.to_digit(base).ok_or(syntax)?;
        match value.checked_mul(base.into()).and_then(|v| v.checked_add(digit.into())).filter(|v| *v <= max) {
            Some(v) if !overflow => value = v,
            _ => overflow = true,
        }
    }
    if overflow { Err((NumberError::Range, max)) } else { Ok(value) }
}

/// `strconv.ParseInt(text, base, bits)`.
pub fn parse_int(text: &str, base: u32, bits: u32) -> Result<i64, (NumberError, i64)> {
    let (negative, digits) = match text.as_bytes().first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    };
    let bits = if bits == 0 || bits > 64 { 64 } else { bits };
    let cutoff = 1u64 << (bits - 1);
    let value = match parse_uint(digits, base, bits) {
        Ok(value) => value,
        Err((NumberError::Range, _)) => u64::MAX,
        Err((error, _)) => return Err((error, 0)),
    };
    match (negative, value) {
        (false, v) if v >= cutoff => Err((NumberError::Range, (cutoff - 1) as i64)),
        (true, v) if v > cutoff => Err((NumberError::Range, (cutoff as i64).wrapping_neg())),
        (false, v) => Ok(v as i64),
        (true, v) => Ok((v as i64).wrapping_neg()),
    }
}

fn detect_base(text: &str) -> (&str, u32) {
    let bytes = text.as_bytes();
    if bytes.first() != Some(&b'0') {
        return (text, 10);
    }
    if text.len() >= 3 {
        match bytes[1].to_ascii_lowercase() {
            b'b' => return (&text[2..], 2),
            b'o' => return (&text[2..], 8),
            b'x' => return (&text[2..], 16),
            _ => {}
        }
    }
    // A lone zero keeps its digit.
    if text.len() == 1 { (text, 10) } else { (&text[1..], 8) }
}

/// Underscores are only allowed between digits, or between a base prefix and a digit.
fn underscores_ok(text: &str) -> bool {
    let mut previous = '^';
    let mut rest = text.trim_start_matches(['-', '+']);
    let mut hex = false;
    let bytes = rest.as_bytes();
    if bytes.len() >= 2 && bytes[0] == b'0' && matches!(bytes[1].to_ascii_lowercase(), b'b' | b'o' | b'x') {
        previous = '0';
        hex = bytes[1].eq_ignore_ascii_case(&b'x');
        rest = &rest[2..];
    }
    for c in rest.chars() {
        if c.is_ascii_digit() || (hex && c.is_ascii_hexdigit()) {
            previous = '0';
        } else if c == '_' {
            if previous != '0' {
                return false;
            }
            previous = '_';
        } else {
            if previous == '_' {
                return false;
            }
            previous = '!';
        }
    }
    previous != '_'
}

/// `strconv.Atoi`.
pub fn atoi(text: &str) -> Result<i64, (NumberError, i64)> {
    parse_int(text, 10, 64)
}

/// `strconv.ParseFloat(text, 64)`.
pub fn parse_float(text: &str) -> Result<f64, (NumberError, f64)> {
    let syntax = (NumberError::Syntax, 0.0);
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let negative = text.starts_with('-');
    let lower = unsigned.to_ascii_lowercase();
    let sign = if negative { -1.0 } else { 1.0 };
    match lower.as_str() {
        "inf" | "infinity" => return Ok(sign * f64::INFINITY),
        "nan" => return Ok(f64::NAN),
        _ => {}
    }
    if let Some(hex) = lower.strip_prefix("0x") {
        return if underscores_ok(unsigned) { parse_hex(hex).map(|v| sign * v).ok_or(syntax) } else { Err(syntax) };
    }
    // Underscores need a base prefix, which decimal floats do not have.
    if !lower.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'e' | b'+' | b'-')) {
        return Err(syntax);
    }
    let value: f64 = lower.parse().map_err(|_| syntax)?;
    if value.is_infinite() { Err((NumberError::Range, sign * value)) } else { Ok(sign * value) }
}

/// The part of a hexadecimal float after `0x`: digits, a point, and the exponent that it must have.
fn parse_hex(text: &str) -> Option<f64> {
    let (mantissa, exp) = text.split_once('p')?;
    let exp: i32 = exp.parse().ok()?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits: String = whole.chars().chain(fraction.chars()).filter(|c| *c != '_').collect();
    if digits.is_empty() || digits.len() > 13 {
        return None;
    }
    let value = u64::from_str_radix(&digits, 16).ok()? as f64;
    Some(value * 2f64.powi(exp.checked_sub(4 * fraction.len() as i32)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats() {
        for (value, want) in [
            (0.0, "0"),
            (1.0, "1"),
            (-0.0, "-0"),
            (1.5, "1.5"),
            (1e20, "1e+20"),
            (1e6, "1e+06"),
            (100000.0, "100000"),
            (1e21, "1e+21"),
            (123456789.0, "1.23456789e+08"),
            (0.0001, "0.0001"),
            (0.00001, "1e-05"),
            (f64::INFINITY, "+Inf"),
            (f64::NAN, "NaN"),
        ] {
            assert_eq!(float(value), want);
        }
        assert_eq!(format_float(3.0, 'f', Some(2)), "3.00");
        assert_eq!(format_float(2.5, 'f', Some(0)), "2");
        assert_eq!(format_float(1234.5, 'e', Some(2)), "1.23e+03");
        assert_eq!(format_float(1234567.0, 'g', Some(3)), "1.23e+06");
        assert_eq!(format_float(100.0, 'g', Some(3)), "100");
        assert_eq!(format_float(100000.0, 'g', Some(3)), "1e+05");
        assert_eq!(json_float(1e20), "100000000000000000000");
        assert_eq!(json_float(1e21), "1e+21");
        assert_eq!(json_float(0.0000001), "1e-7");
        assert_eq!(json_float(1e6), "1000000");
        assert_eq!(format_float(100000.0, 'g', Some(10)), "100000");
    }

    #[test]
    fn the_even_one_of_two_shortest_texts() {
        // 2^89 and its neighbours have two texts of 17 digits that are equally near.
        for (value, text) in [(5e-324, "5e-324"), (9007199254740993.0, "9.007199254740992e+15"), (0.5, "0.5")] {
            assert_eq!(float(value), text);
        }
        assert_eq!([yaml_float(f64::NAN), yaml_float(f64::NEG_INFINITY), yaml_float(1e6)], [".nan", "-.inf", "1e+06"]);
    }

    proptest::proptest! {
        /// Every text reads back, and none is longer than that of Rust's library.
        #[test]
        fn floats_read_back(bits in proptest::prelude::any::<u64>(), small in -1e7_f64..1e7, halves in (1_u64 << 52..1 << 58)) {
            for value in [f64::from_bits(bits), small, halves as f64, halves as f64 / 8.0] {
                if !value.is_finite() {
                    continue;
                }
                for text in [float(value), json_float(value), format_float(value, 'f', None), format_float(value, 'e', None)] {
                    proptest::prop_assert_eq!(text.parse::<f64>().map(f64::to_bits), Ok(value.to_bits()), "{}", text);
                }
                proptest::prop_assert_eq!(format_float(value, 'f', None).len(), value.to_string().len());
            }
        }
    }

    #[test]
    fn integers() {
        assert_eq!(parse_int("077", 0, 64), Ok(63));
        assert_eq!(parse_int("0x_2A", 0, 64), Ok(42));
        assert_eq!(parse_int("1_000", 0, 64), Ok(1000));
        assert_eq!(parse_int("1_000", 10, 64), Err((NumberError::Syntax, 0)));
        assert_eq!(parse_int("9223372036854775808", 10, 64), Err((NumberError::Range, i64::MAX)));
        assert_eq!(parse_int("-9223372036854775808", 10, 64), Ok(i64::MIN));
        assert_eq!(parse_int("300", 10, 8), Err((NumberError::Range, 127)));
        assert_eq!(parse_int("é", 10, 64), Err((NumberError::Syntax, 0)));
    }

    #[test]
    fn quoting() {
        assert_eq!(quote("a\"b\n\u{1}é\u{200b}\u{301}", false), "\"a\\\"b\\n\\x01é\\u200b\u{301}\"");
        assert_eq!(quote("é", true), "\"\\u00e9\"");
        assert_eq!(quote_char('\'', false), "'\\''");
    }
}
