//! The names of the parts of a component that rules need.

use crate::value::{StatePaths, Vocabulary};

/// See [`Vocabulary`].
pub(super) static VOCABULARY: Vocabulary = Vocabulary {
    moves: "moved",
    versions: &["/required_version", "/required_providers", "/version"],
    version_keys: &["required_version", "version"],
    sources: &["/source", "/required_providers"],
    source_keys: &["source"],
    instances: "/for_each",
    type_constraint: "/type",
    state: Some(StatePaths { backend_type: "", backend: "", workspace: "" }),
    call_defaults: "/defaults",
    removal_help: "destroy it first",
    ..Vocabulary::EMPTY
};
