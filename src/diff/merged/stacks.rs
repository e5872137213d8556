//! The four versions of a project: which of its stacks can be compared, and what their components list.

use super::{BASE, Effect, MERGED, MergedValue, OURS, THEIRS, VERSIONS, compare};
use crate::diff::{Cause, Diff, DiffOptions, diff, mask};
use crate::files::Files;
use crate::resolution::{Address, Component, Placed, Resolution, State, Unit};
use crate::text::Text;
use crate::value::FileId;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

/// What is found in the four versions of a project.
#[derive(Clone, Debug, Default)]
pub(crate) struct MergedProject {
    /// The folder of the project, where several were compared; else empty.
    pub project: Text,
    /// The components with listed values, sorted by address.
    pub components: Vec<MergedComponent>,
    /// The stacks of which no values are listed because they do not resolve, sorted.
    pub broken: Vec<BrokenStack>,
    /// What could not be compared for another reason, a clause each without a full stop. Sorted.
    pub unresolved: Vec<String>,
}

/// A component of which the merge has an effect that neither side had.
#[derive(Clone, Debug)]
pub(crate) struct MergedComponent {
    pub stack: Text,
    pub kind: Text,
    pub name: Text,
    /// The values, sorted by path.
    pub values: Vec<ListedValue>,
    /// Which versions have it.
    pub there: [bool; 4],
}

impl MergedComponent {
    fn address(&self) -> Address {
        (Text::clone(&self.stack), Text::clone(&self.kind), Text::clone(&self.name))
    }
}

/// A listed value and the edited lines behind it.
#[derive(Clone, Debug)]
pub(crate) struct ListedValue {
    pub value: MergedValue,
    /// The lines that our side and their side edited.
    pub lines: [Vec<Cause>; 2],
    /// Whether it looks like a secret by the keys on its path, or by a sibling.
    pub is_secret: bool,
}

/// A stack that resolves in one version and not in `ours`, `theirs` or the merge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BrokenStack {
    pub stack: Text,
    /// The names of the versions that do not resolve, in the order of [`VERSIONS`].
    pub versions: Vec<&'static str>,
    /// The files that define it and do not resolve, sorted.
    pub files: Vec<Text>,
    /// What is wrong, as a clause without a full stop, with its file and line; `None` if nothing says so.
    pub reason: Option<(String, Text, u32)>,
}

/// What is known of a broken stack so far.
#[derive(Default)]
struct Broken {
    versions: BTreeSet<usize>,
    files: BTreeSet<Text>,
    reason: Option<(String, Text, u32)>,
}

/// What does not resolve in one version, or is refused there.
struct Failing<'a> {
    resolution: &'a Resolution,
    /// The ids of units.
    units: HashSet<&'a str>,
    /// The names of stacks, of units that resolve.
    stacks: HashSet<&'a Text>,
}

impl<'a> Failing<'a> {
    fn of(resolution: &'a Resolution) -> Self {
        let refused = || resolution.findings.iter().filter(|finding| finding.is_refused);
        let files: HashSet<FileId> =
            refused().filter(|finding| finding.stacks.is_empty()).map(|finding| finding.primary.file).collect();
        let has_refused =
            |unit: &Unit| files.contains(&unit.file) || unit.files.iter().any(|file| files.contains(file));
        // Where a part could not be resolved all of it fails: the deployment tool may stop at any error.
        let fails = |unit: &&Arc<Unit>| {
            unit.state == State::Broken || !unit.broken.is_empty() || !unit.failed.is_empty() || has_refused(unit)
        };
        let units = resolution.units.iter().filter(fails).map(|unit| &*unit.id).collect();
        let named: HashSet<&Text> = refused().flat_map(|finding| &finding.stacks).collect();
        // A stack may be refused by the name that only validation gives to it.
        let is_refused = |unit: &&Arc<Unit>| unit.validated_as.iter().any(|name| named.contains(name));
        let otherwise = resolution.units.iter().filter(is_refused).flat_map(|unit| &unit.components);
        let stacks = otherwise.map(|component| &component.stack).chain(named.iter().copied()).collect();
        Failing { resolution, units, stacks }
    }

