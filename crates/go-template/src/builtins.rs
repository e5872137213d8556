//! Go's builtin functions.

use super::call::combined;
use super::format;
use super::operand::{Content, Operand};
use super::val::{Val, text_of};
use go_compat::escape;
use std::cmp::Ordering;
use traced_value::{Data, Value};

/// A builtin function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Builtin {
    name: &'static str,
    kind: Kind,
    /// The number of arguments, or the least one.
    count: usize,
    variadic: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    And,
    Or,
    Not,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Index,
    Slice,
    Len,
    Print,
    Printf,
    Println,
    Html,
    Js,
    UrlQuery,
    Call,
}

/// The names of all builtins, sorted.
pub(super) const NAMES: [&str; 19] = [
    "and", "call", "eq", "ge", "gt", "html", "index", "js", "le", "len", "lt", "ne", "not", "or", "print", "printf",
    "println", "slice", "urlquery",
];

/// The builtin of that name.
pub(super) fn find(name: &str) -> Option<Builtin> {
    let (name, kind, count, variadic) = match name {
        "and" => ("and", Kind::And, 1, true),
        "call" => ("call", Kind::Call, 1, true),
        "eq" => ("eq", Kind::Eq, 1, true),
        "ge" => ("ge", Kind::Ge, 2, false),
        "gt" => ("gt", Kind::Gt, 2, false),
        "html" => ("html", Kind::Html, 0, true),
        "index" => ("index", Kind::Index, 1, true),
        "js" => ("js", Kind::Js, 0, true),
        "le" => ("le", Kind::Le, 2, false),
        "len" => ("len", Kind::Len, 1, false),
        "lt" => ("lt", Kind::Lt, 2, false),
        "ne" => ("ne", Kind::Ne, 2, false),
        "not" => ("not", Kind::Not, 1, false),
        "or" => ("or", Kind::Or, 1, true),
        "print" => ("print", Kind::Print, 0, true),
        "printf" => ("printf", Kind::Printf, 1, true),
        "println" => ("println", Kind::Println, 0, true),
        "slice" => ("slice", Kind::Slice, 1, true),
        "urlquery" => ("urlquery", Kind::UrlQuery, 0, true),
        _ => return None,
    };
    Some(Builtin { name, kind, count, variadic })
}

type Outcome<'d> = Result<Operand<'d>, String>;

const BAD_TYPE: &str = "invalid type for comparison";

impl Builtin {
    /// Whether so many arguments, and perhaps a piped one, will do; otherwise Go's message.
    pub(super) fn check_count(self, args: usize, piped: bool) -> Result<(), String> {
        let got = args + usize::from(piped);
        let Builtin { name, count, variadic, .. } = self;
        if variadic && got < count {
            return Err(format!("wrong number of args for {name}: want at least {count} got {args}"));
        }
        if !variadic && got != count {
            return Err(format!("wrong number of args for {name}: want {count} got {got}"));
        }
        Ok(())
    }

    /// For `and` and `or`: the truth that ends the evaluation.
    pub(super) fn short_circuit(self) -> Option<bool> {
        match self.kind {
            Kind::And => Some(false),
            Kind::Or => Some(true),
            _ => None,
        }
    }

    /// Whether the first argument must be a string.
    pub(super) fn takes_format(self) -> bool {
        self.kind == Kind::Printf
    }

