//! The names of the parts of components that rules need, and where states are.

use super::config::is_resource;
use crate::resolution::StatePlace;
use crate::value::{Language, StatePaths, Value, Vocabulary};

/// The type of the modules that say where states are.
pub(super) const STATE: &str = "iac.state";

/// Where states are without another backend, in `directory` or a folder of the machine.
const FILES: &str = "filesystem";

/// The words of what says where something is deployed.
const TARGET_WORDS: &[&str] = &[
    "account",
    "domain",
    "endpoint",
    "host",
    "org",
    "organization",
    "profile",
    "project",
    "provider",
    "region",
    "role",
    "server",
    "subscription",
    "tenant",
    "url",
    "zone",
];

static STATES: Vocabulary = Vocabulary {
    state: Some(StatePaths {
        backend_type: "/config/backend",
        backend: "/config",
        workspace: "",
        without: "kept nowhere",
        help: "copy what the old place has into the new one first, or keep the old place",
    }),
    ..Vocabulary::EMPTY
};
static ACCOUNTS: Vocabulary = Vocabulary { target_words: TARGET_WORDS, targets: &["/config/"], ..Vocabulary::EMPTY };
static RESOURCES: Vocabulary =
    Vocabulary { target_words: TARGET_WORDS, targets: &["/config/provider", "/config/region"], ..Vocabulary::EMPTY };

/// How values of the components of a type are read.
pub(super) fn language(kind: &str) -> Language {
    let vocabulary = match kind {
        STATE => &STATES,
        "iac.provider" | "cloud.account" => &ACCOUNTS,
        kind if is_resource(kind) => &RESOURCES,
        _ => &Vocabulary::EMPTY,
    };
    Language { vocabulary, ..Language::default() }
}

/// Where a module says that states are.
pub(super) fn state(module: &Value) -> StatePlace {
    // Of several of one name the first one counts.
    let module = module.as_list().and_then(|all| all.first()).unwrap_or(module);
    let config = module.get("config");
    let backend =
        config.and_then(|config| config.get("backend")).and_then(Value::as_str).filter(|name| !name.is_empty());
    StatePlace {
        backend: backend.unwrap_or(FILES).into(),
        settings: config.and_then(Value::as_map).cloned().unwrap_or_default(),
        origin: module.prov.origin,
        // What is missing is an error when the program runs.
        authored: 0,
        is_separate: false,
        is_workspace_assumed: false,
    }
}
