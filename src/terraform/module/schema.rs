//! Which blocks and arguments configuration has where, and which are mandatory.

use crate::hcl::ast::{Block, Body, Name, Span};
use crate::terraform::failure::Failure;
use crate::terraform::rules;
use crate::text::nearest;
use crate::value::FileId;
use std::collections::BTreeSet;

/// A type of block: how many labels it has and what their names are, its arguments, and the blocks in it.
struct Schema {
    name: &'static str,
    labels: &'static [&'static str],
    /// Its arguments; `None` where others say which ones have a meaning.
    arguments: Option<&'static [&'static str]>,
    blocks: &'static [Schema],
    /// Whether there may be blocks of other types, which others declare.
    has_others: bool,
    /// Types of blocks that OpenTofu keeps for later, where others may declare any.
    reserved: &'static [&'static str],
    /// Whether there is at most one in the same body.
    is_single: bool,
}

/// A block in which anything can be.
const fn open(name: &'static str, labels: &'static [&'static str]) -> Schema {
    Schema { name, labels, arguments: None, blocks: &[], has_others: true, reserved: &[], is_single: false }
}

/// A block in which any argument can be, and these blocks.
const fn arguments(name: &'static str, labels: &'static [&'static str], blocks: &'static [Schema]) -> Schema {
    Schema { blocks, has_others: false, ..open(name, labels) }
}

/// A block of which all arguments and blocks are known.
const fn closed(
    name: &'static str,
    labels: &'static [&'static str],
    arguments: &'static [&'static str],
    blocks: &'static [Schema],
) -> Schema {
    Schema { arguments: Some(arguments), blocks, has_others: false, ..open(name, labels) }
}

/// A block that comes at most once.
const fn single(schema: Schema) -> Schema {
    Schema { is_single: true, ..schema }
}

/// Arguments that would mean something to OpenTofu outside of it.
const ESCAPED: Schema = single(open("_", &[]));
const CONNECTION: Schema = single(open("connection", &[]));
const PROVISIONER: Schema =
    Schema { blocks: &[CONNECTION, ESCAPED], reserved: &["lifecycle"], ..open("provisioner", &["type"]) };

const fn condition(name: &'static str) -> Schema {
    closed(name, &[], &["condition", "error_message"], &[])
}

const CONDITIONS: &[Schema] = &[condition("precondition"), condition("postcondition")];

const RESOURCE: Schema = Schema {
    blocks: &[
        single(closed(
            "lifecycle",
            &[],
            &[
                "create_before_destroy",
                "prevent_destroy",
                "ignore_changes",
                "replace_triggered_by",
                "destroy",
                "enabled",
            ],
            CONDITIONS,
        )),
        CONNECTION,
        PROVISIONER,
        ESCAPED,
    ],
    reserved: &["locals"],
    ..open("resource", &["type", "name"])
};

/// The blocks of what is read or opened and never destroyed.
const OF_READ: &[Schema] = &[single(closed("lifecycle", &[], &["enabled"], CONDITIONS)), ESCAPED];

/// What reads data that were encrypted in another way can have a further one again, at any depth.
static FALLBACK: [Schema; 1] = [single(closed("fallback", &[], &["method"], &FALLBACK))];
const ENFORCED: &[&str] = &["method", "enforced"];

static REMOTE: [Schema; 2] = [
    single(closed("default", &[], &["method"], &FALLBACK)),
    closed("remote_state_data_source", &["name"], &["method"], &FALLBACK),
];

static ENCRYPTION: [Schema; 5] = [
    open("key_provider", &["type", "name"]),
    open("method", &["type", "name"]),
    single(closed("state", &[], ENFORCED, &FALLBACK)),
    single(closed("plan", &[], ENFORCED, &FALLBACK)),
    single(closed("remote_state_data_sources", &[], &[], &REMOTE)),
];

static TERRAFORM: [Schema; 5] = [
    arguments("required_providers", &[], &[]),
    open("provider_meta", &["provider"]),
    open("backend", &["type"]),
    open("cloud", &[]),
    single(closed("encryption", &[], &[], &ENCRYPTION)),
];

const ROOT: &[Schema] = &[
    closed("terraform", &[], &["required_version", "experiments", "language"], &TERRAFORM),
    closed("language", &[], &["edition", "experiments"], &[open("compatible_with", &[])]),
    Schema { blocks: &[ESCAPED], reserved: &["lifecycle", "locals"], ..open("provider", &["name"]) },
    closed(
        "variable",
        &["name"],
        &["description", "default", "type", "sensitive", "nullable", "ephemeral", "const", "deprecated"],
        &[condition("validation")],
    ),
    arguments("locals", &[], &[]),
    closed(
        "output",
        &["name"],
        &["description", "value", "depends_on", "sensitive", "ephemeral", "deprecated"],
        &[condition("precondition")],
    ),
    arguments("module", &["name"], &[single(closed("lifecycle", &[], &["enabled"], &[])), ESCAPED]),
    RESOURCE,
    Schema { blocks: OF_READ, reserved: &["locals"], ..open("data", &["type", "name"]) },
    Schema {
        blocks: OF_READ,
        reserved: &["locals", "connection", "provisioner"],
        ..open("ephemeral", &["type", "name"])
    },
    closed("moved", &[], &["from", "to"], &[]),
    closed("removed", &[], &["from"], &[single(closed("lifecycle", &[], &["destroy"], &[])), PROVISIONER]),
    closed("import", &[], &["to", "id", "identity", "for_each", "provider"], &[]),
    closed(
        "check",
        &["name"],
        &[],
        &[
            single(Schema {
                blocks: &[ESCAPED],
                reserved: &["locals", "lifecycle"],
                ..open("data", &["type", "name"])
            }),
            condition("assert"),
        ],
    ),
];

