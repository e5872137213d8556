//! Changes of files: what proves that they have no effect, and how they are printed and written.

use super::working::WorkingState;
use crate::cli::open::Invocation;
use crate::cli::{Failure, output};
use crate::diff::structural;
use crate::diff::{ComponentChange, Status, mask, pointer};
use crate::refactor::Texts;
use crate::report::log::{Filter as LogFilter, OutputKind};
use crate::report::text::value;
use crate::report::{RenderOptions, Report, proof, unified};
use crate::resolution::Component;
use crate::review::{self, BaselineFile, Expectation, Filter, Overrides, Renaming, Request, Review, Unkept, Verdict};
use crate::source::{FileChange, Without, replace_all};
use crate::value::Value;
use std::collections::BTreeSet;
use std::io::Write;

/// What is to be changed.
pub(in crate::cli) struct Plan {
    pub(in crate::cli) texts: Texts,
    /// The files that get other paths; they are among the texts.
    pub(super) moved: Vec<Moved>,
    /// What that does, as a clause.
    pub(super) what: String,
    /// The component that may differ where it is only there to be inherited from.
    pub(super) base: Option<String>,
    /// What is to be proved.
    pub(super) expectation: Expectation,
}

/// A file that gets another path.
pub(super) struct Moved {
    pub(super) from: String,
    pub(super) to: String,
}

/// The maximum number of components that are named.
const MAX_UNKEPT: usize = 5;

/// What would differ in a component under its new name, as a sentence.
fn differing(unkept: &Unkept, components: &[ComponentChange]) -> Option<String> {
    let (before, after) = (components[unkept.from].before.as_ref()?, components[unkept.to].after.as_ref()?);
    let of = format!("{} in {}", before.name, before.stack);
    if let Some(path) = &unkept.path {
        return Some(format!("{} of {of} would differ", pointer::keys(path).collect::<Vec<_>>().join(".")));
    }
    let workspace = |one: &Component| one.metadata.workspace.as_deref().unwrap_or("(not known)").to_owned();
    let [old, new] = [workspace(before), workspace(after)];
    let place = match old == new {
        true => "its backend says another place".to_owned(),
        false => format!("workspace {old} → {new}"),
    };
    Some(format!("the state of {of} would be searched elsewhere: {place}"))
}

/// Where the state has to move to, a sentence for each setting that says it.
fn states(renaming: &Renaming, components: &[ComponentChange]) -> Vec<String> {
    let of = |status: Status| {
        let mut all = components.iter().filter(|change| change.status == status && change.made_by().is_none());
        all.find(|change| renaming.is_about(change) && !renaming.is_stack_of_folder(&change.stack))
    };
    let before = of(Status::Removed).and_then(|change| change.before.as_deref());
    let after = of(Status::Added).and_then(|change| change.after.as_deref());
    let (Some(before), Some(after)) = (before, after) else { return Vec::new() };
    let calls = [&*before.metadata.calls, &*after.metadata.calls];
    let steps = structural::compare(&before.value, &after.value, &after.language, calls);
    let options = RenderOptions::default();
    let shown = |side: Option<&Value>, path: &str| {
        side.map_or_else(|| "–".to_owned(), |side| value::inline(side, mask::is_secret_pointer(path), &options))
    };
    let moves = steps.iter().filter(|step| renaming.is_state(&step.path, after)).map(|step| {
        let path = pointer::keys(&step.path).collect::<Vec<_>>().join(".");
        let [old, new] = [step.before, step.after].map(|side| shown(side, &step.path));
        format!("the state of {} in {} has to move: {path} {old} → {new}", before.name, before.stack)
    });
    moves.collect()
}

/// Whether it is proved that everything stays as it is.
pub(in crate::cli) struct Judged {
    /// What was found, a line each: the verdict first.
    pub(in crate::cli) lines: Vec<String>,
    /// Why nothing is changed; `None` if it is proved.
    pub(in crate::cli) refused: Option<String>,
}

impl Plan {
    /// The edits of some files, which are to have no effect.
    pub(super) fn new(texts: Texts, what: String) -> Self {
        Plan { texts, moved: Vec::new(), what, base: None, expectation: Expectation::Nothing }
    }

