//! The type that values of several types have in common, and which types convert to which: the rules of `convert.UnifyUnsafe`
//! and `convert.GetConversionUnsafe` of cty 1.18, with its order of preference.

use super::{Attribute, Type};
use shared_text::Text;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

/// So many types are compared with each other to find those that are equal.
const FEW: usize = 200;
/// The maximum number of types of different kinds that are compared with each other.
const MAX_TYPES: usize = 2000;

/// How many of some types are of each kind.
#[derive(Default)]
struct Kinds {
    maps: usize,
    lists: usize,
    sets: usize,
    objects: usize,
    tuples: usize,
    dynamic: usize,
}

impl Kinds {
    fn of(types: &[&Type]) -> Self {
        let mut kinds = Kinds::default();
        for ty in types {
            match ty {
                Type::Map(_) => kinds.maps += 1,
                Type::List(_) => kinds.lists += 1,
                Type::Set(_) => kinds.sets += 1,
                Type::Object(_) => kinds.objects += 1,
                Type::Tuple(_) => kinds.tuples += 1,
                Type::Dynamic => kinds.dynamic += 1,
                _ => {}
            }
        }
        kinds
    }
}

/// Returns the type that values of all these types can be converted to; `None` if there is none.
pub fn unify(types: &[Type]) -> Option<Type> {
    unify_all(types.iter())
}

fn unify_all<'a>(types: impl Iterator<Item = &'a Type>) -> Option<Type> {
    let mut known: Vec<&Type> = Vec::new();
    for ty in types {
        // Duplicate types change nothing.
        if known.len() >= FEW || !known.contains(&ty) {
            known.push(ty);
        }
    }
    match known.as_slice() {
        [] => None,
        [only] => Some((*only).clone()),
        _ => unify_different(&known),
    }
}

/// The same for several types, most of them different.
fn unify_different(types: &[&Type]) -> Option<Type> {
    let (kinds, all) = (Kinds::of(types), types.len());
    let is_dynamic = kinds.dynamic > 0;
    let only = |count: usize| count > 0 && count + kinds.dynamic == all;
    // The conversion of a type that is not known yet is unknown.
    let structural = |unify: fn(&[&Type]) -> Option<Type>| match is_dynamic {
        true => Some(Type::Dynamic),
        false => unify(types),
    };
    if only(kinds.maps) {
        return structural(|types| Some(Type::map(elements(types)?)));
    } else if kinds.maps > 0 && only(kinds.maps + kinds.objects) {
        if let Some(found) = objects_as_maps(types) {
            return Some(found);
        }
    } else if only(kinds.lists) {
        return structural(|types| Some(Type::list(elements(types)?)));
    } else if kinds.lists > 0 && only(kinds.lists + kinds.tuples) {
        if let Some(found) = tuples_as_lists(types) {
            return Some(found);
        }
    } else if only(kinds.sets) {
        return structural(|types| Some(Type::set(elements(types)?)));
    } else if only(kinds.objects) {
        return structural(unify_objects);
    } else if only(kinds.tuples) {
        return structural(unify_tuples);
    } else if kinds.objects > 0 && kinds.tuples > 0 {
        return None;
    }
    if all > MAX_TYPES {
        return None;
    }
    let fits = |wanted: &&&Type| types.iter().all(|ty| ty == *wanted || is_convertible(ty, wanted));
    by_preference(types).iter().find(fits).map(|ty| (*ty).clone())
}

/// The type of the elements of collections.
fn elements(types: &[&Type]) -> Option<Type> {
    unify_all(types.iter().filter_map(|ty| match ty {
        Type::List(element) | Type::Set(element) | Type::Map(element) => Some(&**element),
        _ => None,
    }))
}

/// Objects often hold the data of a map.
fn objects_as_maps(types: &[&Type]) -> Option<Type> {
    let objects: Vec<&Type> = types.iter().copied().filter(|ty| matches!(ty, Type::Object(_))).collect();
    let common = attributes_as_map(&objects)?;
    let others = types.iter().copied().filter(|ty| !matches!(ty, Type::Object(_)));
    unify_all(others.chain([&common])).filter(|ty| matches!(ty, Type::Map(_)))
}

/// Tuples often hold the data of a list.
fn tuples_as_lists(types: &[&Type]) -> Option<Type> {
    let tuples: Vec<&Type> = types.iter().copied().filter(|ty| matches!(ty, Type::Tuple(_))).collect();
    let common = elements_as_list(&tuples)?;
    let others = types.iter().copied().filter(|ty| !matches!(ty, Type::Tuple(_)));
    unify_all(others.chain([&common])).filter(|ty| matches!(ty, Type::List(_)))
}

