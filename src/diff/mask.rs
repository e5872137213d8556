//! Which values look like secrets and are not to be shown in text.
//!
//! A key is split into words at everything that is no letter or digit and where the case changes (`dbPassword` is
//! `db password`). It names a secret if it *ends* in a secret word: `db_password`, `clientSecret`, `api_key`. What ends
//! in another word speaks about a secret without being one: `secret_name`, `token_ttl`, `password_policy`, `key_id`.
//! Below a key that names a secret everything is masked but what has such a harmless key of its own.
//!
//! Text and numbers are masked. Truth values, null and empty text are not, nor is text that only says where a secret is
//! kept: a template, a function call, an interpolation.

use super::{pointer, tokens};
use crate::files::File;
use crate::value::{Data, Map, Value};
use std::ops::Range;

/// What is shown instead.
pub const MASK: &str = "••••••••";

/// Words that name a secret when they end a key.
const SECRET: &[&[&str]] = &[
    &["password"],
    &["passwords"],
    &["passwd"],
    &["pwd"],
    &["passphrase"],
    &["secret"],
    &["token"],
    &["tokens"],
    &["credential"],
    &["credentials"],
    &["apikey"],
    &["api", "key"],
    &["api", "keys"],
    &["app", "key"],
    &["private", "key"],
    &["privatekey"],
    &["access", "key"],
    &["accesskey"],
    &["secret", "key"],
    &["secretkey"],
    &["signing", "key"],
    &["encryption", "key"],
    &["license", "key"],
    &["auth", "key"],
    &["shared", "key"],
    &["account", "key"],
    &["storage", "key"],
    &["host", "key"],
    &["password", "hash"],
    &["connection", "string"],
    &["webhook", "url"],
];

/// Last words of keys that are harmless even below a secret.
const HARMLESS: &[&str] = &[
    "name",
    "names",
    "arn",
    "id",
    "ids",
    "ttl",
    "path",
    "file",
    "type",
    "kind",
    "region",
    "version",
    "length",
    "enabled",
    "required",
    "description",
    "provider",
    "store",
    "policy",
    "rotation",
    "days",
    "env",
    "ref",
];

/// Whether the value under a key is a secret by the look of the key.
pub fn is_secret_key(key: &str) -> bool {
    let words = words(key);
    SECRET
        .iter()
        .any(|secret| words.len() >= secret.len() && words.iter().rev().zip(secret.iter().rev()).all(|(a, b)| a == b))
}

/// Whether what is at a path of keys is a secret: its own key or one around it says so.
pub fn is_secret_path<'a>(keys: impl IntoIterator<Item = &'a str>) -> bool {
    keys.into_iter().fold(false, is_secret_below)
}

/// Whether what is under `key` is a secret, given whether the map that holds it is one.
pub fn is_secret_below(parent: bool, key: &str) -> bool {
    is_secret_key(key) || parent && !words(key).last().is_some_and(|last| HARMLESS.contains(&last.as_str()))
}

/// Keys whose text names what stands beside it.
const NAMING: &[&str] = &["name", "key", "variable", "env", "parameter"];
/// Keys of what is named beside them.
const NAMED: &[&str] = &["value", "default", "content", "data", "val"];

/// Whether what is under `key` of a map is a secret: like [`is_secret_below`], and `{name: DB_PASSWORD, value: …}` counts.
pub fn is_secret_in(map: &Map, parent: bool, key: &str) -> bool {
    is_secret_below(parent, key) || is_named_by(key) && names_secret(map)
}

fn is_named_by(key: &str) -> bool {
    NAMED.iter().any(|named| key.eq_ignore_ascii_case(named))
}

/// Whether a map says by a text that what it holds is a secret.
fn names_secret(map: &Map) -> bool {
    let naming = map.iter().filter(|e| NAMING.iter().any(|naming| e.key.eq_ignore_ascii_case(naming)));
    naming.filter_map(|e| e.value.as_str()).any(is_secret_key)
}

/// Whether what is at a JSON Pointer into a value is a secret by what stands beside it there.
pub fn is_secret_beside(value: &Value, path: &str) -> bool {
    let mut at = Some(value);
    for key in pointer::keys(path) {
        let Some(value) = at else { return false };
        at = match &value.data {
            Data::Map(map) if is_named_by(&key) && names_secret(map) => return true,
            Data::Map(map) => map.get(&key),
            Data::List(items) => key.parse::<usize>().ok().and_then(|i| items.get(i)),
            _ => return false,
        };
    }
    false
}

/// Whether what is at a JSON Pointer is a secret.
pub fn is_secret_pointer(path: &str) -> bool {
    pointer::keys(path).fold(false, |parent, key| is_secret_below(parent, &key))
}

/// Whether text under a secret key tells nothing but where the secret is kept.
pub fn is_reference(text: &str) -> bool {
    let text = text.trim();
    text.is_empty()
        || text.starts_with('!')
        || (text.starts_with("{{") && text.ends_with("}}"))
        || (text.starts_with("${") && text.ends_with('}'))
}

