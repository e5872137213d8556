//! Evaluates values with templates: the state of an evaluation (`evaluator`), lookups of key paths (`context`, `roots`) and in
//! layers of contexts (`layers`), template strings (`expression`), structural operators (`operators`) and functions. `references`
//! lists what a value looks up without evaluating it, `made_of` what an unknown value is made of.

mod context;
mod evaluator;
mod expression;
pub(crate) mod functions;
mod layers;
mod lookup;
mod made_of;
mod operators;
pub(crate) mod references;
mod roots;

pub(crate) use evaluator::{Evaluator, Scope, captured};
pub(crate) use lookup::Lookup;
pub(crate) use roots::{Roots, word};
