//! The fields of modules of the type `exec`.

use super::WORDS;
use crate::dialects::garden::project::schema::{
    ANY_TEXT, ENV, Field, Format, INNER_PATH, PATH, PATTERN, POSITIVE, RELATIVE_PATH, REPOSITORY, Rule, Shape, TEXT,
    optional, required,
};

const IDENTIFIER: Shape = Shape::Text(Format::Identifier);
const COPY: Shape = Shape::Fields(&[required("source", INNER_PATH), optional("target", INNER_PATH)]);
/// A module to build on: its name, or more about it.
const BUILD_DEPENDENCY: Shape = Shape::OneOf(&[
    TEXT,
    Shape::Fields(&[
        required("name", TEXT),
        optional("plugin", TEXT),
        optional("copy", Shape::Nullable(&Shape::Sparse(&COPY))),
    ]),
]);
const BUILD: Shape = Shape::Fields(&[
    optional("dependencies", Shape::Nullable(&Shape::Sparse(&BUILD_DEPENDENCY))),
    optional("timeout", POSITIVE),
    optional("command", Shape::List(&TEXT)),
    optional("statusCommand", Shape::List(&TEXT)),
]);
const GENERATED: Shape = Shape::With(
    &Shape::Fields(&[
        optional("sourcePath", RELATIVE_PATH),
        required("targetPath", INNER_PATH),
        optional("resolveTemplates", Shape::Bool),
        optional("value", TEXT),
    ]),
    Rule::OneKey(&["value", "sourcePath"]),
);
const DEPENDENCIES: Field = optional("dependencies", Shape::Sparse(&Shape::OneOf(&[TEXT, Shape::Map])));
const ARTIFACTS: Field = optional(
    "artifacts",
    Shape::Sparse(&Shape::Fields(&[required("source", PATTERN), optional("target", INNER_PATH)])),
);
const SERVICE: Shape = Shape::Open(&[
    required("name", IDENTIFIER),
    DEPENDENCIES,
    optional("disabled", Shape::Bool),
    required("deployCommand", WORDS),
    optional("statusCommand", WORDS),
    optional("cleanupCommand", WORDS),
    optional("timeout", POSITIVE),
    optional("env", ENV),
    optional("syncMode", Shape::Map),
]);
const TASK: Shape = Shape::Fields(&[
    required("name", IDENTIFIER),
    optional("description", TEXT),
    DEPENDENCIES,
    optional("disabled", Shape::Bool),
    optional("timeout", POSITIVE),
    ARTIFACTS,
    required("command", WORDS),
    optional("statusCommand", WORDS),
    optional("env", ENV),
]);
const TEST: Shape = Shape::Fields(&[
    required("name", IDENTIFIER),
    optional("dependencies", Shape::Sparse(&ANY_TEXT)),
    optional("disabled", Shape::Bool),
    optional("timeout", POSITIVE),
    required("command", WORDS),
    optional("statusCommand", WORDS),
    optional("env", ENV),
    ARTIFACTS,
]);

/// The fields.
pub(crate) const FIELDS: &[Field] = &[
    optional("apiVersion", Shape::Text(Format::Words(&["garden.io/v0"]))),
    optional("kind", Shape::Any),
    required("type", Shape::Text(Format::Name)),
    required("name", IDENTIFIER),
    optional("build", BUILD),
    optional("local", Shape::Bool),
    optional("description", TEXT),
    optional("disabled", Shape::Bool),
    optional("include", Shape::List(&PATTERN)),
    optional("exclude", Shape::List(&PATTERN)),
    optional("repositoryUrl", REPOSITORY),
    optional("allowPublish", Shape::Bool),
    optional("generateFiles", Shape::Sparse(&GENERATED)),
    optional("variables", Shape::Map),
    optional("varfile", PATH),
    optional("path", INNER_PATH),
    optional("env", ENV),
    optional("services", Shape::Sparse(&SERVICE)),
    optional("tasks", Shape::Sparse(&TASK)),
    optional("tests", Shape::Sparse(&TEST)),
];
