//! Which folders are projects: those with an `atmos.yaml` whose stacks are below it. A part of another configuration (a profile,
//! a file in `atmos.d`, an import) is none.

use super::Config;
use super::search::load;
use crate::dialects::atmos::paths;
use crate::dialects::atmos::reader::{Cache, Deps, Reader};
use crate::dialects::{Below, Presence, Project, is_others, is_vendored};
use crate::files::Files;
use crate::source::glob::path_match;
use crate::source::{Listing, Source};
use crate::yaml::NodeKind;

/// Whether a path is that of a configuration file by its name.
pub(in crate::dialects::atmos) fn is_config(path: &str) -> bool {
    matches!(path.rsplit('/').next().unwrap_or_default(), "atmos.yaml" | "atmos.yml")
}

/// Whether `ATMOS_CLI_CONFIG_PATH` or `ATMOS_BASE_PATH` sets the location of the project, relative to the start folder.
fn is_named(project: &Project) -> bool {
    ["ATMOS_CLI_CONFIG_PATH", "ATMOS_BASE_PATH"].iter().any(|name| project.env.contains_key(*name))
}

/// Returns the folder of the project that contains the start folder, and how certain that is: the nearest one with a
/// configuration, else the nearest one with a folder `stacks`, for which the defaults are used. With manifests in the folder
/// where the defaults look for them, it is one for sure.
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
    let presence = |folder: &str| {
        let below = paths::join(folder, "stacks/orgs").map(|orgs| listing.under(&orgs)).unwrap_or_default();
        let is_manifest = |path: &str| path.ends_with(".yaml") || path.ends_with(".yml");
        if below.iter().any(|e| is_manifest(&e.path)) { Presence::Assumed } else { Presence::Likely }
    };
    configured.or_else(|| nearest(&has_stacks).map(|folder| (presence(&folder), folder)))
}

/// Returns the projects below the start folder, and configuration files whose stacks are above them.
pub(in crate::dialects::atmos) fn below(source: &dyn Source, project: &Project) -> Below {
    let (listing, folder) = (source.listing(), &project.start);
    let mut found = Below::default();
    if is_named(project) {
        return found;
    }
    for path in configs(listing).filter(|path| paths::relative(path, folder).is_some()) {
        let below = paths::relative(path, folder).unwrap_or(path);
        if is_others(below) {
            continue;
        }
        let Some(written) = Written::of(source, path) else {
            // What cannot be read is a project all the same.
            if !is_vendored(below) {
                found.projects.insert(paths::parent(path).to_owned());
            }
            continue;
        };
        match written.place(source, path) {
            Place::Here if is_vendored(below) => {}
            Place::Here => _ = found.projects.insert(paths::parent(path).to_owned()),
            Place::Above(folder) => _ = found.elsewhere.entry(folder).or_default().insert(path.to_owned()),
            Place::Nowhere => {}
        }
    }
    found
}

/// The configuration of a project, read apart from everything else; `None` if it cannot be used.
fn config(source: &dyn Source, project: &Project) -> Option<Config> {
    let (files, cache) = (Files::default(), Cache::default());
    load(&Reader::new(source, &files, &cache), project, &mut Deps::default()).ok()
}

