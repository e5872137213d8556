//! Evaluates policies over a change, and reports violations at the lines that caused it.

use super::found::{Owner, Spot, not_evaluable};
use super::input::{self, CodeOf};
use super::rego::{Verdict, step_name};
use super::resources::ResourcesOf;
use super::run::{Outcome, PolicyInput, Run};
use super::{Body, Policy, Subject};
use crate::diagnostic::Diagnostic;
use crate::diagnostic::RuleRef;
use crate::diagnostic::rules::INCOMPLETE_ANALYSIS;
use crate::diff::ComponentChange;
use crate::diff::mask::hide_values;
use crate::resolution::Component;
use crate::rules::Changes;
use crate::terraform::Modules;
use crate::value::{FileId, Value};
use std::collections::{HashMap, HashSet};
use std::sync::atomic::Ordering;

/// Violations by component and index of the change.
type OfChanges = HashMap<(*const ComponentChange, usize), Vec<(String, Statement)>>;

/// A violation.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Statement {
    Fails,
    Warns,
    Unknown,
}

impl Policy {
    /// The rule that a statement is reported under.
    fn rule_of(&self, statement: Statement) -> RuleRef {
        match statement {
            Statement::Fails => self.rule.clone(),
            Statement::Warns => self.warns.as_ref().unwrap_or(&self.rule).clone(),
            Statement::Unknown => (&INCOMPLETE_ANALYSIS).into(),
        }
    }
}

impl Run<'_> {
    /// The rules of what the policies about changes find in one that a test describes.
    pub(super) fn described_change(
        &self,
        component: &Component,
        code: &Value,
        change: &Value,
        file: FileId,
    ) -> Vec<RuleRef> {
        let input = PolicyInput { owner: Owner { component, file }, code, change: Some(change) };
        let active = self.active(&[Subject::Change]);
        let rules = active.into_iter().flat_map(|(i, policy)| {
            self.of_change(i, policy, &input).into_iter().map(|(_, reported)| policy.rule_of(reported))
        });
        rules.collect()
    }

    /// Evaluates the policies about changes.
    pub(crate) fn changes(&self, changes: &Changes<'_>, modules: [&Modules<'_>; 2]) -> Vec<Diagnostic> {
        let active = self.active(&[Subject::Change]);
        if active.is_empty() {
            return Vec::new();
        }
        let diff = changes.diff;
        let reads_code = active.iter().any(|(_, policy)| policy.reads("code"));
        let side = |i: usize| {
            let components = diff
                .components
                .iter()
                .filter_map(move |c| if i == 0 { c.before.as_deref() } else { c.after.as_deref() });
            CodeOf::new(components.filter(|_| reads_code), modules[i])
        };
        let (before, after) = (side(0), side(1));
        let reach = input::reach(&diff.components);
        let reads_resources = active.iter().any(|(_, policy)| policy.reads_resources());
        let resources = [changes.base, changes.context.resolution];
        let resources = resources.map(|resolution| ResourcesOf::new(&resolution.made, reads_resources));
        let mut found = Vec::new();
        for (i, policy) in active {
            let mut statements: OfChanges = HashMap::new();
            self.allow(i);
            for changed in &changes.components {
                let component = changed.after.or(changed.before);
                let Some(component) = component.filter(|_| changed.was_or_is_deployed()) else { continue };
                let code = if changed.after.is_some() { after.get(component) } else { before.get(component) };
                let component = &*resources[usize::from(changed.after.is_some())].with(component);
                for (n, change) in input::changes(changed.change).into_iter().enumerate() {
                    let value = input::change(changed.change, change, &reach);
                    let owner = Owner { component, file: changed.file() };
                    let reported = self.of_change(i, policy, &PolicyInput { owner, code, change: Some(&value) });
                    statements.insert((std::ptr::from_ref(changed.change), n), reported);
                }
            }
            self.charge(i);
            if !self.is_unusable(i) {
                found.extend(self.by_cause(policy, changes, &statements));
            }
        }
        found
    }

    /// Evaluates a policy for one change, and returns messages.
    fn of_change(&self, i: usize, policy: &Policy, input: &PolicyInput<'_>) -> Vec<(String, Statement)> {
        let unknown = |spot: &Spot<'_>| {
            self.states[i].was_unknown.store(true, Ordering::Relaxed);
            (not_evaluable(policy, spot, policy.place.clone()).message, Statement::Unknown)
        };
        match self.evaluate(i, policy, input) {
            Outcome::Fine => Vec::new(),
            Outcome::Fails(_) => vec![(policy.message.clone(), Statement::Fails)],
            Outcome::Unknown(spot) => vec![unknown(&spot)],
            Outcome::Unusable(reason) => {
                self.note(i, reason);
                Vec::new()
            }
            Outcome::Applies => {
                let Body::Rego(module) = &policy.body else { return Vec::new() };
                match self.ask_each(module, &[*input]) {
                    Ok(answers) => answers
                        .iter()
                        .flat_map(|answer| {
                            let open = answer.open.iter().map(|path| {
                                let keys: Vec<String> = path.0.iter().skip(1).map(step_name).collect();
                                unknown(&Spot::at(input.owner.component, &keys))
                            });
                            let found = answer.found.iter().map(|verdict| {
                                let result = Verdict { value: &verdict.value, about: Some(input.owner), own: &[] };
                                let reported = if verdict.is_warning { Statement::Warns } else { Statement::Fails };
                                let message = result.message().unwrap_or_else(|| policy.message.clone());
                                (hide_values(message, &input.owner.component.value), reported)
                            });
                            open.chain(found).collect::<Vec<_>>()
                        })
                        .collect(),
                    Err(why) => {
                        self.note(i, why);
                        Vec::new()
                    }
                }
            }
        }
    }

    /// Attaches violations to the lines that caused the changes.
    fn by_cause(&self, policy: &Policy, changes: &Changes<'_>, statements: &OfChanges) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        for wanted in [Statement::Fails, Statement::Warns, Statement::Unknown] {
            let own = changes.by_cause_worded(policy.rule_of(wanted), |changed| {
                let mut all = Vec::new();
                for (n, change) in input::changes(changed.change).into_iter().enumerate() {
                    let causes = change.map_or(&changed.change.causes, |change| &change.causes);
                    let reported = statements.get(&(std::ptr::from_ref(changed.change), n)).into_iter().flatten();
                    all.extend(
                        reported
                            .filter(|(_, reported)| *reported == wanted)
                            .map(|(text, _)| (&causes[..], text.clone())),
                    );
                }
                let mut known = HashSet::new();
                all.retain(|reported| known.insert(reported.clone()));
                all
            });
            found.extend(own.into_iter().map(|finding| match (&policy.help, wanted) {
                (Some(help), Statement::Fails | Statement::Warns) => finding.help(help),
                _ => finding,
            }));
        }
        found
    }
}
