//! What is met on the way through a revision that rules about locals need to know at its end: who imports whom, whose
//! locals are which, and what could not be resolved where.

use super::scopes::FileLocals;
use super::uses::Uses;
use crate::dialects::atmos::imports::items::Import;
use crate::text::{FastMap, Text};
use crate::value::{FileId, Key, Origin, Prov};
use parking_lot::{Mutex, MutexGuard};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Records of all threads.
#[derive(Default)]
pub(crate) struct Observations {
    inner: Mutex<Records>,
    /// The items of imports, by place.
    items: Mutex<BTreeMap<Origin, Item>>,
}

/// What a file imports: paths, and the items that lead there.
pub(crate) type Targets = BTreeSet<(Text, Option<Origin>)>;

/// All that was met.
#[derive(Clone, Default)]
pub(crate) struct Records {
    /// The manifests that were read, by path.
    pub manifests: BTreeMap<Text, FileId>,
    /// The files that have locals.
    pub locals: BTreeMap<FileId, Arc<FileLocals>>,
    /// What files import.
    pub imports: BTreeMap<Text, Targets>,
    /// Files that could not be rendered with their locals as a whole, so that what is left waits for the components:
    /// why, and where.
    pub abandoned: BTreeMap<FileId, (String, Option<Origin>)>,
    /// Files of which missing values are to be ignored.
    pub lenient: BTreeSet<FileId>,
    /// Files that are imported without being rendered.
    pub unrendered: BTreeSet<FileId>,
    /// References that lead to nothing.
    pub unresolved: Vec<Unresolved>,
    /// Values of components that hold the trace of a missing value.
    pub traces: Vec<Trace>,
    /// What components that have locals read of them.
    pub component_uses: FastMap<ComponentKey, Arc<Uses>>,
}

/// A component of a unit: the name of the unit, the type and the name of the component.
pub(crate) type ComponentKey = (Key, Key, Key);

/// An item of an `import` section, over all ways to its file.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    /// The item as it was first met.
    pub import: Import,
    /// The files that it led to, in the order of the first way.
    pub targets: Vec<Text>,
    /// On some way it led to what cannot be had.
    pub is_open: bool,
}

/// A reference to a local, or from a local to a section, that leads to nothing.
#[derive(Clone, Debug)]
pub(crate) struct Unresolved {
    /// The value whose text has the reference.
    pub site: Prov,
    /// The file that has it, if the value does not say.
    pub file: FileId,
    /// The first two keys: `locals` and a name; for locals also `vars`, `settings` or `env` and a key.
    pub path: [Key; 2],
    /// Who reads it.
    pub reader: Reader,
    /// What stops because of it, in words; nothing if a missing value is rendered.
    pub error: Option<String>,
}

/// Who reads what is not there.
#[derive(Clone, Debug)]
pub(crate) enum Reader {
    /// A local of this name, in the scope of this component type.
    Local(Key, Option<&'static str>),
    /// The file, when it is rendered with what its importer hands over, or to find an import.
    File,
    /// A component of this stack, which has these locals itself.
    Component {
        /// The stack.
        stack: Key,
        /// Its locals.
        visible: Vec<Key>,
    },
}

/// A value of a component that holds the trace of a missing value.
#[derive(Clone, Debug)]
pub(crate) struct Trace {
    /// Where its text is written.
    pub site: Origin,
    /// What it was computed from.
    pub inputs: Vec<Origin>,
    /// The trace.
    pub trace: String,
    /// Its path in the component.
    pub path: String,
    /// The stack.
    pub stack: Key,
    /// What its text reads and is not there.
    pub missing: Vec<Missing>,
}

/// What a text reads of its component, and what is not there.
#[derive(Clone, Debug)]
pub(crate) struct Missing {
    /// The keys from the root of the data on.
    pub path: Vec<String>,
    /// How many of them lead to something.
    pub known: usize,
    /// The key that probably was meant by the first one that does not.
    pub near: Option<String>,
}

impl Observations {
    fn lock(&self) -> MutexGuard<'_, Records> {
        self.inner.lock()
    }

    /// Whether a manifest was met; if not, it is from now on.
    pub(crate) fn manifest(&self, path: &str, file: FileId) -> bool {
        let mut records = self.lock();
        let known = records.manifests.contains_key(path);
        if !known {
            records.manifests.insert(path.into(), file);
        }
        known
    }

    /// A file with locals.
    pub(crate) fn locals(&self, found: &Arc<FileLocals>) {
        self.lock().locals.entry(found.loaded.file).or_insert_with(|| Arc::clone(found));
    }

    /// An import.
    pub(crate) fn import(&self, from: &str, to: &str, item: Option<Origin>) {
        let mut records = self.lock();
        match records.imports.get_mut(from) {
            Some(targets) => {
                targets.insert((to.into(), item));
            }
            None => {
                records.imports.insert(from.into(), BTreeSet::from([(to.into(), item)]));
            }
        }
    }

    /// An item of an `import` section, with the files that it leads to; `None` if these cannot be had.
    pub(crate) fn item(&self, import: &Import, targets: Option<&[String]>) {
        let Some(place) = import.site.origin else { return };
        let mut items = self.items.lock();
        let item =
            items.entry(place).or_insert_with(|| Item { import: import.clone(), targets: Vec::new(), is_open: false });
        item.is_open |= targets.is_none();
        let targets = targets.unwrap_or_default();
        // Mostly it leads to the same files on every way.
        if targets.len() == item.targets.len() && targets.iter().zip(&item.targets).all(|(a, b)| **a == **b) {
            return;
        }
        let is_first = item.targets.is_empty();
        for target in targets {
            if is_first || !item.targets.iter().any(|known| **known == **target) {
                item.targets.push(target.as_str().into());
            }
        }
    }

    /// A file that is left as it stands because a template in it fails.
    pub(crate) fn abandoned(&self, file: FileId, why: &str, site: Option<Origin>) {
        self.lock().abandoned.entry(file).or_insert_with(|| (why.to_owned(), site));
    }

    /// A file of which missing values are to be ignored.
    pub(crate) fn lenient(&self, file: FileId) {
        self.lock().lenient.insert(file);
    }

    /// A file that is not rendered.
    pub(crate) fn unrendered(&self, file: FileId) {
        self.lock().unrendered.insert(file);
    }

    /// A reference that leads to nothing.
    pub(crate) fn unresolved(&self, found: Unresolved) {
        self.lock().unresolved.push(found);
    }

    /// A value with the trace of a missing one.
    pub(crate) fn trace(&self, found: Trace) {
        self.lock().traces.push(found);
    }

    /// What a component that has locals reads of them.
    pub(crate) fn component_uses(&self, component: ComponentKey, uses: Uses) {
        self.lock().component_uses.insert(component, Arc::new(uses));
    }

    /// The items of imports, which nothing else needs any more.
    pub(crate) fn take_items(&self) -> BTreeMap<Origin, Item> {
        std::mem::take(&mut *self.items.lock())
    }

    /// All of it.
    pub(crate) fn records(&self) -> Records {
        self.lock().clone()
    }
}
