//! The specs of `exec` actions: programs on the machine that runs Garden.

use crate::dialects::garden::project::ActionKind;
use crate::dialects::garden::project::schema::{ANY_TEXT, Field, Format, Shape, optional, required};

const WORDS: Shape = Shape::List(&ANY_TEXT);
const ENV: Shape = Shape::PlainMapOf(Format::EnvName, &ANY_TEXT);
/// A relative path without `..`.
const INSIDE: Shape = Shape::Text(Format::Inside);
const ARTIFACTS: Shape = Shape::List(&Shape::Open(&[required("source", INSIDE), optional("target", INSIDE)]));
const SHELL: Field = optional("shell", Shape::PlainBool);
const STATUS: Field = optional("statusCommand", WORDS);

const BUILD: &[Field] = &[SHELL, optional("command", WORDS), STATUS, optional("env", ENV)];
const DEPLOY: &[Field] = &[
    SHELL,
    required("deployCommand", WORDS),
    optional("statusCommand", WORDS),
    optional("cleanupCommand", WORDS),
    optional("persistent", Shape::PlainBool),
    optional("statusTimeout", Shape::PlainNumber),
    optional("env", ENV),
];
const RUN: &[Field] =
    &[SHELL, required("command", WORDS), STATUS, optional("artifacts", ARTIFACTS), optional("env", ENV)];

/// The fields of the spec of an action.
pub(super) fn fields(kind: ActionKind) -> &'static [Field] {
    match kind {
        ActionKind::Build => BUILD,
        ActionKind::Deploy => DEPLOY,
        ActionKind::Run | ActionKind::Test => RUN,
    }
}
