//! Functions on dates, in UTC.

use super::{Done, Error, number, text};
use crate::dialects::garden::template::evaluation::evaluator::Evaluator;
use crate::dialects::garden::template::node::Node;
use crate::go::time::{DAYS, MONTHS, civil, days_in, days_of};

/// The units that `shiftDateUtc` takes.
pub(super) const SHIFT_UNITS: [&str; 7] = ["years", "months", "weeks", "days", "hours", "minutes", "seconds"];
/// The units that `modifyDateUtc` takes.
pub(super) const MODIFY_UNITS: [&str; 7] = ["years", "months", "days", "hours", "minutes", "seconds", "milliseconds"];

const DAY: i64 = 86_400_000;
/// The largest distance from 1970 that JavaScript supports, in milliseconds.
const FURTHEST: i64 = 8_640_000_000_000_000;
/// A point in time, split into fields. Fields may be out of range: [`Date::millis`] carries.
#[derive(Clone, Copy)]
struct Date {
    year: i64,
    /// From 0.
    month: i64,
    /// From 1.
    day: i64,
    hour: i64,
    minute: i64,
    second: i64,
    milli: i64,
}

impl Date {
    fn of(millis: i64) -> Date {
        let (days, rest) = (millis.div_euclid(DAY), millis.rem_euclid(DAY));
        let (year, month, day) = civil(days);
        Date {
            year,
            month: i64::from(month) - 1,
            day: day.into(),
            hour: rest / 3_600_000,
            minute: rest / 60_000 % 60,
            second: rest / 1_000 % 60,
            milli: rest % 1_000,
        }
    }

    fn millis(&self) -> Option<i64> {
        let (year, month) = (self.year.checked_add(self.month.div_euclid(12))?, self.month.rem_euclid(12));
        if year.abs() > 300_000 {
            return None;
        }
        let days = days_of(year, month as u32 + 1, 1).checked_add(self.day.checked_sub(1)?)?;
        let parts = [(days, DAY), (self.hour, 3_600_000), (self.minute, 60_000), (self.second, 1_000), (self.milli, 1)];
        let mut all = 0i64;
        for (count, unit) in parts {
            all = all.checked_add(count.checked_mul(unit)?)?;
        }
        (all.abs() <= FURTHEST).then_some(all)
    }
}

/// Reads `2021-01-31`, `2021-01-31T10:00`, `2021-01-31T10:00:00.5+0200`. Without a zone the time is UTC.
fn parse(text: &str) -> Option<i64> {
    let digits = |part: &str, count: usize| -> Option<i64> {
        (part.len() == count && part.bytes().all(|b| b.is_ascii_digit())).then(|| part.parse().ok())?
    };
    let (date, time) = text.trim().split_once(['T', ' ']).unwrap_or((text.trim(), ""));
    let mut parts = date.splitn(3, '-');
    let year = digits(parts.next()?, 4)?;
    let month = parts.next().map_or(Some(1), |part| digits(part, 2))?;
    let day = parts.next().map_or(Some(1), |part| digits(part, 2))?;
    let zone_at = time.find(['Z', 'z', '+', '-']).unwrap_or(time.len());
    let (clock, zone) = time.split_at(zone_at);
    let (clock, fraction) = clock.trim().split_once('.').unwrap_or((clock.trim(), ""));
    let mut fields = [0i64; 3];
    if !clock.is_empty() {
        let parts: Vec<&str> = clock.split(':').collect();
        if !(2..=3).contains(&parts.len()) {
            return None;
        }
        for (field, part) in fields.iter_mut().zip(parts) {
            *field = digits(part, 2)?;
        }
    }
    let milli = format!("{fraction:0<3}").get(..3)?.parse().ok()?;
    let offset = match zone.trim() {
        "" | "Z" | "z" => 0,
        zone => {
            let (sign, hours) = zone.split_at(1);
            let hours = hours.replace(':', "");
            let minutes = digits(hours.get(..2)?, 2)? * 60 + hours.get(2..).map_or(Some(0), |m| digits(m, 2))?;
            if sign == "-" { -minutes } else { minutes }
        }
    };
    let in_range = (1..=12).contains(&month) && (1..=31).contains(&day) && fields[0] <= 24 && fields[1] < 60;
    let date =
        Date { year, month: month - 1, day, hour: fields[0], minute: fields[1] - offset, second: fields[2], milli };
    date.millis().filter(|_| in_range)
}

fn date(arguments: &[Node]) -> Result<i64, Error> {
    parse(text(arguments, 0)).ok_or_else(invalid)
}

fn invalid() -> Error {
    Error::Message("RangeError: Invalid time value".to_owned())
}

fn iso(millis: i64) -> Node {
    let date = Date::of(millis);
    Node::text(format!(
        "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z",
        date.year,
        date.month + 1,
        date.day,
        date.hour,
        date.minute,
        date.second,
        date.milli
    ))
}

/// Adds an amount of a unit. Months that have fewer days end at their last one.
pub(super) fn shift(_: &Evaluator, arguments: &[Node]) -> Done {
    let (millis, amount) = (date(arguments)?, number(arguments, 1));
    let whole = amount.trunc() as i64;
    let scaled = |unit: i64| (amount * unit as f64).trunc() as i64;
    let shifted = match text(arguments, 2) {
        unit @ ("years" | "months") => {
            let mut date = Date::of(millis);
            let months = if unit == "years" { whole.saturating_mul(12) } else { whole };
            date.month = date.month.saturating_add(months);
            let year = date.year.saturating_add(date.month.div_euclid(12));
            let month = date.month.rem_euclid(12);
            date.day = date.day.min(days_in(year, month as u32 + 1).into());
            date.millis()
        }
        "weeks" => millis.checked_add(whole.saturating_mul(7 * DAY)),
        "days" => millis.checked_add(whole.saturating_mul(DAY)),
        "hours" => millis.checked_add(scaled(3_600_000)),
        "minutes" => millis.checked_add(scaled(60_000)),
        _ => millis.checked_add(scaled(1_000)),
    };
    shifted.filter(|all| all.abs() <= FURTHEST).map(iso).ok_or_else(invalid)
}

