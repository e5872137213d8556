//! Analyzes the text of a policy, as far as needed to know what it reads: statements, and every use of `input`.
//! Anything else counts as reading the whole input.

use std::collections::BTreeSet;
use std::ops::Range;

/// A statement at the top of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Statement {
    /// Its place in the text.
    pub range: Range<usize>,
    /// The word that it starts with.
    pub head: String,
    /// The parts of the input that it reads.
    pub reads: Vec<Read>,
    /// The words in it, except in its head.
    pub names: Vec<String>,
    /// Whether it defines a function.
    pub is_function: bool,
    /// The names of what it calls: functions of the policy by their last word, functions of the language by all of them.
    pub calls: Vec<String>,
    /// The maximum number of brackets that are open around something in it.
    pub brackets: usize,
}

/// A use of `input`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Read {
    /// The keys behind `input`, as far as they are written as such; empty for all of it.
    pub path: Vec<String>,
    /// Its place in the text.
    pub range: Range<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// A name, a word of the language, or the digits of a number.
    Word,
    /// The value of a text.
    Text(String),
    /// Any other character.
    Sign(char),
}

/// The smallest part of a module that has a meaning.
#[derive(Clone, Debug)]
pub(super) struct Token {
    pub kind: TokenKind,
    /// Its place in the text.
    pub range: Range<usize>,
    /// Whether it is the first token of its line and starts at column 0.
    is_first: bool,
    /// How many brackets are open around it.
    pub depth: usize,
}

/// The tokens of each statement.
pub(super) fn split<'t>(text: &str, tokens: &'t [Token]) -> Vec<&'t [Token]> {
    let is_start =
        |t: &Token| t.kind == TokenKind::Word && t.is_first && t.depth == 0 && &text[t.range.clone()] != "else";
    let mut out = Vec::new();
    let mut rest = tokens;
    while !rest.is_empty() {
        let next = (1..rest.len()).find(|i| is_start(&rest[*i])).unwrap_or(rest.len());
        let (own, others) = rest.split_at(next);
        out.push(own);
        rest = others;
    }
    out
}

/// The statements of a module, in the order of the text.
pub(super) fn statements(text: &str) -> Vec<Statement> {
    let tokens = tokens(text);
    let word = |t: &Token| text[t.range.clone()].to_owned();
    let all = split(text, &tokens);
    let mut out = Vec::with_capacity(all.len());
    for (n, own) in all.iter().enumerate() {
        let end = all.get(n + 1).map_or(text.len(), |next| next[0].range.start);
        let names = own.iter().skip(1).filter(|t| t.kind == TokenKind::Word).map(word).collect();
        let reads = reads(text, own);
        let is_call = |i: usize| {
            own.get(i + 1).is_some_and(|t| t.kind == TokenKind::Sign('(') && t.range.start == own[i].range.end)
        };
        let is_function = own[0].kind == TokenKind::Word && is_call(0);
        let called = (1..own.len()).filter(|i| own[*i].kind == TokenKind::Word && is_call(*i));
        let calls = called.map(|i| called_name(text, own, i)).collect();
        let brackets = own.iter().map(|t| t.depth).max().unwrap_or_default();
        let range = own[0].range.start..end;
        out.push(Statement { range, head: word(&own[0]), reads, names, is_function, calls, brackets });
    }
    out
}

/// The name of what is called at a token. What begins with `data` or with a name that is not one of the language's own
/// packages is a function of the policy.
fn called_name(text: &str, tokens: &[Token], at: usize) -> String {
    const PACKAGES: [&str; 21] = [
        "array",
        "base64",
        "base64url",
        "bits",
        "crypto",
        "glob",
        "graph",
        "graphql",
        "hex",
        "http",
        "input",
        "io",
        "json",
        "net",
        "numbers",
        "object",
        "opa",
        "regex",
        "rego",
        "semver",
        "strings",
    ];
    const MORE: [&str; 4] = ["time", "units", "urlquery", "yaml"];
    let word = |i: usize| &text[tokens[i].range.clone()];
    let mut first = at;
    while first >= 2 && tokens[first - 1].kind == TokenKind::Sign('.') && tokens[first - 2].kind == TokenKind::Word {
        first -= 2;
    }
    let is_of_language = first != at && (PACKAGES.contains(&word(first)) || MORE.contains(&word(first)));
    if is_of_language { text[tokens[first].range.start..tokens[at].range.end].to_owned() } else { word(at).to_owned() }
}

