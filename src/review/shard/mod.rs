//! A check that is split over several runs, each of which reports a part of the findings.
//!
//! The units of all projects are numbered in the order of the projects and of their names, and divided into ranges of equal
//! length. A finding belongs to exactly one shard, and any one that finds it has all of it: where its rule is decided by the
//! units that read a file ([`rules::is_decided_by_file`]) and its place is the file that defines a unit, to the shard of that
//! unit; else to the first shard, which resolves everything. All others resolve only what reads the files of their own units.

use super::coverage::ProjectCoverage;
use super::{Coverage, Error, Overrides, Revision, Workspace};
use crate::diagnostic::Diagnostic;
use crate::dialects::{Part, Scope};
use crate::files::Files;
use crate::resolution::{Resolution, State, Unit};
use crate::rules;
use crate::settings::{FailOn, Settings};
use crate::source::{Change, ChangeKind, Source};
use crate::text::Text;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::str::FromStr;
use std::sync::Arc;

/// The most shards that a check can be split into.
const MAX_SHARDS: usize = 10_000;

/// One of several runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shard {
    /// Its number, from 1.
    pub index: usize,
    /// The number of all.
    pub of: usize,
}

impl FromStr for Shard {
    type Err = String;

    /// Reads `I/N`.
    fn from_str(text: &str) -> Result<Self, String> {
        let number = |text: &str| {
            let is_plain = !text.is_empty() && text.len() < 8 && text.bytes().all(|b| b.is_ascii_digit());
            is_plain.then(|| text.parse::<usize>().ok()).flatten()
        };
        let parts = text.split_once('/').and_then(|(index, of)| Some((number(index)?, number(of)?)));
        match parts {
            None => Err("it has to be I/N, as in 1/3".to_owned()),
            Some((_, of)) if of > MAX_SHARDS => Err(format!("there are at most {MAX_SHARDS} shards")),
            Some((_, 0)) => Err("there has to be a shard".to_owned()),
            Some((index, of)) if index == 0 || index > of => Err(format!("the number of a shard is from 1 to {of}")),
            Some((index, of)) => Ok(Shard { index, of }),
        }
    }
}

impl Shard {
    /// Whether it decides what only the whole tells.
    pub(super) fn sees_all(self) -> bool {
        self.index == 1
    }
}

/// What a report says of the shard that it is of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ShardCoverage {
    /// Which one it is.
    pub shard: Shard,
    /// The number of its units, and of all.
    pub units: (usize, usize),
    /// The version of stacklint.
    pub version: String,
    /// The state that was analyzed.
    pub revision: Revision,
    /// What is the same in all shards of one check: a digest of the units, their files and the rules.
    pub check: String,
    /// From which level on findings fail the run.
    pub fail_on: FailOn,
    /// Whether what could not be resolved fails the run.
    pub is_strict: bool,
}

/// Which units and findings belong to a shard.
pub(super) struct Plan {
    shard: Shard,
    /// By the path of a file that defines units: the shard of the first of them.
    owners: HashMap<Text, usize>,
    /// The units of this shard by project, by name with the path of their file.
    own: Vec<BTreeMap<Text, Text>>,
    total: usize,
    digest: Sha256,
}

impl Plan {
    /// Divides the units of the projects of a state. They are listed with caches of their own, so that nothing that is resolved
    /// later depends on it.
    ///
    /// # Errors
    /// There is no project.
    pub(super) fn new(
        shard: Shard,
        source: &dyn Source,
        workspace: &Workspace<'_>,
        settings: &Settings,
    ) -> Result<Plan, Error> {
        let (dialects, files) = (workspace.dialects(settings), Files::default());
        let found = workspace.find(&dialects, &[source], settings)?;
        let parts = found.parts();
        let listing = |part: &Part<'_>| part.resolve(source, &files, Scope::Touched(&[])).unwrap_or_default().units;
        let listings: Vec<Vec<Arc<Unit>>> = parts.iter().map(listing).collect();
        let total = listings.iter().map(Vec::len).sum();
        let mut plan = Plan { shard, owners: HashMap::new(), own: Vec::new(), total, digest: Sha256::new() };
        let mut number = 0;
        for (part, units) in parts.iter().zip(listings) {
            plan.note(&[part.dialect().name(), part.folder()]);
            let mut own = BTreeMap::new();
            for unit in units {
                let path = Text::clone(&files.get(unit.file).path);
                let id = source.listing().resolve(&path).map(|entry| entry.id.to_string()).unwrap_or_default();
                plan.note(&[&unit.name, &path, &id]);
                let owner = number * shard.of / total + 1;
                plan.owners.entry(Text::clone(&path)).or_insert(owner);
                if owner == shard.index {
                    own.insert(Text::clone(&unit.name), path);
                }
                number += 1;
            }
            plan.own.push(own);
        }
        Ok(plan)
    }

