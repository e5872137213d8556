//! Layouts of the package `time`: `2006-01-02T15:04:05Z07:00`.

mod parse;

use super::time::{DAYS, MONTHS, Time};
use std::fmt::Write;

pub use parse::parse;

/// The layout of RFC 3339.
pub const RFC3339: &str = "2006-01-02T15:04:05Z07:00";

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
pub fn format(time: &Time, layout: &str) -> String {
    let utc = (time.offset == 0).then_some("UTC");
    format_with(time, utc, layout)
}

/// The same where the zone of the time may have a name (`CET`).
pub fn format_with(time: &Time, zone_name: Option<&str>, layout: &str) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// RFC 3339 text reads back, and means the same as the short form.
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
