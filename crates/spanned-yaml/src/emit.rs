//! Writing YAML byte for byte as go-yaml v3 does with an indent of two.

use go_compat::strconv::yaml_float;
use std::ops::Range;

use super::style::{self, Choice};
use super::timestamp::Timestamp;

const INDENT: i32 = 2;

/// An event-style writer of one document.
///
/// Inside a map every value follows its [`Emitter::key`]; inside a list values follow each other. Maps are written in
/// the order of the calls: callers sort with [`super::sort_keys`]. Every value method returns the position of the
/// scalar in the output.
#[derive(Debug)]
pub struct Emitter {
    out: String,
    frames: Vec<Frame>,
    indent: i32,
    column: i32,
    /// The last thing written was white space (or nothing yet).
    whitespace: bool,
    /// The current line contains only white space and block indicators.
    indention: bool,
    quote_apostrophes: bool,
}

#[derive(Debug)]
struct Frame {
    outer_indent: i32,
    sequence: bool,
    /// Nothing was written for this collection yet.
    untouched: bool,
}

impl Default for Emitter {
    fn default() -> Self {
        Self::new()
    }
}

impl Emitter {
    /// A writer with nothing written.
    pub fn new() -> Self {
        Self {
            out: String::new(),
            frames: Vec::new(),
            indent: -1,
            column: 0,
            whitespace: true,
            indention: true,
            quote_apostrophes: false,
        }
    }

    /// Writes text for a template pass whose delimiters contain an apostrophe: strings with an
    /// apostrophe go into double quotes, and the detour over a node tree costs block strings their leading newline
    /// before they are written.
    pub fn quoting_apostrophes(mut self) -> Self {
        self.quote_apostrophes = true;
        self
    }

    /// Begins a map of `len` entries; only whether it is empty matters (`{}`).
    pub fn map_start(&mut self, len: usize) {
        self.start(len, false);
    }

    /// Ends the innermost map.
    pub fn map_end(&mut self) {
        self.end();
    }

    /// Begins a list of `len` items; only whether it is empty matters (`[]`).
    pub fn seq_start(&mut self, len: usize) {
        self.start(len, true);
    }

    /// Ends the innermost list.
    pub fn seq_end(&mut self) {
        self.end();
    }

    /// Writes a key of the innermost map, and the colon.
    pub fn key(&mut self, key: &str) -> Range<usize> {
        self.touch();
        self.write_indent();
        if style::is_simple_key(self.reread(key).0) {
            let range = self.write_string(key, true);
            self.indicator(":", false, false);
            return range;
        }
        self.indicator("?", true, true);
        // A block style that begins with a tab cannot be read as a key.
        let range = self.write_string(key, key.contains('\t'));
        self.write_indent();
        self.indicator(":", true, true);
        range
    }

    /// Writes a string in the style the reference picks for it.
    pub fn str(&mut self, text: &str) -> Range<usize> {
        self.begin();
        self.write_string(text, false)
    }

    /// Writes an integer.
    pub fn int(&mut self, value: i64) -> Range<usize> {
        self.plain(&value.to_string())
    }

    /// Writes an unsigned integer.
    pub fn uint(&mut self, value: u64) -> Range<usize> {
        self.plain(&value.to_string())
    }

    /// Writes a float as Go's `%g` does, with `.inf`, `-.inf` and `.nan`.
    pub fn float(&mut self, value: f64) -> Range<usize> {
        self.plain(&yaml_float(value))
    }

    /// Writes `true` or `false`.
    pub fn bool(&mut self, value: bool) -> Range<usize> {
        self.plain(if value { "true" } else { "false" })
    }

    /// Writes `null`.
    pub fn null(&mut self) -> Range<usize> {
        self.plain("null")
    }

    /// Writes a point in time in RFC 3339 form.
    pub fn time(&mut self, value: &Timestamp) -> Range<usize> {
        self.plain(&value.rfc3339())
    }

    /// The finished document.
    pub fn finish(mut self) -> String {
        self.indent = -1;
        self.write_indent();
        self.out
    }

    fn start(&mut self, len: usize, sequence: bool) {
        self.begin();
        let outer_indent = self.indent;
        self.indent = self.deeper(false);
        self.frames.push(Frame { outer_indent, sequence, untouched: true });
        if len == 0 {
            self.touch();
            self.indicator(if sequence { "[]" } else { "{}" }, true, false);
        }
    }

    fn end(&mut self) {
        let Some(frame) = self.frames.pop() else { return };
        if frame.untouched {
            self.indicator(if frame.sequence { "[]" } else { "{}" }, true, false);
        }
        self.indent = frame.outer_indent;
    }

