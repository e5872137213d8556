//! Writes YAML as cty's `yamlencode` does: block style, text in double quotes, text of several lines as literals.

use crate::val::{Data, Val};
use spanned_yaml::{double_quoted, is_printable};

/// The text of a value.
pub(super) fn encode(value: &Val) -> String {
    let mut out = String::new();
    match (value.as_items(), value.as_entries()) {
        (Some(items), _) if !items.is_empty() => sequence(items, 0, &mut out),
        (_, Some(entries)) if !entries.is_empty() => {
            for (key, item) in entries.iter() {
                entry(key, item, 0, &mut out);
            }
        }
        _ => {
            out.push_str(&scalar(value, 1, 0));
            out.push('\n');
            // Nothing else marks the end of a plain scalar.
            if let Data::Null(_) | Data::Bool(_) | Data::Number(_) = value.data {
                out.push_str("...\n");
            }
        }
    }
    out
}

fn indent(level: usize, out: &mut String) {
    out.extend(std::iter::repeat_n("  ", level));
}

fn is_block(value: &Val) -> bool {
    value.as_items().is_some_and(|i| !i.is_empty()) || value.as_entries().is_some_and(|e| !e.is_empty())
}

/// The number of bytes that libyaml writes as a key in front of a colon.
const MAX_KEY: usize = 128;

