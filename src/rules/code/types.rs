//! `variable-type-mismatch`.

use super::module;
use crate::diagnostic::{Diagnostic, Label};
use crate::rules::places::{Findings, at_key};
use crate::rules::{Components, rule};

rule!(
    VARIABLE_TYPE_MISMATCH,
    "variable-type-mismatch",
    Correctness,
    "0.1.0",
    "a value cannot be converted to the type of the variable that it is for",
    Component(check)
);

fn check(context: &Components<'_>) -> Vec<Diagnostic> {
    let mut findings = Findings::default();
    for (_, component) in context.world.components().filter(|(_, c)| c.facts.is_deployed()) {
        let Some(module) = module(context, component) else { continue };
        for entry in component.facts.inputs.all.iter() {
            let Some(variable) = module.variables.get(&entry.key) else { continue };
            let whole = entry.value.prov.origin.or_else(|| written(component, &entry.key));
            for mismatch in variable.ty.mismatches(&entry.value) {
                let Some(origin) = mismatch.prov.origin.or(whole).or(component.value.prov.origin) else { continue };
                let path: Vec<&str> =
                    std::iter::once(&*entry.key).chain(mismatch.path.iter().map(String::as_str)).collect();
                // The items of a list that one line makes are one mistake.
                let is_index = |part: &&&str| part.bytes().all(|b| b.is_ascii_digit());
                let named: Vec<&str> = path.iter().filter(|part| !is_index(part)).copied().collect();
                let token = format!("{} {}", named.join("."), mismatch.reason);
                let path = path.join(".");
                let message = format!("`{path}` does not fit the variable `{}`: {}", entry.key, mismatch.reason);
                let finding = Diagnostic::new(VARIABLE_TYPE_MISMATCH.id, message, at_key(context.files, origin, ""))
                    .related(Label::at(variable.origin, format!("it is of type `{}`", variable.ty)))
                    .token(token)
                    .address(format!("{}/{}/{path}", component.stack, component.name));
                findings.add(&component.stack, finding);
            }
        }
    }
    findings.finish()
}

fn written(component: &crate::estate::Component, name: &str) -> Option<crate::value::Origin> {
    component.facts.inputs.written(name)?.prov.origin
}
