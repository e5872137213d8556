//! Units whose content is elsewhere, so that nothing is known of what they read but where Terragrunt searches.

use super::component;
use super::discovery::address;
use super::generated::{Made, MadeUnit};
use super::load::{AUTOINCLUDE, Loader, STACK as STACK_FILE, VALUES};
use super::unit::{KIND, Resolved, STACK};
use super::values::unknown_data;
use crate::dialects::and_around;
use crate::paths;
use crate::reads::made_of;
use crate::resolution::{Component, State, Unit};
use crate::source::Child;
use crate::text::Text;
use crate::value::{Data, FileId, Key, Map, Origin, Prov, Read, Value};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The endings of data that configuration reads.
const DATA: [&str; 5] = [".yaml", ".yml", ".json", ".tfvars", ".toml"];
/// The most names of data that are searched one by one.
const MAX_NAMES: usize = 200;

/// What a unit of a folder may read though its text is not known: files of configuration in the folders above it, which
/// `find_in_parent_folders` finds, and the data that these name, by a path from one of these folders.
fn may_read(loader: &Loader<'_>, folder: &str) -> (Vec<Read>, Vec<FileId>) {
    let reader = &loader.modules.loader.reader;
    let above: Vec<&str> = and_around(folder).skip(1).collect();
    let is_file = |name: &str, child: Child| child != Child::Dir && is_configuration(name);
    let files = above.iter().flat_map(|parent| {
        let children = reader.children(parent).into_iter();
        children.filter(|(name, child)| is_file(name, *child)).map(|(name, _)| paths::join(parent, name))
    });
    let files: Vec<String> = files.collect();
    let named: BTreeSet<Text> = files.iter().flat_map(|path| data_names(loader, path).to_vec()).collect();
    if named.len() > MAX_NAMES {
        return (vec![made_of::anything(reader.source())], Vec::new());
    }
    let data = named.iter().flat_map(|name| above.iter().filter_map(|parent| paths::resolve(parent, name)));
    let data = data.filter(|path| loader.has(path));
    let all: BTreeSet<String> = files.into_iter().chain(data).collect();
    let reads = all.iter().flat_map(|path| reader.made_of(path)).collect();
    (reads, all.iter().filter_map(|path| loader.modules.loader.add(path)).collect())
}

/// Whether a name is that of a file of configuration that units read; what stacks consist of is evaluated.
fn is_configuration(name: &str) -> bool {
    name.ends_with(".hcl") && !name.starts_with('.') && ![STACK_FILE, VALUES, AUTOINCLUDE].contains(&name)
}

/// The words of a file of configuration that may be paths of data.
fn data_names(loader: &Loader<'_>, path: &str) -> Arc<Vec<Text>> {
    let reader = &loader.modules.loader.reader;
    let Ok(entry) = reader.resolve(path) else { return Arc::default() };
    let (cache, key) = (&loader.cache.data_names, (entry.id, ()));
    cache.get(&key).unwrap_or_else(|| {
        let bytes = reader.bytes(path, entry).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let is_data = |word: &&str| DATA.iter().any(|ending| word.ends_with(ending));
        let names = made_of::words(&text).into_iter().filter(is_data).map(Text::from).collect();
        cache.insert(key, names)
    })
}

/// A unit, or a stack, whose content is elsewhere: its address and its values are known, and what it may read here.
pub(super) fn unit(loader: &Loader<'_>, folder: &str, id: Text, made: &MadeUnit) -> Resolved {
    let (stack, name) = address(folder);
    let (kind, reason) = match made.made {
        Made::Unit => (KIND, "the source of the unit is not part of the repository"),
        Made::Stack => (STACK, "the source of the stack is not part of the repository, so its units are not known"),
    };
    let (may_read, files) = may_read(loader, folder);
    let reads = made.values.as_ref().map(|values| made_of::value("values", values));
    let text = made.source.as_str().unwrap_or("(not known)");
    let source = made_of::value("source", &made.source);
    let all: Vec<Read> = reads.into_iter().chain([source]).chain(may_read).collect();
    let whole = |file: &FileId| {
        let end = loader.modules.loader.reader.files.get(*file).text.len() as u32;
        Prov::at(Origin { file: *file, key: 0, start: 0, end })
    };
    let inputs = Value {
        data: unknown_data(text.into(), reason, &all),
        prov: made.source.prov.with_inputs(files.iter().map(whole)),
    };
    let mut parts: Map =
        [(Key::from("source"), made.source.clone()), (Key::from("inputs"), inputs)].into_iter().collect();
    if let Some(values) = made.values.as_ref() {
        parts.set("values", values.clone());
    }
    let (file, span) = made.at;
    let origin = Origin { file, key: span.start, start: span.start, end: span.end };
    let value = Value::at(Data::Map(Arc::new(parts)), origin);
    let mut component = Component::new((stack, kind.into(), name), value);
    component.language = component::language();
    component.metadata.inputs.is_open = true;
    let mut unit = Unit { state: State::Resolved, components: vec![Arc::new(component)], ..Unit::broken(id, file) };
    unit.files.extend(files);
    unit.files.extend(made.files.iter());
    unit.files.sort();
    unit.files.dedup();
    Resolved::of(unit, Vec::new())
}
