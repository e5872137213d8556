//! One finding as a result.

use super::rules::Catalogue;
use super::{place, word};
use crate::diagnostic::{
    Applicability, Diagnostic, Finding, Fix as FileFix, Label, Level, Novelty, Subject, Suppression,
};
use crate::files::Files;
use crate::report::{Report, subjects};
use crate::value::FileId;
use serde_json::json;
use serde_sarif::sarif::{
    ArtifactChange, ArtifactContent, CodeFlow, Fix, Location, LogicalLocation, Message, PhysicalLocation, PropertyBag,
    Replacement, Result as Row, ResultBaselineState, ResultLevel, Suppression as Suppressed, SupressionKind,
    ThreadFlow, ThreadFlowLocation,
};
use std::collections::BTreeMap;

/// GitHub takes as many related places.
const MAX_RELATED: usize = 1_000;
/// GitHub takes as many steps of a chain.
const MAX_STEPS: usize = 100;
/// The maximum number of places that the message links to.
const MAX_LINKS: usize = 10;
/// The maximum number of components that are named.
const MAX_SUBJECTS: usize = 100;
/// The maximum number of characters about one component.
const MAX_WORDS: usize = 300;
/// The maximum number of stacks that are named.
const MAX_STACKS: usize = 100;

/// The result, and whether all of its related places are in it.
pub(super) fn row(
    finding: &Finding,
    by: Option<&Suppression>,
    report: &Report<'_>,
    catalogue: &Catalogue,
) -> (Row, bool) {
    let (d, files) = (&finding.diagnostic, report.files);
    let related = d.related.iter().take(MAX_RELATED);
    let mut related: Vec<Location> = related.zip(1..).map(|(label, id)| related_location(label, id, files)).collect();
    let left = MAX_RELATED.saturating_sub(related.len()).min(MAX_SUBJECTS);
    let next = related.len() as i64 + 1;
    related
        .extend(united(d).iter().take(left).zip(next..).map(|(subject, id)| subject_location(d, subject, id, files)));
    let mut row = Row::builder()
        .rule_id(super::rules::id(d.rule.id()))
        .level(level(finding.level))
        .message(Message::builder().text(message(d, files)).build())
        .locations(vec![location(d, files)])
        .partial_fingerprints(BTreeMap::from([("stacklint/v1".to_owned(), finding.fingerprint.to_string())]))
        .build();
    row.rule_index = catalogue.index(d.rule.id());
    row.baseline_state = finding.novelty.map(|novelty| word(&baseline(novelty)));
    row.related_locations = (!related.is_empty()).then_some(related);
    row.code_flows = d.is_chain.then(|| vec![chain(d, files)]);
    row.fixes = d.fix.as_ref().filter(|f| f.applicability == Applicability::Safe).map(|f| vec![fix(f, files)]);
    row.suppressions = by.map(|by| vec![suppression(by)]);
    if !d.stacks.is_empty() {
        let names: Vec<&str> = d.stacks.iter().take(MAX_STACKS).map(|s| &**s).collect();
        let counted = [("stackCount".to_owned(), json!(d.stacks.len())), ("stacks".to_owned(), json!(names))];
        row.properties = Some(PropertyBag::builder().additional_properties(BTreeMap::from(counted)).build());
    }
    let complete = d.related.len() <= if d.is_chain { MAX_STEPS - 1 } else { MAX_RELATED };
    (row, complete)
}

fn level(level: Level) -> ResultLevel {
    match level {
        Level::Danger | Level::Error => ResultLevel::Error,
        Level::Warning => ResultLevel::Warning,
        Level::Note => ResultLevel::Note,
    }
}

fn baseline(novelty: Novelty) -> ResultBaselineState {
    match novelty {
        Novelty::New => ResultBaselineState::New,
        Novelty::Known => ResultBaselineState::Unchanged,
        Novelty::Fixed | Novelty::Removed => ResultBaselineState::Absent,
    }
}

/// Composes a message from the finding, its notes, its advice and its related places: sentences with links to the
/// related places. Viewers show the first one as title.
pub(super) fn message(d: &Diagnostic, files: &Files) -> String {
    let help = d.help.as_deref();
    let components = subjects::notes(d, false);
    let notes = components.iter().chain(&d.notes).map(String::as_str);
    let texts = std::iter::once(d.message.as_str()).chain(notes).chain(help);
    let mut sentences: Vec<String> = texts.map(|text| sentence(&without_links(text))).collect();
    let links: Vec<String> = d.related.iter().take(MAX_LINKS).zip(1..).map(|(l, id)| link(l, id, files)).collect();
    if !links.is_empty() {
        let more = if d.related.len() > links.len() { ", …" } else { "" };
        let (start, join) = if d.is_chain { ("The chain", " → ") } else { ("See", ", ") };
        sentences.push(format!("{start}: {}{more}.", links.join(join)));
    }
    sentences.join(" ")
}

