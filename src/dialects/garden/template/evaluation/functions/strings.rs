//! Functions on text.

use super::words::words;
use super::{Done, Error, number, text};
use crate::dialects::garden::template::evaluation::evaluator::Evaluator;
use crate::dialects::garden::template::node::Node;
use crate::dialects::garden::template::node::convert::to_text;

/// Text as a value, if it is not too long.
pub(super) fn made(evaluator: &Evaluator, text: String) -> Done {
    evaluator.spend_text(text.len())?;
    Ok(Node::text(text))
}

fn capitalized(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

pub(super) fn camel_case(evaluator: &Evaluator, arguments: &[Node]) -> Done {
    let mut out = String::new();
    for (i, word) in words(text(arguments, 0)).iter().enumerate() {
        let word = word.to_lowercase();
        out.push_str(&if i == 0 { word } else { capitalized(&word) });
    }
    made(evaluator, out)
}

pub(super) fn kebab_case(evaluator: &Evaluator, arguments: &[Node]) -> Done {
    let words: Vec<String> = words(text(arguments, 0)).iter().map(|w| w.to_lowercase()).collect();
    made(evaluator, words.join("-"))
}

pub(super) fn lower(evaluator: &Evaluator, arguments: &[Node]) -> Done {
    made(evaluator, text(arguments, 0).to_lowercase())
}

pub(super) fn upper(evaluator: &Evaluator, arguments: &[Node]) -> Done {
    made(evaluator, text(arguments, 0).to_uppercase())
}

pub(super) fn string(evaluator: &Evaluator, arguments: &[Node]) -> Done {
    made(evaluator, arguments.first().map(to_text).unwrap_or_default())
}

/// Blank lines stay as they are.
pub(super) fn indent(evaluator: &Evaluator, arguments: &[Node]) -> Done {
    let (text, spaces) = (text(arguments, 0), number(arguments, 1));
    if spaces < 0.0 {
        let message = format!("RangeError: Expected `count` to be at least 0, got `{spaces}`");
        return Err(Error::Message(message));
    }
    let spaces = spaces as usize;
    evaluator.spend_text(spaces.saturating_mul(text.lines().count()).saturating_add(text.len()))?;
    let blank = " ".repeat(spaces);
    let line = |line: &str| if line.trim().is_empty() { line.to_owned() } else { format!("{blank}{line}") };
    made(evaluator, text.split('\n').map(line).collect::<Vec<_>>().join("\n"))
}

/// In the replacement, `$&` is the match, `` $` `` and `$'` the text before and after it, `$$` a dollar sign.
pub(super) fn replace(evaluator: &Evaluator, arguments: &[Node]) -> Done {
    let (text, substring, replacement) = (text(arguments, 0), text(arguments, 1), text(arguments, 2));
    let mut out = String::new();
    let mut from = 0;
    for (at, _) in text.match_indices(substring) {
        out.push_str(&text[from..at]);
        from = at + substring.len();
        let mut rest = replacement;
        while let Some(dollar) = rest.find('$') {
            out.push_str(&rest[..dollar]);
            let (special, width) = match rest[dollar + 1..].chars().next() {
                Some('$') => ("$", 2),
                Some('&') => (substring, 2),
                Some('`') => (&text[..at], 2),
                Some('\'') => (&text[from..], 2),
                _ => ("$", 1),
            };
            out.push_str(special);
            rest = &rest[dollar + width..];
        }
        out.push_str(rest);
        evaluator.spend_text(out.len())?;
        evaluator.spend(1)?;
    }
    out.push_str(&text[from..]);
    made(evaluator, out)
}

pub(super) fn trim(evaluator: &Evaluator, arguments: &[Node]) -> Done {
    let (whole, characters) = (text(arguments, 0), text(arguments, 1));
    let trimmed = match characters {
        "" => whole.trim(),
        characters => whole.trim_matches(|c| characters.contains(c)),
    };
    made(evaluator, trimmed.to_owned())
}
