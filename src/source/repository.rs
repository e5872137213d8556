//! Finding and describing a git repository.
#![allow(clippy::disallowed_methods, reason = "this is where a repository is looked for on the disk")]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::objects::{Objects, is_partial, is_shallow};
use super::{Error, MAX_FILE, discover};

/// Whether `GIT_DIR`, `GIT_INDEX_FILE` and their like, and the configuration of user and machine, count.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Environment {
    /// As git itself does. Hooks depend on it: while `git commit -a` runs, the index is another file.
    #[default]
    Honour,
    /// Only what is in the repository.
    Ignore,
}

/// A git repository, with or without worktree. Cheap to clone; all sources made from one share caches.
#[derive(Clone)]
pub(crate) struct Repository {
    pub(super) objects: Arc<Objects>,
    pub(super) prefix: String,
    workdir: Option<PathBuf>,
    git_dir: PathBuf,
    pub(super) environment: Environment,
}

impl Repository {
    /// The repository `start` is in, if any. `start` is a directory.
    pub(crate) fn discover(start: &Path) -> Result<Option<Self>, Error> {
        Self::discover_with(start, Environment::Honour)
    }

    /// Like [`Self::discover`], with a choice about the environment.
    pub(crate) fn discover_with(start: &Path, environment: Environment) -> Result<Option<Self>, Error> {
        Ok(discover::open(start, environment)?.map(|repo| Self::new(repo, start, environment)))
    }

    fn new(repo: gix::ThreadSafeRepository, start: &Path, environment: Environment) -> Self {
        let absolute = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.into());
        let workdir = repo.work_dir().map(absolute);
        let git_dir = absolute(repo.path());
        let objects = Arc::new(Objects::new(repo, MAX_FILE));
        let mut repository = Self { objects, prefix: String::new(), workdir, git_dir, environment };
        repository.prefix = repository.relative(start).unwrap_or_default();
        repository
    }

    /// The same repository, reading files of at most `limit` bytes. Nothing is shared with sources made before.
    #[must_use]
    #[cfg(test)]
    pub(crate) fn with_limit(mut self, limit: u64) -> Self {
        self.objects = Arc::new(self.objects.with_limit(limit));
        self
    }

    /// The root of the worktree, without symbolic links; `None` for a bare repository.
    pub(crate) fn workdir(&self) -> Option<&Path> {
        self.workdir.as_deref()
    }

    /// The git directory (of the linked worktree, if it is one).
    pub(crate) fn git_dir(&self) -> &Path {
        &self.git_dir
    }

    /// Where in the repository the search started, separated by `/`; empty at the root and in bare repositories.
    pub(crate) fn prefix(&self) -> &str {
        &self.prefix
    }

    /// The repository path of something on disk (which need not exist); `None` outside the worktree.
    pub(crate) fn relative(&self, path: &Path) -> Option<String> {
        let root = self.workdir.as_deref()?;
        let mut existing = std::path::absolute(path).ok()?;
        let mut missing = Vec::new();
        let real = loop {
            if let Ok(real) = existing.canonicalize() {
                break real;
            }
            missing.push(existing.file_name()?.to_owned());
            existing.pop();
        };
        let full = missing.iter().rev().fold(real, |path, name| path.join(name));
        let inside = full.strip_prefix(root).ok()?;
        // Git takes up nothing that is called so, at any depth.
        if inside.iter().any(|part| part.eq_ignore_ascii_case(".git")) {
            return None;
        }
        let parts: Vec<_> = inside.iter().map(|part| part.to_string_lossy()).collect();
        Some(parts.join("/"))
    }

    /// Whether it is a submodule, which the repository around it can replace by any other one.
    pub(crate) fn is_submodule(&self) -> bool {
        self.objects.with(|repo| repo.kind() == gix::repository::Kind::Submodule)
    }

    /// Whether history is cut off (`git clone --depth`).
    pub(crate) fn is_shallow(&self) -> bool {
        self.objects.with(is_shallow)
    }

    /// Whether the server may have objects that the clone lacks (`git clone --filter`).
    pub(crate) fn is_partial(&self) -> bool {
        self.objects.with(is_partial)
    }

    /// The URL of the remote `origin`, without user name, password or token.
    pub(crate) fn remote_url(&self) -> Option<String> {
        let url =
            self.objects.with(|repo| repo.config_snapshot().string("remote.origin.url").map(|url| url.to_string()))?;
        Some(without_secrets(&url))
    }

    pub(super) fn bare(&self, what: &'static str) -> Error {
        Error::Bare { path: self.git_dir.clone(), what }
    }
}

/// Removes `user:password@` from a URL with a scheme.
fn without_secrets(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let (host, path) = rest.split_once('/').map_or((rest, None), |(host, path)| (host, Some(path)));
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    match path {
        Some(path) => format!("{scheme}://{host}/{path}"),
        None => format!("{scheme}://{host}"),
    }
}

#[cfg(test)]
mod tests {
    use super::without_secrets;

    #[test]
    fn urls_lose_their_secrets() {
        let cases = [
            ("https://x-access-token:abc@github.com/a/b.git", "https://github.com/a/b.git"),
            ("https://github.com/a/b@v1", "https://github.com/a/b@v1"),
            ("ssh://git@host", "ssh://host"),
            ("git@github.com:a/b.git", "git@github.com:a/b.git"),
            ("/srv/git/a@b", "/srv/git/a@b"),
        ];
        for (url, expected) in cases {
            assert_eq!(without_secrets(url), expected);
        }
    }
}
