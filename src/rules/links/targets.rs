//! Links whose target exists but does not provide what they need: `dependency-on-abstract`, `undefined-output`,
//! `implicit-dependency`.

use crate::diagnostic::{Diagnostic, Label};
use crate::resolution::{CodeOrigin, Component, LinkKind, ReadTarget};
use crate::rules::places::{Findings, at_key, at_name, rename};
use crate::rules::{Components, Need, Target, rule};
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

pub(super) fn on_abstract(context: &Components<'_>) -> Vec<Diagnostic> {
    let mut findings = Findings::default();
    for Need { from: component, link, target } in context.index.needs_of_deployed().filter(|n| !n.link.is_optional) {
        let Target::Found(targets) = target else { continue };
        let is_declared = link.how == LinkKind::Declared;
        if !is_declared && !matches!(link.reads, ReadTarget::Output(_)) {
            continue;
        }
        let is_never = |c: &Component| c.metadata.is_abstract || c.metadata.is_disabled && is_declared;
        let (Some(target), Some(origin)) = (targets.first(), link.origin.or(component.value.prov.origin)) else {
            continue;
        };
        if !targets.iter().all(|c| is_never(c)) {
            continue;
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
        findings.add(&component.stack, finding);
    }
    findings.finish()
}

/// The code of a component, if all outputs that it declares are known.
fn module(context: &Components<'_>, component: &Component) -> Option<Arc<Module>> {
    let code = component.metadata.code.as_ref().filter(|c| c.supply != CodeOrigin::Fetched && !c.is_open)?;
    context.modules.get(&code.folder).filter(|_| component.metadata.is_module)
}

pub(super) fn outputs(context: &Components<'_>) -> Vec<Diagnostic> {
    let mut findings = Findings::default();
    for Need { from: component, link, target } in context.index.needs_of_deployed().filter(|n| !n.link.is_optional) {
        let (ReadTarget::Output(name), Target::Found(targets)) = (&link.reads, target) else { continue };
        let [target] = **targets else { continue };
        let (Some(module), Some(origin)) = (module(context, target), link.origin.or(component.value.prov.origin))
        else {
            continue;
        };
        if module.outputs.contains_key(name) {
            continue;
        }
        let message = format!("`{name}` is not an output of `{}`, the code of `{}`", module.folder, target.name);
        let mut finding = Diagnostic::new(&UNDEFINED_OUTPUT, message, at_name(context.files, origin, name, ""))
            .token(format!("{} {name}", link.component))
            .address(address(component));
        finding = match nearest(name, module.outputs.keys().map(|k| &**k)) {
            Some(near) => {
                if let Some(origin) = module.outputs.get(near) {
                    finding = finding.related(Label::at(*origin, format!("`{near}` is declared here")));
                }
                finding.fix = rename(context.files, origin, name, near);
                finding.help(format!("did you mean `{near}`?"))
            }
            None => finding.help("declare the output, or correct the name"),
        };
        findings.add(&component.stack, finding);
    }
    findings.finish()
}

pub(super) fn implicit(context: &Components<'_>) -> Vec<Diagnostic> {
    let mut findings = Findings::default();
    let mut reported: BTreeSet<(&str, &str, &str, &str)> = BTreeSet::new();
    let needs: Vec<&Need<'_>> = context.index.needs_of_deployed().collect();
    let of_one = needs.chunk_by(|a, b| Arc::ptr_eq(a.from, b.from));
    let read =
        of_one.flat_map(|all| all.iter().filter(|need| need.link.how == LinkKind::Reads).map(move |need| (all, need)));
    for (all, Need { from: component, link, target }) in read {
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
