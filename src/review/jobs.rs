//! What a pipeline runs for a change: the list of affected components, with what each of them reads, the order of all, and the
//! components of the newer state that need no run.

use super::compare::CompareRun;
use crate::affected::jobs::{Edit, Job, Jobs, Needs, Skipped, Why, bounded, plain};
use crate::affected::{Affected, AffectedOptions, Context, Dependent, Item, dependents, slug};
use crate::code::{CodeChanges, Runners, Runs};
use crate::dialects::{self, Scope};
use crate::diff::edits::line_edits;
use crate::diff::{Cause, Diff, Side};
use crate::resolution::{Address, Component, Resolution, Unit};
use crate::rules::{ComponentIndex, Target};
use crate::source::{Entry, Source};
use crate::terraform::Modules;
use crate::terraform::module::modules::Cache;
use crate::terraform::reach::literal;
use crate::text::{ByAddress, Text};
use crate::unit::interfaces;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// The reason of a job that runs only because something runs that it needs.
const DEPENDENCY: &str = "dependency";

/// What the jobs are made from.
pub(super) struct JobInputs<'a> {
    pub(super) run: &'a CompareRun<'a>,
    pub(super) options: &'a AffectedOptions,
    pub(super) diff: &'a Diff,
    pub(super) code: &'a CodeChanges,
    /// Both states, as far as they were resolved.
    pub(super) base: &'a Resolution,
    pub(super) head: &'a Resolution,
    pub(super) filter: &'a dyn Fn(&Address) -> bool,
    /// The modules of both states.
    pub(super) modules: &'a [Modules<'a>; 2],
    pub(super) cache: &'a Cache,
}

/// Something that a pipeline can run, in one state.
struct Candidate {
    /// The folder that the tool runs in.
    folder: Text,
    workspace: Option<Text>,
    is_locked: bool,
    is_disabled: bool,
    /// The files of configuration that it is made of, which all components of a unit share.
    files: Arc<BTreeSet<Text>>,
    /// The folder of its code.
    code: Option<Text>,
    /// Where it is deployed.
    context: Context,
}

/// One state.
struct StateJobs {
    candidates: BTreeMap<Address, Candidate>,
    runs: Runs,
    needs: Needs,
}

/// Adds to a list what else is asked for: the dependents of its items, and the jobs of the change.
pub(super) fn complete_list(list: &mut Affected, inputs: &JobInputs<'_>) {
    // Also what the change does not reach depends on something, has its place in the order, or needs no run.
    let [base, head] = inputs.run.sources;
    let whole = (!inputs.head.is_all).then(|| inputs.run.part.resolve(head, inputs.run.files, Scope::All));
    let whole = whole.map(Option::unwrap_or_default);
    let head = StateJobs::new(inputs, whole.as_ref().unwrap_or(inputs.head), head, 1);
    if inputs.options.dependents {
        head.nest_dependents(list, inputs);
    }
    if inputs.options.jobs {
        list.jobs = jobs(list, inputs, &[StateJobs::new(inputs, inputs.base, base, 0), head]);
    }
}

/// The jobs of a change.
fn jobs(list: &Affected, inputs: &JobInputs<'_>, sides: &[StateJobs; 2]) -> Jobs {
    let edits = Edits::new(inputs, &sides[1]);
    let items: BTreeMap<Address, &Item> = list.items.iter().map(|item| (item.address(), item)).collect();
    let (mut run, mut destroy) = (Vec::new(), Vec::new());
    let mut patterns = Patterns::default();
    for (address, item) in &items {
        let locked = sides[1].candidates.get(address).is_some_and(|one| one.is_locked && inputs.options.exclude_locked);
        let list = match (item.deleted, item.is_job) {
            (true, _) if item.deployable && item.renamed_to.is_none() => &mut destroy,
            (false, true) if !locked => &mut run,
            _ => continue,
        };
        list.push(patterns.complete(Job::of(item), sides, edits.of(address, item)));
    }
    if inputs.options.dependents {
        add_dependents(&mut run, &items, sides, (inputs, &mut patterns));
    }
    let skipped = skipped(inputs, list, &run, &items, &sides[1]);
    let mut slugs: BTreeMap<String, usize> = BTreeMap::new();
    let all: BTreeSet<&Address> = sides.iter().flat_map(|side| side.candidates.keys()).collect();
    for (stack, _, name) in all {
        *slugs.entry(plain(&sides[1].slug(stack, name))).or_default() += 1;
    }
    Jobs::new(run, destroy, skipped, [&sides[1].needs, &sides[0].needs], &slugs)
}

