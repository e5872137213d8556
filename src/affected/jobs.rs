//! What a pipeline runs for a change: jobs in their order with what each reads, components to destroy apart from them, and what needs
//! no run, each with its reason. Formats print this; none of them knows a system.

use super::Item;
use crate::resolution::Address;
use crate::terraform::reach::literal;
use crate::text::Text;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The most patterns that one job has, and their length together, in bytes.
const MOST_PATTERNS: usize = 500;
const MOST_TEXT: usize = 1 << 17;

/// Patterns of the same files: those of whole folders if there are too many, because each job of a list has its own.
pub(crate) fn bounded(mut patterns: BTreeSet<String>) -> BTreeSet<String> {
    // The folder that a path is in, or one that is half as deep.
    let folder_of = |pattern: &String, is_half: bool| {
        let path = pattern.trim_end_matches("**").trim_end_matches('/');
        let start = &path.as_bytes()[..if is_half { path.len() / 2 } else { path.len() }];
        let end = start.iter().rposition(|byte| *byte == b'/');
        end.map_or_else(|| "**".to_owned(), |end| format!("{}/**", &path[..end]))
    };
    loop {
        let is_long = patterns.iter().map(String::len).sum::<usize>() > MOST_TEXT;
        if patterns.len() <= MOST_PATTERNS && !is_long {
            return patterns;
        }
        // What lies in a folder comes after it.
        let mut last = String::new();
        let folders: BTreeSet<String> = patterns.iter().map(|pattern| folder_of(pattern, is_long)).collect();
        let outer = folders.into_iter().filter(|folder| {
            let is_outer = last.is_empty() || !folder.starts_with(last.trim_end_matches("**"));
            if is_outer {
                last.clone_from(folder);
            }
            is_outer
        });
        patterns = outer.collect();
    }
}

/// What runs for a change.
#[derive(Clone, Debug, Default)]
pub(crate) struct Jobs {
    /// What is planned and applied, by wave, then by address.
    pub run: Vec<Job>,
    /// What the change removes, dependents first. Its resources exist until somebody destroys them, so no format does that by itself.
    pub destroy: Vec<Job>,
    /// What needs no run, by address.
    pub skipped: Vec<Skipped>,
}

/// One job.
#[derive(Clone, Debug, Default)]
pub(crate) struct Job {
    /// A name of letters, digits, `.`, `_` and `-` that no other job has, the same for every change.
    pub name: String,
    pub stack: Text,
    pub component: Text,
    pub component_type: Text,
    /// The folder that the tool runs in, from the root of the repository; empty where the configuration names none.
    pub folder: Text,
    /// The workspace, if it is known.
    pub workspace: Option<Text>,
    /// Its names in other tools: the key and the name.
    pub names: BTreeMap<&'static str, String>,
    /// Why it runs, as in the list of affected components.
    pub reasons: Vec<String>,
    /// The edits that lead to it.
    pub edits: Vec<Edit>,
    /// Patterns of the files that it reads, from the root of the repository: `**` stands for any number of folders.
    pub reads: Arc<BTreeSet<String>>,
    /// The jobs of the same list that come before it, by index.
    pub needs: BTreeSet<usize>,
    /// All jobs that it needs are in earlier waves. The first one is 0.
    pub wave: usize,
}

/// An edited place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Edit {
    pub path: Text,
    /// The line, from 1; that of the older revision if `is_removed`. `None` where no line of text differs.
    pub line: Option<u32>,
    /// Whether the older revision has the line.
    pub is_removed: bool,
}

/// A component that needs no run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Skipped {
    pub stack: Text,
    pub component: Text,
    pub component_type: Text,
    pub why: Why,
    /// The number of files of configuration that were compared.
    pub files: usize,
    /// The folder whose code was compared, if it runs code of the repository.
    pub folder: Option<Text>,
}

/// Why a component needs no run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Why {
    /// Neither its configuration nor its code differs.
    Same,
    /// Something differs, but nothing that a run would apply.
    Equal,
    /// It has only another name: a run for the old one would destroy what the new one has.
    Renamed,
    Locked,
    Disabled,
}

