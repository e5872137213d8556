//! SARIF 2.1.0, for GitHub code scanning and other viewers: one run with all rules that are on, all findings with their
//! state against the base, and what was silenced as suppressed results.
//!
//! Lines count from 1, columns count UTF-16 code units from 1, ends are exclusive. Files are named relative to
//! `%SRCROOT%`, the root of the repository.

mod place;
mod result;
mod rules;

use super::links::{self, Web};
use super::{Finding, Novelty, Report, Suppressed, coverage, headline};
use crate::diagnostic::Suppression;
use crate::report::indented_json;
use rules::Catalogue;
use serde::Serialize;
use serde_json::{Value as Json, json};
use serde_sarif::sarif::{
    ArtifactLocation, Invocation, Message, Notification, NotificationLevel, PropertyBag, Result as Row,
    ResultColumnKind, Run, RunAutomationDetails, Sarif, ToolComponent, Version, VersionControlDetails,
};
use std::collections::{BTreeMap, BTreeSet};
use std::io;

/// The schema that editors check the file against.
const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";
/// A prefix that distinguishes the results of stacklint from those of other tools.
const CATEGORY: &str = "stacklint/";
/// GitHub rejects files with more results.
const MAX_RESULTS: usize = 25_000;
/// Results take at most this many bytes, so that the file stays below the 10 MB that GitHub takes.
const MAX_BYTES: usize = 8_000_000;

/// Writes a report, and a line end.
///
/// # Errors
/// Those of the writer.
pub(crate) fn write(out: &mut dyn io::Write, report: &Report<'_>) -> io::Result<()> {
    indented_json::write(out, &log(report)?)
}

/// A finding with why it is not reported, if it is not.
type Entry<'a> = (&'a Finding, Option<&'a Suppression>);

fn log(report: &Report<'_>) -> serde_json::Result<Sarif> {
    let catalogue = Catalogue::of(report);
    let (rows, notes) = rows(report, &catalogue)?;
    let driver = ToolComponent::builder()
        .name("stacklint")
        .semantic_version(env!("CARGO_PKG_VERSION"))
        .information_uri(links::HOME)
        .rules(catalogue.descriptors())
        .build();
    let root = ArtifactLocation::builder().description("The root of the repository.").build();
    let mut run = Run::builder()
        .tool(driver)
        .results(rows)
        .invocations(vec![invocation(report, notes)])
        .automation_details(RunAutomationDetails::builder().id(CATEGORY).build())
        .original_uri_base_ids(BTreeMap::from([(place::ROOT.to_owned(), root)]))
        .column_kind(word(&ResultColumnKind::Utf16CodeUnits))
        .build();
    run.version_control_provenance = provenance(report).map(|p| vec![p]);
    Ok(Sarif::builder().schema(SCHEMA).version(word(&Version::V2_1_0)).runs(vec![run]).build())
}

/// Returns the results, those that count and are most severe first, and notes about omitted ones.
fn rows(report: &Report<'_>, catalogue: &Catalogue) -> serde_json::Result<(Vec<Row>, Vec<String>)> {
    let own = report.findings.iter().map(|f| (f, None));
    let silenced = report.suppressed.iter().map(|Suppressed { finding, by }| (finding, Some(by)));
    let mut entries: Vec<Entry> = own.chain(silenced).collect();
    entries.sort_by_key(|(finding, by)| {
        let class = match finding.novelty {
            Some(Novelty::Fixed | Novelty::Removed) => 3,
            _ if by.is_some() => 2,
            Some(Novelty::Known) => 1,
            _ => 0,
        };
        (class, std::cmp::Reverse(finding.level))
    });
    let number = entries.len();
    let mut cut = 0;
    let mut budget = Budget::default();
    let mut rows = Vec::new();
    for (finding, by) in entries.iter().take(MAX_RESULTS) {
        let (row, complete) = result::row(finding, *by, report, catalogue);
        if !budget.takes(&row)? {
            break;
        }
        cut += usize::from(!complete);
        rows.push(row);
    }
    let mut notes: Vec<String> = left_out(rows.len(), number).into_iter().collect();
    if cut > 0 {
        notes.push(format!("{cut} results have more related places than are listed."));
    }
    Ok((rows, notes))
}

/// The bytes that results may take.
#[derive(Default)]
struct Budget {
    taken: usize,
}

impl Budget {
    /// Whether one more result fits.
    fn takes(&mut self, row: &impl Serialize) -> serde_json::Result<bool> {
        let text = serde_json::to_string_pretty(row)?;
        // Each line is indented by the four levels around a result.
        self.taken += text.len() + 8 * (text.matches('\n').count() + 1) + 2;
        Ok(self.taken <= MAX_BYTES)
    }
}

/// What is to be said if not all results are in a file.
fn left_out(rows: usize, all: usize) -> Option<String> {
    let why = "code scanning rejects larger files";
    let number = all.saturating_sub(rows);
    (number > 0).then(|| format!("{number} of {all} results are left out, the least severe ones: {why}."))
}

/// Describes the run: problems of stacklint itself, and what this file omits.
fn invocation(report: &Report<'_>, notes: Vec<String>) -> Invocation {
    let notification = |level: NotificationLevel, text: String| {
        Notification::builder().level(word(&level)).message(Message::builder().text(text).build()).build()
    };
    let unread: BTreeSet<&str> = report.unreadable.iter().map(String::as_str).collect();
    let unread = unread.into_iter().map(|path| {
        let mut one = notification(NotificationLevel::Error, format!("{path} could not be read."));
        one.locations = Some(vec![place::whole_file(path)]);
        one
    });
    let lacking = coverage::lead(report).into_iter().map(|line| notification(NotificationLevel::Warning, line));
    let notes = notes.into_iter().map(|note| notification(NotificationLevel::Warning, note));
    let covered =
        json!({ "coverage": coverage::CoverageJson::of(report.coverage), "summary": coverage::summary(report) });
    let headline = report.comparison.as_ref().map(|comparison| headline::whole(comparison, report));
    let covered = match covered {
        Json::Object(mut map) if headline.is_some() => {
            map.insert("headline".to_owned(), json!(headline));
            map.into_iter().collect()
        }
        Json::Object(map) => map.into_iter().collect(),
        _ => BTreeMap::new(),
    };
    Invocation::builder()
        .properties(PropertyBag::builder().additional_properties(covered).build())
        .execution_successful(
            report.unreadable.is_empty() && !report.findings.iter().any(|f| f.diagnostic.is_failure()),
        )
        .tool_execution_notifications(unread.chain(lacking).chain(notes).collect::<Vec<_>>())
        .build()
}

/// The revision that was examined, where the repository has an address.
fn provenance(report: &Report<'_>) -> Option<VersionControlDetails> {
    let web = Web::of(report.remote?)?;
    let root = ArtifactLocation::builder().uri_base_id(place::ROOT).build();
    let mut details = VersionControlDetails::builder().repository_uri(web.url()).mapped_to(root).build();
    details.revision_id = report.head.commit.clone();
    Some(details)
}

/// A word of SARIF as JSON.
fn word(word: &impl ToString) -> Json {
    json!(word.to_string())
}

#[cfg(test)]
mod tests;