/// The package of a module.
pub(super) fn package(statements: &[Statement]) -> Option<String> {
    statements.iter().find(|s| s.head == "package").map(|s| s.names.join("."))
}

/// A way into a variable, as it is written: `c.vars.tags["Owner"]`, `input.components[i]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Chain {
    /// The variable; empty if the path begins at the result of a call.
    pub head: String,
    /// The keys behind it; `None` where one is computed.
    pub steps: Vec<Option<String>>,
}

/// The content of a module.
#[derive(Debug, Default)]
pub(super) struct Written {
    /// The ways into variables.
    pub chains: Vec<Chain>,
    /// The words and texts.
    pub words: BTreeSet<String>,
    /// The variables that are bound to what `input` has under a key, or to an item of that.
    pub bound: BTreeSet<String>,
}

/// The ways into variables that a module has, and the words and texts in it.
pub(super) fn written(text: &str) -> Written {
    let tokens = tokens(text);
    let is_sign = |i: usize, sign: char| tokens.get(i).is_some_and(|t| t.kind == TokenKind::Sign(sign));
    let word = |i: usize| tokens.get(i).filter(|t| t.kind == TokenKind::Word).map(|t| &text[t.range.clone()]);
    let Written { chains: mut found, mut words, mut bound } = Written::default();
    for (i, token) in tokens.iter().enumerate() {
        match &token.kind {
            TokenKind::Word => drop(words.insert(text[token.range.clone()].to_owned())),
            TokenKind::Text(literal) => drop(words.insert(literal.clone())),
            TokenKind::Sign(_) => {}
        }
        let is_behind = |sign: char| i > 0 && is_sign(i - 1, sign);
        let (head, mut at) = match &token.kind {
            TokenKind::Word if !is_behind('.') => (text[token.range.clone()].to_owned(), i + 1),
            TokenKind::Sign(')' | '}') => (String::new(), i + 1),
            _ => continue,
        };
        let mut steps = Vec::new();
        loop {
            let is_joined = |at: usize| tokens.get(at).is_some_and(|t| t.range.start == tokens[at - 1].range.end);
            match tokens.get(at + 1).map(|t| &t.kind) {
                Some(TokenKind::Word) if is_sign(at, '.') => {
                    steps.push(Some(text[tokens[at + 1].range.clone()].to_owned()));
                    at += 2;
                }
                Some(kind) if is_sign(at, '[') && is_joined(at) => {
                    let key = match (kind, is_sign(at + 2, ']')) {
                        (TokenKind::Text(key), true) => Some(key.clone()),
                        (TokenKind::Word, true) => {
                            word(at + 1).filter(|w| w.bytes().all(|b| b.is_ascii_digit())).map(str::to_owned)
                        }
                        _ => None,
                    };
                    steps.push(key);
                    let depth = tokens[at].depth;
                    let end = (at + 1..tokens.len()).find(|end| is_sign(*end, ']') && tokens[*end].depth == depth);
                    match end {
                        Some(end) => at = end + 1,
                        None => break,
                    }
                }
                _ => break,
            }
        }
        if head == "input" && steps.len() <= 2 {
            // `some c in input.components`, `c := input.components[i]`, `c = input.component`.
            let before = match i.checked_sub(1) {
                Some(at) if word(at) == Some("in") => at.checked_sub(1),
                Some(at) if is_sign(at, '=') => {
                    at.checked_sub(1).map(|at| at - usize::from(is_sign(at, ':') && at > 0))
                }
                _ => None,
            };
            bound.extend(before.and_then(word).map(str::to_owned));
        }
        if !steps.is_empty() {
            found.push(Chain { head, steps });
        }
    }
    Written { chains: found, words, bound }
}

/// Whether a character occurs in a module, outside of strings.
pub(super) fn has_sign(text: &str, sign: char) -> bool {
    tokens(text).iter().any(|token| token.kind == TokenKind::Sign(sign))
}

