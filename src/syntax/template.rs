//! Tokens of templates in other text (`{{ upper .name }}`, `${var.name}`), without parsing them. The text does not have
//! to be valid, because it is also scanned while it is being typed.

/// The syntax of the templates of a language.
#[derive(Debug)]
pub(crate) struct Notation {
    /// The opening delimiter.
    pub open: &'static str,
    /// The closing delimiter.
    pub close: &'static str,
    /// The keywords, sorted.
    pub keywords: &'static [&'static str],
    /// Whether a word without a leading dot is a function; otherwise only a word before a parenthesis is.
    pub words_are_functions: bool,
    /// Whether names may contain dashes.
    pub has_dashes: bool,
}

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum TokenKind {
    /// An opening or closing delimiter.
    Delimiter,
    Keyword,
    /// A variable, or the first name of a path.
    Variable,
    /// A name after a dot.
    Property,
    /// A function or a method.
    Function,
    /// The namespace of a method.
    Namespace,
    /// A string.
    Text,
    Number,
    /// An operator or a bracket.
    Operator,
    Comment,
}

/// A token of a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub kind: TokenKind,
    /// The start, in bytes.
    pub start: usize,
    /// The end, in bytes, exclusive.
    pub end: usize,
}

/// Returns the tokens of the templates in a text, in order. An unclosed template ends at the end of its line.
pub(crate) fn tokens(text: &str, notation: &Notation) -> Vec<Token> {
    let mut scan = Scan { text, notation, at: 0, end: text.len(), found: Vec::new() };
    let (mut close, mut line_end) = (0, 0);
    while let Some(open) = text[scan.at..].find(notation.open).map(|at| scan.at + at) {
        let inside = open + notation.open.len();
        if close < inside {
            close = text[inside..].find(notation.close).map_or(text.len() + 1, |at| inside + at);
        }
        if line_end < inside {
            line_end = text[inside..].find('\n').map_or(text.len(), |at| inside + at);
        }
        let is_closed = close <= text.len() && !text[inside..close].contains(notation.open);
        scan.end = if is_closed { text.len() } else { line_end };
        scan.action(open);
    }
    scan.found
}

/// The template around a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Inside<'t> {
    /// The text from the opening delimiter to the place.
    pub text: &'t str,
    /// The path before the place, without the word at the place: `vars` for `.vars.na`.
    pub names: Vec<&'t str>,
    /// Whether the path begins with a dot.
    pub is_rooted: bool,
    /// The content of the string around the place, up to the place.
    pub quoted: Option<&'t str>,
    /// The part of the word before the place.
    pub typed: &'t str,
}

/// The maximum distance from a place back to the start of its template, in bytes.
const MAX_BACK: usize = 64 << 10;

/// Returns the template around a byte offset of a text, or `None` if there is none.
pub(crate) fn inside<'t>(text: &'t str, offset: usize, notation: &Notation) -> Option<Inside<'t>> {
    let mut from = offset.saturating_sub(MAX_BACK);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    let open = from + text[from..offset].rfind(notation.open)?;
    let mut scan = Scan { text, notation, at: open, end: offset, found: Vec::new() };
    scan.action(open);
    let last = scan.found.last().filter(|last| last.end == offset && last.start > open);
    if scan.at < offset || last.is_some_and(|last| matches!(last.kind, TokenKind::Delimiter | TokenKind::Comment)) {
        return None;
    }
    let body = &text[open..offset];
    let quoted = last.filter(|last| last.kind == TokenKind::Text && is_open(&text[last.start..offset]));
    if let Some(quoted) = quoted {
        let inner = text[quoted.start..offset].trim_start_matches('\\');
        let typed = inner.get(1..).unwrap_or_default();
        return Some(Inside { text: body, names: Vec::new(), is_rooted: false, quoted: Some(typed), typed });
    }
    let inner = &text[open + notation.open.len()..offset];
    let start = inner.rfind(|c| !is_name(c, notation)).map_or(0, |at| at + width(&inner[at..]));
    let typed = &inner[start..];
    let (mut names, mut before) = (Vec::new(), &inner[..start]);
    let mut is_rooted = false;
    while let Some(rest) = before.strip_suffix('.') {
        let start = rest.rfind(|c| !is_name(c, notation)).map_or(0, |at| at + width(&rest[at..]));
        is_rooted = start == rest.len();
        if is_rooted {
            break;
        }
        names.push(&rest[start..]);
        before = &rest[..start];
    }
    names.reverse();
    Some(Inside { text: body, names, is_rooted, quoted: None, typed })
}