/// Arguments of blocks in which anything can be, because others say what has a meaning there.
const COMMON: [(&str, &[&str]); 4] = [
    ("module", &["source", "version", "providers", "count", "for_each", "depends_on"]),
    ("resource", &["count", "for_each", "provider", "depends_on"]),
    ("data", &["count", "for_each", "provider", "depends_on"]),
    ("provider", &["alias", "for_each"]),
];

/// The blocks and arguments below blocks and their labels, each with what it is.
pub(crate) fn below(keys: &[&str]) -> Vec<(&'static str, &'static str)> {
    let (mut schemas, mut arguments, mut rest): (_, &'static [&'static str], _) = (ROOT, &[], keys);
    while let Some((first, more)) = rest.split_first() {
        let Some(schema) = schemas.iter().find(|schema| schema.name == *first) else { return Vec::new() };
        let Some(more) = more.get(schema.labels.len()..) else { return Vec::new() };
        let common = COMMON.iter().find(|(name, _)| *name == schema.name).map_or(&[][..], |(_, all)| *all);
        (schemas, arguments, rest) = (schema.blocks, schema.arguments.unwrap_or(common), more);
    }
    let blocks = schemas.iter().map(|schema| (schema.name, "block"));
    blocks.chain(arguments.iter().map(|name| (*name, "argument"))).collect()
}

/// Notes what a file has that it cannot have.
pub(crate) fn check(body: &Body, file: FileId, failures: &mut Vec<Failure>) {
    Check { file, failures }.body(body, &closed("file", &[], &[], ROOT));
}

struct Check<'f> {
    file: FileId,
    failures: &'f mut Vec<Failure>,
}

impl Check<'_> {
    fn wrong(&mut self, span: Span, message: String) {
        self.failures.push(Failure::new(&rules::INVALID_DECLARATION, message, (self.file, span)));
    }

    /// The content of a block of a type, or of a file.
    fn body(&mut self, body: &Body, schema: &Schema) {
        if let Some(known) = schema.arguments {
            for attribute in body.attributes.iter().filter(|attribute| !known.contains(&&*attribute.name.text)) {
                self.unsupported("argument", ["an argument named", "is"], &attribute.name, known.iter().copied());
            }
        }
        let mut single = BTreeSet::new();
        for block in &body.blocks {
            let kind = &*block.kind.text;
            let Some(inner) = schema.blocks.iter().find(|inner| inner.name == kind) else {
                if schema.reserved.contains(&kind) {
                    let message = format!("unsupported block type: \"{kind}\" has no meaning here, and is reserved");
                    self.wrong(block.kind.span, message);
                } else if !schema.has_others {
                    self.unsupported(
                        "block type",
                        ["blocks of type", "are"],
                        &block.kind,
                        schema.blocks.iter().map(|s| s.name),
                    );
                }
                continue;
            };
            if inner.is_single && !single.insert(inner.name) {
                self.wrong(block.header(), format!("duplicate {kind} block: there is at most one"));
            }
            self.labels(block, inner);
            self.body(&block.body, inner);
        }
    }

    fn unsupported(&mut self, what: &str, which: [&str; 2], name: &Name, known: impl Iterator<Item = &'static str>) {
        let text = &*name.text;
        let hint = match nearest(text, known) {
            Some(near) => format!("; did you mean \"{near}\"?"),
            None if text == "required_providers" => "; its place is a \"terraform\" block".to_owned(),
            None => String::new(),
        };
        let [which, is] = which;
        self.wrong(name.span, format!("unsupported {what}: {which} \"{text}\" {is} not expected here{hint}"));
    }

    fn labels(&mut self, block: &Block, schema: &Schema) {
        let kind = schema.name;
        if let Some(extra) = block.labels.get(schema.labels.len()) {
            let message = match schema.labels {
                [] => format!("extraneous label for {kind}: no labels are expected for {kind} blocks"),
                names => format!(
                    "extraneous label for {kind}: only {} labels ({}) are expected for {kind} blocks",
                    names.len(),
                    names.join(", ")
                ),
            };
            self.wrong(extra.span, message);
        } else if let Some(missing) = schema.labels.get(block.labels.len()) {
            let brace = Span { start: block.body.span.start, end: block.body.span.start + 1 };
            let all = schema.labels.join(", ");
            let message = format!(
                "missing {missing} for {kind}: all {kind} blocks must have {} labels ({all})",
                schema.labels.len()
            );
            self.wrong(brace, message);
        }
    }
}
