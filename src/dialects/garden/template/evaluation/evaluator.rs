//! Evaluates values: the state of an evaluation, and its entry points. `expression_value` evaluates template strings,
//! `operators` the structural operators, `context` key paths.

use super::context::{Context, is_lazy};
use crate::dialects::garden::template::failure::{Failure, FailureKind, Result};
use crate::dialects::garden::template::node::merge::patch;
use crate::dialects::garden::template::node::{ContextId, Data, Lazy, Node};
use crate::dialects::garden::template::syntax::ast::LanguageVersion;
use crate::limits::{Limit, Limits, take_steps};
use crate::text::Text;
use crate::value::{Prov, Unknown};
use foldhash::fast::RandomState;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::Arc;

/// How deep evaluations nest: values that read values that read values.
const MAX_DEPTH: usize = 400;
/// How many times the steps of one run all runs of an environment may take before each of them may take little.
const FULL_RUNS: u64 = 10;
/// The steps that one run may take then: what is small still has a value.
const LATER_STEPS: u64 = 5_000;
/// How many values a result remembers that it was computed from.
const MOST_INPUTS: usize = 64;

/// How a value is evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Scope {
    /// Where key paths are looked up.
    pub context: ContextId,
    /// Whether the context is complete; otherwise `$merge` skips what cannot be evaluated.
    pub is_final: bool,
    /// Whether `$${…}` stays as it is.
    pub keeps_escapes: bool,
}

impl Scope {
    /// Everything is known in a context.
    pub(crate) fn new(context: ContextId) -> Scope {
        Scope { context, is_final: true, keeps_escapes: false }
    }

    /// The same way of evaluating in another context.
    #[must_use]
    pub(super) fn of(self, context: ContextId) -> Scope {
        Scope { context, ..self }
    }
}

/// A value found by a lookup: in which context, from which root, whether that is final and keeps escapes, and under which key
/// path.
type Known = (ContextId, Option<ContextId>, (bool, bool), Text);

/// An evaluation with its contexts. It is dropped as a whole: contexts refer to each other.
pub(crate) struct Evaluator {
    pub(super) contexts: RefCell<Vec<Context>>,
    pub(super) pairs: RefCell<HashMap<(ContextId, ContextId), ContextId, RandomState>>,
    pub(super) lookups: RefCell<HashMap<Known, Node, RandomState>>,
    /// Lookups in progress, to detect values that read themselves.
    pub(super) under_way: RefCell<Vec<(ContextId, Text)>>,
    /// What templates in evaluation have read so far.
    pub(super) reads: RefCell<Vec<Vec<Prov>>>,
    /// Whether values remember what they replaced in lower layers.
    pub(super) keeps_history: bool,
    pub(super) era: LanguageVersion,
    /// Whether what cannot be resolved stays as it is written, part by part, as [`LanguageVersion::Bonsai`] does on request.
    pub(super) is_partial: bool,
    /// How many times a value that reads itself was met.
    pub(super) circles: Cell<u64>,
    depth: Cell<usize>,
    /// The steps of this run.
    steps: Cell<u64>,
    /// The steps that this run may take.
    most: Cell<u64>,
    /// The steps of all runs before.
    earlier: Cell<u64>,
    limits: Limits,
}

impl Drop for Evaluator {
    fn drop(&mut self) {
        self.count();
    }
}

impl Evaluator {
    /// Without contexts.
    pub(crate) fn new(era: LanguageVersion, limits: Limits) -> Self {
        Evaluator {
            contexts: RefCell::default(),
            pairs: RefCell::default(),
            lookups: RefCell::default(),
            under_way: RefCell::default(),
            reads: RefCell::default(),
            keeps_history: true,
            era,
            is_partial: false,
            circles: Cell::new(0),
            depth: Cell::new(0),
            steps: Cell::new(0),
            most: Cell::new(limits.get(Limit::TemplateSteps)),
            earlier: Cell::new(0),
            limits,
        }
    }

    /// The same, but what cannot be resolved stays as it is written: a part of a text, an operator. [`LanguageVersion::Bonsai`] alone
    /// has that.
    #[must_use]
    pub(crate) fn partial(mut self) -> Self {
        self.is_partial = self.era == LanguageVersion::Bonsai;
        self
    }

    pub(crate) fn era(&self) -> LanguageVersion {
        self.era
    }

