//! `provider-target-changed`: a provider acts in another region, account or project, or on another server.

use super::{Changed, Changes, Phrase, transition};
use crate::diagnostic::{Diagnostic, Level};
use crate::diff::{Change, MANAGED_BY, Status, mask};
use crate::resolution::{Component, RemovalEffect, Resolution};
use crate::rules::rule;
use crate::text::Text;
use crate::value::{Data, Flags, Value};

rule!(
    PROVIDER_TARGET_CHANGED,
    "provider-target-changed",
    Change,
    "0.1.0",
    "a provider acts in another region, account or project, or on another server",
    Some(Level::Danger)
);

pub(super) fn check(changes: &Changes<'_>) -> Vec<Diagnostic> {
    let found = changes.by_cause(&PROVIDER_TARGET_CHANGED, &changes.components, |changed| {
        let words = changed.vocabulary().target_words;
        let is_managed_elsewhere = is_managed_elsewhere(changes, changed);
        if changed.change.status != Status::Modified {
            return Vec::new();
        }
        let is_manager = |change: &Change| is_managed_elsewhere && change.path == MANAGED_BY;
        let is_target =
            |change: &&Change| !is_same_expression(change) && (names_target(&change.path, words) || is_manager(change));
        let describe = |change: &'_ Change| {
            let name = change.path.rsplit('/').find(|part| !is_index(part)).unwrap_or_default();
            let secret = change.is_secret.then(|| mask::MASK.to_owned());
            let values = secret.unwrap_or_else(|| transition(change.before.as_ref(), change.after.as_ref()));
            let is_unknown =
                [&change.before, &change.after].into_iter().flatten().any(|value| value.holds(Flags::UNKNOWN));
            let (one, several) = match is_unknown {
                true => ("may act somewhere else", "may act somewhere else"),
                false => ("acts somewhere else", "act somewhere else"),
            };
            Phrase::new(one, several, format!("`{name}` {values}"))
        };
        changed.change.changes.iter().filter(is_target).map(|c| (&c.causes[..], describe(c))).collect()
    });
    let note =
        "what it manages is searched in the new place: a plan finds none of it there and creates everything again";
    let help = "use a second configuration with an `alias` for the new place";
    found.into_iter().map(|finding| finding.note(note).help(help)).collect()
}

/// Whether both values are unknown results of the same expression. That what it is made of differs, such as another argument of the
/// resource that it reads, says nothing about the place; the report shows it as not known.
fn is_same_expression(change: &Change) -> bool {
    let text = |value: &Option<Value>| match value.as_ref().map(|value| &value.data) {
        Some(Data::Unknown(unknown)) => Some(Text::clone(&unknown.text)),
        _ => None,
    };
    let before = text(&change.before);
    change.is_same_call || before.is_some() && before == text(&change.after)
}

/// Whether another configuration manages a component, which is not the same under another name.
fn is_managed_elsewhere(changes: &Changes<'_>, changed: &Changed<'_>) -> bool {
    let (Some(before), Some(after)) = (changed.before, changed.after) else { return false };
    // What is only read, such as a data source, is not created again.
    if before.removal == RemovalEffect::Nothing || before.metadata.managed_by == after.metadata.managed_by {
        return false;
    }
    let configuration = |resolution: &Resolution, component: &Component| -> Option<Value> {
        let name = component.metadata.managed_by.as_str()?;
        let all = resolution.units.iter().flat_map(|unit| &unit.components);
        let mut own = all.filter(|other| other.stack == component.stack && &*other.name == name);
        own.find(|other| !other.language.vocabulary.target_words.is_empty()).map(|found| found.value.clone())
    };
    let found = configuration(changes.base, before).zip(configuration(changes.context.resolution, after));
    found.is_none_or(|(before, after)| before != after || before.holds(Flags::UNKNOWN))
}

fn is_index(part: &str) -> bool {
    part.bytes().all(|b| b.is_ascii_digit())
}

/// Whether the last name of a path has one of the words. What only restricts or describes does not.
fn names_target(path: &str, words: &[&str]) -> bool {
    let has = |part: &str, words: &[&str]| part.split('_').any(|word| words.contains(&word));
    let mut parts = path.split('/').filter(|part| !is_index(part));
    let is_beside = parts.clone().any(|part| has(part, &["allowed", "forbidden", "tags", "labels", "skip"]));
    let (last, around) = (parts.next_back(), parts.next_back());
    !is_beside
        && (last.is_some_and(|last| has(last, words)) || around.is_some_and(|around| has(around, &["endpoints"])))
}

#[cfg(test)]
mod tests {
    use super::names_target;

    #[test]
    fn arguments_that_say_where() {
        let words = &["region", "role", "project", "endpoints"];
        for (path, expected) in [
            ("/arguments/region", true),
            ("/arguments/assume_role/0/role_arn", true),
            ("/arguments/assume_role/0/session_name", false),
            ("/arguments/assume_role", true),
            ("/arguments/endpoints/0/s3", true),
            ("/arguments/default_tags/0/tags/project", false),
            ("/arguments/skip_region_validation", false),
            ("/arguments/max_retries", false),
        ] {
            assert_eq!(names_target(path, words), expected, "{path}");
        }
    }
}
