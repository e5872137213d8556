//! What a refactoring changes, before that is proved to have no effect.

use super::plan::{Moved, Plan};
use super::working::WorkingState;
use crate::cli::Failure;
use crate::diagnostic::Edit;
use crate::dialects::Scope;
use crate::files::Files;
use crate::paths;
use crate::refactor::{self, Named, Refactoring, Texts, rename};
use crate::resolution::Resolution;
use crate::review::{self, BaselineFile, Expectation, Filter, Overrides, Renaming, Request, Review, Subject};
use crate::rules::{self, Group};
use crate::source::{EntryKind, Listing, ResolveError};
use crate::text::count;
use crate::value::FileId;
use std::collections::BTreeSet;
use std::sync::Arc;

/// What is removed may make something else redundant; more rounds than this are not made.
const MAX_ROUNDS: usize = 10;
/// The maximum number of places that are named.
const MAX_PLACES: usize = 5;

/// What is to be changed, or why that cannot be done.
pub(super) type Planned = Result<Plan, String>;

/// Edits and what they do, or why there are none.
type Edits = Result<(Vec<Edit>, String), String>;

/// Edits, the map under which both states are the same, and what they do; or why there are none.
type Renamed = Result<(Vec<Edit>, Renaming, String), String>;

/// Makes the changes of a refactoring.
pub(super) fn plan(what: &Refactoring, state: &WorkingState<'_>) -> Result<Planned, Failure> {
    match what {
        Refactoring::Hoist(hoist) => {
            let planned = resolved(state, &mut |resolution, files| refactor::hoist(hoist, resolution, files))?;
            Ok(planned.map(|plan| Plan { base: hoist.base.clone(), ..plan }))
        }
        Refactoring::Inline { path, from } => {
            resolved(state, &mut |resolution, files| refactor::inline(path, from.as_deref(), resolution, files))
        }
        Refactoring::Prune { paths } => prune(paths, state),
        Refactoring::Rename { what, old, new } => match what {
            Named::Component { moves_state } => component([old, new], *moves_state, state),
            Named::Stack => renaming(state, &|resolution, files| rename::stack([old, new], resolution, files)),
            Named::File => file([old, new], state),
            Named::Local(path) => {
                resolved(state, &mut |resolution, files| rename::local([old, new], path.as_deref(), resolution, files))
            }
        },
    }
}

/// Makes edits of the state as it is.
fn resolved(state: &WorkingState<'_>, make: &mut dyn FnMut(&Resolution, &Files) -> Edits) -> Result<Planned, Failure> {
    let source = state.open()?;
    let settings = state.place.settings(&*source)?;
    let found = review::resolve(&*source, &state.workspace, &settings, Files::default(), Scope::All)?;
    let planned = make(&found.resolution, &found.files)
        .and_then(|(edits, what)| Ok(Plan::new(refactor::applied(edits, &found.files)?, what)));
    Ok(planned)
}

/// Makes edits after which everything is the same but for a name.
fn renaming(state: &WorkingState<'_>, make: &dyn Fn(&Resolution, &Files) -> Renamed) -> Result<Planned, Failure> {
    let mut expectation = Expectation::Nothing;
    let planned = resolved(state, &mut |resolution, files| {
        let (edits, renaming, what) = make(resolution, files)?;
        expectation = Expectation::Renamed(Arc::new(renaming));
        Ok((edits, what))
    })?;
    Ok(planned.map(|plan| Plan { expectation, ..plan }))
}

/// Renames a component, with its folder if it is one.
fn component(names: [&String; 2], moves_state: bool, state: &WorkingState<'_>) -> Result<Planned, Failure> {
    let planned = renaming(state, &|resolution, files| match rename::folder(names, moves_state, resolution, files) {
        Some(renamed) => renamed,
        None if moves_state => Err("--move-state is for components that are folders".to_owned()),
        None => rename::component(names.map(String::as_str), resolution, files),
    })?;
    let Ok(mut plan) = planned else { return Ok(planned) };
    let Expectation::Renamed(renaming) = &plan.expectation else { return Ok(Ok(plan)) };
    if !matches!(renaming.subject, Subject::Folder(_)) {
        return Ok(Ok(plan));
    }
    let (from, to) = (renaming.old.to_string(), renaming.new.to_string());
    let source = state.open()?;
    if let Err(why) = is_free(source.listing(), &to) {
        return Ok(Err(why));
    }
    for entry in source.listing().iter() {
        let Some(rest) = paths::relative(&entry.path, &from) else { continue };
        if let Err(why) = is_free(source.listing(), &paths::join(&to, rest)) {
            return Ok(Err(why));
        }
        let text = match entry.kind {
            EntryKind::File | EntryKind::Executable => String::from_utf8(source.read(entry)?.to_vec()).ok(),
            _ => None,
        };
        let Some(text) = text else { return Ok(Err(format!("{} is no text file and cannot be moved", entry.path))) };
        plan.texts.entry(entry.path.to_string()).or_insert_with(|| [text.clone(), text]);
        plan.moved.push(Moved { from: entry.path.to_string(), to: paths::join(&to, rest) });
    }
    Ok(Ok(plan))
}

