//! gomplate: `conv`, `coll`, `data`, `math`, `test`, `time`.

use super::call::{Args, data, not_evaluated, to_value};
use super::cast::{self, conv_bool, conv_data_text, conv_float, conv_int, conv_text, is_empty, kind, parse_bool};
use super::sprig_lists::{key_texts, select, unique, values_of};
use super::sprig_math::{MAX_ITEMS, max_float, min_float, numbers};
use super::yaml_data;
use super::{csv, duration, json, json_path, time, url};
use crate::{Val, format};
use go_compat::strconv;
use std::sync::Arc;
use traced_value::{Data, Key, Map, Value};

table! { CONV:
    "Bool" ("a") => |a| parse_bool(&conv_text(a.val(0))).unwrap_or(false);
    "ToBool" ("a") => |a| conv_bool(a.val(0));
    "ToBools" ("a*") => |a| each(a, |v| Data::Bool(conv_bool(v)));
    "Slice" ("!a*") => |a| values_of(a.all);
    "Join" ("as") => join;
    "Has" ("as") => has;
    "ParseInt" ("aii") => |a| {
        strconv::parse_int(&conv_text(a.val(0)), bits(a.i(1)), bits(a.i(2))).unwrap_or_else(|(_, v)| v)
    };
    "ParseFloat" ("ai") => |a| strconv::parse_float(&conv_text(a.val(0))).unwrap_or_else(|(_, v)| v);
    "ParseUint" ("aii") => |a| {
        let n = strconv::parse_uint(&conv_text(a.val(0)), bits(a.i(1)), bits(a.i(2))).unwrap_or_else(|(_, v)| v);
        i64::try_from(n).map_or(Data::Uint(n), Data::Int)
    };
    "Atoi" ("a") => |a| strconv::atoi(&conv_text(a.val(0))).unwrap_or_else(|(_, v)| v);
    "URL" ("a") => |a| url::to_object(a.val(0));
    "ToInt" | "ToInt64" ("a") => |a| conv_int(a.val(0));
    "ToInts" | "ToInt64s" ("a*") => |a| each(a, |v| Data::Int(conv_int(v)));
    "ToFloat64" ("a") => |a| conv_float(a.val(0));
    "ToFloat64s" ("a*") => |a| each(a, |v| Data::Float(conv_float(v)));
    "ToString" ("a") => |a| conv_text(a.val(0));
    "ToStrings" ("a*") => |a| a.all.iter().map(conv_text).collect::<Vec<_>>();
    "Default" ("!aa") => default;
    "Dict" ("!a*") => dict;
}

table! { CONV_BARE:
    "urlParse" ("a") => |a| url::to_object(a.val(0));
    "bool" ("a") => |a| parse_bool(&conv_text(a.val(0))).unwrap_or(false);
    "join" ("as") => join;
    "default" ("!aa") => default;
}

macro_rules! coll {
    ($table:ident $has:literal $slice:literal $dict:literal $keys:literal $values:literal $append:literal $prepend:literal
     $uniq:literal $reverse:literal $merge:literal $sort:literal $flatten:literal $jsonpath:literal) => {
        table! { $table:
            $has ("as") => |a| has(a);
            $slice ("!a*") => |a| values_of(a.all);
            $dict ("!a*") => |a| dict(a);
            $keys ("!m*") => |a| {
                if a.len() == 0 { return Err("need at least one argument".to_owned()) }
                Ok((0..a.len()).flat_map(|i| key_texts(&a.map(i))).collect::<Vec<_>>())
            };
            $values ("!m*") => |a| {
                if a.len() == 0 { return Err("need at least one argument".to_owned()) }
                let all = (0..a.len()).flat_map(|i| a.map(i).iter().map(|e| e.value.clone()).collect::<Vec<_>>());
                Ok(all.collect::<Vec<_>>())
            };
            $append ("!aa") => |a| Ok::<_, String>(items(a, 1)?.iter().cloned().chain([a.value(0)]).collect::<Vec<_>>());
            $prepend ("!aa") => |a| Ok::<_, String>([a.value(0)].into_iter().chain(items(a, 1)?.iter().cloned()).collect::<Vec<_>>());
            $uniq ("a") => |a| items(a, 0).map(|l| unique(&l));
            $reverse ("!a") => |a| items(a, 0).map(|l| l.iter().rev().cloned().collect::<Vec<_>>());
            $merge ("!mm*") => |a| (1..a.len()).fold((*a.map(0)).clone(), |to, i| merge(&a.map(i), &to));
            $sort ("a*") => |a| sort(a);
            $flatten ("!a*") => |a| flatten(a);
            $jsonpath ("sa") => |a| json_path::query($jsonpath, a);
        }
    };
}

