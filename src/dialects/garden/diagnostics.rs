//! Where the stages put what they find.

use super::rules::GARDEN_CONTEXT_PHASE;
use super::template::failure::{Failure, FailureKind, MissingKey};
use super::template::node::Node;
use crate::diagnostic::{self, Diagnostic, Label, Rule, rules};
use crate::text::{Text, nearest};
use crate::value::{FileId, Origin, Prov, Unknown};
use parking_lot::Mutex;
use std::ops::Deref;
use std::sync::Arc;

/// Collects findings, and knows where to show those without a known place.
#[derive(Debug)]
pub(crate) struct Diagnostics {
    found: diagnostic::Diagnostics,
    /// The file of findings without a known place.
    file: FileId,
    /// The files of variables whose content is not known.
    lacks: Mutex<Vec<Arc<Unknown>>>,
}

impl Deref for Diagnostics {
    type Target = diagnostic::Diagnostics;

    fn deref(&self) -> &diagnostic::Diagnostics {
        &self.found
    }
}

impl Diagnostics {
    /// For findings of a whole project; `file` is used for unknown places.
    pub(crate) fn new(file: FileId) -> Self {
        Diagnostics { found: diagnostic::Diagnostics::default(), file, lacks: Mutex::default() }
    }

    /// For findings of one environment.
    pub(crate) fn of_stack(file: FileId, stack: &Text) -> Self {
        Diagnostics { found: diagnostic::Diagnostics::of_stack(stack), file, lacks: Mutex::default() }
    }

    /// Notes a file of variables whose content is not known.
    pub(crate) fn lack(&self, what: Unknown) {
        let mut lacks = self.lacks.lock();
        if !lacks.iter().any(|known| **known == what) {
            lacks.push(Arc::new(what));
        }
    }

    /// Adds what another one collected.
    pub(crate) fn take(&self, other: Diagnostics) {
        let (findings, lacks) = other.into_parts();
        findings.into_iter().for_each(|finding| self.report(finding));
        lacks.into_iter().for_each(|what| self.lack(Arc::unwrap_or_clone(what)));
    }

    /// The findings, and the files of variables whose content is not known.
    pub(crate) fn into_parts(self) -> (Vec<Diagnostic>, Vec<Arc<Unknown>>) {
        (self.found.into_findings(), self.lacks.into_inner())
    }

    /// Adds a finding that prevents something from being resolved.
    pub(crate) fn error(&self, rule: &'static Rule, message: impl Into<String>, place: &Prov) {
        self.push(Diagnostic::new(rule, message, self.label(place)));
    }

    /// Adds a failed evaluation.
    pub(crate) fn failure(&self, failure: &Failure) {
        let label = self.failure_label(failure);
        let finding = match &failure.missing {
            Some(MissingKey { key, is_root: true, .. }) if phase(key).is_some() => {
                let message = format!("`{key}` is not available in this context");
                let help = phase(key).map(|phase| format!("`{key}` is available in {phase}")).unwrap_or_default();
                Diagnostic::new(&GARDEN_CONTEXT_PHASE, message, label).help(help).token(key.as_str())
            }
            // The available keys differ by environment, but it is one mistake.
            Some(MissingKey { key, available, .. }) => {
                let (message, _) = failure.plain.split_once(" Available keys: ").unwrap_or((&failure.plain, ""));
                let finding = Diagnostic::new(rule(failure.kind), message.trim_end_matches('.'), label);
                finding.help(keys_to_use(key, available)).token(key.as_str())
            }
            None => Diagnostic::new(rule(failure.kind), failure.plain.clone(), label),
        };
        self.push(finding);
    }

    /// A label where a value is written, its key included.
    pub(crate) fn label(&self, place: &Prov) -> Label {
        match origin(place) {
            Some(origin) => Label::at(origin, ""),
            None => Label::new(self.file, 0, 0, ""),
        }
    }

    fn failure_label(&self, failure: &Failure) -> Label {
        match origin(&failure.place) {
            Some(origin) => Label::new(origin.file, origin.start, origin.end, ""),
            None => Label::new(self.file, 0, 0, ""),
        }
    }

    /// All that was found.
    pub(crate) fn into_findings(self) -> Vec<Diagnostic> {
        self.found.into_findings()
    }
}

/// The place of a value, or of the nearest one that it was computed from.
fn origin(place: &Prov) -> Option<Origin> {
    place.origin.or_else(|| {
        let mut first = None;
        place.for_each_input(&mut |origin| {
            first.get_or_insert(origin);
        });
        first
    })
}

/// Where a context can be read, if it is one that only some fields have (`reference`: section 9).
fn phase(key: &str) -> Option<&'static str> {
    Some(match key {
        "actions" | "runtime" => "the `spec` and `variables` of actions, and in `inputs` of a RenderTemplate",
        "modules" => "modules, and in the `spec` and `variables` of actions",
        "providers" => "providers, and in the `spec` and `variables` of actions",
        "this" => "actions and modules",
        "inputs" | "parent" | "template" => "the `configs` and `modules` of a ConfigTemplate",
        "environment" => {
            "providers, workflows, actions and inputs, not in the project or in what names a rendered config"
        }
        "var" | "variables" => "environments, providers, workflows and actions",
        "item" => "`$filter` and `$return` beside `$forEach`",
        "steps" => "later steps of a workflow",
        _ => return None,
    })
}

/// The rule that reports a kind of failure.
fn rule(kind: FailureKind) -> &'static Rule {
    match kind {
        FailureKind::MissingKey => &rules::UNDEFINED_REFERENCE,
        FailureKind::Circular => &rules::REFERENCE_CYCLE,
        FailureKind::UnknownFunction => &rules::UNKNOWN_FUNCTION,
        FailureKind::Limit => &rules::LIMIT_EXCEEDED,
        FailureKind::Parse
        | FailureKind::NotIndexable
        | FailureKind::Function
        | FailureKind::Operand
        | FailureKind::Structure
        | FailureKind::Refused => &rules::TEMPLATE_ERROR,
    }
}

/// The place of a value of a mapping, or of the mapping where the value has none.
pub(crate) fn place_of<'a>(map: &'a Node, key: &str) -> &'a Prov {
    map.get(key).map_or(&map.prov, |node| &node.prov)
}

/// Suggests keys for a missing one.
fn keys_to_use(key: &str, available: &[Text]) -> String {
    /// The maximum number of keys that are listed.
    const MOST: usize = 20;
    if let Some(near) = nearest(key, available.iter().map(Text::as_str)) {
        return format!("did you mean `{near}`?");
    }
    let names: Vec<&str> = available.iter().take(MOST).map(Text::as_str).collect();
    match available.len() {
        0 => "there are no keys here".to_owned(),
        all if all > MOST => format!("keys are {}, and {} more", names.join(", "), all - MOST),
        _ => format!("keys are {}", names.join(", ")),
    }
}
