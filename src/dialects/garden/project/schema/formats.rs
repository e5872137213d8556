//! The formats of texts.

use regex::Regex;
use std::sync::LazyLock;

/// The format of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// Any text.
    Any,
    /// A text that is not empty.
    Filled,
    /// A name that users give: of an action, an environment, a template.
    Identifier,
    /// A name of a type, a provider, a project.
    Name,
    /// The name of an environment variable that Garden does not set itself.
    EnvName,
    /// One of these words.
    Words(&'static [&'static str]),
    /// A text of at most this many characters.
    Short(usize),
    Path,
    RelativePath,
    InnerPath,
    /// An inner path with wildcards.
    Pattern,
    /// An inner path of any characters.
    Inside,
    /// The name of a file.
    FileName,
    /// An absolute path.
    AbsolutePath,
    /// An absolute path with wildcards.
    AbsolutePattern,
    Repository,
    Url,
    /// An action by its kind and name.
    Reference,
}

/// What a relative reference may consist of (RFC 3986, section 4.2): characters as they are, or their codes.
static REFERENCE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"^(?://)?(?:[A-Za-z0-9\-._~!$&'()*+,;=:@/]|%[0-9A-Fa-f]{2})*(?:\?(?:[A-Za-z0-9\-._~!$&'()*+,;=:@/?]|%[0-9A-Fa-f]{2})*)?(?:#(?:[A-Za-z0-9\-._~!$&'()*+,;=:@/?]|%[0-9A-Fa-f]{2})*)?$").ok()
});
static REMOTE: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(?:git|ssh|https?|git@[-\w.]+):").ok());
static URL: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"^[A-Za-z][A-Za-z0-9+.\-]*:\S+$").ok());

fn matches(pattern: &LazyLock<Option<Regex>>, text: &str) -> bool {
    pattern.as_ref().is_none_or(|pattern| pattern.is_match(text))
}

impl Format {
    /// Whether a text has it.
    pub(super) fn has(self, text: &str) -> bool {
        match self {
            Format::Any => true,
            Format::Filled => !text.is_empty(),
            Format::Identifier => is_identifier(text),
            Format::Name => is_name(text),
            Format::EnvName => is_env_name(text),
            Format::Words(words) => words.contains(&text),
            Format::Short(most) => !text.is_empty() && text.encode_utf16().count() <= most,
            Format::Path => is_path(text) && !text.contains(['*', '?']),
            Format::RelativePath => Format::Path.has(text) && !text.starts_with('/'),
            Format::InnerPath => Format::Path.has(text) && is_inner(text),
            Format::Pattern => is_path(text) && is_inner(text),
            Format::Inside => !text.starts_with('/') && !text.contains(".."),
            Format::FileName => Format::Path.has(text) && !text.contains('/'),
            Format::AbsolutePath => Format::Path.has(text) && text.starts_with('/'),
            Format::AbsolutePattern => is_path(text) && text.starts_with('/'),
            Format::Repository => {
                let names_commit = text.rsplit_once('#').is_some_and(|(url, _)| !url.is_empty());
                matches(&REMOTE, text) && names_commit || text.starts_with("file:/")
            }
            Format::Url => matches(&URL, text),
            Format::Reference => text.split_once('.').is_some_and(|(kind, name)| {
                let is_kind = |known: &str| kind.eq_ignore_ascii_case(known);
                ["build", "deploy", "run", "test"].into_iter().any(is_kind) && is_name(name)
            }),
        }
    }

