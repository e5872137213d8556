//! The specs of `exec` actions, the only type that Garden itself brings.

use crate::dialects::garden::diagnostics::Diagnostics;
use crate::dialects::garden::project::ActionKind;
use crate::dialects::garden::project::schema::{Field, Shape, check_fields, optional, required};
use crate::dialects::garden::template::node::Node;

const WORDS: Shape = Shape::List(&Shape::Name);
const ENV: Shape = Shape::MapOf(&Shape::Name);
const ARTIFACTS: Shape =
    Shape::Sparse(&Shape::Fields(&[required("source", Shape::Name), optional("target", Shape::Name)]));
const SHELL: Field = optional("shell", Shape::Bool);
const STATUS: Field = optional("statusCommand", WORDS);

const BUILD: &[Field] = &[SHELL, optional("command", WORDS), STATUS, optional("env", ENV)];
const DEPLOY: &[Field] = &[
    SHELL,
    required("deployCommand", Shape::Sparse(&Shape::Name)),
    optional("statusCommand", Shape::Sparse(&Shape::Name)),
    optional("cleanupCommand", Shape::Sparse(&Shape::Name)),
    optional("logsCommand", Shape::Sparse(&Shape::Name)),
    optional("persistent", Shape::Bool),
    optional("statusTimeout", Shape::Number),
    optional("sync", Shape::Any),
    optional("syncMode", Shape::Any),
    optional("localMode", Shape::Any),
    optional("env", ENV),
];
const RUN: &[Field] =
    &[SHELL, required("command", WORDS), STATUS, optional("artifacts", ARTIFACTS), optional("env", ENV)];

/// Checks the spec of an `exec` action.
pub(super) fn check(kind: ActionKind, name: &str, spec: &Node, diagnostics: &Diagnostics) {
    let fields = match kind {
        ActionKind::Build => BUILD,
        ActionKind::Deploy => DEPLOY,
        ActionKind::Run | ActionKind::Test => RUN,
    };
    check_fields(spec, &[fields], &format!("the spec of {}.{name}", kind.lower()), diagnostics);
}
