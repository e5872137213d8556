//! Operators on text.

use super::engine::{Ctx, Engine, bad};
use super::node::{Id, Kind, MAX_TEXT, Style, too_much};
use super::op::{Expr, Format, Op};
use super::{QueryError, R, print, scalar};
use go_compat::encoding::base64_encode;
use go_compat::escape::query;
use regex::{Captures, Regex, RegexBuilder};
use std::rc::Rc;

pub(super) fn texts(engine: &mut Engine, ctx: &Ctx, e: &Rc<Expr>) -> R<Ctx> {
    let rhs = e.rhs.as_ref();
    match &e.op {
        Op::Match | Op::Capture | Op::Test => matching(engine, ctx, e),
        Op::Substitute => substitute(engine, ctx, rhs),
        Op::Join | Op::Split => {
            let separator = engine.eval(&ctx.read_only(), rhs)?.first();
            let separator = separator.map_or_else(|| "".into(), |id| engine.arena.get(id).text.clone());
            engine.each(ctx, |this, id, out| {
                match e.op {
                    Op::Join => out.push(join(this, id, &separator)?),
                    _ if this.arena.is_null(id) => {}
                    _ => {
                        must_be_text(this, id, "split", "can only split strings")?;
                        let parts = split(this, id, &separator)?;
                        let list = this.arena.replacement(id, Kind::List, "!!seq", "")?;
                        this.arena.add_all(list, &parts)?;
                        out.push(list);
                    }
                }
                Ok(())
            })
        }
        Op::Encode(format, indent) => engine.each(ctx, |this, id, out| {
            let text = encode(this, id, *format, *indent)?;
            out.push(this.arena.replacement(id, Kind::Scalar, "!!str", &text)?);
            Ok(())
        }),
        Op::ToText => engine.each(ctx, |this, id, out| {
            let text = this.as_text(id)?;
            let quoted = this.arena.tag(id) != "!!str";
            let new = this.arena.replacement(id, Kind::Scalar, "!!str", &text)?;
            if quoted {
                this.arena.get_mut(new).style = Style::Double;
            }
            out.push(new);
            Ok(())
        }),
        Op::ToNumber => engine.each(ctx, |this, id, out| {
            out.push(to_number(this, id)?);
            Ok(())
        }),
        _ => engine.each(ctx, |this, id, out| {
            out.push(changed_text(this, id, &e.op)?);
            Ok(())
        }),
    }
}

/// A text trimmed, or in upper or lower case.
fn changed_text(engine: &mut Engine, id: Id, op: &Op) -> R<Id> {
    let (what, why) = match op {
        Op::Trim => ("trim", "can only operate on strings. "),
        _ => ("change case with", "can only operate on strings. "),
    };
    must_be_text(engine, id, what, why)?;
    let text = engine.arena.text(id);
    let text = match op {
        Op::Trim => text.trim().to_owned(),
        // One character stays one character, as in Go.
        Op::Case { upper: true } => text.chars().map(|c| single(c, c.to_uppercase())).collect(),
        _ => text.chars().map(|c| single(c, c.to_lowercase())).collect(),
    };
    let style = engine.arena.get(id).style;
    let new = engine.arena.replacement(id, Kind::Scalar, "!!str", &text)?;
    engine.arena.get_mut(new).style = style;
    Ok(new)
}

fn must_be_text(engine: &Engine, id: Id, what: &str, why: &str) -> R<()> {
    match engine.arena.tag(id) {
        "!!str" => Ok(()),
        tag => bad(format!("cannot {what} {tag}, {why}")),
    }
}

fn to_number(engine: &mut Engine, id: Id) -> R<Id> {
    if engine.arena.kind(id) != Kind::Scalar {
        return bad(format!("cannot convert node of tag {} to number", engine.arena.tag(id)));
    }
    let text = engine.arena.get(id).text.clone();
    match engine.arena.tag(id) {
        "!!int" | "!!float" => Ok(id),
        _ if scalar::int(&text).is_some() => engine.arena.replacement(id, Kind::Scalar, "!!int", &text),
        _ if scalar::float(&text).is_some() => engine.arena.replacement(id, Kind::Scalar, "!!float", &text),
        tag => bad(format!("cannot convert node value [{text}] of tag {tag} to number")),
    }
}

