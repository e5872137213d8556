//! The object that holds a state: where a backend with these settings keeps that of a workspace.

use crate::value::{Data, Map, Value};

/// The parts that locate a state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StateLocation<'a> {
    /// The type of the backend.
    pub backend: &'a str,
    pub settings: &'a Map,
    pub workspace: &'a str,
    /// Whether the workspace is only assumed.
    pub is_assumed: bool,
    /// The folder that Terraform runs in, if it can be named.
    pub folder: Option<&'a str>,
}

/// Where a state is that nothing places.
pub(crate) const BESIDE: &str = "kept beside the code";

/// How to move one.
pub(crate) const MOVE: &str =
    "move the state first (`terraform init -migrate-state`, `terraform state push`), or keep the old place";

/// The attributes of backends that locate a state.
pub(crate) const ADDRESS: [&str; 23] = [
    "address",
    "bucket",
    "config_context",
    "conn_str",
    "connection_string",
    "container_name",
    "directory",
    "dsn",
    "host",
    "hostname",
    "key",
    "namespace",
    "organization",
    "path",
    "prefix",
    "region",
    "resource_group_name",
    "schema_name",
    "secret_suffix",
    "storage_account_name",
    "table_name",
    "workspace_key_prefix",
    "workspaces",
];

/// Those among them that hold credentials, too.
pub(crate) const SECRET_ADDRESS: [&str; 3] = ["conn_str", "connection_string", "dsn"];

/// The attributes of backends with the credentials for a state.
pub(crate) const ACCESS: [&str; 7] =
    ["assume_role", "client_id", "impersonate_service_account", "profile", "role_arn", "subscription_id", "tenant_id"];

/// The role that a backend assumes: `role_arn`, or that of `assume_role`, which takes its place. `None` if there is none, or
/// it is not known.
pub(crate) fn role(settings: &Map) -> Option<String> {
    let own = known(settings.get("role_arn")).flatten();
    let nested = settings.get("assume_role").map(|value| value.as_list().and_then(|all| all.first()).unwrap_or(value));
    own.or_else(|| known(nested?.get("role_arn")).flatten())
}

/// Whether a path is that of the role that a backend assumes, in one form or the other.
pub(crate) fn is_role(path: &str) -> bool {
    let end = path.rsplit('/').next();
    matches!(end, Some("role_arn" | "assume_role"))
}

/// The attribute that enables the encryption of a state.
pub(crate) const ENCRYPTION: &str = "encrypt";

/// The attribute that names the key that encrypts a state.
pub(crate) const ENCRYPTION_KEY: &str = "kms_key_id";

/// Required settings of backends, by type. Others have a default, or are often passed only when the backend is
/// initialized (`key`).
pub(crate) fn required_settings(backend: &str) -> &'static [&'static str] {
    match backend {
        "s3" | "gcs" => &["bucket"],
        "azurerm" => &["container_name"],
        _ => &[],
    }
}

/// Returns the parts that identify a state object, as `name value` pairs; the first is the type of the backend. `None`
/// if one of them is unknown.
pub(crate) fn object(place: &StateLocation<'_>) -> Option<Vec<(&'static str, String)>> {
    let default = place.workspace == "default";
    let text = |key: &str| known(place.settings.get(key));
    let needed = |key: &str| text(key)?.filter(|t| !t.is_empty());
    let mut parts = vec![("backend", place.backend.to_owned())];
    match place.backend {
        "s3" => {
            parts.push(("bucket", needed("bucket")?));
            for key in ["endpoint", "endpoints"] {
                match place.settings.get(key) {
                    None => {}
                    Some(value) if value.is_null() => {}
                    Some(_) if key == "endpoint" => parts.push(("endpoint", needed("endpoint")?)),
                    Some(value) => parts.push(("endpoint", known(value.get("s3"))??)),
                }
            }
            let key = needed("key")?;
            let prefix = text("workspace_key_prefix")?.filter(|p| !p.is_empty());
            let workspace = place.workspace;
            // A prefix of its own means that there are workspaces, of which nothing here selects one.
            if let Some(prefix) = prefix.as_ref().filter(|prefix| *prefix != "env:" && default && place.is_assumed) {
                parts.push(("workspace_key_prefix", prefix.clone()));
            }
            let prefix = prefix.unwrap_or_else(|| "env:".to_owned());
            parts.push(("key", if default { key } else { format!("{prefix}/{workspace}/{key}") }));
        }
        "gcs" => {
            parts.push(("bucket", needed("bucket")?));
            let prefix = text("prefix")?.unwrap_or_default();
            let object = format!("{}/{}.tfstate", prefix.trim_end_matches('/'), place.workspace);
            parts.push(("object", object.trim_start_matches('/').to_owned()));
        }
        "azurerm" => {
            parts.push(("storage_account_name", needed("storage_account_name")?));
            parts.push(("container_name", needed("container_name")?));
            let key = needed("key")?;
            parts.push(("key", if default { key } else { format!("{key}env:{}", place.workspace) }));
        }
        "local" => {
            let folder = place.folder?;
            let (path, folders) = (text("path")?, text("workspace_dir")?);
            if path.is_some() && !default || path.as_ref().is_some_and(|p| p.starts_with('/')) {
                // With a path of its own, workspaces are stored beside it: the folder depends on the version.
                return None;
            }
            let folders = folders.unwrap_or_else(|| "terraform.tfstate.d".to_owned());
            let path = path.unwrap_or_else(|| "terraform.tfstate".to_owned());
            let workspace = place.workspace;
            parts.push((
                "path",
                match default {
                    true => format!("{folder}/{path}"),
                    false => format!("{folder}/{folders}/{workspace}/terraform.tfstate"),
                },
            ));
        }
        "http" => parts.push(("address", needed("address")?)),
        _ => return None,
    }
    Some(parts)
}

