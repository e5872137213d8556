//! The functions of the language, grouped by family. `call` converts the arguments as each function declares them, keeps
//! marks and unknown values away from the functions that have nothing to do with them, and reports what is wrong.

mod cidr;
mod collections;
mod conversion;
mod encoding;
mod filesystem;
mod format;
mod hashes;
mod lists;
mod numbers;
mod regexes;
mod sets;
mod strings;
mod time;
mod unknown;
mod yaml;
mod yaml_encode;

use crate::ast::{Call, Expr, Span};
use crate::eval::Evaluator;
use crate::types::Type;
use crate::types::convert::convert;
use crate::val::{Data, Marks, Val};
use shared_text::Text;
use std::sync::Arc;
use traced_value::FileId;

/// The content of a file that a function reads.
#[derive(Clone, Debug)]
pub struct Content {
    /// The content of the file.
    pub bytes: Arc<[u8]>,
    /// Its id in the table of files.
    pub file: FileId,
}

/// Why a function cannot have a file.
#[derive(Clone, Debug)]
pub enum FileError {
    /// It is not there, or cannot be read: why.
    Failed(String),
    /// It is outside of what is examined: why nothing is known of it.
    Unknown(String),
}

/// The files that functions read.
pub trait Files {
    /// The content of a file.
    ///
    /// # Errors
    /// It is not there, or not known.
    fn read(&self, path: &str) -> Result<Content, FileError>;

    /// Whether there is a file.
    ///
    /// # Errors
    /// It is a folder, or not known.
    fn exists(&self, path: &str) -> Result<bool, FileError>;

    /// Returns the paths of all files below a folder, relative to it; empty if it does not exist.
    ///
    /// # Errors
    /// It is not known what is there.
    fn below(&self, path: &str) -> Result<Vec<String>, FileError>;

    /// The folder that relative paths begin in, as an absolute path, if it is known.
    fn folder(&self) -> Option<String>;
}

/// A file system without files.
pub struct NoFiles;

impl Files for NoFiles {
    fn read(&self, path: &str) -> Result<Content, FileError> {
        Err(FileError::Failed(format!("no file exists at \"{path}\"")))
    }

    fn exists(&self, _: &str) -> Result<bool, FileError> {
        Ok(false)
    }

    fn below(&self, _: &str) -> Result<Vec<String>, FileError> {
        Ok(Vec::new())
    }

    fn folder(&self) -> Option<String> {
        None
    }
}

/// Why a function of a system has no value.
#[derive(Clone, Debug)]
pub enum HostError {
    /// The argument of this index is wrong.
    Argument(usize, String),
    /// The call is.
    Call(String),
}

/// The functions of a system that evaluates expressions, beside those of the language.
pub trait Host {
    /// Whether the system has a function of the language.
    fn has(&self, name: &str) -> bool;

    /// Whether the system itself has a function.
    fn has_own(&self, name: &str) -> bool;

    /// Returns the value of a call of a function of the system. Arguments can be unknown.
    ///
    /// # Errors
    /// Why it has none.
    fn call(&self, name: &str, arguments: &[Val]) -> Result<Val, HostError>;
}

/// A parameter of a function.
#[derive(Clone, Copy, Debug)]
struct Param {
    kind: Kind,
    takes_null: bool,
}

/// Types of arguments.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Any,
    Str,
    Num,
    ListAny,
    ListStr,
    ListBool,
    SetAny,
    MapLists,
}

impl Param {
    const fn of(kind: Kind) -> Self {
        Param { kind, takes_null: false }
    }

    fn ty(self) -> Type {
        match self.kind {
            Kind::Any => Type::Dynamic,
            Kind::Str => Type::Str,
            Kind::Num => Type::Number,
            Kind::ListAny => Type::list(Type::Dynamic),
            Kind::ListStr => Type::list(Type::Str),
            Kind::ListBool => Type::list(Type::Bool),
            Kind::SetAny => Type::set(Type::Dynamic),
            Kind::MapLists => Type::map(Type::list(Type::Str)),
        }
    }
}

/// Any value but null.
const A: Param = Param::of(Kind::Any);
/// Any value.
const NULLABLE: Param = Param { kind: Kind::Any, takes_null: true };
const S: Param = Param::of(Kind::Str);
const N: Param = Param::of(Kind::Num);
const LIST: Param = Param::of(Kind::ListAny);
const STRINGS: Param = Param::of(Kind::ListStr);
const TRUTHS: Param = Param::of(Kind::ListBool);
const SET: Param = Param::of(Kind::SetAny);
const MAP_OF_LISTS: Param = Param::of(Kind::MapLists);

