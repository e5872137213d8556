//! The fields of actions that Garden itself reads, whatever their type.

use crate::dialects::garden::project::ActionKind;
use crate::dialects::garden::project::schema::{
    Field, Format, INNER_PATH, PATH, PATTERN, POSITIVE, RELATIVE_PATH, REPOSITORY, Shape, TEXT, optional, required,
};

const IDENTIFIER: Shape = Shape::Text(Format::Identifier);
/// A reference to an action: `build.api`, or its kind and name.
const REFERENCE: Shape = Shape::OneOf(&[TEXT, Shape::Open(&[required("kind", TEXT), required("name", TEXT)])]);
const EXCLUDED: Shape =
    Shape::OneOf(&[Shape::Text(Format::Reference), Shape::Open(&[required("kind", TEXT), required("name", TEXT)])]);
const VARFILE: Shape =
    Shape::OneOf(&[PATH, Shape::Fields(&[required("path", PATH), optional("optional", Shape::Bool)])]);
const SOURCE: Shape = Shape::Fields(&[
    optional("path", RELATIVE_PATH),
    optional("repository", Shape::Fields(&[required("url", REPOSITORY)])),
]);
const VERSION: Shape = Shape::Fields(&[
    optional("excludeDependencies", Shape::Sparse(&EXCLUDED)),
    optional("excludeFields", Shape::List(&Shape::List(&TEXT))),
    optional("excludeFiles", Shape::Sparse(&TEXT)),
    optional("excludeValues", Shape::Sparse(&TEXT)),
]);
const COPY: Shape = Shape::Fields(&[
    required("build", IDENTIFIER),
    required("sourcePath", INNER_PATH),
    optional("targetPath", INNER_PATH),
]);
const LOG_LEVELS: [&str; 7] = ["error", "warn", "info", "verbose", "debug", "silly", "silent"];

/// The fields of all actions.
pub(super) const COMMON: &[Field] = &[
    optional("apiVersion", Shape::Text(Format::Words(&["garden.io/v0"]))),
    required("kind", Shape::Any),
    required("type", Shape::Text(Format::Name)),
    required("name", IDENTIFIER),
    optional("description", TEXT),
    optional("source", SOURCE),
    optional("dependencies", Shape::Sparse(&REFERENCE)),
    optional("disabled", Shape::Bool),
    optional("environments", Shape::Sparse(&TEXT)),
    optional("logLevel", Shape::Text(Format::Words(&LOG_LEVELS))),
    optional("include", Shape::Sparse(&PATTERN)),
    optional("exclude", Shape::Sparse(&PATTERN)),
    optional("timeout", POSITIVE),
    optional("variables", Shape::Map),
    optional("varfiles", Shape::List(&VARFILE)),
    optional("version", VERSION),
    optional("spec", Shape::Map),
];

const BUILD: &[Field] = &[
    optional("allowPublish", Shape::Bool),
    optional("buildAtSource", Shape::Bool),
    optional("copyFrom", Shape::Sparse(&COPY)),
];
const DEPLOY: &[Field] = &[optional("build", IDENTIFIER), optional("removeOnCleanup", Shape::Bool)];
const RUN: &[Field] = &[optional("build", IDENTIFIER)];

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
