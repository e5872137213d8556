//! The coverage of a review: which projects were analyzed, with which configuration files, and what could not be
//! resolved.

mod distinct;

use super::align::misnamed;
use crate::diagnostic::rules::INCOMPLETE_ANALYSIS;
use crate::diagnostic::{Diagnostic, Group};
use crate::files::Files;
use crate::resolution::{Component, Extent, Gap, Resolution, State, Unit};
use crate::text::Text;
use crate::value::FileId;
use distinct::distinct;
use std::collections::{BTreeMap, BTreeSet};

/// The coverage of a review.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Coverage {
    /// The projects in the order in which they are reported.
    pub projects: Vec<ProjectCoverage>,
    /// The folders that were not analyzed: the whole repository, if it is rejected.
    pub not_analyzed: Vec<String>,
    /// Settings that have no effect, a sentence each without a full stop.
    pub warnings: Vec<String>,
    /// The files of code that differ and that no component that was examined reads: sorted paths.
    pub unread: Vec<Text>,
    /// The settings that say how components are run, that no component shows, and that differ: sorted names.
    pub run_settings: Vec<String>,
    /// The files that steer what runs, that no configuration names, and that differ: sorted paths.
    pub run_files: Vec<Text>,
    /// The part that the report is limited to, as a sentence without a full stop; `None` if it is complete.
    pub narrowed: Option<String>,
}

/// The coverage of one project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ProjectCoverage {
    /// Its system.
    pub dialect: &'static str,
    /// Its folder from the root of the repository; `.` for the root.
    pub path: String,
    /// The paths of the configuration files in use on either side, sorted; empty if defaults are used.
    pub config: Vec<Text>,
    /// Assumptions about missing configuration, each a sentence without a full stop.
    pub assumptions: Vec<String>,
    /// The older side; `None` if a single state was analyzed.
    pub base: Option<SideCoverage>,
    /// The state that was analyzed; of two the newer one.
    pub head: SideCoverage,
    /// The number of stacks that were resolved on a side.
    pub stacks: usize,
    /// The number of components that were resolved on a side.
    pub components: usize,
    /// The names of components that differ and whose code is not in the repository, so that it is not evaluated. Sorted.
    pub not_evaluated: Vec<Text>,
    /// Whether the change edits a file in its folder; without a comparison it is as if all were edited.
    pub is_touched: bool,
}

/// The coverage of one state of a project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SideCoverage {
    /// The number of stacks that were resolved, those that no edit reaches included.
    pub stacks: usize,
    /// The number of components that were resolved.
    pub components: usize,
    /// The number of stacks that were not resolved because no edit reaches them.
    pub untouched: usize,
    /// The parts that could not be resolved, sorted by name.
    pub unresolved: Vec<Unresolved>,
}

/// Something that could not be resolved.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Unresolved {
    /// The stack, where its name is known.
    pub stack: Option<Text>,
    /// The file that defines it, or the configuration file.
    pub file: Text,
    /// Type and name of the component, where the rest of the stack was resolved.
    pub component: Option<(Text, Text)>,
    /// Why, as a clause without a full stop.
    pub reason: String,
    /// Whether all of it was resolved but for what files set that git does not have.
    pub is_partial: bool,
    /// Whether what could not be resolved on either side may differ: files that git does not have play a part in it, and an edit
    /// reaches it.
    pub is_edited: bool,
    /// The file and line (from 1) to look into.
    pub place: Option<(Text, u32)>,
}

/// The stack, the component, and the file if the name of the stack is not known.
type Identity<'a> = (&'a Option<Text>, &'a Option<(Text, Text)>, Option<&'a Text>);

impl Unresolved {
    /// The identity of the part, independent of the reason.
    fn identity(&self) -> Identity<'_> {
        (&self.stack, &self.component, self.stack.is_none().then_some(&self.file))
    }

    /// Its name in messages: `box in prod`, `prod`, or the file.
    pub(crate) fn name(&self) -> String {
        let whole = self.stack.as_ref().unwrap_or(&self.file);
        match &self.component {
            Some((_, name)) => format!("{name} in {whole}"),
            None => whole.to_string(),
        }
    }
}

/// On which sides something could not be resolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Lacking {
    /// On the newer one alone, or in the single state that was analyzed.
    Head,
    /// On the older one alone.
    Base,
    Both,
}

