//! The content of a project's files, independent of environments.

mod config;
pub(crate) mod discover;
mod fields;
mod ignore;
pub(crate) mod load;
mod resource;
mod scan;
pub(crate) mod schema;
pub(crate) mod varfile;

pub(crate) use config::{EnvironmentConfig, ProjectConfig};
pub(crate) use fields::{EXCLUDED_VALUES, PROVIDER, SOURCES, environment_fields, project_fields};
pub(crate) use ignore::Ignores;
pub(crate) use resource::{ActionKind, KINDS, Resource, first_line, is_hidden};
pub(crate) use scan::is_never_scanned;

use super::diagnostics::Diagnostics;
use super::environment::secrets::reads_secrets;
use crate::value::FileId;
use load::{ConfigFile, Loader};
use std::sync::Arc;

/// The files of a project.
pub(crate) struct Loaded {
    /// The project, if its configuration can be used.
    pub config: Option<ProjectConfig>,
    /// The file that it should be in, if that was read.
    pub file: Option<FileId>,
    /// All other resources in the order of their files.
    pub resources: Vec<Arc<Resource>>,
    /// Whether something in them reads secrets.
    pub reads_secrets: bool,
    /// Whether there may be others in submodules that are not in the repository.
    pub may_lack: bool,
}

/// Reads the project in a folder.
pub(crate) fn load(loader: &Loader<'_>, dir: &str, diagnostics: &Diagnostics) -> Loaded {
    let beside: Vec<_> = discover::config_files_of(loader.reader.children(dir), dir)
        .iter()
        .filter_map(|p| loader.load(p, diagnostics))
        .collect();
    let file = beside.iter().find(|file| file.resources.iter().any(|resource| resource.is_project()));
    let file = file.or(beside.first()).map(|file| file.file);
    let config = config::read(dir, &beside, diagnostics);
    let Some(config) = config else {
        return Loaded { config: None, file, resources: Vec::new(), reads_secrets: false, may_lack: false };
    };
    let mut resources = Vec::new();
    for path in scan::files(loader, &config, diagnostics) {
        let Some(file) = loader.load(&path, diagnostics) else { continue };
        resources.extend(file.resources.iter().cloned());
    }
    // Files in the folder of the project are parsed while it is searched, whether they are scanned or not.
    for file in &beside {
        loader.report(file, diagnostics);
    }
    resources.retain(|resource| resource::is_valid(resource, diagnostics));
    let reads_secrets = resources.iter().any(|r: &Arc<Resource>| reads_secrets(&r.tree)) || reads_secrets(&config.tree);
    let may_lack = scan::may_lack(loader, &config, diagnostics);
    Loaded { config: Some(config), file, resources, reads_secrets, may_lack }
}

/// Returns the files in the folder of a project, and their content.
pub(crate) fn beside(
    loader: &Loader<'_>,
    dir: &str,
    diagnostics: &Diagnostics,
) -> Option<(Vec<Arc<ConfigFile>>, ProjectConfig)> {
    let paths = discover::config_files_of(loader.reader.children(dir), dir);
    let files: Vec<_> = paths.iter().filter_map(|path| loader.load(path, diagnostics)).collect();
    let config = config::read(dir, &files, diagnostics)?;
    Some((files, config))
}

/// The ignore files of the project in a folder.
pub(crate) fn ignores(loader: &Loader<'_>, dir: &str, diagnostics: &Diagnostics) -> Option<Ignores> {
    let (_, config) = beside(loader, dir, diagnostics)?;
    Some(Ignores::read(loader, &config, diagnostics))
}
