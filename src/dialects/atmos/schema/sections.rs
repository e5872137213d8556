//! The description of manifests: the sections that occur in several places (`reference: atmos.md` section 10.2).

use super::workflow::{CONDITION, TEXTS, WORKFLOW_RETRY};
use crate::dialects::atmos::shapes::shape::Shape::{Any, Call, Either, Flag, Included, Named, OwnText, Text, Words};
use crate::dialects::atmos::shapes::shape::{Names, Shape, list, map, number, section};

/// A map of whatever the user likes.
pub(super) static FREE: Shape = map!(Free {});
/// A map of whatever the user likes, perhaps included.
pub(super) static SECTION: Shape = Included(&FREE);
static LIST_OF_TEXT: Shape = list!(Text);
/// A list of texts, perhaps included.
pub(super) static TEXT_LIST: Shape = Included(&LIST_OF_TEXT);
/// A list of texts that all differ.
pub(super) static DISTINCT_TEXTS: Shape = list!(Text, unique);

/// `vars`, `env` and `locals`.
pub(super) static VARS: Shape = Named("vars", &SECTION);

static IMPORT_ITEM: Shape = map!(Closed {
    "path": Text,
    "skip_templates_processing": Flag,
    "ignore_missing_template_values": Flag,
    "skip_if_missing": Flag,
    "nested_imports": Words(&["local", "remote"]),
    "ttl": Text,
    "context": FREE,
} Needs("path"));

pub(super) static IMPORT: Shape = Named("import", &Included(&list!(Either(&[&Text, &IMPORT_ITEM]))));

static LABELS: Shape = map!(Each(&Text) {});

/// `metadata` of a component.
pub(super) static METADATA: Shape = Named(
    "metadata",
    &section!(Closed {
        "name": Text,
        "type": Words(&["abstract", "real"]),
        "enabled": Flag,
        "component": Text,
        "description": Text,
        "inherits": Included(&DISTINCT_TEXTS),
        "terraform_workspace": Text,
        "terraform_workspace_pattern": Text,
        "custom": SECTION,
        "locked": Flag,
        "tags": LIST_OF_TEXT,
        "labels": LABELS,
    }),
);

/// `metadata` of a whole stack.
pub(super) static GLOBAL_METADATA: Shape = Named(
    "global_metadata",
    &section!(Closed {
        "labels": LABELS,
        "tags": LIST_OF_TEXT,
        "custom": SECTION,
        "enabled": Flag,
        "locked": Flag,
        "terraform_workspace_pattern": Text,
    }),
);

static VALIDATION_ENTRY: Shape = section!(Closed {
    "schema_type": Words(&["jsonschema", "opa"]),
    "schema_path": Text,
    "description": Text,
    "disabled": Flag,
    "timeout": number!(whole, min 0),
    "module_paths": DISTINCT_TEXTS,
} Needs("schema_type") Needs("schema_path"));

static SPACELIFT: Shape = section!(Free {
    "workspace_enabled": Flag,
    "stack_destructor_enabled": Flag,
    "protect_from_deletion": Flag,
    "autodeploy": Flag,
    "terraform_version": Either(&[&number!(any), &Text]),
});

static ATLANTIS: Shape = section!(Closed {
    "config_template_name": Text,
    "config_template": SECTION,
    "project_template_name": Text,
    "project_template": SECTION,
    "workflow_templates": SECTION,
});

pub(super) static SETTINGS: Shape = Named(
    "settings",
    &section!(Free {
        "validation": section!(Entries(Names::COMPONENT, &VALIDATION_ENTRY) {}),
        "depends_on" => "dependencies.components": DEPENDS_ON,
        "spacelift": SPACELIFT,
        "atlantis": ATLANTIS,
        "templates": SECTION,
        "yaml": map!(Free { "key_delimiter": Text }),
    }),
);

static DEPENDS_ON_ENTRY: Shape = section!(Closed {
    "namespace": Text,
    "tenant": Text,
    "environment": Text,
    "stage": Text,
    "component": Text,
    "file": Text,
    "folder": Text,
} ExactlyOne(&["component", "file", "folder"]));

