//! Workflow commands of GitHub Actions: the text report in a group of the log, then an annotation for each finding that
//! counts.
//!
//! GitHub shows ten annotations per level and step. The most severe come first (each level has its own ten), and if
//! there are more, the last one says how many. Text from files cannot start a command.

use super::headline;
use super::log;
use super::text::{self, style};
use super::{Finding, RenderOptions, Report, subjects};
use crate::diagnostic::{AtHead, Level};
use crate::review::coverage::Lacking;
use std::io;

/// The annotations of a level that GitHub shows for a step.
const MAX_ANNOTATIONS: usize = 10;

/// The maximum number of lines of text in the log, unless everything is requested.
const MAX_LOG_LINES: usize = 1_000;

/// Writes the text of the report as a group, and then the annotations.
///
/// # Errors
/// Those of the writer.
pub(crate) fn write(out: &mut dyn io::Write, report: &Report<'_>, options: &RenderOptions) -> io::Result<()> {
    write_log(out, report, options)?;
    write_annotations(out, report)
}

/// Writes only the text, as a group.
///
/// # Errors
/// Those of the writer.
pub(crate) fn write_log(out: &mut dyn io::Write, report: &Report<'_>, options: &RenderOptions) -> io::Result<()> {
    let mut lines = Vec::new();
    let lines_of_log = (!options.all).then_some(MAX_LOG_LINES);
    text::write(&mut lines, report, &RenderOptions { lines: lines_of_log, ..*options })?;
    let changes = report.comparison.as_ref().map(|comparison| headline::whole(comparison, report));
    let changes = changes.map_or_else(String::new, |line| format!("{}. ", line.trim_end_matches('.')));
    writeln!(out, "::group::stacklint: {}", data(&format!("{changes}{}", headline::findings(report))))?;
    for line in String::from_utf8_lossy(&lines).lines() {
        writeln!(out, "{}", log::harmless(line))?;
    }
    writeln!(out, "::endgroup::")
}

fn write_annotations(out: &mut dyn io::Write, report: &Report<'_>) -> io::Result<()> {
    // An annotation without a file is shown first, and counts.
    let mut led = None;
    if report.comparison.is_some() {
        let lines = report.lead();
        if !lines.is_empty() {
            let is_new = report.coverage.lacking().iter().any(|(which, _)| *which == Lacking::Head);
            let level = if is_new { Level::Error } else { Level::Warning };
            writeln!(out, "{}", message(command(level), &lines.join("\n")))?;
            led = Some(level);
        }
    }
    for level in Level::ALL {
        let findings: Vec<&Finding> = report.findings.iter().filter(|f| f.counts() && f.level == level).collect();
        let room = MAX_ANNOTATIONS - usize::from(led == Some(level));
        let shown = if findings.len() > room { room - 1 } else { findings.len() };
        for finding in &findings[..shown] {
            out.write_all(annotation(finding, report).as_bytes())?;
        }
        if shown < findings.len() {
            let rest = findings.len() - shown;
            writeln!(out, "::{}::and {rest} more, see the job summary or the log of this step", command(level))?;
        }
    }
    Ok(())
}

/// A message that is about no file, as an annotation. `level` is `error`, `warning` or `notice`.
pub(crate) fn message(level: &str, text: &str) -> String {
    format!("::{level} title=stacklint::{}", data(text))
}

fn command(level: Level) -> &'static str {
    match level {
        Level::Danger | Level::Error => "error",
        Level::Warning => "warning",
        Level::Note => "notice",
    }
}

fn annotation(finding: &Finding, report: &Report<'_>) -> String {
    let d = &finding.diagnostic;
    let file = report.files.get(d.primary.file);
    let start = file.position(d.primary.start);
    let span_end = file.trimmed_end(d.primary.start, d.primary.end);
    // A span that ends with a line does not reach into the next one.
    let last = file.line(span_end.saturating_sub(1).max(d.primary.start));
    let mut place = format!("file={}", property(&file.path));
    match d.at_head {
        Some(AtHead::File) => {}
        Some(AtHead::Line(line)) => place.push_str(&format!(",line={line},endLine={line}")),
        None => place.push_str(&format!(",line={},endLine={last}", start.line)),
    }
    if d.at_head.is_none() && start.line == last && span_end > d.primary.start {
        let end = file.position(span_end.min(file.line_span(last).end)).column;
        place.push_str(&format!(",col={},endColumn={}", start.column, end.max(start.column)));
    }
    let mut message = d.message.clone();
    for note in subjects::notes(d, false).iter().chain(&d.notes) {
        message.push_str(&format!("\nnote: {note}"));
    }
    for related in d.related.iter().filter(|l| !l.message.is_empty()) {
        let file = report.files.get(related.file);
        message.push_str(&format!("\n{}:{}: {}", file.path, file.line(related.start), related.message));
    }
    if let Some(help) = &d.help {
        message.push_str(&format!("\nhelp: {help}"));
    }
    format!("::{} {place},title={}::{}\n", command(finding.level), property(d.rule.id()), data(&message))
}

