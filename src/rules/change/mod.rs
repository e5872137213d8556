//! Rules about the difference of two states.

pub(super) mod backend_credentials_changed;
pub(super) mod base_already_broken;
pub(super) mod component_removed;
pub(super) mod dependency_dropped;
pub(super) mod destroy_argument;
pub(super) mod destroy_protection_removed;
pub(super) mod edit_without_effect;
pub(super) mod encryption_method_removed;
pub(super) mod index_shift;
pub(super) mod instance_removed;
pub(super) mod locals_only_change;
pub(super) mod locked_component_changed;
pub(super) mod module_default_changed;
pub(super) mod provider_or_version_widened;
pub(super) mod provider_target_changed;
pub(super) mod renamed;
pub(super) mod state_address_changed;
pub(super) mod state_encryption_changed;
pub(super) mod switched;
pub(super) mod type_changed;
pub(super) mod type_narrowed;
pub(super) mod version_changed;
pub(super) mod wide_blast_radius;

use super::{Check, Checked};
use crate::diagnostic::Rule;

use super::Context;
use crate::diagnostic::{AtHead, Diagnostic, FindingGroup, Label, RuleRef, Subject};
use crate::diff::edits::Edits;
use crate::diff::inline::inline;
use crate::diff::renames::{Released, Rename};
use crate::diff::{Cause, Change, ComponentChange, Diff, Side, Status};
use crate::files::Files;
use crate::resolution::{Address, Component, Resolution};
use crate::terraform::Modules;
use crate::text::{ByAddress, FastMap, Text};
use crate::value::{Data, FileId, Flags, Value, Vocabulary};
use parking_lot::Mutex;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// The maximum number of components that a finding names.
const MAX_NAMES: usize = 5;

/// The changes, with the components before and after.
pub(crate) struct Changes<'a> {
    /// The rest of what a rule may examine; its resolution is the newer one.
    pub context: &'a Context<'a>,
    /// The older resolution.
    pub base: &'a Resolution,
    /// The changes.
    pub diff: &'a Diff,
    /// The components that differ, sorted by address.
    pub components: Vec<Changed<'a>>,
    /// The modules of code of both states.
    modules: [&'a Modules<'a>; 2],
    /// The rename of each removed component, by the address of its change in memory.
    renames: HashMap<Address, &'a Rename>,
    /// What the newer state says to keep deployed.
    released: Released<'a>,
    edits: Mutex<Option<Edits<'a>>>,
    /// The files of the newer state that hold causes of changes.
    edited: HashSet<FileId>,
    /// The causes of removals.
    of_removals: HashSet<&'a [Cause]>,
}

/// A component that differs.
#[derive(Clone, Copy)]
pub(crate) struct Changed<'a> {
    pub change: &'a ComponentChange,
    /// As it was.
    pub before: Option<&'a Component>,
    pub after: Option<&'a Component>,
    /// The file that defines it, in the newer state if it is there.
    file: FileId,
}