/// The text of a setting: `Some(None)` if it is not set, `None` if it is unknown.
#[expect(clippy::option_option, reason = "not set and not known are two things")]
fn known(value: Option<&Value>) -> Option<Option<String>> {
    match value.map(|v| &v.data) {
        None | Some(Data::Null) => Some(None),
        Some(Data::Str(text)) if text.contains("{{") || text.contains("<no value>") => None,
        Some(Data::Str(text)) => Some(Some(text.to_string())),
        Some(Data::Int(n)) => Some(Some(n.to_string())),
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Unknown;
    use std::sync::Arc;

    fn settings(pairs: &[(&str, &str)]) -> Map {
        pairs.iter().map(|(k, v)| ((*k).into(), Value::str(*v))).collect()
    }

    fn address(backend: &str, pairs: &[(&str, &str)], workspace: &str) -> Option<String> {
        let settings = settings(pairs);
        let folder = Some("code/vpc");
        let parts = object(&StateLocation { backend, settings: &settings, workspace, is_assumed: false, folder })?;
        Some(parts.iter().map(|(_, v)| v.as_str()).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn addresses_of_state_objects() {
        let folder = None;
        let s3 = [("bucket", "b"), ("key", "t.tfstate"), ("workspace_key_prefix", "vpc")];
        assert_eq!(address("s3", &s3, "dev").as_deref(), Some("s3 b vpc/dev/t.tfstate"));
        assert_eq!(address("s3", &s3, "default").as_deref(), Some("s3 b t.tfstate"));
        assert_eq!(address("s3", &s3[..2], "dev").as_deref(), Some("s3 b env:/dev/t.tfstate"));
        assert_eq!(address("s3", &s3[1..], "dev"), None);
        assert_eq!(
            address("gcs", &[("bucket", "b"), ("prefix", "vpc")], "dev").as_deref(),
            Some("gcs b vpc/dev.tfstate")
        );
        let azure = [("storage_account_name", "a"), ("container_name", "c"), ("key", "k")];
        assert_eq!(address("azurerm", &azure, "dev").as_deref(), Some("azurerm a c kenv:dev"));
        let local = "local code/vpc/terraform.tfstate.d/dev/terraform.tfstate";
        assert_eq!(address("local", &[], "dev").as_deref(), Some(local));
        assert_eq!(address("local", &[("path", "x.tfstate")], "dev"), None);
        assert_eq!(address("remote", &[], "dev"), None);
        assert_eq!(address("s3", &[("bucket", "{{ .x }}"), ("key", "k")], "dev"), None);
        let assumed = |prefix: &str| {
            let settings = settings(&[("bucket", "b"), ("key", "k"), ("workspace_key_prefix", prefix)]);
            object(&StateLocation {
                backend: "s3",
                settings: &settings,
                workspace: "default",
                is_assumed: true,
                folder,
            })
        };
        assert_eq!(assumed("env:"), assumed(""), "the default, written or not");
        assert_ne!(assumed("x"), assumed(""));
        let mut unknown = settings(&s3);
        unknown.set("bucket", Value::new(Data::Unknown(Arc::new(Unknown::new("!env B", "reads")))));
        assert_eq!(
            object(&StateLocation {
                backend: "s3",
                settings: &unknown,
                workspace: "dev",
                is_assumed: false,
                folder: None
            }),
            None
        );
    }
}