coll!(COLL "Has" "Slice" "Dict" "Keys" "Values" "Append" "Prepend" "Uniq" "Reverse" "Merge" "Sort" "Flatten" "JSONPath");
coll!(COLL_BARE "has" "slice" "dict" "keys" "values" "append" "prepend" "uniq" "reverse" "merge" "sort" "flatten" "jsonpath");

table! { COLL_MORE:
    "Pick" ("!a*") => |a| pick(a, true);
    "Omit" ("!a*") => |a| pick(a, false);
}

macro_rules! data_table {
    ($table:ident $json:literal $json_array:literal $yaml:literal $yaml_array:literal $toml:literal $csv:literal $by_row:literal
     $by_column:literal $to_json:literal $pretty:literal $to_yaml:literal $to_toml:literal $to_csv:literal) => {
        table! { $table:
            $json ("a") => |a| read(a, $json, "object");
            $json_array ("a") => |a| read(a, $json_array, "array");
            $yaml ("a") => |a| read(a, $yaml, "object");
            $yaml_array ("a") => |a| read(a, $yaml_array, "array");
            $toml ("a") => |a| super::toml_data::read(&conv_text(a.val(0)));
            $csv ("s*") => |a| csv::rows(&texts(a));
            $by_row ("s*") => |a| csv::by_row(&texts(a));
            $by_column ("s*") => |a| csv::by_column(&texts(a));
            $to_json ("a") => |a| write_json(a, 0);
            $pretty ("sa") => |a| write_json(a, 1).map(|j| json::indent(&j, a.s(0)));
            $to_yaml ("a") => |a| match yaml_data::encode(&to_value(a.val(0))) {
                Some(text) => Value::str(text).into(),
                None => not_evaluated($to_yaml, a),
            };
            $to_toml ("a") => |a| match super::toml_data::write(&to_value(a.val(0))) {
                Some(text) => Value::str(text).into(),
                None => not_evaluated($to_toml, a),
            };
            $to_csv ("a*") => |a| csv::write(a.all);
        }
    };
}

data_table!(DATA "JSON" "JSONArray" "YAML" "YAMLArray" "TOML" "CSV" "CSVByRow" "CSVByColumn" "ToJSON" "ToJSONPretty" "ToYAML" "ToTOML" "ToCSV");
data_table!(DATA_BARE "json" "jsonArray" "yaml" "yamlArray" "toml" "csv" "csvByRow" "csvByColumn" "toJSON" "toJSONPretty" "toYAML" "toTOML" "toCSV");

unknown_table! { DATASOURCES:
    "datasource" | "ds" | "datasourceExists" | "datasourceReachable" | "defineDatasource" | "include"
        | "listDatasources" => "reads a data source";
}

