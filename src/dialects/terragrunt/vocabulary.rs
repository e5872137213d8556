//! The names of the parts of a component that rules need.

use crate::terraform::components::providers::TARGET_WORDS;
use crate::terraform::state;
use crate::value::{StatePaths, Vocabulary};

/// See [`Vocabulary`].
pub(super) static VOCABULARY: Vocabulary = Vocabulary {
    plain_sections: &["inputs"],
    inputs: "inputs",
    locals: "locals",
    arguments: &["/terraform/extra_arguments"],
    switches: &[("/exclude/if", true)],
    versions: &["/terraform/version", "/terraform_version_constraint", "/terragrunt_version_constraint"],
    version_keys: &["version", "terraform_version_constraint", "terragrunt_version_constraint"],
    sources: &["/terraform/source"],
    source_keys: &["source"],
    state: Some(StatePaths {
        backend_type: "/remote_state/backend",
        backend: "/remote_state/config",
        workspace: "",
        without: state::BESIDE,
        help: state::MOVE,
    }),
    target_words: TARGET_WORDS,
    // Providers read such variables.
    targets: &[
        "/iam_role",
        "/terraform/extra_arguments/*/env_vars/AWS_",
        "/terraform/extra_arguments/*/env_vars/ARM_",
        "/terraform/extra_arguments/*/env_vars/AZURE_",
        "/terraform/extra_arguments/*/env_vars/CLOUDSDK_",
        "/terraform/extra_arguments/*/env_vars/GOOGLE_",
        "/terraform/extra_arguments/*/env_vars/KUBE_",
        "/terraform/extra_arguments/*/env_vars/VAULT_",
    ],
    removal_help: "destroy it first with `terragrunt destroy`",
    ..Vocabulary::EMPTY
};
