//! How a function of a table is called: arguments are checked against a signature, as the template engine of Go does.

use super::Function;
use crate::{Val, format};
use spanned_yaml::Timestamp;
use std::sync::Arc;
use traced_value::{Data, Flags, Key, Map, Read, Unknown, Value};

/// A function of a table with its name and its signature (see the macro `table`), which is empty where it is not known.
pub type Entry = (&'static str, Function, &'static str);

/// Text longer than this is not computed: the result is unknown.
pub(super) const MAX_TEXT: usize = 8 << 20;

/// A table of functions: `names(signature) => closure`.
///
/// A signature has one letter for each parameter: `s` text, `i` integer, `f` float, `b` truth value, `m` map, `t` time,
/// `a` anything. `*` after the last letter takes any number of them. `!` at the start: values inside of lists and maps
/// are passed on without being examined, so that unknown ones may be among them.
macro_rules! table {
    ($table:ident: $($($name:literal)|+ ($signature:literal) => $body:expr;)*) => {
        pub(crate) const $table: &[$crate::funcs::call::Entry] = &[$($({
            fn call(args: &[$crate::Val]) -> Result<$crate::Val, String> {
                $crate::funcs::call::enter($name, $signature, args, $body)
            }
            ($name, call, $signature)
        }),+),*];
    };
}

/// A table of functions whose result cannot be known: `names => "reason"`, where the reason follows the name.
#[macro_export]
macro_rules! unknown_table {
    ($table:ident: $($($name:literal)|+ => $reason:literal;)*) => {
        pub(crate) const $table: &[$crate::funcs::call::Entry] = &[$($({
            fn call(args: &[$crate::Val]) -> Result<$crate::Val, String> {
                Ok($crate::funcs::call::unknown_call($name, concat!("`", $name, "` ", $reason), args))
            }
            ($name, call, "")
        }),+),*];
    };
}

pub use crate::unknown_table;

/// The unknown result of a call, printed as the call. It reads what its texts name: a file, a variable, a data source.
pub fn unknown_call(name: &str, reason: &str, args: &[Val]) -> Val {
    let mut text = format!("{{{{ {name}");
    let mut reads = Vec::new();
    for arg in args {
        text.push(' ');
        text.push_str(&match arg {
            Val::Data(Value { data: Data::Str(s), .. }) => {
                reads.push(Read { name: s.clone(), content: None });
                go_compat::strconv::quote(s, false)
            }
            other => format::print_value(other),
        });
    }
    text.push_str(" }}");
    let mut unknown = Unknown::new(text, reason);
    unknown.add_reads(reads);
    Data::Unknown(Arc::new(unknown)).into()
}

/// An unknown result because `name` is not evaluated here.
pub(super) fn not_evaluated(name: &str, args: &Args<'_>) -> Val {
    unknown_call(name, &format!("`{name}` is not evaluated"), args.all)
}

/// Checks the arguments and calls the body.
pub(super) fn enter<R: Outcome>(
    name: &str,
    signature: &str,
    args: &[Val],
    body: impl FnOnce(&Args<'_>) -> R,
) -> Result<Val, String> {
    let (signature, opaque) = signature.strip_prefix('!').map_or((signature, false), |rest| (rest, true));
    check(name, signature, args)?;
    if !opaque {
        let mut unknowns = args.iter().filter_map(nested_unknown);
        if let Some(mut first) = unknowns.next() {
            for other in unknowns.filter(|other| !other.reads.is_empty()) {
                Arc::make_mut(&mut first).add_reads(other.reads.iter().cloned());
            }
            return Ok(Data::Unknown(first).into());
        }
    }
    body(&Args { all: args }).outcome()
}

fn check(name: &str, signature: &str, args: &[Val]) -> Result<(), String> {
    let variadic = signature.ends_with('*');
    let letters = signature.trim_end_matches('*').as_bytes();
    let fixed = letters.len() - usize::from(variadic);
    if variadic && args.len() < fixed {
        return Err(format!("wrong number of args for {name}: want at least {fixed} got {}", args.len()));
    }
    if !variadic && args.len() != fixed {
        return Err(format!("wrong number of args for {name}: want {fixed} got {}", args.len()));
    }
    for (i, arg) in args.iter().enumerate() {
        check_type(letters[i.min(letters.len() - 1)], arg)?;
    }
    Ok(())
}

fn check_type(letter: u8, arg: &Val) -> Result<(), String> {
    let expected = match letter {
        b's' => "string",
        b'i' => "int",
        b'f' => "float64",
        b'b' => "bool",
        b'm' => "map[string]interface {}",
        b't' => "time.Time",
        _ => return Ok(()),
    };
    let got = match arg {
        Val::Missing if letter == b'm' => return Ok(()),
        Val::Missing => return Err(format!("invalid value; expected {expected}")),
        Val::Object(object) => object.type_name(),
        Val::Data(value) => match (letter, &value.data) {
            (b's', Data::Str(_)) | (b'i', Data::Int(_)) | (b'f', Data::Float(_) | Data::Int(_)) => return Ok(()),
            (b'b', Data::Bool(_)) | (b'm', Data::Map(_)) | (b't', Data::Time(_)) => return Ok(()),
            (_, Data::Null) => "interface {}",
            _ => format::type_name(arg),
        },
    };
    Err(format!("wrong type for value; expected {expected}; got {got}"))
}

/// Something unknown inside of the argument, with what all that is unknown in it reads.
fn nested_unknown(arg: &Val) -> Option<Arc<Unknown>> {
    let Val::Data(value) = arg else { return None };
    if !value.flags().has(Flags::UNKNOWN) {
        return None;
    }
    let (mut stack, mut found): (_, Option<Arc<Unknown>>) = (vec![value], None);
    while let Some(value) = stack.pop() {
        match &value.data {
            Data::Unknown(unknown) => match &mut found {
                None => found = Some(unknown.clone()),
                Some(known) if !unknown.reads.is_empty() => {
                    Arc::make_mut(known).add_reads(unknown.reads.iter().cloned());
                }
                Some(_) => {}
            },
            Data::List(list) => stack.extend(list.iter()),
            Data::Map(map) => stack.extend(map.iter().map(|e| &e.value)),
            _ => {}
        }
    }
    found
}

/// The checked arguments of a call.
pub(super) struct Args<'a> {
    /// All of them.
    pub(super) all: &'a [Val],
}