/// The result of a function.
type Outcome = Result<Val, Fail>;

/// Why a function has no value.
#[derive(Debug)]
enum Fail {
    /// An argument is wrong.
    Argument(usize, String),
    /// The call as a whole is wrong, for the reason.
    Call(String),
    /// Known only at run time, with the reason.
    Unknown(String),
}

impl From<String> for Fail {
    fn from(message: String) -> Self {
        Fail::Call(message)
    }
}

/// The arguments of a call, converted.
struct Args<'c, 'e> {
    values: Vec<Val>,
    spans: Vec<Span>,
    evaluator: &'c mut Evaluator<'e>,
}

impl Args<'_, '_> {
    /// The text of an argument.
    fn str(&self, index: usize) -> &str {
        self.values.get(index).and_then(Val::as_str).map_or("", |t| &**t)
    }

    /// The number of an argument.
    fn number(&self, index: usize) -> crate::val::number::Number {
        match self.values.get(index).map(|v| &v.data) {
            Some(Data::Number(n)) => n.clone(),
            _ => crate::val::number::Number::zero(),
        }
    }

    /// The whole number of an argument.
    fn integer(&self, index: usize) -> Result<i64, Fail> {
        let whole = || Fail::Argument(index, "a whole number is required".to_owned());
        self.number(index).as_i64().ok_or_else(whole)
    }

    /// The elements of an argument.
    fn items(&self, index: usize) -> &[Val] {
        self.values.get(index).and_then(Val::as_items).map_or(&[], |items| items)
    }

    /// Returns the strings of the elements of an argument, without null.
    fn texts(&self, index: usize) -> Vec<Text> {
        self.items(index).iter().filter_map(|v| v.as_str().cloned()).collect()
    }
}

/// A function.
struct Function {
    name: &'static str,
    params: &'static [Param],
    /// The type of further arguments, if allowed.
    rest: Option<Param>,
    /// Whether it deals with marks and unknown values inside of its arguments itself.
    is_shallow: bool,
    run: fn(&mut Args<'_, '_>) -> Outcome,
}

const fn function(name: &'static str, params: &'static [Param], run: fn(&mut Args<'_, '_>) -> Outcome) -> Function {
    Function { name, params, rest: None, is_shallow: false, run }
}

impl Function {
    const fn rest(mut self, rest: Param) -> Self {
        self.rest = Some(rest);
        self
    }

    const fn shallow(mut self) -> Self {
        self.is_shallow = true;
        self
    }
}

/// All functions.
fn all() -> impl Iterator<Item = &'static Function> {
    let families: [&'static [Function]; 14] = [
        cidr::ALL,
        collections::ALL,
        conversion::ALL,
        encoding::ALL,
        filesystem::ALL,
        format::ALL,
        hashes::ALL,
        lists::ALL,
        numbers::ALL,
        regexes::ALL,
        sets::ALL,
        strings::ALL,
        time::ALL,
        yaml::ALL,
    ];
    families.into_iter().flatten()
}

