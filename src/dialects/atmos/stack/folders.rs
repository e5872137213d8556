//! The folders of code and what `component_info` prints of them.

use crate::dialects::atmos::config::Config;
use crate::dialects::atmos::paths;
use crate::text::Text;
use crate::value::{Data, Map, Value, key};

/// A folder of code, as paths in the repository.
pub(super) struct CodeFolder {
    pub(super) folder: Text,
    /// The folder of all code of the type.
    pub(super) root: Text,
}

/// `component_info` of a component, given its `component_folder_prefix` and its `component`. It has a path only if there is a
/// folder for the type.
pub(super) fn info(kind: &'static str, prefix: &str, component: Option<&Value>, config: &Config) -> Value {
    let base = config.component_path(kind);
    let mut info = Map::with_capacity(2);
    info.set(key("component_type"), Value::str(key(kind)));
    if let Some(component) = component
        && let Some(name) = component.as_str()
        && !base.is_empty()
        && !name.is_empty()
    {
        let separator = if prefix.is_empty() { "" } else { "/" };
        let path = paths::clean(&format!("{base}/{prefix}{separator}{name}"));
        info.set(key("component_path"), Value { data: Data::Str(path.into()), prov: component.prov.clone() });
    }
    Value::map(info)
}

/// The folder of the code at a printed path; `None` if it is not known, or outside of the repository.
pub(super) fn code(kind: &'static str, path: &str, config: &Config) -> Option<CodeFolder> {
    let is_known = !path.contains("{{") && !path.contains("<no value>") && !path.starts_with('/');
    // Where the code is may be set by what is not read.
    let is_set = config.remote.is_empty() || !config.component_path(kind).is_empty();
    let root = config.code_root(kind).filter(|_| is_set)?;
    let below = paths::relative(path, &paths::clean(config.component_path(kind)));
    let folder = is_known.then(|| below.map_or_else(|| paths::join(&config.base, path), |b| paths::join(&root, b)));
    let folder = folder.flatten()?;
    Some(CodeFolder { folder: folder.into(), root: root.into() })
}

/// The folder of the code of a component of this name, of a type whose folders Atmos does not print.
pub(super) fn unprinted(kind: &'static str, name: &str, config: &Config) -> Option<CodeFolder> {
    let base = config.all.at_path(["components", kind, "base_path"]).and_then(Value::as_str).unwrap_or_default();
    let path = paths::clean(&format!("{base}/{name}"));
    let is_known = !name.is_empty() && !path.contains("{{") && !path.starts_with('/');
    let folder = is_known.then(|| paths::join(&config.base, &path)).flatten()?;
    Some(CodeFolder { folder: folder.into(), root: paths::join(&config.base, base)?.into() })
}
