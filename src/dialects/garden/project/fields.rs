//! The fields of a project.

use super::schema::{
    ANY_TEXT, Field, Format, PATH, PATTERN, PRIMITIVE, REPOSITORY, Rule, Shape, TEXT, at_least, between, optional,
    required,
};

const NAME: Shape = Shape::Text(Format::Name);
const IDENTIFIER: Shape = Shape::Text(Format::Identifier);
const FILE_FORMAT: Shape = Shape::Text(Format::Words(&["yaml", "dotenv", "json"]));
const FROM: Field = required("from", Shape::Any);
const FORMAT: Field = required("format", FILE_FORMAT);
const DESCRIPTION: Field = optional("description", TEXT);
const IMPORT: Shape = Shape::ByWord(
    "from",
    &[
        ("garden-cloud", &[FROM, required("list", TEXT), DESCRIPTION]),
        ("file", &[FROM, required("path", PATH), FORMAT, DESCRIPTION]),
        ("exec", &[FROM, required("command", Shape::With(&Shape::List(&TEXT), Rule::HasItem)), FORMAT, DESCRIPTION]),
    ],
);
const TRIGGER: Shape = Shape::Fields(&[
    required("action", Shape::Text(Format::Words(&["cleanup", "pause"]))),
    optional(
        "timeAfterLastUpdate",
        Shape::Fields(&[
            required("unit", Shape::Text(Format::Words(&["hours", "days", "minutes"]))),
            required("value", at_least(1.0)),
        ]),
    ),
    optional(
        "schedule",
        Shape::Fields(&[
            optional("every", Shape::Text(Format::Words(&DAYS))),
            required("hourOfDay", between(0.0, 23.0)),
            optional("minuteOfHour", between(0.0, 59.0)),
        ]),
    ),
]);
const DAYS: [&str; 9] =
    ["weekday", "day", "sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
const ENVIRONMENT: &[Field] = &[
    required("name", IDENTIFIER),
    optional("defaultNamespace", Shape::Nullable(&NAME)),
    optional("production", Shape::Bool),
    optional("varfile", PATH),
    optional("variables", Shape::Any),
    optional(
        "aec",
        Shape::Fields(&[
            optional("disabled", Shape::Bool),
            required(
                "triggers",
                Shape::List(&Shape::With(&TRIGGER, Rule::OneKey(&["timeAfterLastUpdate", "schedule"]))),
            ),
        ]),
    ),
];
const SCAN: &[Field] = &[
    optional("include", Shape::List(&PATTERN)),
    optional("exclude", Shape::List(&PATTERN)),
    optional("git", Shape::Fields(&[optional("mode", Shape::Text(Format::Words(&["repo", "subtree"])))])),
];
const OUTPUT: Shape = Shape::Fields(&[
    required("name", Shape::Evaluated(&Shape::Text(Format::Short(255)))),
    required("value", Shape::Evaluated(&PRIMITIVE)),
]);
/// Other repositories with parts of a project.
pub(crate) const SOURCES: Shape = Shape::With(
    &Shape::Sparse(&Shape::Fields(&[required("name", IDENTIFIER), required("repositoryUrl", REPOSITORY)])),
    Rule::UniqueBy("name"),
);
/// Values that do not count for the versions of actions.
pub(crate) const EXCLUDED_VALUES: Shape = Shape::Sparse(&TEXT);
/// What Garden takes as it is written, and what it evaluates later in each environment.
const FIELDS: &[Field] = &[
    optional("apiVersion", Shape::Text(Format::Words(&["garden.io/v0", "garden.io/v1", "garden.io/v2"]))),
    optional("kind", Shape::Any),
    required("name", NAME),
    optional("path", TEXT),
    optional("id", Shape::Literal(&TEXT)),
    optional("domain", Shape::Literal(&Shape::Text(Format::Url))),
    optional("organizationId", Shape::Literal(&TEXT)),
    required(
        "environments",
        Shape::Literal(&Shape::With(&Shape::List(&Shape::Open(&[required("name", TEXT)])), Rule::HasItem)),
    ),
    optional("providers", Shape::Literal(&Shape::Sparse(&Shape::Any))),
    optional("defaultEnvironment", Shape::Nullable(&ANY_TEXT)),
    optional("disableCloudLogs", Shape::Literal(&Shape::Bool)),
    optional("dotIgnoreFile", Shape::Literal(&Shape::Text(Format::FileName))),
    optional("excludeValuesFromActionVersions", Shape::Any),
    optional("proxy", Shape::Literal(&Shape::Fields(&[optional("hostname", TEXT)]))),
    optional("scan", Shape::Literal(&Shape::Fields(SCAN))),
    optional("outputs", Shape::Literal(&Shape::With(&Shape::Sparse(&OUTPUT), Rule::UniqueBy("name")))),
    optional("sources", Shape::Any),
    optional("varfile", PATH),
    optional("variables", Shape::Any),
    optional("importVariables", Shape::Literal(&Shape::List(&IMPORT))),
];
/// The fields of every provider.
pub(crate) const PROVIDER: &[Field] = &[
    required("name", NAME),
    optional("dependencies", Shape::List(&NAME)),
    // A text that holds the name of an environment will do.
    optional("environments", Shape::OneOf(&[Shape::List(&Shape::Any), ANY_TEXT])),
    optional("preInit", Shape::Fields(&[optional("runScript", TEXT)])),
];

/// The fields of an environment.
pub(crate) fn environment_fields() -> &'static [Field] {
    ENVIRONMENT
}

/// The fields of a project.
pub(crate) fn project_fields() -> &'static [Field] {
    FIELDS
}
