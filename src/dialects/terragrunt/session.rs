//! The work on one unit: what it reads, what it may cost, and what is wrong.

use super::generated::Generated;
use super::load::Loader;
use super::rules;
use crate::diagnostic::{Diagnostic, Label, Rule};
use crate::hcl::ast::{Span, SyntaxError};
use crate::hcl::eval::{Budget, Problem};
use crate::limits::{Limit, take_steps_of_hcl};
use crate::syntax::secrets::hide_written;
use crate::value::{FileId, Value};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The variable that names the experiments that are on.
pub(super) const EXPERIMENTS: &str = "TG_EXPERIMENT";

/// A place in a file.
pub(super) type At = (FileId, Span);

/// Evaluates the file at a path to the object that functions see.
pub(super) type Evaluate = fn(&Session<'_>, &str) -> Value;

/// The resolution of one unit or stack file.
pub(super) struct Session<'a> {
    /// The files.
    pub loader: &'a Loader<'a>,
    /// The environment variables that the user gave, with their values.
    pub env: &'a BTreeMap<String, String>,
    /// What stacks give to the units that they generate.
    pub generated: &'a Generated,
    /// Evaluates the files that functions read.
    pub evaluate: Evaluate,
    /// What all expressions together may cost.
    pub budget: Budget,
    /// The folder of the unit.
    pub unit: String,
    /// The files of configuration that had a part in it.
    pub files: RefCell<BTreeSet<FileId>>,
    /// The files that are read right now, to find rings.
    pub reading: RefCell<Vec<String>>,
    /// The files that were read by functions, with their values or why there is none.
    pub known: RefCell<BTreeMap<String, Result<Value, String>>>,
    /// How many locals wait for each other.
    pub depth: Cell<usize>,
    findings: RefCell<Findings>,
}

impl<'a> Session<'a> {
    pub(super) fn new(
        loader: &'a Loader<'a>,
        env: &'a BTreeMap<String, String>,
        generated: &'a Generated,
        (unit, evaluate): (&str, Evaluate),
    ) -> Self {
        let steps = loader.modules.loader.reader.limits().get(Limit::TemplateSteps);
        Session {
            loader,
            env,
            generated,
            evaluate,
            budget: Budget::counted(steps, take_steps_of_hcl),
            unit: unit.to_owned(),
            files: RefCell::default(),
            reading: RefCell::default(),
            known: RefCell::default(),
            depth: Cell::new(0),
            findings: RefCell::default(),
        }
    }

    /// Adds a finding because of which something has no value.
    pub(super) fn error(&self, rule: &'static Rule, message: impl Into<String>, at: At) {
        self.report(self.finding(rule, message, at).breaking());
    }

    /// A finding at a place; its subject is the text there.
    pub(super) fn finding(&self, rule: &'static Rule, message: impl Into<String>, (file, span): At) -> Diagnostic {
        let text = &self.loader.modules.loader.reader.files.get(file).text;
        let token = text.get(span.start as usize..span.end as usize).filter(|token| token.len() < 200);
        let finding = Diagnostic::new(rule, message, Label::new(file, span.start, span.end, ""));
        match token {
            Some(token) => finding.token(token.to_owned()),
            None => finding,
        }
    }

    /// Adds a syntax error. What is not closed is missed at the end of the file.
    pub(super) fn syntax(&self, error: &SyntaxError, file: FileId) {
        let mut finding =
            self.finding(&rules::INVALID_SYNTAX, sentence(error.summary, &error.detail), (file, error.span));
        if error.summary.starts_with("Un") {
            let end = self.loader.modules.loader.reader.files.get(file).text.len() as u32;
            finding = finding.related(Label::new(file, end, end, "the file ends here"));
        }
        self.report(finding.breaking());
    }

    /// Adds a finding as it is.
    pub(super) fn report(&self, finding: Diagnostic) {
        self.findings.borrow_mut().add(finding);
    }

    /// Adds a problem of an expression, which is a part of something that was written elsewhere.
    pub(super) fn problem(&self, problem: &Problem, whole: At) {
        let at = problem.place.unwrap_or(whole);
        let message = sentence(&problem.summary, &problem.detail);
        let text = &self.loader.modules.loader.reader.files.get(at.0).text;
        let before = text.get(..at.1.start as usize).unwrap_or_default();
        let rule = match problem.summary.as_str() {
            "Evaluation limit exceeded" => &rules::LIMIT_EXCEEDED,
            "Unsupported attribute" if before.trim_end_matches('.').ends_with("local") => &rules::UNDEFINED_LOCAL,
            _ => &rules::INVALID_VALUE,
        };
        let mut finding = self.finding(rule, message, at).breaking();
        if at.0 != whole.0 || before.get(whole.1.start as usize..).is_some_and(|between| between.contains('\n')) {
            finding = finding.related(Label::new(whole.0, whole.1.start, whole.1.end, "in this value"));
        }
        self.report(finding);
    }

    /// Whether an experiment is switched on.
    pub(super) fn has_experiment(&self, experiment: &str) -> bool {
        let named = self.env.get(EXPERIMENTS).map_or("", String::as_str);
        named.split(',').any(|name| name.trim() == experiment)
    }

    /// Runs something with findings of its own. Returns them beside the result.
    pub(super) fn apart<T>(&self, run: impl FnOnce() -> T) -> (T, Vec<Diagnostic>) {
        let before = self.findings.take();
        let result = run();
        (result, self.findings.replace(before).all)
    }

    /// Works on what lies in another folder, with what is left of the budget. Its findings are added to these.
    pub(super) fn within(&self, folder: &str, work: impl FnOnce(&Session<'a>)) {
        let mut inner = Session::new(self.loader, self.env, self.generated, (folder, self.evaluate));
        let left = self.budget.left();
        inner.budget = Budget::new(left);
        work(&inner);
        self.budget.take(left - inner.budget.left());
        self.files.borrow_mut().append(&mut inner.files.borrow_mut());
        inner.into_findings().into_iter().for_each(|finding| self.report(finding));
    }

    /// Whether something so far prevents a part from being resolved.
    pub(super) fn is_broken(&self) -> bool {
        self.findings.borrow().all.iter().any(|finding| finding.is_breaking)
    }

    /// What is wrong.
    pub(super) fn into_findings(self) -> Vec<Diagnostic> {
        let mut findings = self.findings.into_inner().all;
        let table = self.loader.modules.loader.reader.files;
        let own = findings.iter().map(|finding| finding.primary.file);
        let files: BTreeSet<FileId> = self.files.into_inner().into_iter().chain(own).collect();
        let messages = findings.iter_mut().map(|finding| &mut finding.message);
        hide_written(files.into_iter().map(|file| table.get(file)), None, messages);
        findings
    }
}

/// Findings, each once.
#[derive(Default)]
struct Findings {
    all: Vec<Diagnostic>,
    /// Their indexes by the places that they are about.
    at: HashMap<(FileId, u32), Vec<usize>>,
}

impl Findings {
    fn add(&mut self, finding: Diagnostic) {
        let known = self.at.entry((finding.primary.file, finding.primary.start)).or_default();
        if !known.iter().any(|index| self.all[*index] == finding) {
            known.push(self.all.len());
            self.all.push(finding);
        }
    }
}

/// A message of the tool as one sentence: what, and why.
pub(super) fn sentence(summary: &str, detail: &str) -> String {
    let detail = detail.trim_end_matches('.');
    let mut lower = summary.trim_end_matches('.').to_owned();
    if let Some(head) = lower.get_mut(..1) {
        head.make_ascii_lowercase();
    }
    if detail.is_empty() { lower } else { format!("{lower}: {detail}") }
}
