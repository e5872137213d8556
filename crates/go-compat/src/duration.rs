//! Durations of the package `time`: `1h1m40s`.

use super::strconv;

const UNITS: &[(&str, i64)] = &[
    ("ns", 1),
    ("us", 1_000),
    ("µs", 1_000),
    ("μs", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
];

/// `time.ParseDuration`: nanoseconds.
pub fn parse_duration(text: &str) -> Result<i64, String> {
    let fail = || format!("time: invalid duration {}", strconv::quote(text, false));
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    if unsigned == "0" {
        return Ok(0);
    }
    let mut rest = unsigned;
    let mut total: i128 = 0;
    if rest.is_empty() {
        return Err(fail());
    }
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let (whole, mut after) = rest.split_at(end);
        let mut fraction = "";
        if let Some(digits) = after.strip_prefix('.') {
            let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
            (fraction, after) = digits.split_at(end);
        }
        if whole.is_empty() && fraction.is_empty() {
            return Err(fail());
        }
        let end = after.find(|c: char| c == '.' || c.is_ascii_digit()).unwrap_or(after.len());
        let (unit, next) = after.split_at(end);
        if unit.is_empty() {
            return Err(format!("time: missing unit in duration {}", strconv::quote(text, false)));
        }
        let size = UNITS.iter().find(|u| u.0 == unit).map(|u| i128::from(u.1)).ok_or_else(|| {
            format!("time: unknown unit {} in duration {}", strconv::quote(unit, false), strconv::quote(text, false))
        })?;
        let whole: i128 = if whole.is_empty() { 0 } else { whole.parse().map_err(|_| fail())? };
        total = whole.checked_mul(size).and_then(|n| total.checked_add(n)).ok_or_else(fail)?;
        if !fraction.is_empty() {
            let digits = &fraction[..fraction.len().min(18)];
            let value: i128 = digits.parse().map_err(|_| fail())?;
            total += value * size / 10i128.pow(digits.len() as u32);
        }
        if total > 1 << 63 {
            return Err(fail());
        }
        rest = next;
    }
    let total = if text.starts_with('-') { -total } else { total };
    i64::try_from(total).map_err(|_| fail())
}

/// `time.Duration.String`: `1h1m40s`, `1.5ms`, `0s`.
pub fn duration_text(nanos: i64) -> String {
    let size = nanos.unsigned_abs();
    let sign = if nanos < 0 { "-" } else { "" };
    let with_fraction = |value: u64, unit: u64| {
        let (whole, part) = (value / unit, value % unit);
        let width = unit.to_string().len() - 1;
        let digits = format!("{part:0width$}");
        let digits = digits.trim_end_matches('0');
        if part == 0 { whole.to_string() } else { format!("{whole}.{digits}") }
    };
    match size {
        0 => "0s".into(),
        1..1_000 => format!("{sign}{size}ns"),
        1_000..1_000_000 => format!("{sign}{}µs", with_fraction(size, 1_000)),
        1_000_000..1_000_000_000 => format!("{sign}{}ms", with_fraction(size, 1_000_000)),
        _ => {
            let seconds = with_fraction(size % 60_000_000_000, 1_000_000_000);
            let minutes = size / 60_000_000_000;
            match (minutes / 60, minutes % 60) {
                (0, 0) => format!("{sign}{seconds}s"),
                (0, m) => format!("{sign}{m}m{seconds}s"),
                (h, m) => format!("{sign}{h}h{m}m{seconds}s"),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn durations_read_back(nanos in any::<i64>(), small in -9_999_999_999_i64..9_999_999_999) {
            for nanos in [nanos, small, i64::MIN, i64::MAX] {
                prop_assert_eq!(parse_duration(&duration_text(nanos)), Ok(nanos));
            }
        }
    }
}
