//! `overrides` on their way through the imports (`reference: atmos.md` section 4.7).

use crate::dialects::atmos::diagnostics::ErrorReported;
use crate::dialects::atmos::merge::{Merger, merge_imports};
use crate::text::{ByAddress, FastMap, Text};
use crate::value::{Data, Map, Value};
use parking_lot::Mutex;
use std::sync::Arc;

/// The overrides of one component type.
#[derive(Clone, Debug, Default)]
struct Overrides {
    /// Of the file and of those that import it.
    inline: Arc<Map>,
    /// Of what was imported so far.
    imported: Arc<Map>,
}

/// Overrides by the component types that take part.
#[derive(Clone, Debug, Default)]
pub(super) struct AllOverrides {
    terraform: Overrides,
    helmfile: Overrides,
}

/// One map of overrides as an object in memory; `None` if it is empty.
type OverrideId = Option<ByAddress<Arc<Map>>>;

/// Identifies overrides by their maps.
pub(in crate::dialects::atmos) type OverridesId = [OverrideId; 4];

/// Merges of overrides by their inputs: what many stacks import is the same for all of them.
#[derive(Default)]
pub(super) struct MergedOverrides {
    known: Mutex<FastMap<[OverrideId; 3], Arc<Map>>>,
}

impl MergedOverrides {
    fn merge(&self, merger: Merger<'_>, inputs: [&Arc<Map>; 3]) -> Arc<Map> {
        if inputs.iter().filter(|map| !map.is_empty()).count() < 2 {
            return merge_imports(merger, inputs);
        }
        let key = inputs.map(id);
        if let Some(merged) = self.known.lock().get(&key) {
            return Arc::clone(merged);
        }
        Arc::clone(self.known.lock().entry(key).or_insert_with(|| merge_imports(merger, inputs)))
    }
}

fn id(map: &Arc<Map>) -> OverrideId {
    (!map.is_empty()).then(|| ByAddress(Arc::clone(map)))
}

impl AllOverrides {
    /// What identifies them.
    pub(super) fn id(&self) -> OverridesId {
        [&self.terraform.inline, &self.terraform.imported, &self.helmfile.inline, &self.helmfile.imported].map(id)
    }

    pub(super) fn is_empty(&self) -> bool {
        [&self.terraform, &self.helmfile].iter().all(|o| o.inline.is_empty() && o.imported.is_empty())
    }

    /// Merges those of a file below those of its importer (`self`). `section` returns a section of a map of the file.
    pub(super) fn of_file(
        &self,
        file: &Map,
        merger: Merger<'_>,
        section: impl Fn(&Map, &str) -> Result<Arc<Map>, ErrorReported>,
    ) -> Result<Self, ErrorReported> {
        let global = section(file, "overrides")?;
        let inline = |kind: &str, importer: &Overrides| -> Result<Overrides, ErrorReported> {
            let typed = section(&*section(file, kind)?, "overrides")?;
            Ok(Overrides {
                inline: merge_imports(merger, [&global, &typed, &importer.inline]),
                imported: Arc::clone(&importer.imported),
            })
        };
        Ok(AllOverrides {
            terraform: inline("terraform", &self.terraform)?,
            helmfile: inline("helmfile", &self.helmfile)?,
        })
    }

    /// Adds those of an imported file.
    pub(super) fn add(&mut self, theirs: &AllOverrides, merger: Merger<'_>, merged: &MergedOverrides) {
        for (own, theirs) in [(&mut self.terraform, &theirs.terraform), (&mut self.helmfile, &theirs.helmfile)] {
            own.imported = merged.merge(merger, [&own.imported, &theirs.imported, &theirs.inline]);
        }
    }

    /// The content of a file whose components have their overrides.
    pub(super) fn apply(&self, mut file: Map, merger: Merger<'_>) -> Map {
        for (kind, of) in [("terraform", &self.terraform), ("helmfile", &self.helmfile)] {
            let all = merge_imports(merger, [&of.imported, &of.inline]);
            if !all.is_empty() {
                file = override_components(&file, kind, &all);
            }
        }
        file
    }
}

/// Adds the overrides to every component of a type that the file itself declares.
fn override_components(file: &Map, kind: &str, overrides: &Arc<Map>) -> Map {
    let components = file.get("components").and_then(|c| Some((c, c.as_map()?)));
    let Some((section, components)) = components else { return file.clone() };
    let Some((typed, entries)) = components.get(kind).and_then(|t| Some((t, t.as_map()?))) else { return file.clone() };
    let changed: Map = entries
        .iter()
        .map(|e| {
            let value = match &e.value.data {
                Data::Map(component) => {
                    let mut component = (**component).clone();
                    let prov = overrides.iter().next().map(|e| e.value.prov.clone()).unwrap_or_default();
                    component.set("overrides", Value { data: Data::Map(Arc::clone(overrides)), prov });
                    Value { data: Data::Map(Arc::new(component)), prov: e.value.prov.clone() }
                }
                _ => e.value.clone(),
            };
            (Text::clone(&e.key), value)
        })
        .collect();
    let mut components = (**components).clone();
    components.set(kind, Value { data: Data::Map(Arc::new(changed)), prov: typed.prov.clone() });
    let mut out = file.clone();
    out.set("components", Value { data: Data::Map(Arc::new(components)), prov: section.prov.clone() });
    out
}