/// What a side could not resolve: completely, or but for some files.
struct Known<'a> {
    lost: Parts<'a>,
    partial: Parts<'a>,
}

impl<'a> Known<'a> {
    fn of(side: &'a [Unresolved]) -> Self {
        let (partial, lost): (Vec<_>, Vec<_>) = side.iter().partition(|one| one.is_partial);
        Self { lost: Parts::of(&lost), partial: Parts::of(&partial) }
    }

    fn of_degree(&self, is_partial: bool) -> &Parts<'a> {
        if is_partial { &self.partial } else { &self.lost }
    }
}

/// Parts that a side could not resolve, by their identities and files.
struct Parts<'a> {
    identities: BTreeSet<Identity<'a>>,
    files: BTreeSet<&'a Text>,
}

impl<'a> Parts<'a> {
    fn of(all: &[&'a Unresolved]) -> Self {
        let files = all.iter().filter(|one| one.component.is_none()).map(|one| &one.file).collect();
        Self { identities: all.iter().map(|one| one.identity()).collect(), files }
    }

    /// Whether a part is among them. The name of its stack may be known on one side only.
    fn has(&self, one: &Unresolved) -> bool {
        self.identities.contains(&one.identity()) || one.component.is_none() && self.files.contains(&one.file)
    }
}

impl ProjectCoverage {
    /// The unresolved parts, with their sides: first those that no longer resolve.
    pub(crate) fn lacking(&self) -> Vec<(Lacking, &Unresolved)> {
        let (base, head) = (self.base.as_ref().map_or(&[][..], |b| &b.unresolved), &self.head.unresolved[..]);
        let (in_base, in_head) = (Known::of(base), Known::of(head));
        // A side that has nothing of a part of which the other one only lacks some files is the one that does not resolve.
        let newer = head.iter().filter(|one| !(one.is_partial && in_base.lost.has(one)));
        let newer = newer.map(|one| match in_base.of_degree(one.is_partial).has(one) {
            true => (Lacking::Both, one),
            false => (Lacking::Head, one),
        });
        let is_said = |one: &Unresolved| in_head.lost.has(one) || one.is_partial && in_head.partial.has(one);
        let older = base.iter().filter(|one| !is_said(one)).map(|one| (Lacking::Base, one));
        let mut all: Vec<_> = newer.chain(older).collect();
        all.sort();
        // A stack of several manifests is one part, whichever of them does not resolve.
        let mut seen = BTreeSet::new();
        all.retain(|(_, one)| seen.insert(one.identity()));
        all
    }

    /// Whether no stack of it was resolved, on neither side.
    pub(crate) fn is_empty(&self) -> bool {
        self.head.stacks == 0 && self.base.as_ref().is_none_or(|b| b.stacks == 0)
    }
}

impl SideCoverage {
    /// The parts of which nothing was resolved.
    fn lost(&self) -> impl Iterator<Item = &Unresolved> {
        self.unresolved.iter().filter(|one| !one.is_partial)
    }
}

impl Coverage {
    /// The name of a project in the report: its folder, and its system where another one has the same folder.
    pub(crate) fn name(&self, project: &ProjectCoverage) -> String {
        match self.projects.iter().filter(|other| other.path == project.path).count() {
            0 | 1 => project.path.clone(),
            _ => format!("{} ({})", project.path, project.dialect),
        }
    }

    /// The unresolved parts of all projects, first those that no longer resolve.
    pub(crate) fn lacking(&self) -> Vec<(Lacking, &Unresolved)> {
        let mut all: Vec<_> = self.projects.iter().flat_map(ProjectCoverage::lacking).collect();
        all.sort();
        // Projects that share a file lack the same part.
        all.dedup();
        all
    }

    /// Whether all projects were resolved completely, on all sides, and nothing was rejected.
    pub(crate) fn is_whole(&self) -> bool {
        self.is_resolved() && self.not_analyzed.is_empty()
    }

    /// Whether everything of the analyzed projects was resolved, on all sides.
    pub(crate) fn is_resolved(&self) -> bool {
        let is_whole = |side: &SideCoverage| side.unresolved.is_empty();
        self.projects.iter().all(|p| is_whole(&p.head) && p.base.as_ref().is_none_or(is_whole))
    }

    /// Whether nothing at all was resolved.
    pub(crate) fn is_empty(&self) -> bool {
        self.projects.iter().all(ProjectCoverage::is_empty)
    }