impl<'a> Changes<'a> {
    /// Whether the code of a component declares an input on both sides, with another type than before.
    fn declares_differently(&self, changed: &Changed<'_>, input: &str) -> bool {
        let declared = |component: Option<&Component>, modules: &Modules<'_>| {
            let code = component?.metadata.known_module()?;
            Some(modules.get(&code.folder)?.variables.get(input)?.ty.clone())
        };
        let before = declared(changed.before, self.modules[0]);
        before.is_some_and(|before| declared(changed.after, self.modules[1]).is_some_and(|after| after != before))
    }

    /// Finds the components of what differs.
    pub(crate) fn new(
        context: &'a Context<'a>,
        base: &'a Resolution,
        diff: &'a Diff,
        modules: [&'a Modules<'a>; 2],
    ) -> Self {
        let count = |resolution: &Resolution| resolution.units.iter().map(|unit| unit.components.len()).sum::<usize>();
        let most = count(base) + count(context.resolution);
        let mut files = FastMap::<_, FileId>::with_capacity_and_hasher(most, Default::default());
        for unit in base.with_made().chain(context.resolution.with_made()) {
            files.extend(unit.components.iter().map(|component| (ByAddress(component), unit.file)));
        }
        let one = |change: &'a ComponentChange| {
            let (before, after) = (change.before.as_ref(), change.after.as_ref());
            let file = *files.get(&ByAddress(after.or(before)?))?;
            Some(Changed { change, before: before.map(|c| &**c), after: after.map(|c| &**c), file })
        };
        let renames = diff.renames.iter().map(|r| (diff.components[r.from].address(), r)).collect();
        let components: Vec<Changed<'_>> = diff.components.iter().filter_map(one).collect();
        let released = Released::of(context.resolution);
        let causes = diff.components.iter().flat_map(|change| &change.causes);
        let edited = causes.filter(|cause| cause.side == Side::Head).map(|cause| cause.file).collect();
        let removed = components.iter().filter(|changed| status(changed, Status::Removed));
        let of_removals = removed.map(|changed| &*changed.change.causes).collect();
        let edits = Mutex::new(None);
        Changes { context, base, diff, components, modules, renames, released, edits, edited, of_removals }
    }

    /// Whether a stack is there in both states, as far as that is known.
    fn stays(&self, stack: &str) -> bool {
        let has = |resolution: &Resolution| {
            resolution.units.iter().any(|unit| unit.components.iter().any(|c| *c.stack == *stack))
                || resolution.made.iter().any(|unit| *unit.name == *stack && unit.failed.is_empty())
                || resolution.units.iter().any(|unit| unit.open.iter().any(|open| *open.stack == *stack))
                || resolution.empty_stacks().any(|empty| **empty == *stack)
        };
        let is_broken =
            |own: &Resolution, other: &Resolution| own.incomplete_stacks(other).iter().any(|s| ***s == *stack);
        let (base, head) = (self.base, self.context.resolution);
        has(base) && has(head) && !is_broken(base, head) && !is_broken(head, base)
    }

    /// Returns the rename of a removed component.
    fn renamed(&self, changed: &Changed<'_>) -> Option<&'a Rename> {
        self.renames.get(&changed.change.address()).copied()
    }

    /// Returns one finding for each set of lines that caused the changes of some components that `pick` selects, and for each
    /// phrase that it returns.
    fn by_cause(
        &self,
        rule: &'static Rule,
        components: &[Changed<'a>],
        mut pick: impl FnMut(&Changed<'a>) -> Vec<(&'a [Cause], Phrase)>,
    ) -> Vec<Diagnostic> {
        let word =
            |members: &[Changed<'a>], phrase: &Phrase| (phrase.sentence(members), Some(phrase.together(members)));
        self.grouped(&rule.into(), components, word, |changed| pick(changed))
    }

    /// The same for all components, with a complete message.
    pub(crate) fn by_cause_worded(
        &self,
        rule: impl Into<RuleRef>,
        mut pick: impl FnMut(&Changed<'a>) -> Vec<(&'a [Cause], String)>,
    ) -> Vec<Diagnostic> {
        let word = |_: &[Changed<'a>], phrase: &Phrase| (phrase.details.clone(), None);
        self.grouped(&rule.into(), &self.components, word, |changed| {
            let whole = |(causes, details)| (causes, Phrase { one: "", several: "", details });
            pick(changed).into_iter().map(whole).collect()
        })
    }

    fn grouped(
        &self,
        rule: &RuleRef,
        components: &[Changed<'a>],
        word: impl Fn(&[Changed<'a>], &Phrase) -> (String, Option<FindingGroup>),
        mut pick: impl FnMut(&Changed<'a>) -> Vec<(&'a [Cause], Phrase)>,
    ) -> Vec<Diagnostic> {
        let mut groups: BTreeMap<(Vec<Place>, Phrase), (Label, Vec<Changed<'a>>)> = BTreeMap::new();
        for changed in components {
            for (causes, phrase) in pick(changed) {
                let places: Vec<Place> = causes.iter().map(place).collect();
                let label = || changed.key(self.context.files).unwrap_or_else(|| self.label(causes, changed.file));
                let group = groups.entry((places, phrase)).or_insert_with(|| (label(), Vec::new()));
                group.1.push(*changed);
            }
        }
        let finding = |((_, phrase), (label, members)): ((_, Phrase), (Label, Vec<Changed<'a>>))| {
            let (message, together) = word(&members, &phrase);
            let mut finding = Diagnostic::new(rule.clone(), message, label).token(phrase.text());
            if let [only] = &members[..] {
                finding = finding.address(format!("{}/{}", only.change.stack, only.change.name));
            }
            let details = if together.is_some() { phrase.details } else { String::new() };
            let subject = |m: &Changed<'a>| Subject {
                stack: Text::clone(&m.change.stack),
                component: Text::clone(&m.change.name),
                details: details.clone(),
            };
            finding.subjects = members.iter().map(subject).collect();
            finding.together = together;
            finding.stacks = members.iter().map(|m| Text::clone(&m.change.stack)).collect();
            finding.stacks.sort();
            finding.stacks.dedup();
            self.placed_at_head(finding)
        };
        groups.into_iter().map(finding).collect()
    }

    /// The line of the first cause: of its file a line of the newer state, if there is one. The start of `file` if nothing
    /// caused it.
    fn label(&self, causes: &[Cause], file: FileId) -> Label {
        let Some(first) = causes.first() else { return Label::new(file, 0, 0, "") };
        let files = self.context.files;
        let path = |c: &Cause| Text::clone(&files.get(c.file).path);
        let is_gone = self.of_removals.contains(causes);
        let of_file = |c: &&Cause| c.side == Side::Head && (!is_gone || path(c) == path(first));
        cause_label(causes.iter().find(of_file).unwrap_or(first), files)
    }

    /// Sets where a finding about something removed is shown in the newer state.
    fn placed_at_head(&self, mut finding: Diagnostic) -> Diagnostic {
        let (files, label) = (self.context.files, &finding.primary);
        if self.edited.contains(&label.file) {
            return finding;
        }
        let mut edits = self.edits.lock();
        let edits = edits.get_or_insert_with(|| {
            Edits::new(self.base, self.context.resolution, files, Some(self.context.is_examined))
        });
        if !edits.has(Side::Head, label.file) && (self.context.is_examined)(&files.get(label.file).path) {
            let edited = edits.of(Side::Base, label.file);
            finding.at_head = Some(match edited.counterpart {
                Some(counterpart) => {
                    let file = files.get(counterpart);
                    let last = file.line(file.text.trim_end_matches('\n').len() as u32);
                    AtHead::Line(edited.nearest(files.get(label.file).line(label.start)).min(last))
                }
                None => AtHead::File,
            });
            finding.primary.message = "removed".to_owned();
        }
        finding
    }
}

type Place = (Side, FileId, u32, u32);

fn place(cause: &Cause) -> Place {
    (cause.side, cause.file, cause.line, cause.column)
}

impl<'a> Changed<'a> {
    /// The file that defines it, in the newer state if it is there.
    pub(crate) fn file(&self) -> FileId {
        self.file
    }

    /// Returns the key of a removed component in the older state, if its line is among the edited ones.
    fn key(&self, files: &Files) -> Option<Label> {
        let origin = self.before.filter(|_| self.change.status == Status::Removed)?.value.prov.origin?;
        let line = files.get(origin.file).line(origin.key);
        self.change.causes.iter().find(|c| c.side == Side::Base && c.file == origin.file && c.line == line)?;
        let end = if origin.key < origin.start { origin.start } else { origin.end };
        let text = files.get(origin.file).text.get(origin.key as usize..end as usize)?.trim_end().len();
        Some(Label::new(origin.file, origin.key, origin.key + text as u32, ""))
    }

    /// The differences at a path (keys joined with `/`, after a `/`) or below it.
    fn at<'p>(&self, path: &'p str) -> impl Iterator<Item = &'a Change> + use<'a, 'p> {
        let is_known = !path.is_empty();
        self.change.changes.iter().filter(move |c| {
            is_known && c.path.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    }

    /// The differences at some keys of the map at a path or below them, in the order of the keys.
    fn at_keys(&self, path: &str, keys: &[&str]) -> Vec<&'a Change> {
        let position = |c: &Change| {
            let below = c.path.strip_prefix(path)?.strip_prefix('/')?;
            let first = below.split('/').next();
            keys.iter().position(|key| Some(*key) == first)
        };
        let mut found: Vec<(usize, &Change)> =
            self.change.changes.iter().filter_map(|c| Some((position(c)?, c))).collect();
        found.sort_by_key(|(position, _)| *position);
        found.into_iter().map(|(_, change)| change).collect()
    }

    /// Whether something differs at a path or below it, or may: an empty path is that of the whole component.
    fn has(&self, path: &str) -> bool {
        let is_below = |rest: &str| path.is_empty() || rest.is_empty() || rest.starts_with('/');
        self.change.changes.iter().any(|c| c.path.strip_prefix(path).is_some_and(is_below))
    }

    /// Returns the vocabulary of its dialect.
    fn vocabulary(&self) -> &'static Vocabulary {
        self.after.or(self.before).map_or(&Vocabulary::EMPTY, |component| component.language.vocabulary)
    }

    /// Whether it is deployed in one of the states: neither abstract nor switched off.
    pub(crate) fn was_or_is_deployed(&self) -> bool {
        self.before.is_some_and(is_deployed) || self.after.is_some_and(is_deployed)
    }
}

/// Whether a component is deployed: neither abstract nor switched off.
fn is_deployed(component: &Component) -> bool {
    component.metadata.is_deployed()
}

/// Describes what happens to components: a verb with its object, and details.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Phrase {
    /// The text for one component, after its name.
    one: &'static str,
    /// The text for several components, after their number.
    several: &'static str,
    /// Details; may be empty.
    details: String,
}

impl Phrase {
    fn new(one: &'static str, several: &'static str, details: impl Into<String>) -> Self {
        Phrase { one, several, details: details.into() }
    }

    /// The phrase for one component.
    fn text(&self) -> String {
        match (self.one.is_empty(), self.details.is_empty()) {
            (_, true) => self.one.to_owned(),
            (true, false) => self.details.clone(),
            (false, false) => format!("{}: {}", self.one, self.details),
        }
    }

    fn together(&self, members: &[Changed<'_>]) -> FindingGroup {
        FindingGroup::Components { one: self.one.to_owned(), several: self.several.to_owned(), nouns: nouns(members) }
    }

    /// The message about components.
    fn sentence(&self, members: &[Changed<'_>]) -> String {
        if let [only] = members {
            return format!("`{}` in `{}` {}", only.change.name, only.change.stack, self.text());
        }
        let stacks: BTreeSet<&str> = members.iter().map(|m| &*m.change.stack).collect();
        let (noun, place) = nouns(members);
        let reach = format!("{} in {}", count_of(members.len(), noun), count_of(stacks.len(), place));
        let details = if self.details.is_empty() { String::new() } else { format!(": {}", self.details) };
        format!("{reach} {}{details}", self.several)
    }
}

/// What components are called, and what their stacks are called.
fn nouns(members: &[Changed<'_>]) -> (&'static str, &'static str) {
    members.first().and_then(|first| first.vocabulary().counted).unwrap_or(("component", "stack"))
}

/// Whether a path is another one, or leads below it.
fn is_within(path: &str, other: &str) -> bool {
    path.strip_prefix(other).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// A JSON Pointer as a user writes it.
fn dotted(path: &str) -> String {
    path.trim_start_matches('/').replace('/', ".")
}

/// A change of a value in words: `` `a` → `b` ``, ``added (`b`)``, ``removed (was `a`)``.
fn transition(before: Option<&Value>, after: Option<&Value>) -> String {
    match (before, after) {
        (None, None) => "unchanged".to_owned(),
        (None, after) => format!("added ({})", shown(after)),
        (before, None) => format!("removed (was {})", shown(before)),
        (Some(before), Some(after)) => match [before, after].map(|value| shown(Some(value))) {
            [text, same] if text == same && after.holds(Flags::UNKNOWN) => {
                format!("{text} ({})", why_unsure(before, after))
            }
            [before, after] => format!("{before} → {after}"),
        },
    }
}

/// Why a value that is not known may be another one.
fn why_unsure(before: &Value, after: &Value) -> String {
    let names = match (&before.data, &after.data) {
        (Data::Unknown(before), Data::Unknown(after)) => before.reads_that_differ(after),
        _ => Vec::new(),
    };
    // What is described in words is no name.
    let quoted = |name: &&&Text| if name.contains(' ') { name.to_string() } else { format!("`{name}`") };
    let mut shown: Vec<String> = names.iter().take(MAX_NAMES).map(|name| quoted(&name)).collect();
    match names.len().saturating_sub(MAX_NAMES) {
        _ if shown.is_empty() => return "what it is computed from differs".to_owned(),
        0 => {}
        more => shown.push(format!("{more} more")),
    }
    format!("it reads {}, which {}", shown.join(", "), if names.len() == 1 { "differs" } else { "differ" })
}

fn names(members: &[Changed<'_>]) -> String {
    let mut names: Vec<String> =
        members.iter().take(MAX_NAMES).map(|m| format!("{} in {}", m.change.name, m.change.stack)).collect();
    if members.len() > MAX_NAMES {
        names.push(format!("… {} more", members.len() - MAX_NAMES));
    }
    names.join(", ")
}

/// A cause as a place: from its column to the end of its line.
fn cause_label(cause: &Cause, files: &Files) -> Label {
    let file = files.get(cause.file);
    let (span, text) = (file.line_span(cause.line), file.line_text(cause.line));
    let skip = text.char_indices().nth(cause.column.saturating_sub(1) as usize).map_or(0, |(i, _)| i);
    Label::new(cause.file, span.start + skip as u32, span.start + text.trim_end().len() as u32, "")
}

/// A value in a message: short, and nothing of a secret.
fn shown(value: Option<&Value>) -> String {
    match value {
        None => "nothing".to_owned(),
        Some(value) if value.is_sensitive() => inline(value, true, false),
        Some(value) => match value.as_str() {
            Some(text) if text.chars().count() <= 60 => format!("`{text}`"),
            Some(text) => format!("`{}…`", text.chars().take(59).collect::<String>()),
            None => format!("`{}`", inline(value, false, false)),
        },
    }
}

/// A number with a noun, in the plural unless it is one.
fn count_of(number: usize, word: &str) -> String {
    if number == 1 { format!("1 {word}") } else { format!("{number} {word}s") }
}

/// Whether this happened to a component.
fn status(changed: &Changed<'_>, status: Status) -> bool {
    changed.change.status == status
}

/// The checks of this group.
pub(super) static CHECKS: &[Checked] = &[
    (&backend_credentials_changed::BACKEND_CREDENTIALS_CHANGED, Check::Change(backend_credentials_changed::check)),
    (&base_already_broken::BASE_ALREADY_BROKEN, Check::Change(base_already_broken::check)),
    (&switched::BECAME_ABSTRACT, Check::Change(switched::became_abstract)),
    (&switched::COMPONENT_DISABLED, Check::Change(switched::disabled)),
    (&switched::COMPONENT_ENABLED, Check::Change(switched::enabled)),
    (&component_removed::COMPONENT_REMOVED, Check::Change(component_removed::components)),
    (&renamed::COMPONENT_RENAMED, Check::Change(renamed::components)),
    (&dependency_dropped::DEPENDENCY_DROPPED, Check::Change(dependency_dropped::check)),
    (&destroy_argument::DESTROY_ARGUMENT, Check::Change(destroy_argument::check)),
    (&destroy_protection_removed::DESTROY_PROTECTION_REMOVED, Check::Change(destroy_protection_removed::check)),
    (&edit_without_effect::EDIT_WITHOUT_EFFECT, Check::Change(edit_without_effect::check)),
    (&encryption_method_removed::ENCRYPTION_METHOD_REMOVED, Check::Change(encryption_method_removed::check)),
    (&locals_only_change::LOCALS_ONLY_CHANGE, Check::Change(locals_only_change::check)),
    (&locked_component_changed::LOCKED_COMPONENT_CHANGED, Check::Change(locked_component_changed::check)),
    (&version_changed::MAJOR_VERSION_CHANGED, Check::Change(version_changed::major)),
    (&module_default_changed::MODULE_DEFAULT_CHANGED, Check::Change(module_default_changed::check)),
    (&instance_removed::PROVIDER_INSTANCE_REMOVED, Check::Change(instance_removed::check)),
    (&provider_or_version_widened::PROVIDER_OR_VERSION_WIDENED, Check::Change(provider_or_version_widened::check)),
    (&provider_target_changed::PROVIDER_TARGET_CHANGED, Check::Change(provider_target_changed::check)),
    (&index_shift::RESOURCE_INDEX_SHIFTED, Check::Change(index_shift::check)),
    (&version_changed::SOURCE_CHANGED, Check::Change(version_changed::source)),
    (&wide_blast_radius::PROTECTED_STACK_CHANGED, Check::Change(wide_blast_radius::protected)),
    (&component_removed::STACK_REMOVED, Check::Change(component_removed::stacks)),
    (&renamed::STACK_RENAMED, Check::Change(renamed::stacks)),
    (&state_address_changed::STATE_ADDRESS_CHANGED, Check::Change(state_address_changed::check)),
    (&state_encryption_changed::STATE_ENCRYPTION_CHANGED, Check::Change(state_encryption_changed::check)),
    (&type_changed::TYPE_CHANGED, Check::Change(type_changed::check)),
    (&type_narrowed::TYPE_NARROWED, Check::Change(type_narrowed::check)),
    (&version_changed::VERSION_DOWNGRADED, Check::Change(version_changed::downgraded)),
    (&wide_blast_radius::WIDE_BLAST_RADIUS, Check::Change(wide_blast_radius::wide)),
];
