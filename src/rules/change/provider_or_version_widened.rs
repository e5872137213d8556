//! `provider-or-version-widened`: a version constraint allows more versions.

use super::version_changed::source_changes;
use super::{Changes, Phrase, dotted, transition};
use crate::diagnostic::Diagnostic;
use crate::diff::Change;
use crate::rules::rule;
use crate::terraform::address::Address;
use crate::value::Value;

rule!(
    PROVIDER_OR_VERSION_WIDENED,
    "provider-or-version-widened",
    Change,
    "0.1.0",
    "a version is less pinned than before"
);

pub(super) fn check(changes: &Changes<'_>) -> Vec<Diagnostic> {
    changes.by_cause(&PROVIDER_OR_VERSION_WIDENED, &changes.components, |changed| {
        let constraints = changed.vocabulary().versions.iter().flat_map(|path| changed.at(path));
        let is_version = |c: &&Change| {
            let key = c.path.rsplit('/').next().unwrap_or_default();
            changed.vocabulary().version_keys.contains(&key)
        };
        let widened = constraints.filter(is_version).filter(|c| width(&c.after) > width(&c.before)).map(|c| {
            let name = dotted(&c.path);
            (&c.causes[..], widens(&name, c))
        });
        let unpinned = source_changes(changed).into_iter().filter_map(|c| {
            let (before, after) = (c.before.as_ref()?.as_str()?, c.after.as_ref()?.as_str()?);
            let is_unpinned = Address::parse(before).is_pinned() && !Address::parse(after).is_pinned();
            let name = dotted(&c.path);
            is_unpinned.then(|| (&c.causes[..], widens(&name, c)))
        });
        widened.chain(unpinned).collect()
    })
}

fn widens(name: &str, change: &Change) -> Phrase {
    let details = format!("`{name}` {}", transition(change.before.as_ref(), change.after.as_ref()));
    Phrase::new("allows more versions", "allow more versions", details)
}

/// How much a constraint lets in: 0 one version, 1 a range with an end, 2 a range without one, 3 anything. What is not
/// known lets in nothing new.
fn width(value: &Option<Value>) -> u8 {
    let Some(value) = value else { return 3 };
    let Some(text) = value.as_str() else { return 0 };
    if text.contains("{{") || text.starts_with('!') {
        return 0;
    }
    if text.is_empty() || !text.bytes().any(|b| b.is_ascii_digit()) {
        return 3;
    }
    let bounded = |part: &str| {
        let part = part.trim();
        part.starts_with("~>")
            || part.starts_with('<')
            || part.starts_with(|c: char| c.is_ascii_digit() || c == 'v' || c == '=')
    };
    let exact = |part: &str| part.trim().starts_with(|c: char| c.is_ascii_digit() || c == 'v' || c == '=');
    if text.split(',').any(exact) {
        0
    } else if text.split(',').any(bounded) {
        1
    } else {
        2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constraints_by_what_they_let_in() {
        for (text, expected) in [
            ("1.2.3", 0),
            ("= 1.2.3", 0),
            ("v1", 0),
            ("~> 1.2", 1),
            (">= 1, < 2", 1),
            (">= 1", 2),
            ("latest", 3),
            ("", 3),
        ] {
            assert_eq!(width(&Some(Value::str(text))), expected, "{text}");
        }
        assert_eq!(width(&None), 3);
        assert_eq!(width(&Some(Value::str("{{ .vars.v }}"))), 0);
    }
}
