//! Links whose target exists but does not provide what they need: `dependency-on-abstract`, `undefined-output`,
//! `implicit-dependency`.

use crate::diagnostic::{Diagnostic, Label};
use crate::resolution::{LinkKind, ReadTarget};
use crate::rules::change::dependency_dropped::DEPENDENCY_DROPPED;
use crate::rules::places::{Findings, at_key, at_name, rename};
use crate::rules::{AllUnits, ResolvedLink, Target, rule};
use crate::text::nearest;
use crate::unit::Interface;
use std::collections::BTreeSet;

rule!(
    DEPENDENCY_ON_ABSTRACT,
    "dependency-on-abstract",
    Suspicious,
    "0.1.0",
    "a component depends on one that is never deployed"
);
rule!(
    UNDEFINED_OUTPUT,
    "undefined-output",
    Suspicious,
    "0.1.0",
    "a component reads an output that the code does not declare"
);
rule!(
    IMPLICIT_DEPENDENCY,
    "implicit-dependency",
    Hygiene,
    "0.1.0",
    "a component reads the state of another one without declaring the dependency"
);

fn address(component: &Interface) -> String {
    format!("{}/{}", component.stack, component.name)
}

/// Calls `find` for the links of deployed components that need something; the findings of all of them.
fn in_links(context: &AllUnits<'_>, find: impl Fn(&ResolvedLink<'_>) -> Option<Diagnostic>) -> Vec<Diagnostic> {
    let mut findings = Findings::default();
    let needs = context.index.needs_of_deployed().filter(|need| !need.link.is_optional);
    findings.add_all(needs.filter_map(|need| Some((&need.from.stack, find(need)?))));
    findings.finish()
}

/// Whether two links are of one component.
fn is_of_one(a: &&ResolvedLink<'_>, b: &&ResolvedLink<'_>) -> bool {
    std::ptr::eq(a.from, b.from)
}

pub(super) fn on_abstract(context: &AllUnits<'_>) -> Vec<Diagnostic> {
    let mut findings = Findings::default();
    let needs: Vec<&ResolvedLink<'_>> =
        context.index.needs_of_deployed().filter(|need| !need.link.is_optional).collect();
    for of_one in needs.chunk_by(is_of_one) {
        let mut found: Vec<(&Interface, Diagnostic)> = Vec::new();
        for need in of_one {
            let Some((target, finding)) = of_abstract(context, need) else { continue };
            // However often it is named, it is one component that is not deployed.
            match found.iter_mut().find(|(known, _)| known.stack == target.stack && known.name == target.name) {
                Some((_, first)) if first.primary == finding.primary => {}
                Some((_, first)) => {
                    let message = "it is also named here".to_owned();
                    first.related.push(Label { message, ..finding.primary });
                }
                None => found.push((target, finding)),
            }
        }
        findings.add_all(found.into_iter().map(|(_, finding)| (&of_one[0].from.stack, finding)));
    }
    findings.finish()
}

fn of_abstract<'a>(context: &AllUnits<'a>, need: &ResolvedLink<'a>) -> Option<(&'a Interface, Diagnostic)> {
    let ResolvedLink { from: component, link, target, .. } = need;
    let Target::Found(targets) = target else { return None };
    let is_declared = link.how == LinkKind::Declared;
    if !is_declared && !matches!(link.reads, ReadTarget::Output(_)) {
        return None;
    }
    let is_never = |c: &Interface| c.is_abstract || c.is_disabled && is_declared;
    let (target, origin) = (targets.first()?, link.origin.or(*component.origin)?);
    if !targets.iter().all(|c| is_never(c)) {
        return None;
    }
    let what = if target.is_abstract { "abstract" } else { "disabled" };
    let verb = if is_declared { "depends on" } else { "reads the state of" };
    let message = format!("`{}` {verb} `{}`, which is {what} and never deployed", component.name, target.name);
    let place = at_name(context.files, origin, &link.component, "");
    let mut finding = Diagnostic::new(&DEPENDENCY_ON_ABSTRACT, message, place)
        .token(&*link.component)
        .address(address(component))
        .help("name a component that is deployed, or remove the dependency");
    if let Some(origin) = *target.origin {
        let label = at_key(context.files, origin, format!("`{}` is defined here", target.name));
        finding = finding.related(label);
    }
    Some((target, finding))
}

