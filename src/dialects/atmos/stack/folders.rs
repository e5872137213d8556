//! The folders of code and what `component_info` prints of them, found once for all components that share them.

use crate::dialects::atmos::config::Config;
use crate::dialects::atmos::paths;
use crate::text::{FastMap, Text};
use crate::threads::PerThread;
use crate::value::{Data, Map, Origin, Value, key};

/// The folders of code of one revision.
#[derive(Default)]
pub(in crate::dialects::atmos) struct CodeFolders(PerThread<Known>);

/// The type of components, `component_folder_prefix`, `component`, and the place and the address of the history of the latter.
type InfoKey = (&'static str, Text, Text, Option<Origin>, usize);

/// What a thread has found, by the type of components, and by what their configuration says.
#[derive(Default)]
struct Known {
    /// Each with the value of `component`, so that the address of its history stays valid.
    infos: FastMap<InfoKey, (Value, Value)>,
    folders: FastMap<(&'static str, Text), Option<CodeFolder>>,
}

/// A folder of code, as paths in the repository.
#[derive(Clone)]
pub(super) struct CodeFolder {
    pub(super) folder: Text,
    /// The folder of all code of the type.
    pub(super) root: Text,
}

impl CodeFolders {
    /// `component_info` of a component, given its `component_folder_prefix` and its `component`. It has a path only if there is a
    /// folder for the type.
    pub(super) fn info(&self, kind: &'static str, prefix: Text, component: Option<&Value>, config: &Config) -> Value {
        let base = config.component_path(kind);
        let mut info = Map::with_capacity(2);
        info.set(key("component_type"), Value::str(key(kind)));
        let Some((component @ Value { prov, .. }, name)) = component.and_then(|value| Some((value, text(value)?)))
        else {
            return Value::map(info);
        };
        if base.is_empty() || name.is_empty() {
            return Value::map(info);
        }
        let add_path = || {
            let separator = if prefix.is_empty() { "" } else { "/" };
            let path = paths::clean(&format!("{base}/{prefix}{separator}{name}"));
            info.set(key("component_path"), Value { data: Data::Str(path.into()), prov: prov.clone() });
            Value::map(info)
        };
        let known_by = (kind, Text::clone(&prefix), Text::clone(name), prov.origin, prov.trail_address());
        let known = self.0.with(|known| known.infos.get(&known_by).map(|(_, info)| info.clone())).flatten();
        known.unwrap_or_else(|| {
            let info = add_path();
            self.0.with(|known| known.infos.insert(known_by, (component.clone(), info.clone())));
            info
        })
    }

    /// The folder of the code at a printed path; `None` if it is not known, or outside of the repository.
    pub(super) fn code(&self, kind: &'static str, path: &Text, config: &Config) -> Option<CodeFolder> {
        let find = || {
            let is_known = !path.contains("{{") && !path.contains("<no value>") && !path.starts_with('/');
            let folder = is_known.then(|| paths::join(&config.base, path)).flatten()?;
            let root = paths::join(&config.base, config.component_path(kind))?;
            Some(CodeFolder { folder: folder.into(), root: root.into() })
        };
        let known = self.0.with(|known| known.folders.entry((kind, Text::clone(path))).or_insert_with(find).clone());
        known.unwrap_or_else(find)
    }
}

fn text(value: &Value) -> Option<&Text> {
    if let Data::Str(text) = &value.data { Some(text) } else { None }
}
