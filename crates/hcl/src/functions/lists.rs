//! Lists.

use super::{A, Args, ELEMENTS, Fail, Function, LIST, N, NULLABLE, Outcome, SEQUENCE, STRINGS, function};
use crate::types::convert::convert;
use crate::types::{Type, unify};
use crate::val::{Data, Marks, Val, equal};
use shared_text::Text;

pub(super) const ALL: &[Function] = &[
    function("chunklist", &[LIST, N], chunks).shallow(),
    function("coalescelist", &[], coalesce_list).rest(NULLABLE).sees_unknown(),
    function("compact", &[STRINGS], compact),
    function("concat", &[], concat).rest(SEQUENCE).shallow().stopping_at_unknown(),
    function("distinct", &[LIST], distinct),
    function("element", &[SEQUENCE, N.always_marking()], element).shallow(),
    function("flatten", &[A], flatten).shallow(),
    function("index", &[SEQUENCE.lenient(), A], index).sees_unknown(),
    function("reverse", &[ELEMENTS], reverse).shallow(),
    function("slice", &[SEQUENCE, N.always_marking(), N.always_marking()], slice).shallow(),
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
    // The type of an element of a tuple depends on its position.
    if let Type::Tuple(_) = Type::of(&args.values[0]) {
        args.integer(1)?;
    }
    let items = list(args, 0)?.map_err(|name| Fail::Call(format!("cannot read elements from {name}")))?;
    let position = args.integer(1)?;
    if items.is_empty() {
        return Err(Fail::Call("cannot use element function with an empty list".to_owned()));
    }
    let at = position.rem_euclid(items.len() as i64) as usize;
    Ok(items[at].clone().marked(args.values[0].marks | args.values[1].marks))
}

fn flatten(args: &mut Args<'_, '_>) -> Outcome {
    let value = &args.values[0];
    // OpenTofu looks at the type only of what is completely known.
    let entries = match value.as_entries() {
        Some(entries) if value.unknown_reason().is_some() => {
            Some(Val::tuple(entries.values().cloned().collect()).marked(value.marks))
        }
        _ => None,
    };
    let value = entries.as_ref().unwrap_or(value);
    if let Data::Unknown(_, reason) = &value.data {
        return Err(Fail::Unknown(reason.to_string()));
    }
    if value.as_items().is_none() {
        return Err(Fail::Call("can only flatten lists, sets and tuples".to_owned()));
    }
    let (mut all, mut marks) = (Vec::new(), Marks::NONE);
    let flat = match level(value, &mut all, &mut marks) {
        Ok(()) => Val::tuple(all),
        Err(reason) => Val::unknown(Type::Dynamic, reason),
    };
    Ok(flat.marked(marks))
}

/// Adds what is in a value and in the sequences in it, with the marks of the sequences; `Err` with why it is not known what is.
fn level(value: &Val, all: &mut Vec<Val>, marks: &mut Marks) -> Result<(), Text> {
    *marks = *marks | value.marks;
    if let Data::Unknown(_, reason) = &value.data {
        return Err(Text::clone(reason));
    }
    // How many elements a set has is open if they may be the same.
    if let (Data::Set(..), Some(reason)) = (&value.data, value.unknown_reason()) {
        return Err(Text::clone(reason));
    }
    // The marks of all elements count, whichever of them are not known.
    let mut open = None;
    for item in value.as_items().into_iter().flat_map(|i| i.iter()) {
        match item.as_items() {
            Some(_) => open = level(item, all, marks).err().or(open),
            // It may be a list.
            None if matches!(&item.data, Data::Unknown(ty, _) if can_be_sequence(ty)) => {
                *marks = *marks | item.marks;
                open = item.unknown_reason().cloned();
            }
            None => all.push(item.clone()),
        }
    }
    open.map_or(Ok(()), Err)
}

fn index(args: &mut Args<'_, '_>) -> Outcome {
    for value in &args.values {
        if let Data::Unknown(_, reason) = &value.data {
            return Err(Fail::Unknown(reason.to_string()));
        }
    }
    let items = sequence(args, 0)?;
    if items.is_empty() {
        return Err(Fail::Call("cannot search an empty list".to_owned()));
    }
    for (at, item) in items.iter().enumerate() {
        match equal(item, &args.values[1]) {
            Some(true) => return Ok(Val::number(at)),
            Some(false) => {}
            None => {
                let reason = item.unknown_reason().or_else(|| args.values[1].unknown_reason());
                return Err(Fail::Unknown(reason.map(ToString::to_string).unwrap_or_default()));
            }
        }
    }
    Err(Fail::Call("item not found".to_owned()))
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
