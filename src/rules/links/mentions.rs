//! `undefined-command-target`: a command that is written down names what is not there.

use crate::diagnostic::Diagnostic;
use crate::resolution::{Mention, MentionedName};
use crate::rules::places::{at_name, rename};
use crate::rules::{Components, Target, rule};
use crate::text::nearest;

rule!(
    UNDEFINED_COMMAND_TARGET,
    "undefined-command-target",
    Suspicious,
    "0.2.0",
    "a command names a component or a stack that is not there"
);

pub(super) fn check(context: &Components<'_>) -> Vec<Diagnostic> {
    let one = |mention: &Mention| match context.world.mentioned(mention) {
        Target::Found(_) | Target::Unknown => None,
        Target::Withheld => {
            context.withheld.by(&UNDEFINED_COMMAND_TARGET);
            None
        }
        Target::NoStack => no_stack(context, mention, mention.stack.as_ref()?),
        Target::NoComponent(stack) => no_component(context, mention, mention.component.as_ref()?, stack),
    };
    context.world.mentions().iter().filter_map(one).collect()
}

fn no_stack(context: &Components<'_>, mention: &Mention, stack: &MentionedName) -> Option<Diagnostic> {
    let message = format!("{} names stack `{}`, but there is no such stack", mention.by, stack.name);
    Some(finding(context, message, stack, nearest(&stack.name, context.world.stacks()), "the stack"))
}

fn no_component(
    context: &Components<'_>,
    mention: &Mention,
    component: &MentionedName,
    stack: &str,
) -> Option<Diagnostic> {
    let names: Vec<&str> = match stack {
        "" => context.world.stacks().flat_map(|stack| context.world.names(stack)).collect(),
        stack => context.world.names(stack).collect(),
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
    Some(match context.world.stacks_with(&component.name).as_slice() {
        [only] if !stack.is_empty() && *only != stack => {
            found.note(format!("stack `{only}` has a `{}`", component.name))
        }
        _ => found,
    })
}

fn finding(
    context: &Components<'_>,
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
