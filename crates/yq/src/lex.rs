//! Tokens of an expression. The first rule that matches wins, whatever follows, so `ascii_downcase` starts with `as`.

use super::QueryError;
use super::op::{Format, MergePrefs, Op, Step, StepPrefs};
use std::rc::Rc;

/// A token.
#[derive(Clone, Debug)]
pub(super) enum Token {
    Op(Op),
    Open,
    Close,
    OpenList,
    CloseList {
        optional: bool,
    },
    OpenMap,
    CloseMap,
    /// `.[`
    OpenPath,
}

enum Rule {
    /// The first matching spelling.
    Words(&'static [&'static str], fn() -> Token),
    /// The length of the match and the token, or nothing for text that is skipped.
    Scan(fn(&str) -> Option<Scanned>),
}

type Scanned = (usize, Result<Option<Token>, QueryError>);

macro_rules! words {
    ($op:expr, $($word:literal),+) => { Rule::Words(&[$($word),+], || Token::Op($op)) };
}

macro_rules! unsupported {
    ($name:literal, $n:literal, $($word:literal),+) => { words!(Op::Unsupported($name, $n), $($word),+) };
}

const YAML2: Op = Op::Encode(Format::Yaml, 2);

/// In the order of the language; it decides.
const RULES: &[Rule] = &[
    unsupported!("line_comment", 0, "line_comment", "linecomment", "lineComment"),
    unsupported!("head_comment", 0, "head_comment", "headcomment", "headComment"),
    unsupported!("foot_comment", 0, "foot_comment", "footcomment", "footComment"),
    Rule::Words(&["("], || Token::Open),
    Rule::Words(&[")"], || Token::Close),
    Rule::Words(&[".["], || Token::OpenPath),
    Rule::Words(&["["], || Token::OpenList),
    Rule::Words(&["]?"], || Token::CloseList { optional: true }),
    Rule::Words(&["]"], || Token::CloseList { optional: false }),
    Rule::Words(&["{"], || Token::OpenMap),
    Rule::Words(&["}"], || Token::CloseMap),
    words!(Op::Descend { keys: true }, "..."),
    words!(Op::Descend { keys: false }, ".."),
    Rule::Scan(variable),
    words!(Op::AssignVariable { reference: false }, "as"),
    words!(Op::AssignVariable { reference: true }, "ref"),
    Rule::Scan(colon),
    words!(Op::Length, "length"),
    unsupported!("line", 0, "line"),
    unsupported!("column", 0, "column"),
    words!(Op::Eval, "eval"),
    words!(Op::ToNumber, "to_number", "tonumber"),
    words!(Op::MapValues, "map_values", "mapvalues"),
    words!(Op::Map, "map"),
    words!(Op::Filter, "filter"),
    words!(Op::Pick, "pick"),
    words!(Op::Omit, "omit"),
    Rule::Scan(|s| argument(s, &["flatten"], false, Op::Flatten)),
    words!(Op::Flatten(-1), "flatten"),
    unsupported!("format_datetime", 1, "format_datetime"),
    unsupported!("now", 0, "now"),
    unsupported!("tz", 1, "tz"),
    unsupported!("from_unix", 0, "from_unix", "fromunix"),
    unsupported!("to_unix", 0, "to_unix", "tounix"),
    unsupported!("with_dtf", 1, "with_dtf"),
    words!(Op::Error, "error"),
    unsupported!("shuffle", 0, "shuffle"),
    words!(Op::SortKeys, "sortKeys", "sort_keys", "sortkeys"),
    words!(
        Op::Alias("(.[] | select(. != null) ) as $i ireduce({}; .[$i | key] = $i)"),
        "array_to_map",
        "array_tomap",
        "arrayto_map",
        "arraytomap"
    ),
    words!(Op::Alias("parent(-1)"), "root"),
    Rule::Scan(|s| argument(s, &["to_yaml", "toyaml"], false, |n| Op::Encode(Format::Yaml, indent(n)))),
    Rule::Scan(|s| argument(s, &["to_xml", "toxml"], false, |_| Op::Unsupported("to_xml", 0))),
    Rule::Scan(|s| argument(s, &["to_json", "tojson"], false, |n| Op::Encode(Format::Json, indent(n)))),
    unsupported!("from_yaml", 0, "from_yaml", "fromyaml", "@yamld", "from_json", "fromjson", "@jsond"),
    words!(YAML2, "to_yaml", "toyaml", "@yaml"),
    words!(Op::Encode(Format::Json, 2), "to_json", "tojson"),
    words!(Op::Encode(Format::Json, 0), "@json"),
    unsupported!("from_props", 0, "from_props", "fromprops", "@propsd"),
    unsupported!("to_props", 0, "to_props", "toprops", "@props"),
    unsupported!("from_xml", 0, "from_xml", "fromxml", "@xmld"),
    unsupported!("to_xml", 0, "to_xml", "toxml", "@xml"),
    unsupported!("from_csv", 0, "from_csv", "fromcsv", "@csvd"),
    unsupported!("to_csv", 0, "to_csv", "tocsv", "@csv"),
    unsupported!("from_tsv", 0, "from_tsv", "fromtsv", "@tsvd"),
    unsupported!("to_tsv", 0, "to_tsv", "totsv", "@tsv"),
    unsupported!("@base64d", 0, "@base64d"),
    words!(Op::Encode(Format::Base64, 0), "@base64"),
    unsupported!("@urid", 0, "@urid"),
    words!(Op::Encode(Format::Uri, 0), "@uri"),
    words!(Op::Encode(Format::Sh, 0), "@sh"),
    unsupported!("load", 1, "load_xml", "loadxml", "xml_load", "xmlload"),
    unsupported!("load", 1, "load_base64", "loadbase64"),
    unsupported!("load", 1, "load_props", "loadprops"),
    unsupported!("load_str", 1, "load_str", "loadstr", "str_load", "strload"),
    unsupported!("load", 1, "load"),
    unsupported!("split_doc", 0, "splitDoc", "split_doc", "splitdoc"),
    words!(Op::Select, "select"),
    words!(Op::Has, "has"),
    words!(Op::UniqueBy, "unique_by", "uniqueby"),
    words!(Op::Unique, "unique"),
    words!(Op::GroupBy, "group_by", "groupby"),
    words!(Op::Explode, "explode"),
    words!(Op::Or, "or"),
    words!(Op::And, "and"),
    words!(Op::Not, "not"),
    words!(Op::Reduce, "ireduce"),
    words!(Op::Join, "join"),
    words!(Op::Substitute, "sub"),
    words!(Op::Match, "match"),
    words!(Op::Capture, "capture"),
    words!(Op::Test, "test"),
    words!(Op::SortBy, "sort_by", "sortby"),
    words!(Op::Sort, "sort"),
    words!(Op::First, "first"),
    words!(Op::Reverse, "reverse"),
    words!(Op::AnyC, "any_c"),
    words!(Op::Any, "any"),
    words!(Op::AllC, "all_c"),
    words!(Op::All, "all"),
    words!(Op::Contains, "contains"),
    words!(Op::Split, "split"),
    words!(Op::Parents, "parents"),
    Rule::Scan(|s| argument(s, &["parent"], true, Op::Parent)),
    words!(Op::Parent(1), "parent"),
    words!(Op::Keys, "keys"),
    words!(Op::Key, "key"),
    words!(Op::IsKey, "is_key", "iskey"),
    unsupported!("file_name", 0, "file_name", "filename", "fileName"),
    unsupported!("file_index", 0, "file_index", "fileindex", "fileIndex", "fi"),
    words!(Op::Path, "path"),
    words!(Op::SetPath, "set_path", "setpath"),
    words!(Op::DelPaths, "del_paths", "delpaths"),
    words!(Op::ToEntries, "to_entries", "toentries", "toEntries"),
    words!(Op::FromEntries, "from_entries", "fromentries", "fromEntries"),
    words!(Op::WithEntries, "with_entries", "withentries", "withEntries"),
    words!(Op::With, "with"),
    words!(Op::Collect, "collect"),
    words!(Op::Delete, "del"),
    unsupported!("style", 0, "style"),
    words!(Op::Tag, "tag", "type"),
    words!(Op::Kind, "kind"),
    unsupported!("anchor", 0, "anchor"),
    unsupported!("alias", 0, "alias"),
    Rule::Scan(comments),
    words!(Op::Block, ";"),
    words!(Op::Alternative, "//"),
    unsupported!("document_index", 0, "documentIndex", "document_index", "documentindex", "di"),
    words!(Op::Case { upper: true }, "upcase", "ascii_upcase", "asciiupcase"),
    words!(Op::Case { upper: false }, "downcase", "ascii_downcase", "asciidowncase"),
    words!(Op::Trim, "trim"),
    words!(Op::ToText, "to_string", "tostring"),
    Rule::Scan(number),
    Rule::Scan(|s| literal(s, "true", "!!bool")),
    Rule::Scan(|s| literal(s, "false", "!!bool")),
    Rule::Scan(|s| literal(s, "null", "!!null").or_else(|| literal(s, "~", "!!null"))),
    Rule::Scan(text),
    Rule::Scan(|s| environment(s, "strenv(").or_else(|| environment(s, "env("))),
    Rule::Scan(substitution),
    unsupported!("envsubst", 0, "envsubst"),
    Rule::Scan(|s| spaced(s, "==", Op::Equals { flip: false })),
    Rule::Scan(|s| spaced(s, "!=", Op::Equals { flip: true })),
    Rule::Scan(|s| spaced(s, ">=", Op::Compare { or_equal: true, greater: true })),
    Rule::Scan(|s| spaced(s, "<=", Op::Compare { or_equal: true, greater: false })),
    Rule::Scan(|s| spaced(s, ">", Op::Compare { or_equal: false, greater: true })),
    Rule::Scan(|s| spaced(s, "<", Op::Compare { or_equal: false, greater: false })),
    words!(Op::Min, "min"),
    words!(Op::Max, "max"),
    Rule::Scan(|s| assign(s, "|=", true)),
    Rule::Scan(|s| assign(s, "=", false)),
    Rule::Scan(|s| run(s, |c| matches!(c, ' ' | '\t' | '\n')).map(|n| (n, Ok(None)))),
    Rule::Scan(wrapped_key),
    Rule::Scan(key),
    words!(Op::Pipe, "|"),
    words!(Op::Itself, "."),
    words!(Op::Union, ","),
    Rule::Scan(|s| merge(s, "*=", Op::MultiplyAssign)),
    Rule::Scan(|s| merge(s, "*", Op::Multiply)),
    words!(Op::Divide, "/"),
    words!(Op::Modulo, "%"),
    words!(Op::AddAssign, "+="),
    words!(Op::Add, "+"),
    words!(Op::SubtractAssign, "-="),
    words!(Op::Subtract, "-"),
    Rule::Scan(|s| s.starts_with('#').then(|| (s.find('\n').unwrap_or(s.len()), Ok(None)))),
    words!(Op::Pivot, "pivot"),
];