    /// Calls it. `callee` is the source of the first argument.
    pub(super) fn run<'d>(self, args: &[Operand<'d>], callee: &str) -> Outcome<'d> {
        let open = |deep: bool| {
            let unknowns =
                args.iter().filter_map(move |a| if deep { a.unknown_inside() } else { a.as_unknown().cloned() });
            combined(unknowns).map(Operand::unknown)
        };
        let printed =
            matches!(self.kind, Kind::Print | Kind::Printf | Kind::Println | Kind::Html | Kind::Js | Kind::UrlQuery);
        match self.kind {
            Kind::Not => {
                if let [arg] = args
                    && let Some(truth) = arg.is_true()
                {
                    return Ok(Operand::of(Data::Bool(!truth)));
                }
            }
            Kind::Eq => return eq_any(args),
            _ => {}
        }
        if let Some(unknown) = open(printed) {
            return Ok(unknown);
        }
        let (first, rest) = match args.split_first() {
            Some((first, rest)) => (first, rest),
            None => (&Operand::MISSING, args),
        };
        let second = rest.first().unwrap_or(&Operand::MISSING);
        let boolean = |b: bool| Ok(Operand::of(Data::Bool(b)));
        match self.kind {
            Kind::Ne => boolean(!eq(first, second)?),
            Kind::Lt => boolean(lt(first, second)?),
            Kind::Le => boolean(lt(first, second)? || eq(first, second)?),
            Kind::Gt => boolean(!(lt(first, second)? || eq(first, second)?)),
            Kind::Ge => boolean(!lt(first, second)?),
            Kind::Index => index(first, rest),
            Kind::Slice => slice(first, rest),
            Kind::Len => len(first).map(|n| Operand::of(Data::Int(i64::try_from(n).unwrap_or(i64::MAX)))),
            Kind::Print => Ok(Operand::string(format::sprint(&vals(args)))),
            Kind::Printf => match first.data() {
                Some(Data::Str(format)) => Ok(Operand::string(format::sprintf(format, &vals(rest)))),
                _ => Err("no format".to_owned()),
            },
            Kind::Println => {
                let mut text = vals(args).iter().map(format::print_value).collect::<Vec<_>>().join(" ");
                text.push('\n');
                Ok(Operand::string(text))
            }
            Kind::Html => Ok(Operand::string(escape::html(&printable(args)))),
            Kind::Js => Ok(Operand::string(escape::js(&printable(args)))),
            Kind::UrlQuery => Ok(Operand::string(escape::query(&printable(args)))),
            Kind::Call if first.is_nothing() => Err("call of nil".to_owned()),
            Kind::Call => Err(format!("non-function {} of type {}", callee, first.type_name())),
            Kind::And | Kind::Or | Kind::Not | Kind::Eq => Ok(Operand::MISSING),
        }
    }
}

/// As arguments of type `any`: nothing is nil.
fn vals(args: &[Operand<'_>]) -> Vec<Val> {
    args.iter().map(|a| if a.is_missing() { Val::Data(Value::default()) } else { a.to_val() }).collect()
}

/// The text that the escaping functions work on; nothing is `<no value>` there.
fn printable(args: &[Operand<'_>]) -> String {
    if let [one] = args
        && let Some(Data::Str(s)) = one.data()
    {
        return s.to_string();
    }
    let vals: Vec<Val> =
        args.iter().map(|a| if a.is_nothing() { Val::Data(Value::str("<no value>")) } else { a.to_val() }).collect();
    format::sprint(&vals)
}

/// Whether the first equals any of the others.
fn eq_any<'d>(args: &[Operand<'d>]) -> Outcome<'d> {
    let Some((first, rest)) = args.split_first() else { return Ok(Operand::MISSING) };
    if rest.is_empty() {
        return Err("missing argument for comparison".to_owned());
    }
    let mut unsure = first.as_unknown().is_some();
    for other in rest {
        if first.as_unknown().is_some() || other.as_unknown().is_some() {
            unsure = true;
            continue;
        }
        match eq(first, other) {
            Ok(true) => return Ok(Operand::of(Data::Bool(true))),
            Ok(false) => {}
            Err(_) if unsure => {}
            Err(message) => return Err(message),
        }
    }
    if unsure {
        let unknown = combined(args.iter().filter_map(|a| a.as_unknown().cloned()));
        return Ok(unknown.map_or(Operand::MISSING, Operand::unknown));
    }
    Ok(Operand::of(Data::Bool(false)))
}

/// Go's classes of comparable values.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Other,
    Bool,
    Int,
    Uint,
    Float,
    Str,
}

fn class(arg: &Operand<'_>) -> Class {
    match arg.data() {
        Some(Data::Bool(_)) => Class::Bool,
        Some(Data::Int(_)) => Class::Int,
        Some(Data::Uint(_)) => Class::Uint,
        Some(Data::Float(_)) => Class::Float,
        Some(Data::Str(_)) => Class::Str,
        _ => Class::Other,
    }
}

