//! The functions of the language, grouped by family: what they take and return.

mod call;
mod cidr;
mod collections;
mod conversion;
mod encoding;
mod filesystem;
mod format;
mod format_number;
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

pub(crate) use call::call;

use crate::ast::Span;
use crate::eval::Evaluator;
use crate::types::Type;
use crate::val::{Data, Val};
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
    /// It cannot be read: why.
    Failed(String),
    /// It is not there, in a sentence.
    Missing(String),
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
        Err(FileError::Missing(format!("no file exists at \"{path}\"")))
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
    passes_marks: Passes,
    /// Whether the kind of its argument does not matter if an argument is not known at all.
    is_lenient: bool,
}

/// When the marks of an argument are marks of the result.
#[derive(Clone, Copy, Debug)]
enum Passes {
    /// As the function decides.
    AsUsual,
    /// Also if the function decides by itself what marks the result has.
    Always,
    /// Only if all arguments are known: OpenTofu forgets them.
    IfKnown,
}

/// Types of arguments.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Any,
    /// Text, and nothing that could be converted to it.
    Text,
    /// A map or an object.
    Mapping,
    /// A list or a tuple.
    Sequence,
    /// A list, a set or a tuple.
    Elements,
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
        Param { kind, takes_null: false, passes_marks: Passes::AsUsual, is_lenient: false }
    }

    const fn forgetting(self) -> Self {
        Param { passes_marks: Passes::IfKnown, ..self }
    }

    const fn always_marking(self) -> Self {
        Param { passes_marks: Passes::Always, ..self }
    }

    const fn lenient(self) -> Self {
        Param { is_lenient: true, ..self }
    }

    fn ty(self) -> Type {
        match self.kind {
            Kind::Any | Kind::Text | Kind::Mapping | Kind::Sequence | Kind::Elements => Type::Dynamic,
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

impl Kind {
    /// What is wrong with a value by its type, whether it is known or not.
    fn rejects(self, value: &Val) -> Option<&'static str> {
        use Data::{List, Map, Object, Partial, Set, Str, Tuple, Unknown};
        let (is_taken, what) = match self {
            Kind::Text => (matches!(value.data, Str(_) | Unknown(Type::Str | Type::Dynamic, _)), "must be a string"),
            Kind::Mapping => (
                matches!(
                    value.data,
                    Map(..) | Object(_) | Partial(..) | Unknown(Type::Map(_) | Type::Object(_) | Type::Dynamic, _)
                ),
                "must have map or object type",
            ),
            Kind::Sequence => (
                matches!(value.data, List(..) | Tuple(_) | Unknown(Type::List(_) | Type::Tuple(_) | Type::Dynamic, _)),
                "must be a list or tuple",
            ),
            Kind::Elements => (
                matches!(
                    value.data,
                    List(..)
                        | Set(..)
                        | Tuple(_)
                        | Unknown(Type::List(_) | Type::Set(_) | Type::Tuple(_) | Type::Dynamic, _)
                ),
                "must be a list, set, or tuple",
            ),
            _ => return None,
        };
        (!is_taken).then_some(what)
    }
}

/// Any value but null.
const A: Param = Param::of(Kind::Any);
/// Any value.
const NULLABLE: Param = Param { takes_null: true, ..Param::of(Kind::Any) };
const S: Param = Param::of(Kind::Str);
/// Text whose marks OpenTofu forgets as long as it is not known.
const FORGETTING: Param = S.forgetting();
const N: Param = Param::of(Kind::Num);
const LIST: Param = Param::of(Kind::ListAny);
const STRINGS: Param = Param::of(Kind::ListStr);
const TRUTHS: Param = Param::of(Kind::ListBool);
const TEXT: Param = Param::of(Kind::Text);
const MAPPING: Param = Param::of(Kind::Mapping);
const SEQUENCE: Param = Param::of(Kind::Sequence);
const ELEMENTS: Param = Param::of(Kind::Elements);
const SET: Param = Param::of(Kind::SetAny);
const MAP_OF_LISTS: Param = Param::of(Kind::MapLists);

/// The result of a function.
type Outcome = Result<Val, Fail>;

/// Why a function has no value.
#[derive(Debug)]
enum Fail {
    /// An argument is wrong.
    Argument(usize, String),
    /// The file that an argument names is not there.
    Missing(usize, String),
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
    /// Whether it deals with unknown values inside of its arguments itself.
    is_shallow: bool,
    /// Whether marks of its arguments, also inside of them, are marks of the whole result.
    spreads_marks: bool,
    /// Whether the kinds of arguments behind one that is not known do not matter.
    stops_at_unknown: bool,
    run: fn(&mut Args<'_, '_>) -> Outcome,
}

const fn function(name: &'static str, params: &'static [Param], run: fn(&mut Args<'_, '_>) -> Outcome) -> Function {
    Function { name, params, rest: None, is_shallow: false, spreads_marks: true, stops_at_unknown: false, run }
}

impl Function {
    const fn rest(mut self, rest: Param) -> Self {
        self.rest = Some(rest);
        self
    }

    /// It deals with marks and unknown values inside of its arguments itself.
    const fn shallow(mut self) -> Self {
        self.is_shallow = true;
        self.spreads_marks = false;
        self
    }

    /// It does not look at arguments behind one that is not known.
    const fn stopping_at_unknown(mut self) -> Self {
        self.stops_at_unknown = true;
        self
    }

    /// It deals with unknown values inside of its arguments itself.
    const fn sees_unknown(mut self) -> Self {
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
        Kind::Text => "string",
        Kind::Mapping => "map",
        Kind::Sequence => "list",
        Kind::Elements => "list or set",
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

/// A file that a function reads is missing, or nothing is known of it.
fn file_failed(index: usize) -> impl Fn(FileError) -> Fail {
    move |error| match error {
        FileError::Failed(message) => Fail::Argument(index, message),
        FileError::Missing(message) => Fail::Missing(index, message),
        FileError::Unknown(reason) => Fail::Unknown(reason),
    }
}

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
