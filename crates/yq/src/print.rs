//! Documents as text: YAML in block style, JSON.

use super::node::{Arena, Id, Kind, MAX_DEPTH, MAX_TEXT, Style, TEXT_STEP, too_much};
use super::{QueryError, R, scalar};
use go_compat::escape::{JsonText, push_json};
use go_compat::strconv;
use spanned_yaml::{analyze, double_quoted};

/// One result as the YAML printer writes it, with its line break. A scalar is its bare text.
pub(super) fn yaml(arena: &Arena, id: Id) -> R<String> {
    let mut out = String::new();
    if arena.kind(id) == Kind::Scalar {
        out.push_str(arena.text(id));
        out.push('\n');
        arena.take(out.len() / TEXT_STEP)?;
        return Ok(out);
    }
    let tag = foreign_tag(arena, id);
    out.push_str(tag);
    if arena.content(id).is_empty() {
        out.push_str(if tag.is_empty() { "" } else { " " });
        out.push_str(if arena.kind(id) == Kind::Map { "{}\n" } else { "[]\n" });
    } else {
        out.push_str(if tag.is_empty() { "" } else { "\n" });
        block(arena, id, 0, false, &mut out)?;
    }
    Ok(out)
}

/// The tag of a collection, if it is not the usual one.
fn foreign_tag(arena: &Arena, id: Id) -> &str {
    match (arena.kind(id), arena.tag(id)) {
        (Kind::Map, "!!map") | (Kind::List, "!!seq") => "",
        (_, tag) => tag,
    }
}

/// The entries of a collection that is not empty; the first one starts where the text ends when `inline`.
fn block(arena: &Arena, id: Id, indent: usize, inline: bool, out: &mut String) -> R<()> {
    if indent > MAX_DEPTH * 2 || out.len() > MAX_TEXT {
        return too_much();
    }
    let mut inline = inline;
    let mut pad = |out: &mut String| {
        if !std::mem::take(&mut inline) {
            out.extend(std::iter::repeat_n(' ', indent));
        }
    };
    match arena.kind(id) {
        Kind::Map => {
            for pair in arena.content(id).chunks_exact(2) {
                pad(out);
                if arena.kind(pair[0]) == Kind::Scalar {
                    inline_scalar(arena, pair[0], None, out);
                } else {
                    out.push_str(&json(arena, pair[0], 0)?);
                }
                out.push(':');
                value(arena, pair[1], indent, true, out)?;
            }
        }
        _ => {
            for &item in arena.content(id) {
                pad(out);
                out.push('-');
                value(arena, item, indent, false, out)?;
            }
        }
    }
    Ok(())
}

/// A value behind `key:` or `-`.
fn value(arena: &Arena, id: Id, indent: usize, behind_key: bool, out: &mut String) -> R<()> {
    arena.take(1 + arena.text(id).len() / TEXT_STEP)?;
    if arena.kind(id) == Kind::Scalar {
        out.push(' ');
        inline_scalar(arena, id, Some(indent + 2), out);
        out.push('\n');
        return Ok(());
    }
    let tag = foreign_tag(arena, id);
    if !tag.is_empty() {
        out.push(' ');
        out.push_str(tag);
    }
    if arena.content(id).is_empty() {
        out.push_str(if arena.kind(id) == Kind::Map { " {}\n" } else { " []\n" });
        return Ok(());
    }
    let inline = !behind_key && tag.is_empty();
    out.push(if inline { ' ' } else { '\n' });
    block(arena, id, indent + 2, inline, out)
}