    /// The path of a file afterwards.
    fn path_of<'a>(&'a self, path: &'a str) -> &'a str {
        self.moved.iter().find(|moved| moved.from == path).map_or(path, |moved| &moved.to)
    }

    /// The state, compared with what it becomes.
    fn compared(&self, state: &WorkingState<'_>) -> Result<Review, Failure> {
        let before = state.open()?;
        let after = state.edited(&self.texts, &self.moved)?;
        let gone: BTreeSet<&str> = self.moved.iter().map(|moved| &*moved.from).collect();
        let without = (!gone.is_empty()).then(|| Without::all(&*after, &gone));
        let after = without.as_ref().map_or(&*after, |without| without);
        let expect = Some(self.expectation.clone());
        let overrides = Overrides { expect, baseline: BaselineFile::Nowhere, ..Overrides::default() };
        let request = Request { filter: Filter::default(), overrides: &overrides, affected: None };
        Ok(review::compare(&*before, after, &state.workspace, &request)?)
    }

    /// Resolves everything before and after.
    pub(in crate::cli) fn judged(&self, state: &WorkingState<'_>) -> Result<Judged, Failure> {
        let review = self.compared(state)?;
        let report = Report::of(&review, None);
        let Some((comparison, found)) = report.comparison.and_then(|one| Some((one, one.proof?))) else {
            let refused = Some("the change could not be compared".to_owned());
            return Ok(Judged { lines: Vec::new(), refused });
        };
        let mut lines = vec![proof::sentence(&comparison, found)];
        if found.verdict() != Verdict::Proved {
            lines.extend(proof::lines(&comparison, found, &review.files));
            let unkept = found.unkept.iter().filter_map(|one| differing(one, &comparison.diff.components));
            lines.extend(unkept.take(MAX_UNKEPT));
            let refused = Some("it is not proved that nothing differs; nothing was changed".to_owned());
            return Ok(Judged { lines, refused });
        }
        if let Expectation::Renamed(renaming) = &self.expectation {
            lines.extend(states(renaming, &comparison.diff.components));
        }
        // Components that are never deployed refute nothing, but are printed.
        let differing = found.bases.iter().map(|index| &comparison.diff.components[*index]);
        let mut others = differing.filter(|one| self.base.as_deref() != Some(&*one.name));
        let differs =
            |one: &ComponentChange| format!("{} of {} would differ; nothing was changed", one.name, one.stack);
        Ok(Judged { lines, refused: others.next().map(differs) })
    }

    /// Changes the files, unless one of them is another one by now.
    pub(super) fn write(&self, place: &Invocation) -> Result<(), Failure> {
        let changes: Vec<FileChange<'_>> = self
            .texts
            .iter()
            .map(|(path, [old, new])| FileChange {
                path,
                to: self.path_of(path),
                old: old.as_bytes(),
                new: new.as_bytes(),
            })
            .collect();
        Ok(replace_all(place.root(), &changes)?)
    }

    pub(super) fn print(&self, shows_secrets: bool) -> Result<(), Failure> {
        let patches = self.texts.iter().map(|(path, [old, new])| unified::patch([path, self.path_of(path)], old, new));
        let patch: String = patches.collect();
        // What a patch may have in it, though it is not passed on in text.
        let plain = patch.replace("\r\n", "\n").replace('\t', " ");
        let is_changed = |shows_secrets: bool| -> std::io::Result<bool> {
            let mut shown = Vec::new();
            let mut filter = LogFilter::new(&mut shown, OutputKind::Text).showing_secrets(shows_secrets);
            filter.write_all(plain.as_bytes())?;
            filter.flush()?;
            drop(filter);
            Ok(shown != plain.as_bytes())
        };
        let why = match (is_changed(true)?, is_changed(shows_secrets)?) {
            (true, _) => "the files have text that a terminal or a CI system would act on: change them with --write",
            (_, true) => {
                "the patch would show a secret: print it with --show-secrets, or change the files with --write"
            }
            (false, false) => "",
        };
        if !why.is_empty() {
            return Err(Failure::Message(why.to_owned()));
        }
        let mut out = output::stdout_of(OutputKind::Raw);
        out.write_all(patch.as_bytes())?;
        Ok(out.flush()?)
    }
}
