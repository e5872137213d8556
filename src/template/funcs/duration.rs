//! Durations: `1h1m40s`.

use super::call::{data, unknown_call};
use crate::template::{Object, Val, strconv};
use crate::value::{Data, Value};
use std::sync::Arc;

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
pub(super) fn parse_duration(text: &str) -> Result<i64, String> {
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
pub(super) fn duration_text(nanos: i64) -> String {
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

/// sprig's `durationRound`: the largest unit alone. An integer of a template is no duration for it.
pub(super) fn round_duration(value: &Val) -> Val {
    let nanos = match data(value) {
        Data::Str(text) => parse_duration(text).unwrap_or(0),
        Data::Time(_) => {
            return unknown_call(
                "durationRound",
                "`durationRound` of a date reads the clock",
                std::slice::from_ref(value),
            );
        }
        _ => 0,
    };
    const DAY: u64 = 86_400_000_000_000;
    let units =
        [(365 * DAY, "y"), (30 * DAY, "mo"), (DAY, "d"), (DAY / 24, "h"), (DAY / 1440, "m"), (DAY / 86_400, "s")];
    let size = nanos.unsigned_abs();
    let text = units.iter().find(|u| size > u.0).map_or_else(|| "0s".into(), |u| format!("{}{}", size / u.0, u.1));
    Value::str(text).into()
}

/// A duration in nanoseconds.
#[derive(Debug)]
pub(super) struct Duration(pub i64);

impl Object for Duration {
    fn call(&self, name: &str, _: &[Val]) -> Result<Val, String> {
        let float = |unit: f64| Ok(Data::Float(self.0 as f64 / unit).into());
        match name {
            "String" => Ok(Value::str(self.print()).into()),
            "Hours" => float(3.6e12),
            "Minutes" => float(6e10),
            "Seconds" => float(1e9),
            "Milliseconds" => Ok(Data::Int(self.0 / 1_000_000).into()),
            "Microseconds" => Ok(Data::Int(self.0 / 1_000).into()),
            "Nanoseconds" => Ok(Data::Int(self.0).into()),
            "Abs" => Ok(Val::Object(Arc::new(Duration(self.0.saturating_abs())))),
            _ => Err(format!("can't evaluate field {name} in type time.Duration")),
        }
    }

    fn has(&self, name: &str) -> bool {
        ["String", "Hours", "Minutes", "Seconds", "Milliseconds", "Microseconds", "Nanoseconds", "Abs"].contains(&name)
    }

    fn print(&self) -> String {
        duration_text(self.0)
    }

    fn type_name(&self) -> &'static str {
        "time.Duration"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        for (text, want) in
            [("3700s", "1h1m40s"), ("1.5ms", "1.5ms"), ("-1h30m", "-1h30m0s"), ("0", "0s"), ("1us", "1µs")]
        {
            assert_eq!(duration_text(parse_duration(text).unwrap()), want);
        }
        assert_eq!(parse_duration("5").unwrap_err(), "time: missing unit in duration \"5\"");
    }
}
