//! The content of a stack file: the units and stacks that it generates.

use super::FOLDER;
use crate::dialects::terragrunt::checks::reads;
use crate::dialects::terragrunt::config::{check_body, converted, evaluated, values};
use crate::dialects::terragrunt::file::File;
use crate::dialects::terragrunt::generated::{Autoinclude, Made, values_elsewhere};
use crate::dialects::terragrunt::names::{Names, Stage};
use crate::dialects::terragrunt::place::{Place, inside, shown};
use crate::dialects::terragrunt::rules;
use crate::dialects::terragrunt::schema::{self, Kind};
use crate::dialects::terragrunt::session::Session;
use crate::dialects::terragrunt::values::unknown_data;
use crate::hcl::ast::{Attribute, Block, Body, Span};
use crate::hcl::val::Data as ValData;
use crate::paths;
use crate::text::Text;
use crate::value::{Data, FileId, Key, Map, Origin, Value};
use std::sync::Arc;

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
    /// The arguments that say what is generated, and where.
    pub places: Vec<Origin>,
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
    pub autoinclude: Option<Arc<Autoinclude>>,
    /// What is added to the file of the stack.
    pub added: Vec<Entry>,
}

/// A stack file as it was read.
#[derive(Clone, Debug, Default)]
pub(super) struct StackFile {
    /// Its blocks, then those of included files, then those that a stack around it adds.
    pub entries: Vec<Entry>,
    /// Whether it reads values that nothing in the repository gives.
    pub is_open: bool,
}

/// What a stack around it gives to a stack.
#[derive(Clone, Copy, Default)]
pub(super) struct Given<'g> {
    /// The values; without them those beside the file.
    pub values: Option<&'g Value>,
    /// Blocks that replace those of the same name.
    pub added: &'g [Entry],
    /// Whether there is one: no other values than these are possible then.
    pub is_nested: bool,
}

/// Reads a stack file whose relative paths count from a folder.
pub(super) fn read(session: &Session<'_>, file: &File, dir: &str, given: Given<'_>) -> StackFile {
    let mut own = names(session, file, dir, given);
    let is_open = own.is_unknown("values");
    let others = included(&own);
    own.enter(Stage::Locals);
    let mut all = vec![own];
    if !others.is_empty() {
        let local = Value::map(all[0].all_locals());
        all.extend(others.iter().map(|other| names(session, other, dir, given)));
        all[1..].iter_mut().for_each(|names| {
            names.set("local", local.clone());
            names.enter(Stage::Locals);
        });
    }
    let [units, stacks] = [Made::Unit, Made::Stack].map(|made| folders(&all, dir, made, given.added));
    for names in &mut all {
        names.set("unit", units.clone());
        names.set("stack", stacks.clone());
    }
    let is_replaced = |entry: &Entry| given.added.iter().any(|new| new.made == entry.made && new.name == entry.name);
    let written = all.iter().flat_map(|names| blocks(&names.file.body).map(move |(made, block)| (names, made, block)));
    let mut entries: Vec<Entry> = written.filter_map(|(names, made, block)| entry(names, block, made)).collect();
    entries.retain(|entry| !is_replaced(entry));
    entries.extend(given.added.iter().cloned());
    StackFile { entries, is_open }
}

/// The names of a stack file without `local`, `unit` and `stack`.
fn names<'s, 'a>(session: &'s Session<'a>, file: &'s File, dir: &str, given: Given<'_>) -> Names<'s, 'a> {
    check_body(session, file, &file.body, &schema::STACK);
    let folder = paths::parent(&file.path).to_owned();
    let elsewhere = || (!given.is_nested && reads(&file.body, "values")).then(values_elsewhere);
    let given = given.values.cloned().or_else(|| values(session, &folder)).or_else(elsewhere);
    let (dir, original) = (dir.to_owned(), dir.to_owned());
    let mut names = Names::new(session, file, Place { folder, dir, original, included: None, includes: Vec::new() });
    if let Some(values) = given {
        names.set("values", values);
    }
    names
}

/// The blocks of units and stacks.
fn blocks(body: &Body) -> impl Iterator<Item = (Made, &Block)> {
    body.blocks.iter().filter_map(|block| match &*block.kind.text {
        "unit" => Some((Made::Unit, block)),
        "stack" => Some((Made::Stack, block)),
        _ => None,
    })
}

/// The folder that a block is generated into.
pub(super) fn folder(dir: &str, path: &str, is_beside: bool) -> Option<String> {
    let within = if is_beside { dir.to_owned() } else { paths::join(dir, FOLDER) };
    paths::resolve(&within, path)
}

