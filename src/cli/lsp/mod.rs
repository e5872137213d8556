//! `stacklint lsp`: a language server over standard input and output.

#![allow(
    clippy::disallowed_methods,
    reason = "the folder that the client names is compared with the one that was opened"
)]

mod transport;

use super::open::{Invocation, State};
use super::refactor::{self, WorkingState};
use super::{Failure, Global, Outcome, watch};
use crate::diagnostic::baseline;
use crate::dialects::Project;
use crate::limits::{self, Limit, Limits};
use crate::lsp::{self, Analysis, Analyzer, Contents, Ended, Preferences};
use crate::refactor::{Refactoring, Texts};
use crate::resolution::{Address, Resolution, Unit};
use crate::review::{self, BaselineFile, Filter, Host, Overrides, Request, Review, Session, Workspace};
use crate::source::{Overlay, Source};
use crate::threads::Cancel;
use clap::Args;
use parking_lot::Mutex;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Run the language server: findings while you type, values, definitions, references, fixes.
///
/// Speaks the Language Server Protocol over standard input and output. docs/editors.md describes the configuration of
/// editors.
#[derive(Args, Debug)]
pub(super) struct Options {
    /// Accepted because many editors add it; the server always uses standard input and output
    #[arg(long)]
    stdio: bool,
}

pub(super) fn run(_options: &Options, global: &Global) -> Result<Outcome, Failure> {
    watch::for_server();
    let (connection, transport) = transport::stdio();
    let ended = lsp::serve(&connection, &Opener { global, turn: Arc::default() });
    drop(connection);
    match (ended, transport.finish()) {
        (Ok(Ended::Orderly), _) => Ok(Outcome::Clean),
        (Ok(Ended::Abruptly), None) => {
            // The protocol wants this exit code.
            Ok(Outcome::Fails("the client exited without a shutdown request".to_owned()))
        }
        (Ok(Ended::Abruptly), Some(why)) => {
            Err(Failure::Message(format!("the client sent an invalid message: {}", crate::text::plain(&why))))
        }
        (Err(message), _) => Err(Failure::Message(message)),
    }
}

/// Opens the folders that a client names; a folder of the command line counts instead.
struct Opener<'a> {
    global: &'a Global,
    /// Held by what has the steps of a run: the folders have them one after the other.
    turn: Arc<Mutex<()>>,
}

impl lsp::Host for Opener<'_> {
    fn open(&self, folder: Option<&Path>) -> Result<Arc<dyn Analyzer>, String> {
        let mut global = self.global.clone();
        if global.directory.is_none() {
            global.directory = folder.map(Path::to_owned);
        }
        let place = Invocation::find(&global).map_err(message)?;
        let real = place.root().canonicalize().map_err(|error| error.to_string())?;
        let root = folder.and_then(|folder| as_named(folder, &place.project.start, &real)).unwrap_or(real);
        let (known, only_new) = (Mutex::default(), AtomicBool::new(false));
        let (place, turn) = (Mutex::new(place), Arc::clone(&self.turn));
        Ok(Arc::new(Worktree { place, root, session: Session::default(), only_new, known, turn }))
    }
}

/// The root of the worktree as the client names it: its folder without the relative path from the root. If the folder
/// is reached through links, the client does not know the real path. `None` if that is a different folder.
fn as_named(folder: &Path, start: &str, real: &Path) -> Option<PathBuf> {
    let above = Path::new(start).components().count();
    let root = folder.ancestors().nth(above).filter(|_| folder.ends_with(start))?;
    (root.canonicalize().ok()? == *real).then(|| root.to_owned())
}

/// The worktree of a folder.
struct Worktree {
    place: Mutex<Invocation>,
    root: PathBuf,
    session: Session,
    /// Whether only findings that are new since the last commit are reported.
    only_new: AtomicBool,
    /// The id of a commit, and its findings.
    known: Mutex<Option<(String, BaselineFile)>>,
    turn: Arc<Mutex<()>>,
}

/// Gives an analysis the steps that the settings of its folder allow for a run.
struct Steps;

impl Host for Steps {
    fn limits(&self, limits: &Limits) {
        limits::renew_steps(limits.get(Limit::RunSteps));
    }
}

