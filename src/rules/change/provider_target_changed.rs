//! `provider-target-changed`: a provider acts in another region, account or project, or on another server.

use super::{Changed, Changes, Phrase, is_deployed, transition};
use crate::diagnostic::{Diagnostic, Level};
use crate::diff::{Change, MANAGED_BY, Status, mask};
use crate::resolution::{Component, RemovalEffect, Resolution};
use crate::rules::rule;
use crate::text::Text;
use crate::value::{Data, Flags, Value, Vocabulary};
use std::collections::VecDeque;

rule!(
    PROVIDER_TARGET_CHANGED,
    "provider-target-changed",
    Change,
    "0.1.0",
    "a provider acts in another region, account or project, or on another server",
    Some(Level::Danger)
);

pub(super) fn check(changes: &Changes<'_>) -> Vec<Diagnostic> {
    let kept = "what it manages stays in the old place, where nothing manages it any more, and is created again in the new one";
    let replaced = "it is destroyed in the old place, or stays there where nothing manages it any more, and is created again in the new one";
    let [kept, replaced] = [(false, kept), (true, replaced)].map(|(is_replaced, note)| {
        let found = moved(changes, is_replaced);
        found.into_iter().map(move |finding| finding.note(note))
    });
    let help = "keep the old place, and use a second configuration or another component for the new one";
    kept.chain(replaced).map(|finding| finding.help(help)).collect()
}

/// The components that act somewhere else: those that a run destroys and creates again for that, or the others.
fn moved(changes: &Changes<'_>, is_replaced: bool) -> Vec<Diagnostic> {
    changes.by_cause(&PROVIDER_TARGET_CHANGED, &changes.components, |changed| {
        let vocabulary = changed.vocabulary();
        let is_own =
            !vocabulary.targets.is_empty() && changed.after.is_some_and(|c| c.removal == RemovalEffect::Destroyed);
        if is_own != is_replaced {
            return Vec::new();
        }
        let is_managed_elsewhere = is_managed_elsewhere(changes, changed);
        // Of what is not deployed nothing acts.
        let acts = || [changed.before, changed.after].into_iter().flatten().all(is_deployed);
        if changed.change.status != Status::Modified || !vocabulary.targets.is_empty() && !acts() {
            return Vec::new();
        }
        let describe = |change: &'_ Change, target: Target<'_>| {
            let Target { name, before, after } = target;
            let secret = change.is_secret.then(|| mask::MASK.to_owned());
            let values = secret.unwrap_or_else(|| transition(before, after));
            // Where it acts without the argument is not known.
            let is_known = |side: Option<&Value>| side.is_some_and(|value| !value.holds(Flags::UNKNOWN));
            let (one, several) = match !(is_known(before) && is_known(after)) {
                true => ("may act somewhere else", "may act somewhere else"),
                false => ("acts somewhere else", "act somewhere else"),
            };
            Phrase::new(one, several, format!("`{name}` {values}"))
        };
        let found = changed.change.changes.iter().filter(|change| !is_same_expression(change));
        let found = found.filter_map(|change| {
            let is_manager = is_managed_elsewhere && change.path == MANAGED_BY;
            let target = if is_manager { Some(Target::whole(change)) } else { target(change, vocabulary) };
            Some((&change.causes[..], describe(change, target?)))
        });
        found.collect()
    })
}

/// A value that says where a component acts.
struct Target<'c> {
    name: String,
    before: Option<&'c Value>,
    after: Option<&'c Value>,
}

impl<'c> Target<'c> {
    /// The value of a change.
    fn whole(change: &'c Change) -> Self {
        let name = change.path.rsplit('/').find(|part| !is_beside_names(part)).unwrap_or_default();
        Target { name: name.to_owned(), before: change.before.as_ref(), after: change.after.as_ref() }
    }
}

/// The longest path, in bytes, below which such a value is searched. Names of arguments are far shorter.
const MAX_PATH: usize = 1_000;