    /// What a text must be.
    pub(super) fn described(self) -> String {
        match self {
            Format::Any => "a string".to_owned(),
            Format::Filled => "a string that is not empty".to_owned(),
            Format::Identifier => "a name: lower-case letters, digits and single dashes, with a letter first, without \
                                   `garden` at the beginning, of at most 63 characters"
                .to_owned(),
            Format::Name => "a name: lower-case letters, digits and dashes between them, not only digits, at most 63 \
                             characters"
                .to_owned(),
            Format::EnvName => "the name of an environment variable: letters, digits, `_` and `.`, no digit first, \
                                without `garden` at the beginning"
                .to_owned(),
            Format::Words(words) => format!("one of {}", words.join(", ")),
            Format::Short(most) => format!("a string of at most {most} characters"),
            Format::Path => "a path without wildcards".to_owned(),
            Format::RelativePath => "a relative path without wildcards".to_owned(),
            Format::InnerPath => "a relative path without `..` and without wildcards".to_owned(),
            Format::Pattern => "a relative path without `..`, in the characters of a URL".to_owned(),
            Format::Inside => "a relative path without `..`".to_owned(),
            Format::FileName => "the name of a file".to_owned(),
            Format::AbsolutePath => "an absolute path without wildcards".to_owned(),
            Format::AbsolutePattern => "an absolute path, in the characters of a URL".to_owned(),
            Format::Repository => "the address of a Git repository with a branch or tag, like \
                                   `https://example.com/repository.git#main`"
                .to_owned(),
            Format::Url => "a URL".to_owned(),
            Format::Reference => "the kind and the name of an action, like `build.api`".to_owned(),
        }
    }
}

/// Whether a text is a path: a relative reference without a scheme.
fn is_path(text: &str) -> bool {
    let first = text.split('/').next().unwrap_or_default();
    !text.is_empty() && matches(&REFERENCE, text) && !first.split(['?', '#']).next().unwrap_or_default().contains(':')
}

fn is_inner(text: &str) -> bool {
    !text.starts_with('/') && !text.split('/').any(|part| part == "..")
}

/// Whether a text is a valid name that users give.
fn is_identifier(name: &str) -> bool {
    let mut parts = name.split('-');
    let is_word = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    name.len() <= 63
        && !name.starts_with("garden")
        && name.starts_with(|c: char| c.is_ascii_lowercase())
        && parts.all(is_word)
}

fn is_name(name: &str) -> bool {
    let is_known = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    (1..=63).contains(&name.len())
        && name.bytes().all(is_known)
        && !name.starts_with('-')
        && !name.ends_with('-')
        && !name.bytes().all(|b| b.is_ascii_digit())
}

fn is_env_name(name: &str) -> bool {
    let is_reserved = name.get(..6).is_some_and(|start| start.eq_ignore_ascii_case("garden"));
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.'))
        && !is_reserved
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_accept_what_garden_accepts() {
        let good = [
            (Format::Identifier, "api-2"),
            (Format::Name, "2-api"),
            (Format::Name, "garden-x"),
            (Format::EnvName, "_A.b1"),
            (Format::Path, "../a/b.yml"),
            (Format::Path, "/a"),
            (Format::RelativePath, "../x%20y"),
            (Format::Pattern, "**/*.yml"),
            (Format::Repository, "git@github.com:a/b.git#main"),
            (Format::Repository, "git+https://example.com/a/b#v1"),
            (Format::Repository, "file:///tmp/x"),
            (Format::Url, "https://app.example.com"),
            (Format::Reference, "Build.api"),
        ];
        for (format, text) in good {
            assert!(format.has(text), "{format:?} {text}");
        }
        let bad = [
            (Format::Filled, ""),
            (Format::Identifier, "garden-x"),
            (Format::Identifier, "a--b"),
            (Format::Identifier, "2a"),
            (Format::Name, "12"),
            (Format::Name, "a-"),
            (Format::Name, "A"),
            (Format::EnvName, "Garden_X"),
            (Format::EnvName, "1A"),
            (Format::EnvName, "a-b"),
            (Format::Path, "a b"),
            (Format::Path, "*.yml"),
            (Format::Path, "a:b"),
            (Format::Path, "[a]"),
            (Format::Path, ""),
            (Format::RelativePath, "/a"),
            (Format::InnerPath, "../a"),
            (Format::InnerPath, "a/.."),
            (Format::Pattern, "{a,b}"),
            (Format::FileName, "a/b"),
            (Format::AbsolutePath, "a"),
            (Format::Repository, "https://example.com/a/b"),
            (Format::Repository, "example#main"),
            (Format::Url, "app"),
            (Format::Reference, "api"),
            (Format::Reference, "module.api"),
            (Format::Short(3), "abcd"),
            (Format::Words(&["a", "b"]), "c"),
        ];
        for (format, text) in bad {
            assert!(!format.has(text), "{format:?} {text}");
        }
    }
}
