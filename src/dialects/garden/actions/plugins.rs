//! Providers that Garden has, and the types of actions that they bring. Specs of types are data; only `exec` is judged.

use crate::dialects::garden::project::schema::{ANY_TEXT, Field, Shape, TEXT, optional};

/// A provider with the types of actions that it brings, for all kinds or for some.
struct Plugin {
    name: &'static str,
    types: &'static [&'static str],
    /// The fields of its configuration besides those of every provider, where they are known.
    fields: Option<&'static [Field]>,
}

const KUBERNETES: &[&str] =
    &["kubernetes", "helm", "configmap", "persistentvolumeclaim", "kubernetes-exec", "kubernetes-pod", "helm-pod"];

const EXEC: &[Field] = &[optional("initScript", ANY_TEXT)];
const CONTAINER: &[Field] = &[
    optional("dockerBuildExtraFlags", Shape::Sparse(&TEXT)),
    optional("gardenContainerBuilder", Shape::Fields(&[optional("enabled", Shape::Bool)])),
];

const PLUGINS: [Plugin; 18] = [
    Plugin { name: "container", types: &["container"], fields: Some(CONTAINER) },
    Plugin { name: "exec", types: &["exec"], fields: Some(EXEC) },
    plugin("templated", &["templated"]),
    plugin("conftest", &["conftest"]),
    plugin("conftest-container", &["conftest"]),
    plugin("conftest-kubernetes", &["conftest", "conftest-helm"]),
    plugin("ephemeral-kubernetes", KUBERNETES),
    plugin("garden-container-builder", &[]),
    plugin("hadolint", &["hadolint"]),
    plugin("jib", &["jib-container"]),
    plugin("kubernetes", KUBERNETES),
    plugin("local-kubernetes", KUBERNETES),
    plugin("maven-container", &["maven-container"]),
    plugin("openshift", KUBERNETES),
    plugin("otel-collector", &[]),
    plugin("pulumi", &["pulumi"]),
    plugin("terraform", &["terraform"]),
    plugin("test-plugin", &["test"]),
];

const fn plugin(name: &'static str, types: &'static [&'static str]) -> Plugin {
    Plugin { name, types, fields: None }
}

/// Providers that every project has.
pub(crate) const FIXED: [&str; 3] = ["exec", "container", "templated"];

/// Whether there is a provider of a name.
pub(crate) fn exists(name: &str) -> bool {
    PLUGINS.iter().any(|plugin| plugin.name == name)
}

/// The names of all providers.
pub(crate) fn names() -> Vec<&'static str> {
    PLUGINS.iter().map(|plugin| plugin.name).collect()
}

/// The fields of the configuration of a provider besides those of every one, where they are known.
pub(crate) fn provider_fields(name: &str) -> Option<&'static [Field]> {
    PLUGINS.iter().find(|plugin| plugin.name == name)?.fields
}

/// The types of actions that some providers bring.
pub(crate) fn types(providers: &[&str]) -> Vec<&'static str> {
    let of = PLUGINS.iter().filter(|plugin| providers.contains(&plugin.name));
    let mut types: Vec<&str> = of.flat_map(|plugin| plugin.types.iter().copied()).collect();
    types.sort_unstable();
    types.dedup();
    types
}
