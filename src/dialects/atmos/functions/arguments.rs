//! The argument grammar of Atmos's YAML functions: words, quoted words, pipes.

use std::fmt;

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// A bare word.
    Text,
    /// A word in quotes; the quotes are part of the raw text.
    Quoted,
    /// A `|`.
    Pipe,
}

/// A place in an argument text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Position {
    /// Bytes from the start.
    pub offset: usize,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

/// One token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Token<'t> {
    /// The kind.
    pub kind: TokenKind,
    /// As written, quotes included.
    pub raw: &'t str,
    /// Its start, in bytes.
    pub offset: usize,
}

impl Token<'_> {
    /// The text that is meant: without the quotes, doubled quotes made single.
    pub(crate) fn text(&self) -> String {
        unquote(self.raw)
    }
}

/// Arguments that the grammar rejects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ArgError {
    /// Where.
    pub at: Position,
    /// Why.
    pub message: String,
}

impl fmt::Display for ArgError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "invalid function arguments at {}:{}: {}", self.at.line, self.at.column, self.message)
    }
}

impl std::error::Error for ArgError {}

const START: Position = Position { offset: 0, line: 1, column: 1 };

fn error(at: Position, message: &str) -> ArgError {
    ArgError { at, message: message.to_owned() }
}

fn refused<T>(text: &str, token: &Token<'_>, message: &str) -> Result<T, ArgError> {
    Err(error(position(text, token.offset), message))
}

fn empty() -> ArgError {
    error(START, "expected arguments")
}

/// Splits an argument text into tokens.
///
/// # Errors
/// A word that starts with a quote which is not closed on its line.
pub(crate) fn lex(text: &str) -> Result<Vec<Token<'_>>, ArgError> {
    let mut tokens = Vec::new();
    let mut offset = 0;
    while offset < text.len() {
        let rest = &text[offset..];
        let (kind, length) = next(rest);
        let raw = &rest[..length];
        if let Some(kind) = kind {
            if kind == TokenKind::Text && raw.starts_with(['"', '\'']) {
                return Err(error(position(text, offset), "unterminated quoted value"));
            }
            tokens.push(Token { kind, raw, offset });
        }
        offset += length;
    }
    Ok(tokens)
}

fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r' | '\x0c')
}

fn next(rest: &str) -> (Option<TokenKind>, usize) {
    let spaces = rest.find(|c| !is_space(c)).unwrap_or(rest.len());
    if spaces > 0 {
        return (None, spaces);
    }
    if let Some(length) = quoted(rest) {
        return (Some(TokenKind::Quoted), length);
    }
    if rest.starts_with('|') {
        return (Some(TokenKind::Pipe), 1);
    }
    (Some(TokenKind::Text), rest.find(|c| is_space(c) || c == '|').unwrap_or(rest.len()))
}

/// The length of a quoted word; a doubled quote inside does not end it.
fn quoted(rest: &str) -> Option<usize> {
    let bytes = rest.as_bytes();
    let quote = *bytes.first().filter(|b| matches!(b, b'"' | b'\''))?;
    let mut i = 1;
    while let Some(&b) = bytes.get(i) {
        match b {
            b'\r' | b'\n' => return last_single(bytes, i, quote),
            _ if b != quote => i += 1,
            _ if bytes.get(i + 1) == Some(&quote) => i += 2,
            _ => return Some(i + 1),
        }
    }
    last_single(bytes, i, quote)
}

/// A run that was never closed may still end at the first half of its last doubled quote.
fn last_single(bytes: &[u8], end: usize, quote: u8) -> Option<usize> {
    let pair = (1..end.saturating_sub(1)).rev().find(|&i| bytes[i] == quote && bytes[i + 1] == quote)?;
    // Pairs are read from the left, so only an even start within its run of quotes is such a half.
    let run = bytes[1..=pair].iter().rev().take_while(|&&b| b == quote).count();
    let tail = bytes[pair + 1..end].iter().take_while(|&&b| b == quote).count();
    let start = pair + 1 - run;
    let total = run + tail;
    if total < 2 { None } else { Some(start + total - total % 2 - 1) }
}

