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
    // `password1` is one.
    if let Some(last) = words.last_mut() {
        last.truncate(last.trim_end_matches(|c: char| c.is_ascii_digit()).len());
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
const NAMING: &[&str] = &["name", "key", "variable", "env", "parameter"];
/// Keys of values that a sibling names.
const NAMED: &[&str] = &["value", "default", "content", "data", "val"];

/// Whether the text of a key names the value of a sibling.
pub(crate) fn is_naming(key: &str) -> bool {
    NAMING.iter().any(|naming| key.eq_ignore_ascii_case(naming))
}

/// Whether a sibling names the value of a key.
pub(crate) fn is_named_by(key: &str) -> bool {
    NAMED.iter().any(|named| key.eq_ignore_ascii_case(named))
}

/// Whether the text of a secret key only refers to the place of the secret.
pub(crate) fn is_reference(text: &str) -> bool {
    let text = text.trim();
    text.is_empty()
        || text.starts_with('!')
        || (text.starts_with("{{") && text.ends_with("}}"))
        || (text.starts_with("${") && text.ends_with('}'))
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
            _ => !["default", "//"].iter().any(|word| arguments.contains(word)),
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

/// Whether all texts in a reference are names that it looks up.
fn only_looks_up(reference: &str) -> bool {
    let steps = reference.split(['|', '(']);
    let mut with_text = steps.filter(|step| step.contains(['"', '`', '\'']));
    with_text.all(|step| {
        let name = step.trim_matches(['-', ' ']).split_whitespace().next().unwrap_or_default();
        LOOKUPS.contains(&name.rsplit('.').next().unwrap_or_default())
    })
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
}