/// An object with the attributes that all have, or a map if their names differ.
fn unify_objects(types: &[&Type]) -> Option<Type> {
    let all: Vec<&BTreeMap<Text, Attribute>> = types
        .iter()
        .filter_map(|ty| if let Type::Object(attributes) = ty { Some(&**attributes) } else { None })
        .collect();
    let first = all.first()?;
    if !all.iter().all(|other| other.keys().eq(first.keys())) {
        return attributes_as_map(types);
    }
    let attribute = |name: &Text| {
        let each = || all.iter().filter_map(|attributes| attributes.get(name));
        let is_optional = each().any(|a| a.is_optional);
        Some((Text::clone(name), Attribute { ty: unify_all(each().map(|a| &a.ty))?, is_optional }))
    };
    let found = Type::Object(Arc::new(first.keys().map(attribute).collect::<Option<_>>()?));
    match types.iter().all(|ty| **ty == found || is_convertible(ty, &found)) {
        true => Some(found),
        false => attributes_as_map(types),
    }
}

/// A map of what all attributes of some objects have in common.
fn attributes_as_map(objects: &[&Type]) -> Option<Type> {
    let attributes = objects.iter().filter_map(|ty| if let Type::Object(all) = ty { Some(all) } else { None });
    let found = Type::map(unify_all(attributes.flat_map(|all| all.values().map(|a| &a.ty)))?);
    objects.iter().all(|ty| is_convertible(ty, &found)).then_some(found)
}

/// A tuple with the elements that all have, or a list if their lengths differ.
fn unify_tuples(types: &[&Type]) -> Option<Type> {
    let all: Vec<&Vec<Type>> =
        types.iter().filter_map(|ty| if let Type::Tuple(elements) = ty { Some(&**elements) } else { None }).collect();
    let length = all.first()?.len();
    if !all.iter().all(|other| other.len() == length) {
        return elements_as_list(types);
    }
    let element = |index: usize| unify_all(all.iter().filter_map(|elements| elements.get(index)));
    let found = Type::Tuple(Arc::new((0..length).map(element).collect::<Option<_>>()?));
    match types.iter().all(|ty| **ty == found || is_convertible(ty, &found)) {
        true => Some(found),
        false => elements_as_list(types),
    }
}

/// A list of what all elements of some tuples have in common.
fn elements_as_list(tuples: &[&Type]) -> Option<Type> {
    let elements = tuples.iter().filter_map(|ty| if let Type::Tuple(all) = ty { Some(all) } else { None });
    let found = Type::list(unify_all(elements.flat_map(|all| all.iter()))?);
    tuples.iter().all(|ty| is_convertible(ty, &found)).then_some(found)
}

/// Types with the more general ones first, otherwise in their order.
fn by_preference<'a>(types: &[&'a Type]) -> Vec<&'a Type> {
    let count = types.len();
    let (mut below, mut above) = (vec![Vec::new(); count], vec![0_usize; count]);
    for i in 0..count {
        for j in i + 1..count {
            match preference(types[i], types[j]) {
                Ordering::Less => {
                    below[i].push(j);
                    above[j] += 1;
                }
                Ordering::Greater => {
                    below[j].push(i);
                    above[i] += 1;
                }
                Ordering::Equal => {}
            }
        }
    }
    let mut order: Vec<usize> = (0..count).filter(|i| above[*i] == 0).collect();
    let mut next = 0;
    while let Some(i) = order.get(next).copied() {
        next += 1;
        for j in &below[i] {
            above[*j] -= 1;
            if above[*j] == 0 {
                order.push(*j);
            }
        }
    }
    order.into_iter().map(|i| types[i]).collect()
}

/// Which of two types is the more general one: it comes first.
fn preference(a: &Type, b: &Type) -> Ordering {
    match (a, b) {
        (Type::Dynamic, Type::Dynamic) => Ordering::Equal,
        // Any type matches: it will be the type of the others.
        (Type::Dynamic, _) => Ordering::Greater,
        (_, Type::Dynamic) => Ordering::Less,
        (a, b) if a.is_primitive() && b.is_primitive() => (*a != Type::Str).cmp(&(*b != Type::Str)),
        (Type::List(a), Type::List(b)) | (Type::Set(a), Type::Set(b)) | (Type::Map(a), Type::Map(b)) => {
            preference(a, b)
        }
        (Type::Tuple(_) | Type::List(_), Type::Set(_)) | (Type::List(_), Type::Tuple(_)) => Ordering::Less,
        (Type::Set(_), Type::Tuple(_) | Type::List(_)) | (Type::Tuple(_), Type::List(_)) => Ordering::Greater,
        (Type::Map(_), Type::Object(_)) => Ordering::Less,
        (Type::Object(_), Type::Map(_)) => Ordering::Greater,
        (Type::Object(a), Type::Object(b)) if a.keys().eq(b.keys()) => {
            joint(a.values().zip(b.values()).map(|(a, b)| preference(&a.ty, &b.ty)))
        }
        (Type::Tuple(a), Type::Tuple(b)) if a.len() == b.len() => {
            joint(a.iter().zip(b.iter()).map(|(a, b)| preference(a, b)))
        }
        _ => Ordering::Equal,
    }
}

