//! The description of manifests: the whole, the sections of component types, and components
//! (`reference: atmos.md` section 10.2).

use super::sections::{
    ANYTHING, AUTH, BACKEND, BACKEND_TYPE, COMPOSITIONS, DEPENDENCIES, DEPENDS_ON, FREE, GENERATE, GLOBAL_METADATA,
    HOOKS, IMPORT, METADATA, OVERRIDES, PROVISION, REQUIRED_PROVIDERS, RETRY, SECRETS, SECTION, SETTINGS, SOURCE,
    TEXT_LIST, VARS, VERSION,
};
use super::workflow::WORKFLOWS;
use crate::dialects::atmos::shapes::shape::Shape::{Either, Flag, Named, Text, Words};
use crate::dialects::atmos::shapes::shape::{Names, Shape, list, map, number, section};

pub(super) static MANIFEST: Shape = map!(Ignored {
    "name": Text,
    "import": IMPORT,
    "terraform": TERRAFORM,
    "helmfile": HELMFILE,
    "kubernetes": KUBERNETES,
    "helm": HELM,
    "packer": PACKER,
    "vars": VARS,
    "hooks": HOOKS,
    "env": VARS,
    "settings": SETTINGS,
    "locals": VARS,
    "metadata": GLOBAL_METADATA,
    "components": COMPONENTS,
    "compositions": COMPOSITIONS,
    "secrets": SECRETS,
    "overrides": OVERRIDES,
    "workflows": WORKFLOWS,
    "dependencies": DEPENDENCIES,
    "generate": GENERATE,
    "version": VERSION,
    // Atmos reads these and does not examine their shape.
    "ansible": ANYTHING,
    "auth": ANYTHING,
});

static COMPONENTS: Shape = section!(Ignored {
    "terraform": section!(Entries(Names::COMPONENT, &TERRAFORM_COMPONENT) {}),
    "helmfile": section!(Entries(Names::COMPONENT, &HELMFILE_COMPONENT) {}),
    "kubernetes": section!(Entries(Names::COMPONENT, &KUBERNETES_COMPONENT) {}),
    "helm": section!(Entries(Names::COMPONENT, &HELM_COMPONENT) {}),
    "packer": section!(Entries(Names::COMPONENT, &PACKER_COMPONENT) {}),
    "container": section!(Entries(Names::COMPONENT, &CONTAINER_COMPONENT) {}),
    "emulator": section!(Entries(Names::COMPONENT, &EMULATOR_COMPONENT) {}),
    "ansible": ANYTHING,
});

static TERRAFORM: Shape = Named(
    "terraform",
    &section!(Closed {
        "vars": VARS,
        "hooks": HOOKS,
        "env": VARS,
        "settings": SETTINGS,
        "locals": VARS,
        "command": Text,
        "backend_type": BACKEND_TYPE,
        "backend": BACKEND,
        "remote_state_backend_type": BACKEND_TYPE,
        "remote_state_backend": BACKEND,
        "overrides": OVERRIDES,
        "providers": SECTION,
        "generate": GENERATE,
        "dependencies": DEPENDENCIES,
        "depends_on" => "dependencies.components": DEPENDS_ON,
        "provision": PROVISION,
        "required_version": Text,
        "required_providers": REQUIRED_PROVIDERS,
        "retry": RETRY,
    }),
);

static TERRAFORM_COMPONENT: Shape = Named(
    "terraform_component",
    &section!(Closed {
        "metadata": METADATA,
        "component": Text,
        "vars": VARS,
        "test": map!(Closed { "vars": VARS }),
        "mocks": FREE,
        "env": VARS,
        "settings": SETTINGS,
        "locals": VARS,
        "command": Text,
        "backend_type": BACKEND_TYPE,
        "backend": BACKEND,
        "remote_state_backend_type": BACKEND_TYPE,
        "remote_state_backend": BACKEND,
        "providers": SECTION,
        "hooks": HOOKS,
        "auth": AUTH,
        "secrets": SECRETS,
        "generate": GENERATE,
        "dependencies": DEPENDENCIES,
        "depends_on" => "dependencies.components": DEPENDS_ON,
        "provision": PROVISION,
        "source": SOURCE,
        "required_version": Text,
        "required_providers": REQUIRED_PROVIDERS,
        "retry": RETRY,
    }),
);

static HELMFILE: Shape = Named(
    "helmfile",
    &section!(Closed {
        "vars": VARS,
        "env": VARS,
        "settings": SETTINGS,
        "locals": VARS,
        "command": Text,
        "plugins": TEXT_LIST,
        "overrides": OVERRIDES,
        "dependencies": DEPENDENCIES,
        "provision": PROVISION,
        "hooks": HOOKS,
        "retry": RETRY,
    }),
);

static HELMFILE_COMPONENT: Shape = Named(
    "helmfile_component",
    &section!(Closed {
        "metadata": METADATA,
        "component": Text,
        "vars": VARS,
        "env": VARS,
        "settings": SETTINGS,
        "locals": VARS,
        "command": Text,
        "plugins": TEXT_LIST,
        "auth": AUTH,
        "secrets": SECRETS,
        "dependencies": DEPENDENCIES,
        "provision": PROVISION,
        "source": SOURCE,
        "hooks": HOOKS,
        "retry": RETRY,
    }),
);

