//! Shared code of commands that answer questions about one state or about a change.

use super::open::{self, Invocation};
use super::options::env_file::EnvFileArgument;
use super::options::functions::Functions;
use super::{Failure, Global, Outcome, output};
use crate::code::Runs;
use crate::diagnostic::{Diagnostic, Level};
use crate::dialects::Scope;
use crate::diff::{self, Diff, DiffOptions};
use crate::files::Files;
use crate::report::log::OutputKind;
use crate::report::{self, Finding};
use crate::resolution::{Address, Resolution, Unit};
use crate::review::{self, Filter, Resolved, ResolvedPair};
use crate::source::{Source, Spec, beside};
use crate::text::count;
use clap::{Args, ValueEnum, ValueHint};
use std::collections::BTreeSet;
use std::io::Write;
use std::sync::Arc;

/// Which state is asked about, and what it is resolved with.
#[derive(Args, Debug)]
#[group(skip)]
pub(super) struct State {
    /// Analyze this revision instead of the worktree
    #[arg(long, value_name = "REV")]
    rev: Option<String>,
    #[command(flatten)]
    functions: Functions,
    /// Read environment variables from a file with one NAME=VALUE per line; can be repeated
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Functions")]
    env_file: Vec<EnvFileArgument>,
}

/// Options of questions that are answered as text or JSON.
#[derive(Args, Debug)]
#[group(skip)]
pub(super) struct Options {
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(super) format: Format,
    /// Print everything without shortening
    #[arg(long)]
    all: bool,
    /// Show values that look like secrets, keys and tokens
    #[arg(long)]
    pub(super) show_secrets: bool,
    #[command(flatten)]
    pub(super) state: State,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum Format {
    Text,
    Json,
}

impl Format {
    /// How it goes where people and CI systems read along.
    pub(super) fn kind(self) -> OutputKind {
        if let Format::Json = self { OutputKind::Json } else { OutputKind::Text }
    }
}

/// One state, resolved.
pub(super) struct ResolvedState {
    /// Where the command works.
    pub(super) place: Invocation,
    /// The state.
    pub(super) source: Box<dyn Source>,
    /// The resolution of the state.
    pub(super) resolved: Resolved,
}

/// Two states, resolved.
pub(super) struct ResolvedRange {
    /// Where the command works.
    pub(super) place: Invocation,
    /// The older state.
    pub(super) base: Box<dyn Source>,
    /// The newer state.
    pub(super) head: Box<dyn Source>,
    /// The resolutions of both states.
    pub(super) resolved: ResolvedPair,
}

impl State {
    fn place(&self, global: &Global) -> Result<Invocation, Failure> {
        let mut place = Invocation::find(global)?;
        self.functions.apply(&self.env_file, &mut place)?;
        Ok(place)
    }

    /// The state that is asked about, resolved.
    pub(super) fn resolve(&self, global: &Global) -> Result<ResolvedState, Failure> {
        self.resolve_with(None, global)
    }

    /// The same, with a stack that may exist only if it is named.
    pub(super) fn resolve_with(&self, stack: Option<&str>, global: &Global) -> Result<ResolvedState, Failure> {
        let mut place = self.place(global)?;
        place.project.inputs.stack = stack.map(str::to_owned);
        let state = self.rev.clone().map_or_else(|| place.default_state(), open::State::Revision);
        let source = place.timings.phase("open", || place.open(&state))?;
        let resolved =
            review::resolve(&*source, &place.workspace(), &place.settings(&*source)?, Files::default(), Scope::All)?;
        Ok(ResolvedState { place, source, resolved })
    }

    /// The two states of `A..B` or `A...B`, or a revision and the worktree, resolved, with a stack that may exist only when it
    /// is named.
    pub(super) fn resolve_range(
        &self,
        text: &str,
        stack: Option<&str>,
        filter: &Filter,
        global: &Global,
    ) -> Result<ResolvedRange, Failure> {
        let mut place = self.place(global)?;
        place.project.inputs.stack = stack.map(str::to_owned);
        let repository = place.repository()?;
        let (base, head) = if Spec::parse(text).is_range() {
            let range = repository.range(text)?;
            (repository.at(&range.base)?, repository.at(&range.head)?)
        } else {
            let head = place.open(&open::State::Worktree)?;
            (beside(repository.revision(text)?, &*head), head)
        };
        let resolved =
            review::resolve_pair(&*base, &*head, &place.workspace(), &place.settings(&*base)?, (filter, Scope::All))?;
        Ok(ResolvedRange { place, base, head, resolved })
    }
}

impl Options {
    /// Standard output for an answer about a place.
    pub(super) fn stdout(&self, place: &Invocation) -> impl Write + use<> {
        let root = Some(place.root()).filter(|_| self.format.kind() == OutputKind::Text);
        output::stdout_linked(self.format.kind(), self.show_secrets, root)
    }

