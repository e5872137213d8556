//! `overrides` on their way through the imports (`reference: atmos.md` section 4.7).

use crate::dialects::atmos::diagnostics::ErrorReported;
use crate::dialects::atmos::merge::{Merger, merge_imports};
use crate::text::Text;
use crate::value::{Data, Map, Value};
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

impl AllOverrides {
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
    pub(super) fn add(&mut self, theirs: &AllOverrides, merger: Merger<'_>) {
        for (own, theirs) in [(&mut self.terraform, &theirs.terraform), (&mut self.helmfile, &theirs.helmfile)] {
            own.imported = merge_imports(merger, [&own.imported, &theirs.imported, &theirs.inline]);
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
