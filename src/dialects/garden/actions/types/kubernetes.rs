//! The specs of actions of the plugin for Kubernetes.

use super::container::{FILE_MODE, LOCAL_MODE, OWNER, SYNC_MODES};
use super::{CONTAINER_ENV, TEXTS, WORDS};
use crate::dialects::garden::project::ActionKind;
use crate::dialects::garden::project::schema::{
    Field, Format, INNER_PATH, PATH, PATTERN, Rule, Shape, TEXT, WHOLE, between, optional, required,
};

const NAME: Shape = Shape::Text(Format::Name);
const TEXT_LIST: Shape = Shape::Sparse(&TEXT);
const WORKLOADS: [&str; 3] = ["Deployment", "DaemonSet", "StatefulSet"];
const TARGET: Shape = Shape::With(
    &Shape::With(
        &Shape::With(
            &Shape::Fields(&[
                optional("kind", Shape::Text(Format::Words(&WORKLOADS))),
                optional("name", TEXT),
                optional("podSelector", TEXTS),
                optional("containerName", TEXT),
            ]),
            Rule::OneKey(&["kind", "podSelector"]),
        ),
        Rule::Alone("podSelector", &["name"]),
    ),
    Rule::Needs("name", "kind"),
);
const KUSTOMIZE: Shape = Shape::Fields(&[
    optional("path", Shape::Nullable(&TEXT)),
    optional("version", between(4.0, 5.0)),
    optional("extraArgs", TEXT_LIST),
]);
const MANIFEST: Shape = Shape::Open(&[
    required("apiVersion", TEXT),
    required("kind", TEXT),
    required("metadata", Shape::Open(&[required("name", TEXT)])),
]);
const PATCH: Shape = Shape::Fields(&[
    required("kind", TEXT),
    required("name", TEXT),
    optional("strategy", TEXT),
    required("patch", Shape::Map),
]);
const FORWARD: Shape = Shape::Fields(&[
    optional("name", NAME),
    required("resource", TEXT),
    required("targetPort", WHOLE),
    optional("localPort", WHOLE),
]);
const SYNC_PATH: Shape = Shape::Fields(&[
    optional("target", TARGET),
    optional("sourcePath", TEXT),
    required("containerPath", Shape::Text(Format::AbsolutePath)),
    optional("exclude", Shape::List(&PATTERN)),
    optional("mode", Shape::Text(Format::Words(&SYNC_MODES))),
    optional("defaultFileMode", FILE_MODE),
    optional("defaultDirectoryMode", FILE_MODE),
    optional("defaultOwner", OWNER),
    optional("defaultGroup", OWNER),
]);
const SYNC: Shape = Shape::Fields(&[
    optional(
        "defaults",
        Shape::Fields(&[
            optional("exclude", Shape::List(&PATTERN)),
            optional("fileMode", FILE_MODE),
            optional("directoryMode", FILE_MODE),
            optional("owner", OWNER),
            optional("group", OWNER),
        ]),
    ),
    optional("paths", Shape::List(&SYNC_PATH)),
    optional(
        "overrides",
        Shape::List(&Shape::Fields(&[
            optional("target", TARGET),
            optional("command", TEXT_LIST),
            optional("args", TEXT_LIST),
            optional("image", TEXT),
        ])),
    ),
]);
const VOLUME: Shape = Shape::Fields(&[
    required("name", NAME),
    optional(
        "target",
        Shape::Fields(&[required("kind", TEXT), required("name", TEXT), optional("containerName", TEXT)]),
    ),
    required("sourcePath", INNER_PATH),
    required("containerPath", TEXT),
    optional("excludes", Shape::List(&TEXT)),
]);
const LOCAL_VOLUMES: Shape =
    Shape::Nullable(&Shape::Fields(&[optional("enabled", Shape::Bool), optional("volumes", Shape::Sparse(&VOLUME))]));
const NAMESPACE: Field = optional("namespace", NAME);
const MANIFESTS: Field = optional("manifests", Shape::Sparse(&MANIFEST));
const MANIFEST_FILES: Field = optional("manifestFiles", Shape::Sparse(&PATTERN));
const MANIFEST_TEMPLATES: Field = optional("manifestTemplates", Shape::Sparse(&PATTERN));
const PATCHES: Field = optional("patchResources", Shape::Sparse(&PATCH));

