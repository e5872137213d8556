//! The specs of `container` actions.

use super::{CONTAINER_ENV, TEXTS, WORDS};
use crate::dialects::garden::project::ActionKind;
use crate::dialects::garden::project::schema::{
    Field, Format, INNER_PATH, NUMBER, PATH, PRIMITIVE, Rule, Shape, TEXT, WHOLE, at_least, between, optional, required,
};

const IDENTIFIER: Shape = Shape::Text(Format::Identifier);
const TEXT_LIST: Shape = Shape::Sparse(&TEXT);
/// A text, or `false` for none.
const TEXT_OR_NONE: Shape = Shape::Nullable(&Shape::OneOf(&[TEXT, Shape::PlainBool]));

const BUILD: &[Field] = &[
    optional("localId", TEXT_OR_NONE),
    optional("publishId", TEXT_OR_NONE),
    optional("targetStage", TEXT),
    optional("buildArgs", Shape::MapOf(Format::Filled, &PRIMITIVE)),
    optional("extraFlags", TEXT_LIST),
    optional("platforms", TEXT_LIST),
    optional("secrets", TEXTS),
    optional("dockerfile", INNER_PATH),
    optional("hotReload", Shape::Any),
];
const VOLUME: Shape =
    Shape::Fields(&[required("name", IDENTIFIER), required("containerPath", PATH), optional("hostPath", PATH)]);

/// What a container needs, whatever it is for.
macro_rules! with_resources {
    ($($own:expr),* $(,)?) => {
        &[
            optional("command", WORDS),
            optional("args", WORDS),
            optional("env", CONTAINER_ENV),
            optional(
                "cpu",
                Shape::Fields(&[optional("min", NUMBER), optional("max", Shape::Nullable(&at_least(10.0)))]),
            ),
            optional(
                "memory",
                Shape::Fields(&[optional("min", NUMBER), optional("max", Shape::Nullable(&at_least(64.0)))]),
            ),
            optional("volumes", Shape::With(&Shape::Sparse(&VOLUME), Rule::UniqueBy("name"))),
            optional("privileged", Shape::Bool),
            optional("addCapabilities", TEXT_LIST),
            optional("dropCapabilities", TEXT_LIST),
            optional("tty", Shape::Bool),
            optional("deploymentStrategy", Shape::Text(Format::Words(&["RollingUpdate", "Recreate"]))),
            required("image", TEXT),
            $($own),*
        ]
    };
}

pub(super) const SYNC_MODES: [&str; 8] = [
    "one-way",
    "one-way-safe",
    "one-way-replica",
    "one-way-reverse",
    "one-way-replica-reverse",
    "two-way",
    "two-way-safe",
    "two-way-resolved",
];
pub(super) const FILE_MODE: Shape = between(0.0, 511.0);
pub(super) const OWNER: Shape = Shape::OneOf(&[WHOLE, TEXT]);
const SYNC: Shape = Shape::Fields(&[
    optional("args", TEXT_LIST),
    optional("command", TEXT_LIST),
    optional(
        "paths",
        Shape::List(&Shape::Fields(&[
            optional("source", TEXT),
            required("target", Shape::Text(Format::AbsolutePath)),
            optional("exclude", Shape::List(&Shape::Text(Format::Pattern))),
            optional("mode", Shape::Text(Format::Words(&SYNC_MODES))),
            optional("defaultFileMode", FILE_MODE),
            optional("defaultDirectoryMode", FILE_MODE),
            optional("defaultOwner", OWNER),
            optional("defaultGroup", OWNER),
        ])),
    ),
]);
/// The fields of the local mode, which Garden no longer has.
pub(super) const LOCAL_MODE: &[Field] = &[
    optional("ports", Shape::List(&Shape::Fields(&[optional("local", WHOLE), optional("remote", WHOLE)]))),
    optional("command", TEXT_LIST),
    optional("restart", Shape::Fields(&[optional("delayMsec", WHOLE), optional("max", WHOLE)])),
    optional("target", Shape::Map),
];
const INGRESS: Shape = Shape::Fields(&[
    optional("annotations", TEXTS),
    optional("hostname", TEXT),
    optional("linkUrl", Shape::Text(Format::Url)),
    optional("path", TEXT),
    required("port", TEXT),
]);
const HEALTH: Shape = Shape::With(
    &Shape::Fields(&[
        optional("httpGet", Shape::Fields(&[required("path", TEXT), required("port", TEXT), optional("scheme", TEXT)])),
        optional("command", TEXT_LIST),
        optional("tcpPort", TEXT),
        optional("readinessTimeoutSeconds", at_least(1.0)),
        optional("livenessTimeoutSeconds", at_least(1.0)),
    ]),
    Rule::OneKey(&["httpGet", "command", "tcpPort"]),
);
const PORT: Shape = Shape::Fields(&[
    required("name", IDENTIFIER),
    optional("protocol", TEXT),
    required("containerPort", NUMBER),
    optional("localPort", NUMBER),
    optional("servicePort", NUMBER),
    optional("hostPort", NUMBER),
    optional("nodePort", Shape::OneOf(&[NUMBER, Shape::PlainBool])),
]);
const DEPLOY: &[Field] = with_resources![
    optional("annotations", TEXTS),
    optional("daemon", Shape::Bool),
    optional("sync", SYNC),
    optional("localMode", Shape::Fields(LOCAL_MODE)),
    optional("ingresses", Shape::Sparse(&INGRESS)),
    optional("healthCheck", HEALTH),
    optional("hotReload", Shape::Any),
    optional("timeout", WHOLE),
    optional("limits", Shape::Fields(&[optional("cpu", at_least(10.0)), optional("memory", at_least(64.0))]),),
    optional("ports", Shape::With(&Shape::Sparse(&PORT), Rule::UniqueBy("name"))),
    optional("replicas", WHOLE),
];
const ARTIFACT: Shape =
    Shape::Fields(&[required("source", Shape::Text(Format::AbsolutePattern)), optional("target", INNER_PATH)]);
const RUN: &[Field] =
    with_resources![optional("artifacts", Shape::List(&ARTIFACT)), optional("cacheResult", Shape::Bool)];

/// The shape of the spec of an action.
pub(super) fn shape(kind: ActionKind) -> Shape {
    Shape::Fields(match kind {
        ActionKind::Build => BUILD,
        ActionKind::Deploy => DEPLOY,
        ActionKind::Run | ActionKind::Test => RUN,
    })
}
