//! Lists.

use super::{A, Args, ELEMENTS, Fail, Function, LIST, N, NULLABLE, Outcome, SEQUENCE, STRINGS, function};
use crate::types::convert::convert;
use crate::types::{Type, unify};
use crate::val::{Data, Marks, Val, equal};

pub(super) const ALL: &[Function] = &[
    function("chunklist", &[LIST, N], chunks).shallow(),
    function("coalescelist", &[], coalesce_list).rest(NULLABLE).sees_unknown(),
    function("compact", &[STRINGS], compact),
    function("concat", &[], concat).rest(SEQUENCE).shallow(),
    function("distinct", &[LIST], distinct),
    function("element", &[SEQUENCE, N], element).shallow(),
    function("flatten", &[A], flatten).shallow(),
    function("index", &[SEQUENCE, A], index),
    function("reverse", &[ELEMENTS], reverse).shallow(),
    function("slice", &[SEQUENCE, N, N], slice).shallow(),
    function("sort", &[STRINGS], sort).sees_unknown(),
];

fn element_type(value: &Val) -> Type {
    match &value.data {
        Data::List(ty, _) | Data::Set(ty, _) => ty.clone(),
        _ => Type::Dynamic,
    }
}

pub(super) fn sequence(args: &Args<'_, '_>, index: usize) -> Result<Vec<Val>, Fail> {
    let value = &args.values[index];
    match (&value.data, value.as_items()) {
        (Data::Unknown(ty, reason), _) if can_be_sequence(ty) => Err(Fail::Unknown(reason.to_string())),
        (_, Some(items)) => Ok(items.to_vec()),
        _ => Err(Fail::Argument(index, format!("must be a list or tuple, not {}", Type::of(value).name()))),
    }
}

/// The same of what has an order; `Err` with the name of its type if it is a set or no sequence.
fn list(args: &Args<'_, '_>, index: usize) -> Result<Result<Vec<Val>, String>, Fail> {
    let value = &args.values[index];
    let is_set = matches!(&value.data, Data::Set(..) | Data::Unknown(Type::Set(_), _));
    match is_set || value.as_items().is_none() && !value.is_unknown() {
        true => Ok(Err(Type::of(value).name())),
        false => sequence(args, index).map(Ok),
    }
}

pub(super) fn can_be_sequence(ty: &Type) -> bool {
    matches!(ty, Type::Dynamic | Type::List(_) | Type::Set(_) | Type::Tuple(_))
}

fn chunks(args: &mut Args<'_, '_>) -> Outcome {
    let marks = args.values[0].marks | args.values[1].marks;
    if let Data::Unknown(_, reason) = &args.values[1].data {
        return Err(Fail::Unknown(reason.to_string()));
    }
    let items = sequence(args, 0)?;
    let size = args.integer(1)?;
    let ty = element_type(&args.values[0]);
    let size = match size {
        s if s < 0 => return Err(Fail::Call("the size argument must be positive".to_owned())),
        0 => items.len().max(1),
        s => s as usize,
    };
    let all = items.chunks(size).map(|c| Val::list(ty.clone(), c.to_vec())).collect();
    Ok(Val::list(Type::list(ty), all).marked(marks))
}

fn coalesce_list(args: &mut Args<'_, '_>) -> Outcome {
    // Arguments after an unknown one are not examined.
    let known = args.values.iter().take_while(|value| !matches!(value.data, Data::Unknown(..)));
    if known.clone().any(|value| !matches!(Type::of(value), Type::List(_) | Type::Tuple(_))) {
        return Err(Fail::Call("coalescelist arguments must be lists or tuples".to_owned()));
    }
    if let Some(found) = known.into_iter().find(|value| value.as_items().is_some_and(|items| !items.is_empty())) {
        return Ok(found.clone());
    }
    if let Some(Data::Unknown(_, reason)) = args.values.iter().map(|v| &v.data).find(|d| matches!(d, Data::Unknown(..)))
    {
        return Err(Fail::Unknown(reason.to_string()));
    }
    Err(Fail::Call("no non-null arguments".to_owned()))
}

fn compact(args: &mut Args<'_, '_>) -> Outcome {
    let kept = args.items(0).iter().filter(|v| v.as_str().is_some_and(|t| !t.is_empty())).cloned().collect();
    Ok(Val::list(Type::Str, kept))
}

fn concat(args: &mut Args<'_, '_>) -> Outcome {
    if args.values.is_empty() {
        return Err(Fail::Call("at least one argument is required".to_owned()));
    }
    let (mut all, mut marks) = (Vec::new(), Marks::NONE);
    let mut types = Vec::new();
    for index in 0..args.values.len() {
        let wrong = |name| Fail::Argument(index, format!("all arguments must be lists or tuples; got {name}"));
        all.extend(list(args, index)?.map_err(wrong)?);
        marks = marks | args.values[index].marks;
        if let Data::List(ty, _) = &args.values[index].data {
            types.push(ty.clone());
        }
    }
    let lists = types.len() == args.values.len();
    let ty = if lists { unify(&types) } else { None };
    let value = match ty {
        Some(ty) => {
            let converted: Result<Vec<Val>, _> = all.iter().map(|v| convert(v, &ty)).collect();
            Val::list(ty, converted.map_err(|e| Fail::Call(e.text()))?)
        }
        None => Val::tuple(all),
    };
    Ok(value.marked(marks))
}

