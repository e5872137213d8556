//! The schema of `atmos.yaml`: settings that do not concern stacks, such as authentication, versions and assistants.

use super::description::{FREE, LIST_COLUMN_CONFIG, LOGS, NUMBER, TEXTS, WHOLE, each, settings};
use crate::dialects::atmos::shapes::shape::Shape::{Any, Flag, Text};
use crate::dialects::atmos::shapes::shape::{Shape, list};

static VERSION_POLICY: Shape = settings!({
    "update": VERSION_UPDATE_POLICY, "include": TEXTS, "exclude": TEXTS, "prerelease": Flag, "labels": TEXTS,
});

static VERSION_UPDATE_POLICY: Shape = settings!({
    "strategy": Text, "cooldown": Text, "schedule": TEXTS, "pin": Text,
});

static VERSION_ENTRY: Shape = settings!({
    "ecosystem": Text, "datasource": Text, "provider": Text, "package": Text, "desired": Text, "group": Text,
    "update": VERSION_UPDATE_POLICY, "include": TEXTS, "exclude": TEXTS, "prerelease": Flag, "labels": TEXTS,
});

static SESSION_CONFIG: Shape = settings!({ "duration": Text });

pub(super) static CAST: Shape = settings!({
    "recording": settings!({ "enabled": Flag, "base_path": Text, "input": Flag, "width": WHOLE, "height": WHOLE }),
});

pub(super) static DIAGNOSTICS: Shape = settings!({ "enabled": Flag, "file": Text, "include_output": Flag });

pub(super) static ERRORS: Shape = settings!({
    "format": settings!({ "verbose": Flag }),
    "sentry": settings!({
        "enabled": Flag, "dsn": Text, "environment": Text, "release": Text, "sample_rate": NUMBER, "debug": Flag,
        "tags": each!(Text), "capture_stack_context": Flag,
    }),
});

pub(super) static SECRETS: Shape = settings!({
    "providers": each!(settings!({ "kind": Text, "identity": Text, "spec": FREE })),
});

pub(super) static VERSION: Shape = settings!({
    "check": settings!({ "enabled": Flag, "timeout": WHOLE, "frequency": Text }),
    "constraint": settings!({ "require": Text, "enforcement": Text, "message": Text }), "use": Text, "track": Text,
    "lock_file": Text,
    "providers": each!(settings!({
        "kind": Text, "type" => "kind": Text, "url": Text, "region": Text, "registry_id": Text, "insecure": Flag,
    })),
    "defaults": VERSION_POLICY,
    "groups": each!(settings!({
        "ecosystems": TEXTS, "datasources": TEXTS, "providers": TEXTS, "patterns": TEXTS, "exclude_patterns": TEXTS,
        "update": VERSION_UPDATE_POLICY, "include": TEXTS, "exclude": TEXTS, "prerelease": Flag, "labels": TEXTS,
    })),
    "dependencies": each!(VERSION_ENTRY),
    "tracks": each!(settings!({ "extends": Text, "defaults": VERSION_POLICY, "dependencies": each!(VERSION_ENTRY) })),
    "files": list!(settings!({ "manager": Text, "paths": TEXTS, "options": FREE })),
});

pub(super) static AUTH: Shape = settings!({
    "realm": Text, "logs": LOGS, "keyring": settings!({ "type": Text, "spec": FREE }),
    "console": settings!({ "isolated": Flag }),
    "providers": each!(settings!({
        "kind": Text, "start_url": Text, "url": Text, "region": Text, "username": Text, "password": Text,
        "driver": Text, "provider_type" => "driver": Text, "download_browser_driver": Flag, "browser_type": Text,
        "browser_executable_path": Text, "auto_provision_identities": Flag, "session": SESSION_CONFIG,
        "console": settings!({ "session_duration": Text }), "default": Flag, "spec": FREE, "tags": TEXTS,
    })),
    "identities": each!(settings!({
        "kind": Text, "default": Flag, "required": Flag, "provider": Text,
        "via": settings!({ "provider": Text, "identity": Text }), "principal": FREE, "credentials": FREE,
        "spec": FREE, "alias": Text, "env": list!(settings!({ "key": Text, "value": Text })),
        "session": SESSION_CONFIG, "emulator": Text, "tags": TEXTS,
    })),
    "integrations": each!(settings!({
        "kind": Text, "via": settings!({ "identity": Text, "provider": Text }), "spec": Any,
    })),
});

pub(super) static CONTAINER: Shape = settings!({
    "runtime": settings!({ "provider": Text, "auto_start": Flag, "host": Flag }),
});

pub(super) static COMPOSITIONS: Shape = each!(settings!({ "description": Text, "services": TEXTS }));

pub(super) static TOOLCHAIN: Shape = settings!({
    "install_path": Text, "max_concurrency": WHOLE, "file_path": Text, "tools_dir": Text, "versions_file": Text,
    "lock_file": Text, "use_tool_versions": Flag, "use_lock_file": Flag,
    "verification": settings!({
        "checksums": Text, "signatures": Text, "verifier_install": Text, "verifier_trust": Text,
    }),
    "registries": list!(settings!({
        "name": Text, "type": Text, "source": Text, "ref": Text, "priority": WHOLE, "tools": FREE,
    })),
    "aliases": each!(Text), "proxies": each!(settings!({ "tool": Text, "args": TEXTS })),
});

