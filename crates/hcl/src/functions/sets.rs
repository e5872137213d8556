//! Sets.

use super::{Args, ELEMENTS, Fail, Function, Outcome, SET, function};
use crate::types::convert::convert;
use crate::types::{Type, unify};
use crate::val::unknown::{Facts, of_length};
use crate::val::{Data, Marks, Val, compare};
use shared_text::Text;
use std::sync::Arc;

pub(super) const ALL: &[Function] = &[
    function("setintersection", &[SET], |a| combine(a, false, |one, other| keep(one, other, true)))
        .rest(SET)
        .sees_unknown(),
    function("setproduct", &[], product).rest(ELEMENTS).shallow(),
    function("setsubtract", &[SET, SET], |a| combine(a, false, |one, other| keep(one, other, false))).sees_unknown(),
    function("setunion", &[SET], |a| combine(a, true, |one, other| [one, other].concat())).rest(SET).sees_unknown(),
];

/// The maximum number of values of a product.
const MAX_PRODUCT: usize = 100_000;

fn keep(one: &[Val], other: &[Val], common: bool) -> Vec<Val> {
    let found = |item: &Val| other.binary_search_by(|o| compare(o, item)).is_ok();
    one.iter().filter(|item| found(item) == common).cloned().collect()
}

/// Joins sets of types that have one in common. Elements that are not known are kept, or make the whole set unknown.
fn combine(args: &mut Args<'_, '_>, keeps_unknown: bool, join: fn(&[Val], &[Val]) -> Vec<Val>) -> Outcome {
    // An empty set of any type may be one of each.
    let element = |value: &Val| match (&value.data, Type::of(value)) {
        (Data::Set(Type::Dynamic, items), _) if items.is_empty() => None,
        (_, Type::Set(ty)) => Some((*ty).clone()),
        _ => None,
    };
    let types: Vec<Type> = args.values.iter().filter_map(element).collect();
    let ty = match types.is_empty() {
        true => Type::Dynamic,
        false => {
            unify(&types).ok_or_else(|| Fail::Call("given sets must all have compatible element types".to_owned()))?
        }
    };
    let is_open = |value: &&Val| value.is_unknown() || !keeps_unknown && value.unknown_reason().is_some();
    if let Some(reason) = args.values.iter().find(is_open).and_then(Val::unknown_reason) {
        return Ok(match ty.has_dynamic() {
            true => Val::unknown(Type::set(ty), Text::clone(reason)),
            false => Val::partly_unknown(Type::set(ty), Text::clone(reason), Facts::default()),
        });
    }
    let mut result: Option<Val> = None;
    for value in &args.values {
        let converted = convert(value, &Type::set(ty.clone())).map_err(|e| Fail::Call(e.text()))?;
        let items = |v: &Val| v.as_items().map(|i| i.to_vec()).unwrap_or_default();
        result = Some(match result {
            None => converted,
            Some(before) => Val::set(ty.clone(), join(&items(&before), &items(&converted))),
        });
    }
    Ok(result.unwrap_or_default())
}

fn product(args: &mut Args<'_, '_>) -> Outcome {
    if args.values.len() < 2 {
        return Err(Fail::Call("at least two arguments are required".to_owned()));
    }
    let (mut lists, mut types) = (Vec::new(), Vec::new());
    let (mut marks, mut open) = (Marks::NONE, None);
    // The most elements that the product has, if that is known.
    let mut most = Some(1_usize);
    for (index, value) in args.values.iter().enumerate() {
        let ty = match Type::of(value) {
            Type::Set(ty) | Type::List(ty) => (*ty).clone(),
            Type::Tuple(types) if types.is_empty() => Type::Dynamic,
            Type::Tuple(types) => unify(&types)
                .ok_or_else(|| Fail::Argument(index, "all elements must be of the same type".to_owned()))?,
            _ => Type::Dynamic,
        };
        marks = marks | value.marks;
        // How many elements a set has is open if they may be the same.
        let may_shrink =
            |items: &[Val]| matches!(value.data, Data::Set(..)) && items.len() > 1 && value.unknown_reason().is_some();
        let items = value.as_items().filter(|items| !may_shrink(items));
        let length = match (items, Type::of(value)) {
            (Some(items), _) => Some(items.len()),
            (None, Type::Tuple(types)) => Some(types.len()),
            _ => None,
        };
        most = most.zip(length).map(|(most, length)| most.saturating_mul(length));
        match items {
            Some(items) => {
                let converted: Result<Vec<Val>, _> = items.iter().map(|item| convert(item, &ty)).collect();
                lists.push(converted.map_err(|e| Fail::Argument(index, e.text()))?);
            }
            None => open = open.or_else(|| value.unknown_reason().cloned()),
        }
        types.push(ty);
    }
    // Sets lose the order of what they are combined with.
    let has_set = args.values.iter().any(|v| matches!(Type::of(v), Type::Set(_)));
    let element = Type::Tuple(Arc::new(types));
    if let Some(reason) = open.filter(|_| most != Some(0)) {
        return Ok(match most.filter(|most| *most <= MAX_PRODUCT && !has_set) {
            Some(length) => of_length(Type::list(element), length, reason),
            None => {
                let ty = if has_set { Type::set(element) } else { Type::list(element) };
                Val::partly_unknown(ty, reason, Facts::default())
            }
        }
        .marked(marks));
    }
    if most == Some(0) {
        // An empty set makes the product empty, so nothing is computed.
        lists = vec![Vec::new()];
    }
    let total = lists.iter().try_fold(1_usize, |n, l| n.checked_mul(l.len()).filter(|n| *n <= MAX_PRODUCT));
    if total.is_none() {
        return Err(Fail::Call(format!("more than {MAX_PRODUCT} combinations")));
    }
    let mut all: Vec<Vec<Val>> = vec![Vec::new()];
    for list in &lists {
        all = all
            .iter()
            .flat_map(|head| list.iter().map(|v| [head.as_slice(), std::slice::from_ref(v)].concat()))
            .collect();
    }
    let tuples: Vec<Val> = all.into_iter().map(Val::tuple).collect();
    if tuples.windows(2).any(|pair| Type::of(&pair[0]) != Type::of(&pair[1])) {
        return Err(Fail::Call("panic in function implementation: inconsistent list element types".to_owned()));
    }
    Ok(if has_set { Val::set(element, tuples) } else { Val::list(element, tuples) }.marked(marks))
}
