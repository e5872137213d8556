//! Which variables the templates of a merged manifest read.

use super::difference::Variables;
use crate::dialects::atmos::config::Templates;
use crate::dialects::atmos::stack::StackContext;
use crate::dialects::atmos::templates::engine::Engine;
use crate::dialects::atmos::templates::function_sets;
use crate::template::MissingKey;
use crate::value::{Data, Entry, Flags, Map, Value, has_template};

/// Whether a template of a merged manifest or of the configuration, whose `env` and `auth` become parts of components, may read one
/// of these variables.
pub(super) fn any(stacks: &StackContext<'_>, merged: &Map, variables: &Variables) -> bool {
    if variables.is_empty() {
        return false;
    }
    let Templates { enabled, evaluations, delimiters, sprig, gomplate, .. } = &stacks.config.templates;
    let names = stacks.name_engine(MissingKey::Error);
    if has_template(&stacks.config.name_template) && reads(&names, &stacks.config.name_template, variables) {
        return true;
    }
    // What a template prints is a template in the next round.
    if delimiters.is_some() || *enabled && *evaluations != 1 {
        return true;
    }
    let functions = function_sets::component(*sprig, *gomplate);
    let engine = stacks.component_engine(&functions, ("{{", "}}"));
    any_in_map(&engine, merged, variables) || any_in_value(&engine, &stacks.config.all, variables)
}

fn any_in_map(engine: &Engine<'_>, map: &Map, variables: &Variables) -> bool {
    let in_entry = |e: &Entry| has_template(&e.key) || any_in_value(engine, &e.value, variables);
    map.flags().has(Flags::TEMPLATE) && map.iter().any(in_entry)
}

fn any_in_value(engine: &Engine<'_>, value: &Value, variables: &Variables) -> bool {
    match &value.data {
        Data::Map(map) => any_in_map(engine, map, variables),
        Data::List(items) => items.iter().any(|item| any_in_value(engine, item, variables)),
        Data::Str(text) => has_template(text) && reads(engine, text, variables),
        Data::Unknown(unknown) => has_template(&unknown.text),
        _ => false,
    }
}

/// Whether a template may read one of the variables, or something around it.
fn reads(engine: &Engine<'_>, text: &str, variables: &Variables) -> bool {
    let parsed = engine.parse(text);
    let Ok(template) = &*parsed else { return true };
    let reads = template.reads();
    let paths = reads.references.iter().map(|reference| &reference.path).chain(&reads.whole);
    !reads.complete || paths.into_iter().any(|path| variables.iter().any(|variable| overlap(path, variable)))
}

/// Whether one of two paths is above the other, or they are the same.
fn overlap(a: &[String], b: &[String]) -> bool {
    a.iter().zip(b).all(|(a, b)| a == b)
}
