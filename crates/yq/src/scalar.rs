//! Scalars: the meaning of plain text, the formatting of numbers and dates, the quoting of text.

use super::node::Style;
use go_compat::strconv;
use spanned_yaml::{analyze, is_base60, is_old_bool};

/// The tag that plain text resolves to.
pub(super) fn resolve(text: &str) -> &'static str {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return "!!null",
        "true" | "True" | "TRUE" | "false" | "False" | "FALSE" => return "!!bool",
        "<<" => return "!!merge",
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" | "-.inf" | "-.Inf" | "-.INF" => return "!!float",
        ".nan" | ".NaN" | ".NAN" => return "!!float",
        _ => {}
    }
    if !text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.')) {
        return "!!str";
    }
    if is_date(text) {
        return "!!timestamp";
    }
    let plain = text.replace('_', "");
    if is_int(&plain) {
        return "!!int";
    }
    if is_float(&plain) { "!!float" } else { "!!str" }
}

fn is_int(text: &str) -> bool {
    let body = text.strip_prefix(['+', '-']).unwrap_or(text);
    let lower = body.to_ascii_lowercase();
    let (digits, radix) = match lower.get(..2) {
        Some("0x") => (&lower[2..], 16),
        Some("0o") => (&lower[2..], 8),
        Some("0b") => (&lower[2..], 2),
        _ if lower.len() > 1 && lower.starts_with('0') => (&lower[1..], 8),
        _ => (lower.as_str(), 10),
    };
    let valid = digits.chars().all(|c| c.is_digit(radix)) && !digits.is_empty();
    valid && u64::from_str_radix(digits, radix).is_ok_and(|n| !text.starts_with('-') || n <= 1 << 63)
}

fn is_float(text: &str) -> bool {
    let body = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (mantissa, exponent) = match body.split_once(['e', 'E']) {
        Some((m, e)) => (m, Some(e.strip_prefix(['+', '-']).unwrap_or(e))),
        None => (body, None),
    };
    let digits = |t: &str| t.bytes().all(|b| b.is_ascii_digit());
    let mantissa_fits = match mantissa.split_once('.') {
        Some(("", fraction)) => !fraction.is_empty() && digits(fraction),
        Some((whole, fraction)) => digits(whole) && digits(fraction),
        None => !mantissa.is_empty() && digits(mantissa),
    };
    mantissa_fits && exponent.is_none_or(|e| !e.is_empty() && digits(e))
}

/// `2021-03-04`, alone or with a time.
fn is_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    if bytes.len() < 8 || !bytes[..4].iter().all(u8::is_ascii_digit) || bytes[4] != b'-' {
        return false;
    }
    let number = |t: &str, low: u32, high: u32| {
        (1..=2).contains(&t.len())
            && t.bytes().all(|b| b.is_ascii_digit())
            && t.parse().is_ok_and(|n| (low..=high).contains(&n))
    };
    let (date, time) = match text.find(['T', 't', ' ']) {
        Some(i) => (&text[..i], Some((&text[i + 1..], text.as_bytes()[i] == b' '))),
        None => (text, None),
    };
    let mut parts = date[5..].split('-');
    let fits = matches!((parts.next(), parts.next(), parts.next()), (Some(m), Some(d), None) if number(m, 1, 12) && number(d, 1, 31));
    let Some((time, spaced)) = time else { return fits };
    let clock = match time.strip_suffix('Z') {
        Some(clock) if !spaced => clock,
        None if spaced => time,
        None => match time.rfind(['+', '-']) {
            Some(i) if time.len() - i == 6 && time.as_bytes()[i + 3] == b':' => &time[..i],
            _ => return false,
        },
        Some(_) => return false,
    };
    let clock =
        clock.split_once('.').map_or(clock, |(c, f)| if f.bytes().all(|b| b.is_ascii_digit()) { c } else { "" });
    let parts: Vec<&str> = clock.split(':').collect();
    fits && matches!(parts.as_slice(), [h, m, s] if number(h, 0, 23) && number(m, 0, 59) && number(s, 0, 59))
}

/// An integer with its notation: decimal, `0x` or `0o`; underscores do not count.
pub(super) fn int(text: &str) -> Option<(u32, i64)> {
    let text = text.replace('_', "");
    let (digits, radix) = if let Some(hex) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        (hex, 16)
    } else if let Some(octal) = text.strip_prefix("0o") {
        (octal, 8)
    } else {
        (text.as_str(), 10)
    };
    i64::from_str_radix(digits, radix).ok().map(|n| (radix, n))
}

/// Writes an integer in a notation.
pub(super) fn int_text(radix: u32, n: i64) -> String {
    let sign = if n < 0 { "-" } else { "" };
    match radix {
        16 => format!("0x{sign}{:X}", n.unsigned_abs()),
        8 => format!("0o{sign}{:o}", n.unsigned_abs()),
        _ => n.to_string(),
    }
}

/// A float as `strconv.ParseFloat` reads it.
pub(super) fn float(text: &str) -> Option<f64> {
    strconv::parse_float(text).ok()
}

/// The style in which the YAML encoder writes a text value.
pub(super) fn written_style(text: &str) -> Style {
    let traits = analyze(text);
    if text.contains('\n') {
        return if traits.no_block { Style::Double } else { Style::Literal };
    }
    if resolve(text) != "!!str" || is_old_bool(text) || is_base60(text) {
        return Style::Double;
    }
    match (traits.no_plain, traits.no_single) {
        (false, _) => Style::Plain,
        (true, false) => Style::Single,
        (true, true) => Style::Double,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn meaning_of_plain_text() {
        for (text, tag) in [
            ("", "!!null"),
            ("5", "!!int"),
            ("-0x1F", "!!int"),
            ("017", "!!int"),
            ("08", "!!float"),
            ("1e3", "!!float"),
            ("1.", "!!float"),
            (".", "!!str"),
            ("1.2.3", "!!str"),
            ("2021-03-04", "!!timestamp"),
            ("2021-13-04", "!!str"),
            ("2021-03-04T00:00:00Z", "!!timestamp"),
            ("yes", "!!str"),
            ("<<", "!!merge"),
            ("-", "!!str"),
        ] {
            assert_eq!(resolve(text), tag, "{text}");
        }
    }

    #[test]
    fn numbers() {
        assert_eq!(strconv::float(1e6), "1e+06");
        assert_eq!(strconv::float(123456.0), "123456");
        assert_eq!(strconv::float(0.0001), "0.0001");
        assert_eq!(strconv::float(0.00001), "1e-05");
        assert_eq!(strconv::float(-2.5), "-2.5");
    }

    #[test]
    fn styles() {
        for (text, style) in [
            ("a", Style::Plain),
            ("a: b", Style::Single),
            ("5", Style::Double),
            ("y", Style::Double),
            ("a\nb", Style::Literal),
            ("a \nb", Style::Double),
            ("#a", Style::Single),
            ("a\tb", Style::Double),
            ("1:30", Style::Double),
            ("- a", Style::Single),
        ] {
            assert_eq!(written_style(text), style, "{text}");
        }
    }
}