impl<'a> Args<'a> {
    /// The number of arguments.
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// An argument as it came.
    pub(super) fn val(&self, i: usize) -> &'a Val {
        self.all.get(i).unwrap_or(&Val::Missing)
    }

    /// The data of an argument; missing values and objects are null.
    pub(super) fn data(&self, i: usize) -> &'a Data {
        data(self.val(i))
    }

    /// An argument as a value; objects become their text.
    pub(super) fn value(&self, i: usize) -> Value {
        to_value(self.val(i))
    }

    /// The text of a text parameter.
    pub(super) fn s(&self, i: usize) -> &'a str {
        match self.data(i) {
            Data::Str(text) => text,
            _ => "",
        }
    }

    /// The number of an integer parameter.
    pub(super) fn i(&self, i: usize) -> i64 {
        match self.data(i) {
            Data::Int(n) => *n,
            _ => 0,
        }
    }

    /// The number of a float parameter.
    pub(super) fn f(&self, i: usize) -> f64 {
        match self.data(i) {
            Data::Float(f) => *f,
            Data::Int(n) => *n as f64,
            _ => 0.0,
        }
    }

    /// The truth value of a boolean parameter.
    pub(super) fn b(&self, i: usize) -> bool {
        matches!(self.data(i), Data::Bool(true))
    }

    /// The map of a map parameter; nothing is an empty map.
    pub(super) fn map(&self, i: usize) -> Arc<Map> {
        match self.data(i) {
            Data::Map(map) => map.clone(),
            _ => Arc::default(),
        }
    }

    /// The point in time of a time parameter.
    pub(super) fn time(&self, i: usize) -> Timestamp {
        match self.data(i) {
            Data::Time(time) => (**time).clone(),
            _ => Timestamp { seconds: 0, nanos: 0, offset: 0 },
        }
    }

    /// The arguments from `i` on.
    pub(super) fn rest(&self, i: usize) -> &'a [Val] {
        self.all.get(i..).unwrap_or_default()
    }
}

const NULL: &Data = &Data::Null;

/// The data of a value of a template; missing values and objects are null.
pub(super) fn data(value: &Val) -> &Data {
    match value {
        Val::Data(value) => &value.data,
        _ => NULL,
    }
}

/// Returns a value that can be an element of a list or map; objects become their text.
pub(super) fn to_value(value: &Val) -> Value {
    match value {
        Val::Missing => Value::default(),
        Val::Data(value) => value.clone(),
        Val::Object(object) => Value::str(object.print()),
    }
}

/// A result that a body may return.
pub(super) trait Outcome {
    /// The result of the call.
    fn outcome(self) -> Result<Val, String>;
}

impl<T: Outcome> Outcome for Result<T, String> {
    fn outcome(self) -> Result<Val, String> {
        self?.outcome()
    }
}

macro_rules! outcomes {
    ($($from:ty: $name:ident => $to:expr;)*) => {
        $(impl Outcome for $from {
            fn outcome(self) -> Result<Val, String> {
                let $name = self;
                Ok($to.into())
            }
        })*
    };
}

outcomes! {
    Val: v => v;
    Value: v => v;
    Data: v => v;
    String: v => Data::Str(v.into());
    &str: v => Data::Str(v.into());
    bool: v => Data::Bool(v);
    i64: v => Data::Int(v);
    f64: v => Data::Float(v);
    Vec<Value>: v => Value::list(v);
    Vec<String>: v => Value::list(v.into_iter().map(Value::str).collect());
    Map: v => Value::map(v);
    Vec<(Key, Value)>: v => Value::map(v.into_iter().collect());
    Timestamp: v => Data::Time(Arc::new(v));
    Bytes: v => crate::val::text_of(v.0);
}

/// Bytes that are text for Go, be they UTF-8 or not.
pub(super) struct Bytes(pub(super) Vec<u8>);

impl From<&[u8]> for Bytes {
    fn from(bytes: &[u8]) -> Self {
        Bytes(bytes.to_vec())
    }
}

/// Whether replacing `count` places by text of `length` bytes stays within [`MAX_TEXT`].
pub(super) fn affordable(base: usize, count: usize, length: usize) -> bool {
    count.saturating_mul(length).saturating_add(base) <= MAX_TEXT
}

/// `strings.ReplaceAll`; unknown if the result would be huge.
pub(super) fn replace_all(name: &str, args: &Args<'_>, text: &str, from: &str, to: &str) -> Val {
    if !affordable(text.len(), text.matches(from).count(), to.len()) {
        return not_evaluated(name, args);
    }
    Data::Str(text.replace(from, to).into()).into()
}
