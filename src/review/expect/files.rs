//! What a comparison leaves out: files that differ and that no unit and no code reads, code whose effect is not evaluated, and
//! settings of the system itself.

use super::{Expectation, Open};
use crate::code::made;
use crate::code::{self, CodeChanges, Mentions, Passing, Runners, Runs, is_apart, is_aside, is_pipeline};
use crate::dialects::Dialect;
use crate::diff::pointer;
use crate::diff::same::same;
use crate::diff::structural;
use crate::files::Files;
use crate::resolution::{Resolution, State};
use crate::source::{Entry, EntryPair, Source, differences};
use crate::terraform::reach::Touch;
use crate::text::Text;
use crate::value::{Language, Value, decode};
use std::collections::{BTreeMap, BTreeSet};

/// What differs between two revisions and is not compared.
#[derive(Debug, Default)]
pub(in crate::review) struct Unseen {
    /// The files that may have an effect.
    pub files: BTreeSet<Text>,
    /// The files that have none: documentation, tests, what other tools read, and what says the same as before.
    pub harmless: BTreeSet<Text>,
    /// Code and settings whose effect is not known.
    pub open: Vec<Open>,
    /// How many resources of code of components were evaluated in the head.
    pub resources: usize,
}

impl Unseen {
    /// Adds what the comparison of another project leaves out: a file is compared if one of them compares it.
    pub(in crate::review) fn and(self, other: Unseen) -> Unseen {
        let files = self.files.intersection(&other.files).cloned().collect();
        let harmless = self.harmless.intersection(&other.harmless).cloned().collect();
        let (open, resources) = ([self.open, other.open].concat(), self.resources + other.resources);
        Unseen { files, harmless, open, resources }
    }
}

/// The comparison of a project, whose code was evaluated.
pub(in crate::review) struct ComparedProject<'a> {
    pub expectation: &'a Expectation,
    /// Base and head.
    pub sources: [&'a dyn Source; 2],
    pub resolutions: [&'a Resolution; 2],
    pub files: &'a Files,
    pub dialect: &'a dyn Dialect,
    /// What runs code in base and head.
    pub runs: &'a [Runs; 2],
    pub code: &'a CodeChanges,
    pub evaluated: &'a made::Compared,
}

impl ComparedProject<'_> {
    /// What the comparison leaves out.
    pub(in crate::review) fn unseen(&self) -> Unseen {
        let ComparedProject { expectation, sources: [base, head], resolutions: sides, dialect, runs, .. } = *self;
        let differing = differences(base.listing(), head.listing());
        let others = code::saying_something_else(self.sources, &differing);
        let paths = |ids: &mut dyn Iterator<Item = crate::value::FileId>| -> BTreeSet<Text> {
            ids.map(|file| Text::clone(&self.files.get(file).path)).collect()
        };
        let units = sides.iter().flat_map(|side| &side.units).filter(|unit| unit.state == State::Resolved);
        let read = paths(&mut units.flat_map(|unit| unit.files.iter().copied()));
        let idle = paths(&mut sides.iter().flat_map(|side| side.imports.unreached.iter().copied()));
        let config = paths(&mut sides.iter().flat_map(|side| side.config.iter().copied()));
        let reaches = || runs.iter().flat_map(|side| &side.reaches);
        let mentions = self.sources.map(Mentions::new);
        let is_mentioned = |path: &str| {
            let mut sides = mentions.iter().zip(runs);
            sides.any(|(mentions, side)| side.reaches.iter().any(|reach| mentions.has(reach, path)))
        };
        let is_harmless = |path: &str| {
            let below = reaches().find_map(|reach| reach.seen_from_code(path));
            below.map_or_else(|| is_apart(path), is_aside)
                && !is_pipeline(path)
                && !reaches().any(|reach| reach.names(path) || reach.loads(path))
                && !is_mentioned(path)
        };
        let resources = self.evaluated.values().map(|code| code.resources).sum();
        let mut unseen = Unseen { resources, ..Unseen::default() };
        for pair in &differing {
            let path = Text::from(pair.path());
            let is_read = read.contains(&path) || config.contains(&path);
            if is_read && self.hides(pair) {
                unseen.files.insert(Text::clone(&path));
            }
            if config.contains(&path) && dialect.hides_settings() {
                match settings(self.sources, pair, &|path| dialect.shows_setting(path)) {
                    Some(paths) => unseen.open.extend(
                        paths.into_iter().map(|setting| Open::Setting { file: Text::clone(&path), path: setting }),
                    ),
                    None => drop(unseen.files.insert(path)),
                }
                continue;
            }
            let is_code = || runs.iter().any(|side| side.touched_by(&path).next().is_some());
            let is_idle = || idle.contains(&path) && self.is_idle(pair);
            if is_read {
                continue;
            }
            if is_harmless(&path) || is_idle() {
                unseen.harmless.insert(path);
            } else if is_code() {
                // What it is of the code is looked at below.
            } else if !others.contains(&*path) || says_the_same(self.sources, pair) {
                unseen.harmless.insert(path);
            } else {
                unseen.files.insert(path);
            }
        }
        // Where stacks are root modules, all of their code is evaluated.
        let is_stack = runs[1].runners != Runners::Components;
        let passing = Passing::new(self.sources, &differing, [&runs[0], &runs[1]], is_stack);
        let mut open: BTreeMap<Vec<Text>, usize> = BTreeMap::new();
        for (address, touched) in self.code.touched.iter().filter(|(address, _)| !expectation.allows(address)) {
            let is_evaluated = self.evaluated.get(address).is_some_and(|code| code.read.is_some()) || is_stack;
            let code = touched.iter().map(|one| &*one.path).filter(|path| !is_harmless(path));
            if is_evaluated && touched.iter().all(|one| one.touch != Touch::Variables) && passing.is_seen(address, code)
            {
                continue;
            }
            let hidden = touched.iter().filter(|one| !(is_harmless(&one.path) || is_evaluated && one.is_evaluated));
            let files: Vec<Text> = hidden.map(|one| Text::clone(&one.path)).collect();
            if !files.is_empty() {
                *open.entry(files).or_default() += 1;
            }
        }
        unseen.open.extend(open.into_iter().map(|(files, components)| Open::Code { files, components }));
        unseen
    }

    /// Whether parts of documents of a file differ that no component shows.
    fn hides(&self, pair: &EntryPair<'_>) -> bool {
        let Some(hidden) = self.dialect.hidden_part() else { return false };
        let [base, head] = self.sources;
        let of = |source: &dyn Source, entry: Option<&Entry>| {
            let all = documents(source, entry)?;
            let all = all.as_list().map_or_else(|| vec![all.clone()], |all| all.to_vec());
            Some(all.iter().filter_map(hidden).collect::<Vec<Value>>())
        };
        let sides = of(base, pair.before).zip(of(head, pair.after));
        sides.is_none_or(|(a, b)| a.len() != b.len() || a.iter().zip(&b).any(|(a, b)| !same(a, b)))
    }

    /// Whether all that a file says has an effect only where it is imported, on both sides.
    fn is_idle(&self, pair: &EntryPair<'_>) -> bool {
        let mut sides =
            self.sources.iter().zip([pair.before, pair.after]).filter_map(|(source, entry)| Some((source, entry?)));
        sides.all(|(source, entry)| {
            let text = source.read(entry).ok().and_then(|bytes| Some(Text::from(std::str::from_utf8(&bytes).ok()?)));
            let decoded = text.and_then(decode::documents);
            let keys = decoded.as_ref().and_then(Value::as_map).map(|map| map.iter().map(|entry| &*entry.key));
            keys.is_some_and(|mut keys| keys.all(|key| self.dialect.is_imported(key)))
        })
    }
}