macro_rules! math {
    ($table:ident $add:literal $sub:literal $mul:literal $div:literal $rem:literal $pow:literal $seq:literal) => {
        table! { $table:
            $add ("a*") => |a| fold(a, 0, |x, y| x + y, i64::wrapping_add);
            $sub ("aa") => |a| {
                if any_float(a.all) { Data::Float(conv_float(a.val(0)) - conv_float(a.val(1))) }
                else { Data::Int(conv_int(a.val(0)).wrapping_sub(conv_int(a.val(1)))) }
            };
            $mul ("a*") => |a| fold(a, 1, |x, y| x * y, i64::wrapping_mul);
            $div ("aa") => |a| {
                let by = conv_float(a.val(1));
                if by == 0.0 { Err("error: division by 0".to_owned()) } else { Ok(conv_float(a.val(0)) / by) }
            };
            $rem ("aa") => |a| match conv_int(a.val(1)) {
                0 => Err("runtime error: integer divide by zero".to_owned()),
                by => Ok(conv_int(a.val(0)).wrapping_rem(by)),
            };
            $pow ("aa") => |a| {
                let power = conv_float(a.val(0)).powf(conv_float(a.val(1)));
                if is_float(a.val(0)) { Data::Float(power) } else { Data::Int(cast::float_to_int(power)) }
            };
            $seq ("a*") => |a| seq(a);
        }
    };
}

math!(MATH "Add" "Sub" "Mul" "Div" "Rem" "Pow" "Seq");
math!(MATH_BARE "add" "sub" "mul" "div" "rem" "pow" "seq");

table! { MATH_MORE:
    "IsInt" ("a") => |a| is_int(a.val(0));
    "IsFloat" ("a") => |a| is_float(a.val(0));
    "IsNum" ("a") => |a| is_int(a.val(0)) || is_float(a.val(0));
    "Abs" ("a") => |a| {
        let size = conv_float(a.val(0)).abs();
        if is_int(a.val(0)) { Data::Int(cast::float_to_int(size)) } else { Data::Float(size) }
    };
    "Max" ("aa*") => |a| best(a, max_float, i64::max);
    "Min" ("aa*") => |a| best(a, min_float, i64::min);
    "Ceil" ("a") => |a| conv_float(a.val(0)).ceil();
    "Floor" ("a") => |a| conv_float(a.val(0)).floor();
    "Round" ("a") => |a| conv_float(a.val(0)).round();
}

macro_rules! test_table {
    ($table:ident $assert:literal $fail:literal $required:literal $ternary:literal $kind:literal $is_kind:literal) => {
        table! { $table:
            $assert ("a*") => |a| assert(a);
            $fail ("a*") => |a| match (a.len(), conv_text(a.val(0))) {
                (0, _) => Err::<String, _>("template generation failed".to_owned()),
                (1, message) if message.is_empty() => Err("template generation failed".to_owned()),
                (1, message) => Err(format!("template generation failed: {message}")),
                (n, _) => Err(format!("wrong number of args: want 0 or 1, got {n}")),
            };
            $required ("!a*") => |a| required(a);
            $ternary ("!aaa") => |a| a.val(if conv_bool(a.val(2)) { 0 } else { 1 }).clone();
            $kind ("!a") => |a| kind(a.val(0));
            $is_kind ("!sa") => |a| {
                let kind = kind(a.val(1));
                let number = matches!(kind, "int" | "int64" | "uint64" | "float64");
                kind == a.s(0) || a.s(0) == "number" && number
            };
        }
    };
}

test_table!(TEST "Assert" "Fail" "Required" "Ternary" "Kind" "IsKind");
test_table!(TEST_BARE "assert" "fail" "required" "ternary" "kind" "isKind");

