//! The data embedded in the page. Addresses, files, lines and chains are indexes into tables.

use super::Page;
use super::about::{About, labels};
use super::chains::{StepRow, Tables};
use super::graph::GraphData;
use crate::diagnostic::Level;
use crate::diff::group::{Folded, Group, group};
use crate::diff::{Diff, Side, mask, pointer};
use crate::files::Files;
use crate::query::why::{Explainer, Role, WhyStep};
use crate::report::text::changes;
use crate::report::text::value::inline;
use crate::report::{Finding, Novelty, Report, coverage, headline, links};
use crate::resolution::{Address, Component, Placed, Resolution};
use crate::text::Text;
use crate::value::{Data as Kind, Flags, Origin, Value};
use foldhash::fast::RandomState;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// The maximum number of values of one state, counted once for each component that has them.
const MAX_LEAVES: usize = 1_000_000;
/// The maximum number of changes whose chains are embedded.
const MAX_CHAINS: usize = 50_000;
/// Lines around the one that a finding points at.
const AROUND: u32 = 2;

/// All that the page shows.
#[derive(Serialize)]
pub(super) struct Data {
    about: About,
    base: Option<String>,
    head: String,
    verdict: String,
    level: &'static str,
    /// Parts that could not be resolved or read, and assumptions.
    lacking: Vec<String>,
    /// The summary of the analysis.
    coverage: String,
    stacks: Vec<Text>,
    kinds: Vec<Text>,
    names: Vec<Text>,
    files: Vec<Text>,
    texts: Vec<String>,
    chains: Vec<Vec<StepRow>>,
    /// The components that change, or all of one state.
    addresses: Vec<AddressRow>,
    /// For each of them the component whose code makes it, if it is not one itself.
    made_by: Vec<Option<AddressRow>>,
    /// The values that place a stack, as text, by its index: `core`, `gbl`, `audit`.
    labels: BTreeMap<usize, Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    groups: Option<Vec<GroupData>>,
    /// The values of each component.
    #[serde(skip_serializing_if = "Option::is_none")]
    components: Option<Vec<Vec<usize>>>,
    leaves: Vec<Leaf>,
    /// The values that are not known, by their indexes.
    unknown: BTreeSet<usize>,
    cut: bool,
    findings: Vec<FindingData>,
    graph: GraphData,
}

/// The stack, the kind and the name.
type AddressRow = (usize, usize, usize);

/// A value: path, text, file, line, chain.
type Leaf = (String, String, Option<usize>, u32, usize);

#[derive(Serialize)]
struct GroupData {
    status: &'static str,
    changes: Vec<ChangeData>,
    /// Whether it is a line of the base; file, line, text.
    causes: Vec<(bool, usize, u32, usize)>,
    at: Vec<usize>,
}

#[derive(Serialize)]
struct ChangeData {
    path: String,
    /// For a list item that moves: its indexes before and after.
    #[serde(skip_serializing_if = "Option::is_none")]
    moved: Option<(usize, usize)>,
    values: Vec<(Option<String>, Option<String>)>,
    /// The number of pairs of values that are not shown.
    more: usize,
    base: Option<usize>,
    head: Option<usize>,
}

#[derive(Serialize)]
struct FindingData {
    rule: String,
    /// The address of the page of the rule.
    page: String,
    level: &'static str,
    status: Option<&'static str>,
    /// Whether a change brings it in and it is more than a note.
    risk: bool,
    message: String,
    help: Option<String>,
    file: usize,
    line: u32,
    excerpt: Vec<(u32, String)>,
    stacks: Vec<Text>,
    /// The components that it is about: their stacks and names.
    subjects: Vec<(Text, Text)>,
}

