//! `undeclared-variable` and `missing-required-variable`: the inputs of components against the variables of their code.

use super::module;
use crate::diagnostic::rules::{MISSING_REQUIRED_VARIABLE, UNDECLARED_VARIABLE};
use crate::diagnostic::{Diagnostic, Label, Together};
use crate::resolution::{Component, ReadTarget};
use crate::rules::places::{Findings, at_key, key_in, rename_key};
use crate::rules::{Components, Target, in_units};
use crate::syntax::secrets::is_secret_key;
use crate::terraform::{Module, Variable};
use crate::text::{FastSet, Text, nearest, order};
use crate::threads::PerThread;
use crate::value::{Data, Entry, Map, Origin, Prov, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

/// The findings about an input at the place where it was written.
#[derive(Default)]
struct Written<'a> {
    /// The components that it reaches and whose code does not declare it.
    undeclared: Vec<&'a Arc<Component>>,
    /// Some component can use it, or that is unknown.
    is_used: bool,
}

/// The addresses of a map of inputs and of the module that gets them.
type MapOfCode = (usize, usize);

/// Whether a component may do something with an input of this name. Only code that declares anything can be compared.
fn takes(component: &Component, module: Option<&Arc<Module>>, name: &str) -> bool {
    let is_declared = |m: &Arc<Module>| m.variables.is_empty() || m.variables.contains_key(name);
    module.is_none_or(is_declared) || component.metadata.inputs.reserved.contains(&name) || name.contains("{{")
}

/// The entries of some inputs that their component cannot do anything with.
fn untaken<'m>(
    component: &Component,
    module: Option<&'m Arc<Module>>,
    inputs: &'m Map,
) -> impl Iterator<Item = &'m Entry> {
    // Both come in the order of their names.
    let mut declared = module.into_iter().flat_map(|module| module.variables.keys()).peekable();
    let mut is_declared = move |name: &Text| {
        while declared.next_if(|other| order(other, name).is_lt()).is_some() {}
        declared.next_if(|other| order(other, name).is_eq()).is_some()
    };
    inputs.iter().filter(move |e| !is_declared(&e.key) && !takes(component, module, &e.key))
}

/// The places of inputs that the code of some component does not declare, with the others that they reach.
fn written<'a>(context: &Components<'a>) -> BTreeMap<(Origin, Text), Written<'a>> {
    let units = context.index.units();
    let mut places: BTreeMap<(Origin, Text), Written<'_>> = BTreeMap::new();
    let of_code = |map: &Arc<Map>, module: Option<&Arc<Module>>| -> MapOfCode {
        (Arc::as_ptr(map).addr(), module.map_or(0, |module| Arc::as_ptr(module).addr()))
    };
    // Many stacks share maps without such inputs.
    let clean: PerThread<FastSet<MapOfCode>> = PerThread::default();
    // Returns whether the code takes all inputs of a component; adds those that it does not take and that are written.
    let examine = |component: &'a Arc<Component>, found: &mut Vec<_>| {
        let module = module(context, component);
        let module = module.as_ref();
        let mut takes_all = true;
        for map in component.metadata.inputs.authored.iter().filter(|map| !map.is_empty() && module.is_some()) {
            if clean.with(|clean| clean.contains(&of_code(map, module))) == Some(true) {
                continue;
            }
            let mut untaken = untaken(component, module, map).peekable();
            if untaken.peek().is_none() {
                clean.with(|clean| clean.insert(of_code(map, module)));
                continue;
            }
            takes_all = false;
            for entry in untaken {
                // Entries of an included file or a template are not written here.
                let origin = entry.value.prov.origin.filter(|o| key_in(context.files, *o, &entry.key).is_some());
                let Some(origin) = origin else { continue };
                found.push(((origin, Text::clone(&entry.key)), component));
            }
        }
        takes_all
    };
    let found = in_units(context, &UNDECLARED_VARIABLE, |unit| {
        let (mut takes_all, mut found) = (true, Vec::new());
        for component in units[unit].components.iter().filter(|c| !c.metadata.is_abstract) {
            takes_all &= examine(component, &mut found);
        }
        (!takes_all).then_some(found)
    });
    for (place, component) in found.into_iter().flatten() {
        places.entry(place).or_default().undeclared.push(component);
    }
    if places.is_empty() {
        return places;
    }
    let mut examined: FastSet<MapOfCode> = FastSet::default();
    for component in context.index.components().map(|(_, c)| c).filter(|c| !c.metadata.is_abstract) {
        let module = module(context, component);
        for map in &component.metadata.inputs.authored {
            if !examined.insert(of_code(map, module.as_ref())) {
                continue;
            }
            for entry in map.iter().filter(|e| takes(component, module.as_ref(), &e.key)) {
                let place = entry.value.prov.origin.map(|origin| (origin, Text::clone(&entry.key)));
                if let Some(written) = place.and_then(|place| places.get_mut(&place)) {
                    written.is_used = true;
                }
            }
        }
    }
    places
}

