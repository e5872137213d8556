//! The names of the parts of a component that rules need.

use crate::value::{StatePaths, Vocabulary};

/// See [`Vocabulary`].
pub(super) static VOCABULARY: Vocabulary = Vocabulary {
    moves: "moved",
    versions: &["/required_version", "/required_providers", "/version"],
    version_keys: &["required_version", "version"],
    sources: &["/source"],
    source_keys: &["source"],
    instances: "/for_each",
    type_constraint: "/type",
    state: Some(StatePaths { backend_type: "", backend: "", workspace: "" }),
    call_defaults: "/defaults",
    removal_help: "destroy it first",
    ..Vocabulary::EMPTY
};

/// The vocabulary of provider configurations. Providers name what they act on with few words.
pub(super) static PROVIDERS: Vocabulary = Vocabulary {
    target_words: &[
        "account",
        "address",
        "cluster",
        "compartment",
        "context",
        "database",
        "datacenter",
        "domain",
        "endpoint",
        "endpoints",
        "host",
        "hostname",
        "location",
        "namespace",
        "org",
        "organization",
        "owner",
        "profile",
        "project",
        "region",
        "role",
        "server",
        "site",
        "subscription",
        "tenancy",
        "tenant",
        "uri",
        "url",
        "zone",
    ],
    ..Vocabulary::EMPTY
};