static PACKER: Shape = Named(
    "packer",
    &section!(Closed {
        "vars": VARS,
        "env": VARS,
        "settings": SETTINGS,
        "locals": VARS,
        "command": Text,
        "overrides": OVERRIDES,
        "dependencies": DEPENDENCIES,
        "provision": PROVISION,
        "retry": RETRY,
    }),
);

static PACKER_COMPONENT: Shape = Named(
    "packer_component",
    &section!(Closed {
        "metadata": METADATA,
        "component": Text,
        "vars": VARS,
        "env": VARS,
        "settings": SETTINGS,
        "locals": VARS,
        "command": Text,
        "auth": AUTH,
        "secrets": SECRETS,
        "dependencies": DEPENDENCIES,
        "provision": PROVISION,
        "source": SOURCE,
        "retry": RETRY,
    }),
);

static RENDER: Shape = section!(Closed { "output": map!(Closed { "path": Text, "split": Flag }) });
static PROVIDER: Shape = Words(&["kubectl", "kustomize"]);
static MANIFESTS: Shape = crate::dialects::atmos::shapes::shape::Shape::Included(&list!(Either(&[
    &Text,
    &map!(Free { "apiVersion": Text, "kind": Text, "metadata": FREE } Needs("apiVersion") Needs("kind")),
])));

static KUBERNETES: Shape = Named(
    "kubernetes",
    &section!(Closed {
        "vars": VARS,
        "env": VARS,
        "settings": SETTINGS,
        "locals": VARS,
        "provider": PROVIDER,
        "paths": TEXT_LIST,
        "manifests": MANIFESTS,
        "render": RENDER,
        "hooks": HOOKS,
        "generate": GENERATE,
    }),
);

static KUBERNETES_COMPONENT: Shape = Named(
    "kubernetes_component",
    &section!(Closed {
        "metadata": METADATA,
        "component": Text,
        "provider": PROVIDER,
        "paths": TEXT_LIST,
        "manifests": MANIFESTS,
        "vars": VARS,
        "env": VARS,
        "settings": SETTINGS,
        "locals": VARS,
        "hooks": HOOKS,
        "generate": GENERATE,
        "render": RENDER,
        "source": SOURCE,
        "provision": PROVISION,
        "auth": AUTH,
        "secrets": SECRETS,
        "retry": RETRY,
        "dependencies": DEPENDENCIES,
        "validate": Flag,
    }),
);

static REPOSITORIES: Shape = list!(map!(Closed {
    "name": Text,
    "url": Text,
    "username": Text,
    "password": Text,
    "pass_credentials_all": Flag,
    "cert_file": Text,
    "key_file": Text,
    "ca_file": Text,
    "insecure_skip_tls_verify": Flag,
} Needs("name") Needs("url")));

static HELM: Shape = Named(
    "helm",
    &section!(Closed {
        "vars": VARS,
        "env": VARS,
        "settings": SETTINGS,
        "locals": VARS,
        "render": RENDER,
        "hooks": HOOKS,
        "plugins": TEXT_LIST,
        "repositories": REPOSITORIES,
        "generate": GENERATE,
        "command": Text,
        "auth": AUTH,
        "dependencies": DEPENDENCIES,
        "source": SOURCE,
        "provision": PROVISION,
    }),
);

static HELM_COMPONENT: Shape = Named(
    "helm_component",
    &section!(Closed {
        "metadata": METADATA,
        "component": Text,
        "chart": Text,
        "version": Text,
        "repository": Text,
        "repositories": REPOSITORIES,
        "namespace": Text,
        "name": Text,
        "values": SECTION,
        "values_files": list!(Text),
        "render": RENDER,
        "vars": VARS,
        "env": VARS,
        "settings": SETTINGS,
        "locals": VARS,
        "secrets": SECRETS,
        "hooks": HOOKS,
        "generate": GENERATE,
        "source": SOURCE,
        "provision": PROVISION,
        "auth": AUTH,
        "dependencies": DEPENDENCIES,
        "plugins": TEXT_LIST,
        "command": Text,
    }),
);

static CONTAINER_SETTINGS: Shape = map!(Free {
    "runtime": map!(Closed {
        "provider": Words(&["", "auto", "docker", "podman"]),
        "auto_start": Flag,
        "host": Flag,
    }),
    "restart": map!(Closed {
        "policy": Words(&["no", "always", "on-failure", "unless-stopped"]),
        "max_retries": number!(whole, min 0),
    }),
    "healthcheck": map!(Closed {
        "test": Either(&[&Text, &list!(Text)]),
        "interval": Text,
        "timeout": Text,
        "retries": number!(whole, min 0),
        "start_period": Text,
        "start_interval": Text,
        "disable": Flag,
    }),
});

static CONTAINER_COMPONENT: Shape = Named(
    "container_component",
    &section!(Free {
        "composition": Text,
        "image": Text,
        "build": FREE,
        "run": CONTAINER_SETTINGS,
        "env": VARS,
        "settings": SETTINGS,
        "metadata": METADATA,
        "command": Text,
    }),
);

static EMULATOR_COMPONENT: Shape = Named(
    "emulator_component",
    &section!(Free {
        "driver": Text,
        "cloud": Text,
        "region": Text,
        "project": Text,
        "services": list!(Text),
        "ephemeral": Flag,
        "container": CONTAINER_SETTINGS,
        "env": VARS,
        "settings": SETTINGS,
        "metadata": METADATA,
    }),
);
