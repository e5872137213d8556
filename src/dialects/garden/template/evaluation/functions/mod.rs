//! The helper functions of templates: their names, their parameters, and how arguments are checked.

mod dates;
mod encode;
mod lists;
mod parameter;
mod strings;
mod words;
mod yaml_text;

use crate::dialects::garden::template::evaluation::evaluator::Evaluator;
use crate::dialects::garden::template::failure::Failure;
use crate::dialects::garden::template::node::{Data, Node};
use crate::dialects::garden::template::syntax::ast::LanguageVersion;
use parameter::{Parameter, Type};

/// Why a call has no value.
pub(super) enum Refusal {
    /// The function does not exist.
    Unknown(String),
    /// An argument is missing or wrong, or the function fails.
    Wrong(String),
    /// A limit is exceeded.
    Limit(Box<Failure>),
}

impl From<Box<Failure>> for Refusal {
    fn from(failure: Box<Failure>) -> Self {
        Refusal::Limit(failure)
    }
}

/// The result of a function; otherwise the text of its error.
type Done = Result<Node, Error>;

/// Why a function fails.
enum Error {
    /// Because of its arguments.
    Message(String),
    /// Because of how much it would make.
    Limit(Box<Failure>),
}

impl From<Box<Failure>> for Error {
    fn from(failure: Box<Failure>) -> Self {
        Error::Limit(failure)
    }
}

impl From<String> for Error {
    fn from(message: String) -> Self {
        Error::Message(message)
    }
}

struct Function {
    name: &'static str,
    parameters: &'static [Parameter],
    run: fn(&Evaluator, &[Node]) -> Done,
    /// Whether [`LanguageVersion::Bonsai`] lacks it.
    is_new: bool,
}

const TEXT: Parameter = Parameter::required("string", Type::Text);
const ANY: Parameter = Parameter::required("value", Type::Any);
const ARRAY_OR_TEXT: &[Type] = &[Type::Array, Type::TextOrEmpty];
const DATE: Parameter = Parameter::required("date", Type::Text);
const AMOUNT: Parameter = Parameter::required("amount", Type::Number);

/// All functions, in the order in which messages list them.
const ALL: [Function; 25] = [
    old("base64Decode", &[TEXT], encode::base64_decode),
    old("base64Encode", &[TEXT], encode::base64_encode),
    old("camelCase", &[TEXT], strings::camel_case),
    old(
        "concat",
        &[
            Parameter::required("arg1", Type::OneOf(ARRAY_OR_TEXT)),
            Parameter::required("arg2", Type::OneOf(ARRAY_OR_TEXT)),
        ],
        lists::concat,
    ),
    old("indent", &[TEXT, Parameter::required("spaces", Type::Integer)], strings::indent),
    old(
        "isEmpty",
        &[Parameter::optional("value", Type::OneOf(&[Type::Object, Type::Array, Type::TextOrEmpty, Type::Null]))],
        lists::is_empty,
    ),
    old(
        "join",
        &[Parameter::required("input", Type::Primitives), Parameter::required("separator", Type::TextOrEmpty)],
        lists::join,
    ),
    old("jsonDecode", &[TEXT], encode::json_decode),
    old("jsonEncode", &[ANY], encode::json_encode),
    old("kebabCase", &[TEXT], strings::kebab_case),
    old("lower", &[TEXT], strings::lower),
    new(
        "range",
        &[Parameter::required("first", Type::Number), Parameter::required("last", Type::Number)],
        lists::range,
    ),
    old(
        "replace",
        &[TEXT, Parameter::required("substring", Type::Text), Parameter::required("replacement", Type::TextOrEmpty)],
        strings::replace,
    ),
    old("sha256", &[TEXT], encode::sha256),
    old(
        "slice",
        &[
            Parameter::required("input", Type::OneOf(&[Type::Text, Type::Array])),
            Parameter::required("start", Type::OneOf(&[Type::Number, Type::Text])),
            Parameter::optional("end", Type::OneOf(&[Type::Number, Type::Text])),
        ],
        lists::slice,
    ),
    old("split", &[TEXT, Parameter::required("separator", Type::Text)], lists::split),
    old("trim", &[TEXT, Parameter::optional("characters", Type::Text)], strings::trim),
    old("upper", &[TEXT], strings::upper),
    old("string", &[ANY], strings::string),
    old("uuidv4", &[], encode::uuid),
    old("yamlDecode", &[TEXT, Parameter::optional("multiDocument", Type::Bool)], encode::yaml_decode),
    old("yamlEncode", &[ANY, Parameter::optional("multiDocument", Type::Bool)], encode::yaml_encode),
    new("formatDateUtc", &[DATE, Parameter::required("format", Type::Text)], dates::format),
    new("shiftDateUtc", &[DATE, AMOUNT, Parameter::required("unit", Type::Word(&dates::SHIFT_UNITS))], dates::shift),
    new("modifyDateUtc", &[DATE, AMOUNT, Parameter::required("unit", Type::Word(&dates::MODIFY_UNITS))], dates::modify),
];

