//! Reports of the shards of one check as the report of all of it.
//!
//! Every finding is in the report of one shard, complete (`review::shard` says why), so that findings are put together as they
//! are. What several shards tell, such as a defect, is told once. Coverage is added up. Reports are files that anybody may have
//! written: whatever does not fit together is an error that names the file.

mod coverage;
mod json;
mod sarif;

use super::Report;
use crate::diagnostic::rules::INCOMPLETE_ANALYSIS;
use crate::diagnostic::{INTERNAL_ERROR, Level};
use crate::files::Files;
use crate::review::{Coverage, Outcome, Revision, ShardCoverage};
use crate::settings::FailOn;
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::io;

/// A report as it was read: its name for messages, and its text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source<'a> {
    /// The path as it was typed.
    pub name: &'a str,
    /// What is in the file.
    pub text: &'a str,
}

/// The report of a whole check.
pub(crate) struct Merged {
    /// The report without its coverage.
    content: Content,
    /// What all shards cover together.
    coverage: Coverage,
    /// What each finding that is reported means for the verdict.
    verdicts: Vec<(Level, Weight)>,
    fail_on: FailOn,
    is_strict: bool,
    shards: usize,
}

/// A report of one kind.
enum Content {
    Json(json::Content),
    Sarif(Box<sarif::Content>),
}

/// How a finding counts, besides its level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Weight {
    /// By its level.
    Plain,
    /// Only where what could not be resolved fails the run.
    Incomplete,
    /// stacklint failed.
    Defect,
}

impl Weight {
    fn of(rule: &str) -> Weight {
        match rule {
            id if id == INCOMPLETE_ANALYSIS.id() => Weight::Incomplete,
            id if id == INTERNAL_ERROR.id() => Weight::Defect,
            _ => Weight::Plain,
        }
    }
}

/// One report of one shard.
struct Part<C> {
    name: String,
    coverage: Coverage,
    shard: ShardCoverage,
    content: C,
}

/// Puts the reports of all shards of one check together. `dialects` are the names that a project can say it is of.
///
/// # Errors
/// A file is no such report, reports are of different checks or kinds, or one is missing or there twice; what to tell the user.
pub(crate) fn merge(sources: &[Source<'_>], dialects: &[&'static str]) -> Result<Merged, String> {
    let Some(first) = sources.first() else { return Err("no report is named".to_owned()) };
    match is_sarif(*first)? {
        false => {
            let parts = parts(sources, false, |source| json::read(source, dialects))?;
            Merged::new(parts, json::merge)
        }
        true => {
            let parts = parts(sources, true, |source| sarif::read(source, dialects))?;
            Merged::new(parts, |parts, coverage| {
                let (content, verdicts) = sarif::merge(parts, coverage);
                (Content::Sarif(Box::new(content)), verdicts)
            })
        }
    }
}