/// Returns the folders of the code of its components, none if it has no stack. One that is the whole project, or the whole
/// repository, cannot be told from other code.
pub(in crate::dialects::atmos) fn code_folders(
    source: &dyn Source,
    project: &Project,
    has_stacks: impl Fn(&Reader<'_>, &Config) -> bool,
) -> Vec<String> {
    let (files, cache) = (Files::default(), Cache::default());
    let has_stacks = |config: &Config| has_stacks(&Reader::new(source, &files, &cache), config);
    let Some(config) = config(source, project).filter(has_stacks) else { return Vec::new() };
    let kinds = ["terraform", "helmfile", "packer", "ansible"].into_iter();
    let written = kinds.filter(|kind| !config.component_path(kind).is_empty());
    written.filter_map(|kind| config.code_root(kind)).filter(|root| !root.is_empty() && *root != config.base).collect()
}

/// Returns the folder of the stacks of a project.
pub(in crate::dialects::atmos) fn stacks(source: &dyn Source, project: &Project) -> Option<String> {
    config(source, project).map(|config| config.stacks)
}

/// The paths of all configuration files.
fn configs(listing: &Listing) -> impl Iterator<Item = &str> {
    listing.iter().map(|e| &*e.path).filter(|path| is_config(path))
}

/// Where the stacks of a configuration file are.
enum Place {
    /// Where it names them; or it is not known.
    Here,
    /// Not there, but in a folder around it.
    Above(String),
    /// It configures no stacks: it is a part of another configuration.
    Nowhere,
}

/// What a configuration file says by itself.
#[derive(Default)]
struct Written {
    base: String,
    /// `stacks.base_path`.
    stacks: Option<String>,
    has_stacks: bool,
    imports: Vec<String>,
    /// `profiles.base_path`.
    profiles: Option<String>,
}

impl Written {
    /// Reads a file; `None` if it cannot be read.
    fn of(source: &dyn Source, path: &str) -> Option<Self> {
        let bytes = source.read(source.listing().resolve(path).ok()?).ok()?;
        let doc = crate::yaml::parse(&bytes).ok()?;
        let Some(root) = doc.root() else { return Some(Written::default()) };
        let text = |node| doc.scalar(node).map(|text| text.to_string());
        let inside = |section: &str| doc.get(doc.get(root, section)?, "base_path").and_then(text);
        let imports = match doc.get(root, "import").map(|node| &doc.node(node).kind) {
            Some(NodeKind::Sequence(items)) => items.iter().filter_map(|item| text(*item)).collect(),
            _ => Vec::new(),
        };
        Some(Written {
            base: doc.get(root, "base_path").and_then(text).unwrap_or_default(),
            stacks: inside("stacks"),
            has_stacks: doc.get(root, "stacks").is_some(),
            imports,
            profiles: inside("profiles"),
        })
    }

    fn place(&self, source: &dyn Source, path: &str) -> Place {
        let listing = source.listing();
        let own = paths::parent(path);
        let is_in = |folder: &str| {
            let base = paths::join(folder, self.base.trim_start_matches('/')).map(paths::without_repeats);
            let stacks = base.and_then(|base| paths::join(&base, self.stacks.as_ref()?));
            stacks.is_some_and(|path| listing.is_dir(&paths::without_repeats(path)))
        };
        if !self.base.starts_with('/') && is_in(own) {
            return Place::Here;
        }
        if is_part(source, path) || !self.has_stacks && self.imports.is_empty() {
            return Place::Nowhere;
        }
        let Some(stacks) = &self.stacks else { return Place::Here };
        let mut folder = own;
        while !folder.is_empty() {
            folder = paths::parent(folder);
            if is_in(folder) || paths::join(folder, stacks).is_some_and(|path| listing.is_dir(&path)) {
                return Place::Above(folder.to_owned());
            }
        }
        Place::Here
    }
}

/// Whether a configuration file is a part of one around it: in a profile, in its `atmos.d`, or imported by it.
fn is_part(source: &dyn Source, path: &str) -> bool {
    let mut folder = paths::parent(path);
    while !folder.is_empty() {
        folder = paths::parent(folder);
        let main = ["atmos.yaml", "atmos.yml"].iter().filter_map(|name| paths::join(folder, name));
        for main in main.filter(|main| source.listing().resolve(main).is_ok()) {
            let written = Written::of(source, &main).unwrap_or_default();
            let profiles = written.profiles.as_deref().into_iter().chain(["profiles", "atmos.d"]);
            let mut parts = profiles.filter_map(|part| paths::join(folder, part));
            let base = paths::join(folder, &written.base).unwrap_or_default();
            let is_imported = |import: &String| {
                let bases = [Some(&*base), Some(folder), Some("")];
                let mut patterns = bases.into_iter().flatten().filter_map(|base| paths::join(base, import));
                patterns.any(|pattern| path_match(&pattern, path).unwrap_or(false) || format!("{pattern}.yaml") == path)
            };
            if parts.any(|part| paths::relative(path, &part).is_some()) || written.imports.iter().any(is_imported) {
                return true;
            }
        }
    }
    false
}