const fn old(name: &'static str, parameters: &'static [Parameter], run: fn(&Evaluator, &[Node]) -> Done) -> Function {
    Function { name, parameters, run, is_new: false }
}

const fn new(name: &'static str, parameters: &'static [Parameter], run: fn(&Evaluator, &[Node]) -> Done) -> Function {
    Function { name, parameters, run, is_new: true }
}

fn of_era(era: LanguageVersion) -> impl Iterator<Item = &'static Function> {
    ALL.iter().filter(move |f| era == LanguageVersion::Cedar || !f.is_new)
}

/// Whether there is a function of a name.
pub(crate) fn exists(name: &str, era: LanguageVersion) -> bool {
    of_era(era).any(|f| f.name == name)
}

/// All functions with their parameters as they are shown: `string, spaces`, those that may be left out in brackets.
pub(crate) fn described() -> Vec<(&'static str, String)> {
    let shown = |parameter: &Parameter| match parameter.is_required {
        true => parameter.name.to_owned(),
        false => format!("[{}]", parameter.name),
    };
    let one = |f: &Function| (f.name, f.parameters.iter().map(shown).collect::<Vec<_>>().join(", "));
    ALL.iter().map(one).collect()
}

/// The names of all functions.
pub(crate) fn names(era: LanguageVersion) -> Vec<&'static str> {
    of_era(era).map(|f| f.name).collect()
}

/// Calls a function. Arguments beyond its parameters are ignored.
pub(super) fn call(evaluator: &Evaluator, name: &str, arguments: &[Node]) -> Result<Node, Refusal> {
    let era = evaluator.era();
    let Some(function) = of_era(era).find(|f| f.name == name) else {
        let available = names(era).join(", ");
        return Err(Refusal::Unknown(format!(
            "Could not find helper function '{name}'. Available helper functions: {available}"
        )));
    };
    let mut checked = Vec::with_capacity(function.parameters.len());
    for (index, parameter) in function.parameters.iter().enumerate() {
        let given = arguments.get(index).filter(|node| !node.is_undefined());
        let Some(given) = given else {
            if parameter.is_required {
                let at = if era == LanguageVersion::Cedar { format!(" (at index {index})") } else { String::new() };
                let argument = parameter.name;
                return Err(Refusal::Wrong(format!("Missing argument '{argument}'{at} for {name} helper function.")));
            }
            checked.push(Node::default());
            continue;
        };
        checked.push(parameter.kind.check(given).map_err(|detail| {
            let gap = if era == LanguageVersion::Cedar { "\n\n" } else { " " };
            let argument = parameter.name;
            Refusal::Wrong(format!("Error validating argument '{argument}' for {name} helper function:{gap}{detail}"))
        })?);
    }
    (function.run)(evaluator, &checked).map_err(|error| match error {
        Error::Limit(failure) => Refusal::Limit(failure),
        Error::Message(message) => {
            let message = if era == LanguageVersion::Cedar { message } else { message.replacen("Error: ", "", 1) };
            Refusal::Wrong(format!("Error from helper function {name}: {message}"))
        }
    })
}

/// The text of an argument that was checked to be text.
fn text(arguments: &[Node], index: usize) -> &str {
    arguments.get(index).and_then(Node::as_text).map_or("", |text| text.as_str())
}

/// The number of an argument that was checked to be one.
fn number(arguments: &[Node], index: usize) -> f64 {
    match arguments.get(index).map(|node| &node.data) {
        Some(Data::Number(n)) => *n,
        _ => 0.0,
    }
}
