//! Values as people read them: in one line, or as a block.

use super::style::{self, escape};
use crate::diff::inline::{self, MAX_DEPTH, scalar};
pub(crate) use crate::diff::inline::{has_token, is_hidden, key, quote};
use crate::diff::mask;
use crate::files::Files;
use crate::report::RenderOptions;
use crate::value::{Data, Value};
use std::borrow::Cow;

/// One line of a block, without colors.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    /// The text with its indentation.
    pub text: String,
    /// Where the value was written, as `file:line`.
    pub place: Option<String>,
    /// Whether it shows a value that another one replaced.
    pub is_past: bool,
}

impl Line {
    fn new(text: String) -> Self {
        Line { text, place: None, is_past: false }
    }
}

/// The maximum number of values that are shown of those that one value replaced.
const MAX_PAST: usize = 10;

/// The value in one line.
pub(crate) fn inline(value: &Value, secret: bool, options: &RenderOptions) -> String {
    inline::inline(value, secret, options.show_secrets)
}

/// The value as YAML over several lines; with `files`, each line with the place where its value was written.
pub(crate) fn block(value: &Value, secret: bool, options: &RenderOptions, files: Option<&Files>) -> Vec<Line> {
    write(value, secret, Writer { lines: Vec::new(), options, files, first: "", history: false })
}

/// The configuration of a component as [`block`] has it, the section `first` before the others; with `history`, below each value
/// the values that it replaced.
pub(crate) fn component(
    value: &Value,
    first: &str,
    history: bool,
    options: &RenderOptions,
    files: &Files,
) -> Vec<Line> {
    write(value, false, Writer { lines: Vec::new(), options, files: Some(files), first, history })
}

fn write(value: &Value, secret: bool, mut writer: Writer<'_>) -> Vec<Line> {
    match &value.data {
        _ if value.is_sensitive() => writer.entry("", value, secret, 0),
        Data::Map(map) if !map.is_empty() => writer.children(value, secret, 0),
        Data::List(items) if !items.is_empty() => writer.children(value, secret, 0),
        _ => writer.entry("", value, secret, 0),
    }
    writer.lines
}

struct Writer<'a> {
    lines: Vec<Line>,
    options: &'a RenderOptions,
    files: Option<&'a Files>,
    /// The key of the outermost map that comes first.
    first: &'a str,
    history: bool,
}