    fn touch(&mut self) {
        if let Some(frame) = self.frames.last_mut() {
            frame.untouched = false;
        }
    }

    /// Writes the prefix of a node: a dash in a list, nothing elsewhere.
    fn begin(&mut self) {
        self.touch();
        if self.in_sequence() {
            self.write_indent();
            self.indicator("-", true, true);
        }
    }

    fn in_sequence(&self) -> bool {
        self.frames.last().is_some_and(|frame| frame.sequence)
    }

    /// The indent inside a node of the current collection.
    fn deeper(&self, scalar: bool) -> i32 {
        match self.indent {
            ..0 if scalar => INDENT,
            ..0 => 0,
            // A dash and its blank are the indent.
            indent if self.in_sequence() => indent + 2,
            indent => (indent + INDENT) / INDENT * INDENT,
        }
    }

    fn plain(&mut self, text: &str) -> Range<usize> {
        self.begin();
        self.indicator(text, true, false);
        self.out.len() - text.len()..self.out.len()
    }

    fn write_string(&mut self, text: &str, simple_key: bool) -> Range<usize> {
        let (text, block) = self.reread(text);
        let choice = match block {
            _ if self.quote_apostrophes && text.contains('\'') => Choice::Double,
            // Block style needs content, and a separate line.
            true if simple_key || text.is_empty() => Choice::Double,
            true => Choice::Literal,
            false => style::choose(text, simple_key),
        };
        let outer = self.indent;
        self.indent = self.deeper(true);
        let start = self.out.len() + usize::from(!self.whitespace);
        match choice {
            Choice::Plain if self.quote_apostrophes && text == "<<" => self.indicator("!!merge <<", true, false),
            Choice::Plain => self.indicator(text, true, false),
            Choice::Single => self.write_single(text),
            Choice::Literal => self.write_literal(text),
            Choice::Double => {
                self.indicator("\"", true, false);
                style::push_escaped(&mut self.out, text);
                self.indicator("\"", false, false);
            }
        }
        self.indent = outer;
        start..self.out.len()
    }

    /// The text as the detour over a node tree leaves it, and whether it keeps its block style from there.
    fn reread<'t>(&self, text: &'t str) -> (&'t str, bool) {
        match self.quote_apostrophes && style::choose(text, false) == Choice::Literal {
            true => (text.strip_prefix('\n').unwrap_or(text), true),
            false => (text, false),
        }
    }

    fn write_single(&mut self, text: &str) {
        self.indicator("'", true, false);
        let mut after_break = false;
        for char in text.chars() {
            if style::is_break(char) {
                self.out.push(char);
                (self.column, self.indention, after_break) = (0, true, true);
                continue;
            }
            if std::mem::take(&mut after_break) {
                self.write_indent();
            }
            if char == '\'' {
                self.out.push('\'');
            }
            self.put(char);
        }
        self.indicator("'", false, false);
    }

    fn write_literal(&mut self, text: &str) {
        self.indicator("|", true, false);
        if text.starts_with(|first| first == ' ' || style::is_break(first)) {
            self.indicator("2", false, false);
        }
        let mut last = text.chars().rev();
        let ends = (last.next().is_some_and(style::is_break), last.next().is_none_or(style::is_break));
        match ends {
            (false, _) => self.indicator("-", false, false),
            (true, true) => self.indicator("+", false, false),
            (true, false) => {}
        }
        self.whitespace = true;
        let mut after_break = true;
        for char in text.chars() {
            if char == '\n' {
                self.put_break();
                after_break = true;
            } else if style::is_break(char) {
                self.out.push(char);
                (self.column, self.indention, after_break) = (0, true, true);
            } else {
                if std::mem::take(&mut after_break) {
                    self.write_indent();
                }
                self.put(char);
            }
        }
    }

    fn put(&mut self, char: char) {
        self.out.push(char);
        self.column += 1;
        self.indention = false;
    }

    fn put_break(&mut self) {
        self.out.push('\n');
        self.column = 0;
        self.indention = true;
    }

    fn write_indent(&mut self) {
        let indent = self.indent.max(0);
        if !self.indention || self.column > indent || (self.column == indent && !self.whitespace) {
            self.put_break();
        }
        while self.column < indent {
            self.out.push(' ');
            self.column += 1;
        }
        self.whitespace = true;
    }

    /// Writes `text`, after a blank if one is `needed`; a `block` indicator keeps the line open for more of them.
    fn indicator(&mut self, text: &str, needed: bool, block: bool) {
        if needed && !self.whitespace {
            self.out.push(' ');
            self.column += 1;
        }
        self.out.push_str(text);
        // Compared with an indent only while the line contains nothing but indicators.
        self.column = self.column.saturating_add(text.len() as i32);
        self.whitespace = false;
        self.indention = self.indention && block;
    }
}

