//! Layouts of the package `time`: `2006-01-02T15:04:05Z07:00`.

use super::strconv;
use super::time::{DAY, DAYS, MONTHS, Time, days_in, days_of};
use std::fmt::Write;

/// The layout of RFC 3339.
pub(crate) const RFC3339: &str = "2006-01-02T15:04:05Z07:00";

/// The elements of layouts, longer ones before their prefixes.
const ELEMENTS: &[&str] = &[
    "January",
    "Jan",
    "Monday",
    "Mon",
    "MST",
    "2006",
    "-07:00:00",
    "-070000",
    "-07:00",
    "-0700",
    "-07",
    "Z07:00:00",
    "Z070000",
    "Z07:00",
    "Z0700",
    "Z07",
    "002",
    "01",
    "02",
    "03",
    "04",
    "05",
    "06",
    "15",
    "PM",
    "pm",
    "__2",
    "_2",
    "1",
    "2",
    "3",
    "4",
    "5",
];

/// Splits off the next element: text in front, element, rest.
fn next_element(layout: &str) -> (&str, &str, &str) {
    for (i, _) in layout.char_indices() {
        let rest = &layout[i..];
        if let Some(digits) = rest.strip_prefix(['.', ',']) {
            let count = digits.len() - digits.trim_start_matches(['0', '9']).len();
            let same = digits.starts_with('0') && digits[..count].bytes().all(|b| b == b'0')
                || digits.starts_with('9') && digits[..count].bytes().all(|b| b == b'9');
            if count > 0 && same && !digits[count..].starts_with(|c: char| c.is_ascii_digit()) {
                return (&layout[..i], &rest[..=count], &rest[count + 1..]);
            }
        }
        let element = ELEMENTS.iter().find(|e| rest.starts_with(**e));
        match element {
            Some(&"Jan" | &"Mon") if rest[3..].starts_with(|c: char| c.is_ascii_lowercase()) => {}
            // `_2006` is an underscore and a year.
            Some(&"_2") if rest.starts_with("_2006") => return (&layout[..=i], "2006", &rest[5..]),
            Some(e) => return (&layout[..i], e, &rest[e.len()..]),
            None => {}
        }
    }
    (layout, "", "")
}

/// `time.Time.Format`.
pub(crate) fn format(time: &Time, layout: &str) -> String {
    let utc = (time.offset == 0).then_some("UTC");
    format_with(time, utc, layout)
}

/// The same where the zone of the time may have a name (`CET`).
pub(crate) fn format_with(time: &Time, zone_name: Option<&str>, layout: &str) -> String {
    let f = time.fields();
    let (hour, minute, second) = (f.second_of_day / 3600, f.second_of_day / 60 % 60, f.second_of_day % 60);
    let hour12 = if hour % 12 == 0 { 12 } else { hour % 12 };
    let month = MONTHS[(f.month as usize).saturating_sub(1) % 12];
    let mut out = String::new();
    let mut rest = layout;
    loop {
        let (before, element, after) = next_element(rest);
        out.push_str(before);
        rest = after;
        let _ = match element {
            "" => return out,
            "January" => out.write_str(month),
            "Jan" => out.write_str(&month[..3]),
            "Monday" => out.write_str(DAYS[f.weekday]),
            "Mon" => out.write_str(&DAYS[f.weekday][..3]),
            "2006" => write!(out, "{:04}", f.year),
            "06" => write!(out, "{:02}", f.year.rem_euclid(100)),
            "01" => write!(out, "{:02}", f.month),
            "1" => write!(out, "{}", f.month),
            "02" => write!(out, "{:02}", f.day),
            "_2" => write!(out, "{:2}", f.day),
            "2" => write!(out, "{}", f.day),
            "002" => write!(out, "{:03}", f.year_day),
            "__2" => write!(out, "{:3}", f.year_day),
            "15" => write!(out, "{hour:02}"),
            "03" => write!(out, "{hour12:02}"),
            "3" => write!(out, "{hour12}"),
            "04" => write!(out, "{minute:02}"),
            "4" => write!(out, "{minute}"),
            "05" => write!(out, "{second:02}"),
            "5" => write!(out, "{second}"),
            "PM" => out.write_str(if hour >= 12 { "PM" } else { "AM" }),
            "pm" => out.write_str(if hour >= 12 { "pm" } else { "am" }),
            "MST" => out.write_str(zone_name.unwrap_or(&zone(time.offset, "-0700"))),
            e if e.starts_with('Z') && time.offset == 0 => out.write_str("Z"),
            e if e.starts_with(['Z', '-']) => out.write_str(&zone(time.offset, e)),
            e => {
                let nanos = format!("{:09}", time.nanos);
                let digits = &nanos[..(e.len() - 1).min(9)];
                if e[1..].starts_with('9') {
                    let digits = digits.trim_end_matches('0');
                    if digits.is_empty() { Ok(()) } else { write!(out, "{}{digits}", &e[..1]) }
                } else {
                    write!(out, "{}{digits}", &e[..1])
                }
            }
        };
    }
}