/// The folders that blocks of a kind are generated into, as expressions see them: `unit.NAME.path`.
fn folders(all: &[Names<'_, '_>], dir: &str, made: Made, added: &[Entry]) -> Value {
    let entry = |name: &str, path: Option<&str>, is_beside: bool| {
        let known = path.and_then(|path| folder(dir, path, is_beside)).map(|folder| Value::str(shown(&folder)));
        let unknown = || Value::new(unknown_data(name.into(), "the path of the block is not known", &[]));
        (Key::from(name), Value::map([(Key::from("path"), known.unwrap_or_else(unknown))].into_iter().collect()))
    };
    let mut found = Map::new();
    for names in all {
        for (_, block) in blocks(&names.file.body).filter(|(kind, _)| *kind == made) {
            let value = |key: &str| block.body.get(key).map(|written| evaluated(names, &written.expr));
            let is_beside = value("no_dot_terragrunt_stack").is_some_and(|value| value.as_bool() == Some(true));
            if let Some(name) = block.label(0) {
                let (key, value) = entry(name, value("path").as_ref().and_then(Value::as_str), is_beside);
                found.set(key, value);
            }
        }
    }
    for new in added.iter().filter(|new| new.made == made) {
        let (key, value) = entry(&new.name, new.path.as_deref(), new.is_beside);
        found.set(key, value);
    }
    Value::map(found)
}

/// Reads a stack file as an object, with its locals.
pub(super) fn object_of(session: &Session<'_>, file: &File) -> Value {
    let folder = paths::parent(&file.path).to_owned();
    let read = read(session, file, &folder, Given::default());
    let place = Place::of_file(&file.path, &session.unit);
    let mut names = Names::new(session, file, place);
    names.enter(Stage::Locals);
    let of = |made: Made| -> Map {
        let all = read.entries.iter().filter(|entry| entry.made == made);
        all.map(|entry| {
            let name = Some(("name", Value::str(entry.name.clone())));
            let path = entry.path.as_ref().map(|path| ("path", Value::str(path.clone())));
            let source = entry.source.clone().map(|source| ("source", source));
            let values = entry.values.clone().map(|values| ("values", values));
            let parts = [name, path, source, values].into_iter().flatten();
            (Key::from(&*entry.name), Value::map(parts.map(|(key, value)| (Key::from(key), value)).collect()))
        })
        .collect()
    };
    let parts = [("local", names.all_locals()), ("unit", of(Made::Unit)), ("stack", of(Made::Stack))];
    Value::map(parts.into_iter().map(|(key, map)| (Key::from(key), Value::map(map))).collect())
}

/// The stack files that one includes. They have no locals and no includes of their own: they see the locals of the other.
fn included(names: &Names<'_, '_>) -> Vec<File> {
    names.file.body.blocks_of("include").filter_map(|block| include(names, block)).collect()
}

fn include(names: &Names<'_, '_>, block: &Block) -> Option<File> {
    let written = block.body.get("path")?;
    let (session, at) = (names.session, (names.file.id, written.expr.span));
    let value = names.eval(&written.expr);
    let path = value.as_str().and_then(|text| inside(&names.place.dir, text));
    if let Some(why) = path.as_ref().and_then(|path| session.loader.unavailable(path)) {
        session.error(&rules::INCOMPLETE_ANALYSIS, why, at);
        return None;
    }
    let found = path.filter(|path| session.loader.has(path) && *path != names.file.path);
    let Some(path) = found else {
        if !value.is_unknown() {
            let message = "include configuration not found: there is no such stack file";
            session.error(&rules::UNRESOLVED_INCLUDE, message, at);
        }
        return None;
    };
    let file = File::open(session, &path, false)?;
    for block in file.body.blocks.iter().filter(|block| matches!(&*block.kind.text, "locals" | "include")) {
        let message = format!("a stack file that another one includes must not have a block {}", block.kind.text);
        session.error(&rules::INVALID_BLOCK, message, (file.id, block.header()));
    }
    Some(file)
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
    let over = block.body.blocks_of("autoinclude").next();
    for locals in over.into_iter().flat_map(|over| over.body.blocks_of("locals")) {
        let message = "an autoinclude block must not have locals: it sees those of the stack file";
        session.error(&rules::INVALID_BLOCK, message, (names.file.id, locals.header()));
    }
    let autoinclude = over.filter(|_| made == Made::Unit).map(|over| Autoinclude {
        file: names.file.id,
        path: names.file.path.clone(),
        body: Arc::new(over.body.clone()),
        place: names.place.clone(),
        names: names.all(),
    });
    let placing = ["source", "path", "no_dot_terragrunt_stack"].into_iter().filter_map(|key| block.body.get(key));
    let place = |written: &Attribute| {
        let (key, value) = (written.name.span, written.expr.span);
        Origin { file: names.file.id, key: key.start, start: value.start, end: value.end }
    };
    let added = over.filter(|_| made == Made::Stack).into_iter().flat_map(|over| blocks(&over.body));
    let (source, source_span) = source.map_or((None, block.header()), |(value, span)| (Some(value), span));
    Some(Entry {
        made,
        name: Text::clone(&name),
        file: names.file.id,
        header: block.header(),
        source_span,
        places: placing.map(place).collect(),
        source,
        path: text,
        values: attribute("values", Kind::Any).map(|(value, _)| value),
        is_beside: is("no_dot_terragrunt_stack"),
        is_unchecked: is("no_validation"),
        autoinclude: autoinclude.map(Arc::new),
        added: added.filter_map(|(made, block)| self::entry(names, block, made)).collect(),
    })
}