/// Whether a character ends a line in YAML.
fn is_break(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

fn entry(key: &str, value: &Val, level: usize, out: &mut String) {
    indent(level, out);
    if key.len() > MAX_KEY || key.contains(is_break) {
        out.push_str("? ");
        out.push_str(&text_of(key, level + 1, 2 * (level + 1)));
        out.push('\n');
        indent(level, out);
        out.push_str(": ");
        behind(value, level, out);
        return;
    }
    let key = double_quoted(key);
    out.push_str(&key);
    out.push(':');
    match (value.as_items(), value.as_entries()) {
        // A sequence is not indented in a mapping.
        (Some(items), _) if is_block(value) => {
            out.push('\n');
            sequence(items, level, out);
        }
        (_, Some(entries)) if is_block(value) => {
            out.push('\n');
            for (key, item) in entries.iter() {
                entry(key, item, level + 1, out);
            }
        }
        _ => {
            out.push(' ');
            out.push_str(&scalar(value, level + 1, 2 * level + key.chars().count() + 2));
            out.push('\n');
        }
    }
}

fn sequence(items: &[Val], level: usize, out: &mut String) {
    for item in items {
        indent(level, out);
        out.push_str("- ");
        behind(item, level, out);
    }
}

/// A value whose first line begins behind a mark.
fn behind(value: &Val, level: usize, out: &mut String) {
    let mut inner = String::new();
    match (value.as_items(), value.as_entries()) {
        (Some(items), _) if is_block(value) => sequence(items, level + 1, &mut inner),
        (_, Some(entries)) if is_block(value) => {
            for (key, item) in entries.iter() {
                entry(key, item, level + 1, &mut inner);
            }
        }
        _ => {
            inner.push_str(&scalar(value, level + 1, 2 * (level + 1)));
            inner.push('\n');
        }
    }
    out.push_str(if is_block(value) { &inner[2 * (level + 1)..] } else { &inner });
}

/// What is not a block, written from a column on; further lines are indented to the level.
fn scalar(value: &Val, level: usize, column: usize) -> String {
    match &value.data {
        Data::Null(_) | Data::Unknown(..) => "null".to_owned(),
        Data::Bool(b) => b.to_string(),
        Data::Number(n) => n.to_string(),
        Data::Str(text) | Data::Reference(text) => text_of(text, level, column),
        Data::List(..) | Data::Set(..) | Data::Tuple(_) => "[]".to_owned(),
        Data::Map(..) | Data::Object(_) | Data::Partial(..) => "{}".to_owned(),
    }
}

/// Text of several lines as a literal where libyaml can write it so, other text in double quotes.
fn text_of(text: &str, level: usize, column: usize) -> String {
    let is_literal =
        text.contains('\n') && text.chars().all(is_printable) && !text.ends_with(' ') && !text.contains(" \n");
    if !is_literal {
        return folded(&double_quoted(text), level, column);
    }
    // A reader would take the blanks of the first line for the indentation.
    let indentation = if text.starts_with(['\n', ' ']) { "2" } else { "" };
    let chomp = match text.strip_suffix('\n') {
        None => "-",
        Some(rest) if rest.is_empty() || rest.ends_with('\n') => "+",
        Some(_) => "",
    };
    let mut out = format!("|{indentation}{chomp}");
    for line in text.strip_suffix('\n').unwrap_or(text).split('\n') {
        out.push('\n');
        if !line.is_empty() {
            indent(level, &mut out);
            for c in line.chars() {
                out.push(c);
                if is_break(c) {
                    indent(level, &mut out);
                }
            }
        }
    }
    out
}

/// The column behind which libyaml breaks text in double quotes at the next blank.
const WIDTH: usize = 80;

/// Text in double quotes that begins at a column, broken where it is too wide. A reader takes the break for the blank.
fn folded(quoted: &str, level: usize, mut column: usize) -> String {
    let mut out = String::with_capacity(quoted.len());
    let mut before = None;
    for (at, c) in quoted.char_indices() {
        let is_inner = at > 1 && at + 2 < quoted.len();
        if c == ' ' && before != Some(' ') && column > WIDTH && is_inner {
            out.push('\n');
            indent(level, &mut out);
            column = 2 * level;
            if quoted[at + 1..].starts_with(' ') {
                out.push('\\');
                column += 1;
            }
        } else {
            out.push(c);
            column += 1;
        }
        before = Some(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_text_is_broken_at_blanks() {
        let wide = "x".repeat(80);
        let one = |key: &str, value: Val| Val::object([(key.into(), value)].into());
        for (value, yaml) in [
            (Val::str(format!("{wide} b c")), format!("\"{wide}\n  b c\"\n")),
            (Val::str(format!("{wide}   b")), format!("\"{wide}\n  \\  b\"\n")),
            (Val::str(format!("{wide} ")), format!("\"{wide} \"\n")),
            (Val::str(format!("\"{} b", &wide[..77])), format!("\"\\\"{} b\"\n", &wide[..77])),
            (Val::str(format!("\"{} b", &wide[..78])), format!("\"\\\"{}\n  b\"\n", &wide[..78])),
            (one("k", Val::str(format!("{} b", &wide[..74]))), format!("\"k\": \"{} b\"\n", &wide[..74])),
            (one("k", Val::str(format!("{} b", &wide[..75]))), format!("\"k\": \"{}\n  b\"\n", &wide[..75])),
            (Val::tuple(vec![Val::str(format!("{} b", &wide[..78]))]), format!("- \"{}\n  b\"\n", &wide[..78])),
            (
                one("a", one("b", Val::tuple(vec![Val::str(format!("{wide} b"))]))),
                format!("\"a\":\n  \"b\":\n  - \"{wide}\n    b\"\n"),
            ),
            (one(&format!("{wide} b"), Val::null()), format!("\"{wide} b\": null\n")),
            (one(&format!("{wide}{wide} b"), Val::null()), format!("? \"{wide}{wide}\n  b\"\n: null\n")),
        ] {
            assert_eq!(encode(&value), yaml);
        }
    }

    #[test]
    fn text_is_a_literal_where_libyaml_writes_one() {
        for (text, yaml) in [
            ("a\nb", "|-\n  a\n  b\n"),
            ("a\n", "|\n  a\n"),
            ("a\n\n", "|+\n  a\n\n"),
            ("\n", "|2+\n\n"),
            (" a\nb", "|2-\n   a\n  b\n"),
            ("a \nb", "\"a \\nb\"\n"),
            ("a\n ", "\"a\\n \"\n"),
            ("a\tb\nc", "\"a\\tb\\nc\"\n"),
            ("a\n😀", "\"a\\n\\U0001F600\"\n"),
            ("\u{7f}\u{1b}\u{feff}\u{85}", "\"\\x7F\\e\\uFEFF\\N\"\n"),
        ] {
            assert_eq!(encode(&Val::str(text)), yaml);
        }
        let one = |key: &str, value: Val| Val::object([(key.into(), value)].into());
        for (key, value, yaml) in [
            ("a\nb", Val::null(), "? |-\n  a\n  b\n: null\n"),
            ("a\n", one("x", Val::bool(true)), "? |\n  a\n: \"x\": true\n"),
            ("a\nb", Val::tuple(vec![Val::str("x\ny")]), "? |-\n  a\n  b\n: - |-\n    x\n    y\n"),
            ("\ta\nb", Val::str(""), "? \"\\ta\\nb\"\n: \"\"\n"),
            (&"a".repeat(129), Val::tuple(vec![]), &format!("? \"{}\"\n: []\n", "a".repeat(129))),
        ] {
            assert_eq!(encode(&one(key, value)), yaml);
        }
        assert_eq!(encode(&Val::null()), "null\n...\n");
        assert_eq!(encode(&Val::tuple(vec![])), "[]\n");
    }
}