table! { TIME:
    "Parse" ("sa") => |a| time::parse(a.s(0), &conv_text(a.val(1)));
    "ParseInLocation" ("ssa") => |a| match a.s(1) {
        "UTC" | "" => time::parse(a.s(0), &conv_text(a.val(2))).map(|t| Val::from(Data::Time(Arc::new(t)))),
        _ => Ok(not_evaluated("time.ParseInLocation", a)),
    };
    "Unix" ("a") => unix;
    "Nanosecond" ("a") => |a| span(a, 1);
    "Microsecond" ("a") => |a| span(a, 1_000);
    "Millisecond" ("a") => |a| span(a, 1_000_000);
    "Second" ("a") => |a| span(a, 1_000_000_000);
    "Minute" ("a") => |a| span(a, 60_000_000_000);
    "Hour" ("a") => |a| span(a, 3_600_000_000_000);
    "ParseDuration" ("a") => |a| {
        duration::parse_duration(&conv_text(a.val(0))).map(|d| Val::Object(Arc::new(duration::Duration(d))))
    };
}

unknown_table! { TIME_UNKNOWN:
    "Now" | "Since" | "Until" => "reads the clock";
    "ZoneName" | "ZoneOffset" | "ParseLocal" => "depends on the time zone of the machine";
}

fn texts<'a>(a: &Args<'a>) -> Vec<&'a str> {
    (0..a.len()).map(|i| a.s(i)).collect()
}

fn bits(n: i64) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

fn each(a: &Args<'_>, f: impl Fn(&Val) -> Data) -> Vec<Value> {
    a.all.iter().map(|v| Value::new(f(v))).collect()
}

fn items(a: &Args<'_>, i: usize) -> Result<Arc<Vec<Value>>, String> {
    match a.data(i) {
        Data::List(list) => Ok(list.clone()),
        // The library reports the type of its own wrapper.
        _ => Err("expected an array or slice, but got a reflect.Value".into()),
    }
}

fn join(a: &Args<'_>) -> Result<String, String> {
    let items = items(a, 0).map_err(|e| format!("input to Join must be an array: {e}"))?;
    Ok(items.iter().map(|v| conv_data_text(&v.data)).collect::<Vec<_>>().join(a.s(1)))
}

fn has(a: &Args<'_>) -> bool {
    match a.data(0) {
        Data::Map(map) => map.has(a.s(1)),
        Data::List(list) => list.iter().any(|v| v.as_str() == Some(a.s(1))),
        _ => false,
    }
}

fn default(a: &Args<'_>) -> Val {
    a.val(if is_empty(a.val(1)) { 0 } else { 1 }).clone()
}

fn dict(a: &Args<'_>) -> Vec<(Key, Value)> {
    let value = |pair: &[Val]| pair.get(1).map_or_else(|| Value::str(""), to_value);
    a.all.chunks(2).map(|pair| (conv_text(&pair[0]).into(), value(pair))).collect()
}

/// Maps merged deeply; `over` wins.
fn merge(base: &Map, over: &Map) -> Map {
    let mut out = base.clone();
    for entry in over {
        let merged = match (base.get(&entry.key).map(|v| &v.data), &entry.value.data) {
            (Some(Data::Map(base)), Data::Map(over)) => Value::map(merge(base, over)),
            _ => entry.value.clone(),
        };
        out.set(entry.key.clone(), merged);
    }
    out
}

fn sort(a: &Args<'_>) -> Result<Val, String> {
    let (key, at) = match a.len() {
        1 => (String::new(), 0),
        2 => (conv_text(a.val(0)), 1),
        n => return Err(format!("wrong number of args: wanted 1 or 2, got {n}")),
    };
    if matches!(a.data(at), Data::Null) {
        return Ok(Value::list(Vec::new()).into());
    }
    let mut list = (*items(a, at)?).clone();
    let kinds = |v: &Value| cast::data_kind(&v.data);
    if list.windows(2).all(|w| kinds(&w[0]) == kinds(&w[1])) {
        list.sort_by(|x, y| match (&x.data, &y.data) {
            (Data::Map(x), Data::Map(y)) => match (x.get(&key), y.get(&key)) {
                (Some(x), Some(y)) => order(&x.data, &y.data),
                _ => std::cmp::Ordering::Equal,
            },
            (x, y) => order(x, y),
        });
    }
    Ok(Value::list(list).into())
}

