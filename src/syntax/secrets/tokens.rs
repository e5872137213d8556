//! Text that is a secret whatever its key is: keys and tokens of well-known services, private keys.

use super::keys::{is_no_secret, is_secret_key};
use aho_corasick::{AhoCorasick, MatchKind};
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// The formats, as published by the services. Each requires so many characters of several kinds that no word matches.
static SHAPES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let shapes = [
        // AWS access key ids of users and sessions.
        r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b",
        // GitHub.
        r"\bgh[pousr]_[0-9A-Za-z]{36,}\b",
        r"\bgithub_pat_[0-9A-Za-z_]{60,}\b",
        // GitLab, Slack, Stripe, Google, npm.
        r"\bglpat-[0-9A-Za-z_-]{20,}",
        r"\bxox[abeprs]-[0-9A-Za-z-]{20,}",
        r"\b[rs]k_live_[0-9A-Za-z]{20,}\b",
        r"\bAIza[0-9A-Za-z_-]{35}",
        r"\bnpm_[0-9A-Za-z]{36}\b",
        // A signed JSON Web Token.
        r"\beyJ[0-9A-Za-z_-]{10,}\.eyJ[0-9A-Za-z_-]{10,}\.[0-9A-Za-z_-]{10,}",
        r"-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----(?s:.*?-----END (?:[A-Z]+ )*PRIVATE KEY-----|.*)",
    ];
    Regex::new(&shapes.join("|")).ok()
});

/// Fragments that occur in every format; most text contains none of them.
const HINTS: [&str; 15] = [
    "AKIA",
    "ASIA",
    "ghp_",
    "gho_",
    "ghu_",
    "ghs_",
    "ghr_",
    "github_pat_",
    "glpat-",
    "xox",
    "k_live_",
    "AIza",
    "npm_",
    "eyJ",
    "PRIVATE",
];

/// Whether [`find`] may find something. Cheap.
pub(crate) fn may_be_in(text: &str) -> bool {
    // Searches that prefer the leftmost match use vector instructions.
    static SEARCH: LazyLock<Option<AhoCorasick>> =
        LazyLock::new(|| AhoCorasick::builder().match_kind(MatchKind::LeftmostFirst).build(HINTS).ok());
    SEARCH.as_ref().is_none_or(|search| search.is_match(text))
}

/// Whether [`find`] may find something in a scalar of a YAML document. Cheap: scalars have their text from the document, except
/// that escapes become other characters and line breaks become spaces, which only private keys have.
pub(crate) fn may_be_in_document(text: &str) -> bool {
    text.contains('\\') || may_be_in(text)
}

/// Whether a line begins a private key that does not end in it.
pub(crate) fn starts_private_key(line: &str) -> bool {
    line.contains("-----BEGIN ") && line.contains("PRIVATE KEY-----") && !line.contains("-----END ")
}

/// Whether a line without its indentation can be one of a private key: base64.
pub(crate) fn is_base64(content: &str) -> bool {
    !content.is_empty() && content.chars().all(|c| c.is_ascii_alphanumeric() || "+/=".contains(c))
}

/// Returns the byte ranges of secrets in a text, in order. A private key extends to its end.
pub(crate) fn find(text: &str) -> Vec<Range<usize>> {
    if !may_be_in(text) {
        return Vec::new();
    }
    let Some(shapes) = &*SHAPES else { return Vec::new() };
    let found = shapes.find_iter(text).map(|m| m.range());
    // The example keys of the AWS documentation are not secrets.
    found.filter(|range| !text[range.clone()].ends_with("EXAMPLE")).collect()
}

/// Passwords and tokens recognized by their context: `scheme://user:PASSWORD@host`, `Bearer TOKEN`, `Basic TOKEN`.
static PLACES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let places = [
        // A user may be an address, a password have anything but white space; a quote that a delimiter follows ends a text.
        r#"\b[A-Za-z][A-Za-z0-9+.-]*://[^\s/?\#:"']*:(?<password>(?:[^\s"']|["'][^\s"',:;\]})\\])+)@"#,
        r#"\b(?i:https?)://(?<user>[0-9A-Za-z_-]{16,})@"#,
        r"\b(?i:bearer|basic)\s+(?<token>[0-9A-Za-z_~+/.=-]{16,})",
    ];
    Regex::new(&places.join("|")).ok()
});

