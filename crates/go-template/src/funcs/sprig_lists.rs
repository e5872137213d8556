//! Sprig: lists, dictionaries, defaults, JSON, reflection.

use super::call::{Args, to_value};
use super::cast::{self, deep_equal, is_empty, is_empty_data, kind, to_int};
use super::json::{self, Style};
use super::objects;
use crate::{Val, format};
use std::collections::HashSet;
use std::sync::Arc;
use traced_value::{Data, Key, Map, Value};

/// A panic of Go that several functions share: they examine the type of nothing.
const NIL: &str = "runtime error: invalid memory address or nil pointer dereference";

table! { TABLE:
    "list" | "tuple" ("!a*") => |a| values_of(a.all);
    "first" | "mustFirst" ("!a") => |a| Ok::<_, String>(items(a, 0, "Cannot find first on type")?.first().cloned().unwrap_or_default());
    "last" | "mustLast" ("!a") => |a| Ok::<_, String>(items(a, 0, "Cannot find last on type")?.last().cloned().unwrap_or_default());
    "rest" | "mustRest" ("!a") => |a| Ok::<_, String>(items(a, 0, "Cannot find rest on type")?.iter().skip(1).cloned().collect::<Vec<_>>());
    "initial" | "mustInitial" ("!a") => |a| {
        let items = items(a, 0, "Cannot find initial on type")?;
        Ok::<_, String>(items[..items.len().saturating_sub(1)].to_vec())
    };
    "append" | "push" | "mustAppend" | "mustPush" ("!aa") => |a| {
        let items = items(a, 0, "Cannot push on type")?;
        Ok::<_, String>(items.iter().cloned().chain([a.value(1)]).collect::<Vec<_>>())
    };
    "prepend" | "mustPrepend" ("!aa") => |a| {
        let items = items(a, 0, "Cannot prepend on type")?;
        Ok::<_, String>([a.value(1)].into_iter().chain(items.iter().cloned()).collect::<Vec<_>>())
    };
    "concat" ("!a*") => concat;
    "reverse" | "mustReverse" ("!a") => |a| {
        Ok::<_, String>(items(a, 0, "Cannot find reverse on type")?.iter().rev().cloned().collect::<Vec<_>>())
    };
    "compact" | "mustCompact" ("a") => |a| {
        let items = items(a, 0, "Cannot compact on type")?;
        Ok::<_, String>(items.iter().filter(|v| !is_empty_data(&v.data)).cloned().collect::<Vec<_>>())
    };
    "uniq" | "mustUniq" ("a") => |a| Ok::<_, String>(unique(&items(a, 0, "Cannot find uniq on type")?));
    "without" | "mustWithout" ("aa*") => |a| {
        let items = items(a, 0, "Cannot find without on type")?;
        let keep = |v: &&Value| !a.rest(1).iter().any(|o| deep_equal(o, &Val::Data((*v).clone())));
        Ok::<_, String>(items.iter().filter(keep).cloned().collect::<Vec<_>>())
    };
    "has" | "mustHas" ("aa") => has;
    "slice" | "mustSlice" ("!aa*") => slice;
    "chunk" | "mustChunk" ("!ia") => chunk;

    "dict" ("!a*") => dict;
    "get" ("!ms") => |a| a.map(0).get(a.s(1)).cloned().unwrap_or_else(|| Value::str(""));
    "set" ("!msa") => |a| {
        let mut map = (*a.map(0)).clone();
        map.set(a.s(1), a.value(2));
        map
    };
    "unset" ("!ms") => |a| {
        let mut map = (*a.map(0)).clone();
        map.remove(a.s(1));
        map
    };
    "hasKey" ("!ms") => |a| a.map(0).has(a.s(1));
    "pluck" ("!sm*") => |a| (1..a.len()).filter_map(|i| a.map(i).get(a.s(0)).cloned()).collect::<Vec<_>>();
    "keys" ("!m*") => |a| (0..a.len()).flat_map(|i| key_texts(&a.map(i))).collect::<Vec<_>>();
    "values" ("!m") => |a| a.map(0).iter().map(|e| e.value.clone()).collect::<Vec<_>>();
    "pick" ("!ms*") => |a| select(&a.map(0), |k| (1..a.len()).any(|i| a.s(i) == k));
    "omit" ("!ms*") => |a| select(&a.map(0), |k| !(1..a.len()).any(|i| a.s(i) == k));
    "merge" | "mustMerge" ("!mm*") => |a| merge_all(a, false);
    "mergeOverwrite" | "mustMergeOverwrite" ("!mm*") => |a| merge_all(a, true);
    "deepCopy" | "mustDeepCopy" ("!a") => |a| a.val(0).clone();
    "dig" ("!a*") => dig;

    "default" ("!aa*") => |a| if a.len() < 2 || is_empty(a.val(1)) { a.val(0).clone() } else { a.val(1).clone() };
    "empty" ("!a") => |a| is_empty(a.val(0));
    "coalesce" ("!a*") => |a| a.all.iter().find(|v| !is_empty(v)).cloned().unwrap_or_else(|| Data::Null.into());
    "all" ("!a*") => |a| !a.all.iter().any(is_empty);
    "any" ("!a*") => |a| !a.all.iter().all(is_empty);
    "ternary" ("!aab") => |a| a.val(if a.b(2) { 0 } else { 1 }).clone();

    "fromJson" ("s") => |a| json::decode(a.s(0)).unwrap_or_default();
    "mustFromJson" ("s") => |a| json::decode(a.s(0));
    "toJson" ("a") => |a| to_json(a, Style::Html).unwrap_or_default();
    "mustToJson" ("a") => |a| to_json(a, Style::Html);
    "toRawJson" | "mustToRawJson" ("a") => |a| to_json(a, Style::Raw);
    "toPrettyJson" ("a") => |a| to_json(a, Style::Html).map(|j| json::indent(&j, "  ")).unwrap_or_default();
    "mustToPrettyJson" ("a") => |a| to_json(a, Style::Html).map(|j| json::indent(&j, "  "));

    "kindOf" ("!a") => |a| kind(a.val(0));
    "kindIs" ("!sa") => |a| a.s(0) == kind(a.val(1));
    "typeOf" ("!a") => |a| format::type_name(a.val(0));
    "typeIs" ("!sa") => |a| a.s(0) == format::type_name(a.val(1));
    "typeIsLike" ("!sa") => |a| format::type_name(a.val(1)).trim_start_matches('*') == a.s(0).trim_start_matches('*');
    "deepEqual" ("aa") => |a| deep_equal(a.val(0), a.val(1));
}