fn join(engine: &mut Engine, id: Id, separator: &str) -> R<Id> {
    if engine.arena.kind(id) != Kind::List {
        return bad(format!("cannot join with {}, can only join arrays of scalars", engine.arena.tag(id)));
    }
    let content = engine.arena.content(id);
    let text = |&c: &Id| if engine.arena.is_null(c) { "" } else { engine.arena.text(c) };
    let size: usize = content.iter().map(|c| text(c).len() + separator.len()).sum();
    if size > MAX_TEXT {
        return too_much();
    }
    let joined = content.iter().map(text).collect::<Vec<_>>().join(separator);
    engine.arena.replacement(id, Kind::Scalar, "!!str", &joined)
}

/// The parts of a text as nodes; an empty text has none, an empty separator splits every character.
pub(super) fn split(engine: &mut Engine, id: Id, separator: &str) -> R<Vec<Id>> {
    let text = engine.arena.get(id).text.clone();
    if text.is_empty() {
        return Ok(Vec::new());
    }
    if separator.is_empty() {
        return text.chars().map(|c| engine.arena.scalar("!!str", c.encode_utf8(&mut [0; 4]))).collect();
    }
    text.split(separator).map(|part| engine.arena.scalar("!!str", part)).collect()
}

fn encode(engine: &mut Engine, id: Id, format: Format, indent: usize) -> R<String> {
    match format {
        Format::Yaml if indent == 2 || engine.arena.kind(id) == Kind::Scalar => print::yaml(&engine.arena, id),
        Format::Yaml => Err(QueryError::Unsupported("yq `to_yaml` with an indent".to_owned())),
        Format::Json => {
            let mut text = print::json(&engine.arena, id, indent)?;
            if indent > 0 {
                text.push('\n');
            }
            Ok(text)
        }
        _ => {
            let what = if format == Format::Base64 { "encode as base64" } else { "encode as URI" };
            must_be_text(engine, id, what, "can only operate on strings")?;
            let text = engine.arena.text(id);
            Ok(match format {
                Format::Base64 => base64_encode(text.as_bytes()),
                Format::Uri => query(text),
                _ => shell(text),
            })
        }
    }
}

/// A compiled pattern, and what each four bytes cost that it is run over.
fn regex(engine: &Engine, pattern: &str) -> R<(Regex, usize)> {
    let cost = go_compat::regexp::cost(pattern);
    engine.arena.take(cost.saturating_mul(10))?;
    // RE2's classes are ASCII; `\d` and similar classes here match more, which shows only with other scripts.
    let built = RegexBuilder::new(pattern).size_limit(2 << 20).build();
    built.map(|regex| (regex, cost)).map_err(|error| match error {
        regex::Error::CompiledTooBig(_) => QueryError::Unsupported("a regular expression of this size".to_owned()),
        _ => QueryError::Bad(format!("error parsing regexp: {pattern}")),
    })
}

fn substitute(engine: &mut Engine, ctx: &Ctx, block: Option<&Rc<Expr>>) -> R<Ctx> {
    let block = match block {
        Some(block) if block.lhs.is_some() => block,
        _ => return bad("sub must be given a pattern and a replacement"),
    };
    let text = |this: &Engine, c: Ctx| c.first().map_or_else(|| "".into(), |id| this.arena.get(id).text.clone());
    let pattern = engine.eval(&ctx.read_only(), block.lhs.as_ref())?;
    let pattern: Rc<str> = text(engine, pattern);
    let replacement = engine.eval(ctx, block.rhs.as_ref())?;
    let replacement: Rc<str> = text(engine, replacement);
    let (regex, cost) = regex(engine, &pattern)?;
    engine.each(ctx, |this, id, out| {
        must_be_text(this, id, "substitute with", "can only substitute strings")?;
        let text = this.arena.text(id);
        this.arena.take(cost.saturating_mul(text.len() / 4))?;
        if replacement.len().saturating_mul(text.len() + 1) > MAX_TEXT {
            return too_much();
        }
        let new = regex.replace_all(text, &*replacement).into_owned();
        out.push(this.arena.replacement(id, Kind::Scalar, "!!str", &new)?);
        Ok(())
    })
}