impl Worktree {
    /// Returns the overrides that select what is reported.
    fn overrides(&self, place: &Invocation, cancel: &Cancel) -> Result<Overrides, String> {
        let baseline = match self.only_new.load(Ordering::Relaxed) {
            true => self.of_last_commit(place, cancel)?,
            false => BaselineFile::OfSettings,
        };
        Ok(Overrides { baseline, ..Overrides::default() })
    }

    /// Returns the findings of the last commit as a baseline, or the baseline of the settings if there is no commit.
    fn of_last_commit(&self, place: &Invocation, cancel: &Cancel) -> Result<BaselineFile, String> {
        let Some(head) = place.repository.as_ref().and_then(|repository| repository.resolve("HEAD").ok()) else {
            return Ok(BaselineFile::OfSettings);
        };
        let mut known = self.known.lock();
        if let Some((_, baseline)) = known.as_ref().filter(|(commit, _)| *commit == head.commit()) {
            return Ok(baseline.clone());
        }
        let source = place.open(&State::Revision(head.commit())).map_err(message)?;
        let overrides = Overrides { baseline: BaselineFile::Nowhere, ..Overrides::default() };
        let review = analyze(place, &*source, &overrides, cancel, None);
        if let Some(message) = watch::over_steps() {
            return Err(message);
        }
        if cancel.is_canceled() {
            return Err("the analysis was canceled".to_owned());
        }
        let baseline = match review {
            Ok(review) => {
                let mut text = Vec::new();
                baseline::write(&mut text, review.findings.iter(), &review.files).map_err(|error| error.to_string())?;
                BaselineFile::Given("HEAD".to_owned(), String::from_utf8_lossy(&text).into_owned(), None)
            }
            // The commit has no project.
            Err(_) => BaselineFile::OfSettings,
        };
        *known = Some((head.commit(), baseline.clone()));
        Ok(baseline)
    }
}

fn message(failure: Failure) -> String {
    failure.message().unwrap_or_default().to_owned()
}

/// Analyzes a state; in a session only what changed since its last analysis.
fn analyze(
    place: &Invocation,
    source: &dyn Source,
    overrides: &Overrides,
    cancel: &Cancel,
    session: Option<&Session>,
) -> Result<Review, String> {
    Steps.limits(&Limits::default());
    let request = Request { filter: Filter::default(), overrides, affected: None };
    let project = Project { cancel: cancel.clone(), ..place.project.clone() };
    let workspace = Workspace { host: &Steps, project: &project, ..place.workspace() };
    let review = match session {
        Some(session) => review::check_again(session, source, &workspace, &request),
        None => review::check(source, &workspace, &request),
    };
    if let Some(message) = watch::over_steps() {
        session.inspect(|session| session.forget());
        return Err(message);
    }
    review.map_err(|error| match error {
        review::Error::NoProject(message) | review::Error::Message(message) => message,
        review::Error::Canceled => "the analysis was canceled".to_owned(),
    })
}

impl Analyzer for Worktree {
    fn prefer(&self, preferences: &Preferences) {
        self.only_new.store(preferences.only_new, Ordering::Relaxed);
    }

    fn root(&self) -> PathBuf {
        self.root.clone()
    }

    fn analyze(&self, buffers: &Contents, cancel: &Cancel) -> Result<Analysis, String> {
        let _turn = self.turn.lock();
        let place = self.place.lock();
        let source = Overlay::new(place.open(&State::Worktree).map_err(message)?, buffers);
        let overrides = self.overrides(&place, cancel)?;
        let review = analyze(&place, &source, &overrides, cancel, Some(&self.session))?;
        Ok(Analysis { review, source })
    }

    fn refactor(&self, what: &Refactoring, buffers: &Contents, cancel: &Cancel) -> Result<Texts, String> {
        let _turn = self.turn.lock();
        let place = self.place.lock();
        let project = Project { cancel: cancel.clone(), ..place.project.clone() };
        let workspace = Workspace { host: &Steps, project: &project, ..place.workspace() };
        let texts = refactor::proved(what, &WorkingState { place: &place, workspace, buffers });
        watch::over_steps().map_or(texts, Err)
    }

    fn made(&self, analysis: &Analysis, resolution: &Resolution, wanted: &BTreeSet<Address>) -> Vec<Arc<Unit>> {
        let place = self.place.lock();
        let (workspace, Analysis { review, source }) = (place.workspace(), analysis);
        let dialects = workspace.dialects(&review.settings);
        let by = (&workspace, &review.settings);
        review::make((source, &review.files, &dialects), resolution, wanted, by).unwrap_or_default()
    }
}