fn width(text: &str) -> usize {
    text.chars().next().map_or(1, char::len_utf8)
}

/// Whether a string has no closing quote.
fn is_open(text: &str) -> bool {
    let body = text.trim_start_matches('\\');
    let quote = body.chars().next().unwrap_or_default();
    body.len() <= quote.len_utf8() || !body.ends_with(quote)
}

fn is_name(c: char, notation: &Notation) -> bool {
    c.is_alphanumeric() || c == '_' || notation.has_dashes && c == '-'
}

struct Scan<'a> {
    text: &'a str,
    notation: &'a Notation,
    at: usize,
    end: usize,
    found: Vec<Token>,
}

impl Scan<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..self.end.max(self.at)]
    }

    fn push(&mut self, kind: TokenKind, length: usize) {
        let start = self.at;
        self.at += length;
        self.found.push(Token { kind, start, end: self.at });
    }

    /// Scans the template that opens at a byte offset, up to its closing delimiter or the end.
    fn action(&mut self, open: usize) {
        self.at = open;
        let sign = self.notation.open.len();
        let trims = self.rest()[sign..].starts_with("- ");
        self.push(TokenKind::Delimiter, sign + usize::from(trims));
        while self.at < self.end {
            let rest = self.rest();
            let blank = rest.len() - rest.trim_start().len();
            self.at += blank;
            let rest = self.rest();
            let trim = usize::from(blank > 0 && rest.starts_with('-'));
            if rest[trim..].starts_with(self.notation.close) {
                return self.push(TokenKind::Delimiter, trim + self.notation.close.len());
            }
            if rest.starts_with(self.notation.open) {
                return;
            }
            if !rest.is_empty() {
                self.token();
            }
        }
    }

    fn token(&mut self) {
        let rest = self.rest();
        let Some(first) = rest.chars().next() else { return };
        let second = rest[first.len_utf8()..].chars().next().unwrap_or_default();
        let name = |from: usize| {
            let end = rest[from..].find(|c| !is_name(c, self.notation)).unwrap_or(rest.len() - from);
            from + end
        };
        let (kind, length) = match first {
            '/' if second == '*' => (TokenKind::Comment, rest.find("*/").map_or(rest.len(), |at| at + 2)),
            '"' | '\'' | '`' => (TokenKind::Text, quoted(rest, 0)),
            '\\' if second == '"' => (TokenKind::Text, quoted(rest, 1)),
            '$' => (TokenKind::Variable, name(1)),
            '.' if is_name(second, self.notation) => (self.member(), name(1)),
            c if c.is_ascii_digit() => (TokenKind::Number, number(rest)),
            c if is_name(c, self.notation) && c != '-' => (self.word(&rest[..name(0)], &rest[name(0)..]), name(0)),
            _ => (TokenKind::Operator, first.len_utf8()),
        };
        self.push(kind, length);
    }

    /// Returns the kind of a name after a dot.
    fn member(&self) -> TokenKind {
        let before = self.found.last().filter(|last| last.end == self.at);
        match before.map(|last| last.kind) {
            Some(TokenKind::Namespace) => TokenKind::Function,
            _ => TokenKind::Property,
        }
    }

    /// Returns the kind of a word that is followed by a text.
    fn word(&self, word: &str, rest: &str) -> TokenKind {
        match self.notation.words_are_functions {
            _ if self.notation.keywords.binary_search(&word).is_ok() => TokenKind::Keyword,
            true if rest.starts_with('.') => TokenKind::Namespace,
            true => TokenKind::Function,
            false if rest.trim_start().starts_with('(') => TokenKind::Function,
            false => TokenKind::Variable,
        }
    }
}

/// Returns the length of a string. If a backslash precedes its opening quote, one precedes its closing quote, too. An
/// unclosed string ends at the end of its line.
fn quoted(text: &str, backslashes: usize) -> usize {
    let quote = text[backslashes..].chars().next().unwrap_or_default();
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(backslashes + 1) {
        match c {
            '\n' if quote != '`' => return at,
            c if c == quote && is_escaped == (backslashes > 0) => return at + 1,
            _ => {}
        }
        is_escaped = c == '\\' && !is_escaped;
    }
    text.len()
}

