//! The machine-readable report, `stacklint/report/v1`; `schemas/report-v1.json` describes it.
//!
//! Inside v1 keys are only added. Nothing in it depends on the machine, the clock or the number of threads.

use super::coverage::CoverageJson;
use super::proof::json::ProofJson;
use super::{Finding, RenderOptions, Report, Revision, Suppressed, headline};
use crate::code::CodeChange;
use crate::diagnostic::{AtHead, Edit, Fix, Label, Level, Subject, Suppression};
use crate::diff::locals::LocalChange;
use crate::diff::renames::Rename;
use crate::diff::{Cause, Change, ComponentChange, Diff, Side, Status};
use crate::files::Files;
use crate::report::indented_json::{self, Items, Object};
use crate::resolution::Address;
use crate::text::Text;
use crate::value::Value;
use crate::value::json::Masked;
use serde::ser::SerializeSeq;
use serde::{Serialize, Serializer};
use std::collections::HashMap;
use std::io;

/// The value of the key `schema`.
pub(crate) const SCHEMA: &str = "stacklint/report/v1";

/// What is printed for values that are hidden from output; none if they are shown.
type Mask = Option<&'static str>;

/// Writes a report, and a line end.
///
/// # Errors
/// Those of the writer.
pub(crate) fn write(out: &mut dyn io::Write, report: &Report<'_>, options: &RenderOptions) -> io::Result<()> {
    let files = report.files;
    let diagnostics = each(report.findings, |f| diagnostic(f, files));
    let suppressed = each(report.suppressed, |s| suppressed(s, files));
    let Some(comparison) = &report.comparison else {
        let coverage = CoverageJson::of(report.coverage);
        return indented_json::write(out, &Check { schema: SCHEMA, diagnostics, suppressed, coverage });
    };
    let (diff, mask) = (comparison.diff, options.mask());
    let mut object = Object::begin(out)?;
    object.field("schema", &SCHEMA)?;
    object.field("base", &RevisionJson::of(comparison.base))?;
    object.field("head", &RevisionJson::of(report.head))?;
    object.field("headline", &headline::whole(comparison, report))?;
    let renamed = renamed_from(diff);
    let (made, configured): (Vec<_>, Vec<_>) = diff.components.iter().partition(|change| change.is_made());
    object.list("components", &configured, |items, part| add_components(items, part, (&renamed, files, mask)))?;
    object.list("resources", &made, |items, part| add_components(items, part, (&renamed, files, mask)))?;
    object.field("renames", &each(&diff.renames, |r| RenameJson::new(r, diff, (files, mask))))?;
    object.field("locals", &each(&diff.locals, |local| LocalJson::new(local, mask)))?;
    object.field("code", &each(comparison.code, CodeJson::new))?;
    object.field("unresolved", &diff.unresolved)?;
    object.field("diagnostics", &diagnostics)?;
    object.field("suppressed", &suppressed)?;
    object.field("coverage", &CoverageJson::of(report.coverage))?;
    if let Some(proof) = comparison.proof {
        object.field("expectation", &ProofJson::new(comparison, proof, (files, mask)))?;
    }
    object.end()
}

/// The earlier names of added components that replace one of their stack, by the address.
type RenamedFrom<'a> = HashMap<Address, &'a str>;

fn renamed_from(diff: &Diff) -> RenamedFrom<'_> {
    let sides = diff.renames.iter().map(|rename| (&diff.components[rename.from], &diff.components[rename.to]));
    let same_stack = sides.filter(|(from, to)| from.stack == to.stack);
    same_stack.map(|(from, to)| (to.address(), &*from.name)).collect()
}

/// Whether the changes of two components are written in the same way.
fn is_written_alike(a: &ComponentChange, b: &ComponentChange) -> bool {
    let is_same_value = |a: &Option<Value>, b: &Option<Value>| match (a, b) {
        (Some(a), Some(b)) => a.data.is_identical(&b.data),
        (a, b) => a.is_none() && b.is_none(),
    };
    let is_same_change = |(a, b): (&Change, &Change)| {
        (&a.path, a.kind, a.is_same_call, a.moved) == (&b.path, b.kind, b.is_same_call, b.moved)
            && a.causes == b.causes
            && is_same_value(&a.before, &b.before)
            && is_same_value(&a.after, &b.after)
    };
    a.causes == b.causes && a.changes.len() == b.changes.len() && a.changes.iter().zip(&b.changes).all(is_same_change)
}

/// Adds components to a list. Most have the same changes as the one before, and these are formatted once.
fn add_components(
    items: &mut Items,
    components: &[&ComponentChange],
    (renamed, files, mask): (&RenamedFrom<'_>, &Files, Mask),
) -> io::Result<()> {
    let mut last: Option<(&ComponentChange, Vec<u8>)> = None;
    for component in components {
        let changes = match last.take() {
            Some((other, changes)) if is_written_alike(other, component) => changes,
            _ => items.item(&ChangesJson::new(component, (files, mask)))?,
        };
        items.add_joined(&ComponentJson::new(component, renamed), &changes)?;
        last = Some((component, changes));
    }
    Ok(())
}

#[derive(Serialize)]
struct Check<'a, D, S> {
    schema: &'static str,
    diagnostics: D,
    suppressed: S,
    coverage: CoverageJson<'a>,
}

