//! Functions on texts. Positions are those of characters.

use super::outcome::{Failure, Steps, wrong};
use super::patterns::{self, Patterns};
use super::value::Val;
use std::rc::Rc;

/// The maximum number of bytes of a text that is made.
const MAX_TEXT: usize = 1 << 20;

/// Texts one after the other.
pub(super) fn join<'a>(texts: &[&Val<'a>], between: &str, steps: &mut Steps) -> Result<Val<'a>, Failure> {
    let mut all = String::new();
    for (i, text) in texts.iter().enumerate() {
        let text = text.as_str().ok_or_else(|| wrong("join", text))?;
        if i > 0 {
            all.push_str(between);
        }
        all.push_str(text);
        limited(all.len(), steps, between.len() + text.len())?;
    }
    Ok(Val::Str(all.into()))
}

fn limited(length: usize, steps: &mut Steps, more: usize) -> Result<(), Failure> {
    steps.take(1)?;
    steps.take_bytes(more)?;
    if length > MAX_TEXT { Err(Failure::Exceeded) } else { Ok(()) }
}

/// A value as another type.
pub(super) fn convert<'a>(name: &str, value: &Val<'a>, steps: &mut Steps) -> Result<Val<'a>, Failure> {
    let text = value.as_str();
    steps.take_bytes(text.map_or(0, str::len))?;
    let converted = match (name, value) {
        ("string", Val::Text(_) | Val::Str(_)) => Some(value.clone()),
        ("string", Val::Bool(b)) => Some(Val::Str(b.to_string().into())),
        ("string", Val::Int(i)) => Some(Val::Str(i.to_string().into())),
        ("string", Val::Uint(u)) => Some(Val::Str(u.to_string().into())),
        ("string", Val::Double(d)) => Some(Val::Str(d.to_string().into())),
        ("bool", Val::Bool(b)) => Some(Val::Bool(*b)),
        ("bool", _) => text.and_then(|t| t.parse().ok()).map(Val::Bool),
        ("int", Val::Int(i)) => Some(Val::Int(*i)),
        ("int", Val::Uint(u)) => i64::try_from(*u).ok().map(Val::Int),
        ("int", Val::Double(d)) if d.abs() < 9.2e18 => Some(Val::Int(*d as i64)),
        ("int", _) => text.and_then(|t| t.parse().ok()).map(Val::Int),
        ("uint", Val::Uint(u)) => Some(Val::Uint(*u)),
        ("uint", Val::Int(i)) => u64::try_from(*i).ok().map(Val::Uint),
        ("uint", Val::Double(d)) if (0.0..1.8e19).contains(d) => Some(Val::Uint(*d as u64)),
        ("uint", _) => text.and_then(|t| t.parse().ok()).map(Val::Uint),
        (_, _) => value.number().or_else(|| text?.parse().ok()).map(Val::Double),
    };
    converted.ok_or_else(|| wrong(name, value))
}

/// Functions of a text.
pub(super) fn call<'a>(
    name: &str,
    args: &[Val<'a>],
    steps: &mut Steps,
    patterns: Option<&Patterns>,
) -> Result<Val<'a>, Failure> {
    let Some(own) = args.first() else { return Err(Failure::Wrong(format!("`{name}` takes an argument"))) };
    let text = own.as_str().ok_or_else(|| wrong(name, own))?;
    let part = |i: usize| args.get(i).and_then(Val::as_str);
    let position = |i: usize| match args.get(i) {
        Some(Val::Int(i)) => usize::try_from(*i).ok(),
        Some(Val::Uint(u)) => usize::try_from(*u).ok(),
        _ => None,
    };
    steps.take(1)?;
    steps.take_bytes(text.len() + part(1).map_or(0, str::len))?;
    let made = |text: String| Val::Str(text.into());
    let value = match (name, part(1)) {
        ("contains", Some(other)) => Val::Bool(text.contains(other)),
        ("startsWith", Some(other)) => Val::Bool(text.starts_with(other)),
        ("endsWith", Some(other)) => Val::Bool(text.ends_with(other)),
        ("matches", Some(pattern)) => Val::Bool(patterns::is_match(text, pattern, steps, patterns)?),
        ("lowerAscii", _) => made(text.to_ascii_lowercase()),
        ("upperAscii", _) => made(text.to_ascii_uppercase()),
        ("trim", _) => made(text.trim().to_owned()),
        ("split", Some(between)) => {
            let parts: Vec<Val<'a>> = text.split(between).map(|part| Val::Str(part.into())).collect();
            steps.take(parts.len() as u64)?;
            Val::List(Rc::new(parts))
        }
        ("replace", Some(from)) => {
            let to = part(2).ok_or_else(|| wrong(name, own))?;
            let count = if from.is_empty() { text.len() + 1 } else { text.matches(from).count() };
            limited(text.len() + count.saturating_mul(to.len()), steps, count.saturating_mul(to.len()))?;
            made(text.replace(from, to))
        }
        ("indexOf", Some(other)) => found(text, text.find(other)),
        ("lastIndexOf", Some(other)) => found(text, text.rfind(other)),
        ("charAt", _) => made(position(1).and_then(|i| text.chars().nth(i)).map(String::from).unwrap_or_default()),
        ("substring", _) => {
            let start = position(1).ok_or_else(|| wrong(name, own))?;
            let end = if args.len() > 2 { position(2).ok_or_else(|| wrong(name, own))? } else { usize::MAX };
            made(text.chars().take(end).skip(start).collect())
        }
        _ => return Err(wrong(name, args.last().unwrap_or(own))),
    };
    Ok(value)
}

fn found<'a>(text: &str, at: Option<usize>) -> Val<'a> {
    Val::Int(at.map_or(-1, |at| text[..at].chars().count() as i64))
}
