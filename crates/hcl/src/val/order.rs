//! The order of values in a set, as cty 1.18 has it (`set_internals.go`).

use super::{Data, Val};
use crate::val::number::Number;
use std::cmp::Ordering;
use std::fmt::Write as _;

/// Compares values of one type: numbers by size, text by bytes, false before true, anything else by its [`key`].
pub fn compare(a: &Val, b: &Val) -> Ordering {
    match (&a.data, &b.data) {
        (Data::Bool(a), Data::Bool(b)) => a.cmp(b),
        (Data::Number(a), Data::Number(b)) => a.cmp(b),
        (Data::Str(a), Data::Str(b)) | (Data::Reference(a), Data::Reference(b)) => a.as_bytes().cmp(b.as_bytes()),
        _ => key(a).cmp(&key(b)),
    }
}

/// The sort key of values other than numbers, strings and booleans: cty's text for hashing, and a part that
/// distinguishes values with the same text.
pub fn key(value: &Val) -> (u8, String, String) {
    let (mut text, mut exact) = (String::new(), String::new());
    write(value, &mut text, &mut exact);
    (rank(value), text, exact)
}

/// Values that are not known come behind others, and null comes last.
fn rank(value: &Val) -> u8 {
    match value.data {
        Data::Unknown(..) => 1,
        Data::Null(_) => 2,
        _ => 0,
    }
}

fn write(value: &Val, out: &mut String, exact: &mut String) {
    match &value.data {
        Data::Unknown(..) => out.push('?'),
        Data::Null(_) => out.push('~'),
        Data::Bool(b) => out.push(if *b { 'T' } else { 'F' }),
        Data::Number(number) => {
            out.push_str(&ten_digits(number));
            let _ = write!(exact, "{number};");
        }
        Data::Str(text) | Data::Reference(text) => {
            let _ = write!(out, "{:?}", &**text);
        }
        Data::List(_, items) | Data::Set(_, items) => write_parts(('[', ']'), items.iter(), out, exact),
        Data::Tuple(items) => write_parts(('<', '>'), items.iter(), out, exact),
        Data::Object(entries) | Data::Partial(entries, _) => write_parts(('<', '>'), entries.values(), out, exact),
        Data::Map(_, entries) => {
            out.push('{');
            for (key, item) in entries.iter() {
                let _ = write!(out, "{:?}:", &**key);
                write(item, out, exact);
                out.push(';');
            }
            out.push('}');
        }
    }
}

fn write_parts<'a>(
    (open, close): (char, char),
    items: impl Iterator<Item = &'a Val>,
    out: &mut String,
    exact: &mut String,
) {
    out.push(open);
    for item in items {
        write(item, out, exact);
        out.push(';');
    }
    out.push(close);
}

/// A number with ten digits, as Go's `%.10g` prints it.
fn ten_digits(number: &Number) -> String {
    let value = number.to_f64();
    if !value.is_finite() {
        return if value > 0.0 { "+Inf".to_owned() } else { "-Inf".to_owned() };
    }
    let scientific = format!("{value:.9e}");
    let Some((mantissa, exponent)) = scientific.split_once('e') else { return scientific };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let shorten = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    };
    match exponent {
        -4..10 => shorten(&format!("{value:.*}", (9 - exponent) as usize)),
        _ => {
            let sign = if exponent < 0 { '-' } else { '+' };
            format!("{}e{sign}{:02}", shorten(mantissa), exponent.abs())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_ten_digits() {
        for (value, text) in [
            ("0", "0"),
            ("100000", "100000"),
            ("12345678901", "1.23456789e+10"),
            ("0.00001", "1e-05"),
            ("-2.50", "-2.5"),
        ] {
            assert_eq!(Number::parse(value).map(|n| ten_digits(&n)).as_deref(), Some(text));
        }
    }

    #[test]
    fn collections_are_ordered_by_their_texts() {
        let map =
            |entries: &[(&str, &str)]| Val::object(entries.iter().map(|(k, v)| ((*k).into(), Val::str(*v))).collect());
        // A longer list of attributes may come first.
        assert_eq!(compare(&map(&[("a", "x")]), &map(&[])), Ordering::Less);
        assert_eq!(compare(&Val::null(), &Val::tuple(vec![])), Ordering::Greater);
        let unknown = Val::unknown(crate::types::Type::Str, "x");
        assert_eq!(
            (compare(&Val::null(), &unknown), compare(&Val::str("z"), &unknown)),
            (Ordering::Greater, Ordering::Less)
        );
    }
}