impl JobInputs<'_> {
    /// Whether something may run as a dependent.
    fn may_run(&self, candidate: Option<&Candidate>, address: &Address) -> bool {
        candidate.is_some_and(|one| !one.is_disabled) && self.run.request.filter.matches_stack(&address.0)
    }
}

impl StateJobs {
    fn new(inputs: &JobInputs<'_>, resolution: &Resolution, source: &dyn Source, side: usize) -> Self {
        let CompareRun { part, files, .. } = *inputs.run;
        let state = dialects::State { source, files, cache: inputs.cache };
        let runs = part.runs(resolution, state);
        let mut candidates = BTreeMap::new();
        let mut known: HashMap<ByAddress<Arc<Unit>>, Arc<BTreeSet<Text>>> = HashMap::new();
        let paths = |unit: &Unit| Arc::new(unit.files.iter().map(|file| Text::clone(&files.get(*file).path)).collect());
        for (address, placed) in resolution.components() {
            let Some(folder) = part.dialect().run_folder(&placed.component, &placed.unit) else { continue };
            let Component { metadata, .. } = &*placed.component;
            if metadata.is_abstract {
                continue;
            }
            let (workspace, code) =
                (metadata.workspace.clone(), metadata.code.as_ref().map(|code| code.folder.clone()));
            let (is_locked, is_disabled) = (metadata.is_locked, metadata.is_disabled);
            let unit = ByAddress(Arc::clone(&placed.unit));
            let files = Arc::clone(known.entry(unit).or_insert_with(|| paths(&placed.unit)));
            let context = Context::of(&placed.component);
            candidates.insert(address, Candidate { folder, workspace, is_locked, is_disabled, files, code, context });
        }
        if runs.runners != Runners::Components {
            let units: BTreeMap<&Text, &Arc<Unit>> = resolution.units.iter().map(|unit| (&unit.name, unit)).collect();
            for run in &runs.all {
                let unit = units.get(&run.address.0);
                let candidate = Candidate {
                    folder: Text::clone(&run.folder),
                    workspace: unit.and_then(|u| u.components.iter().find_map(|c| c.metadata.workspace.clone())),
                    is_locked: false,
                    is_disabled: false,
                    files: Arc::default(),
                    code: Some(Text::clone(&run.folder)),
                    context: Context::default(),
                };
                candidates.insert(run.address.clone(), candidate);
            }
        }
        let interfaces = interfaces(resolution, &inputs.modules[side]);
        let mut needs = Needs::new();
        for need in ComponentIndex::new(&interfaces).needs() {
            if let Target::Found(targets) = &need.target {
                let address = |one: &crate::unit::Interface| (one.stack.clone(), one.kind.clone(), one.name.clone());
                needs.entry(address(need.from)).or_default().extend(targets.iter().map(|one| address(one)));
            }
        }
        for component in resolution.units.iter().flat_map(|unit| &unit.components) {
            for needed in &component.metadata.needed {
                let to = (Text::clone(&component.stack), Text::clone(&needed.kind), Text::clone(&needed.name));
                needs.entry(component.address()).or_default().insert(to);
            }
        }
        for (from, to) in part.dialect().order(resolution) {
            needs.entry(from).or_default().insert(to);
        }
        StateJobs { candidates, runs, needs }
    }
}

