//! Functions on lists, and on lists or text.

use super::strings::made;
use super::{Done, Error, number, text};
use crate::dialects::garden::template::evaluation::evaluator::Evaluator;
use crate::dialects::garden::template::node::convert::list_item_text;
use crate::dialects::garden::template::node::{Data, Node};
use crate::dialects::garden::template::syntax::number::number_text;

pub(super) fn concat(evaluator: &Evaluator, arguments: &[Node]) -> Done {
    let [a, b] = arguments else { return Ok(Node::default()) };
    match (&a.data, &b.data) {
        (Data::Text(a), Data::Text(b)) => made(evaluator, format!("{a}{b}")),
        (Data::List(a), Data::List(b)) => {
            evaluator.spend((a.len() + b.len()) as u64)?;
            Ok(Node::list(a.iter().chain(b.iter()).cloned().collect()))
        }
        _ => Err(Error::Message(format!(
            "Error: Both terms need to be either arrays or strings (got {} and {}).",
            a.type_of(),
            b.type_of()
        ))),
    }
}

pub(super) fn is_empty(_: &Evaluator, arguments: &[Node]) -> Done {
    Ok(Node::bool(match arguments.first().map(|a| &a.data) {
        Some(Data::List(items)) => items.is_empty(),
        Some(Data::Map(map)) => map.is_empty(),
        Some(Data::Text(text)) => text.is_empty(),
        _ => true,
    }))
}

pub(super) fn join(evaluator: &Evaluator, arguments: &[Node]) -> Done {
    let Some(items) = arguments.first().and_then(Node::as_list) else { return Ok(Node::default()) };
    let (separator, mut out) = (text(arguments, 1), String::new());
    for (i, item) in items.iter().enumerate() {
        if i > 0 {
            out.push_str(separator);
        }
        out.push_str(&list_item_text(item));
        evaluator.spend_text(out.len().saturating_sub(i))?;
    }
    made(evaluator, out)
}

/// From the first number up to the last one, or down to behind it.
pub(super) fn range(evaluator: &Evaluator, arguments: &[Node]) -> Done {
    let (first, end) = (number(arguments, 0), number(arguments, 1) + 1.0);
    let step = if first < end { 1.0 } else { -1.0 };
    let count = ((end - first) / step).ceil().max(0.0);
    evaluator.spend(count as u64)?;
    let items = (0..count as u64).map(|i| Node::new(Data::Number(first + step * i as f64)));
    Ok(Node::list(items.collect()))
}

pub(super) fn split(evaluator: &Evaluator, arguments: &[Node]) -> Done {
    let parts: Vec<Node> = text(arguments, 0).split(text(arguments, 1)).map(Node::text).collect();
    evaluator.spend(parts.len() as u64)?;
    Ok(Node::list(parts))
}

pub(super) fn slice(evaluator: &Evaluator, arguments: &[Node]) -> Done {
    let start = index(arguments.get(1), "start")?.unwrap_or(0.0);
    let end = match arguments.get(2) {
        Some(node) if node.is_truthy() => index(Some(node), "end")?,
        _ => None,
    };
    match arguments.first().map(|a| &a.data) {
        Some(Data::List(items)) => {
            let (start, end) = bounds(items.len(), start, end);
            Ok(Node::list(items[start..end].to_vec()))
        }
        Some(Data::Text(text)) => {
            let units: Vec<u16> = text.encode_utf16().collect();
            let (start, end) = bounds(units.len(), start, end);
            made(evaluator, String::from_utf16_lossy(&units[start..end]))
        }
        _ => Ok(Node::default()),
    }
}

/// A number, or the number that a text begins with.
fn index(node: Option<&Node>, name: &str) -> Result<Option<f64>, Error> {
    match node.map(|n| &n.data) {
        Some(Data::Number(n)) => Ok(Some(*n)),
        Some(Data::Text(text)) => {
            let trimmed = text.trim_start();
            let signs = trimmed.bytes().take(1).take_while(|b| matches!(b, b'+' | b'-')).count();
            let digits = trimmed[signs..].bytes().take_while(u8::is_ascii_digit).count();
            match trimmed[..signs + digits].parse::<f64>() {
                Ok(n) if digits > 0 => Ok(Some(n)),
                _ => Err(Error::Message(format!(
                    "Error: {name} index must be a number or a numeric string (got \"{text}\")"
                ))),
            }
        }
        Some(Data::Undefined) | None => Ok(None),
        _ => Err(Error::Message(format!(
            "Error: {name} index must be a number or a numeric string (got \"{}\")",
            node.map(list_item_text).unwrap_or_else(|| number_text(f64::NAN))
        ))),
    }
}

/// The range that `slice` takes of so many items: negative numbers count from the end.
fn bounds(len: usize, start: f64, end: Option<f64>) -> (usize, usize) {
    let place = |n: f64| {
        let n = n.trunc();
        if n < 0.0 { (len as f64 + n).max(0.0) as usize } else { n.min(len as f64) as usize }
    };
    let (start, end) = (place(start), end.map_or(len, place));
    (start, end.max(start))
}
