//! YAML as printed by js-yaml: indented by two spaces, plain text if it is unambiguous, single quotes otherwise.

use crate::dialects::garden::document;
use crate::dialects::garden::template::node::json::quoted;
use crate::dialects::garden::template::node::{Data, Node, Object};
use crate::dialects::garden::template::syntax::number::number_text;

/// The widest line that text is folded to.
const WIDTH: usize = 80;

/// A value as a document.
pub(super) fn dump(node: &Node) -> String {
    let mut out = String::new();
    match &node.data {
        Data::List(items) if !items.is_empty() => list(items, 0, &mut out),
        Data::Map(map) if !map.is_empty() => entries(map, 0, &mut out),
        _ => {
            scalar(node, 0, &mut out);
            out.push('\n');
        }
    }
    out
}

fn list(items: &[Node], depth: usize, out: &mut String) {
    for item in items {
        out.push_str(&"  ".repeat(depth));
        out.push('-');
        nested(item, depth, true, out);
    }
}

fn entries(map: &Object, depth: usize, out: &mut String) {
    let mut is_first = true;
    for (key, value) in map.iter().filter(|(_, value)| !value.is_undefined()) {
        if !is_first || !out.ends_with("- ") {
            out.push_str(&"  ".repeat(depth));
        }
        is_first = false;
        text(key, depth, true, out);
        out.push(':');
        nested(value, depth, false, out);
    }
}

/// A value behind `-` or `key:`.
fn nested(node: &Node, depth: usize, in_list: bool, out: &mut String) {
    match &node.data {
        Data::List(items) if !items.is_empty() => {
            if in_list {
                // The first item of a nested list is on the line of the dash.
                out.push(' ');
                let mut inner = String::new();
                list(items, depth + 1, &mut inner);
                out.push_str(inner.trim_start_matches(' '));
            } else {
                out.push('\n');
                list(items, depth + 1, out);
            }
        }
        Data::Map(map) if !map.is_empty() => {
            if in_list {
                out.push(' ');
            } else {
                out.push('\n');
            }
            entries(map, depth + 1, out);
        }
        _ => {
            out.push(' ');
            scalar(node, depth + 1, out);
            out.push('\n');
        }
    }
}

fn scalar(node: &Node, depth: usize, out: &mut String) {
    match &node.data {
        Data::Bool(b) => out.push_str(if *b { "true" } else { "false" }),
        Data::Number(n) if n.is_nan() => out.push_str(".nan"),
        Data::Number(n) if n.is_infinite() => out.push_str(if *n > 0.0 { ".inf" } else { "-.inf" }),
        Data::Number(n) => out.push_str(&number_text(*n)),
        Data::Text(content) => text(content, depth, false, out),
        Data::List(_) => out.push_str("[]"),
        Data::Map(_) => out.push_str("{}"),
        _ => out.push_str("null"),
    }
}

fn text(content: &str, depth: usize, is_key: bool, out: &mut String) {
    let printable = |c: char| matches!(c, '\t' | '\n' | '\u{20}'..='\u{7e}' | '\u{a0}'..) && c != '\u{feff}';
    if content.is_empty() {
        out.push_str("''");
    } else if !content.chars().all(printable) {
        out.push_str(&quoted(content));
    } else if !is_key && content.contains('\n') {
        block(content, depth, out);
    } else if is_plain(content) {
        out.push_str(content);
    } else if content.contains('\n') {
        out.push_str(&quoted(content));
    } else {
        out.push('\'');
        out.push_str(&content.replace('\'', "''"));
        out.push('\'');
    }
}

/// Text of several lines: as it is, or folded if a line is too long for it.
fn block(content: &str, depth: usize, out: &mut String) {
    let width = WIDTH.saturating_sub(2 * depth).max(40);
    let folds = content.split('\n').any(|l| l.chars().count() > width && l.contains(' ') && !l.starts_with(' '));
    let keep = if content.ends_with("\n\n") || content == "\n" {
        "+"
    } else if content.ends_with('\n') {
        ""
    } else {
        "-"
    };
    let indent = if content.starts_with(' ') || content.starts_with("\n ") { "2" } else { "" };
    out.push(if folds { '>' } else { '|' });
    out.push_str(indent);
    out.push_str(keep);
    let body = content.strip_suffix('\n').unwrap_or(content);
    for line in body.split('\n') {
        out.push('\n');
        if !line.is_empty() {
            out.push_str(&"  ".repeat(depth.max(1)));
            out.push_str(line);
        }
    }
}

/// Whether text without quotes is read as the same text.
fn is_plain(content: &str) -> bool {
    let mut letters = content.chars();
    let starts_plain = letters.next().is_some_and(|c| {
        !c.is_whitespace()
            && !matches!(
                c,
                '-' | '?'
                    | ':'
                    | ','
                    | '['
                    | ']'
                    | '{'
                    | '}'
                    | '#'
                    | '&'
                    | '*'
                    | '!'
                    | '|'
                    | '='
                    | '>'
                    | '\''
                    | '"'
                    | '%'
                    | '@'
                    | '`'
            )
    });
    let ends_plain = content.chars().last().is_some_and(|c| !c.is_whitespace() && c != ':');
    let inside = !content.contains(": ")
        && !content.contains(" #")
        && !content.contains('\n')
        && !content.chars().any(|c| matches!(c, ',' | '[' | ']' | '{' | '}'));
    starts_plain && ends_plain && inside && document::is_text(content)
}