fn eq(a: &Operand<'_>, b: &Operand<'_>) -> Result<bool, String> {
    if let (Some(x), Some(y)) = (a.data(), b.data()) {
        match (x, y) {
            (Data::Int(i), Data::Uint(u)) | (Data::Uint(u), Data::Int(i)) => return Ok(u64::try_from(*i) == Ok(*u)),
            (Data::Bool(x), Data::Bool(y)) => return Ok(x == y),
            (Data::Int(x), Data::Int(y)) => return Ok(x == y),
            (Data::Uint(x), Data::Uint(y)) => return Ok(x == y),
            (Data::Str(x), Data::Str(y)) => return Ok(x == y),
            (Data::Float(x), Data::Float(y)) => return Ok(x == y),
            _ => {}
        }
    }
    if a.is_nothing() || b.is_nothing() {
        return Ok(a.is_nothing() && b.is_nothing());
    }
    if class(a) != class(b) {
        return Err(format!("incompatible types for comparison: {} and {}", a.type_name(), b.type_name()));
    }
    let text = |o: &Operand<'_>| format::sprintf("%s", &[o.to_val()]);
    let value = |o: &Operand<'_>| format::print_value(&o.to_val());
    match (a.data(), b.data()) {
        (Some(Data::Time(x)), Some(Data::Time(y))) => Ok(x == y),
        (Some(Data::List(_)), Some(Data::List(_))) | (Some(Data::Map(_)), Some(Data::Map(_))) => {
            Err(format!("non-comparable type {}: {}", text(b), b.type_name()))
        }
        // Structures are compared by what is in them, pointers by where they point to.
        (None, None) => Ok(!a.type_name().starts_with('*') && a.type_name() == b.type_name() && text(a) == text(b)),
        _ => Err(format!("non-comparable types {}: {}, {}: {}", text(a), a.type_name(), b.type_name(), value(b))),
    }
}

fn lt(a: &Operand<'_>, b: &Operand<'_>) -> Result<bool, String> {
    let order = match (a.data(), b.data()) {
        (Some(Data::Int(x)), Some(Data::Int(y))) => Some(x.cmp(y)),
        (Some(Data::Uint(x)), Some(Data::Uint(y))) => Some(x.cmp(y)),
        (Some(Data::Int(x)), Some(Data::Uint(y))) => Some(i128::from(*x).cmp(&i128::from(*y))),
        (Some(Data::Uint(x)), Some(Data::Int(y))) => Some(i128::from(*x).cmp(&i128::from(*y))),
        (Some(Data::Float(x)), Some(Data::Float(y))) => x.partial_cmp(y),
        (Some(Data::Str(x)), Some(Data::Str(y))) => Some(x.as_bytes().cmp(y.as_bytes())),
        _ => {
            let (x, y) = (class(a), class(b));
            if x == Class::Other || y == Class::Other || x == y {
                return Err(BAD_TYPE.to_owned());
            }
            return Err(format!("incompatible types for comparison: {} and {}", a.type_name(), b.type_name()));
        }
    };
    Ok(order == Some(Ordering::Less))
}