/// The documents of a file, as they are decoded; `None` if they have tags: what these make of it is not known.
fn documents(source: &dyn Source, entry: Option<&Entry>) -> Option<Value> {
    let Some(entry) = entry else { return Some(Value::default()) };
    let bytes = source.read(entry).ok()?;
    let text = std::str::from_utf8(&bytes).ok().filter(|text| !text.contains(" !"))?;
    decode::documents(Text::from(text))
}

/// Whether a YAML file differs in comments, layout and the order of keys alone. A template may stand in a comment.
fn says_the_same([base, head]: [&dyn Source; 2], pair: &EntryPair<'_>) -> bool {
    let is_yaml = pair.path().ends_with(".yaml") || pair.path().ends_with(".yml");
    let (Some(before), Some(after)) = (pair.before, pair.after) else { return false };
    let has_template =
        |source: &dyn Source, entry| source.read(entry).is_ok_and(|bytes| bytes.windows(2).any(|w| w == b"{{"));
    if has_template(base, before) || has_template(head, after) {
        return false;
    }
    let sides = documents(base, Some(before)).zip(documents(head, Some(after)));
    is_yaml && before.kind == after.kind && sides.is_some_and(|(before, after)| same(&before, &after))
}

/// The settings that say how components are run, that no value shows, and that differ: the names of their places, or the path of a
/// file of which that is not known.
pub(in crate::review) fn run_settings(
    sources: [&dyn Source; 2],
    sides: [&Resolution; 2],
    files: &Files,
    dialect: &dyn Dialect,
) -> Vec<String> {
    let is_on_both = sides.iter().all(|side| !side.units.is_empty());
    let config = sides.iter().flat_map(|side| &side.config).map(|file| Text::clone(&files.get(*file).path));
    let config: BTreeSet<Text> = config.filter(|_| is_on_both && dialect.hides_settings()).collect();
    let [base, head] = sources;
    let differing = differences(base.listing(), head.listing());
    let own = differing.iter().filter(|pair| config.contains(pair.path()));
    let is_seen = |path: &str| dialect.shows_setting(path) || !dialect.steers_runs(path);
    let named = |path: String| pointer::keys(&path).collect::<Vec<String>>().join(".");
    let of = |pair: &EntryPair<'_>| match settings(sources, pair, &is_seen) {
        Some(paths) => paths.into_iter().map(named).collect(),
        None => vec![pair.path().to_owned()],
    };
    own.flat_map(of).collect()
}

/// The places in a file of settings that differ, but for those whose effect is seen; `None` if they are not known.
fn settings(
    [base, head]: [&dyn Source; 2],
    pair: &EntryPair<'_>,
    is_seen: &dyn Fn(&str) -> bool,
) -> Option<Vec<String>> {
    let (before, after) = documents(base, pair.before).zip(documents(head, pair.after))?;
    let steps = structural::compare(&before, &after, &Language::default(), [&[], &[]]);
    Some(steps.into_iter().map(|step| step.path).filter(|path| !is_seen(path)).collect())
}