/// Formats one string as after `key: `, with continuation lines indented by `indent` (two more than the key's own
/// column, for a value of a map or an item of a list; an even number from 2). Block strings that end in a newline end
/// with it here; all other forms do not.
pub fn scalar_text(text: &str, indent: usize) -> String {
    let mut emitter = Emitter::new();
    // The indent of a value is the next multiple of two above that of its map.
    emitter.indent = i32::try_from(indent).unwrap_or(i32::MAX - INDENT) - INDENT;
    emitter.indention = false;
    emitter.column = i32::MAX / 2;
    emitter.write_string(text, false);
    emitter.out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings() {
        for (text, expected) in [
            ("", "\"\""),
            ("a", "a"),
            ("a b", "a b"),
            (" a", "' a'"),
            ("a: b", "'a: b'"),
            ("a:b", "a:b"),
            ("a #b", "'a #b'"),
            ("a#b", "a#b"),
            ("it's", "it's"),
            ("'x'", "'''x'''"),
            ("{{ .x }}", "'{{ .x }}'"),
            ("x {{ .y }}", "x {{ .y }}"),
            ("yes", "\"yes\""),
            ("null", "\"null\""),
            ("1_000", "\"1_000\""),
            ("1:30", "\"1:30\""),
            ("2024-01-01", "\"2024-01-01\""),
            ("<<", "<<"),
            ("- a", "'- a'"),
            ("-a", "-a"),
            ("---x", "'---x'"),
            ("!env X", "'!env X'"),
            ("a\tb", "\"a\\tb\""),
            ("é", "é"),
            ("🚀", "\"\\U0001F680\""),
            ("\u{feff}a", "\"\\uFEFF\\x61\""),
            ("a\nb", "|-\n  a\n  b"),
            ("a\nb\n", "|\n  a\n  b\n"),
            ("a\n\n", "|+\n  a\n\n"),
            ("\nx", "|2-\n  x"),
            ("\n", "|2+\n"),
            ("a \nb", "\"a \\nb\""),
            ("a\u{2028}b", "'a\u{2028}  b'"),
        ] {
            assert_eq!(scalar_text(text, 2), expected, "{text:?}");
        }
        assert_eq!(scalar_text("a\nb", 6), "|-\n      a\n      b");
    }

    #[test]
    fn nesting() {
        let mut emitter = Emitter::new();
        emitter.map_start(4);
        emitter.key("a");
        emitter.seq_start(3);
        emitter.seq_start(2);
        emitter.int(1);
        emitter.str("x\ny");
        emitter.seq_end();
        emitter.map_start(2);
        emitter.key("b");
        emitter.null();
        emitter.key("c");
        emitter.map_start(0);
        emitter.map_end();
        emitter.map_end();
        emitter.seq_start(0);
        emitter.seq_end();
        emitter.seq_end();
        emitter.key("line\nbreak");
        let range = emitter.str("v w");
        assert_eq!(&emitter.out.as_str()[range], "v w");
        emitter.key("num");
        emitter.map_start(1);
        emitter.key("1");
        let range = emitter.float(1e6);
        assert_eq!(&emitter.out.as_str()[range], "1e+06");
        emitter.map_end();
        emitter.map_end();
        let expected = "a:\n  - - 1\n    - |-\n      x\n      y\n  - b: null\n    c: {}\n  - []\n? |-\n  line\n  break\n: v w\n\
                        num:\n  \"1\": 1e+06\n";
        assert_eq!(emitter.finish(), expected);
    }

    #[test]
    fn apostrophes_in_double_quotes() {
        let mut emitter = Emitter::new().quoting_apostrophes();
        emitter.map_start(3);
        emitter.key("it's");
        emitter.str("!x 'y'");
        emitter.key("\nk");
        emitter.str("\nx");
        emitter.key("<<");
        emitter.str("[a]");
        emitter.map_end();
        assert_eq!(emitter.finish(), "\"it's\": \"!x 'y'\"\n\"k\": |-\n  x\n!!merge <<: '[a]'\n");
    }

    #[test]
    fn floats() {
        for (value, text) in [
            (1.0, "1"),
            (0.5, "0.5"),
            (123456.0, "123456"),
            (1234567.0, "1.234567e+06"),
            (1e-4, "0.0001"),
            (1e-5, "1e-05"),
            (1e100, "1e+100"),
            (-0.0, "-0"),
            (f64::NEG_INFINITY, "-.inf"),
        ] {
            assert_eq!(yaml_float(value), text);
        }
    }
}