fn index<'d>(item: &Operand<'d>, indexes: &[Operand<'d>]) -> Outcome<'d> {
    if item.is_nothing() {
        return Err("index of untyped nil".to_owned());
    }
    let mut item = item.clone();
    for at in indexes {
        if let Content::Object(object) = &item.content
            && let (Some(entries), Some(Data::Str(key))) = (object.entries(), at.data())
        {
            let found = entries.into_iter().find(|(k, _)| k == key);
            // Go returns the zero value of the map's element type, which prints as nothing.
            item = found.map_or_else(|| Operand::string(""), |(_, val)| Operand::from_val(val));
            continue;
        }
        item = match item.data() {
            Some(Data::Null) => return Err("index of nil pointer".to_owned()),
            Some(Data::Unknown(unknown)) => return Ok(Operand::unknown(unknown.clone())),
            Some(Data::Str(s)) => match s.as_bytes().get(position(at, s.len())?) {
                Some(byte) => Operand::of(Data::Uint((*byte).into())),
                None => return Err("reflect: string index out of range".to_owned()),
            },
            Some(Data::List(list)) => {
                let i = position(at, list.len())?;
                if i >= list.len() {
                    return Err("reflect: slice index out of range".to_owned());
                }
                child(&item, |v| v.as_list()?.get(i))
            }
            Some(Data::Map(_)) => match at.data() {
                Some(Data::Str(key)) => child(&item, |v| v.get(key)),
                _ if at.is_nothing() => return Err("value is nil; should be of type string".to_owned()),
                _ => return Err(format!("value has type {}; should be string", at.type_name())),
            },
            _ => return Err(format!("can't index item of type {}", item.type_name())),
        };
    }
    Ok(item)
}

/// A part of a container; nil if it is not there.
fn child<'d>(item: &Operand<'d>, find: impl for<'v> Fn(&'v Value) -> Option<&'v Value>) -> Operand<'d> {
    let found = match &item.content {
        Content::Ref(value) => find(value).map(Operand::element),
        Content::Own(value) => find(value).cloned().map(Operand::owned_element),
        _ => None,
    };
    found.unwrap_or_else(|| Operand::of(Data::Null))
}

fn position(at: &Operand<'_>, cap: usize) -> Result<usize, String> {
    let x = match at.data() {
        Some(Data::Int(i)) => *i,
        // Go converts without a check, too.
        Some(Data::Uint(u)) => u.cast_signed(),
        _ if at.is_nothing() => return Err("cannot index slice/array with nil".to_owned()),
        _ => return Err(format!("cannot index slice/array with type {}", at.type_name())),
    };
    usize::try_from(x).ok().filter(|i| *i <= cap).ok_or_else(|| format!("index out of range: {x}"))
}

fn slice<'d>(item: &Operand<'d>, indexes: &[Operand<'d>]) -> Outcome<'d> {
    if item.is_nothing() {
        return Err("slice of untyped nil".to_owned());
    }
    if indexes.len() > 3 {
        return Err(format!("too many slice indexes: {}", indexes.len()));
    }
    let cap = match item.data() {
        Some(Data::Str(_)) if indexes.len() == 3 => return Err("cannot 3-index slice a string".to_owned()),
        Some(Data::Str(s)) => s.len(),
        Some(Data::List(list)) => list.len(),
        _ => return Err(format!("can't slice item of type {}", item.type_name())),
    };
    let mut bounds = [0, cap, cap];
    for (bound, at) in bounds.iter_mut().zip(indexes) {
        // Unlike `index`, Go's `slice` does not look into an interface, so no element of the data can be a bound.
        if at.iface {
            return Err("cannot index slice/array with type interface {}".to_owned());
        }
        *bound = position(at, cap)?;
    }
    let [from, to, end] = bounds;
    if from > to {
        return Err(format!("invalid slice index: {from} > {to}"));
    }
    if indexes.len() == 3 && to > end {
        return Err(format!("invalid slice index: {to} > {end}"));
    }
    Ok(match item.data() {
        Some(Data::Str(s)) => Operand::from_val(text_of(s.as_bytes()[from..to].to_vec()).into()),
        Some(Data::List(list)) => Operand::of(Data::List(list[from..to].to_vec().into())),
        _ => Operand::MISSING,
    })
}

fn len(item: &Operand<'_>) -> Result<usize, String> {
    match item.data() {
        Some(Data::Str(s)) => Ok(s.len()),
        Some(Data::List(l)) => Ok(l.len()),
        Some(Data::Map(m)) => Ok(m.len()),
        Some(Data::Null) => Err("len of nil pointer".to_owned()),
        None if let Content::Object(object) = &item.content
            && let Some(entries) = object.entries() =>
        {
            Ok(entries.len())
        }
        None if item.is_missing() => Err("reflect: call of reflect.Value.Type on zero Value".to_owned()),
        _ => Err(format!("len of type {}", item.type_name())),
    }
}
