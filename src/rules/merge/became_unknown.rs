//! `value-became-unknown`.

use super::walk::at;
use crate::diagnostic::{Diagnostic, Label, Level};
use crate::diff::{ChangeKind, Side};
use crate::rules::{Changes, rule};
use crate::text::Text;
use crate::value::{Data, FileId, Language, Origin, Value};
use std::collections::{BTreeMap, BTreeSet};

rule!(VALUE_BECAME_UNKNOWN, "value-became-unknown", Change, "0.1.0", "a value that was known is not known any more");

/// A span of a file and a path.
type Place = ((FileId, u32, u32), String);

/// A finding and the stacks that it reaches.
type Reached = (Diagnostic, BTreeSet<Text>);

/// Why a value cannot be computed from the files.
enum Veil {
    /// A function decides.
    Function(Text),
    /// A template read something that is not there.
    NoValue,
    /// A reason.
    Unknown(Option<Text>),
}

fn veil(value: &Value, language: &Language) -> Option<Veil> {
    match &value.data {
        Data::Unknown(unknown) => Some(Veil::Unknown(unknown.reasons.first().cloned())),
        Data::Str(text) if text.contains("<no value>") => Some(Veil::NoValue),
        // A tag that removes a key is not a value to wait for.
        Data::Str(_) => language
            .call(value)
            .filter(|c| &*c.function != language.vocabulary.unset)
            .map(|c| Veil::Function(c.function)),
        _ => None,
    }
}

/// Where the errors of a revision are: by file, the first byte of each in order, and the last byte of all up to it.
struct Mistakes(BTreeMap<FileId, Vec<(u32, u32)>>);

impl Mistakes {
    fn of(findings: &[Diagnostic]) -> Self {
        let mut all: BTreeMap<FileId, Vec<(u32, u32)>> = BTreeMap::new();
        for finding in findings.iter().filter(|finding| finding.rule.default_level() == Some(Level::Error)) {
            all.entry(finding.primary.file).or_default().push((finding.primary.start, finding.primary.end));
        }
        for spans in all.values_mut() {
            spans.sort_unstable();
            let mut last = 0;
            spans.iter_mut().for_each(|(_, end)| {
                last = last.max(*end);
                *end = last;
            });
        }
        Mistakes(all)
    }

    /// Whether there is one in what is written at a place: it says why the value is not known.
    fn touch(&self, origin: Origin) -> bool {
        let Some(spans) = self.0.get(&origin.file) else { return false };
        let before = spans.partition_point(|(start, _)| *start < origin.end);
        before.checked_sub(1).is_some_and(|last| spans[last].1 > origin.start)
    }
}

pub(super) fn check(changes: &Changes<'_>) -> Vec<Diagnostic> {
    let context = changes.context;
    let mistakes = Mistakes::of(&context.resolution.findings);
    let mut found: BTreeMap<Place, Reached> = BTreeMap::new();
    for changed in &changes.components {
        let (component, Some(language)) = (changed.change, changed.after.map(|c| c.language)) else { continue };
        for change in component.changes.iter().filter(|c| c.kind == ChangeKind::Changed) {
            let (Some(before), Some(after)) = (&change.before, &change.after) else { continue };
            if veil(before, &language).is_some() || change.path.starts_with("/overrides/") {
                continue;
            }
            let Some(veil) = veil(after, &language) else { continue };
            if matches!(veil, Veil::Unknown(_)) && after.prov.origin.is_some_and(|origin| mistakes.touch(origin)) {
                continue;
            }
            let path = dotted(&change.path);
            let primary = match (after.prov.origin, change.causes.iter().find(|c| c.side == Side::Head)) {
                (Some(origin), _) => at(context.files, origin, ""),
                (None, Some(cause)) => {
                    let span = context.files.get(cause.file).line_span(cause.line);
                    Label::new(cause.file, span.start, span.end, "")
                }
                (None, None) => continue,
            };
            let key = ((primary.file, primary.start, primary.end), path.clone());
            let (_, stacks) = found.entry(key).or_insert_with(|| (finding(&path, primary, &veil), BTreeSet::new()));
            stacks.insert(Text::clone(&component.stack));
        }
    }
    let with_stacks = |(mut finding, stacks): Reached| {
        finding.stacks = stacks.into_iter().collect();
        finding
    };
    found.into_values().map(with_stacks).collect()
}

fn finding(path: &str, primary: Label, veil: &Veil) -> Diagnostic {
    let message = match veil {
        Veil::Function(function) => format!("`{path}` was known, and is now the result of `{function}`"),
        Veil::NoValue => format!("`{path}` was known, and now contains `<no value>`"),
        Veil::Unknown(_) => format!("`{path}` was known before, and is not known any more"),
    };
    let finding = Diagnostic::new(&VALUE_BECAME_UNKNOWN, message, primary).token(path);
    match veil {
        Veil::Function(_) => finding.note("a review does not show later changes of the value"),
        Veil::NoValue => finding.help("set the value that the template reads, or add a `default`"),
        Veil::Unknown(Some(reason)) => finding.note(reason.to_string()),
        Veil::Unknown(None) => finding,
    }
}

/// A JSON Pointer as people write it.
fn dotted(pointer: &str) -> String {
    pointer.trim_start_matches('/').replace('/', ".").replace("~1", "/").replace("~0", "~")
}