/// Text as the message of a command.
fn data(text: &str) -> String {
    let lines = text.split('\n').map(|line| style::escape(line.strip_suffix('\r').unwrap_or(line)));
    let lines: Vec<String> = lines.map(|line| line.replace('%', "%25")).collect();
    log::inert(&lines.join("%0A")).into_owned()
}

/// Text as the value of a property of a command.
fn property(text: &str) -> String {
    // A file whose name has control characters is not found by GitHub, but the log may be shown on a terminal.
    let mut value = String::with_capacity(text.len());
    for c in log::inert(text).chars() {
        match c {
            '%' => value.push_str("%25"),
            '\r' => value.push_str("%0D"),
            '\n' => value.push_str("%0A"),
            ':' => value.push_str("%3A"),
            ',' => value.push_str("%2C"),
            c if style::steers(c) => value.push_str(&style::escape(c.encode_utf8(&mut [0; 4]))),
            c => value.push(c),
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::{Rule, rules as shared};

    static X: Rule = Rule::unregistered("x");
    use crate::diagnostic::{Diagnostic, Label};
    use crate::report::Format;
    use crate::report::tests::{Fixture, written};
    use crate::text::Text;

    #[test]
    fn escapes() {
        assert_eq!(data("100%\r\n::error::\rx\u{1b}"), "100%25%0A::error::\\rx\\u{1b}");
        assert_eq!(property("a,b:c%\r\n"), "a%2Cb%3Ac%25%0D%0A");
    }

    #[test]
    fn ten_of_a_level() {
        let fixture = Fixture::new();
        let label = fixture.checked().findings[0].diagnostic.primary.clone();
        let finding = |level, i: usize| {
            let diagnostic = Diagnostic::new(&shared::DUPLICATE_KEY, format!("number {i}"), label.clone());
            Finding { diagnostic, level, novelty: None, fingerprint: Text::from("0"), also: Vec::new() }
        };
        let mut findings: Vec<Finding> = (0..46).map(|i| finding(Level::Warning, i)).collect();
        findings.extend((0..10).map(|i| finding(Level::Error, i)));
        findings.extend((0..3).map(|i| finding(Level::Note, i)));
        let text =
            written(Format::Github, &Report { findings: &findings, ..fixture.checked() }, &RenderOptions::default());
        let commands: Vec<&str> = text.lines().skip_while(|l| *l != "::endgroup::").skip(1).collect();
        let of = |level: &str| commands.iter().filter(|c| c.starts_with(level)).count();
        assert_eq!([of("::error"), of("::warning"), of("::notice"), commands.len()], [10, 10, 3, 23]);
        assert!(commands[0].starts_with("::error") && commands[22].starts_with("::notice"));
        assert_eq!(commands[19], "::warning::and 37 more, see the job summary or the log of this step");
    }

    #[test]
    fn columns_only_where_the_span_is_in_one_line() {
        let fixture = Fixture::new();
        let text = "ü: 漢 x\nb:\n  c\n";
        let id = fixture.files.add("a,b.yaml", "1", || text.into());
        let at = |what: &str| text.find(what).unwrap() as u32;
        for (start, end, expected) in [
            (at("漢"), at("x"), "line=1,endLine=1,col=4,endColumn=5"),
            (at("b"), at("c") + 1, "line=2,endLine=3"),
            (at("b"), at("c") - 1, "line=2,endLine=2,col=1,endColumn=3"),
            (0, 0, "line=1,endLine=1"),
            (99, 120, "line=4,endLine=4,col=1,endColumn=1"),
        ] {
            let diagnostic = Diagnostic::new(&X, "y", Label::new(id, start, end, ""));
            let finding = Finding {
                diagnostic,
                level: Level::Note,
                novelty: None,
                fingerprint: Text::from("0"),
                also: Vec::new(),
            };
            let line = annotation(&finding, &fixture.checked());
            assert_eq!(line, format!("::notice file=a%2Cb.yaml,{expected},title=x::y\n"));
        }
    }
}
