//! Observations made while a revision is resolved, for rules about locals: the imports of files, the locals of files,
//! and what could not be resolved.

use super::scopes::FileLocals;
use super::uses::Uses;
use crate::dialects::atmos::imports::items::Import;
use crate::text::{FastMap, FastSet, Text};
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

/// The imports of a file: paths, and the items that lead there.
pub(crate) type Targets = BTreeSet<(Text, Option<Origin>)>;

/// All that was met.
#[derive(Clone, Default)]
pub(crate) struct Records {
    /// The manifests that were read, by path.
    pub manifests: BTreeMap<Text, FileId>,
    /// The files that have locals.
    pub locals: BTreeMap<FileId, Arc<FileLocals>>,
    /// The imports of files.
    pub imports: BTreeMap<Text, Targets>,
    /// Files that could not be rendered with their locals as a whole, so that what is left waits for the components:
    /// why, and where.
    pub abandoned: BTreeMap<FileId, (String, Option<Origin>)>,
    /// Files whose missing values are ignored.
    pub lenient: BTreeSet<FileId>,
    /// Files that are imported without being rendered.
    pub unrendered: BTreeSet<FileId>,
    /// References to undefined locals.
    pub unresolved: Vec<Unresolved>,
    /// Values of components that hold the trace of a missing value.
    pub traces: Vec<Trace>,
    /// The locals that components with locals read.
    pub component_uses: FastMap<Key, Arc<ComponentUses>>,
    /// What these read, each once: most components of a unit read the same.
    distinct_uses: FastSet<Arc<Uses>>,
}

/// The locals that the components of a unit read, by the type and the name of the component.
pub(crate) type ComponentUses = FastMap<(Key, Key), Arc<Uses>>;

/// An item of an `import` section, over all ways to its file.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    /// The item as it was first met.
    pub import: Import,
    /// The files that it led to, in the order of the first path.
    pub targets: Vec<Text>,
    /// On some path its target could not be read.
    pub is_open: bool,
}

/// A reference to an undefined local, or from a local to a missing section.
#[derive(Clone, Debug)]
pub(crate) struct Unresolved {
    /// The value whose text has the reference.
    pub site: Prov,
    /// The file that contains it, if the value does not have one.
    pub file: FileId,
    /// The first two keys: `locals` and a name; for locals also `vars`, `settings` or `env` and a key.
    pub path: [Key; 2],
    pub reader: Reader,
    /// The error that it causes; `None` if a missing value is rendered.
    pub error: Option<String>,
}

/// Who reads what is not there.
#[derive(Clone, Debug)]
pub(crate) enum Reader {
    /// A local of this name, in the scope of this component type.
    Local(Key, Option<&'static str>),
    /// The file, when it is rendered with the context of its importer, or to find an import.
    File,
    /// A component of this stack, which has these locals itself.
    Component {
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
    pub trace: String,
    /// Its path in the component.
    pub path: String,
    pub stack: Key,
    /// The missing values that its text reads.
    pub missing: Vec<Missing>,
}

/// A missing value of a component that a text reads.
#[derive(Clone, Debug)]
pub(crate) struct Missing {
    /// The keys from the root of the data on.
    pub path: Vec<String>,
    /// The number of existing keys.
    pub known: usize,
    /// The key that probably was meant by the first one that does not.
    pub near: Option<String>,
}

impl Records {
    /// Adds the records of another file. If both have records of one file, the existing ones stay.
    fn add(&mut self, other: &Records) {
        for (path, file) in &other.manifests {
            self.manifests.entry(Text::clone(path)).or_insert(*file);
        }
        for (file, locals) in &other.locals {
            self.locals.entry(*file).or_insert_with(|| Arc::clone(locals));
        }
        for (from, targets) in &other.imports {
            self.imports.entry(Text::clone(from)).or_default().extend(targets.iter().cloned());
        }
        for (file, why) in &other.abandoned {
            self.abandoned.entry(*file).or_insert_with(|| why.clone());
        }
        self.lenient.extend(&other.lenient);
        self.unrendered.extend(&other.unrendered);
        self.unresolved.extend(other.unresolved.iter().cloned());
        self.traces.extend(other.traces.iter().cloned());
        for (unit, uses) in &other.component_uses {
            match self.component_uses.get_mut(unit) {
                Some(known) => {
                    Arc::make_mut(known).extend(uses.iter().map(|(name, uses)| (name.clone(), Arc::clone(uses))))
                }
                None => {
                    self.component_uses.insert(Text::clone(unit), Arc::clone(uses));
                }
            }
        }
    }
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

    pub(crate) fn locals(&self, found: &Arc<FileLocals>) {
        self.lock().locals.entry(found.loaded.file).or_insert_with(|| Arc::clone(found));
    }

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

    /// Records an item of an `import` section, with its files; `None` if they could not be read.
    pub(crate) fn item(&self, import: &Import, targets: Option<&[String]>) {
        let Some(place) = import.site.origin else { return };
        self.add_item(place, import, targets.is_none(), targets.unwrap_or_default());
    }

    fn add_item<T: AsRef<str>>(&self, place: Origin, import: &Import, is_open: bool, targets: &[T]) {
        let mut items = self.items.lock();
        let item =
            items.entry(place).or_insert_with(|| Item { import: import.clone(), targets: Vec::new(), is_open: false });
        item.is_open |= is_open;
        let targets = targets.iter().map(AsRef::as_ref);
        // Usually it leads to the same files on every path.
        if targets.clone().eq(item.targets.iter().map(|known| &**known)) {
            return;
        }
        let is_first = item.targets.is_empty();
        for target in targets {
            if is_first || !item.targets.iter().any(|known| **known == *target) {
                item.targets.push(target.into());
            }
        }
    }

    /// Records a file that is not rendered because a template in it fails.
    pub(crate) fn abandoned(&self, file: FileId, why: &str, site: Option<Origin>) {
        self.lock().abandoned.entry(file).or_insert_with(|| (why.to_owned(), site));
    }

    /// Records a file whose missing values are ignored.
    pub(crate) fn lenient(&self, file: FileId) {
        self.lock().lenient.insert(file);
    }

    /// A file that is not rendered.
    pub(crate) fn unrendered(&self, file: FileId) {
        self.lock().unrendered.insert(file);
    }

    /// Records a reference to an undefined local.
    pub(crate) fn unresolved(&self, found: Unresolved) {
        self.lock().unresolved.push(found);
    }

    /// A value with the trace of a missing one.
    pub(crate) fn trace(&self, found: Trace) {
        self.lock().traces.push(found);
    }

    /// Records the locals that a component with locals reads.
    pub(crate) fn component_uses(&self, unit: &Key, component: (Key, Key), uses: Uses) {
        let records = &mut *self.lock();
        let uses = records.distinct_uses.get(&uses).map_or_else(|| Arc::new(uses), Arc::clone);
        records.distinct_uses.insert(Arc::clone(&uses));
        let of_unit = records.component_uses.entry(Text::clone(unit)).or_default();
        Arc::make_mut(of_unit).insert(component, uses);
    }

    pub(in crate::dialects::atmos) fn add(&self, other: &Observations) {
        self.lock().add(&other.lock());
        for (place, item) in &*other.items.lock() {
            self.add_item(*place, &item.import, item.is_open, &item.targets);
        }
    }

    /// The items of imports, which nothing else needs any more.
    pub(crate) fn take_items(&self) -> BTreeMap<Origin, Item> {
        std::mem::take(&mut *self.items.lock())
    }

    pub(crate) fn records(&self) -> Records {
        self.lock().clone()
    }
}
