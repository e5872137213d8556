//! The schema of `atmos.yaml`: the settings of stacks, components and commands. The keys and types are those that Atmos
//! decodes its configuration into (`pkg/schema` of the build of 21 August 2026).

use super::features::{
    AI, AUTH, AWS, CAST, CI, COMPOSITIONS, CONTAINER, DIAGNOSTICS, ERRORS, GIT, LSP, MCP, SECRETS, TOOLCHAIN, VERSION,
};
use crate::dialects::atmos::shapes::shape::Shape::{Any, Flag, Named, Text};
use crate::dialects::atmos::shapes::shape::{Shape, list, map, number};

/// A map whose other keys Atmos skips: `settings!({ "enabled": Flag })`.
macro_rules! settings {
    ({ $($keys:tt)* }) => { $crate::dialects::atmos::shapes::shape::map!(Ignored { $($keys)* }) };
}

/// A map from names of the user to one shape: `each!(Text)`.
macro_rules! each {
    ($shape:expr) => { $crate::dialects::atmos::shapes::shape::map!(Each(&$shape) {}) };
}

pub(super) use {each, settings};

/// A map of whatever the user likes.
pub(super) static FREE: Shape = map!(Free {});
pub(super) static TEXTS: Shape = list!(Text);
pub(super) static WHOLE: Shape = number!(whole);
pub(super) static NUMBER: Shape = number!(any);

static SOURCE_SETTINGS: Shape = settings!({ "ttl": Text });

static LIST_CONFIG: Shape = settings!({ "format": Text, "columns": list!(LIST_COLUMN_CONFIG) });

/// A column of a table.
pub(super) static LIST_COLUMN_CONFIG: Shape = settings!({ "name": Text, "value": Text, "width": WHOLE });

/// Where messages go.
pub(super) static LOGS: Shape = settings!({ "file": Text, "level": Shape::AnyCase(&LOG_LEVELS) });

static LOG_LEVELS: [&str; 7] = ["Trace", "Debug", "Info", "Warning", "Warn", "Error", "Off"];

/// A step of a command: what it runs, or more about it.
static STEP: Shape = Shape::Either(&[&Text, &FREE]);

static DOCS: Shape = settings!({
    "max-width" => moved "settings.terminal.max_width": WHOLE, "pagination" => moved "settings.terminal.pager": Flag,
    "generate": each!(settings!({
        "base-dir": Text, "input": list!(Any), "template": Text, "output": Text,
        "terraform": settings!({
            "source": Text, "enabled": Flag, "format": Text, "show_providers": Flag, "show_inputs": Flag,
            "show_outputs": Flag, "sort_by": Text, "hide_empty": Flag, "indent_level": WHOLE,
        }),
    })),
});

static COMMAND: Shape = Named(
    "command",
    &settings!({
        "name": Text, "description": Text, "default": Text, "working_directory": Text, "dependencies": Any,
        "env": Any,
        "arguments": list!(settings!({
            "name": Text, "description": Text, "required": Flag, "default": Text, "type": Text, "values": TEXTS,
        })),
        "flags": list!(settings!({
            "name": Text, "shorthand": Text, "type": Text, "description": Text, "usage": Text, "required": Flag,
            "default": Any, "semantic_type": Text, "values": TEXTS,
        })),
        "component": settings!({ "type": Text, "base_path": Text }),
        "component_config": settings!({ "component": Text, "stack": Text }), "steps": list!(STEP), "commands": list!(COMMAND),
        "verbose": Flag, "identity": Text, "aliases": TEXTS, "internal": Flag,
    }),
);

