//! Maps and objects, and functions of all collections.

use super::{
    A, Args, ELEMENTS, Fail, Function, LIST, MAP_OF_LISTS, MAPPING, NULLABLE, Outcome, S, SEQUENCE, STRINGS, function,
};
use crate::types::convert::convert;
use crate::types::{Type, unify};
use crate::val::unknown::Facts;
use crate::val::{Data, Entries, Marks, Val, equal};
use shared_text::Text;
use std::collections::BTreeMap;
use std::sync::Arc;
use unicode_segmentation::UnicodeSegmentation;

pub(super) const ALL: &[Function] = &[
    function("coalesce", &[], coalesce).rest(NULLABLE).sees_unknown(),
    function("contains", &[A, A], contains).sees_unknown(),
    function("keys", &[MAPPING], keys).shallow(),
    function("length", &[NULLABLE], length).shallow(),
    function("list", &[], |_| Err(Fail::Call("the \"list\" function was deprecated and is no longer available; use tolist([ ... ]) syntax to write a literal list".to_owned()))).rest(NULLABLE),
    function("lookup", &[MAPPING, S], lookup).rest(NULLABLE).shallow(),
    function("map", &[], |_| Err(Fail::Call("the \"map\" function was deprecated and is no longer available; use tomap({ ... }) syntax to write a literal map".to_owned()))).rest(NULLABLE),
    function("matchkeys", &[LIST, LIST, LIST], match_keys).sees_unknown(),
    function("merge", &[], merge).rest(NULLABLE).shallow(),
    function("one", &[ELEMENTS], one).sees_unknown(),
    function("transpose", &[MAP_OF_LISTS], transpose),
    function("values", &[MAPPING], values).shallow(),
    function("zipmap", &[STRINGS, SEQUENCE], zip_map).shallow(),
];

fn unknown(value: &Val) -> Option<Fail> {
    match &value.data {
        Data::Unknown(_, reason) => Some(Fail::Unknown(reason.to_string())),
        _ => None,
    }
}

fn known(args: &Args<'_, '_>) -> Result<(), Fail> {
    args.values.iter().find_map(unknown).map_or(Ok(()), Err)
}

fn coalesce(args: &mut Args<'_, '_>) -> Outcome {
    let types: Vec<Type> = args.values.iter().map(Type::of).collect();
    let ty = unify(&types).ok_or_else(|| Fail::Call("all arguments must have the same type".to_owned()))?;
    for value in &args.values {
        if let Some(fail) = unknown(value) {
            return Err(fail);
        }
        // OpenTofu passes over what cannot be converted.
        let Ok(converted) = convert(value, &ty) else { continue };
        let is_empty = ty == Type::Str && converted.as_str().is_some_and(|t| t.is_empty());
        if !converted.is_null() && !is_empty {
            return Ok(converted);
        }
    }
    Err(Fail::Call("no non-null, non-empty-string arguments".to_owned()))
}

fn contains(args: &mut Args<'_, '_>) -> Outcome {
    known(args)?;
    let Some(items) = args.values[0].as_items() else {
        return Err(Fail::Argument(0, "argument must be list, tuple, or set".to_owned()));
    };
    let mut result = Some(false);
    for item in items.iter() {
        match equal(item, &args.values[1]) {
            Some(true) => return Ok(Val::bool(true)),
            Some(false) => {}
            None => result = None,
        }
    }
    match result {
        Some(found) => Ok(Val::bool(found)),
        None => Err(Fail::Unknown("an element is not known".to_owned())),
    }
}

fn entries<'a>(args: &'a Args<'_, '_>, index: usize) -> Result<&'a Entries, Fail> {
    match args.values[index].as_entries() {
        Some(entries) => Ok(entries),
        None => Err(Fail::Argument(index, "must have map or object type".to_owned())),
    }
}

fn keys(args: &mut Args<'_, '_>) -> Outcome {
    if let Data::Unknown(Type::Object(attributes), _) = &args.values[0].data {
        let names = attributes.keys().map(|name| Val::str(Text::clone(name))).collect();
        return Ok(Val::tuple(names).marked(args.values[0].marks));
    }
    let marks = args.values[0].marks;
    if let Data::Unknown(_, reason) = &args.values[0].data {
        return Ok(super::unknown::typed("keys", &args.values, Text::clone(reason)).marked(marks));
    }
    let is_map = matches!(args.values[0].data, Data::Map(..));
    let all: Vec<Val> =
        entries(args, 0)?.iter().map(|(k, v)| Val::str(Text::clone(k)).with_prov(v.prov.clone())).collect();
    Ok(if is_map { Val::list(Type::Str, all) } else { Val::tuple(all) }.marked(marks))
}

