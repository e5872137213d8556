//! Conditions of policies in three-valued logic.

use super::cel::{Blank, Expression, Failure, Scope, Val};

/// The result of a condition.
pub(super) enum Truth<'a> {
    True,
    False,
    Unknown(Blank<'a>),
    Missing(String),
    Failed(Failure),
}

/// Evaluates a condition.
pub(super) fn truth<'a>(expression: &'a Expression, scope: &mut Scope<'a>) -> Truth<'a> {
    match expression.eval(scope) {
        Ok(Val::Bool(true)) => Truth::True,
        Ok(Val::Bool(false)) => Truth::False,
        Ok(Val::Unknown(blank)) => Truth::Unknown(blank),
        Ok(other) => Truth::Failed(Failure::Wrong(format!("a {} is not a boolean", other.type_name()))),
        Err(Failure::Missing(what)) => Truth::Missing(what),
        Err(failure) => Truth::Failed(failure),
    }
}
