//! A component that gets another name: the map under which two states are the same.

use super::is_name;
use crate::diff::renames::moves_state;
use crate::diff::structural::{self, DiffStep};
use crate::diff::{Change, ChangeKind, ComponentChange, Status};
use crate::resolution::{Component, ComponentMetadata, LinkKind, RemovalEffect};
use crate::text::Text;
use crate::value::{Data, Origin, Value, is_call};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// A component that does not stay the same under its new name.
#[derive(Clone, Debug)]
pub(crate) struct Unkept {
    /// The old one and the new one, as indexes into [`crate::diff::Diff::components`].
    pub from: usize,
    pub to: usize,
    /// The place of a value that differs, a JSON Pointer; `None` if its state would be searched elsewhere.
    pub path: Option<String>,
}

/// What stands between a function and its first argument.
const BETWEEN: [char; 6] = [' ', '\t', '"', '\'', '`', '\\'];

/// A component of all stacks that gets another name and keeps everything else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Renaming {
    /// Its type.
    pub kind: Text,
    pub old: Text,
    pub new: Text,
    /// The functions whose first argument names a component.
    pub readers: BTreeSet<Text>,
    /// Paths in the component, JSON Pointers, of what is added so that its code and state stay where they are.
    pub added: BTreeSet<String>,
    /// The files that only say how the component is called.
    pub files: BTreeSet<Text>,
}

impl Renaming {
    /// Where a text reads the component by its old name, in the order of the text.
    pub(crate) fn uses(&self, text: &str) -> Vec<Range<usize>> {
        let mut found = BTreeSet::new();
        for reader in self.readers.iter().filter(|reader| !reader.is_empty()) {
            for (at, _) in text.match_indices(&**reader) {
                let behind = &text[at + reader.len()..];
                let rest = behind.trim_start_matches(BETWEEN);
                let is_alone = rest.len() < behind.len()
                    && rest.strip_prefix(&*self.old).is_some_and(|rest| !rest.starts_with(is_part_of_name));
                if is_alone {
                    found.insert(text.len() - rest.len());
                }
            }
        }
        found.into_iter().map(|start| start..start + self.old.len()).collect()
    }

    /// Whether a name in the text of a command, which may hold others, is the old one.
    pub(crate) fn words(&self, text: &str) -> Vec<Range<usize>> {
        let found = text.match_indices(&*self.old).map(|(at, _)| at..at + self.old.len());
        let is_word = |at: &Range<usize>| {
            !text[..at.start].ends_with(is_part_of_name) && !text[at.end..].starts_with(is_part_of_name)
        };
        found.filter(is_word).collect()
    }

    /// Whether a text reads a component whose name is not written in it.
    pub(crate) fn has_computed_names(&self, text: &str) -> bool {
        let readers = self.readers.iter().filter(|reader| !reader.is_empty());
        let mut behind =
            readers.flat_map(|reader| text.match_indices(&**reader).map(|(at, _)| &text[at + reader.len()..]));
        behind.any(|behind| !behind.trim_start_matches(BETWEEN).starts_with(char::is_alphanumeric))
    }

    /// A text with the new name wherever it reads the component.
    fn renamed(&self, text: &str) -> String {
        let (mut renamed, mut at) = (String::with_capacity(text.len()), 0);
        for range in self.uses(text) {
            renamed.push_str(&text[at..range.start]);
            renamed.push_str(&self.new);
            at = range.end;
        }
        renamed.push_str(&text[at..]);
        renamed
    }

    /// Whether it is the component under its old name, that is gone, or under its new one.
    pub(super) fn is_about(&self, change: &ComponentChange) -> bool {
        let name = if change.status == Status::Removed { &self.old } else { &self.new };
        change.status != Status::Modified && change.kind == self.kind && change.name == *name
    }

    /// Pairs what is gone with what is new: the component itself, and what its code makes. Returns the pairs that are the same but
    /// for the name, and those that are not.
    pub(super) fn judge(&self, components: &[ComponentChange]) -> (Vec<[usize; 2]>, Vec<Unkept>) {
        let of = |status: Status| {
            let all = components.iter().enumerate().filter(move |(_, change)| change.status == status);
            all.filter_map(|(index, change)| Some((self.key(change)?, index))).collect::<BTreeMap<_, _>>()
        };
        let (removed, added) = (of(Status::Removed), of(Status::Added));
        let (mut kept, mut unkept) = (Vec::new(), Vec::new());
        for (key, from) in &removed {
            let Some(to) = added.get(key) else { continue };
            let (Some(before), Some(after)) = (&components[*from].before, &components[*to].after) else { continue };
            match self.difference([before, after]) {
                None => kept.push([*from, *to]),
                Some(path) => unkept.push(Unkept { from: *from, to: *to, path }),
            }
        }
        (kept, unkept)
    }

