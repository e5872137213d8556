//! Links whose target exists but does not provide what they need: `dependency-on-abstract`, `undefined-output`,
//! `implicit-dependency`.

use crate::diagnostic::{Diagnostic, Label, Rule};
use crate::resolution::{CodeOrigin, Component, LinkKind, ReadTarget};
use crate::rules::places::{Findings, at_key, at_name, rename};
use crate::rules::{Components, Need, Target, in_units, rule};
use crate::terraform::Module;
use crate::text::nearest;
use std::collections::BTreeSet;
use std::sync::Arc;

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

fn address(component: &Component) -> String {
    format!("{}/{}", component.stack, component.name)
}

/// Calls `find` for the links of deployed components that need something; the findings of all of them. Nothing is found
/// again where nothing was found before.
fn in_links(
    context: &Components<'_>,
    rule: &'static Rule,
    find: impl Fn(&Need<'_>) -> Option<Diagnostic> + Sync + Send,
) -> Vec<Diagnostic> {
    let mut findings = Findings::default();
    let found = in_units(context, rule, |unit| {
        let needs = context.index.needs_of_deployed_in(unit).filter(|need| !need.link.is_optional);
        let found: Vec<_> = needs.filter_map(|need| Some((&need.from.stack, find(need)?))).collect();
        (!found.is_empty()).then_some(found)
    });
    findings.add_all(found.into_iter().flatten());
    findings.finish()
}

pub(super) fn on_abstract(context: &Components<'_>) -> Vec<Diagnostic> {
    in_links(context, &DEPENDENCY_ON_ABSTRACT, |need| of_abstract(context, need))
}

fn of_abstract(context: &Components<'_>, need: &Need<'_>) -> Option<Diagnostic> {
    let Need { from: component, link, target, .. } = need;
    let Target::Found(targets) = target else { return None };
    let is_declared = link.how == LinkKind::Declared;
    if !is_declared && !matches!(link.reads, ReadTarget::Output(_)) {
        return None;
    }
    let is_never = |c: &Component| c.metadata.is_abstract || c.metadata.is_disabled && is_declared;
    let (target, origin) = (targets.first()?, link.origin.or(component.value.prov.origin)?);
    if !targets.iter().all(|c| is_never(c)) {
        return None;
    }
    let what = if target.metadata.is_abstract { "abstract" } else { "disabled" };
    let verb = if is_declared { "depends on" } else { "reads the state of" };
    let message = format!("`{}` {verb} `{}`, which is {what} and never deployed", component.name, target.name);
    let place = at_name(context.files, origin, &link.component, "");
    let mut finding = Diagnostic::new(&DEPENDENCY_ON_ABSTRACT, message, place)
        .token(&*link.component)
        .address(address(component))
        .help("name a component that is deployed, or remove the dependency");
    if let Some(origin) = target.value.prov.origin {
        let label = at_key(context.files, origin, format!("`{}` is defined here", target.name));
        finding = finding.related(label);
    }
    Some(finding)
}

/// The code of a component, if all outputs that it declares are known.
fn module(context: &Components<'_>, component: &Component) -> Option<Arc<Module>> {
    let code = component.metadata.code.as_ref().filter(|c| c.supply != CodeOrigin::Fetched && !c.is_open)?;
    context.modules.get(&code.folder).filter(|_| component.metadata.is_module)
}

pub(super) fn outputs(context: &Components<'_>) -> Vec<Diagnostic> {
    in_links(context, &UNDEFINED_OUTPUT, |need| undeclared_output(context, need))
}

fn undeclared_output(context: &Components<'_>, need: &Need<'_>) -> Option<Diagnostic> {
    let Need { from: component, link, target, .. } = need;
    let (ReadTarget::Output(name), Target::Found(targets)) = (&link.reads, target) else { return None };
    let [target] = **targets else { return None };
    let (module, origin) = (module(context, target)?, link.origin.or(component.value.prov.origin)?);
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

pub(super) fn implicit(context: &Components<'_>) -> Vec<Diagnostic> {
    let mut findings = Findings::default();
    let mut reported: BTreeSet<(&str, &str, &str, &str)> = BTreeSet::new();
    let needs: Vec<&Need<'_>> = context.index.needs_of_deployed().collect();
    let of_one = needs.chunk_by(|a, b| Arc::ptr_eq(a.from, b.from));
    let read =
        of_one.flat_map(|all| all.iter().filter(|need| need.link.how == LinkKind::Reads).map(move |need| (all, need)));
    for (all, Need { from: component, link, target, .. }) in read {
        if matches!(link.reads, ReadTarget::Input(_)) {
            continue;
        }
        let Target::Found(targets) = target else { continue };
        let (Some(target), Some(origin)) = (targets.first(), link.origin.or(component.value.prov.origin)) else {
            continue;
        };
        let is_self = target.stack == component.stack && target.name == component.name;
        let is_declared =
            all.iter().filter(|need| need.link.how == LinkKind::Declared).any(|declared| match &declared.target {
                Target::Found(all) => all.iter().any(|c| c.stack == target.stack && c.name == target.name),
                // A declared dependency with an unknown target may be this one.
                Target::NoComponent(_) | Target::NoStack | Target::Withheld | Target::Unknown => true,
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
                ));
        findings.add(&component.stack, finding);
    }
    findings.finish()
}
