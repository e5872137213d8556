//! The origin of a value: the deciding line, what it was computed from, what it replaced, and the imports and base
//! components that brought it in.

use super::imports::ImportIndex;
use crate::diff::{mask, pointer};
use crate::files::Files;
use crate::resolution::{Address, Import, Placed, Resolution};
use crate::text::Text;
use crate::value::{Data, FileId, Origin, Prov, Value};
use std::collections::{BTreeSet, HashMap, HashSet};

/// The maximum number of steps of one answer.
const MAX_STEPS: usize = 10_000;

/// The role of a step in an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Role {
    /// The line that decides.
    Value,
    /// A line that the value above it was computed from.
    Reads,
    /// A line that the value above it replaced.
    Overrides,
    /// An import that leads to one of the files above.
    Import,
    /// A line that names a component to inherit from.
    Base,
    /// A line that steers how the component is put together.
    Setting,
}

impl Role {
    /// The name in output.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Role::Value => "value",
            Role::Reads => "reads",
            Role::Overrides => "overrides",
            Role::Import => "import",
            Role::Base => "base",
            Role::Setting => "setting",
        }
    }
}

/// One step of an answer.
#[derive(Clone, Debug)]
pub(crate) struct WhyStep {
    pub role: Role,
    /// The depth of the step: 0 for the deciding line.
    pub depth: usize,
    /// JSON Pointer to the value that it belongs to.
    pub path: String,
    /// Where it is written; `None` for values that the system itself sets.
    pub origin: Option<Origin>,
    /// The value that is written there, if it is one.
    pub value: Option<Value>,
}

/// Where a value comes from.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    /// The component.
    pub address: Address,
    /// JSON Pointer to the value.
    pub path: String,
    pub value: Value,
    /// The chain, from the deciding line down.
    pub steps: Vec<WhyStep>,
    /// There are more steps than are listed.
    pub is_cut: bool,
}

impl Answer {
    /// Why the value, or a part of it, is only known to the running system; each reason once.
    pub(crate) fn reasons(&self) -> Vec<Text> {
        let (mut found, mut todo): (Vec<Text>, _) = (Vec::new(), vec![&self.value]);
        while let Some(value) = todo.pop() {
            match &value.data {
                Data::Unknown(unknown) => {
                    for reason in &unknown.reasons {
                        if !found.contains(reason) {
                            found.push(Text::clone(reason));
                        }
                    }
                }
                Data::Map(map) => todo.extend(map.iter().map(|e| &e.value)),
                Data::List(items) => todo.extend(items.iter()),
                _ => {}
            }
        }
        found
    }
}

/// Explains the value at some keys of a component.
///
/// # Errors
/// There is no such value: a message with what may have been meant.
pub(crate) fn why(resolution: &Resolution, files: &Files, placed: &Placed, keys: &[String]) -> Result<Answer, String> {
    Explainer::new(resolution, files).why(placed, keys)
}

/// By file, the file and the import that lead there first.
type Leads<'a> = HashMap<FileId, (FileId, &'a Import)>;

/// Explains values of one state; keeps how imports lead from units to files.
pub(crate) struct Explainer<'a> {
    files: &'a Files,
    imports: ImportIndex<'a>,
    leads: HashMap<FileId, Leads<'a>>,
    secrets: mask::Sources<'a>,
}

impl<'a> Explainer<'a> {
    /// An explainer for values of a state.
    pub(crate) fn new(resolution: &'a Resolution, files: &'a Files) -> Self {
        let secrets = mask::Sources::new(files);
        Explainer { files, imports: ImportIndex::new(resolution), leads: HashMap::new(), secrets }
    }

    /// Explains the value at some keys of a component.
    ///
    /// # Errors
    /// There is no such value: a message with what may have been meant.
    pub(crate) fn why(&mut self, placed: &Placed, keys: &[String]) -> Result<Answer, String> {
        let imports = &self.imports;
        let leads = self.leads.entry(placed.unit.file).or_insert_with(|| imports.chains(placed.unit.file));
        let around = super::path::find(&placed.component.value, keys)?;
        let Some((value, parents)) = around.split_last() else { return Err("no value".to_owned()) };
        let value = self.secrets.masked(value);
        Ok(explain(placed, keys, (value, parents), leads, self.files))
    }
}

