//! The machine-readable report, `stacklint/report/v1`; `schemas/report-v1.json` describes it.
//!
//! Inside v1 keys are only added. Nothing in it depends on the machine, the clock or the number of threads.

use super::{Finding, Revision};
use crate::diagnostic::{Diagnostic, Label};
use crate::diff::{Cause, Change, ComponentChange, Diff};
use crate::files::Files;
use crate::value::Value;
use serde::ser::SerializeSeq;
use serde::{Serialize, Serializer};
use std::io;
use std::sync::Arc;

/// The value of the key `schema`.
pub const SCHEMA: &str = "stacklint/report/v1";

/// Writes the findings of one state, and a line end.
pub fn write_check(out: &mut dyn io::Write, findings: &[Finding], files: &Files) -> io::Result<()> {
    let diagnostics = each(findings, |f| diagnostic(f, files));
    finish(out, &Check { schema: SCHEMA, diagnostics })
}

/// Writes what differs between two states, the findings, and a line end.
pub fn write_diff(
    out: &mut dyn io::Write,
    base: &Revision,
    head: &Revision,
    diff: &Diff,
    findings: &[Finding],
    files: &Files,
) -> io::Result<()> {
    let report = DiffReport {
        schema: SCHEMA,
        base: RevisionJson { rev: &base.rev, commit: base.commit.as_deref() },
        head: RevisionJson { rev: &head.rev, commit: head.commit.as_deref() },
        components: each(&diff.components, |c| ComponentJson::new(c, files)),
        locals: [],
        unresolved: &diff.unresolved,
        diagnostics: each(findings, |f| diagnostic(f, files)),
    };
    finish(out, &report)
}

fn finish(out: &mut dyn io::Write, report: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, report)?;
    writeln!(out)
}

/// An id of a finding that stays when lines move: 16 hexadecimal digits over the rule, the file and the message without
/// the line numbers in it.
pub fn fingerprint(diagnostic: &Diagnostic, files: &Files) -> String {
    let path = Arc::clone(&files.get(diagnostic.primary.file).path);
    let message = without_lines(&diagnostic.message);
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for part in [diagnostic.rule, &path, &message] {
        // FNV-1a; the zero keeps the parts apart.
        for byte in part.bytes().chain([0]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    format!("{hash:016x}")
}

/// Digits after `line `, `lines ` or `:` are taken out.
fn without_lines(message: &str) -> String {
    let mut text = String::with_capacity(message.len());
    for c in message.chars() {
        let place = text.ends_with(':') || text.ends_with("line ") || text.ends_with("lines ");
        if !(c.is_ascii_digit() && place) {
            text.push(c);
        }
    }
    text
}

#[derive(Serialize)]
struct Check<D> {
    schema: &'static str,
    diagnostics: D,
}

#[derive(Serialize)]
struct DiffReport<'a, C, D> {
    schema: &'static str,
    base: RevisionJson<'a>,
    head: RevisionJson<'a>,
    components: C,
    locals: [(); 0],
    unresolved: &'a [String],
    diagnostics: D,
}

#[derive(Serialize)]
struct RevisionJson<'a> {
    rev: &'a str,
    commit: Option<&'a str>,
}

#[derive(Serialize)]
struct DiagnosticJson<'a> {
    rule: &'a str,
    level: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<&'static str>,
    message: &'a str,
    file: Arc<str>,
    line: u32,
    column: u32,
    end_line: u32,
    end_column: u32,
    stacks: &'a [Arc<str>],
    related: Vec<RelatedJson<'a>>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    notes: &'a [String],
    help: Option<&'a str>,
    fingerprint: String,
}

#[derive(Serialize)]
struct RelatedJson<'a> {
    file: Arc<str>,
    line: u32,
    column: u32,
    message: &'a str,
}

fn diagnostic<'a>(finding: &Finding<'a>, files: &Files) -> DiagnosticJson<'a> {
    let d = finding.diagnostic;
    let file = files.get(d.primary.file);
    let (start, end) = (file.position(d.primary.start), file.position(d.primary.end.max(d.primary.start)));
    DiagnosticJson {
        rule: d.rule,
        level: finding.level.name(),
        status: finding.novelty.map(|n| n.name()),
        message: &d.message,
        file: Arc::clone(&file.path),
        line: start.line,
        column: start.column,
        end_line: end.line,
        end_column: end.column,
        stacks: &d.stacks,
        related: d.related.iter().map(|label| related(label, files)).collect(),
        notes: &d.notes,
        help: d.help.as_deref(),
        fingerprint: fingerprint(d, files),
    }
}

fn related<'a>(label: &'a Label, files: &Files) -> RelatedJson<'a> {
    let file = files.get(label.file);
    let start = file.position(label.start);
    RelatedJson { file: Arc::clone(&file.path), line: start.line, column: start.column, message: &label.message }
}

#[derive(Serialize)]
struct ComponentJson<'a> {
    stack: &'a str,
    r#type: &'a str,
    component: &'a str,
    status: &'static str,
    changes: Vec<ChangeJson<'a>>,
    causes: Vec<CauseJson>,
}

#[derive(Serialize)]
struct ChangeJson<'a> {
    path: &'a str,
    kind: &'static str,
    // Left out where there is no value, so that it is not taken for a null.
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<&'a Value>,
    causes: Vec<CauseJson>,
}

#[derive(Serialize)]
struct CauseJson {
    side: &'static str,
    file: Arc<str>,
    line: u32,
    column: u32,
}

impl<'a> ComponentJson<'a> {
    fn new(component: &'a ComponentChange, files: &Files) -> Self {
        let causes = |list: &[Cause]| list.iter().map(|c| cause(c, files)).collect();
        let change = |c: &'a Change| ChangeJson {
            path: &c.path,
            kind: c.kind.name(),
            before: c.before.as_ref(),
            after: c.after.as_ref(),
            causes: causes(&c.causes),
        };
        ComponentJson {
            stack: &component.stack,
            r#type: &component.kind,
            component: &component.name,
            status: component.status.name(),
            changes: component.changes.iter().map(change).collect(),
            causes: causes(&component.causes),
        }
    }
}

fn cause(cause: &Cause, files: &Files) -> CauseJson {
    CauseJson {
        side: cause.side.name(),
        file: Arc::clone(&files.get(cause.file).path),
        line: cause.line,
        column: cause.column,
    }
}

/// A list that is turned into what is printed one item at a time.
struct Each<'a, T, F>(&'a [T], F);

fn each<'a, T, U, F: Fn(&'a T) -> U>(items: &'a [T], f: F) -> Each<'a, T, F> {
    Each(items, f)
}

impl<'a, T, U: Serialize, F: Fn(&'a T) -> U> Serialize for Each<'a, T, F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut seq = serializer.serialize_seq(Some(self.0.len()))?;
        for item in self.0 {
            seq.serialize_element(&(self.1)(item))?;
        }
        seq.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fingerprints_do_not_move_with_lines() {
        let files = Files::default();
        let file = files.add("a.yaml", "1", || "a: 1\n".into());
        let print = |rule, message: &str, at| {
            let label = Label::new(file, at, at + 1, "");
            fingerprint(&Diagnostic::new(rule, message, label), &files)
        };
        let first = print("duplicate-key", "`a` is set at line 12 (b.yaml:3)", 0);
        assert_eq!(first, print("duplicate-key", "`a` is set at line 7 (b.yaml:40)", 3));
        assert_ne!(first, print("duplicate-key", "`b` is set at line 12 (b.yaml:3)", 0));
        assert_ne!(print("ab", "c", 0), print("a", "bc", 0));
        assert_eq!(first.len(), 16);
    }
}