/// The place of an offset in a text.
fn position(text: &str, offset: usize) -> Position {
    let before = &text[..offset];
    let line = before.rfind('\n').map_or(0, |i| i + 1);
    Position { offset, line: before.matches('\n').count() + 1, column: before[line..].chars().count() + 1 }
}

fn unquote(text: &str) -> String {
    let text = text.trim();
    let mut chars = text.chars();
    match (chars.next(), chars.next_back()) {
        (Some('\''), Some('\'')) => text[1..text.len() - 1].replace("''", "'"),
        (Some('"'), Some('"')) => text[1..text.len() - 1].replace("\"\"", "\""),
        _ => text.to_owned(),
    }
}

fn raw_from(text: &str, token: &Token<'_>) -> String {
    unquote(&text[token.offset..])
}

/// Parses the arguments of `!include`: the path, then a query if there is one (the text after the path, with spaces).
///
/// # Errors
/// No argument at all, or an open quote.
pub(crate) fn parse_include(text: &str) -> Result<(String, Option<String>), ArgError> {
    let tokens = lex(text)?;
    let path = tokens.first().ok_or_else(empty)?.text();
    let query = tokens.get(1).map(|t| raw_from(text, t)).filter(|q| !q.is_empty());
    Ok((path, query))
}

/// The arguments of `!terraform.output` and `!terraform.state`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TerraformArgs {
    /// The component.
    pub component: String,
    /// The stack; `None` means the current one.
    pub stack: Option<String>,
    /// The output name or query.
    pub expression: String,
}

/// Parses `component [stack] expression`.
///
/// # Errors
/// A wrong number of arguments or an empty one.
pub(crate) fn parse_terraform(text: &str) -> Result<TerraformArgs, ArgError> {
    const ARITY: &str = "terraform function requires 2 or 3 arguments";
    let tokens = lex(text)?;
    if let Some(mut parts) = legacy_fields(text, &tokens) {
        let expression = parts.pop().unwrap_or_default();
        let mut parts = parts.into_iter();
        let component = parts.next().unwrap_or_default();
        let args = TerraformArgs { component, stack: parts.next().filter(|s| !s.is_empty()), expression };
        return checked(args, || Position { offset: 0, line: 0, column: 0 });
    }
    let [first, second, rest @ ..] = tokens.as_slice() else {
        return match tokens.first() {
            None => Err(empty()),
            Some(only) => refused(text, only, ARITY),
        };
    };
    let component = first.text();
    let Some(third) = rest.first().filter(|_| !starts_expression(second.raw)) else {
        let args = TerraformArgs { component, stack: None, expression: raw_from(text, second) };
        return checked(args, || position(text, second.offset));
    };
    if let Some(fourth) = rest.get(1).filter(|_| !starts_expression(third.raw)) {
        return refused(text, fourth, ARITY);
    }
    let stack = Some(second.text()).filter(|s| !s.is_empty());
    let args = TerraformArgs { component, stack, expression: raw_from(text, third) };
    checked(args, || position(text, third.offset))
}

fn starts_expression(raw: &str) -> bool {
    raw.starts_with(['.', '[', '{', '|', '\'', '"'])
}

fn checked(args: TerraformArgs, at: impl FnOnce() -> Position) -> Result<TerraformArgs, ArgError> {
    if args.component.is_empty() {
        return Err(error(at(), "component must not be empty"));
    }
    if args.expression.is_empty() {
        return Err(error(at(), "output expression must not be empty"));
    }
    Ok(args)
}

