//! Whether the code of a component differs, as Atmos sees it: by patterns over the names of changed files.

use super::changed::ChangedFiles;
use super::code_root;
use crate::dialects::atmos::config::Config;
use crate::dialects::atmos::paths;
use crate::files::Files;
use crate::resolution::Component;
use crate::source::glob::path_match;
use crate::terraform::Modules;
use crate::value::Value;
use parking_lot::Mutex;
use std::collections::HashMap;

/// The settings whose folders Atmos sorts changed files by, in this order.
const SORTED: [&str; 4] = ["terraform", "helmfile", "packer", "kubernetes"];

/// The changed files by type, and what has been found out about folders.
pub(super) struct CodeReasons<'a> {
    config: &'a Config,
    /// The names of all changed files.
    all: Vec<&'a str>,
    /// Those below a configured folder; each file belongs to the first one.
    sorted: Vec<(String, Vec<&'a str>)>,
    modules: &'a Modules<'a>,
    files: &'a Files,
    known: Mutex<HashMap<(String, String), (bool, bool)>>,
}

impl<'a> CodeReasons<'a> {
    pub(super) fn new(
        config: &'a Config,
        changed: &'a ChangedFiles,
        modules: &'a Modules<'a>,
        files: &'a Files,
    ) -> Self {
        let roots = SORTED.iter().filter_map(|kind| code_root(config, kind).filter(|(_, is_set)| *is_set));
        let mut sorted: Vec<(String, Vec<&str>)> = roots.map(|(root, _)| (root, Vec::new())).collect();
        sorted.push((config.stacks.clone(), Vec::new()));
        let all: Vec<&str> = changed.names.iter().map(String::as_str).collect();
        for name in &all {
            if let Some((_, names)) = sorted.iter_mut().find(|(root, _)| paths::relative(name, root).is_some()) {
                names.push(name);
            }
        }
        CodeReasons { config, all, sorted, modules, files, known: Mutex::default() }
    }

    /// Whether a module that a component calls changed, and whether its own folder did.
    pub(super) fn of(&self, component: &Component) -> (bool, bool) {
        let name = component.value.get("component").and_then(Value::as_str).unwrap_or(&component.name);
        let key = (component.kind.to_string(), name.to_owned());
        if let Some(known) = self.known.lock().get(&key) {
            return *known;
        }
        let found = self.find(&component.kind, name);
        self.known.lock().insert(key, found);
        found
    }

    fn find(&self, kind: &str, name: &str) -> (bool, bool) {
        let Some((root, _)) = code_root(self.config, kind) else { return (false, false) };
        let Some(folder) = paths::join(&root, name) else { return (false, false) };
        let sorted = self.sorted.iter().find(|(known, _)| *known == root);
        let names = sorted.map_or(&self.all, |(_, names)| names);
        let in_module = kind == "terraform" && self.called(&folder).iter().any(|module| any_below(module, names));
        (in_module, any_below(&folder, names))
    }

    /// The folders that the calls in the code of a folder name, whatever they name.
    fn called(&self, folder: &str) -> Vec<String> {
        let Some(module) = self.modules.get(folder) else { return Vec::new() };
        let is_read = |path: &str| path.ends_with(".tf") || path.ends_with(".tf.json");
        let calls = module.calls.values().filter(|call| !call.has_version);
        let calls = calls.filter(|call| is_read(&self.files.get(call.origin.file).path));
        calls.filter_map(|call| paths::join(folder, call.source.as_deref()?)).collect()
    }
}

/// Whether one of the names is below a folder. The folder is a pattern, as in Atmos.
fn any_below(folder: &str, names: &[&str]) -> bool {
    if !folder.contains(['*', '?', '[', '{', '\\']) {
        return names.iter().any(|name| folder.is_empty() || paths::relative(name, folder).is_some());
    }
    let pattern = format!("{folder}/**");
    names.iter().any(|name| path_match(&pattern, name).unwrap_or(false))
}
