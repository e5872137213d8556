//! Points in time, as an unquoted YAML date yields them.

use std::fmt::Write;

/// A point in time with the offset it was written with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timestamp {
    /// Seconds since 1970-01-01T00:00:00Z.
    pub seconds: i64,
    /// Nanoseconds within the second.
    pub nanos: u32,
    /// Offset of the written zone, in seconds east of UTC.
    pub offset: i32,
}

impl Timestamp {
    /// Reads the forms go-yaml takes for timestamps: a date, or a date and a time joined by `T`, `t` (with a zone) or
    /// blanks (without). Fields but the year may have one digit; fractions beyond nanoseconds are cut.
    pub fn parse(text: &str) -> Option<Self> {
        let (year, rest) =
            text.split_at_checked(4).filter(|(year, _)| year.bytes().all(|byte| byte.is_ascii_digit()))?;
        let mut rest = rest.strip_prefix('-')?;
        let month = field(&mut rest, 1, 12)?;
        rest = rest.strip_prefix('-')?;
        let year = year.parse().ok()?;
        let day = field(&mut rest, 1, days_in(year, month))?;
        let midnight = days_from_civil(year, month, day) * 86_400;
        if rest.is_empty() {
            return Some(Self { seconds: midnight, nanos: 0, offset: 0 });
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
        Some(Self { seconds: local - i64::from(offset), nanos, offset })
    }

    /// RFC 3339 with as many fraction digits as needed: how go-yaml writes a time (`2021-03-04T00:00:00Z`).
    pub fn rfc3339(&self) -> String {
        let mut text = self.date_and_time('T');
        match self.offset {
            0 => text.push('Z'),
            _ => self.push_zone(&mut text, ":"),
        }
        text
    }

    /// Go's `String()` form: `2021-03-04 00:00:00 +0000 UTC`.
    pub fn go_string(&self) -> String {
        let mut text = self.date_and_time(' ');
        text.push(' ');
        self.push_zone(&mut text, "");
        match self.offset {
            0 => text.push_str(" UTC"),
            // A zone without a name is named by its offset.
            _ => {
                text.push(' ');
                self.push_zone_name(&mut text);
            }
        }
        text
    }

    fn date_and_time(&self, joint: char) -> String {
        let local = self.seconds.saturating_add(i64::from(self.offset));
        let (year, month, day) = civil_from_days(local.div_euclid(86_400));
        let second = local.rem_euclid(86_400);
        let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
        let mut text = format!("{year:04}-{month:02}-{day:02}{joint}{hour:02}:{minute:02}:{second:02}");
        if self.nanos != 0 {
            let digits = format!("{:09}", self.nanos);
            let _ = write!(text, ".{}", digits.trim_end_matches('0'));
        }
        text
    }

    fn push_zone(&self, text: &mut String, colon: &str) {
        let minutes = self.offset.unsigned_abs() / 60;
        let sign = if self.offset < 0 { '-' } else { '+' };
        let _ = write!(text, "{sign}{:02}{colon}{:02}", minutes / 60, minutes % 60);
    }

    fn push_zone_name(&self, text: &mut String) {
        let minutes = self.offset.unsigned_abs() / 60;
        let sign = if self.offset < 0 { '-' } else { '+' };
        let _ = write!(text, "{sign}{:02}{:02}", minutes / 60, minutes % 60);
    }
}

/// Takes one or two digits off `rest`, within `low..=high`.
fn field(rest: &mut &str, low: u32, high: u32) -> Option<u32> {
    let digits = rest.bytes().take(2).take_while(u8::is_ascii_digit).count();
    let (number, behind) = rest.split_at(digits);
    *rest = behind;
    number.parse().ok().filter(|number| (low..=high).contains(number))
}

/// Takes a fraction off `rest`: nanoseconds, zero if there is none.
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

/// Takes `Z` or `±hh:mm` off `rest`: seconds east of UTC.
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

fn days_in(year: i64, month: u32) -> u32 {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days since 1970-01-01 in the proleptic Gregorian calendar.
fn days_from_civil(year: i64, month: u32, day: u32) -> i64 {
    // Years run from March, so that the leap day is the last of its year.
    let year = if month <= 2 { year - 1 } else { year };
    let day_of_year = i64::from((153 * ((month + 9) % 12) + 2) / 5 + day - 1);
    let (era, year_of_era) = (year.div_euclid(400), year.rem_euclid(400));
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day_of_year = day - (365 * year + year / 4 - year / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year + era * 400 + i64::from(month <= 2);
    (year, month, day_of_year - (153 * shifted + 2) / 5 + 1)
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
            let time = Timestamp::parse(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(time.rfc3339(), rfc);
            assert_eq!(time.go_string(), go);
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
            assert_eq!(Timestamp::parse(text), None, "{text}");
        }
    }
}