impl Why {
    /// The reason in words, behind "need no run: ".
    pub(crate) fn text(self) -> &'static str {
        match self {
            Why::Same => "configuration and code unchanged",
            Why::Equal => "nothing differs that a run would apply",
            Why::Renamed => "only renamed, so that a run would destroy what the new name has",
            Why::Locked => "locked",
            Why::Disabled => "disabled",
        }
    }
}

/// Which components need which others, by address.
pub(crate) type Needs = BTreeMap<Address, BTreeSet<Address>>;

impl Job {
    /// The job of an item, without edits, files and order.
    pub(crate) fn of(item: &Item) -> Job {
        Job {
            name: plain(&item.stack_slug),
            stack: Text::clone(&item.stack),
            component: Text::clone(&item.component),
            component_type: Text::clone(&item.component_type),
            folder: Text::clone(&item.component_path),
            names: item.integrations.clone(),
            reasons: item.affected_all.clone(),
            ..Job::default()
        }
    }

    /// The address of the component.
    pub(crate) fn address(&self) -> Address {
        (Text::clone(&self.stack), Text::clone(&self.component_type), Text::clone(&self.component))
    }
}

/// A text as a name that every tool takes.
pub(crate) fn plain(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    text.chars().map(|c| if is_plain(c) { c } else { '-' }).collect()
}

impl Jobs {
    /// Puts the jobs in order, and lets each name be used once. `needs` is of the newer state and of the older one, `slugs` the number
    /// of components of both by their plain names.
    pub(crate) fn new(
        run: Vec<Job>,
        destroy: Vec<Job>,
        skipped: Vec<Skipped>,
        needs: [&Needs; 2],
        slugs: &BTreeMap<String, usize>,
    ) -> Self {
        let [of_head, of_base] = needs;
        let mut jobs = Jobs { run: ordered(run, of_head), destroy: ordered(destroy, of_base), skipped };
        jobs.read_what_leads_to_them();
        // What needs something is destroyed before it.
        let last = jobs.destroy.iter().map(|job| job.wave).max().unwrap_or_default();
        let number = jobs.destroy.len();
        let mut before = vec![BTreeSet::new(); number];
        for (index, job) in jobs.destroy.iter().enumerate() {
            job.needs.iter().for_each(|needed| _ = before[number - 1 - needed].insert(number - 1 - index));
        }
        jobs.destroy.reverse();
        for (job, needs) in jobs.destroy.iter_mut().zip(before) {
            (job.wave, job.needs) = (last - job.wave, needs);
        }
        for job in jobs.run.iter_mut().chain(&mut jobs.destroy) {
            if slugs.get(&job.name).is_some_and(|number| *number > 1) {
                job.name = format!("{}-{}", job.name, plain(&job.component_type));
            }
        }
        jobs.name_once();
        jobs
    }

    /// A job that runs only because of others also reads what is edited for these: tools look for an edited file of each job.
    fn read_what_leads_to_them(&mut self) {
        let mut edited: Vec<BTreeSet<String>> = Vec::with_capacity(self.run.len());
        for job in &mut self.run {
            let own = job.edits.iter().map(|edit| literal(&edit.path));
            let mut paths: BTreeSet<String> = own.collect();
            if paths.is_empty() {
                // What it needs is before it in the list.
                paths.extend(job.needs.iter().filter_map(|index| edited.get(*index)).flatten().cloned());
                paths = bounded(paths);
                if !paths.is_subset(&job.reads) {
                    job.reads = Arc::new(bounded(job.reads.union(&paths).cloned().collect()));
                }
            }
            edited.push(paths);
        }
    }

    /// Numbers the jobs whose names others have.
    fn name_once(&mut self) {
        let mut known: BTreeSet<String> = BTreeSet::new();
        for job in self.run.iter_mut().chain(&mut self.destroy) {
            let name = job.name.clone();
            let mut number = 1;
            while !known.insert(job.name.clone()) {
                number += 1;
                job.name = format!("{name}-{number}");
            }
        }
    }

    /// Adds the jobs of another project. What both have is run once.
    pub(crate) fn extend(&mut self, other: Jobs) {
        add(&mut self.run, other.run);
        add(&mut self.destroy, other.destroy);
        self.skipped.extend(other.skipped);
        self.name_once();
    }
}