impl Data {
    pub(super) fn of(page: &Page<'_>) -> Self {
        let report = page.report;
        let mut tables = Tables::new(report.files);
        let findings: Vec<FindingData> =
            report.shown().map(|finding| of_finding(finding, &mut tables, report)).collect();
        let mut builder = Builder {
            tables,
            files: report.files,
            addresses: Vec::new(),
            made_by: Vec::new(),
            labels: BTreeMap::new(),
            paths: HashMap::default(),
            texts: HashMap::default(),
            leaves: Leaves::default(),
        };
        let (groups, components) = match &report.comparison {
            Some(comparison) => (Some(builder.groups(comparison.diff, page.bases, page.heads)), None),
            None => (None, Some(builder.components(page))),
        };
        let Builder { tables, addresses, made_by, labels, leaves, .. } = builder;
        let (verdict, level) = verdict(report);
        Data {
            about: About::of(page),
            base: report.comparison.map(|c| c.base.rev.clone()),
            head: report.head.rev.clone(),
            verdict,
            level,
            lacking: lacking(report),
            coverage: coverage::summary(report),
            stacks: tables.stacks.rows(),
            kinds: tables.kinds.rows(),
            names: tables.names.rows(),
            files: tables.paths.rows(),
            texts: tables.texts.rows(),
            chains: tables.chains.rows(),
            addresses,
            made_by,
            labels,
            groups,
            components,
            unknown: leaves.unknown,
            leaves: leaves.rows,
            cut: leaves.is_cut,
            findings,
            graph: GraphData::of(page.graph),
        }
    }
}

/// The verdict in words, and its level.
fn verdict(report: &Report<'_>) -> (String, &'static str) {
    let worst = [Level::Danger, Level::Error, Level::Warning].into_iter().find(|level| report.count(*level) > 0);
    // Unresolved parts may differ, so this does not count as no change.
    let is_whole = report.coverage.lacking().is_empty() && report.unreadable.is_empty();
    let level = worst.map_or(if is_whole { "clean" } else { "warning" }, Level::name);
    let verdict = match &report.comparison {
        Some(comparison) => headline::verdict(report, &headline::changes_of_all(comparison, report)),
        None => headline::findings(report),
    };
    (verdict, level)
}

/// Parts that could not be resolved or read, and assumptions.
fn lacking(report: &Report<'_>) -> Vec<String> {
    let mut lines: Vec<String> = report.lead().iter().map(|line| sentence(line)).collect();
    if !report.unreadable.is_empty() {
        lines.push(format!("Could not be read: {}.", report.unreadable.join(", ")));
    }
    lines
}

fn sentence(text: &str) -> String {
    if text.ends_with('.') { text.to_owned() } else { format!("{text}.") }
}

fn of_finding(finding: &Finding, tables: &mut Tables<'_>, report: &Report<'_>) -> FindingData {
    let diagnostic = &finding.diagnostic;
    let file = report.files.get(diagnostic.primary.file);
    let line = file.line(diagnostic.primary.start);
    let around = line.saturating_sub(AROUND).max(1)..=(line + AROUND).min(file.line_count());
    let mut text = |number: u32| {
        let span = file.line_span(number);
        let origin = Origin { file: diagnostic.primary.file, key: span.start, start: span.start, end: span.end };
        (number, tables.excerpt(origin, number))
    };
    let excerpt = around.map(&mut text).collect();
    FindingData {
        rule: diagnostic.rule.id().to_owned(),
        page: links::rule_page(&diagnostic.rule),
        level: finding.level.name(),
        status: finding.novelty.map(crate::report::Novelty::name),
        risk: finding.novelty == Some(Novelty::New) && finding.level >= Level::Warning,
        message: diagnostic.message.clone(),
        help: diagnostic.help.clone(),
        file: tables.paths.add(Text::clone(&file.path)),
        line,
        excerpt,
        stacks: diagnostic.stacks.clone(),
        subjects: diagnostic.subjects.iter().map(|s| (Text::clone(&s.stack), Text::clone(&s.component))).collect(),
    }
}

#[derive(Default)]
struct Leaves {
    rows: Vec<Leaf>,
    index: HashMap<Leaf, usize, RandomState>,
    unknown: BTreeSet<usize>,
    count: usize,
    is_cut: bool,
}

impl Leaves {
    fn add(&mut self, leaf: Leaf) -> usize {
        if let Some(known) = self.index.get(&leaf) {
            return *known;
        }
        self.rows.push(leaf.clone());
        self.index.insert(leaf, self.rows.len() - 1);
        self.rows.len() - 1
    }
}