/// All functions with the types of their parameters as they are shown: `string, list of string…`.
pub fn described() -> Vec<(&'static str, String)> {
    let shown = |param: Param| match param.kind {
        Kind::Any => "any",
        Kind::Str => "string",
        Kind::Num => "number",
        Kind::ListAny => "list",
        Kind::ListStr => "list of string",
        Kind::ListBool => "list of bool",
        Kind::SetAny => "set",
        Kind::MapLists => "map of list of string",
    };
    let one = |f: &Function| {
        let fixed = f.params.iter().map(|param| shown(*param).to_owned());
        (f.name, fixed.chain(f.rest.map(|rest| format!("{}…", shown(rest)))).collect::<Vec<_>>().join(", "))
    };
    let special = SPECIAL.into_iter().map(|name| (name, "any…".to_owned()));
    let mut found: Vec<(&'static str, String)> = all().map(one).chain(special).collect();
    found.sort_unstable();
    found
}

/// Names that are evaluated before their arguments.
const SPECIAL: [&str; 2] = ["can", "try"];

/// The value of a call.
pub(super) fn call(evaluator: &mut Evaluator<'_>, call: &Call, span: Span) -> Val {
    let host = evaluator.host;
    let name = match host {
        Some(_) => &call.name.text,
        None => call.name.text.strip_prefix("core::").unwrap_or(&call.name.text),
    };
    match name {
        "try" => return conversion::attempt(evaluator, &call.arguments, span),
        "can" => return conversion::can(evaluator, &call.arguments, span),
        _ => {}
    }
    if let Some(host) = host.filter(|host| host.has_own(name)) {
        return hosted(evaluator, host, call, span);
    }
    // Systems with functions of their own have no providers.
    if host.is_none() && name.starts_with("provider::") {
        let arguments: Vec<Val> = call.arguments.iter().map(|argument| evaluator.eval(argument)).collect();
        let marks = arguments.iter().fold(Marks::NONE, |marks, argument| marks | argument.all_marks());
        let prov = evaluator.derived(span, &arguments);
        return Val::unknown(Type::Dynamic, format!("{name}()")).marked(marks).with_prov(prov);
    }
    let is_there = |f: &&Function| host.is_none_or(|host| host.has(f.name));
    let Some(function) = all().filter(is_there).find(|f| f.name == name) else {
        let near = shared_text::nearest(name, all().filter(is_there).map(|f| f.name).chain(SPECIAL));
        let hint = near.map_or_else(String::new, |n| format!(" Did you mean \"{n}\"?"));
        let detail = format!("There is no function named \"{name}\".{hint}");
        // The arguments may be wrong as well.
        call.arguments.iter().for_each(|a| drop(evaluator.eval(a)));
        return evaluator.problem("Call to unknown function", detail, call.name.span);
    };
    let before = evaluator.problems.len();
    let Some((values, spans)) = arguments(evaluator, call) else { return Val::failed() };
    if evaluator.problems.len() > before {
        return Val::failed();
    }
    if !evaluator.budget.take(pattern(name, &values).map_or(0, |pattern| 10 * go_compat::regexp::cost(pattern) as u64))
    {
        return evaluator.exhausted(span);
    }
    let read = values.clone();
    let value = run(evaluator, function, call, (values, spans), span);
    traced(evaluator, value, &read, span)
}

/// The value of a call of a function of the system.
fn hosted(evaluator: &mut Evaluator<'_>, host: &dyn Host, call: &Call, span: Span) -> Val {
    let before = evaluator.problems.len();
    let Some((values, spans)) = arguments(evaluator, call) else { return Val::failed() };
    if evaluator.problems.len() > before {
        return Val::failed();
    }
    let name = &call.name.text;
    let value = match host.call(name, &values) {
        Ok(value) => value,
        Err(HostError::Call(message)) => {
            let detail = format!("Call to function \"{name}\" failed: {message}.");
            evaluator.problem("Error in function call", detail, span)
        }
        Err(HostError::Argument(index, message)) => {
            let place = spans.get(index).copied().unwrap_or(span);
            let detail = format!("Invalid value for argument {} of \"{name}\": {message}.", index + 1);
            evaluator.problem("Invalid function argument", detail, place)
        }
    };
    traced(evaluator, value, &values, span)
}

/// The result of a call, if it is not too large, with what it was computed from.
fn traced(evaluator: &mut Evaluator<'_>, value: Val, read: &[Val], span: Span) -> Val {
    let prov = evaluator.derived(span, read);
    let value = evaluator.bounded(value, span);
    match value.prov.origin {
        Some(_) => {
            let own = value.prov.clone();
            value.with_prov(prov.with_inputs([own]))
        }
        None => value.with_prov(prov),
    }
}

/// The pattern that a function compiles.
fn pattern<'v>(name: &str, values: &'v [Val]) -> Option<&'v str> {
    match name {
        "regex" | "regexall" => values.first()?.as_str().map(|text| &**text),
        "replace" => values.get(1)?.as_str()?.strip_prefix('/')?.strip_suffix('/'),
        _ => None,
    }
}

/// Returns the values of the arguments; `None` if the last one is expanded and unknown.
fn arguments(evaluator: &mut Evaluator<'_>, call: &Call) -> Option<(Vec<Val>, Vec<Span>)> {
    let mut values: Vec<Val> = Vec::new();
    let mut spans: Vec<Span> = Vec::new();
    for (index, expr) in call.arguments.iter().enumerate() {
        let value = evaluator.eval(expr);
        if !(call.expands && index + 1 == call.arguments.len()) {
            values.push(value);
            spans.push(expr.span);
            continue;
        }
        match value.as_items() {
            Some(items) => {
                spans.extend(items.iter().map(|_| expr.span));
                values.extend(items.iter().map(|item| item.clone().marked(value.marks)));
            }
            None if value.is_unknown() => return None,
            None => {
                let detail = "The expanding argument (indicated by ...) must be of a tuple, list, or set type.";
                evaluator.problem("Invalid expanding argument value", detail, expr.span);
                return None;
            }
        }
    }
    Some((values, spans))
}

