//! The attributes and blocks of configuration files, of stack files, and their types.

/// The type that an attribute is converted to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Text.
    Text,
    /// A truth value.
    Bool,
    /// A number.
    Number,
    /// A list of text.
    Texts,
    /// A map of text.
    TextMap,
    /// A map of values of one type.
    Map,
    /// Anything.
    Any,
}

impl Kind {
    /// Its name for people.
    pub(super) fn shown(self) -> &'static str {
        match self {
            Kind::Text => "string",
            Kind::Bool => "bool",
            Kind::Number => "number",
            Kind::Texts => "list of string",
            Kind::TextMap => "map of string",
            Kind::Map => "map",
            Kind::Any => "any",
        }
    }
}

/// An attribute of a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Attribute {
    /// Its name.
    pub name: &'static str,
    /// Its type.
    pub kind: Kind,
    /// Whether a block without it is wrong.
    pub is_required: bool,
}

/// How many labels a block has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Labels {
    /// None.
    None,
    /// One, which may be omitted in old files.
    Optional,
    /// One.
    One,
}

/// How often a block may come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Times {
    /// Once.
    Once,
    /// Once for each label.
    OncePerLabel,
    /// Any number of times; of one label the last counts.
    Many,
}

/// A type of block.
#[derive(Clone, Copy, Debug)]
pub(super) struct BlockType {
    /// Its name.
    pub name: &'static str,
    /// Its labels.
    pub labels: Labels,
    /// How often it may come.
    pub times: Times,
    /// Its attributes.
    pub attributes: &'static [Attribute],
    /// The blocks in it.
    pub blocks: &'static [BlockType],
    /// What happens to other attributes and blocks.
    pub others: Others,
}

/// What happens to attributes and blocks in a block that its type does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Others {
    /// They are mistakes.
    Refused,
    /// Attributes name values, as in `locals`; blocks are mistakes.
    Named,
    /// They are ignored, as in `unit`.
    Ignored,
}

const fn optional(name: &'static str, kind: Kind) -> Attribute {
    Attribute { name, kind, is_required: false }
}

const fn required(name: &'static str, kind: Kind) -> Attribute {
    Attribute { name, kind, is_required: true }
}

const fn once(name: &'static str, attributes: &'static [Attribute], blocks: &'static [BlockType]) -> BlockType {
    BlockType { name, labels: Labels::None, times: Times::Once, attributes, blocks, others: Others::Refused }
}

const fn labelled(name: &'static str, attributes: &'static [Attribute]) -> BlockType {
    BlockType { name, labels: Labels::One, times: Times::Many, attributes, blocks: &[], others: Others::Refused }
}

const fn open(block: BlockType) -> BlockType {
    BlockType { others: Others::Ignored, ..block }
}

use Kind::{Any, Bool, Map, Number, Text, TextMap, Texts};

const HOOK: &[Attribute] = &[
    required("commands", Texts),
    required("execute", Texts),
    optional("working_dir", Text),
    optional("run_on_error", Bool),
    optional("suppress_stdout", Bool),
    optional("if", Bool),
];

const ERROR_HOOK: &[Attribute] = &[
    required("commands", Texts),
    required("execute", Texts),
    required("on_errors", Texts),
    optional("working_dir", Text),
    optional("suppress_stdout", Bool),
];

const TERRAFORM: BlockType = once(
    "terraform",
    &[
        optional("source", Text),
        optional("version", Text),
        optional("copy_terraform_lock_file", Bool),
        optional("include_in_copy", Texts),
        optional("exclude_from_copy", Texts),
        optional("update_source_with_cas", Bool),
        optional("mutable", Bool),
    ],
    &[
        labelled(
            "extra_arguments",
            &[
                required("commands", Texts),
                optional("arguments", Texts),
                optional("required_var_files", Texts),
                optional("optional_var_files", Texts),
                optional("env_vars", TextMap),
            ],
        ),
        labelled("before_hook", HOOK),
        labelled("after_hook", HOOK),
        labelled("error_hook", ERROR_HOOK),
    ],
);

/// Blocks of `dependency` that a dependency for each element has.
const EXPANSION: BlockType = once("expansion", &[optional("for_each", Any), optional("count", Any)], &[]);

/// The attributes of `generate`, as a block and as a value of the attribute.
pub(super) const GENERATE: &[Attribute] = &[
    required("path", Text),
    required("if_exists", Text),
    required("contents", Text),
    optional("if_disabled", Text),
    optional("comment_prefix", Text),
    optional("disable_signature", Bool),
    optional("disable", Bool),
    optional("hcl_fmt", Bool),
    optional("mutable", Bool),
];

