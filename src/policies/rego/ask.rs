//! Evaluates policies in Rego for components, and maps their results to places.

use super::{Answer, Module, Question};
use crate::diagnostic::Diagnostic;
use crate::diagnostic::rules::INCOMPLETE_ANALYSIS;
use crate::diff::mask::hide_values;
use crate::policies::Subject;
use crate::policies::found::{Found, Owner, Spot, ValueStatement};
use crate::policies::input::{ToJson, Wanted};
use crate::policies::run::{PolicyInput, Run};
use crate::resolution::Component;
use crate::validation::{Path, PathStep, Unusable};
use serde_json::{Value as Json, json};
use std::sync::atomic::Ordering;

impl Run<'_> {
    /// Evaluates a policy in Rego for the components that it applies to.
    pub(in crate::policies) fn rego(
        &self,
        i: usize,
        module: &Module,
        own: &[PolicyInput<'_>],
        is_whole: bool,
    ) -> Vec<Diagnostic> {
        let policy = &self.policies.all[i];
        if own.is_empty() || self.is_unusable(i) {
            return Vec::new();
        }
        let mut found = Found::new(policy, self.files);
        let is_whole = is_whole && !own.iter().any(|input| input.owner.component.metadata.is_open());
        if policy.subject == Subject::Components && !is_whole && module.is_negating() {
            let message =
                format!("the policy `{}` cannot be evaluated: it is not known which components there are", policy.id());
            let finding = Diagnostic::new(&INCOMPLETE_ANALYSIS, message, policy.place.clone());
            return vec![finding.token(policy.id())];
        }
        let answers = match policy.subject {
            Subject::Components => self.ask_all(module, own),
            Subject::Component | Subject::Change => self.ask_each(module, own),
        };
        let answers = match answers {
            Ok(answers) => answers,
            Err(why) => {
                self.note(i, why);
                return Vec::new();
            }
        };
        for (n, answer) in answers.iter().enumerate() {
            let about = if policy.subject == Subject::Components { None } else { own.get(n).copied() };
            self.add_open(i, &mut found, answer, about, own);
            for verdict in &answer.found {
                let warns = policy.warns.as_ref().filter(|_| verdict.is_warning);
                let rule = warns.unwrap_or(&policy.rule).clone();
                let result = Verdict { value: &verdict.value, about: about.map(|a| a.owner), own };
                let message = result.message().unwrap_or_else(|| policy.message.clone());
                let (main, more) = result.places();
                let hidden = |message, owner: &Owner<'_>| hide_values(message, &owner.component.value);
                let message = main
                    .iter()
                    .map(|(owner, _)| owner)
                    .chain(more.iter().map(|(owner, _)| owner))
                    .fold(message, hidden);
                let statement = ValueStatement { rule, message: &message, note: None };
                match main {
                    Some((owner, spot)) => found.add(owner, &[spot], &more, &statement),
                    // It names no component, so it is reported at the policy.
                    None => {
                        let why = "a result over all components must name one as `component`";
                        self.note(i, Unusable::Wrong(why.to_owned()));
                    }
                }
            }
        }
        found.finish()
    }

    fn add_open(
        &self,
        i: usize,
        found: &mut Found<'_>,
        answer: &Answer,
        about: Option<PolicyInput<'_>>,
        own: &[PolicyInput<'_>],
    ) {
        for path in &answer.open {
            self.states[i].was_unknown.store(true, Ordering::Relaxed);
            let (subject, steps) = match (&path.0[..], about) {
                ([PathStep::Key(_), PathStep::Item(n), rest @ ..], None) => (own.get(*n).copied(), rest),
                ([PathStep::Key(root), rest @ ..], Some(subject)) if root == "component" => (Some(subject), rest),
                (_, about) => (about, &[][..]),
            };
            let Some(subject) = subject else { continue };
            let keys: Vec<String> = steps.iter().map(step_name).collect();
            found.unknown(subject.owner, &Spot::at(subject.owner.component, &keys));
        }
    }

    pub(in crate::policies) fn ask_each(
        &self,
        module: &Module,
        own: &[PolicyInput<'_>],
    ) -> Result<Vec<Answer>, Unusable> {
        let mut wanted = Wanted::new(module, false);
        let (reads_code, fill) = (module.names("code"), Module::fill());
        let mut questions = Vec::with_capacity(own.len());
        for subject in own {
            let mut input = |fill: Option<&Json>| {
                let mut json = ToJson::new(fill);
                let component = subject.owner.component;
                let at = [PathStep::Key("component".to_owned())];
                let mut all = json!({ "component": json.component(component, &at, &mut wanted)? });
                let sides = [("code", Some(subject.code).filter(|_| reads_code)), ("change", subject.change)];
                for (name, value) in sides.into_iter().filter_map(|(name, value)| Some((name, value?))) {
                    if let Some(value) = json.at(value, &component.language, PathStep::Key(name.to_owned()))? {
                        all[name] = value;
                    }
                }
                Some((all, json.unknown))
            };
            questions.push(question(&mut input, &fill)?);
        }
        module.ask(questions, &self.budget)
    }

    fn ask_all(&self, module: &Module, own: &[PolicyInput<'_>]) -> Result<Vec<Answer>, Unusable> {
        let mut wanted = Wanted::new(module, true);
        let fill = Module::fill();
        let mut input = |fill: Option<&Json>| {
            let mut json = ToJson::new(fill);
            let mut all = Vec::with_capacity(own.len());
            for (n, subject) in own.iter().enumerate() {
                let at = [PathStep::Key("components".to_owned()), PathStep::Item(n)];
                all.push(json.component(subject.owner.component, &at, &mut wanted)?);
            }
            Some((json!({ "components": all }), json.unknown))
        };
        let question = question(&mut input, &fill)?;
        module.ask(vec![question], &self.budget)
    }
}

pub(in crate::policies) fn step_name(step: &PathStep) -> String {
    match step {
        PathStep::Key(key) => key.clone(),
        PathStep::Item(item) => item.to_string(),
    }
}

/// Creates an input, with or without replacements for unknown values, and returns what is unknown.
type MakeInput<'a> = dyn FnMut(Option<&Json>) -> Option<(Json, Vec<Path>)> + 'a;

fn question(input: &mut MakeInput<'_>, fill: &Json) -> Result<Question, Unusable> {
    let deep = || Unusable::Unsupported("the configuration is nested too deeply".to_owned());
    let (plain, unknown) = input(None).ok_or_else(deep)?;
    let filled = if unknown.is_empty() { None } else { Some(input(Some(fill)).ok_or_else(deep)?.0) };
    Ok(Question { input: plain, filled, unknown })
}

/// A result of a policy in Rego: a text, or an object with `msg`, and what it is about.
pub(in crate::policies) struct Verdict<'r, 'a> {
    pub(in crate::policies) value: &'r Json,
    /// The component that was asked about, if it was one.
    pub(in crate::policies) about: Option<Owner<'a>>,
    pub(in crate::policies) own: &'r [PolicyInput<'a>],
}

impl<'a> Verdict<'_, 'a> {
    pub(in crate::policies) fn message(&self) -> Option<String> {
        let text = self.value.as_str().or_else(|| self.value.get("msg")?.as_str())?;
        Some(text.trim().chars().take(1_000).collect()).filter(|text: &String| !text.is_empty())
    }

    /// Returns the place of its subject, and the other places.
    fn places(&self) -> (Option<Place<'a>>, Vec<Place<'a>>) {
        let keys = |at: &Json| path_keys(at.get("path"));
        let owner = self.value.get("component").and_then(|c| self.named(c)).or(self.about);
        let main = owner.map(|owner| (owner, Spot::at(owner.component, &keys(self.value))));
        let others = self.value.get("components").and_then(Json::as_array).into_iter().flatten();
        let more = others.filter_map(|other| {
            let owner = self.named(other.get("component").unwrap_or(other))?;
            Some((owner, Spot::at(owner.component, &keys(other))))
        });
        (main, more.take(16).collect())
    }

    /// The component that a result names by its stack, type and name.
    fn named(&self, at: &Json) -> Option<Owner<'a>> {
        let text = |key: &str| at.get(key).and_then(Json::as_str);
        let (stack, name, kind) = (text("stack")?, text("name")?, text("type"));
        let is_named =
            |c: &Component| &*c.stack == stack && &*c.name == name && kind.is_none_or(|kind| &*c.kind == kind);
        let owners = self.own.iter().map(|subject| subject.owner).chain(self.about);
        owners.into_iter().find(|owner| is_named(owner.component))
    }
}

/// A component and a value in it.
type Place<'a> = (Owner<'a>, Spot<'a>);

/// A path as keys: `vars.cidr`, or a list of keys and numbers.
fn path_keys(path: Option<&Json>) -> Vec<String> {
    match path {
        Some(Json::String(text)) => text.split('.').filter(|key| !key.is_empty()).map(str::to_owned).collect(),
        Some(Json::Array(steps)) => {
            let key = |step: &Json| step.as_str().map_or_else(|| step.to_string(), str::to_owned);
            steps.iter().map(key).collect()
        }
        _ => Vec::new(),
    }
}
