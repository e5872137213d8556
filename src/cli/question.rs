//! What commands that answer questions about one state have in common.

use super::functions::Functions;
use super::open::{Place, State};
use super::{Failure, Global, Outcome, output};
use crate::diagnostic::{Diagnostic, Level};
use crate::files::Files;
use crate::report::{self, Finding};
use crate::resolution::Resolution;
use crate::review::{self, Resolved};
use crate::settings::Settings;
use crate::source::Source;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Options of all of them.
#[derive(Args, Debug)]
#[group(skip)]
pub(super) struct Options {
    /// Look at this revision instead of the worktree
    #[arg(long, value_name = "REV")]
    pub(super) rev: Option<String>,
    /// How to print it
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(super) format: Format,
    /// Print everything, however long it is
    #[arg(long)]
    all: bool,
    /// Show values that look like secrets
    #[arg(long)]
    show_secrets: bool,
    #[command(flatten)]
    functions: Functions,
    /// Read environment variables from a file with a NAME=VALUE a line; can be repeated
    #[arg(long, value_name = "FILE", help_heading = "Functions")]
    env_file: Vec<PathBuf>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum Format {
    Text,
    Json,
}

/// One state, resolved.
pub(super) struct Asked {
    /// Where the command works.
    pub(super) place: Place,
    /// The state.
    pub(super) source: Box<dyn Source>,
    /// What it resolves to.
    pub(super) resolved: Resolved,
}

impl Options {
    /// Where the command works, with what the options hand over to functions.
    pub(super) fn place(&self, global: &Global) -> Result<Place, Failure> {
        let mut place = Place::find(global)?;
        self.functions.apply(&self.env_file, &mut place)?;
        Ok(place)
    }

    /// The state that is asked about.
    pub(super) fn source(&self, place: &Place) -> Result<Box<dyn Source>, Failure> {
        let state = self.rev.clone().map_or_else(|| place.default_state(), State::Revision);
        place.timings.phase("open", || place.open(&state))
    }

    /// The state that is asked about, resolved.
    pub(super) fn resolve(&self, global: &Global) -> Result<Asked, Failure> {
        let place = self.place(global)?;
        let source = self.source(&place)?;
        let resolved = review::resolve(&*source, &place.workspace(), &Settings::default(), Files::default())?;
        Ok(Asked { place, source, resolved })
    }

    /// How text is to look.
    pub(super) fn text(&self, global: &Global) -> report::Options {
        report::Options { all: self.all, show_secrets: self.show_secrets, ..output::options(global) }
    }
}

impl Asked {
    /// Ends a command whose answer may lack what could not be resolved: says so on standard error.
    pub(super) fn finish(&self, global: &Global) -> Result<Outcome, Failure> {
        let broken = self.resolved.resolution.findings.iter().filter(|f| f.is_breaking).cloned();
        let broken: Vec<Finding> = broken
            .map(|diagnostic| Finding { diagnostic, level: Level::Error, novelty: None, fingerprint: "".into() })
            .collect();
        if broken.is_empty() {
            return Ok(Outcome::Clean);
        }
        output::talk_findings(&broken, &self.resolved.files, global)?;
        let has_defect = self.resolved.resolution.findings.iter().any(Diagnostic::is_defect);
        Ok(if has_defect { Outcome::Defect } else { Outcome::Findings })
    }

    /// The state without one of its files, as far as that makes a difference.
    pub(super) fn without(&self, path: &str) -> Resolution {
        self.resolved.without(path, &*self.source, &self.place.workspace(), &Settings::default())
    }
}
