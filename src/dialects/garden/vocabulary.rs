//! The names of the parts of components that rules need.

use crate::value::Vocabulary;

/// The words of what says where something is deployed.
const TARGET_WORDS: &[&str] = &["context", "kubeconfig", "name", "namespace"];
/// The provider whose cluster is on the machine of a developer.
const LOCAL: &str = "local-kubernetes";

static PROVIDERS: Vocabulary = Vocabulary {
    target_words: TARGET_WORDS,
    targets: &["/context", "/kubeconfig", "/namespace", "/namespace/name"],
    ..Vocabulary::EMPTY
};
static PROJECTS: Vocabulary = Vocabulary { target_words: TARGET_WORDS, targets: &["/namespace"], ..Vocabulary::EMPTY };
static DEPLOYS: Vocabulary = Vocabulary { target_words: TARGET_WORDS, targets: &["/spec/namespace"], ..ACTIONS };
const ACTIONS: Vocabulary = Vocabulary { switches: &[("/disabled", true)], ..Vocabulary::EMPTY };
static OTHER_ACTIONS: Vocabulary = ACTIONS;

/// The vocabulary of the components of a kind with a name.
pub(super) fn of(kind: &str, name: &str) -> &'static Vocabulary {
    match (kind, name) {
        ("provider", name) if name != LOCAL => &PROVIDERS,
        ("project", _) => &PROJECTS,
        ("deploy", _) => &DEPLOYS,
        ("build" | "run" | "test", _) => &OTHER_ACTIONS,
        _ => &Vocabulary::EMPTY,
    }
}