const DEPLOY: &[Field] = &[
    optional("kustomize", KUSTOMIZE),
    MANIFESTS,
    MANIFEST_FILES,
    MANIFEST_TEMPLATES,
    PATCHES,
    NAMESPACE,
    optional("portForwards", Shape::List(&FORWARD)),
    optional("timeout", WHOLE),
    optional("applyArgs", TEXT_LIST),
    optional("waitForJobs", Shape::Bool),
    optional("defaultTarget", TARGET),
    optional("sync", SYNC),
    optional("localMode", Shape::Fields(LOCAL_MODE)),
    optional("localVolumes", LOCAL_VOLUMES),
];
const CHART: Shape = Shape::With(
    &Shape::With(
        &Shape::With(
            &Shape::Fields(&[
                optional("name", TEXT),
                optional("path", INNER_PATH),
                optional("repo", TEXT),
                optional("url", Shape::Text(Format::Url)),
                optional("version", TEXT),
            ]),
            Rule::OneKey(&["name", "path", "url"]),
        ),
        Rule::Alone("path", &["repo", "version"]),
    ),
    Rule::Alone("url", &["repo"]),
);
const RELEASE: Field = optional("releaseName", NAME);
const VALUES: Field = optional("values", Shape::Map);
const VALUE_FILES: Field = optional("valueFiles", Shape::Sparse(&PATH));
const HELM: &[Field] = &[
    NAMESPACE,
    optional("portForwards", Shape::List(&FORWARD)),
    RELEASE,
    optional("timeout", WHOLE),
    VALUES,
    VALUE_FILES,
    optional("atomic", Shape::Bool),
    optional("waitForUnhealthyResources", Shape::Bool),
    optional("chart", CHART),
    optional("defaultTarget", TARGET),
    optional("sync", SYNC),
    optional("localMode", Shape::Fields(LOCAL_MODE)),
    optional("localVolumes", LOCAL_VOLUMES),
];
const EXEC: &[Field] = &[optional("command", WORDS), required("resource", TARGET), NAMESPACE];
const ARTIFACT: Shape =
    Shape::Fields(&[required("source", Shape::Text(Format::AbsolutePattern)), optional("target", INNER_PATH)]);
const CACHE: Field = optional("cacheResult", Shape::Bool);
const COMMAND: Field = optional("command", WORDS);
const ARGUMENTS: Field = optional("args", WORDS);
const ENV: Field = optional("env", CONTAINER_ENV);
const ARTIFACTS: Field = optional("artifacts", Shape::Sparse(&ARTIFACT));
const RESOURCE: Field = optional("resource", TARGET);
const POD_SPEC: Field = optional("podSpec", Shape::Map);
const POD: Shape = Shape::With(
    &Shape::Fields(&[
        CACHE,
        COMMAND,
        ARGUMENTS,
        ENV,
        ARTIFACTS,
        NAMESPACE,
        optional("kustomize", KUSTOMIZE),
        PATCHES,
        MANIFESTS,
        optional("files", Shape::Any),
        MANIFEST_FILES,
        MANIFEST_TEMPLATES,
        RESOURCE,
        POD_SPEC,
    ]),
    Rule::OneKey(&["resource", "podSpec"]),
);
const HELM_POD: Shape = Shape::With(
    &Shape::Fields(&[
        CACHE,
        COMMAND,
        ARGUMENTS,
        ENV,
        ARTIFACTS,
        NAMESPACE,
        RELEASE,
        optional("chart", CHART),
        VALUES,
        VALUE_FILES,
        RESOURCE,
        POD_SPEC,
        optional("timeout", WHOLE),
    ]),
    Rule::OneKey(&["resource", "podSpec"]),
);

/// The shape of the spec of an action; `None` if the plugin has no such type, or its fields are not known.
pub(super) fn shape(kind: ActionKind, of_type: &str) -> Option<Shape> {
    let is_job = matches!(kind, ActionKind::Run | ActionKind::Test);
    match of_type {
        "kubernetes" if kind == ActionKind::Deploy => Some(Shape::Fields(DEPLOY)),
        "helm" if kind == ActionKind::Deploy => Some(Shape::Fields(HELM)),
        "kubernetes-exec" if is_job => Some(Shape::Fields(EXEC)),
        "kubernetes-pod" if is_job => Some(POD),
        "helm-pod" if is_job => Some(HELM_POD),
        _ => None,
    }
}
