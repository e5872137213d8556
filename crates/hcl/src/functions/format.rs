//! `format` and `formatlist`.

use super::encoding::write_json;
use super::format_number;
use super::lists::can_be_sequence;
use super::{Args, Fail, Function, NULLABLE, Outcome, S, function};
use crate::types::Type;
use crate::types::convert::convert;
use crate::val::number::Number;
use crate::val::{Data, Marks, Val};
use shared_text::Text;
use unicode_segmentation::UnicodeSegmentation;

pub(super) const ALL: &[Function] = &[
    function("format", &[S], |a| Ok(Val::str(print(a.str(0), &a.values[1..]).map_err(Fail::Call)?))).rest(NULLABLE),
    function("formatlist", &[S], list).rest(NULLABLE).sees_unknown(),
];

/// The widest field.
const MAX_WIDTH: usize = 4096;

/// A verb with its flags.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Verb {
    plus: bool,
    space: bool,
    minus: bool,
    zero: bool,
    sharp: bool,
    width: usize,
    pub precision: Option<usize>,
    argument: Option<usize>,
    pub letter: char,
}

fn list(args: &mut Args<'_, '_>) -> Outcome {
    let mut marks = Marks::NONE;
    for value in &mut args.values {
        let (plain, own) = value.unmark_deep();
        (*value, marks) = (plain, marks | own);
        if let Data::Unknown(ty, reason) = &value.data
            && can_be_sequence(ty)
        {
            return Ok(Val::not_null(Type::list(Type::Str), Text::clone(reason)).marked(marks));
        }
        // What is not known may be equal to something else in the set.
        if let Data::Set(_, items) = &value.data
            && items.len() > 1
            && let Some(reason) = items.iter().find_map(Val::unknown_reason)
        {
            return Ok(Val::not_null(Type::list(Type::Str), Text::clone(reason)).marked(marks));
        }
    }
    let mut count: Option<usize> = None;
    for (index, value) in args.values.iter().enumerate().skip(1) {
        if let Some(items) = value.as_items() {
            match count {
                Some(known) if known != items.len() => {
                    let message = format!(
                        "argument {index} has length {}, which is inconsistent with argument 1 of length {known}",
                        items.len()
                    );
                    return Err(Fail::Argument(index, message));
                }
                _ => count = Some(items.len()),
            }
        }
    }
    let rows = count.unwrap_or(1);
    let mut all = Vec::new();
    for row in 0..rows {
        let cell = |value: &Val| value.as_items().map_or_else(|| value.clone(), |items| items[row].clone());
        let values: Vec<Val> = args.values[1..].iter().map(cell).collect();
        if let Some(reason) = args.values[..1].iter().chain(&values).find_map(Val::unknown_reason) {
            all.push(Val::not_null(Type::Str, Text::clone(reason)));
            continue;
        }
        let text =
            print(args.str(0), &values).map_err(|e| Fail::Call(format!("error on format iteration {row}: {e}")))?;
        all.push(Val::str(text));
    }
    Ok(Val::list(Type::Str, all).marked(marks))
}

/// The text of a format with its arguments.
fn print(format: &str, values: &[Val]) -> Result<String, String> {
    let mut out = String::new();
    let (mut next, mut highest) = (0_usize, 0_usize);
    let mut rest = format;
    while let Some(at) = rest.find('%') {
        out.push_str(&rest[..at]);
        let offset = format.len() - rest.len() + at;
        let (verb, after) = parse(&rest[at + 1..])
            .ok_or_else(|| format!("unexpected end of string, expecting format sequence at {offset}"))?;
        rest = after;
        if verb.letter == '%' {
            out.push('%');
            continue;
        }
        let index = match verb.argument {
            Some(0) => return Err(format!("illegal argument index 0 at offset {offset}")),
            Some(n) => n - 1,
            None => next,
        };
        next = index + 1;
        highest = highest.max(next);
        let value = values.get(index).ok_or_else(|| {
            format!(
                "not enough arguments for \"%{}\" at {offset}: need index {} but have {} total",
                verb.letter,
                index + 1,
                values.len()
            )
        })?;
        let text = one(verb, value).map_err(|why| why.replace("{offset}", &offset.to_string()))?;
        pad(verb, &text, &mut out);
    }
    out.push_str(rest);
    if highest == 0 && !values.is_empty() {
        return Err("too many arguments; no verbs in format string".to_owned());
    }
    if highest < values.len() {
        return Err(format!("too many arguments; only {highest} used by format string"));
    }
    Ok(out)
}