fn matching(engine: &mut Engine, ctx: &Ctx, e: &Rc<Expr>) -> R<Ctx> {
    let (pattern, global) = match e.rhs.as_ref() {
        Some(block) if matches!(block.op, Op::Block) => {
            let flags = engine.eval(ctx, block.rhs.as_ref())?.first();
            let flags = flags.map_or_else(|| "".into(), |id| engine.arena.get(id).text.clone());
            if flags.chars().any(|c| c != 'g') {
                return bad(format!("unrecognised match params '{flags}'"));
            }
            (block.lhs.as_ref(), !flags.is_empty())
        }
        other => (other, false),
    };
    let pattern = engine.eval(&ctx.read_only(), pattern)?.first();
    let pattern = pattern.map_or_else(|| "".into(), |id| engine.arena.get(id).text.clone());
    let (regex, cost) = regex(engine, &pattern)?;
    engine.each(ctx, |this, id, out| {
        must_be_text(this, id, "match with", "can only match strings")?;
        let text = this.arena.get(id).text.clone();
        this.arena.take(cost.saturating_mul(text.len() / 4))?;
        if matches!(e.op, Op::Test) {
            out.push(this.boolean(Some(id), regex.is_match(&text))?);
            return Ok(());
        }
        for captures in regex.captures_iter(&text).take(if global { usize::MAX } else { 1 }) {
            this.tick()?;
            let map = this.arena.replacement(id, Kind::Map, "!!map", "")?;
            match e.op {
                Op::Capture => captured(this, map, &regex, &captures)?,
                _ => matched(this, map, &regex, &captures)?,
            }
            out.push(map);
        }
        Ok(())
    })
}

fn put(engine: &mut Engine, map: Id, key: &str, tag: &str, text: &str) -> R<()> {
    let key = engine.arena.scalar("!!str", key)?;
    let value = engine.arena.scalar(tag, text)?;
    engine.arena.add_pair(map, key, value)?;
    Ok(())
}

fn captured(engine: &mut Engine, map: Id, regex: &Regex, captures: &Captures<'_>) -> R<()> {
    for (i, name) in regex.capture_names().enumerate().skip(1) {
        match captures.get(i) {
            Some(m) => put(engine, map, name.unwrap_or(""), "!!str", m.as_str())?,
            None => put(engine, map, name.unwrap_or(""), "!!null", "null")?,
        }
    }
    Ok(())
}

fn describe(engine: &mut Engine, map: Id, found: Option<regex::Match<'_>>, name: Option<&str>) -> R<()> {
    match found {
        Some(m) => put(engine, map, "string", "!!str", m.as_str())?,
        None => put(engine, map, "string", "!!null", "null")?,
    }
    let offset = found.map_or_else(|| "-1".to_owned(), |m| m.start().to_string());
    put(engine, map, "offset", "!!int", &offset)?;
    put(engine, map, "length", "!!int", &found.map_or(0, |m| m.len()).to_string())?;
    match name {
        Some(name) => put(engine, map, "name", "!!str", name),
        None => Ok(()),
    }
}

fn matched(engine: &mut Engine, map: Id, regex: &Regex, captures: &Captures<'_>) -> R<()> {
    describe(engine, map, captures.get(0), None)?;
    let list = engine.arena.make(Kind::List, "", "")?;
    for (i, name) in regex.capture_names().enumerate().skip(1) {
        let entry = engine.arena.make(Kind::Map, "", "")?;
        describe(engine, entry, captures.get(i), name)?;
        engine.arena.add(list, entry)?;
    }
    let key = engine.arena.scalar("!!str", "captures")?;
    engine.arena.add_pair(map, key, list)?;
    Ok(())
}

fn single(c: char, mut mapped: impl Iterator<Item = char>) -> char {
    match (mapped.next(), mapped.next()) {
        (Some(one), None) => one,
        _ => c,
    }
}

/// Unsafe runs go into single quotes; a quote itself is escaped outside of them.
fn shell(text: &str) -> String {
    let mut out = String::new();
    let mut quoted = false;
    for c in text.chars() {
        let safe = c.is_ascii_alphanumeric() || "_@%+=:,./-".contains(c);
        if c == '\'' {
            if std::mem::take(&mut quoted) {
                out.push('\'');
            }
            out.push('\\');
        } else if !safe && !quoted {
            out.push('\'');
            quoted = true;
        }
        out.push(c);
    }
    if quoted {
        out.push('\'');
    }
    out
}
