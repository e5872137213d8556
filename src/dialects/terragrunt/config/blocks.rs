//! Blocks and attributes with fixed types.

use super::kind;
use crate::dialects::terragrunt::names::{Names, is_nothing};
use crate::dialects::terragrunt::object::generated;
use crate::dialects::terragrunt::rules;
use crate::dialects::terragrunt::schema::{self, Attribute, BlockType, Kind, Labels};
use crate::dialects::terragrunt::session::At;
use crate::dialects::terragrunt::values::at_key;
use crate::hcl::ast::{self, Expr, Span, walk};
use crate::hcl::types::Type;
use crate::hcl::types::convert::convert;
use crate::hcl::val::import::import;
use crate::hcl::val::{Data, Val};
use crate::value::{self, Flags, Key, Map, Value};
use std::sync::Arc;

/// Attributes of a file that are one value each, and are read before dependencies are.
const EARLY: [&str; 3] = ["prevent_destroy", "iam_role", "iam_web_identity_token"];

/// Blocks of an included file that are read before dependencies are.
const FIRST_OF_INCLUDED: [&str; 2] = ["exclude", "errors"];

/// The others that are one value each.
const LATE: [&str; 6] = [
    "iam_assume_role_duration",
    "iam_assume_role_session_name",
    "download_dir",
    "terraform_binary",
    "terraform_version_constraint",
    "terragrunt_version_constraint",
];

/// The values that say when a file is generated, and what happens to it when it is switched off.
const IF_EXISTS: [&str; 4] = ["error", "skip", "overwrite", "overwrite_terragrunt"];
const IF_DISABLED: [&str; 3] = ["skip", "remove", "remove_terragrunt"];

/// What is read before dependencies are: of an included file also the blocks that are merged first.
pub(super) fn early(names: &Names<'_, '_>, parts: &mut Map) {
    scalars(names, parts, &EARLY);
    if names.place.included.is_some() {
        blocks(names, parts, &FIRST_OF_INCLUDED);
    }
}

