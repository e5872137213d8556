//! From where a command was started to the revision and the project that it means.
#![allow(clippy::disallowed_methods, reason = "this is where the environment of the process comes in")]

use super::memory::Leftovers;
use super::timings::Timings;
use super::{Failure, Global};
use crate::dialects::{Project, Variables};
use crate::limits::Limits;
use crate::review::{Host, Workspace};
use crate::settings::{Load, Settings};
use crate::source::{Folder, Repository, Source};
use std::path::{Path, PathBuf};

/// Where a command works.
pub(super) struct Invocation {
    /// The repository, if there is one.
    pub repository: Option<Repository>,
    /// The project to analyze.
    pub project: Project,
    /// What is left to the end of the process.
    pub leftovers: Leftovers,
    /// Measures the phases of the run.
    pub timings: Timings,
    /// The folders whose projects are examined, from the root of the repository, if any are named.
    folders: Vec<String>,
    /// The only system whose projects are examined, if one is named.
    dialect: Option<String>,
    folder: PathBuf,
}

/// Which state of a repository is meant.
#[derive(Clone, Debug)]
pub(super) enum State {
    Revision(String),
    Index,
    Worktree,
}

/// A folder that is named by its path from the root of the repository.
fn folder_of(path: &str) -> Result<String, Failure> {
    let path = path.replace('\\', "/");
    let parts = || path.split('/').filter(|part| !part.is_empty() && *part != ".");
    if path.starts_with('/') || parts().any(|part| part == "..") {
        return Err(Failure::Message(format!(
            "--project takes a path relative to the root of the repository, not {path}"
        )));
    }
    Ok(parts().collect::<Vec<_>>().join("/"))
}

impl Invocation {
    /// The place that the options and the environment name.
    pub(super) fn find(global: &Global) -> Result<Self, Failure> {
        let timings = Timings::new(global.timings);
        let folder = match &global.directory {
            Some(dir) => dir.clone(),
            None => std::env::current_dir()
                .map_err(|e| Failure::Message(format!("cannot determine the current folder: {e}")))?,
        };
        if !folder.is_dir() {
            return Err(Failure::Message(format!("there is no folder {}", folder.display())));
        }
        let repository = Repository::discover(&folder)?;
        let mut project = Project::default();
        if let Some(repository) = &repository {
            project.start = repository.prefix().to_owned();
            // With -C the current folder is another one: then paths are from the root.
            project.current = project.start.clone();
            if global.directory.is_some() {
                project.current.clear();
            }
            project.root = repository.workdir().map(|p| p.to_string_lossy().replace('\\', "/")).unwrap_or_default();
        }
        let variables: Vec<Variables> = global.dialects().variables().collect();
        for (name, value) in std::env::vars_os() {
            let (name, value) = (name.to_string_lossy(), value.to_string_lossy());
            if variables.iter().flat_map(|v| v.prefixes).any(|prefix| name.starts_with(prefix)) {
                project.env.insert(name.into_owned(), value.into_owned());
            }
        }
        let dialect = global.dialect.clone();
        let folders = global.projects.iter().map(|path| folder_of(path)).collect::<Result<_, _>>()?;
        let leftovers = global.leftovers.clone();
        let mut place = Invocation { repository, project, leftovers, timings, folders, dialect, folder };
        for path in &global.config {
            let path = place.inside(path)?;
            place.project.config.push(path);
        }
        for name in variables.iter().flat_map(|v| v.paths) {
            let absolute = place.project.env.get(*name).filter(|p| Path::new(p.as_str()).is_absolute());
            if let Some(path) = absolute {
                let path = format!("/{}", place.inside(Path::new(path))?);
                place.project.env.insert((*name).to_owned(), path);
            }
        }
        Ok(place)
    }

    /// A repository as it is, without options and environment.
    pub(super) fn of(repository: Repository) -> Self {
        let folder = repository.workdir().unwrap_or(repository.git_dir()).to_owned();
        let project = Project {
            start: repository.prefix().to_owned(),
            root: folder.to_string_lossy().replace('\\', "/"),
            ..Project::default()
        };
        Invocation {
            repository: Some(repository),
            project,
            leftovers: Leftovers::default(),
            timings: Timings::new(false),
            folders: Vec::new(),
            dialect: None,
            folder,
        }
    }

    /// Returns the settings that control how a state is resolved.
    pub(super) fn settings(&self, source: &dyn Source) -> Result<Settings, Failure> {
        Load::resolving(source, &self.project.start).map_err(Failure::Message)
    }

    /// A path of the command line as the process can open it.
    pub(super) fn beside(&self, path: &Path) -> PathBuf {
        self.folder.join(path)
    }

    /// A path of the command line, from the root of the repository.
    pub(super) fn inside(&self, path: &Path) -> Result<String, Failure> {
        let full = self.folder.join(path);
        let found = match &self.repository {
            Some(repository) if repository.workdir().is_some() => repository.relative(&full),
            _ => full.strip_prefix(&self.folder).ok().map(|p| p.to_string_lossy().replace('\\', "/")),
        };
        found.ok_or_else(|| Failure::Message(format!("{} is outside of the repository", path.display())))
    }

    /// Some paths of the command line, from the root of the repository.
    pub(super) fn all_inside(&self, paths: &[PathBuf]) -> Result<Vec<String>, Failure> {
        paths.iter().map(|path| self.inside(path)).collect()
    }

    /// The folder that paths of the worktree begin in.
    pub(super) fn root(&self) -> &Path {
        self.repository.as_ref().and_then(Repository::workdir).unwrap_or(&self.folder)
    }

    /// Returns what all reviews of this place share.
    pub(super) fn workspace(&self) -> Workspace<'_> {
        let (project, folders) = (&self.project, &self.folders[..]);
        Workspace { project, folders, dialect: self.dialect.as_deref(), host: self }
    }

    /// The repository, where one is needed.
    pub(super) fn repository(&self) -> Result<&Repository, Failure> {
        self.repository.as_ref().ok_or_else(|| {
            Failure::Message(format!(
                "{} is not in a git repository, which comparing revisions requires",
                self.folder.display()
            ))
        })
    }

    /// Returns the worktree, or HEAD in a bare repository.
    pub(super) fn default_state(&self) -> State {
        match &self.repository {
            Some(repository) if repository.workdir().is_none() => State::Revision("HEAD".to_owned()),
            _ => State::Worktree,
        }
    }

    /// A state, opened.
    pub(super) fn open(&self, state: &State) -> Result<Box<dyn Source>, Failure> {
        match state {
            State::Revision(spec) => Ok(self.repository()?.revision(spec)?),
            State::Index => {
                let index = self.repository()?.index()?;
                if let Some(path) = index.conflicts.first() {
                    return Err(Failure::Message(format!(
                        "the index has unresolved conflicts, for example in {path}: resolve them first"
                    )));
                }
                Ok(index.source)
            }
            State::Worktree => match &self.repository {
                Some(repository) => Ok(repository.worktree()?),
                None => Ok(Box::new(Folder::open(&self.folder)?)),
            },
        }
    }
}

impl Host for Invocation {
    fn begin(&self, phase: &'static str) {
        self.timings.begin(phase);
    }

    fn end(&self, phase: &'static str) {
        self.timings.end(phase);
    }

    fn limits(&self, limits: &Limits) {
        super::watch::set(limits);
    }
}
