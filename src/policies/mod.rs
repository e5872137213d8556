//! Policies of a repository: its own conditions for components, for changes, or for all components together.
//! `stacklint.toml` lists them; a `[[require]]` is an expression in CEL, a `[[rego]]` a policy in Rego. Violations are
//! reported at the line that wrote the offending value. A policy that depends on something unknown reports nothing, and
//! that is reported.

pub(crate) mod cases;
pub(crate) mod cel;
mod changes;
mod condition;
mod content;
mod definition;
mod evaluate;
mod found;
mod input;
mod memo;
mod rego;
mod resources;
mod run;
mod tally;

pub(crate) use definition::{Read, Rego, Require};
pub(crate) use evaluate::evaluate;
pub(crate) use run::Run;

use crate::diagnostic::{Label, Rule, RuleRef};
use cel::Expression;
use rego::Module;
use resources::RESOURCES;
use std::sync::Arc;

/// The policies of one settings file.
#[derive(Debug, Default)]
pub(crate) struct Policies {
    /// In the order of the file.
    all: Vec<Policy>,
    /// The paths of all files that they are in besides the settings, sorted.
    files: Vec<String>,
}

/// One policy.
#[derive(Debug)]
pub(crate) struct Policy {
    /// The rule of its findings.
    pub(crate) rule: RuleRef,
    /// The rule of what it only warns of, if it does.
    warns: Option<RuleRef>,
    /// Where the settings name it.
    place: Label,
    /// What it is evaluated for.
    subject: Subject,
    /// The condition under which it applies; `None` for always.
    applies: Option<Expression>,
    body: Body,
    message: String,
    help: Option<String>,
    /// The value that its findings point at, if configured.
    path: Option<Vec<String>>,
    /// Its complete definition, for comparison with another state of it.
    text: String,
}

/// What a policy is evaluated for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    /// Each component separately.
    Component,
    /// Each change of a component.
    Change,
    /// All components at once.
    Components,
}

#[derive(Debug)]
enum Body {
    /// It must be true.
    That(Expression),
    /// Nothing may be denied.
    Rego(Arc<Module>),
}

impl Policy {
    /// The id of its findings.
    pub(crate) fn id(&self) -> &str {
        self.rule.id()
    }

    fn reads(&self, variable: &str) -> bool {
        let own = match &self.body {
            Body::That(that) => that.reads(variable),
            Body::Rego(module) => module.names(variable),
        };
        own || self.applies.as_ref().is_some_and(|applies| applies.reads(variable))
    }

    /// Whether it may read what the code of components makes.
    fn reads_resources(&self) -> bool {
        let own = match &self.body {
            Body::That(that) => that.mentions(RESOURCES),
            Body::Rego(module) => module.may_read(RESOURCES, None),
        };
        own || self.applies.as_ref().is_some_and(|applies| applies.mentions(RESOURCES))
    }
}

impl Policies {
    /// The rules of all policies, in the order of the file.
    pub(crate) fn rules(&self) -> impl Iterator<Item = &RuleRef> {
        self.all.iter().flat_map(|policy| std::iter::once(&policy.rule).chain(&policy.warns))
    }

    pub(crate) fn find(&self, id: &str) -> Option<&RuleRef> {
        self.rules().find(|rule| rule.id() == id)
    }

    /// The files that they are in besides the settings, sorted.
    pub(crate) fn files(&self) -> &[String] {
        &self.files
    }

    /// Whether a rule is about changes, so that it finds nothing in one state.
    pub(crate) fn is_about_changes(&self, rule: &Rule) -> bool {
        self.all
            .iter()
            .any(|p| p.subject == Subject::Change && std::iter::once(&p.rule).chain(&p.warns).any(|own| *own == rule))
    }

    /// Whether an enabled policy is evaluated for all components at once.
    pub(crate) fn asks_for_all(&self, is_on: impl Fn(&Rule) -> bool) -> bool {
        self.all.iter().any(|p| p.subject == Subject::Components && is_on(&p.rule))
    }

    /// Describes the differences from another state of the policies: one sentence each, sorted by id.
    pub(crate) fn differences(&self, after: &Policies) -> Vec<String> {
        let mut differences = Vec::new();
        for policy in &self.all {
            match after.all.iter().find(|other| other.id() == policy.id()) {
                None => differences.push(format!("it removes the policy `{}`", policy.id())),
                Some(other) if other.text != policy.text => {
                    differences.push(format!("it changes the policy `{}`", policy.id()))
                }
                Some(_) => {}
            }
        }
        let new = after.all.iter().filter(|policy| self.find(policy.id()).is_none());
        differences.extend(new.map(|policy| format!("it adds the policy `{}`", policy.id())));
        differences.sort();
        differences
    }
}
