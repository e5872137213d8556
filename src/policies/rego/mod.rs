//! Policies in Rego: their input, and their results as far as they are certain.
//!
//! Unknown values are omitted from the input. A policy that only depends on existing values then finds no more than it
//! should; it is evaluated a second time with replacements for the unknown values, and results of both evaluations
//! count. A policy that can find something because a value is absent (`not`, `every`, `count`) reports nothing if it
//! may read something unknown.

mod ask;

pub(super) use ask::{Verdict, step_name};

use super::Subject;
use crate::validation::{Budget, Denial, Package, Path, PathStep, Unusable};
use serde_json::Value as Json;
use std::collections::HashMap;
use std::sync::Arc;

/// The replacement for unknown values in the second evaluation.
const FILL: &str = "\u{1}unknown";

/// A module in Rego with what it is asked about.
#[derive(Debug)]
pub(in crate::policies) struct Module {
    package: Arc<Package>,
    subject: Subject,
}

/// One question to a policy: the input without what is unknown, and with something in its place; what is unknown of it.
pub(in crate::policies) struct Question {
    pub(in crate::policies) input: Json,
    pub(in crate::policies) filled: Option<Json>,
    pub(in crate::policies) unknown: Vec<Path>,
}

/// The result of a policy for an input.
#[derive(Clone, Debug, Default)]
pub(in crate::policies) struct Answer {
    /// The certain violations.
    pub(in crate::policies) found: Vec<Denial>,
    /// The unknown values that it depends on.
    pub(in crate::policies) open: Vec<Path>,
}

impl Module {
    /// Reads a module.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(in crate::policies) fn parse(path: &str, text: &str, subject: Subject) -> Result<Module, String> {
        Ok(Module { package: Arc::new(Package::parse(path, text)?), subject })
    }

    /// Whether it has rules that only warn.
    pub(in crate::policies) fn warns(&self) -> bool {
        self.package.warns()
    }

    /// Whether a name occurs in it.
    pub(in crate::policies) fn names(&self, name: &str) -> bool {
        self.package.names(name)
    }

    /// Whether it can find something because something is not there.
    pub(in crate::policies) fn is_negating(&self) -> bool {
        self.package.is_negating()
    }

    /// The number of steps that lead to its subject.
    fn bound(&self) -> usize {
        if self.subject == Subject::Components { 2 } else { 1 }
    }

    /// Whether it may read a section of a component, or a value in one.
    pub(in crate::policies) fn may_read(&self, section: &str, key: Option<&str>) -> bool {
        let mut path = match self.subject {
            Subject::Components => vec![PathStep::Key("components".to_owned()), PathStep::Item(0)],
            Subject::Component | Subject::Change => vec![PathStep::Key("component".to_owned())],
        };
        path.push(PathStep::Key(section.to_owned()));
        path.extend(key.map(|key| PathStep::Key(key.to_owned())));
        self.package.may_read(&Path(path), self.bound())
    }

    /// Answers questions. Those that are the same are asked once.
    ///
    /// # Errors
    /// It cannot be evaluated.
    pub(in crate::policies) fn ask(&self, questions: Vec<Question>, budget: &Budget) -> Result<Vec<Answer>, Unusable> {
        let (mut inputs, mut known): (Vec<Json>, HashMap<String, usize>) = (Vec::new(), HashMap::new());
        let mut number = |input: Json| {
            let next = known.len();
            *known.entry(input.to_string()).or_insert_with(|| {
                inputs.push(input);
                next
            })
        };
        let mut numbered = Vec::with_capacity(questions.len());
        for question in questions {
            let plain = number(question.input);
            let filled = question.filled.map(&mut number);
            numbered.push((plain, filled, question.unknown));
        }
        let results = self.package.evaluate(inputs, budget)?;
        let is_negating = self.is_negating();
        let answer = |(plain, filled, unknown): (usize, Option<usize>, Vec<Path>)| {
            let plain = results[plain].as_ref().map_err(Clone::clone)?;
            let Some(filled) = filled.map(|i| &results[i]) else {
                return Ok(Answer { found: plain.clone(), open: Vec::new() });
            };
            let mut open: Vec<Path> =
                unknown.iter().filter(|path| self.package.may_read(path, self.bound())).cloned().collect();
            // The replacement for an unknown value may have the wrong type.
            let both = filled.as_ref().map_or(&[][..], |filled| filled.as_slice());
            if open.is_empty() && plain.as_slice() != both {
                open = unknown;
            }
            let found = match is_negating && !open.is_empty() {
                true => Vec::new(),
                false => plain.iter().filter(|denial| both.contains(denial)).cloned().collect(),
            };
            Ok(Answer { found, open })
        };
        numbered.into_iter().map(answer).collect()
    }

    /// The replacement for unknown values.
    pub(in crate::policies) fn fill() -> Json {
        Json::from(FILL)
    }
}
