//! The fields of actions that Garden itself reads, whatever their type.

use crate::dialects::garden::project::ActionKind;
use crate::dialects::garden::project::schema::{Field, Shape, optional, required};

/// A reference to an action: `build.api`, or its kind and name.
const REFERENCE: Shape =
    Shape::OneOf(&[Shape::Text, Shape::Fields(&[required("kind", Shape::Text), required("name", Shape::Text)])]);
const VARFILE: Shape =
    Shape::OneOf(&[Shape::Text, Shape::Fields(&[required("path", Shape::Text), optional("optional", Shape::Bool)])]);
const SOURCE: Shape = Shape::Fields(&[
    optional("path", Shape::Text),
    optional("repository", Shape::Fields(&[required("url", Shape::Text)])),
]);
const VERSION: Shape = Shape::Fields(&[
    optional("excludeDependencies", Shape::Sparse(&REFERENCE)),
    optional("excludeFields", Shape::Sparse(&Shape::List(&Shape::Any))),
    optional("excludeFiles", Shape::Sparse(&Shape::Text)),
    optional("excludeValues", Shape::Sparse(&Shape::Text)),
]);
const COPY: Shape = Shape::Fields(&[
    required("build", Shape::Text),
    required("sourcePath", Shape::Text),
    optional("targetPath", Shape::Text),
]);

/// The fields of all actions.
pub(super) const COMMON: &[Field] = &[
    optional("apiVersion", Shape::Any),
    required("kind", Shape::Any),
    required("type", Shape::Name),
    required("name", Shape::Identifier),
    optional("description", Shape::Text),
    optional("source", SOURCE),
    optional("dependencies", Shape::Sparse(&REFERENCE)),
    optional("disabled", Shape::Bool),
    optional("environments", Shape::Sparse(&Shape::Text)),
    optional("logLevel", Shape::Text),
    optional("include", Shape::List(&Shape::Text)),
    optional("exclude", Shape::List(&Shape::Text)),
    optional("timeout", Shape::Number),
    optional("variables", Shape::Any),
    optional("varfiles", Shape::Sparse(&VARFILE)),
    optional("version", VERSION),
    optional("spec", Shape::Any),
];

const BUILD: &[Field] = &[
    optional("allowPublish", Shape::Bool),
    optional("buildAtSource", Shape::Bool),
    optional("copyFrom", Shape::Sparse(&COPY)),
];
const DEPLOY: &[Field] = &[optional("build", Shape::Text), optional("removeOnCleanup", Shape::Bool)];
const RUN: &[Field] = &[optional("build", Shape::Text)];

/// All fields of actions of a kind.
pub(crate) fn fields_of(kind: ActionKind) -> [&'static [Field]; 2] {
    [COMMON, of_kind(kind)]
}

/// The fields that actions of a kind have besides.
pub(super) fn of_kind(kind: ActionKind) -> &'static [Field] {
    match kind {
        ActionKind::Build => BUILD,
        ActionKind::Deploy => DEPLOY,
        ActionKind::Run | ActionKind::Test => RUN,
    }
}
