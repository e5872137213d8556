//! The configurations of providers.

use super::TEXTS;
use super::container::{FILE_MODE, OWNER};
use crate::dialects::garden::diagnostics::Diagnostics;
use crate::dialects::garden::project::PROVIDER;
use crate::dialects::garden::project::schema::{
    ANY_TEXT, Field, Format, NUMBER, PATTERN, Rule, Shape, TEXT, WHOLE, check_fields, check_plugins, optional, required,
};
use crate::dialects::garden::template::node::Node;

const NAME: Shape = Shape::Text(Format::Name);
const EXEC: &[Field] = &[optional("initScript", ANY_TEXT)];
const CONTAINER: &[Field] = &[
    optional("dockerBuildExtraFlags", Shape::Sparse(&TEXT)),
    optional("gardenContainerBuilder", Shape::Fields(&[optional("enabled", Shape::Bool)])),
];

const REGISTRY: Shape = Shape::Fields(&[
    required("hostname", TEXT),
    optional("port", WHOLE),
    optional("namespace", TEXT),
    optional("insecure", Shape::Bool),
]);
const CACHE: Shape = Shape::Fields(&[
    required("type", Shape::Text(Format::Words(&["registry"]))),
    optional("registry", REGISTRY),
    optional("mode", Shape::Text(Format::Words(&["auto", "min", "max", "inline"]))),
    optional("tag", TEXT),
    optional("export", Shape::Bool),
]);
const TOLERATION: Shape = Shape::Fields(&[
    optional("effect", TEXT),
    optional("key", TEXT),
    optional("operator", TEXT),
    optional("tolerationSeconds", TEXT),
    optional("value", TEXT),
]);
const TOLERATIONS: Field = optional("tolerations", Shape::Sparse(&TOLERATION));
const SELECTOR: Field = optional("nodeSelector", Shape::MapOf(Format::Filled, &ANY_TEXT));
const ANNOTATIONS: Field = optional("annotations", TEXTS);
const ACCOUNT_ANNOTATIONS: Field = optional("serviceAccountAnnotations", TEXTS);
const SECRET: Shape = Shape::Fields(&[required("name", NAME), optional("namespace", NAME)]);
const SECRETS: Shape = Shape::Sparse(&SECRET);
const AMOUNTS: Shape =
    Shape::Fields(&[optional("cpu", WHOLE), optional("memory", WHOLE), optional("ephemeralStorage", WHOLE)]);
const NEEDS: Shape = Shape::Fields(&[optional("limits", AMOUNTS), optional("requests", AMOUNTS)]);
const CERTIFICATE: Shape =
    Shape::Fields(&[required("name", NAME), optional("hostnames", Shape::List(&TEXT)), required("secretRef", SECRET)]);
const NAMESPACE: Shape = Shape::OneOf(&[
    Shape::Fields(&[optional("name", NAME), optional("annotations", TEXTS), optional("labels", TEXTS)]),
    NAME,
]);
const INGRESS: Shape = Shape::Nullable(&Shape::OneOf(&[TEXT, Shape::PlainBool]));

/// What all providers of Kubernetes have.
macro_rules! kubernetes {
    ($($own:expr),* $(,)?) => {
        &[
            optional("utilImageRegistryDomain", TEXT),
            optional("buildMode", Shape::Text(Format::Words(&["local-docker", "kaniko", "cluster-buildkit"]))),
            optional(
                "clusterBuildkit",
                Shape::Fields(&[
                    optional("cache", Shape::List(&CACHE)),
                    optional("rootless", Shape::Bool),
                    SELECTOR,
                    TOLERATIONS,
                    ANNOTATIONS,
                    ACCOUNT_ANNOTATIONS,
                ]),
            ),
            optional("jib", Shape::Fields(&[optional("pushViaCluster", Shape::Bool)])),
            optional(
                "kaniko",
                Shape::Fields(&[
                    optional("extraFlags", Shape::Sparse(&TEXT)),
                    optional("image", TEXT),
                    optional("namespace", Shape::Nullable(&TEXT)),
                    SELECTOR,
                    TOLERATIONS,
                    ANNOTATIONS,
                    ACCOUNT_ANNOTATIONS,
                    optional("util", Shape::Fields(&[TOLERATIONS, ANNOTATIONS, SELECTOR])),
                ]),
            ),
            optional("defaultHostname", TEXT),
            optional(
                "sync",
                Shape::Fields(&[optional(
                    "defaults",
                    Shape::Fields(&[
                        optional("exclude", Shape::List(&PATTERN)),
                        optional("fileMode", FILE_MODE),
                        optional("directoryMode", FILE_MODE),
                        optional("owner", OWNER),
                        optional("group", OWNER),
                    ]),
                )]),
            ),
            optional("forceSsl", Shape::Bool),
            optional("gardenSystemNamespace", TEXT),
            optional("imagePullSecrets", SECRETS),
            optional("copySecrets", SECRETS),
            optional(
                "resources",
                Shape::Fields(&[optional("builder", NEEDS), optional("util", NEEDS), optional("sync", Shape::Any)]),
            ),
            optional("tlsCertificates", Shape::With(&Shape::Sparse(&CERTIFICATE), Rule::UniqueBy("name"))),
            optional("systemNodeSelector", TEXTS),
            optional("namespace", NAMESPACE),
            optional("setupIngressController", INGRESS),
            $($own),*
        ]
    };
}

/// Keys of other versions are let through.
const KUBERNETES: &[Field] = kubernetes![
    required("context", TEXT),
    optional("deploymentRegistry", REGISTRY),
    optional("ingressClass", TEXT),
    optional("ingressHttpPort", NUMBER),
    optional("ingressHttpsPort", NUMBER),
    optional("kubeconfig", TEXT),
    optional("kubectlPath", TEXT),
];
const LOCAL_KUBERNETES: &[Field] = kubernetes![optional("context", TEXT)];

/// Checks the evaluated configuration of a provider.
pub(crate) fn check(name: &str, config: &Node, diagnostics: &Diagnostics) {
    let what = format!("the provider `{name}`");
    let open = |own: &'static [Field]| {
        [PROVIDER, own].into_iter().for_each(|fields| check_plugins(config, &Shape::Open(fields), &what, diagnostics));
    };
    match name {
        "exec" => _ = check_fields(config, &[PROVIDER, EXEC], &what, diagnostics),
        "container" => _ = check_fields(config, &[PROVIDER, CONTAINER], &what, diagnostics),
        "kubernetes" => open(KUBERNETES),
        "local-kubernetes" => open(LOCAL_KUBERNETES),
        _ => open(&[]),
    }
}
