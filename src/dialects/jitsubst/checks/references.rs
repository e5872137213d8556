//! Checks of references: the module exists, and is deployed first; the variable is set.

use super::lexical::is_odd;
use super::parts::Parts;
use super::{Subject, listed};
use crate::diagnostic::Rule;
use crate::diagnostic::{Diagnostic, Label};
use crate::diagnostic::{Diagnostics, value_label};
use crate::dialects::jitsubst::Stack;
use crate::dialects::jitsubst::defer::{Class, PRESERVED, Planned, Use};
use crate::dialects::jitsubst::expand::is_never_set;
use crate::dialects::jitsubst::reference::Body;
use crate::dialects::jitsubst::rules;
use std::collections::{BTreeMap, BTreeSet};

pub(super) fn check(subject: &Subject<'_>, diagnostics: &Diagnostics) {
    let mut parts = Parts::of(subject.files);
    for stack in subject.stacks {
        // An unknown dependency may be the missing one.
        let ordered = stack.resources.iter().all(|p| p.depends_on().is_some());
        for planned in &stack.resources {
            let mut waits = BTreeMap::new();
            for used in planned.uses.iter().filter(|u| !is_odd(&u.body)) {
                let place = parts.place((&used.prov, planned.resource.file), &used.written, used.nth);
                let mut one = One { subject, stack, planned, used, place, diagnostics };
                match &used.class {
                    Class::Id(module) | Class::Output(module, _) => one.module(module, ordered, &mut waits),
                    Class::Environment => one.variable(),
                    Class::Blanked => one.blanked(),
                    Class::Secret | Class::Malformed => {}
                }
            }
            never_set(subject, stack, (planned, &mut parts), diagnostics);
        }
    }
}

struct One<'a, 's> {
    subject: &'a Subject<'a>,
    stack: &'a Stack,
    planned: &'a Planned,
    used: &'a Use,
    place: Label,
    diagnostics: &'s Diagnostics,
}

