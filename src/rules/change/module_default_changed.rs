//! `module-default-changed`: another default of a module changes resources of those that leave the argument out.

use super::{Change, Changed, Changes, Place, count_of, place, transition};
use crate::diagnostic::{Diagnostic, Level, Subject};
use crate::resolution::Address;
use crate::rules::rule;
use crate::text::Text;
use std::collections::{BTreeMap, BTreeSet, HashMap};

rule!(
    MODULE_DEFAULT_CHANGED,
    "module-default-changed",
    Change,
    "0.1.0",
    "another default of a module changes resources of those that leave the argument out",
    Some(Level::Note)
);

/// A default by the lines that changed it, and its name.
type Written = (Vec<Place>, String);
/// How it changes, and the calls that it reaches.
type Reached<'a> = (&'a Change, Vec<&'a Changed<'a>>);

pub(super) fn check(changes: &Changes<'_>) -> Vec<Diagnostic> {
    let mut defaults: BTreeMap<Written, Reached<'_>> = BTreeMap::new();
    for changed in &changes.components {
        for change in changed.at(changed.vocabulary().call_defaults).filter(|change| !change.causes.is_empty()) {
            let Some(name) = change.path.split('/').nth(2) else { continue };
            if is_left_out_on_one_side(changed, change) {
                continue;
            }
            let key = (change.causes.iter().map(place).collect(), name.to_owned());
            defaults.entry(key).or_insert((change, Vec::new())).1.push(changed);
        }
    }
    if defaults.is_empty() {
        return Vec::new();
    }
    let mut reached: HashMap<Place, BTreeSet<Address>> = HashMap::new();
    for changed in changes.components.iter().filter(|c| c.vocabulary().counted.is_some()) {
        for cause in changed.change.changes.iter().flat_map(|change| &change.causes) {
            reached.entry(place(cause)).or_default().insert(changed.change.address());
        }
    }
    let finding = |((places, name), (change, callers)): (Written, Reached<'_>)| {
        let reached: BTreeSet<&Address> = places.iter().filter_map(|place| reached.get(place)).flatten().collect();
        let mut stacks: Vec<Text> = reached.iter().map(|(stack, ..)| stack.clone()).collect();
        stacks.dedup();
        let values = match change.is_secret || change.path.split('/').nth(3).is_some() {
            true => "changes".to_owned(),
            false => format!("changes ({})", transition(change.before.as_ref(), change.after.as_ref())),
        };
        let message = format!(
            "the default of `{name}` {values}, and with it {} in {}",
            count_of(reached.len(), "resource"),
            count_of(stacks.len(), "root module")
        );
        let mut finding =
            Diagnostic::new(&MODULE_DEFAULT_CHANGED, message, changes.label(&change.causes, callers[0].file));
        finding = finding.token(&name).help("a caller that should keep the old value has to set it");
        let subject = |caller: &&Changed<'_>| Subject {
            stack: Text::clone(&caller.change.stack),
            component: Text::clone(&caller.change.name),
            details: "leaves it out".to_owned(),
        };
        finding.subjects = callers.iter().map(subject).collect();
        finding.stacks = stacks;
        (!reached.is_empty()).then(|| changes.placed_at_head(finding))
    };
    defaults.into_iter().filter_map(finding).collect()
}

/// Whether the call gives a value on one side only, so that the default is the same and counts on the other one.
fn is_left_out_on_one_side(changed: &Changed<'_>, change: &Change) -> bool {
    let [section, name] = [1, 2].map(|part| change.path.split('/').nth(part));
    changed.change.changes.iter().any(|other| {
        let [of, key] = [1, 2].map(|part| other.path.split('/').nth(part));
        change.kind.is_reverse_of(other.kind) && of != section && (key.is_none() || key == name)
    })
}