fn zone(offset: i32, element: &str) -> String {
    let sign = if offset < 0 { '-' } else { '+' };
    let all = offset.unsigned_abs();
    let colon = if element.contains(':') { ":" } else { "" };
    let mut out = format!("{sign}{:02}", all / 3600);
    let digits = element.bytes().filter(u8::is_ascii_digit).count();
    if digits >= 4 {
        let _ = write!(out, "{colon}{:02}", all / 60 % 60);
    }
    if digits >= 6 {
        let _ = write!(out, "{colon}{:02}", all % 60);
    }
    out
}

/// `time.Parse`, local time being UTC.
pub(crate) fn parse(layout: &str, value: &str) -> Result<Time, String> {
    let fail = |element: &str, rest: &str| {
        let q = |s: &str| strconv::quote(s, false);
        format!("parsing time {} as {}: cannot parse {} as {}", q(value), q(layout), q(rest), q(element))
    };
    let range = |what: &str| format!("parsing time {}: {what} out of range", strconv::quote(value, false));
    let (mut year, mut month, mut day, mut year_day) = (0i64, None, None, None);
    let (mut hour, mut minute, mut second, mut nanos, mut offset) = (0i64, 0i64, 0i64, 0u32, 0i32);
    let mut afternoon = None;
    let (mut spec, mut rest) = (layout, value);
    loop {
        let (before, element, after) = next_element(spec);
        let mut prefix = before;
        // Spaces of the layout stand for any number of them.
        while !prefix.is_empty() {
            if prefix.starts_with(' ') {
                if !rest.is_empty() && !rest.starts_with(' ') {
                    return Err(fail(before, rest));
                }
                prefix = prefix.trim_start_matches(' ');
                rest = rest.trim_start_matches(' ');
                continue;
            }
            let c = prefix.chars().next().unwrap_or(' ');
            rest = rest.strip_prefix(c).ok_or_else(|| fail(before, rest))?;
            prefix = &prefix[c.len_utf8()..];
        }
        spec = after;
        if element.is_empty() {
            if rest.is_empty() {
                break;
            }
            let q = |s: &str| strconv::quote(s, false);
            return Err(format!("parsing time {}: extra text: {}", q(value), q(rest)));
        }
        let held = rest;
        let bad = || fail(element, held);
        let mut number = |min: usize, max: usize| -> Result<i64, String> {
            let digits = rest.bytes().take(max).take_while(u8::is_ascii_digit).count();
            if digits < min {
                return Err(bad());
            }
            let (n, after) = rest.split_at(digits);
            rest = after;
            n.parse().map_err(|_| bad())
        };
        match element {
            "2006" => year = number(4, 4)?,
            "06" => {
                year = number(2, 2)?;
                year += if year >= 69 { 1900 } else { 2000 };
            }
            "01" => month = Some(number(2, 2)?),
            "1" => month = Some(number(1, 2)?),
            "02" => day = Some(number(2, 2)?),
            "2" => day = Some(number(1, 2)?),
            "_2" => {
                rest = rest.trim_start_matches(' ');
                let digits = rest.bytes().take(2).take_while(u8::is_ascii_digit).count();
                day = Some(rest[..digits].parse().map_err(|_| bad())?);
                rest = &rest[digits..];
            }
            "002" | "__2" => year_day = Some(number(3, 3)?),
            "15" => hour = number(1, 2)?,
            "03" => hour = number(2, 2)?,
            "3" => hour = number(1, 2)?,
            "04" => minute = number(2, 2)?,
            "4" => minute = number(1, 2)?,
            "05" | "5" => {
                second = number(if element == "05" { 2 } else { 1 }, 2)?;
                // A fraction may follow even if the layout has none.
                if !next_element(spec).1.starts_with(['.', ',']) || !next_element(spec).0.is_empty() {
                    (nanos, rest) = fraction(rest).unwrap_or((0, rest));
                }
            }
            "PM" | "pm" => {
                let word = rest.get(..2).ok_or_else(bad)?;
                afternoon = Some(match word {
                    "PM" | "pm" => true,
                    "AM" | "am" => false,
                    _ => return Err(bad()),
                });
                rest = &rest[2..];
            }
            "January" | "Jan" => {
                let (i, len) = name(&MONTHS, rest, element == "Jan").ok_or_else(bad)?;
                month = Some(i as i64 + 1);
                rest = &rest[len..];
            }
            "Monday" | "Mon" => {
                let (_, len) = name(&DAYS, rest, element == "Mon").ok_or_else(bad)?;
                rest = &rest[len..];
            }
            "MST" => {
                let len = rest.bytes().take_while(u8::is_ascii_uppercase).count();
                if !(3..=5).contains(&len) {
                    return Err(bad());
                }
                // Other abbreviations are a made-up zone without offset.
                rest = &rest[len..];
            }
            e if e.starts_with('Z') && rest.starts_with('Z') => rest = &rest[1..],
            e if e.starts_with(['Z', '-']) => {
                let (parts, after) = read_zone(e, rest).ok_or_else(bad)?;
                let [sign, hours, minutes, seconds] = parts;
                // Some write offsets of 24 hours or 60 minutes.
                for (part, most, name) in [(hours, 24, "hour"), (minutes, 60, "minute"), (seconds, 60, "second")] {
                    if part > most {
                        return Err(range(&format!("time zone offset {name}")));
                    }
                }
                (offset, rest) = (sign * (hours * 3600 + minutes * 60 + seconds), after);
            }
            e if e[1..].starts_with('9') => (nanos, rest) = fraction(rest).unwrap_or((0, rest)),
            e => {
                let text = rest.get(..e.len()).ok_or_else(bad)?;
                (nanos, _) = fraction(text).filter(|f| f.1.is_empty()).ok_or_else(bad)?;
                rest = &rest[e.len()..];
            }
        }
    }
    match afternoon {
        Some(true) if hour < 12 => hour += 12,
        Some(false) if hour == 12 => hour = 0,
        _ => {}
    }
    if hour > 23 {
        return Err(range("hour"));
    }
    if minute > 59 {
        return Err(range("minute"));
    }
    if second > 59 {
        return Err(range("second"));
    }
    let month =
        u32::try_from(month.unwrap_or(1)).ok().filter(|m| (1..=12).contains(m)).ok_or_else(|| range("month"))?;
    let longest = i64::from(days_in(year, month));
    let day = day.unwrap_or(1);
    if !(1..=longest).contains(&day) {
        return Err(range("day"));
    }
    let days = match year_day {
        Some(n) if !(1..=366).contains(&n) => return Err(range("day-of-year")),
        Some(n) => days_of(year, 1, 1) + n - 1,
        None => days_of(year, month, day as u32),
    };
    let seconds = days * DAY + hour * 3600 + minute * 60 + second - i64::from(offset);
    Ok(Time { seconds, nanos, offset })
}

