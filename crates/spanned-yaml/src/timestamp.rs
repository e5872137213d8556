//! Points in time, as an unquoted YAML date yields them.

use go_compat::time::{DAY, days_in, days_of};

pub use go_compat::time::Time as Timestamp;

/// Parses the formats that go-yaml recognizes as timestamps: a date, or a date and a time joined by `T`, `t` (with
/// a zone) or spaces (without). Fields except the year may have one digit; fractions beyond nanoseconds are cut.
pub fn parse_timestamp(text: &str) -> Option<Timestamp> {
    let (year, rest) = text.split_at_checked(4).filter(|(year, _)| year.bytes().all(|byte| byte.is_ascii_digit()))?;
    let mut rest = rest.strip_prefix('-')?;
    let month = field(&mut rest, 1, 12)?;
    rest = rest.strip_prefix('-')?;
    let year = year.parse().ok()?;
    let day = field(&mut rest, 1, days_in(year, month))?;
    let midnight = days_of(year, month, day) * DAY;
    if rest.is_empty() {
        return Some(Timestamp { seconds: midnight, nanos: 0, offset: 0 });
    }
    let zoned = rest.starts_with(['T', 't']);
    rest = match zoned {
        true => &rest[1..],
        false => rest.strip_prefix(' ')?.trim_start_matches(' '),
    };
    let hour = field(&mut rest, 0, 23)?;
    rest = rest.strip_prefix(':')?;
    let minute = field(&mut rest, 0, 59)?;
    rest = rest.strip_prefix(':')?;
    let second = field(&mut rest, 0, 59)?;
    let nanos = fraction(&mut rest);
    let offset = if zoned { zone(&mut rest)? } else { 0 };
    if !rest.is_empty() {
        return None;
    }
    let local = midnight + i64::from(hour * 3600 + minute * 60 + second);
    Some(Timestamp { seconds: local - i64::from(offset), nanos, offset })
}

/// Consumes one or two digits of `rest`, within `low..=high`.
fn field(rest: &mut &str, low: u32, high: u32) -> Option<u32> {
    let digits = rest.bytes().take(2).take_while(u8::is_ascii_digit).count();
    let (number, behind) = rest.split_at(digits);
    *rest = behind;
    number.parse().ok().filter(|number| (low..=high).contains(number))
}

/// Consumes a fraction of `rest`: nanoseconds, zero if there is none.
fn fraction(rest: &mut &str) -> u32 {
    let Some(behind) = rest.strip_prefix(['.', ',']) else { return 0 };
    let digits = behind.bytes().take_while(u8::is_ascii_digit).count();
    if digits == 0 {
        return 0;
    }
    let nanos = behind[..digits].bytes().chain(std::iter::repeat(b'0')).take(9);
    let nanos = nanos.fold(0, |sum, digit| sum * 10 + u32::from(digit - b'0'));
    *rest = &behind[digits..];
    nanos
}

/// Consumes `Z` or `±hh:mm` of `rest`: seconds east of UTC.
fn zone(rest: &mut &str) -> Option<i32> {
    if let Some(behind) = rest.strip_prefix('Z') {
        *rest = behind;
        return Some(0);
    }
    let (sign, digits) = match rest.as_bytes() {
        [sign @ (b'+' | b'-'), digits @ ..] => (if *sign == b'-' { -1 } else { 1 }, digits),
        _ => return None,
    };
    let [h1, h2, b':', m1, m2, ..] = *digits else { return None };
    if ![h1, h2, m1, m2].iter().all(u8::is_ascii_digit) {
        return None;
    }
    let pair = |tens: u8, ones: u8| i32::from(tens - b'0') * 10 + i32::from(ones - b'0');
    let (hours, minutes) = (pair(h1, h2), pair(m1, m2));
    *rest = &rest[6..];
    // Go lets 24 hours and 60 minutes pass.
    (hours <= 24 && minutes <= 60).then_some(sign * (hours * 3600 + minutes * 60))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms() {
        for (text, rfc, go) in [
            ("2021-03-04", "2021-03-04T00:00:00Z", "2021-03-04 00:00:00 +0000 UTC"),
            ("2001-1-1", "2001-01-01T00:00:00Z", "2001-01-01 00:00:00 +0000 UTC"),
            ("2001-12-14t21:59:43.10-05:00", "2001-12-14T21:59:43.1-05:00", "2001-12-14 21:59:43.1 -0500 -0500"),
            ("2001-12-14   1:2:3,5", "2001-12-14T01:02:03.5Z", "2001-12-14 01:02:03.5 +0000 UTC"),
            ("2001-12-14T1:2:3Z", "2001-12-14T01:02:03Z", "2001-12-14 01:02:03 +0000 UTC"),
            (
                "0000-02-29T23:59:59.1234567899Z",
                "0000-02-29T23:59:59.123456789Z",
                "0000-02-29 23:59:59.123456789 +0000 UTC",
            ),
            ("9999-12-31T00:00:00+24:60", "9999-12-31T00:00:00+25:00", "9999-12-31 00:00:00 +2500 +2500"),
        ] {
            let time = parse_timestamp(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(time.rfc3339(), rfc);
            assert_eq!(time.to_string(), go);
        }
        for text in [
            "2001-02-30",
            "2001-12-14_21:59:43",
            "2001-12-14T21:59:43",
            "2001-12-14 21:59:43Z",
            "2001-13-01",
            "2001-1-",
            "2001-01-01 ",
            "20010-1-1",
            "2001-12-14T24:00:00Z",
            "2001-12-14T21:59:60Z",
            "2001-12-14T21:59:43+25:00",
            "2001-12-14T21:59:43é",
            "",
        ] {
            assert_eq!(parse_timestamp(text), None, "{text}");
        }
    }
}
