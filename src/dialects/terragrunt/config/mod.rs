//! The evaluation of one file of configuration: what it includes, its features and locals, its dependencies, and the rest.

mod blocks;
mod check;
mod dependency;
mod feature;
mod include;

pub(super) use blocks::{converted, evaluated};
pub(super) use check::body as check_body;
pub(super) use dependency::scope as dependency_scope;

use super::file::{Config, File, Included, Strategy};
use super::load::VALUES;
use super::merge;
use super::names::{Names, Stage};
use super::place::Place;
use super::rules;
use super::schema::{self, BlockType};
use super::session::Session;
use crate::hcl::ast::Span;
use crate::paths;
use crate::value::{Key, Map, Origin, Value};

/// The values beside a file.
pub(super) fn values(session: &Session<'_>, folder: &str) -> Option<Value> {
    if let Some(values) = session.generated.values(folder) {
        return Some(values);
    }
    let path = paths::join(folder, VALUES);
    if !session.loader.has(&path) {
        return session.generated.values_elsewhere(folder);
    }
    let file = File::open(session, &path, false)?;
    Some(Value::map(literals(session, &file)))
}

/// The attributes of a file that has only values.
pub(super) fn literals(session: &Session<'_>, file: &File) -> Map {
    let names = Names::new(session, file, Place::of_file(&file.path, &session.unit));
    for block in &file.body.blocks {
        let message = format!("unsupported block type: blocks of type \"{}\" are not expected here", block.kind.text);
        session.error(&rules::INVALID_BLOCK, message, (file.id, block.kind.span));
    }
    let one = |attribute: &crate::hcl::ast::Attribute| {
        let value = names.eval(&attribute.expr);
        (Key::from(&*attribute.name.text), names.export(&attribute.expr, &value))
    };
    file.body.attributes.iter().map(one).collect()
}

/// What others give to a file.
#[derive(Clone, Debug, Default)]
pub(super) struct Given<'g> {
    /// Names with their values, which take the place of its own.
    pub names: Vec<(&'static str, Value)>,
    /// The parts of a file that is merged over it, below the files that it includes. Its dependencies replace those of the file
    /// before anything reads them.
    pub over: Option<&'g Map>,
    /// What its expressions see of dependencies, if that is not what its own say.
    pub outputs: Option<Value>,
}

/// Evaluates a file.
pub(super) fn evaluate(session: &Session<'_>, file: &File, place: Place) -> Config {
    evaluate_with(session, file, place, &Given::default())
}

/// The same with what others give to it.
pub(super) fn evaluate_with(session: &Session<'_>, file: &File, place: Place, given: &Given<'_>) -> Config {
    check::body(session, file, &file.body, &schema::UNIT);
    let is_included = place.included.is_some();
    let mut names = Names::new(session, file, place);
    if let Some(values) = values(session, paths::parent(&file.path)) {
        names.set("values", values);
    }
    for (name, value) in &given.names {
        names.set(name, value.clone());
    }
    let mut includes = match is_included {
        true => {
            include::refuse(&names);
            Vec::new()
        }
        false => include::all(&names),
    };
    let folder = |i: &Included| i.unknown.is_none().then(|| paths::parent(&i.path).to_owned());
    names.place.includes = includes.iter().map(|i| (i.label.clone(), folder(i))).collect();
    let mut parts = Map::new();
    let features = feature::all(&names);
    let inherited = merge::parts_of("feature", merged(&includes), features.as_ref());
    names.set("feature", feature::scope(&names, inherited.as_ref()));
    add(&mut parts, "feature", features);
    if !includes.is_empty() {
        names.set("include", include::scope(&includes));
    }
    names.enter(Stage::Locals);
    let locals = names.all_locals();
    if !locals.is_empty() {
        parts.set("locals", Value::map(locals));
    }
    blocks::early(&names, &mut parts);
    let dependencies = dependency::all(&names);
    let own = merge::over("dependency", dependencies.as_ref(), given.over.and_then(|over| over.get("dependency")));
    let all = merge::parts_of("dependency", merged(&includes), own.as_ref());
    if !is_included {
        dependency::check(session, all.as_ref());
    }
    let scope = given.outputs.clone().unwrap_or_else(|| dependency::scope(all.as_ref()));
    if given.outputs.is_none() && include::give(&names, &mut includes, &scope) {
        names.set("include", include::scope(&includes));
    }
    names.set("dependency", scope);
    add(&mut parts, "dependency", dependencies);
    blocks::rest(&names, &mut parts);
    if let Some(over) = given.over {
        let own = std::mem::replace(&mut parts, over.clone());
        merge::below(session, &mut parts, Strategy::Shallow, &own, (file.id, Span::default()));
        add(&mut parts, "locals", own.get("locals").cloned());
    }
    let at = Origin { file: file.id, key: 0, start: 0, end: 0 };
    merge::includes(session, &mut parts, &includes, at);
    Config { parts, includes }
}

/// The parts of the included files that are merged.
fn merged(includes: &[Included]) -> impl Iterator<Item = (Strategy, &Map)> {
    includes.iter().filter_map(|include| Some((include.strategy?, &include.config.parts)))
}

fn add(parts: &mut Map, name: &'static str, value: Option<Value>) {
    if let Some(value) = value {
        parts.set(name, value);
    }
}

/// The type of a block of a unit.
fn kind(name: &str) -> &'static BlockType {
    schema::UNIT.block(name).unwrap_or(&schema::UNIT)
}
