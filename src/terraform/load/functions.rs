//! The files that functions read.

use super::Loader;
use crate::hcl::functions::{Content, FileError, Files};
use crate::limits::Limit;
use crate::paths::join;
use crate::source::{Error, Node, ResolveError};
use crate::terraform::evaluation::given::{GeneratedFile, Overlay};
use crate::text::decoded;
use crate::value::FileId;
use std::cell::RefCell;
use std::collections::BTreeSet;

/// The files that functions read: relative paths begin in the folder of the root module, where the tool runs.
pub(crate) struct RootFiles<'a> {
    /// The files of the revision.
    loader: &'a Loader<'a>,
    /// The folder of the root module.
    dir: String,
    /// What is put into that folder before the tool runs.
    over: Option<Overlay>,
    /// The files that were read.
    read: RefCell<BTreeSet<FileId>>,
}

impl<'a> RootFiles<'a> {
    pub(crate) fn new(loader: &'a Loader<'a>, dir: String, over: Option<Overlay>) -> Self {
        RootFiles { loader, dir, over, read: RefCell::default() }
    }

    /// The files of the revision.
    pub(crate) fn loader(&self) -> &'a Loader<'a> {
        self.loader
    }

    /// Notes that a file has a part in a value that is not known.
    pub(crate) fn note(&self, file: FileId) {
        self.read.borrow_mut().insert(file);
    }

    /// The files that were read so far.
    pub(crate) fn read(&self) -> BTreeSet<FileId> {
        self.read.borrow().clone()
    }

    /// The generated file at a path.
    fn generated(&self, path: &str) -> Option<&GeneratedFile> {
        let name = path.strip_prefix("./").unwrap_or(path);
        self.over.as_ref()?.generated.iter().find(|file| file.name == name)
    }

    /// Whether a folder is copied into that of the root module.
    pub(crate) fn is_copied(&self) -> bool {
        self.over.as_ref().is_some_and(|over| over.folder.is_some())
    }

    /// A path from the root of the repository.
    pub(crate) fn inside(&self, path: &str) -> Result<String, FileError> {
        let below = path.strip_prefix(&self.loader.root).filter(|rest| rest.is_empty() || rest.starts_with('/'));
        if let Some(rest) = below {
            return Ok(rest.trim_start_matches('/').to_owned());
        }
        if !path.starts_with('/') {
            let copied = self.over.as_ref().and_then(|over| over.folder.as_deref()).map(|folder| join(folder, path));
            let copied = copied.filter(|copied| !path.starts_with("..") && self.loader.reader.lookup(copied).is_ok());
            return Ok(copied.unwrap_or_else(|| join(&self.dir, path)));
        }
        Err(FileError::Unknown(format!("{path} is outside of the repository")))
    }
}

fn failed(path: &str, error: ResolveError) -> FileError {
    match error {
        ResolveError::Missing => FileError::Missing(format!(
            "no file exists at \"{path}\"; this function works only with files that are distributed as part of the \
             configuration source code"
        )),
        ResolveError::Unavailable(why) => FileError::Unknown(format!("{path} cannot be read: {why}")),
        ResolveError::LeavesRepository => FileError::Unknown(format!("{path} is outside of the repository")),
        error => FileError::Failed(format!("\"{path}\": {error}")),
    }
}

impl Files for RootFiles<'_> {
    fn read(&self, path: &str) -> Result<Content, FileError> {
        if let Some(generated) = self.generated(path) {
            let text = generated.text.as_ref();
            let unknown = || FileError::Unknown(format!("{path} is generated, and its content is not known"));
            return Ok(Content { bytes: text.ok_or_else(unknown)?.as_bytes().into(), file: generated.origin.file });
        }
        let inside = self.inside(path)?;
        let entry = self.loader.reader.resolve(&inside).map_err(|e| failed(path, e))?;
        let bytes = self.loader.reader.source().read_data(entry).map_err(|error| match error {
            Error::Unavailable { .. } => FileError::Unknown(error.to_string()),
            _ => FileError::Failed(error.to_string()),
        })?;
        let lost = || FileError::Unknown(format!("{path} is not known: its object is not in this clone"));
        let bytes = bytes.ok_or_else(lost)?;
        if bytes.len() as u64 > self.loader.reader.limits().get(Limit::FileSize) {
            return Err(FileError::Failed(format!("{path} is too large")));
        }
        let text = || decoded(&bytes);
        let file = self.loader.reader.files.add(&entry.path, &entry.id.to_string(), text);
        self.read.borrow_mut().insert(file);
        Ok(Content { bytes, file })
    }

    fn exists(&self, path: &str) -> Result<bool, FileError> {
        if self.generated(path).is_some() {
            return Ok(true);
        }
        let inside = self.inside(path)?;
        match self.loader.reader.resolve(&inside) {
            Ok(_) => Ok(true),
            Err(ResolveError::Missing) => Ok(false),
            Err(ResolveError::IsDirectory) => Err(FileError::Failed(format!("\"{path}\" is a directory, not a file"))),
            Err(error) => Err(failed(path, error)),
        }
    }

    fn below(&self, path: &str) -> Result<Vec<String>, FileError> {
        let inside = self.inside(path)?;
        match self.loader.reader.lookup(&inside) {
            Ok(Node::Dir(dir)) => {
                let skip = if dir.is_empty() { 0 } else { dir.len() + 1 };
                Ok(self
                    .loader
                    .reader
                    .below(&dir, "")
                    .iter()
                    .filter_map(|e| e.path.get(skip..))
                    .map(str::to_owned)
                    .collect())
            }
            Ok(Node::File(_)) | Err(ResolveError::Missing) => Ok(Vec::new()),
            Err(error) => Err(failed(path, error)),
        }
    }

    fn folder(&self) -> Option<String> {
        Some(join(&self.loader.root, &self.dir).trim_end_matches('/').to_owned())
    }
}
