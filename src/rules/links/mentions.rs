//! `undefined-command-target`: a command that is written down names what is not there.

use crate::diagnostic::Diagnostic;
use crate::resolution::{CommandReference, MentionedName};
use crate::rules::places::{at_name, rename};
use crate::rules::{AllUnits, Target, rule};
use crate::text::nearest;

rule!(
    UNDEFINED_COMMAND_TARGET,
    "undefined-command-target",
    Suspicious,
    "0.1.0",
    "a command names a component or a stack that does not exist"
);

/// The maximum number of findings with suggestions: each search compares all names.
const SUGGESTIONS: usize = 100;

pub(super) fn check(context: &AllUnits<'_>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for mention in context.mentions {
        found.extend(one(context, mention, found.len() < SUGGESTIONS));
    }
    found
}

fn one(context: &AllUnits<'_>, mention: &CommandReference, suggests: bool) -> Option<Diagnostic> {
    match context.index.mentioned(mention, context.has_gap) {
        Target::Found(_) | Target::Unknown => None,
        Target::Undecided => {
            context.withheld.record(&UNDEFINED_COMMAND_TARGET);
            None
        }
        Target::NoStack => {
            let stack = mention.stack.as_ref()?;
            let message = format!("{} names stack `{}`, but there is no such stack", mention.by, stack.name);
            let near = nearest(&stack.name, context.index.stacks().filter(|_| suggests));
            Some(finding(context, message, stack, near, "the stack"))
        }
        Target::NoComponent(stack) => {
            Some(no_component(context, mention, mention.component.as_ref()?, stack, suggests))
        }
    }
}

fn no_component(
    context: &AllUnits<'_>,
    mention: &CommandReference,
    component: &MentionedName,
    stack: &str,
    suggests: bool,
) -> Diagnostic {
    let names: Vec<&str> = match stack {
        _ if !suggests => Vec::new(),
        "" => context.index.all_names().collect(),
        stack => context.index.names(stack).collect(),
    };
    let what = match mention.kinds {
        [] => "component".to_owned(),
        kinds => format!("{} component", kinds.join(" or ")),
    };
    let message = match stack {
        "" => format!("{} names {what} `{}`, which no stack has", mention.by, component.name),
        stack => format!("{} names {what} `{}`, which stack `{stack}` does not have", mention.by, component.name),
    };
    let near = nearest(&component.name, names.into_iter().filter(|name| *name != &*component.name));
    let found = finding(context, message, component, near, "the component");
    let others = if suggests { context.index.stacks_with(&component.name) } else { &[] };
    match others {
        [only] if !stack.is_empty() && *only != stack => {
            found.note(format!("stack `{only}` has a `{}`", component.name))
        }
        _ => found,
    }
}

fn finding(
    context: &AllUnits<'_>,
    message: String,
    name: &MentionedName,
    near: Option<&str>,
    what: &str,
) -> Diagnostic {
    let place = at_name(context.files, name.origin, &name.name, "");
    let mut finding = Diagnostic::new(&UNDEFINED_COMMAND_TARGET, message, place).token(&*name.name);
    match near {
        Some(near) => {
            finding.fix = rename(context.files, name.origin, &name.name, near);
            finding.help(format!("did you mean `{near}`?"))
        }
        None => finding.help(format!("correct the name of {what}, or add it")),
    }
}