/// The answer about a value, masked, that lies in some others.
fn explain(
    placed: &Placed,
    keys: &[String],
    (value, parents): (Value, &[&Value]),
    leads: &Leads<'_>,
    files: &Files,
) -> Answer {
    let mut chain = Chain { steps: Vec::new(), is_cut: false, files: BTreeSet::new() };
    let mut path = super::path::pointer(keys);
    chain.value(&value, &mut path.clone(), 0);
    let mut own = path.clone();
    for parent in parents.iter().rev() {
        own.truncate(own.rfind('/').unwrap_or(0));
        if let Some(inputs) = computed(parent) {
            chain.reads(inputs, &own, 1);
        }
    }
    path.shrink_to_fit();
    chain.bases(placed, &path);
    chain.imports(leads, files, &path);
    let Chain { steps, is_cut, .. } = chain;
    Answer { address: placed.component.address(), path, value, steps, is_cut }
}

/// The provenance of a collection, if it was computed from something.
fn computed(value: &Value) -> Option<&Prov> {
    Some(&value.prov).filter(|prov| prov.trail.as_ref().is_some_and(|trail| !trail.inputs().is_empty()))
}

struct Chain {
    steps: Vec<WhyStep>,
    is_cut: bool,
    files: BTreeSet<FileId>,
}

impl Chain {
    fn push(&mut self, role: Role, depth: usize, path: &str, origin: Option<Origin>, value: Option<Value>) {
        if self.steps.len() >= MAX_STEPS {
            self.is_cut = true;
            return;
        }
        self.files.extend(origin.map(|o| o.file));
        self.steps.push(WhyStep { role, depth, path: path.to_owned(), origin, value });
    }

    /// A value, and what is in it.
    fn value(&mut self, value: &Value, path: &mut String, depth: usize) {
        self.push(Role::Value, depth, path, value.prov.origin, Some(value.clone()));
        self.reads(&value.prov, path, depth + 1);
        let mut next = value.prov.overrode();
        let is_map = value.as_map().is_some();
        while let Some(below) = next {
            // Maps are merged: what one of them replaced is shown with its values.
            if !(is_map && below.as_map().is_some()) {
                self.push(Role::Overrides, depth + 1, path, below.prov.origin, Some(below.clone()));
                self.reads(&below.prov, path, depth + 2);
            }
            next = below.prov.overrode();
        }
        let length = path.len();
        let mut inside = |key: &str, item: &Value, chain: &mut Self| {
            pointer::push(path, key);
            if !chain.is_cut {
                chain.value(item, path, depth + 1);
            }
            path.truncate(length);
        };
        match &value.data {
            Data::Map(map) => map.iter().for_each(|e| inside(&e.key, &e.value, self)),
            Data::List(items) => items.iter().enumerate().for_each(|(i, item)| inside(&i.to_string(), item, self)),
            _ => {}
        }
    }

    /// Adds the inputs of a value, recursively.
    fn reads(&mut self, prov: &Prov, path: &str, depth: usize) {
        let inputs = |prov: &Prov, depth: usize, todo: &mut Vec<(Prov, usize)>| {
            let inputs = prov.trail.as_ref().map_or(&[][..], |trail| trail.inputs());
            todo.extend(inputs.iter().rev().map(|input| (input.clone(), depth)));
        };
        let mut seen: HashSet<Origin> = HashSet::new();
        let mut todo = Vec::new();
        inputs(prov, depth, &mut todo);
        while let Some((input, depth)) = todo.pop() {
            match input.origin {
                Some(origin) if prov.origin == Some(origin) || !seen.insert(origin) => {}
                Some(origin) => {
                    self.push(Role::Reads, depth, path, Some(origin), None);
                    inputs(&input, depth + 1, &mut todo);
                }
                None => inputs(&input, depth, &mut todo),
            }
            if self.is_cut {
                return;
            }
        }
    }

    /// Adds the lines that declare what the component inherits from, and that control how it is merged.
    fn bases(&mut self, placed: &Placed, path: &str) {
        let component = &placed.component;
        for origin in component.shaping_origins.own.iter() {
            let is_base = component.metadata.bases.iter().any(|base| base.origin == Some(*origin));
            self.push(if is_base { Role::Base } else { Role::Setting }, 1, path, Some(*origin), None);
        }
    }

    /// The imports that lead from the file of the unit to those of all steps.
    fn imports(&mut self, leads: &Leads<'_>, files: &Files, path: &str) {
        let mut seen: HashSet<Origin> = HashSet::new();
        let mut named: Vec<(Text, FileId)> =
            self.files.iter().map(|id| (Text::clone(&files.get(*id).path), *id)).collect();
        named.sort();
        for (_, file) in named {
            let mut chain = Vec::new();
            let mut at = file;
            while let Some((before, import)) = leads.get(&at) {
                chain.push(import.path);
                at = *before;
            }
            for (depth, origin) in chain.into_iter().rev().enumerate() {
                if seen.insert(origin) {
                    self.push(Role::Import, depth + 1, path, Some(origin), None);
                }
            }
        }
    }
}