/// An assignment in a connection string or a command: `Password=b;`, `PASSWORD="b c"`, `--password b`.
static ASSIGNED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let value = r#"(?:\\?"(?<double>[^"\\$\{*\n][^"\\\n]*)|'(?<single>[^'$\{*\n][^'\n]*)|(?<value>[^\s;&"'=<>$\{*\\-][^\s;&"'\\]*))"#;
    Regex::new(&format!(r"(?:(?<key>[A-Za-z][A-Za-z0-9_.-]*)=|--(?<flag>[A-Za-z][A-Za-z0-9-]*)[ ]+){value}")).ok()
});

/// An entry of a map, or an assignment with space, that is a part of a text: a file of values, JSON, headers. It has a line or a
/// part between braces and commas of its own.
static EMBEDDED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let start = r#"(?m)(?:^[ \t]*(?:-[ \t]+)?(?:export[ \t]+)?|["'\{,][ \t]*)(?:\\?["'])?"#;
    let key = r#"(?<key>[A-Za-z][A-Za-z0-9_.-]*)(?:\\?["'])?[ \t]*[:=][ \t]*"#;
    let value = r#"(?:\\?"(?<double>[^"\\\n]+)|'(?<single>[^'\n]+)|(?<value>[^\s,;"'\{}\[\]|>&*#\\$<][^,;"'}\n\\]*))"#;
    Regex::new(&format!("{start}{key}{value}")).ok()
});

/// Returns the secrets in a text for people, in order: those of [`find`], and those in URLs, headers and connection strings. References to
/// passwords (`${PASSWORD}`, `{{ .password }}`) are not secrets.
pub(crate) fn shown(text: &str) -> Vec<Range<usize>> {
    let mut found = find(text);
    let has_scheme = |text: &str| ["bearer ", "basic "].iter().any(|scheme| text.contains(scheme));
    if text.contains("://") || text.contains(' ') && has_scheme(&text.to_ascii_lowercase()) {
        let places = PLACES.iter().flat_map(|regex| regex.captures_iter(text));
        let inner = places.filter_map(|c| ["password", "user", "token"].iter().find_map(|name| c.name(name)));
        let is_port = |text: &str| text.trim_start_matches(|c: char| c.is_ascii_digit()).starts_with('/');
        let is_shown = |text: &str| text.starts_with(['$', '{', '<', '*']) || is_port(text);
        found.extend(inner.filter(|m| !is_shown(m.as_str())).map(|m| m.range()));
    }
    if text.contains('=') || text.contains("--") {
        found.extend(assigned(&ASSIGNED, text));
    }
    in_order(found)
}

/// Returns the secrets in a text that is a value as a whole, in order: those of [`shown`], and entries of what is written in it.
pub(crate) fn within(text: &str) -> Vec<Range<usize>> {
    let mut found = shown(text);
    if text.contains([':', '=']) {
        found.extend(assigned(&EMBEDDED, text));
    }
    in_order(found)
}

/// The values of secret keys that an expression finds, except what only refers to one.
fn assigned<'a>(regex: &'static LazyLock<Option<Regex>>, text: &'a str) -> impl Iterator<Item = Range<usize>> + 'a {
    let all = regex.iter().flat_map(move |regex| regex.captures_iter(text));
    all.filter_map(|found| {
        let of = |names: &[&str]| names.iter().find_map(|name| found.name(name));
        of(&["key", "flag"]).filter(|key| is_secret_key(key.as_str()))?;
        let value = of(&["double", "single", "value"])?;
        let plain = value.as_str().trim_end();
        let is_shown = plain == "~" || is_no_secret(plain);
        (!is_shown).then(|| value.start()..value.start() + plain.len())
    })
}