/// The value of a change if it says where a component acts, or the first such value in a map that is added or removed.
fn target<'c>(change: &'c Change, vocabulary: &Vocabulary) -> Option<Target<'c>> {
    if names_target(&change.path, vocabulary) {
        return Some(Target::whole(change));
    }
    let (whole, is_added) = match (&change.before, &change.after) {
        (None, Some(added)) => (added, true),
        (Some(removed), None) => (removed, false),
        _ => return None,
    };
    let mut open = VecDeque::from([(change.path.clone(), whole)]);
    while let Some((path, value)) = open.pop_front() {
        for entry in value.as_map().into_iter().flat_map(|map| map.iter()) {
            let path = format!("{path}/{}", entry.key);
            if names_target(&path, vocabulary) {
                let side = |is_there: bool| is_there.then_some(&entry.value);
                return Some(Target { name: entry.key.to_string(), before: side(!is_added), after: side(is_added) });
            }
            if entry.value.as_map().is_some() && path.len() <= MAX_PATH {
                open.push_back((path, &entry.value));
            }
        }
    }
    None
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

/// Whether a part of a path is no name of an argument or a block: an index, or a part of a dynamic block.
fn is_beside_names(part: &str) -> bool {
    part.bytes().all(|b| b.is_ascii_digit()) || matches!(part, "for_each" | "content")
}

/// Whether the last name of a path has one of the words, where these count. What only restricts or describes does not.
fn names_target(path: &str, vocabulary: &Vocabulary) -> bool {
    let words = vocabulary.target_words;
    let has = |part: &str, words: &[&str]| part.split('_').any(|word| words.contains(&&*word.to_ascii_lowercase()));
    let mut parts = path.split('/').filter(|part| !is_beside_names(part));
    let is_beside = parts.clone().any(|part| has(part, &["allowed", "forbidden", "tags", "labels", "skip"]));
    let (last, around) = (parts.next_back(), parts.next_back());
    let is_place = || vocabulary.targets.is_empty() || vocabulary.targets.iter().any(|start| begins(path, start));
    !words.is_empty()
        && !is_beside
        && (last.is_some_and(|last| has(last, words)) || around.is_some_and(|around| has(around, &["endpoints"])))
        && is_place()
}

/// Whether a path begins so: `*` is any name, and the last name may be longer.
fn begins(path: &str, start: &str) -> bool {
    let (mut names, mut starts) = (path.split('/'), start.split('/').peekable());
    while let Some(start) = starts.next() {
        let is_last = starts.peek().is_none();
        let fits = |name: &str| start == "*" || if is_last { name.starts_with(start) } else { name == start };
        if !names.next().is_some_and(fits) {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::{Vocabulary, names_target};

    #[test]
    fn arguments_that_say_where() {
        let words = &["region", "role", "project", "endpoints", "profile"];
        let anywhere = Vocabulary { target_words: words, ..Vocabulary::EMPTY };
        let targets = &["/role", "/env/CLOUD_", "/runs/*/env/CLOUD_"];
        let somewhere = Vocabulary { target_words: words, targets, ..Vocabulary::EMPTY };
        for (path, expected) in [
            ("/arguments/region", [true, false]),
            ("/arguments/assume_role/0/role_arn", [true, false]),
            ("/arguments/assume_role/0/session_name", [false, false]),
            ("/arguments/assume_role", [true, false]),
            ("/arguments/assume_role/0/for_each/0", [true, false]),
            ("/arguments/assume_role/0/content/0/session_name", [false, false]),
            ("/arguments/endpoints/0/s3", [true, false]),
            ("/arguments/default_tags/0/tags/project", [false, false]),
            ("/arguments/skip_region_validation", [false, false]),
            ("/arguments/max_retries", [false, false]),
            ("/role", [true, true]),
            ("/env/CLOUD_PROFILE", [true, true]),
            ("/env/CLOUD_PAGER", [false, false]),
            ("/env/APP_REGION", [true, false]),
            ("/runs/a/env/CLOUD_REGION", [true, true]),
            ("/runs/a/arguments", [false, false]),
        ] {
            assert_eq!([names_target(path, &anywhere), names_target(path, &somewhere)], expected, "{path}");
        }
    }
}