    /// The stacks that a unit makes. Of one that fails as a whole none is known.
    fn stacks(&self, unit: &'a Unit) -> BTreeSet<&'a Text> {
        let all = unit.components.iter().map(|component| &component.stack);
        all.filter(|stack| !self.units.contains(&*unit.id) && !self.stacks.contains(stack)).collect()
    }

    /// What is wrong with a unit or a stack.
    fn reason(&self, unit: &Unit, stack: &Text, files: &Files) -> Option<(String, Text, u32)> {
        let wrong = self.resolution.findings.iter().filter(|finding| finding.is_breaking || finding.is_refused);
        let own = wrong.filter(|finding| match finding.is_refused && !finding.stacks.is_empty() {
            true => finding.stacks.iter().any(|one| one == stack || unit.validated_as.contains(one)),
            false => unit.file == finding.primary.file || unit.files.contains(&finding.primary.file),
        });
        let placed = own.map(|finding| {
            let file = files.get(finding.primary.file);
            (finding.message.clone(), Text::clone(&file.path), file.line(finding.primary.start))
        });
        placed.min_by(|a, b| (&a.1, a.2, &a.0).cmp(&(&b.1, b.2, &b.0)))
    }
}

/// Compares four versions of a project whose files are all in `files`. `touched` says which files differ between any of them.
pub(crate) fn project(
    versions: [&Resolution; 4],
    files: &Files,
    touched: &(dyn Fn(&str) -> bool + Sync),
) -> MergedProject {
    let failing = versions.map(Failing::of);
    let broken = broken(&failing, files);
    let names: HashSet<&Text> = broken.iter().map(|one| &one.stack).collect();
    let each = failing.each_ref().map(|version| {
        let is_known = |unit: &Unit, stack: &Text| {
            !version.units.contains(&*unit.id) && !version.stacks.contains(stack) && !names.contains(stack)
        };
        let mut all = version.resolution.components();
        all.retain(|_, placed| is_known(&placed.unit, &placed.component.stack));
        all
    });
    let addresses: BTreeSet<&Address> = each.iter().flat_map(BTreeMap::keys).collect();
    let mut components: Vec<MergedComponent> =
        addresses.into_iter().filter_map(|address| component(address, &each)).collect();
    add_lines(&mut components, versions, files, touched);
    MergedProject { project: Text::from(""), components, broken, unresolved: unresolved(&failing, files, touched) }
}

/// Compares one component; `None` if nothing is listed.
fn component(address: &Address, each: &[BTreeMap<Address, Placed>; 4]) -> Option<MergedComponent> {
    let versions: [Option<&Arc<Component>>; 4] =
        each.each_ref().map(|version| version.get(address).map(|placed| &placed.component));
    let values = versions.map(|component| component.map(|component| &component.value));
    let calls = versions.map(|component| component.map_or(&[][..], |component| &component.metadata.calls));
    let found = compare(values, calls);
    let is_secret = |path: &str| {
        mask::is_secret_pointer(path) || values.iter().flatten().any(|value| mask::is_secret_beside(value, path))
    };
    let listed =
        |value: MergedValue| ListedValue { is_secret: is_secret(&value.path), value, lines: Default::default() };
    let (stack, kind, name) = address.clone();
    let there = versions.map(|version| version.is_some());
    let values = found.into_iter().map(listed).collect::<Vec<_>>();
    (!values.is_empty()).then_some(MergedComponent { stack, kind, name, values, there })
}

/// The stacks that resolve in some version and of which a part does not resolve in `ours`, `theirs` or the merge.
fn broken(versions: &[Failing<'_>; 4], files: &Files) -> Vec<BrokenStack> {
    let mut made: BTreeMap<&str, BTreeSet<&Text>> = BTreeMap::new();
    for version in versions {
        for unit in &version.resolution.units {
            made.entry(&unit.id).or_default().extend(version.stacks(unit));
        }
    }
    let all: BTreeSet<&Text> = made.values().flatten().copied().collect();
    let mut broken: BTreeMap<&Text, Broken> = BTreeMap::new();
    // What is wrong with the merge explains more than what is wrong with a side.
    for version in [MERGED, OURS, THEIRS] {
        let failing = &versions[version];
        for unit in &failing.resolution.units {
            let is_whole = failing.units.contains(&*unit.id);
            let of_unit = made.get(&*unit.id).into_iter().flatten().filter(|_| is_whole).copied();
            let refused = unit.components.iter().map(|component| &component.stack);
            let refused = refused.filter(|stack| failing.stacks.contains(stack));
            let named = refused.chain(&unit.failed).filter_map(|stack| all.get(stack).copied());
            for stack in of_unit.chain(named) {
                let known = broken.entry(stack).or_default();
                known.versions.insert(version);
                known.files.insert(Text::clone(&files.get(unit.file).path));
                known.reason = known.reason.take().or_else(|| failing.reason(unit, stack, files));
            }
        }
    }
    let one = |(stack, known): (&Text, Broken)| BrokenStack {
        stack: Text::clone(stack),
        versions: known.versions.into_iter().map(|version| VERSIONS[version]).collect(),
        files: known.files.into_iter().collect(),
        reason: known.reason,
    };
    broken.into_iter().map(one).collect()
}

/// What could not be compared though no stack is broken by it: what no version resolves, and files that git does not have.
/// What no side edits is the same in all versions, known or not.
fn unresolved(versions: &[Failing<'_>; 4], files: &Files, touched: &dyn Fn(&str) -> bool) -> Vec<String> {
    let mut found = BTreeSet::new();
    let mut of_id: BTreeMap<&str, [Option<&Unit>; 4]> = BTreeMap::new();
    for (number, version) in versions.iter().enumerate() {
        for unit in &version.resolution.units {
            of_id.entry(&unit.id).or_default()[number] = Some(unit);
        }
    }
    for units in of_id.values() {
        let there = || units.iter().enumerate().filter_map(|(version, unit)| Some((version, (*unit)?)));
        let fails = |(version, unit): &(usize, &Unit)| versions[*version].units.contains(&*unit.id);
        let is_edited = there().flat_map(|(_, unit)| &unit.files).any(|file| touched(&files.get(*file).path));
        let is_elsewhere = there().any(|one| !fails(&one));
        let lost = there().filter(|one| fails(one) && is_edited && (one.0 == BASE || !is_elsewhere));
        found.extend(
            lost.map(|(version, unit)| {
                format!("{} does not resolve in {}", files.get(unit.file).path, VERSIONS[version])
            }),
        );
        let lacks = there().find(|(_, unit)| there().any(|(_, other)| unit.lacks_more_than(&other.lacks)));
        if let Some((_, unit)) = lacks {
            let reason = unit.lacks.first().and_then(|lack| lack.reasons.first()).map_or("", |reason| reason);
            found.insert(format!("{} may have other values: {reason}", unit.name));
        }
    }
    let gaps = versions.each_ref().map(|version| version.resolution.gap.as_ref());
    for (name, gap) in VERSIONS.iter().zip(gaps) {
        if let Some(known) = gap.filter(|_| gaps.iter().any(|other| *other != gap)) {
            found.insert(format!("not all of {name} is known: {}", known.reason));
        }
    }
    found.into_iter().collect()
}

/// Adds the edited lines of both sides to listed values: those between the base and a side, or, where these do not differ, those
/// by which the merge differs from the other side.
fn add_lines(
    components: &mut [MergedComponent],
    versions: [&Resolution; 4],
    files: &Files,
    touched: &(dyn Fn(&str) -> bool + Sync),
) {
    if components.is_empty() {
        return;
    }
    let addresses: BTreeSet<Address> = components.iter().map(MergedComponent::address).collect();
    let filter = |address: &Address| addresses.contains(address);
    let options = DiffOptions { filter: Some(&filter), touched: Some(touched) };
    let between = |from: usize, to: usize| diff(versions[from], versions[to], files, &options);
    let sides = [[between(BASE, OURS), between(THEIRS, MERGED)], [between(BASE, THEIRS), between(OURS, MERGED)]];
    for component in components {
        let address = component.address();
        for listed in &mut component.values {
            listed.lines = sides.each_ref().map(|diffs| {
                let lines = diffs.iter().map(|diff| lines(diff, &address, &listed.value.path));
                lines.into_iter().find(|lines| !lines.is_empty()).unwrap_or_default()
            });
        }
    }
}

/// The edited lines behind what differs at a path, or around it or below it.
fn lines(diff: &Diff, address: &Address, path: &str) -> Vec<Cause> {
    let Some(component) = diff.components.iter().find(|component| component.address() == *address) else {
        return Vec::new();
    };
    if component.changes.is_empty() {
        return component.causes.clone();
    }
    let is_inside = |a: &str, b: &str| a.strip_prefix(b).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    let near = component.changes.iter().filter(|change| is_inside(&change.path, path) || is_inside(path, &change.path));
    let mut lines: Vec<Cause> = Vec::new();
    for cause in near.flat_map(|change| &change.causes) {
        if !lines.contains(cause) {
            lines.push(*cause);
        }
    }
    lines
}

impl MergedProject {
    /// Adds what is found in what code makes of each of its components.
    pub(crate) fn extend(&mut self, made: Vec<MergedProject>) {
        for one in made {
            self.components.extend(one.components);
            self.broken.extend(one.broken);
            self.unresolved.extend(one.unresolved);
        }
        self.components.sort_by_key(MergedComponent::address);
        self.unresolved.sort_unstable();
        self.unresolved.dedup();
    }

    /// The number of listed values, and of those of which it is not known whether they belong there.
    pub(crate) fn counts(&self) -> (usize, usize) {
        let values = self.components.iter().flat_map(|component| &component.values);
        let (unknown, certain): (Vec<_>, Vec<_>) = values.partition(|listed| listed.value.effect == Effect::Unknown);
        (certain.len(), unknown.len())
    }
}
