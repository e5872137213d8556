//! Which code differs between two revisions, and what runs it.
//!
//! What a component runs in one revision is a [`Run`]: the files that its code consists of, local modules and files that
//! expressions name included ([`Reach`]). Two revisions of it are the same if none of these files differs in more than comments
//! and layout ([`content`]). Nothing is executed; what cannot be read or is known only at run time counts as different whenever it
//! may be.

mod aside;
mod content;
mod explained;
mod found;
pub(crate) mod made;
mod named;
mod passing;
mod runs;
mod unloaded;

pub(crate) use unloaded::is_backend_file;

pub(crate) use aside::{Mentions, is_apart, is_aside, is_document, is_pipeline};
pub(crate) use named::{named, outside};
pub(crate) use passing::Passing;
pub(crate) use runs::{Run, Runners, Runs, of_components};

use crate::diff::Diff;
use crate::files::Files;
use crate::limits::take_steps;
use crate::paths;
use crate::resolution::Address;
use crate::source::{EntryPair, Source};
use crate::terraform::load::names::configuration;
use crate::terraform::reach::{Reach, Touch};
use crate::text::Text;
use content::Contents;
use explained::Explained;
use found::Found;
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

/// The names of folders of examples, tests and vendored code.
const ASIDE: [&str; 8] = ["example", "examples", "fixtures", "test", "testdata", "tests", "third_party", "vendor"];
/// The steps of finding out whether a file that differs is a part of some code.
const STEPS_OF_A_FILE: u64 = 3;

/// A folder of code that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CodeChange {
    /// The folder, from the root of the repository.
    pub folder: Text,
    /// The files below it that differ, sorted.
    pub files: Vec<Text>,
    /// What runs it in the head: it is their own folder, a module that their code calls, or they read a file in it. Sorted.
    pub components: Vec<Address>,
    /// What kind these are of.
    pub runners: Runners,
    /// Whether the code of all of them was evaluated on both sides, and nothing differs in what it makes.
    pub makes_the_same: bool,
    /// Whether they are known to run it. Else it is a file of variables that none loads by itself, and they declare what it sets; there
    /// may be none.
    pub is_loaded: bool,
}

impl CodeChange {
    /// What to call it: its folder, or a file that nothing loads.
    pub(crate) fn place(&self) -> &str {
        match (self.is_loaded, self.files.first()) {
            (false, Some(file)) => file,
            _ if self.folder.is_empty() => ".",
            _ => &self.folder,
        }
    }
}

/// The files of code that differ and that something runs.
#[derive(Clone, Debug, Default)]
pub(crate) struct CodeChanges {
    /// Each folder of them, sorted, without the files in which every edit is the cause of a change of the configuration.
    pub folders: Vec<CodeChange>,
    /// All of them, by what runs them.
    pub touched: BTreeMap<Address, Vec<Touched>>,
    /// The files of code that differ and that nothing runs, on neither side: sorted paths.
    pub unread: BTreeSet<Text>,
}

/// A file that differs, of what something runs.
#[derive(Clone, Debug)]
pub(crate) struct Touched {
    pub path: Text,
    /// What it is of the code.
    pub touch: Touch,
    /// Whether the effect of all that differs in it is seen when the code is evaluated.
    pub is_evaluated: bool,
}

/// The input of a comparison of code.
pub(crate) struct Compared<'a> {
    /// Base and head.
    pub sources: [&'a dyn Source; 2],
    pub runs: [&'a Runs; 2],
    /// The files that differ.
    pub differing: &'a [EntryPair<'a>],
    /// The changes of the configuration.
    pub diff: &'a Diff,
    /// The table of files.
    pub files: &'a Files,
}

