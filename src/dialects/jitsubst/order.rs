//! The order of the actions of a plan, and the version of its form (`reference: jitsubst.md` sections 6.7 and 6.8).

use super::defer::Planned;
use super::reference::has_module_references;
use crate::text::Text;
use crate::value::{Data, Map, Prov, Unknown, Value};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

/// The version of a plan in which everything is resolved.
const PLAIN: i64 = 1;
/// The version of a plan that needs substitution when it is applied. It cannot be saved.
const JUST_IN_TIME: i64 = 2;

/// The resources in the order in which they are created: those that others depend on first, else as declared. References
/// do not count. `None` if `depends_on` goes in circles or is not known.
pub(crate) fn order(resources: &[Planned]) -> Option<Vec<usize>> {
    let mut by_name: BTreeMap<&str, usize> = BTreeMap::new();
    for (i, planned) in resources.iter().enumerate() {
        by_name.insert(&planned.resource.name, i);
    }
    let depends = |i: usize| -> Option<Vec<usize>> {
        let names = resources[i].depends_on()?;
        Some(names.iter().filter_map(|(name, _)| by_name.get(&**name).copied()).rev().collect())
    };
    let (mut done, mut open, mut out) = (BTreeSet::new(), BTreeSet::new(), Vec::new());
    for start in 0..resources.len() {
        if done.contains(&start) {
            continue;
        }
        open.insert(start);
        let mut stack = vec![(start, depends(start)?)];
        while let Some((node, rest)) = stack.last_mut() {
            let node = *node;
            match rest.pop() {
                Some(next) if open.contains(&next) => return None,
                Some(next) if done.contains(&next) => {}
                Some(next) => {
                    open.insert(next);
                    stack.push((next, depends(next)?));
                }
                None => {
                    stack.pop();
                    open.remove(&node);
                    done.insert(node);
                    out.push(node);
                }
            }
        }
    }
    Some(out)
}

/// Returns the value of the whole plan for reports.
pub(crate) fn plan(resources: &[Planned]) -> Value {
    let mut out = Map::new();
    if let Some(order) = order(resources) {
        let item = |i: &usize| {
            let resource = &resources[*i].resource;
            let depends_on = resource.config.get("depends_on").map(|v| v.prov.clone());
            let prov = resource.prov.with_inputs(depends_on);
            Value { data: Data::Str(Text::clone(&resource.name)), prov }
        };
        out.set("order", Value::list(order.iter().map(item).collect()));
    }
    out.set("schema_version", version(resources));
    Value::map(out)
}

/// The version of the plan. Whether references to modules are left is known only with the state at hand; without it all of
/// them are.
fn version(resources: &[Planned]) -> Value {
    let waiting = resources.iter().filter(|p| has_module_references(&p.resource.config));
    let uses = waiting.flat_map(|p| &p.uses).filter(|u| u.class.module().is_some());
    let (mut reasons, mut inputs): (Vec<Text>, Vec<Prov>) = (Vec::new(), Vec::new());
    let mut said: HashSet<Text> = HashSet::new();
    for used in uses {
        let reason: Text = format!("`${{{}}}` is resolved when it is in the state", used.body).into();
        if said.insert(Text::clone(&reason)) {
            reasons.push(reason);
            inputs.push(used.prov.clone());
        }
    }
    if reasons.is_empty() {
        return Value::new(Data::Int(PLAIN));
    }
    let assumed = Some(Box::new(Value::new(Data::Int(JUST_IN_TIME))));
    let unknown = Unknown { text: JUST_IN_TIME.to_string().into(), assumed, reasons, ..Unknown::default() };
    Value { data: Data::Unknown(Arc::new(unknown)), prov: Prov::default().with_inputs(inputs) }
}
