//! Numbers in texts that are converted.

use super::Number;
use num_bigint::BigInt;

impl Number {
    /// Reads a text that is converted: what `parse` reads, digits with a power of two (`1p3` is 8), or an infinity.
    pub fn parse_text(text: &str) -> Option<Self> {
        match text.strip_prefix(['-', '+']).unwrap_or(text) {
            "inf" | "Inf" => return Some(Number::Infinite(!text.starts_with('-'))),
            _ => {}
        }
        let Some((digits, power)) = text.split_once(['p', 'P']) else { return Number::parse(text) };
        if digits.contains(['e', 'E']) {
            return None;
        }
        let power = power.parse::<i32>().ok()?;
        Some(match Number::parse(digits)? {
            Number::Finite { mantissa, exponent } if mantissa != BigInt::ZERO => {
                Number::new(mantissa, exponent + i64::from(power))
            }
            other => other,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_may_have_a_power_of_two_or_be_infinite() {
        let read = |text: &str| Number::parse_text(text).map(|number| number.to_string());
        for (text, expected) in
            [("1p3", "8"), ("1P3", "8"), ("1p-2", "0.25"), (".5p1", "1"), ("-1p3", "-8"), ("0p9", "0")]
        {
            assert_eq!(read(text).as_deref(), Some(expected), "{text}");
        }
        for (text, is_positive) in [("inf", true), ("Inf", true), ("+Inf", true), ("-inf", false)] {
            assert_eq!(Number::parse_text(text), Some(Number::Infinite(is_positive)), "{text}");
        }
        for text in ["INF", "infinity", "nan", "1e5p2", "1p", "p3", "1p3p", "0x1p3", "--inf"] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