/// Returns the code that differs and that something in the head runs, as far as a filter selects that.
pub(crate) fn changes(compared: &Compared<'_>, filter: &dyn Fn(&Address) -> bool) -> CodeChanges {
    let [base, head] = compared.runs;
    let contents = Contents::new(compared.sources, compared.differing);
    // Head and base, as below.
    let mentions = compared.sources.map(Mentions::new);
    let mentions = [&mentions[1], &mentions[0]];
    let found = [Found::new(compared.sources[1], mentions[0]), Found::new(compared.sources[0], mentions[1])];
    let explained = Explained::new(compared, &contents);
    let mut known: BTreeMap<(Option<usize>, usize), Vec<Touched>> = BTreeMap::new();
    let mut folders: BTreeMap<Text, (BTreeSet<Text>, BTreeSet<Address>)> = BTreeMap::new();
    let mut touched = BTreeMap::new();
    for run in head.all.iter().filter(|run| filter(&run.address)) {
        let before = base.of(&run.address).map(|run| run.reach);
        let own = known.entry((before, run.reach)).or_insert_with(|| {
            let reaches = [Some(&head.reaches[run.reach]), before.map(|index| &base.reaches[index])];
            let led: [OnceCell<BTreeSet<Text>>; 2] = Default::default();
            let is_found = |path: &str| {
                let mut sides = found.iter().zip(&reaches).zip(&led);
                sides.any(|((side, reach), led)| {
                    reach.is_some_and(|reach| side.has(reach, led.get_or_init(|| side.led(reach)), path))
                })
            };
            let touch = |path: &str| {
                let touch = reaches.iter().flatten().find_map(|reach| reach.touch(path));
                touch.or_else(|| is_found(path).then_some(Touch::File))
            };
            let is_mentioned = |path: &str| {
                let mut sides = mentions.iter().zip(&reaches);
                sides.any(|(side, reach)| reach.is_some_and(|reach| side.has(reach, path)))
            };
            let is_read = |path: &str| {
                reaches.iter().flatten().any(|reach| reach.names(path) || reach.loads(path)) || is_mentioned(path)
            };
            let one = |path: &'_ &str| {
                let below = reaches.iter().flatten().find_map(|reach| reach.seen_from_code(path)).unwrap_or(path);
                let touch = touch(path).filter(|_| !is_aside(below) || is_read(path))?;
                Some(Touched { path: Text::from(*path), touch, is_evaluated: contents.is_evaluated(path) })
            };
            take_steps(contents.differing().count() as u64 * STEPS_OF_A_FILE);
            contents.differing().filter_map(|path| one(&path)).collect()
        });
        let mut own = own.clone();
        if let Some(before) = before {
            let files = [&base.reaches[before], &head.reaches[run.reach]];
            own.extend(joining(files, &contents));
        }
        own.extend(base.of(&run.address).into_iter().flat_map(|before| refetched(compared.files, [before, run])));
        if own.is_empty() {
            continue;
        }
        for one in own.iter().filter(|one| !explained.has(&run.address, &one.path)) {
            let folder = match &one.touch {
                Touch::Own | Touch::Fetched => Text::clone(&run.folder),
                Touch::Module(folder) => Text::from(&**folder),
                Touch::File | Touch::Variables => Text::from(paths::parent(&one.path)),
            };
            let (files, components) = folders.entry(folder).or_default();
            files.insert(Text::clone(&one.path));
            components.insert(run.address.clone());
        }
        touched.insert(run.address.clone(), own);
    }
    let change = |(folder, (files, components)): (Text, (BTreeSet<_>, BTreeSet<_>))| CodeChange {
        folder,
        files: files.into_iter().collect(),
        components: components.into_iter().collect(),
        runners: head.runners,
        makes_the_same: false,
        is_loaded: true,
    };
    let mut folders: Vec<CodeChange> = folders.into_iter().map(change).collect();
    if head.runners != Runners::Components {
        for unloaded in unloaded::find(&contents, compared.sources[1], compared.runs) {
            let declaring = unloaded.declaring.iter().map(|run| run.address.clone());
            let components: Vec<Address> = declaring.filter(|address| filter(address)).collect();
            for address in &components {
                let (path, touch) = (unloaded.path.into(), Touch::Variables);
                let one = Touched { path, touch, is_evaluated: false };
                touched.entry(address.clone()).or_insert_with(Vec::new).push(one);
            }
            let (folder, files) = (paths::parent(unloaded.path).into(), vec![unloaded.path.into()]);
            let runners = head.runners;
            folders.push(CodeChange { folder, files, components, runners, makes_the_same: false, is_loaded: false });
        }
        folders.sort_by(|a, b| (&a.folder, &a.files).cmp(&(&b.folder, &b.files)));
    }
    CodeChanges { folders, touched, unread: unread(&contents, compared.runs) }
}

/// The files that are given by their names on one side alone, and do not differ themselves.
fn joining([before, after]: [&Reach; 2], contents: &Contents<'_>) -> Vec<Touched> {
    let one_sided = before.given().symmetric_difference(after.given());
    let other = one_sided.filter(|path| !contents.differing().any(|differing| differing == path.as_str()));
    other.map(|path| Touched { path: path.as_str().into(), touch: Touch::Own, is_evaluated: false }).collect()
}

/// The files that say what is fetched into the folder of a component, where they say something else than before.
fn refetched(files: &Files, [before, now]: [&Run; 2]) -> Vec<Touched> {
    let contents = |run: &Run| run.fetched.iter().map(|one| one.content.clone()).collect::<BTreeSet<_>>();
    if before.fetched.is_empty() || now.fetched.is_empty() || contents(before) == contents(now) {
        return Vec::new();
    }
    let paths: BTreeSet<Text> = now.fetched.iter().map(|one| Text::clone(&files.get(one.file).path)).collect();
    paths.into_iter().map(|path| Touched { path, touch: Touch::Fetched, is_evaluated: false }).collect()
}

/// The paths of files that differ, but for files of code in which only comments and layout do.
pub(crate) fn saying_something_else<'a>(
    sources: [&'a dyn Source; 2],
    differing: &'a [EntryPair<'a>],
) -> BTreeSet<&'a str> {
    Contents::new(sources, differing).differing().collect()
}

/// The files of code that differ and that nothing runs, without those that nothing is meant to run; submodules that may have code.
fn unread(contents: &Contents<'_>, runs: [&Runs; 2]) -> BTreeSet<Text> {
    let may_be_code = |path: &str| configuration(paths::name(path)).is_some() || contents.is_closed_submodule(path);
    let is_code = |path: &&str| may_be_code(path) && !lies_aside(path);
    let is_read = |path: &str| runs.iter().any(|side| side.touched_by(path).next().is_some());
    contents.differing().filter(is_code).filter(|path| !is_read(path)).map(Text::from).collect()
}

/// Whether a path leads through a folder of examples, tests or vendored code, or a hidden one.
fn lies_aside(path: &str) -> bool {
    paths::parent(path).split('/').any(|folder| folder.starts_with('.') || ASIDE.contains(&folder))
}

#[cfg(test)]
mod tests;