/// `depends_on`, which `dependencies` replaces.
pub(super) static DEPENDS_ON: Shape = Named("depends_on", &section!(Entries(Names::COMPONENT, &DEPENDS_ON_ENTRY) {}));

static UNIT: Shape = map!(Closed {
    "name": Text,
    "file": Text,
    "flags": map!(Each(&Text) {}),
    "args": LIST_OF_TEXT,
    "fail": Words(&["wait_all", "fail_fast", "best_effort"]),
} Needs("name"));

static UNITS: Shape = list!(Either(&[&Text, &UNIT]));

static DEPENDENCY: Shape = map!(Closed {
    "name": Text,
    "component": Text,
    "stack": Text,
    "kind": Text,
    "path": Text,
} OneGroup(&[&[("name", &[])], &[("component", &[])], &[("kind", &["file", "folder"]), ("path", &[])]]));

pub(super) static DEPENDENCIES: Shape = Named(
    "dependencies",
    &section!(Closed {
        "tools": section!(Each(&Text) {}),
        "components": Included(&list!(DEPENDENCY)),
        "files": TEXT_LIST,
        "folders": TEXT_LIST,
        "commands": UNITS,
        "workflows": UNITS,
    }),
);

/// `backend_type` and `remote_state_backend_type`.
pub(super) static BACKEND_TYPE: Shape = Named(
    "backend_type",
    &Included(&Words(&[
        "local",
        "s3",
        "remote",
        "vault",
        "static",
        "azurerm",
        "gcs",
        "cloud",
        "consul",
        "cos",
        "http",
        "kubernetes",
        "oss",
        "pg",
    ])),
);

/// `backend` and `remote_state_backend`.
pub(super) static BACKEND: Shape = Named(
    "backend",
    &section!(Closed {
        "local": SECTION,
        "s3": SECTION,
        "remote": SECTION,
        "vault": SECTION,
        "static": SECTION,
        "azurerm": SECTION,
        "gcs": SECTION,
        "cloud": SECTION,
        "consul": SECTION,
        "cos": SECTION,
        "http": SECTION,
        "kubernetes": SECTION,
        "oss": SECTION,
        "pg": SECTION,
    }),
);

static REQUIRED_PROVIDER: Shape = map!(Closed {
    "source": Text,
    "version": Text,
    "configuration_aliases": LIST_OF_TEXT,
} Needs("source"));

pub(super) static REQUIRED_PROVIDERS: Shape =
    Named("required_providers", &section!(Entries(Names { signs: Some("_-") }, &REQUIRED_PROVIDER) {}));

pub(super) static GENERATE: Shape = Named("generate", &section!(Each(&Either(&[&Text, &FREE])) {}));

/// `retry` of a component.
pub(super) static RETRY: Shape = Named(
    "retry",
    &section!(Closed {
        "max_attempts": number!(whole, min 1),
        "backoff_strategy": Words(&["constant", "linear", "exponential"]),
        "initial_delay": Text,
        "max_delay": Text,
        "max_elapsed_time": Text,
        "multiplier": number!(any, above 0),
        "random_jitter": number!(any, min 0, max 1),
        "conditions": LIST_OF_TEXT,
    }),
);

/// `source`. A quoted call of `!include` is rejected here.
pub(super) static SOURCE: Shape = Named(
    "source",
    &Either(&[
        &OwnText,
        &map!(Closed {
            "type": Text,
            "uri": Text,
            "version": Text,
            "included_paths": LIST_OF_TEXT,
            "excluded_paths": LIST_OF_TEXT,
            "retry": WORKFLOW_RETRY,
            "ttl": Text,
        } Needs("uri")),
    ]),
);

static TARGET: Shape = map!(Free {
    "kind": Text,
    "repository": Text,
    "path": Text,
    "split": Flag,
    "auth": map!(Closed { "identity": Text }),
    "commit": map!(Closed { "message": Text, "signing": Words(&["auto", "always", "never"]) }),
    "pull_request": map!(Closed { "enabled": Flag }),
} Needs("kind"));

pub(super) static PROVISION: Shape = Named(
    "provision",
    &section!(Free {
        "workdir": section!(Closed { "enabled": Flag }),
        "default": Text,
        "targets": map!(Each(&TARGET) {}),
    }),
);