/// Splits an expression.
pub(super) fn lex(expression: &str) -> Result<Vec<Token>, QueryError> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < expression.len() {
        let rest = &expression[at..];
        let (length, token) = RULES.iter().find_map(|rule| apply(rule, rest)).ok_or_else(|| invalid(expression, at))?;
        tokens.extend(token?);
        at += length;
    }
    Ok(tokens)
}

fn apply(rule: &Rule, rest: &str) -> Option<Scanned> {
    match rule {
        Rule::Words(words, make) => words.iter().find(|w| rest.starts_with(**w)).map(|w| (w.len(), Ok(Some(make())))),
        Rule::Scan(scan) => scan(rest),
    }
}

fn invalid(expression: &str, at: usize) -> QueryError {
    let before = &expression[..at];
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().map_or(0, |l| l.chars().count()) + 1;
    let shown: String = expression[at..].chars().take(16).collect();
    QueryError::Bad(format!("{line}:{column}: invalid input text {shown:?}"))
}

fn found(length: usize, op: Op) -> Option<Scanned> {
    Some((length, Ok(Some(Token::Op(op)))))
}

/// The length of the characters at the start that are accepted, if there is one.
fn run(s: &str, accept: impl Fn(char) -> bool) -> Option<usize> {
    Some(s.find(|c| !accept(c)).unwrap_or(s.len())).filter(|&n| n > 0)
}

