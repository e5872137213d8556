//! Changes of files: what proves that they have no effect, and how they are printed and written.

use crate::cli::open::{Invocation, State};
use crate::cli::{Failure, output};
use crate::diff::{ComponentChange, pointer};
use crate::refactor::Texts;
use crate::report::log::{Filter as LogFilter, OutputKind};
use crate::report::{Report, proof, unified};
use crate::resolution::Component;
use crate::review::{self, BaselineFile, Expectation, Filter, Overrides, Request, Review, Unkept, Verdict};
use crate::source::{FileChange, Overlay, Source, Without, replace_all};
use std::collections::BTreeMap;
use std::io::Write;
use std::sync::Arc;

/// What is to be changed.
pub(super) struct Plan {
    pub(super) texts: Texts,
    /// The file that gets another path; it is one of the texts.
    pub(super) moved: Option<Moved>,
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

/// The worktree with some files changed, and one of them at another path as well.
pub(super) fn edited(place: &Invocation, texts: &Texts, moved: Option<&Moved>) -> Result<Box<dyn Source>, Failure> {
    let bytes = |text: &String| -> Arc<[u8]> { Arc::from(text.as_bytes()) };
    let to = |path: &String| moved.filter(|moved| moved.from == *path).map_or(path, |moved| &moved.to).clone();
    let buffers: BTreeMap<String, Arc<[u8]>> = texts.iter().map(|(path, [_, new])| (to(path), bytes(new))).collect();
    Ok(Box::new(Overlay::new(place.open(&State::Worktree)?, &buffers)))
}

impl Plan {
    /// The edits of some files, which are to have no effect.
    pub(super) fn new(texts: Texts, what: String) -> Self {
        Plan { texts, moved: None, what, base: None, expectation: Expectation::Nothing }
    }

    /// The path of a file afterwards.
    fn path_of<'a>(&'a self, path: &'a str) -> &'a str {
        self.moved.as_ref().filter(|moved| moved.from == path).map_or(path, |moved| &moved.to)
    }

    /// The worktree, compared with what it becomes.
    fn compared(&self, place: &Invocation) -> Result<Review, Failure> {
        let before = place.open(&State::Worktree)?;
        let after = edited(place, &self.texts, self.moved.as_ref())?;
        let without = self.moved.as_ref().map(|moved| Without::new(&*after, &moved.from));
        let after = without.as_ref().map_or(&*after, |without| without);
        let expect = Some(self.expectation.clone());
        let overrides = Overrides { expect, baseline: BaselineFile::Nowhere, ..Overrides::default() };
        let request = Request { filter: Filter::default(), overrides: &overrides, affected: None };
        Ok(review::compare(&*before, after, &place.workspace(), &request)?)
    }

    /// Why it is not proved that everything stays as it is; `None` if it is.
    pub(super) fn refuted(&self, place: &Invocation) -> Result<Option<String>, Failure> {
        let review = self.compared(place)?;
        let report = Report::of(&review, None);
        let Some((comparison, found)) = report.comparison.and_then(|one| Some((one, one.proof?))) else {
            return Ok(Some("the change could not be compared".to_owned()));
        };
        output::eprint(&format!("stacklint: {}", proof::sentence(&comparison, found)));
        if found.verdict() != Verdict::Proved {
            let lines = proof::lines(&comparison, found, &review.files);
            let unkept = found.unkept.iter().filter_map(|one| differing(one, &comparison.diff.components));
            for line in lines.into_iter().chain(unkept.take(MAX_UNKEPT)) {
                output::eprint(&format!("stacklint: {line}"));
            }
            return Ok(Some("it is not proved that nothing differs; nothing was changed".to_owned()));
        }
        // Components that are never deployed refute nothing, but are printed.
        let differing = found.bases.iter().map(|index| &comparison.diff.components[*index]);
        let mut others = differing.filter(|one| self.base.as_deref() != Some(&*one.name));
        Ok(others.next().map(|one| format!("{} of {} would differ; nothing was changed", one.name, one.stack)))
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