/// The text with a capital letter at its start, unless that is code, and a mark at its end.
pub(super) fn sentence(text: &str) -> String {
    let text = text.trim();
    let mut chars = text.chars();
    let mut sentence: String = chars.next().into_iter().flat_map(char::to_uppercase).collect();
    sentence.push_str(chars.as_str());
    if !sentence.ends_with(['.', '?', '!', ':']) {
        sentence.push('.');
    }
    sentence
}

/// Text from files must not create links.
fn without_links(text: &str) -> String {
    text.replace("](", "] (")
}

/// A link to a related place with its label, or with its file and line.
fn link(label: &Label, id: usize, files: &Files) -> String {
    let file = files.get(label.file);
    let place = format!("{}:{}", file.path, file.line(label.start));
    let words = if label.message.trim().is_empty() { place } else { format!("{} ({place})", label.message.trim()) };
    let mut escaped = String::with_capacity(words.len());
    for c in words.chars() {
        if matches!(c, '[' | ']' | '\\') {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    format!("[{escaped}]({id})")
}

/// The components of a finding that is about several.
fn united(d: &Diagnostic) -> &[Subject] {
    if d.subjects.len() > 1 { &d.subjects } else { &[] }
}

/// Where a finding is shown.
fn physical(d: &Diagnostic, files: &Files) -> PhysicalLocation {
    match d.at_head {
        None => place::physical(&d.primary, files),
        Some(at) => place::at_head(&files.get(d.primary.file).path, at),
    }
}

/// One of several components of a finding: the place of the finding, with what is particular about the component.
fn subject_location(d: &Diagnostic, subject: &Subject, id: i64, files: &Files) -> Location {
    let mut location = Location::builder().id(id).physical_location(physical(d, files)).build();
    let text: String = subject.text().chars().take(MAX_WORDS).collect();
    location.message = Some(Message::builder().text(text).build());
    location.logical_locations = Some(vec![logical(subject)]);
    location
}

fn logical(subject: &Subject) -> LogicalLocation {
    let name = format!("{}/{}", subject.stack, subject.component);
    LogicalLocation::builder().name(&*subject.component).fully_qualified_name(name).kind("member").build()
}

fn location(d: &Diagnostic, files: &Files) -> Location {
    let mut location = Location::builder().physical_location(physical(d, files)).build();
    location.message = texts(&d.primary);
    location.logical_locations = d.address.as_deref().map(|address| {
        let name = address.rsplit('/').next().unwrap_or(address);
        vec![LogicalLocation::builder().name(name).fully_qualified_name(address).kind("member").build()]
    });
    if !united(d).is_empty() {
        location.logical_locations = Some(united(d).iter().take(MAX_SUBJECTS).map(logical).collect());
    }
    location
}

fn related_location(label: &Label, id: i64, files: &Files) -> Location {
    let mut location = Location::builder().id(id).physical_location(place::physical(label, files)).build();
    location.message = texts(label);
    location
}

/// The words at a place, if there are any.
fn texts(label: &Label) -> Option<Message> {
    (!label.message.trim().is_empty()).then(|| Message::builder().text(label.message.trim()).build())
}

/// The steps of a chain; the finding's own place comes first unless it is that of the first step.
fn chain(d: &Diagnostic, files: &Files) -> CodeFlow {
    let place = |l: &Label| (l.file, l.start);
    let first = (d.related.first().map(place) != Some(place(&d.primary))).then_some(&d.primary);
    let step = |label: &Label| {
        let mut location = Location::builder().physical_location(place::physical(label, files)).build();
        location.message = texts(label);
        ThreadFlowLocation::builder().location(location).build()
    };
    let steps: Vec<ThreadFlowLocation> = first.into_iter().chain(&d.related).take(MAX_STEPS).map(step).collect();
    CodeFlow::builder().thread_flows(vec![ThreadFlow::builder().locations(steps).build()]).build()
}

fn fix(fix: &FileFix, files: &Files) -> Fix {
    let mut by_file: BTreeMap<FileId, Vec<Replacement>> = BTreeMap::new();
    for edit in &fix.edits {
        let region = place::exact(&files.get(edit.file), edit.start, edit.end);
        let text = ArtifactContent::builder().text(edit.text.as_str()).build();
        let replacement = Replacement::builder().deleted_region(region).inserted_content(text).build();
        by_file.entry(edit.file).or_default().push(replacement);
    }
    let change = |(file, replacements): (FileId, Vec<Replacement>)| {
        let artifact = place::artifact(&files.get(file).path);
        ArtifactChange::builder().artifact_location(artifact).replacements(replacements).build()
    };
    let changes: Vec<ArtifactChange> = by_file.into_iter().map(change).collect();
    let description = Message::builder().text(sentence(&without_links(&fix.title))).build();
    Fix::builder().description(description).artifact_changes(changes).build()
}

fn suppression(by: &Suppression) -> Suppressed {
    match by {
        Suppression::Comment(reason) => {
            let mut suppression = Suppressed::builder().kind(word(&SupressionKind::InSource)).build();
            suppression.justification = Some(reason.clone()).filter(|r| !r.is_empty());
            suppression
        }
        Suppression::Baseline => Suppressed::builder().kind(word(&SupressionKind::External)).build(),
    }
}