    /// Lets another run of a template do as much work as the first one, if those before did not do too much together.
    pub(crate) fn start(&self) {
        let (earlier, limit) =
            (self.earlier.get().saturating_add(self.steps.get()), self.limits.get(Limit::TemplateSteps));
        self.earlier.set(earlier);
        self.count();
        self.steps.set(0);
        self.most.set(if earlier < limit.saturating_mul(FULL_RUNS) { limit } else { limit.min(LATER_STEPS) });
    }

    /// Counts this run for all of the process, three times: each step copies a value. What was refused was not done.
    fn count(&self) {
        take_steps(3 * self.steps.get().min(self.most.get()));
    }

    /// The work that was counted.
    pub(super) fn spent(&self) -> u64 {
        self.steps.get()
    }

    /// Counts work.
    ///
    /// # Errors
    /// A limit is exceeded.
    pub(super) fn spend(&self, steps: u64) -> Result<()> {
        let done = self.steps.get().saturating_add(steps);
        self.steps.set(done);
        if done <= self.most.get() {
            return Ok(());
        }
        if self.most.get() == self.limits.get(Limit::TemplateSteps) {
            return Err(self.beyond(Limit::TemplateSteps));
        }
        let (most, help) = (self.most.get(), self.limits.exceeded(Limit::TemplateSteps).help());
        let message = format!(
            "this template takes more than {most} steps, too many after those of all others in its environment; {help}"
        );
        Err(Failure::plain(FailureKind::Limit, message, &Prov::default()))
    }

    /// Counts text that is made, in bytes.
    ///
    /// # Errors
    /// A limit is exceeded.
    pub(super) fn spend_text(&self, bytes: usize) -> Result<()> {
        self.spend(bytes as u64 / 16)?;
        if bytes as u64 <= self.limits.get(Limit::TemplateOutput) {
            return Ok(());
        }
        Err(self.beyond(Limit::TemplateOutput))
    }

    /// Counts a value with all values in it. Values share what is in them, so that few steps make very large ones.
    ///
    /// # Errors
    /// It is more than is taken on.
    pub(super) fn spend_size(&self, node: &Node) -> Result<()> {
        self.spend(1)?;
        match &node.data {
            Data::List(items) => items.iter().try_for_each(|item| self.spend_size(item)),
            Data::Map(map) => map.iter().try_for_each(|(_, value)| self.spend_size(value)),
            _ => Ok(()),
        }
    }

    fn beyond(&self, limit: Limit) -> Box<Failure> {
        let exceeded = self.limits.exceeded(limit);
        let message = format!("this template exceeds a limit: {exceeded}; {}", exceeded.help());
        Failure::plain(FailureKind::Limit, message, &Prov::default())
    }

