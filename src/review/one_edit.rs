//! The check of a state that differs from an earlier one in the value of one variable, without resolving all of it.
//!
//! Everything that was found in the earlier state is found again, moved to its new place, if all of this holds:
//!
//! - Of the files that the earlier check read, one differs, and in it one scalar ([`ScalarEdit`]).
//! - No other unit defines a stack of the units that read this file, nor does validation give them one name: their values would be
//!   compared.
//! - The units that read this file are made from what they were by replacing that value ([`Unit::is_substituted`]): nothing reads
//!   it while components are made. So they look the same to all other units, and nothing else of them differs.
//! - Rules find the same in these units alone, before and now.
//!
//! Rules that compare a value with others, in all units that have it, either report what is true in one of them or what is true in
//! all of them. If the answer of the edited units could change what is found in the whole, it changes what is found in these
//! units alone. Where one of the conditions does not hold, the state is checked as if nothing was known.

use super::check_cache::{CheckCache, Checked, EarlierState, EditedFile, Found, Key};
use super::coverage;
use super::session::is_same_to_others;
use super::{Workspace, phase};
use crate::diagnostic::{Diagnostic, may_have_comments};
use crate::dialects::{Part, Scope};
use crate::files::Files;
use crate::resolution::{Resolution, State, Unit};
use crate::rules;
use crate::source::{BlobId, Earlier, Source, Verified};
use crate::syntax::Syntax;
use crate::syntax::scalar_edit::ScalarEdit;
use crate::terraform::{self, Modules};
use crate::text::Text;
use crate::value::FileId;
use std::sync::Arc;

/// A state that may differ from an earlier one in one value, and what it is checked with.
#[derive(Clone, Copy)]
pub(super) struct OneEdit<'a> {
    pub(super) workspace: &'a Workspace<'a>,
    pub(super) checked: Checked<'a>,
    pub(super) code: &'a terraform::Cache,
}

/// An edit of one scalar of a file.
struct Edit {
    path: Text,
    scalar: ScalarEdit,
    /// The file before and now.
    versions: [Version; 2],
}

/// A version of a file.
struct Version {
    id: BlobId,
    text: Text,
}

impl OneEdit<'_> {
    /// Returns what a check of the state finds, with the earlier state that tells; `None` if none does.
    pub(super) fn find(&self, cache: &CheckCache, key: &Key) -> Option<(Found, EarlierState)> {
        // A policy may ask anything of the value.
        if self.checked.settings.policies.rules().next().is_some() {
            return None;
        }
        let Checked { source, .. } = self.checked;
        let states = phase(self.workspace.host, "cache", || cache.with_one_edit(key, source.listing()));
        // What one state cannot tell, others can hardly tell either.
        let (state, earlier) = states.into_iter().find_map(|state| {
            let edited = state.edited(source.listing()).filter(is_read_by_few)?;
            let earlier = Earlier::new(source, edited.path, edited.before)?;
            Some((state, earlier))
        })?;
        Some((self.find_from(cache, &state, &Verified::new(&earlier))?, state))
    }

    fn find_from(&self, cache: &CheckCache, state: &EarlierState, earlier: &Verified<'_>) -> Option<Found> {
        let Checked { source, files, settings } = self.checked;
        let edit = Edit::between(earlier, source, state.edited(source.listing())?.path)?;
        if !self.is_same_in_reached(earlier, &edit) {
            return None;
        }
        let of_earlier = Checked { source: earlier, files, settings };
        let found = phase(self.workspace.host, "cache", || cache.read(state, of_earlier));
        let mut found = found.filter(|_| earlier.is_as_listed())?;
        let [before, now] = edit.ids(files);
        edit.relocate(&mut found.side.diagnostics, files)?;
        if found.side.files.remove(&before) {
            found.side.files.insert(now);
        }
        Some(found)
    }

    /// Whether the edit reaches units, nothing but the value differs in them, and the same is found there before and now.
    fn is_same_in_reached(&self, earlier: &dyn Source, edit: &Edit) -> bool {
        let Checked { source, settings, .. } = self.checked;
        let (dialects, files) = (self.workspace.dialects(settings), Files::default());
        let Ok(projects) = self.workspace.find(&dialects, &[source], settings) else { return false };
        let [_, edited] = edit.ids(&files);
        let mut is_reached = false;
        let mut is_same = |part: &Part<'_>| {
            let sources: [&dyn Source; 2] = [earlier, source];
            let inputs = part.dialect().vocabulary().inputs;
            if !part.dialect().substitutes() || !edit.is_below(inputs) || self.workspace.project.cancel.is_canceled() {
                return false;
            }
            let [before, now] = sources.map(|source| self.resolve(part, source, &files, edit));
            is_reached |= !now.units.is_empty();
            let coverage = |of| coverage::of(part.dialect().name(), part.folder(), None, of, &files);
            if now.config.contains(&edited)
                || !are_substituted(&before.units, &now.units)
                || coverage(&before) != coverage(&now)
            {
                return false;
            }
            let [mut before, now] =
                [(before, sources[0]), (now, sources[1])].map(|(state, source)| self.examine(state, source, &files));
            edit.relocate(&mut before, &files).is_some() && before == now && !now.iter().any(Diagnostic::is_defect)
        };
        projects.parts().iter().all(&mut is_same) && is_reached
    }

    /// Resolves the units of a project that an edit reaches, as if there were no others.
    fn resolve(&self, part: &Part<'_>, source: &dyn Source, files: &Files, edit: &Edit) -> Resolution {
        let changes = [Earlier::change(&edit.path)];
        let resolve = || part.resolve(source, files, Scope::Touched(&changes));
        let mut resolution = phase(self.workspace.host, "resolve", resolve).unwrap_or_default();
        resolution.units.retain(|unit| unit.state != State::OutOfScope);
        resolution
    }

    /// Returns the findings in a resolution.
    fn examine(&self, resolution: Resolution, source: &dyn Source, files: &Files) -> Vec<Diagnostic> {
        let OneEdit { workspace, checked: Checked { settings, .. }, code } = *self;
        let withheld = rules::Withheld::default();
        let context = rules::Context::new(files, &resolution, &|_| true, &settings.limits, &withheld);
        let modules = Modules::new(source, files, code);
        let found = phase(workspace.host, "rules", || rules::check_state(&context, &modules, &settings.enabled()));
        resolution.findings.into_iter().chain(found).collect()
    }
}

