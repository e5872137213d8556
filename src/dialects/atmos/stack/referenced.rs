//! Finds the components of a project by stack and name, for components that read them (`reference: atmos.md` section
//! 16).

use super::build::ManifestBuilder;
use super::context::StackContext;
use super::manifest::StackManifest;
use crate::dialects::atmos::component::layers::ComponentType;
use crate::dialects::atmos::manifest::Manifests;
use crate::dialects::atmos::paths;
use crate::dialects::atmos::reader::Deps;
use crate::dialects::atmos::recorder::Recorder;
use crate::dialects::atmos::templates::host::answers::{Answer, ComponentRef};
use crate::text::Text;
use crate::value::{Entry, FileId, Key, Map};
use parking_lot::{Mutex, MutexGuard};
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

/// A component of a manifest.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct ComponentPlace {
    pub(super) file: FileId,
    pub(super) kind: &'static str,
    pub(super) name: Key,
}

/// The components of a revision, for components that read them.
pub(in crate::dialects::atmos) struct ReferencedComponents<'a> {
    /// Where merged manifests come from.
    pub(super) loader: &'a Manifests<'a>,
    manifests: &'a [String],
    index: OnceLock<ComponentIndex>,
    located: Mutex<HashMap<(FileId, ComponentRef), Located>>,
    answered: Mutex<HashMap<ComponentPlace, Answered>>,
}

/// Where a component is that a file names.
#[derive(Clone)]
pub(super) struct Located {
    /// Its place, or why it has none.
    pub(super) place: Result<ComponentPlace, Text>,
    /// What that depends on.
    pub(super) deps: Arc<Deps>,
}

/// The result for a component that is read.
#[derive(Clone)]
pub(super) struct Answered {
    pub(super) answer: Answer,
    pub(super) deps: Arc<Deps>,
    /// How long the longest chain of components is that begins with it.
    pub(super) depth: usize,
}

/// The components by stack and name, each with the manifests that define it.
#[derive(Default)]
struct ComponentIndex {
    places: HashMap<(Key, Key), Vec<(ComponentType, Text)>>,
    /// Some manifests or components are broken, so that what is not found may be there all the same.
    is_partial: bool,
}

impl<'a> ReferencedComponents<'a> {
    /// The components of these manifests.
    pub(in crate::dialects::atmos) fn new(loader: &'a Manifests<'a>, manifests: &'a [String]) -> Self {
        let (located, answered) = (Mutex::default(), Mutex::default());
        ReferencedComponents { loader, manifests, index: OnceLock::new(), located, answered }
    }

    /// The places that were looked up so far, by the file that names them.
    pub(super) fn located(&self) -> MutexGuard<'_, HashMap<(FileId, ComponentRef), Located>> {
        self.located.lock()
    }

    /// The results so far.
    pub(super) fn answered(&self) -> MutexGuard<'_, HashMap<ComponentPlace, Answered>> {
        self.answered.lock()
    }

    /// The path of the manifest that defines a component.
    ///
    /// # Errors
    /// Why there is none, in words.
    pub(super) fn manifest_of(&self, stacks: &StackContext<'_>, wanted: &ComponentRef) -> Result<Text, String> {
        let index = self.index.get_or_init(|| self.index(stacks));
        let address = (Text::clone(&wanted.stack), Text::clone(&wanted.component));
        let found = index.places.get(&address).and_then(|all| all.iter().min_by_key(|(kind, _)| order_of(*kind)));
        let path = match found {
            Some((_, path)) => Some(Text::clone(path)),
            None => self.by_key(stacks, &wanted.stack),
        };
        path.ok_or_else(|| {
            let certainly = if index.is_partial { "no resolved stack" } else { "no stack" };
            format!("{certainly} `{}` has a component `{}`", wanted.stack, wanted.component)
        })
    }

    /// The path of the manifest that a key names.
    fn by_key(&self, stacks: &StackContext<'_>, stack: &str) -> Option<Text> {
        let is_it = |path: &&String| *paths::manifest_key(path, &stacks.config.stacks) == *stack;
        self.manifests.iter().find(is_it).filter(|_| stack.contains('/')).map(|path| path.as_str().into())
    }

    /// Returns all components by stack. Their mistakes are reported where their stacks are resolved.
    fn index(&self, stacks: &StackContext<'_>) -> ComponentIndex {
        let recorder = Recorder::default();
        let quiet = stacks.quiet(&recorder);
        let mut index = ComponentIndex::default();
        for path in self.manifests {
            let mut deps = Deps::default();
            let (Ok(Some(loaded)), Ok(processed)) =
                (self.loader.reader.load(path, &mut deps), self.loader.top(path, &mut deps))
            else {
                index.is_partial = true;
                continue;
            };
            let key = paths::manifest_key(path, &stacks.config.stacks);
            index.add(&quiet, &StackManifest::new(&quiet, &key, loaded.file, &processed), path);
        }
        index
    }
}

impl ComponentIndex {
    /// Adds the components of a manifest.
    fn add(&mut self, stacks: &StackContext<'_>, manifest: &StackManifest<'_>, path: &str) {
        let builder = ManifestBuilder { stacks, manifest };
        for kind in ComponentType::ALL {
            let Some(all) = manifest.components(kind.name()).filter(|all| !all.is_empty()) else { continue };
            let Ok(shared) = builder.shared(kind) else {
                self.is_partial = true;
                continue;
            };
            for Entry { key: name, value } in all.iter() {
                let built = builder.component(kind, all, &shared, name, value);
                match built.ok().and_then(|built| stack_of(stacks, manifest, &built.map, name)) {
                    Some(stack) => {
                        self.places.entry((stack, Text::clone(name))).or_default().push((kind, path.into()));
                    }
                    None => self.is_partial = true,
                }
            }
        }
    }
}

/// The stack that a built component belongs to.
pub(super) fn stack_of(stacks: &StackContext<'_>, manifest: &StackManifest<'_>, map: &Map, name: &Key) -> Option<Key> {
    let named = manifest.stack_name(stacks, map, name).ok()?.name;
    let name = named.as_str().filter(|name| !name.is_empty()).map(Text::from);
    Some(name.unwrap_or_else(|| Text::clone(&manifest.key)))
}

fn order_of(kind: ComponentType) -> Option<usize> {
    ComponentType::ALL.iter().position(|k| *k == kind)
}
