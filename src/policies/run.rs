//! The evaluation of all policies over one state, or over a change.

use super::cel::{Expression, Failure, Scope};
use super::condition::{Truth, truth};
use super::found::{Found, Owner, Spot};
use super::input::CodeOf;
use super::memo::{CachedOutcome, Memo, ReadValues};
use super::resources::ResourcesOf;
pub(super) use super::tally::PolicyState;
use super::tally::Tally;
use super::{Body, Policies, Policy, Subject};
use crate::diagnostic::rules::{INVALID_POLICY, LIMIT_EXCEEDED, UNUSED_POLICY};
use crate::diagnostic::{Diagnostic, Rule};
use crate::files::Files;
use crate::limits::{Limit, Limits};
use crate::resolution::{Component, Placed, Resolution, Unit};
use crate::terraform::Modules;
use crate::threads;
use crate::validation::{Budget, Unusable};
use crate::value::{FileId, Value};
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// One policy may use this fraction of all steps.
const PART: u64 = 4;

/// The steps of a violation, or of a component of which it is not known whether it is one: it is kept until all are reported.
const STEPS_OF_A_VIOLATION: u64 = 1_700;

/// The number of components in one piece of work.
const CHUNK: usize = 4_096;

/// The number of steps after which a thread publishes them to all threads.
const PUBLISH: u64 = 10_000;

/// One evaluation of all policies, with what they took.
pub(crate) struct Run<'a> {
    pub(super) policies: &'a Policies,
    pub(super) files: &'a Files,
    is_on: &'a (dyn Fn(&Rule) -> bool + Sync),
    /// The steps that all policies may take, and those that are left of them.
    steps: u64,
    left: AtomicU64,
    pub(super) budget: Budget,
    pub(super) states: Vec<PolicyState>,
}

/// Components, with the number of the first of them.
type Chunk<'a> = (usize, &'a [PolicyInput<'a>]);

/// The outcome of a policy (by index) for a component (by index).
type Answer<'a> = (usize, usize, Outcome<'a>);

/// The subject of an evaluation.
#[derive(Clone, Copy)]
pub(super) struct PolicyInput<'a> {
    pub(super) owner: Owner<'a>,
    pub(super) code: &'a Value,
    pub(super) change: Option<&'a Value>,
}

impl<'a> PolicyInput<'a> {
    /// Returns the scope of its expressions, initially without steps.
    fn scope(&self) -> Scope<'a> {
        let mut scope = Scope::new(&self.owner.component.language, 0);
        scope.component = Some(self.owner.component);
        scope.code = Some(self.code);
        scope.change = self.change;
        scope
    }
}

/// The outcome of a policy.
#[derive(Clone)]
pub(super) enum Outcome<'a> {
    /// It does not apply, or is satisfied.
    Fine,
    /// It applies; for policies whose body is evaluated elsewhere.
    Applies,
    /// It is not satisfied, because of these values.
    Fails(Arc<Fault<'a>>),
    /// It depends on something unknown.
    Unknown(Spot<'a>),
    /// It cannot be evaluated.
    Unusable(Unusable),
}

/// Why a policy is not satisfied.
pub(super) struct Fault<'a> {
    /// The values at fault, the place of the finding first.
    pub(super) spots: Vec<Spot<'a>>,
    pub(super) note: Option<String>,
}

impl<'a> Fault<'a> {
    /// Values with a place come first.
    fn new(spots: Vec<Spot<'a>>, note: Option<String>) -> Fault<'a> {
        let (mut written, others): (Vec<_>, Vec<_>) = spots.into_iter().partition(Spot::is_written);
        written.extend(others);
        Fault { spots: written, note }
    }

    /// The same fault of another component, in which the policy reads values of the same content.
    pub(super) fn of_another(&self, component: &'a Component) -> Option<Fault<'a>> {
        let spots = self.spots.iter().map(|spot| spot.of_another(component)).collect::<Option<_>>()?;
        Some(Fault::new(spots, self.note.clone()))
    }
}

impl<'a> Run<'a> {
    /// Creates an evaluation with the limits of the settings, of the policies with an enabled rule.
    pub(crate) fn new(
        policies: &'a Policies,
        files: &'a Files,
        limits: &Limits,
        is_on: &'a (dyn Fn(&Rule) -> bool + Sync),
    ) -> Run<'a> {
        let states = policies.all.iter().map(|_| PolicyState::default()).collect();
        let steps = limits.get(Limit::PolicySteps);
        let states: Vec<PolicyState> = states;
        for state in &states {
            state.allowed.store(steps / PART, Ordering::Relaxed);
        }
        Run { policies, files, is_on, steps, left: AtomicU64::new(steps), budget: Budget::default(), states }
    }

    pub(crate) fn files(&self) -> &'a Files {
        self.files
    }

