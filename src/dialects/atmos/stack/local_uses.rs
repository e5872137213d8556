//! The locals that the texts of a component read, before they are rendered.

use super::context::StackContext;
use super::manifest::StackManifest;
use crate::dialects::atmos::component::builder::Built;
use crate::dialects::atmos::locals::uses::Uses;
use crate::dialects::atmos::templates::function_sets;
use crate::text::Text;
use crate::value::{Key, Value, key};

/// Notes what a component of a manifest reads of its locals, if it has any, its bases' among them.
pub(super) fn note_local_uses(
    stacks: &StackContext<'_>,
    manifest: &StackManifest<'_>,
    kind: &'static str,
    name: &Key,
    built: &Built,
) {
    let section = |name: &'static str| built.map.known(name).and_then(Value::as_map);
    let Some(locals) = section("locals").filter(|locals| !locals.is_empty()) else { return };
    let templates = &stacks.config.templates;
    let functions = function_sets::component(templates.sprig, templates.gomplate);
    let engine = stacks.component_engine(&functions, ("{{", "}}"));
    // Policies see the whole component.
    let has_policies = section("settings").is_some_and(|settings| settings.has("validation"));
    let mut uses = Uses { unsure: templates.delimiters.is_some() || has_policies, ..Uses::default() };
    // Once all are read, nothing else counts.
    let is_known = uses.unsure || uses.add_until_all(&built.map, locals, &|text| engine.parse(text));
    for value in built.deferrals.iter().filter(|_| !is_known).flat_map(|deferral| &deferral.values) {
        uses.add_value(value, &|text| engine.parse(text));
    }
    stacks.recorder.observations.component_uses(&manifest.key, (key(kind), Text::clone(name)), uses);
}
