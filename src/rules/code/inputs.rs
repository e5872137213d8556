//! `undeclared-variable` and `missing-required-variable`: the inputs of components against the variables of their code.

use crate::diagnostic::rules::{MISSING_REQUIRED_VARIABLE, UNDECLARED_VARIABLE};
use crate::diagnostic::{Diagnostic, FindingGroup, Label};
use crate::resolution::ReadTarget;
use crate::rules::places::{Findings, at_key, key_in, rename_key};
use crate::rules::{AllUnits, Target};
use crate::syntax::secrets::is_secret_key;
use crate::terraform::{Module, Variable};
use crate::text::{Text, nearest};
use crate::unit::{Interface, Names, Undeclared};
use crate::value::Origin;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::OnceLock;

/// The findings about an input at the place where it was written.
#[derive(Default)]
struct Written<'a> {
    /// The components that it reaches and whose code does not declare it.
    undeclared: Vec<&'a Interface>,
    /// Some component can use it, or that is unknown.
    is_used: bool,
}

/// The places of inputs that the code of some component does not declare, with the components that they reach.
fn written<'a>(context: &AllUnits<'a>) -> BTreeMap<(Origin, &'a Text), Written<'a>> {
    let mut places: BTreeMap<(Origin, &Text), Written<'_>> = BTreeMap::new();
    let used = || context.index.components().filter(|c| !c.is_abstract);
    for component in used() {
        for Undeclared { name, is_read, origin } in &component.undeclared {
            let written = places.entry((**origin, name)).or_default();
            written.undeclared.push(component);
            written.is_used |= *is_read;
        }
    }
    // Entries of an included file or a template are not written here.
    places.retain(|(origin, name), _| key_in(context.files, *origin, name).is_some());
    if places.is_empty() {
        return places;
    }
    for component in used() {
        let undeclared: HashSet<&Text> = component.undeclared.iter().map(|input| &input.name).collect();
        let authored = component.inputs.authored.iter().flat_map(Names::places);
        for (name, origin) in authored.filter(|(name, _)| !undeclared.contains(name)) {
            if let Some(written) = origin.and_then(|origin| places.get_mut(&(origin, name))) {
                written.is_used = true;
            }
        }
    }
    places
}

pub(super) fn undeclared(context: &AllUnits<'_>) -> Vec<Diagnostic> {
    let mut places = written(context);
    places.retain(|_, written| !written.is_used);
    if places.is_empty() {
        return Vec::new();
    }
    let read = read_by_others(context);
    let mut findings = Findings::default();
    for ((origin, name), written) in &places {
        let is_read = |c: &&Interface| read.contains(&(&c.stack, &c.name, *name));
        if written.undeclared.iter().any(is_read) {
            continue;
        }
        let Some(first) = written.undeclared.first() else { continue };
        let Some(module) = context.module(first) else { continue };
        let message = format!("`{name}` is not a variable of `{}`", module.folder);
        let mut finding = Diagnostic::new(&UNDECLARED_VARIABLE, message, at_key(context.files, *origin, ""))
            .token(name.as_str())
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
fn read_by_others<'a>(context: &'a AllUnits<'_>) -> BTreeSet<(&'a Text, &'a Text, &'a Text)> {
    let mut read = BTreeSet::new();
    for need in context.index.needs() {
        if let (ReadTarget::Input(name), Target::Found(targets)) = (&need.link.reads, &need.target) {
            read.extend(targets.iter().map(|t| (&t.stack, &t.name, name)));
        }
    }
    read
}

pub(super) fn missing(context: &AllUnits<'_>) -> Vec<Diagnostic> {
    let (mut findings, outside) = (Findings::default(), OnceLock::new());
    for component in context.index.components().filter(|c| c.is_deployed() && !c.inputs.is_open) {
        let (Some(module), Some(origin)) = (context.module(component), *component.origin) else { continue };
        for (name, variable) in module.required().filter(|(name, _)| is_missing(component, &module, name)) {
            // A name that is almost right is the finding, not that the right one is missing.
            let mut written = component.undeclared.iter().map(|input| &*input.name);
            if written.any(|other| nearest(other, [&**name]).is_some()) {
                continue;
            }
            if !outside.get_or_init(|| Outside::new(context)).gives(name, variable, context) {
                findings.add(&component.stack, unset(context, component, origin, name, variable));
            }
        }
    }
    findings.finish()
}

fn unset(
    context: &AllUnits<'_>,
    component: &Interface,
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
        .together(FindingGroup::Names {
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
    fn new(context: &AllUnits<'_>) -> Outside {
        let (mut set, mut given) = (BTreeSet::new(), BTreeSet::new());
        let mut folders: BTreeMap<Text, BTreeSet<Text>> = BTreeMap::new();
        for component in context.index.components() {
            set.extend(component.inputs.all.iter().cloned());
            given.extend(component.inputs.given.iter().cloned());
            let Some(module) = context.module(component) else { continue };
            for (name, _) in module.variables.iter().filter(|(_, v)| !v.has_default) {
                folders.entry(Text::clone(name)).or_default().insert(Text::clone(&module.folder));
            }
        }
        let shared = folders.into_iter().filter(|(_, folders)| folders.len() > 1).map(|(name, _)| name).collect();
        Outside { set, given, shared }
    }

    /// Whether a variable probably gets its value from the environment: the repository mentions it, or nothing in the
    /// whole project sets it, although it is a secret or several folders of code require it.
    fn gives(&self, name: &Text, variable: &Variable, context: &AllUnits<'_>) -> bool {
        if self.given.contains(name) {
            return false;
        }
        let is_nowhere = context.index.is_complete() && !self.set.contains(name);
        let is_secret = variable.is_sensitive || is_secret_key(name) || is_secret_key(name.trim_end_matches("_path"));
        is_nowhere && (is_secret || self.shared.contains(name)) || context.modules.environment().contains(&**name)
    }
}

/// Whether a variable has no default and gets no value.
fn is_missing(component: &Interface, module: &Module, name: &Text) -> bool {
    let inputs = &component.inputs;
    let is_set = || inputs.has(name) || inputs.given.contains(name) || module.values.contains(name);
    module.variables.get(name).is_some_and(|v| !v.has_default) && !is_set()
}