impl<'a> One<'a, '_> {
    fn finding(&self, rule: &'static Rule, message: String) -> Diagnostic {
        let address = format!("{}/{}", self.stack.name, self.planned.resource.name);
        Diagnostic::new(rule, message, self.place.clone()).token(self.used.body.as_str()).address(address)
    }

    fn report(&mut self, finding: Diagnostic) {
        self.diagnostics.report_in(&self.stack.name, finding);
    }

    /// Checks a reference to a module. Whether the resource is deployed after a module, or in a circle with it, is found
    /// once for all of its references to that.
    fn module(&mut self, module: &'a str, ordered: bool, known: &mut BTreeMap<&'a str, bool>) {
        let own = &self.planned.resource;
        let written = self.used.written.as_str();
        if *own.name == *module {
            let message = format!("`{written}` needs `{module}` itself, which has no outputs before it is deployed");
            let finding = self.finding(&rules::JIT_SELF_REF, message);
            self.report(finding);
            return;
        }
        let Some(target) = self.stack.resource(module) else {
            let finding = self.unknown(module);
            self.report(finding);
            return;
        };
        let (name, other) = (own.name.to_string(), module.to_owned());
        let (depends, needs) = (&self.stack.depends, &self.stack.needs);
        let waits = || depends.reaches(&name, &other) || needs.reaches(&other, &name);
        if !ordered || *known.entry(module).or_insert_with(waits) {
            return;
        }
        let message = format!("`{written}` needs `{module}` to be deployed first, but `{name}` does not depend on it");
        let mut finding = self.finding(&rules::JIT_MISSING_DEPENDS_ON, message);
        finding = finding.related(value_label(&target.resource.prov, target.resource.file, "declared here"));
        let beside = self.subject.config.modules.iter().find(|m| m.name == own.module);
        let beside = beside.and_then(|m| m.value.get("dependsOn")?.as_list().cloned());
        if beside.is_some_and(|l| l.iter().any(|v| v.as_str() == Some(module))) {
            finding = finding.note("`dependsOn` beside `config` does not count for the order of resources");
        }
        finding = finding.help(format!("add `depends_on: [{module}]` to the `config` of `{}`", own.module));
        self.report(finding);
    }

    /// A reference to a module that this environment does not have under that name.
    fn unknown(&self, module: &str) -> Diagnostic {
        let written = self.used.written.as_str();
        let renamed = self.stack.resources.iter().find(|p| *p.resource.module == *module);
        if let Some(renamed) = renamed {
            let (name, stack) = (&renamed.resource.name, &self.stack.name);
            let message = format!("`{written}` finds no resource: `{module}` has another name in its environment");
            let words = format!("`{module}` is called `{name}` in `{stack}`");
            return self
                .finding(&rules::JIT_UNKNOWN_MODULE, message)
                .related(value_label(&renamed.resource.prov, renamed.resource.file, &words))
                .help("references use the name that a resource has after `config.name` of its environment is applied");
        }
        if let Some((_, site)) = self.stack.skipped.iter().find(|(name, _)| **name == *module) {
            let message = format!("`{written}` needs `{module}`, which is not part of this environment");
            let words = format!("excluded from `{}` here", self.stack.name);
            return self.finding(&rules::JIT_MODULE_SKIPPED_IN_ENV, message).related(value_label(
                site,
                self.planned.resource.file,
                &words,
            ));
        }
        let other = self.subject.config.modules.iter().find(|m| *m.name == *module);
        let message = match other {
            Some(other) => {
                format!("`{written}` needs an output of `{module}`, which is not a resource but a `{}`", other.kind)
            }
            None => format!("`{written}` names a module that does not exist"),
        };
        let finding = self.finding(&rules::JIT_UNKNOWN_MODULE, message);
        let names = self.stack.resources.iter().map(|p| &*p.resource.name);
        match (other, crate::text::nearest(module, names)) {
            (None, Some(near)) => finding.help(format!("did you mean `{near}`?")),
            _ => finding,
        }
    }

    /// Checks module references that expansion treats as variables.
    fn blanked(&mut self) {
        let Body::Module { module, .. } = Body::of(&self.used.body) else { return };
        if !is_module(self.subject, self.stack, module) {
            return;
        }
        let written = self.used.written.as_str();
        let message = format!(
            "`{written}` becomes an empty string: outside of {} it is read as an environment variable",
            listed(PRESERVED)
        );
        let note = "the environment is expanded when the plan is made, before references to modules are resolved";
        let finding = self.finding(&rules::JIT_REF_BLANKED_BY_ENV_EXPANSION, message).note(note);
        self.report(finding);
    }

    fn variable(&mut self) {
        let Some(known) = self.subject.variables else { return };
        let name = self.used.body.as_str();
        if known.contains(name) {
            return;
        }
        let written = self.used.written.as_str();
        let (rule, message) = match self.used.preserved {
            true => {
                (&rules::JIT_ENV_UNSET, format!("`{written}` is neither set nor a declared secret, so applying fails"))
            }
            false => (
                &rules::JIT_ENV_SILENTLY_EMPTY,
                format!("`{written}` is neither set nor a declared secret, so it becomes an empty string"),
            ),
        };
        let secrets = self.subject.config.secrets.iter().map(|s| &*s.name);
        let near = crate::text::nearest(name, known.iter().map(String::as_str).chain(secrets));
        let mut finding = self.finding(rule, message);
        finding.help = near.map(|n| format!("did you mean `{n}`?"));
        self.report(finding);
    }
}

fn is_module(subject: &Subject<'_>, stack: &Stack, name: &str) -> bool {
    subject.modules.contains(name) || stack.resource(name).is_some()
}

/// Checks shell syntax in expanded text: no variable can have such a name. Reported once per text.
fn never_set(
    subject: &Subject<'_>,
    stack: &Stack,
    (planned, parts): (&Planned, &mut Parts<'_>),
    diagnostics: &Diagnostics,
) {
    let lost = |u: &&Use| {
        let module = match Body::of(&u.body) {
            Body::Module { module, .. } => is_module(subject, stack, module),
            _ => false,
        };
        u.class == Class::Blanked && is_never_set(&u.body) && !module && !is_odd(&u.body)
    };
    let mut texts: Vec<Vec<&Use>> = Vec::new();
    for used in planned.uses.iter().filter(lost) {
        match texts.last_mut().filter(|t| t.first().is_some_and(|f| f.prov.origin == used.prov.origin)) {
            Some(text) => text.push(used),
            None => texts.push(vec![used]),
        }
    }
    for text in texts {
        let names: BTreeSet<&str> = text.iter().map(|u| u.written.as_str()).collect();
        let Some(first) = text.first() else { continue };
        let place = parts.place((&first.prov, planned.resource.file), &first.written, first.nth);
        let verb = if names.len() == 1 { "becomes" } else { "become" };
        let message = format!("{} {verb} empty in a plan: this is not a valid name of a variable", listed(names));
        let finding = Diagnostic::new(&rules::JIT_ENV_SILENTLY_EMPTY, message, place)
            .token(first.written.as_str())
            .note("every `$` followed by a name is expanded, in scripts too");
        diagnostics.report_in(&stack.name, finding);
    }
}
