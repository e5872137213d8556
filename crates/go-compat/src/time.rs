//! Points in time, and the calendar, as the package `time` has them.

use std::fmt::{self, Write};

/// Seconds of a day.
pub const DAY: i64 = 86_400;

/// Names of months, from January.
pub const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// Names of days, from Sunday.
pub const DAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/// A point in time with the offset it was written with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Time {
    /// Seconds since 1970-01-01T00:00:00Z.
    pub seconds: i64,
    /// Nanoseconds within the second.
    pub nanos: u32,
    /// Offset of the written zone, in seconds east of UTC.
    pub offset: i32,
}

/// The calendar fields of a point in time in its own zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fields {
    /// The year; 0 is 1 BC.
    pub year: i64,
    /// From 1.
    pub month: u32,
    /// From 1.
    pub day: u32,
    /// From 0, which is Sunday.
    pub weekday: usize,
    /// From 1.
    pub year_day: i64,
    /// Seconds since midnight.
    pub second_of_day: i64,
}

impl Time {
    /// The calendar fields.
    pub fn fields(&self) -> Fields {
        let local = self.seconds.saturating_add(self.offset.into());
        let days = local.div_euclid(DAY);
        let (year, month, day) = civil(days);
        Fields {
            year,
            month,
            day,
            weekday: (days + 4).rem_euclid(7) as usize,
            year_day: days - days_of(year, 1, 1) + 1,
            second_of_day: local.rem_euclid(DAY),
        }
    }

    /// RFC 3339 with as many digits of a second as are needed, as the time is written in JSON and YAML: `2021-03-04T00:00:00Z`.
    /// Years outside of 0 to 9999 are written as they are.
    pub fn rfc3339(&self) -> String {
        let mut text = self.date_and_time('T');
        match self.offset {
            0 => text.push('Z'),
            offset => push_zone(&mut text, offset, ":"),
        }
        text
    }

    fn date_and_time(&self, joint: char) -> String {
        let Fields { year, month, day, second_of_day: second, .. } = self.fields();
        let mut text = String::from(if year < 0 { "-" } else { "" });
        let _ = write!(text, "{:04}-{month:02}-{day:02}{joint}", year.unsigned_abs());
        let _ = write!(text, "{:02}:{:02}:{:02}", second / 3600, second / 60 % 60, second % 60);
        if self.nanos != 0 {
            let digits = format!("{:09}", self.nanos);
            let _ = write!(text, ".{}", digits.trim_end_matches('0'));
        }
        text
    }
}

/// `Time.String`: `2021-03-04 00:00:00 +0000 UTC`. A zone without a name is named by its offset.
impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut zone = String::new();
        push_zone(&mut zone, self.offset, "");
        let name = if self.offset == 0 { "UTC" } else { &zone };
        write!(f, "{} {zone} {name}", self.date_and_time(' '))
    }
}

/// Writes hours and minutes of an offset. What is left of a minute does not count, not even for the sign.
fn push_zone(text: &mut String, offset: i32, colon: &str) {
    let minutes = offset / 60;
    let sign = if minutes < 0 { '-' } else { '+' };
    let minutes = minutes.unsigned_abs();
    let _ = write!(text, "{sign}{:02}{colon}{:02}", minutes / 60, minutes % 60);
}

/// Year, month (from 1) and day (from 1) of a number of days since 1970-01-01.
pub fn civil(days: i64) -> (i64, u32, u32) {
    // Eras of 400 years that begin in March, so that the leap day is the last of its year.
    let shifted = days.saturating_add(719_468);
    let (era, of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month as u32, day as u32)
}

/// Days from 1970-01-01 to a date of the Gregorian calendar.
pub fn days_of(year: i64, month: u32, day: u32) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * ((i64::from(month) + 9) % 12) + 2) / 5 + i64::from(day) - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// The days of a month (from 1).
pub fn days_in(year: i64, month: u32) -> u32 {
    let leap = year.rem_euclid(4) == 0 && (year.rem_euclid(100) != 0 || year.rem_euclid(400) == 0);
    match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn texts() {
        for (seconds, nanos, offset, rfc, text) in [
            (0, 0, 0, "1970-01-01T00:00:00Z", "1970-01-01 00:00:00 +0000 UTC"),
            (951_782_400, 0, 0, "2000-02-29T00:00:00Z", "2000-02-29 00:00:00 +0000 UTC"),
            (1_614_816_000, 500_000_000, 0, "2021-03-04T00:00:00.5Z", "2021-03-04 00:00:00.5 +0000 UTC"),
            (-1, 0, 0, "1969-12-31T23:59:59Z", "1969-12-31 23:59:59 +0000 UTC"),
            (0, 0, -19_800, "1969-12-31T18:30:00-05:30", "1969-12-31 18:30:00 -0530 -0530"),
            (-62_135_596_800, 0, 0, "0001-01-01T00:00:00Z", "0001-01-01 00:00:00 +0000 UTC"),
            (-62_198_755_200, 0, 0, "-0001-01-01T00:00:00Z", "-0001-01-01 00:00:00 +0000 UTC"),
            (0, 0, -30, "1969-12-31T23:59:30+00:00", "1969-12-31 23:59:30 +0000 +0000"),
        ] {
            let time = Time { seconds, nanos, offset };
            assert_eq!((time.rfc3339().as_str(), time.to_string().as_str()), (rfc, text));
        }
        for (seconds, offset) in [(i64::MAX, i32::MAX), (i64::MIN, i32::MIN)] {
            Time { seconds, nanos: 0, offset }.rfc3339();
        }
    }

    proptest! {
        /// A well-maintained library has the same calendar.
        #[test]
        fn the_calendar_is_that_of_others(days in -3_000_000_i64..2_900_000) {
            let (year, month, day) = civil(days);
            prop_assert_eq!(days_of(year, month, day), days);
            let epoch = jiff::civil::date(1970, 1, 1);
            let date = epoch.checked_add(jiff::Span::new().days(days)).unwrap();
            prop_assert_eq!((date.year().into(), date.month() as u32, date.day() as u32), (year, month, day));
            prop_assert_eq!(date.days_in_month() as u32, days_in(year, month));
            let fields = Time { seconds: days * DAY, nanos: 0, offset: 0 }.fields();
            prop_assert_eq!(date.weekday().to_sunday_zero_offset() as usize, fields.weekday);
            prop_assert_eq!(i64::from(date.day_of_year()), fields.year_day);
        }
    }
}
