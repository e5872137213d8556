//! What stacks give to the units that they generate.

use super::load::VALUES;
use super::place::Place;
use super::values::unknown_data;
use crate::hcl::ast::{Body, Span};
use crate::paths;
use crate::reads::Reads;
use crate::value::{FileId, Origin, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What a block of a stack file generates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Made {
    /// A unit.
    Unit,
    /// A stack with units of its own.
    Stack,
}

/// A unit that a stack generates, or a stack whose source is elsewhere.
#[derive(Clone, Debug)]
pub(super) struct MadeUnit {
    /// The values that it gets.
    pub values: Option<Value>,
    /// What is merged over it.
    pub autoinclude: Option<Arc<Autoinclude>>,
    /// Where it is declared.
    pub at: (FileId, Span),
    /// The arguments of its block, and of those of the stacks around it, that say what is generated, and where.
    pub places: Arc<[Origin]>,
    /// Which of the two it is.
    pub made: Made,
    /// The source, as text.
    pub source: Value,
    /// The folder that its files are copied from; `None` if the source is elsewhere, so that nothing is known of the content.
    pub home: Option<String>,
    /// What was read to find it.
    pub reads: Arc<Reads>,
    /// The files of configuration among it.
    pub files: Arc<[FileId]>,
}

/// What a stack file merges over a unit that it generates. It is evaluated as a part of the stack file.
#[derive(Clone, Debug)]
pub(super) struct Autoinclude {
    /// The stack file.
    pub file: FileId,
    /// Its path.
    pub path: String,
    /// The content of the block.
    pub body: Arc<Body>,
    /// Where the stack file is evaluated.
    pub place: Place,
    /// What it sees: `local` and `values` of the stack, and the folders of what it generates as `unit` and `stack`.
    pub names: Vec<(&'static str, Value)>,
}

/// What stacks give to the units that they generate, by their folders.
#[derive(Default)]
pub(super) struct Generated {
    /// The units.
    pub units: BTreeMap<String, MadeUnit>,
    /// The folders that stacks name in an address of another repository, which may be this one.
    pub published: BTreeSet<String>,
    /// Whether a stack of the repository gets its values from elsewhere, as in a catalog: so do its units then.
    pub is_catalog: bool,
}

/// The values that a stack of another repository gives.
pub(super) fn values_elsewhere() -> Value {
    Value::new(unknown_data(
        "values".into(),
        "the values are given by the stack that uses this, in another repository",
        &[],
    ))
}

impl Generated {
    /// The values of the unit of a folder.
    pub(super) fn values(&self, folder: &str) -> Option<Value> {
        self.units.get(folder).and_then(|unit| unit.values.clone())
    }

    /// The values of a unit that has none in this repository, if another one may use it.
    pub(super) fn values_elsewhere(&self, folder: &str) -> Option<Value> {
        let is_used = self.is_catalog && !self.units.contains_key(folder) || self.published.contains(folder);
        is_used.then(values_elsewhere)
    }

    /// The same by the path of the file that would hold them.
    pub(super) fn values_at(&self, path: &str) -> Option<Value> {
        (paths::name(path) == VALUES).then(|| self.values(paths::parent(path))).flatten()
    }

    /// Where a folder of a generated unit, or one below it, is in the repository.
    pub(super) fn written_at<'f>(&self, folder: &'f str) -> Option<String> {
        let outer = |folder: &&'f str| (!folder.is_empty()).then_some(paths::parent(folder));
        std::iter::successors(Some(folder), outer).find_map(|unit| {
            let home = self.units.get(unit)?.home.as_deref()?;
            Some(match paths::relative(folder, unit) {
                Some(below) => paths::join(home, below),
                None => home.to_owned(),
            })
        })
    }

    /// What says that the unit of a folder is generated there.
    pub(super) fn places(&self, folder: &str) -> Option<&Arc<[Origin]>> {
        self.units.get(folder).map(|unit| &unit.places)
    }

    /// What is merged over the unit of a folder.
    pub(super) fn autoinclude(&self, folder: &str) -> Option<&Autoinclude> {
        self.units.get(folder)?.autoinclude.as_deref()
    }
}