/// The older notation, in which the last argument is a field of a space-separated table with `""` for a quote.
fn legacy_fields(text: &str, tokens: &[Token<'_>]) -> Option<Vec<String>> {
    let last = tokens.last().filter(|_| matches!(tokens.len(), 2 | 3))?;
    if last.kind != TokenKind::Quoted || !last.raw.starts_with('"') || !last.raw.contains("\"\"") {
        return None;
    }
    let line = text.trim_start_matches(['\n', '\r']).lines().next().unwrap_or_default();
    let mut fields = Vec::new();
    let mut rest = line;
    loop {
        rest = rest.trim_start();
        let (field, tail) = match rest.strip_prefix('"') {
            Some(inner) => quoted_field(inner),
            None => match rest.split_once(' ') {
                Some((field, tail)) => (field.to_owned(), Some(tail)),
                None => (rest.to_owned(), None),
            },
        };
        fields.push(field.trim().to_owned());
        match tail {
            Some(tail) => rest = tail,
            None => break,
        }
    }
    matches!(fields.len(), 2 | 3).then_some(fields)
}

fn quoted_field(inner: &str) -> (String, Option<&str>) {
    let mut field = String::new();
    let mut rest = inner;
    while let Some(i) = rest.find('"') {
        field.push_str(&rest[..i]);
        rest = &rest[i + 1..];
        if let Some(tail) = rest.strip_prefix('"') {
            field.push('"');
            rest = tail;
        } else if let Some(tail) = rest.strip_prefix(' ') {
            return (field, Some(tail));
        } else if rest.is_empty() {
            return (field, None);
        } else {
            field.push('"');
        }
    }
    field.push_str(rest);
    (field, None)
}

/// Parses `name [default]` of `!env`; a missing default is an empty text.
///
/// # Errors
/// No or more than two arguments.
pub(crate) fn parse_env(text: &str) -> Result<(String, String), ArgError> {
    let tokens = lex(text)?;
    if let Some(third) = tokens.get(2) {
        return refused(text, third, "env function accepts 1 or 2 arguments");
    }
    let name = tokens.first().ok_or_else(empty)?.text();
    Ok((name, tokens.get(1).map(Token::text).unwrap_or_default()))
}

/// The arguments of `!store` and `!store.get`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct StoreArgs {
    /// The words before the options: `store [stack] component key`, or `store key` for `!store.get`.
    pub words: Vec<String>,
    /// The value of `| default …`.
    pub default: Option<String>,
    /// The expression of `| query …`.
    pub query: Option<String>,
}

/// Parses the arguments of `!store`: three or four words and options.
///
/// # Errors
/// A wrong number of words or a malformed option.
pub(crate) fn parse_store(text: &str) -> Result<StoreArgs, ArgError> {
    store(text, &[3, 4], "store function requires 3 or 4 parameters")
}

/// Parses the arguments of `!store.get`: two words and options.
///
/// # Errors
/// A wrong number of words or a malformed option.
pub(crate) fn parse_store_get(text: &str) -> Result<StoreArgs, ArgError> {
    store(text, &[2], "store.get function requires 2 parameters")
}

fn is_option(token: &Token<'_>) -> bool {
    matches!(token.text().as_str(), "default" | "query")
}