static COMPONENTS: Shape = settings!({
    "terraform": settings!({
        "base_path": Text, "apply_auto_approve": Flag, "append_user_agent": Text, "deploy_run_init": Flag,
        "init_run_reconfigure": Flag, "auto_generate_backend_file": Flag, "auto_generate_files": Flag,
        "workspaces_enabled": Flag, "command": Text, "shell": settings!({ "prompt": Text }),
        "init": settings!({ "pass_vars": Flag }), "plan": settings!({ "skip_planfile": Flag }),
        "lint": settings!({ "config": Text, "error_mode": Text }),
        "planfiles": settings!({
            "default": Text, "priority": TEXTS, "key_pattern": Text,
            "stores": each!(settings!({ "type": Text, "options": FREE })), "verify": Any, "required": Flag,
        }),
        "plugin_cache": Flag, "plugin_cache_dir": Text, "auto_provision_workdir_for_outputs": Flag,
        "source": SOURCE_SETTINGS, "ci": settings!({ "exit_codes": each!(Flag) }),
        "workspace": settings!({ "prefix_separator": Text }), "rc": Any,
        "cache": settings!({
            "enabled": Flag, "location": Text, "backend": settings!({ "type": Text, "options": FREE }),
            "metadata_ttl": Text, "stale_while_revalidate": Text, "mirror": settings!({ "enabled": Flag }),
        }),
        "platforms": TEXTS,
    }),
    "helmfile": settings!({
        "base_path": Text, "use_eks": Flag, "kubeconfig_path": Text, "helm_aws_profile_pattern" => "atmos --identity": Text,
        "cluster_name_pattern" => "components.helmfile.cluster_name_template": Text, "cluster_name_template": Text, "cluster_name": Text, "command": Text,
        "auto_generate_files": Flag, "source": SOURCE_SETTINGS, "plugins": TEXTS,
    }),
    "packer": settings!({
        "base_path": Text, "command": Text, "auto_generate_files": Flag, "source": SOURCE_SETTINGS,
    }),
    "ansible": settings!({ "base_path": Text, "command": Text, "auto_generate_files": Flag }),
    "kubernetes": settings!({
        "base_path": Text, "provider": Text, "auto_generate_files": Flag, "source": SOURCE_SETTINGS,
    }),
    "helm": settings!({
        "base_path": Text, "auto_generate_files": Flag, "source": SOURCE_SETTINGS, "plugins": TEXTS,
        "repositories": list!(settings!({
            "name": Text, "url": Text, "username": Text, "password": Text, "pass_credentials_all": Flag,
            "cert_file": Text, "key_file": Text, "ca_file": Text, "insecure_skip_tls_verify": Flag,
        })),
    }),
    "list": LIST_CONFIG,
});

static STACKS: Shape = settings!({
    "base_path": Text, "included_paths": TEXTS, "excluded_paths": TEXTS, "name_pattern": Text, "name_template": Text,
    "list": LIST_CONFIG, "inherit": settings!({ "metadata": Flag, "source": Flag }),
});

static IMPORTS: Shape = settings!({ "ttl": Text });

static WORKFLOWS: Shape = settings!({ "base_path": Text, "list": LIST_CONFIG });

static COMMANDS: Shape = list!(COMMAND);

static INTEGRATIONS: Shape = settings!({
    "atlantis": settings!({
        "path": Text,
        "config_templates": each!(settings!({
            "version": WHOLE, "automerge": Flag, "delete_source_branch_on_merge": Flag, "parallel_plan": Flag,
            "parallel_apply": Flag, "allowed_regexp_prefixes": TEXTS,
        })),
        "project_templates": each!(settings!({
            "name": Text, "workspace": Text, "workflow": Text, "dir": Text, "terraform_version": Text,
            "delete_source_branch_on_merge": Flag, "autoplan": settings!({ "enabled": Flag, "when_modified": TEXTS }),
            "apply_requirements": TEXTS,
        })),
        "workflow_templates": FREE,
    }),
    "github": FREE, "pro": FREE,
});

static TEMPLATES: Shape = settings!({
    "settings": settings!({
        "enabled": Flag, "sprig": settings!({ "enabled": Flag }),
        "gomplate": settings!({
            "enabled": Flag, "timeout": WHOLE,
            "datasources": each!(settings!({ "url": Text, "headers": each!(TEXTS) })),
        }),
        "delimiters": TEXTS, "evaluations": WHOLE, "env": FREE, "ignore_missing_template_values": Flag,
    }),
});

static SETTINGS: Shape = settings!({
    "list_merge_strategy": Text,
    "terminal": settings!({
        "max_width": WHOLE, "pager": Text, "unicode": Flag,
        "syntax_highlighting": settings!({
            "enabled": Flag, "lexer": Text, "formatter": Text, "theme": Text, "line_numbers": Flag, "wrap": Flag,
        }),
        "color": Flag, "no_color" => "settings.terminal.color": Flag, "force_color": Flag, "speed": NUMBER, "tab_width": WHOLE, "title": Flag,
        "alerts": Flag,
        "mask": settings!({ "enabled": Flag, "replacement": Text, "patterns": TEXTS, "literals": TEXTS }),
        "theme": Text, "help": settings!({ "filter": Flag }),
    }),
    "yaml": settings!({ "key_delimiter": Text }), "experimental": Text, "docs" => moved "docs": DOCS, "markdown": Any,
    "inject_github_token": Flag, "github_token": Text, "atmos_github_token": Text, "atmos_pro_github_token": Text,
    "github_username": Text, "inject_bitbucket_token": Flag, "bitbucket_token": Text, "atmos_bitbucket_token": Text,
    "bitbucket_username": Text, "inject_gitlab_token": Flag, "atmos_gitlab_token": Text, "gitlab_token": Text,
    "pro": settings!({
        "base_url": Text, "endpoint": Text, "token": Text, "workspace_id": Text,
        "github_oidc": settings!({ "request_url": Text, "request_token": Text }), "max_payload_bytes": WHOLE,
        "github_head_ref": Text, "git_sts": settings!({ "git_config_mode": Text, "revoke_on_exit": Flag }),
    }),
    "telemetry": settings!({ "enabled": Flag, "endpoint": Text, "token": Text, "logging": Flag }),
    "provision": settings!({
        "workdir": settings!({ "enabled": Flag, "ttl": Text }), "default": Text,
        "targets": each!(settings!({
            "kind": Text, "repository": Text, "path": Text, "auth": settings!({ "identity": Text }),
            "commit": settings!({ "message": Text, "signing": Text }), "pull_request": settings!({ "enabled": Flag }),
        })),
    }),
});

