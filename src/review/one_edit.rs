//! The check of a state that differs from an earlier one in the value of one variable, without resolving all of it.
//!
//! Everything that was found in the earlier state is found again, moved to its new place, if all of this holds:
//!
//! - Of the files that the earlier check read, one differs, and in it one scalar ([`ScalarEdit`]).
//! - The units that read this file are made from what they were by replacing that value ([`Unit::is_substituted`]): nothing reads
//!   it while components are made. So they look the same to all other units, and nothing else of them differs.
//! - Rules find the same in these units alone, before and now.
//!
//! Rules that compare a value with others, in all units that have it, either report what is true in one of them or what is true in
//! all of them. If the answer of the edited units could change what is found in the whole, it changes what is found in these
//! units alone. Where one of the conditions does not hold, the state is checked as if nothing was known.

use super::check_cache::{CheckCache, Checked, EarlierState, EditedFile, Found, Key};
use super::coverage::{self, ProjectCoverage};
use super::session::is_same_to_others;
use super::{Workspace, phase};
use crate::diagnostic::{Diagnostic, may_have_comments};
use crate::dialects::{Part, Scope};
use crate::files::Files;
use crate::resolution::{Resolution, State, Unit};
use crate::rules;
use crate::settings::Settings;
use crate::source::{Change, Earlier, Source, Verified};
use crate::terraform::{self, Modules};
use crate::text::Text;
use crate::value::FileId;
use crate::yaml::{ScalarEdit, document_of};
use std::sync::Arc;

/// A state that may differ from an earlier one in one value, and what it is checked with.
#[derive(Clone, Copy)]
pub(super) struct OneEdit<'a> {
    pub(super) workspace: &'a Workspace<'a>,
    pub(super) settings: &'a Settings,
    pub(super) files: &'a Files,
    pub(super) code: &'a terraform::Cache,
    pub(super) source: &'a Verified<'a>,
}

/// A file before and after an edit of one scalar.
struct Edit {
    path: Text,
    before: FileId,
    now: FileId,
    scalar: ScalarEdit,
}

/// What is found in the units that an edit reaches, if there were no others.
struct Reached {
    units: Vec<Arc<Unit>>,
    findings: Vec<Diagnostic>,
    coverage: ProjectCoverage,
}

