//! The description of `workflows`, which may be below the folder of stacks as well (`reference: atmos.md` section
//! 10.2).

use super::sections::{CALL, DEPENDENCIES, DISTINCT_TEXTS, FREE};
use crate::dialects::atmos::shapes::shape::Shape::{Either, Flag, Included, Named, Text, Words};
use crate::dialects::atmos::shapes::shape::{Names, Shape, list, map, number, section};

pub(super) static TEXTS: Shape = map!(Each(&Text) {});
static TEXT_LIST: Shape = list!(Text);

/// `workflows`. The schema mentions a name and a description beside the workflows, but as they must be workflows at the
/// same time, only a quoted call of `!include` passes.
pub(super) static WORKFLOWS: Shape = Named(
    "workflows",
    &section!(Entries(Names::COMPONENT, &WORKFLOW) {
        "name": CALL,
        "description": CALL,
    }),
);

static WORKFLOW: Shape = section!(Closed {
    "description": Text,
    "stack": Text,
    "dependencies": DEPENDENCIES,
    "steps": Included(&STEPS),
    "working_directory": Text,
    "env": TEXTS,
    "container": CONTAINER,
    "output": Text,
    "viewport": VIEWPORT,
    "show": SHOW,
} Needs("steps"));

static STEPS: Shape = list!(STEP);

static VIEWPORT: Shape = section!(Closed { "height": number!(whole), "width": number!(whole) });

static SHOW: Shape = section!(Closed {
    "header": Flag,
    "flags": Flag,
    "command": Flag,
    "count": Flag,
    "progress": Flag,
    "labels": Flag,
});

static CONTAINER: Shape = Included(&Either(&[
    &Flag,
    &map!(Free {
        "image": Text,
        "shell": Text,
        "provider": Text,
        "runtime_auto_start": Flag,
        "pull": Text,
        "workspace": Text,
        "workspace_read_only": Flag,
        "cleanup": Text,
        "user": Text,
        "run_args": TEXT_LIST,
        "mounts": list!(FREE),
        "ports": list!(FREE),
        "env": TEXTS,
    }),
]));

/// `retry` of workflows, hooks and sources.
pub(super) static WORKFLOW_RETRY: Shape = Named(
    "workflow_retry",
    &section!(Closed {
        "max_attempts": number!(whole, min 1),
        "initial_delay": Text,
        "max_delay": Text,
        "backoff_strategy": Words(&["constant", "linear", "exponential"]),
        "multiplier": number!(any, min 1),
        "random_jitter": number!(any, min 0, max 1),
        "max_elapsed_time": Text,
    }),
);

/// When a hook or a step runs.
pub(super) static CONDITION: Shape = Named("condition", &Either(&[&Text, &CONDITIONS, &LOGIC]));
static CONDITIONS: Shape = list!(CONDITION, filled);
static LOGIC: Shape = map!(Closed {
    "all": CONDITION,
    "any": CONDITIONS,
    "not": CONDITION,
} ExactlyOne(&["all", "any", "not"]));

static STEP: Shape = Named(
    "step",
    &map!(Free {
        "name": Text,
        "command": Text,
        "args": TEXT_LIST,
        "prompt": Either(&[&Text, &map!(Closed {
            "text": Text,
            "style": Words(&["command", "label", "muted", "info", "notice"]),
        })]),
        "mode": Text,
        "rate": Text,
        "write_rate": Text,
        "text": Text,
        "stack": Text,
        "type": Text,
        "retry": WORKFLOW_RETRY,
        "working_directory": Text,
        "identity": Text,
        "when": CONDITION,
        "continue": CONDITION,
        "inputs": map!(Closed { "sources": TEXT_LIST }),
        "artifacts": map!(Closed { "paths": TEXT_LIST }),
        "preconditions": map!(Closed { "tools": TEXT_LIST }),
        "timeout": Text,
        "env": TEXTS,
        "needs": DISTINCT_TEXTS,
        "max_concurrency": number!(whole, min 0),
        "fail": map!(Closed {
            "mode": Words(&["wait_all", "fail_fast", "best_effort"]),
            "max_failures": number!(whole, min 0),
        }),
        "output": Either(&[&Text, &OUTPUT]),
        "matrix": map!(Each(&list!(Text, filled)) {}),
        "steps": Included(&STEPS),
        "script": Text,
        "interpreter": Text,
        "interactive": Flag,
        "tty": Flag,
        "options": TEXT_LIST,
        "default": Text,
        "placeholder": Text,
        "password": Flag,
        "multiple": Flag,
        "limit": number!(whole),
        "content": Text,
        "title": Text,
        "data": list!(FREE),
        "columns": TEXT_LIST,
        "separator": Text,
        "path": Text,
        "source": Either(&[&Text, &FREE]),
        "reset": Flag,
        "extensions": TEXT_LIST,
        "height": number!(whole),
        "viewport": VIEWPORT,
        "count": number!(whole),
        "foreground": Text,
        "background": Either(&[&Text, &Flag]),
        "border": Text,
        "border_foreground": Text,
        "border_background": Text,
        "padding": Text,
        "margin": Text,
        "width": number!(whole),
        "align": Text,
        "bold": Flag,
        "italic": Flag,
        "underline": Flag,
        "strikethrough": Flag,
        "faint": Flag,
        "markdown": Flag,
        "level": Text,
        "fields": TEXTS,
        "voice": TEXT_LIST,
        "print": Text,
        "vars": TEXTS,
        "export": Flag,
        "code": number!(whole),
        "url": Text,
        "method": Text,
        "headers": TEXTS,
        "query": TEXTS,
        "body": Text,
        "form": TEXTS,
        "expect": map!(Free { "status": list!(number!(whole)), "response": TEXT_LIST }),
        "shell": Text,
        "key_interval": Text,
        "jitter": number!(any),
        "cursor": Flag,
        "regex": Text,
        "key": Text,
        "duration": Text,
        "interval": Text,
        "repeat": number!(whole),
        "defaults": FREE,
        "action": Text,
        "with": FREE,
        "runtime_auto_start": Flag,
        "runtime": FREE,
        "provider": Text,
        "container": CONTAINER,
        "component": Text,
        "ephemeral": Flag,
        "format": Text,
        "destination": Text,
        "subpath": Text,
        "include": TEXT_LIST,
        "exclude": TEXT_LIST,
        "mtime": Text,
        "files": TEXT_LIST,
        "tools": TEXT_LIST,
        "dirs": TEXT_LIST,
        "hint": Text,
        "outputs": TEXTS,
        "show": SHOW,
        "for": Either(&[&Text, &TEXT_LIST]),
    } MapDemands("prompt", "type", "simulate")),
);

static OUTPUT: Shape = map!(Closed {
    "mode": Words(&["", "grouped", "prefixed", "none"]),
    "order": Words(&["completion", "definition"]),
    "show_summary": Flag,
    "prefix": Text,
    "cast": Text,
    "gif": Text,
    "mp4": Text,
    "html": Text,
    "ascii": Text,
    "png": Text,
    "jpg": Text,
});
