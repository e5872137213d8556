//! Where projects are.

use crate::dialects::configurations_below;
use crate::dialects::garden::template::syntax::ast::LanguageVersion;
use crate::paths::{join, parent};
use crate::source::{Child, Source};
use crate::yaml;

/// Whether a file is read for configuration, by its name.
pub(crate) fn is_config_name(name: &str) -> bool {
    name == "garden.yml" || name == "garden.yaml" || name.ends_with(".garden.yml") || name.ends_with(".garden.yaml")
}

/// The configuration files directly in a folder, sorted.
pub(crate) fn config_files(source: &dyn Source, dir: &str) -> Vec<String> {
    config_files_of(source.listing().children(dir), dir)
}

/// The configuration files among what is directly in a folder, sorted.
pub(crate) fn config_files_of(children: Vec<(&str, Child)>, dir: &str) -> Vec<String> {
    let files = children.into_iter().filter(|(name, child)| is_config_name(name) && !matches!(child, Child::Dir));
    files.map(|(name, _)| join(dir, name)).collect()
}

/// The folder of the project that a folder belongs to: the nearest one around it with a `kind: Project`.
pub(crate) fn find(source: &dyn Source, start: &str) -> Option<String> {
    let mut dir = start;
    loop {
        if config_files(source, dir).iter().any(|path| is_project_file(source, path)) {
            return Some(dir.to_owned());
        }
        if dir.is_empty() {
            return None;
        }
        dir = parent(dir);
    }
}

/// Whether a file holds a project.
pub(crate) fn is_project_file(source: &dyn Source, path: &str) -> bool {
    let Some(bytes) = source.listing().resolve(path).ok().and_then(|entry| source.read(entry).ok()) else {
        return false;
    };
    let text = String::from_utf8_lossy(&bytes);
    if !text.contains("Project") {
        return false;
    }
    match yaml::documents_of(text.as_ref().into()) {
        Ok(documents) => documents.iter().any(|doc| {
            let kind = doc.root().and_then(|root| doc.get(root, "kind")).and_then(|id| doc.scalar(id));
            kind.is_some_and(|kind| *kind == *"Project")
        }),
        // A broken one is still one.
        Err(_) => text.lines().any(|line| {
            line.strip_prefix("kind:").is_some_and(|kind| kind.trim().trim_matches(['"', '\'']) == "Project")
        }),
    }
}

/// The folders of Terraform code that a project below a folder runs, from the root of the repository: `root` of its actions and
/// modules of that type, and `initRoot` of its provider.
pub(crate) fn terraform_folders(source: &dyn Source, project: &str) -> Vec<String> {
    let mut found = Vec::new();
    for path in configurations_below(source, project, is_config_name) {
        let bytes = source.listing().resolve(path).ok().and_then(|entry| source.read(entry).ok());
        let text = bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
        if !text.contains("terraform") {
            continue;
        }
        for doc in yaml::documents_of(text.into()).unwrap_or_default() {
            let Some(root) = doc.root() else { continue };
            let field = |node, key: &str| doc.get(node, key).and_then(|id| doc.scalar(id)).map(ToString::to_string);
            let providers = doc.get(root, "providers").map(|list| &doc.node(list).kind);
            let providers = if let Some(yaml::NodeKind::Sequence(items)) = providers { &items[..] } else { &[] };
            let of_providers =
                providers.iter().copied().filter(|one| field(*one, "name").as_deref() == Some("terraform"));
            let mut folders: Vec<String> = of_providers.filter_map(|one| field(one, "initRoot")).collect();
            if field(root, "type").as_deref() == Some("terraform") {
                let spec = doc.get(root, "spec").and_then(|spec| field(spec, "root"));
                folders.push(spec.or_else(|| field(root, "root")).unwrap_or_else(|| ".".to_owned()));
            }
            // A name that only a running Garden knows claims nothing.
            let known = folders.iter().filter(|folder| !folder.contains("${"));
            found.extend(known.filter_map(|folder| crate::paths::resolve(parent(path), folder)));
        }
    }
    found.retain(|folder| !folder.is_empty());
    found
}

/// The version of the language that the project in a file is written in.
pub(crate) fn era_of(source: &dyn Source, path: &str) -> LanguageVersion {
    let bytes = source.listing().resolve(path).ok().and_then(|entry| source.read(entry).ok());
    let text = bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
    let documents = yaml::documents_of(text.into()).unwrap_or_default();
    let field = |doc: &yaml::Document, key: &str| doc.get(doc.root()?, key).and_then(|id| doc.scalar(id).cloned());
    let project = documents.iter().find(|doc| field(doc, "kind").is_some_and(|kind| *kind == *"Project"));
    match project.map(|doc| field(doc, "apiVersion")) {
        Some(Some(version)) if *version == *"garden.io/v2" => LanguageVersion::Cedar,
        Some(_) => LanguageVersion::Bonsai,
        None => LanguageVersion::Cedar,
    }
}
