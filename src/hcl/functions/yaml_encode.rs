//! Writes YAML: block style, text in double quotes, text of several lines as literals.

use crate::hcl::val::{Data, Val};

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
            out.push_str(&scalar(value, 0));
            out.push('\n');
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

fn entry(key: &str, value: &Val, level: usize, out: &mut String) {
    indent(level, out);
    out.push_str(&quoted(key));
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
            out.push_str(&scalar(value, level + 1));
            out.push('\n');
        }
    }
}

fn sequence(items: &[Val], level: usize, out: &mut String) {
    for item in items {
        indent(level, out);
        out.push_str("- ");
        let mut inner = String::new();
        match (item.as_items(), item.as_entries()) {
            (Some(items), _) if is_block(item) => sequence(items, level + 1, &mut inner),
            (_, Some(entries)) if is_block(item) => {
                for (key, value) in entries.iter() {
                    entry(key, value, level + 1, &mut inner);
                }
            }
            _ => {
                inner.push_str(&scalar(item, level + 1));
                inner.push('\n');
            }
        }
        // The first line begins behind the dash.
        out.push_str(if is_block(item) { &inner[2 * (level + 1)..] } else { &inner });
    }
}

fn scalar(value: &Val, level: usize) -> String {
    match &value.data {
        Data::Null(_) | Data::Unknown(..) => "null".to_owned(),
        Data::Bool(b) => b.to_string(),
        Data::Number(n) => n.to_string(),
        Data::Str(text) | Data::Reference(text) => text_of(text, level),
        Data::List(..) | Data::Set(..) | Data::Tuple(_) => "[]".to_owned(),
        Data::Map(..) | Data::Object(_) => "{}".to_owned(),
    }
}

fn text_of(text: &str, level: usize) -> String {
    let is_literal = text.contains('\n') && text.chars().all(|c| c == '\n' || c == '\t' || !c.is_control());
    if !is_literal || text.lines().any(|l| l.ends_with(' ')) || text.starts_with(['\n', ' ']) {
        return quoted(text);
    }
    let body = text.trim_end_matches('\n');
    let chomp = match text.len() - body.len() {
        0 => "-",
        1 => "",
        _ => "+",
    };
    let mut out = format!("|{chomp}");
    for line in text.strip_suffix('\n').unwrap_or(text).split('\n') {
        out.push('\n');
        if !line.is_empty() {
            indent(level, &mut out);
            out.push_str(line);
        }
    }
    out
}

fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\0' => out.push_str("\\0"),
            c if c.is_control() => out.push_str(&format!("\\x{:02X}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