/// Sets a unit. What is beyond it carries over: day 31 of February is in March.
pub(super) fn modify(_: &Evaluator, arguments: &[Node]) -> Done {
    let mut date = Date::of(date(arguments)?);
    let amount = number(arguments, 1).trunc() as i64;
    match text(arguments, 2) {
        "years" => date.year = amount,
        "months" => date.month = amount,
        "days" => date.day = amount,
        "hours" => date.hour = amount,
        "minutes" => date.minute = amount,
        "seconds" => date.second = amount,
        _ => date.milli = amount,
    }
    date.millis().map(iso).ok_or_else(invalid)
}

/// Formats a date with the letters of Unicode's patterns, as date-fns does.
pub(super) fn format(evaluator: &Evaluator, arguments: &[Node]) -> Done {
    let millis = date(arguments)?;
    let (date, mut rest, mut out) = (Date::of(millis), text(arguments, 1), String::new());
    while let Some(first) = rest.chars().next() {
        if first == '\'' {
            let quoted = quoted_text(rest);
            out.push_str(&quoted.0);
            rest = &rest[quoted.1..];
            continue;
        }
        let width = if first.is_ascii_alphabetic() { rest.chars().take_while(|c| *c == first).count() } else { 1 };
        let mut taken = width * first.len_utf8();
        let is_ordinal = width == 1 && first.is_ascii_alphabetic() && rest[taken..].starts_with('o');
        match (first.is_ascii_alphabetic(), is_ordinal) {
            (false, _) => out.push(first),
            (true, true) => {
                taken += 1;
                out.push_str(&ordinal(field(&date, millis, first, 1)?.parse().unwrap_or(0)));
            }
            (true, false) => out.push_str(&field(&date, millis, first, width)?),
        }
        rest = &rest[taken..];
    }
    super::strings::made(evaluator, out)
}

/// Text in single quotes at the start of a text, and how many bytes it takes. Two quotes are one.
fn quoted_text(text: &str) -> (String, usize) {
    if text.starts_with("''") {
        return ("'".to_owned(), 2);
    }
    let (mut out, mut at) = (String::new(), 1);
    while let Some(c) = text[at..].chars().next() {
        at += c.len_utf8();
        match c {
            '\'' if text[at..].starts_with('\'') => {
                out.push('\'');
                at += 1;
            }
            '\'' => break,
            c => out.push(c),
        }
    }
    (out, at)
}

fn ordinal(n: i64) -> String {
    let ending = match (n % 10, n % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{n}{ending}")
}

/// A field of a pattern: its letter, so many times.
fn field(date: &Date, millis: i64, letter: char, width: usize) -> Result<String, Error> {
    let padded = |n: i64| format!("{n:0width$}");
    let name = |name: &str| match width {
        1..=3 => name[..3].to_owned(),
        4 => name.to_owned(),
        _ => name[..1].to_owned(),
    };
    let weekday = (millis.div_euclid(DAY) + 4).rem_euclid(7);
    Ok(match letter {
        'y' | 'u' if width == 2 => format!("{:02}", date.year.rem_euclid(100)),
        'y' | 'u' => padded(date.year),
        'M' | 'L' if width >= 3 => name(MONTHS[date.month as usize]),
        'M' | 'L' => padded(date.month + 1),
        'Q' | 'q' if width <= 2 => padded(date.month / 3 + 1),
        'Q' | 'q' => format!("Q{}", date.month / 3 + 1),
        'd' => padded(date.day),
        'E' => name(DAYS[weekday as usize]),
        'i' => padded(if weekday == 0 { 7 } else { weekday }),
        'a' => if date.hour < 12 { "AM" } else { "PM" }.to_owned(),
        'H' => padded(date.hour),
        'h' => padded(if date.hour % 12 == 0 { 12 } else { date.hour % 12 }),
        'K' => padded(date.hour % 12),
        'k' => padded(if date.hour == 0 { 24 } else { date.hour }),
        'm' => padded(date.minute),
        's' => padded(date.second),
        'S' => format!("{:0<width$}", &format!("{:03}", date.milli)[..width.min(3)]),
        't' => (millis.div_euclid(1_000)).to_string(),
        'T' => millis.to_string(),
        'X' => "Z".to_owned(),
        'x' if width == 3 || width == 5 => "+00:00".to_owned(),
        'x' => if width == 1 { "+00" } else { "+0000" }.to_owned(),
        'O' | 'z' => if width < 4 { "GMT+0" } else { "GMT+00:00" }.to_owned(),
        'G' => if date.year > 0 { "AD" } else { "BC" }.to_owned(),
        _ => {
            return Err(Error::Message(format!(
                "RangeError: Format string contains an unescaped latin alphabet character `{letter}`"
            )));
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn dates_are_put_together_as_they_were_taken_apart(millis in -FURTHEST..FURTHEST) {
            prop_assert_eq!(Date::of(millis).millis(), Some(millis));
        }
    }
}
