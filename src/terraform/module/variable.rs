//! Declarations of variables.

use crate::hcl::ast::{Expr, ExprKind, Name};
use crate::hcl::eval::{Budget, Evaluator, NoNames};
use crate::hcl::functions::NoFiles;
use crate::hcl::types::Type;
use crate::hcl::types::convert::{Defaults, convert};
use crate::hcl::types::typeexpr;
use crate::hcl::val::{Data, Marks, Val};
use crate::terraform::failure::{Failure, Place};
use crate::terraform::module::block::{Declared, Written};
use crate::terraform::rules;
use crate::text::Text;
use crate::value::FileId;

/// A variable.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    /// Its header.
    pub place: Place,
    pub ty: Type,
    /// Whether a type is written.
    pub has_type: bool,
    /// Defaults of attributes of its type.
    pub defaults: Defaults,
    /// Its default, converted; a failed value if it is invalid.
    pub default: Option<Val>,
    /// Whether null is a value of it.
    pub is_nullable: bool,
    /// The marks of its values.
    pub marks: Marks,
    /// `const`, if it is written.
    pub is_const: Option<bool>,
}

const RESERVED: [&str; 9] =
    ["source", "version", "count", "for_each", "depends_on", "providers", "lifecycle", "locals", "provider"];

/// Whether a text is a name: letters, digits, underscores and dashes, with no digit and no dash at the start.
pub(crate) fn is_name(text: &str) -> bool {
    let starts = text.starts_with(|c: char| c == '_' || c.is_alphabetic());
    starts && text.chars().all(|c| c == '_' || c == '-' || c.is_alphanumeric())
}

/// Whether a variable can have a name.
pub(crate) fn check_name(label: &Name, file: FileId, failures: &mut Vec<Failure>) {
    let name = &*label.text;
    let message = if RESERVED.contains(&name) || name == "_" {
        format!("invalid variable name: \"{name}\" is reserved due to its special meaning inside module blocks")
    } else if is_name(name) {
        return;
    } else {
        format!(
            "invalid variable name: \"{name}\" must start with a letter or underscore and may contain only letters, digits, underscores, and dashes"
        )
    };
    failures.push(Failure::new(&rules::INVALID_DECLARATION, message, (file, label.span)));
}

/// The value of an expression that refers to nothing and calls nothing.
pub(crate) fn literal(expr: &Expr, file: FileId, failures: &mut Vec<Failure>) -> Val {
    let budget = Budget::new(200_000);
    let mut evaluator = Evaluator::new(file, &NoNames, &NoFiles, &budget).without_calls();
    let value = evaluator.eval(expr);
    let found = evaluator.problems.iter().map(Failure::of_problem);
    failures.extend(found.map(|f| Failure { rule: &rules::INVALID_DECLARATION, ..f }));
    value
}

/// A flag: a truth value, or the word for it as text.
pub(crate) fn flag(written: &Written, failures: &mut Vec<Failure>) -> Option<bool> {
    match constant(written, &Type::Bool, failures)?.data {
        Data::Bool(b) => Some(b),
        _ => None,
    }
}

/// The value of an expression that refers to nothing, as a type, and that is not null; `None` if it is something else, which is noted.
pub(crate) fn constant(written: &Written, ty: &Type, failures: &mut Vec<Failure>) -> Option<Val> {
    let value = literal(&written.expr, written.file, failures);
    if value.is_failed() {
        return None;
    }
    let found = convert(&value, ty).ok().filter(|value| !value.is_null());
    if found.is_none() {
        let message = format!("unsuitable value: a {} is required", ty.name());
        failures.push(Failure::new(&rules::INVALID_DECLARATION, message, written.place()));
    }
    found
}

/// Reads a declaration.
pub(crate) fn read(declared: &Declared, failures: &mut Vec<Failure>) -> Variable {
    let mut wrong = Vec::new();
    let mut flag_of = |name: &str| declared.arguments.get(name).and_then(|w| flag(w, &mut wrong));
    let is_nullable = flag_of("nullable").unwrap_or(true);
    let mut marks = Marks::NONE;
    if flag_of("sensitive") == Some(true) {
        marks = marks | Marks::SENSITIVE;
    }
    if flag_of("ephemeral") == Some(true) {
        marks = marks | Marks::EPHEMERAL;
    }
    let is_const = flag_of("const");
    let texts = ["description", "deprecated"].into_iter().filter_map(|name| declared.arguments.get(name));
    for written in texts.filter(|_| !declared.is_json) {
        constant(written, &Type::Str, &mut wrong);
    }
    let (mut ty, mut defaults, mut is_known) = (Type::Dynamic, Defaults::default(), true);
    let has_type = declared.arguments.contains_key("type");
    if let Some(written) = declared.arguments.get("type") {
        let file = written.file;
        let mut inner = Vec::new();
        let is_json = matches!(written.expr.kind, ExprKind::Template(_)) && declared.is_json;
        match typeexpr::constraint(&written.expr, is_json, &mut |expr| literal(expr, file, &mut inner)) {
            Ok(found) => (ty, defaults) = found,
            Err(error) => {
                is_known = false;
                let failure = Failure::of_syntax(&error, file);
                wrong.push(Failure { rule: &rules::INVALID_DECLARATION, ..failure });
            }
        }
        wrong.extend(inner);
    }
    let mut variable =
        Variable { place: declared.place, ty, has_type, defaults, default: None, is_nullable, marks, is_const };
    if let Some(written) = declared.arguments.get("default") {
        let value = literal(&written.expr, written.file, &mut wrong);
        variable.default =
            Some(if is_known { default(&variable, value, written, declared, &mut wrong) } else { Val::failed() });
    }
    failures.append(&mut wrong);
    variable
}

fn default(variable: &Variable, value: Val, written: &Written, declared: &Declared, wrong: &mut Vec<Failure>) -> Val {
    if value.is_failed() {
        return value;
    }
    if value.is_null() && !variable.is_nullable {
        let message = "invalid default value for variable: a null default value is not valid when nullable=false";
        wrong.push(Failure::new(&rules::INVALID_DECLARATION, message, written.place()));
        return value;
    }
    match convert(&variable.defaults.apply(&value), &variable.ty) {
        Ok(value) => value,
        Err(why) => {
            // An override that changes the type makes the default wrong that was right before.
            let is_overridden =
                declared.overridden.is_some() && declared.arguments.get("type").is_some_and(|t| t.file != written.file);
            let place = declared.overridden.filter(|_| is_overridden).unwrap_or(written.place());
            let message = format!(
                "invalid default value for variable: this default value is not compatible with the variable's type \
                 constraint: {}",
                why.text()
            );
            wrong.push(Failure::new(&rules::INVALID_DECLARATION, message, place));
            Val::unknown(variable.ty.clone(), Text::new())
        }
    }
}