/// Whether so few units read a file that resolving them twice costs less than resolving all.
fn is_read_by_few(edited: &EditedFile<'_>) -> bool {
    edited.units.is_some_and(|units| units > 0 && units <= edited.all_units / 4)
}

/// Whether the units of a state are made from those before, and look the same to others.
fn are_substituted(before: &[Arc<Unit>], now: &[Arc<Unit>]) -> bool {
    let is_same = |(before, now): (&Arc<Unit>, &Arc<Unit>)| now.is_substituted && is_same_to_others(before, now);
    before.len() == now.len() && before.iter().zip(now).all(is_same)
}

impl Edit {
    /// The edit of a file between two states; `None` if it is not one of a scalar, or changes which comments there are.
    fn between(before: &dyn Source, now: &dyn Source, path: &str) -> Option<Edit> {
        let version = |source: &dyn Source| -> Option<Version> {
            let entry = source.listing().get(path)?;
            let text = Text::from(std::str::from_utf8(&source.read(entry).ok()?).ok()?);
            Some(Version { id: entry.id, text })
        };
        let versions = [version(before)?, version(now)?];
        let [old, new] = [&versions[0].text, &versions[1].text];
        let scalar = ScalarEdit::between(old, new)?;
        let has_same_comments = may_have_comments(old) == may_have_comments(new);
        has_same_comments.then(|| Edit { path: path.into(), scalar, versions })
    }

    /// Whether the scalar is below a key with this name.
    fn is_below(&self, key: &str) -> bool {
        let text = Syntax::read(&self.path, &self.versions[0].text);
        text.path_at(self.scalar.start()).split('.').any(|part| part == key)
    }

    /// The two versions of the file in a table of files.
    fn ids(&self, files: &Files) -> [FileId; 2] {
        let id = |version: &Version| files.add(&self.path, &version.id.to_string(), || Text::clone(&version.text));
        [id(&self.versions[0]), id(&self.versions[1])]
    }

    /// Moves the places of findings from the file before the edit to the file now; `None` if one is inside of the scalar, or in
    /// another text of the file.
    fn relocate(&self, findings: &mut [Diagnostic], files: &Files) -> Option<()> {
        let [before, now] = self.ids(files);
        for (file, start, end) in findings.iter_mut().flat_map(Diagnostic::places_mut) {
            if *file == before {
                *file = now;
                *start = self.scalar.new_offset(*start)?;
                *end = self.scalar.new_offset(*end)?;
            } else if files.get(*file).path == self.path {
                return None;
            }
        }
        Some(())
    }
}