#[derive(Serialize)]
struct CodeJson<'a> {
    folder: &'a str,
    files: &'a [Text],
    components: Vec<AddressJson<'a>>,
    loaded: bool,
}

#[derive(Serialize)]
struct AddressJson<'a> {
    stack: &'a str,
    r#type: &'a str,
    component: &'a str,
}

fn address((stack, kind, name): &Address) -> AddressJson<'_> {
    AddressJson { stack, r#type: kind, component: name }
}

impl<'a> CodeJson<'a> {
    fn new(change: &'a CodeChange) -> Self {
        let components = change.components.iter().map(address).collect();
        CodeJson { folder: &change.folder, files: &change.files, components, loaded: change.is_loaded }
    }
}

#[derive(Serialize)]
pub(super) struct RevisionJson {
    rev: String,
    commit: Option<String>,
}

impl RevisionJson {
    pub(super) fn of(revision: &Revision) -> Self {
        RevisionJson { rev: revision.rev.clone(), commit: revision.commit.clone() }
    }
}

#[derive(Serialize)]
struct SuppressedJson<'a> {
    by: &'static str,
    reason: Option<&'a str>,
    diagnostic: DiagnosticJson<'a>,
}

#[derive(Serialize)]
pub(super) struct DiagnosticJson<'a> {
    rule: &'a str,
    level: &'static str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    danger: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<&'static str>,
    message: &'a str,
    file: Text,
    line: u32,
    column: u32,
    end_line: u32,
    end_column: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    side: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    head_line: Option<Option<u32>>,
    stacks: &'a [Text],
    related: Vec<RelatedJson<'a>>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    notes: &'a [String],
    help: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<FixJson<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    addresses: Vec<SubjectJson<'a>>,
    fingerprint: &'a str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fingerprints: Vec<&'a str>,
}

#[derive(Serialize)]
struct SubjectJson<'a> {
    stack: &'a str,
    component: &'a str,
    details: &'a str,
}

#[derive(Serialize)]
struct FixJson<'a> {
    title: &'a str,
    applicability: &'static str,
    edits: Vec<EditJson<'a>>,
}

#[derive(Serialize)]
struct EditJson<'a> {
    file: Text,
    line: u32,
    column: u32,
    end_line: u32,
    end_column: u32,
    text: &'a str,
}

#[derive(Serialize)]
struct RelatedJson<'a> {
    file: Text,
    line: u32,
    column: u32,
    message: &'a str,
}

fn suppressed<'a>(suppressed: &'a Suppressed, files: &Files) -> SuppressedJson<'a> {
    let (by, reason) = match &suppressed.by {
        Suppression::Comment(reason) => ("comment", Some(reason.as_str()).filter(|r| !r.is_empty())),
        Suppression::Baseline => ("baseline", None),
    };
    SuppressedJson { by, reason, diagnostic: diagnostic(&suppressed.finding, files) }
}

fn fix<'a>(fix: &'a Fix, files: &Files) -> FixJson<'a> {
    let edit = |e: &'a Edit| {
        let file = files.get(e.file);
        let (start, end) = (file.position(e.start), file.position(e.end));
        EditJson {
            file: Text::clone(&file.path),
            line: start.line,
            column: start.column,
            end_line: end.line,
            end_column: end.column,
            text: &e.text,
        }
    };
    FixJson { title: &fix.title, applicability: fix.applicability.name(), edits: fix.edits.iter().map(edit).collect() }
}

pub(super) fn diagnostic<'a>(finding: &'a Finding, files: &Files) -> DiagnosticJson<'a> {
    let d = &finding.diagnostic;
    let file = files.get(d.primary.file);
    let (start, end) = (file.position(d.primary.start), file.position(d.primary.end.max(d.primary.start)));
    DiagnosticJson {
        rule: d.rule.id(),
        // Who knows only three levels must not pass a danger.
        level: finding.level.min(Level::Error).name(),
        danger: finding.level == Level::Danger,
        status: finding.novelty.map(|n| n.name()),
        message: &d.message,
        file: Text::clone(&file.path),
        line: start.line,
        column: start.column,
        end_line: end.line,
        end_column: end.column,
        side: d.at_head.map(|_| Side::Base.name()),
        head_line: d.at_head.map(|at| match at {
            AtHead::Line(line) => Some(line),
            AtHead::File => None,
        }),
        stacks: &d.stacks,
        related: d.related.iter().map(|label| related(label, files)).collect(),
        notes: &d.notes,
        help: d.help.as_deref(),
        fix: d.fix.as_ref().map(|f| fix(f, files)),
        address: d.address.as_deref(),
        addresses: d.subjects.iter().map(subject).collect(),
        fingerprint: &finding.fingerprint,
        fingerprints: if finding.also.is_empty() { Vec::new() } else { finding.fingerprints().collect() },
    }
}

