//! `variable-type-mismatch`.

use super::module;
use crate::diagnostic::{Diagnostic, Label};
use crate::resolution::Component;
use crate::rules::places::{Findings, at_key};
use crate::rules::{Units, rule};
use crate::terraform::{Module, Type, Variable};
use crate::text::{ByAddress, FastMap, FastSet, Text, order};
use crate::value::{Data, DataIdentity, Entry, Map, is_call};
use std::sync::Arc;

rule!(
    VARIABLE_TYPE_MISMATCH,
    "variable-type-mismatch",
    Correctness,
    "0.1.0",
    "a value cannot be converted to the type of its variable"
);

pub(super) fn check(context: &Units<'_>) -> Findings {
    let (mut search, mut typed) = (Search::new(context), TypedVariables::default());
    for component in context.deployed() {
        let Some(module) = module(context, component) else { continue };
        let inputs = typed.of(&module, &component.metadata.inputs.all);
        inputs.for_each(|(input, variable)| search.input(component, input, variable));
    }
    search.findings
}

/// Searches inputs that do not match their variables.
struct Search<'a, 'c> {
    context: &'c Units<'a>,
    findings: Findings,
    /// The texts of calls whose values are unknown: that of one line, which reaches many components, is checked once.
    unknown: FastSet<ByAddress<&'a Text>>,
    /// Lists and maps that fit a variable: many components share one.
    fitting: FastSet<(DataIdentity<'a>, *const Variable)>,
}

impl<'a, 'c> Search<'a, 'c> {
    fn new(context: &'c Units<'a>) -> Self {
        Search { context, findings: Findings::default(), unknown: FastSet::default(), fitting: FastSet::default() }
    }

    /// Examines an input of a component.
    fn input(&mut self, component: &Component, Entry { key: name, value }: &'a Entry, variable: &Variable) {
        let text = if let Data::Str(text) = &value.data { Some(text) } else { None };
        let text = text.filter(|text| is_call(text)).map(ByAddress);
        if text.is_some_and(|text| self.unknown.contains(&text)) {
            return;
        }
        let is_shared = matches!(value.data, Data::List(_) | Data::Map(_));
        let shared = is_shared.then(|| (value.data.identity(), std::ptr::from_ref(variable)));
        if shared.is_some_and(|shared| self.fitting.contains(&shared)) {
            return;
        }
        let Some(value) = component.metadata.inputs.evaluated(value) else { return };
        if let Data::Unknown(_) = value.data {
            self.unknown.extend(text);
            return;
        }
        let mismatches = match component.metadata.inputs.is_environment && variable.ty.takes_text(&value) {
            true => Vec::new(),
            false => variable.ty.mismatches(&value),
        };
        if mismatches.is_empty() {
            self.fitting.extend(shared);
            return;
        }
        let whole = value.prov.origin.or_else(|| written(component, name));
        for mismatch in mismatches {
            let Some(origin) = mismatch.prov.origin.or(whole).or(component.value.prov.origin) else { continue };
            let path: Vec<&str> = std::iter::once(&**name).chain(mismatch.path.iter().map(String::as_str)).collect();
            // The items of a list that one line makes are one mistake.
            let is_index = |part: &&&str| part.bytes().all(|b| b.is_ascii_digit());
            let named: Vec<&str> = path.iter().filter(|part| !is_index(part)).copied().collect();
            let token = format!("{} {}", named.join("."), mismatch.reason);
            let path = path.join(".");
            let message = format!("`{path}` does not fit the variable `{name}`: {}", mismatch.reason);
            let place = at_key(self.context.files, origin, "");
            let finding = Diagnostic::new(&VARIABLE_TYPE_MISMATCH, message, place)
                .related(Label::at(variable.origin, format!("it is of type `{}`", variable.ty)))
                .token(token)
                .address(format!("{}/{}/{path}", component.stack, component.name));
            self.findings.add(&component.stack, finding);
        }
    }
}

/// The variables of modules that do not take any value: many components use one module.
#[derive(Default)]
struct TypedVariables(FastMap<ByAddress<Arc<Module>>, OfModule>);

/// How many sets of inputs are remembered for each module.
const REMEMBERED: usize = 8;

struct OfModule {
    /// The variables, sorted by name.
    variables: Vec<(Text, Variable)>,
    /// The last sets of inputs: most components give the same ones as another.
    sets: Vec<InputSet>,
    /// The set that is replaced by the next new one.
    oldest: usize,
}

/// The names of inputs.
struct InputSet {
    names: Vec<Text>,
    /// The numbers of names, and of their variables.
    typed: Vec<(usize, usize)>,
}

impl TypedVariables {
    /// Returns the inputs for variables that do not take any value, with their variables, whose addresses stay their own.
    fn of<'s, 'a>(
        &'s mut self,
        module: &Arc<Module>,
        inputs: &'a Map,
    ) -> impl Iterator<Item = (&'a Entry, &'s Variable)> {
        let known = self.0.entry(ByAddress(Arc::clone(module))).or_insert_with(|| OfModule::new(module));
        let set = known.prepare(inputs);
        let (entries, variables) = (inputs.iter().as_slice(), &known.variables);
        known.sets[set].typed.iter().map(|(name, variable)| (&entries[*name], &variables[*variable].1))
    }
}

impl OfModule {
    fn new(module: &Module) -> Self {
        let typed = module.variables.iter().filter(|(_, variable)| variable.ty != Type::Any);
        let variables = typed.map(|(name, variable)| (Text::clone(name), variable.clone())).collect();
        OfModule { variables, sets: Vec::new(), oldest: 0 }
    }

    /// The number of the set of some inputs.
    fn prepare(&mut self, inputs: &Map) -> usize {
        if let Some(known) = self.sets.iter().position(|set| set.is_of(inputs)) {
            return known;
        }
        let new = InputSet::new(&self.variables, inputs);
        if self.sets.len() < REMEMBERED {
            self.sets.push(new);
            return self.sets.len() - 1;
        }
        let place = self.oldest;
        self.oldest = (place + 1) % REMEMBERED;
        self.sets[place] = new;
        place
    }
}

impl InputSet {
    fn new(variables: &[(Text, Variable)], inputs: &Map) -> Self {
        let variable = |name: &Text| variables.binary_search_by(|(other, _)| order(other, name)).ok();
        let typed = inputs.keys().enumerate().filter_map(|(number, name)| Some((number, variable(name)?))).collect();
        InputSet { names: inputs.keys().cloned().collect(), typed }
    }

    fn is_of(&self, inputs: &Map) -> bool {
        let is_same = |(a, b): (&Text, &Text)| Text::ptr_eq(a, b);
        self.names.len() == inputs.len() && self.names.iter().zip(inputs.keys()).all(is_same)
    }
}

fn written(component: &Component, name: &str) -> Option<crate::value::Origin> {
    component.metadata.inputs.written(name)?.prov.origin
}
