//! A language server: the findings of a review while a file is edited, and answers about the place of the cursor.
//!
//! The server speaks the Language Server Protocol 3.17 over a connection of `lsp_server`. For each folder of the workspace the worktree is
//! analyzed with the open buffers in place of the files ([`Overlay`]); a newer edit cancels an analysis that is under way.
//! Requests wait for the analysis of the text that they are about. Nothing here reads the disk: the program around the server
//! opens sources ([`Analyzer`]).

mod buffers;
mod configuration;
mod features;
mod handshake;
mod position;
mod proving;
mod remembered;
mod root;
mod server;
mod view;

pub(crate) use server::{Ended, serve};

use crate::refactor::{Refactoring, Texts};
use crate::resolution::{Address, Resolution, Unit};
use crate::review::Review;
use crate::source::Overlay;
use crate::threads::Cancel;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The contents of open buffers by path from the root of the repository, with `/`.
pub(crate) type Contents = BTreeMap<String, Arc<[u8]>>;

/// What the user of an editor can set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Preferences {
    /// Only findings that the last commit does not have are reported.
    pub only_new: bool,
}

/// The program around the server: it opens the folders of the workspace.
pub(crate) trait Host: Sync {
    /// Opens the analyzer of a folder.
    ///
    /// # Errors
    /// There is no such folder, or its repository cannot be used: what to tell the user.
    fn open(&self, folder: Option<&Path>) -> Result<Arc<dyn Analyzer>, String>;
}

/// Analyzes the worktree of one folder.
pub(crate) trait Analyzer: Send + Sync {
    /// The root of the worktree, absolute, as the client names it.
    fn root(&self) -> PathBuf;

    /// Sets the preferences for the analyses that follow.
    fn prefer(&self, preferences: &Preferences);

    /// Analyzes the worktree with the contents of buffers. Once it is canceled, any result will do.
    ///
    /// # Errors
    /// There is nothing to analyze, or it cannot be analyzed: what to tell the user.
    fn analyze(&self, buffers: &Contents, cancel: &Cancel) -> Result<Analysis, String>;

    /// The texts of files after a refactoring of the worktree with the contents of buffers, the old and the new one of each, if it
    /// is proved to have no effect.
    ///
    /// # Errors
    /// It is not, or it was canceled: what to tell the user.
    fn refactor(&self, what: &Refactoring, buffers: &Contents, cancel: &Cancel) -> Result<Texts, String>;

    /// What the code of some components of an analysis makes; nothing where that cannot be said.
    fn made(&self, analysis: &Analysis, resolution: &Resolution, wanted: &BTreeSet<Address>) -> Vec<Arc<Unit>>;
}

/// The result of an analysis.
pub(crate) struct Analysis {
    /// The findings, with the resolutions of the worktree.
    pub review: Review,
    /// The analyzed source.
    pub source: Overlay,
}