fn in_order(mut found: Vec<Range<usize>>) -> Vec<Range<usize>> {
    if found.len() > 1 {
        found.sort_by_key(|range| range.start);
        found.dedup_by(|later, earlier| later.start < earlier.end);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_in_urls_and_headers() {
        for (text, shown_as) in [
            ("postgres://user:hunter2@host:5432/db", "postgres://user:*@host:5432/db"),
            ("redis://:p@ss@host", "redis://:*@host"),
            ("a https://x:y@b c amqp://q:w@e", "a https://x:*@b c amqp://q:*@e"),
            ("Authorization: Bearer abcdefghijklmnop123", "Authorization: Bearer *"),
            ("https://0123456789abcdef0123@github.com/a/b", "https://*@github.com/a/b"),
            ("postgres://user:${PW}@host", "postgres://user:${PW}@host"),
            ("https://host:8080/a@b", "https://host:8080/a@b"),
            ("ssh://git@github.com/a/b", "ssh://git@github.com/a/b"),
            ("basic words", "basic words"),
            ("postgres://me@corp.com:hunter2@h", "postgres://me@corp.com:*@h"),
            ("postgres://u:it's#a/b@h/d", "postgres://u:*@h/d"),
            ("['http://a:80','me@x']", "['http://a:80','me@x']"),
            ("Password='a b';Port=1", "Password='*';Port=1"),
            ("export DB_PASSWORD=\"a\"", "export DB_PASSWORD=\"*\""),
            ("mysql --password a -h b", "mysql --password * -h b"),
            ("mysql --password -h b", "mysql --password -h b"),
            ("PASSWORD=$PW --token ${T}", "PASSWORD=$PW --token ${T}"),
        ] {
            let mut safe = text.to_owned();
            for range in shown(text).into_iter().rev() {
                safe.replace_range(range, "*");
            }
            assert_eq!(safe, shown_as, "{text}");
        }
    }

    #[test]
    fn entries_in_texts() {
        for (text, shown_as) in [
            ("db:\n  password: a b\n  name: c", "db:\n  password: *\n  name: c"),
            ("{\"password\":\"a\",\"n\":\"b\"}", "{\"password\":\"*\",\"n\":\"b\"}"),
            ("{\\\"password\\\":\\\"a\\\"}", "{\\\"password\\\":\\\"*\\\"}"),
            ("[db]\npassword = a\n", "[db]\npassword = *\n"),
            ("X-Api-Key: a", "X-Api-Key: *"),
            ("password: ${PW}", "password: ${PW}"),
            ("the password: none is set", "the password: none is set"),
            ("password: |", "password: |"),
            ("password: true", "password: true"),
            ("token_url: a", "token_url: a"),
        ] {
            let mut safe = text.to_owned();
            for range in within(text).into_iter().rev() {
                safe.replace_range(range, "*");
            }
            assert_eq!(safe, shown_as, "{text}");
        }
    }

    #[test]
    fn documents_with_tokens_in_scalars_are_recognized() {
        let key = "-----BEGIN RSA PRIVATE KEY-----";
        let texts = [
            format!("a: AKIA{}", "Z7".repeat(8)),
            format!("a: {}", key.replace(' ', "\n  ")),
            "a: \"\\x41KIA\"".to_owned(),
        ];
        assert!(texts.iter().all(|text| may_be_in_document(text)));
        assert!(!may_be_in_document("a: b # words"));
    }

    #[test]
    fn secrets_and_what_looks_like_them() {
        let long = "a1B2c3D4e5F6g7H8i9J0a1B2c3D4e5F6g7H8i9J0";
        for secret in [
            format!("AKIA{}", "Z7".repeat(8)),
            format!("ghp_{long}"),
            format!("x: glpat-{}", &long[..20]),
            format!("eyJ{0}.eyJ{0}.{0}", &long[..12]),
            "-----BEGIN RSA PRIVATE KEY-----\nMII".to_owned(),
            "-----BEGIN PRIVATE KEY-----".to_owned(),
        ] {
            assert_eq!(find(&secret).len(), 1, "{secret}");
        }
        for text in
            ["AKIAIOSFODNN7EXAMPLE", "AKIA123", "ghp_short", "eyJ", "-----BEGIN PUBLIC KEY-----", "xox", "words"]
        {
            assert!(find(text).is_empty(), "{text}");
        }
    }
}