/// Where the secret parts of a line of YAML are: byte ranges that do not overlap. With `all`, the value of its first key
/// counts as one whatever the key is, and so does a line without a key.
pub fn secret_ranges(line: &str, all: bool) -> Vec<Range<usize>> {
    let mut ranges = keyed_range(line, all);
    if ranges.is_empty() {
        // What is masked for its key reaches to the end of the line.
        ranges = tokens::shown(line);
    } else if let Some(first) = ranges.first().cloned() {
        ranges.splice(0..0, tokens::shown(line).into_iter().filter(|t| t.end <= first.start));
    }
    ranges
}

/// The part of a line that is secret because of its key.
fn keyed_range(line: &str, all: bool) -> Vec<Range<usize>> {
    let content = line.trim_end();
    let colons = content.match_indices(':').map(|(i, _)| i).filter(|i| {
        content[i + 1..].chars().next().is_none_or(char::is_whitespace) || content[..*i].ends_with(['"', '\''])
    });
    let mut first = true;
    let in_pair = line_names_secret(content);
    for colon in colons {
        let key = content[..colon].trim_end().trim_end_matches(['"', '\'']);
        let start = key
            .rfind(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/')))
            .map_or(0, |i| i + key[i..].chars().next().map_or(1, char::len_utf8));
        if is_secret_key(&key[start..]) || (all && first) || (in_pair && is_named_by(&key[start..])) {
            let value = &content[colon + 1..];
            let from = content.len() - value.trim_start().len();
            let plain = value.trim().trim_matches(['"', '\'']);
            // What opens a block or is an anchor, alias or truth value is no secret.
            let harmless = is_reference(plain)
                || matches!(plain, "|" | ">" | "|-" | ">-" | "|+" | ">+" | "true" | "false" | "null" | "~")
                || plain.starts_with(['#', '*']);
            return if harmless { Vec::new() } else { std::iter::once(from..content.len()).collect() };
        }
        first = false;
    }
    if all && first && !content.is_empty() {
        let from = content.find(|c: char| !(c.is_whitespace() || c == '-')).unwrap_or(content.len());
        return std::iter::once(from..content.len()).collect();
    }
    Vec::new()
}

/// Whether a line of YAML has a key like `name` with the name of a secret: `{name: DB_PASSWORD, …`.
fn line_names_secret(line: &str) -> bool {
    let parts = line.split(['{', ',', '}']).map(|part| part.trim().trim_start_matches("- "));
    parts.filter_map(|part| part.split_once(':')).any(|(key, value)| {
        let plain = |text: &str| text.trim().trim_matches(['"', '\'']).to_owned();
        NAMING.iter().any(|naming| plain(key).eq_ignore_ascii_case(naming)) && is_secret_key(&plain(value))
    })
}

/// Whether a line of YAML has a value that a line beside it names as a secret: `- name: DB_PASSWORD` and `  value: …`.
fn is_named_beside(file: &File, line: u32) -> bool {
    /// Lines of one entry of a list.
    const NEAR: u32 = 8;
    let text = |line: u32| file.line_text(line);
    let content = |line: u32| text(line).trim_start().trim_start_matches("- ").trim_start();
    let column = |line: u32| text(line).len() - content(line).len();
    let key = content(line).split(':').next().unwrap_or_default().trim_matches(['"', '\'']);
    if !is_named_by(key) {
        return false;
    }
    let is_entry = |l: &u32| !text(*l).trim().is_empty() && column(*l) >= column(line);
    let starts = |l: u32| text(l).trim_start().starts_with("- ") && column(l) == column(line);
    let above = (line.saturating_sub(NEAR).max(1)..line).rev();
    let own = |l: &u32| column(*l) == column(line) && line_names_secret(text(*l));
    let mut is_done = starts(line);
    for l in above.take_while(is_entry) {
        if is_done {
            break;
        }
        if own(&l) {
            return true;
        }
        is_done = starts(l);
    }
    (line + 1..=line + NEAR).take_while(|l| is_entry(l) && !starts(*l)).any(|l| own(&l))
}

/// The most lines that are looked at above a line.
const MAX_ABOVE: u32 = 300;

/// Whether a line of YAML lies in a block below a secret key, like the lines of a private key.
pub fn is_inside_secret(file: &File, line: u32) -> bool {
    let indentation = |text: &str| text.len() - text.trim_start().len();
    if is_named_beside(file, line) || is_in_private_key(file, line) {
        return true;
    }
    let own = file.line_text(line);
    let mut least = if own.trim().is_empty() { usize::MAX } else { indentation(own) };
    for above in (line.saturating_sub(MAX_ABOVE).max(1)..line).rev() {
        let text = file.line_text(above);
        if text.trim().is_empty() || indentation(text) >= least {
            continue;
        }
        least = indentation(text);
        let key = text.trim_start_matches([' ', '-']).split(':').next().unwrap_or_default();
        if is_secret_key(key.trim().trim_matches(['"', '\''])) {
            return true;
        }
        if least == 0 {
            return false;
        }
    }
    false
}

/// Whether a line is one of a private key that begins above it.
pub fn is_in_private_key(file: &File, line: u32) -> bool {
    let is_base64 = |line: u32| tokens::is_base64(file.line_text(line).trim());
    let mut above = (line.saturating_sub(MAX_ABOVE).max(1)..line).rev();
    is_base64(line) && above.find(|l| !is_base64(*l)).is_some_and(|l| tokens::starts_private_key(file.line_text(l)))
}

/// Lower-case words of a key.
fn words(key: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    let chars: Vec<char> = key.chars().collect();
    for (i, c) in chars.iter().enumerate() {
        if !c.is_alphanumeric() {
            words.extend((!word.is_empty()).then(|| std::mem::take(&mut word)));
            continue;
        }
        let before = i.checked_sub(1).map(|j| chars[j]);
        let after = chars.get(i + 1);
        let starts = c.is_uppercase()
            && before.is_some_and(|b| {
                b.is_lowercase() || b.is_numeric() || b.is_uppercase() && after.is_some_and(|a| a.is_lowercase())
            });
        if starts {
            words.extend((!word.is_empty()).then(|| std::mem::take(&mut word)));
        }
        word.extend(c.to_lowercase());
    }
    words.extend((!word.is_empty()).then_some(word));
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys() {
        for key in [
            "password",
            "db_password",
            "dbPassword",
            "DB-PASSWORD",
            "clientSecret",
            "API_KEY",
            "apiKey",
            "apikey",
            "aws_secret_access_key",
            "private.key",
            "GITHUB_TOKEN",
            "credentials",
            "SSHPrivateKey",
            "slack_webhook_url",
        ] {
            assert!(is_secret_key(key), "{key}");
        }
        for key in [
            "secret_name",
            "token_ttl",
            "secretArn",
            "password_policy",
            "access_key_id",
            "key",
            "public_key",
            "tokenizer",
            "secretary",
            "passwordless",
            "secrets",
            "keys",
            "kms_key_id",
            "s3_key",
            "",
            "_",
        ] {
            assert!(!is_secret_key(key), "{key}");
        }
    }

    #[test]
    fn paths() {
        for (path, secret) in [
            ("/vars/password", true),
            ("/vars/credentials/user", true),
            ("/vars/secret/name", false),
            ("/vars/secret/name/x", false),
            ("/vars/password/0", true),
            ("/vars/name", false),
            ("", false),
        ] {
            assert_eq!(is_secret_pointer(path), secret, "{path}");
        }
    }

    #[test]
    fn blocks_below_a_secret() {
        let files = crate::files::Files::default();
        let text = "vars:\n  private_key: |\n    MIIE\n\n    abcd\n  name: x\n  credentials:\n    - user: y\n";
        let file = files.get(files.add("a.yaml", "1", || text.into()));
        let inside: Vec<u32> = (1..=9).filter(|line| is_inside_secret(&file, *line)).collect();
        assert_eq!(inside, [3, 4, 5, 8, 9]);
    }

    #[test]
    fn values_that_are_named_beside() {
        let files = crate::files::Files::default();
        let text = "env:\n  - name: DB_PASSWORD\n    value: hunter2\n  - name: LEVEL\n    value: debug\n  - value: hunter3\n    name: API_KEY\n";
        let file = files.get(files.add("a.yaml", "1", || text.into()));
        let inside: Vec<u32> = (1..=7).filter(|line| is_inside_secret(&file, *line)).collect();
        assert_eq!(inside, [3, 6]);
        let json = r#"{"env":[{"name":"DB_PASSWORD","value":"a"},{"name":"LEVEL","value":"b"}]}"#;
        let value = crate::value::json::parse(json).unwrap();
        let secret = |path: &str| is_secret_beside(&value, path);
        assert!(secret("/env/0/value") && !secret("/env/1/value") && !secret("/env/0/name"));
    }

    #[test]
    fn lines() {
        for (line, all, shown) in [
            ("  password: hunter2", false, "  password: *"),
            ("  - \"db-password\": 'x' # note", false, "  - \"db-password\": *"),
            ("  a: {name: x, token: abc}", false, "  a: {name: x, token: *"),
            ("  {\"token\":\"abc\"}", false, "  {\"token\":*"),
            ("  password: !store prod x", false, "  password: !store prod x"),
            ("  password: '{{ .locals.p }}'", false, "  password: '{{ .locals.p }}'"),
            ("  password: |", false, "  password: |"),
            ("  url: http://x:y@z", false, "  url: http://x:*@z"),
            ("  - {name: DB_PASSWORD, value: hunter2}", false, "  - {name: DB_PASSWORD, value: *"),
            ("  - {value: hunter2, name: DB_PASSWORD}", false, "  - {value: *"),
            ("  - {name: LEVEL, value: debug}", false, "  - {name: LEVEL, value: debug}"),
            ("  name: value", true, "  name: *"),
            ("    - value", true, "    - *"),
            ("  secret:", true, "  secret:"),
            ("", true, ""),
            ("é: ü", true, "é: *"),
        ] {
            let mut text = line.to_owned();
            for range in secret_ranges(line, all).into_iter().rev() {
                text.replace_range(range, "*");
            }
            assert_eq!(text, shown, "{line}");
        }
    }
}
