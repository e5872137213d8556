//! Expressions that no instance evaluates, because there is none: `validate` evaluates every block once, without knowing
//! what is given to variables, and what `count` and `each` are.

use crate::hcl::types::Type;
use crate::hcl::val::Val;
use crate::terraform::configuration::expansion::Repeat;
use crate::terraform::configuration::frame::{At, Evaluated, Evaluation, Frame};
use crate::terraform::configuration::reached::Reached;
use crate::terraform::configuration::sites::{self, Owner, Site};
use crate::terraform::evaluation::statics::Statics;
use crate::terraform::failure::Failure;
use crate::terraform::module::block::Written;
use crate::text::Text;
use std::collections::HashSet;
use std::rc::Rc;
use std::sync::Arc;

/// Reports what is wrong with expressions that were not evaluated for certain, as far as they are reached.
pub(super) fn check(statics: &Statics<'_>, evaluated: &Evaluated, reached: Option<&Reached>) -> Vec<Failure> {
    let evaluation = Evaluation::validating(statics);
    let mut seen = HashSet::new();
    for (index, node) in statics.nodes.iter().enumerate() {
        let dir = Text::from(&*node.module.dir);
        if reached.is_some_and(|reached| !reached.enters(index))
            || node.module.files.is_empty()
            || !seen.insert(dir.clone())
        {
            continue;
        }
        let is_entered = evaluated.modules.contains(&dir);
        let is_open = |owner: &Owner| match owner {
            Owner::Resource(address) => !evaluated.resources.contains(&(dir.clone(), address.clone())),
            Owner::Argument(call, _) => !evaluated.calls.contains(&(dir.clone(), call.clone())),
            _ => !is_entered,
        };
        let owners = node.module.resources.keys().map(|address| Owner::Resource(address.clone()));
        let calls = node.module.calls.keys().map(|name| Owner::Argument(name.clone(), Text::default()));
        let has_open = match reached {
            Some(reached) => reached.things(index).any(is_open),
            None => !is_entered || owners.chain(calls).any(|owner| is_open(&owner)),
        };
        if !has_open {
            continue;
        }
        let is_reached = |owner: &Owner| reached.is_none_or(|reached| reached.has(index, owner));
        let frame = Rc::new(Frame::new(0, index, None));
        let sites = sites::of(&node.module);
        let is_wanted = |site: &&Site<'_>| !site.is_dependency && is_open(&site.owner) && is_reached(&site.owner);
        for site in sites.iter().filter(is_wanted) {
            evaluate(&evaluation, &frame, site);
        }
    }
    evaluation.take_failures()
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