impl OneEdit<'_> {
    /// Returns what a check of the state finds, with the earlier state that tells; `None` if none does.
    pub(super) fn find(&self, cache: &CheckCache, key: &Key) -> Option<(Found, EarlierState)> {
        // A policy may ask anything of the value.
        if self.settings.policies.rules().next().is_some() {
            return None;
        }
        let states = phase(self.workspace.host, "cache", || cache.with_one_edit(key, self.source.listing()));
        states.into_iter().find_map(|state| Some((self.find_from(cache, &state)?, state)))
    }

    fn find_from(&self, cache: &CheckCache, state: &EarlierState) -> Option<Found> {
        let edited = state.edited(self.source.listing()).filter(is_read_by_few)?;
        let earlier = Earlier::new(self.source, edited.path, edited.before)?;
        let earlier = Verified::new(&earlier);
        let edit = self.edit(&earlier, &edited)?;
        if !self.is_same_in_reached(&earlier, &edit) {
            return None;
        }
        let of_earlier = Checked { source: &earlier, files: self.files, settings: self.settings };
        let found = phase(self.workspace.host, "cache", || cache.read(state, of_earlier));
        let mut found = found.filter(|_| earlier.is_as_listed())?;
        found.side.diagnostics.iter_mut().try_for_each(|finding| edit.relocate(finding, self.files))?;
        found.side.files =
            found.side.files.into_iter().map(|file| if file == edit.before { edit.now } else { file }).collect();
        Some(found)
    }

    /// The edit of a file, if it is one of a scalar.
    fn edit(&self, earlier: &dyn Source, edited: &EditedFile<'_>) -> Option<Edit> {
        let text = |source: &dyn Source| -> Option<(Text, FileId)> {
            let entry = source.listing().get(edited.path)?;
            let text = Text::from(std::str::from_utf8(&source.read(entry).ok()?).ok()?);
            let id = self.files.add(edited.path, &entry.id.to_string(), || Text::clone(&text));
            Some((text, id))
        };
        let ((old, before), (new, now)) = (text(earlier)?, text(self.source)?);
        let [a, b] = [&old, &new].map(|text| document_of(Text::clone(text)).ok());
        let scalar = ScalarEdit::between(&a?, &b?)?;
        let is_same = may_have_comments(&old) == may_have_comments(&new);
        is_same.then(|| Edit { path: edited.path.into(), before, now, scalar })
    }

    /// Whether the edit reaches units, nothing but the value differs in them, and the same is found there before and now.
    fn is_same_in_reached(&self, earlier: &dyn Source, edit: &Edit) -> bool {
        let dialects = self.workspace.dialects(self.settings);
        let Ok(projects) = self.workspace.find(&dialects, &[self.source], self.settings) else { return false };
        let changes = [Earlier::change(&edit.path)];
        let mut is_reached = false;
        let mut is_same = |part: &Part<'_>| {
            let (Some(before), Some(now)) =
                (self.reached(part, earlier, &changes, edit), self.reached(part, self.source, &changes, edit))
            else {
                return false;
            };
            is_reached |= !now.units.is_empty();
            before.coverage == now.coverage
                && are_substituted(&before.units, &now.units)
                && self.are_same_findings(before.findings, &now.findings, edit)
        };
        projects.parts().iter().all(&mut is_same) && is_reached
    }

    /// Whether findings are the same but for the places that the edit moves.
    fn are_same_findings(&self, mut before: Vec<Diagnostic>, now: &[Diagnostic], edit: &Edit) -> bool {
        let is_moved = before.iter_mut().all(|finding| edit.relocate(finding, self.files).is_some());
        is_moved && before == now && !now.iter().any(Diagnostic::is_defect)
    }

    /// Resolves and examines the units of a project that an edit reaches; `None` if it is one of a file of the configuration, or
    /// the review is canceled.
    fn reached(&self, part: &Part<'_>, source: &dyn Source, changes: &[Change], edit: &Edit) -> Option<Reached> {
        let OneEdit { workspace, settings, files, code, .. } = *self;
        let resolve = || part.resolve(source, files, Scope::Touched(changes));
        let mut resolution: Resolution = phase(workspace.host, "resolve", resolve).unwrap_or_default();
        if resolution.config.iter().any(|file| [edit.before, edit.now].contains(file)) {
            return None;
        }
        let withheld = rules::Withheld::default();
        let context = rules::Context::new(files, &resolution, &|_| true, &settings.limits, &withheld);
        let modules = Modules::new(source, files, code);
        let found = phase(workspace.host, "rules", || rules::check_state(&context, &modules, &settings.enabled()));
        let coverage = coverage::of(part.dialect().name(), part.folder(), None, &resolution, files);
        resolution.units.retain(|unit| unit.state != State::OutOfScope);
        let findings = std::mem::take(&mut resolution.findings).into_iter().chain(found).collect();
        let is_canceled = workspace.project.cancel.is_canceled();
        (!is_canceled).then_some(Reached { units: resolution.units, findings, coverage })
    }
}

/// Whether so few units read a file that resolving them twice costs much less than resolving all.
fn is_read_by_few(edited: &EditedFile<'_>) -> bool {
    const FEW: usize = 2;
    let (reading, all) = edited.units;
    reading > 0 && reading <= FEW.max(all / 8)
}

/// Whether units are made from those before, and look the same to others.
fn are_substituted(before: &[Arc<Unit>], now: &[Arc<Unit>]) -> bool {
    before.len() == now.len()
        && before.iter().zip(now).all(|(before, now)| now.is_substituted && is_same_to_others(before, now))
}

impl Edit {
    /// Moves the places of a finding from the file before the edit to the file now; `None` if one is inside of the scalar, or in
    /// another text of the file.
    fn relocate(&self, finding: &mut Diagnostic, files: &Files) -> Option<()> {
        for (file, start, end) in finding.places_mut() {
            if *file == self.before {
                *file = self.now;
                *start = self.scalar.new_offset(*start)?;
                *end = self.scalar.new_offset(*end)?;
            } else if files.get(*file).path == self.path {
                return None;
            }
        }
        Some(())
    }
}