    /// What is the same under both names: the stack, and what the code makes if it is not the component itself.
    fn key<'a>(&self, change: &'a ComponentChange) -> Option<(&'a str, Option<(&'a str, &'a str)>)> {
        let Some(owner) = change.made_by() else { return self.is_about(change).then_some((&*change.stack, None)) };
        let name = if change.status == Status::Removed { &self.old } else { &self.new };
        let (stack, kind, of) = &**owner;
        (*kind == self.kind && of == name).then_some((&**stack, Some((&*change.kind, &*change.name))))
    }

    /// The first difference that does not follow from the name: the path of a value, or nothing where the state is.
    fn difference(&self, [before, after]: [&Component; 2]) -> Option<Option<String>> {
        let calls = [&*before.metadata.calls, &*after.metadata.calls];
        let steps = structural::compare(&before.value, &after.value, &after.language, calls);
        let is_made = before.metadata.made_by.is_some();
        let mut others = steps
            .iter()
            .filter(|step| !step.is_same_call && !is_name(&step.path, after) && !self.allows(step, [before, after]));
        if let Some(step) = others.next() {
            return Some(Some(step.path.clone()));
        }
        if before.metadata.managed_by != after.metadata.managed_by {
            return Some(Some(String::new()));
        }
        // What code makes stays with the state of its component.
        let is_destroyed = before.removal == RemovalEffect::Destroyed && before.metadata.is_deployed();
        (!is_made && (moves_state(before, after) || is_destroyed)).then_some(None)
    }

    /// Whether a difference is the new name where a component names it.
    pub(super) fn explains(&self, change: &Change, [before, after]: [&Component; 2]) -> bool {
        let [Some(old), Some(new)] = [&change.before, &change.after] else { return false };
        change.kind == ChangeKind::Changed && self.is_renamed(&change.path, [old, new], [before, after])
    }

    /// Whether a difference of the component itself follows from its name, or is what keeps its code and state in place.
    pub(super) fn allows(&self, step: &DiffStep<'_>, sides: [&Component; 2]) -> bool {
        let is_below = |path: &String| {
            path == &step.path || path.strip_prefix(&*step.path).is_some_and(|rest| rest.starts_with('/'))
        };
        match (step.before, step.after) {
            (Some(old), Some(new)) => {
                step.kind == ChangeKind::Changed && self.is_renamed(&step.path, [old, new], sides)
            }
            // All of a map that is added because of one entry.
            (None, Some(new)) => {
                let entries = new.as_map().map_or(1, |map| map.iter().count());
                self.added.iter().filter(|path| is_below(path)).count() == entries
            }
            _ => false,
        }
    }

    fn is_renamed(&self, path: &str, [old, new]: [&Value; 2], [before, after]: [&Component; 2]) -> bool {
        let (Some(old_text), Some(new_text)) = (text(old), text(new)) else { return false };
        if *old_text == *self.old && *new_text == *self.new {
            let section = path.split('/').nth(1);
            let repeats = section.is_some_and(|section| before.language.vocabulary.repeated.contains(&section));
            let names = |metadata: &ComponentMetadata, name: &str, origin: Option<Origin>| {
                let mut links = metadata.links.iter().filter(|link| link.how == LinkKind::Declared);
                let mut bases = metadata.bases.iter();
                origin.is_some()
                    && (links.any(|link| *link.component == *name && *link.origin == origin)
                        || bases.any(|base| *base.name == *name && base.origin == origin))
            };
            return repeats
                || names(&before.metadata, &self.old, old.prov.origin)
                    && names(&after.metadata, &self.new, new.prov.origin);
        }
        // The text of what is not evaluated: it reads the same component.
        let is_open = |value: &Value| matches!(&value.data, Data::Unknown(_)) || value.as_str().is_some_and(is_call);
        is_open(old) && is_open(new) && old_text != new_text && *self.renamed(old_text) == *new_text
    }
}

/// The text of a value, also if it is not evaluated.
fn text(value: &Value) -> Option<&Text> {
    match &value.data {
        Data::Str(text) => Some(text),
        Data::Unknown(unknown) => Some(&unknown.text),
        _ => None,
    }
}

fn is_part_of_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '/' | '.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_arguments_that_name_the_component_are_uses() {
        let readers = ["!terraform.state", "atmos.Component"].map(Text::from).into();
        let (kind, old, new) = ("terraform".into(), "vpc".into(), "net".into());
        let renaming = Renaming { kind, old, new, readers, added: BTreeSet::new(), files: BTreeSet::new() };
        for (text, expected) in [
            ("!terraform.state vpc vpc vpc", "!terraform.state net vpc vpc"),
            ("!terraform.state vpc/a vpc", "!terraform.state vpc/a vpc"),
            ("!terraform.state eks vpc", "!terraform.state eks vpc"),
            ("{{ (atmos.Component \"vpc\" .stack).vars.vpc }}", "{{ (atmos.Component \"net\" .stack).vars.vpc }}"),
            ("\"{{ atmos.Component \\\"vpc\\\" }} vpc\"", "\"{{ atmos.Component \\\"net\\\" }} vpc\""),
            ("atmos.Componentvpc", "atmos.Componentvpc"),
        ] {
            assert_eq!(renaming.renamed(text), expected);
        }
        assert_eq!(renaming.words("terraform plan vpc -s vpc-dev"), vec![Range { start: 15, end: 18 }]);
    }
}
