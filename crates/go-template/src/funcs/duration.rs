//! Durations: `1h1m40s`.

use super::call::{data, unknown_call};
use crate::{Object, Val};
pub(super) use go_compat::duration::{duration_text, parse_duration};
use std::sync::Arc;
use traced_value::{Data, Value};

/// sprig's `durationRound`: only the largest unit. An integer in a template is not a duration for it.
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
