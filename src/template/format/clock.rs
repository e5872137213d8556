//! How points in time print.

use crate::yaml::Timestamp;
use std::fmt::Write;

/// How a point in time prints (`time.Time.String`): `2024-01-02 00:00:00 +0000 UTC`.
pub(crate) fn print_time(time: &Timestamp) -> String {
    let local = time.seconds.saturating_add(time.offset.into());
    let (days, second) = (local.div_euclid(86_400), local.rem_euclid(86_400));
    let (year, month, day) = civil(days);
    let mut out = String::new();
    if year < 0 {
        out.push('-');
    }
    let _ = write!(out, "{:04}-{month:02}-{day:02} ", year.unsigned_abs());
    let _ = write!(out, "{:02}:{:02}:{:02}", second / 3600, second / 60 % 60, second % 60);
    if time.nanos > 0 {
        let nanos = format!("{:09}", time.nanos);
        let _ = write!(out, ".{}", nanos.trim_end_matches('0'));
    }
    let sign = if time.offset < 0 { '-' } else { '+' };
    let minutes = time.offset.unsigned_abs() / 60;
    let zone = format!("{sign}{:02}{:02}", minutes / 60, minutes % 60);
    let _ = write!(out, " {zone} {}", if time.offset == 0 { "UTC" } else { &zone });
    out
}

/// Year, month (from 1) and day (from 1) of a number of days since 1970-01-01.
pub(crate) fn civil(days: i64) -> (i64, u32, u32) {
    let shifted = days.saturating_add(719_468);
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month as u32, day as u32)
}
