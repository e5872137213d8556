//! Findings of policies at the lines that wrote the offending values: one finding per cause, however many stacks it
//! affects.

use super::Policy;
use super::cel::{Blamed, Blank, Root};
use super::run::Fault;
use crate::diagnostic::rules::INCOMPLETE_ANALYSIS;
use crate::diagnostic::{Diagnostic, FindingGroup, Label, RuleRef};
use crate::files::Files;
use crate::resolution::Component;
use crate::rules::places::{Findings, Place, at_key, place_of};
use crate::text::ByAddress;
use crate::validation::{Path, PathStep};
use crate::value::{Data, FileId, Origin, Value};
use std::collections::HashMap;
use std::sync::Arc;

/// The maximum number of further places in a finding.
const MOST: usize = 5;

/// A component with the file of its unit.
#[derive(Clone, Copy)]
pub(super) struct Owner<'a> {
    pub(super) component: &'a Component,
    pub(super) file: FileId,
}

/// A value that a finding is about.
#[derive(Clone)]
pub(super) struct Spot<'a> {
    value: Option<&'a Value>,
    root: Root,
    path: Path,
    /// The key that it lacks.
    lacks: Option<String>,
}

impl<'a> Spot<'a> {
    /// The whole component.
    pub(super) fn whole() -> Spot<'a> {
        Spot { value: None, root: Root::Component, path: Path::default(), lacks: None }
    }

    pub(super) fn of(blamed: &Blamed<'a>) -> Spot<'a> {
        let (root, path) = blamed.at.path();
        Spot { value: blamed.value, root, path, lacks: blamed.lacks.clone() }
    }

    pub(super) fn unknown(blank: &Blank<'a>) -> Spot<'a> {
        let (root, path) = blank.at.path();
        Spot { value: blank.value, root, path, lacks: None }
    }

    /// The value of a component at keys; the nearest value around it where that is not there.
    pub(super) fn at(component: &'a Component, keys: &[String]) -> Spot<'a> {
        let (mut value, mut path) = (&component.value, Path::default());
        for key in keys {
            let (next, step) = match (value.as_list(), key.parse::<usize>()) {
                (Some(items), Ok(i)) => (items.get(i), PathStep::Item(i)),
                _ => (value.get(key), PathStep::Key(key.clone())),
            };
            let Some(next) = next else {
                let value = (!path.0.is_empty()).then_some(value);
                return Spot { value, root: Root::Component, path, lacks: Some(key.clone()) };
            };
            value = next;
            path.0.push(step);
        }
        Spot { value: (!path.0.is_empty()).then_some(value), root: Root::Component, path, lacks: None }
    }

    /// The same value of another component, in which a policy reads values of the same content; `None` if it has none there.
    pub(super) fn of_another(&self, component: &'a Component) -> Option<Spot<'a>> {
        let value = match (self.root, self.value) {
            (Root::Component, Some(_)) => Some(self.path.of(&component.value)?),
            (_, value) => value,
        };
        Some(Spot { value, root: self.root, path: self.path.clone(), lacks: self.lacks.clone() })
    }

    /// Whether a line wrote it.
    pub(super) fn is_written(&self) -> bool {
        self.value.is_some_and(|value| origin(value).is_some())
    }

    /// How users write the way to it.
    pub(super) fn name(&self) -> String {
        let inside = self.path.to_string();
        let base = match (self.root, inside.is_empty()) {
            (Root::Component, true) => String::new(),
            (Root::Component, false) => inside,
            (root, true) => root.name().to_owned(),
            (root, false) => format!("{}.{inside}", root.name()),
        };
        match &self.lacks {
            Some(key) if base.is_empty() => key.clone(),
            Some(key) => format!("{base}.{key}"),
            None => base,
        }
    }

    /// The line that wrote it.
    pub(super) fn label(&self, owner: Owner<'_>, files: &Files) -> Label {
        let words = match &self.lacks {
            Some(key) => format!("`{key}` is not set"),
            None => String::new(),
        };
        let origin = self.value.and_then(origin).or_else(|| nearest(owner.component, &self.path));
        match origin.or_else(|| origin_of(owner.component)) {
            Some(origin) => at_key(files, origin, words),
            None => Label::new(owner.file, 0, 0, words),
        }
    }
}

/// Where a value was written; of one that was computed, the nearest text that it was computed from.
fn origin(value: &Value) -> Option<Origin> {
    let mut first = value.prov.origin;
    if first.is_none() {
        value.prov.for_each_input(&mut |origin| first = first.or(Some(origin)));
    }
    first
}

/// The place of the nearest value around a way.
fn nearest(component: &Component, path: &Path) -> Option<Origin> {
    path.along(&component.value).into_iter().skip(1).rev().find_map(origin)
}

fn origin_of(component: &Component) -> Option<Origin> {
    origin(&component.value).or_else(|| component.shaping_origins.own.first().copied())
}

/// The findings of a policy in the components of one state.
pub(super) struct Found<'a> {
    policy: &'a Policy,
    files: &'a Files,
    findings: Findings,
    /// The places of findings for faults that several components share.
    known: HashMap<ByAddress<Arc<Fault<'a>>>, Place>,
}

/// A statement about a value.
pub(super) struct ValueStatement<'s> {
    pub(super) rule: RuleRef,
    pub(super) message: &'s str,
    pub(super) note: Option<String>,
}

impl<'a> Found<'a> {
    pub(super) fn new(policy: &'a Policy, files: &'a Files) -> Self {
        Found { policy, files, findings: Findings::default(), known: HashMap::new() }
    }

    /// Adds a finding about what is at fault in a component.
    pub(super) fn add_fault(&mut self, owner: Owner<'_>, fault: &Arc<Fault<'a>>) {
        let (stack, message) = (&owner.component.stack, &self.policy.message);
        // A finding whose message names the stack is separate.
        let is_shared = !message.contains(&**stack);
        let known = self.known.get(&ByAddress(Arc::clone(fault))).filter(|_| is_shared);
        if known.is_some_and(|place| self.findings.add_stack(place, stack)) {
            return;
        }
        let statement = ValueStatement { rule: self.policy.rule.clone(), message, note: fault.note.clone() };
        let finding = self.finding(owner, &fault.spots, &[], &statement);
        if is_shared {
            self.known.insert(ByAddress(Arc::clone(fault)), place_of(&finding));
        }
        self.findings.add(stack, finding);
    }

    /// Adds a finding about some values of a component; the first one is its place.
    pub(super) fn add(
        &mut self,
        owner: Owner<'_>,
        spots: &[Spot<'_>],
        more: &[(Owner<'_>, Spot<'_>)],
        statement: &ValueStatement<'_>,
    ) {
        let finding = self.finding(owner, spots, more, statement);
        self.findings.add(&owner.component.stack, finding);
    }

    fn finding(
        &self,
        owner: Owner<'_>,
        spots: &[Spot<'_>],
        more: &[(Owner<'_>, Spot<'_>)],
        statement: &ValueStatement<'_>,
    ) -> Diagnostic {
        let whole = [Spot::whole()];
        let spots = if spots.is_empty() { &whole } else { spots };
        let component = owner.component;
        let name = spots[0].name();
        let label = spots[0].label(owner, self.files);
        // The same for several stacks is one finding, so what it is known by names no stack.
        let owners = std::iter::once(&owner).chain(more.iter().map(|(owner, _)| owner));
        let subject = owners.fold(statement.message.to_owned(), |text, o| text.replace(&*o.component.stack, "…"));
        let mut finding = Diagnostic::new(statement.rule.clone(), statement.message, label.clone())
            .token(format!("{name} {subject}"));
        let general = statement.message.replace(&*component.stack, "…").replace(&*component.name, "…");
        if general != statement.message {
            finding = finding.subject(&component.stack, &component.name).together(FindingGroup::Alike { general });
        }
        let address = [&*component.stack, &*component.name, &*name].join("/");
        finding = finding.address(address.trim_end_matches('/'));
        let mut places = vec![(label.file, label.start)];
        let mut relate = |finding: Diagnostic, label: Label| {
            let place = (label.file, label.start);
            if places.contains(&place) || places.len() > MOST {
                return finding;
            }
            places.push(place);
            finding.related(label)
        };
        if let Some(value) = spots[0].value {
            for label in self.history(value) {
                finding = relate(finding, label);
            }
        }
        for spot in &spots[1..] {
            let label = spot.label(owner, self.files);
            let message =
                if label.message.is_empty() { format!("this also reads `{}`", spot.name()) } else { label.message };
            finding = relate(finding, Label { message, ..label });
        }
        for (other, spot) in more {
            let label = spot.label(*other, self.files);
            let message = format!("`{}` of `{}` in `{}`", spot.name(), other.component.name, other.component.stack);
            finding = relate(finding, Label { message, ..label });
        }
        if let Some(note) = statement.note.as_ref().filter(|_| spots[0].lacks.is_none()) {
            finding = finding.note(note);
        }
        if let Some(help) = &self.policy.help {
            finding = finding.help(help);
        }
        finding
    }

    /// Adds that the policy cannot be evaluated because of an unknown value.
    pub(super) fn unknown(&mut self, owner: Owner<'_>, spot: &Spot<'_>) {
        let finding = not_evaluable(self.policy, spot, spot.label(owner, self.files));
        self.findings.add(&owner.component.stack, finding);
    }

    pub(super) fn finish(self) -> Vec<Diagnostic> {
        self.findings.finish()
    }

    /// Returns what a value was computed from, and what it replaced.
    fn history(&self, value: &Value) -> Vec<Label> {
        let mut labels = Vec::new();
        let mut inputs = Vec::new();
        value.prov.for_each_input(&mut |origin| inputs.push(origin));
        let read = inputs.into_iter().skip(1).take(MOST);
        labels.extend(read.map(|origin| at_key(self.files, origin, "which is computed from this")));
        let mut below = value.prov.overrode();
        while let Some(value) = below.filter(|_| labels.len() < MOST) {
            labels.extend(value.prov.origin.map(|origin| at_key(self.files, origin, "which replaces this")));
            below = value.prov.overrode();
        }
        labels
    }
}

/// A policy cannot be evaluated because of an unknown value.
pub(super) fn not_evaluable(policy: &Policy, spot: &Spot<'_>, place: Label) -> Diagnostic {
    let name = spot.name();
    let message = format!("the policy `{}` cannot be evaluated: `{name}` is not known", policy.id());
    let reason = spot.value.and_then(|value| match &value.data {
        Data::Unknown(unknown) => unknown.reasons.first().map(ToString::to_string),
        Data::Str(text) => {
            let call: String = text.lines().next().unwrap_or_default().chars().take(60).collect();
            Some(format!("`{call}` is evaluated during deployment"))
        }
        _ => Some("a call that is evaluated during deployment may add to it".to_owned()),
    });
    let label = Label { message: String::new(), ..place };
    let mut finding = Diagnostic::new(&INCOMPLETE_ANALYSIS, message, label).token(format!("{} {name}", policy.id()));
    if let Some(reason) = reason.filter(|reason| !reason.is_empty()) {
        finding = finding.note(reason);
    }
    finding
}