    /// How text is to look.
    pub(super) fn text(&self, global: &Global) -> report::RenderOptions {
        report::RenderOptions { all: self.all, show_secrets: self.show_secrets, ..output::options(global) }
    }
}

impl ResolvedState {
    /// Ends a command whose answer may be incomplete: reports what could not be resolved on standard error.
    pub(super) fn finish(&self, global: &Global) -> Result<Outcome, Failure> {
        report_broken(&self.resolved.resolution.findings, &self.resolved.files, global)
    }

    /// The code that its projects run.
    pub(super) fn runs(&self) -> Result<Vec<Runs>, Failure> {
        let settings = self.place.settings(&*self.source)?;
        Ok(self.resolved.runs(&*self.source, &self.place.workspace(), &settings)?)
    }

    /// What the code of some components makes; nothing where that cannot be said.
    pub(super) fn made(&self, wanted: &BTreeSet<Address>) -> Vec<Arc<Unit>> {
        let Resolved { files, resolution, dialects } = &self.resolved;
        let Ok(settings) = self.place.settings(&*self.source) else { return Vec::new() };
        let by = (&self.place.workspace(), &settings);
        review::make((&*self.source, files, dialects), resolution, wanted, by).unwrap_or_default()
    }

    /// The state without one of its files, as far as that makes a difference.
    pub(super) fn without(&self, path: &str) -> Resolution {
        // A file that could not be read has already ended the command.
        let settings = self.place.settings(&*self.source).unwrap_or_default();
        self.resolved.without(path, &*self.source, &self.place.workspace(), &settings)
    }
}

impl ResolvedRange {
    /// What the code of some components makes in both states; nothing where that cannot be said.
    pub(super) fn made(&self, wanted: &BTreeSet<Address>) -> [Vec<Arc<Unit>>; 2] {
        let ResolvedPair { files, base, head, dialects, .. } = &self.resolved;
        let Ok(settings) = self.place.settings(&*self.base) else { return Default::default() };
        [(&self.base, base), (&self.head, head)].map(|(source, resolution)| {
            let by = (&self.place.workspace(), &settings);
            review::make((&**source, files, dialects), resolution, wanted, by).unwrap_or_default()
        })
    }

    /// What differs between what code makes in both states.
    pub(super) fn differences(&self, made: [Vec<Arc<Unit>>; 2]) -> Diff {
        let [base, head] = made.map(|units| Resolution { units, ..Resolution::default() });
        let is_touched = |path: &str| self.resolved.touched.contains(path);
        let options = DiffOptions { filter: None, touched: Some(&is_touched) };
        diff::diff(&base, &head, &self.resolved.files, &options)
    }
}

/// Reports on standard error what keeps parts from being resolved.
pub(super) fn report_broken<'a>(
    findings: impl IntoIterator<Item = &'a Diagnostic>,
    files: &Files,
    global: &Global,
) -> Result<Outcome, Failure> {
    let broken: Vec<Finding> = findings
        .into_iter()
        .filter(|finding| finding.is_breaking)
        .map(|finding| Finding {
            diagnostic: finding.clone(),
            level: Level::Error,
            novelty: None,
            fingerprint: "".into(),
            also: Vec::new(),
        })
        .collect();
    if broken.is_empty() {
        return Ok(Outcome::Clean);
    }
    output::eprint_findings(&broken, files, global)?;
    let has_defect = broken.iter().any(|finding| finding.diagnostic.is_defect());
    let number = count(broken.len(), "finding");
    Ok(if has_defect {
        Outcome::InternalError
    } else {
        Outcome::Fails(format!("{number} about what does not resolve"))
    })
}