fn reads(text: &str, tokens: &[Token]) -> Vec<Read> {
    let is_sign = |i: usize, sign: char| tokens.get(i).is_some_and(|t| t.kind == TokenKind::Sign(sign));
    let mut out = Vec::new();
    for (i, token) in tokens.iter().enumerate() {
        let is_field = i > 0 && is_sign(i - 1, '.');
        if token.kind != TokenKind::Word || &text[token.range.clone()] != "input" || is_field {
            continue;
        }
        let (mut at, mut path) = (i + 1, Vec::new());
        loop {
            match tokens.get(at + 1).map(|t| (&t.kind, t)) {
                Some((TokenKind::Word, t)) if is_sign(at, '.') => {
                    path.push(text[t.range.clone()].to_owned());
                    at += 2;
                }
                Some((TokenKind::Text(key), _)) if is_sign(at, '[') && is_sign(at + 2, ']') => {
                    path.push(key.clone());
                    at += 3;
                }
                _ => break,
            }
        }
        out.push(Read { path, range: token.range.start..tokens[at - 1].range.end });
    }
    out
}

/// Returns the tokens of a module, without comments.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let bytes = text.as_bytes();
    let (mut out, mut at, mut depth) = (Vec::new(), 0, 0_usize);
    let is_word = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b >= 0x80;
    while at < bytes.len() {
        let start = at;
        let is_first = at == 0 || bytes[at - 1] == b'\n';
        match bytes[at] {
            b if b.is_ascii_whitespace() => {
                at += 1;
                continue;
            }
            b'#' => {
                at = text[at..].find('\n').map_or(bytes.len(), |n| at + n);
                continue;
            }
            quote @ (b'"' | b'`') => {
                at += 1;
                while at < bytes.len() && bytes[at] != quote {
                    at += if quote == b'"' && bytes[at] == b'\\' { 2 } else { 1 };
                }
                at = (at + 1).min(bytes.len());
                let raw = text.get(start..at).unwrap_or_default();
                let inner = raw.get(1..raw.len().saturating_sub(1)).unwrap_or_default();
                let value = match quote {
                    b'"' => serde_json::from_str(raw).unwrap_or_else(|_| inner.to_owned()),
                    _ => inner.to_owned(),
                };
                out.push(Token { kind: TokenKind::Text(value), range: start..at, is_first, depth });
                while !text.is_char_boundary(at) {
                    at += 1;
                }
                continue;
            }
            b if is_word(b) => {
                while at < bytes.len() && is_word(bytes[at]) {
                    at += 1;
                }
                out.push(Token { kind: TokenKind::Word, range: start..at, is_first, depth });
                continue;
            }
            b => {
                if matches!(b, b')' | b']' | b'}') {
                    depth = depth.saturating_sub(1);
                }
                out.push(Token { kind: TokenKind::Sign(char::from(b)), range: start..at + 1, is_first, depth });
                if matches!(b, b'(' | b'[' | b'{') {
                    depth += 1;
                }
                at += 1;
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_and_what_they_read() {
        let text = "package atmos\n\nimport input.vars as v # input.none\nerrors[message] {\n    input.vars.stage == \"prod\"\n    \
                    input[\"process_env\"].HOME\n    f(input.vars)\n    x := input.vars.tags[_]\n    message = \"input.no\"\n} else = 1 {\n  true\n}\n\
                    helper(o) {\n  o.input.a\n  walk(input)\n}\n";
        let all = statements(text);
        let heads: Vec<&str> = all.iter().map(|s| &*s.head).collect();
        assert_eq!(heads, ["package", "import", "errors", "helper"]);
        assert_eq!(package(&all).as_deref(), Some("atmos"));
        let reads = |i: usize| all[i].reads.iter().map(|r| r.path.join(".")).collect::<Vec<_>>();
        assert_eq!(reads(1), ["vars"]);
        assert_eq!(reads(2), ["vars.stage", "process_env.HOME", "vars", "vars.tags"]);
        assert_eq!(reads(3), [""]);
        assert_eq!(&text[all[2].reads[0].range.clone()], "input.vars.stage");
        let joined: String = all.iter().map(|s| &text[s.range.clone()]).collect();
        assert_eq!(joined, text);
    }

    #[test]
    fn odd_texts() {
        for text in ["", "\"", "`", "\"\\", "{{{", ")))", "é\"é\\é", "input", "input.", "input[\"a\"", "  a\nb", "#"]
        {
            let all = statements(text);
            assert!(all.iter().all(|s| text.get(s.range.clone()).is_some()), "{text}");
        }
    }
}
