//! Which keys name a secret.
//!
//! A key is split into words at every character other than letters and digits and where the case changes (`dbPassword`
//! is `db password`). It names a secret if it *ends* in a secret word: `db_password`, `clientSecret`, `api_key`. A key
//! that ends in another word describes a secret without being one: `secret_name`, `token_ttl`, `password_policy`,
//! `key_id`. Below a key that names a secret, everything is masked except values with such a harmless key.

/// Words that name a secret when they end a key.
const SECRET: &[&[&str]] = &[
    &["password"],
    &["passwords"],
    &["passwd"],
    &["pwd"],
    &["pass"],
    &["pw"],
    &["passcode"],
    &["passphrase"],
    &["secret"],
    &["token"],
    &["tokens"],
    &["credential"],
    &["credentials"],
    &["credentials", "json"],
    &["sig"],
    &["apikey"],
    &["api", "key"],
    &["api", "keys"],
    &["app", "key"],
    &["private", "key"],
    &["private", "key", "pem"],
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
    &["secret", "string"],
    &["secret", "value"],
    &["secret", "data"],
    &["password", "value"],
    &["token", "value"],
    &["authorization"],
    &["webhook", "url"],
];

/// Ends of last words that name a secret: `PGPASSWORD`, `clientsecret`.
const ENDINGS: &[&str] = &["password", "passwd", "passphrase", "apikey", "secret", "authtoken", "accesstoken"];

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
pub(crate) fn is_secret_key(key: &str) -> bool {
    let mut words = words(key);
    // `password1` and `password_1` are.
    if let Some(last) = words.last_mut() {
        last.truncate(last.trim_end_matches(|c: char| c.is_ascii_digit()).len());
    }
    if words.last().is_some_and(String::is_empty) {
        words.pop();
    }
    let ends = |secret: &&[&str]| {
        words.len() >= secret.len() && words.iter().rev().zip(secret.iter().rev()).all(|(a, b)| a == b)
    };
    SECRET.iter().any(ends) || words.last().is_some_and(|last| ENDINGS.iter().any(|end| last.ends_with(end)))
}

/// Whether the value of `key` is a secret, given whether its map is one.
pub(crate) fn is_secret_below(parent: bool, key: &str) -> bool {
    is_secret_key(key) || parent && !words(key).last().is_some_and(|last| HARMLESS.contains(&last.as_str()))
}

/// Keys whose text names the value of a sibling.
const NAMING: &[&str] = &["name", "key", "variable", "env", "parameter", "kind", "type"];
/// Keys of values that a sibling names.
const NAMED: &[&str] = &["value", "default", "content", "data", "val"];

/// Whether the item of a list that follows this one is a secret: `--db-password`.
pub(super) fn is_secret_flag(text: &str) -> bool {
    let name = text.trim_start_matches('-');
    name.len() < text.len() && !name.contains(['=', ' ']) && is_secret_key(name)
}

/// Whether the text of a key names the value of a sibling: `name`, `ParameterKey`, `kind: Secret`.
pub(crate) fn is_naming(key: &str) -> bool {
    ends_in(key, NAMING)
}

/// Whether a sibling names the value of a key.
pub(crate) fn is_named_by(key: &str) -> bool {
    ends_in(key, NAMED)
}

/// Whether the last word of a key is one of some.
fn ends_in(key: &str, all: &[&str]) -> bool {
    let tail = |word: &str| key.len().checked_sub(word.len()).filter(|at| key.is_char_boundary(*at));
    let is_last = |word: &&str| tail(word).is_some_and(|at| key[at..].eq_ignore_ascii_case(word));
    // Most keys end in none of them.
    all.iter().any(is_last) && words(key).last().is_some_and(|last| all.contains(&last.as_str()))
}

/// Texts of settings that have two or three states, and no secrets: `http_tokens = "required"`.
const STATES: &[&str] =
    &["required", "optional", "enabled", "disabled", "true", "false", "none", "null", "on", "off", "yes", "no"];

fn is_state(text: &str) -> bool {
    STATES.iter().any(|state| text.eq_ignore_ascii_case(state))
}

/// Whether the text of a secret key only refers to the place of the secret.
pub(crate) fn is_reference(text: &str) -> bool {
    let text = text.trim();
    text.is_empty()
        || is_state(text)
        || text.starts_with('!')
        || (text.starts_with("{{") && text.ends_with("}}"))
        || (text.starts_with("${") && text.ends_with('}'))
}

/// Whether the text of a secret key is none: it only refers to the place of the secret, or is the state of a switch.
pub(crate) fn is_no_secret(text: &str) -> bool {
    is_state(text.trim()) || only_refers(text)
}

/// Functions of templates whose texts name what they look up.
const LOOKUPS: &[&str] =
    &["env", "getenv", "expandenv", "index", "get", "datasource", "ds", "include", "Component", "Store"];