fn spaces(s: &str) -> usize {
    run(s, |c| matches!(c, ' ' | '\t' | '\n' | '\r' | '\x0c')).unwrap_or(0)
}

fn indent(n: i64) -> usize {
    usize::try_from(n).unwrap_or(0).min(64)
}

fn variable(s: &str) -> Option<Scanned> {
    let rest = s.strip_prefix('$')?;
    let n = run(rest, |c| c.is_ascii_alphanumeric() || c == '_' || c == '-')?;
    found(n + 1, Op::Variable(rest[..n].into()))
}

fn colon(s: &str) -> Option<Scanned> {
    let rest = s.strip_prefix(':')?;
    found(1 + spaces(rest), Op::CreateMap)
}

/// `name(12)`: digits alone, without spaces.
fn argument(s: &str, names: &[&str], negative: bool, op: fn(i64) -> Op) -> Option<Scanned> {
    let rest = names.iter().find_map(|n| s.strip_prefix(n))?.strip_prefix('(')?;
    let sign = usize::from(negative && rest.starts_with('-'));
    let digits = run(&rest[sign..], |c| c.is_ascii_digit())?;
    let tail = rest[sign + digits..].strip_prefix(')')?;
    let number = rest[..sign + digits].parse::<i64>();
    let token = number.map(|n| Some(Token::Op(op(n)))).map_err(|e| QueryError::Bad(e.to_string()));
    Some((s.len() - tail.len(), token))
}