/// Reads all reports, which have to be of one kind, and of all shards of one check.
fn parts<C>(
    sources: &[Source<'_>],
    is_of_sarif: bool,
    read: impl Fn(Source<'_>) -> Result<Part<C>, String>,
) -> Result<Vec<Part<C>>, String> {
    let mut parts: Vec<Part<C>> = Vec::new();
    for source in sources {
        if is_sarif(*source)? != is_of_sarif {
            let first = sources.first().map_or("", |first| first.name);
            return Err(format!(
                "{first} and {} are reports of different formats: merge each format by itself",
                source.name
            ));
        }
        let part = read(*source)?;
        if let Some(first) = parts.first() {
            same_check(first, &part)?;
        }
        if let Some(twice) = parts.iter().find(|known| known.shard.shard == part.shard.shard) {
            let index = part.shard.shard.index;
            return Err(format!("{} and {} are both of shard {index}", twice.name, part.name));
        }
        parts.push(part);
    }
    parts.sort_by_key(|part| part.shard.shard.index);
    all_there(&parts)?;
    Ok(parts)
}

/// Makes sure that two reports are of one check.
fn same_check<C>(one: &Part<C>, other: &Part<C>) -> Result<(), String> {
    let (a, b) = (&one.shard, &other.shard);
    let names = format!("{} and {}", one.name, other.name);
    let of = |part: &ShardCoverage| part.revision.commit.clone().unwrap_or_else(|| part.revision.rev.clone());
    if a.version != b.version {
        return Err(format!("{names} were written by stacklint {} and {}: use one version", a.version, b.version));
    }
    if a.shard.of != b.shard.of {
        return Err(format!("{names} are of checks in {} and in {} shards", a.shard.of, b.shard.of));
    }
    if a.revision.commit != b.revision.commit {
        return Err(format!("{names} are of different revisions, {} and {}", of(a), of(b)));
    }
    if a.check != b.check || a.units.1 != b.units.1 || (a.fail_on, a.is_strict) != (b.fail_on, b.is_strict) {
        return Err(format!("{names} are of different checks: the stacks, the rules or the options were not the same"));
    }
    Ok(())
}

/// Makes sure that there is a report of every shard.
fn all_there<C>(parts: &[Part<C>]) -> Result<(), String> {
    let Some(of) = parts.first().map(|part| part.shard.shard.of) else { return Ok(()) };
    let there: BTreeSet<usize> = parts.iter().map(|part| part.shard.shard.index).collect();
    let missing: Vec<String> = (1..=of).filter(|index| !there.contains(index)).map(|i| i.to_string()).collect();
    match missing.as_slice() {
        [] => {}
        [one] => return Err(format!("the report of shard {one} of {of} is missing, so not all was checked")),
        several => {
            let names: Vec<&str> = several.iter().take(5).map(String::as_str).collect();
            let more = if several.len() > names.len() { ", …" } else { "" };
            let names = names.join(", ");
            return Err(format!("the reports of shards {names}{more} of {of} are missing, so not all was checked"));
        }
    }
    let units = parts.iter().fold(0usize, |sum, part| sum.saturating_add(part.shard.units.0));
    let all = parts.first().map_or(0, |part| part.shard.units.1);
    if units != all {
        return Err(format!("the reports cover {units} of {all} stacks: they are not of one check"));
    }
    Ok(())
}

/// Whether a report is one of SARIF; else it is one of JSON.
fn is_sarif(source: Source<'_>) -> Result<bool, String> {
    #[derive(serde::Deserialize)]
    struct Head {
        schema: Option<String>,
        runs: Option<serde::de::IgnoredAny>,
    }
    let head: Head = parse(source)?;
    match (head.schema.as_deref(), head.runs) {
        (Some(super::json::SCHEMA), None) => Ok(false),
        (None, Some(_)) => Ok(true),
        _ => Err(no_report(source.name, "it is neither JSON nor SARIF of stacklint")),
    }
}

fn parse<'a, T: serde::Deserialize<'a>>(source: Source<'a>) -> Result<T, String> {
    serde_json::from_str(source.text).map_err(|e| no_report(source.name, &crate::text::plain(&e.to_string())))
}

fn no_report(name: &str, why: &str) -> String {
    format!("{name} is no report of `stacklint check --shard` in the format json or sarif: {why}")
}

/// A text of an object; empty if it has none.
fn text<'a>(map: &'a Map<String, Value>, key: &str) -> &'a str {
    map.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn level(name: &str) -> Option<Level> {
    [Level::Note, Level::Warning, Level::Error].into_iter().find(|level| level.name() == name)
}

impl Merged {
    fn new<C>(
        parts: Vec<Part<C>>,
        content: impl FnOnce(Vec<Part<C>>, &Coverage) -> (Content, Vec<(Level, Weight)>),
    ) -> Result<Merged, String> {
        let Some(first) = parts.first() else { return Err("no report is named".to_owned()) };
        let (fail_on, is_strict, shards) = (first.shard.fail_on, first.shard.is_strict, parts.len());
        let coverage = coverage::united(parts.iter().map(|part| &part.coverage));
        let (content, verdicts) = content(parts, &coverage);
        Ok(Merged { content, coverage, verdicts, fail_on, is_strict, shards })
    }

    /// Writes it, and a line end.
    ///
    /// # Errors
    /// Those of the writer.
    pub(crate) fn write(&self, out: &mut dyn io::Write) -> io::Result<()> {
        let out = &mut super::log::Filter::new(out, super::log::OutputKind::Json);
        match &self.content {
            Content::Json(content) => json::write(out, content, &self.coverage),
            Content::Sarif(content) => sarif::write(out, content),
        }?;
        io::Write::flush(out)
    }

    /// The verdict on the whole check; `fail_on` takes the place of what the shards were told.
    pub(crate) fn outcome(&self, fail_on: Option<FailOn>) -> Outcome {
        let fail_on = fail_on.unwrap_or(self.fail_on);
        let fails = |(level, weight): &(Level, Weight)| match weight {
            Weight::Incomplete => self.is_strict && fail_on != FailOn::Never,
            Weight::Plain | Weight::Defect => fail_on.fails(*level),
        };
        let is_lacking = self.is_strict && (self.coverage.has_empty_project() || !self.coverage.is_whole());
        if self.verdicts.iter().any(|(_, weight)| *weight == Weight::Defect) {
            return Outcome::Defect;
        }
        match self.verdicts.iter().any(fails) || is_lacking && fail_on != FailOn::Never {
            true => Outcome::Findings,
            false => Outcome::Clean,
        }
    }

    /// What was merged, in a line: `3 shards: 2 errors, 1 warning; checked 4 stacks, 9 components; atmos.yaml`.
    pub(crate) fn summary(&self) -> String {
        let number = |level| self.verdicts.iter().filter(|(own, _)| *own == level).count();
        let counts = [Level::Error, Level::Warning, Level::Note].map(|level| (number(level), level.name()));
        let counts: Vec<String> =
            counts.iter().filter(|(n, _)| *n > 0).map(|(n, name)| crate::text::count(*n, name)).collect();
        let found = if counts.is_empty() { "no findings".to_owned() } else { counts.join(", ") };
        let covered = with_report(&self.coverage, super::coverage::summary);
        let text = format!("{}: {found}; {covered}", crate::text::count(self.shards, "shard"));
        super::text::style::escape(&text).to_string()
    }
}

/// Calls `f` with a report without findings that covers something.
fn with_report<T>(coverage: &Coverage, f: impl FnOnce(&Report<'_>) -> T) -> T {
    let (files, head) = (Files::default(), Revision::default());
    f(&Report {
        files: &files,
        findings: &[],
        suppressed: &[],
        head: &head,
        comparison: None,
        rules: &[],
        remote: None,
        coverage,
        unreadable: &[],
    })
}

#[cfg(test)]
mod tests;