pub(super) static GIT: Shape = settings!({
    "repositories": each!(settings!({
        "provider": Text, "uri": Text, "branch": Text, "remote": Text, "workdir": Text,
        "clone": settings!({ "depth": WHOLE, "filter": Text, "single_branch": Flag, "submodules": Flag }),
        "auth": settings!({ "identity": Text }),
        "commit": settings!({ "signing": Text, "author": settings!({ "name": Text, "email": Text }) }),
        "push": settings!({ "retries": WHOLE }), "init": settings!({ "from": Text, "keep_history": Flag }),
    })),
    "hooks": each!(settings!({ "command": Text })),
    "list": settings!({ "format": Text, "columns": list!(LIST_COLUMN_CONFIG) }),
});

pub(super) static CI: Shape = settings!({
    "enabled": Flag, "output": settings!({ "enabled": Flag, "variables": TEXTS }),
    "summary": settings!({ "enabled": Flag, "template": Text }), "annotations": settings!({ "enabled": Flag }),
    "results": settings!({ "enabled": Flag }),
    "checks": settings!({
        "enabled": Flag, "context_prefix": Text,
        "statuses": settings!({ "component": Flag, "add": Flag, "change": Flag, "destroy": Flag }),
    }),
    "comments": settings!({ "enabled": Flag, "behavior": Text, "template": Text }),
    "templates": settings!({
        "base_path": Text, "terraform": each!(Text), "helm": each!(Text), "helmfile": each!(Text),
    }),
    "cache": settings!({
        "enabled": Flag, "auto": Text, "root": Text, "paths": TEXTS, "key": Text, "restore_keys": TEXTS,
        "compression": Text,
    }),
    "groups": settings!({ "mode": Text }), "allow_unsafe_fork_execution": Flag,
});

pub(super) static AI: Shape = settings!({
    "enabled": Flag, "default_provider": Text, "default_skill": Text,
    "providers": each!(settings!({
        "model": Text, "api_key": Text, "max_tokens": WHOLE, "base_url": Text,
        "cache": settings!({ "enabled": Flag, "cache_system_prompt": Flag, "cache_project_instructions": Flag }),
        "binary": Text, "max_turns": WHOLE, "max_budget_usd": NUMBER, "allowed_tools": TEXTS, "full_auto": Flag,
    })),
    "skills": each!(settings!({
        "display_name": Text, "description": Text, "system_prompt": Text, "allowed_tools": TEXTS,
        "restricted_tools": TEXTS, "category": Text,
    })),
    "send_context": Flag, "prompt_on_send": Flag, "timeout_seconds": WHOLE, "max_tool_iterations": WHOLE,
    "max_context_files": WHOLE, "max_context_lines": WHOLE, "max_history_messages": WHOLE,
    "max_history_tokens": WHOLE,
    "sessions": settings!({
        "enabled": Flag, "path": Text, "max_sessions": WHOLE,
        "auto_compact": settings!({
            "enabled": Flag, "trigger_threshold": NUMBER, "compact_ratio": NUMBER, "preserve_recent": WHOLE,
            "use_ai_summary": Flag, "show_summary_markers": Flag,
        }),
    }),
    "tools": settings!({
        "enabled": Flag, "require_confirmation": Flag, "allowed": TEXTS, "restricted": TEXTS, "blocked": TEXTS,
        "yolo_mode": Flag,
    }),
    "instructions": settings!({ "enabled": Flag, "file": Text }),
    "web_search": settings!({ "enabled": Flag, "google_api_key": Text, "google_cse_id": Text, "max_results": WHOLE }),
    "context": settings!({
        "enabled": Flag, "auto_include": TEXTS, "exclude": TEXTS, "max_files": WHOLE, "max_size_mb": WHOLE,
        "follow_gitignore": Flag, "show_files": Flag, "cache_enabled": Flag, "cache_ttl_seconds": WHOLE,
    }),
});

pub(super) static AWS: Shape = settings!({
    "security": settings!({
        "enabled": Flag, "identity": Text, "region": Text,
        "sources": settings!({
            "security_hub": Flag, "config": Flag, "inspector": Flag, "guardduty": Flag, "macie": Flag,
            "access_analyzer": Flag,
        }),
        "default_severity": TEXTS, "max_findings": WHOLE,
        "tag_mapping": settings!({ "stack_tag": Text, "component_tag": Text }), "account_map": each!(Text),
        "frameworks": TEXTS,
    }),
});

pub(super) static MCP: Shape = settings!({
    "enabled": Flag,
    "servers": each!(settings!({
        "command": Text, "args": TEXTS, "env": each!(Text), "type": Text, "url": Text, "headers": each!(Text),
        "description": Text, "auto_start": Flag, "timeout": Text, "identity": Text, "cwd": Text,
    })),
    "routing": settings!({ "enabled": Flag }),
});

pub(super) static LSP: Shape = settings!({
    "enabled": Flag,
    "servers": each!(settings!({
        "command": Text, "args": TEXTS, "filetypes": TEXTS, "root_patterns": TEXTS, "initialization_options": FREE,
    })),
});