pub(super) fn outputs(context: &AllUnits<'_>) -> Vec<Diagnostic> {
    in_links(context, |need| undeclared_output(context, need))
}

fn undeclared_output(context: &AllUnits<'_>, need: &ResolvedLink<'_>) -> Option<Diagnostic> {
    let ResolvedLink { from: component, link, target, .. } = need;
    let (ReadTarget::Output(name), Target::Found(targets)) = (&link.reads, target) else { return None };
    let [target] = **targets else { return None };
    let (module, origin) = (context.module(target)?, link.origin.or(*component.origin)?);
    if module.outputs.contains_key(name) {
        return None;
    }
    let message = format!("`{name}` is not an output of `{}`, the code of `{}`", module.folder, target.name);
    let finding = Diagnostic::new(&UNDEFINED_OUTPUT, message, at_name(context.files, origin, name, ""))
        .token(format!("{} {name}", link.component))
        .address(address(component));
    let Some(near) = nearest(name, module.outputs.keys().map(|k| &**k)) else {
        return Some(finding.help("declare the output, or correct the name"));
    };
    let declared = module.outputs.get(near).map(|o| Label::at(*o, format!("`{near}` is declared here")));
    let mut finding = declared.into_iter().fold(finding, Diagnostic::related);
    finding.fix = rename(context.files, origin, name, near);
    Some(finding.help(format!("did you mean `{near}`?")))
}

pub(super) fn implicit(context: &AllUnits<'_>) -> Vec<Diagnostic> {
    let mut findings = Findings::default();
    let mut reported: BTreeSet<(&str, &str, &str, &str)> = BTreeSet::new();
    let needs: Vec<&ResolvedLink<'_>> = context.index.needs_of_deployed().collect();
    let of_one = needs.chunk_by(is_of_one);
    let read =
        of_one.flat_map(|all| all.iter().filter(|need| need.link.how == LinkKind::Reads).map(move |need| (all, need)));
    for (all, ResolvedLink { from: component, link, target, .. }) in read {
        if matches!(link.reads, ReadTarget::Input(_)) {
            continue;
        }
        let Target::Found(targets) = target else { continue };
        let (Some(target), Some(origin)) = (targets.first(), link.origin.or(*component.origin)) else {
            continue;
        };
        let is_self = target.stack == component.stack && target.name == component.name;
        let is_declared =
            all.iter().filter(|need| need.link.how == LinkKind::Declared).any(|declared| match &declared.target {
                Target::Found(all) => all.iter().any(|c| c.stack == target.stack && c.name == target.name),
                // A declared dependency with an unknown target may be this one.
                Target::NoComponent(_) | Target::NoStack | Target::Undecided | Target::Unknown => true,
            });
        // However often it is read, one declaration is missing.
        let is_new = reported.insert((&component.stack, &component.name, &target.stack, &target.name));
        if is_self || is_declared || !is_new {
            continue;
        }
        let message = format!(
            "`{}` reads the state of `{}` with `{}`, but does not declare that it depends on it",
            component.name, target.name, link.by
        );
        let finding =
            Diagnostic::new(&IMPLICIT_DEPENDENCY, message, at_name(context.files, origin, &link.component, ""))
                .token(format!("{} {}", component.name, link.component))
                .address(address(component))
                .help(format!(
                    "declare `{}` under the dependencies of `{}`, so that it is deployed first",
                    target.name, component.name
                ))
                .follows(&DEPENDENCY_DROPPED);
        findings.add(&component.stack, finding);
    }
    findings.finish()
}
