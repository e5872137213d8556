//! Points in time.

use super::hashes::impure;
use super::{Args, Fail, Function, Outcome, S, function};
use crate::go::duration::parse_duration;
use crate::go::time::{DAYS, MONTHS, civil, days_in, days_of};
use crate::hcl::val::Val;

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

/// A point in time: seconds since 1970 in UTC, nanoseconds, and the offset of its zone in seconds.
#[derive(Clone, Copy, Debug)]
struct Time {
    seconds: i64,
    nanos: u32,
    offset: i64,
    /// Whether the zone is written `Z`.
    is_utc: bool,
}

fn parse(args: &Args<'_, '_>, index: usize) -> Result<Time, Fail> {
    let text = args.str(index);
    read(text).ok_or_else(|| Fail::Argument(index, format!("not a valid RFC3339 timestamp: cannot use \"{text}\"")))
}

fn read(text: &str) -> Option<Time> {
    let number = |from: usize, to: usize| {
        let digits = text.get(from..to)?;
        digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse::<i64>().ok())?
    };
    let at = |index: usize, wanted: &[u8]| text.as_bytes().get(index).is_some_and(|b| wanted.contains(b));
    if !(at(4, b"-") && at(7, b"-") && at(10, b"T") && at(13, b":") && at(16, b":")) {
        return None;
    }
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
    if !(1..=12).contains(&month) {
        return None;
    }
    let length = days_in(year, month as u32).into();
    if !(1..=length).contains(&day) || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let mut rest = text.get(19..)?;
    let mut nanos = 0;
    if let Some(fraction) = rest.strip_prefix('.') {
        let digits = fraction.bytes().take_while(u8::is_ascii_digit).count();
        if digits == 0 {
            return None;
        }
        nanos = format!("{:0<9.9}", &fraction[..digits]).parse().ok()?;
        rest = &fraction[digits..];
    }
    let offset = match rest {
        "Z" => 0,
        _ => {
            let sign = match rest.as_bytes().first()? {
                b'+' => 1,
                b'-' => -1,
                _ => return None,
            };
            let (hours, minutes) = rest.get(1..)?.split_once(':')?;
            if hours.len() != 2 || minutes.len() != 2 {
                return None;
            }
            sign * (hours.parse::<i64>().ok()? * 3600 + minutes.parse::<i64>().ok()? * 60)
        }
    };
    let seconds = days_of(year, month as u32, day as u32) * 86_400 + hour * 3600 + minute * 60 + second - offset;
    Some(Time { seconds, nanos, offset, is_utc: rest == "Z" })
}

/// The text of a time as Go writes RFC 3339, without fractions.
fn text(time: Time) -> String {
    let local = time.seconds + time.offset;
    let (year, month, day) = civil(local.div_euclid(86_400));
    let of_day = local.rem_euclid(86_400);
    let zone = zone(time, true, true);
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}{zone}", of_day / 3600, of_day / 60 % 60, of_day % 60)
}

fn zone(time: Time, colon: bool, z: bool) -> String {
    if z && (time.is_utc || time.offset == 0) {
        return "Z".to_owned();
    }
    let (sign, size) = (if time.offset < 0 { '-' } else { '+' }, time.offset.abs());
    let separator = if colon { ":" } else { "" };
    format!("{sign}{:02}{separator}{:02}", size / 3600, size / 60 % 60)
}

fn time_add(args: &mut Args<'_, '_>) -> Outcome {
    let mut time = parse(args, 0)?;
    let nanos = parse_duration(args.str(1)).map_err(Fail::Call)?;
    let total = i128::from(time.seconds) * 1_000_000_000 + i128::from(time.nanos) + i128::from(nanos);
    time.seconds = i64::try_from(total.div_euclid(1_000_000_000)).unwrap_or(0);
    Ok(Val::str(text(time)))
}

fn format_date(args: &mut Args<'_, '_>) -> Outcome {
    let time = parse(args, 1)?;
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
            true => out.push_str(&field(token, time).map_err(|e| Fail::Argument(0, e))?),
            false => out.push_str(token),
        }
    }
    Ok(Val::str(out))
}

/// The text up to a quote, where two quotes stand for one.
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

fn field(token: &str, time: Time) -> Result<String, String> {
    let local = time.seconds + time.offset;
    let (year, month, day) = civil(local.div_euclid(86_400));
    let of_day = local.rem_euclid(86_400);
    let (hour, minute, second) = (of_day / 3600, of_day / 60 % 60, of_day % 60);
    let twelve = if hour % 12 == 0 { 12 } else { hour % 12 };
    let weekday = DAYS[(local.div_euclid(86_400) + 4).rem_euclid(7) as usize];
    let month_name = MONTHS[(month as usize).clamp(1, 12) - 1];
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
        "Z" => zone(time, true, true),
        "ZZZZ" => zone(time, false, false),
        "ZZZZZ" => zone(time, true, false),
        "ZZZ" if time.is_utc || time.offset == 0 => "UTC".to_owned(),
        "ZZZ" => zone(time, false, false),
        other => return Err(format!("invalid date format verb \"{other}\"")),
    })
}
