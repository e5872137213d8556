//! Templates in the configuration of components that stay as they are written, because the configuration does not enable
//! templates (`reference: atmos.md` section 7.3).

use crate::diagnostic::{Diagnostic, Label};
use crate::dialects::atmos::config::Config;
use crate::dialects::atmos::diagnostics::Diagnostics;
use crate::dialects::atmos::locals::refs;
use crate::dialects::atmos::rules;
use crate::dialects::atmos::templates::engine::Templates;
use crate::resolution::Unit;
use crate::text::Text;
use crate::value::{Data, Flags, Map, Origin, Value};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// The data that templates of components read; other texts with braces are meant for other programs.
const READ: [&str; 7] = ["vars", "settings", "env", "metadata", "locals", "backend", "providers"];
const READ_ALONE: [&str; 5] = ["atmos_component", "atmos_stack", "atmos_stack_file", "atmos_manifest", "workspace"];

/// The sections that are examined: others are rendered when they are used (`generate`, the manifests of Kubernetes), or read
/// by other programs.
const SECTIONS: [&str; 5] = ["vars", "env", "backend", "remote_state_backend", "providers"];

/// Reports the templates of resolved components if nothing renders them.
pub(in crate::dialects::atmos) fn check(
    units: &[Arc<Unit>],
    config: &Config,
    templates: &Templates,
    diagnostics: &Diagnostics,
) {
    if config.templates.enabled {
        return;
    }
    let mut found: BTreeMap<Origin, (Text, BTreeSet<Text>)> = BTreeMap::new();
    let mut known: HashMap<Text, bool> = HashMap::new();
    for component in units.iter().flat_map(|u| &u.components) {
        let Some(map) = component.value.as_map() else { continue };
        for entry in map.iter().filter(|e| SECTIONS.contains(&&*e.key)) {
            each(&entry.value, &mut |text, origin| {
                let is_meant = *known.entry(Text::clone(text)).or_insert_with(|| is_meant(text, templates));
                if is_meant {
                    let entry = found.entry(origin).or_insert_with(|| (Text::clone(text), BTreeSet::new()));
                    entry.1.insert(Text::clone(&component.stack));
                }
            });
        }
    }
    let setting = config.all.at_path(["templates", "settings", "enabled"]).and_then(|v| v.prov.origin);
    for (origin, (text, stacks)) in found {
        let message = "this template is not rendered: templates are not enabled";
        let mut finding = Diagnostic::new(&rules::TEMPLATES_DISABLED, message, Label::at(origin, ""))
            .token(&*text)
            .help("set `templates.settings.enabled: true` in atmos.yaml");
        if let Some(setting) = setting {
            finding = finding.related(Label::at(setting, "they are disabled here"));
        }
        finding.stacks = stacks.into_iter().collect();
        diagnostics.report(finding);
    }
}

/// Calls `f` for every text with braces.
fn each(value: &Value, f: &mut impl FnMut(&Text, Origin)) {
    let mut todo = vec![value];
    while let Some(value) = todo.pop() {
        match &value.data {
            Data::Str(text) if text.contains("{{") => value.prov.origin.into_iter().for_each(|o| f(text, o)),
            Data::Map(map) if has_templates(map) => todo.extend(map.iter().map(|e| &e.value)),
            Data::List(items) if value.flags().has(Flags::TEMPLATE) => todo.extend(items.iter()),
            _ => {}
        }
    }
}

fn has_templates(map: &Map) -> bool {
    map.flags().has(Flags::TEMPLATE)
}

/// Whether a text reads what only templates of components can.
fn is_meant(text: &str, templates: &Templates) -> bool {
    let parsed = refs::engine(templates).parse(text);
    let Ok(template) = parsed.as_ref() else { return false };
    template.references().iter().any(|r| match &r.path[..] {
        [only] => READ_ALONE.contains(&only.as_str()),
        [first, ..] => READ.contains(&first.as_str()),
        [] => false,
    }) || !template.method_calls("atmos", "Component").is_empty()
}
