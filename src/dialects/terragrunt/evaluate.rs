//! The files that functions read, as objects.

use super::file::File;
use super::load::{STACK, VALUES};
use super::place::Place;
use super::session::Session;
use super::{config, object, stacks};
use crate::paths;
use crate::value::Value;

/// The ending of files of values.
const TFVARS: &str = ".tfvars";

/// The object of a file: a configuration, a stack, or values.
pub(super) fn object_at(session: &Session<'_>, path: &str) -> Value {
    match paths::name(path) {
        STACK => stacks::read(session, path),
        VALUES => config::values(session, paths::parent(path)).unwrap_or_default(),
        name if name.ends_with(TFVARS) => {
            let file = File::open(session, path, false);
            file.map_or_else(Value::default, |file| Value::map(config::literals(session, &file)))
        }
        _ => {
            let place = Place::of_file(path, &session.unit);
            let file = File::open(session, path, true);
            file.map_or_else(Value::default, |file| object::of(&config::evaluate(session, &file, place)))
        }
    }
}