    fn note(&mut self, words: &[&str]) {
        for word in words {
            self.digest.update(word.as_bytes());
            self.digest.update([0]);
        }
    }

    /// The files of the units of a project (by number) that belong to the shard, as if they were edited.
    pub(super) fn changes(&self, project: usize) -> Vec<Change> {
        let paths: BTreeSet<&Text> = self.own.get(project).into_iter().flat_map(BTreeMap::values).collect();
        paths.into_iter().map(|path| Change { path: (&**path).into(), kind: ChangeKind::Modified }).collect()
    }

    /// Whether a file defines a unit of the shard.
    pub(super) fn has_file(&self, path: &str) -> bool {
        self.owners.get(path) == Some(&self.shard.index)
    }

    /// Whether a finding belongs to the shard. Every shard tells its own defects.
    pub(super) fn has(&self, found: &Diagnostic, files: &Files) -> bool {
        let owner = match rules::is_decided_by_file(&found.rule) {
            true => self.owners.get(&files.get(found.primary.file).path).copied().unwrap_or(1),
            false => 1,
        };
        owner == self.shard.index || found.is_defect()
    }

    /// Whether the shard decides what only the whole tells.
    pub(super) fn sees_all(&self) -> bool {
        self.shard.sees_all()
    }

    /// The units of a project (by number), those of other shards only named.
    pub(super) fn own_units(&self, project: usize, units: &[Arc<Unit>]) -> Vec<Arc<Unit>> {
        let is_own = |unit: &Unit| self.own.get(project).is_some_and(|own| own.contains_key(&unit.name));
        let named = |unit: &Unit| {
            let broken = Unit::broken(Text::clone(&unit.name), unit.file);
            Arc::new(Unit { state: State::OutOfScope, files: unit.files.clone(), ..broken })
        };
        units.iter().map(|unit| if is_own(unit) { Arc::clone(unit) } else { named(unit) }).collect()
    }

    /// What is covered of a project (by number) by the shard: units of others do not count.
    pub(super) fn narrow(&self, project: usize, covered: &mut ProjectCoverage, resolution: &Resolution) {
        covered.stacks -= covered.head.untouched;
        covered.head.stacks -= covered.head.untouched;
        covered.head.untouched = 0;
        let own = self.own.get(project).map_or(0, BTreeMap::len);
        covered.is_elsewhere = own == 0 && self.total > 0;
        let resolved = resolution.units.iter().filter(|unit| unit.state == State::Resolved);
        let named = |unit: &'_ Arc<Unit>| -> Vec<Text> {
            let components = unit.components.iter().map(|c| &c.stack);
            components.filter(|stack| !unit.failed.contains(stack)).cloned().collect()
        };
        let stacks: BTreeSet<Text> = resolved.flat_map(named).chain(resolution.empty_stacks().cloned()).collect();
        covered.stack_names = stacks.into_iter().collect();
    }

    /// Adds the shard to the coverage of its report.
    pub(super) fn finish(
        mut self,
        coverage: &mut Coverage,
        source: &dyn Source,
        settings: &Settings,
        overrides: &Overrides,
    ) {
        for (rule, level) in settings.enabled() {
            self.note(&[rule.id(), level.name()]);
        }
        let own = self.own.iter().map(BTreeMap::len).sum();
        let shard = ShardCoverage {
            shard: self.shard,
            units: (own, self.total),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            revision: Revision::of(source),
            check: self.digest.finalize()[..16].iter().map(|byte| format!("{byte:02x}")).collect(),
            fail_on: overrides.fail_on(settings),
            is_strict: settings.strict.value,
        };
        coverage.narrowed = Some(shard.description());
        coverage.shard = Some(shard);
    }
}

impl ShardCoverage {
    /// That a report is of a shard, in a sentence without a full stop.
    pub(crate) fn description(&self) -> String {
        let (Shard { index, of }, (own, all)) = (self.shard, self.units);
        match of {
            1 => format!("shard 1 of 1: analyzed all of {}", crate::text::count(all, "stack")),
            _ => format!(
                "shard {index} of {of}: analyzed {own} of {}; findings of other shards are not shown",
                crate::text::count(all, "stack")
            ),
        }
    }
}

#[cfg(test)]
mod tests;