fn comments(s: &str) -> Option<Scanned> {
    let rest = s.strip_prefix("comments")?;
    let rest = &rest[spaces(rest)..];
    let tail = rest.strip_prefix("|=").or_else(|| rest.strip_prefix('='))?;
    found(s.len() - tail.len(), Op::AssignLook)
}

fn number(s: &str) -> Option<Scanned> {
    if let Some(rest) = s.strip_prefix("0x").or_else(|| s.strip_prefix("0X"))
        && let Some(n) = run(rest, |c| c.is_ascii_hexdigit())
    {
        return scalar(&s[..n + 2], "!!int", i64::from_str_radix(&rest[..n], 16).is_ok());
    }
    let sign = usize::from(s.starts_with('-'));
    let body = &s[sign..];
    let digits = |t: &str| run(t, |c| c.is_ascii_digit());
    let fraction = |t: &str| t.strip_prefix('.').and_then(digits).map_or(0, |n| n + 1);
    // An exponent is read only after a single digit that is not zero, with or without a fraction.
    if body.starts_with(|c: char| matches!(c, '1'..='9')) {
        let after = |n: usize| {
            let rest = body[n..].strip_prefix(['e', 'E'])?;
            let signed = usize::from(rest.starts_with(['+', '-']));
            Some(sign + n + 1 + signed + digits(&rest[signed..])?)
        };
        if let Some(n) = after(1 + fraction(&body[1..])).or_else(|| after(1)) {
            return scalar(&s[..n], "!!float", true);
        }
    }
    let whole = digits(body)?;
    match fraction(&body[whole..]) {
        0 => scalar(&s[..sign + whole], "!!int", s[..sign + whole].parse::<i64>().is_ok()),
        n => scalar(&s[..sign + whole + n], "!!float", true),
    }
}

fn scalar(text: &str, tag: &'static str, in_range: bool) -> Option<Scanned> {
    if !in_range {
        return Some((text.len(), Err(QueryError::Bad(format!("{text}: value out of range")))));
    }
    found(text.len(), Op::Scalar { tag, text: text.into() })
}

fn literal(s: &str, word: &str, tag: &'static str) -> Option<Scanned> {
    let head = s.get(..word.len()).filter(|h| h.eq_ignore_ascii_case(word))?;
    scalar(head, tag, true)
}