fn run(
    evaluator: &mut Evaluator<'_>,
    function: &Function,
    call: &Call,
    (values, spans): (Vec<Val>, Vec<Span>),
    span: Span,
) -> Val {
    let wanted = function.params.len();
    if values.len() < wanted {
        let detail =
            format!("Function \"{}\" expects {wanted} argument(s); {} are given.", function.name, values.len());
        let end = Span { start: span.end.saturating_sub(1), end: span.end };
        return evaluator.problem("Not enough function arguments", detail, end);
    }
    if values.len() > wanted && function.rest.is_none() {
        let detail = format!("Function \"{}\" expects only {wanted} argument(s).", function.name);
        let place = spans.get(wanted).copied().unwrap_or(span);
        return evaluator.problem("Too many function arguments", detail, place);
    }
    let is_hidden = values.iter().any(|value| value.all_marks().has(Marks::SENSITIVE));
    let mut marks = Marks::NONE;
    let mut unknown: Option<Text> = None;
    let mut converted = Vec::with_capacity(values.len());
    for (index, value) in values.into_iter().enumerate() {
        let Some(param) = function.params.get(index).copied().or(function.rest) else { break };
        let place = spans.get(index).copied().unwrap_or(span);
        let invalid = "Invalid function argument";
        let argument =
            |message: &str| format!("Invalid value for argument {} of \"{}\": {message}.", index + 1, function.name);
        if value.is_null() && !param.takes_null {
            return evaluator.problem(invalid, argument("argument must not be null"), place);
        }
        let value = match convert(&value, &param.ty()) {
            Ok(value) => value,
            Err(why) => return evaluator.problem(invalid, argument(&why.text()), place),
        };
        if function.is_shallow {
            // What else is in an object that is not completely known is open.
            let value = match value.data {
                Data::Partial(_, name) if !matches!(function.name, "sensitive" | "nonsensitive" | "issensitive") => {
                    Val { data: Data::Unknown(Type::Dynamic, name.into()), ..value }
                }
                _ => value,
            };
            converted.push(value);
            continue;
        }
        let (value, own) = value.unmark_deep();
        marks = marks | own;
        if let Some(reason) = value.unknown_reason() {
            unknown.get_or_insert_with(|| Text::clone(reason));
        }
        converted.push(value);
    }
    if let Some(reason) = unknown {
        let result = unknown::result(function.name, &converted, &reason);
        return result.unwrap_or_else(|| unknown::typed(function.name, reason)).marked(marks);
    }
    let mut args = Args { values: converted, spans, evaluator };
    let outcome = (function.run)(&mut args);
    let spans = args.spans;
    let (index, message) = match outcome {
        Ok(value) => return value.marked(marks),
        Err(Fail::Unknown(reason)) => return unknown::typed(function.name, reason.into()).marked(marks),
        Err(Fail::Argument(index, message)) => (Some(index), message),
        Err(Fail::Call(message)) => (None, message),
    };
    // Functions quote what they reject.
    let message = if is_hidden { "it cannot take this sensitive value".to_owned() } else { message };
    failed(evaluator, function, call, (index, &message), (&spans, span))
}

/// Reports why a call failed, at the argument that is the reason if there is one.
fn failed(
    evaluator: &mut Evaluator<'_>,
    function: &Function,
    call: &Call,
    (index, message): (Option<usize>, &str),
    (spans, span): (&[Span], Span),
) -> Val {
    let Some(index) = index else {
        let detail = format!("Call to function \"{}\" failed: {message}.", call.name.text);
        return evaluator.problem("Error in function call", detail, span);
    };
    let place = spans.get(index).copied().unwrap_or(span);
    let detail = format!("Invalid value for argument {} of \"{}\": {message}.", index + 1, function.name);
    evaluator.problem("Invalid function argument", detail, place)
}

/// A file that a function reads is missing, or nothing is known of it.
fn file_failed(index: usize) -> impl Fn(FileError) -> Fail {
    move |error| match error {
        FileError::Failed(message) => Fail::Argument(index, message),
        FileError::Unknown(reason) => Fail::Unknown(reason),
    }
}

/// The expressions of arguments, for functions that evaluate them on their own.
type Expressions<'a> = &'a [Expr];

#[cfg(test)]
mod tests {
    #[test]
    fn names_are_unique() {
        let mut names: Vec<&str> = super::all().map(|f| f.name).chain(super::SPECIAL).collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count);
        assert!(count > 110, "{count}");
    }
}