    pub(super) fn active(&self, subjects: &[Subject]) -> Vec<(usize, &'a Policy)> {
        let is_on = |p: &Policy| (self.is_on)(&p.rule) || p.warns.as_ref().is_some_and(|rule| (self.is_on)(rule));
        let all = self.policies.all.iter().enumerate();
        all.filter(|(_, p)| subjects.contains(&p.subject) && is_on(p)).collect()
    }

    /// Whether a policy reads what the code of components makes.
    pub(crate) fn reads_resources(&self) -> bool {
        let all = self.active(&[Subject::Component, Subject::Components, Subject::Change]);
        all.iter().any(|(_, policy)| policy.reads_resources())
    }

    /// Evaluates the policies about components for one state.
    pub(crate) fn components(&self, resolution: &Resolution, modules: &Modules<'_>) -> Vec<Diagnostic> {
        let active = self.active(&[Subject::Component, Subject::Components]);
        if active.is_empty() {
            return Vec::new();
        }
        let all = resolution.components();
        let placed: Vec<&Placed> = all.values().filter(|p| p.component.metadata.is_deployed()).collect();
        let reads_code = active.iter().any(|(_, policy)| policy.reads("code"));
        let with_code = placed.iter().filter(|_| reads_code).map(|p| &*p.component);
        let code = CodeOf::new(with_code, modules);
        let resources = ResourcesOf::new(&resolution.made, active.iter().any(|(_, policy)| policy.reads_resources()));
        let components: Vec<Cow<'_, Component>> = placed.iter().map(|p| resources.with(&p.component)).collect();
        let input: Vec<PolicyInput<'_>> = placed
            .iter()
            .zip(&components)
            .map(|(p, component)| {
                let owner = Owner { component, file: p.unit.file };
                PolicyInput { owner, code: code.get(component), change: None }
            })
            .collect();
        let is_listed = |unit: &Arc<Unit>| unit.open.iter().all(|open| open.unknown().is_none());
        let is_whole = crate::rules::is_whole(resolution) && resolution.units.iter().all(is_listed);
        self.judge(&active, &input, is_whole)
    }

