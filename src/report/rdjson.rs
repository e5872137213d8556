//! The diagnostic format of reviewdog (`rdjson`, the message `DiagnosticResult` of its `reviewdog.proto`): the findings
//! of one state, or those that a change introduces. reviewdog writes them into reviews on platforms without
//! annotations.

use super::subjects;
use super::text::style::escape;
use super::{Finding, Report, links};
use crate::diagnostic::{Applicability, AtHead, Diagnostic, Edit, Level};
use crate::files::File;
use crate::report::indented_json;
use serde::Serialize;
use std::io;

#[derive(Serialize)]
struct DiagnosticResult<'a> {
    source: Source,
    diagnostics: Vec<Entry<'a>>,
}

#[derive(Serialize)]
struct Source {
    name: &'static str,
}

#[derive(Serialize)]
struct Entry<'a> {
    message: String,
    location: Location,
    severity: &'static str,
    code: Code<'a>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    suggestions: Vec<Suggestion>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related_locations: Vec<RelatedLocation>,
}

#[derive(Serialize)]
struct Location {
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<Range>,
}

/// From `start` to before `end`. Without columns it is whole lines, the last one included.
#[derive(Serialize)]
struct Range {
    start: Position,
    end: Position,
}

/// Counted from 1; columns in bytes of UTF-8.
#[derive(Serialize)]
struct Position {
    line: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<u32>,
}

#[derive(Serialize)]
struct Code<'a> {
    value: &'a str,
    url: String,
}

#[derive(Serialize)]
struct Suggestion {
    range: Range,
    text: String,
}

#[derive(Serialize)]
struct RelatedLocation {
    message: String,
    location: Location,
}

/// Writes a report, and a line end. Of two states, only new findings are reported: reviewdog does not know the older
/// one.
///
/// # Errors
/// Those of the writer.
pub(crate) fn write(out: &mut dyn io::Write, report: &Report<'_>) -> io::Result<()> {
    let counted = report.findings.iter().filter(|finding| finding.counts());
    let source = Source { name: env!("CARGO_PKG_NAME") };
    let result = DiagnosticResult { source, diagnostics: counted.map(|finding| entry(finding, report)).collect() };
    indented_json::write(out, &result)
}

fn entry<'a>(finding: &'a Finding, report: &Report<'_>) -> Entry<'a> {
    let d = &finding.diagnostic;
    let file = report.files.get(d.primary.file);
    let range = match d.at_head {
        Some(AtHead::File) => None,
        Some(AtHead::Line(line)) => Some(Range { start: whole_line(line), end: whole_line(line) }),
        None => Some(span(&file, d.primary.start, file.trimmed_end(d.primary.start, d.primary.end))),
    };
    let related = d.related.iter().filter(|label| !label.message.is_empty()).map(|label| {
        let file = report.files.get(label.file);
        let range = span(&file, label.start, file.trimmed_end(label.start, label.end));
        let location = Location { path: file.path.to_string(), range: Some(range) };
        RelatedLocation { message: escape(&label.message).into_owned(), location }
    });
    Entry {
        message: message(d),
        location: Location { path: file.path.to_string(), range },
        severity: match finding.level {
            Level::Danger | Level::Error => "ERROR",
            Level::Warning => "WARNING",
            Level::Note => "INFO",
        },
        code: Code { value: d.rule.id(), url: links::rule_page(&d.rule) },
        suggestions: suggestion(d, &file).into_iter().collect(),
        related_locations: related.collect(),
    }
}

/// The message with its notes and its help, a line each.
fn message(d: &Diagnostic) -> String {
    let components = subjects::notes(d, false);
    let notes = components.iter().chain(&d.notes).map(|note| format!("note: {note}"));
    let help = d.help.iter().map(|help| format!("help: {help}"));
    let lines: Vec<String> =
        std::iter::once(d.message.clone()).chain(notes).chain(help).map(|line| escape(&line).into_owned()).collect();
    lines.join("\n")
}

/// The fix, if it is safe and is one edit of the file of the finding: suggestions are applied one by one, and name no file.
fn suggestion(d: &Diagnostic, file: &File) -> Option<Suggestion> {
    let fix = d.fix.as_ref().filter(|fix| fix.applicability == Applicability::Safe && d.at_head.is_none())?;
    let [Edit { file: edited, start, end, text }] = &fix.edits[..] else { return None };
    (*edited == d.primary.file).then(|| Suggestion { range: span(file, *start, *end), text: text.clone() })
}

/// The range of a span of bytes.
fn span(file: &File, start: u32, end: u32) -> Range {
    Range { start: position(file, start), end: position(file, end.max(start)) }
}

/// The position of a byte offset; an offset past the end is the end.
fn position(file: &File, offset: u32) -> Position {
    let offset = offset.min(file.text.len() as u32);
    let line = file.line(offset);
    Position { line, column: Some(offset - file.line_span(line).start + 1) }
}

fn whole_line(line: u32) -> Position {
    Position { line, column: None }
}

#[cfg(test)]
mod tests {
    use crate::report::tests::{Fixture, written};
    use crate::report::{Format, RenderOptions};
    use serde_json::Value as Json;

    #[test]
    fn every_entry_has_what_reviewdog_reads() {
        let fixture = Fixture::new();
        for (report, number) in [(fixture.checked(), 7), (fixture.compared(), 6)] {
            let result: Json =
                serde_json::from_str(&written(Format::Rdjson, &report, &RenderOptions::default())).unwrap();
            assert_eq!(result["source"]["name"], "stacklint");
            let entries = result["diagnostics"].as_array().unwrap();
            assert_eq!(entries.len(), number);
            for entry in entries {
                assert!(!entry["message"].as_str().unwrap().is_empty() && !entry["code"]["value"].is_null(), "{entry}");
                assert!(["ERROR", "WARNING", "INFO"].contains(&entry["severity"].as_str().unwrap()), "{entry}");
                let path = entry["location"]["path"].as_str().unwrap();
                assert!(!path.is_empty() && !path.starts_with(['/', '.']), "{entry}");
                let Some(range) = entry["location"].get("range") else { continue };
                let place = |at: &str| (range[at]["line"].as_u64().unwrap(), range[at]["column"].as_u64().unwrap_or(1));
                assert!(place("start") >= (1, 1) && place("start") <= place("end"), "{entry}");
            }
        }
    }
}
