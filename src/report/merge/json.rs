//! Reports in JSON.

use super::coverage::Written;
use super::{Part, Source, Weight, level, no_report, parse, text};
use crate::diagnostic::Level;
use crate::report::coverage::CoverageJson;
use crate::report::indented_json;
use crate::report::json::SCHEMA;
use crate::review::Coverage;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::io;

type Object = Map<String, Value>;

/// The findings of a report.
#[derive(Default)]
pub(super) struct Content {
    diagnostics: Vec<Object>,
    suppressed: Vec<Object>,
}

/// A report of `check` as it is written.
#[derive(Deserialize)]
struct Report {
    diagnostics: Vec<Object>,
    suppressed: Vec<Object>,
    coverage: Written,
}

#[derive(Serialize)]
struct Whole<'a> {
    schema: &'static str,
    diagnostics: &'a [Object],
    suppressed: &'a [Object],
    coverage: CoverageJson<'a>,
}

/// Reads one.
///
/// # Errors
/// It is none of a shard.
pub(super) fn read(source: Source<'_>, dialects: &[&'static str]) -> Result<Part<Content>, String> {
    let report: Report = parse(source)?;
    let (coverage, shard) = report.coverage.read(source.name, dialects)?;
    let of_suppressed = report.suppressed.iter().map(|one| one.get("diagnostic").and_then(Value::as_object));
    let mut all = report.diagnostics.iter().map(Some).chain(of_suppressed);
    if !all.all(|finding| finding.is_some_and(is_finding)) {
        return Err(no_report(source.name, "something in it is no finding"));
    }
    let Report { diagnostics, suppressed, .. } = report;
    let content = Content { diagnostics, suppressed };
    Ok(Part { name: source.name.to_owned(), coverage, shard, content })
}

fn is_finding(finding: &Object) -> bool {
    let texts = ["rule", "file", "message", "fingerprint"];
    texts.iter().all(|key| finding.get(*key).is_some_and(Value::is_string)) && level(text(finding, "level")).is_some()
}

/// Puts the findings of all shards into the order of one report.
pub(super) fn merge(parts: Vec<Part<Content>>, _: &Coverage) -> (super::Content, Vec<(Level, Weight)>) {
    let mut all = Content::default();
    for part in parts {
        all.diagnostics.extend(part.content.diagnostics);
        all.suppressed.extend(part.content.suppressed);
    }
    all.diagnostics.sort_by(|a, b| place(a).cmp(&place(b)));
    all.diagnostics.dedup();
    let inner = |one: &'_ Object| one.get("diagnostic").and_then(Value::as_object).cloned().unwrap_or_default();
    all.suppressed.sort_by_cached_key(|one| {
        let finding = inner(one);
        let (file, numbers, rule, message) = place(&finding);
        (file.to_owned(), numbers, rule.to_owned(), message.to_owned())
    });
    all.suppressed.dedup();
    let verdict = |finding: &Object| Some((level(text(finding, "level"))?, Weight::of(text(finding, "rule"))));
    let verdicts = all.diagnostics.iter().filter_map(verdict).collect();
    (super::Content::Json(all), verdicts)
}

/// By what findings are sorted.
fn place(finding: &Object) -> (&str, [u64; 4], &str, &str) {
    let numbers = ["line", "column", "end_line", "end_column"];
    let numbers = numbers.map(|key| finding.get(key).and_then(Value::as_u64).unwrap_or_default());
    (text(finding, "file"), numbers, text(finding, "rule"), text(finding, "message"))
}

/// Writes a report with all findings.
///
/// # Errors
/// Those of the writer.
pub(super) fn write(out: &mut dyn io::Write, content: &Content, coverage: &Coverage) -> io::Result<()> {
    let Content { diagnostics, suppressed } = content;
    let whole = Whole { schema: SCHEMA, diagnostics, suppressed, coverage: CoverageJson::of(coverage) };
    indented_json::write(out, &whole)
}
