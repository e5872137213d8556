//! `undefined-dependency` and `undefined-component-reference`: links to what is not there.

use crate::diagnostic::Diagnostic;
use crate::diagnostic::Rule;
use crate::diagnostic::rules::UNDEFINED_DEPENDENCY;
use crate::resolution::{Link, LinkKind, StackSelector};
use crate::rules::places::{Findings, at_name, rename};
use crate::rules::{AllUnits, ResolvedLink, Target, rule};
use crate::text::Text;
use crate::text::nearest;
use crate::unit::Interface;

rule!(
    UNDEFINED_COMPONENT_REFERENCE,
    "undefined-component-reference",
    Correctness,
    "0.1.0",
    "a function or template reads from a component that does not exist"
);

pub(super) fn dependencies(context: &AllUnits<'_>) -> Vec<Diagnostic> {
    undefined(context, &UNDEFINED_DEPENDENCY, LinkKind::Declared)
}

pub(super) fn references(context: &AllUnits<'_>) -> Vec<Diagnostic> {
    undefined(context, &UNDEFINED_COMPONENT_REFERENCE, LinkKind::Reads)
}

fn undefined(context: &AllUnits<'_>, rule: &'static Rule, how: LinkKind) -> Vec<Diagnostic> {
    let mut findings = Findings::default();
    // Nearly all are found, which is known without looking at the link.
    let is_missing = |need: &&ResolvedLink<'_>| !matches!(need.target, Target::Found(_) | Target::Unknown);
    for need in context.index.needs_of_deployed().filter(is_missing).filter(|need| need.link.how == how) {
        let ResolvedLink { from: component, link, target } = need;
        // A default of what is read does not help where the whole component is missing.
        if how == LinkKind::Declared && link.is_optional {
            continue;
        }
        let finding = match target {
            Target::Found(_) | Target::Unknown => continue,
            Target::Undecided => {
                context.withheld.record(rule);
                continue;
            }
            Target::NoComponent(stack) => no_component(context, rule, component, link, stack),
            Target::NoStack => no_stack(context, rule, component, link),
        };
        findings.add_all(finding.map(|finding| (&component.stack, finding)));
    }
    findings.finish()
}

fn subject(component: &Interface, link: &Link) -> String {
    match link.how {
        LinkKind::Declared => format!("`{}` depends on `{}`", component.name, link.component),
        LinkKind::Reads => format!("`{}` of `{}` reads from `{}`", link.by, component.name, link.component),
    }
}

fn no_component(
    context: &AllUnits<'_>,
    rule: &'static Rule,
    component: &Interface,
    link: &Link,
    stack: &str,
) -> Option<Diagnostic> {
    let origin = link.origin.or(*component.origin)?;
    let place = at_name(context.files, origin, &link.component, "");
    let (message, names): (String, Box<dyn Iterator<Item = &str>>) = if stack.is_empty() {
        (format!("{}, which no stack defines", subject(component, link)), Box::new(context.index.all_names()))
    } else {
        let message = format!("{}, which is not a component of stack `{stack}`", subject(component, link));
        (message, Box::new(context.index.names(stack)))
    };
    let mut finding = Diagnostic::new(rule, message, place)
        .token(&*link.component)
        .address(format!("{}/{}", component.stack, component.name));
    let others = context.index.stacks_with(&link.component);
    let near = nearest(&link.component, names.filter(|n| **n != *component.name));
    finding = match (others, near) {
        ([], Some(near)) => {
            finding.fix = rename(context.files, origin, &link.component, near);
            finding.help(format!("did you mean `{near}`?"))
        }
        ([], None) => finding.help("correct the name, or import the manifest that defines it"),
        ([only], _) => {
            finding.help(format!("stack `{only}` has a `{}`: name the stack, or import it here", link.component))
        }
        ([first, rest @ ..], _) => finding.help(format!(
            "`{first}` and {} other stacks have a `{}`: name the stack, or import it here",
            rest.len(),
            link.component
        )),
    };
    Some(finding)
}

fn no_stack(context: &AllUnits<'_>, rule: &'static Rule, component: &Interface, link: &Link) -> Option<Diagnostic> {
    let origin = link.stack_origin.or(*link.origin).or(*component.origin)?;
    let address = format!("{}/{}", component.stack, component.name);
    match &link.stack {
        StackSelector::Stack(stack) => {
            let message = format!("{} of stack `{stack}`, but there is no such stack", subject(component, link));
            let place = at_name(context.files, origin, stack, "");
            let mut finding = Diagnostic::new(rule, message, place).token(&**stack).address(address);
            finding = match nearest(stack, context.index.stacks()) {
                Some(near) => {
                    finding.fix = rename(context.files, origin, stack, near);
                    finding.help(format!("did you mean `{near}`?"))
                }
                None => finding.help("correct the name of the stack"),
            };
            Some(finding)
        }
        StackSelector::Having(wanted) => {
            let words: Vec<String> =
                wanted.iter().map(|(key, text): &(Text, Text)| format!("{key} `{text}`")).collect();
            let message = format!("{}, but none has {}", subject(component, link), words.join(", "));
            let place = at_name(context.files, link.origin.unwrap_or(origin), &link.component, "");
            let finding = Diagnostic::new(rule, message, place).token(&*link.component).address(address);
            Some(finding.help("correct the variables that name the stack"))
        }
        StackSelector::Here | StackSelector::Unknown => None,
    }
}
