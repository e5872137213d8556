//! Text.

use super::{Args, Fail, Function, N, Outcome, S, STRINGS, TRUTHS, function};
use crate::types::Type;
use crate::val::{Data, Val};
use shared_text::Text;
use unicode_segmentation::UnicodeSegmentation;

pub(super) const ALL: &[Function] = &[
    function("chomp", &[S], |a| text(a.str(0).trim_end_matches(['\n', '\r']))),
    function("endswith", &[S, S], |a| Ok(Val::bool(a.str(0).ends_with(a.str(1))))),
    function("indent", &[N, S], indent),
    function("join", &[S], join).rest(STRINGS),
    function("lower", &[S], |a| text(&a.str(0).chars().map(lower).collect::<String>())),
    function("replace", &[S, S, S], super::regexes::replace),
    function("split", &[S, S], split),
    function("startswith", &[S, S], |a| Ok(Val::bool(a.str(0).starts_with(a.str(1))))),
    function("strcontains", &[S, S], |a| Ok(Val::bool(a.str(0).contains(a.str(1))))),
    function("strrev", &[S], |a| text(&a.str(0).graphemes(true).rev().collect::<String>())),
    function("substr", &[S, N, N], substr),
    function("title", &[S], |a| text(&title(a.str(0)))),
    function("trim", &[S, S], |a| {
        let cut: Vec<char> = a.str(1).chars().collect();
        text(a.str(0).trim_matches(|c| cut.contains(&c)))
    }),
    function("trimprefix", &[S, S], |a| text(a.str(0).strip_prefix(a.str(1)).unwrap_or(a.str(0)))),
    function("trimspace", &[S], |a| text(a.str(0).trim())),
    function("trimsuffix", &[S, S], |a| text(a.str(0).strip_suffix(a.str(1)).unwrap_or(a.str(0)))),
    function("upper", &[S], |a| text(&a.str(0).chars().map(upper).collect::<String>())),
    function("alltrue", &[TRUTHS], |a| truths(a, true)).shallow(),
    function("anytrue", &[TRUTHS], |a| truths(a, false)).shallow(),
];

fn text(text: &str) -> Outcome {
    Ok(Val::str(text))
}

/// Converts one letter to one letter, independent of its position.
fn lower(c: char) -> char {
    c.to_lowercase().next().unwrap_or(c)
}

/// Converts the first letter of a word to title case, except for letters that represent two.
fn title_letter(c: char) -> char {
    match c {
        'Ǆ' | 'ǅ' | 'ǆ' => 'ǅ',
        'Ǉ' | 'ǈ' | 'ǉ' => 'ǈ',
        'Ǌ' | 'ǋ' | 'ǌ' => 'ǋ',
        'Ǳ' | 'ǲ' | 'ǳ' => 'ǲ',
        c => upper(c),
    }
}

/// Converts one letter to one letter: letters without a capital form stay.
fn upper(c: char) -> char {
    let mut all = c.to_uppercase();
    match (all.next(), all.next()) {
        (Some(one), None) => one,
        _ => c,
    }
}

/// Capital letters at the beginning of words, which letters, digits, underscores and apostrophes in words belong to.
fn title(text: &str) -> String {
    let mut previous = ' ';
    let change = |c: char| {
        // Of what is not ASCII, only spaces separate words.
        let inside = match previous.is_ascii() {
            true => previous == '_' || previous.is_ascii_alphanumeric(),
            false => !previous.is_whitespace(),
        };
        previous = c;
        if inside { c } else { title_letter(c) }
    };
    text.chars().map(change).collect()
}

fn indent(args: &mut Args<'_, '_>) -> Outcome {
    let spaces = args.integer(0)?;
    let wrong = |_| Fail::Call("panic in function implementation: strings: negative Repeat count".to_owned());
    let spaces = usize::try_from(spaces).map_err(wrong)?;
    let lines = args.str(1).matches('\n').count();
    if spaces.saturating_mul(lines.max(1)) > 1 << 24 {
        return Err(Fail::Call("the text would be too long".to_owned()));
    }
    text(&args.str(1).replace('\n', &format!("\n{}", " ".repeat(spaces))))
}

fn join(args: &mut Args<'_, '_>) -> Outcome {
    if args.values.len() < 2 {
        return Err(Fail::Call("at least one list is required".to_owned()));
    }
    let mut all = Vec::new();
    for index in 1..args.values.len() {
        if args.items(index).iter().any(Val::is_null) {
            let message = "element is null; cannot concatenate null values".to_owned();
            return Err(Fail::Argument(index, message));
        }
        all.extend(args.texts(index));
    }
    let size: usize = all.iter().map(|t| t.len() + args.str(0).len()).sum();
    if size > 1 << 26 {
        return Err(Fail::Call("the text would be too long".to_owned()));
    }
    text(&all.join(args.str(0)))
}

fn split(args: &mut Args<'_, '_>) -> Outcome {
    let parts: Vec<Val> = match args.str(0) {
        "" => args.str(1).chars().map(|c| Val::str(c.to_string())).collect(),
        separator => args.str(1).split(separator).map(Val::str).collect(),
    };
    Ok(Val::list(Type::Str, parts))
}

fn substr(args: &mut Args<'_, '_>) -> Outcome {
    let (offset, length) = (args.integer(1)?, args.integer(2)?);
    let all: Vec<&str> = args.str(0).graphemes(true).collect();
    let count = all.len() as i64;
    let start = if offset < 0 { (count + offset).max(0) } else { offset.min(count) };
    // At the end of the text, a length of zero means no limit.
    let is_open = length < 0 || length == 0 && offset < 0;
    let end = if is_open { count } else { start.saturating_add(length).min(count) };
    text(&all[start as usize..end as usize].concat())
}

fn truths(args: &mut Args<'_, '_>, all: bool) -> Outcome {
    let (list, marks) = args.values[0].unmark_deep();
    let unknown = |reason: &Text| Ok(super::unknown::typed("alltrue", &[], Text::clone(reason)).marked(marks));
    if let Data::Unknown(_, reason) = &list.data {
        return unknown(reason);
    }
    let mut open = None;
    for item in list.as_items().into_iter().flat_map(|items| items.iter()) {
        match &item.data {
            // What follows does not matter to `alltrue`.
            Data::Unknown(_, reason) if all => return unknown(reason),
            Data::Unknown(_, reason) => open = Some(reason),
            Data::Bool(b) if *b != all => return Ok(Val::bool(!all).marked(marks)),
            Data::Null(_) if all => return Ok(Val::bool(false).marked(marks)),
            _ => {}
        }
    }
    open.map_or_else(|| Ok(Val::bool(all).marked(marks)), |reason| unknown(reason))
}