/// The verb behind a percent sign, and what follows it.
fn parse(text: &str) -> Option<(Verb, &str)> {
    let mut verb = Verb::default();
    let mut rest = text;
    loop {
        let flag = match rest.chars().next()? {
            '+' => &mut verb.plus,
            ' ' => &mut verb.space,
            '-' => &mut verb.minus,
            '0' => &mut verb.zero,
            '#' => &mut verb.sharp,
            _ => break,
        };
        *flag = true;
        rest = &rest[1..];
    }
    let digits = |rest: &mut &str| {
        let length = rest.bytes().take_while(u8::is_ascii_digit).count();
        let number = rest[..length].parse::<usize>().ok();
        *rest = &rest[length..];
        number
    };
    verb.width = digits(&mut rest).unwrap_or(0).min(MAX_WIDTH);
    if let Some(after) = rest.strip_prefix('.') {
        rest = after;
        verb.precision = Some(digits(&mut rest).unwrap_or(0).min(MAX_WIDTH));
    }
    if let Some(after) = rest.strip_prefix('[') {
        rest = after;
        verb.argument = Some(digits(&mut rest)?);
        rest = rest.strip_prefix(']')?;
    }
    verb.letter = rest.chars().next()?;
    Some((verb, &rest[verb.letter.len_utf8()..]))
}

fn one(verb: Verb, value: &Val) -> Result<String, String> {
    let letter = verb.letter;
    let unsupported = |why: String| format!("unsupported value for \"%{letter}\" at {{offset}}: {why}");
    let number = || match convert(value, &Type::Number) {
        Ok(Val { data: Data::Number(n), .. }) => Ok(n),
        Ok(_) => Err(unsupported("null value cannot be formatted".to_owned())),
        Err(why) => Err(unsupported(why.text())),
    };
    let text = || match convert(value, &Type::Str) {
        Ok(Val { data: Data::Str(t), .. }) => Ok(t),
        Ok(_) => Err(unsupported("null value cannot be formatted".to_owned())),
        Err(why) => Err(unsupported(why.text())),
    };
    match letter {
        'v' => match (&value.data, verb.sharp) {
            (Data::Str(t), false) => Ok(t.to_string()),
            (Data::Number(n), false) => {
                let general = Verb { letter: 'g', precision: None, ..verb };
                Ok(format_number::float(&general, n))
            }
            (Data::Bool(b), _) => Ok(b.to_string()),
            _ => {
                let mut out = String::new();
                write_json(value, &mut out);
                Ok(out)
            }
        },
        't' => match convert(value, &Type::Bool) {
            Ok(Val { data: Data::Bool(b), .. }) => Ok(b.to_string()),
            Ok(_) => Err(unsupported("null value cannot be formatted".to_owned())),
            Err(why) => Err(unsupported(why.text())),
        },
        'b' | 'd' | 'o' | 'x' | 'X' => integer(verb, &number()?),
        'e' | 'E' | 'f' | 'F' | 'g' | 'G' => Ok(signed(verb, format_number::float(&verb, &number()?))),
        's' => Ok(shortened(verb, &text()?)),
        'q' => {
            let mut out = String::new();
            write_json(&Val::str(shortened(verb, &text()?)), &mut out);
            Ok(out)
        }
        other => Err(format!("unsupported format verb '{other}' at offset {{offset}}")),
    }
}

fn shortened(verb: Verb, text: &str) -> String {
    match verb.precision {
        Some(most) => text.graphemes(true).take(most).collect(),
        None => text.to_owned(),
    }
}

fn signed(verb: Verb, text: String) -> String {
    match (text.starts_with(['-', '+']), verb.plus, verb.space) {
        (false, true, _) => format!("+{text}"),
        (false, false, true) => format!(" {text}"),
        _ => text,
    }
}

fn integer(verb: Verb, number: &Number) -> Result<String, String> {
    let whole = number.as_integer();
    let whole = whole
        .ok_or_else(|| format!("unsupported value for \"%{}\" at {{offset}}: an integer is required", verb.letter))?;
    let text = match verb.letter {
        'b' => whole.to_str_radix(2),
        'o' => whole.to_str_radix(8),
        'x' => whole.to_str_radix(16),
        'X' => whole.to_str_radix(16).to_uppercase(),
        _ => whole.to_string(),
    };
    let prefix = match (verb.sharp, verb.letter) {
        (true, 'x') => "0x",
        (true, 'X') => "0X",
        (true, 'o') => "0",
        (true, 'b') => "0b",
        _ => "",
    };
    let text = match text.strip_prefix('-') {
        Some(digits) => format!("-{prefix}{digits}"),
        None => format!("{prefix}{text}"),
    };
    Ok(signed(verb, text))
}

fn pad(verb: Verb, text: &str, out: &mut String) {
    let count = text.graphemes(true).count();
    let missing = verb.width.saturating_sub(count);
    let is_number = matches!(verb.letter, 'd' | 'b' | 'o' | 'x' | 'X' | 'e' | 'E' | 'f' | 'F' | 'g' | 'G');
    match (verb.minus, verb.zero && (is_number || verb.letter == 's' || verb.letter == 'q' || verb.letter == 'v')) {
        (true, _) => {
            out.push_str(text);
            out.extend(std::iter::repeat_n(' ', missing));
        }
        (false, true) => {
            let (sign, digits) = match is_number && text.starts_with(['-', '+', ' ']) {
                true => text.split_at(1),
                false => ("", text),
            };
            out.push_str(sign);
            out.extend(std::iter::repeat_n('0', missing));
            out.push_str(digits);
        }
        (false, false) => {
            out.extend(std::iter::repeat_n(' ', missing));
            out.push_str(text);
        }
    }
}