fn order(a: &Data, b: &Data) -> std::cmp::Ordering {
    match (a, b) {
        (Data::Int(a), Data::Int(b)) => a.cmp(b),
        (Data::Uint(a), Data::Uint(b)) => a.cmp(b),
        (Data::Float(a), Data::Float(b)) => a.total_cmp(b),
        (Data::Str(a), Data::Str(b)) => a.cmp(b),
        _ => std::cmp::Ordering::Equal,
    }
}

fn flatten(a: &Args<'_>) -> Result<Vec<Value>, String> {
    let (depth, at) = match a.len() {
        1 => (-1, 0),
        2 => (conv_int(a.val(0)), 1),
        n => return Err(format!("wrong number of args: wanted 1 or 2, got {n}")),
    };
    let list = items(a, at)?;
    let mut out = Vec::new();
    push_flat(&list, depth, &mut out);
    Ok(out)
}

fn push_flat(list: &[Value], depth: i64, out: &mut Vec<Value>) {
    for value in list {
        match &value.data {
            Data::List(inner) if depth != 0 => push_flat(inner, depth.saturating_sub(1), out),
            _ => out.push(value.clone()),
        }
    }
}

fn pick(a: &Args<'_>, keep: bool) -> Result<Map, String> {
    let last = a.len().checked_sub(1).filter(|n| *n > 0);
    let Some(last) = last else {
        return Err(format!("wrong number of args: wanted 2 or more, got {}", a.len()));
    };
    let Data::Map(map) = a.data(last) else {
        let got = format::type_name(a.val(last));
        return Err(format!("wrong map type: must be map[string]interface{{}}, got {got}"));
    };
    let mut keys = Vec::new();
    for key in &a.all[..last] {
        match data(key) {
            Data::Str(text) => keys.push(text.as_ref()),
            _ => {
                let (got, shown) = (format::type_name(key), format::print_value(key));
                return Err(format!("wrong key type: must be string, got {got} ({shown})"));
            }
        }
    }
    Ok(select(map, |k| keys.contains(&k) == keep))
}

/// Parses YAML text, and JSON as the YAML that it is.
fn read(a: &Args<'_>, _name: &str, what: &str) -> Result<Val, String> {
    let text = conv_text(a.val(0));
    let value = yaml_data::decode(&text).map_err(|e| format!("Unable to unmarshal {what} {text}: {e}"))?;
    match value.data {
        Data::Map(_) if what == "object" => Ok(value.into()),
        Data::List(_) if what == "array" => Ok(value.into()),
        _ => Err(format!("Unable to unmarshal {what} {text}")),
    }
}

fn write_json(a: &Args<'_>, i: usize) -> Result<String, String> {
    json::encode(&a.value(i).data, json::Style::Codec)
        .map_err(|e| format!("Unable to marshal {}: {e}", conv_text(a.val(i))))
}

fn is_int(value: &Val) -> bool {
    match data(value) {
        Data::Int(_) | Data::Uint(_) => true,
        Data::Str(text) => strconv::parse_int(text, 0, 64).is_ok(),
        _ => false,
    }
}

fn is_float(value: &Val) -> bool {
    match data(value) {
        Data::Float(_) => true,
        Data::Str(text) => strconv::parse_float(text).is_ok() && !is_int(value),
        _ => false,
    }
}

fn any_float(values: &[Val]) -> bool {
    values.iter().any(is_float)
}

fn fold(a: &Args<'_>, start: i64, float: fn(f64, f64) -> f64, int: fn(i64, i64) -> i64) -> Data {
    if any_float(a.all) {
        Data::Float(a.all.iter().fold(start as f64, |n, v| float(n, conv_float(v))))
    } else {
        Data::Int(a.all.iter().fold(start, |n, v| int(n, conv_int(v))))
    }
}

