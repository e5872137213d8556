//! Which variables the templates of a merged manifest read.

use super::difference::Variables;
use crate::dialects::atmos::config::Templates;
use crate::dialects::atmos::stack::StackContext;
use crate::dialects::atmos::templates::engine::Engine;
use crate::dialects::atmos::templates::function_sets;
use crate::template::MissingKey;
use crate::text::FastMap;
use crate::value::{Data, Entry, Flags, Map, Value, has_template};
use std::sync::Arc;

/// Maps that read none of some variables: many manifests have the same ones.
#[derive(Debug, Default)]
pub(super) struct NoReaders {
    variables: Variables,
    /// By their addresses in memory, which stay valid because the maps are kept alive.
    maps: FastMap<usize, Arc<Map>>,
}

/// Whether a template of a merged manifest or of the configuration, whose `env` and `auth` become parts of components, may read one
/// of these variables.
pub(super) fn any(stacks: &StackContext<'_>, merged: &Map, variables: &Variables, known: &mut NoReaders) -> bool {
    if variables.is_empty() {
        return false;
    }
    if known.variables != *variables {
        *known = NoReaders { variables: variables.clone(), ..NoReaders::default() };
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
    any_in_map(&engine, merged, known) || any_in_value(&engine, &stacks.config.all, known)
}

fn any_in_map(engine: &Engine<'_>, map: &Map, known: &mut NoReaders) -> bool {
    let in_entry = |e: &Entry| has_template(&e.key) || any_in_value(engine, &e.value, known);
    map.flags().has(Flags::TEMPLATE) && map.iter().any(in_entry)
}

fn any_in_value(engine: &Engine<'_>, value: &Value, known: &mut NoReaders) -> bool {
    match &value.data {
        Data::Map(map) => {
            let address = Arc::as_ptr(map).addr();
            if !map.flags().has(Flags::TEMPLATE) || known.maps.contains_key(&address) {
                return false;
            }
            let found = any_in_map(engine, map, known);
            if !found && Arc::strong_count(map) > 1 {
                known.maps.insert(address, Arc::clone(map));
            }
            found
        }
        Data::List(items) => items.iter().any(|item| any_in_value(engine, item, known)),
        Data::Str(text) => has_template(text) && reads(engine, text, &known.variables),
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