/// The attributes of `remote_state`, as a block and as an attribute.
pub(super) const REMOTE_STATE: &[Attribute] = &[
    required("backend", Text),
    required("config", Any),
    optional("disable_init", Bool),
    optional("disable_dependency_optimization", Bool),
    optional("generate", TextMap),
    optional("encryption", Any),
];

const DEPENDENCY: BlockType = BlockType {
    blocks: &[EXPANSION],
    ..labelled(
        "dependency",
        &[
            required("config_path", Any),
            optional("enabled", Bool),
            optional("skip_outputs", Bool),
            optional("mock_outputs", Any),
            optional("mock_outputs_allowed_terraform_commands", Texts),
            optional("mock_outputs_merge_with_state", Bool),
            optional("mock_outputs_merge_strategy_with_state", Text),
        ],
    )
};

const ERRORS: BlockType = once(
    "errors",
    &[],
    &[
        labelled(
            "retry",
            &[
                required("retryable_errors", Texts),
                required("max_attempts", Number),
                required("sleep_interval_sec", Number),
            ],
        ),
        labelled("ignore", &[required("ignorable_errors", Texts), optional("message", Text), optional("signals", Map)]),
    ],
);

const LOCALS: BlockType = BlockType { others: Others::Named, ..once("locals", &[], &[]) };

const INCLUDE: BlockType = BlockType {
    labels: Labels::Optional,
    ..labelled("include", &[required("path", Text), optional("expose", Bool), optional("merge_strategy", Text)])
};

/// The content of `terragrunt.hcl` and of the files that it includes and reads.
pub(super) const UNIT: BlockType = once(
    "",
    &[
        optional("inputs", Any),
        optional("generate", Any),
        optional("remote_state", Any),
        optional("prevent_destroy", Bool),
        optional("iam_role", Text),
        optional("iam_assume_role_duration", Number),
        optional("iam_assume_role_session_name", Text),
        optional("iam_web_identity_token", Text),
        optional("download_dir", Text),
        optional("terraform_binary", Text),
        optional("terraform_version_constraint", Text),
        optional("terragrunt_version_constraint", Text),
    ],
    &[
        LOCALS,
        INCLUDE,
        TERRAFORM,
        once("remote_state", REMOTE_STATE, &[]),
        once("dependencies", &[required("paths", Texts)], &[]),
        DEPENDENCY,
        BlockType { times: Times::OncePerLabel, ..labelled("generate", GENERATE) },
        labelled("feature", &[optional("default", Any)]),
        once(
            "exclude",
            &[
                required("if", Bool),
                required("actions", Texts),
                optional("exclude_dependencies", Bool),
                optional("no_run", Bool),
            ],
            &[],
        ),
        ERRORS,
        once(
            "engine",
            &[required("source", Text), optional("version", Text), optional("type", Text), optional("meta", Any)],
            &[],
        ),
        once(
            "catalog",
            &[
                optional("urls", Texts),
                optional("default_template", Text),
                optional("no_shell", Bool),
                optional("no_hooks", Bool),
            ],
            &[],
        ),
    ],
);

/// What an `autoinclude` block of a unit may hold is the content of a unit.
const AUTOINCLUDE: BlockType = BlockType { name: "autoinclude", ..UNIT };

/// In a stack, it adds blocks to the file of the stack.
const STACK_AUTOINCLUDE: BlockType = once(
    "autoinclude",
    &[],
    &[
        open(BlockType { blocks: &[EXPANSION], ..labelled("unit", GENERATED) }),
        open(BlockType { blocks: &[EXPANSION], ..labelled("stack", GENERATED) }),
    ],
);

const GENERATED: &[Attribute] = &[
    required("source", Text),
    required("path", Text),
    optional("values", Any),
    optional("no_dot_terragrunt_stack", Bool),
    optional("no_validation", Bool),
    optional("update_source_with_cas", Bool),
    optional("mutable", Bool),
];

/// The content of `terragrunt.stack.hcl`.
pub(super) const STACK: BlockType = once(
    "",
    &[],
    &[
        LOCALS,
        BlockType { times: Times::Many, ..INCLUDE },
        open(BlockType { blocks: &[AUTOINCLUDE, EXPANSION], ..labelled("unit", GENERATED) }),
        open(BlockType { blocks: &[STACK_AUTOINCLUDE, EXPANSION], ..labelled("stack", GENERATED) }),
    ],
);

impl BlockType {
    /// The attribute of a name.
    pub(super) fn attribute(&self, name: &str) -> Option<&'static Attribute> {
        self.attributes.iter().find(|attribute| attribute.name == name)
    }

    /// The type of the blocks of a name in it.
    pub(super) fn block(&self, name: &str) -> Option<&'static BlockType> {
        self.blocks.iter().find(|block| block.name == name)
    }
}
