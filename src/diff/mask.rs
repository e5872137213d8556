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
        ranges = tokens::find(line);
    } else if let Some(first) = ranges.first().cloned() {
        ranges.splice(0..0, tokens::find(line).into_iter().filter(|t| t.end <= first.start));
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
    for colon in colons {
        let key = content[..colon].trim_end().trim_end_matches(['"', '\'']);
        let start = key
            .rfind(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/')))
            .map_or(0, |i| i + key[i..].chars().next().map_or(1, char::len_utf8));
        if is_secret_key(&key[start..]) || (all && first) {
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

/// The most lines that are looked at above a line.
const MAX_ABOVE: u32 = 300;

/// Whether a line of YAML lies in a block below a secret key, like the lines of a private key.
pub fn is_inside_secret(file: &File, line: u32) -> bool {
    let indentation = |text: &str| text.len() - text.trim_start().len();
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
    fn lines() {
        for (line, all, shown) in [
            ("  password: hunter2", false, "  password: *"),
            ("  - \"db-password\": 'x' # note", false, "  - \"db-password\": *"),
            ("  a: {name: x, token: abc}", false, "  a: {name: x, token: *"),
            ("  {\"token\":\"abc\"}", false, "  {\"token\":*"),
            ("  password: !store prod x", false, "  password: !store prod x"),
            ("  password: '{{ .locals.p }}'", false, "  password: '{{ .locals.p }}'"),
            ("  password: |", false, "  password: |"),
            ("  url: http://x:y@z", false, "  url: http://x:y@z"),
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
