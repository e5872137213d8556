//! Failures, with the chain of references that leads to them.

use crate::diagnostic::{Diagnostic, Label, Rule};
use crate::hcl::ast::{Span, SyntaxError};
use crate::hcl::eval::Problem;
use crate::terraform::rules;
use crate::value::FileId;

pub(crate) type Place = (FileId, Span);

/// A step of a chain: something that cannot be computed because of what it depends on.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Hop {
    /// `module.m.source depends on local.dir`
    pub text: String,
    /// Where the dependent is declared.
    pub place: Place,
}

/// Something that is wrong.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Failure {
    /// The id of the rule that reports it.
    pub rule: &'static Rule,
    /// A sentence about it.
    pub message: String,
    /// Where, if there is a place for it.
    pub place: Option<Place>,
    /// Where the variable is declared that a value is wrong for.
    pub declared: Option<Place>,
    /// Its dependents, the nearest first.
    pub hops: Vec<Hop>,
    /// Whether it comes from a cycle, so that it depends on where the evaluation began.
    pub is_cyclic: bool,
    /// Whether the value is only unknown: it is not static, or not set.
    pub is_open: bool,
    /// Whether it hides declarations, so that the root module as a whole is unknown.
    pub hides: bool,
    /// Whether it is only worth a word: everything can be computed.
    pub is_lint: bool,
    pub help: Option<String>,
}

impl Failure {
    pub(crate) fn new(rule: &'static Rule, message: impl Into<String>, place: Place) -> Self {
        Failure::at(rule, message.into(), Some(place))
    }

    fn at(rule: &'static Rule, message: String, place: Option<Place>) -> Self {
        Failure {
            rule,
            message,
            place,
            declared: None,
            hops: Vec::new(),
            is_cyclic: false,
            is_open: false,
            hides: false,
            is_lint: false,
            help: None,
        }
    }

    /// It is wrong because of a declaration elsewhere.
    #[must_use]
    pub(crate) fn declared(mut self, place: Place) -> Self {
        self.declared = Some(place);
        self
    }

    /// It hides declarations.
    #[must_use]
    pub(crate) fn hiding(mut self) -> Self {
        self.hides = true;
        self
    }

    /// It is only worth a word.
    #[must_use]
    pub(crate) fn lint(mut self, help: Option<String>) -> Self {
        self.is_lint = true;
        self.help = help;
        self
    }

    /// The value is there at another time.
    #[must_use]
    pub(crate) fn open(mut self) -> Self {
        self.is_open = true;
        self
    }

    /// It comes from a cycle.
    #[must_use]
    pub(crate) fn cyclic(mut self) -> Self {
        self.is_cyclic = true;
        self
    }

    /// Converts a problem of an expression.
    pub(crate) fn of_problem(problem: &Problem) -> Self {
        let rule = match problem.summary.as_str() {
            "Evaluation limit exceeded" => &rules::LIMIT_EXCEEDED,
            _ => &rules::INVALID_VALUE,
        };
        Failure::at(rule, sentence(&problem.summary, &problem.detail), problem.place)
    }

    /// Converts a syntax error.
    pub(crate) fn of_syntax(error: &SyntaxError, file: FileId) -> Self {
        Failure::new(&rules::INVALID_SYNTAX, sentence(error.summary, &error.detail), (file, error.span)).hiding()
    }

    /// Returns the finding; without a place, it is reported at the nearest dependent, or at `fallback`.
    pub(crate) fn finding(&self, fallback: Place, files: &crate::files::Files) -> Diagnostic {
        let place = self.place.or_else(|| self.hops.first().map(|h| h.place)).unwrap_or(fallback);
        let label = |(file, span): Place, text: &str| Label::new(file, span.start, span.end, text);
        let mut finding = Diagnostic::new(self.rule, self.message.clone(), label(place, ""));
        if let Some(declared) = self.declared {
            finding = finding.related(label(declared, "the variable is declared here"));
        }
        for hop in &self.hops {
            finding = finding.related(label(hop.place, &hop.text));
        }
        if !self.hops.is_empty() {
            finding = finding.chain();
        }
        if let Some(help) = &self.help {
            finding = finding.help(help.clone());
        }
        let text = &files.get(place.0).text;
        if let Some(token) = text.get(place.1.start as usize..place.1.end as usize).filter(|t| t.len() < 200) {
            finding = finding.token(token.to_owned());
        }
        finding
    }
}

/// A message of the tool as one sentence: what, and why.
fn sentence(summary: &str, detail: &str) -> String {
    let first = detail.split(". ").next().unwrap_or(detail).trim_end_matches('.');
    let summary = summary.trim_end_matches('.');
    let mut lower = summary.to_owned();
    if let Some(head) = lower.get_mut(..1) {
        head.make_ascii_lowercase();
    }
    if first.is_empty() { lower } else { format!("{lower}: {first}") }
}