    fn judge(&self, active: &[(usize, &'a Policy)], input: &[PolicyInput<'_>], is_whole: bool) -> Vec<Diagnostic> {
        let (applying, mut found) = self.requirements(active, input);
        for (i, policy) in active {
            if let Body::Rego(module) = &policy.body {
                let own: Vec<PolicyInput<'_>> =
                    applying.iter().filter(|(p, _)| p == i).map(|(_, a)| input[*a]).collect();
                found.extend(self.rego(*i, module, &own, is_whole));
            }
        }
        found
    }

    /// Evaluates the policies about components for the components of a test case, each with its code.
    pub(super) fn described(&self, components: &[(Component, Value)], file: FileId) -> Vec<Diagnostic> {
        let input: Vec<PolicyInput<'_>> = components
            .iter()
            .map(|(component, code)| PolicyInput { owner: Owner { component, file }, code, change: None })
            .collect();
        self.judge(&self.active(&[Subject::Component, Subject::Components]), &input, true)
    }

    /// Evaluates requirements, and determines to which components (by index) the policies in Rego (by index) apply.
    fn requirements(
        &self,
        active: &[(usize, &'a Policy)],
        input: &[PolicyInput<'_>],
    ) -> (Vec<(usize, usize)>, Vec<Diagnostic>) {
        let chunks: Vec<Chunk<'_>> = input.chunks(CHUNK).enumerate().map(|(n, c)| (n * CHUNK, c)).collect();
        let results = self.side_by_side(active, &chunks).unwrap_or_else(|| self.one_by_one(active, &chunks));
        let mut found: HashMap<usize, Found<'_>> = HashMap::new();
        let mut applying = Vec::new();
        for (i, n, outcome) in results {
            let policy = &self.policies.all[i];
            let own = found.entry(i).or_insert_with(|| Found::new(policy, self.files));
            let owner = input[n].owner;
            match outcome {
                Outcome::Fine => {}
                Outcome::Applies => applying.push((i, n)),
                Outcome::Fails(fault) => own.add_fault(owner, &fault),
                Outcome::Unknown(spot) => {
                    self.states[i].was_unknown.store(true, Ordering::Relaxed);
                    own.unknown(owner, &spot);
                }
                Outcome::Unusable(reason) => self.note(i, reason),
            }
        }
        let mut numbers: Vec<usize> = found.keys().copied().collect();
        numbers.sort_unstable();
        let finished = numbers.into_iter().filter_map(|i| Some((i, found.remove(&i)?)));
        // If not everything was resolved, nothing is reported.
        let finished = finished.filter(|(i, _)| !self.is_unusable(*i));
        (applying, finished.flat_map(|(_, found)| found.finish()).collect())
    }

    /// Evaluates policies component by component, which keeps the component in the CPU cache; `None` if the steps that
    /// are left do not suffice.
    fn side_by_side<'b>(&'b self, active: &[(usize, &'b Policy)], chunks: &[Chunk<'b>]) -> Option<Vec<Answer<'b>>> {
        let before: Vec<(u64, usize)> = active.iter().map(|(i, _)| self.states[*i].counts()).collect();
        active.iter().for_each(|(i, _)| self.allow(*i));
        let (left, spent) = (self.left.load(Ordering::Relaxed), AtomicU64::new(0));
        let reads = ReadValues::new(active);
        let answers = threads::map(chunks, |(first, chunk)| {
            let (mut answers, mut memo, mut tally) = (Vec::new(), Memo::new(&reads), Tally::new(active));
            for (n, input) in chunk.iter().enumerate() {
                let mut scope = input.scope();
                memo.turn_to(input.owner.component);
                for (number, (i, policy)) in active.iter().enumerate() {
                    if spent.load(Ordering::Relaxed).saturating_add(tally.unpublished) > left {
                        spent.fetch_add(tally.unpublished, Ordering::Relaxed);
                        return answers;
                    }
                    let known = match memo.get(number, input) {
                        Some(known) => known,
                        None => {
                            let Some(allowed) = self.states[*i].allowed_with(tally.steps[number]) else {
                                answers.push((*i, first + n, self.exceeded()));
                                continue;
                            };
                            let new = self.judged(policy, input, &mut scope, allowed);
                            memo.put(number, input, &new);
                            new
                        }
                    };
                    tally.add(number, known.steps, known.applied);
                    if !matches!(known.outcome, Outcome::Fine) {
                        answers.push((*i, first + n, known.outcome));
                    }
                }
                if tally.unpublished > PUBLISH || n + 1 == chunk.len() {
                    spent.fetch_add(tally.unpublished, Ordering::Relaxed);
                    let exceeded = tally.publish(active, &self.states);
                    answers.extend(exceeded.into_iter().map(|i| (i, first + n, self.exceeded())));
                }
            }
            answers
        });
        if spent.load(Ordering::Relaxed) > left {
            for ((i, _), (taken, applied)) in active.iter().zip(before) {
                self.states[*i].taken.store(taken, Ordering::Relaxed);
                self.states[*i].applied.store(applied, Ordering::Relaxed);
            }
            return None;
        }
        active.iter().for_each(|(i, _)| self.charge(*i));
        Some(answers.into_iter().flatten().collect())
    }

    /// Evaluates policies one after the other, so that the steps left for one do not depend on threads.
    fn one_by_one<'b>(&'b self, active: &[(usize, &'b Policy)], chunks: &[Chunk<'b>]) -> Vec<Answer<'b>> {
        let answers = active.iter().flat_map(|(i, policy)| {
            self.allow(*i);
            let answers = threads::map(chunks, |(first, chunk)| {
                let outcomes =
                    chunk.iter().enumerate().map(|(n, input)| (*i, first + n, self.evaluate(*i, policy, input)));
                outcomes.filter(|(.., outcome)| !matches!(outcome, Outcome::Fine)).collect::<Vec<_>>()
            });
            self.charge(*i);
            answers
        });
        answers.flatten().collect()
    }

    /// Sets the number of steps for the evaluation of a policy: a part of all, and no more than are left.
    pub(super) fn allow(&self, policy: usize) {
        let state = &self.states[policy];
        let taken = state.taken.load(Ordering::Relaxed);
        let most = taken.saturating_add(self.left.load(Ordering::Relaxed)).min(self.steps / PART);
        state.allowed.store(most, Ordering::Relaxed);
    }

    /// Subtracts the steps of a policy from those that are left.
    pub(super) fn charge(&self, policy: usize) {
        let state = &self.states[policy];
        let taken = state.taken.load(Ordering::Relaxed).min(state.allowed.load(Ordering::Relaxed));
        let new = taken.saturating_sub(state.charged.swap(taken, Ordering::Relaxed));
        let left = self.left.load(Ordering::Relaxed);
        self.left.store(left.saturating_sub(new), Ordering::Relaxed);
    }

    pub(super) fn note(&self, policy: usize, reason: Unusable) {
        let mut known = self.states[policy].unusable.lock();
        // An exceeded limit applies to the whole policy, an error only to one component.
        if known.is_none() || matches!(reason, Unusable::Exceeded(_)) {
            *known = Some(reason);
        }
    }

    pub(super) fn is_unusable(&self, policy: usize) -> bool {
        self.states[policy].unusable.lock().is_some()
    }

    /// Evaluates a policy for one subject.
    pub(super) fn evaluate<'b>(&'b self, i: usize, policy: &'b Policy, input: &PolicyInput<'b>) -> Outcome<'b> {
        let state = &self.states[i];
        let Some(allowed) = state.allowed_with(0) else { return self.exceeded() };
        let CachedOutcome { outcome, steps, applied } = self.judged(policy, input, &mut input.scope(), allowed);
        if state.count(steps, usize::from(applied)) { self.exceeded() } else { outcome }
    }

