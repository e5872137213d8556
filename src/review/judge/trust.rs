//! A change cannot configure its own review: settings, baselines, limits and comments are taken from the base. Changes
//! of them in the head are a finding that nothing suppresses.

use super::Judged;
use crate::diagnostic::{Diagnostic, Finding, Label, Level, REVIEW_CHANGED};
use crate::files::Files;
use crate::policies::Policies;
use crate::settings::Load;
use crate::source::Source;
use crate::text::Text;
use crate::value::FileId;
use std::collections::{BTreeMap, HashMap};

/// The maximum number of findings that are named where they would be suppressed.
const MAX_NAMED: usize = 10;

/// From which side settings, baselines and comments are taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum SettingsFrom {
    /// From the base, as it was reviewed.
    #[default]
    Base,
    /// From the head: the change is trusted.
    Head,
}

/// The state of a file in a source, added to the table of files; the same state has the same id.
pub(in crate::review) fn file_in(source: &dyn Source, files: &Files, path: &str) -> Option<FileId> {
    let entry = source.listing().resolve(path).ok()?;
    let bytes = source.read(entry).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    Some(files.add(path, &entry.id.to_string(), || Text::from(&*text)))
}

/// Findings about the head's own review: `trusted` is the verdict under the settings of the base, `own` that under
/// those of the head, if these differ.
pub(in crate::review) fn findings(
    trusted: &Judged,
    own: Option<(&str, &Judged)>,
    sides: (&dyn Source, &dyn Source),
    loads: (Option<&Load>, &Load),
    files: &Files,
) -> Vec<Diagnostic> {
    let mut found = of_comments(trusted, files);
    found.extend(own.and_then(|(path, own)| of_settings(trusted, own, path, sides, loads, files)));
    found
}

/// The first file of settings or known findings that the head edits.
pub(in crate::review) fn edited(
    (base, head): (&dyn Source, &dyn Source),
    (before, after): (Option<&Load>, &Load),
) -> Option<String> {
    let of = |load: &Load| {
        let file = load.file.as_ref().map(|f| f.path.clone());
        let policies = load.settings.policies.files().iter().cloned();
        file.into_iter().chain(load.settings.baseline.value.clone()).chain(policies).collect::<Vec<_>>()
    };
    let id = |side: &dyn Source, path: &str| side.listing().resolve(path).ok().map(|entry| entry.id.to_string());
    [Some(after), before].into_iter().flatten().flat_map(of).find(|path| id(base, path) != id(head, path))
}

/// New comments with what they would hide.
fn of_comments(trusted: &Judged, files: &Files) -> Vec<Diagnostic> {
    let mut by_comment: BTreeMap<(FileId, u32, u32), Vec<&Finding>> = BTreeMap::new();
    for (comment, finding) in &trusted.pending {
        by_comment.entry((comment.file, comment.start, comment.end)).or_default().push(finding);
    }
    let one = |((file, start, end), hidden): ((FileId, u32, u32), Vec<&Finding>)| {
        let message = format!("this new comment would suppress {}", counted(&hidden));
        let finding = Diagnostic::new(&REVIEW_CHANGED, message, Label::new(file, start, end, ""));
        named(finding, &hidden, files)
    };
    by_comment.into_iter().map(one).collect()
}

/// The settings of the head, with what they would suppress.
fn of_settings(
    trusted: &Judged,
    own: &Judged,
    path: &str,
    (base, head): (&dyn Source, &dyn Source),
    (before, after): (Option<&Load>, &Load),
    files: &Files,
) -> Option<Diagnostic> {
    // A removed file is shown as it was.
    let file = file_in(head, files, path).or_else(|| file_in(base, files, path))?;
    let levels: HashMap<&str, Level> = own.findings.iter().map(|f| (&*f.fingerprint, f.level)).collect();
    let is_weaker = |f: &&Finding| f.counts() && levels.get(&*f.fingerprint).is_none_or(|level| *level < f.level);
    let hidden: Vec<&Finding> = trusted.findings.iter().filter(is_weaker).collect();
    let message = match hidden.is_empty() {
        true => format!("this change edits {path}, which decides what is reported"),
        false => format!("this change would suppress {} through {path}", counted(&hidden)),
    };
    let mut finding = named(Diagnostic::new(&REVIEW_CHANGED, message, Label::new(file, 0, 0, "")), &hidden, files);
    let fail_on = |load: Option<&Load>| load.map_or("error", |load| load.settings.fail_on.value.name());
    if fail_on(before) != fail_on(Some(after)) {
        let note = format!("it sets `fail-on` to `{}` instead of `{}`", fail_on(Some(after)), fail_on(before));
        finding.notes.push(note);
    }
    let (old, new) = (selected(before), selected(Some(after)));
    if old != new {
        finding.notes.push(format!("it selects {new} for analysis instead of {old}"));
    }
    let nothing = Policies::default();
    let policies = before.map_or(&nothing, |load| &load.settings.policies);
    finding.notes.extend(policies.differences(&after.settings.policies));
    Some(finding)
}

/// The projects that settings select, in words.
fn selected(load: Option<&Load>) -> String {
    let patterns = load.map_or(&[][..], |load| &load.settings.projects.value);
    match patterns {
        [] => "all projects".to_owned(),
        patterns => {
            let patterns: Vec<String> = patterns.iter().map(|p| format!("`{}`", p.as_str())).collect();
            format!("the projects {}", patterns.join(", "))
        }
    }
}

/// Lists the findings that would be hidden, and says when the change takes effect.
fn named(mut finding: Diagnostic, hidden: &[&Finding], files: &Files) -> Diagnostic {
    for hidden in hidden.iter().take(MAX_NAMED) {
        let at = &hidden.diagnostic.primary;
        let file = files.get(at.file);
        finding.notes.push(format!(
            "{}[{}] {}:{}: {}",
            hidden.level.name(),
            hidden.diagnostic.rule.id(),
            file.path,
            file.line(at.start),
            hidden.diagnostic.message
        ));
    }
    if hidden.len() > MAX_NAMED {
        finding.notes.push(format!("and {} more", hidden.len() - MAX_NAMED));
    }
    finding.help("it applies from the next commit on; `--settings-from head` applies it now").token("")
}

/// `2 errors and 1 warning`.
fn counted(findings: &[&Finding]) -> String {
    let count = |level: Level| findings.iter().filter(|f| f.level == level).count();
    let part = |level: Level| {
        let n = count(level);
        (n > 0).then(|| format!("{n} {}{}", level.name(), if n == 1 { "" } else { "s" }))
    };
    let parts: Vec<String> = Level::ALL.into_iter().filter_map(part).collect();
    match parts.as_slice() {
        [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        parts => parts.concat(),
    }
}
