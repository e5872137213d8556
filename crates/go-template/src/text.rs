//! Go's rules for characters, quoted strings and numbers.

use go_compat::strconv::{self, is_print};

/// The zeros of the decimal digits (Unicode category Nd) beyond ASCII; each is followed by the other nine.
const ZEROS: &[u32] = &[
    0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xde6, 0xe50, 0xed0, 0xf20,
    0x1040, 0x1090, 0x17e0, 0x1810, 0x1946, 0x19d0, 0x1a80, 0x1a90, 0x1b50, 0x1bb0, 0x1c40, 0x1c50, 0xa620, 0xa8d0,
    0xa900, 0xa9d0, 0xa9f0, 0xaa50, 0xabf0, 0xff10,
];

/// A letter, a decimal digit or an underscore.
pub(super) fn is_alphanumeric(c: char) -> bool {
    if c.is_ascii() {
        return c == '_' || c.is_ascii_alphanumeric();
    }
    let code = u32::from(c);
    (c.is_alphabetic() && !c.is_numeric()) || ZEROS.iter().any(|z| (*z..*z + 10).contains(&code))
}

/// A character as in `U+00B2 '²'`; the end of the text is `U+FFFFFFFFFFFFFFFF`.
pub(super) fn unicode_point(c: Option<char>) -> String {
    match c {
        None => "U+FFFFFFFFFFFFFFFF".to_owned(),
        Some(c) if is_print(c) => format!("U+{:04X} '{c}'", u32::from(c)),
        Some(c) => format!("U+{:04X}", u32::from(c)),
    }
}

/// The text in double quotes, as Go's `%q` writes it.
pub(super) fn quote(text: &str) -> String {
    strconv::quote(text, false)
}

/// Returns the bytes of a Go string literal (with its quotes).
///
/// # Errors
/// Nothing to say but that the syntax is wrong.
pub(super) fn unquote(literal: &str) -> Result<Vec<u8>, ()> {
    let body = literal.get(1..literal.len().saturating_sub(1)).ok_or(())?;
    if literal.starts_with('`') {
        return Ok(body.replace('\r', "").into_bytes());
    }
    if !body.contains(['\\', '"', '\n']) {
        return Ok(body.as_bytes().to_vec());
    }
    let mut out = Vec::with_capacity(body.len());
    let mut rest = body;
    while !rest.is_empty() {
        let (unit, tail) = unquote_char(rest, '"')?;
        match unit {
            Unit::Char(c) => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
            Unit::Byte(b) => out.push(b),
        }
        rest = tail;
    }
    Ok(out)
}

/// One element of a string or character literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    /// A character.
    Char(char),
    /// A byte, from `\x41` or `\101`.
    Byte(u8),
}

/// The first element of the inside of a literal in `quote`s, and the rest.
pub(super) fn unquote_char(text: &str, quote: char) -> Result<(Unit, &str), ()> {
    let mut chars = text.chars();
    let c = chars.next().ok_or(())?;
    if c == quote || c == '\n' {
        return Err(());
    }
    if c != '\\' {
        return Ok((Unit::Char(c), chars.as_str()));
    }
    let escape = chars.next().ok_or(())?;
    let simple = match escape {
        'a' => '\x07',
        'b' => '\x08',
        'f' => '\x0c',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'v' => '\x0b',
        '\\' => '\\',
        '\'' | '"' if escape == quote => escape,
        'x' => return numeric(chars.as_str(), 2, 16),
        'u' => return numeric(chars.as_str(), 4, 16),
        'U' => return numeric(chars.as_str(), 8, 16),
        '0'..='7' => return numeric(&text[1..], 3, 8),
        _ => return Err(()),
    };
    Ok((Unit::Char(simple), chars.as_str()))
}

fn numeric(text: &str, len: usize, radix: u32) -> Result<(Unit, &str), ()> {
    let digits = text.get(..len).ok_or(())?;
    if !digits.chars().all(|c| c.is_digit(radix)) {
        return Err(());
    }
    let code = u32::from_str_radix(digits, radix).map_err(|_| ())?;
    let unit = if len < 4 {
        Unit::Byte(u8::try_from(code).map_err(|_| ())?)
    } else {
        Unit::Char(char::from_u32(code).ok_or(())?)
    };
    Ok((unit, &text[len..]))
}

/// A number literal: every reading that it allows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Number {
    /// As a signed integer.
    pub(super) int: Option<i64>,
    /// As an unsigned integer.
    pub(super) uint: Option<u64>,
    /// As a floating point number.
    pub(super) float: Option<f64>,
}

impl Number {
    /// Returns the number of a character constant (with its quotes).
    pub(super) fn from_char(literal: &str) -> Result<Number, String> {
        let (unit, tail) = unquote_char(&literal[1..], '\'').map_err(|()| "invalid syntax".to_owned())?;
        if tail != "'" {
            return Err(format!("malformed character constant: {literal}"));
        }
        let code = match unit {
            Unit::Char(c) => u32::from(c),
            Unit::Byte(b) => u32::from(b),
        };
        Ok(Number { int: Some(code.into()), uint: Some(code.into()), float: Some(code.into()) })
    }