    /// Whether nothing was resolved at all, or of a project that the change touches.
    pub(crate) fn has_empty_project(&self) -> bool {
        self.is_empty() || self.empty_projects().next().is_some()
    }

    /// The projects of which nothing was resolved, though the change touches them.
    pub(crate) fn empty_projects(&self) -> impl Iterator<Item = &ProjectCoverage> {
        self.projects.iter().filter(|project| project.is_empty() && project.is_touched)
    }

    /// The number of stacks and components that were resolved on a side.
    pub(crate) fn totals(&self) -> (usize, usize) {
        self.projects.iter().fold((0, 0), |(s, c), p| (s + p.stacks, c + p.components))
    }

    /// The number of stacks that no edit reaches.
    pub(crate) fn untouched(&self) -> usize {
        self.projects.iter().map(|p| p.head.untouched).sum()
    }
}

/// Computes the coverage of a project from its resolutions.
pub(super) fn of(
    dialect: &'static str,
    folder: &str,
    base: Option<&Resolution>,
    head: &Resolution,
    files: &Files,
    is_touched: &dyn Fn(&str) -> bool,
) -> ProjectCoverage {
    let sides = || base.into_iter().chain([head]);
    let config: BTreeSet<Text> =
        sides().flat_map(|r| &r.config).map(|file| Text::clone(&files.get(*file).path)).collect();
    let assumptions: BTreeSet<&String> = sides().flat_map(|r| &r.assumptions).collect();
    let untouched = untouched(head).max(base.map_or(0, untouched));
    let (in_base, in_head) =
        (base.map(|own| side(own, Some(head), files, is_touched)), side(head, base, files, is_touched));
    let lacking: BTreeSet<_> =
        in_base.iter().chain([&in_head]).flat_map(|s| s.lost()).map(|u| (&u.stack, &u.component)).collect();
    let is_resolved = |c: &&Component| {
        if lacking.is_empty() {
            return true;
        }
        let stack = Some(Text::clone(&c.stack));
        let component = Some((Text::clone(&c.kind), Text::clone(&c.name)));
        !(lacking.contains(&(&stack, &None)) || lacking.contains(&(&stack, &component)))
    };
    let named = |own: &'_ &Resolution| base.is_none_or(|base| misnamed(own, base).or(misnamed(own, head)).is_none());
    let resolved = || sides().filter(named).flat_map(components).filter(is_resolved);
    let stacks: BTreeSet<&Text> = stacks(resolved()).chain(sides().flat_map(|r| r.empty_stacks())).collect();
    let (stacks, components) = (stacks.len() + untouched, distinct(&resolved().collect::<Vec<_>>()));
    ProjectCoverage {
        dialect,
        path: if folder.is_empty() { ".".to_owned() } else { folder.to_owned() },
        config: config.into_iter().collect(),
        assumptions: assumptions.into_iter().cloned().collect(),
        base: in_base,
        head: in_head,
        stacks,
        components,
        not_evaluated: Vec::new(),
        is_touched: true,
    }
}

/// The names of the stacks of components; each once where they come after each other.
fn stacks<'a>(components: impl Iterator<Item = &'a Component>) -> impl Iterator<Item = &'a Text> {
    let mut last = None;
    components.map(|component| &component.stack).filter(move |stack| last.replace(*stack) != Some(*stack))
}

fn untouched(resolution: &Resolution) -> usize {
    resolution.units.iter().filter(|u| u.state == State::OutOfScope).count()
}

/// The components whose stacks have a name.
fn components(resolution: &Resolution) -> impl Iterator<Item = &Component> {
    let named = |unit: &'_ &std::sync::Arc<Unit>| unit.state == State::Resolved;
    resolution
        .units
        .iter()
        .filter(named)
        .flat_map(|unit| unit.components.iter().filter(|c| !unit.failed.contains(&c.stack)).map(|c| &**c))
}

fn side(
    own: &Resolution,
    other: Option<&Resolution>,
    files: &Files,
    is_touched: &dyn Fn(&str) -> bool,
) -> SideCoverage {
    let is_named = other.is_none_or(|other| misnamed(own, other).is_none());
    let resolved = || components(own).filter(|_| is_named);
    let stacks: BTreeSet<&Text> = stacks(resolved()).chain(own.empty_stacks()).collect();
    let untouched = untouched(own);
    SideCoverage {
        stacks: stacks.len() + untouched,
        components: resolved().count(),
        untouched,
        unresolved: unresolved(own, other, files, is_touched),
    }
}

