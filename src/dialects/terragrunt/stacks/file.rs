//! The content of a stack file: the units and stacks that it generates.

use crate::dialects::terragrunt::config::{check_body, converted, values};
use crate::dialects::terragrunt::file::File;
use crate::dialects::terragrunt::names::{Names, Stage};
use crate::dialects::terragrunt::place::{Place, inside};
use crate::dialects::terragrunt::rules;
use crate::dialects::terragrunt::schema::{self, Kind};
use crate::dialects::terragrunt::session::Session;
use crate::hcl::ast::{Block, Body, Span};
use crate::hcl::val::Data as ValData;
use crate::paths;
use crate::text::Text;
use crate::value::{Data, FileId, Key, Map, Value};
use std::sync::Arc;

/// What a block generates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Made {
    /// A unit.
    Unit,
    /// A stack with units of its own.
    Stack,
}

/// A block of a stack file.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    /// What it generates.
    pub made: Made,
    /// Its label.
    pub name: Text,
    /// The file of the block.
    pub file: FileId,
    /// Where it is written.
    pub header: Span,
    /// Where the source is written.
    pub source_span: Span,
    /// The source; `None` if it is not known.
    pub source: Option<Value>,
    /// The folder below that of the stack; `None` if it is not known.
    pub path: Option<Text>,
    /// The values that it gets.
    pub values: Option<Value>,
    /// Whether it lies directly beside the stack file.
    pub is_beside: bool,
    /// Whether the source need not hold a unit.
    pub is_unchecked: bool,
    /// What is merged over the unit.
    pub autoinclude: Option<Arc<Body>>,
}

/// A stack file as it was read.
#[derive(Clone, Debug, Default)]
pub(super) struct StackFile {
    /// Its blocks, those of included files first.
    pub entries: Vec<Entry>,
}

/// Reads a stack file whose relative paths count from a folder.
pub(super) fn read(session: &Session<'_>, file: &File, dir: &str, given: Option<&Value>) -> StackFile {
    check_body(session, file, &file.body, &schema::STACK);
    let folder = paths::parent(&file.path).to_owned();
    let place = Place {
        folder: folder.clone(),
        dir: dir.to_owned(),
        original: dir.to_owned(),
        included: None,
        includes: Vec::new(),
    };
    let mut names = Names::new(session, file, place);
    if let Some(values) = given.cloned().or_else(|| values(session, &folder)) {
        names.set("values", values);
    }
    names.enter(Stage::Locals);
    let mut found = StackFile::default();
    for block in file.body.blocks_of("include") {
        found.entries.extend(included(&names, block, given));
    }
    for block in &file.body.blocks {
        let made = match &*block.kind.text {
            "unit" => Made::Unit,
            "stack" => Made::Stack,
            _ => continue,
        };
        found.entries.extend(entry(&names, block, made));
    }
    found
}

/// Reads a stack file as an object, with its locals.
pub(super) fn object_of(session: &Session<'_>, file: &File) -> Value {
    let folder = paths::parent(&file.path).to_owned();
    let read = read(session, file, &folder, None);
    let place = Place::of_file(&file.path, &session.unit);
    let mut names = Names::new(session, file, place);
    names.enter(Stage::Locals);
    let of = |made: Made| -> Map {
        let all = read.entries.iter().filter(|entry| entry.made == made);
        all.map(|entry| {
            let path = entry.path.as_ref().map(|path| (Key::from("path"), Value::str(path.clone())));
            let source = entry.source.clone().map(|source| (Key::from("source"), source));
            (Key::from(&*entry.name), Value::map(path.into_iter().chain(source).collect()))
        })
        .collect()
    };
    let parts = [("local", names.all_locals()), ("unit", of(Made::Unit)), ("stack", of(Made::Stack))];
    Value::map(parts.into_iter().map(|(key, map)| (Key::from(key), Value::map(map))).collect())
}

/// The blocks of a stack file that another one includes.
fn included(names: &Names<'_, '_>, block: &Block, given: Option<&Value>) -> Vec<Entry> {
    let Some(written) = block.body.get("path") else { return Vec::new() };
    let session = names.session;
    let value = names.eval(&written.expr);
    let path = value.as_str().and_then(|text| inside(&names.place.dir, text));
    if let Some(why) = path.as_ref().and_then(|path| session.loader.unavailable(path)) {
        session.error(&rules::INCOMPLETE_ANALYSIS, why, (names.file.id, written.expr.span));
        return Vec::new();
    }
    let found = path.filter(|path| session.loader.has(path) && *path != names.file.path);
    let Some(path) = found else {
        if !value.is_unknown() {
            let message = "include configuration not found: there is no such stack file";
            session.error(&rules::UNRESOLVED_INCLUDE, message, (names.file.id, written.expr.span));
        }
        return Vec::new();
    };
    let depth = session.reading.borrow().len();
    if depth > 8 || session.reading.borrow().contains(&path) {
        return Vec::new();
    }
    session.reading.borrow_mut().push(path.clone());
    let file = File::open(session, &path, false);
    let entries = file.map(|file| read(session, &file, &names.place.dir, given).entries);
    session.reading.borrow_mut().pop();
    entries.unwrap_or_default()
}

fn entry(names: &Names<'_, '_>, block: &Block, made: Made) -> Option<Entry> {
    let session = names.session;
    let name = Text::clone(block.label(0)?);
    let attribute = |key: &str, kind: Kind| {
        let written = block.body.get(key)?;
        let val = names.eval(&written.expr);
        match converted(&val, kind) {
            Ok(val) if matches!(val.data, ValData::Null(_)) => None,
            Ok(val) => Some((names.export(&written.expr, &val), written.expr.span)),
            Err(why) => {
                let message = format!("unsuitable value for {key}: {why}");
                session.error(&rules::INVALID_VALUE, message, (names.file.id, written.expr.span));
                None
            }
        }
    };
    let is = |key: &str| attribute(key, Kind::Bool).is_some_and(|(value, _)| value.as_bool() == Some(true));
    for expansion in block.body.blocks_of("expansion") {
        let message =
            format!("the block \"{name}\" uses an expansion block, which requires the experiment 'block-iteration'");
        session.error(&rules::STACK, message, (names.file.id, expansion.kind.span));
    }
    let source = attribute("source", Kind::Text);
    let path = attribute("path", Kind::Text);
    let wrong = |key: &str, value: &Option<(Value, Span)>| {
        if let Some((value, span)) = value
            && value.as_str() == Some("")
        {
            session.error(&rules::STACK, format!("the {key} of \"{name}\" is empty"), (names.file.id, *span));
        }
    };
    wrong("source", &source);
    wrong("path", &path);
    if let Some((value, span)) = &path
        && let Some(text) = value.as_str()
        && (text.starts_with('/') || text.starts_with('<') || paths::resolve("", text).is_none())
    {
        let message = format!("the path {text} of \"{name}\" leads out of the stack");
        session.error(&rules::STACK, message, (names.file.id, *span));
        return None;
    }
    let text = path.and_then(|(value, _)| match value.data {
        Data::Str(text) => Some(text),
        _ => None,
    });
    let (source, source_span) = source.map_or((None, block.header()), |(value, span)| (Some(value), span));
    Some(Entry {
        made,
        name: Text::clone(&name),
        file: names.file.id,
        header: block.header(),
        source_span,
        source,
        path: text,
        values: attribute("values", Kind::Any).map(|(value, _)| value),
        is_beside: is("no_dot_terragrunt_stack"),
        is_unchecked: is("no_validation"),
        autoinclude: block.body.blocks_of("autoinclude").next().map(|block| Arc::new(block.body.clone())),
    })
}