fn number(text: &str) -> usize {
    text.find(|c: char| !c.is_ascii_alphanumeric() && c != '.' && c != '_').unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::TokenKind::{
        Comment, Delimiter, Function, Keyword, Namespace, Number, Operator, Property, Text, Variable,
    };
    use super::*;
    use proptest::prelude::*;

    const GO: Notation = Notation {
        open: "{{",
        close: "}}",
        keywords: &["else", "end", "if", "range"],
        words_are_functions: true,
        has_dashes: false,
    };
    const DOLLAR: Notation = Notation {
        open: "${",
        close: "}",
        keywords: &["contains", "if", "null"],
        words_are_functions: false,
        has_dashes: true,
    };

    fn shown<'t>(text: &'t str, notation: &Notation) -> Vec<(TokenKind, &'t str)> {
        tokens(text, notation).into_iter().map(|t| (t.kind, &text[t.start..t.end])).collect()
    }

    #[test]
    fn words_of_templates() {
        let found = shown("a: 'x {{- if $x.y }}{{ strings.ToUpper (index .a \\\"k\\\") 12 | f }}'", &GO);
        let expected = [
            (Delimiter, "{{-"),
            (Keyword, "if"),
            (Variable, "$x"),
            (Property, ".y"),
            (Delimiter, "}}"),
            (Delimiter, "{{"),
            (Namespace, "strings"),
            (Function, ".ToUpper"),
            (Operator, "("),
            (Function, "index"),
            (Property, ".a"),
            (Text, "\\\"k\\\""),
            (Operator, ")"),
            (Number, "12"),
            (Operator, "|"),
            (Function, "f"),
            (Delimiter, "}}"),
        ];
        assert_eq!(found, expected);
        let found = shown("${var.a-b || f('}') ? null : x}", &DOLLAR);
        let expected = [
            (Delimiter, "${"),
            (Variable, "var"),
            (Property, ".a-b"),
            (Operator, "|"),
            (Operator, "|"),
            (Function, "f"),
            (Operator, "("),
            (Text, "'}'"),
            (Operator, ")"),
            (Operator, "?"),
            (Keyword, "null"),
            (Operator, ":"),
            (Variable, "x"),
            (Delimiter, "}"),
        ];
        assert_eq!(found, expected);
        assert_eq!(shown("{{/* c */}}", &GO), [(Delimiter, "{{"), (Comment, "/* c */"), (Delimiter, "}}")]);
    }

    #[test]
    fn a_template_that_is_not_closed_ends_with_its_line() {
        let found = shown("a: {{ .b.\nc: d\ne: {{ .f }}\n", &GO);
        let expected = [
            (Delimiter, "{{"),
            (Property, ".b"),
            (Operator, "."),
            (Delimiter, "{{"),
            (Property, ".f"),
            (Delimiter, "}}"),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn the_template_around_a_place() {
        let at = |text: &'static str, notation| inside(text, text.len(), notation);
        let found = at("a: \"{{ .vars.na", &GO).unwrap();
        assert_eq!((found.names, found.is_rooted, found.typed), (vec!["vars"], true, "na"));
        let found = at("{{ $.settings.a.", &GO).unwrap();
        assert_eq!((found.names, found.is_rooted, found.typed), (vec!["settings", "a"], true, ""));
        let found = at("{{ strings.To", &GO).unwrap();
        assert_eq!((found.names, found.is_rooted, found.typed), (vec!["strings"], false, "To"));
        let found = at("{{ f \"vp", &GO).unwrap();
        assert_eq!((found.quoted, found.typed), (Some("vp"), "vp"));
        let found = at("{{ f \"vp\" .", &GO).unwrap();
        assert_eq!((found.names.is_empty(), found.is_rooted, found.quoted), (true, true, None));
        let found = at("${actions.build.", &DOLLAR).unwrap();
        assert_eq!((found.names, found.is_rooted), (vec!["actions", "build"], false));
        assert_eq!(at("{{ a }} .b", &GO), None);
        assert_eq!(at("{{ a }}", &GO), None);
        assert_eq!(at("no", &GO), None);
    }

    proptest! {
        #[test]
        fn tokens_are_in_order_and_within_characters(
            parts in prop::collection::vec(
                prop::sample::select(vec!["{{", "}}", "${", "}", "- ", " ", ".a", "é", "\"", "\\\"", "'", "\n", "$", "1", "/*", "*/"]),
                0..24,
            ),
        ) {
            let text = parts.concat();
            for notation in [&GO, &DOLLAR] {
                let mut end = 0;
                for token in tokens(&text, notation) {
                    prop_assert!(end <= token.start && token.start < token.end);
                    prop_assert!(text.get(token.start..token.end).is_some());
                    end = token.end;
                }
                for offset in (0..=text.len()).filter(|at| text.is_char_boundary(*at)) {
                    inside(&text, offset, notation);
                }
            }
        }
    }
}
