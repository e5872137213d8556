//! Repositories made for the moment, without git: for demonstrations and tests.
#![allow(clippy::disallowed_methods, reason = "it writes what it is asked to write, into a folder of its own")]

use super::{Environment, Error, Repository, reason};
use gix::ObjectId;
use gix::objs::tree::EntryKind;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Author and committer of every commit. A fixed time, so that commits have the same ids every time.
const NAME: &str = "stacklint";
const EMAIL: &str = "stacklint@example.com";
const TIME: &str = "1767225600 +0000";

/// A commit to make.
#[derive(Clone, Debug)]
pub(crate) struct Commit<'a> {
    /// The commit message.
    pub message: &'a str,
    /// All files, by path from the root, separated by `/`.
    pub files: BTreeMap<&'a str, &'a str>,
}

/// A repository in a temporary folder, with index and worktree. The folder is removed when this is dropped.
#[derive(Debug)]
pub(crate) struct Scratch {
    folder: TempDir,
}

impl Scratch {
    /// Creates a repository with these commits on its branch, and checks out the last one. Only the configuration of
    /// the repository itself is read, so git needs no user name.
    pub(crate) fn new(commits: &[Commit<'_>]) -> Result<Self, Error> {
        let folder = tempfile::Builder::new()
            .prefix("stacklint-demo-")
            .tempdir()
            .map_err(|error| Error::Scratch { path: std::env::temp_dir(), reason: error.to_string() })?;
        let failed = |reason| Error::Scratch { path: folder.path().into(), reason };
        write_history(folder.path(), commits).map_err(|error| failed(reason(error)))?;
        for (path, content) in commits.last().into_iter().flat_map(|commit| &commit.files) {
            write_file(&folder.path().join(path), content).map_err(|error| failed(error.to_string()))?;
        }
        Ok(Self { folder })
    }

    /// The path of the repository.
    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Opens the repository, ignoring the environment variables of git.
    pub(crate) fn repository(&self) -> Result<Repository, Error> {
        let missing = || Error::Scratch { path: self.path().into(), reason: "it no longer exists".to_owned() };
        Repository::discover_with(self.path(), Environment::Ignore)?.ok_or_else(missing)
    }

    /// Keeps the folder instead of deleting it.
    pub(crate) fn keep(self) -> PathBuf {
        self.folder.keep()
    }
}

fn write_history(folder: &Path, commits: &[Commit<'_>]) -> gix::Result<()> {
    let options = gix::open::Options::isolated();
    let kind = gix::create::Kind::WithWorktree;
    let repo = gix::ThreadSafeRepository::init_opts(folder, kind, gix::create::Options::default(), options)?;
    let repo = repo.to_thread_local();
    let author = gix::actor::SignatureRef { name: NAME.into(), email: EMAIL.into(), time: TIME };
    let mut parent: Option<ObjectId> = None;
    for commit in commits {
        let mut tree = repo.edit_tree(repo.empty_tree().id)?;
        for (path, content) in &commit.files {
            tree.upsert(*path, EntryKind::Blob, repo.write_blob(content)?)?;
        }
        let tree = tree.write()?.detach();
        repo.index_from_tree(&tree)?.write(gix::index::write::Options::default())?;
        parent = Some(repo.commit_as(author, author, "HEAD", commit.message, tree, parent)?.detach());
    }
    Ok(())
}

fn write_file(path: &Path, content: &str) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(path, content)
}