fn next_option(tokens: &[Token<'_>], from: usize) -> usize {
    let found = (from..tokens.len().saturating_sub(1))
        .find(|&i| tokens[i].kind == TokenKind::Pipe && is_option(&tokens[i + 1]));
    found.unwrap_or(tokens.len())
}

fn store(text: &str, arity: &[usize], message: &str) -> Result<StoreArgs, ArgError> {
    let tokens = lex(text)?;
    let first = next_option(&tokens, 0);
    let mut args = StoreArgs::default();
    let mut i = first;
    while i < tokens.len() {
        let Some(keyword) = tokens.get(i + 1) else { return refused(text, &tokens[i], "expected option delimiter") };
        let Some(value) = tokens.get(i + 2).filter(|t| t.kind != TokenKind::Pipe) else {
            return refused(text, keyword, "expected option value");
        };
        let next = next_option(&tokens, i + 2);
        let is_default = keyword.text() == "default";
        if is_default && i + 3 != next {
            return refused(text, &tokens[i + 3], "default option accepts one value");
        }
        let end = tokens.get(next).map_or_else(|| tokens.last().map_or(0, |t| t.offset + t.raw.len()), |t| t.offset);
        let content = unquote(&text[value.offset..end]);
        if is_default {
            args.default = Some(content);
        } else if content.is_empty() {
            return refused(text, value, "option value must not be empty");
        } else {
            args.query = Some(content);
        }
        i = next;
    }
    if let Some(pipe) = tokens[..first].iter().find(|t| t.kind == TokenKind::Pipe) {
        return refused(text, pipe, "unexpected pipe");
    }
    args.words = tokens[..first].iter().map(Token::text).collect();
    if args.words.is_empty() {
        return Err(empty());
    }
    if !arity.contains(&args.words.len()) {
        return Err(error(START, message));
    }
    Ok(args)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<String> {
        lex(text).unwrap().iter().map(Token::text).collect()
    }

    #[test]
    fn words_quotes_and_pipes() {
        assert_eq!(texts("a 'b c' \"d\"\"e\" f|g"), ["a", "b c", "d\"e", "f", "|", "g"]);
        assert_eq!(texts("a'b c\""), ["a'b", "c\""]);
        assert_eq!(texts("'x''' ''"), ["x'", ""]);
        assert_eq!(
            lex("a 'b").unwrap_err().to_string(),
            "invalid function arguments at 1:3: unterminated quoted value"
        );
        assert_eq!(
            lex("é\n \"b").unwrap_err().to_string(),
            "invalid function arguments at 2:2: unterminated quoted value"
        );
    }

    #[test]
    fn include() {
        assert_eq!(parse_include("f.yaml").unwrap(), ("f.yaml".into(), None));
        assert_eq!(parse_include("'a b.json' .x | .y").unwrap(), ("a b.json".into(), Some(".x | .y".into())));
        assert_eq!(parse_include("f '.x | length'").unwrap().1.as_deref(), Some(".x | length"));
        assert_eq!(
            parse_include(" ").unwrap_err().to_string(),
            "invalid function arguments at 1:1: expected arguments"
        );
    }

    #[test]
    fn terraform() {
        let parse = |t: &str| parse_terraform(t).map(|a| (a.component, a.stack.unwrap_or_default(), a.expression));
        let row = |a: &str, b: &str, c: &str| Ok((a.to_owned(), b.to_owned(), c.to_owned()));
        assert_eq!(parse("vpc id"), row("vpc", "", "id"));
        assert_eq!(parse("vpc dev id"), row("vpc", "dev", "id"));
        assert_eq!(parse("vpc .a // \"x\""), row("vpc", "", ".a // \"x\""));
        assert_eq!(parse("vpc dev '.a | .b'"), row("vpc", "dev", ".a | .b"));
        assert_eq!(parse("vpc dev \".a // \"\"x\"\"\""), row("vpc", "dev", ".a // \"x\""));
        assert!(parse("vpc").is_err() && parse("").is_err() && parse("a b c d").is_err());
    }

    #[test]
    fn store_options() {
        let args = parse_store("s dev c k | default 'x y' | query .a | .b").unwrap();
        assert_eq!(args.words, ["s", "dev", "c", "k"]);
        assert_eq!((args.default.as_deref(), args.query.as_deref()), (Some("x y"), Some(".a | .b")));
        assert!(parse_store("s k").is_err() && parse_store("s c k | other").is_err());
        assert_eq!(parse_store_get("s k | default \"\"").unwrap().default.as_deref(), Some(""));
        assert!(parse_store("s c k | default a b").is_err());
        assert_eq!(parse_env("A").unwrap(), ("A".into(), String::new()));
        assert!(parse_env("A b c").is_err());
    }
}
