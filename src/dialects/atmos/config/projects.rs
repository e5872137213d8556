//! Which folders are projects: those with an `atmos.yaml` whose stacks are below it.

use crate::dialects::atmos::paths;
use crate::dialects::{Below, Presence, Project, is_vendored};
use crate::source::{Listing, Source};

/// Whether a path is that of a configuration file by its name.
pub(in crate::dialects::atmos) fn is_config(path: &str) -> bool {
    matches!(path.rsplit('/').next().unwrap_or_default(), "atmos.yaml" | "atmos.yml")
}

/// Whether `ATMOS_CLI_CONFIG_PATH` or `ATMOS_BASE_PATH` sets the location of the project, relative to the start folder.
fn is_named(project: &Project) -> bool {
    ["ATMOS_CLI_CONFIG_PATH", "ATMOS_BASE_PATH"].iter().any(|name| project.env.contains_key(*name))
}

/// Returns the folder of the project that contains the start folder, and how certain that is: the nearest one with a
/// configuration, else the nearest one with a folder `stacks`, for which the defaults are used.
pub(in crate::dialects::atmos) fn enclosing(source: &dyn Source, project: &Project) -> Option<(Presence, String)> {
    let listing = source.listing();
    if is_named(project) {
        let is_there = listing.is_dir("stacks") || configs(listing).next().is_some();
        return is_there.then(|| (Presence::Certain, project.start.clone()));
    }
    let nearest = |has: &dyn Fn(&str) -> bool| {
        let mut folder = project.start.as_str();
        loop {
            if has(folder) {
                return Some(folder.to_owned());
            }
            if folder.is_empty() {
                return None;
            }
            folder = paths::parent(folder);
        }
    };
    let file = |folder: &str, name: &str| paths::join(folder, name).is_some_and(|path| listing.resolve(&path).is_ok());
    let has_config = |folder: &str| file(folder, "atmos.yaml") || file(folder, "atmos.yml");
    let has_stacks = |folder: &str| paths::join(folder, "stacks").is_some_and(|path| listing.is_dir(&path));
    let configured = nearest(&has_config).map(|folder| (Presence::Certain, folder));
    configured.or_else(|| nearest(&has_stacks).map(|folder| (Presence::Likely, folder)))
}

/// Returns the projects below a folder, and configuration files whose stacks are above them: these are used only if
/// they are named.
pub(in crate::dialects::atmos) fn below(source: &dyn Source, folder: &str) -> Below {
    let listing = source.listing();
    let mut found = Below::default();
    for path in configs(listing).filter(|path| paths::relative(path, folder).is_some() || folder.is_empty()) {
        if is_vendored(paths::relative(path, folder).unwrap_or(path)) {
            continue;
        }
        let own = paths::parent(path);
        match is_elsewhere(source, path) {
            true => found.candidates.insert(path.to_owned()),
            false => found.projects.insert(own.to_owned()),
        };
    }
    found
}

/// The paths of all configuration files.
fn configs(listing: &Listing) -> impl Iterator<Item = &str> {
    listing.iter().map(|e| &*e.path).filter(|path| is_config(path))
}

/// Configuration files that may be meant where the defaults are assumed.
pub(in crate::dialects::atmos) fn candidates(source: &dyn Source) -> Vec<String> {
    configs(source.listing()).filter(|path| !is_vendored(path)).map(str::to_owned).take(3).collect()
}

/// Whether the stacks of a configuration are not below its folder, but below one around it.
fn is_elsewhere(source: &dyn Source, path: &str) -> bool {
    let Some((base, stacks)) = stacks_of(source, path) else { return false };
    let listing = source.listing();
    let is_in = |folder: &str| {
        let base = paths::join(folder, base.trim_start_matches('/'));
        base.and_then(|base| paths::join(&base, &stacks)).is_some_and(|path| listing.is_dir(&path))
    };
    let mut folder = paths::parent(path);
    if !base.starts_with('/') && is_in(folder) {
        return false;
    }
    while !folder.is_empty() {
        folder = paths::parent(folder);
        if is_in(folder) || listing.is_dir(&paths::join(folder, &stacks).unwrap_or_default()) {
            return true;
        }
    }
    false
}

/// `base_path` and `stacks.base_path` of a configuration file, if it can be read.
fn stacks_of(source: &dyn Source, path: &str) -> Option<(String, String)> {
    let bytes = source.read(source.listing().resolve(path).ok()?).ok()?;
    let doc = crate::yaml::parse(&bytes).ok()?;
    let root = doc.root()?;
    let text = |node| doc.scalar(node).map(|text| text.to_string());
    let base = doc.get(root, "base_path").and_then(text).unwrap_or_default();
    let stacks = doc.get(doc.get(root, "stacks")?, "base_path").and_then(text)?;
    Some((base, stacks))
}
