//! `variable-type-mismatch`.

use super::module;
use crate::diagnostic::{Diagnostic, Label};
use crate::resolution::Unit;
use crate::rules::places::{Findings, at_key};
use crate::rules::{Components, by_unit, rule};
use crate::terraform::{Module, Type, Variable};
use crate::text::{FastMap, FastSet, Text, order};
use crate::value::{Data, Entry, Value, is_call};
use std::sync::Arc;

rule!(
    VARIABLE_TYPE_MISMATCH,
    "variable-type-mismatch",
    Correctness,
    "0.1.0",
    "a value cannot be converted to the type of its variable"
);

pub(super) fn check(context: &Components<'_>) -> Vec<Diagnostic> {
    let units = context.index.units();
    let found = by_unit(context.results, &VARIABLE_TYPE_MISMATCH, units, |units| mismatches(context, units));
    Findings::together(found.iter().map(|found| &**found)).finish()
}

/// Returns the values in some units that do not match their variables.
fn mismatches(context: &Components<'_>, units: &[Arc<Unit>]) -> Findings {
    let mut findings = Findings::default();
    let mut unknown: FastSet<*const u8> = FastSet::default();
    // Lists and maps that fit a variable, by the addresses of both: many components share one.
    let mut fitting: FastSet<(usize, *const Variable)> = FastSet::default();
    let mut typed = TypedVariables::default();
    let components = units.iter().flat_map(|unit| &unit.components);
    for component in components.filter(|component| component.metadata.is_deployed()) {
        let Some(module) = module(context, component) else { continue };
        let mut variables = typed.of(&module).iter().peekable();
        let inputs = &component.metadata.inputs;
        for Entry { key: name, value } in inputs.all.iter() {
            // Both come in the order of their names.
            while variables.next_if(|(other, _)| order(other, name).is_lt()).is_some() {}
            let Some((_, variable)) = variables.next_if(|(other, _)| order(other, name).is_eq()) else { continue };
            // The text of a call that one line gives to many components is checked once.
            let text = value.as_str().filter(|text| is_call(text)).map(str::as_ptr);
            if text.is_some_and(|text| unknown.contains(&text)) {
                continue;
            }
            let shared = shared_address(value).map(|address| (address, std::ptr::from_ref(variable)));
            if shared.is_some_and(|shared| fitting.contains(&shared)) {
                continue;
            }
            let Some(value) = inputs.evaluated(value) else { continue };
            if let Data::Unknown(_) = value.data {
                unknown.extend(text);
                continue;
            }
            let mismatches = variable.ty.mismatches(&value);
            if mismatches.is_empty() {
                fitting.extend(shared);
                continue;
            }
            let whole = value.prov.origin.or_else(|| written(component, name));
            for mismatch in mismatches {
                let Some(origin) = mismatch.prov.origin.or(whole).or(component.value.prov.origin) else { continue };
                let path: Vec<&str> =
                    std::iter::once(&**name).chain(mismatch.path.iter().map(String::as_str)).collect();
                // The items of a list that one line makes are one mistake.
                let is_index = |part: &&&str| part.bytes().all(|b| b.is_ascii_digit());
                let named: Vec<&str> = path.iter().filter(|part| !is_index(part)).copied().collect();
                let token = format!("{} {}", named.join("."), mismatch.reason);
                let path = path.join(".");
                let message = format!("`{path}` does not fit the variable `{name}`: {}", mismatch.reason);
                let finding = Diagnostic::new(&VARIABLE_TYPE_MISMATCH, message, at_key(context.files, origin, ""))
                    .related(Label::at(variable.origin, format!("it is of type `{}`", variable.ty)))
                    .token(token)
                    .address(format!("{}/{}/{path}", component.stack, component.name));
                findings.add(&component.stack, finding);
            }
        }
    }
    findings
}

/// The address of a list or a map with several owners.
fn shared_address(value: &Value) -> Option<usize> {
    match &value.data {
        Data::List(items) if Arc::strong_count(items) > 1 => Some(Arc::as_ptr(items).addr()),
        Data::Map(map) if Arc::strong_count(map) > 1 => Some(Arc::as_ptr(map).addr()),
        _ => None,
    }
}

/// The variables of modules that do not take any value, in the order of their names: many components use one module.
#[derive(Default)]
struct TypedVariables(FastMap<*const Module, OfModule>);

/// The module is kept so that its address stays its own.
struct OfModule {
    _module: Arc<Module>,
    variables: Vec<(Text, Variable)>,
}

impl TypedVariables {
    fn of(&mut self, module: &Arc<Module>) -> &[(Text, Variable)] {
        let typed = || {
            let typed = module.variables.iter().filter(|(_, variable)| variable.ty != Type::Any);
            let variables = typed.map(|(name, variable)| (Text::clone(name), variable.clone())).collect();
            OfModule { _module: Arc::clone(module), variables }
        };
        &self.0.entry(Arc::as_ptr(module)).or_insert_with(typed).variables
    }
}

fn written(component: &crate::resolution::Component, name: &str) -> Option<crate::value::Origin> {
    component.metadata.inputs.written(name)?.prov.origin
}
