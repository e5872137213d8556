//! The names of sections, functions and settings that rules need.

use crate::terraform::components::providers::TARGET_WORDS;
use crate::terraform::state;
use crate::value::{StatePaths, Vocabulary};

/// See [`Vocabulary`].
pub(super) static VOCABULARY: Vocabulary = Vocabulary {
    inputs: "vars",
    plain_sections: &["env", "settings", "vars"],
    resolution_controls: &["/settings/list_merge_strategy", "/settings/templates"],
    repeated: &["component_info", "inheritance", "overrides", "sources"],
    copies: &[("remote_state_backend", "backend"), ("remote_state_backend_type", "backend_type")],
    several_kinds: &["manifests", "paths", "plugins", "providers.*", "source", "validate"],
    generated: "generate",
    texts: &["env"],
    named_after: &[
        "atmos_component",
        "atmos_manifest",
        "atmos_stack",
        "atmos_stack_file",
        "component_info",
        "stack",
        "workspace",
        "backend",
    ],
    components: "components",
    locals: "locals",
    arguments: &["/env"],
    switches: &[("/metadata/enabled", false), ("/vars/enabled", false)],
    abstract_marker: Some(("/metadata/type", "abstract")),
    lock: "/metadata/locked",
    versions: &["/required_version", "/required_providers", "/source"],
    version_keys: &["required_version", "version"],
    state: Some(StatePaths {
        backend_type: "/backend_type",
        backend: "/backend",
        workspace: "/workspace",
        without: state::BESIDE,
        help: state::MOVE,
    }),
    append: "!append",
    unset: "!unset",
    functions: &[
        "!aws.account_id",
        "!aws.region",
        "!env",
        "!exec",
        "!git.sha",
        "!include",
        "!repo-root",
        "!store",
        "!store.get",
        "!template",
        "!terraform.output",
        "!terraform.state",
    ],
    sources: &["/source"],
    source_keys: &["source", "uri"],
    slow_functions: &[
        ("!exec", "run the command once and keep its output in a file or a store that components read"),
        ("!terraform.output", "`!terraform.state` reads the state without starting Terraform"),
        ("atmos.Component", "`!terraform.state` reads the state without starting Terraform"),
    ],
    stage: "stage",
    stack_inputs: &["namespace", "tenant", "environment"],
    defaults: &["_defaults", "defaults", "_globals", "globals"],
    target_words: TARGET_WORDS,
    // Providers read such variables.
    targets: &[
        "/providers/",
        "/env/AWS_",
        "/env/ARM_",
        "/env/AZURE_",
        "/env/CLOUDSDK_",
        "/env/GOOGLE_",
        "/env/KUBE_",
        "/env/VAULT_",
    ],
    removal_help: "destroy it first, or disable it with `metadata.enabled: false` until it is destroyed",
    function_help: "put the call into a value of its own (`settings`, say) and refer to it in a template: `{{ .settings.name }}`",
    secret_help: "keep it in a store and read it from there (`!store`, `!secret`, `!env`); everyone who can \
                  read the repository can read it, so replace it",
    ..Vocabulary::EMPTY
};