fn distinct(args: &mut Args<'_, '_>) -> Outcome {
    let mut kept: Vec<Val> = Vec::new();
    for item in args.items(0) {
        if kept.len() > 20_000 {
            return Err(Fail::Call("the list is too long".to_owned()));
        }
        if !kept.iter().any(|k| equal(k, item) == Some(true)) {
            kept.push(item.clone());
        }
    }
    Ok(Val::list(element_type(&args.values[0]), kept))
}

fn element(args: &mut Args<'_, '_>) -> Outcome {
    if let Data::Unknown(_, reason) = &args.values[1].data {
        return Err(Fail::Unknown(reason.to_string()));
    }
    let position = args.integer(1)?;
    let items = list(args, 0)?.map_err(|name| Fail::Call(format!("cannot read elements from {name}")))?;
    if items.is_empty() {
        return Err(Fail::Call("cannot use element function with an empty list".to_owned()));
    }
    let at = position.rem_euclid(items.len() as i64) as usize;
    Ok(items[at].clone().marked(args.values[0].marks | args.values[1].marks))
}

fn flatten(args: &mut Args<'_, '_>) -> Outcome {
    let mut marks = args.values[0].marks;
    if args.values[0].as_items().is_none() && !args.values[0].is_unknown() {
        return Err(Fail::Call("can only flatten lists, sets and tuples".to_owned()));
    }
    let mut all = Vec::new();
    level(&args.values[0], &mut all, &mut marks)?;
    Ok(Val::tuple(all).marked(marks))
}

fn level(value: &Val, all: &mut Vec<Val>, marks: &mut Marks) -> Result<(), Fail> {
    if let Data::Unknown(_, reason) = &value.data {
        return Err(Fail::Unknown(reason.to_string()));
    }
    // How many elements a set has is open if they may be the same.
    if let (Data::Set(..), Some(reason)) = (&value.data, value.unknown_reason()) {
        return Err(Fail::Unknown(reason.to_string()));
    }
    *marks = *marks | value.marks;
    for item in value.as_items().into_iter().flat_map(|i| i.iter()) {
        match item.as_items() {
            Some(_) => level(item, all, marks)?,
            // It may be a list.
            None if matches!(&item.data, Data::Unknown(ty, _) if can_be_sequence(ty)) => {
                return Err(Fail::Unknown(item.unknown_reason().map_or_else(String::new, |r| r.to_string())));
            }
            None => all.push(item.clone()),
        }
    }
    Ok(())
}

fn index(args: &mut Args<'_, '_>) -> Outcome {
    let items = sequence(args, 0)?;
    if items.is_empty() {
        return Err(Fail::Call("cannot search an empty list".to_owned()));
    }
    match items.iter().position(|item| equal(item, &args.values[1]) == Some(true)) {
        Some(at) => Ok(Val::number(at)),
        None => Err(Fail::Call("item not found".to_owned())),
    }
}

fn reverse(args: &mut Args<'_, '_>) -> Outcome {
    let mut items = sequence(args, 0)?;
    items.reverse();
    let value = &args.values[0];
    Ok(match &value.data {
        Data::Tuple(_) => Val::tuple(items),
        _ => Val::list(element_type(value), items),
    }
    .marked(value.marks))
}

fn slice(args: &mut Args<'_, '_>) -> Outcome {
    for index in 1..3 {
        if let Data::Unknown(_, reason) = &args.values[index].data {
            return Err(Fail::Unknown(reason.to_string()));
        }
    }
    let (start, end) = (args.integer(1)?, args.integer(2)?);
    let items = sequence(args, 0)?;
    let count = items.len() as i64;
    if start < 0 {
        return Err(Fail::Argument(1, "start index must not be less than zero".to_owned()));
    }
    if start > count {
        return Err(Fail::Argument(1, "start index must not be greater than the length of the list".to_owned()));
    }
    if end < 0 || end > count {
        return Err(Fail::Argument(2, "end index must not be greater than the length of the list".to_owned()));
    }
    if start > end {
        return Err(Fail::Argument(1, "start index must not be greater than end index".to_owned()));
    }
    let part = items[start as usize..end as usize].to_vec();
    let value = &args.values[0];
    Ok(match &value.data {
        Data::Tuple(_) => Val::tuple(part),
        _ => Val::list(element_type(value), part),
    }
    .marked(value.marks))
}

fn sort(args: &mut Args<'_, '_>) -> Outcome {
    if let Some(reason) = args.values[0].unknown_reason().cloned() {
        return match args.values[0].as_items().map(|items| items.len()) {
            // Where each of them is, is not known.
            Some(count) => Ok(Val::list(Type::Str, vec![Val::unknown(Type::Str, reason); count])),
            None => Err(Fail::Unknown(reason.to_string())),
        };
    }
    let mut all = args.texts(0);
    if all.len() != args.items(0).len() {
        return Err(Fail::Call("list element is null; a null value cannot be sorted".to_owned()));
    }
    all.sort_by(|a, b| a.as_bytes().cmp(b.as_bytes()));
    Ok(Val::list(Type::Str, all.into_iter().map(Val::str).collect()))
}