/// Values as the entries of a list.
pub(super) fn values_of(args: &[Val]) -> Vec<Value> {
    args.iter().map(to_value).collect()
}

fn items(args: &Args<'_>, i: usize, error: &str) -> Result<Arc<Vec<Value>>, String> {
    match args.val(i) {
        Val::Data(Value { data: Data::List(list), .. }) => Ok(list.clone()),
        Val::Missing | Val::Data(Value { data: Data::Null, .. }) => Err(NIL.into()),
        other => Err(format!("{error} {}", kind(other))),
    }
}

/// Every value once, in the order of first appearance.
pub(super) fn unique(items: &[Value]) -> Vec<Value> {
    let mut out: Vec<Value> = Vec::new();
    // Text, which lists mostly are of, need not be checked against all the rest.
    let (mut texts, mut numbers, mut others) = (HashSet::new(), HashSet::new(), Vec::new());
    for item in items {
        let is_new = match &item.data {
            Data::Str(text) => texts.insert(text.as_str()),
            Data::Int(number) => numbers.insert((false, *number as u64)),
            // Those that are equal though their bits differ: two zeros.
            Data::Float(number) => numbers.insert((true, (number + 0.0).to_bits())),
            _ if others.contains(&item) => false,
            _ => {
                others.push(item);
                true
            }
        };
        if is_new {
            out.push(item.clone());
        }
    }
    out
}

fn concat(args: &Args<'_>) -> Result<Vec<Value>, String> {
    let mut out = Vec::new();
    for i in 0..args.len() {
        match args.val(i) {
            Val::Data(Value { data: Data::List(list), .. }) => out.extend(list.iter().cloned()),
            Val::Missing | Val::Data(Value { data: Data::Null, .. }) => return Err(NIL.into()),
            other => return Err(format!("Cannot concat type {} as list", kind(other))),
        }
    }
    Ok(out)
}