impl StateJobs {
    /// Stack and component as one word; the stack alone where a system runs these as a whole.
    fn slug(&self, stack: &str, component: &str) -> String {
        if self.runs.runners == Runners::Components { slug(stack, component) } else { stack.to_owned() }
    }

    /// Adds to the items of a list what depends on them. Something that runs nothing depends on nothing, but is a way.
    fn nest_dependents(&self, list: &mut Affected, inputs: &JobInputs<'_>) {
        let folder_key = inputs.run.part.dialect().folder_key();
        let runs = |address: &Address| inputs.may_run(self.candidates.get(address), address);
        let mut needs = Needs::new();
        for address in self.needs.keys().filter(|address| runs(address)) {
            let (mut found, mut seen, mut open) = (BTreeSet::new(), BTreeSet::new(), vec![address]);
            while let Some(needed) = open.pop().and_then(|one| self.needs.get(one)) {
                for one in needed.iter().filter(|one| seen.insert(*one)) {
                    found.insert(one.clone());
                    if !runs(one) {
                        open.push(one);
                    }
                }
            }
            needs.insert(address.clone(), found);
        }
        let make = |address: &Address| {
            let mut dependent = Dependent { stack_slug: self.slug(&address.0, &address.2), ..Dependent::new(address) };
            if let Some(candidate) = self.candidates.get(address) {
                dependent.context.clone_from(&candidate.context);
                // A tool with folders of its own runs there, wherever the code is.
                let code = || candidate.code.clone().unwrap_or_default();
                dependent.component_path = folder_key.map_or_else(code, |_| candidate.folder.clone());
                let folder = folder_key.map(|key| (key, candidate.folder.to_string()));
                dependent.integrations.extend(folder);
            }
            dependent
        };
        let needed_by = dependents::needed_by(&needs);
        list.unresolved.extend(dependents::add(list.items.iter_mut(), &needed_by, &make));
    }
}

/// What each job reads of the two states: files of its unit, its code, and the folder where no code is known.
type Read = [(Option<ByAddress<Arc<BTreeSet<Text>>>>, Option<usize>, Option<Text>); 2];

/// The patterns of what jobs read. Those that read the same share them.
#[derive(Default)]
struct Patterns(HashMap<Read, Arc<BTreeSet<String>>>);

impl Patterns {
    /// Adds to a job what the states know of its component.
    fn complete(&mut self, mut job: Job, sides: &[StateJobs; 2], edits: BTreeSet<Edit>) -> Job {
        let address = job.address();
        // The files of an action are where the list says, wherever the tool runs.
        let own = Some(Text::clone(&job.folder)).filter(|folder| !folder.is_empty());
        for candidate in sides.iter().filter_map(|side| side.candidates.get(&address)) {
            job.folder = Text::clone(&candidate.folder);
            job.workspace.clone_from(&candidate.workspace);
        }
        let read: Read = sides.each_ref().map(|side| {
            let files = side.candidates.get(&address).map(|one| ByAddress(Arc::clone(&one.files)));
            let code = side.runs.of(&address).map(|run| run.reach);
            (files, code, own.clone().filter(|_| code.is_none()))
        });
        let of_sides = || {
            let mut all = BTreeSet::new();
            for (side, (_, code, folder)) in sides.iter().zip(&read) {
                let files = side.candidates.get(&address).into_iter().flat_map(|one| one.files.iter());
                all.extend(files.map(|path| literal(path)));
                all.extend(code.iter().flat_map(|reach| side.runs.reaches[*reach].patterns()));
                all.extend(folder.iter().map(|folder| format!("{}/**", literal(folder))));
            }
            let mut all = bounded(all);
            without_covered(&mut all);
            Arc::new(all)
        };
        job.reads = Arc::clone(self.0.entry(read.clone()).or_insert_with(of_sides));
        let edited: BTreeSet<String> = edits.iter().map(|edit| literal(&edit.path)).collect();
        if !edited.is_subset(&job.reads) {
            let mut all = bounded(job.reads.union(&edited).cloned().collect());
            without_covered(&mut all);
            job.reads = Arc::new(all);
        }
        job.edits = edits.into_iter().collect();
        job
    }
}

