//! What stacks give to the units that they generate.

use super::load::{Content, VALUES};
use crate::hcl::ast::Span;
use crate::paths;
use crate::reads::Reads;
use crate::value::{FileId, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A unit that a stack generates.
#[derive(Clone, Debug)]
pub(super) struct MadeUnit {
    /// The values that it gets.
    pub values: Option<Value>,
    /// What is merged over it: the stack file, and the content.
    pub autoinclude: Option<(FileId, String, Content)>,
    /// The paths of the other units of its stack, seen from it.
    pub siblings: Value,
    /// Where it is declared.
    pub at: (FileId, Span),
    /// The source, as text.
    pub source: Value,
    /// Whether the source is elsewhere, so that nothing is known of the content.
    pub is_remote: bool,
    /// What was read to find it.
    pub reads: Arc<Reads>,
}

/// What stacks give to the units that they generate, by their folders.
#[derive(Default)]
pub(super) struct Generated {
    /// The units.
    pub units: BTreeMap<String, MadeUnit>,
}

impl Generated {
    /// The values of the unit of a folder.
    pub(super) fn values(&self, folder: &str) -> Option<Value> {
        self.units.get(folder).and_then(|unit| unit.values.clone())
    }

    /// The same by the path of the file that would hold them.
    pub(super) fn values_at(&self, path: &str) -> Option<Value> {
        (paths::name(path) == VALUES).then(|| self.values(paths::parent(path))).flatten()
    }

    /// What is merged over a unit, with the names that it sees.
    pub(super) fn autoinclude(&self, folder: &str) -> Option<(FileId, String, Content, Value)> {
        let unit = self.units.get(folder)?;
        let (id, path, body) = unit.autoinclude.clone()?;
        Some((id, path, body, unit.siblings.clone()))
    }
}
