//! The components whose configuration depends on one of some files.

use super::code::Callers;
use super::imports::ImportIndex;
use super::spans::{Matcher, Spans};
use crate::files::Files;
use crate::paths;
use crate::resolution::{Address, Resolution};
use crate::terraform::{self, Modules};
use crate::value::FileId;
use std::collections::{BTreeMap, BTreeSet};

/// The components of a state whose configuration depends on files that `is_asked` names by their paths: on a value, a template, a
/// local name, an import or a setting in them, or on code in one of `folders`.
pub(crate) fn reached(
    resolution: &Resolution,
    modules: &Modules<'_>,
    files: &Files,
    is_asked: &dyn Fn(&str) -> bool,
    folders: BTreeSet<String>,
) -> BTreeSet<Address> {
    let mut reached: BTreeSet<FileId> = resolution.files();
    reached.extend(resolution.documents.iter().map(|document| document.0));
    reached.retain(|id| is_asked(&files.get(*id).path));
    let imports = ImportIndex::new(resolution);
    let mut items: Vec<usize> = reached.iter().flat_map(|file| imports.of(*file)).map(|(i, _)| i).collect();
    items.sort_unstable();
    let mut callers = Callers::of_folders(modules, folders);
    let mut matchers: BTreeMap<BTreeSet<FileId>, Matcher<'_>> = BTreeMap::new();
    let mut found = BTreeSet::new();
    for unit in &resolution.units {
        let code: BTreeSet<Address> =
            unit.components.iter().filter(|component| callers.has(component)).map(|c| c.address()).collect();
        found.extend(code);
        if !unit.files.iter().chain([&unit.file]).any(|file| reached.contains(file)) {
            continue;
        }
        let mut whole = reached.clone();
        if !items.is_empty() {
            whole.extend(imports.only_by(unit.file, &items));
        }
        let spans = Spans { lines: None, files: whole.clone() };
        let matcher = matchers.entry(whole).or_insert_with(|| Matcher::new(spans.clone()));
        for component in &unit.components {
            let origins = &component.shaping_origins;
            let is_shaped = origins.shared.iter().chain(origins.own.iter()).any(|origin| spans.touch(*origin));
            if is_shaped || matcher.component(&component.value).effective {
                found.insert(component.address());
            }
        }
    }
    found
}

/// The folders of files that may be code.
pub(crate) fn code_folders<'a>(paths: impl Iterator<Item = &'a str>) -> BTreeSet<String> {
    let code = paths.filter(|path| terraform::is_code(path));
    code.map(|path| paths::parent(path).to_owned()).collect()
}
