//! Where projects are.

use crate::dialects::garden::template::syntax::ast::Era;
use crate::go::path::within;
use crate::source::{Child, Source};
use crate::yaml;

/// Whether a file is read for configuration, by its name.
pub(crate) fn is_config_name(name: &str) -> bool {
    name == "garden.yml" || name == "garden.yaml" || name.ends_with(".garden.yml") || name.ends_with(".garden.yaml")
}

/// The configuration files directly in a folder, sorted.
pub(crate) fn config_files(source: &dyn Source, dir: &str) -> Vec<String> {
    let children = source.listing().children(dir);
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

/// The version of the language that the project in a file is written in.
pub(crate) fn era_of(source: &dyn Source, path: &str) -> Era {
    let bytes = source.listing().resolve(path).ok().and_then(|entry| source.read(entry).ok());
    let text = bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
    let documents = yaml::documents_of(text.into()).unwrap_or_default();
    let field = |doc: &yaml::Document, key: &str| doc.get(doc.root()?, key).and_then(|id| doc.scalar(id).cloned());
    let project = documents.iter().find(|doc| field(doc, "kind").is_some_and(|kind| *kind == *"Project"));
    match project.map(|doc| field(doc, "apiVersion")) {
        Some(Some(version)) if *version == *"garden.io/v2" => Era::Cedar,
        Some(_) => Era::Bonsai,
        None => Era::Cedar,
    }
}

/// A path below a folder.
pub(crate) fn join(dir: &str, path: &str) -> String {
    if dir.is_empty() { path.to_owned() } else { format!("{dir}/{path}") }
}

/// The folder that a path is in.
pub(crate) fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(dir, _)| dir)
}

/// A path as it is written in a file of a folder, from the root of the repository; `None` if it leads out of that.
pub(crate) fn resolve(dir: &str, path: &str) -> Option<String> {
    if path.starts_with('/') { None } else { within(dir, path) }
}

/// A path seen from a folder that it is in; the path itself elsewhere.
pub(crate) fn relative<'a>(dir: &str, path: &'a str) -> &'a str {
    match dir {
        "" => path,
        dir => path.strip_prefix(dir).and_then(|rest| rest.strip_prefix('/')).unwrap_or(path),
    }
}