    /// Evaluates a policy in a scope.
    fn judged<'b>(
        &'b self,
        policy: &'b Policy,
        input: &PolicyInput<'b>,
        scope: &mut Scope<'b>,
        allowed: u64,
    ) -> CachedOutcome<'b> {
        scope.renew(allowed);
        let applies = match &policy.applies {
            None => Truth::True,
            Some(applies) => match truth(applies, scope) {
                // A value that it reads does not exist, so the policy does not apply.
                Truth::Missing(_) => Truth::False,
                other => other,
            },
        };
        let mut applied = false;
        let outcome = match (applies, &policy.body) {
            (Truth::False, _) => Outcome::Fine,
            (Truth::Failed(failure), _) => self.failed(&failure, "where"),
            (Truth::Unknown(blank), Body::Rego(_)) => Outcome::Unknown(Spot::unknown(&blank)),
            (_, Body::Rego(_)) => {
                applied = true;
                Outcome::Applies
            }
            (applies, Body::That(that)) => {
                applied = true;
                let held = truth(that, scope);
                match (applies, held) {
                    (_, Truth::True) => Outcome::Fine,
                    (_, Truth::Failed(failure)) => self.failed(&failure, "that"),
                    (Truth::Unknown(blank), _) | (_, Truth::Unknown(blank)) => Outcome::Unknown(Spot::unknown(&blank)),
                    (_, held) => {
                        let note = if let Truth::Missing(note) = held { Some(note) } else { None };
                        Outcome::Fails(Arc::new(Fault::new(spots(policy, that, input, scope), note)))
                    }
                }
            }
        };
        let kept = if matches!(outcome, Outcome::Fine) { 0 } else { STEPS_OF_A_VIOLATION };
        CachedOutcome { outcome, steps: scope.steps.taken() + kept, applied }
    }

    fn exceeded<'b>(&self) -> Outcome<'b> {
        let (all, most) = (self.steps, self.steps / PART);
        Outcome::Unusable(Unusable::Exceeded(format!(
            "the limit `policy-steps` allows {all} steps for all policies together, and {most} for one policy"
        )))
    }

    fn failed<'b>(&self, failure: &Failure, part: &str) -> Outcome<'b> {
        match failure {
            Failure::Exceeded => self.exceeded(),
            Failure::Wrong(why) | Failure::Missing(why) => {
                Outcome::Unusable(Unusable::Wrong(format!("`{part}`: {why}")))
            }
        }
    }

    /// Returns findings about the policies themselves. Those that applied to nothing are included if everything was
    /// seen.
    pub(crate) fn finish(&self, saw_all: bool) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        for (i, policy) in self.active(&[Subject::Component, Subject::Change, Subject::Components]) {
            let state = &self.states[i];
            let reason = state.unusable.lock().clone();
            let (id, place) = (policy.id(), policy.place.clone());
            let finding = match reason {
                Some(Unusable::Exceeded(why)) => {
                    let message = format!("the policy `{id}` exceeds a limit and reports nothing: {why}");
                    Diagnostic::new(&LIMIT_EXCEEDED, message, place)
                }
                Some(Unusable::Wrong(why) | Unusable::Unsupported(why)) => {
                    Diagnostic::new(&INVALID_POLICY, format!("the policy `{id}` cannot be evaluated: {why}"), place)
                }
                None if saw_all
                    && policy.subject != Subject::Change
                    && state.applied.load(Ordering::Relaxed) == 0
                    && !state.was_unknown.load(Ordering::Relaxed) =>
                {
                    Diagnostic::new(&UNUSED_POLICY, format!("the policy `{id}` applies to no component"), place)
                        .help("correct its `where`, or remove it")
                }
                None => continue,
            };
            found.push(finding.token(id));
        }
        found
    }

    /// How many components or changes each policy applied to, by id.
    pub(crate) fn applied(&self) -> Vec<(&str, usize)> {
        let all = self.policies.all.iter().zip(&self.states);
        all.map(|(policy, state)| (policy.id(), state.applied.load(Ordering::Relaxed))).collect()
    }
}

/// The values that made a requirement false.
fn spots<'b>(
    policy: &'b Policy,
    that: &'b Expression,
    input: &PolicyInput<'b>,
    scope: &mut Scope<'b>,
) -> Vec<Spot<'b>> {
    match &policy.path {
        Some(path) => vec![Spot::at(input.owner.component, path)],
        None => that.blame(scope).iter().map(Spot::of).collect(),
    }
}