fn best(a: &Args<'_>, float: fn(f64, f64) -> f64, int: fn(i64, i64) -> i64) -> Data {
    if any_float(a.all) {
        Data::Float(a.all.iter().map(conv_float).reduce(float).unwrap_or(0.0))
    } else {
        Data::Int(a.all.iter().map(conv_int).reduce(int).unwrap_or(0))
    }
}

fn seq(a: &Args<'_>) -> Result<Vec<Value>, String> {
    let n = |i: usize| conv_int(a.val(i));
    let (start, end, mut step) = match a.len() {
        0 => return Err("math.Seq must be given at least an 'end' value".into()),
        1 => (1, n(0), 1),
        2 => (n(0), n(1), 1),
        3 => (n(0), n(1), n(2)),
        _ => (1, 0, 1),
    };
    if step == 0 {
        return Ok(Vec::new());
    }
    if (end < start) == (step > 0) && end != start {
        step = step.wrapping_neg();
    }
    let count = (i128::from(end) - i128::from(start)) / i128::from(step);
    if count > MAX_ITEMS.into() {
        return Err("runtime error: makeslice: len out of range".into());
    }
    Ok(numbers(&(0..=count as i64).map(|i| start.wrapping_add(i.wrapping_mul(step))).collect::<Vec<_>>()))
}

fn assert(a: &Args<'_>) -> Result<&'static str, String> {
    let Some(last) = a.all.last() else { return Err("runtime error: index out of range [-1]".into()) };
    let message = match (a.len(), a.data(0)) {
        (1, _) => "",
        (2, Data::Str(message)) => message,
        (2, _) => return Err(format!("at <1>: expected string; found {}", format::type_name(a.val(0)))),
        (n, _) => return Err(format!("wrong number of args: want 1 or 2, got {n}")),
    };
    match (conv_bool(last), message) {
        (true, _) => Ok(""),
        (false, "") => Err("assertion failed".into()),
        (false, message) => Err(format!("assertion failed: {message}")),
    }
}

fn required(a: &Args<'_>) -> Result<Val, String> {
    let message = match (a.len(), a.data(0)) {
        (1, _) => "",
        (2, Data::Str(message)) => message,
        (2, _) => return Err(format!("at <1>: expected string; found {}", format::type_name(a.val(0)))),
        (n, _) => return Err(format!("wrong number of args: want 1 or 2, got {n}")),
    };
    let value = a.val(a.len() - 1);
    let absent = match value {
        Val::Object(_) => false,
        _ => matches!(data(value), Data::Null) || matches!(data(value), Data::Str(s) if s.is_empty()),
    };
    if !absent {
        return Ok(value.clone());
    }
    Err(if message.is_empty() { "can not render template: a required value was not set" } else { message }.to_owned())
}

fn span(a: &Args<'_>, unit: i64) -> Val {
    Val::Object(Arc::new(duration::Duration(conv_int(a.val(0)).wrapping_mul(unit))))
}

fn unix(a: &Args<'_>) -> Result<Data, String> {
    let number = |s: &str| strconv::parse_int(s, 0, 64).map_err(|(e, _)| e.text("ParseInt", s));
    let (seconds, nanos) = match a.data(0) {
        Data::Int(n) => (*n, 0),
        Data::Uint(n) => (*n as i64, 0),
        Data::Float(f) => {
            return Err(format!("can not parse floating point number ({f:.6}) - use a string instead"));
        }
        Data::Str(text) => match text.split('.').collect::<Vec<_>>()[..] {
            [whole] => (number(whole)?, 0),
            [whole, part] => {
                let padded: String = part.chars().chain(std::iter::repeat('0')).take(9).collect();
                (number(whole)?, number(&padded)?)
            }
            _ => return Err(format!("can not parse '{text}' as a number - too many decimal points")),
        },
        _ => (0, 0),
    };
    let start = spanned_yaml::Timestamp { seconds, nanos: 0, offset: 0 };
    Ok(Data::Time(Arc::new(time::shift(&start, nanos))))
}
