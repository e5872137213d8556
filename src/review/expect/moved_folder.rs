//! A folder that moves with the component in it: what leads to the same places, and what reads the same.

use super::renaming::{Renaming, Subject};
use crate::diff::structural::{self, DiffStep};
use crate::diff::{ComponentChange, Status, pointer};
use crate::paths;
use crate::reads::made_of;
use crate::resolution::Component;
use crate::text::Text;
use crate::value::{Data, Read, Value};
use std::collections::{BTreeMap, BTreeSet};

/// What unknown values read is read again by others at most so many times.
const MAX_ROUNDS: usize = 10;

/// Contents that are the same but for the folder: those before, and those after.
pub(super) type SameReads = BTreeSet<(Text, Text)>;

/// The folder of a component that is one.
pub(super) fn folder_of(stack: &str, name: &str) -> String {
    match (stack, name) {
        (".", ".") => String::new(),
        _ => paths::join(stack, name),
    }
}

impl Renaming {
    /// Where a path is once the folder has moved.
    fn mapped(&self, path: &str) -> String {
        match (path == &*self.old, paths::relative(path, &self.old)) {
            (true, _) => self.new.to_string(),
            (false, Some(rest)) => paths::join(&self.new, rest),
            (false, None) => path.to_owned(),
        }
    }

    /// Whether two texts are paths from the folders of their components that lead to the same place.
    pub(super) fn leads_to_same(&self, [old, new]: [&str; 2], [before, after]: [&Component; 2]) -> bool {
        let place = |component: &Component, text: &str| {
            let is_path = text.starts_with('.') && component.metadata.made_by.is_none();
            let folder = match self.is_stack_of_folder(&component.stack) {
                true => component.stack.to_string(),
                false => folder_of(&component.stack, &component.name),
            };
            paths::resolve(&folder, text).filter(|_| is_path)
        };
        place(before, old).zip(place(after, new)).is_some_and(|(before, after)| self.mapped(&before) == after)
    }

    /// Whether two values are known only at run time, with one text, and read the same but for the folder.
    pub(super) fn is_same_unknown(&self, [old, new]: [&Value; 2], sides: [&Component; 2], same: &SameReads) -> bool {
        let (Data::Unknown(old), Data::Unknown(new)) = (&old.data, &new.data) else { return false };
        let is_same = |(a, b): (&Read, &Read)| {
            let contents = a.content.clone().zip(b.content.clone());
            *self.mapped(&a.name) == *b.name
                && (a.content == b.content
                    || contents.is_some_and(|c| same.contains(&c))
                    || self.is_same_part(&a.name, sides, same))
        };
        old.text == new.text && old.reads.len() == new.reads.len() && old.reads.iter().zip(&new.reads).all(is_same)
    }

    /// Whether a name is a path to something within one of the parts of a component that is known, and what differs in that leads to
    /// the same places.
    fn is_same_part(&self, name: &str, sides: [&Component; 2], same: &SameReads) -> bool {
        let (mut path, mut at) = (String::new(), sides.map(|component| &component.value));
        for key in name.split('.') {
            let inner = at.map(|value| value.get(key).filter(|_| value.as_map().is_some()));
            let [Some(before), Some(after)] = inner else { break };
            pointer::push(&mut path, key);
            at = [before, after];
        }
        let calls = sides.map(|component| &*component.metadata.calls);
        let is_same = |step: &DiffStep<'_>| {
            let values = step.before.zip(step.after);
            let is_text = |(old, new): &(&Value, &Value)| old.as_str().is_some() && new.as_str().is_some();
            let at = format!("{path}{}", step.path);
            values.filter(is_text).is_some_and(|(old, new)| self.is_renamed(&at, [old, new], sides, same))
        };
        path.matches('/').count() > 1
            && structural::compare(at[0], at[1], &sides[1].language, calls).iter().all(is_same)
    }

    /// The contents of values that differ and are the same but for the folder; nothing if no folder moves.
    pub(super) fn same_reads(&self, components: &[ComponentChange]) -> SameReads {
        let mut same = SameReads::new();
        if !matches!(self.subject, Subject::Folder(_)) {
            return same;
        }
        let mut pairs: Vec<[&Component; 2]> = Vec::new();
        let mut gone: BTreeMap<_, &Component> = BTreeMap::new();
        for change in components {
            match (&change.before, &change.after) {
                (Some(before), Some(after)) => pairs.push([before, after]),
                (Some(before), None) => _ = self.key(change).map(|key| gone.insert(key, before)),
                _ => {}
            }
        }
        let new = components.iter().filter(|change| change.status == Status::Added);
        let moved = new.filter_map(|change| Some([*gone.get(&self.key(change)?)?, change.after.as_deref()?]));
        pairs.extend(moved);
        let steps: Vec<_> = pairs
            .iter()
            .flat_map(|sides| {
                let calls = sides.map(|component| &*component.metadata.calls);
                let steps = structural::compare(&sides[0].value, &sides[1].value, &sides[1].language, calls);
                steps.into_iter().map(|step| (step, *sides))
            })
            .collect();
        for _ in 0..MAX_ROUNDS {
            let before = same.len();
            for (step, sides) in &steps {
                let (Some(old), Some(new)) = (step.before, step.after) else { continue };
                if self.is_renamed(&step.path, [old, new], *sides, &same) {
                    let content = |value: &Value| made_of::value("", value).content;
                    same.extend(content(old).zip(content(new)));
                }
            }
            if same.len() == before {
                break;
            }
        }
        same
    }
}