/// Whether something can be moved to a path.
///
/// # Errors
/// Why it cannot: it is there already, or a commit would not have it.
fn is_free(listing: &Listing, path: &str) -> Result<(), String> {
    match listing.resolve(path) {
        Ok(_) => Err(format!("{path} exists already")),
        Err(ResolveError::Unavailable(why)) => Err(format!("{path} cannot be its path: {why}")),
        Err(_) if listing.is_dir(path) => Err(format!("{path} exists already")),
        Err(_) => Ok(()),
    }
}

/// Moves a file.
fn file([from, to]: [&String; 2], state: &WorkingState<'_>) -> Result<Planned, Failure> {
    let source = state.open()?;
    let entry = match source.listing().resolve(from) {
        Ok(entry) if *entry.path == **from => entry,
        _ => return Ok(Err(format!("{from} is no file"))),
    };
    if let Err(why) = is_free(source.listing(), to) {
        return Ok(Err(why));
    }
    let Ok(text) = String::from_utf8(source.read(entry)?.to_vec()) else {
        return Ok(Err(format!("{from} is not valid UTF-8")));
    };
    let planned = resolved(state, &mut |resolution, files| rename::file([from, to], resolution, files))?;
    Ok(planned.map(|mut plan| {
        plan.texts.entry(from.clone()).or_insert_with(|| [text.clone(), text]);
        let moved = vec![Moved { from: from.clone(), to: to.clone() }];
        Plan { moved, expectation: Expectation::Moves, ..plan }
    }))
}

/// Removes redundant values from some files.
fn prune(paths: &[String], state: &WorkingState<'_>) -> Result<Planned, Failure> {
    let is_meant = |path: &str| {
        let within = |folder: &String| path.strip_prefix(&**folder).is_some_and(|rest| rest.starts_with('/'));
        paths.is_empty() || paths.iter().any(|one| one.is_empty() || one == path || within(one))
    };
    let mut texts = Texts::new();
    let (mut entries, mut kept) = (0, Vec::new());
    for _ in 0..MAX_ROUNDS {
        let review = redundant(state, &texts)?;
        let places = review.findings.iter().filter(|finding| rules::is_redundant(&finding.diagnostic.rule));
        let places = places.map(|finding| &finding.diagnostic.primary);
        let places = places.filter(|label| is_meant(&review.files.get(label.file).path));
        let mut keys: BTreeSet<_> = places.map(|label| (label.file, label.start)).collect();
        let (mut edits, mut count) = (Vec::new(), 0);
        kept.clear();
        for resolution in review.heads() {
            // Projects may share files.
            let read = resolution.files();
            let is_read = |(file, _): &(FileId, u32)| {
                read.contains(file) || resolution.documents.iter().any(|(id, _)| id == file)
            };
            let (own, others) = keys.into_iter().partition(is_read);
            keys = others;
            let one = refactor::removed(&own, resolution, &review.files);
            edits.extend(one.edits);
            count += one.entries;
            kept.extend(one.kept);
        }
        if count == 0 {
            break;
        }
        entries += count;
        match refactor::applied(edits, &review.files) {
            Ok(changed) => refactor::join(&mut texts, changed),
            Err(why) => return Ok(Err(why)),
        }
    }
    let mut what = match entries {
        0 => "nothing redundant can be removed".to_owned(),
        _ => format!("{} removed from {}", values(entries), count(texts.len(), "file")),
    };
    if !kept.is_empty() {
        let shown = kept.iter().take(MAX_PLACES).map(String::as_str).collect::<Vec<_>>().join(", ");
        let more = if kept.len() > MAX_PLACES { ", …" } else { "" };
        what.push_str(&format!("; {} kept: {shown}{more}", values(kept.len())));
    }
    Ok(Ok(Plan::new(texts, what)))
}

/// `1 redundant value is`.
fn values(number: usize) -> String {
    format!("{} {}", count(number, "redundant value"), if number == 1 { "is" } else { "are" })
}

/// The findings with some files changed.
fn redundant(state: &WorkingState<'_>, texts: &Texts) -> Result<Review, Failure> {
    let overrides = Overrides { groups: vec![Group::Hygiene], baseline: BaselineFile::Nowhere, ..Overrides::default() };
    let request = Request { filter: Filter::default(), overrides: &overrides, affected: None };
    let source = state.edited(texts, &[])?;
    Ok(review::check(&*source, &state.workspace, &request)?)
}
