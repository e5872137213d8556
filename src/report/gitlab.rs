//! A code quality report of GitLab: a JSON list with an entry for each finding of the state that was examined. GitLab itself
//! compares the reports of two branches by fingerprint, so what the base has too is in it.

use super::text::style::escape;
use super::{Finding, Report};
use crate::diagnostic::{AtHead, Level};
use crate::report::indented_json;
use serde::Serialize;
use std::io;

#[derive(Serialize)]
struct Issue<'a> {
    description: String,
    check_name: &'a str,
    fingerprint: &'a str,
    severity: &'static str,
    location: Location,
}

#[derive(Serialize)]
struct Location {
    path: String,
    lines: Lines,
}

#[derive(Serialize)]
struct Lines {
    begin: u32,
    end: u32,
}

/// Writes a report, and a line end.
///
/// # Errors
/// Those of the writer.
pub(crate) fn write(out: &mut dyn io::Write, report: &Report<'_>) -> io::Result<()> {
    let present = report.findings.iter().filter(|f| f.is_present());
    let issues: Vec<Issue> = present.map(|f| issue(f, report)).collect();
    indented_json::write(out, &issues)
}

fn issue<'a>(finding: &'a Finding, report: &Report<'_>) -> Issue<'a> {
    let d = &finding.diagnostic;
    let file = report.files.get(d.primary.file);
    let help = d.help.as_deref().map(|help| format!(" ({})", escape(help))).unwrap_or_default();
    let begin = file.line(d.primary.start);
    let end = file.trimmed_end(d.primary.start, d.primary.end);
    let end = file.line(end.saturating_sub(1).max(d.primary.start));
    let (begin, end) = match d.at_head {
        Some(AtHead::Line(line)) => (line, line),
        Some(AtHead::File) => (1, 1),
        None => (begin, end),
    };
    Issue {
        description: format!("{}{help}", escape(&d.message)),
        check_name: d.rule.id(),
        fingerprint: &finding.fingerprint,
        severity: match finding.level {
            Level::Danger => "critical",
            Level::Error => "major",
            Level::Warning => "minor",
            Level::Note => "info",
        },
        location: Location { path: file.path.to_string(), lines: Lines { begin, end } },
    }
}

#[cfg(test)]
mod tests {
    use crate::report::tests::{Fixture, written};
    use crate::report::{Format, RenderOptions};
    use serde_json::Value as Json;
    use std::collections::BTreeSet;

    #[test]
    fn every_issue_has_what_gitlab_asks_for() {
        let fixture = Fixture::new();
        for (report, number) in [(fixture.checked(), 7), (fixture.compared(), 7)] {
            let issues: Json =
                serde_json::from_str(&written(Format::Gitlab, &report, &RenderOptions::default())).unwrap();
            let issues = issues.as_array().unwrap();
            assert_eq!(issues.len(), number);
            let mut fingerprints = BTreeSet::new();
            for issue in issues {
                assert!(
                    ["description", "check_name", "severity"].iter().all(|k| !issue[k].as_str().unwrap().is_empty())
                );
                let severity = issue["severity"].as_str().unwrap();
                assert!(["info", "minor", "major", "critical", "blocker"].contains(&severity));
                let path = issue["location"]["path"].as_str().unwrap();
                assert!(!path.is_empty() && !path.starts_with(['/', '.']));
                let lines = &issue["location"]["lines"];
                assert!(lines["begin"].as_u64().unwrap() >= 1 && lines["end"].as_u64() >= lines["begin"].as_u64());
                assert!(fingerprints.insert(issue["fingerprint"].as_str().unwrap()), "twice the same fingerprint");
            }
        }
    }
}
