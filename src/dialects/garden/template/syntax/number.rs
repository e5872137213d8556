//! Numbers as text and back, as JavaScript does it.

/// Prints a number like JavaScript.
pub(crate) fn number_text(n: f64) -> String {
    if n.is_nan() {
        return "NaN".to_owned();
    }
    if n.is_infinite() {
        return if n > 0.0 { "Infinity" } else { "-Infinity" }.to_owned();
    }
    if n == 0.0 {
        return "0".to_owned();
    }
    let scientific = format!("{n:e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    match exponent {
        -7..=20 => n.to_string(),
        21.. => format!("{digits}e+{exponent}"),
        _ => format!("{digits}e{exponent}"),
    }
}

/// The number that a text is to JavaScript; `None` if it is not one.
pub(crate) fn text_number(text: &str) -> Option<f64> {
    let text = text.trim();
    let plain = text.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'+' | b'-' | b'.' | b'e' | b'E'));
    text.parse().ok().filter(|_| plain && !text.is_empty())
}
