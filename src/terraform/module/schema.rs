//! Which blocks and arguments configuration has where, and which are mandatory.

use crate::hcl::ast::{Block, Body, Span};
use crate::terraform::failure::Failure;
use crate::terraform::rules;
use crate::text::nearest;
use crate::value::FileId;

/// A type of block: how many labels it has and what their names are, its arguments, and the blocks in it. Without arguments
/// anything can be in it.
struct Schema {
    name: &'static str,
    labels: &'static [&'static str],
    arguments: Option<&'static [&'static str]>,
    blocks: &'static [Schema],
}

const fn open(name: &'static str, labels: &'static [&'static str]) -> Schema {
    Schema { name, labels, arguments: None, blocks: &[] }
}

const fn closed(
    name: &'static str,
    labels: &'static [&'static str],
    arguments: &'static [&'static str],
    blocks: &'static [Schema],
) -> Schema {
    Schema { name, labels, arguments: Some(arguments), blocks }
}

const ROOT: &[Schema] = &[
    closed(
        "terraform",
        &[],
        &["required_version", "experiments", "language"],
        &[
            open("required_providers", &[]),
            open("provider_meta", &["provider"]),
            open("backend", &["type"]),
            open("cloud", &[]),
            open("encryption", &[]),
        ],
    ),
    open("language", &[]),
    open("required_providers", &[]),
    open("provider", &["name"]),
    closed(
        "variable",
        &["name"],
        &["description", "default", "type", "sensitive", "nullable", "ephemeral", "const", "deprecated"],
        &[open("validation", &[])],
    ),
    open("locals", &[]),
    closed(
        "output",
        &["name"],
        &["description", "value", "depends_on", "sensitive", "ephemeral", "deprecated"],
        &[open("precondition", &[]), open("postcondition", &[])],
    ),
    open("module", &["name"]),
    open("resource", &["type", "name"]),
    open("data", &["type", "name"]),
    open("ephemeral", &["type", "name"]),
    open("moved", &[]),
    open("removed", &[]),
    open("import", &[]),
    open("check", &["name"]),
];

/// Arguments of blocks in which anything can be, because others say what has a meaning there.
const COMMON: [(&str, &[&str]); 7] = [
    ("module", &["source", "version", "providers", "count", "for_each", "depends_on"]),
    ("resource", &["count", "for_each", "provider", "depends_on", "lifecycle", "connection", "provisioner"]),
    ("data", &["count", "for_each", "provider", "depends_on", "lifecycle"]),
    ("provider", &["alias", "for_each"]),
    ("moved", &["from", "to"]),
    ("import", &["to", "id", "for_each", "provider"]),
    ("removed", &["from", "lifecycle"]),
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
    for attribute in &body.attributes {
        wrong(
            failures,
            format!("unsupported argument: an argument named \"{}\" is not expected here", attribute.name.text),
            file,
            attribute.name.span,
        );
    }
    blocks(&body.blocks, ROOT, file, failures);
}

fn wrong(failures: &mut Vec<Failure>, message: String, file: FileId, span: Span) {
    failures.push(Failure::new(&rules::INVALID_DECLARATION, message, (file, span)));
}

fn hint<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> String {
    nearest(name, known).map_or_else(String::new, |near| format!("; did you mean \"{near}\"?"))
}

fn blocks(found: &[Block], schemas: &[Schema], file: FileId, failures: &mut Vec<Failure>) {
    for block in found {
        let kind = &*block.kind.text;
        let Some(schema) = schemas.iter().find(|s| s.name == kind) else {
            let hint = hint(kind, schemas.iter().map(|s| s.name));
            wrong(
                failures,
                format!("unsupported block type: blocks of type \"{kind}\" are not expected here{hint}"),
                file,
                block.kind.span,
            );
            continue;
        };
        labels(block, schema, file, failures);
        let Some(arguments) = schema.arguments else { continue };
        for attribute in &block.body.attributes {
            let name = &*attribute.name.text;
            if !arguments.contains(&name) {
                let hint = hint(name, arguments.iter().copied());
                wrong(
                    failures,
                    format!("unsupported argument: an argument named \"{name}\" is not expected here{hint}"),
                    file,
                    attribute.name.span,
                );
            }
        }
        blocks(&block.body.blocks, schema.blocks, file, failures);
    }
}

fn labels(block: &Block, schema: &Schema, file: FileId, failures: &mut Vec<Failure>) {
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
        wrong(failures, message, file, extra.span);
    } else if let Some(missing) = schema.labels.get(block.labels.len()) {
        let brace = Span { start: block.body.span.start, end: block.body.span.start + 1 };
        let all = schema.labels.join(", ");
        let message =
            format!("missing {missing} for {kind}: all {kind} blocks must have {} labels ({all})", schema.labels.len());
        wrong(failures, message, file, brace);
    }
}
