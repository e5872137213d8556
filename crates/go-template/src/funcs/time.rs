//! Points in time and durations in Go's layouts (`2006-01-02T15:04:05Z07:00`).

use super::call::data;
use super::duration::{Duration, parse_duration};
use crate::Val;
pub(super) use go_compat::layout::{format, format_with, parse};
use go_compat::time::{DAYS, MONTHS, days_of};
use spanned_yaml::Timestamp;
use std::sync::Arc;
use traced_value::{Data, Value};

/// The zero time of Go, 0001-01-01.
pub(super) const ZERO: Timestamp = Timestamp { seconds: -62_135_596_800, nanos: 0, offset: 0 };

/// The same point in time later by nanoseconds.
pub(super) fn shift(time: &Timestamp, nanos: i64) -> Timestamp {
    let all = i128::from(time.nanos) + i128::from(nanos);
    let seconds = time.seconds.saturating_add(all.div_euclid(1_000_000_000) as i64);
    Timestamp { seconds, nanos: all.rem_euclid(1_000_000_000) as u32, offset: time.offset }
}

/// Calls a method of a point in time; `None` if there is no such method.
///
/// # Errors
/// As the method of Go's `time.Time`.
pub(crate) fn time_method(time: &Timestamp, name: &str, args: &[Val]) -> Option<Result<Val, String>> {
    let f = time.fields();
    let int = |n: i64| Some(Ok(Data::Int(n).into()));
    let text = |s: String| Some(Ok(Value::str(s).into()));
    let stamp = |t: Timestamp| Some(Ok(Data::Time(Arc::new(t)).into()));
    let other = match args.first().map(data) {
        Some(Data::Time(other)) => Some((**other).clone()),
        _ => None,
    };
    let order = other.as_ref().map(|o| (time.seconds, time.nanos).cmp(&(o.seconds, o.nanos)));
    let boolean = |b: bool| Some(Ok(Data::Bool(b).into()));
    match (name, args.len()) {
        ("Year", 0) => int(f.year),
        // Go has a type that prints the name.
        ("Month", 0) => text(MONTHS[(f.month as usize - 1) % 12].into()),
        ("Weekday", 0) => text(DAYS[f.weekday].into()),
        ("Day", 0) => int(f.day.into()),
        ("YearDay", 0) => int(f.year_day),
        ("Hour", 0) => int(f.second_of_day / 3600),
        ("Minute", 0) => int(f.second_of_day / 60 % 60),
        ("Second", 0) => int(f.second_of_day % 60),
        ("Nanosecond", 0) => int(time.nanos.into()),
        ("Unix", 0) => int(time.seconds),
        ("UnixMilli", 0) => int(time.seconds.wrapping_mul(1000).wrapping_add(i64::from(time.nanos / 1_000_000))),
        ("UnixNano", 0) => int(time.seconds.wrapping_mul(1_000_000_000).wrapping_add(time.nanos.into())),
        ("String", 0) => text(time.to_string()),
        ("IsZero", 0) => boolean(time.seconds == ZERO.seconds && time.nanos == 0),
        ("UTC" | "Local", 0) => stamp(Timestamp { offset: 0, ..time.clone() }),
        ("Format", 1) => match data(&args[0]) {
            Data::Str(layout) => text(format(time, layout)),
            _ => Some(Err("wrong type for value; expected string".into())),
        },
        ("AddDate", 3) => {
            let n = |i: usize| super::cast::to_int(&args[i]);
            let months = i64::from(f.month) - 1 + n(1).clamp(-1_000_000, 1_000_000);
            let year = f.year + n(0).clamp(-1_000_000, 1_000_000) + months.div_euclid(12);
            let days = days_of(year, months.rem_euclid(12) as u32 + 1, 1) + i64::from(f.day) - 1;
            let days = days + n(2).clamp(-1_000_000_000, 1_000_000_000);
            let seconds = days * 86_400 + f.second_of_day - i64::from(time.offset);
            stamp(Timestamp { seconds, ..time.clone() })
        }
        ("Add", 1) => match &args[0] {
            Val::Object(object) if object.type_name() == "time.Duration" => {
                stamp(shift(time, parse_duration(&object.print()).unwrap_or(0)))
            }
            _ => Some(Err("wrong type for value; expected time.Duration".into())),
        },
        ("Sub", 1) => other.map(|o| {
            let seconds = i128::from(time.seconds) - i128::from(o.seconds);
            let nanos = seconds * 1_000_000_000 + i128::from(time.nanos) - i128::from(o.nanos);
            let nanos = nanos.clamp(i64::MIN.into(), i64::MAX.into()) as i64;
            Ok(Val::Object(Arc::new(Duration(nanos))))
        }),
        ("After", 1) => order.and_then(|o| boolean(o.is_gt())),
        ("Before", 1) => order.and_then(|o| boolean(o.is_lt())),
        ("Equal", 1) => order.and_then(|o| boolean(o.is_eq())),
        _ => None,
    }
}