fn blocks(names: &Names<'_, '_>, parts: &mut Map, kinds: &[&'static str]) {
    for name in kinds {
        if let Some(block) = names.file.body.blocks_of(name).next().filter(|_| !parts.has(name)) {
            parts.set(*name, whole(names, block, kind(name)));
        }
    }
}

fn scalars(names: &Names<'_, '_>, parts: &mut Map, attributes: &[&'static str]) {
    for name in attributes {
        let written = names.file.body.get(name).zip(schema::UNIT.attribute(name));
        if let Some(value) = written.and_then(|(written, kind)| attribute(names, written, kind)) {
            parts.set(*name, value);
        }
    }
}

/// The keys of `generate` in `remote_state`.
const GENERATE_OF_STATE: [&str; 2] = ["path", "if_exists"];

/// Everything but includes, features, locals, dependencies, and what is read before these.
pub(super) fn rest(names: &Names<'_, '_>, parts: &mut Map) {
    let body = &names.file.body;
    scalars(names, parts, &LATE);
    if let Some(value) = inputs(names) {
        parts.set("inputs", value);
    }
    blocks(names, parts, &["terraform", "dependencies", "exclude", "errors", "engine", "catalog", "remote_state"]);
    if let Some(written) = body.get("remote_state") {
        let value = evaluated(names, &written.expr);
        if let Some(map) = object(names, &value, (schema::REMOTE_STATE, &[]), written.expr.span) {
            parts.set("remote_state", Value { data: value::Data::Map(map.into()), prov: value.prov.clone() });
        }
    }
    remote_state(names, parts);
    source(names);
    let generate = generate(names);
    if !generate.is_empty() {
        parts.set("generate", Value::map(generate));
    }
}

/// The inputs: an object.
fn inputs(names: &Names<'_, '_>) -> Option<Value> {
    let written = names.file.body.get("inputs")?;
    let val = names.eval(&written.expr);
    match &val.data {
        Data::Object(_) | Data::Map(..) | Data::Unknown(..) => {
            let value = names.export(&written.expr, &val);
            infinite(names, &value, (names.file.id, written.expr.span));
            Some(at_key(names.file.id, written.name.span, written.expr.span, value))
        }
        Data::Null(_) => Some(Value::map(Map::new())),
        _ => {
            let message = format!("inputs must be an object, and this is {}", Type::of(&val).name());
            names.session.error(&rules::INVALID_VALUE, message, (names.file.id, written.expr.span));
            None
        }
    }
}

/// Inputs are handed over as JSON, which has no infinite numbers.
fn infinite(names: &Names<'_, '_>, value: &Value, whole: At) {
    match &value.data {
        value::Data::Float(number) if number.is_infinite() => {
            let own = value.prov.origin.map(|origin| (origin.file, Span { start: origin.start, end: origin.end }));
            let message = "failed to serialize value: cannot serialize infinity as JSON";
            names.session.error(&rules::INVALID_VALUE, message, own.unwrap_or(whole));
        }
        value::Data::List(items) => items.iter().for_each(|item| infinite(names, item, whole)),
        value::Data::Map(map) => map.iter().for_each(|entry| infinite(names, &entry.value, whole)),
        _ => {}
    }
}

/// The value of an expression.
pub(in crate::dialects::terragrunt) fn evaluated(names: &Names<'_, '_>, expr: &Expr) -> Value {
    let val = names.eval(expr);
    names.export(expr, &val)
}

/// The value of an attribute, converted to its type; `None` if it is null or wrong.
pub(super) fn attribute(names: &Names<'_, '_>, written: &ast::Attribute, kind: &Attribute) -> Option<Value> {
    let val = names.eval(&written.expr);
    if is_nothing(&val) {
        return None;
    }
    let val = match converted(&val, kind.kind) {
        Ok(val) => val,
        Err(why) => {
            let message = format!("unsuitable value for {}: {why}", kind.name);
            names.session.error(&rules::INVALID_VALUE, message, (names.file.id, written.expr.span));
            return None;
        }
    };
    Some(at_key(names.file.id, written.name.span, written.expr.span, names.export(&written.expr, &val)))
}

/// A value as the type of an attribute has it.
///
/// # Errors
/// Why it has no such form.
pub(in crate::dialects::terragrunt) fn converted(val: &Val, kind: Kind) -> Result<Val, String> {
    let ty = match kind {
        Kind::Any => return Ok(val.clone()),
        Kind::Text => Type::Str,
        Kind::Bool => Type::Bool,
        Kind::Number => Type::Number,
        Kind::Texts => Type::list(Type::Str),
        Kind::TextMap => Type::map(Type::Str),
        Kind::Map => Type::map(Type::Dynamic),
    };
    convert(val, &ty).map_err(|why| why.text())
}

/// A block with its attributes and blocks, those with labels by label.
pub(super) fn whole(names: &Names<'_, '_>, block: &ast::Block, kind: &'static BlockType) -> Value {
    let mut map = attributes(names, &block.body.attributes, kind);
    for inner in kind.blocks {
        let mut by_label = Map::new();
        for block in block.body.blocks_of(inner.name) {
            let value = whole(names, block, inner);
            match (inner.labels, block.label(0)) {
                (Labels::None, _) => map.set(inner.name, value),
                (_, Some(label)) => by_label.set(Key::from(&**label), value),
                (_, None) => {}
            }
            non_empty(names, block);
        }
        if !by_label.is_empty() {
            map.set(inner.name, Value::map(by_label));
        }
    }
    let origin = crate::value::Origin {
        file: names.file.id,
        key: block.kind.span.start,
        start: block.kind.span.start,
        end: block.header().end,
    };
    Value::at(value::Data::Map(map.into()), origin)
}

/// A hook must run something.
fn non_empty(names: &Names<'_, '_>, block: &ast::Block) {
    let Some(execute) = block.body.get("execute") else { return };
    if matches!(&execute.expr.kind, ast::ExprKind::Tuple(items) if items.is_empty()) {
        let message = format!("{} has nothing to execute: execute is empty", block.kind.text);
        names.session.error(&rules::INVALID_VALUE, message, (names.file.id, execute.expr.span));
    }
}

/// The attributes of a block that have a value.
pub(super) fn attributes<'b>(
    names: &Names<'_, '_>,
    written: impl IntoIterator<Item = &'b ast::Attribute>,
    kind: &BlockType,
) -> Map {
    let one = |written: &ast::Attribute| {
        let known = kind.attribute(&written.name.text)?;
        Some((Key::from(known.name), attribute(names, written, known)?))
    };
    written.into_iter().filter_map(one).collect()
}

/// An object that stands for a block, of which some attributes need not be there; `None` if it cannot.
fn object(names: &Names<'_, '_>, value: &Value, (kind, lacking): (&[Attribute], &[&str]), span: Span) -> Option<Map> {
    let wrong = |message: String| names.session.error(&rules::INVALID_VALUE, message, (names.file.id, span));
    let Some(map) = value.as_map() else {
        if !value.holds(Flags::UNKNOWN) {
            wrong(format!("an object is required here, and this is {}", value.a_kind()));
        }
        return None;
    };
    let mut found = Map::new();
    for entry in map.iter().filter(|entry| !entry.value.is_null()) {
        let Some(known) = kind.iter().find(|attribute| *attribute.name == *entry.key) else {
            wrong(format!("unsupported argument: there is no \"{}\" here", entry.key));
            continue;
        };
        if entry.value.holds(Flags::UNKNOWN) {
            found.set(known.name, entry.value.clone());
            continue;
        }
        match converted(&import(&entry.value), known.kind) {
            Ok(val) => found.set(known.name, crate::hcl::val::export::export_at(&val, &entry.value.prov)),
            Err(why) => wrong(format!("unsuitable value for {}: {why}", known.name)),
        }
    }
    let is_missing = |attribute: &&Attribute| {
        attribute.is_required && !found.has(attribute.name) && !lacking.contains(&attribute.name)
    };
    for required in kind.iter().filter(is_missing) {
        wrong(format!("missing required argument: \"{}\" is not set", required.name));
    }
    Some(found)
}

/// What the address of the code must not be.
fn source(names: &Names<'_, '_>) {
    let body = &names.file.body;
    let Some(block) = body.blocks_of("terraform").next() else { return };
    if let Some(written) = block.body.get("source") {
        let reads = walk::references(&written.expr).into_iter().find(|r| *r.root.text == *"dependency");
        if let Some(reference) = reads {
            let message =
                "terraform.source cannot read outputs of a dependency: the code must be known before dependencies are";
            names.session.error(&rules::INVALID_VALUE, message, (names.file.id, reference.span));
        }
    }
    if let Some(written) = block.body.get("version")
        && !names.session.has_experiment("version-attribute")
    {
        let message = "the attribute \"version\" of the terraform block requires the experiment 'version-attribute'";
        names.session.error(&rules::INVALID_VALUE, message, (names.file.id, written.name.span));
    }
}

/// What a block `remote_state` must have beside its types.
fn remote_state(names: &Names<'_, '_>, parts: &mut Map) {
    let Some(state) = parts.get("remote_state").cloned() else { return };
    let body = &names.file.body;
    let block = body.blocks_of("remote_state").next();
    let written = |name: &str| block.and_then(|block| block.body.get(name)).or_else(|| body.get("remote_state"));
    let wrong = |name: &str, message: String| {
        let span = written(name).map_or(Span::default(), |attribute| attribute.expr.span);
        names.session.error(&rules::INVALID_VALUE, message, (names.file.id, span));
    };
    if let Some(config) = state.get("config").filter(|c| c.as_map().is_none() && !c.holds(Flags::UNKNOWN)) {
        wrong("config", format!("config of remote_state must be an object, and this is {}", config.a_kind()));
    }
    if let Some(generate) = state.get("generate").and_then(Value::as_map) {
        for name in GENERATE_OF_STATE.into_iter().filter(|name| !generate.has(name)) {
            wrong("generate", format!("generate of remote_state needs \"{name}\""));
        }
    }
    parts.set("remote_state", without_others(state));
}

/// `remote_state` with the keys of `generate` that count: the others are accepted, and lost.
fn without_others(mut state: Value) -> Value {
    if let Some(generate) = state.get("generate").filter(|generate| generate.as_map().is_some()).cloned()
        && let (Some(map), value::Data::Map(parts)) = (generate.as_map(), &mut state.data)
    {
        let kept = map.iter().filter(|entry| GENERATE_OF_STATE.contains(&&*entry.key));
        let kept: Map = kept.map(|entry| (entry.key.clone(), entry.value.clone())).collect();
        let kept = Value { data: value::Data::Map(kept.into()), prov: generate.prov };
        Arc::make_mut(parts).set("generate", kept);
    }
    state
}

/// The generated files by the name of their block.
fn generate(names: &Names<'_, '_>) -> Map {
    let body = &names.file.body;
    let mut found = Map::new();
    for block in body.blocks_of("generate") {
        let value = whole(names, block, kind("generate"));
        for (name, words) in [("if_exists", &IF_EXISTS[..]), ("if_disabled", &IF_DISABLED[..])] {
            let span = block.body.get(name).map(|attribute| attribute.expr.span);
            word(names, value.get(name).zip(span), name, words);
        }
        if let Some(mutable) = block.body.get("mutable") {
            let message = "the attribute \"mutable\" of a generate block requires the experiment 'cas'";
            names.session.error(&rules::INVALID_VALUE, message, (names.file.id, mutable.name.span));
        }
        if let Some(label) = block.label(0) {
            found.set(Key::from(&**label), generated(&value));
        }
    }
    if let Some(written) = body.get("generate") {
        let value = evaluated(names, &written.expr);
        for entry in value.as_map().into_iter().flat_map(|map| map.iter()) {
            let span = written.expr.span;
            // Terragrunt writes an empty file without contents, and nothing at all if it is switched off.
            let is_off = entry.value.get("disable").and_then(Value::as_bool) == Some(true);
            let lacking = if is_off { &["contents", "path"][..] } else { &["contents"] };
            let Some(map) = object(names, &entry.value, (schema::GENERATE, lacking), span) else { continue };
            for (name, words) in [("if_exists", &IF_EXISTS[..]), ("if_disabled", &IF_DISABLED[..])] {
                word(names, map.get(name).map(|value| (value, span)), name, words);
            }
            let value = Value { data: value::Data::Map(map.into()), prov: entry.value.prov.clone() };
            found.set(entry.key.clone(), generated(&value));
        }
    }
    found
}

/// Reports a value that is none of the words that there are.
fn word(names: &Names<'_, '_>, value: Option<(&Value, Span)>, name: &str, words: &[&str]) {
    let Some((value, span)) = value else { return };
    if let Some(text) = value.as_str().filter(|text| !words.contains(text)) {
        let message = format!("\"{text}\" is no value of {name}: it can be {}", words.join(", "));
        names.session.error(&rules::INVALID_VALUE, message, (names.file.id, span));
    }
}