fn text(s: &str) -> Option<Scanned> {
    let inner = s.strip_prefix('"')?;
    let mut escaped = false;
    for (i, c) in inner.char_indices() {
        match c {
            // A backslash takes any character but a line break with it.
            '\n' if escaped => return None,
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return found(i + 2, Op::Text(unescape(&inner[..i]).into())),
            _ => {}
        }
    }
    None
}

fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(i) = rest.find('\\') {
        out.push_str(&rest[..i]);
        let tail = &rest[i + 1..];
        let c = match tail.as_bytes().first() {
            // Kept for the interpolation, which reads `\\(` itself.
            Some(b'\\') if tail[1..].starts_with('(') => {
                out.push('\\');
                '\\'
            }
            Some(b'\\') => '\\',
            Some(b'"') => '"',
            Some(b'n') => '\n',
            Some(b't') => '\t',
            Some(b'r') => '\r',
            Some(b'f') => '\x0c',
            Some(b'v') => '\x0b',
            Some(b'b') => '\x08',
            Some(b'a') => '\x07',
            _ => {
                out.push('\\');
                rest = tail;
                continue;
            }
        };
        out.push(c);
        rest = &tail[1..];
    }
    out.push_str(rest);
    out
}

fn environment(s: &str, prefix: &str) -> Option<Scanned> {
    let n = run(s.strip_prefix(prefix)?, |c| c != ')')?;
    let end = prefix.len() + n;
    s[end..].strip_prefix(')')?;
    found(end + 1, Op::Unsupported("env", 0))
}

fn substitution(s: &str) -> Option<Scanned> {
    let rest = s.strip_prefix("envsubst(")?;
    let end = rest.find(')')?;
    let known = rest[..end].chars().all(|c| matches!(c, 'n' | 'e' | 'u' | 'f' | ' ' | ',')) && end > 0;
    known.then(|| (end + 10, Ok(Some(Token::Op(Op::Unsupported("envsubst", 0))))))
}

fn spaced(s: &str, sign: &str, op: Op) -> Option<Scanned> {
    let rest = s[spaces(s)..].strip_prefix(sign)?;
    found(s.len() - rest.len() + spaces(rest), op)
}

fn assign(s: &str, sign: &str, update: bool) -> Option<Scanned> {
    let rest = s.strip_prefix(sign)?;
    // `=c` overwrites custom tags; no data read here has one.
    found(sign.len() + run(rest, |c| c == 'c').unwrap_or(0), Op::Assign { update, only_null: false })
}

fn merge(s: &str, sign: &str, op: fn(MergePrefs) -> Op) -> Option<Scanned> {
    let rest = s.strip_prefix(sign)?;
    let n = run(rest, |c| matches!(c, '+' | '|' | '?' | 'c' | 'd' | 'n')).unwrap_or(0);
    let flags = &rest[..n];
    let prefs = MergePrefs {
        append: flags.contains('+'),
        deep_lists: flags.contains('d'),
        existing_only: flags.contains('?'),
        only_null: flags.contains('n'),
        globs: false,
    };
    found(sign.len() + n, op(prefs))
}

fn step(length: usize, name: &str) -> Option<Scanned> {
    let prefs = StepPrefs::default();
    found(length, Op::Step(Step::Key(Rc::from(name)), prefs))
}

fn wrapped_key(s: &str) -> Option<Scanned> {
    let rest = s.strip_prefix(".\"")?;
    let n = run(rest, |c| c != ' ' && c != '"')?;
    let tail = rest[n..].strip_prefix('"')?;
    let optional = tail.starts_with('?');
    let prefs = StepPrefs { optional, ..StepPrefs::default() };
    found(n + 3 + usize::from(optional), Op::Step(Step::Key(rest[..n].into()), prefs))
}

fn key(s: &str) -> Option<Scanned> {
    let rest = s.strip_prefix('.')?;
    let n = run(rest, |c| !" ;}{:[],|.()=\n!".contains(c))?;
    match rest[..n].strip_suffix('?') {
        Some(name) => {
            let prefs = StepPrefs { optional: true, ..StepPrefs::default() };
            found(n + 1, Op::Step(Step::Key(name.into()), prefs))
        }
        None => step(n + 1, &rest[..n]),
    }
}
