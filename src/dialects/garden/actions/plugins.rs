//! Providers that Garden has, and the types of actions that they bring. Specs of types are data; only `exec` is judged.

/// A provider with the types of actions that it brings, for all kinds or for some.
struct Plugin {
    name: &'static str,
    types: &'static [&'static str],
    /// The keys of its configuration, where they are known.
    keys: Option<&'static [&'static str]>,
}

const KUBERNETES: &[&str] =
    &["kubernetes", "helm", "configmap", "persistentvolumeclaim", "kubernetes-exec", "kubernetes-pod", "helm-pod"];

const PLUGINS: [Plugin; 18] = [
    plugin("container", &["container"]),
    Plugin {
        name: "exec",
        types: &["exec"],
        keys: Some(&["name", "dependencies", "environments", "initScript", "preInit"]),
    },
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
    Plugin { name, types, keys: None }
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

/// The keys of the configuration of a provider, where they are known.
pub(crate) fn provider_keys(name: &str) -> Option<&'static [&'static str]> {
    PLUGINS.iter().find(|plugin| plugin.name == name)?.keys
}

/// The types of actions that some providers bring.
pub(crate) fn types(providers: &[&str]) -> Vec<&'static str> {
    let of = PLUGINS.iter().filter(|plugin| providers.contains(&plugin.name));
    let mut types: Vec<&str> = of.flat_map(|plugin| plugin.types.iter().copied()).collect();
    types.sort_unstable();
    types.dedup();
    types
}