/// Removes patterns of what is in a folder that is named as a whole.
fn without_covered(patterns: &mut BTreeSet<String>) {
    let folders: Vec<String> =
        patterns.iter().filter_map(|pattern| pattern.strip_suffix("**")).map(str::to_owned).collect();
    let is_in = |pattern: &str, folder: &str| pattern.strip_prefix(folder).is_some_and(|rest| rest != "**");
    patterns.retain(|pattern| !folders.iter().any(|folder| is_in(pattern, folder)));
}

/// Adds what depends on jobs, by way of others too.
fn add_dependents(
    run: &mut Vec<Job>,
    items: &BTreeMap<Address, &Item>,
    sides: &[StateJobs; 2],
    (inputs, patterns): (&JobInputs<'_>, &mut Patterns),
) {
    let head = &sides[1];
    let needed_by = dependents::needed_by(&head.needs);
    let mut seen: BTreeSet<Address> = run.iter().map(Job::address).collect();
    let mut open: Vec<Address> = seen.iter().cloned().collect();
    while let Some(address) = open.pop() {
        for dependent in needed_by.get(&address).into_iter().flatten() {
            if !seen.insert(Address::clone(dependent)) {
                continue;
            }
            open.push(Address::clone(dependent));
            if !inputs.may_run(head.candidates.get(*dependent), dependent) {
                continue;
            }
            let (stack, kind, name) = Address::clone(dependent);
            let new = Item {
                stack_slug: head.slug(&stack, &name),
                component: name,
                component_type: kind,
                stack,
                affected_all: vec![DEPENDENCY.to_owned()],
                ..Item::default()
            };
            // What is listed and is no job differs in nothing that is run.
            let listed =
                items.get(*dependent).map(|item| Item { affected_all: new.affected_all.clone(), ..Item::clone(item) });
            run.push(patterns.complete(Job::of(&listed.unwrap_or(new)), sides, BTreeSet::new()));
        }
    }
}

/// The components of the newer state without a job, with the reason.
fn skipped(
    inputs: &JobInputs<'_>,
    list: &Affected,
    run: &[Job],
    items: &BTreeMap<Address, &Item>,
    head: &StateJobs,
) -> Vec<Skipped> {
    let run: BTreeSet<Address> = run.iter().map(Job::address).collect();
    let filter = inputs.filter;
    let of_head = head.candidates.iter().filter(|(address, _)| !run.contains(*address) && filter(address));
    let of_head = of_head.map(|(address, candidate)| {
        let why = match items.get(address) {
            _ if candidate.is_disabled => Why::Disabled,
            _ if candidate.is_locked && inputs.options.exclude_locked => Why::Locked,
            None if !list.equal.contains(address) => Why::Same,
            _ => Why::Equal,
        };
        (address.clone(), why, candidate.files.len(), candidate.code.clone())
    });
    let renamed = items.iter().filter(|(_, item)| item.deleted && item.renamed_to.is_some());
    let renamed = renamed.map(|(address, _)| (address.clone(), Why::Renamed, 0, None));
    let skipped = of_head.chain(renamed).map(|((stack, component_type, component), why, files, folder)| Skipped {
        stack,
        component,
        component_type,
        why,
        files,
        folder,
    });
    let mut skipped: Vec<Skipped> = skipped.collect();
    skipped
        .sort_by(|a, b| (&a.stack, &a.component_type, &a.component).cmp(&(&b.stack, &b.component_type, &b.component)));
    skipped
}

/// The edits that lead to jobs.
struct Edits<'a> {
    inputs: &'a JobInputs<'a>,
    /// The lines that differ in a component, or in what its code makes; of systems that run stacks, by these.
    lines: BTreeMap<Address, BTreeSet<Edit>>,
    stacks: BTreeMap<Text, BTreeSet<Edit>>,
    head: &'a StateJobs,
    /// The first lines of files that differ, which many jobs may share.
    firsts: RefCell<BTreeMap<Text, Edit>>,
}

