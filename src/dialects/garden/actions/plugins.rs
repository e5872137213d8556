//! Providers that Garden has, and the types of actions that they bring.

/// A provider with the types of actions that it brings, for all kinds or for some.
struct Plugin {
    name: &'static str,
    types: &'static [&'static str],
}

const KUBERNETES: &[&str] =
    &["kubernetes", "helm", "configmap", "persistentvolumeclaim", "kubernetes-exec", "kubernetes-pod", "helm-pod"];

const PLUGINS: [Plugin; 18] = [
    plugin("container", &["container"]),
    plugin("exec", &["exec"]),
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
    Plugin { name, types }
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

/// The types of actions that some providers bring.
pub(crate) fn types(providers: &[&str]) -> Vec<&'static str> {
    let of = PLUGINS.iter().filter(|plugin| providers.contains(&plugin.name));
    let mut types: Vec<&str> = of.flat_map(|plugin| plugin.types.iter().copied()).collect();
    types.sort_unstable();
    types.dedup();
    types
}