/// Explains values of one state: the components of each project.
struct Explainers<'a>(Vec<(Explainer<'a>, BTreeMap<Address, Placed>)>);

impl<'a> Explainers<'a> {
    fn of(resolutions: &[&'a Resolution], files: &'a Files) -> Self {
        Explainers(resolutions.iter().map(|r| (Explainer::new(r, files), r.components())).collect())
    }

    fn steps(&mut self, address: &Address, keys: &[String]) -> Option<Vec<WhyStep>> {
        let (explainer, placed) = self.0.iter_mut().find_map(|(e, components)| Some((e, components.get(address)?)))?;
        explainer.why(placed, keys).ok().map(|answer| answer.steps)
    }
}

struct Builder<'a> {
    tables: Tables<'a>,
    files: &'a Files,
    addresses: Vec<AddressRow>,
    made_by: Vec<Option<AddressRow>>,
    labels: BTreeMap<usize, Vec<String>>,
    /// Whether the values at a path are secret, and how the path is shown.
    paths: HashMap<String, (bool, String), RandomState>,
    /// How texts are shown that are no secrets by their paths.
    texts: HashMap<Text, String, RandomState>,
    leaves: Leaves,
}

impl Builder<'_> {
    /// Adds a component.
    fn add(&mut self, address: &Address, component: &Component) {
        let row = self.tables.address(address);
        let made_by = component.metadata.made_by.as_ref().map(|owner| self.tables.address(owner));
        if made_by.is_none() {
            self.labels.entry(row.0).or_insert_with(|| labels(component));
        }
        self.addresses.push(row);
        self.made_by.push(made_by);
    }

    fn groups(&mut self, diff: &Diff, bases: &[&Resolution], heads: &[&Resolution]) -> Vec<GroupData> {
        let mut known: HashMap<Address, usize> = HashMap::new();
        for component in &diff.components {
            let address = component.address();
            known.insert(address.clone(), self.addresses.len());
            if let Some(either) = component.after.as_ref().or(component.before.as_ref()) {
                self.add(&address, either);
            }
        }
        let mut explainers = [Explainers::of(bases, self.files), Explainers::of(heads, self.files)];
        let groups = group(diff, self.files);
        let mut left = MAX_CHAINS;
        let mut made = Vec::with_capacity(groups.len());
        for group in &groups {
            let at = group.addresses.iter().filter_map(|address| known.get(address).copied()).collect();
            let is_masked = |change: &Folded<'_>| changes::is_masked(change, &self.tables.options);
            let is_secret = !group.changes.is_empty() && group.changes.iter().all(is_masked);
            let causes = group.causes.iter().map(|cause| {
                let file = self.files.get(cause.file);
                let span = file.line_span(cause.line);
                let origin = Origin { file: cause.file, key: span.start, start: span.start, end: span.end };
                let (path, line) = self.tables.place(origin);
                (cause.side == Side::Base, path, line, self.tables.line(origin, is_secret))
            });
            let causes = causes.collect();
            let mut changes = Vec::with_capacity(group.changes.len());
            for folded in &group.changes {
                left = left.saturating_sub(1);
                changes.push(self.change(group, folded, (left > 0).then_some(&mut explainers)));
            }
            made.push(GroupData { status: group.effect.name(), changes, causes, at });
        }
        made
    }

    fn change(
        &mut self,
        group: &Group<'_>,
        folded: &Folded<'_>,
        explainers: Option<&mut [Explainers<'_>; 2]>,
    ) -> ChangeData {
        let secret = folded.variants.iter().any(|variant| variant.is_secret);
        let options = self.tables.options;
        let text = |value: &Option<Value>| value.as_ref().map(|value| inline(value, secret, &options));
        let values: Vec<_> =
            folded.variants.iter().take(4).map(|change| (text(&change.before), text(&change.after))).collect();
        let more = folded.variants.len() - values.len();
        let mut chains = [None, None];
        if let (Some(explainers), Some(address)) = (explainers, group.addresses.first()) {
            let keys: Vec<String> = pointer::keys(folded.path).collect();
            let is_there = folded.variants.first().map(|change| [change.before.is_some(), change.after.is_some()]);
            for (i, explainers) in explainers.iter_mut().enumerate() {
                // Items of lists may have another index on one of the sides.
                let is_there = is_there.is_some_and(|there| there[i]);
                let steps = is_there.then(|| explainers.steps(address, &keys)).flatten();
                chains[i] = steps.map(|steps| self.tables.chain(steps.iter(), secret));
            }
        }
        let moved = folded.moved.map(|moved| (moved.from, moved.to));
        ChangeData { path: changes::name(folded), moved, values, more, base: chains[0], head: chains[1] }
    }

    /// The values of all components of one state, those of what their code makes last.
    fn components(&mut self, page: &Page<'_>) -> Vec<Vec<usize>> {
        let mut all = Vec::new();
        for resolution in page.heads {
            all.extend(self.placed(resolution, resolution.components().into_values()));
        }
        let Some(resolution) = page.heads.first().filter(|_| !self.leaves.is_cut) else { return all };
        match (page.made)() {
            Some(made) => {
                let placed = made.iter().flat_map(|unit| {
                    let of = |component: &Arc<Component>| Placed {
                        component: Arc::clone(component),
                        unit: Arc::clone(unit),
                    };
                    unit.components.iter().map(of)
                });
                all.extend(self.placed(resolution, placed));
            }
            None => self.leaves.is_cut = true,
        }
        all
    }

    /// The values of some components, as far as there is room.
    fn placed(&mut self, resolution: &Resolution, components: impl Iterator<Item = Placed>) -> Vec<Vec<usize>> {
        let (mut all, mut explainer) = (Vec::new(), Explainer::new(resolution, self.files));
        for placed in components {
            if self.leaves.count > MAX_LEAVES {
                self.leaves.is_cut = true;
                break;
            }
            self.add(&placed.component.address(), &placed.component);
            let steps = explainer.why(&placed, &[]).map(|answer| answer.steps).unwrap_or_default();
            all.push(self.values(&steps));
        }
        all
    }

    /// The value in one line. The same text is searched for secrets once.
    fn text(&mut self, value: &Value, secret: bool) -> String {
        match &value.data {
            Kind::Str(text) if !secret && !value.is_sensitive() => {
                let known = self.texts.entry(Text::clone(text));
                known.or_insert_with(|| inline(value, false, &self.tables.options)).clone()
            }
            _ => inline(value, secret, &self.tables.options),
        }
    }

    /// Returns the scalar values, each with the steps at its path.
    fn values(&mut self, steps: &[WhyStep]) -> Vec<usize> {
        let mut leaves = Vec::new();
        let mut at = 0;
        while at < steps.len() {
            let path = &steps[at].path;
            let end = at + steps[at..].iter().take_while(|step| step.path == *path).count();
            let own = &steps[at..end];
            at = end;
            let Some(value) = own[0].value.as_ref().filter(|v| own[0].role == Role::Value && !is_filled(v)) else {
                continue;
            };
            let known = self.paths.entry(path.clone());
            let (is_secret, shown) = known.or_insert_with(|| (mask::is_secret_pointer(path), changes::path(path)));
            let secret = *is_secret || value.prov.is_masked();
            let shown = shown.clone();
            let text = self.text(value, secret);
            let place = value.prov.origin.map(|origin| self.tables.place(origin)).unzip();
            let chain = self.tables.chain(own.iter(), secret);
            let leaf = self.leaves.add((shown, text, place.0, place.1.unwrap_or(0), chain));
            if value.holds(Flags::UNKNOWN) {
                self.leaves.unknown.insert(leaf);
            }
            leaves.push(leaf);
            self.leaves.count += 1;
        }
        leaves
    }
}

fn is_filled(value: &Value) -> bool {
    match &value.data {
        Kind::Map(map) => !map.is_empty(),
        Kind::List(items) => !items.is_empty(),
        _ => false,
    }
}