/// A scalar inside a document; without an indent it has to stay on its line.
fn inline_scalar(arena: &Arena, id: Id, indent: Option<usize>, out: &mut String) {
    let node = arena.get(id);
    let text = &*node.text;
    let meaning = scalar::resolve(text);
    if &*node.tag == "!!merge" {
        out.push_str("!!merge ");
        out.push_str(text);
        return;
    }
    let mut style = node.style;
    if !node.tag.is_empty() && meaning != &*node.tag {
        if &*node.tag != "!!str" {
            out.push_str(&node.tag);
            out.push(' ');
        } else if style == Style::Plain {
            style = if text.contains('\n') { Style::Literal } else { Style::Double };
        }
    }
    let traits = analyze(text);
    if style == Style::Plain && text.contains('\n') {
        style = Style::Literal;
    }
    if style == Style::Plain && (traits.no_plain || text.is_empty()) {
        style = Style::Single;
    }
    if style == Style::Single && traits.no_single || style == Style::Literal && (traits.no_block || indent.is_none()) {
        style = Style::Double;
    }
    match style {
        Style::Plain => out.push_str(text),
        Style::Single => {
            out.push('\'');
            out.push_str(&text.replace('\'', "''"));
            out.push('\'');
        }
        Style::Double => out.push_str(&double_quoted(text)),
        Style::Literal => literal(text, indent.unwrap_or(0), out),
    }
}

fn literal(text: &str, indent: usize, out: &mut String) {
    out.push('|');
    if text.starts_with([' ', '\n']) {
        out.push('2');
    }
    match text.strip_suffix('\n') {
        None => out.push('-'),
        Some(rest) if rest.is_empty() || rest.ends_with('\n') => out.push('+'),
        Some(_) => {}
    }
    for line in text.strip_suffix('\n').unwrap_or(text).split('\n') {
        out.push('\n');
        if !line.is_empty() {
            out.extend(std::iter::repeat_n(' ', indent));
            out.push_str(line);
        }
    }
}

/// JSON; with an indent of 0 on one line. No line break at the end.
pub(super) fn json(arena: &Arena, id: Id, indent: usize) -> R<String> {
    let mut out = String::new();
    write_json(arena, id, indent, 0, &mut out)?;
    Ok(out)
}

fn write_json(arena: &Arena, id: Id, indent: usize, depth: usize, out: &mut String) -> R<()> {
    if depth > MAX_DEPTH || out.len() > MAX_TEXT {
        return too_much();
    }
    arena.take(1 + arena.text(id).len() / TEXT_STEP)?;
    let content = arena.content(id);
    let line = |out: &mut String, depth: usize| {
        if indent > 0 {
            out.push('\n');
            out.extend(std::iter::repeat_n(' ', indent * depth));
        }
    };
    match arena.kind(id) {
        Kind::Scalar => return json_scalar(arena, id, out),
        Kind::Map => {
            out.push('{');
            for (i, pair) in content.chunks_exact(2).enumerate() {
                if i > 0 {
                    out.push(',');
                }
                line(out, depth + 1);
                push_json(out, arena.text(pair[0]), JsonText::Goccy);
                out.push_str(if indent > 0 { ": " } else { ":" });
                write_json(arena, pair[1], indent, depth + 1, out)?;
            }
            if !content.is_empty() {
                line(out, depth);
            }
            out.push('}');
        }
        Kind::List => {
            out.push('[');
            for (i, &item) in content.iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                line(out, depth + 1);
                write_json(arena, item, indent, depth + 1, out)?;
            }
            if !content.is_empty() {
                line(out, depth);
            }
            out.push(']');
        }
    }
    Ok(())
}

fn json_scalar(arena: &Arena, id: Id, out: &mut String) -> R<()> {
    let text = arena.text(id);
    let bad = || QueryError::Bad(format!("cannot write {text:?} as a number"));
    match arena.tag(id) {
        "!!int" => out.push_str(&scalar::int(text).ok_or_else(bad)?.1.to_string()),
        "!!float" => {
            let f = scalar::float(text).filter(|f| f.is_finite()).ok_or_else(bad)?;
            out.push_str(&strconv::json_float(f));
        }
        "!!bool" => out.push_str(if super::engine::truthy_text(text) { "true" } else { "false" }),
        "!!null" => out.push_str("null"),
        _ => push_json(out, text, JsonText::Goccy),
    }
    Ok(())
}