pub(super) fn undeclared(context: &Components<'_>) -> Vec<Diagnostic> {
    let mut places = written(context);
    places.retain(|_, written| !written.is_used);
    if places.is_empty() {
        return Vec::new();
    }
    let read = read_by_others(context);
    let mut findings = Findings::default();
    for ((origin, name), written) in &places {
        let is_read = |c: &Arc<Component>| read.contains(&(&c.stack, &c.name, name)) || is_read_inside(c, *origin);
        if written.undeclared.iter().any(|c| is_read(c)) {
            continue;
        }
        let Some(first) = written.undeclared.first() else { continue };
        let Some(module) = module(context, first) else { continue };
        let message = format!("`{name}` is not a variable of `{}`", module.folder);
        let mut finding = Diagnostic::new(&UNDECLARED_VARIABLE, message, at_key(context.files, *origin, ""))
            .token(&**name)
            .address(format!("{}/{}/{name}", first.stack, first.name));
        finding = match nearest(name, module.variables.keys().map(|k| &**k)) {
            Some(near) => {
                if let Some((near, variable)) = module.variables.get_key_value(near) {
                    finding = finding.related(Label::at(variable.origin, format!("`{near}` is declared here")));
                    if is_missing(first, &module, near) {
                        finding = finding.note(format!("`{near}` has no default, and gets no value"));
                    }
                }
                finding.fix = rename_key(context.files, *origin, name, near);
                finding.help(format!("did you mean `{near}`?"))
            }
            None => finding.help("declare the variable, or remove the line: Terraform ignores it"),
        };
        for component in &written.undeclared {
            findings.add(&component.stack, finding.clone().subject(&component.stack, &component.name));
        }
    }
    findings.finish()
}

/// The inputs that other components read: stack, component, name.
fn read_by_others<'a>(context: &'a Components<'_>) -> BTreeSet<(&'a Text, &'a Text, &'a Text)> {
    let mut read = BTreeSet::new();
    for need in context.index.needs() {
        if let (ReadTarget::Input(name), Target::Found(targets)) = (&need.link.reads, &need.target) {
            read.extend(targets.iter().map(|t| (&t.stack, &t.name, name)));
        }
    }
    read
}

/// Whether another value of the component was computed from what was written at a place.
fn is_read_inside(component: &Component, place: Origin) -> bool {
    fn reads(prov: &Prov, place: Origin) -> bool {
        let Some(trail) = prov.trail.as_ref().filter(|t| !t.inputs().is_empty()) else { return false };
        let mut found = false;
        for input in trail.inputs() {
            input.for_each_input(&mut |origin| found |= origin == place);
        }
        found
    }
    fn walk(value: &Value, place: Origin) -> bool {
        let inside = match &value.data {
            Data::Map(map) => map.iter().any(|e| walk(&e.value, place)),
            Data::List(items) => items.iter().any(|v| walk(v, place)),
            _ => false,
        };
        inside || reads(&value.prov, place)
    }
    walk(&component.value, place)
}

