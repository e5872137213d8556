//! A merged manifest whose components are built, and the names of their stacks.

use super::context::StackContext;
use crate::dialects::atmos::manifest::Processed;
use crate::dialects::atmos::names::{self, NAME_SECTIONS, is_same, name_data};
use crate::dialects::atmos::reader::Deps;
use crate::template::{self, MissingKey};
use crate::text::{Text, intern};
use crate::value::{FileId, Key, Map, Origin, Value};
use parking_lot::{Mutex, MutexGuard};
use std::sync::Arc;

/// A merged manifest whose components are built.
pub(super) struct StackManifest<'a> {
    /// Its key: the path below the folder of stacks without the extension.
    pub(super) key: Key,
    pub(super) file: FileId,
    pub(super) name: Option<Value>,
    /// The paths of the values that form the name of a stack, if it consists only of values.
    pub(super) name_fields: Option<Vec<Vec<Text>>>,
    /// The name that was last made, and the values that it was made of.
    last_name: Mutex<Option<(Vec<Value>, Value)>>,
    /// Import lines and settings that shape all of it.
    pub(super) shaping_origins: Arc<[Origin]>,
    /// Its content.
    pub(super) map: &'a Map,
    deps: Mutex<Deps>,
}

impl<'a> StackManifest<'a> {
    /// A manifest to build components of, without the name of its stack.
    pub(super) fn unnamed(key: &Key, file: FileId, map: &'a Map) -> Self {
        let (name, name_fields, shaping_origins) = (None, None, Arc::default());
        let (last_name, deps) = (Mutex::default(), Mutex::default());
        StackManifest { key: Text::clone(key), file, name, name_fields, last_name, shaping_origins, map, deps }
    }

    /// A manifest whose stacks are named.
    pub(super) fn new(stacks: &StackContext<'_>, key: &Key, file: FileId, processed: &'a Processed) -> Self {
        let map: &Map = &processed.merged;
        let name = map.get("name").filter(|v| v.as_str().is_some_and(|s| !s.is_empty())).cloned();
        let shaping_origins: Vec<Origin> =
            processed.edges.iter().chain(&stacks.config.shaping_origins).copied().collect();
        let shaping_origins = Arc::from(shaping_origins);
        let name_fields = if name.is_none() { name_fields(stacks) } else { None };
        StackManifest { name, name_fields, shaping_origins, ..Self::unnamed(key, file, map) }
    }

    /// The dependencies of its components.
    pub(super) fn deps(&self) -> MutexGuard<'_, Deps> {
        self.deps.lock()
    }

    /// Returns the dependencies of its components.
    pub(super) fn into_deps(self) -> Deps {
        self.deps.into_inner()
    }

    pub(super) fn components(&self, kind: &str) -> Option<&'a Arc<Map>> {
        self.map.get("components")?.get(kind)?.as_map()
    }

    /// The name of the stack of a component. It is made once of the same values.
    pub(super) fn stack_name<'f>(
        &'f self,
        stacks: &StackContext<'_>,
        map: &'f Map,
        name: &Key,
    ) -> Result<names::Named, template::Error> {
        // Nearly always all of them are in one section.
        let mut section: Option<(&Text, &Value)> = None;
        let mut at = |path: &'f Vec<Text>| {
            let (first, rest) = path.split_first()?;
            let value = match section.filter(|(name, _)| Text::ptr_eq(name, first)) {
                Some((_, known)) => known,
                None => section.insert((first, map.value_of(first)?)).1,
            };
            let value = rest.iter().try_fold(value, |value, name| value.as_map()?.value_of(name));
            value.filter(|v| v.as_str().is_some())
        };
        let values: Option<Vec<&Value>> = self.name_fields.as_ref().and_then(|all| all.iter().map(&mut at).collect());
        let last = || self.last_name.lock();
        if let (Some(values), Some((of, name))) = (&values, &*last())
            && values.iter().zip(of).all(|(a, b)| is_same(a, b))
        {
            return Ok(names::Named { name: name.clone(), context: names::Context::default() });
        }
        let strict = stacks.name_engine(MissingKey::Error);
        let data = Value::map(name_data(map, name));
        let named = names::stack(stacks.config, &strict, &self.key, self.name.as_ref(), &data)?;
        if let Some(values) = values {
            *last() = Some((values.into_iter().cloned().collect(), named.name.clone()));
        }
        Ok(named)
    }
}

/// The paths in the template of stack names, interned, if it only puts values side by side.
pub(super) fn name_fields(stacks: &StackContext<'_>) -> Option<Vec<Vec<Text>>> {
    let engine = stacks.name_engine(MissingKey::Error);
    let parsed = engine.parse(&stacks.config.name_template);
    let fields = parsed.as_ref().as_ref().ok()?.fields()?;
    let known = |path: &Vec<&str>| path.first().is_some_and(|first| NAME_SECTIONS.contains(first));
    let owned = |path: Vec<&str>| path.into_iter().map(intern).collect();
    (!fields.is_empty() && fields.iter().all(known)).then(|| fields.into_iter().map(owned).collect())
}
