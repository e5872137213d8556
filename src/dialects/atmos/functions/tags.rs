//! The YAML tags of Atmos (`reference: atmos.md` section 8.2).

use crate::value;

/// How a tagged node is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tag {
    /// The tag is kept as a prefix of the text: a call for later.
    Call,
    /// The tag is dropped.
    Literal,
    /// A list that continues the one below it.
    Append,
    /// The content of another file; `raw` takes it as text.
    Include {
        /// Whether the file is taken as text whatever its format.
        raw: bool,
    },
}

/// Tags that stay in front of their text.
const CALLS: [&str; 33] = [
    "!aws.account_id",
    "!aws.caller_identity_arn",
    "!aws.caller_identity_user_id",
    "!aws.organization_id",
    "!aws.region",
    "!cel",
    "!cwd",
    "!emulator",
    "!env",
    "!exec",
    "!git.branch",
    "!git.host",
    "!git.name",
    "!git.owner",
    "!git.ref",
    "!git.repository",
    "!git.root",
    "!git.sha",
    "!git.url",
    "!labels",
    "!labels.keys",
    "!labels.values",
    "!random",
    "!repo-root",
    "!secret",
    "!store",
    "!store.get",
    "!tags",
    "!template",
    "!terraform.output",
    "!terraform.state",
    "!unset",
    "!version",
];

/// Returns the meaning of a tag; `None` if Atmos rejects it.
pub(crate) fn lookup(tag: &str) -> Option<Tag> {
    match tag {
        "!literal" => Some(Tag::Literal),
        "!append" => Some(Tag::Append),
        "!include" => Some(Tag::Include { raw: false }),
        "!include.raw" => Some(Tag::Include { raw: true }),
        tag if CALLS.binary_search(&tag).is_ok() => Some(Tag::Call),
        _ => None,
    }
}

/// The name that a text begins with and its trimmed argument. A name ends where no letter, digit, `.`, `-` or `_` follows:
/// `!template{}` is `!template` with `{}`, and `!envx` is not `!env` (`reference: atmos.md` section 8.2).
pub(crate) fn split(text: &str) -> (&str, &str) {
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    let end = text.char_indices().skip(1).find(|(_, c)| !is_name(*c)).map_or(text.len(), |(at, _)| at);
    (&text[..end], text[end..].trim())
}

/// Whether a text is a call of one of the functions.
pub(crate) fn is_call(text: &str) -> bool {
    value::is_call(text) && lookup(split(text).0).is_some()
}

/// All tags that Atmos supports, for suggestions.
pub(crate) fn all() -> impl Iterator<Item = &'static str> {
    CALLS.iter().copied().chain(["!append", "!include", "!include.raw", "!literal"])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_complete() {
        assert!(CALLS.is_sorted());
        assert!(all().all(|t| lookup(t).is_some()));
        assert_eq!(lookup("!Env"), None);
        assert_eq!(lookup("!include.raw"), Some(Tag::Include { raw: true }));
    }
}