pub(super) fn missing(context: &Components<'_>) -> Vec<Diagnostic> {
    let (mut findings, units) = (Findings::default(), context.index.units());
    let outside = OnceLock::new();
    let found = in_units(context, &MISSING_REQUIRED_VARIABLE, |unit| {
        let (mut is_clean, mut found) = (true, Vec::new());
        for component in units[unit].components.iter().filter(|c| c.metadata.is_deployed()) {
            let inputs = &component.metadata.inputs;
            let (Some(module), Some(origin)) = (module(context, component), component.value.prov.origin) else {
                continue;
            };
            if inputs.is_open {
                continue;
            }
            for (name, variable) in module.required().filter(|(name, _)| is_missing(component, &module, name)) {
                // A name that is almost right is the finding, not that the right one is missing.
                let written = inputs.names().filter(|n| !module.variables.contains_key(*n)).map(|n| &**n);
                if written.into_iter().any(|n| nearest(n, [&**name]).is_some()) {
                    continue;
                }
                is_clean = false;
                if !outside.get_or_init(|| Outside::new(context)).gives(name, variable, context) {
                    found.push((&component.stack, unset(context, component, origin, name, variable)));
                }
            }
        }
        (!is_clean).then_some(found)
    });
    findings.add_all(found.into_iter().flatten());
    findings.finish()
}

fn unset(
    context: &Components<'_>,
    component: &Component,
    origin: Origin,
    name: &Text,
    variable: &Variable,
) -> Diagnostic {
    let message = format!("`{}` sets no value for `{name}`, a required variable of its code", component.name);
    Diagnostic::new(&MISSING_REQUIRED_VARIABLE, message, at_key(context.files, origin, ""))
        .related(Label::at(variable.origin, "it has no default"))
        .token(&**name)
        .address(format!("{}/{}/{name}", component.stack, component.name))
        .help("set it for the component, or give the variable a default")
        .subject(&component.stack, &component.name)
        .together(Together::Names {
            start: format!("`{}` sets no value for # of its code", component.name),
            noun: "required variable".into(),
            name: name.to_string(),
        })
}

/// Inputs that probably get their values from outside of the configuration: the environment in which the code runs
/// (`TF_VAR_…`) is not part of the repository.
struct Outside {
    /// The inputs that some component has.
    set: BTreeSet<Text>,
    /// The inputs that the configuration itself puts into the environment of some component: others lack them.
    given: BTreeSet<Text>,
    /// The variables without a default that several folders of code have.
    shared: BTreeSet<Text>,
}

impl Outside {
    fn new(context: &Components<'_>) -> Outside {
        let (mut set, mut given) = (BTreeSet::new(), BTreeSet::new());
        let mut folders: BTreeMap<Text, BTreeSet<Text>> = BTreeMap::new();
        for (_, component) in context.index.components() {
            set.extend(component.metadata.inputs.all.keys().cloned());
            given.extend(component.metadata.inputs.given.iter().cloned());
            let Some(module) = module(context, component) else { continue };
            for (name, _) in module.variables.iter().filter(|(_, v)| !v.has_default) {
                folders.entry(Text::clone(name)).or_default().insert(Text::clone(&module.folder));
            }
        }
        let shared = folders.into_iter().filter(|(_, folders)| folders.len() > 1).map(|(name, _)| name).collect();
        Outside { set, given, shared }
    }

    /// Whether a variable probably gets its value from the environment: the repository mentions it, or nothing in the
    /// whole project sets it, although it is a secret or several folders of code require it.
    fn gives(&self, name: &Text, variable: &Variable, context: &Components<'_>) -> bool {
        if self.given.contains(name) {
            return false;
        }
        let is_nowhere = context.index.is_complete() && !self.set.contains(name);
        let is_secret = variable.is_sensitive || is_secret_key(name) || is_secret_key(name.trim_end_matches("_path"));
        is_nowhere && (is_secret || self.shared.contains(name)) || context.modules.environment().contains(&**name)
    }
}

/// Whether a variable has no default and gets no value.
fn is_missing(component: &Component, module: &Module, name: &Text) -> bool {
    let inputs = &component.metadata.inputs;
    let is_set = || inputs.has(name) || inputs.given.contains(name) || module.values.contains(name);
    module.variables.get(name).is_some_and(|v| !v.has_default) && !is_set()
}
