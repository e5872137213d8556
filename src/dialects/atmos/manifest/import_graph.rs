//! The imports in the resolution.

use crate::dialects::atmos::config::Config;
use crate::dialects::atmos::locals::observations::Item;
use crate::dialects::atmos::manifest::Manifests;
use crate::dialects::atmos::merge::ListStrategy;
use crate::dialects::atmos::paths;
use crate::dialects::atmos::reader::Deps;
use crate::resolution::{Import, Imports, State, Unit};
use crate::text::Text;
use crate::value::FileId;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The imports of the manifests that were met, and which of the `unreached` manifests are nothing else.
pub(in crate::dialects::atmos) fn of(loader: &Manifests<'_>, unreached: &[String], units: &[Arc<Unit>]) -> Imports {
    let records = loader.recorder.observations.take_items();
    let mut ids: BTreeMap<Text, Option<FileId>> = BTreeMap::new();
    let mut id = |path: &Text| {
        let load = || Some(loader.reader.load(path, &mut Deps::default()).ok()??.file);
        *ids.entry(Text::clone(path)).or_insert_with(load)
    };
    let mut items = Vec::with_capacity(records.len());
    for (place, Item { import, targets, is_open }) in records {
        let Some(path) = import.path_site.origin else { continue };
        let text = Text::clone(&loader.reader.files.get(path.file).text);
        items.push(Import {
            item: place,
            path,
            targets: targets.iter().filter_map(&mut id).collect(),
            is_pattern: import.path.contains(['*', '?', '[', '{']),
            is_computed: text.get(path.start as usize..path.end as usize).is_none_or(|t| t.contains("{{")),
            is_open,
            is_special: import.skip_templates || import.ignore_missing,
            is_additive: loader.merger.strategy == ListStrategy::Append,
            context: import.context,
        });
    }
    // A unit may have read a file in another way: an included one is data.
    let used: BTreeSet<FileId> = match unreached.is_empty() || units.iter().any(|u| u.state == State::OutOfScope) {
        true => BTreeSet::new(),
        false => units.iter().flat_map(|u| u.files.iter().copied()).collect(),
    };
    let manifests = unreached.iter().filter(|path| is_manifest(path, loader.config)).map(|p| Text::from(p.as_str()));
    let unreached = manifests.filter_map(|path| id(&path)).filter(|file| !used.contains(file)).collect();
    Imports { items, unreached }
}

/// Whether a file below the folder of stacks is one of stacks: it may hold the workflows as well.
fn is_manifest(path: &str, config: &Config) -> bool {
    let workflows = config.all.at_path(["workflows", "base_path"]).and_then(|v| v.as_str());
    let folder = workflows.and_then(|below| paths::join(&config.base, below));
    folder.is_none_or(|folder| paths::relative(path, &folder).is_none())
}