    /// Goes one level deeper until the guard is dropped.
    ///
    /// # Errors
    /// That is too deep.
    pub(super) fn enter(&self) -> Result<Depth<'_>> {
        if self.depth.get() >= MAX_DEPTH {
            let message = format!("values read each other through more than {MAX_DEPTH} levels");
            return Err(Failure::plain(FailureKind::Limit, message, &Prov::default()));
        }
        self.depth.set(self.depth.get() + 1);
        Ok(Depth(&self.depth))
    }

    /// Evaluates a value so far that it is not lazy itself; collections may hold lazy values.
    ///
    /// # Errors
    /// It has no value.
    pub(crate) fn evaluate(&self, node: &Node, scope: Scope) -> Result<Node> {
        let Data::Lazy(lazy) = &node.data else { return Ok(node.clone()) };
        self.evaluate_lazy(lazy, node, scope).map_err(|mut failure| {
            if failure.kind == FailureKind::Limit && failure.place.origin.is_none() {
                failure.place = node.prov.clone();
            }
            failure
        })
    }

    fn evaluate_lazy(&self, lazy: &Lazy, node: &Node, scope: Scope) -> Result<Node> {
        let _depth = self.enter()?;
        self.spend(1)?;
        match lazy {
            Lazy::Template(template) => self.template(template, &node.prov, scope),
            Lazy::Operator(operator) => self.operator(operator, node, scope),
            Lazy::Captured { node: inner, context: own, is_final } => {
                let context = self.above(scope.context, *own);
                let evaluated = self.evaluate(inner, Scope { context, is_final: *is_final, ..scope })?;
                Ok(captured_inside(&evaluated, *own, *is_final))
            }
            Lazy::Patch(all) => {
                let mut merged = Node::default();
                for next in all {
                    let next = self.evaluate(next, scope)?;
                    merged = if merged.is_undefined() { without_nulls(&next) } else { patch(&merged, &next) };
                }
                Ok(merged)
            }
        }
    }

    /// Evaluates a value with everything in it.
    ///
    /// # Errors
    /// Something in it has no value.
    pub(crate) fn deep(&self, node: &Node, scope: Scope) -> Result<Node> {
        self.deep_or(node, scope, &mut |_, failure| Err(failure))
    }

    /// Evaluates a value with everything in it. Parts without a value are passed to `failed`, which returns a
    /// replacement.
    ///
    /// # Errors
    /// Those of `failed`.
    pub(crate) fn deep_or(
        &self,
        node: &Node,
        scope: Scope,
        failed: &mut dyn FnMut(&Node, Box<Failure>) -> Result<Node>,
    ) -> Result<Node> {
        if !is_lazy(node) {
            return Ok(node.clone());
        }
        if let Data::Lazy(_) = node.data {
            return match self.evaluate(node, scope) {
                Ok(evaluated) => {
                    let _depth = self.enter()?;
                    self.deep_or(&evaluated, scope, failed)
                }
                Err(failure) => failed(node, failure),
            };
        }
        let _depth = self.enter()?;
        let data = match &node.data {
            Data::List(items) => {
                let all: Result<Vec<Node>> = items.iter().map(|item| self.deep_or(item, scope, failed)).collect();
                Data::List(Arc::new(all?))
            }
            Data::Map(map) => Data::Map(Arc::new(map.try_map(|_, value| self.deep_or(value, scope, failed))?)),
            other => other.clone(),
        };
        Ok(Node::at(data, node.prov.clone()))
    }

    /// Runs something and remembers what it read.
    pub(super) fn reading<T>(&self, run: impl FnOnce() -> T) -> (T, Vec<Prov>) {
        self.reads.borrow_mut().push(Vec::new());
        let done = run();
        (done, self.reads.borrow_mut().pop().unwrap_or_default())
    }

    /// Remembers that a value was read.
    pub(super) fn read(&self, prov: &Prov) {
        if prov.origin.is_none() && prov.trail.is_none() {
            return;
        }
        if let Some(reads) = self.reads.borrow_mut().last_mut()
            && reads.len() < MOST_INPUTS
        {
            reads.push(prov.clone());
        }
    }
}

/// A level that is left when this is dropped.
pub(super) struct Depth<'a>(&'a Cell<usize>);

impl Drop for Depth<'_> {
    fn drop(&mut self) {
        self.0.set(self.0.get() - 1);
    }
}

/// A value whose lazy parts belong to a context.
pub(crate) fn captured(node: &Node, context: ContextId, is_final: bool) -> Node {
    if !is_lazy(node) {
        return node.clone();
    }
    Node::lazy(Lazy::Captured { node: node.clone(), context, is_final }, node.prov.clone())
}

/// The same for the parts of a collection; other values are complete.
fn captured_inside(node: &Node, context: ContextId, is_final: bool) -> Node {
    let data = match &node.data {
        _ if !is_lazy(node) => return node.clone(),
        Data::List(items) => Data::List(Arc::new(items.iter().map(|n| captured(n, context, is_final)).collect())),
        Data::Map(map) => {
            let all = map.try_map(|_, n| Ok::<_, Infallible>(captured(n, context, is_final)));
            Data::Map(Arc::new(all.unwrap_or_else(|never| match never {})))
        }
        other => other.clone(),
    };
    Node::at(data, node.prov.clone())
}

/// The first of several merge patches is one for nothing.
fn without_nulls(node: &Node) -> Node {
    patch(&Node::default(), node)
}

/// Returns a value that is unknown because others are.
pub(super) fn unknown_for<'a>(all: impl IntoIterator<Item = &'a Node>) -> Option<Node> {
    let mut unknown = Unknown::default();
    for node in all {
        if let Data::Unknown(other) = &node.data {
            let new = other.reasons.iter().filter(|reason| !unknown.reasons.contains(reason));
            let new: Vec<Text> = new.cloned().collect();
            unknown.reasons.extend(new);
            unknown.add_reads(other.reads.iter().cloned());
        }
    }
    (!unknown.reasons.is_empty()).then(|| Node::new(Data::Unknown(Arc::new(unknown))))
}
