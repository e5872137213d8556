//! Evaluates expressions for their authors.

use super::cel::{Expression, Failure, Scope, Val};
use super::found::Spot;
use super::input::CodeOf;
use super::resources::{RESOURCES, ResourcesOf};
use crate::limits::Limit;
use crate::resolution::{Component, Unit};
use crate::terraform::Modules;
use serde_json::Value as Json;
use std::sync::Arc;

/// Evaluates an expression for components, as JSON, with what their code makes; unknown or failed results as a sentence.
///
/// # Errors
/// The expression cannot be read.
pub(crate) fn evaluate(
    expression: &str,
    components: &[&Component],
    modules: &Modules<'_>,
    made: &[Arc<Unit>],
) -> Result<Vec<Result<Json, String>>, String> {
    let expression = Expression::parse(expression, &["component", "code"])?;
    let reads_code = expression.reads("code");
    let resources = ResourcesOf::new(made, expression.mentions(RESOURCES));
    let code = CodeOf::new(components.iter().copied().filter(|_| reads_code), modules);
    let one = |component: &&Component| {
        let with_resources = resources.with(component);
        let mut scope = Scope::new(&component.language, Limit::PolicySteps.default_value());
        (scope.component, scope.code) = (Some(&*with_resources), Some(code.get(component)));
        match expression.eval(&mut scope) {
            Ok(Val::Unknown(blank)) => Err(format!("unknown, because `{}` is", Spot::unknown(&blank).name())),
            Ok(value) => Ok(value.to_json()),
            Err(Failure::Missing(why) | Failure::Wrong(why)) => Err(why),
            Err(Failure::Exceeded) => Err("it takes too many steps".to_owned()),
        }
    };
    Ok(components.iter().map(one).collect())
}
