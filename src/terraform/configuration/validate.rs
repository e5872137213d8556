//! Expressions that no instance evaluates, because there is none: `validate` evaluates every block once, without knowing
//! what is given to variables, and what `count` and `each` are.

use crate::hcl::types::Type;
use crate::hcl::val::Val;
use crate::terraform::configuration::expansion::{Repeat, repeated};
use crate::terraform::configuration::frame::{At, Evaluated, Evaluation, Frame};
use crate::terraform::configuration::reached::Reached;
use crate::terraform::configuration::sites::{self, Owner, Site};
use crate::terraform::evaluation::statics::{Node, Statics};
use crate::terraform::failure::{Failure, Place};
use crate::terraform::module::block::Written;
use crate::text::Text;
use std::collections::HashSet;
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
    let (mut seen, mut validated) = (HashSet::new(), HashSet::new());
    for (index, node) in statics.nodes.iter().enumerate() {
        let dir = Text::from(&*node.module.dir);
        if node.module.files.is_empty() {
            continue;
        }
        let is_first = seen.insert(dir.clone());
        let hides_validations = !is_given(statics, node) && validated.insert(dir.clone());
        if !is_first && !hides_validations {
            continue;
        }
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
        let frame = Rc::new(Frame::new(0, index, None));
        for site in sites::of(&node.module).iter().filter(|site| !site.is_dependency && is_reached(&site.owner)) {
            let is_hidden = match &site.owner {
                Owner::Variable(_) => hides_validations,
                _ => is_first,
            };
            let is_hidden = is_hidden && site.iterators.is_empty() && sites::may_hide(site.expr);
            if is_hidden || is_first && is_open(&site.owner) {
                evaluate(&evaluation, &frame, site);
            }
        }
    }
    let is_new = |failure: &Failure| {
        !failures
            .iter()
            .filter_map(|known| known.place)
            .any(|known| failure.place.is_some_and(|place| overlap(known, place)))
    };
    evaluation.take_failures().into_iter().filter(is_new).collect()
}

/// Whether validations of a module know what is given to its variables: those of the root module and of calls with `count` or
/// `for_each` do not.
fn is_given(statics: &Statics<'_>, node: &Node) -> bool {
    let caller = node.parent.zip(node.path.last());
    let call = caller.and_then(|(parent, name)| statics.nodes[parent].module.calls.get(name));
    call.is_some_and(|call| repeated(call).is_none())
}

fn overlap(a: Place, b: Place) -> bool {
    a.0 == b.0 && a.1.start < b.1.end && b.1.start < a.1.end
}

fn evaluate(evaluation: &Evaluation<'_, '_>, frame: &Rc<Frame>, site: &Site<'_>) {
    let unknown = || Val::unknown(Type::Dynamic, "no instance has it");
    let repeat = match (site.has_count, site.has_each) {
        (true, _) => Repeat::AnyCount(Text::default()),
        (_, true) => Repeat::AnyEach(Text::default()),
        _ => Repeat::None,
    };
    let iterator = |name: &Text| {
        let entries = [("key".into(), unknown()), ("value".into(), unknown())];
        (name.clone(), Val::object(entries.into_iter().collect()))
    };
    let iterators: Vec<(Text, Val)> = site.iterators.iter().map(iterator).collect();
    let itself = unknown();
    let at = At { repeat: &repeat, itself: Some(&itself), iterators: &iterators, ..At::module(frame) };
    let expr = Arc::new(site.expr.clone());
    evaluation.value(&at, &Written { file: site.file, span: expr.span, expr });
}
