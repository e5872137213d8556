//! From what was resolved to components.

use super::{Part, Stage};
use crate::dialects::garden::project::ProjectConfig;
use crate::dialects::garden::template::node::Node;
use crate::dialects::garden::vocabulary;
use crate::resolution::{Component, ComponentMetadata, RemovalEffect};
use crate::text::Text;
use crate::value::{Data, Flags, Language, Value};
use std::sync::Arc;

/// The fields of a project that say where more of it comes from.
const ELSEWHERE: [&str; 5] = ["domain", "id", "importVariables", "organizationId", "sources"];

/// The project with its variables in this environment.
pub(super) fn project(config: &ProjectConfig, stage: &Stage<'_>) -> Part {
    let mut entries = vec![("variables".into(), stage.resolved.clone())];
    if let Some(outputs) = config.tree.get("outputs") {
        entries.push(("outputs".into(), outputs.clone()));
    }
    // What is in other repositories, and in the cloud, is not known: where it is taken from says what may differ.
    for key in ELSEWHERE {
        if let Some(node) = config.tree.get(key) {
            let (node, _) = stage.deep_with(node, stage.context(&stage.roots), &mut |_| {});
            entries.push((Text::from(key), node));
        }
    }
    for key in ["environment", "production"] {
        if let Some(node) = stage.input.environment.tree.get(key) {
            entries.push((Text::from(key), node.clone()));
        }
    }
    if let Some(namespace) = stage.roots.get("environment").and_then(|node| node.get("namespace").cloned()) {
        entries.push(("namespace".into(), namespace));
    }
    let shaping = config.tree.prov.origin.into_iter().collect();
    Part::new("project".into(), Text::clone(&config.name), stage.value_of(&Node::map(entries)), shaping)
}

/// Components of a stack, sorted by type and name.
pub(super) fn all(stack: &Text, parts: Vec<Part>) -> Vec<Arc<Component>> {
    let mut out: Vec<Arc<Component>> = parts.into_iter().map(|part| Arc::new(component(stack, part))).collect();
    out.sort_by_key(|component| component.address());
    out
}

/// Whether Garden refuses to destroy what a part deploys: what Terraform and Pulumi manage, unless `allowDestroy` is set or is the
/// default.
fn protection(part: &Part) -> Value {
    let of_action = || Some((part.value.get("type")?.as_str()?, part.value.get("spec")?));
    let (tool, settings) = match part.kind.as_str() {
        "deploy" => of_action().unwrap_or(("", &part.value)),
        "module" => (part.value.get("type").and_then(Value::as_str).unwrap_or_default(), &part.value),
        // Its own root module is destroyed with the environment.
        "provider" if part.value.get("initRoot").is_some() => (&*part.name, &part.value),
        _ => return Value::default(),
    };
    let by_default = match tool {
        "terraform" => true,
        "pulumi" => false,
        _ => return Value::default(),
    };
    match settings.get("allowDestroy") {
        Some(allows) if allows.holds(Flags::UNKNOWN) => allows.clone(),
        Some(allows) if allows.as_bool().is_some() => {
            Value::new(Data::Bool(allows.as_bool() == Some(false))).with_prov(allows.prov.clone())
        }
        _ => Value::new(Data::Bool(by_default)),
    }
}

fn component(stack: &Text, part: Part) -> Component {
    let removal = match part.kind.as_str() {
        // What a module deploys only its plugin knows.
        "deploy" | "module" => RemovalEffect::Orphaned,
        _ => RemovalEffect::Nothing,
    };
    let (vocabulary, protection) = (vocabulary::of(&part.kind, &part.name), protection(&part));
    Component {
        language: Language { vocabulary, ..Language::default() },
        shaping_origins: part.shaping.into(),
        removal,
        metadata: ComponentMetadata {
            is_disabled: part.is_disabled,
            protection,
            links: part.links.into(),
            ..ComponentMetadata::default()
        },
        ..Component::new((Text::clone(stack), part.kind, part.name), part.value)
    }
}
