//! The fields of actions that Garden itself reads, whatever their type.

use crate::dialects::garden::project::ActionKind;
use crate::dialects::garden::project::schema::{
    Field, Format, INNER_PATH, PATH, PATTERN, POSITIVE, RELATIVE_PATH, REPOSITORY, Shape, TEXT, optional, required,
};
use crate::dialects::garden::template::syntax::ast::LanguageVersion;

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

const API_VERSION: &[Field] = &[optional("apiVersion", Shape::Text(Format::Words(&["garden.io/v0"])))];
/// Before Garden 0.14 there were other versions.
const ANY_API_VERSION: &[Field] = &[optional("apiVersion", Shape::Any)];

/// The fields of all actions, but for the version of the language.
const COMMON: &[Field] = &[
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
pub(crate) fn fields_of(kind: ActionKind, version: LanguageVersion) -> [&'static [Field]; 3] {
    [if version == LanguageVersion::Cedar { API_VERSION } else { ANY_API_VERSION }, COMMON, of_kind(kind)]
}

/// The fields that actions of a kind have besides.
fn of_kind(kind: ActionKind) -> &'static [Field] {
    match kind {
        ActionKind::Build => BUILD,
        ActionKind::Deploy => DEPLOY,
        ActionKind::Run | ActionKind::Test => RUN,
    }
}