static DESCRIBE: Shape = settings!({
    "settings": settings!({ "include_empty": Flag, "eager_evaluation": Flag }),
    "affected": settings!({ "sections": TEXTS }), "error_mode": Text, "provenance": Flag,
    "component": settings!({ "filter": Text }),
});

static VENDOR: Shape = settings!({
    "base_path": Text, "lock_file": Text, "list": LIST_CONFIG,
    "retry": settings!({
        "max_attempts": WHOLE, "backoff_strategy": Any, "initial_delay": Any, "max_delay": Any,
        "random_jitter": NUMBER, "multiplier": NUMBER, "max_elapsed_time": Any, "conditions": TEXTS,
    }),
    "update": settings!({
        "execution": settings!({ "mode": Text }), "batching": settings!({ "mode": Text }),
        "groups": each!(settings!({ "include": TEXTS, "exclude": TEXTS })),
    }),
    "ci": settings!({
        "pull_request": settings!({
            "provider": Text, "base_branch": Text, "branch_prefix": Text, "title": Text, "body": Text,
            "labels": TEXTS, "draft": Flag, "reviewers": TEXTS, "assignees": TEXTS,
        }),
        "summary": settings!({ "enabled": Flag }),
    }),
    "lock": settings!({ "enforcement": Text }),
});

static VALIDATE: Shape = settings!({
    "format": Text,
    "editorconfig": settings!({
        "ignore_defaults": Flag, "dry_run": Flag, "format": Text, "config_file_paths": TEXTS, "exclude": TEXTS,
        "init": Flag, "disable_end_of_line": Flag, "disable_insert_final_newline": Flag, "disable_indentation": Flag,
        "disable_indent_size": Flag, "disable_max_line_length": Flag, "disable_trim_trailing_whitespace": Flag,
    }),
});

static PROFILES: Shape = settings!({ "base_path": Text, "default": Any });

static METADATA: Shape = settings!({
    "name": Text, "description": Text, "version": Text, "tags": TEXTS, "deprecated": Flag,
});

static LIST: Shape = settings!({
    "components": LIST_CONFIG, "instances": LIST_CONFIG, "stacks": LIST_CONFIG, "error_mode": Text,
});

/// The whole configuration.
pub(super) static CONFIGURATION: Shape = settings!({
    "ai": AI,
    "aliases": each!(Text),
    "auth": AUTH,
    "aws": AWS,
    "base_path": Text,
    "cast": CAST,
    "ci": CI,
    "commands": COMMANDS,
    "components": COMPONENTS,
    "compositions": COMPOSITIONS,
    "container": CONTAINER,
    "describe": DESCRIBE,
    "devcontainer": FREE,
    "diagnostics": DIAGNOSTICS,
    "docs": DOCS,
    "edition": Text,
    "env": FREE,
    "errors": ERRORS,
    "git": GIT,
    "import": TEXTS,
    "imports": IMPORTS,
    "integrations": INTEGRATIONS,
    "list": LIST,
    "logs": LOGS,
    "lsp": LSP,
    "mcp": MCP,
    "metadata": METADATA,
    "profiler": Any,
    "profiles": PROFILES,
    "schemas": FREE,
    "secrets": SECRETS,
    "settings": SETTINGS,
    "stacks": STACKS,
    "stores": FREE,
    "templates": TEMPLATES,
    "toolchain": TOOLCHAIN,
    "track_provenance": Flag,
    "validate": VALIDATE,
    "vendor": VENDOR,
    "version": VERSION,
    "workflows": WORKFLOWS,
});