fn values(args: &mut Args<'_, '_>) -> Outcome {
    known(args)?;
    let marks = args.values[0].marks;
    let all: Vec<Val> = entries(args, 0)?.values().cloned().collect();
    Ok(match &args.values[0].data {
        Data::Map(ty, _) => Val::list(ty.clone(), all),
        _ => Val::tuple(all),
    }
    .marked(marks))
}

/// What cannot have a length.
const UNCOUNTED: &str = "argument must be a string, a collection type, or a structural type";

fn length(args: &mut Args<'_, '_>) -> Outcome {
    let value = &args.values[0];
    let count = match &value.data {
        Data::Unknown(ty, reason) => return unknown_length(value, ty, reason),
        // Elements that are not known may be the same as others.
        Data::Set(_, items) if items.len() > 1 && items.iter().any(Val::is_unknown) => {
            let facts = Facts { range: (Some(1_usize.into()), Some(items.len().into())), ..Facts::default() };
            let reason = value.unknown_reason().cloned().unwrap_or_default();
            return Ok(Val::partly_unknown(Type::Number, reason, facts).marked(value.marks));
        }
        Data::Str(text) => text.graphemes(true).count(),
        Data::Null(_) => return Err(Fail::Argument(0, "argument must not be null".to_owned())),
        _ => match (value.as_items(), value.as_entries()) {
            (Some(items), _) => items.len(),
            (_, Some(entries)) => entries.len(),
            _ => {
                return Err(Fail::Call(UNCOUNTED.to_owned()));
            }
        },
    };
    Ok(Val::number(count).marked(value.marks))
}

/// The length of a value that is not known.
fn unknown_length(value: &Val, ty: &Type, reason: &Text) -> Outcome {
    if let Some(length) = value.facts().and_then(|facts| facts.length) {
        return Ok(Val::number(length).marked(value.marks));
    }
    match ty {
        Type::Bool | Type::Number => return Err(Fail::Call(UNCOUNTED.to_owned())),
        Type::Tuple(types) => return Ok(Val::number(types.len()).marked(value.marks)),
        Type::Object(attributes) => return Ok(Val::number(attributes.len()).marked(value.marks)),
        _ => {}
    }
    let least = match (ty, value.facts()) {
        (Type::Dynamic, _) => return Ok(Val::unknown(Type::Number, Text::clone(reason)).marked(value.marks)),
        (Type::Str, Some(facts)) => facts.prefix.graphemes(true).count(),
        _ => 0,
    };
    let facts = Facts { range: (Some(least.into()), None), ..Facts::default() };
    Ok(Val::partly_unknown(Type::Number, Text::clone(reason), facts).marked(value.marks))
}

fn lookup(args: &mut Args<'_, '_>) -> Outcome {
    if args.values.len() > 3 {
        return Err(Fail::Call("lookup() takes two or three arguments".to_owned()));
    }
    // The default has to fit also where it is not used.
    let element = match &args.values[0].data {
        Data::Map(element, _) => Some(element.clone()),
        Data::Null(ty) | Data::Unknown(ty, _) => match ty {
            Type::Map(element) => Some(Type::clone(element)),
            _ => None,
        },
        _ => None,
    };
    let default = match (args.values.get(2), element) {
        (Some(default), Some(element)) => Some(convert(default, &element).map_err(|_| {
            Fail::Argument(2, "the default value must have the same type as the map elements".to_owned())
        })?),
        (default, _) => default.cloned(),
    };
    args.values.iter().take(2).find_map(unknown).map_or(Ok(()), Err)?;
    let key = args.str(1).to_owned();
    let marks = args.values[0].marks | args.values[1].marks;
    if let Some(found) = entries(args, 0)?.get(&*key) {
        return Ok(found.clone().marked(marks));
    }
    match (default, &args.values[0].data) {
        (Some(default), _) => Ok(default.marked(marks)),
        (None, Data::Object(_)) => Err(Fail::Argument(0, format!("the given object has no attribute \"{key}\""))),
        (None, _) => Err(Fail::Call(format!("lookup failed to find key \"{key}\""))),
    }
}

fn match_keys(args: &mut Args<'_, '_>) -> Outcome {
    let common = unify(&[Type::of(&args.values[1]), Type::of(&args.values[2])]);
    let common = common.ok_or_else(|| Fail::Call("keys and searchset must be of the same type".to_owned()))?;
    known(args)?;
    let (values, keys) = (args.items(0), args.items(1));
    if values.len() != keys.len() {
        return Err(Fail::Call("length of keys and values should be equal".to_owned()));
    }
    let ty = if let Data::List(ty, _) = &args.values[0].data { ty.clone() } else { Type::Dynamic };
    if args.items(2).is_empty() {
        return Ok(Val::list(ty, Vec::new()));
    }
    if let Some(reason) = args.values.iter().find_map(Val::unknown_reason) {
        return Ok(Val::unknown(Type::list(ty), Text::clone(reason)));
    }
    let same = |value: &Val| convert(value, &common).map_err(|why| Fail::Call(why.text()));
    let (keys, wanted) = (same(&args.values[1])?, same(&args.values[2])?);
    let all = |list: &Val| list.as_items().cloned().unwrap_or_default();
    let (keys, wanted) = (all(&keys), all(&wanted));
    let is_wanted = |key: &Val| wanted.iter().any(|one| equal(key, one) == Some(true));
    let found =
        values.iter().zip(keys.iter()).filter(|(_, key)| is_wanted(key)).map(|(value, _)| value.clone()).collect();
    Ok(Val::list(ty, found))
}