/// Combines the results of parts, if they agree.
fn joint(parts: impl Iterator<Item = Ordering>) -> Ordering {
    let (mut less, mut greater) = (false, false);
    for part in parts {
        less |= part == Ordering::Less;
        greater |= part == Ordering::Greater;
    }
    greater.cmp(&less)
}

/// Whether values of one type can be converted to another, if their content allows it.
pub(super) fn is_convertible(from: &Type, to: &Type) -> bool {
    match (from, to) {
        (from, to) if from == to => true,
        (Type::Dynamic, _) | (_, Type::Dynamic) => true,
        (a, b) if a.is_primitive() && b.is_primitive() => {
            !matches!((a, b), (Type::Bool, Type::Number) | (Type::Number, Type::Bool))
        }
        (Type::Object(from), Type::Object(to)) => to.iter().all(|(name, wanted)| match from.get(name) {
            Some(attribute) => is_convertible(&attribute.ty, &wanted.ty),
            None => wanted.is_optional,
        }),
        (Type::Tuple(from), Type::Tuple(to)) => {
            from.len() == to.len() && from.iter().zip(to.iter()).all(|(from, to)| is_convertible(from, to))
        }
        (Type::List(from) | Type::Set(from), Type::List(to) | Type::Set(to)) | (Type::Map(from), Type::Map(to)) => {
            is_convertible(from, to)
        }
        (Type::Tuple(from), Type::List(to) | Type::Set(to)) => parts_convertible(|| from.iter(), to, false),
        (Type::Object(from), Type::Map(to)) => parts_convertible(|| from.values().map(|a| &a.ty), to, true),
        (Type::Map(from), Type::Object(to)) => to.values().all(|a| a.is_optional || is_convertible(from, &a.ty)),
        _ => false,
    }
}

/// Whether all parts can be converted to one type, which they have in common where any will do.
/// Attributes of an object may have any type in common, elements of a tuple only if all have it.
fn parts_convertible<'a, I: Iterator<Item = &'a Type>>(parts: impl Fn() -> I, wanted: &Type, any: bool) -> bool {
    let common = match wanted {
        Type::Dynamic if parts().next().is_none() => return true,
        Type::Dynamic => match unify_all(parts()) {
            Some(Type::Dynamic) => return any || parts().all(|part| *part == Type::Dynamic),
            Some(common) => common,
            None => return false,
        },
        wanted => wanted.clone(),
    };
    parts().all(|part| is_convertible(part, &common))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::val::Val;

    fn tuple(types: &[Type]) -> Type {
        Type::Tuple(Arc::new(types.to_vec()))
    }

    fn object(attributes: &[(&str, Type)]) -> Type {
        let one = |(name, ty): &(&str, Type)| (Text::from(*name), Attribute { ty: ty.clone(), is_optional: false });
        Type::Object(Arc::new(attributes.iter().map(one).collect()))
    }

    #[test]
    fn types_have_in_common_what_cty_says() {
        use Type::{Bool, Dynamic, Number, Str};
        for (types, common) in [
            (vec![Bool, Str], Some(Str)),
            (vec![Bool, Number], None),
            // Text is preferred, but a list of it is not.
            (vec![tuple(&[Str]), Type::list(Number)], Some(Type::list(Str))),
            (vec![tuple(&[Str, Number]), tuple(&[Bool])], Some(Type::list(Str))),
            (vec![tuple(&[tuple(&[])]), tuple(&[Str])], None),
            (vec![Type::set(Str), Type::list(Str)], Some(Type::list(Str))),
            (vec![object(&[("a", Str)]), object(&[("b", Number)])], Some(Type::map(Str))),
            (vec![object(&[("a", Str)]), tuple(&[])], None),
            // Null has no type yet.
            (vec![Dynamic, Str], Some(Str)),
            (vec![Dynamic, tuple(&[Str])], Some(Dynamic)),
            (vec![Dynamic, tuple(&[Str]), Bool], Some(Dynamic)),
        ] {
            assert_eq!(unify(&types), common, "{types:?}");
        }
    }

    #[test]
    fn null_beside_a_tuple_makes_no_list() {
        use crate::types::convert::convert;
        let mixed = Val::tuple(vec![Val::null(), Val::tuple(vec![])]);
        assert!(convert(&mixed, &Type::list(Type::Dynamic)).is_err());
        let text = Val::tuple(vec![Val::null(), Val::str("a")]);
        assert!(convert(&text, &Type::set(Type::Dynamic)).is_ok());
    }
}