static HOOK: Shape = section!(Free {
    "kind": Words(&[
        "store",
        "command",
        "infracost",
        "checkov",
        "kics",
        "trivy",
        "tflint",
        "tfmigrate",
        "git",
        "step",
        "steps",
        "ci.check",
        "ci.output",
        "ci.summary",
        "ci.upload",
        "ci.download",
    ]),
    "command": Text,
    "events": LIST_OF_TEXT,
    "on_failure": Words(&["warn", "fail", "ignore"]),
    "when": CONDITION,
    "args": LIST_OF_TEXT,
    "env": TEXTS,
    "format": Text,
    "type": Text,
    "with": Either(&[&FREE, &list!(FREE)]),
    "retry": WORKFLOW_RETRY,
    "name": Text,
    "outputs": TEXTS,
    "repository": Text,
    "commit": FREE,
    "push": Flag,
    "migration": Text,
    "config": Text,
    "backend_config": LIST_OF_TEXT,
    "mode": Words(&["dynamic", "plan", "apply"]),
});

pub(super) static HOOKS: Shape = Named("hooks", &section!(Each(&HOOK) {}));

static SECRET_PROVIDER: Shape = section!(Free { "kind": Text, "identity": Text, "spec": FREE } Needs("kind"));

static SECRET: Shape = section!(Closed {
    "description": Text,
    "store": Text,
    "sops": Text,
    "reference": Text,
    "required": Flag,
    "scope": Words(&["instance", "stack", "global"]),
} ExactlyOne(&["store", "sops"]));

pub(super) static SECRETS: Shape = Named(
    "secrets",
    &section!(Closed {
        "providers": section!(Entries(Names { signs: Some("/_-") }, &SECRET_PROVIDER) {}),
        "vars": section!(Entries(Names { signs: None }, &SECRET) {}),
    }),
);

static SESSION: Shape = section!(Closed { "duration": Text });

static AUTH_PROVIDER: Shape = section!(Free {
    "kind": Text,
    "start_url": Text,
    "url": Text,
    "region": Text,
    "default": Flag,
    "session": SESSION,
    "console": section!(Closed { "session_duration": Text }),
    "auto_provision_identities": Flag,
    "spec": FREE,
    "tags": LIST_OF_TEXT,
} Needs("kind"));

static AUTH_IDENTITY: Shape = section!(Free {
    "kind": Text,
    "default": Flag,
    "required": Flag,
    "provider": Text,
    "via": section!(Closed { "provider": Text, "identity": Text }),
    "principal": map!(Free { "name": Text, "account": map!(Free { "name": Text, "id": Text }) }),
    "credentials": FREE,
    "alias": Text,
    "env": list!(map!(Free { "key": Text, "value": Text } Needs("key") Needs("value"))),
    "session": SESSION,
    "tags": LIST_OF_TEXT,
});

pub(super) static AUTH: Shape = Named(
    "auth",
    &section!(Free {
        "require_identity": Flag,
        "realm": Text,
        "providers": section!(Entries(Names { signs: Some("/_-") }, &AUTH_PROVIDER) {}),
        "identities": section!(Entries(Names { signs: Some("/_-") }, &AUTH_IDENTITY) {}),
        "integrations": FREE,
    }),
);

pub(super) static VERSION: Shape = section!(Closed { "track": Text });

pub(super) static OVERRIDES: Shape = Named(
    "overrides",
    &section!(Closed {
        "command": Text,
        "vars": VARS,
        "env": VARS,
        "settings": SETTINGS,
        "providers": SECTION,
        "hooks": HOOKS,
        "generate": GENERATE,
        "secrets": SECRETS,
        "auth": AUTH,
        "retry": RETRY,
        "required_providers": REQUIRED_PROVIDERS,
        "required_version": Text,
    }),
);

static COMPOSITION: Shape = map!(Closed {
    "description": Text,
    "services": list!(Text, filled, unique),
} Needs("services"));

pub(super) static COMPOSITIONS: Shape = section!(Entries(Names::COMPONENT, &COMPOSITION) {});

/// The content of free-form sections.
pub(super) static ANYTHING: Shape = Any;
/// A quoted call.
pub(super) static CALL: Shape = Call;
