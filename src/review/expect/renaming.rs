//! A component, or a stack, that gets another name: the map under which two states are the same.

use super::is_name;
use super::moved_folder::{SameReads, folder_of};
use crate::diff::renames::moves_state;
use crate::diff::structural::{self, DiffStep};
use crate::diff::{Change, ChangeKind, ComponentChange, Status};
use crate::resolution::{Address, Component, Link, LinkKind, RemovalEffect, StackSelector};
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

/// What gets another name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    /// A component of all stacks, of a type.
    Component(Text),
    /// A stack with all of its components.
    Stack,
    /// The only component of a folder, of a type; the names are the paths of the folder.
    Folder(Text),
}

/// Something that gets another name and keeps everything else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Renaming {
    pub subject: Subject,
    pub old: Text,
    pub new: Text,
    /// The functions whose first argument names a component.
    pub readers: BTreeSet<Text>,
    /// Paths in a component, JSON Pointers, of what is added so that its code and state stay where they are.
    pub added: BTreeSet<String>,
    /// The files that only say how the component is called.
    pub files: BTreeSet<Text>,
    /// Whether its state may be searched elsewhere: whoever renames it moves the state.
    pub moves_state: bool,
}

/// Two names of an address that stay, and the kind and the name of what the code makes.
type UnderBothNames = (Text, Text, Option<(Text, Text)>);

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

    /// Where the old name is a word of a text, which may hold others.
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

    /// A text with the new name wherever it reads what gets it.
    fn renamed(&self, text: &str) -> String {
        let (mut renamed, mut at) = (String::with_capacity(text.len()), 0);
        let places = match self.subject {
            Subject::Component(_) => self.uses(text),
            Subject::Stack => self.words(text),
            Subject::Folder(_) => Vec::new(),
        };
        for range in places {
            renamed.push_str(&text[at..range.start]);
            renamed.push_str(&self.new);
            at = range.end;
        }
        renamed.push_str(&text[at..]);
        renamed
    }

    /// Whether it is what gets another name, or a part of it: under the old name, that is gone, or under the new one.
    pub(crate) fn is_about(&self, change: &ComponentChange) -> bool {
        change.status != Status::Modified && self.has(change.status, &change.address())
    }

    /// Whether an address has the old name where something is gone, and the new one otherwise.
    fn has(&self, status: Status, (stack, kind, name): &Address) -> bool {
        let expected = if status == Status::Removed { &self.old } else { &self.new };
        match &self.subject {
            Subject::Component(of) => kind == of && name == expected,
            Subject::Stack => stack == expected,
            Subject::Folder(of) => kind == of && *folder_of(stack, name) == **expected || stack == expected,
        }
    }

    /// Pairs what is gone with what is new: the component itself, and what its code makes. Returns the pairs that are the same but
    /// for the name, and those that are not.
    pub(super) fn judge(&self, components: &[ComponentChange], same: &SameReads) -> (Vec<[usize; 2]>, Vec<Unkept>) {
        let of = |status: Status| {
            let all = components.iter().enumerate().filter(move |(_, change)| change.status == status);
            all.filter_map(|(index, change)| Some((self.key(change)?, index))).collect::<BTreeMap<_, _>>()
        };
        let (removed, added) = (of(Status::Removed), of(Status::Added));
        let (mut kept, mut unkept) = (Vec::new(), Vec::new());
        for (key, from) in &removed {
            let Some(to) = added.get(key) else { continue };
            let (Some(before), Some(after)) = (&components[*from].before, &components[*to].after) else { continue };
            match self.difference([before, after], same) {
                None => kept.push([*from, *to]),
                Some(path) => unkept.push(Unkept { from: *from, to: *to, path }),
            }
        }
        (kept, unkept)
    }

    /// What is the same under both names: the rest of the address, and what the code makes if it is not the component itself.
    pub(super) fn key(&self, change: &ComponentChange) -> Option<UnderBothNames> {
        let owner = change.made_by().map_or_else(|| change.address(), |owner| Address::clone(owner));
        if !self.has(change.status, &owner) {
            return None;
        }
        let (stack, kind, name) = owner;
        let is_made = change.made_by().is_some() || self.is_stack_of_folder(&stack);
        let made = is_made.then(|| (Text::clone(&change.kind), Text::clone(&change.name)));
        Some(match self.subject {
            Subject::Component(_) => (stack, kind, made),
            Subject::Stack => (kind, name, made),
            Subject::Folder(ref of) => (Text::default(), Text::clone(of), made),
        })
    }

    /// Whether a stack is what the code of the folder makes, before or after.
    pub(crate) fn is_stack_of_folder(&self, stack: &Text) -> bool {
        matches!(self.subject, Subject::Folder(_)) && (*stack == self.old || *stack == self.new)
    }

    /// The first difference that does not follow from the name: the path of a value, or nothing where the state is.
    fn difference(&self, [before, after]: [&Component; 2], same: &SameReads) -> Option<Option<String>> {
        let calls = [&*before.metadata.calls, &*after.metadata.calls];
        let steps = structural::compare(&before.value, &after.value, &after.language, calls);
        let is_made = before.metadata.made_by.is_some() || self.is_stack_of_folder(&before.stack);
        let mut others = steps.iter().filter(|step| {
            !step.is_same_call && !is_name(&step.path, after) && !self.allows(step, [before, after], same)
        });
        if let Some(step) = others.next() {
            return Some((!self.is_state(&step.path, after)).then(|| step.path.clone()));
        }
        if before.metadata.managed_by != after.metadata.managed_by {
            return Some(Some(String::new()));
        }
        // What code makes stays with the state of its component.
        let is_destroyed = before.removal == RemovalEffect::Destroyed && before.metadata.is_deployed();
        let is_elsewhere = !self.moves_state && moves_state(before, after);
        (!is_made && (is_elsewhere || is_destroyed)).then_some(None)
    }

    /// Whether a path says where the state of a folder is.
    pub(crate) fn is_state(&self, path: &str, component: &Component) -> bool {
        let state = component.language.vocabulary.state.as_ref();
        matches!(self.subject, Subject::Folder(_))
            && state.is_some_and(|state| path.strip_prefix(state.backend).is_some_and(|rest| rest.starts_with('/')))
    }

    /// Whether a difference is the new name where a component names it.
    pub(super) fn explains(&self, change: &Change, [before, after]: [&Component; 2], same: &SameReads) -> bool {
        let [Some(old), Some(new)] = [&change.before, &change.after] else { return false };
        change.kind == ChangeKind::Changed && self.is_renamed(&change.path, [old, new], [before, after], same)
    }

    /// Whether a difference of the component itself follows from its name, or is what keeps its code and state in place.
    pub(super) fn allows(&self, step: &DiffStep<'_>, sides: [&Component; 2], same: &SameReads) -> bool {
        if self.moves_state && self.is_state(&step.path, sides[1]) {
            return true;
        }
        let is_below = |path: &String| {
            path == &step.path || path.strip_prefix(&*step.path).is_some_and(|rest| rest.starts_with('/'))
        };
        match (step.before, step.after) {
            (Some(old), Some(new)) => {
                step.kind == ChangeKind::Changed
                    && (self.is_renamed(&step.path, [old, new], sides, same)
                        || self.is_kept_workspace(&step.path, sides))
            }
            // All of a map that is added because of one entry.
            (None, Some(new)) => {
                let entries = new.as_map().map_or(1, |map| map.iter().count());
                self.added.iter().filter(|path| is_below(path)).count() == entries
            }
            _ => false,
        }
    }

    /// Whether a path says in which workspace a component runs, and it is written down in which one it ran before.
    fn is_kept_workspace(&self, path: &str, [before, after]: [&Component; 2]) -> bool {
        let state = after.language.vocabulary.state.as_ref();
        matches!(self.subject, Subject::Stack | Subject::Component(_))
            && state.is_some_and(|state| !state.workspace.is_empty() && state.workspace == path)
            && before.metadata.workspace.is_some()
            && before.metadata.workspace == after.metadata.workspace
    }

    /// Whether the place names what gets another name.
    fn is_name_of(&self, component: &Component, name: &str, origin: Option<Origin>) -> bool {
        let metadata = &component.metadata;
        let mut links = metadata.links.iter().filter(|link| link.how == LinkKind::Declared);
        let is_stack = |link: &Link| matches!(&link.stack, StackSelector::Stack(stack) if **stack == *name);
        origin.is_some()
            && match self.subject {
                Subject::Component(_) => {
                    links.any(|link| *link.component == *name && *link.origin == origin)
                        || metadata.bases.iter().any(|base| *base.name == *name && base.origin == origin)
                }
                Subject::Stack => links.any(|link| is_stack(link) && *link.stack_origin == origin),
                Subject::Folder(_) => false,
            }
    }

    pub(super) fn is_renamed(
        &self,
        path: &str,
        [old, new]: [&Value; 2],
        [before, after]: [&Component; 2],
        same: &SameReads,
    ) -> bool {
        if let Subject::Folder(_) = self.subject {
            // An input is a value, also if it looks like a path.
            let is_input = path.split('/').nth(1) == Some(after.language.vocabulary.inputs);
            let texts = old.as_str().zip(new.as_str()).filter(|_| !is_input);
            return texts.is_some_and(|(old, new)| self.leads_to_same([old, new], [before, after]))
                || self.is_same_unknown([old, new], [before, after], same);
        }
        let (Some(old_text), Some(new_text)) = (text(old), text(new)) else { return false };
        if *old_text == *self.old && *new_text == *self.new {
            let section = path.split('/').nth(1);
            let repeats = section.is_some_and(|section| before.language.vocabulary.repeated.contains(&section));
            return repeats
                || self.is_name_of(before, &self.old, old.prov.origin)
                    && self.is_name_of(after, &self.new, new.prov.origin);
        }
        // The text of what is not evaluated: it reads the same component.
        let is_open = |value: &Value| matches!(&value.data, Data::Unknown(_)) || value.as_str().is_some_and(is_call);
        let reads = |component: &Component, name: &str| {
            let mut links = component.metadata.links.iter().filter(|link| link.how == LinkKind::Reads);
            links.any(|link| matches!(&link.stack, StackSelector::Stack(stack) if **stack == *name))
        };
        let is_read = self.subject != Subject::Stack || reads(before, &self.old) && reads(after, &self.new);
        is_open(old) && is_open(new) && old_text != new_text && *self.renamed(old_text) == *new_text && is_read
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
        let (subject, old, new) = (Subject::Component("terraform".into()), "vpc".into(), "net".into());
        let renaming =
            Renaming { subject, old, new, readers, added: BTreeSet::new(), files: BTreeSet::new(), moves_state: false };
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