fn merge(args: &mut Args<'_, '_>) -> Outcome {
    let (mut all, mut marks) = (Entries::new(), Marks::NONE);
    // What follows an argument without a type is not examined.
    let mut typed = args.values.iter().map(Type::of).take_while(|ty| *ty != Type::Dynamic);
    if let Some(ty) = typed.find(|ty| !matches!(ty, Type::Map(_) | Type::Object(_))) {
        return Err(Fail::Call(format!("arguments must be maps or objects, got \"{}\"", ty.name())));
    }
    for value in &args.values {
        if let Some(fail) = unknown(value) {
            return Err(fail);
        }
        marks = marks | value.marks;
        let Some(entries) = value.as_entries() else {
            match value.is_null() || value.as_items().is_some_and(|items| items.is_empty()) {
                true => continue,
                false => return Err(Fail::Call("arguments must be maps or objects".to_owned())),
            }
        };
        if all.is_empty() {
            // Made at once, a map has no room left in it: one that grows entry by entry is twice as large.
            all = entries.iter().map(|(key, entry)| (Text::clone(key), entry.clone())).collect();
            continue;
        }
        for (key, entry) in entries.iter() {
            let mut entry = entry.clone();
            if let Some(earlier) = all.get(key) {
                let replaced = crate::val::export::export(earlier);
                entry.prov = entry.prov.overriding(&replaced);
            }
            all.insert(Text::clone(key), entry);
        }
    }
    let mut types = args.values.iter().map(Type::of);
    let merged = match types.next() {
        Some(Type::Map(ty)) if types.all(|other| other == Type::Map(Arc::clone(&ty))) => Val::map((*ty).clone(), all),
        _ => Val::object(all),
    };
    Ok(merged.marked(marks))
}

fn one(args: &mut Args<'_, '_>) -> Outcome {
    let value = &args.values[0];
    let wrong = || Fail::Argument(0, "must be a list, set, or tuple value with either zero or one elements".to_owned());
    if matches!(&value.data, Data::Unknown(Type::Tuple(types), _) if types.len() > 1) {
        return Err(wrong());
    }
    known(args)?;
    match value.as_items().ok_or_else(wrong)?.as_slice() {
        [] => Ok(Val::null()),
        [only] => Ok(only.clone()),
        // Elements of a set that are not known may be the same as others.
        _ if matches!(value.data, Data::Set(..)) && value.unknown_reason().is_some() => {
            Err(Fail::Unknown(value.unknown_reason().map_or_else(String::new, |reason| reason.to_string())))
        }
        _ => Err(wrong()),
    }
}

fn transpose(args: &mut Args<'_, '_>) -> Outcome {
    let mut all: BTreeMap<Text, Vec<Val>> = BTreeMap::new();
    for (key, list) in args.values[0].as_entries().into_iter().flat_map(|e| e.iter()) {
        let wrong = || Fail::Call("input must be a map of lists of strings, without null".to_owned());
        for name in list.as_items().ok_or_else(wrong)?.iter() {
            let name = name.as_str().ok_or_else(wrong)?;
            all.entry(Text::clone(name)).or_default().push(Val::str(Text::clone(key)));
        }
    }
    let entries: Entries = all.into_iter().map(|(k, v)| (k, Val::list(Type::Str, v))).collect();
    Ok(Val::map(Type::list(Type::Str), entries))
}

fn zip_map(args: &mut Args<'_, '_>) -> Outcome {
    known(args)?;
    let reason = args.items(0).iter().find_map(Val::unknown_reason).cloned();
    if let Some(reason) = reason {
        // OpenTofu forgets the marks of the keys.
        let marks = args.values[0].marks | args.values[1].marks;
        return Ok(super::unknown::typed("zipmap", &args.values, reason).marked(marks));
    }
    let marks = args.values[0].all_marks() | args.values[1].marks;
    let keys = args.texts(0);
    let values = args.items(1);
    if keys.len() != values.len() {
        let message = format!("number of keys ({}) does not match number of values ({})", keys.len(), values.len());
        return Err(Fail::Call(message));
    }
    let entries: Entries = keys.into_iter().zip(values.iter().cloned()).collect();
    Ok(match &args.values[1].data {
        Data::List(ty, _) => Val::map(ty.clone(), entries),
        _ => Val::object(entries),
    }
    .marked(marks))
}