impl<'a> Edits<'a> {
    fn new(inputs: &'a JobInputs<'a>, head: &'a StateJobs) -> Self {
        let (mut lines, mut stacks) = (BTreeMap::new(), BTreeMap::new());
        let files = inputs.run.files;
        let edit = |cause: &Cause| Edit {
            path: Text::clone(&files.get(cause.file).path),
            line: Some(cause.line),
            is_removed: cause.side == Side::Base,
        };
        for change in &inputs.diff.components {
            let causes = change.causes.iter().chain(change.changes.iter().flat_map(|one| &one.causes));
            let address = change.made_by().map_or_else(|| change.address(), |owner| Address::clone(owner));
            let found: BTreeSet<Edit> = causes.map(edit).collect();
            let of_stack: &mut BTreeSet<Edit> = stacks.entry(Text::clone(&change.stack)).or_default();
            of_stack.extend(found.iter().cloned());
            let of_component: &mut BTreeSet<Edit> = lines.entry(address).or_default();
            of_component.extend(found);
        }
        Edits { inputs, lines, stacks, head, firsts: RefCell::default() }
    }

    /// The edits that lead to an item.
    fn of(&self, address: &Address, item: &Item) -> BTreeSet<Edit> {
        let is_whole_stack = self.head.runs.runners != Runners::Components;
        let lines = if is_whole_stack { self.stacks.get(&address.0) } else { self.lines.get(address) };
        let mut found: BTreeSet<Edit> = lines.cloned().unwrap_or_default();
        let known: BTreeSet<Text> = found.iter().map(|edit| Text::clone(&edit.path)).collect();
        let touched = self.inputs.code.touched.get(address).into_iter().flatten().map(|one| Text::clone(&one.path));
        let named = item.file.iter().map(|path| Text::from(path.as_str()));
        let mut paths: BTreeSet<Text> = touched.chain(named).filter(|path| !known.contains(path)).collect();
        if found.is_empty() && paths.is_empty() {
            let files = self.head.candidates.get(address).into_iter().flat_map(|one| one.files.iter());
            paths.extend(files.cloned());
        }
        let edited = paths.into_iter().filter(|path| self.inputs.run.touched.contains(&**path));
        found.extend(edited.map(|path| self.first(path)));
        // Of a line that is replaced, the new one is named.
        let kept: BTreeSet<Text> =
            found.iter().filter(|edit| !edit.is_removed).map(|edit| Text::clone(&edit.path)).collect();
        found.retain(|edit| !edit.is_removed || !kept.contains(&edit.path));
        found
    }

    /// The first line of a file that differs.
    fn first(&self, path: Text) -> Edit {
        if let Some(known) = self.firsts.borrow().get(&path) {
            return known.clone();
        }
        let text = |source: &dyn Source| {
            let entry: Option<&Entry> = source.listing().get(&path);
            let bytes = entry.and_then(|entry| source.read(entry).ok());
            bytes.and_then(|bytes| String::from_utf8(bytes.to_vec()).ok()).unwrap_or_default()
        };
        let [base, head] = self.inputs.run.sources.map(text);
        let edits = line_edits(&base, &head);
        let first = match (edits.added.first(), edits.removed.first()) {
            (Some(line), _) => Edit { path, line: Some(*line), is_removed: false },
            (None, line) => Edit { path, line: line.copied(), is_removed: line.is_some() },
        };
        self.firsts.borrow_mut().insert(Text::clone(&first.path), first.clone());
        first
    }
}
