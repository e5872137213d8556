//! `stacklint lsp`: a language server over standard input and output.

#![allow(
    clippy::disallowed_methods,
    reason = "the folder that the client names is compared with the one that was opened"
)]

use super::open::{Place, State};
use super::{Failure, Global, Outcome, watch};
use crate::dialects::Project;
use crate::limits::Limits;
use crate::lsp::{self, Analysis, Analyzer, Contents, Ended};
use crate::review::{self, Filter, Host, Overrides, Request, Session, Workspace};
use crate::source::Overlay;
use crate::terraform;
use crate::threads::Cancel;
use clap::Args;
use parking_lot::Mutex;
use std::path::{Path, PathBuf};
use std::sync::Arc;

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
    watch::without_time();
    let (connection, threads) = lsp_server::Connection::stdio();
    let ended = lsp::serve(&connection, &Opener { global });
    drop(connection);
    let joined = threads.join();
    match (ended, joined) {
        (Ok(Ended::Orderly), Ok(())) => Ok(Outcome::Clean),
        (Ok(_), Ok(())) => Err(Failure::Message("the client exited without a shutdown request".to_owned())),
        (Ok(_), Err(error)) => Err(Failure::Message(format!("the client sent an invalid message: {error}"))),
        (Err(message), _) => Err(Failure::Message(message)),
    }
}

/// Opens the folders that a client names; a folder of the command line counts instead.
struct Opener<'a> {
    global: &'a Global,
}

impl lsp::Host for Opener<'_> {
    fn open(&self, folder: Option<&Path>) -> Result<Arc<dyn Analyzer>, String> {
        let mut global = self.global.clone();
        if global.directory.is_none() {
            global.directory = folder.map(Path::to_owned);
        }
        let said = |failure: Failure| failure.message().unwrap_or_default().to_owned();
        let place = Place::find(&global).map_err(said)?;
        let real = place.root().canonicalize().map_err(|error| error.to_string())?;
        let root = folder.and_then(|folder| as_named(folder, &place.project.start, &real)).unwrap_or(real);
        Ok(Arc::new(Worktree { place: Mutex::new(place), root, session: Session::default() }))
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
    place: Mutex<Place>,
    root: PathBuf,
    session: Session,
}

impl Analyzer for Worktree {
    fn root(&self) -> PathBuf {
        self.root.clone()
    }

    fn analyze(&self, buffers: &Contents, cancel: &Cancel) -> Result<Analysis, String> {
        let place = self.place.lock();
        let said = |failure: Failure| failure.message().unwrap_or_default().to_owned();
        let source = Overlay::new(place.open(&State::Worktree).map_err(said)?, buffers);
        let overrides = Overrides::default();
        let request = Request { filter: Filter::default(), overrides: &overrides, affected: None };
        let host = Unlimited { place: &place };
        let project = Project { cancel: cancel.clone(), ..place.project.clone() };
        let workspace = Workspace { host: &host, project: &project, ..place.workspace() };
        match review::check_again(&self.session, &source, &workspace, &request) {
            Ok(review) => Ok(Analysis { review, source }),
            Err(review::Error::NoProject(message) | review::Error::Message(message)) => Err(message),
            Err(review::Error::Canceled) => Err("the analysis was canceled".to_owned()),
        }
    }
}

/// The same host without limits for the whole process, which serves for days.
struct Unlimited<'a> {
    place: &'a Place,
}

impl Host for Unlimited<'_> {
    fn limits(&self, _: &Limits) {}

    fn code(&self) -> terraform::Cache {
        self.place.code()
    }
}
