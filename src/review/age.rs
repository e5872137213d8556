//! Since when two environments differ: the states of the history are resolved one after the other, from the newest on.

use super::whole::whole;
use super::{Error, Workspace};
use crate::dialects::{Scope, StackNames};
use crate::environments::{Declared, Difference, Environment, EnvironmentDiff, Place, compare, may_select};
use crate::files::Files;
use crate::resolution::Resolution;
use crate::settings::Settings;
use crate::source::{ChangeKind, CommitInfo, Listing, Repository, Revision, Supplied, changed};
use crate::text::count;
use std::collections::BTreeSet;

/// Since when something differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Since {
    /// It is not committed.
    Worktree,
    /// This commit made it so, and all that follow have it.
    Commit(CommitInfo),
    /// All commits from this one on have it, and it is not known whether older ones do: why, as a clause.
    AtLeast(CommitInfo, String),
}

/// Since when everything differs that a comparison found.
#[derive(Debug, Default)]
pub(crate) struct DriftAges {
    /// For each of [`EnvironmentDiff::differences`].
    pub differences: Vec<Since>,
    /// For each of [`EnvironmentDiff::only`].
    pub only: [Vec<Since>; 2],
}

/// What differs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Drift {
    Value(usize),
    Only(usize, usize),
}

/// A search in the history of a state.
pub(crate) struct History<'a> {
    pub repository: &'a Repository,
    pub workspace: &'a Workspace<'a>,
    pub settings: &'a Settings,
    /// What both environments are called.
    pub names: [&'a str; 2],
    /// The most commits that are looked at.
    pub limit: usize,
}

impl History<'_> {
    /// Finds since when environments differ as they do in the end, along the first parents of a commit.
    ///
    /// # Errors
    /// The clone has a damaged object.
    pub(crate) fn ages(&self, head: Revision, diff: &EnvironmentDiff) -> Result<DriftAges, Error> {
        let mut ages = DriftAges {
            differences: vec![Since::Worktree; diff.differences.len()],
            only: diff.only.each_ref().map(|places| vec![Since::Worktree; places.len()]),
        };
        let values = (0..diff.differences.len()).map(Drift::Value);
        let only = (0..2).flat_map(|side| (0..diff.only[side].len()).map(move |index| Drift::Only(side, index)));
        let mut open: BTreeSet<Drift> = values.chain(only).collect();
        let (files, dialects) = (Files::default(), self.workspace.dialects(self.settings));
        let names = self.names;
        let is_wanted = |stack: &str| names.iter().any(|name| may_select(stack, name));
        let scope = Scope::Stacks(StackNames::new(&is_wanted));
        // What differs was there in this commit and in all newer ones.
        let mut newer = Since::Worktree;
        let mut examined: Option<(Listing, BTreeSet<String>)> = None;
        let mut next = Some(head);
        let mut seen = 0;
        while let Some(revision) = next.take().filter(|_| !open.is_empty()) {
            if seen == self.limit {
                newer = newer.or_older(format!("only {} were examined", count(seen, "commit")));
                break;
            }
            seen += 1;
            let source = self.repository.at(&revision)?;
            let commit = self.repository.commit(&revision);
            let commit = commit.ok_or_else(|| Error::Message(format!("{} cannot be read", revision.commit())))?;
            if examined.as_ref().is_none_or(|(listing, read)| may_differ(listing, source.listing(), read)) {
                let supplied = Supplied::new(&*source, &self.settings.inputs);
                let state = supplied.as_ref().map_or(&*source, |supplied| supplied);
                let resolution = match self.workspace.find(&dialects, &[state], self.settings) {
                    Ok(found) => found.resolve(state, &files, scope),
                    Err(Error::NoProject(_)) => Resolution::default(),
                    Err(error) => return Err(error),
                };
                whole(&[state], Ok(()))?;
                let there = self.there(&resolution, diff, &open);
                let is_whole = resolution.gap.is_none() && resolution.units.iter().all(|unit| !unit.is_incomplete());
                let since = match is_whole {
                    true => newer.clone(),
                    false => newer.clone().or_older("the state before it is not resolved".to_owned()),
                };
                for drift in open.difference(&there) {
                    ages.settle(*drift, &since);
                }
                open = there;
                let read = resolution.units.iter().flat_map(|unit| &unit.files);
                let read = read.map(|file| files.get(*file).path.to_string()).collect();
                examined = Some((source.listing().clone(), read));
            }
            newer = Since::Commit(commit);
            let Some(parent) = self.repository.parents(&revision).into_iter().next() else { break };
            match self.repository.resolve(&parent) {
                Ok(parent) => next = Some(parent),
                Err(_) => newer = newer.or_older("the clone has no older commits".to_owned()),
            }
        }
        open.into_iter().for_each(|drift| ages.settle(drift, &newer));
        Ok(ages)
    }

    /// What differs in a state of some of what differs in the end.
    fn there(&self, resolution: &Resolution, diff: &EnvironmentDiff, open: &BTreeSet<Drift>) -> BTreeSet<Drift> {
        let both = self.names.map(|name| Environment::of(name, resolution));
        // Before there was one of them, nothing differed.
        if both.iter().any(|environment| environment.members.is_empty()) {
            return BTreeSet::new();
        }
        let found = compare(both.each_ref(), &Declared::default());
        let is_value = |index: usize| {
            let one = &diff.differences[index];
            let is_it =
                |other: &Difference| is_related(&one.path, &other.path) && have_common(&one.places, &other.places);
            found.differences.iter().any(is_it)
        };
        let is_there = |drift: &Drift| match *drift {
            Drift::Value(index) => is_value(index),
            Drift::Only(side, index) => found.only[side].contains(&diff.only[side][index]),
        };
        open.iter().copied().filter(is_there).collect()
    }
}

impl DriftAges {
    fn settle(&mut self, drift: Drift, since: &Since) {
        let place = match drift {
            Drift::Value(index) => &mut self.differences[index],
            Drift::Only(side, index) => &mut self.only[side][index],
        };
        *place = since.clone();
    }
}

impl Since {
    /// The same, where it is not known whether older states have it.
    fn or_older(self, why: String) -> Self {
        match self {
            Since::Commit(commit) => Since::AtLeast(commit, why),
            other => other,
        }
    }
}

/// Whether one place is that of the other, or above it.
fn is_related(one: &str, other: &str) -> bool {
    let is_below = |inner: &str, outer: &str| {
        inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    is_below(one, other) || is_below(other, one)
}

fn have_common(one: &[Place], other: &[Place]) -> bool {
    one.iter().any(|place| other.contains(place))
}

/// Whether a state may resolve to something else than one that read some files: one of them differs, or a file is there, or gone,
/// that has the extension of one.
fn may_differ(one: &Listing, other: &Listing, read: &BTreeSet<String>) -> bool {
    let extension = |path: &str| path.rsplit_once('.').map(|(_, extension)| extension.to_owned());
    let extensions: BTreeSet<Option<String>> = read.iter().map(|path| extension(path)).collect();
    changed(one, other).iter().any(|change| {
        read.contains(&*change.path)
            || change.kind != ChangeKind::Modified && extensions.contains(&extension(&change.path))
    })
}
