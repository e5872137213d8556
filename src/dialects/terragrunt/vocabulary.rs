//! The names of the parts of a component that rules need.

use crate::value::{StatePaths, Vocabulary};

/// See [`Vocabulary`].
pub(super) static VOCABULARY: Vocabulary = Vocabulary {
    plain_sections: &["inputs"],
    inputs: "inputs",
    locals: "locals",
    versions: &["/terraform/version", "/terraform_version_constraint", "/terragrunt_version_constraint"],
    version_keys: &["version", "terraform_version_constraint", "terragrunt_version_constraint"],
    sources: &["/terraform/source"],
    source_keys: &["source"],
    state: Some(StatePaths { backend_type: "/remote_state/backend", backend: "/remote_state/config", workspace: "" }),
    removal_help: "destroy it first with `terragrunt destroy`",
    ..Vocabulary::EMPTY
};