    /// The readings of a literal, tried in Go's order.
    pub(super) fn parse(literal: &str) -> Result<Number, String> {
        let illegal = || format!("illegal number syntax: {}", quote(literal));
        let mut number = Number { uint: parse_uint(literal), ..Number::default() };
        number.int = parse_int(literal);
        if number.int == Some(0) {
            number.uint = Some(0);
        }
        #[expect(clippy::cast_precision_loss, reason = "Go converts the same way")]
        if let Some(i) = number.int {
            number.float = Some(i as f64);
        } else if let Some(u) = number.uint {
            number.float = Some(u as f64);
        } else {
            let f = parse_float(literal).ok_or_else(illegal)?;
            if !literal.contains(['.', 'e', 'E', 'p', 'P']) {
                return Err(format!("integer overflow: {}", quote(literal)));
            }
            number.float = Some(f);
            if f.fract() == 0.0 && f >= -(2f64.powi(63)) && f < 2f64.powi(63) {
                #[expect(clippy::cast_possible_truncation, reason = "checked above")]
                let i = f as i64;
                number.int = Some(i);
            }
        }
        Ok(number)
    }
}

/// Integers with Go's prefixes and underscores, without a sign.
fn parse_uint(text: &str) -> Option<u64> {
    if text.contains('_') && !underscores_ok(text) {
        return None;
    }
    let lower = text.to_ascii_lowercase();
    let (digits, radix) = match lower.as_bytes() {
        [b'0', b'x', _, ..] => (&lower[2..], 16),
        [b'0', b'b', _, ..] => (&lower[2..], 2),
        [b'0', b'o', _, ..] => (&lower[2..], 8),
        [b'0', _, ..] => (&lower[1..], 8),
        _ => (&lower[..], 10),
    };
    if digits.starts_with(['+', '-']) {
        return None;
    }
    u64::from_str_radix(&digits.replace('_', ""), radix).ok()
}

fn parse_int(text: &str) -> Option<i64> {
    if text.contains('_') && !underscores_ok(text) {
        return None;
    }
    let (negative, digits) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let magnitude = i128::from(parse_uint(digits)?);
    i64::try_from(if negative { -magnitude } else { magnitude }).ok()
}

/// Underscores must separate digits; one may follow a base prefix.
fn underscores_ok(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let bytes = unsigned.as_bytes();
    let mut previous = b'^';
    let mut i = 0;
    let mut hex = false;
    if let [b'0', base, ..] = bytes
        && matches!(base.to_ascii_lowercase(), b'b' | b'o' | b'x')
    {
        i = 2;
        previous = b'0';
        hex = base.eq_ignore_ascii_case(&b'x');
    }
    for &b in &bytes[i..] {
        if b.is_ascii_digit() || (hex && b.is_ascii_hexdigit()) {
            previous = b'0';
        } else if b == b'_' {
            if previous != b'0' {
                return false;
            }
            previous = b'_';
        } else {
            if previous == b'_' {
                return false;
            }
            previous = b'!';
        }
    }
    previous != b'_'
}

fn parse_float(text: &str) -> Option<f64> {
    if text.contains('_') && !underscores_ok(text) {
        return None;
    }
    let plain = text.replace('_', "");
    let unsigned = plain.strip_prefix(['+', '-']).unwrap_or(&plain);
    if let Some(hex) = unsigned.strip_prefix("0x").or_else(|| unsigned.strip_prefix("0X")) {
        let magnitude = parse_hex_float(hex)?;
        return Some(if plain.starts_with('-') { -magnitude } else { magnitude });
    }
    if !unsigned.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return None;
    }
    plain.parse::<f64>().ok().filter(|f| f.is_finite())
}

/// The part after `0x`: hexadecimal digits with an optional point, then a mandatory binary exponent.
fn parse_hex_float(text: &str) -> Option<f64> {
    let (digits, exponent) = text.split_once(['p', 'P'])?;
    let mut exponent: i32 = exponent.parse().ok().filter(|e: &i32| e.abs() < 5000)?;
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let mut mantissa: u64 = 0;
    for c in whole.chars().chain(fraction.chars()) {
        let digit = c.to_digit(16)?;
        mantissa = mantissa.checked_mul(16)?.checked_add(digit.into())?;
    }
    if whole.len() + fraction.len() == 0 {
        return None;
    }
    exponent = exponent.checked_sub(i32::try_from(fraction.len() * 4).ok()?)?;
    #[expect(clippy::cast_precision_loss, reason = "rounds to even, as a literal does")]
    let value = mantissa as f64 * 2f64.powi(exponent / 2) * 2f64.powi(exponent - exponent / 2);
    value.is_finite().then_some(value)
}