fn has(args: &Args<'_>) -> Result<bool, String> {
    if matches!(args.val(1), Val::Missing | Val::Data(Value { data: Data::Null, .. })) {
        return Ok(false);
    }
    let items = items(args, 1, "Cannot find has on type")?;
    Ok(items.iter().any(|v| deep_equal(args.val(0), &Val::Data(v.clone()))))
}

fn slice(args: &Args<'_>) -> Result<Val, String> {
    let items = items(args, 0, "list should be type of slice or array but")?;
    if items.is_empty() {
        return Ok(Data::Null.into());
    }
    let length = items.len() as i64;
    let from = if args.len() > 1 { to_int(args.val(1)) } else { 0 };
    let to = if args.len() > 2 { to_int(args.val(2)) } else { length };
    if from < 0 || to < from || to > length {
        return Err("reflect.Value.Slice: slice index out of bounds".into());
    }
    Ok(Value::list(items[from as usize..to as usize].to_vec()).into())
}

fn chunk(args: &Args<'_>) -> Result<Vec<Value>, String> {
    let items = items(args, 1, "Cannot chunk type")?;
    let size =
        usize::try_from(args.i(0)).ok().filter(|n| *n > 0).ok_or("runtime error: makeslice: len out of range")?;
    Ok(items.chunks(size).map(|part| Value::list(part.to_vec())).collect())
}

fn dict(args: &Args<'_>) -> Vec<(Key, Value)> {
    let value = |pair: &[Val]| pair.get(1).map_or_else(|| Value::str(""), to_value);
    args.all.chunks(2).map(|pair| (cast::to_text(&pair[0]).into(), value(pair))).collect()
}

/// The keys of a map in order.
pub(super) fn key_texts(map: &Map) -> Vec<String> {
    map.keys().map(|k| k.to_string()).collect()
}

/// The entries whose key is wanted.
pub(super) fn select(map: &Map, wanted: impl Fn(&str) -> bool) -> Map {
    map.iter().filter(|e| wanted(&e.key)).map(|e| (e.key.clone(), e.value.clone())).collect()
}

fn merge_all(args: &Args<'_>, overwrite: bool) -> Map {
    let mut out = (*args.map(0)).clone();
    for i in 1..args.len() {
        out = merge(&out, &args.map(i), overwrite);
    }
    out
}

/// Fills what is missing or empty, or with `overwrite` replaces what is there; maps are merged, lists replaced.
fn merge(to: &Map, from: &Map, overwrite: bool) -> Map {
    let mut out = to.clone();
    for entry in from {
        let old = to.get(&entry.key);
        let new = match (old, &entry.value.data) {
            (_, Data::Null) if !overwrite => continue,
            (Some(Value { data: Data::Map(old), .. }), Data::Map(new)) => Value::map(merge(old, new, overwrite)),
            (Some(old), _) if !overwrite && !is_empty_data(&old.data) => continue,
            _ => entry.value.clone(),
        };
        out.set(entry.key.clone(), new);
    }
    out
}

fn dig(args: &Args<'_>) -> Result<Val, String> {
    if args.len() < 3 {
        return Err("dig needs at least three arguments".into());
    }
    let conversion = |value: &Val, wanted: &str| match value {
        Val::Missing | Val::Data(Value { data: Data::Null, .. }) => {
            format!("interface conversion: interface {{}} is nil, not {wanted}")
        }
        other => format!("interface conversion: interface {{}} is {}, not {wanted}", format::type_name(other)),
    };
    let keys = &args.all[..args.len() - 2];
    let mut current = args.val(args.len() - 1).clone();
    for key in keys {
        if !matches!(super::call::data(key), Data::Str(_)) {
            return Err(conversion(key, "string"));
        }
    }
    for key in keys {
        let Data::Str(key) = super::call::data(key) else { continue };
        let Data::Map(map) = super::call::data(&current) else {
            return Err(conversion(&current, "map[string]interface {}"));
        };
        match map.get(key) {
            None => return Ok(args.val(args.len() - 2).clone()),
            Some(value) => current = value.clone().into(),
        }
    }
    Ok(current)
}

fn to_json(args: &Args<'_>, style: Style) -> Result<String, String> {
    match args.val(0) {
        Val::Object(object) => Ok(objects::to_json(object.as_ref())),
        _ => json::encode(args.data(0), style),
    }
}