fn subject(subject: &Subject) -> SubjectJson<'_> {
    SubjectJson { stack: &subject.stack, component: &subject.component, details: &subject.details }
}

fn related<'a>(label: &'a Label, files: &Files) -> RelatedJson<'a> {
    let file = files.get(label.file);
    let start = file.position(label.start);
    RelatedJson { file: Text::clone(&file.path), line: start.line, column: start.column, message: &label.message }
}

#[derive(Serialize)]
struct ComponentJson<'a> {
    #[serde(skip_serializing_if = "str::is_empty")]
    project: &'a str,
    stack: &'a str,
    r#type: &'a str,
    component: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    made_by: Option<AddressJson<'a>>,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    renamed_from: Option<&'a str>,
}

/// The fields of a component that follow those of [`ComponentJson`].
#[derive(Serialize)]
struct ChangesJson<'a> {
    changes: Vec<ChangeJson<'a>>,
    causes: Vec<CauseJson>,
}

#[derive(Serialize)]
pub(super) struct ChangeJson<'a> {
    path: &'a str,
    kind: &'static str,
    // Omitted if there is no value, to distinguish it from null.
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<Masked<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<Masked<'a>>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    same_call: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    moved: Option<MovedJson>,
    causes: Vec<CauseJson>,
}

#[derive(Serialize)]
struct MovedJson {
    from: usize,
    to: usize,
}

#[derive(Serialize)]
struct CauseJson {
    side: &'static str,
    file: Text,
    line: u32,
    column: u32,
}

impl<'a> ComponentJson<'a> {
    fn new(component: &'a ComponentChange, renamed: &RenamedFrom<'a>) -> Self {
        ComponentJson {
            project: &component.project,
            stack: &component.stack,
            r#type: &component.kind,
            component: &component.name,
            made_by: component.made_by().map(|owner| address(owner)),
            status: component.status.name(),
            renamed_from: match component.status {
                Status::Added => renamed.get(&component.address()).copied(),
                _ => None,
            },
        }
    }
}

impl<'a> ChangesJson<'a> {
    fn new(component: &'a ComponentChange, (files, mask): (&Files, Mask)) -> Self {
        ChangesJson {
            changes: component.changes.iter().map(|c| change(c, (files, mask))).collect(),
            causes: component.causes.iter().map(|c| cause(c, files)).collect(),
        }
    }
}

pub(super) fn change<'a>(c: &'a Change, (files, mask): (&Files, Mask)) -> ChangeJson<'a> {
    let masked = |value: &'a Option<Value>| value.as_ref().map(|value| Masked(value, mask));
    ChangeJson {
        path: &c.path,
        kind: c.kind.name(),
        before: masked(&c.before),
        after: masked(&c.after),
        same_call: c.is_same_call,
        moved: c.moved.map(|moved| MovedJson { from: moved.from, to: moved.to }),
        causes: c.causes.iter().map(|c| cause(c, files)).collect(),
    }
}

#[derive(Serialize)]
struct RenameJson<'a> {
    from: AddressJson<'a>,
    to: AddressJson<'a>,
    state_moves: bool,
    replaced: bool,
    changes: Vec<ChangeJson<'a>>,
    causes: Vec<CauseJson>,
}

impl<'a> RenameJson<'a> {
    fn new(rename: &'a Rename, diff: &'a Diff, (files, mask): (&Files, Mask)) -> Self {
        let address = |i: usize| {
            let c = &diff.components[i];
            AddressJson { stack: &c.stack, r#type: &c.kind, component: &c.name }
        };
        RenameJson {
            from: address(rename.from),
            to: address(rename.to),
            state_moves: rename.moves_state,
            replaced: rename.is_replaced,
            changes: rename.changes.iter().map(|c| change(c, (files, mask))).collect(),
            causes: rename.causes.iter().map(|c| cause(c, files)).collect(),
        }
    }
}

#[derive(Serialize)]
struct LocalJson<'a> {
    file: &'a str,
    line: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    stack: Option<&'a str>,
    scope: &'a str,
    name: &'a str,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<Masked<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<Masked<'a>>,
    reached: Vec<ReachedJson<'a>>,
}

#[derive(Serialize)]
struct ReachedJson<'a> {
    stack: &'a str,
    r#type: &'a str,
    component: &'a str,
    path: &'a str,
}

impl<'a> LocalJson<'a> {
    fn new(local: &'a LocalChange, mask: Mask) -> Self {
        let masked = |value: &'a Option<Value>| value.as_ref().map(|value| Masked(value, mask));
        let reached = local.reached.iter().map(|((stack, kind, component), path)| ReachedJson {
            stack,
            r#type: kind,
            component,
            path,
        });
        LocalJson {
            file: &local.file,
            line: local.line,
            stack: local.stack.as_deref(),
            scope: &local.scope,
            name: &local.name,
            kind: local.kind.name(),
            before: masked(&local.before),
            after: masked(&local.after),
            reached: reached.collect(),
        }
    }
}

fn cause(cause: &Cause, files: &Files) -> CauseJson {
    CauseJson {
        side: cause.side.name(),
        file: Text::clone(&files.get(cause.file).path),
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
