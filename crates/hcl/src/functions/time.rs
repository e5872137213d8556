//! Points in time.

use super::hashes::impure;
use super::{Args, Fail, Function, Outcome, S, function};
use crate::val::Val;
use go_compat::duration::parse_duration;
use go_compat::layout;
use go_compat::time::{DAYS, Fields, MONTHS, Time};

pub(super) const ALL: &[Function] = &[
    function("formatdate", &[S, S], format_date),
    function("plantimestamp", &[], |_| impure("plantimestamp() is known when a plan is made")),
    function("timeadd", &[S, S], time_add),
    function("timecmp", &[S, S], |a| {
        let (x, y) = (parse(a, 0)?, parse(a, 1)?);
        Ok(Val::number((x.seconds, x.nanos).cmp(&(y.seconds, y.nanos)) as i64))
    }),
    function("timestamp", &[], |_| impure("timestamp() reads the clock")),
];

/// A point in time as Go's `time.Parse` reads it.
fn parse(args: &Args<'_, '_>, index: usize) -> Result<Time, Fail> {
    let text = args.str(index);
    let wrong = |_| Fail::Argument(index, format!("not a valid RFC3339 timestamp: cannot use \"{text}\""));
    layout::parse(layout::RFC3339, text).map_err(wrong)
}

/// The same, but rejects text that Go accepts: an hour of one digit, a comma before the fraction of a second. Only
/// `timecmp` is not as strict.
fn parse_strict(args: &Args<'_, '_>, index: usize) -> Result<Time, Fail> {
    let time = parse(args, index)?;
    let text = args.str(index).as_bytes();
    let wrong = |what: &str| Err(Fail::Argument(index, format!("not a valid RFC3339 timestamp: {what}")));
    match (text.get("2006-01-02T".len() + 1), text.get("2006-01-02T15:04:05".len())) {
        (Some(b':'), _) => wrong("hour must have exactly two digits"),
        (_, Some(b',')) => wrong("cannot use \",\" as timestamp segment"),
        _ => Ok(time),
    }
}

fn time_add(args: &mut Args<'_, '_>) -> Outcome {
    let mut time = parse_strict(args, 0)?;
    let nanos = parse_duration(args.str(1)).map_err(Fail::Call)?;
    let total = i128::from(time.seconds) * 1_000_000_000 + i128::from(time.nanos) + i128::from(nanos);
    time.seconds = i64::try_from(total.div_euclid(1_000_000_000)).unwrap_or(0);
    Ok(Val::str(layout::format(&time, layout::RFC3339)))
}

fn format_date(args: &mut Args<'_, '_>) -> Outcome {
    let time = parse_strict(args, 1)?;
    let layout = args.str(0);
    let mut out = String::new();
    let mut rest = layout;
    while let Some(c) = rest.chars().next() {
        if c == '\'' {
            let (quoted, after) =
                quoted(&rest[1..]).ok_or_else(|| Fail::Argument(0, "unterminated literal '".to_owned()))?;
            out.push_str(&quoted);
            rest = after;
            continue;
        }
        let length = rest.chars().take_while(|o| *o == c).count() * c.len_utf8();
        let (token, after) = rest.split_at(length);
        rest = after;
        match c.is_ascii_alphabetic() {
            true => out.push_str(&field(token, &time).map_err(|e| Fail::Argument(0, e))?),
            false => out.push_str(token),
        }
    }
    Ok(Val::str(out))
}

/// Reads text up to a quote, where two quotes represent one.
fn quoted(text: &str) -> Option<(String, &str)> {
    let (mut out, mut rest) = (String::new(), text);
    loop {
        let at = rest.find('\'')?;
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        match rest.strip_prefix('\'') {
            Some(after) => {
                out.push('\'');
                rest = after;
            }
            None => return Some((out, rest)),
        }
    }
}

fn field(token: &str, time: &Time) -> Result<String, String> {
    let Fields { year, month, day, weekday, second_of_day: of_day, .. } = time.fields();
    let (hour, minute, second) = (of_day / 3600, of_day / 60 % 60, of_day % 60);
    let twelve = if hour % 12 == 0 { 12 } else { hour % 12 };
    let (weekday, month_name) = (DAYS[weekday], MONTHS[(month as usize).clamp(1, 12) - 1]);
    Ok(match token {
        "YY" => format!("{:02}", year % 100),
        "YYYY" => format!("{year:04}"),
        "M" => month.to_string(),
        "MM" => format!("{month:02}"),
        "MMM" => month_name[..3].to_owned(),
        "MMMM" => month_name.to_owned(),
        "D" => day.to_string(),
        "DD" => format!("{day:02}"),
        "EEE" => weekday[..3].to_owned(),
        "EEEE" => weekday.to_owned(),
        "h" => hour.to_string(),
        "hh" => format!("{hour:02}"),
        "H" => twelve.to_string(),
        "HH" => format!("{twelve:02}"),
        "AA" => if hour < 12 { "AM" } else { "PM" }.to_owned(),
        "aa" => if hour < 12 { "am" } else { "pm" }.to_owned(),
        "m" => minute.to_string(),
        "mm" => format!("{minute:02}"),
        "s" => second.to_string(),
        "ss" => format!("{second:02}"),
        "Z" => layout::format(time, "Z07:00"),
        "ZZZ" if time.offset == 0 => "UTC".to_owned(),
        "ZZZ" | "ZZZZ" => layout::format(time, "-0700"),
        "ZZZZZ" => layout::format(time, "-07:00"),
        other => return Err(format!("invalid date format verb \"{other}\"")),
    })
}
