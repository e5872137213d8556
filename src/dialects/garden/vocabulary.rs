//! The names of the parts of components that rules need.

use crate::terraform::state;
use crate::value::{StatePaths, Vocabulary};

/// The words of what says where something is deployed.
const TARGET_WORDS: &[&str] = &["context", "kubeconfig", "name", "namespace", "releasename"];
/// The provider whose cluster is on the machine of a developer.
const LOCAL: &str = "local-kubernetes";

static PROVIDERS: Vocabulary = Vocabulary {
    target_words: TARGET_WORDS,
    targets: &["/context", "/kubeconfig", "/namespace", "/namespace/name"],
    state: Some(STATES),
    ..Vocabulary::EMPTY
};
static PROJECTS: Vocabulary = Vocabulary { target_words: TARGET_WORDS, targets: &["/namespace"], ..Vocabulary::EMPTY };
static DEPLOYS: Vocabulary = Vocabulary {
    target_words: TARGET_WORDS,
    targets: &["/spec/namespace", "/spec/releaseName"],
    versions: &["/spec/chart"],
    version_keys: &["version"],
    sources: &["/spec/chart"],
    source_keys: &["name", "repo", "url"],
    state: Some(StatePaths { backend: "/spec/backendConfig", workspace: "/spec/workspace", ..STATES }),
    ..ACTIONS
};
/// Where the root modules of Terraform have their states, as far as their code does not say it.
const STATES: StatePaths = StatePaths {
    backend_type: "",
    backend: "/backendConfig",
    workspace: "/workspace",
    without: state::BESIDE,
    help: state::MOVE,
};
/// Modules have in them what the specs of actions have.
static MODULES: Vocabulary =
    Vocabulary { target_words: TARGET_WORDS, targets: &["/namespace", "/releaseName"], state: Some(STATES), ..ACTIONS };
const ACTIONS: Vocabulary = Vocabulary { switches: &[("/disabled", true)], ..Vocabulary::EMPTY };
static OTHER_ACTIONS: Vocabulary = ACTIONS;

/// The vocabulary of the components of a kind with a name.
pub(super) fn of(kind: &str, name: &str) -> &'static Vocabulary {
    match (kind, name) {
        ("provider", name) if name != LOCAL => &PROVIDERS,
        ("project", _) => &PROJECTS,
        ("deploy", _) => &DEPLOYS,
        ("module", _) => &MODULES,
        ("build" | "run" | "test", _) => &OTHER_ACTIONS,
        _ => &Vocabulary::EMPTY,
    }
}
