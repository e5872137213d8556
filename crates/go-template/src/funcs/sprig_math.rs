//! Sprig: numbers and dates.

use super::call::Args;
use super::cast::{to_float, to_int, to_text};
use super::{duration, sprig_dates, time};
use crate::Val;
use go_compat::strconv;
use traced_value::{Data, Value};

/// Longer sequences are not made.
pub(super) const MAX_ITEMS: i64 = 1 << 20;

table! { TABLE:
    "int" | "int64" ("a") => |a| to_int(a.val(0));
    "float64" ("a") => |a| to_float(a.val(0));
    "atoi" ("s") => |a| strconv::atoi(a.s(0)).unwrap_or_else(|(_, value)| value);
    "toDecimal" ("a") => |a| strconv::parse_int(&to_text(a.val(0)), 8, 64).unwrap_or(0);
    "add" ("a*") => |a| a.all.iter().fold(0i64, |n, v| n.wrapping_add(to_int(v)));
    "add1" ("a") => |a| to_int(a.val(0)).wrapping_add(1);
    "sub" ("aa") => |a| to_int(a.val(0)).wrapping_sub(to_int(a.val(1)));
    "mul" ("aa*") => |a| a.all.iter().fold(1i64, |n, v| n.wrapping_mul(to_int(v)));
    "div" ("aa") => |a| divide(a, i64::wrapping_div);
    "mod" ("aa") => |a| divide(a, i64::wrapping_rem);
    "max" | "biggest" ("aa*") => |a| a.all.iter().map(to_int).max().unwrap_or(0);
    "min" ("aa*") => |a| a.all.iter().map(to_int).min().unwrap_or(0);
    "maxf" ("aa*") => |a| a.all.iter().map(to_float).reduce(max_float).unwrap_or(0.0);
    "minf" ("aa*") => |a| a.all.iter().map(to_float).reduce(min_float).unwrap_or(0.0);
    "floor" ("a") => |a| to_float(a.val(0)).floor();
    "ceil" ("a") => |a| to_float(a.val(0)).ceil();
    "round" ("aif*") => round;
    "add1f" ("a") => |a| super::decimal::fold('+', &[to_float(a.val(0)), 1.0]);
    "addf" ("a*") => |a| super::decimal::fold('+', &floats(a, true));
    "subf" ("aa*") => |a| super::decimal::fold('-', &floats(a, false));
    "mulf" ("aa*") => |a| super::decimal::fold('*', &floats(a, false));
    "divf" ("aa*") => |a| super::decimal::fold('/', &floats(a, false));
    "until" ("i") => |a| Ok::<_, String>(numbers(&steps(0, a.i(0), if a.i(0) < 0 { -1 } else { 1 })?));
    "untilStep" ("iii") => |a| Ok::<_, String>(numbers(&steps(a.i(0), a.i(1), a.i(2))?));
    "seq" ("i*") => seq;

    "duration" ("a") => |a| duration::duration_text(seconds(a.val(0)).wrapping_mul(1_000_000_000));
    "durationRound" ("a") => |a| duration::round_duration(a.val(0));
    "toDate" ("ss") => |a| time::parse(a.s(0), a.s(1)).unwrap_or(time::ZERO);
    "mustToDate" ("ss") => |a| time::parse(a.s(0), a.s(1));
    "unixEpoch" ("t") => |a| a.time(0).seconds.to_string();
    "dateModify" | "date_modify" ("st") => |a| {
        duration::parse_duration(a.s(0)).map_or(a.time(1), |d| time::shift(&a.time(1), d))
    };
    "mustDateModify" | "must_date_modify" ("st") => |a| duration::parse_duration(a.s(0)).map(|d| time::shift(&a.time(1), d));
    "date" ("sa") => |a| sprig_dates::format_val("date", a.s(0), a.val(1), "Local", a.all);
    "dateInZone" | "date_in_zone" ("sas") => |a| sprig_dates::format_val("dateInZone", a.s(0), a.val(1), a.s(2), a.all);
    "htmlDate" ("a") => |a| sprig_dates::format_val("htmlDate", "2006-01-02", a.val(0), "Local", a.all);
    "htmlDateInZone" ("as") => |a| sprig_dates::format_val("htmlDateInZone", "2006-01-02", a.val(0), a.s(1), a.all);
}

fn divide(args: &Args<'_>, op: fn(i64, i64) -> i64) -> Result<i64, String> {
    match to_int(args.val(1)) {
        0 => Err("runtime error: integer divide by zero".into()),
        by => Ok(op(to_int(args.val(0)), by)),
    }
}

/// `math.Max`: NaN wins.
pub(super) fn max_float(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::NAN } else { a.max(b) }
}

/// `math.Min`: NaN wins.
pub(super) fn min_float(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::NAN } else { a.min(b) }
}

fn floats(args: &Args<'_>, zero: bool) -> Vec<f64> {
    zero.then_some(0.0).into_iter().chain(args.all.iter().map(to_float)).collect()
}

fn round(args: &Args<'_>) -> f64 {
    let on = if args.len() > 2 { args.f(2) } else { 0.5 };
    let pow = 10f64.powi(i32::try_from(args.i(1)).unwrap_or(i32::MAX));
    let digit = pow * to_float(args.val(0));
    let rounded = if digit.fract() >= on { digit.ceil() } else { digit.floor() };
    rounded / pow
}

/// The numbers from `start` up or down to `stop`, which is not among them.
fn steps(start: i64, stop: i64, step: i64) -> Result<Vec<i64>, String> {
    let mut out = Vec::new();
    if (stop < start && step >= 0) || (stop >= start && step <= 0) {
        return Ok(out);
    }
    if (i128::from(stop) - i128::from(start)) / i128::from(step) > MAX_ITEMS.into() {
        return Err("runtime error: makeslice: len out of range".into());
    }
    let mut i = start;
    while if step > 0 { i < stop } else { i > stop } {
        out.push(i);
        match i.checked_add(step) {
            Some(next) => i = next,
            None => break,
        }
    }
    Ok(out)
}

/// Integers as a list.
pub(super) fn numbers(items: &[i64]) -> Vec<Value> {
    items.iter().map(|n| Value::new(Data::Int(*n))).collect()
}

fn seq(args: &Args<'_>) -> Result<String, String> {
    let (start, step, end) = match args.len() {
        1 => (1, None, args.i(0)),
        2 => (args.i(0), None, args.i(1)),
        3 => (args.i(0), Some(args.i(1)), args.i(2)),
        _ => return Ok(String::new()),
    };
    let direction = if end < start { -1 } else { 1 };
    if direction < 0 && step.is_some_and(|s| s > 0) {
        return Ok(String::new());
    }
    let items = steps(start, end.saturating_add(direction), step.unwrap_or(direction))?;
    Ok(items.iter().map(i64::to_string).collect::<Vec<_>>().join(" "))
}

/// The seconds that `duration` takes: text, but no integer as templates have them.
fn seconds(value: &Val) -> i64 {
    match super::call::data(value) {
        Data::Str(text) => strconv::parse_int(text, 10, 64).unwrap_or_else(|(_, value)| value),
        _ => 0,
    }
}