impl Writer<'_> {
    fn children(&mut self, value: &Value, secret: bool, depth: usize) {
        match &value.data {
            Data::Map(map) => {
                let is_first = |key: &str| depth == 0 && key == self.first;
                let (first, others): (Vec<_>, Vec<_>) = map.iter().partition(|entry| is_first(&entry.key));
                for entry in first.into_iter().chain(others) {
                    let below = mask::is_secret_in(map, secret, &entry.key);
                    self.entry(&format!("{}:", key(&entry.key)), &entry.value, below, depth);
                }
            }
            Data::List(items) => {
                for item in items.iter() {
                    self.item(item, secret, depth);
                }
            }
            _ => {}
        }
    }

    /// Writes a list item; the first line of a map follows the dash.
    fn item(&mut self, item: &Value, secret: bool, depth: usize) {
        let first = self.lines.len();
        match &item.data {
            Data::Map(map) if !map.is_empty() && depth < MAX_DEPTH && !item.is_sensitive() => {
                self.children(item, secret, depth + 1);
                let at = depth * 2;
                if let Some(line) = self.lines.get_mut(first) {
                    line.text.replace_range(at..at + 1, "-");
                }
            }
            _ => self.entry("-", item, secret, depth),
        }
    }

    fn entry(&mut self, label: &str, value: &Value, secret: bool, depth: usize) {
        let indent = "  ".repeat(depth);
        let space = if label.is_empty() { "" } else { " " };
        let masked = !self.options.show_secrets && is_hidden(value, secret);
        let mut push = |text: String| {
            let place = self.files.and_then(|files| place(value, files));
            self.lines.push(Line { place, ..Line::new(text) });
        };
        match &value.data {
            _ if masked => push(format!("{indent}{label}{space}{}", mask::MASK)),
            Data::Map(m) if !m.is_empty() && depth < MAX_DEPTH => {
                self.lines.push(Line::new(format!("{indent}{label}")));
                self.children(value, secret, depth + 1);
            }
            Data::List(l) if !l.is_empty() && depth < MAX_DEPTH => {
                self.lines.push(Line::new(format!("{indent}{label}")));
                self.children(value, secret, depth + 1);
            }
            Data::Map(m) if m.is_empty() => push(format!("{indent}{label}{space}{{}}")),
            Data::List(l) if l.is_empty() => push(format!("{indent}{label}{space}[]")),
            Data::Str(s) if s.contains('\n') => {
                push(format!("{indent}{label}{space}|"));
                let text = if self.options.show_secrets { Cow::Borrowed(&**s) } else { inline::redacted(s) };
                for line in text.lines() {
                    self.lines.push(Line::new(format!("{indent}  {}", escape(line))));
                }
            }
            _ => push(format!("{indent}{label}{space}{}", scalar(value, secret, self.options.show_secrets))),
        }
        if self.history {
            self.past(value, secret, depth);
        }
    }

    /// The values that a value replaced, the last one first. Maps merge: their values have histories of their own.
    fn past(&mut self, value: &Value, secret: bool, depth: usize) {
        let Some(files) = self.files else { return };
        let chain = std::iter::successors(value.prov.overrode(), |older| older.prov.overrode());
        let is_merged = |older: &&Value| matches!((&value.data, &older.data), (Data::Map(_), Data::Map(_)));
        let mut replaced = chain.filter(|older| !is_merged(older));
        let indent = "  ".repeat(depth + 1);
        for older in replaced.by_ref().take(MAX_PAST) {
            let text = format!("{indent}# replaces {}", inline(older, secret, self.options));
            self.lines.push(Line { text, place: place(older, files), is_past: true });
        }
        let more = replaced.take(1_000).count();
        if more > 0 {
            let text = format!("{indent}# replaces {}", style::count(more, "older value"));
            self.lines.push(Line { is_past: true, ..Line::new(text) });
        }
    }
}

fn place(value: &Value, files: &Files) -> Option<String> {
    let origin = value.prov.origin?;
    let file = files.get(origin.file);
    Some(format!("{}:{}", style::escape(&file.path), file.line(origin.key)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Map;

    fn map(pairs: &[(&str, Value)]) -> Value {
        Value::map(pairs.iter().map(|(k, v)| ((*k).into(), v.clone())).collect::<Map>())
    }

    fn sample() -> Value {
        map(&[
            ("a b", Value::str("x\"y\\z\n\u{1b}")),
            (
                "list",
                Value::list(vec![map(&[("k", Value::new(Data::Int(1))), ("l", Value::default())]), Value::str("s")]),
            ),
            ("password", Value::str("hunter2")),
            ("token", Value::str("!store x")),
            ("empty", map(&[])),
            ("text", Value::str("one\ntwo")),
        ])
    }

    #[test]
    fn in_one_line() {
        assert_eq!(
            inline(&sample(), false, &RenderOptions::default()),
            "{\"a b\": \"x\\\"y\\\\z\\n\\u{1b}\", empty: {}, list: [{k: 1, l: null}, \"s\"], password: ••••••••, \
             text: \"one\\ntwo\", token: \"!store x\"}"
        );
    }

    #[test]
    fn as_a_block() {
        let lines = block(&sample(), false, &RenderOptions { show_secrets: true, ..RenderOptions::default() }, None);
        let text: Vec<_> = lines.iter().map(|l| l.text.as_str()).collect();
        assert_eq!(
            text,
            [
                "\"a b\": |",
                "  x\"y\\z",
                "  \\u{1b}",
                "empty: {}",
                "list:",
                "  - k: 1",
                "    l: null",
                "  - \"s\"",
                "password: \"hunter2\"",
                "text: |",
                "  one",
                "  two",
                "token: \"!store x\"",
            ]
        );
    }

    #[test]
    fn deep_values_are_cut() {
        let deep = (0..500).fold(Value::default(), |v, _| Value::list(vec![v]));
        assert!(inline(&deep, false, &RenderOptions::default()).contains('…'));
        assert!(block(&deep, false, &RenderOptions::default(), None).len() < 100);
    }
}