/// Some jobs of one list in waves.
pub(crate) fn waves(jobs: &[Job]) -> Vec<Vec<&Job>> {
    let mut waves: BTreeMap<usize, Vec<&Job>> = BTreeMap::new();
    jobs.iter().for_each(|job| waves.entry(job.wave).or_default().push(job));
    waves.into_values().collect()
}

fn add(jobs: &mut Vec<Job>, more: Vec<Job>) {
    let first = jobs.len();
    let is_same = |a: &Job, b: &Job| a.address() == b.address() && a.folder == b.folder;
    let mut places = Vec::new();
    for job in more {
        match jobs[..first].iter().position(|known| is_same(known, &job)) {
            Some(known) => places.push(known),
            None => {
                places.push(jobs.len());
                jobs.push(job);
            }
        }
    }
    for job in &mut jobs[first..] {
        job.needs = job.needs.iter().map(|index| places[*index]).collect();
    }
}

/// How far a component has been looked at.
enum Progress {
    /// What it needs is being looked at.
    Open,
    /// The jobs that are nearest on the ways from it to what it needs.
    Done(BTreeSet<Address>),
}

/// The jobs in waves, each with the jobs that it needs, also by way of components without a job. Of components that need each other,
/// the first one by address comes last.
fn ordered(mut jobs: Vec<Job>, needs: &Needs) -> Vec<Job> {
    jobs.sort_by_cached_key(Job::address);
    let addresses: BTreeSet<Address> = jobs.iter().map(Job::address).collect();
    let mut found: BTreeMap<Address, Progress> = BTreeMap::new();
    let mut waves: BTreeMap<Address, usize> = BTreeMap::new();
    for start in &addresses {
        let mut open = vec![(start.clone(), false)];
        while let Some((address, is_left)) = open.pop() {
            let needed = needs.get(&address).into_iter().flatten();
            if !is_left {
                if !found.contains_key(&address) {
                    found.insert(address.clone(), Progress::Open);
                    open.push((address.clone(), true));
                    open.extend(needed.map(|address| (address.clone(), false)));
                }
                continue;
            }
            let mut nearest = BTreeSet::new();
            for other in needed {
                match found.get(other) {
                    Some(Progress::Done(_)) if addresses.contains(other) => _ = nearest.insert(other.clone()),
                    Some(Progress::Done(above)) => nearest.extend(above.iter().cloned()),
                    Some(Progress::Open) | None => {}
                }
            }
            if addresses.contains(&address) {
                let wave = nearest.iter().filter_map(|other| waves.get(other)).max().map_or(0, |last| last + 1);
                waves.insert(address.clone(), wave);
            }
            found.insert(address, Progress::Done(nearest));
        }
    }
    let wave_of = |job: &Job| waves.get(&job.address()).copied().unwrap_or_default();
    jobs.sort_by_cached_key(|job| (wave_of(job), job.address()));
    let places: BTreeMap<Address, usize> = jobs.iter().enumerate().map(|(index, job)| (job.address(), index)).collect();
    for job in &mut jobs {
        job.wave = wave_of(job);
        if let Some(Progress::Done(nearest)) = found.get(&job.address()) {
            job.needs = nearest.iter().filter_map(|address| places.get(address).copied()).collect();
        }
    }
    jobs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(name: &str) -> Job {
        let item = Item { stack: "s".into(), component: name.into(), stack_slug: name.to_owned(), ..Item::default() };
        Job::of(&item)
    }

    fn address(name: &str) -> Address {
        ("s".into(), Text::default(), name.into())
    }

    fn needs(pairs: &[(&str, &str)]) -> Needs {
        let mut needs = Needs::new();
        for (from, to) in pairs {
            needs.entry(address(from)).or_default().insert(address(to));
        }
        needs
    }

    /// `wave: name < names of what it needs`.
    fn shown(jobs: &[Job]) -> Vec<String> {
        let needed = |job: &Job| job.needs.iter().map(|i| jobs[*i].name.clone()).collect::<Vec<_>>().join(" ");
        jobs.iter().map(|job| format!("{}: {} < {}", job.wave, job.name, needed(job))).collect()
    }

    #[test]
    fn many_patterns_become_those_of_folders() {
        let set = |all: &[String]| all.iter().cloned().collect::<BTreeSet<String>>();
        let many = |count: usize| (0..count).map(|i| format!("a/b/{i}.yaml")).collect::<Vec<_>>();
        let few = set(&many(MOST_PATTERNS));
        assert_eq!(bounded(few.clone()), few);
        let folder = bounded(set(&[many(MOST_PATTERNS), vec!["x.yaml".to_owned(), "c/**".to_owned()]].concat()));
        assert_eq!(folder, set(&["**".to_owned()]));
        let folders: Vec<String> = (0..=MOST_PATTERNS).map(|i| format!("a/{i}/*.tf*")).collect();
        assert_eq!(bounded(set(&folders)), set(&["a/**".to_owned()]));
        let deep: Vec<String> = (0..300).map(|i| format!("{}x.hcl", "directory/".repeat(i))).collect();
        assert_eq!(bounded(set(&deep[100..])), set(&[format!("{}**", "directory/".repeat(50))]));
    }

    /// A chain of jobs that all read what leads to the first ones.
    #[test]
    fn what_leads_to_many_jobs_has_a_limit() {
        let edit = |path: String| Edit { path: path.as_str().into(), line: None, is_removed: false };
        let mut jobs: Vec<Job> = (0..=MOST_PATTERNS).map(|i| job(&format!("a{i:04}"))).collect();
        jobs.iter_mut().enumerate().for_each(|(i, job)| job.edits = vec![edit(format!("d/{i}.yaml"))]);
        let firsts: Vec<String> = jobs.iter().map(|job| job.name.clone()).collect();
        let links = [("x", "y")].into_iter().chain(firsts.iter().map(|first| ("y", first.as_str())));
        let needs = needs(&links.collect::<Vec<_>>());
        jobs.extend([job("x"), job("y")]);
        let found = Jobs::new(jobs, Vec::new(), Vec::new(), [&needs; 2], &BTreeMap::new());
        let read = |name: &str| found.run.iter().find(|job| &*job.component == name).unwrap().reads.clone();
        let all: BTreeSet<String> = ["d/**".to_owned()].into();
        assert_eq!([read("y"), read("x")], [Arc::new(all.clone()), Arc::new(all)]);
    }

    #[test]
    fn order_leads_through_components_without_a_job() {
        let needs = needs(&[("a", "b"), ("b", "c"), ("c", "d"), ("a", "d")]);
        let jobs = |names: &[&str]| names.iter().map(|name| job(name)).collect::<Vec<_>>();
        let found =
            Jobs::new(jobs(&["a", "c", "d", "x"]), jobs(&["a", "d", "x"]), Vec::new(), [&needs; 2], &BTreeMap::new());
        assert_eq!(shown(&found.run), ["0: d < ", "0: x < ", "1: c < d", "2: a < d c"]);
        let destroyed: Vec<(usize, &str)> = found.destroy.iter().map(|job| (job.wave, &*job.component)).collect();
        assert_eq!(destroyed, [(0, "a"), (1, "x"), (1, "d")]);
        assert_eq!(found.destroy[2].needs, BTreeSet::from([0]));
    }

    #[test]
    fn a_cycle_is_cut() {
        let needs = needs(&[("a", "b"), ("b", "a"), ("c", "c")]);
        let found = ordered(vec![job("a"), job("b"), job("c")], &needs);
        assert_eq!(shown(&found), ["0: b < ", "0: c < ", "1: a < b"]);
    }

    #[test]
    fn names_are_used_once() {
        let typed = |kind: &str| Job { component_type: kind.into(), ..job("a/b") };
        let slugs = BTreeMap::from([("a-b".to_owned(), 2)]);
        let mut jobs =
            Jobs::new(vec![typed("x"), typed("y")], Vec::new(), Vec::new(), [&Needs::new(), &Needs::new()], &slugs);
        jobs.extend(Jobs {
            run: vec![Job { folder: "f".into(), name: "a-b-x".to_owned(), ..typed("x") }],
            ..Jobs::default()
        });
        let names: Vec<&str> = jobs.run.iter().map(|job| &*job.name).collect();
        assert_eq!(names, ["a-b-x", "a-b-y", "a-b-x-2"]);
    }
}