/// `.123` as nanoseconds with what follows.
fn fraction(text: &str) -> Option<(u32, &str)> {
    let digits = text.strip_prefix(['.', ','])?;
    let count = digits.bytes().take_while(u8::is_ascii_digit).count();
    if count == 0 {
        return None;
    }
    let nanos = format!("{:0<9}", &digits[..count.min(9)]).parse().ok()?;
    Some((nanos, &digits[count..]))
}

fn name(names: &[&str], text: &str, short: bool) -> Option<(usize, usize)> {
    names.iter().enumerate().find_map(|(i, name)| {
        let name = if short { &name[..3] } else { name };
        text.get(..name.len()).filter(|t| t.eq_ignore_ascii_case(name)).map(|_| (i, name.len()))
    })
}

/// The sign, hours, minutes and seconds of an offset, with what follows.
fn read_zone<'a>(element: &str, text: &'a str) -> Option<([i32; 4], &'a str)> {
    let length = element.len();
    let (zone, rest) = (text.get(..length)?, text.get(length..)?);
    let sign = match zone.as_bytes()[0] {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let places_match = zone.bytes().zip(element.bytes()).skip(1).all(|(z, e)| (z == b':') == (e == b':'));
    let digits: String = zone[1..].chars().filter(|c| *c != ':').collect();
    if !places_match || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let part = |i: usize| digits.get(i..i + 2).and_then(|d| d.parse::<i32>().ok()).unwrap_or(0);
    Some(([sign, part(0), part(2), part(4)], rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// What is written in RFC 3339 reads back, and says the same as the short form.
        #[test]
        fn times_read_back(seconds in -62_135_596_800_i64..253_402_214_400, nanos in 0_u32..1_000_000_000, minutes in -1439_i32..1440) {
            let time = Time { seconds, nanos, offset: minutes * 60 };
            if (0..=9999).contains(&time.fields().year) {
                prop_assert_eq!(parse(RFC3339, &time.rfc3339()), Ok(time.clone()));
                prop_assert_eq!(format(&time, "2006-01-02T15:04:05.999999999Z07:00"), time.rfc3339());
            }
        }
    }

    #[test]
    fn layouts() {
        let time = parse("2006-01-02T15:04:05Z07:00", "2021-03-04T05:06:07.5+02:00").unwrap();
        for (layout, want) in [
            ("2006-01-02", "2021-03-04"),
            ("Mon Jan _2 15:04:05 2006", "Thu Mar  4 05:06:07 2021"),
            ("Monday, 02-Jan-06 3:04PM -0700", "Thursday, 04-Mar-21 5:06AM +0200"),
            ("05.000 .999 002 Z07:00", "07.500 .5 063 +02:00"),
            ("year 2006_2006", "year 2021_2021"),
        ] {
            assert_eq!(format(&time, layout), want, "{layout}");
        }
        for (zone, fits) in [("+24:60", true), ("-05:30", true), ("+25:00", false), ("+00:61", false)] {
            assert_eq!(parse(RFC3339, &format!("2021-03-04T05:06:07{zone}")).is_ok(), fits, "{zone}");
        }
        assert!(parse("2006-01-02", "2021-13-01").unwrap_err().contains("month out of range"));
        assert_eq!(
            parse("2006-01-02", "x").unwrap_err(),
            "parsing time \"x\" as \"2006-01-02\": cannot parse \"x\" as \"2006\""
        );
    }
}
