//! What values with templates in them come to: the state of an evaluation (`evaluator`), what key paths find (`context`, `roots`),
//! template strings (`expression`), structural operators (`operators`) and functions. `references` says what a value looks up
//! without evaluating it.

mod context;
mod evaluator;
mod expression;
pub(crate) mod functions;
mod operators;
pub(crate) mod references;
mod roots;

pub(crate) use context::Lookup;
pub(crate) use evaluator::{Evaluator, Scope, captured};
pub(crate) use roots::{Roots, word};
