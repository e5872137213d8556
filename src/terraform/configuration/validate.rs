//! Expressions that no instance evaluates, because there is none: `validate` evaluates every block once, without knowing
//! what is given to variables, and what `count` and `each` are.

use crate::hcl::types::Type;
use crate::hcl::val::Val;
use crate::terraform::configuration::expansion::Repeat;
use crate::terraform::configuration::frame::{At, Evaluated, Evaluation, Frame, Iterator};
use crate::terraform::configuration::reached::Reached;
use crate::terraform::configuration::sites::{self, Owner, Site};
use crate::terraform::evaluation::statics::Statics;
use crate::terraform::failure::{Failure, Place};
use crate::terraform::module::block::Written;
use crate::text::Text;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

/// Reports what is wrong with expressions that were not evaluated for certain, and what known values hide of the others, where
/// nothing is reported already: all of them, or those that are reached.
pub(super) fn check(
    statics: &Statics<'_>,
    evaluated: &Evaluated,
    failures: &[Failure],
    reached: Option<&Reached>,
) -> Vec<Failure> {
    let reached = reached.map(Reached::of_folders);
    let evaluation = Evaluation::validating(statics, reached);
    // Whether known values can hide something in the validations of the modules of a folder.
    let mut hiding: HashMap<&str, bool> = HashMap::new();
    for (index, node) in statics.nodes.iter().enumerate() {
        let dir = Text::from(&*node.module.dir);
        let is_first = !hiding.contains_key(&*node.module.dir);
        if node.module.files.is_empty() || hiding.get(&*node.module.dir) == Some(&false) {
            continue;
        }
        let sites = sites::of(&node.module);
        let is_validation = |site: &Site<'_>| matches!(site.owner, Owner::Variable(_));
        hiding.entry(&node.module.dir).or_insert_with(|| sites.iter().any(|site| is_validation(site) && hides(site)));
        let frame = Rc::new(Frame::new(0, index, None));
        let is_reached = |owner: &Owner| reached.is_none_or(|reached| reached.has(index, owner));
        let is_entered = evaluated.modules.contains(&dir);
        let is_open = |owner: &Owner| match owner {
            Owner::Resource(address) => !evaluated.resources.contains(&(dir.clone(), address.clone())),
            Owner::Argument(call, _) => !evaluated.calls.contains(&(dir.clone(), call.clone())),
            _ => !is_entered,
        };
        if reached.is_some_and(|reached| !reached.is_validated(index, is_open)) {
            continue;
        }
        for site in sites.iter().filter(|site| !site.is_dependency && is_reached(&site.owner)) {
            let is_hidden = hides(site) && (is_first || is_validation(site));
            let is_left = is_first && is_open(&site.owner);
            if !is_hidden && !is_left {
                continue;
            }
            let frame = match &site.owner {
                Owner::Variable(name) => with_given(&evaluation, index, name).unwrap_or_else(|| Rc::clone(&frame)),
                _ => Rc::clone(&frame),
            };
            let value = evaluate(&evaluation, &frame, site);
            let output = match &site.owner {
                Owner::Output(name) if node.parent.is_none() => node.module.outputs.get_key_value(name),
                _ => None,
            };
            if let Some((name, declared)) = output
                && declared.arguments.get("value").is_some_and(|written| std::ptr::eq(&*written.expr, site.expr))
            {
                evaluation.exposed(name, declared, &value);
            }
        }
        let resources = node.module.resources.iter().filter(|_| is_first);
        for (address, declared) in resources {
            let owner = Owner::Resource(address.clone());
            if is_open(&owner) && is_reached(&owner) {
                evaluation.validate(&frame, address, declared);
            }
        }
        let calls = node.module.calls.iter().filter(|_| is_first);
        for (name, declared) in calls {
            let owner = Owner::Call(name.clone());
            if is_open(&owner) && is_reached(&owner) {
                evaluation.expand(&At::module(&frame), declared);
            }
        }
    }
    for index in 0..statics.nodes.len() {
        given(&evaluation, evaluated, index, reached);
    }
    let is_new = |failure: &Failure| {
        !failures
            .iter()
            .filter_map(|known| known.place)
            .any(|known| failure.place.is_some_and(|place| overlap(known, place)))
    };
    evaluation.take_failures().into_iter().filter(is_new).collect()
}

/// Whether a known operand in an expression can hide what is wrong with the other one.
fn hides(site: &Site<'_>) -> bool {
    !site.is_dependency && site.iterators.is_empty() && sites::may_hide(site.expr)
}

/// Checks what a call gives to the variables of a module that has no instance for certain.
fn given(evaluation: &Evaluation<'_, '_>, evaluated: &Evaluated, index: usize, reached: Option<&Reached>) {
    let node = &evaluation.statics.nodes[index];
    let (Some(parent), Some(call)) = (node.parent, node.path.last()) else { return };
    let caller: Text = (&*evaluation.statics.nodes[parent].module.dir).into();
    if evaluated.calls.contains(&(caller, call.clone())) {
        return;
    }
    for name in node.module.variables.keys() {
        if reached.is_none_or(|reached| reached.has(index, &Owner::Variable(name.clone())))
            && let Some(frame) = with_given(evaluation, index, name)
        {
            evaluation.validations_of_call(&frame, Some((parent, call)), name);
        }
    }
}

/// A module of which only the value of one variable is known, as its call gives it: a validation is evaluated with it. `None` for the
/// root module.
fn with_given(evaluation: &Evaluation<'_, '_>, index: usize, variable: &Text) -> Option<Rc<Frame>> {
    let node = &evaluation.statics.nodes[index];
    let (parent, name) = (node.parent?, node.path.last()?);
    // It is evaluated once, whatever repeats it.
    let repeat = Repeat::any(evaluation.statics.nodes[parent].module.calls.get(name)?);
    let caller = (Rc::new(Frame::new(0, parent, None)), name.clone(), repeat);
    let value = evaluation.variable(&Rc::new(Frame::new(0, index, Some(caller))), variable);
    Some(Rc::new(Frame::new(0, index, None).with_variable(variable, value)))
}

fn overlap(a: Place, b: Place) -> bool {
    a.0 == b.0 && a.1.start < b.1.end && b.1.start < a.1.end
}

fn evaluate(evaluation: &Evaluation<'_, '_>, frame: &Rc<Frame>, site: &Site<'_>) -> Val {
    let unknown = || Val::unknown(Type::Dynamic, "no instance has it");
    let repeat = match (site.has_count, site.has_each) {
        (true, _) => Repeat::AnyCount("any instance".into()),
        (_, true) => Repeat::AnyEach("any instance".into()),
        _ => Repeat::None,
    };
    let iterator = |name: &Text| {
        let entries = [("key".into(), unknown()), ("value".into(), unknown())];
        Iterator { name: name.clone(), value: Val::object(entries.into_iter().collect()), for_each: None }
    };
    let iterators: Vec<Iterator> = site.iterators.iter().map(iterator).collect();
    let itself = unknown();
    let at = At { repeat: &repeat, itself: Some(&itself), iterators: &iterators, ..At::module(frame) };
    let expr = Arc::new(site.expr.clone());
    evaluation.value(&at, &Written { file: site.file, span: expr.span, expr })
}
