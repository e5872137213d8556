//! The coverage of shards: read from reports, and added up.

use super::no_report;
use crate::review::coverage::{ProjectCoverage, SideCoverage, Unresolved};
use crate::review::{Coverage, Revision, Shard, ShardCoverage};
use crate::settings::FailOn;
use crate::text::Text;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

/// The coverage of a report as JSON has it.
#[derive(Deserialize)]
pub(super) struct Written {
    projects: Vec<WrittenProject>,
    #[serde(default)]
    not_analyzed: Vec<String>,
    #[serde(default)]
    warnings: Vec<String>,
    narrowed: Option<String>,
    shard: Option<WrittenShard>,
}

#[derive(Deserialize)]
struct WrittenProject {
    dialect: String,
    path: String,
    config: Vec<Text>,
    #[serde(default)]
    assumptions: Vec<String>,
    head: WrittenSide,
    #[serde(default)]
    stack_names: Vec<Text>,
    all_unresolved: Option<Vec<WrittenUnresolved>>,
}

#[derive(Deserialize)]
struct WrittenSide {
    components: usize,
    unresolved: Vec<WrittenUnresolved>,
}

#[derive(Deserialize)]
struct WrittenUnresolved {
    stack: Option<Text>,
    file: Text,
    line: Option<u32>,
    r#type: Option<Text>,
    component: Option<Text>,
    reason: String,
}

#[derive(Deserialize)]
struct WrittenShard {
    index: usize,
    of: usize,
    units: usize,
    all_units: usize,
    version: String,
    rev: String,
    commit: Option<String>,
    check: String,
    fail_on: String,
    strict: bool,
}

impl Written {
    /// The coverage, and the shard that it is of.
    ///
    /// # Errors
    /// It is not that of a shard.
    pub(super) fn read(self, name: &str, dialects: &[&'static str]) -> Result<(Coverage, ShardCoverage), String> {
        let Some(shard) = self.shard else { return Err(no_report(name, "it covers no shard")) };
        let shard = shard.read().ok_or_else(|| no_report(name, "there is no such shard"))?;
        let project = |project: WrittenProject| {
            let dialect = dialects.iter().find(|known| **known == project.dialect);
            let dialect = dialect.ok_or_else(|| no_report(name, "it covers a project of an unknown system"))?;
            Ok(project.read(dialect))
        };
        let projects = self.projects.into_iter().map(project).collect::<Result<_, String>>()?;
        let Written { not_analyzed, warnings, narrowed, .. } = self;
        Ok((Coverage { projects, not_analyzed, warnings, narrowed, shard: Some(shard.clone()) }, shard))
    }
}

impl WrittenShard {
    fn read(self) -> Option<ShardCoverage> {
        let shard: Shard = format!("{}/{}", self.index, self.of).parse().ok()?;
        let all = [FailOn::Error, FailOn::Warning, FailOn::Note, FailOn::Never];
        let fail_on = all.into_iter().find(|fail_on| fail_on.name() == self.fail_on)?;
        (self.units <= self.all_units).then_some(ShardCoverage {
            shard,
            units: (self.units, self.all_units),
            version: self.version,
            revision: Revision { rev: self.rev, commit: self.commit },
            check: self.check,
            fail_on,
            is_strict: self.strict,
        })
    }
}

impl WrittenProject {
    fn read(self, dialect: &'static str) -> ProjectCoverage {
        let one = |one: WrittenUnresolved| Unresolved {
            stack: one.stack,
            place: one.line.map(|line| (Text::clone(&one.file), line)),
            file: one.file,
            component: one.r#type.zip(one.component),
            reason: one.reason,
        };
        let (stacks, components) = (self.stack_names.len(), self.head.components);
        let unresolved = self.head.unresolved.into_iter().map(one).collect();
        ProjectCoverage {
            dialect: dialect.into(),
            path: self.path,
            config: self.config,
            assumptions: self.assumptions,
            base: None,
            head: SideCoverage { stacks, components, untouched: 0, unresolved },
            stacks,
            components,
            stack_names: self.stack_names,
            all_unresolved: self.all_unresolved.map(|all| all.into_iter().map(one).collect()),
            is_elsewhere: false,
        }
    }
}

/// What several shards cover together. A stack that several of them have a part of is one.
pub(super) fn united<'a>(shards: impl Iterator<Item = &'a Coverage>) -> Coverage {
    let mut all = Coverage::default();
    let mut numbers: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let mut sets: Vec<Sets<'a>> = Vec::new();
    for shard in shards {
        add_new(&mut all.not_analyzed, &shard.not_analyzed);
        add_new(&mut all.warnings, &shard.warnings);
        for project in &shard.projects {
            let number = *numbers.entry((&project.dialect, &project.path)).or_insert(sets.len());
            if number == sets.len() {
                sets.push(Sets::default());
                let (dialect, path) = (project.dialect.clone(), project.path.clone());
                all.projects.push(ProjectCoverage { dialect, path, ..ProjectCoverage::default() });
            }
            sets[number].add(project);
        }
    }
    for (project, set) in all.projects.iter_mut().zip(sets) {
        set.fill(project);
    }
    all
}

fn add_new(all: &mut Vec<String>, more: &[String]) {
    let known: BTreeSet<&String> = all.iter().collect();
    let new: Vec<String> = more.iter().filter(|one| !known.contains(one)).cloned().collect();
    all.extend(new);
}

/// What shards cover of one project.
#[derive(Default)]
struct Sets<'a> {
    config: BTreeSet<&'a Text>,
    assumptions: BTreeSet<&'a String>,
    stacks: BTreeSet<&'a Text>,
    /// Of the shard that sees all.
    unresolved: Option<&'a [Unresolved]>,
    components: usize,
}

impl<'a> Sets<'a> {
    fn add(&mut self, project: &'a ProjectCoverage) {
        self.config.extend(&project.config);
        self.assumptions.extend(&project.assumptions);
        self.stacks.extend(&project.stack_names);
        self.unresolved = self.unresolved.or(project.all_unresolved.as_deref());
        self.components = self.components.saturating_add(project.components);
    }

    fn fill(self, project: &mut ProjectCoverage) {
        project.config = self.config.into_iter().cloned().collect();
        project.assumptions = self.assumptions.into_iter().cloned().collect();
        (project.stacks, project.components) = (self.stacks.len(), self.components);
        let unresolved = self.unresolved.unwrap_or_default().to_vec();
        let (stacks, components) = (project.stacks, project.components);
        project.head = SideCoverage { stacks, components, untouched: 0, unresolved };
    }
}
