//! Evaluates expressions for their authors.

use super::cel::{Expression, Failure, Scope, Val};
use super::found::Spot;
use super::input::CodeOf;
use crate::limits::Limit;
use crate::resolution::Component;
use crate::terraform::Modules;
use serde_json::Value as Json;

/// Evaluates an expression for a component, as JSON; unknown or failed results as a sentence.
///
/// # Errors
/// The expression cannot be read.
pub(crate) fn evaluate(
    expression: &str,
    components: &[&Component],
    modules: &Modules<'_>,
) -> Result<Vec<Result<Json, String>>, String> {
    let expression = Expression::parse(expression, &["component", "code"])?;
    let reads_code = expression.reads("code");
    let code = CodeOf::new(components.iter().copied().filter(|_| reads_code), modules);
    let one = |component: &&Component| {
        let mut scope = Scope::new(&component.language, Limit::PolicySteps.default_value());
        (scope.component, scope.code) = (Some(*component), Some(code.get(component)));
        match expression.eval(&mut scope) {
            Ok(Val::Unknown(blank)) => Err(format!("unknown, because `{}` is", Spot::unknown(&blank).name())),
            Ok(value) => Ok(value.to_json()),
            Err(Failure::Missing(why) | Failure::Wrong(why)) => Err(why),
            Err(Failure::Exceeded) => Err("it takes too many steps".to_owned()),
        }
    };
    Ok(components.iter().map(one).collect())
}
