//! The specs of the types of actions whose fields are known: what Garden itself and its plugins for containers and Kubernetes check.

mod container;
mod exec;
mod kubernetes;
pub(super) mod modules;
pub(super) mod providers;

use crate::dialects::garden::diagnostics::Diagnostics;
use crate::dialects::garden::project::ActionKind;
use crate::dialects::garden::project::schema::{
    ANY_TEXT, Format, PRIMITIVE, Shape, TEXT, check_plugins, check_shape, optional, required,
};
use crate::dialects::garden::template::node::Node;

/// Words of a command, which may be empty.
const WORDS: Shape = Shape::Sparse(&ANY_TEXT);
/// Environment variables of a container, some from secrets.
const CONTAINER_ENV: Shape = Shape::MapOf(
    Format::EnvName,
    &Shape::OneOf(&[
        PRIMITIVE,
        Shape::Fields(&[optional("secretRef", Shape::Fields(&[required("name", TEXT), optional("key", TEXT)]))]),
    ]),
);
/// Texts by any names.
const TEXTS: Shape = Shape::MapOf(Format::Filled, &TEXT);

/// Checks the spec of an action. Of a type whose fields are not known it must be a mapping.
pub(super) fn check(kind: ActionKind, of_type: &str, name: &str, spec: &Node, is_old: bool, diagnostics: &Diagnostics) {
    let known = match of_type {
        // Before Garden 0.14 there were more fields.
        "exec" if is_old => Some(Shape::Open(exec::fields(kind))),
        "exec" => Some(Shape::Fields(exec::fields(kind))),
        _ if is_old => None,
        "container" => Some(container::shape(kind)),
        _ => kubernetes::shape(kind, of_type),
    };
    let what = format!("the spec of {}.{name}", kind.lower());
    let check = if of_type == "exec" { check_shape } else { check_plugins };
    check(spec, &known.unwrap_or(Shape::Map), &what, diagnostics);
}
