//! What is run in one revision.

use super::named;
use crate::paths;
use crate::resolution::{Address, Code, CodeOrigin, Component, Resolution};
use crate::terraform::evaluation::given::{Given, VariableInput};
use crate::terraform::module::modules::Modules;
use crate::terraform::reach::{self, Reach};
use crate::text::Text;
use crate::value::{Data, FileId, Read, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Something that runs code: a component, or a stack as a whole.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    pub address: Address,
    /// The folder of its code, from the root of the repository.
    pub folder: Text,
    /// The files that its code consists of: an index into [`Runs::reaches`].
    pub reach: usize,
    /// What is fetched into the folder, if the code is not in the repository.
    pub fetched: Vec<Fetched>,
}

/// Something that is fetched into a folder.
#[derive(Clone, Debug)]
pub(crate) struct Fetched {
    /// The file that says so.
    pub file: FileId,
    /// What is fetched.
    pub content: Read,
}

/// What runs code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Runners {
    /// Components of stacks.
    #[default]
    Components,
    /// Stacks as a whole, which their system calls so.
    Stacks(&'static str),
}

/// All that runs code in one revision.
#[derive(Debug, Default)]
pub(crate) struct Runs {
    /// Sorted by address.
    pub all: Vec<Run>,
    /// The files of their code; what runs the same code refers to the same.
    pub reaches: Vec<Reach>,
    /// What kind they are of.
    pub runners: Runners,
}

impl Runs {
    pub(crate) fn of(&self, address: &Address) -> Option<&Run> {
        let index = self.all.binary_search_by(|run| run.address.cmp(address)).ok()?;
        self.all.get(index)
    }

    /// Adds files to what something runs, which may have no code in the repository otherwise.
    pub(crate) fn add_files(&mut self, address: Address, folder: &Text, files: BTreeSet<String>) {
        let (known, reach) = (self.all.binary_search_by(|run| run.address.cmp(&address)), self.reaches.len());
        let before = known.ok().and_then(|index| self.reaches.get(self.all[index].reach)).cloned();
        self.reaches.push(before.unwrap_or_default().with_files(files));
        match known {
            Ok(index) => self.all[index].reach = reach,
            Err(index) => {
                self.all.insert(index, Run { address, folder: Text::clone(folder), reach, fetched: Vec::new() });
            }
        }
    }

    /// What runs a file, or code that may be in it.
    pub(crate) fn touched_by<'r>(&'r self, path: &str) -> impl Iterator<Item = &'r Run> + use<'r> {
        let touched: Vec<bool> = self.reaches.iter().map(|reach| reach.touch(path).is_some()).collect();
        self.all.iter().filter(move |run| touched[run.reach])
    }
}

/// The code of components that are deployed. Those whose code is always fetched run none of the repository.
pub(crate) fn of_components(resolution: &Resolution, modules: &Modules<'_>) -> Runs {
    let mut runs = Runs::default();
    let mut known: BTreeMap<(&str, &[Text]), Option<usize>> = BTreeMap::new();
    for component in resolution.units.iter().flat_map(|unit| &unit.components) {
        let code = component.metadata.code.as_ref().filter(|code| code.supply != CodeOrigin::Fetched);
        let Some(code) = code.filter(|_| component.metadata.is_deployed()) else { continue };
        let shared = known.entry((&code.folder, &code.others)).or_insert_with(|| {
            let is_module = component.metadata.is_module;
            let reach = if is_module { reach::of_text(modules, &code.folder)? } else { Reach::default() };
            runs.reaches.push(whole(reach, code, is_module, modules));
            Some(runs.reaches.len() - 1)
        });
        let reach = shared.unwrap_or_else(|| {
            let variables = variables(component);
            let given = Given { variables: &variables, ..Given::default() };
            runs.reaches.push(whole(reach::of_root(modules, &code.folder, given), code, true, modules));
            runs.reaches.len() - 1
        });
        let fetched = fetched(resolution, code, modules);
        runs.all.push(Run { address: component.address(), folder: Text::clone(&code.folder), reach, fetched });
    }
    runs.all.sort_by(|a, b| a.address.cmp(&b.address));
    runs
}

/// What is fetched into the folder of code that is not in the repository, or into one around it.
fn fetched(resolution: &Resolution, code: &Code, modules: &Modules<'_>) -> Vec<Fetched> {
    if resolution.fetched.is_empty() || modules.is_there(&code.folder) {
        return Vec::new();
    }
    let is_in = |folder: &str| *code.folder == *folder || paths::relative(&code.folder, folder).is_some();
    let own = resolution.fetched.iter().filter(|fetched| is_in(&fetched.folder));
    own.map(|fetched| Fetched { file: fetched.origin.file, content: fetched.content.clone() }).collect()
}

/// A component runs in its folder: anything in it may be a part of its code.
fn whole(reach: Reach, code: &Code, is_module: bool, modules: &Modules<'_>) -> Reach {
    let source = modules.loader.reader.source();
    let places = || [&code.folder].into_iter().chain(code.others.iter()).map(ToString::to_string).collect();
    let named = (!is_module).then(|| named::outside(source, &code.folder, places()));
    let reach = reach.with_folder(source.listing(), &code.folder, named.as_deref().unwrap_or(&code.others));
    if is_module { reach } else { reach.opaque() }
}

/// The inputs of a component that are known.
fn variables(component: &Component) -> Vec<VariableInput> {
    let known = component.metadata.inputs.all.iter().filter_map(|entry| {
        let value = component.metadata.inputs.evaluated(&entry.value)?;
        Some(VariableInput::Value { name: entry.key.to_string(), text: text(&value)? })
    });
    known.collect()
}

/// A value as it is written behind a variable; `None` if it is not known.
fn text(value: &Value) -> Option<String> {
    match &value.data {
        Data::Str(text) => Some(text.to_string()),
        Data::Unknown(_) => None,
        _ => serde_json::to_string(value).ok(),
    }
}