/// Whether the text of a secret key only refers to the place of the secret, and has no text that may be it: no default, no text
/// beside a reference, no text that a template prints.
pub(crate) fn only_refers(text: &str) -> bool {
    let text = text.trim();
    if let Some(call) = text.strip_prefix('!') {
        let (name, arguments) = call.split_once(char::is_whitespace).unwrap_or((call, ""));
        return match name {
            "env" => arguments.split_whitespace().count() <= 1,
            "template" => only_refers(arguments.trim().trim_matches(['\'', '"'])),
            _ => is_lookup(name) && !["default", "//"].iter().any(|word| arguments.contains(word)),
        };
    }
    if text.is_empty() {
        return true;
    }
    let (start, end) = if text.starts_with("{{") { ("{{", "}}") } else { ("${", "}") };
    let mut rest = text;
    while let Some(inner) = rest.strip_prefix(start) {
        let Some((reference, after)) = inner.split_once(end) else { return false };
        if !only_looks_up(reference) {
            return false;
        }
        rest = after;
    }
    rest.is_empty()
}

/// Functions of tags whose arguments name what they look up or run; of a name with dots the first part.
const TAGS: &[&str] = &[
    "store",
    "terraform",
    "include",
    "exec",
    "aws",
    "cloud",
    "git",
    "vault",
    "secret",
    "output",
    "cel",
    "repo-root",
    "cwd",
    "random",
    "unset",
    "emulator",
    "environment",
    "version",
    "labels",
    "tags",
    "append",
];

fn is_lookup(tag: &str) -> bool {
    TAGS.contains(&tag.split('.').next().unwrap_or_default())
}

/// Whether all texts and numbers in a reference are names that it looks up: the text belongs to the call whose name is first
/// between the nearest parenthesis or `|` and it. Variables of the environment may have a second one, which is a default.
fn only_looks_up(reference: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '$');
    if reference.trim_matches(['-', ' ']).starts_with("/*") {
        return false;
    }
    // The calls around, with the number of their texts.
    let mut calls: Vec<(&str, usize)> = vec![("", 0)];
    let mut rest = reference;
    while let Some(first) = rest.chars().next() {
        let mut length = first.len_utf8();
        if first == ')' && calls.len() > 1 {
            calls.pop();
        }
        let Some(call) = calls.last_mut() else { return false };
        match first {
            '(' => calls.push(("", 0)),
            '|' => *call = ("", 0),
            '"' | '`' | '\'' => {
                let name = call.0.rsplit('.').next().unwrap_or_default();
                let is_default = name.ends_with("env") && call.1 > 0;
                let Some(end) = end_of_text(rest, first).filter(|_| LOOKUPS.contains(&name) && !is_default) else {
                    return false;
                };
                call.1 += 1;
                length = end;
            }
            _ if is_word(first) => {
                length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
                if call.0.is_empty() {
                    if first.is_ascii_digit() {
                        return false;
                    }
                    call.0 = &rest[..length];
                }
            }
            _ => {}
        }
        rest = &rest[length..];
    }
    true
}

/// The length of the text in quotes that begins here.
fn end_of_text(text: &str, quote: char) -> Option<usize> {
    let mut is_escaped = false;
    let end = text[1..].find(|c| {
        let ends = c == quote && !is_escaped;
        is_escaped = c == '\\' && !is_escaped && quote != '`';
        ends
    });
    end.map(|end| end + 2)
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
            "PGPASSWORD",
            "password1",
            "pass",
            "clientsecret",
            "password_2",
            "db_pw",
            "tls_private_key_pem",
            "secretString",
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
    fn what_only_refers() {
        for text in [
            "{{ .locals.p }}",
            "{{ env \"PW\" }}",
            "{{ index .vars \"a\" | trim }}",
            "{{ (datasource \"x\" \"y\").z }}",
            "${var.p}",
            "!store prod x",
            "!env PW",
            "!template '{{ .a }}'",
            "",
        ] {
            assert!(only_refers(text), "{text}");
        }
        for text in [
            "x",
            "{{ .a }}x",
            "{{ 4711 }}",
            "{{ coalesce (env \"PW\") \"x\" }}",
            "{{ index (dict \"a\" \"x\") \"a\" }}",
            "{{ getenv \"PW\" \"x\" }}",
            "{{ .a | default \"x\" }}",
            "{{/* x */}}",
            "{{ \"x",
            "!env PW x",
            "!literal x",
            "!other x",
            "!store prod x | default y",
        ] {
            assert!(!only_refers(text), "{text}");
        }
    }

    #[test]
    fn states_are_no_secrets() {
        assert!(["required", "Enabled", " none", "{{ .a }}", ""].into_iter().all(is_no_secret));
        assert!(!["requiredx", "enabled 1", "hunter2"].into_iter().any(is_no_secret));
        assert!(!only_refers("required"), "what is declared to be sensitive is not shown");
    }

    #[test]
    fn keys_that_name_siblings() {
        assert!(["name", "Name", "ParameterKey", "secret-name"].into_iter().all(is_naming));
        assert!(["value", "ParameterValue", "DEFAULT"].into_iter().all(is_named_by));
        assert!(!is_naming("hostname") && !is_named_by("evaluable") && !is_named_by("é"));
    }
}