fn unresolved(
    own: &Resolution,
    other: Option<&Resolution>,
    files: &Files,
    is_touched: &dyn Fn(&str) -> bool,
) -> Vec<Unresolved> {
    let mut all = BTreeSet::new();
    let elsewhere: BTreeMap<&str, &Unit> =
        other.iter().flat_map(|r| &r.units).map(|unit| (&*unit.id, &**unit)).collect();
    for unit in own.units.iter().filter(|u| u.is_incomplete()) {
        let there = elsewhere.get(&*unit.id).copied();
        let is_partial = unit.is_partial();
        let units = || [Some(&**unit), there].into_iter().flatten();
        let is_touched = || units().flat_map(|u| &u.files).any(|file| is_touched(&files.get(*file).path));
        let has_edited_lacks = there.is_some_and(|there| there.lacks != unit.lacks);
        let one = |stack: Option<Text>, component: Option<(Text, Text)>| {
            let is_partial = is_partial && component.is_none();
            let Reason { message: reason, place, is_unavailable } = match is_partial {
                true => partial_reason(own, unit, files),
                false => reason(own, unit, stack.as_ref(), files),
            };
            let is_edited = has_edited_lacks || is_unavailable && is_touched();
            Unresolved {
                stack,
                file: Text::clone(&files.get(unit.file).path),
                component,
                reason,
                is_partial,
                is_edited,
                place,
            }
        };
        if unit.state == State::Broken || !unit.failed.is_empty() || is_partial {
            let names = stacks_of(unit, there, own, other);
            all.extend(names.iter().map(|stack| one(Some(Text::clone(stack)), None)));
            if names.is_empty() {
                all.insert(one(None, None));
            }
        }
        let stack = unit.components.first().map(|c| Text::clone(&c.stack));
        let stack = stack.or_else(|| stacks_of(unit, there, own, other).into_iter().next());
        let first = unit.broken.first().map(|component| one(stack, Some(component.clone())));
        let alike =
            |one: Unresolved| unit.broken.iter().map(move |c| Unresolved { component: Some(c.clone()), ..one.clone() });
        all.extend(first.into_iter().flat_map(alike));
    }
    if let Some((gap, other)) = other.and_then(|other| Some((misnamed(own, other)?, other))) {
        let place = gap_place(own, gap, files);
        let named: BTreeSet<&Text> = components(other).map(|c| &c.stack).collect();
        all.extend(named.into_iter().map(|stack| Unresolved {
            stack: Some(Text::clone(stack)),
            file: place.as_ref().map_or_else(|| Text::from("."), |(file, _)| Text::clone(file)),
            component: None,
            reason: gap.reason.clone(),
            is_partial: false,
            is_edited: false,
            place: place.clone(),
        }));
    }
    all.extend(other.and_then(|other| other_settings(own, other, files)));
    // A side without the project lacks nothing of it.
    let is_there = !own.config.is_empty() || !own.assumptions.is_empty();
    let is_nothing = |gap: &&Gap| gap.extent == Extent::Everything || is_there && own.units.is_empty();
    if let Some(gap) = own.gap.as_ref().filter(|gap| is_nothing(gap) && all.is_empty()) {
        let place = gap_place(own, gap, files);
        let file = place.as_ref().map_or_else(|| Text::from("."), |(file, _)| Text::clone(file));
        let (reason, is_partial, is_edited) = (gap.reason.clone(), false, false);
        all.insert(Unresolved { stack: None, file, component: None, reason, is_partial, is_edited, place });
    }
    all.into_iter().collect()
}

/// That a side imports its configuration from elsewhere, where the other side does not: what that sets may differ.
fn other_settings(own: &Resolution, other: &Resolution, files: &Files) -> Option<Unresolved> {
    let mut only_here = own.remote_config.difference(&other.remote_config);
    let address = only_here.next().filter(|_| !other.config.is_empty())?;
    Some(Unresolved {
        stack: None,
        file: own.config.first().map_or_else(|| Text::from("."), |file| Text::clone(&files.get(*file).path)),
        component: None,
        reason: format!("the configuration imports {address}, which is not read, so what it sets may differ"),
        is_partial: true,
        is_edited: true,
        place: None,
    })
}

/// The stacks for which a unit could not be resolved: those that it defines on the other side, or that its own file
/// names.
fn stacks_of(unit: &Unit, there: Option<&Unit>, own: &Resolution, other: Option<&Resolution>) -> BTreeSet<Text> {
    // The rest of the unit was resolved.
    if !unit.failed.is_empty() && unit.components.iter().any(|c| !unit.failed.contains(&c.stack)) {
        return unit.failed.iter().cloned().collect();
    }
    let failed = |stack: &Text| **stack == *unit.name;
    let of_unit = Some(unit).filter(|unit| unit.is_partial()).into_iter().chain(there);
    let known = of_unit.flat_map(|u| u.components.iter().filter(|c| !u.failed.contains(&c.stack)));
    let mut names: BTreeSet<Text> = known.map(|c| Text::clone(&c.stack)).collect();
    if names.is_empty() {
        let sides = [Some(own), other];
        names.extend(sides.iter().flatten().find_map(|r| r.locals.stacks.get(&unit.file)).cloned());
    }
    if names.is_empty() {
        names.extend(unit.failed.iter().filter(|stack| !failed(stack)).cloned());
    }
    names
}

/// Why a unit could not be resolved.
struct Reason {
    message: String,
    /// The file and line (from 1) to look into.
    place: Option<(Text, u32)>,
    /// Whether nothing is wrong: what is needed is not known.
    is_unavailable: bool,
}

/// Why a unit could not be resolved fully. What was resolved of it is compared, edited or not.
fn partial_reason(resolution: &Resolution, unit: &Unit, files: &Files) -> Reason {
    let message = unit.lacks.first().and_then(|one| one.reasons.first()).map_or_else(String::new, ToString::to_string);
    let place = resolution.findings.iter().find(|f| f.message == message).map(|f| {
        let file = files.get(f.primary.file);
        (Text::clone(&file.path), file.line(f.primary.start))
    });
    Reason { message, place, is_unavailable: false }
}

/// Why a unit could not be resolved for a stack, and where to look.
fn reason(resolution: &Resolution, unit: &Unit, stack: Option<&Text>, files: &Files) -> Reason {
    let place = |file: FileId, start: u32| {
        let file = files.get(file);
        (Text::clone(&file.path), file.line(start))
    };
    let of_finding = |f: &Diagnostic| {
        let mut shown = f.clone();
        shown.hide_secrets(files);
        Reason {
            message: shown.message,
            place: Some(place(f.primary.file, f.primary.start)),
            is_unavailable: f.rule == &INCOMPLETE_ANALYSIS,
        }
    };
    let uses = |file: FileId| file == unit.file || unit.files.binary_search(&file).is_ok();
    let is_reason = |f: &&Diagnostic| f.is_breaking || !unit.failed.is_empty() && f.rule.group == Group::Correctness;
    let breaking = resolution.findings.iter().filter(is_reason);
    let own = breaking.clone().filter(|f| uses(f.primary.file));
    // Files have their numbers in the order in which threads read them.
    let by_place = |f: &&Diagnostic| (Text::clone(&files.get(f.primary.file).path), f.primary.start);
    // What is wrong in a shared file may be wrong for other units alone.
    let is_elsewhere = |f: &&Diagnostic| {
        let is_here = f.primary.file == unit.file || stack.is_some_and(|stack| f.stacks.contains(stack));
        !is_here && !f.stacks.is_empty() && !f.stacks.contains(&unit.name)
    };
    match (own.min_by_key(|f| (is_elsewhere(f), !f.is_breaking, by_place(f))), &resolution.gap) {
        (Some(f), _) => of_finding(f),
        (None, Some(gap)) => {
            Reason { message: gap.reason.clone(), place: gap_place(resolution, gap, files), is_unavailable: false }
        }
        (None, None) => match breaking.min_by_key(by_place) {
            Some(f) => of_finding(f),
            None => Reason { message: "it could not be resolved".to_owned(), place: None, is_unavailable: false },
        },
    }
}

/// Where to look for the reason of a gap: at what is wrong in its file, else at its start.
fn gap_place(resolution: &Resolution, gap: &Gap, files: &Files) -> Option<(Text, u32)> {
    let file = gap.file?;
    let there = resolution.findings.iter().find(|f| f.primary.file == file && f.rule.group == Group::Correctness);
    let file = files.get(file);
    Some((Text::clone(&file.path), file.line(there.map_or(0, |f| f.primary.start))))
}
